// Saved states: a good one with some of its bytes changed, cut or extended; what is taken is stepped from, now and
// then.
//
// Worlds and their good states are made once, and given up after some hundreds of inputs, when nothing may be left.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include <sinew/world.h>

enum { SOLVERS = 7, INTEGRATORS = 4, WORLDS = SOLVERS * INTEGRATORS, INPUTS = 400, ROOM = 256 };

void fuzz_state(const uint8_t* bytes, size_t size);

typedef struct Good {
    SnWorld* world;
    uint8_t* state; // as it was after two steps
    size_t size;
} Good;

static SnWorld* make_world(unsigned kind)
{
    static const char* const solvers[SOLVERS] = {"newton", "auto", "lbfgs", "admm", "pd", "dot", "chebyshev"};
    static const char* const integrators[INTEGRATORS] = {"backward-euler", "bdf2", "tr-bdf2", "trapezoidal"};
    SnWorldDef def = sn_default_world_def();
    SnWorld* world;
    SnMesh* mesh;
    def.threads = 1, def.solver.type = solvers[kind % SOLVERS], def.solver.iterations = 4, def.contact.parts = 1;
    def.integrator = integrators[kind / SOLVERS];
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

static Good make_good(unsigned kind)
{
    Good good = {.world = make_world(kind)};
    for (int i = 0; i < 2; i++) sn_world_step(good.world, NULL);
    good.size = sn_world_state_size(good.world);
    good.state = malloc(good.size);
    FUZZ_CHECK(sn_world_save_state(good.world, good.state, good.size) == SN_OK);
    return good;
}

static void restore(const Good* good, const uint8_t* state, size_t size, bool step)
{
    SnStepReport report;
    if (sn_world_restore_state(good->world, state, size) != SN_OK) {
        FUZZ_CHECK(*sn_last_error());
        return;
    }
    if (step && sn_world_step(good->world, &report) == SN_OK)
        FUZZ_CHECK(!isnan(report.energy.numerical + report.energy.kinetic + report.energy.pins));
    // whatever was taken, a good state is good again
    FUZZ_CHECK(!step || sn_world_restore_state(good->world, good->state, good->size) == SN_OK);
}

static SnBudget budget;
static Good all[WORLDS];

static void forget(void)
{
    for (int i = 0; i < WORLDS; i++) sn_world_destroy(all[i].world), free(all[i].state), all[i] = (Good){0};
    fuzz_end(&budget);
}

void fuzz_state(const uint8_t* bytes, size_t size)
{
    static unsigned inputs;
    FuzzInput in = {bytes, size};
    unsigned kind = fuzz_byte(&in), how = fuzz_byte(&in);
    if (inputs == 0) atexit(forget);
    if (inputs++ % INPUTS == 0) fuzz_begin(&budget);
    sn_thread_set_allocator(&budget.allocator);
    Good* good = &all[kind % WORLDS];
    if (!good->world) *good = make_good(kind % WORLDS);
    size_t given = how >= 192 ? fuzz_below(&in, (unsigned)good->size + ROOM) : good->size;
    uint8_t* state = calloc(1, good->size + ROOM);
    memcpy(state, good->state, good->size);
    while (in.left >= 3) {
        size_t at = fuzz_below(&in, (unsigned)good->size);
        state[at] = (uint8_t)fuzz_byte(&in);
    }
    restore(good, state, given, how % 8 == 0);
    free(state);
    sn_thread_set_allocator(NULL);
    if (inputs % INPUTS == 0) forget();
}
