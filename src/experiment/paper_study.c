// A study by simulations: each variant, or each at each value of a sweep, and what is measured of it.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/timer.h"
#include "experiment/paper.h"
#include "experiment/paper_values.h"
#include "linalg/vec3.h"
#include "solver/initial.h"
#include "world/world.h"
#include <sinew/run.h>

// One simulation, and what becomes of it.
typedef struct Trial {
    const SnFigure* figure;
    const SnFigureOptions* options;
    const SnVariant* variant;
    const char* value;   // of the sweep; or NULL
    bool reference;      // it is the study's reference
    bool again;          // it was made before, and is but timed
    const char* run;     // path of a run file; or NULL
    SnSheet* sheet;      // whose arena has the arrays
    const double* known; // where the reference ended; or NULL

    int count;                          // of steps, and the start
    double* times;                      // count
    double* values[SN_MOST_QUANTITIES]; // count each
    const char* changes;                // of the scene, a line each; of the sheet's arena
    double* x;                          // 3 x node_count: at the end
    int unconverged;
    double* residual; // node_count, with subdomains
    int* part;
    bool* shared;
    SnStatus watched; // what went wrong on the way
} Trial;

static int quantity_count(const SnStudy* study)
{
    int count = 0;
    while (count < SN_MOST_QUANTITIES && study->quantities[count].label) count++;
    return count;
}

// --- One trial ---

static bool add_all(SnOverrides* list, const char* const* changes)
{
    for (int i = 0; i < SN_MOST_CHANGES && changes[i]; i++)
        if (!sn_overrides_add(list, changes[i])) return false;
    return true;
}

// A change of the sweep, with the value in the place of each %s.
static bool add_value(SnOverrides* list, const char* change, const char* value)
{
    const char *text = "", *gap;
    while (text && (gap = strstr(change, "%s"))) {
        text = sn_arena_print(&list->arena, "%s%.*s%s", text, (int)(gap - change), change, value);
        change = gap + 2;
    }
    return text && sn_overrides_add(list, sn_arena_print(&list->arena, "%s%s", text, change));
}

bool sn_study_add_value(const SnStudy* study, const char* value, SnOverrides* list)
{
    bool good = true;
    for (int i = 0; i < 2 && good && value && study->sweep[i]; i++) good = add_value(list, study->sweep[i], value);
    for (int k = 0; k < SN_MOST_VALUES && good && value && study->values[k]; k++)
        if (study->values[k] == value && study->also[k]) good = sn_overrides_add(list, study->also[k]);
    return good;
}

// A value that is no number is a word.
static bool is_word(const char* text)
{
    return !(text[0] >= '0' && text[0] <= '9');
}

void sn_study_set_axis(const SnStudy* study, SnPlot* plot)
{
    int count = 0;
    while (count < SN_MOST_VALUES && study->values[count]) count++;
    plot->x.logarithmic = !study->linear_axis, plot->x.floor = 1e-12;
    if (count > 0 && is_word(study->values[0])) plot->x.names = study->values, plot->x.name_count = count;
}

SnStatus sn_study_changes(const SnStudy* study, const SnFigureOptions* options, SnOverrides* list)
{
    if (!add_all(list, study->set) || (options->full && !add_all(list, study->full))) return SN_ERROR_MEMORY;
    return options->mesh ? sn_study_take_mesh(study, options->mesh, list) : SN_OK;
}

static SnStatus add_changes(const Trial* trial, SnOverrides* list)
{
    const SnStudy* study = &trial->figure->study;
    SN_TRY(sn_study_changes(study, trial->options, list));
    bool good = add_all(list, trial->variant->changes);
    if (good && trial->variant->solver) good = sn_overrides_add_solver(list, trial->variant->solver);
    good = good && sn_study_add_value(study, trial->value, list);
    for (int i = 0; i < 2 && good && trial->reference && study->reference[i]; i++)
        good = sn_overrides_add(list, study->reference[i]);
    return good ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus load(Trial* trial, SnScene** scene)
{
    const char* name = trial->variant->scene ? trial->variant->scene : trial->figure->study.scene;
    const char* text;
    SN_TRY(sn_paper_scene(name, &text));
    SnOverrides list = {0};
    SnStatus status = add_changes(trial, &list);
    if (status == SN_OK) status = sn_scene_parse(text, strlen(text), name, list.items, list.count, scene);
    trial->changes = sn_overrides_lines(&list, &trial->sheet->arena); // for those who make the steps again
    sn_overrides_free(&list);
    int threads = trial->options->threads;
    if (status == SN_OK) sn_scene_world_def(*scene)->threads = threads ? threads : 1;
    return status == SN_OK ? status : sn_fail_prefix(status, "%s, %s", trial->figure->name, trial->variant->name);
}

static SnStatus allocate(Trial* trial, int frames, int node_count)
{
    SnArena* arena = &trial->sheet->arena;
    trial->count = frames + 1;
    size_t size = (size_t)trial->count * sizeof(double);
    trial->times = sn_arena_allocate(arena, size);
    trial->x = sn_arena_allocate(arena, 3 * (size_t)node_count * sizeof(double));
    bool good = trial->times && trial->x;
    for (int q = 0; q < SN_MOST_QUANTITIES; q++) good = (trial->values[q] = sn_arena_allocate(arena, size)) && good;
    if (!trial->figure->study.subdomains) return good ? SN_OK : SN_ERROR_MEMORY;
    trial->residual = sn_arena_allocate(arena, (size_t)node_count * sizeof *trial->residual);
    trial->part = sn_arena_allocate(arena, (size_t)node_count * sizeof *trial->part);
    trial->shared = sn_arena_allocate(arena, (size_t)node_count * sizeof *trial->shared);
    return good && trial->residual && trial->part && trial->shared ? SN_OK : SN_ERROR_MEMORY;
}

// Keeps the residuals; subdomains are those that the solver `dot` would have.
static void watch(void* user, const SnSearch* search)
{
    Trial* trial = user;
    const SnObjective* o = search->objective;
    SnSolverDef def = sn_default_solver_def();
    def.subdomains = trial->figure->study.subdomains;
    if (search->iterations == 0 && trial->watched == SN_OK)
        trial->watched = sn_dot_subdomains(o, &def, trial->part, trial->shared);
    for (int i = 0; i < o->nodes.count; i++)
        trial->residual[i] = o->nodes.free_index[i] >= 0 ? sn_length3(search->g + 3 * (size_t)i) : 0;
}

static void measure(Trial* trial, int i, const SnMoment* moment)
{
    trial->times[i] = moment->now->time;
    for (int q = 0; q < quantity_count(&trial->figure->study); q++)
        trial->values[q][i] = trial->figure->study.quantities[q].value(moment);
}

// From here on it has no numbers.
static void give_up(Trial* trial, int from, double step)
{
    for (int i = from; i < trial->count; i++) {
        trial->times[i] = i * step;
        for (int q = 0; q < SN_MOST_QUANTITIES; q++) trial->values[q][i] = INFINITY;
    }
}

static SnStatus simulate(Trial* trial, SnWorld* world, SnRunFile* run, const double* x_start, double step)
{
    SnStepReport start, now;
    SN_TRY(sn_world_measure(world, &start));
    SnMoment moment = {.now = &start,
                       .start = &start,
                       .world = world,
                       .x = sn_world_positions(world),
                       .x_start = x_start,
                       .x_reference = trial->known,
                       .residual = trial->residual,
                       .shared = trial->shared,
                       .node_count = sn_world_node_count(world)};
    if (trial->residual) sn_world_watch(world, watch, trial);
    measure(trial, 0, &moment);
    moment.now = &now;
    for (int i = 1; i < trial->count; i++) {
        double begin = sn_processor_ms();
        SN_TRY(sn_world_step(world, &now));
        SN_TRY(trial->watched);
        moment.ms = sn_processor_ms() - begin;
        moment.x = sn_world_positions(world);
        double energy = now.energy.kinetic + now.energy.elastic;
        if (!(energy < 1e200)) {
            give_up(trial, i, step);
            break;
        }
        measure(trial, i, &moment);
        trial->unconverged += now.outcome != SN_OUTCOME_CONVERGED;
        if (run) SN_TRY(sn_run_file_add_step(run, &now));
        if (run) SN_TRY(sn_run_file_write_frame(run, world));
    }
    memcpy(trial->x, moment.x, 3 * (size_t)moment.node_count * sizeof *trial->x);
    return SN_OK;
}

static SnStatus run_world(Trial* trial, const SnScene* scene, SnWorld* world)
{
    int node_count = sn_world_node_count(world);
    size_t size = 3 * (size_t)node_count * sizeof(double);
    SN_TRY(allocate(trial, sn_scene_frames(scene), node_count));
    double* x_start = sn_arena_allocate(&trial->sheet->arena, size);
    if (!x_start) return SN_ERROR_MEMORY;
    memcpy(x_start, sn_world_positions(world), size);
    double step = sn_scene_world_def((SnScene*)scene)->time_step;
    if (trial->reference && trial->figure->study.rk4)
        return sn_study_rk4(world, sn_scene_frames(scene), step, trial->x);
    SnRunFile* run = NULL;
    if (trial->run)
        SN_TRY(sn_run_file_create(trial->run, world,
                                  &(SnRunOptions){.name = sn_scene_name(scene), .scene = sn_scene_text(scene)}, &run));
    if (run && trial->changes) SN_TRY(sn_run_file_set_meta(run, "overrides", trial->changes));
    SnStatus status = simulate(trial, world, run, x_start, step);
    if (status != SN_OK) {
        sn_run_file_destroy(run);
        return status;
    }
    return run ? sn_run_file_close(run) : SN_OK;
}

// What did not converge is told, unless the number of iterations is all that was asked for.
static void note(const Trial* trial, const SnScene* scene)
{
    if (trial->again || trial->unconverged == 0 || sn_scene_world_def((SnScene*)scene)->solver.tolerance == 0) return;
    sn_append(trial->sheet->notes, sizeof trial->sheet->notes, "%s%s%s%s: %d of %d steps did not converge.",
              trial->sheet->notes[0] ? " " : "", trial->variant->name, trial->value ? " @ " : "",
              trial->value ? trial->value : "", trial->unconverged, trial->count - 1);
}

static SnStatus run_trial(Trial* trial)
{
    SnScene* scene = NULL;
    SnWorld* world = NULL;
    SnStatus status = load(trial, &scene);
    if (status == SN_OK) status = sn_scene_create_world(scene, &world);
    if (status == SN_OK) status = run_world(trial, scene, world);
    if (status == SN_OK) note(trial, scene);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static bool claims_time(const SnStudy* study)
{
    for (int q = 0; q < quantity_count(study); q++)
        if (study->quantities[q].value == sn_value_ms && study->quantities[q].claims[0].variant) return true;
    return false;
}

// The same steps, twice more: the fastest of each counts. Others on the machine slow down what they share with it.
static SnStatus time_again(Trial* trial)
{
    const SnStudy* study = &trial->figure->study;
    for (int pass = 0; pass < 2; pass++) {
        Trial again = *trial;
        again.again = true, again.run = NULL;
        SN_TRY(run_trial(&again));
        for (int q = 0; q < quantity_count(study); q++)
            for (int i = 0; study->quantities[q].value == sn_value_ms && i < trial->count; i++)
                trial->values[q][i] = fmin(trial->values[q][i], again.values[q][i]);
    }
    return SN_OK;
}

// --- From trials to curves ---

typedef struct Cells {
    int variants, values; // values: 1 without a sweep
    Trial* trials;        // [variant][value]
    const char** names;   // the same
} Cells;

static double number_of(const SnQuantity* quantity, const Trial* trial, int q)
{
    SnNumber* number = quantity->number ? quantity->number : sn_number_last;
    return number(trial->count, trial->times, trial->values[q]);
}

static SnStatus add_courses(SnSheet* sheet, const Cells* cells, int q)
{
    for (int v = 0; v < cells->variants; v++) {
        const Trial* trial = &cells->trials[v];
        SN_TRY(sn_sheet_add_curve(sheet, trial->variant->name, trial->count, trial->times, trial->values[q]));
    }
    return SN_OK;
}

// Words have their place in the list for a number.
double sn_study_value_number(const char* text, int place)
{
    char* end;
    double number = strtod(text, &end);
    if (*end == '/') number /= strtod(end + 1, &end);
    return end == text || *end ? place + 1 : number;
}

static SnStatus add_sweeps(SnSheet* sheet, const SnStudy* study, const Cells* cells, int q)
{
    for (int v = 0; v < cells->variants; v++) {
        double x[SN_MOST_VALUES], y[SN_MOST_VALUES];
        for (int k = 0; k < cells->values; k++) {
            x[k] = sn_study_value_number(study->values[k], k);
            y[k] = number_of(&study->quantities[q], &cells->trials[v * cells->values + k], q);
        }
        SN_TRY(sn_sheet_add_curve(sheet, cells->trials[v * cells->values].variant->name, cells->values, x, y));
    }
    return SN_OK;
}

static SnStatus show(SnSheet* sheet, const SnFigure* figure, const Cells* cells, int q)
{
    const SnStudy* study = &figure->study;
    const SnQuantity* quantity = &study->quantities[q];
    double* numbers = sn_arena_allocate(&sheet->arena, (size_t)(cells->variants * cells->values) * sizeof *numbers);
    if (!numbers) return SN_ERROR_MEMORY;
    for (int i = 0; i < cells->variants * cells->values; i++) numbers[i] = number_of(quantity, &cells->trials[i], q);
    SN_TRY(sn_sheet_judge(sheet, quantity, cells->variants * cells->values, cells->names, numbers));
    if (quantity->hidden) return SN_OK;
    bool sweep = study->sweep[0];
    const char* label = sweep && quantity->says ? quantity->says : quantity->label;
    SnPlot* plot = sn_sheet_plot(sheet, figure->shows, sweep ? study->axis : "time, s", label);
    plot->y.logarithmic = quantity->logarithmic, plot->y.floor = quantity->floor > 0 ? quantity->floor : 1e-12;
    if (sweep) sn_study_set_axis(study, plot);
    return sweep ? add_sweeps(sheet, study, cells, q) : add_courses(sheet, cells, q);
}

static SnStatus draw(SnSheet* sheet, const SnFigure* figure, const SnFigureOptions* options, const Cells* cells)
{
    const char* runs[SN_MOST_CURVES];
    for (int v = 0; v < cells->variants; v++) runs[v] = cells->trials[v].run;
    SnStatus status = sn_figure_draw(figure, options, cells->variants, runs, sheet);
    for (int v = 0; v < cells->variants && !options->film; v++) unlink(runs[v]);
    return status;
}

static SnStatus run_cells(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet, Cells* cells)
{
    const SnStudy* study = &figure->study;
    Trial reference = {figure, options, &study->variants[0], .reference = true, .sheet = sheet};
    if (study->reference[0]) SN_TRY(run_trial(&reference));
    for (int i = 0; i < cells->variants * cells->values; i++) {
        int v = i / cells->values;
        const char* value = study->sweep[0] ? study->values[i % cells->values] : NULL;
        Trial* trial = &cells->trials[i];
        *trial = (Trial){figure, options, &study->variants[v], value, .sheet = sheet, .known = reference.x};
        cells->names[i] =
            value ? sn_arena_print(&sheet->arena, "%s @ %s", trial->variant->name, value) : trial->variant->name;
        if (study->frames[0] && !value) {
            char ending[32];
            snprintf(ending, sizeof ending, "-%d.run", v + 1);
            trial->run = sn_figure_path(figure, options, &sheet->arena, ending);
        }
        if (!cells->names[i]) return SN_ERROR_MEMORY;
        SN_TRY(run_trial(trial));
        if (claims_time(study)) SN_TRY(time_again(trial));
    }
    return SN_OK;
}

SnStatus sn_study_make(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet)
{
    const SnStudy* study = &figure->study;
    if (study->fit && options->mesh) sn_append(sheet->notes, sizeof sheet->notes, "It has no body for --mesh.");
    if (study->fit) return sn_study_fit(figure, sheet);
    if (study->spectrum) return sn_study_spectrum(figure, options, sheet);
    if (study->race_steps > 0) return sn_study_race(figure, options, sheet);
    Cells cells = {.values = 1};
    while (cells.variants < SN_MOST_CURVES && study->variants[cells.variants].name) cells.variants++;
    if (study->sweep[0])
        for (cells.values = 0; cells.values < SN_MOST_VALUES && study->values[cells.values];) cells.values++;
    size_t count = (size_t)(cells.variants * cells.values);
    cells.trials = sn_arena_allocate(&sheet->arena, count * sizeof *cells.trials);
    cells.names = sn_arena_allocate(&sheet->arena, count * sizeof *cells.names);
    if (!cells.trials || !cells.names) return SN_ERROR_MEMORY;
    SN_TRY(run_cells(figure, options, sheet, &cells));
    for (int q = 0; q < quantity_count(study); q++) SN_TRY(show(sheet, figure, &cells, q));
    return study->frames[0] ? draw(sheet, figure, options, &cells) : SN_OK;
}
