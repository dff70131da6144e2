// Every row of the tables, and every key that says something of a kind of its own: a step over several processes is
// that of one, or it is refused by name.
#include "processes.h"

#include <stdio.h>
#include <string.h>

#include "dissipation/dissipation.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mpi/deal.h"
#include "mpi/distribute.h"
#include "obstacle/obstacle.h"
#include "potential/load.h"
#include "solver/initial.h"
#include "solver/solver.h"

static const char scene_text[] =
    "time: {step: 1/60, frames: 1}\n"
    "contact: {bodies: false}\n"
    "solver: {type: newton, tolerance: 1e-8, iterations: 2000}\n"
    "bodies:\n"
    "  - name: bar\n"
    "    mesh: {box: {size: [1.5, 1, 1], cells: [3, 2, 2]}}\n"
    "    place: {move: [0, 0.3, 0]}\n"
    "    start: {stretch: [1.05, 1, 0.97]}\n"
    "    velocity: {angular: [0, 1, 0]}\n"
    "    material: {type: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
    "  - name: other\n"
    "    mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}\n"
    "    place: {move: [3, 0.3, 0]}\n"
    "    material: {type: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
    "handles: [{body: bar, where: {x: [min, min]}}, {body: other, where: {x: [max, max]}}]\n";

static int tried;

static bool is_refusal(const char* message)
{
    static const char* const words[] = {"not distributed yet", "is for one process", "which `sinew run` can do",
                                        "for comparisons on one machine"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(message, words[i])) return true;
    return false;
}

static double difference(const SnShared* shared, const SnWorld* alone)
{
    double most = 0;
    for (int i = 0; i < 3 * shared->part->model.node_count; i++) {
        double d = fabs(shared->part->state.x[i] - alone->state.x[3 * shared->fabric->of.nodes[i / 3] + i % 3]);
        most = d > most ? d : most;
    }
    return sn_share_largest(shared->part->model.tasks, most);
}

static void compare_steps(SnScene* scene, SnShared* shared, const char* what)
{
    SnWorld* alone;
    SnStepReport report;
    must(sn_scene_create_world(scene, &alone));
    must(sn_world_step(alone, &report));
    SnStatus status = sn_mpi_agree(MPI_COMM_WORLD, sn_world_step(shared->part, &report));
    double d = status == SN_OK ? difference(shared, alone) : 0;
    if (status != SN_OK && !is_refusal(sn_last_error())) expect(false, sn_last_error(), 0, 1);
    if (d > 2e-5) printf("%s:\n", what);
    expect(d <= 2e-5, "a step", d, 0);
    sn_world_destroy(alone);
}

// Nothing, where the scene itself cannot be: other tests tell which can. Both ways, where meshes can be dealt out.
static void try(const char* const* overrides, int count)
{
    MPI_Comm all = MPI_COMM_WORLD;
    SnMeshDealer dealer = sn_mpi_dealer(&all);
    for (int dealt = 0; dealt < 2; dealt++) {
        SnScene *scene = NULL, *whole = NULL;
        SnShared shared;
        SnStatus status = sn_scene_parse_dealt(scene_text, strlen(scene_text), "tables.yaml", overrides, count,
                                               dealt ? &dealer : NULL, &scene);
        if (status != SN_OK || (dealt && !sn_scene_is_dealt(scene))) {
            sn_scene_destroy(scene);
            return;
        }
        tried++;
        must(sn_scene_parse(scene_text, strlen(scene_text), "tables.yaml", overrides, count, &whole));
        status = sn_shared_create(MPI_COMM_WORLD, scene, false, &shared);
        if (status == SN_OK)
            compare_steps(whole, &shared, overrides[count - 1]);
        else if (!is_refusal(sn_last_error()))
            printf("%s: %s\n", overrides[count - 1], sn_last_error()), expect(false, "refused by name", 0, 1);
        sn_shared_free(&shared);
        sn_scene_destroy(scene);
        sn_scene_destroy(whole);
    }
}

static void try_one(const char* override)
{
    try(&override, 1);
}

static void try_table(const SnTable* table, const char* format)
{
    for (int i = 0; sn_table_at(table, i); i++) {
        char override[300];
        snprintf(override, sizeof override, format, sn_table_name(table, i));
        try_one(override);
    }
}

static void try_loads(void)
{
    for (int i = 0; sn_load_at(i); i++) {
        const SnLoadType* type = sn_load_at(i);
        char override[300];
        const char* value = type->parameters[0].example ? type->parameters[0].example : type->parameters[0].value;
        snprintf(override, sizeof override, "loads=[{body: other, %s: %s}]", type->name, value ? value : "1");
        try_one(override);
    }
}

void check_tables(void)
{
    static const char* const keys[] = {
        "bodies.0.element=quadratic",
        "bodies.0.element=linear-bbar",
        "bodies.0.shelf=true",
        "bodies.0.limits={stretch: [0.9, 1.1]}",
        "bodies.0.material.fiber={stiffness: 1e4, direction: [1, 0, 0]}",
        "bodies.0.start={shape: random, seed: 3}",
        "bodies.0.copies={count: [2, 1, 1], step: [4, 0, 0]}",
        "bodies.0.mesh={cylinder: {}}",
        "bodies.0.mesh={box: {cells: [2, 2, 2], pattern: bcc}}",
        "handles.0.how=energy",
        "handles.0.axes=[x, y]",
        "handles.0.hinge={}",
        "handles.0.motion.velocity=[1, 0, 0]",
        "handles.0.motion.rotate={axis: [1, 0, 0], rate: 30}",
        "slides=[{body: other, where: {y: [min, min]}, on: bar}]",
        "attach=[{from: {body: other, where: {nodes: [0]}}, to: {body: bar}}]",
        "actuators=[{body: bar, growth: 1.1}]",
        "measure=[{body: bar, what: volume}]",
        "output.forces=true",
        "contact={self: true}",
        "solver.linear=pcg",
        "solver.preconditioner=block-jacobi",
        "solver.cg-iterations=500",
        "solver.projected=true",
        "solver.stop=characteristic",
        "solver.first-guess=target",
        "solver.line-search=wolfe",
        "solver={type: lbfgs, initial: laplacian, stiffness-interval: [0.7, 1.2], tolerance: 1e-8}",
        "solver={type: dot, overlap: false}",
        "solver={type: dot, blend: symmetric, tolerance: 1e-8, iterations: 2000}",
        "gravity=[1, 2, 3]",
        "from={run: none.run}",
    };
    try_table(&sn_solver_table, "solver={type: %s, tolerance: 1e-8, iterations: 2000}");
    try_table(&sn_initial_table, "solver={type: lbfgs, initial: %s, tolerance: 1e-8, iterations: 2000}");
    try_table(&sn_integrator_table, "integrator.type=%s");
    try_table(&sn_material_table, "bodies.0.material={type: %s, young: 1e5, poisson: 0.4, density: 1000}");
    try_table(&sn_dissipation_table, "bodies.0.damping=[{type: %s}]");
    try_table(&sn_obstacle_table, "obstacles=[{type: %s}]");
    try_loads();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) try_one(keys[i]);
    expect(tried > 60, "rows and keys", tried, 60);
}
