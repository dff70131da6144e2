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

static SnStatus build_contacts(const SnModel* model, SnProblem* problem)
{
    const SnContactDef* def = &model->def.contact;
    bool bodies = def->self || (def->bodies && model->body_count > 1);
    if (model->obstacle_count == 0 && !bodies) return SN_OK;
    SnContactBody* list;
    if (!SN_NEW(list, model->body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < model->body_count; b++) list[b] = contact_body(&model->bodies[b]);
    SnContactOptions options = {def->thickness, def->friction, def->push, def->bodies, def->self};
    SnStatus status = sn_contacts_create(model->body_count, list, model->obstacle_count, problem->obstacles, &options,
                                         model->tasks, &problem->constraints.contacts);
    sn_free(list);
    return status;
}

SnStatus sn_constraints_build(const SnModel* model, SnState* state, SnProblem* problem)
{
    const SnNodes* nodes = &problem->objective.nodes;
    SnConstraints* c = &problem->constraints;
    size_t obstacles = (size_t)model->obstacle_count;
    problem->obstacles = sn_copy_memory(model->obstacle_shapes, obstacles, sizeof *problem->obstacles, "contacts");
    if (!problem->obstacles) return SN_ERROR_MEMORY;
    *c = (SnConstraints){
        .nodes = nodes,
        .method = sn_solver_constraint_method(model->solver_type, &model->def.solver),
        .friction = {nodes, model->def.contact.slip},
        .slide_count = model->slide_count,
        .slides = model->slides,
        .scene = {model->tasks, model->obstacle_count, problem->obstacles, 0},
        .now = &state->constraints,
    };
    SN_TRY(build_contacts(model, problem));
    c->joins = c->contacts && (model->def.contact.bodies || model->def.contact.self);
    for (int k = 0; k < model->slide_count; k++) c->joins |= model->slides[k].obstacle < 0;
    return SN_OK;
}

void sn_constraints_place(const SnModel* model, const SnState* state, SnProblem* problem, double time)
{
    SnConstraints* c = &problem->constraints;
    double start = state->time, further = time > start ? model->integrator->extrapolate : 1;
    sn_constraints_begin_stage(c, time - start);
    if (!c->contacts) return;
    for (int k = 0; k < model->obstacle_count; k++) {
        SnPose before, now;
        sn_motion_pose(&model->obstacles[k].motion, start, &before);
        sn_motion_pose(&model->obstacles[k].motion, time, &now);
        sn_obstacle_place(&problem->obstacles[k], &before, &now, start, time);
    }
    sn_contacts_begin(c->contacts, &(SnContactStart){state->x, time - start, further > 1 ? further : 1});
}
