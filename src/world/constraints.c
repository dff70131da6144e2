// The constraints of the world: the detector over its bodies and obstacles, its slides, and where obstacles are.
#include "solver/global.h"
#include "world/motion.h"
#include "world/world.h"

static SnContactBody contact_body(const SnBody* body)
{
    return (SnContactBody){
        .first_node = body->first_node,
        .node_count = body->node_count,
        .rest = body->rest,
        .tetrahedron_count = body->tetrahedron_count,
        .tetrahedra = body->tetrahedra,
        .surface_count = body->surface_count,
        .surface = body->surface,
        .sheet = body->tetrahedron_count == 0,
    };
}

static SnStatus build_contacts(SnWorld* world)
{
    const SnModel* model = &world->model;
    const SnContactDef* def = &model->def.contact;
    bool bodies = def->self || (def->bodies && model->body_count > 1);
    if (model->obstacle_count == 0 && !bodies) return SN_OK;
    SnContactBody* list;
    if (!SN_NEW(list, model->body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < model->body_count; b++) list[b] = contact_body(&model->bodies[b]);
    SnContactOptions options = {def->thickness, def->friction, def->push, def->bodies, def->self};
    SnStatus status = sn_contacts_create(model->body_count, list, model->obstacle_count, model->obstacle_shapes,
                                         &options, model->tasks, &world->problem.constraints.contacts);
    sn_free(list);
    return status;
}

SnStatus sn_world_build_constraints(SnWorld* world)
{
    const SnModel* model = &world->model;
    const SnNodes* nodes = &world->problem.objective.nodes;
    SnConstraints* c = &world->problem.constraints;
    *c = (SnConstraints){
        .nodes = nodes,
        .method = sn_solver_constraint_method(model->solver_type, &model->def.solver),
        .friction = {nodes, model->def.contact.slip},
        .slide_count = model->slide_count,
        .slides = model->slides,
        .scene = {model->tasks, model->obstacle_count, model->obstacle_shapes, 0},
        .now = &world->state.constraints,
    };
    SN_TRY(build_contacts(world));
    c->joins = c->contacts && (model->def.contact.bodies || model->def.contact.self);
    return SN_OK;
}

void sn_world_begin_constraints(SnWorld* world, double time)
{
    SnConstraints* c = &world->problem.constraints;
    double start = world->state.time, further = time > start ? world->model.integrator->extrapolate : 1;
    sn_constraints_begin_stage(c, time - start);
    if (!c->contacts) return;
    for (int k = 0; k < world->model.obstacle_count; k++) {
        SnPose before, now;
        sn_motion_pose(&world->model.obstacles[k].motion, start, &before);
        sn_motion_pose(&world->model.obstacles[k].motion, time, &now);
        sn_obstacle_place(&world->model.obstacle_shapes[k], &before, &now, start, time);
    }
    sn_contacts_begin(c->contacts, &(SnContactStart){world->state.x, time - start, further > 1 ? further : 1});
}
