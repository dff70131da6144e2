// From the model to the problem a step solves: potential, masses, free nodes, objective, solver.
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/share.h"
#include "potential/laplacian.h"
#include "world/shelf.h"
#include "world/sleep.h"

void sn_world_discard_problem(SnWorld* world)
{
    SnProblem* p = &world->problem;
    if (p->solver) world->model.solver_type->destroy(p->solver);
    sn_search_destroy(p->search);
    sn_constraints_free(&p->constraints);
    sn_contact_filter_free(&p->filter);
    sn_potential_destroy(p->potential);
    sn_loads_free(&p->loads);
    sn_actuators_free(&p->actuations);
    sn_ties_free(&p->ties);
    SN_FREE(p->obstacles, p->slides, p->released, p->pins, p->pin_nodes, p->pin_shares, p->support, p->mass, p->gravity,
            p->node_stiffness, p->free_index);
    sn_sleep_free(p);
    *p = (SnProblem){0};
    sn_scratch_free(&world->scratch);
    sn_probes_discard(&world->measured);
}

static SnStatus build_potential(const SnModel* model, const SnState* state, SnProblem* problem)
{
    for (int i = 0; i < model->body_count; i++)
        problem->barrier |= model->bodies[i].type->barrier && model->bodies[i].parameters.floor == 0;
    SN_TRY(sn_terms_create(model, state, &problem->potential));
    SN_TRY(sn_pins_add_terms(model, problem));
    SN_TRY(sn_potential_finish(problem->potential));
    problem->characteristic = sn_potential_characteristic_force(problem->potential);
    return SN_OK;
}

static SnStatus build_masses(const SnModel* model, SnProblem* problem)
{
    int64_t n = model->node_count;
    if (!SN_NEW(problem->mass, n, "masses") || !SN_NEW(problem->node_stiffness, n, "masses") ||
        !SN_NEW(problem->gravity, 3 * n, "forces"))
        return SN_ERROR_MEMORY;
    sn_laplacian_diagonal(problem->potential, problem->node_stiffness);
    sn_share_add(model->tasks, 1, problem->node_stiffness);
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        for (int i = body->first_node; i < body->first_node + body->node_count; i++) {
            problem->mass[i] = sn_body_density(body, i - body->first_node) * problem->potential->node_volume[i];
            for (int c = 0; c < 3; c++) problem->gravity[3 * i + c] = problem->mass[i] * model->def.gravity[c];
        }
    }
    return SN_OK;
}

// Rows for the free nodes. Held nodes have none, nor have nodes in no element: nothing moves them.
static SnStatus number_free_nodes(const SnModel* model, const SnState* state, SnProblem* problem, int* free_count)
{
    if (!SN_NEW(problem->free_index, model->node_count, "free nodes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < model->handle_count; i++)
        for (int k = 0; k < model->handles[i].node_count && sn_handle_eliminates(model, problem, i); k++)
            problem->free_index[model->handles[i].nodes[k]] = -1;
    for (int b = 0; b < model->body_count; b++)
        for (int i = 0; i < model->bodies[b].node_count && state->asleep[b] != 0; i++)
            problem->free_index[model->bodies[b].first_node + i] = -1;
    int count = 0, loose = 0;
    for (int i = 0; i < model->node_count; i++) {
        if (problem->mass[i] == 0) problem->free_index[i] = -1, loose += sn_share_owns(model->tasks, i);
        if (problem->free_index[i] == 0 && !sn_share_is_ghost(model->tasks, i)) problem->free_index[i] = count++;
    }
    for (int i = 0; i < model->node_count; i++) // after those that matrices have rows for
        if (problem->free_index[i] == 0 && sn_share_is_ghost(model->tasks, i)) problem->free_index[i] = count++;
    for (int b = 0; b < model->body_count; b++)
        if (state->out[b] != 0) loose -= model->bodies[b].node_count;
    loose = (int)sn_share_total(model->tasks, loose);
    if (loose) sn_log(&model->def.log, SN_LOG_WARNING, "%d nodes are in no element and stay where they are", loose);
    *free_count = count;
    return SN_OK;
}

static bool is_held(const SnModel* model, const SnProblem* problem, int b)
{
    const SnBody* body = &model->bodies[b];
    bool held = sn_pins_held(model, problem, b) > 0;
    for (int i = body->first_node; i < body->first_node + body->node_count; i++)
        held |= problem->free_index[i] < 0 && problem->mass[i] > 0;
    return sn_share_any(model->tasks, held);
}

static bool slides(const SnModel* model, const SnBody* body)
{
    for (int k = 0; k < model->slide_count; k++) {
        int node = model->slides[k].node_count > 0 ? model->slides[k].nodes[0] - body->first_node : -1;
        if (node >= 0 && node < body->node_count) return true;
    }
    for (int k = 0; k < model->attachment_count; k++)
        if (&model->bodies[model->attachments[k].from_body] == body ||
            &model->bodies[model->attachments[k].to_body] == body)
            return true;
    for (int k = 0; k < model->handle_count; k++)
        if (sn_handle_ties(&model->handles[k]) && &model->bodies[model->handles[k].body] == body) return true;
    for (int k = 0; k < model->grab_count; k++) {
        int node = model->grabs[k].node[0] - body->first_node;
        if (model->grabs[k].holds && node >= 0 && node < body->node_count) return true;
    }
    return false;
}

// Without inertia a body that nobody holds has no equilibrium under gravity, unless it slides on something; where there
// may be constraints, it gets their support.
static SnStatus support_loose_bodies(const SnModel* model, SnProblem* problem)
{
    const double* g = model->def.gravity;
    bool tied = model->attachment_count > 0 || model->grab_count > 0;
    for (int k = 0; k < model->handle_count; k++) tied |= sn_handle_ties(&model->handles[k]);
    bool constrained = tied || model->slide_count > 0 || model->obstacle_count > 0 || sn_model_bodies_touch(model);
    if (model->integrator->order > 0) return SN_OK;
    if (constrained && !SN_NEW(problem->support, model->node_count, "the problem")) return SN_ERROR_MEMORY;
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        if (is_held(model, problem, b)) continue;
        for (int i = body->first_node; i < body->first_node + body->node_count && constrained; i++)
            problem->support[i] = SN_SUPPORT * problem->node_stiffness[i];
        if (sn_share_any(model->tasks, slides(model, body)) || (g[0] == 0 && g[1] == 0 && g[2] == 0)) continue;
        sn_log(&model->def.log, SN_LOG_WARNING,
               "body '%s' is held by no handle: under gravity it has no equilibrium for the static integrator",
               body->name);
    }
    return SN_OK;
}

static void set_objective(SnWorld* world, int free_count)
{
    const SnModel* model = &world->model;
    const SnScratch* scratch = &world->scratch;
    SnProblem* problem = &world->problem;
    bool loads = model->load_count > 0;
    problem->objective = (SnObjective){
        .potential = problem->potential,
        .nodes = {.tasks = model->tasks,
                  .count = model->node_count,
                  .free_count = free_count,
                  .free_index = problem->free_index,
                  .mass = loads ? problem->loads.mass : problem->mass,
                  .own_mass = problem->mass,
                  .drag = problem->loads.most,
                  .start = scratch->xp,
                  .stiffness = problem->node_stiffness,
                  .support = problem->support,
                  .factors = &world->factors},
        .target = scratch->target,
        .reaction = scratch->reaction,
        .external = loads ? problem->loads.external : problem->gravity,
        .constraints = &problem->constraints,
        .still = model->integrator->order == 0,
    };
}

static SnStatus build_search(SnWorld* world)
{
    const SnSolverDef* def = &world->model.def.solver;
    SnProblem* problem = &world->problem;
    SN_TRY(sn_search_create(&problem->objective, def, &problem->search));
    problem->search->stopping = sn_stopping_rule(def, problem->characteristic);
    sn_stopping_take_care(&problem->search->stopping, world->model.integrator->care);
    problem->search->watch = world->watch, problem->search->watch_user = world->watch_user;
    return SN_OK;
}

// Patterns, orders and factors are most of the work: of several changes between two steps only the last has it done.
SnStatus sn_world_prepare_solver(SnWorld* world)
{
    SnProblem* problem = &world->problem;
    if (problem->solver) return SN_OK;
    if (!sn_share_any(world->model.tasks, problem->objective.nodes.free_count > 0)) return SN_OK;
    return world->model.solver_type->create(&problem->objective, &world->model.def.solver, &problem->solver);
}

static SnStatus build(SnWorld* world, double time)
{
    const SnModel* model = &world->model;
    SnProblem* problem = &world->problem;
    int free_count;
    if (!SN_NEW(problem->released, model->handle_count, "handles")) return SN_ERROR_MEMORY;
    for (int i = 0; i < model->handle_count; i++)
        problem->released[i] = sn_handle_released(&model->handles[i], time, world->state.step_length);
    SN_TRY(sn_shelf_check(model, &world->state));
    SN_TRY(build_potential(model, &world->state, problem));
    SN_TRY(sn_sleep_build(model, &world->state, problem));
    SN_TRY(build_masses(model, problem));
    SN_TRY(sn_loads_build(model, &world->state, problem));
    SN_TRY(sn_actuators_build(model, problem));
    SN_TRY(number_free_nodes(model, &world->state, problem, &free_count));
    SN_TRY(support_loose_bodies(model, problem));
    SN_TRY(sn_scratch_create(model, problem, &world->scratch));
    set_objective(world, free_count);
    SN_TRY(sn_probes_build(model, &world->measured));
    SN_TRY(sn_ties_build(model, &world->state, problem, &problem->ties));
    SN_TRY(sn_constraints_build(model, &world->state, problem));
    return build_search(world);
}

void sn_world_watch(SnWorld* world, void (*watch)(void* user, const SnSearch* search), void* user)
{
    SnSearch* search = world->problem.search;
    world->watch = watch, world->watch_user = user;
    if (search) search->watch = watch, search->watch_user = user;
}

static bool is_for(const SnModel* model, const SnState* state, const SnProblem* problem, double time)
{
    double h = state->step_length;
    if (!problem->ready) return false;
    if (memcmp(problem->asleep, state->asleep, (size_t)model->body_count * sizeof *state->asleep) != 0) return false;
    for (int i = 0; i < model->handle_count; i++)
        if (sn_handle_released(&model->handles[i], time, h) != problem->released[i]) return false;
    return true;
}

SnStatus sn_world_prepare(SnWorld* world, double time)
{
    if (is_for(&world->model, &world->state, &world->problem, time)) {
        sn_actuators_set(&world->model, &world->problem, world->state.time);
        return SN_OK;
    }
    if (world->model.body_count == 0) return sn_fail(SN_ERROR_VALUE, "the world has no bodies");
    sn_world_discard_problem(world);
    SnStatus status = build(world, time);
    world->problem.ready = status == SN_OK;
    if (status == SN_OK) sn_actuators_set(&world->model, &world->problem, world->state.time);
    if (status != SN_OK) sn_world_discard_problem(world);
    return status;
}
