// From bodies and handles to the problem a step solves: potential, masses, free nodes, objective, solver.
#include <math.h>
#include <string.h>

#include "potential/laplacian.h"
#include "world/world.h"

void sn_world_discard_problem(SnWorld* world)
{
    if (world->solver) world->solver_type->destroy(world->solver);
    world->solver = NULL;
    sn_search_destroy(world->search);
    world->search = NULL;
    sn_contacts_destroy(world->contacts);
    world->contacts = NULL;
    sn_potential_destroy(world->potential);
    world->potential = NULL;
    sn_world_discard_pins(world);
    sn_free(world->mass), sn_free(world->gravity), sn_free(world->target), sn_free(world->reaction);
    sn_free(world->xp), sn_free(world->vp), sn_free(world->stage_x), sn_free(world->stage_v);
    world->mass = world->gravity = world->target = world->reaction = NULL;
    world->xp = world->vp = world->stage_x = world->stage_v = NULL;
    sn_free(world->loss_impulses);
    world->loss_impulses = NULL;
    sn_free(world->node_stiffness), sn_free(world->free_index);
    world->node_stiffness = NULL;
    world->free_index = NULL;
    world->ready = false;
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
    return sn_potential_add(world->potential, &(SnTermsDef){
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
    SnStatus status = sn_potential_add(world->potential, &def);
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
        double volume = world->potential->node_volume[body->first_node + i];
        if (volume == 0 || (choice.elements && !nodes[i])) continue;
        nodes[count] = body->first_node + i;
        mass[count++] = sn_body_density(body, i) * volume;
    }
    if (status == SN_OK)
        status = sn_potential_add(world->potential, &(SnTermsDef){.term = &sn_node_term,
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
    SN_TRY(sn_potential_add_dissipation(world->potential, &damping->dissipation, body->name, &choice.dissipation));
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
    for (int i = 0; i < world->body_count; i++)
        for (int k = 0; k < world->bodies[i].damping_count; k++)
            SN_TRY(add_damping(world, &world->bodies[i], &world->bodies[i].dampings[k]));
    return SN_OK;
}

static SnStatus build_potential(SnWorld* world)
{
    double* rest;
    if (!SN_NEW(rest, 3 * (int64_t)world->node_count, "the rest shape")) return SN_ERROR_MEMORY;
    for (int i = 0; i < world->body_count; i++) {
        const SnBody* body = &world->bodies[i];
        memcpy(rest + 3 * (int64_t)body->first_node, body->rest, 3 * (size_t)body->node_count * sizeof *rest);
    }
    SnStatus status = sn_potential_create(world->node_count, rest, world->tasks, &world->potential);
    sn_free(rest);
    for (int i = 0; i < world->body_count && status == SN_OK; i++) status = add_terms(world, &world->bodies[i]);
    if (status != SN_OK) return status;
    SN_TRY(add_dampings(world));
    SN_TRY(sn_world_add_pins(world));
    SN_TRY(sn_potential_finish(world->potential));
    world->characteristic = sn_potential_characteristic_force(world->potential);
    return SN_OK;
}

static SnStatus build_masses(SnWorld* world)
{
    int64_t n = world->node_count, losses = world->integrator->needs_force ? sn_world_loss_count(world) : 0;
    if (!SN_NEW(world->mass, n, "masses") || !SN_NEW(world->node_stiffness, n, "masses") ||
        !SN_NEW(world->gravity, 3 * n, "forces") || !SN_NEW(world->target, 3 * n, "targets") ||
        !SN_NEW(world->reaction, 3 * n, "forces") || !SN_NEW(world->xp, 3 * n, "stages") ||
        !SN_NEW(world->vp, 3 * n, "stages") || !SN_NEW(world->stage_x, 3 * n, "stages") ||
        !SN_NEW(world->stage_v, 3 * n, "stages") || !SN_NEW(world->loss_impulses, 3 * n * losses, "the ledger"))
        return SN_ERROR_MEMORY;
    sn_laplacian_diagonal(world->potential, world->node_stiffness);
    for (int b = 0; b < world->body_count; b++) {
        const SnBody* body = &world->bodies[b];
        for (int i = body->first_node; i < body->first_node + body->node_count; i++) {
            world->mass[i] = sn_body_density(body, i - body->first_node) * world->potential->node_volume[i];
            for (int c = 0; c < 3; c++) world->gravity[3 * i + c] = world->mass[i] * world->def.gravity[c];
        }
    }
    return SN_OK;
}

// Rows for the free nodes. Held nodes have none, nor have nodes in no element: nothing moves them.
static SnStatus number_free_nodes(SnWorld* world, int* free_count)
{
    if (!SN_NEW(world->free_index, world->node_count, "free nodes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < world->handle_count; i++)
        for (int k = 0; k < world->handles[i].node_count && sn_handle_eliminates(&world->handles[i]); k++)
            world->free_index[world->handles[i].nodes[k]] = -1;
    int count = 0, loose = 0;
    for (int i = 0; i < world->node_count; i++) {
        if (world->mass[i] == 0) world->free_index[i] = -1, loose++;
        if (world->free_index[i] == 0) world->free_index[i] = count++;
    }
    if (loose) sn_log(&world->def.log, SN_LOG_WARNING, "%d nodes are in no element and stay where they are", loose);
    *free_count = count;
    return SN_OK;
}

// Without inertia a body that nobody holds has no equilibrium under gravity.
static void warn_of_loose_bodies(const SnWorld* world)
{
    const double* g = world->def.gravity;
    if (world->integrator->order > 0 || (g[0] == 0 && g[1] == 0 && g[2] == 0)) return;
    for (int b = 0; b < world->body_count; b++) {
        const SnBody* body = &world->bodies[b];
        int held = sn_pins_held(world, b);
        for (int i = 0; i < body->node_count; i++)
            held += world->free_index[body->first_node + i] < 0 && world->mass[body->first_node + i] > 0;
        if (!held)
            sn_log(&world->def.log, SN_LOG_WARNING,
                   "body '%s' is held by no handle: under gravity it has no equilibrium for the static integrator",
                   body->name);
    }
}

static SnStatus collect_rows(void* world, const double* x)
{
    return sn_world_collect_rows(world, x);
}

static SnStatus build(SnWorld* world)
{
    int free_count;
    world->barrier = false;
    for (int i = 0; i < world->body_count; i++)
        world->barrier |= world->bodies[i].type->barrier && world->bodies[i].parameters.floor == 0;
    SN_TRY(build_potential(world));
    SN_TRY(build_masses(world));
    SN_TRY(number_free_nodes(world, &free_count));
    warn_of_loose_bodies(world);
    world->objective = (SnObjective){
        .potential = world->potential,
        .tasks = world->tasks,
        .node_count = world->node_count,
        .free_count = free_count,
        .free_index = world->free_index,
        .mass = world->mass,
        .target = world->target,
        .reaction = world->reaction,
        .rows = &world->rows,
        .collect = collect_rows,
        .collector = world,
        .start = world->xp,
        .slip = world->def.contact.slip,
        .node_stiffness = world->node_stiffness,
    };
    SN_TRY(sn_world_build_contacts(world));
    if (!world->contacts) world->objective.collect = NULL;
    world->objective.couples = world->contacts && (world->def.contact.bodies || world->def.contact.self);
    SN_TRY(sn_search_create(&world->objective, &world->def.solver, &world->search));
    world->search->tolerance = world->def.solver.tolerance * world->characteristic;
    world->search->watch = world->watch, world->search->watch_user = world->watch_user;
    if (free_count == 0) return SN_OK;
    return world->solver_type->create(&world->objective, &world->def.solver, &world->solver);
}

void sn_world_watch(SnWorld* world, void (*watch)(void* user, const SnSearch* search), void* user)
{
    world->watch = watch, world->watch_user = user;
    if (world->search) world->search->watch = watch, world->search->watch_user = user;
}

SnStatus sn_world_prepare(SnWorld* world)
{
    if (world->ready) return SN_OK;
    if (world->body_count == 0) return sn_fail(SN_ERROR_VALUE, "the world has no bodies");
    SnStatus status = build(world);
    if (status != SN_OK) {
        sn_world_discard_problem(world);
        return status;
    }
    world->ready = true;
    return SN_OK;
}
