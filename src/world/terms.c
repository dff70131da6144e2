// The potential of a model: terms of its bodies' elements, fibers, hinges and limits, and of their dampings.
#include <string.h>

#include "world/element_terms.h"
#include "world/problem.h"

// Terms of four nodes that stiffen elements which are there already, each with its own stiffness. The material is a
// spring with E = 2 mu, lambda = 0; hinges take mu alone.
static SnStatus add_reinforcement(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation,
                                  const char* term, int count, const int* nodes, const int* members, const double* mu,
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
        .members = members,
        .weight = body->material.weight,
        .name = body->name,
    };
    SnStatus status = sn_potential_add(potential, &def);
    sn_free(parameters);
    return status;
}

static SnStatus add_fibers(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation)
{
    int *nodes, *members = NULL;
    double* mu = NULL;
    if (body->fiber_count == 0) return SN_OK;
    if (!SN_NEW(nodes, 4 * (int64_t)body->fiber_count, "fibers")) return SN_ERROR_MEMORY;
    bool room = SN_NEW(mu, body->fiber_count, "fibers") && SN_NEW(members, body->fiber_count, "fibers");
    SnStatus status = room ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < body->fiber_count && status == SN_OK; k++) {
        members[k] = body->first_element + body->fibers[k];
        mu[k] = body->fiber_stiffness[k] / 2;
        for (int c = 0; c < 4; c++)
            nodes[4 * k + c] = body->tetrahedra[4 * (int64_t)body->fibers[k] + c] + body->first_node;
    }
    if (status == SN_OK)
        status = add_reinforcement(potential, body, dissipation, "fiber", body->fiber_count, nodes, members, mu,
                                   body->fiber_directions);
    SN_FREE(nodes, members, mu);
    return status;
}

static SnStatus add_hinges(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation)
{
    int* nodes;
    int64_t size = 4 * (int64_t)body->hinge_count;
    if (size == 0) return SN_OK;
    if (!SN_NEW(nodes, size, "hinges")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < size; i++) nodes[i] = body->hinges[i] + body->first_node;
    SnStatus status = add_reinforcement(potential, body, dissipation, "hinge", body->hinge_count, nodes, NULL,
                                        body->hinge_stiffness, NULL);
    sn_free(nodes);
    return status;
}

static SnStatus add_terms(SnPotential* potential, const SnModel* model, const SnBody* body)
{
    SN_TRY(sn_add_elements(potential, body, (SnTermChoice){0}));
    SN_TRY(sn_add_clusters(potential, body, NULL));
    SN_TRY(add_fibers(potential, body, NULL));
    SN_TRY(add_hinges(potential, body, NULL));
    return sn_limits_add_terms(model, body, potential);
}

// Drag acts on nodes by their mass; where it is given to some elements, on the nodes of these.
static SnStatus add_drag(SnPotential* potential, const SnBody* body, SnTermChoice choice)
{
    SnElements e = sn_body_elements(body);
    int *nodes, count = 0;
    double* mass = NULL;
    SnMaterialParameters none = {0};
    if (!SN_NEW(nodes, body->node_count, "drag")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(mass, body->node_count, "drag") ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < choice.count && status == SN_OK; k++) // marked first
        for (int c = 0; c < e.nodes; c++) nodes[e.items[(int64_t)e.nodes * choice.elements[k] + c]] = 1;
    for (int i = 0; i < body->node_count && status == SN_OK; i++) {
        double volume = potential->node_volume[body->first_node + i];
        if (volume == 0 || (choice.elements && !nodes[i])) continue;
        nodes[count] = body->first_node + i;
        mass[count++] = sn_body_density(body, i) * volume;
    }
    if (status == SN_OK)
        status = sn_potential_add(potential, &(SnTermsDef){.term = &sn_node_term,
                                                           .material = body->type,
                                                           .dissipation = choice.dissipation,
                                                           .count = count,
                                                           .elements = nodes,
                                                           .parameters = &none,
                                                           .sections = mass,
                                                           .name = body->name});
    SN_FREE(nodes, mass);
    return status;
}

// Rayleigh's damping is that of the whole stiffness: fibers' and hinges', too.
static SnStatus add_damping(SnPotential* potential, const SnBody* body, const SnBodyDamping* damping, bool out)
{
    SnTermChoice choice = {.elements = damping->elements, .count = damping->element_count};
    SN_TRY(sn_potential_add_dissipation(potential, &damping->dissipation, body->name, &choice.dissipation));
    if (out) return SN_OK; // it keeps its place in the ledger
    if (damping->dissipation.rate == SN_RATE_POSITION) return add_drag(potential, body, choice);
    SN_TRY(sn_add_elements(potential, body, choice));
    const SnDissipationType* type = damping->dissipation.type;
    if (damping->elements || !type->stiffness || type->rate != SN_RATE_GRADIENT) return SN_OK;
    SN_TRY(sn_add_clusters(potential, body, choice.dissipation));
    SN_TRY(add_fibers(potential, body, choice.dissipation));
    return add_hinges(potential, body, choice.dissipation);
}

// After all terms: drag needs the masses.
static SnStatus add_dampings(SnPotential* potential, const SnModel* model, const double* out)
{
    for (int i = 0; i < model->body_count; i++)
        for (int k = 0; k < model->bodies[i].damping_count; k++)
            SN_TRY(add_damping(potential, &model->bodies[i], &model->bodies[i].dampings[k], out[i] != 0));
    return SN_OK;
}

static SnStatus add_bodies(SnPotential* potential, const SnModel* model, const double* out)
{
    for (int i = 0; i < model->body_count; i++)
        if (out[i] == 0) SN_TRY(add_terms(potential, model, &model->bodies[i]));
    return add_dampings(potential, model, out);
}

SnStatus sn_terms_create(const SnModel* model, const SnState* state, SnPotential** potential)
{
    double* rest;
    if (!SN_NEW(rest, 3 * (int64_t)model->node_count, "the rest shape")) return SN_ERROR_MEMORY;
    for (int i = 0; i < model->body_count; i++) {
        const SnBody* body = &model->bodies[i];
        memcpy(rest + 3 * (int64_t)body->first_node, body->rest, 3 * (size_t)body->node_count * sizeof *rest);
    }
    SnStatus status = sn_potential_create(model->node_count, rest, model->tasks, potential);
    sn_free(rest);
    return status == SN_OK ? add_bodies(*potential, model, state->out) : status;
}
