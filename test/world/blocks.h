// Blocks that move by each integrator.
#pragma once
#include "check_world.h"

#include "mesh/mesh.h"
#include "world/world.h"

static inline SnWorld* make_world(SnWorldDef def)
{
    SnWorld* world = NULL;
    check_ok(sn_world_create(&def, &world));
    return world;
}

static inline SnWorldDef exact_def(const char* integrator, double time_step)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = time_step;
    def.solver.type = "newton", def.solver.tolerance = 1e-13;
    return def;
}

static inline void hold(SnWorld* world, int axis, double lo, double hi, SnMotion motion)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int* nodes = calloc((size_t)info.node_count, sizeof *nodes);
    int count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + axis] >= lo - 1e-9 && info.rest[3 * i + axis] <= hi + 1e-9) nodes[count++] = i;
    check(count > 0);
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.motion = motion;
    check_ok(sn_world_add_handle(world, &def, NULL));
    free(nodes);
}

static inline SnMotion still(void)
{
    return sn_default_handle_def().motion;
}

// A soft block on an end that is shaken: large turns, gravity, a smooth script.
static inline SnWorld* make_damped_block(SnWorldDef def, const SnDampingDef* dampings, int count)
{
    SnWorld* world = make_world(def);
    SnBodyDef body = sn_default_body_def();
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){2, 1, 1}, (int[]){3, 1, 1}, &mesh));
    double* velocity = calloc((size_t)mesh->node_count, 3 * sizeof *velocity);
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * i;
        velocity[3 * i + 1] = p[0], velocity[3 * i + 2] = 0.5 * p[0] * p[1];
    }
    body.mesh = mesh, body.velocity = velocity;
    body.material = sn_material("stvk", 2e4, 0.3, 1000);
    body.damping = dampings, body.damping_count = count;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh), free(velocity);
    SnMotion motion = still();
    motion.oscillate_amplitude[1] = 0.1, motion.oscillate_amplitude[2] = 0.05, motion.oscillate_frequency = 2;
    hold(world, 0, 0, 0, motion);
    return world;
}

static inline SnWorld* make_block(SnWorldDef def)
{
    return make_damped_block(def, NULL, 0);
}

// A damped block that is let go after 0.1 s, with steps that change after 0.15 s.
static inline SnWorld* make_eventful(const char* integrator, int threads)
{
    SnWorldDef def = exact_def(integrator, 0.0125);
    def.threads = threads;
    SnDampingDef dampings[] = {sn_default_damping_def("rayleigh"), sn_default_damping_def("drag"),
                               sn_default_damping_def("rayleigh")};
    dampings[0].beta = 0.01, dampings[1].drag = 0.5, dampings[2].beta = 0.005;
    dampings[2].conserve_momentum = SN_MOMENTUM_VELOCITY_GRADIENT;
    SnWorld* world = make_damped_block(def, dampings, 3);
    SnMotion motion = still();
    motion.velocity[1] = -1, motion.oscillate_amplitude[0] = 0.1, motion.oscillate_frequency = 3, motion.release = 0.1;
    hold(world, 0, 2, 2, motion);
    return world;
}

static inline void step_to(SnWorld* world, int first, int last, SnStepReport* report)
{
    for (int i = first; i < last; i++) {
        if (i == 12) check_ok(sn_world_set_time_step(world, 0.005));
        check_ok(sn_world_step(world, report));
    }
}
