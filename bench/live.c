// `sinew bench live`: steps per second of worlds small enough to be steered while they run: a block that falls on a
// floor, is pulled at and comes to rest, and a hundred small bodies that fall on each other.
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/timer.h"
#include "experiment/bench.h"
#include "scene/override_list.h"

extern const SnBench sn_bench_live;

typedef struct Case {
    const char *name, *scene;
} Case;

#define FLOOR "contact: {friction: 0.3}\nobstacles: [{type: plane, friction: 0.5}]\n"
static const Case cases[] = {
    {"block", "time: {step: 1/60}\n"
              "bodies:\n"
              "  - mesh: {box: {size: [0.5, 0.25, 0.5], cells: [10, 5, 5]}}\n"
              "    place: {move: [0, 0.05, 0]}\n"
              "    material: {young: 5e4, poisson: 0.4}\n" FLOOR},
    {"crowd", "time: {step: 1/60}\n"
              "bodies:\n"
              "  - mesh: {box: {size: [0.12, 0.1, 0.12], cells: [3, 2, 3]}}\n"
              "    place: {move: [0, 0.05, 0]}\n"
              "    copies: {count: [5, 4, 5], step: [0.23, 0.22, 0.23], rotate: [1, 2, 3, 20]}\n"
              "    material: {young: 1e5, poisson: 0.4}\n" FLOOR},
};

typedef struct Options {
    int steps, threads;
    bool sleep;
    const char *only, *solver;
} Options;

// What some steps took.
typedef struct Sum {
    int steps, iterations, converged, contacts, asleep;
    double wall, cpu, slowest; // ms
    SnTimes ms;
} Sum;

static SnStatus step(SnWorld* world, Sum* sum)
{
    SnStepReport report;
    clock_t begin = clock();
    double start = sn_now_ms();
    SN_TRY(sn_world_step(world, &report));
    double wall = sn_now_ms() - start;
    sum->wall += wall, sum->cpu += 1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC;
    sum->slowest = wall > sum->slowest ? wall : sum->slowest;
    sum->steps++, sum->iterations += report.iterations, sum->converged += report.outcome == SN_OUTCOME_CONVERGED;
    sum->contacts = report.contacts > sum->contacts ? report.contacts : sum->contacts;
    sum->asleep = report.asleep;
    sum->ms.evaluate += report.ms.evaluate, sum->ms.assemble += report.ms.assemble;
    sum->ms.factor += report.ms.factor, sum->ms.solve += report.ms.solve, sum->ms.contact += report.ms.contact;
    return SN_OK;
}

static int element_count(const SnWorld* world)
{
    int count = 0;
    for (int b = 0; b < sn_world_body_count(world); b++) {
        SnBodyInfo info;
        if (sn_world_body(world, b, &info) == SN_OK) count += info.tetrahedron_count;
    }
    return count;
}

static void print(const char* name, const char* phase, const SnWorld* world, int threads, const Sum* s)
{
    double n = s->steps, parts = s->ms.evaluate + s->ms.assemble + s->ms.factor + s->ms.solve + s->ms.contact;
    printf("%s,%s,%d,%d,%d,%d,%d,%.1f,%d,%d,%.3f,%.3f,%.2f,%.0f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", name, phase,
           sn_world_body_count(world), element_count(world), threads, s->steps, s->converged, s->iterations / n,
           s->contacts, s->asleep, s->wall / n, s->cpu / n, s->slowest, 1e3 * n / s->wall, s->ms.evaluate / n,
           s->ms.assemble / n, s->ms.factor / n, s->ms.solve / n, s->ms.contact / n, (s->wall - parts) / n);
    fflush(stdout);
}

// Pulls at the first corner of the first body, which is dragged up and back.
static SnStatus pull(SnWorld* world, int steps, Sum* sum)
{
    const double* x = sn_world_positions(world);
    SnPick pick = {.weights = {1, 0, 0}};
    int grab;
    double from[3] = {x[0], x[1], x[2]};
    SN_TRY(sn_world_grab(world, &pick, 0, &grab));
    for (int i = 0; i < steps; i++) {
        double part = (double)(2 * i < steps ? i : steps - i) / steps;
        SN_TRY(sn_world_drag(world, grab, (double[]){from[0], from[1] + 0.3 * part, from[2]}));
        SN_TRY(step(world, sum));
    }
    return sn_world_let_go(world, grab);
}

// Half the steps each: falling and landing, pulled at, and, after as many that are not counted, at rest.
static SnStatus run_world(const char* name, SnWorld* world, const Options* o)
{
    Sum lands = {0}, pulled = {0}, settles = {0}, rests = {0};
    for (int i = 0; i < o->steps; i++) SN_TRY(step(world, &lands));
    print(name, "lands", world, o->threads, &lands);
    SN_TRY(pull(world, o->steps, &pulled));
    print(name, "pulled", world, o->threads, &pulled);
    for (int i = 0; i < o->steps; i++) SN_TRY(step(world, &settles));
    for (int i = 0; i < o->steps; i++) SN_TRY(step(world, &rests));
    print(name, "rests", world, o->threads, &rests);
    return SN_OK;
}

static SnStatus run_case(const Case* c, const Options* o)
{
    SnScene* scene = NULL;
    SnWorld* world = NULL;
    SnOverrides overrides = {0};
    bool ok = !o->solver || sn_overrides_add_solver(&overrides, o->solver);
    SnStatus status = ok ? sn_scene_parse(c->scene, strlen(c->scene), c->name, overrides.items, overrides.count, &scene)
                         : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        sn_scene_world_def(scene)->threads = o->threads;
        if (o->sleep) sn_scene_world_def(scene)->sleep.speed = 0.01;
        status = sn_scene_create_world(scene, &world);
    }
    if (status == SN_OK) status = run_world(c->name, world, o);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_overrides_free(&overrides);
    return status;
}

static const SnParameter parameters[] = {
    {"steps", SN_INTEGER, offsetof(Options, steps), .value = "120", .range = ">=1 <=100000",
     .doc = "steps of each phase: a body lands, is pulled at, rests"},
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "1", .range = ">=0 <=256", .doc = "threads"},
    {"case", SN_CHOICE, offsetof(Options, only), .names = (const char* const[]){"block", "crowd", NULL},
     .doc = "only this one (all)"},
    {"sleep", SN_BOOLEAN, offsetof(Options, sleep), .value = "false", .doc = "bodies that have come to rest sleep"},
    {"solver", SN_TEXT, offsetof(Options, solver), .example = "NAME",
     .doc = "a solver, or a method and its initial inverse, and keys: newton:iterations=5 (default auto)"},
    {0},
};

static SnStatus run(const void* given)
{
    const Options* o = given;
    printf("case,phase,bodies,elements,threads,steps,converged,iterations_per_step,most_contacts,asleep,wall_ms,cpu_ms,"
           "slowest_ms,steps_per_s,evaluate_ms,assemble_ms,factor_ms,solve_ms,contact_ms,other_ms\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!o->only || strcmp(o->only, cases[i].name) == 0) SN_TRY(run_case(&cases[i], o));
    return SN_OK;
}

const SnBench sn_bench_live = {
    .name = "live",
    .summary = "steps per second of small worlds: a block on a floor, a hundred bodies; landing, pulled at, at rest",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
