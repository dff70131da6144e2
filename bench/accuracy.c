// `sinew bench accuracy`: how long each solver takes to come how near the motion that is solved to rounding. Every
// scene is run by every solver at every tolerance; the error is the distance of any node in any frame from that of
// Newton at 1e-12 (1e-8 with contacts), relative to the largest motion. A second table has the time to given errors: of
// the fastest solver, and of `auto`.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accuracy_scenes.h"
#include "experiment/bench.h"
#include "experiment/gallery.h"
#include "experiment/gauge.h"
#include "scene/override_list.h"

extern const SnBench sn_bench_accuracy;

enum { MOST_SOLVERS = 32, MOST_TOLERANCES = 12, ITERATIONS = 2000 };

#define ALL_SOLVERS                                                                               \
    "auto,newton,newton:linear=pcg,lbfgs/trace-laplacian,lbfgs/kept-hessian,lbfgs/hessian,lbfgs/" \
    "laplacian,dot,chebyshev,"                                                                    \
    "admm"

static const double errors[] = {1e-2, 1e-3, 1e-4, 1e-5};
enum { ERRORS = sizeof errors / sizeof *errors };

typedef struct Options {
    const char *scenes, *solvers, *tolerances; // with commas between them; NULL for scenes: all
    int frames, threads, repeats;              // frames 0: as many as the scene's row has
} Options;

// What a solver made of a scene at one tolerance; means per step.
typedef struct Row {
    double error, iterations, evaluations, factorizations, cpu, ms, megabytes;
    int outcomes[4];
} Row;

// One scene at work. The scene, its solvers and tolerances as texts.
typedef struct Case {
    const Options* options;
    const AccuracyScene* scene;
    char* solvers[MOST_SOLVERS];
    char* tolerances[MOST_TOLERANCES];
    int solver_count, tolerance_count, frames;
    int numbers;          // 3 x nodes
    double *exact, *path; // of the reference and of a run: positions at the start and after each frame
    double *least,
        *step;     // CPU and wall-clock milliseconds of each step, the least of all repeats: of all runs, of this
    double motion; // m, of the node that moved furthest
    Row rows[MOST_SOLVERS][MOST_TOLERANCES];
} Case;

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int split(const char* list, SnArena* arena, char** parts, int most)
{
    int count = 0;
    while (*list && count < most) {
        size_t length = strcspn(list, ",");
        if (length > 0) parts[count++] = sn_arena_text(arena, list, length);
        list += length + (list[length] == ',');
    }
    return count;
}

static const char* text_of(const AccuracyScene* scene)
{
    if (scene->text) return scene->text;
    const SnGalleryScene* const tables[] = {sn_gallery_scenes, sn_paper_scenes};
    for (int k = 0; k < 2; k++)
        for (const SnGalleryScene* s = tables[k]; s->name; s++)
            if (strcmp(s->name, scene->name) == 0) return s->text;
    return NULL; // a file
}

static bool add_changes(SnOverrides* overrides, const char* changes)
{
    bool good = true;
    while (changes && *changes && good) {
        size_t length = strcspn(changes, ";");
        good = sn_overrides_add(overrides, sn_arena_text(&overrides->arena, changes, length));
        changes += length + (changes[length] == ';');
    }
    return good;
}

static SnStatus load(const Case* c, const char* solver, const char* tolerance, SnScene** scene)
{
    SnOverrides o = {0};
    bool good = add_changes(&o, c->scene->changes) && sn_overrides_add(&o, "solver.stop=error");
    good = good && sn_overrides_add_solver(&o, solver);
    good = good && sn_overrides_add(&o, sn_arena_print(&o.arena, "solver.tolerance=%s", tolerance));
    good = good && sn_overrides_add(&o, sn_arena_print(&o.arena, "solver.iterations=%d", ITERATIONS));
    const char* text = text_of(c->scene);
    SnStatus status = !good  ? SN_ERROR_MEMORY
                      : text ? sn_scene_parse(text, strlen(text), c->scene->name, o.items, o.count, scene)
                             : sn_scene_load(c->scene->name, o.items, o.count, scene);
    sn_overrides_free(&o);
    return status;
}

static SnStatus make_steps(const Case* c, SnWorld* world, double* path, Row* row)
{
    SnStepReport r;
    size_t bytes = (size_t)c->numbers * sizeof *path;
    double n = c->frames;
    SnStatus status = sn_world_measure(world, &r); // builds what is built once
    memcpy(path, sn_world_positions(world), bytes);
    for (int i = 0; i < c->frames && status == SN_OK; i++) {
        double begin = cpu_ms();
        status = sn_world_step(world, &r);
        double cpu = cpu_ms() - begin;
        if (c->step) c->step[2 * i] = fmin(c->step[2 * i], cpu);
        if (c->step) c->step[2 * i + 1] = fmin(c->step[2 * i + 1], r.ms.total);
        row->iterations += r.iterations / n, row->evaluations += r.evaluations / n;
        row->factorizations += r.factorizations / n;
        row->outcomes[r.outcome]++;
        memcpy(path + (size_t)(i + 1) * (size_t)c->numbers, sn_world_positions(world), bytes);
    }
    return status;
}

static SnStatus run_world(Case* c, SnScene* scene, double** path, Row* row)
{
    SnWorld* world = NULL;
    SnStatus status = sn_scene_create_world(scene, &world);
    if (status == SN_OK) {
        c->numbers = 3 * sn_world_node_count(world);
        if (!*path) *path = malloc((size_t)c->numbers * ((size_t)c->frames + 1) * sizeof **path);
        status = *path ? make_steps(c, world, *path, row) : SN_ERROR_MEMORY;
    }
    sn_world_destroy(world);
    return status;
}

static SnStatus run_once(Case* c, const char* solver, const char* tolerance, double** path, Row* row)
{
    SnGauge gauge;
    SnScene* scene = NULL;
    SnStatus status = load(c, solver, tolerance, &scene);
    if (status == SN_OK) {
        sn_scene_world_def(scene)->threads = c->options->threads;
        if (c->frames == 0) c->frames = sn_scene_frames(scene);
        sn_thread_set_allocator(sn_gauge_start(&gauge));
        status = run_world(c, scene, path, row);
        sn_thread_set_allocator(NULL);
        row->megabytes = (double)sn_gauge_peak(&gauge) / 1e6;
    }
    sn_scene_destroy(scene);
    return status;
}

// The furthest that any node is from another path in any frame; from where it started with stride 0.
static double furthest(const Case* c, const double* path, const double* other, int stride)
{
    double most = 0;
    for (int f = 1; f <= c->frames; f++)
        for (int i = 0; i < c->numbers; i += 3) {
            const double* a = path + (size_t)f * (size_t)c->numbers + i;
            const double* b = other + (size_t)(f * stride) * (size_t)c->numbers + i;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            most = fmax(most, x * x + y * y + z * z);
        }
    return sqrt(most);
}

static SnStatus run_row(Case* c, int solver, int tolerance)
{
    Row* row = &c->rows[solver][tolerance];
    *row = (Row){0};
    c->step = c->least + 2 * (size_t)c->frames * (size_t)(solver * c->tolerance_count + tolerance);
    SN_TRY(run_once(c, c->solvers[solver], c->tolerances[tolerance], &c->path, row));
    for (int i = 0; i < c->frames; i++)
        row->cpu += c->step[2 * i] / c->frames, row->ms += c->step[2 * i + 1] / c->frames;
    row->error = furthest(c, c->path, c->exact, 1) / c->motion;
    return SN_OK;
}

static void print_row(const Case* c, int solver, int tolerance)
{
    const Row* row = &c->rows[solver][tolerance];
    printf("%s,%s,%s,%d,%d,%.3e,%.1f,%.1f,%.2f,%.3f,%.3f,%.1f,%d,%d,%d,%d\n", c->scene->name, c->solvers[solver],
           c->tolerances[tolerance], c->numbers / 3, c->frames, row->error, row->iterations, row->evaluations,
           row->factorizations, row->cpu, row->ms, row->megabytes, row->outcomes[0], row->outcomes[1], row->outcomes[2],
           row->outcomes[3]);
    fflush(stdout);
}

// Everything some times over, and not each run: what disturbs one disturbs the next. Of each step the shortest counts.
static SnStatus run_rows(Case* c)
{
    SnStatus status = SN_OK;
    int steps = 2 * c->frames * c->solver_count * c->tolerance_count;
    c->least = malloc((size_t)steps * sizeof *c->least);
    if (!c->least) return SN_ERROR_MEMORY;
    for (int i = 0; i < steps; i++) c->least[i] = INFINITY;
    for (int k = 1; k <= c->options->repeats; k++)
        for (int s = 0; s < c->solver_count && status == SN_OK; s++)
            for (int t = 0; t < c->tolerance_count && status == SN_OK; t++) {
                status = run_row(c, s, t);
                if (status == SN_OK && k == c->options->repeats) print_row(c, s, t);
            }
    return status;
}

// CPU milliseconds to an error: of the fastest run that is below it, or in between two tolerances, as a power of the
// error. Infinite where none gets there.
static double time_to(const Case* c, const Row* rows, double error)
{
    double best = INFINITY;
    for (int k = 0; k < c->tolerance_count; k++) {
        const Row *row = &rows[k], *next = &rows[k + 1];
        if (row->error <= error) best = fmin(best, row->cpu);
        if (k + 1 == c->tolerance_count || !(row->error > error && next->error <= error)) continue;
        double part = log(error / row->error) / log(fmax(next->error, 1e-16) / row->error);
        best = fmin(best, row->cpu * pow(next->cpu / row->cpu, part));
    }
    return best;
}

static void print_summary(const Case* c)
{
    for (int e = 0; e < ERRORS; e++) {
        double best = INFINITY, own = NAN;
        int fastest = -1;
        for (int s = 0; s < c->solver_count; s++) {
            double t = time_to(c, c->rows[s], errors[e]);
            if (t < best) best = t, fastest = s;
            if (strcmp(c->solvers[s], "auto") == 0) own = t;
        }
        if (fastest < 0) continue;
        printf("%s,%g,%s,%.3f,%.3f,%.2f\n", c->scene->name, errors[e], c->solvers[fastest], best, own, own / best);
    }
}

static SnStatus run_case(Case* c)
{
    Row unused = {0};
    fprintf(stderr, "%s\n", c->scene->name);
    c->frames = c->options->frames > 0 ? c->options->frames : c->scene->frames;
    const char* reference = c->scene->reference ? c->scene->reference : "1e-12";
    SnStatus status = run_once(c, "newton", reference, &c->exact, &unused);
    if (status == SN_OK) c->motion = furthest(c, c->exact, c->exact, 0);
    if (status == SN_OK) status = run_rows(c);
    free(c->exact);
    free(c->path);
    free(c->least);
    c->exact = c->path = c->least = c->step = NULL;
    return status;
}

// The row of a name; a name with a dot is a file.
static SnStatus find(const char* name, AccuracyScene* scene)
{
    const AccuracyScene* s = accuracy_scenes;
    while (s->name && strcmp(s->name, name) != 0) s++;
    *scene = *s;
    if (s->name) return SN_OK;
    *scene = (AccuracyScene){.name = name};
    return strchr(name, '.') ? SN_OK
                             : sn_fail(SN_ERROR_VALUE, "no scene '%s' in this benchmark; a file of your own?", name);
}

static SnStatus run_scenes(const Options* o, AccuracyScene* scenes, int count, SnArena* arena)
{
    Case* cases = sn_arena_allocate(arena, (size_t)count * sizeof *cases);
    SnStatus status = cases ? SN_OK : SN_ERROR_MEMORY;
    printf("scene,solver,tolerance,nodes,frames,error,iterations,evaluations,factorizations,cpu_ms,ms,megabytes,"
           "converged,iteration_limit,stalled,unsettled\n");
    for (int i = 0; i < count && status == SN_OK; i++) {
        Case* c = &cases[i];
        c->options = o, c->scene = &scenes[i];
        c->solver_count = split(o->solvers, arena, c->solvers, MOST_SOLVERS);
        c->tolerance_count = split(o->tolerances, arena, c->tolerances, MOST_TOLERANCES);
        status = run_case(c);
    }
    if (status == SN_OK) printf("\nscene,error,fastest,fastest_cpu_ms,auto_cpu_ms,ratio\n");
    for (int i = 0; i < count && status == SN_OK; i++) print_summary(&cases[i]);
    return status;
}

static SnStatus run(const void* given)
{
    enum { MOST_SCENES = 100 };
    const Options* o = given;
    SnArena arena = {0};
    AccuracyScene scenes[MOST_SCENES];
    char* names[MOST_SCENES];
    int count = 0;
    SnStatus status = SN_OK;
    if (!o->scenes)
        for (; accuracy_scenes[count].name; count++) scenes[count] = accuracy_scenes[count];
    else
        count = split(o->scenes, &arena, names, MOST_SCENES);
    for (int i = 0; o->scenes && i < count && status == SN_OK; i++) status = find(names[i], &scenes[i]);
    if (status == SN_OK) status = run_scenes(o, scenes, count, &arena);
    sn_arena_free(&arena);
    return status;
}

static const SnParameter parameters[] = {
    {"scenes", SN_TEXT, offsetof(Options, scenes), .example = "A,B",
     .doc = "only these; a name with a dot is a scene file"},
    {"solvers", SN_TEXT, offsetof(Options, solvers), .example = "A,B", .value = ALL_SOLVERS,
     .doc = "these, written as for race"},
    {"tolerances", SN_TEXT, offsetof(Options, tolerances), .example = "A,B", .value = "1e-3,1e-4,1e-5,1e-6,1e-7",
     .doc = "from the loosest on"},
    {"frames", SN_INTEGER, offsetof(Options, frames), .range = ">=1 <=100000",
     .doc = "steps of each run (default: 10 to 30)"},
    {"repeats", SN_INTEGER, offsetof(Options, repeats), .value = "1", .range = ">=1 <=100",
     .doc = "runs, of each step of which the fastest counts"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "1", .range = ">=0 <=256", .doc = "threads"},
    {0},
};

const SnBench sn_bench_accuracy = {
    .name = "accuracy",
    .summary = "error of the motion against time, for every solver and tolerance; auto against the fastest",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
