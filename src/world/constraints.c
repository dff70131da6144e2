// The constraints of the world: the detector over its bodies and obstacles, its slides, and where obstacles are.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "solver/global.h"
#include "world/steer.h"
#include "world/world.h"

// Of the thickness, that what is too near gets back in each step where a budget may end it: what is as near as it may
// be cannot go any nearer on any way, and few ways come without.
#define BACK 0.3

// One on the shelf has no surface.
static SnContactBody contact_body(const SnContactFilter* filter, int index)
{
    const SnModel* model = filter->model;
    const SnBody* body = &model->bodies[index];
    int there = filter->state->out[index] == 0;
    bool skin = there && body->skin_triangles;
    return (SnContactBody){
        .first_node = body->first_node,
        .node_count = body->node_count,
        .rest = body->rest,
        .skin_count = skin ? body->skin->vertex_count : 0,
        .carriers = skin ? body->skin->carriers : NULL,
        .weights = skin ? body->skin->weights : NULL,
        .surface_count = skin ? body->skin_triangle_count : there * body->surface_count,
        .surface = skin ? body->skin_triangles : body->surface,
        .edge_count = skin || !there         ? 0
                      : body->touching_edges ? body->touching_edge_count
                                             : body->edge_count,
        .edges = body->touching_edges ? body->touching_edges : body->edges,
        .tetrahedron_count = there * body->tetrahedron_count,
        .tetrahedra = body->tetrahedra,
        .self = sn_contact_filter_touch(filter, index, model->obstacle_count + index),
        .thickness = sn_body_thickness(model, body),
        .least = sn_body_least_thickness(body),
    };
}

// A node that slides on something, or is tied to it, does not touch it as well.
static bool slides_on(const void* user, int node, int target)
{
    const SnModel* model = ((const SnContactFilter*)user)->model;
    for (int k = 0; k < model->slide_count; k++)
        if (sn_slide_holds(&model->slides[k], model->obstacle_count, node, target)) return true;
    return sn_attachment_holds(model, node, target);
}

static SnStatus find_sliding(const SnModel* model, SnProblem* problem)
{
    if (model->slide_count == 0) return SN_OK;
    if (!SN_NEW(problem->slides, model->node_count, "contacts")) return SN_ERROR_MEMORY;
    for (int k = 0; k < model->slide_count; k++)
        for (int i = 0; i < model->slides[k].node_count; i++) problem->slides[model->slides[k].nodes[i]] = true;
    return SN_OK;
}

static void place_obstacles(const SnModel* model, SnProblem* problem, double start, double time)
{
    for (int k = 0; k < model->obstacle_count; k++) {
        SnPose before, now;
        sn_steer_pose(&model->obstacles[k], start, &before);
        sn_steer_pose(&model->obstacles[k], time, &now);
        sn_obstacle_place(&problem->obstacles[k], &before, &now, start, time);
    }
}

// Where held nodes were when the world began; others count for nothing.
static SnStatus find_beginning(const SnModel* model, double** x)
{
    if (!SN_NEW(*x, 3 * (int64_t)model->node_count, "contacts")) return SN_ERROR_MEMORY;
    for (int k = 0; k < model->handle_count; k++) {
        const SnHandle* h = &model->handles[k];
        for (int i = 0; i < h->node_count; i++)
            memcpy(*x + 3 * (int64_t)h->nodes[i], h->start + 3 * (int64_t)i, 3 * sizeof **x);
    }
    return SN_OK;
}

static SnStatus build_contacts(const SnModel* model, const SnState* state, SnProblem* problem)
{
    const SnContactFilter* filter = &problem->filter;
    if (model->obstacle_count == 0 && !sn_model_bodies_touch(model)) return SN_OK;
    SnContactBody* list;
    double* start = NULL;
    SN_TRY(sn_contact_filter_create(model, state, &problem->filter));
    SN_TRY(find_sliding(model, problem));
    if (!SN_NEW(list, model->body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < model->body_count; b++) list[b] = contact_body(filter, b);
    SnStatus status = find_beginning(model, &start);
    SnContactOptions options = {
        .start = start,
        .push = model->def.contact.push,
        .back = model->def.solver.budget > 0 ? BACK : 0,
        .untangle = model->def.contact.untangle,
        .touch = sn_contact_filter_touch,
        .friction = sn_contact_filter_friction,
        .exempt = slides_on,
        .kept = problem->slides,
        .user = filter,
    };
    place_obstacles(model, problem, 0, 0);
    if (status == SN_OK)
        status = sn_contacts_create(model->body_count, list, model->obstacle_count, problem->obstacles, &options,
                                    model->tasks, &problem->constraints.contacts);
    SN_FREE(list, start);
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
        .tie_count = problem->ties.count,
        .ties = problem->ties.items,
        .hinge_count = problem->ties.hinge_count,
        .hinges = problem->ties.hinges,
        .handle_count = model->handle_count,
        .scene = {model->tasks, model->obstacle_count, problem->obstacles, 0},
        .now = &state->constraints,
    };
    SN_TRY(build_contacts(model, state, problem));
    if (!SN_NEW(c->end, 3 * (int64_t)model->node_count, "contacts")) return SN_ERROR_MEMORY;
    bool slides = c->contacts && model->slide_count > 0;
    if (slides && !SN_NEW(c->touched, model->node_count, "contacts")) return SN_ERROR_MEMORY;
    c->joins = sn_model_surfaces_meet(model) || model->attachment_count > 0 || problem->ties.hinge_count > 0;
    for (int k = 0; k < model->slide_count; k++) c->joins |= model->slides[k].obstacle < 0;
    c->first_grab = model->handle_count + model->attachment_count;
    return SN_OK;
}

// Where obstacles are by then, as a time of their script: those that lag behind catch up, no faster than twice as fast.
// All of it at once would be a blow to what they waited for.
static double script_time(const SnState* state, double time)
{
    return fmin(time, state->time - state->lag + 2 * (time - state->time));
}

// For a step that ends at `time`.
static void place(const SnModel* model, const SnState* state, SnProblem* problem, double time)
{
    if (problem->constraints.contacts)
        place_obstacles(model, problem, state->time - state->lag, script_time(state, time));
}

void sn_constraints_stand(const SnModel* model, const SnState* state, SnProblem* problem)
{
    place(model, state, problem, state->time);
    if (problem->constraints.contacts)
        sn_contacts_begin(problem->constraints.contacts, state->x, problem->free_index, 0);
}

SnStatus sn_constraints_place(const SnModel* model, const SnState* state, SnProblem* problem, double time)
{
    SnConstraints* c = &problem->constraints;
    double start = state->time, further = time > start ? model->integrator->extrapolate : 1;
    place(model, state, problem, time);
    sn_ties_place(model, state, &problem->ties, time);
    c->grabs = model->grabs, c->grab_count = model->grab_count;
    c->joins |= model->grab_count > 0;
    return sn_constraints_begin_stage(c, state->x, time - start, further > 1 ? further : 1);
}

double sn_constraints_lag(const SnState* state, const SnProblem* problem, double time)
{
    const SnContacts* contacts = problem->constraints.contacts;
    double passed = contacts ? sn_contacts_scene(contacts) : 1, end = contacts ? script_time(state, time) : time;
    return time - end + (passed == 1 ? 0 : (1 - passed) * (end - state->time + state->lag));
}
