// A study of condition numbers: of the Hessian H at the start of each step, times each initial inverse B.
//
// Conjugate gradients on H with B as preconditioner are Lanczos' method on B H: their coefficients are the entries of a
// tridiagonal matrix whose extreme eigenvalues go to those of B H.
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/random.h"
#include "experiment/paper.h"
#include "linalg/block_rows.h"
#include "linalg/vector.h"
#include "solver/initial.h"
#include "world/world.h"

enum { MOST_LANCZOS = 300 };

// At work: the matrix of a step, and what was found.
typedef struct Spectrum {
    const SnStudy* study;
    int variants, step; // step: being measured, from 0; -1: none yet
    SnStatus status;
    double* conditions; // [variant][step]
    int steps;
} Spectrum;

typedef struct Tridiagonal {
    int count;
    double diagonal[MOST_LANCZOS], beside[MOST_LANCZOS]; // beside[k]: between k and k + 1
} Tridiagonal;

// How many eigenvalues are below x (Sturm).
static int count_below(const Tridiagonal* t, double x)
{
    int below = 0;
    double d = 1;
    for (int k = 0; k < t->count; k++) {
        double square = k > 0 ? t->beside[k - 1] * t->beside[k - 1] : 0;
        d = t->diagonal[k] - x - square / (d != 0 ? d : 1e-300);
        below += d < 0;
    }
    return below;
}

// The least eigenvalue that is not below `place` others; all are positive.
static double eigenvalue(const Tridiagonal* t, int place)
{
    double lo = 0, hi = 0;
    for (int k = 0; k < t->count; k++)
        hi = fmax(hi, t->diagonal[k] + fabs(t->beside[k]) + (k > 0 ? fabs(t->beside[k - 1]) : 0));
    for (int k = 0; k < 200 && hi - lo > 1e-10 * hi; k++) {
        double middle = lo > 0 && hi > 2 * lo ? sqrt(lo * hi) : 0.5 * (lo + hi);
        if (count_below(t, middle) > place)
            hi = middle;
        else
            lo = middle;
    }
    return hi;
}

// The vectors of conjugate gradients, rows of free nodes but for the last two, which are of all nodes.
typedef struct Vectors {
    int rows, all; // lengths
    double *r, *z, *p, *product;
    double *q, *answer;
} Vectors;

// z = B r; without an initial inverse B is the identity.
static SnStatus apply(const SnInitialType* initial, void* state, SnSearch* s, Vectors* v)
{
    if (!initial) {
        memcpy(v->z, v->r, (size_t)v->rows * sizeof *v->z);
        return SN_OK;
    }
    sn_objective_scatter(s->objective, v->r, v->q);
    SN_TRY(initial->apply(state, s, v->q, 0, v->answer));
    sn_objective_gather(s->objective, 1, v->answer, v->z);
    return SN_OK;
}

static SnStatus lanczos(const SnInitialType* initial, void* state, SnSearch* s, const SnBlockRows* h, Vectors* v,
                        Tridiagonal* t)
{
    SnTasks* tasks = s->objective->nodes.tasks;
    SnRandom random = {1};
    for (int i = 0; i < v->rows; i++) v->r[i] = sn_random_uniform(&random, -1, 1);
    SN_TRY(apply(initial, state, s, v));
    memcpy(v->p, v->z, (size_t)v->rows * sizeof *v->p);
    double rz = sn_vector_dot(tasks, v->rows, v->r, v->z), first = rz, alpha = 1, beta = 0;
    for (t->count = 0; t->count < MOST_LANCZOS && rz > 1e-24 * first; t->count++) {
        double before = alpha;
        sn_block_rows_multiply(h, tasks, v->p, v->product);
        alpha = rz / sn_vector_dot(tasks, v->rows, v->p, v->product);
        t->diagonal[t->count] = 1 / alpha + (t->count > 0 ? beta / before : 0);
        sn_vector_axpy(tasks, v->rows, -alpha, v->product, v->r, v->r);
        SN_TRY(apply(initial, state, s, v));
        double next = sn_vector_dot(tasks, v->rows, v->r, v->z);
        beta = next / rz, rz = next;
        t->beside[t->count] = sqrt(fmax(beta, 0)) / alpha;
        sn_vector_axpy(tasks, v->rows, beta, v->p, v->z, v->p);
    }
    return SN_OK;
}

static SnStatus measure_one(const char* name, SnSearch* s, const SnBlockRows* h, Vectors* v, double* condition)
{
    const SnInitialType* initial = name ? sn_initial_find(name) : NULL;
    if (name && !initial) return sn_table_unknown(&sn_initial_table, name);
    SnSolverDef def = sn_default_solver_def();
    Tridiagonal* t;
    void* state = NULL;
    if (!SN_NEW(t, 1, "a spectrum")) return SN_ERROR_MEMORY;
    SnStatus status = initial ? initial->create(s->objective, &def, &state) : SN_OK;
    if (status == SN_OK && initial && initial->start) status = initial->start(state, s);
    if (status == SN_OK) status = lanczos(initial, state, s, h, v, t);
    if (status == SN_OK) *condition = eigenvalue(t, t->count - 1) / eigenvalue(t, 0);
    if (state) initial->destroy(state);
    sn_free(t);
    return status;
}

static SnStatus measure_all(Spectrum* spectrum, SnSearch* s, SnHessian* hessian, Vectors* v)
{
    SnBlockRows* rows = NULL;
    sn_objective_supported_diagonal(s->objective, hessian->diagonal);
    sn_hessian_assemble(hessian, s->x, true);
    SnStatus status = sn_block_rows_create(&hessian->matrix, &rows);
    if (status == SN_OK) sn_block_rows_update(rows, s->objective->nodes.tasks);
    for (int i = 0; i < spectrum->variants && status == SN_OK; i++)
        status = measure_one(spectrum->study->variants[i].solver, s, rows, v,
                             &spectrum->conditions[i * spectrum->steps + spectrum->step]);
    sn_block_rows_destroy(rows);
    return status;
}

// Before the first iteration of a step.
static void watch(void* user, const SnSearch* search)
{
    Spectrum* spectrum = user;
    if (search->iterations > 0 || spectrum->step < 0 || spectrum->status != SN_OK) return;
    const SnNodes* nodes = &search->objective->nodes;
    Vectors v = {.rows = 3 * nodes->free_count, .all = 3 * nodes->count};
    SnSearch copy = *search; // what counts and times the search does not see this
    SnHessian* hessian = NULL;
    double* block;
    if (!SN_NEW(block, 4 * (int64_t)v.rows + 2 * (int64_t)v.all, "a spectrum")) {
        spectrum->status = SN_ERROR_MEMORY;
        return;
    }
    v.r = block, v.z = v.r + v.rows, v.p = v.z + v.rows, v.product = v.p + v.rows, v.q = v.product + v.rows;
    v.answer = v.q + v.all;
    spectrum->status = sn_hessian_create(search->objective->potential, nodes->free_index, nodes->free_count, &hessian);
    if (spectrum->status == SN_OK) spectrum->status = measure_all(spectrum, &copy, hessian, &v);
    sn_hessian_destroy(hessian);
    sn_free(block);
}

static SnStatus make_steps(Spectrum* spectrum, SnWorld* world, double* times)
{
    SnStepReport report;
    spectrum->step = -1;
    sn_world_watch(world, watch, spectrum);
    for (int i = 0; i < spectrum->study->race_after; i++) SN_TRY(sn_world_step(world, NULL));
    for (int i = 0; i < spectrum->steps; i++) {
        spectrum->step = i;
        SN_TRY(sn_world_step(world, &report));
        SN_TRY(spectrum->status);
        times[i] = report.time;
    }
    return SN_OK;
}

static SnStatus run(const SnFigure* figure, const SnFigureOptions* options, const char* value, Spectrum* spectrum,
                    double* times)
{
    const char* text;
    SnOverrides list = {0};
    SnScene* scene = NULL;
    SnWorld* world = NULL;
    SN_TRY(sn_paper_scene(figure->study.scene, &text));
    SnStatus status = sn_study_changes(&figure->study, options, &list);
    if (status == SN_OK && !sn_study_add_value(&figure->study, value, &list)) status = SN_ERROR_MEMORY;
    if (status == SN_OK)
        status = sn_scene_parse(text, strlen(text), figure->study.scene, list.items, list.count, &scene);
    if (status == SN_OK) status = sn_scene_create_world(scene, &world);
    if (status == SN_OK) status = make_steps(spectrum, world, times);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_overrides_free(&list);
    return status == SN_OK ? status : sn_fail_prefix(status, "%s", figure->name);
}

static SnPlot* plot_of(SnSheet* sheet, const SnFigure* figure, const char* axis)
{
    SnPlot* plot = sn_sheet_plot(sheet, figure->shows, axis, figure->study.quantities[0].label);
    plot->y.logarithmic = true, plot->y.floor = 1;
    return plot;
}

// Over the steps.
static SnStatus make_course(const SnFigure* figure, const SnFigureOptions* options, Spectrum* spectrum, double* times,
                            SnSheet* sheet)
{
    const SnStudy* study = &figure->study;
    const char* names[SN_MOST_CURVES];
    double numbers[SN_MOST_CURVES];
    SN_TRY(run(figure, options, NULL, spectrum, times));
    plot_of(sheet, figure, "time, s");
    for (int i = 0; i < spectrum->variants; i++) {
        const double* course = spectrum->conditions + i * spectrum->steps;
        names[i] = study->variants[i].name;
        numbers[i] = course[spectrum->steps - 1];
        SN_TRY(sn_sheet_add_curve(sheet, names[i], spectrum->steps, times, course));
    }
    return sn_sheet_judge(sheet, &study->quantities[0], spectrum->variants, names, numbers);
}

// At the end of the steps, for each value.
static SnStatus make_sweep(const SnFigure* figure, const SnFigureOptions* options, Spectrum* spectrum, double* times,
                           SnSheet* sheet)
{
    const SnStudy* study = &figure->study;
    const char* names[SN_MOST_CURVES * SN_MOST_VALUES];
    double numbers[SN_MOST_CURVES * SN_MOST_VALUES], places[SN_MOST_VALUES];
    int values = 0, variants = spectrum->variants;
    while (values < SN_MOST_VALUES && study->values[values]) values++;
    for (int k = 0; k < values; k++) {
        SN_TRY(run(figure, options, study->values[k], spectrum, times));
        places[k] = sn_study_value_number(study->values[k], k);
        for (int i = 0; i < variants; i++) {
            int to = i * values + k;
            numbers[to] = spectrum->conditions[(i + 1) * spectrum->steps - 1];
            names[to] = sn_arena_print(&sheet->arena, "%s @ %s", study->variants[i].name, study->values[k]);
            if (!names[to]) return SN_ERROR_MEMORY;
        }
    }
    SnPlot* plot = plot_of(sheet, figure, study->axis);
    sn_study_set_axis(study, plot);
    for (int i = 0; i < variants; i++)
        SN_TRY(sn_sheet_add_curve(sheet, study->variants[i].name, values, places, numbers + i * values));
    return sn_sheet_judge(sheet, &study->quantities[0], variants * values, names, numbers);
}

SnStatus sn_study_spectrum(const SnFigure* figure, const SnFigureOptions* options, SnSheet* sheet)
{
    const SnStudy* study = &figure->study;
    Spectrum spectrum = {.study = study, .steps = study->race_steps};
    while (spectrum.variants < SN_MOST_CURVES && study->variants[spectrum.variants].name) spectrum.variants++;
    size_t count = (size_t)(spectrum.variants * spectrum.steps);
    spectrum.conditions = sn_arena_allocate(&sheet->arena, (count + (size_t)spectrum.steps) * sizeof(double));
    if (!spectrum.conditions) return SN_ERROR_MEMORY;
    double* times = spectrum.conditions + count;
    return (study->sweep[0] ? make_sweep : make_course)(figure, options, &spectrum, times, sheet);
}
