// What a scene does with its energy: tests of stability ask for this.
#pragma once
#include "check_world.h"
#include "scenes.h"

#include "world/world.h"

static inline SnWorld* make(const char* text, const char* override)
{
    SnScene* scene = good_set(text, override);
    SnWorld* world;
    check_ok(sn_scene_create_world(scene, &world));
    sn_scene_destroy(scene);
    return world;
}

// Energy in the state, above what was put into it: at the start, and by handles and obstacles since.
static inline double gained(const SnEnergy* start, const SnEnergy* now)
{
    return now->kinetic + now->elastic + now->gravity - (start->kinetic + start->elastic + start->gravity) - now->pins;
}

// The most energy that a scene ever has, beyond what it began with and was given, and the most in one step.
typedef struct Gain {
    double most, elastic;
    int iterations; // of the longest step,
    int all;        // and of all together
    int stood;      // steps after which nothing moved
    SnStepReport first, last;
} Gain;

static inline Gain run_scene(SnScene* scene, int steps)
{
    SnWorld* world;
    check_ok(sn_scene_create_world(scene, &world));
    sn_scene_destroy(scene);
    Gain gain = {.most = -INFINITY};
    check_ok(sn_world_measure(world, &gain.first));
    for (int step = 0; step < steps; step++) {
        check_ok(sn_world_step(world, &gain.last));
        gain.most = fmax(gain.most, gained(&gain.first.energy, &gain.last.energy));
        gain.elastic = fmax(gain.elastic, gain.last.energy.elastic);
        gain.stood += !(gain.last.energy.kinetic > 0);
        gain.iterations = gain.last.iterations > gain.iterations ? gain.last.iterations : gain.iterations;
        gain.all += gain.last.iterations;
        check(isfinite(gain.last.energy.elastic + gain.last.energy.kinetic));
    }
    sn_world_destroy(world);
    return gain;
}

static inline Gain run(const char* text, const char* override, int steps)
{
    return run_scene(good_set(text, override), steps);
}

// The same with a solver as it is by default.
static inline Gain run_with(const char* solver, const char* text, const char* override, int steps)
{
    SnScene* scene = good_set(text, override);
    SnWorldDef *def = sn_scene_world_def(scene), standard = sn_default_world_def();
    def->solver = standard.solver, def->solver.type = solver, def->contact = standard.contact;
    return run_scene(scene, steps);
}
