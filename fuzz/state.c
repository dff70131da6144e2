// Saved states: a good one with some of its bytes changed, cut or extended; what is taken is stepped from.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include <sinew/world.h>

void fuzz_state(const uint8_t* bytes, size_t size);

static SnWorld* make_world(unsigned kind)
{
    static const char* const solvers[] = {"newton", "auto", "lbfgs", "admm", "pd", "dot", "chebyshev"};
    static const char* const integrators[] = {"backward-euler", "bdf2", "tr-bdf2", "trapezoidal"};
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.threads = 1, def.solver.type = solvers[kind % 7], def.solver.iterations = 20;
    def.integrator = integrators[kind / 7 % 4];
    FUZZ_CHECK(sn_world_create(&def, &world) == SN_OK);
    FUZZ_CHECK(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh) == SN_OK);
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    FUZZ_CHECK(sn_world_add_body(world, &body, NULL) == SN_OK);
    SnObstacleDef floor = sn_default_obstacle_def();
    floor.shape.point[1] = -1e-3, floor.friction = 0.3;
    FUZZ_CHECK(sn_world_add_obstacle(world, &floor, NULL) == SN_OK);
    sn_mesh_destroy(mesh);
    return world;
}

void fuzz_state(const uint8_t* bytes, size_t size)
{
    SnBudget budget;
    FuzzInput in = {bytes, size};
    unsigned kind = fuzz_byte(&in);
    fuzz_begin(&budget);
    SnWorld* world = make_world(kind);
    for (int i = 0; i < 2; i++) sn_world_step(world, NULL);
    size_t length = sn_world_state_size(world), given = length;
    uint8_t* state = malloc(length + 256);
    memset(state, 0, length + 256);
    FUZZ_CHECK(sn_world_save_state(world, state, length) == SN_OK);
    sn_world_destroy(world);
    if (kind >= 128) given = fuzz_below(&in, (unsigned)length + 256);
    while (in.left >= 3) {
        size_t at = fuzz_below(&in, (unsigned)length);
        state[at] = (uint8_t)fuzz_byte(&in);
    }
    world = make_world(kind);
    SnStepReport report;
    if (sn_world_restore_state(world, state, given) == SN_OK) {
        if (sn_world_step(world, &report) == SN_OK)
            FUZZ_CHECK(!isnan(report.energy.numerical + report.energy.kinetic + report.energy.pins));
    } else
        FUZZ_CHECK(*sn_last_error());
    free(state);
    sn_world_destroy(world);
    fuzz_end(&budget);
}
