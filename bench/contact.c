// `sinew bench contact`: milliseconds per step, split into finding contacts and the rest, for a jelly on cylinders, a
// ring that touches itself, a pile and a drape.
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/command.h"

extern const SnBench sn_bench_contact;

typedef struct Case {
    const char* name;
    const char* scene;
} Case;

#define FLOOR "{type: plane, friction: 0.5}"
static const Case cases[] = {
    {"cylinders", "time: {step: 1/60}\n"
                  "bodies:\n"
                  "  - mesh: {box: {size: [0.8, 0.4, 0.3], cells: [32, 16, 12]}}\n"
                  "    place: {move: [-0.3, 0.42, -0.15]}\n"
                  "    material: {young: 5e4, poisson: 0.4}\n"
                  "obstacles:\n"
                  "  - {type: cylinder, from: [0, 0.3, -1], to: [0, 0.3, 1], radius: 0.1, friction: 0.2}\n"
                  "  - {type: cylinder, from: [0.45, 0.2, -1], to: [0.45, 0.2, 1], radius: 0.1, friction: 0.2}\n"
                  "  - " FLOOR "\n"},
    {"torus", "time: {step: 1/60}\n"
              "contact: {self: true}\n"
              "bodies:\n"
              "  - mesh: {torus: {radii: [0.4, 0.1], cells: [96, 4]}}\n"
              "    place: {rotate: [1, 0, 0, 80], move: [0, 0.52, 0]}\n"
              "    material: {young: 1e4, poisson: 0.4}\n"
              "obstacles: [" FLOOR "]\n"},
    {"pile", "time: {step: 1/60}\n"
             "contact: {friction: 0.3}\n"
             "bodies:\n"
             "  - {mesh: {box: {size: [0.3, 0.2, 0.3], cells: [9, 6, 9]}}, place: {move: [0, 0.01, 0]}}\n"
             "  - {mesh: {box: {size: [0.3, 0.2, 0.3], cells: [9, 6, 9]}}, place: {move: [0.03, 0.22, 0.02]}}\n"
             "  - {mesh: {box: {size: [0.3, 0.2, 0.3], cells: [9, 6, 9]}}, place: {move: [-0.02, 0.43, 0.01]}}\n"
             "  - {mesh: {box: {size: [0.3, 0.2, 0.3], cells: [9, 6, 9]}}, place: {move: [0.04, 0.64, 0]}}\n"
             "obstacles: [" FLOOR "]\n"},
    {"drape", "time: {step: 1/60}\n"
              "bodies:\n"
              "  - mesh: {cloth: {size: [1, 1], cells: [60, 60]}}\n"
              "    place: {move: [-0.5, 0.45, -0.5]}\n"
              "    material: {type: stvk, young: 1e5, poisson: 0.3, density: 300, thickness: 1e-3}\n"
              "obstacles:\n"
              "  - {type: sphere, centre: [0, 0.1, 0], radius: 0.3, friction: 0.3, thickness: 5e-3}\n"
              "  - {type: plane, point: [0, -0.3, 0], friction: 0.3}\n"},
};

static SnStatus time_steps(const char* name, SnWorld* world, int steps, int threads)
{
    SnStepReport report;
    double total = 0, contact = 0, depth = 0;
    int iterations = 0, converged = 0, contacts = 0;
    for (int i = 0; i < steps; i++) {
        SnStatus status = sn_world_step(world, &report);
        if (status != SN_OK) return status;
        total += report.ms.total, contact += report.ms.contact;
        iterations += report.iterations, converged += report.outcome == SN_OUTCOME_CONVERGED;
        contacts = report.contacts > contacts ? report.contacts : contacts;
        depth = report.depth > depth ? report.depth : depth;
    }
    printf("%s,%d,%d,%d,%d,%.1f,%d,%.3f,%.3f,%.1f,%.3g\n", name, sn_world_node_count(world), threads, steps, converged,
           (double)iterations / steps, contacts, contact / steps, total / steps, 100 * contact / total, depth);
    fflush(stdout);
    return SN_OK;
}

static SnStatus run_case(const Case* c, int steps, int threads)
{
    SnScene* scene = NULL;
    SnWorld* world = NULL;
    SnStatus status = sn_scene_parse(c->scene, strlen(c->scene), c->name, NULL, 0, &scene);
    if (status == SN_OK) {
        sn_scene_world_def(scene)->threads = threads;
        status = sn_scene_create_world(scene, &world);
    }
    if (status == SN_OK) status = time_steps(c->name, world, steps, threads);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static const SnOption options[] = {
    {"steps", 0, "N", false, "steps of each case (default 40)"},
    {"threads", 0, "N", false, "threads (default 1)"},
    {"case", 0, "NAME", false, "cylinders, torus, pile or drape (default: all)"},
    {0},
};

static int run(const SnArguments* arguments)
{
    int steps = 40, threads = 1;
    const char* only = sn_option_value(arguments, "case");
    if (!sn_option_integer(arguments, "steps", 1, 100000, &steps) ||
        !sn_option_integer(arguments, "threads", 0, 256, &threads))
        return SN_EXIT_USAGE;
    printf(
        "case,nodes,threads,steps,converged,iterations_per_step,most_contacts,detection_ms,total_ms,detection_percent,"
        "depth_m\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (only && strcmp(only, cases[i].name) != 0) continue;
        SnStatus status = run_case(&cases[i], steps, threads);
        if (status != SN_OK) return sn_exit_of(status);
    }
    return SN_EXIT_DONE;
}

static const SnCommand command = {
    .name = "bench contact",
    .usage = "[options]",
    .summary = "ms per step with contacts, and the part that finds them",
    .options = options,
    .run = run,
};

static int call(int argc, char** argv)
{
    return sn_command_call(&command, argc, argv);
}

const SnBench sn_bench_contact = {
    .name = "contact",
    .summary = "ms per step split into finding contacts and the rest: cylinders, torus, pile, drape",
    .run = call,
};
