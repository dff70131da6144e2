// `sinew bench elements`: what each kind of element has of bending and compression, and for how many milliseconds.
//
// A cantilever of 5 x 1 x 1 with a small traction at its end, and a block of 1 x 1/2 x 1 between two plates that it
// sticks to, pressed by a tenth; static, Newton. The error is relative to ten-node tetrahedra on a finer mesh.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiment/bench.h"

extern const SnBench sn_bench_elements;

typedef struct Options {
    int finest, threads;
    bool irregular;
} Options;

typedef struct Case {
    const char* name;
    double size[3];
    int axis; // along which it is held and loaded
} Case;

static const Case cases[] = {{"bending", {5, 1, 1}, 0}, {"compression", {1, 0.5, 1}, 1}};
static const char* const names[] = {"linear", "linear-bbar", "quadratic"};

typedef struct Result {
    int nodes, iterations;
    double value, ms;
} Result;

// Nodes inside are moved, by a fifth of a cell at most, always alike.
static void shake(SnMesh* mesh, const double size[3], double cell)
{
    double* x = sn_mesh_nodes(mesh);
    unsigned state = 1;
    for (int i = 0; i < 3 * sn_mesh_node_count(mesh); i++) {
        state = 1664525u * state + 1013904223u;
        if (x[i] > 1e-6 && x[i] < size[i % 3] - 1e-6) x[i] += 0.4 * cell * (state / 4294967296.0 - 0.5);
    }
}

static SnStatus make_mesh(const Case* c, SnElement element, int n, bool irregular, SnMesh** mesh)
{
    double cell = fmin(c->size[1], c->size[2]) / n;
    int cells[3];
    for (int a = 0; a < 3; a++) cells[a] = (int)(c->size[a] / cell + 0.5);
    SN_TRY(sn_mesh_make_box(c->size, cells, mesh));
    if (irregular) shake(*mesh, c->size, cell);
    if (element != SN_ELEMENT_QUADRATIC) return SN_OK;
    SnMesh* raised;
    SnStatus status = sn_mesh_raise(*mesh, &raised);
    sn_mesh_destroy(*mesh);
    *mesh = status == SN_OK ? raised : NULL;
    return status;
}

// The nodes of one end, which has a coordinate of `at`.
static int find_end(SnMesh* mesh, int axis, double at, int* nodes)
{
    int count = 0;
    for (int i = 0; i < sn_mesh_node_count(mesh); i++)
        if (fabs(sn_mesh_nodes(mesh)[3 * i + axis] - at) < 1e-6) nodes[count++] = i;
    return count;
}

static SnStatus add_ends(SnWorld* world, const Case* c, SnMesh* mesh, int* nodes, double step)
{
    SnHandleDef held = sn_default_handle_def(), moved = held;
    held.nodes = nodes, held.node_count = find_end(mesh, c->axis, 0, nodes);
    SN_TRY(sn_world_add_handle(world, &held, NULL));
    int count = find_end(mesh, c->axis, c->size[c->axis], nodes);
    if (c->axis == 0) {
        SnLoadDef load = sn_default_load_def("traction");
        load.nodes = nodes, load.node_count = count, load.vector[1] = 1;
        return sn_world_add_load(world, &load, NULL);
    }
    moved.nodes = nodes, moved.node_count = count;
    moved.motion.velocity[1] = -0.1 * c->size[1] / step;
    return sn_world_add_handle(world, &moved, NULL);
}

// How far the end has gone, or what it is pressed with.
static SnStatus find_value(SnWorld* world, const Case* c, SnMesh* mesh, int* nodes, double* value)
{
    if (c->axis == 1) {
        SnWrench force;
        SN_TRY(sn_world_handle_force(world, 1, &force));
        *value = -force.force[1];
        return SN_OK;
    }
    int count = find_end(mesh, 0, c->size[0], nodes);
    const double* x = sn_world_positions(world);
    *value = 0;
    for (int i = 0; i < count; i++) *value += (x[3 * nodes[i] + 1] - sn_mesh_nodes(mesh)[3 * nodes[i] + 1]) / count;
    return SN_OK;
}

static SnStatus solve(const Case* c, SnElement element, SnMesh* mesh, double poisson, const Options* o, int* nodes,
                      Result* result)
{
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnStepReport report;
    def.integrator = "static", def.solver.type = "newton", def.solver.tolerance = 1e-8;
    def.gravity[1] = 0, def.threads = o->threads;
    SN_TRY(sn_world_create(&def, &world));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.element = element, body.material = sn_material("neo-hookean", 1e5, poisson, 1000);
    SnStatus status = sn_world_add_body(world, &body, NULL);
    if (status == SN_OK) status = add_ends(world, c, mesh, nodes, def.time_step);
    if (status == SN_OK) status = sn_world_step(world, &report);
    if (status == SN_OK) status = find_value(world, c, mesh, nodes, &result->value);
    result->nodes = sn_mesh_node_count(mesh), result->iterations = report.iterations, result->ms = report.ms.total;
    sn_world_destroy(world);
    return status;
}

static SnStatus measure(const Case* c, SnElement element, int n, double poisson, const Options* o, Result* result)
{
    SnMesh* mesh;
    SN_TRY(make_mesh(c, element, n, o->irregular, &mesh));
    int* nodes = malloc((size_t)sn_mesh_node_count(mesh) * sizeof *nodes);
    SnStatus status = nodes ? solve(c, element, mesh, poisson, o, nodes, result) : SN_ERROR_MEMORY;
    free(nodes);
    sn_mesh_destroy(mesh);
    return status;
}

static SnStatus run_case(const Case* c, double poisson, const Options* o)
{
    Result right, r;
    int finest = o->finest / 2;
    SN_TRY(measure(c, SN_ELEMENT_QUADRATIC, o->finest - finest / 2, poisson, o, &right));
    for (int e = 0; e < 3; e++)
        for (int n = e == 2 ? 1 : 2; n <= (e == 2 ? finest : o->finest); n *= 2) {
            SN_TRY(measure(c, (SnElement)e, n, poisson, o, &r));
            printf("%s,%g,%s,%d,%d,%.6g,%.6g,%d,%.3f\n", c->name, poisson, names[e], n, r.nodes, r.value,
                   r.value / right.value - 1, r.iterations, r.ms);
            fflush(stdout);
        }
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"finest", SN_INTEGER, offsetof(Options, finest), .value = "8", .range = ">=2 <=64",
     .doc = "linear cells across at most; half as many of ten nodes"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "1", .range = ">=0 <=256", .doc = "threads"},
    {"irregular", SN_BOOLEAN, offsetof(Options, irregular), .value = "true", .doc = "nodes inside are moved about"},
    {0},
};

static SnStatus run(const void* given)
{
    static const double ratios[] = {0.3, 0.45, 0.49, 0.499};
    printf("case,poisson,element,cells,nodes,value,error,iterations,ms\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4; k++) SN_TRY(run_case(&cases[i], ratios[k], given));
    return SN_OK;
}

const SnBench sn_bench_elements = {
    .name = "elements",
    .summary = "error and ms of linear, linear-bbar and quadratic tetrahedra in bending and compression",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
