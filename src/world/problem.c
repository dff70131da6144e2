// From bodies and handles to the problem a step solves: potential, masses, free nodes, objective, solver.
#include <math.h>
#include <string.h>

#include "potential/laplacian.h"
#include "world/world.h"

void sn_world_discard_problem(SnWorld* world)
{
    if (world->problem.solver) world->model.solver_type->destroy(world->problem.solver);
    world->problem.solver = NULL;
    sn_search_destroy(world->problem.search);
    world->problem.search = NULL;
    sn_constraints_free(&world->problem.constraints);
    sn_potential_destroy(world->problem.potential);
    world->problem.potential = NULL;
    sn_world_discard_pins(world);
    sn_free(world->problem.mass), sn_free(world->problem.gravity), sn_free(world->scratch.target),
        sn_free(world->scratch.reaction);
    sn_free(world->scratch.xp), sn_free(world->scratch.vp), sn_free(world->scratch.stage_x),
        sn_free(world->scratch.stage_v);
    world->problem.mass = world->problem.gravity = world->scratch.target = world->scratch.reaction = NULL;
    world->scratch.xp = world->scratch.vp = world->scratch.stage_x = world->scratch.stage_v = NULL;
    sn_free(world->scratch.loss_impulses);
    world->scratch.loss_impulses = NULL;
    sn_free(world->problem.node_stiffness), sn_free(world->problem.free_index);
    world->problem.node_stiffness = NULL;
    world->problem.free_index = NULL;
    world->problem.ready = false;
}

// The term that a body's elements make.
typedef struct Elements {
    const char* term;
    int count, nodes;
    const int* items;
} Elements;

static Elements elements_of(const SnBody* body)
{
    if (body->tetrahedron_count) return (Elements){"tetrahedron", body->tetrahedron_count, 4, body->tetrahedra};
    if (body->triangle_count) return (Elements){"triangle", body->triangle_count, 3, body->triangles};
    return (Elements){"edge", body->edge_count, 2, body->edges};
}

// All elements, with the body's material; or those that a damping acts on, with its dissipation.
typedef struct Choice {
    const SnDissipation* dissipation; // NULL: the energy
    const int* elements;              // NULL: all
    int count;
} Choice;

static SnStatus add_chosen(SnWorld* world, const SnBody* body, Choice choice, int* nodes,
                           SnMaterialParameters* parameters)
{
    Elements e = elements_of(body);
    int count = choice.elements ? choice.count : e.count;
    for (int k = 0; k < count; k++) {
        int element = choice.elements ? choice.elements[k] : k;
        for (int c = 0; c < e.nodes; c++)
            nodes[(int64_t)e.nodes * k + c] = e.items[(int64_t)e.nodes * element + c] + body->first_node;
        if (parameters) parameters[k] = body->element_parameters[element];
    }
    return sn_potential_add(world->problem.potential, &(SnTermsDef){
                                                          .term = sn_term_find(e.term),
                                                          .material = body->type,
                                                          .dissipation = choice.dissipation,
                                                          .count = count,
                                                          .elements = nodes,
                                                          .parameters = parameters ? parameters : &body->parameters,
                                                          .per_element = parameters != NULL,
                                                          .section = body->material.thickness,
                                                          .weight = body->material.weight,
                                                          .name = body->name,
                                                      });
}

static SnStatus add_elements(SnWorld* world, const SnBody* body, Choice choice)
{
    Elements e = elements_of(body);
    int* nodes;
    SnMaterialParameters* parameters = NULL;
    bool varies = body->element_parameters != NULL;
    if (!SN_NEW(nodes, (int64_t)e.count * e.nodes, "terms")) return SN_ERROR_MEMORY;
    SnStatus status = !varies || SN_NEW(parameters, e.count, "terms") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = add_chosen(world, body, choice, nodes, parameters);
    sn_free(nodes), sn_free(parameters);
    return status;
}

// Terms of four nodes that stiffen elements which are there already, each with its own stiffness. The material is a
// spring with E = 2 mu, lambda = 0; hinges take mu alone.
static SnStatus add_reinforcement(SnWorld* world, const SnBody* body, const SnDissipation* dissipation,
                                  const char* term, int count, const int* nodes, const double* mu,
                                  const double* directions)
{
    SnMaterialParameters* parameters;
    if (count == 0) return SN_OK;
    if (!SN_NEW(parameters, count, "terms")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) parameters[i].mu = mu[i];
    SnTermsDef def = {
        .term = sn_term_find(term),
        .material = sn_material_find("spring"),
        .dissipation = dissipation,
        .count = count,
        .elements = nodes,
        .parameters = parameters,
        .per_element = true,
        .directions = directions,
        .weight = body->material.weight,
        .name = body->name,
    };
    SnStatus status = sn_potential_add(world->problem.potential, &def);
    sn_free(parameters);
    return status;
}

static SnStatus add_fibers(SnWorld* world, const SnBody* body, const SnDissipation* dissipation)
{
    int* nodes;
    double* mu;
    if (body->fiber_count == 0) return SN_OK;
    if (!SN_NEW(nodes, 4 * (int64_t)body->fiber_count, "fibers")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(mu, body->fiber_count, "fibers") ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < body->fiber_count && status == SN_OK; k++) {
        mu[k] = body->fiber_stiffness[k] / 2;
        for (int c = 0; c < 4; c++)
            nodes[4 * k + c] = body->tetrahedra[4 * (int64_t)body->fibers[k] + c] + body->first_node;
    }
    if (status == SN_OK)
        status =
            add_reinforcement(world, body, dissipation, "fiber", body->fiber_count, nodes, mu, body->fiber_directions);
    sn_free(nodes), sn_free(mu);
    return status;
}

static SnStatus add_hinges(SnWorld* world, const SnBody* body, const SnDissipation* dissipation)
{
    int* nodes;
    int64_t size = 4 * (int64_t)body->hinge_count;
    if (size == 0) return SN_OK;
    if (!SN_NEW(nodes, size, "hinges")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < size; i++) nodes[i] = body->hinges[i] + body->first_node;
    SnStatus status =
        add_reinforcement(world, body, dissipation, "hinge", body->hinge_count, nodes, body->hinge_stiffness, NULL);
    sn_free(nodes);
    return status;
}

static SnStatus add_terms(SnWorld* world, const SnBody* body)
{
    SN_TRY(add_elements(world, body, (Choice){0}));
    SN_TRY(add_fibers(world, body, NULL));
    SN_TRY(add_hinges(world, body, NULL));
    return sn_world_add_limits(world, body);
}

double sn_body_density(const SnBody* body, int node)
{
    return body->node_density ? body->node_density[node] : body->material.density;
}

// Drag acts on nodes by their mass; where it is given to some elements, on the nodes of these.
static SnStatus add_drag(SnWorld* world, const SnBody* body, Choice choice)
{
    Elements e = elements_of(body);
    int *nodes, count = 0;
    double* mass = NULL;
    SnMaterialParameters none = {0};
    if (!SN_NEW(nodes, body->node_count, "drag")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(mass, body->node_count, "drag") ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < choice.count && status == SN_OK; k++) // marked first
        for (int c = 0; c < e.nodes; c++) nodes[e.items[(int64_t)e.nodes * choice.elements[k] + c]] = 1;
    for (int i = 0; i < body->node_count && status == SN_OK; i++) {
        double volume = world->problem.potential->node_volume[body->first_node + i];
        if (volume == 0 || (choice.elements && !nodes[i])) continue;
        nodes[count] = body->first_node + i;
        mass[count++] = sn_body_density(body, i) * volume;
    }
    if (status == SN_OK)
        status = sn_potential_add(world->problem.potential, &(SnTermsDef){.term = &sn_node_term,
                                                                          .material = body->type,
                                                                          .dissipation = choice.dissipation,
                                                                          .count = count,
                                                                          .elements = nodes,
                                                                          .parameters = &none,
                                                                          .sections = mass,
                                                                          .name = body->name});
    sn_free(nodes), sn_free(mass);
    return status;
}

// Rayleigh's damping is that of the whole stiffness: fibers' and hinges', too.
static SnStatus add_damping(SnWorld* world, const SnBody* body, const SnBodyDamping* damping)
{
    Choice choice = {.elements = damping->elements, .count = damping->element_count};
    SN_TRY(
        sn_potential_add_dissipation(world->problem.potential, &damping->dissipation, body->name, &choice.dissipation));
    if (damping->dissipation.rate == SN_RATE_POSITION) return add_drag(world, body, choice);
    SN_TRY(add_elements(world, body, choice));
    const SnDissipationType* type = damping->dissipation.type;
    if (damping->elements || !type->stiffness || type->rate != SN_RATE_GRADIENT) return SN_OK;
    SN_TRY(add_fibers(world, body, choice.dissipation));
    return add_hinges(world, body, choice.dissipation);
}

// After all terms: drag needs the masses.
static SnStatus add_dampings(SnWorld* world)
{
    for (int i = 0; i < world->model.body_count; i++)
        for (int k = 0; k < world->model.bodies[i].damping_count; k++)
            SN_TRY(add_damping(world, &world->model.bodies[i], &world->model.bodies[i].dampings[k]));
    return SN_OK;
}

static SnStatus build_potential(SnWorld* world)
{
    double* rest;
    if (!SN_NEW(rest, 3 * (int64_t)world->model.node_count, "the rest shape")) return SN_ERROR_MEMORY;
    for (int i = 0; i < world->model.body_count; i++) {
        const SnBody* body = &world->model.bodies[i];
        memcpy(rest + 3 * (int64_t)body->first_node, body->rest, 3 * (size_t)body->node_count * sizeof *rest);
    }
    SnStatus status = sn_potential_create(world->model.node_count, rest, world->model.tasks, &world->problem.potential);
    sn_free(rest);
    for (int i = 0; i < world->model.body_count && status == SN_OK; i++)
        status = add_terms(world, &world->model.bodies[i]);
    if (status != SN_OK) return status;
    SN_TRY(add_dampings(world));
    SN_TRY(sn_world_add_pins(world));
    SN_TRY(sn_potential_finish(world->problem.potential));
    world->problem.characteristic = sn_potential_characteristic_force(world->problem.potential);
    return SN_OK;
}

static SnStatus build_masses(SnWorld* world)
{
    int64_t n = world->model.node_count, losses = world->model.integrator->needs_force ? sn_world_loss_count(world) : 0;
    if (!SN_NEW(world->problem.mass, n, "masses") || !SN_NEW(world->problem.node_stiffness, n, "masses") ||
        !SN_NEW(world->problem.gravity, 3 * n, "forces") || !SN_NEW(world->scratch.target, 3 * n, "targets") ||
        !SN_NEW(world->scratch.reaction, 3 * n, "forces") || !SN_NEW(world->scratch.xp, 3 * n, "stages") ||
        !SN_NEW(world->scratch.vp, 3 * n, "stages") || !SN_NEW(world->scratch.stage_x, 3 * n, "stages") ||
        !SN_NEW(world->scratch.stage_v, 3 * n, "stages") ||
        !SN_NEW(world->scratch.loss_impulses, 3 * n * losses, "the ledger"))
        return SN_ERROR_MEMORY;
    sn_laplacian_diagonal(world->problem.potential, world->problem.node_stiffness);
    for (int b = 0; b < world->model.body_count; b++) {
        const SnBody* body = &world->model.bodies[b];
        for (int i = body->first_node; i < body->first_node + body->node_count; i++) {
            world->problem.mass[i] =
                sn_body_density(body, i - body->first_node) * world->problem.potential->node_volume[i];
            for (int c = 0; c < 3; c++)
                world->problem.gravity[3 * i + c] = world->problem.mass[i] * world->model.def.gravity[c];
        }
    }
    return SN_OK;
}

// Rows for the free nodes. Held nodes have none, nor have nodes in no element: nothing moves them.
static SnStatus number_free_nodes(SnWorld* world, int* free_count)
{
    if (!SN_NEW(world->problem.free_index, world->model.node_count, "free nodes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < world->model.handle_count; i++)
        for (int k = 0; k < world->model.handles[i].node_count && sn_handle_eliminates(&world->model.handles[i]); k++)
            world->problem.free_index[world->model.handles[i].nodes[k]] = -1;
    int count = 0, loose = 0;
    for (int i = 0; i < world->model.node_count; i++) {
        if (world->problem.mass[i] == 0) world->problem.free_index[i] = -1, loose++;
        if (world->problem.free_index[i] == 0) world->problem.free_index[i] = count++;
    }
    if (loose)
        sn_log(&world->model.def.log, SN_LOG_WARNING, "%d nodes are in no element and stay where they are", loose);
    *free_count = count;
    return SN_OK;
}

// Without inertia a body that nobody holds has no equilibrium under gravity.
static void warn_of_loose_bodies(const SnWorld* world)
{
    const double* g = world->model.def.gravity;
    if (world->model.integrator->order > 0 || (g[0] == 0 && g[1] == 0 && g[2] == 0)) return;
    for (int b = 0; b < world->model.body_count; b++) {
        const SnBody* body = &world->model.bodies[b];
        int held = sn_pins_held(world, b);
        for (int i = 0; i < body->node_count; i++)
            held +=
                world->problem.free_index[body->first_node + i] < 0 && world->problem.mass[body->first_node + i] > 0;
        if (!held)
            sn_log(&world->model.def.log, SN_LOG_WARNING,
                   "body '%s' is held by no handle: under gravity it has no equilibrium for the static integrator",
                   body->name);
    }
}

static SnStatus build(SnWorld* world)
{
    int free_count;
    world->problem.barrier = false;
    for (int i = 0; i < world->model.body_count; i++)
        world->problem.barrier |= world->model.bodies[i].type->barrier && world->model.bodies[i].parameters.floor == 0;
    SN_TRY(build_potential(world));
    SN_TRY(build_masses(world));
    SN_TRY(number_free_nodes(world, &free_count));
    warn_of_loose_bodies(world);
    world->problem.objective = (SnObjective){
        .potential = world->problem.potential,
        .nodes = {.tasks = world->model.tasks,
                  .count = world->model.node_count,
                  .free_count = free_count,
                  .free_index = world->problem.free_index,
                  .mass = world->problem.mass,
                  .start = world->scratch.xp,
                  .stiffness = world->problem.node_stiffness},
        .target = world->scratch.target,
        .reaction = world->scratch.reaction,
        .constraints = &world->problem.constraints,
    };
    SN_TRY(sn_world_build_constraints(world));
    SN_TRY(sn_search_create(&world->problem.objective, &world->model.def.solver, &world->problem.search));
    world->problem.search->tolerance = world->model.def.solver.tolerance * world->problem.characteristic;
    world->problem.search->watch = world->watch, world->problem.search->watch_user = world->watch_user;
    if (free_count == 0) return SN_OK;
    return world->model.solver_type->create(&world->problem.objective, &world->model.def.solver,
                                            &world->problem.solver);
}

void sn_world_watch(SnWorld* world, void (*watch)(void* user, const SnSearch* search), void* user)
{
    world->watch = watch, world->watch_user = user;
    if (world->problem.search) world->problem.search->watch = watch, world->problem.search->watch_user = user;
}

SnStatus sn_world_prepare(SnWorld* world)
{
    if (world->problem.ready) return SN_OK;
    if (world->model.body_count == 0) return sn_fail(SN_ERROR_VALUE, "the world has no bodies");
    SnStatus status = build(world);
    if (status != SN_OK) {
        sn_world_discard_problem(world);
        return status;
    }
    world->problem.ready = true;
    return SN_OK;
}
