// `sinew bench solvers`: milliseconds per step to the stopping rule, iterations and memory of every solver, on a bar
// whose ends are twisted against each other, or on a mesh from a file, for growing sizes; ratios are to the fastest of
// the same run and size.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pi.h"
#include "experiment/bench.h"
#include "experiment/gauge.h"
#include "mesh/mesh.h"

extern const SnBench sn_bench_solvers;

// A choice of solver; `largest` nodes up to which it is run unless it is asked for by name.
typedef struct Choice {
    const char *name, *type, *initial, *linear;
    int largest;
} Choice;

static const Choice choices[] = {
    {"auto", "auto", "laplacian", "pcg", 1000000},
    {"lbfgs/laplacian", "lbfgs", "laplacian", "pcg", 1000000},
    {"lbfgs/trace-laplacian", "lbfgs", "trace-laplacian", "pcg", 1000000},
    {"lbfgs/ichol", "lbfgs", "ichol", "pcg", 1000000},
    {"lbfgs/pcg", "lbfgs", "pcg", "pcg", 1000000},
    {"lbfgs/warped-rest-hessian", "lbfgs", "warped-rest-hessian", "pcg", 20000},
    {"lbfgs/rest-hessian", "lbfgs", "rest-hessian", "pcg", 20000},
    {"lbfgs/hessian", "lbfgs", "hessian", "pcg", 20000},
    {"lbfgs/identity", "lbfgs", "identity", "pcg", 8000},
    {"dot", "dot", "dot", "pcg", 200000},
    {"newton/pcg", "newton", "laplacian", "pcg", 1000000},
    {"newton/cholesky", "newton", "laplacian", "cholesky", 20000},
    {"chebyshev", "chebyshev", "laplacian", "pcg", 20000},
};
enum { CHOICES = sizeof choices / sizeof *choices };

typedef struct Options {
    int sizes, steps, threads;
    double tolerance;
    const char* mesh; // a file; NULL: bars
    const char* only; // comma-separated names; NULL: all that fit the size
} Options;

typedef struct Row {
    double ms, evaluate, assemble, factor, solve, first, iterations, evaluations, factorizations, megabytes;
    int unconverged;
} Row;

// Both ends within 1% of the length turn about x, 18 degrees a second against each other.
static SnStatus hold_end(SnWorld* world, const SnMesh* mesh, double lo, double hi, double rate)
{
    SnMeshMeasure box;
    sn_mesh_measure(mesh, &box);
    int* nodes = malloc((size_t)mesh->node_count * sizeof *nodes);
    if (!nodes) return SN_ERROR_MEMORY;
    SnHandleDef handle = sn_default_handle_def();
    for (int i = 0; i < mesh->node_count; i++) {
        double u = (mesh->nodes[3 * i] - box.lo[0]) / (box.hi[0] - box.lo[0]);
        if (u >= lo && u <= hi) nodes[handle.node_count++] = i;
    }
    handle.nodes = nodes;
    handle.motion.rotate_axis[0] = 1;
    handle.motion.rotate_rate = rate;
    for (int c = 0; c < 3; c++) handle.motion.rotate_centre[c] = 0.5 * (box.lo[c] + box.hi[c]);
    SnStatus status = sn_world_add_handle(world, &handle, NULL);
    free(nodes);
    return status;
}

static SnStatus fill_world(SnWorld* world, const SnMesh* mesh)
{
    const double rate = 0.1 * SN_PI;
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material("fixed-corotated", 1e5, 0.4, 1000);
    SnStatus status = sn_world_add_body(world, &body, NULL);
    if (status == SN_OK) status = hold_end(world, mesh, -1, 0.01, -rate);
    if (status == SN_OK) status = hold_end(world, mesh, 0.99, 2, rate);
    return status;
}

static SnStatus time_steps(SnWorld* world, const Options* o, Row* row)
{
    SnStepReport r;
    SnStatus status = sn_world_step(world, &r); // builds the problem as well
    row->first = r.ms.total;
    for (int i = 0; i < o->steps && status == SN_OK; i++) {
        status = sn_world_step(world, &r);
        double n = o->steps;
        row->ms += r.ms.total / n, row->evaluate += r.ms.evaluate / n, row->assemble += r.ms.assemble / n;
        row->factor += r.ms.factor / n, row->solve += r.ms.solve / n, row->iterations += r.iterations / n;
        row->evaluations += r.evaluations / n, row->factorizations += r.factorizations / n;
        row->unconverged += r.outcome != SN_OUTCOME_CONVERGED;
    }
    return status;
}

static SnStatus run_choice(const SnMesh* mesh, const Choice* choice, const Options* o, Row* row)
{
    SnGauge gauge;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.025;
    def.threads = o->threads;
    def.solver.type = choice->type, def.solver.initial = choice->initial, def.solver.linear = choice->linear;
    def.solver.tolerance = o->tolerance;
    def.solver.iterations = 10000;
    SnWorld* world = NULL;
    sn_thread_set_allocator(sn_gauge_start(&gauge));
    SnStatus status = sn_world_create(&def, &world);
    if (status == SN_OK) status = fill_world(world, mesh);
    if (status == SN_OK) status = time_steps(world, o, row);
    row->megabytes = (double)sn_gauge_peak(&gauge) / 1e6;
    sn_world_destroy(world);
    sn_thread_set_allocator(NULL);
    return status;
}

static bool wanted(const Choice* choice, const Options* o, int nodes)
{
    if (!o->only) return nodes <= choice->largest;
    size_t length = strlen(choice->name);
    for (const char* at = o->only; (at = strstr(at, choice->name)); at += length)
        if ((at == o->only || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return true;
    return false;
}

static SnStatus run_mesh(const SnMesh* mesh, const Options* o)
{
    Row rows[CHOICES] = {{0}};
    double best = INFINITY;
    for (int i = 0; i < CHOICES; i++) {
        if (!wanted(&choices[i], o, mesh->node_count)) continue;
        SnStatus status = run_choice(mesh, &choices[i], o, &rows[i]);
        if (status != SN_OK) return status;
        if (rows[i].ms < best && rows[i].unconverged == 0) best = rows[i].ms;
        fprintf(stderr, "%d nodes, %s: %.1f ms\n", mesh->node_count, choices[i].name, rows[i].ms);
    }
    for (int i = 0; i < CHOICES; i++) {
        const Row* r = &rows[i];
        if (!wanted(&choices[i], o, mesh->node_count)) continue;
        printf("%d,%d,%s,%d,%d,%.1f,%.1f,%.2f,%d,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.3f,%.1f,%.2f\n", mesh->node_count,
               mesh->tetrahedron_count, choices[i].name, o->threads, o->steps, r->iterations, r->evaluations,
               r->factorizations, r->unconverged, r->ms, r->evaluate, r->assemble, r->factor, r->solve, r->first,
               r->ms / r->iterations, r->megabytes, r->ms / best);
    }
    fflush(stdout);
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"sizes", SN_INTEGER, offsetof(Options, sizes), .value = "3", .range = ">=1 <=4",
     .doc = "of the bars: 1 to 4 of 2k, 7k, 35k and 140k nodes"},
    {"mesh", SN_TEXT, offsetof(Options, mesh), .example = "FILE",
     .doc = "this mesh instead, scaled so that its longest side is 1"},
    {"solvers", SN_TEXT, offsetof(Options, only), .example = "A,B",
     .doc = "only these (default: all that suit the size)"},
    {"steps", SN_INTEGER, offsetof(Options, steps), .value = "5", .range = ">=1 <=100000", .doc = "steps timed"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "2", .range = ">=0 <=256", .doc = "threads"},
    {"tolerance", SN_NUMBER, offsetof(Options, tolerance), .example = "E", .value = "1e-5", .range = ">=0",
     .doc = "of the stopping rule"},
    {0},
};

static SnStatus load_fitted(const char* path, SnMesh** mesh)
{
    SnStatus status = sn_mesh_load(path, mesh);
    if (status != SN_OK) return status;
    SnMeshMeasure box;
    sn_mesh_measure(*mesh, &box);
    double side = fmax(fmax(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]), box.hi[2] - box.lo[2]);
    for (int i = 0; i < 3 * (*mesh)->node_count; i++) (*mesh)->nodes[i] = ((*mesh)->nodes[i] - box.lo[i % 3]) / side;
    return SN_OK;
}

static SnStatus run_all(const Options* o)
{
    static const int cells[][2] = {{28, 7}, {48, 11}, {80, 20}, {128, 32}};
    SnMesh* mesh = NULL;
    bool bars = !o->mesh;
    SnStatus status = bars ? SN_OK : load_fitted(o->mesh, &mesh);
    if (!bars && status == SN_OK) status = run_mesh(mesh, o);
    for (int i = 0; i < o->sizes && bars && status == SN_OK; i++) {
        status = sn_mesh_make_box((double[]){1, 0.25, 0.25}, (int[]){cells[i][0], cells[i][1], cells[i][1]}, &mesh);
        if (status == SN_OK) status = run_mesh(mesh, o);
        if (i + 1 < o->sizes) sn_mesh_destroy(mesh), mesh = NULL;
    }
    sn_mesh_destroy(mesh);
    return status;
}

static SnStatus run(const void* given)
{
    printf(
        "nodes,tets,solver,threads,steps,iterations,evaluations,factorizations,unconverged,ms,evaluate_ms,assemble_ms,"
        "factor_ms,solve_ms,first_ms,ms_per_iteration,megabytes,ratio_to_best\n");
    return run_all(given);
}

const SnBench sn_bench_solvers = {
    .name = "solvers",
    .summary = "ms per step to the stopping rule, iterations and memory of every solver, on twisted bars",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
