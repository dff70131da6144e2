// `sinew bench newton`: milliseconds per backward Euler step of a neo-Hookean bar clamped at one end, by what they are
// spent on, for growing bars.
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiment/bench.h"

extern const SnBench sn_bench_newton;

static const int sizes[][2] = {{28, 7}, {48, 11}, {80, 20}}; // cells along and across: 2k, 7k and 35k nodes

typedef struct Options {
    int steps, threads;
    double tolerance;
} Options;

static SnStatus clamp_left_end(SnWorld* world, SnMesh* mesh)
{
    int count = 0, n = sn_mesh_node_count(mesh);
    int* nodes = malloc((size_t)n * sizeof *nodes);
    if (!nodes) return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        if (sn_mesh_nodes(mesh)[3 * i] < 1e-9) nodes[count++] = i;
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = nodes, handle.node_count = count;
    SnStatus status = sn_world_add_handle(world, &handle, NULL);
    free(nodes);
    return status;
}

static SnStatus fill_world(SnWorld* world, SnMesh* mesh)
{
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 1e6, 0.45, 1000);
    SnStatus status = sn_world_add_body(world, &body, NULL);
    return status == SN_OK ? clamp_left_end(world, mesh) : status;
}

// The first step also builds and analyses the problem; it is left out.
static SnStatus time_steps(SnWorld* world, const SnMesh* mesh, int steps, int threads)
{
    SnStepReport report;
    SnTimes sum = {0};
    int iterations = 0;
    SnStatus status = sn_world_step(world, &report);
    for (int i = 0; i < steps && status == SN_OK; i++) {
        status = sn_world_step(world, &report);
        sum.evaluate += report.ms.evaluate, sum.assemble += report.ms.assemble, sum.factor += report.ms.factor;
        sum.solve += report.ms.solve, sum.total += report.ms.total;
        iterations += report.iterations;
    }
    double other = sum.total - sum.evaluate - sum.assemble - sum.factor - sum.solve;
    printf("%d,%d,%d,%d,%.2f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", sn_mesh_node_count(mesh),
           sn_mesh_tetrahedron_count(mesh), threads, steps, (double)iterations / steps, sum.evaluate / steps,
           sum.assemble / steps, sum.factor / steps, sum.solve / steps, other / steps, sum.total / steps);
    fflush(stdout);
    return status;
}

static SnStatus run_size(int along, int across, const Options* o)
{
    SnWorldDef def = sn_default_world_def();
    def.time_step = 1.0 / 30;
    def.threads = o->threads;
    def.solver.type = "newton";
    def.solver.tolerance = o->tolerance;
    SnWorld* world = NULL;
    SnMesh* mesh = NULL;
    SnStatus status = sn_world_create(&def, &world);
    if (status == SN_OK) status = sn_mesh_make_box((double[]){4, 1, 1}, (int[]){along, across, across}, &mesh);
    if (status == SN_OK) status = fill_world(world, mesh);
    if (status == SN_OK) status = time_steps(world, mesh, o->steps, o->threads);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
    return status;
}

static const SnParameter parameters[] = {
    {"steps", SN_INTEGER, offsetof(Options, steps), .value = "5", .range = ">=1 <=100000",
     .doc = "steps timed for each size"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "1", .range = ">=0 <=256", .doc = "threads"},
    {"tolerance", SN_NUMBER, offsetof(Options, tolerance), .example = "E", .value = "1e-5", .range = ">=0",
     .doc = "of the stopping rule"},
    {0},
};

static SnStatus run(const void* given)
{
    printf(
        "nodes,tets,threads,steps,iterations_per_step,evaluate_ms,assemble_ms,factor_ms,solve_ms,other_ms,total_ms\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) SN_TRY(run_size(sizes[i][0], sizes[i][1], given));
    return SN_OK;
}

const SnBench sn_bench_newton = {
    .name = "newton",
    .summary = "ms per step split into evaluate, assemble, factor, solve; bars of 2k, 7k and 35k nodes",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
