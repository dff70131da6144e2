// `sinew bench contact`: milliseconds per step, split into finding contacts, evaluating and solving, for a body of a
// horse's size that falls on cylinders, a ring that touches itself, a pile and a drape: as in Overby, Brown, Li, Narain
// 2017 and Brown, Overby, Forootaninia, Narain 2018. The meshes are our own, with numbers of nodes of that order.
#include <math.h>
#include <sinew/sinew.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "experiment/bench.h"
#include "scene/override_list.h"

extern const SnBench sn_bench_contact;

// Changes a scene, with what is touched or without, to one of about so many nodes.
typedef bool Grow(SnOverrides* overrides, int nodes, bool contact);

typedef struct Case {
    const char* name;
    const char* scene; // %s: the mesh of the first body
    const char* mesh;
    const char* contact; // and what is touched
    Grow* grow;          // NULL: it has one size
} Case;

typedef struct Options {
    int steps, threads, nodes;
    const char *only, *solver, *mesh;
} Options;

#define TIME "time: {step: 1/60}\n"
#define FLOOR "{type: plane, friction: 0.5}"
#define BLOCK "{box: {size: [0.3, 0.2, 0.3], cells: [9, 6, 9]}}"
#define COPIES \
    "copies: {count: [5, 1, 5], step: [0.19, 0, 0.19], rotate: [1, 2, 3, 77]}, material: {young: 2e5, poisson: 0.4}"
#define STAIR(height, at)                                                                                 \
    "  - {type: mesh, mesh: {box: {size: [0.25, " height ", 1.6], cells: [1, 1, 1]}}, place: {move: [" at \
    ", 0, -0.8]}, friction: 0.2}\n"
static bool change(SnOverrides* overrides, const char* format, ...) __attribute__((format(printf, 2, 3)));
static bool change(SnOverrides* overrides, const char* format, ...)
{
    char text[200];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return sn_overrides_add(overrides, sn_arena_text(&overrides->arena, text, (size_t)length));
}

// The side of a body of so many nodes.
static bool grow_box(SnOverrides* overrides, int nodes, bool contact)
{
    (void)contact;
    double side = cbrt(nodes / 96.0) - 0.2; // for 8 x 4 x 3 cells
    return change(overrides, "bodies.0.mesh.box.cells=[%.0f, %.0f, %.0f]", 8 * side, 4 * side, 3 * side);
}

static bool grow_blocks(SnOverrides* overrides, int nodes, bool contact)
{
    (void)contact;
    double side = cbrt(nodes / 72.0) - 0.4; // for 3 x 2 x 3 cells of each of four
    bool ok = true;
    for (int k = 0; k < 4; k++)
        ok &= change(overrides, "bodies.%d.mesh.box.cells=[%.0f, %.0f, %.0f]", k, 3 * side, 2 * side, 3 * side);
    return ok;
}

static bool grow_ring(SnOverrides* overrides, int nodes, bool contact)
{
    (void)contact;
    double cells = fmax(1, round(cbrt(nodes / 201.0))); // from the middle to the rim
    return change(overrides, "bodies.0.mesh.torus.cells=[%.0f, %.0f]", 64 * cells / 3, cells);
}

static bool grow_cloth(SnOverrides* overrides, int nodes, bool contact)
{
    (void)contact;
    double side = sqrt(nodes) - 1;
    return change(overrides, "bodies.0.mesh.cloth.cells=[%.0f, %.0f]", side, side);
}

// More bodies in a wider box, not finer ones.
static bool grow_heap(SnOverrides* overrides, int nodes, bool contact)
{
    double side = fmax(1, round(sqrt(nodes / 752.0))), wall = 0.095 * side + 0.025;
    bool ok = true;
    for (int k = 0; k < 4; k++) {
        static const double to_wall[4][2] = {{0.07, 0.07}, {0.12, 0.12}, {0.05, 0.12}, {0.12, 0.12}};
        static const double height[4] = {0.03, 0.27, 0.45, 0.63};
        ok &= change(overrides, "bodies.%d.copies.count=[%.0f, 1, %.0f]", k, side, side) &&
              change(overrides, "bodies.%d.place.move=[%g, %g, %g]", k, to_wall[k][0] - wall, height[k],
                     to_wall[k][1] - wall);
        ok &= !contact || change(overrides, "obstacles.%d.point=[%g, 0, %g]", k + 1, k < 2 ? (2 * k - 1) * wall : 0,
                                 k < 2 ? 0 : (2 * k - 5) * wall);
    }
    return ok;
}

#define PHASE(k) "      - {walker: {<<: *walker, phase: " #k "/16}}\n"
// All start with something touching, or about to.
static const Case cases[] = {
    {"cylinders",
     TIME "bodies:\n"
          "  - mesh: %s\n"
          "    place: {fit: 0.8, move: [-0.3, 0.401, -0.15]}\n"
          "    velocity: {linear: [0, -1, 0]}\n"
          "    material: {young: 5e4, poisson: 0.4}\n",
     "{box: {size: [0.8, 0.4, 0.3], cells: [32, 16, 12]}}",
     "obstacles:\n"
     "  - {type: cylinder, from: [0, 0.3, -1], to: [0, 0.3, 1], radius: 0.1, friction: 0.2}\n"
     "  - {type: cylinder, from: [0.35, 0.3, -1], to: [0.35, 0.3, 1], radius: 0.1, friction: 0.2}\n"
     "  - " FLOOR "\n",
     grow_box},
    {"torus",
     TIME "bodies:\n"
          "  - mesh: %s\n"
          "    place: {rotate: [1, 0, 0, 80], move: [0, 0.501, 0]}\n"
          "    velocity: {linear: [0, -2, 0]}\n"
          "    material: {young: 1e4, poisson: 0.4}\n",
     "{torus: {radii: [0.4, 0.1], cells: [64, 3]}}",
     "contact: {self: true}\n"
     "obstacles: [" FLOOR "]\n",
     grow_ring},
    {"pile",
     TIME "bodies:\n"
          "  - {mesh: %s, place: {move: [0, 0.001, 0]}}\n"
          "  - {mesh: " BLOCK ", place: {move: [0.03, 0.203, 0.02]}}\n"
          "  - {mesh: " BLOCK ", place: {move: [-0.02, 0.405, 0.01]}}\n"
          "  - {mesh: " BLOCK ", place: {move: [0.04, 0.607, 0]}}\n",
     BLOCK,
     "contact: {friction: 0.3}\n"
     "obstacles: [" FLOOR "]\n",
     grow_blocks},
    {"heap",
     TIME
     "bodies:\n"
     "  - {mesh: %s, place: {move: [-0.43, 0.03, -0.43]}, " COPIES "}\n"
     "  - {mesh: {sphere: {radius: 0.075, cells: 2}}, place: {move: [-0.38, 0.27, -0.38]}, " COPIES "}\n"
     "  - {mesh: {cylinder: {radius: 0.045, length: 0.14, cells: [2, 5]}}, place: {move: [-0.45, 0.45, -0.38]}, " COPIES
     "}\n"
     "  - {mesh: {torus: {radii: [0.055, 0.027], cells: [16, 1]}}, place: {move: [-0.38, 0.63, -0.38]}, " COPIES "}\n",
     "{box: {size: [0.1, 0.1, 0.1], cells: [4, 4, 4]}}",
     "contact: {friction: 0.3}\n"
     "obstacles:\n"
     "  - " FLOOR "\n"
     "  - {type: plane, point: [-0.5, 0, 0], normal: [1, 0, 0], friction: 0.3}\n"
     "  - {type: plane, point: [0.5, 0, 0], normal: [-1, 0, 0], friction: 0.3}\n"
     "  - {type: plane, point: [0, 0, -0.5], normal: [0, 0, 1], friction: 0.3}\n"
     "  - {type: plane, point: [0, 0, 0.5], normal: [0, 0, -1], friction: 0.3}\n",
     grow_heap},
    {"drape",
     TIME "bodies:\n"
          "  - mesh: %s\n"
          "    place: {move: [-0.5, 0.406, -0.5]}\n"
          "    velocity: {linear: [0, -1, 0]}\n"
          "    material: {type: stvk, young: 1e5, poisson: 0.3, density: 300, thickness: 1e-3}\n",
     "{cloth: {size: [1, 1], cells: [100, 100]}}",
     "obstacles:\n"
     "  - {type: sphere, centre: [0, 0.1, 0], radius: 0.3, friction: 0.3, thickness: 5e-3}\n"
     "  - {type: plane, point: [0, -0.3, 0], friction: 0.3}\n",
     grow_cloth},
    {"cape",
     TIME "bodies:\n"
          "  - name: cape\n"
          "    mesh: %s\n"
          "    place: {rotate: [1, 0, 0, 65], move: [-0.32, 1.52, 0.19]}\n"
          "    velocity: {linear: [0, 0, -1.3]}\n"
          "    material: {preset: cotton, young: 1e6}\n"
          "handles:\n"
          "  - {body: cape, where: {y: [max, max]}, motion: {velocity: [0, 0, -1.3]}}\n",
     "{cloth: {size: [0.64, 1.1], cells: [46, 78]}}",
     "contact: {self: true, thickness: 3e-3, friction: 0.2}\n"
     "obstacles:\n"
     "  - type: mesh\n"
     "    place: {rotate: [0, 1, 0, 180]}\n"
     "    friction: 0.2\n"
     "    rate: 15\n"
     "    repeat: true\n"
     "    motion: {velocity: [0, 0, -1.3]}\n"
     "    frames:\n"
     "      - {walker: &walker {height: 1.8, cells: 12, phase: 0}}\n" PHASE(1) PHASE(2) PHASE(3) PHASE(4) PHASE(5)
         PHASE(6) PHASE(7) PHASE(8) PHASE(9) PHASE(10) PHASE(11) PHASE(12) PHASE(13) PHASE(14) PHASE(15) "  - " FLOOR
                                                                                                         "\n",
     NULL},
    {"stairs",
     TIME "bodies:\n"
          "  - mesh: %s\n"
          "    place: {move: [0.2, 0.96, 0]}\n"
          "    velocity: {linear: [1, -1, 0]}\n"
          "    material: {young: 5e4, poisson: 0.4}\n",
     "{sphere: {radius: 0.2, cells: 6}}",
     "obstacles:\n" STAIR("0.75", "0") STAIR("0.6", "0.25") STAIR("0.45", "0.5") STAIR("0.3", "0.75") "  - " FLOOR "\n",
     NULL},
    {"mats", // two mats on each other, of Li et al. 2020
     "time: {step: 0.025}\n"
     "bodies:\n"
     "  - mesh: %s\n"
     "    place: {move: [-0.5, 0.5, -0.5]}\n"
     "    material: {type: neo-hookean, young: 1e4, poisson: 0.4}\n"
     "  - mesh: {box: {size: [1, 0.008, 1], cells: [39, 1, 39]}}\n"
     "    place: {move: [-0.5, 0.004, -0.5]}\n"
     "    material: {type: neo-hookean, young: 1e8, poisson: 0.4, density: 2000}\n",
     "{box: {size: [1, 0.008, 1], cells: [39, 1, 39]}}",
     "contact: {friction: 0.1}\n"
     "obstacles: [{type: plane, friction: 0.1}]\n",
     NULL},
};

// What a few steps took.
typedef struct Sum {
    SnTimes ms;
    double cpu; // s of all processors: others on the machine change it little
    int iterations, converged, contacts;
    double depth;
} Sum;

static SnStatus step(SnWorld* world, Sum* sum)
{
    SnStepReport report;
    clock_t begin = clock();
    SnStatus status = sn_world_step(world, &report);
    if (status != SN_OK) return status;
    sum->cpu += (double)(clock() - begin) / CLOCKS_PER_SEC;
    sum->ms.total += report.ms.total, sum->ms.contact += report.ms.contact;
    sum->ms.evaluate += report.ms.evaluate + report.ms.assemble;
    sum->ms.factor += report.ms.factor, sum->ms.solve += report.ms.solve;
    sum->iterations += report.iterations, sum->converged += report.outcome == SN_OUTCOME_CONVERGED;
    sum->contacts = report.contacts > sum->contacts ? report.contacts : sum->contacts;
    sum->depth = report.depth > sum->depth ? report.depth : sum->depth;
    return SN_OK;
}

// The same bodies, moving in the same way, with nothing to touch.
static void set_free(SnWorld* alone, const SnWorld* world)
{
    size_t bytes = 3 * (size_t)sn_world_node_count(world) * sizeof(double);
    memcpy((double*)sn_world_positions(alone), sn_world_positions(world), bytes);
    memcpy((double*)sn_world_velocities(alone), sn_world_velocities(world), bytes);
}

// The first step, in which matrices and their factors are laid out, does not count.
static SnStatus time_steps(const char* name, SnWorld* world, SnWorld* alone, int steps, int threads)
{
    Sum sum = {0}, free = {0};
    for (int i = -1; i < steps; i++) {
        set_free(alone, world);
        SN_TRY(step(alone, &free));
        SN_TRY(step(world, &sum));
        if (i < 0) sum = free = (Sum){0};
    }
    double n = steps;
    printf("%s,%d,%d,%d,%d,%.1f,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f,%.1f,%.3f,%.2f,%.3g\n", name,
           sn_world_node_count(world), threads, steps, sum.converged, sum.iterations / n, sum.contacts,
           sum.ms.contact / n, sum.ms.evaluate / n, sum.ms.factor / n, sum.ms.solve / n, 1e3 * sum.cpu / n,
           100 * sum.ms.contact / sum.ms.total, free.iterations / n, 1e3 * free.cpu / n, sum.cpu / free.cpu, sum.depth);
    fflush(stdout);
    return SN_OK;
}

static SnStatus make(const Case* c, const Options* o, bool contact, SnWorld** world)
{
    SnScene* scene = NULL;
    SnOverrides overrides = {0};
    char text[8192], mesh[4200];
    snprintf(mesh, sizeof mesh, "{file: \"%.4096s\"}", o->mesh ? o->mesh : "");
    int length = snprintf(text, sizeof text, c->scene, o->mesh ? mesh : c->mesh);
    if (contact) length += snprintf(text + length, sizeof text - (size_t)length, "%s", c->contact);
    bool ok = (!o->solver || sn_overrides_add_solver(&overrides, o->solver)) &&
              (!o->nodes || c->grow(&overrides, o->nodes, contact));
    SnStatus status =
        !ok ? SN_ERROR_MEMORY : sn_scene_parse(text, (size_t)length, c->name, overrides.items, overrides.count, &scene);
    if (status == SN_OK) {
        sn_scene_world_def(scene)->threads = o->threads;
        status = sn_scene_create_world(scene, world);
    }
    sn_scene_destroy(scene);
    sn_overrides_free(&overrides);
    return status;
}

static SnStatus run_case(const Case* c, const Options* o)
{
    SnWorld *world = NULL, *alone = NULL;
    SnStatus status = make(c, o, true, &world);
    if (status == SN_OK) status = make(c, o, false, &alone);
    if (status == SN_OK) status = time_steps(c->name, world, alone, o->steps, o->threads);
    sn_world_destroy(world);
    sn_world_destroy(alone);
    return status;
}

static const SnParameter parameters[] = {
    {"steps", SN_INTEGER, offsetof(Options, steps), .value = "8", .range = ">=1 <=100000", .doc = "steps of each case"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "1", .range = ">=0 <=256", .doc = "threads"},
    {"case", SN_CHOICE, offsetof(Options, only),
     .names = (const char* const[]){"cylinders", "torus", "pile", "heap", "drape", "cape", "stairs", "mats", NULL},
     .doc = "only this one (all)"},
    {"nodes", SN_INTEGER, offsetof(Options, nodes), .range = ">=1000 <=10000000",
     .doc = "cylinders, torus, pile, heap, drape with about so many nodes (default: as many as in the cases)"},
    {"solver", SN_TEXT, offsetof(Options, solver), .example = "NAME",
     .doc = "a solver, or a method and its initial inverse, and keys: lbfgs/laplacian:history=10 (default auto)"},
    {"mesh", SN_TEXT, offsetof(Options, mesh), .example = "FILE",
     .doc = "what falls on the cylinders, fitted to 0.8 m (default: a box); only that case"},
    {0},
};

static bool is_wanted(const Case* c, const Options* o)
{
    const char* only = o->mesh && !o->only ? "cylinders" : o->only;
    if (o->nodes && !c->grow) return false;
    return !only || strcmp(only, c->name) == 0;
}

static SnStatus check(const Options* o)
{
    if (o->mesh && o->only && strcmp(o->only, "cylinders") != 0)
        return sn_fail(SN_ERROR_VALUE, "--mesh is for --case cylinders, not %s", o->only);
    if (o->mesh && o->nodes) return sn_fail(SN_ERROR_VALUE, "--mesh has its own number of nodes, without --nodes");
    for (size_t i = 0; i < sizeof cases / sizeof *cases && o->nodes && o->only; i++)
        if (strcmp(cases[i].name, o->only) == 0 && !cases[i].grow)
            return sn_fail(SN_ERROR_VALUE, "--nodes is for cylinders, torus, pile, heap and drape, not %s", o->only);
    return SN_OK;
}

static SnStatus run(const void* given)
{
    const Options* o = given;
    SN_TRY(check(o));
    printf("case,nodes,threads,steps,converged,iterations_per_step,most_contacts,detection_ms,evaluation_ms,factor_ms,"
           "solve_ms,cpu_ms,detection_percent,free_iterations,free_cpu_ms,ratio,depth_m\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_wanted(&cases[i], o)) SN_TRY(run_case(&cases[i], o));
    return SN_OK;
}

const SnBench sn_bench_contact = {
    .name = "contact",
    .summary = "ms per step in contact, and against the same step without: cylinders, torus, pile, heap, drape ...",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
