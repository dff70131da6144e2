// `sinew bench sweeps`: milliseconds of factoring a Laplacian and of solving with it for x, y and z, by what the sweeps
// read (doubles, floats, 16-bit integers), for growing bars.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>

#include "core/timer.h"
#include "experiment/bench.h"
#include "linalg/cholesky.h"
#include "potential/laplacian.h"
#include "world/world.h"

extern const SnBench sn_bench_sweeps;

// Cells along and across: 2k, 7k, 35k and 140k nodes.
static const int sizes[][2] = {{28, 7}, {48, 11}, {80, 20}, {128, 32}};
enum { SIZES = sizeof sizes / sizeof *sizes, SOLVES = 10 };

static const char* const precisions[] = {
    [SN_FACTOR_DOUBLE] = "double", [SN_FACTOR_FLOAT] = "float", [SN_FACTOR_SHORT] = "short"};

// The best of some solves; error: of A^-1 A x where x is a pattern of small integers.
static SnStatus time_precision(SnCholesky* c, const SnScalarMatrix* a, SnFactorPrecision precision, int threads,
                               double* x)
{
    bool definite;
    double best = INFINITY, error = 0, *b = x + 3 * (int64_t)a->n;
    SN_TRY(sn_cholesky_set_precision(c, precision));
    double begin = sn_now_ms();
    SN_TRY(sn_cholesky_factor(c, 0, &definite));
    double factor = sn_now_ms() - begin;
    for (int i = 0; i < 3 * a->n; i++) x[i] = i % 7 - 3;
    for (int k = 0; k < SOLVES; k++) {
        sn_scalar_matrix_multiply(a, x, b);
        begin = sn_now_ms();
        SN_TRY(sn_cholesky_solve(c, b, b));
        best = fmin(best, sn_now_ms() - begin);
    }
    for (int i = 0; i < 3 * a->n; i++) error = fmax(error, fabs(b[i] - x[i]));
    printf("%d,%.0f,%d,%s,%.2f,%.3f,%.2g\n", a->n, sn_cholesky_factor_entries(c), threads, precisions[precision],
           factor, best, error);
    fflush(stdout);
    return SN_OK;
}

static SnStatus time_matrix(SnWorld* world, SnScalarMatrix* a, int threads)
{
    SnCholesky* cholesky = NULL;
    SnTasks* tasks = NULL;
    double* x = NULL;
    SN_TRY(sn_laplacian_create(world->problem.potential, world->problem.free_index, world->model.node_count, NULL, a));
    for (int i = 0; i < a->n; i++) a->values[a->col_start[i]] *= 1.1; // in place of the inertia
    SnStatus status = sn_cholesky_create_scalar(a, NULL, &cholesky);
    if (status == SN_OK) status = sn_tasks_create(threads, (SnTaskRunner){0}, &tasks);
    if (status == SN_OK && !SN_NEW(x, 6 * (int64_t)a->n, "the benchmark")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) sn_cholesky_set_tasks(cholesky, tasks);
    for (int k = SN_FACTOR_DOUBLE; k <= SN_FACTOR_SHORT && status == SN_OK; k++)
        status = time_precision(cholesky, a, (SnFactorPrecision)k, sn_tasks_threads(tasks), x);
    sn_free(x);
    sn_cholesky_destroy(cholesky);
    sn_tasks_destroy(tasks);
    return status;
}

static SnStatus run_size(int along, int across, int threads)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world = NULL;
    SnMesh* mesh = NULL;
    SnScalarMatrix a = {0};
    SnStatus status = sn_world_create(&def, &world);
    if (status == SN_OK) status = sn_mesh_make_box((double[]){4, 1, 1}, (int[]){along, across, across}, &mesh);
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    if (status == SN_OK) status = sn_world_add_body(world, &body, NULL);
    if (status == SN_OK) status = sn_world_prepare(world, 0);
    if (status == SN_OK) status = time_matrix(world, &a, threads);
    sn_scalar_matrix_free(&a);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
    return status;
}

typedef struct Options {
    int sizes, threads;
} Options;

static const SnParameter parameters[] = {
    {"sizes", SN_INTEGER, offsetof(Options, sizes), .value = "3", .range = ">=1 <=4",
     .doc = "how many of the four sizes, from the smallest"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "1", .range = ">=0 <=256", .doc = "threads"},
    {0},
};

static SnStatus run(const void* given)
{
    const Options* o = given;
    printf("nodes,factor_entries,threads,precision,factor_ms,solve_ms,error\n");
    for (int i = 0; i < o->sizes; i++) SN_TRY(run_size(sizes[i][0], sizes[i][1], o->threads));
    return SN_OK;
}

const SnBench sn_bench_sweeps = {
    .name = "sweeps",
    .summary = "ms of factoring a Laplacian and of solving for x, y and z, in doubles, floats and 16 bits",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
