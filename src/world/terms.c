// The potential of a model: terms of its bodies' elements, fibers, hinges and limits, and of their dampings.
#include <math.h>
#include <string.h>

#include "world/problem.h"

// All elements, with the body's material; or those that a damping acts on, with its dissipation.
typedef struct Choice {
    const SnDissipation* dissipation; // NULL: the energy
    const int* elements;              // NULL: all
    int count;
} Choice;

// Of element linear-bbar: what of lambda stays in each tetrahedron, the rest is in clusters. As much as mu is no reason
// to lock, and lets none collapse by itself.
static double kept_lambda(const SnMaterialParameters* p)
{
    return fmin(p->lambda, p->mu);
}

// The body's numbers, as its tetrahedra have them.
static SnMaterialParameters parameters_of(const SnBody* body, int element)
{
    SnMaterialParameters p = body->element_parameters ? body->element_parameters[element] : body->parameters;
    if (body->element == SN_ELEMENT_LINEAR_BBAR) p.lambda = kept_lambda(&p);
    return p;
}

static SnStatus add_chosen(SnPotential* potential, const SnBody* body, Choice choice, int* nodes, int* members,
                           SnMaterialParameters* parameters)
{
    SnElements e = sn_body_elements(body);
    int count = choice.elements ? choice.count : e.count;
    for (int k = 0; k < count; k++) {
        int element = choice.elements ? choice.elements[k] : k;
        for (int c = 0; c < e.nodes; c++)
            nodes[(int64_t)e.nodes * k + c] = e.items[(int64_t)e.nodes * element + c] + body->first_node;
        if (parameters) parameters[k] = parameters_of(body, element);
        members[k] = body->first_element + element;
    }
    SnMaterialParameters all = parameters_of(body, 0);
    SnTermsDef def = {
        .term = sn_term_find(e.term),
        .material = body->type,
        .dissipation = choice.dissipation,
        .count = count,
        .elements = nodes,
        .parameters = parameters ? parameters : &all,
        .per_element = parameters != NULL,
        .section = body->material.thickness,
        .apart = body->element != SN_ELEMENT_LINEAR,
        .members = members,
        .weight = body->material.weight,
        .name = body->name,
    };
    SN_TRY(sn_potential_add(potential, &def));
    if (!def.apart || def.dissipation) return SN_OK;
    def.parameters = parameters ? body->element_parameters : &body->parameters;
    return sn_potential_add_content(potential, &def);
}

static SnStatus add_elements(SnPotential* potential, const SnBody* body, Choice choice)
{
    SnElements e = sn_body_elements(body);
    int *nodes, *members = NULL;
    SnMaterialParameters* parameters = NULL;
    bool varies = body->element_parameters != NULL;
    if (!SN_NEW(nodes, (int64_t)e.count * e.nodes, "terms")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(members, e.count, "terms") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK && varies && !SN_NEW(parameters, e.count, "terms")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) status = add_chosen(potential, body, choice, nodes, members, parameters);
    SN_FREE(nodes, members, parameters);
    return status;
}

// What ADMM's weights of clusters are, by mu: as stiff as they are for their volume they would crawl.
#define CLUSTER_WEIGHT 2.0

// The part of lambda that tetrahedra do not have, in each cluster the mean of theirs. Returns what scales ADMM's w; 0:
// no tetrahedron has given any.
static double cluster_parameters(const SnBody* body, SnMaterialParameters* parameters)
{
    const SnPoints* p = &body->points;
    SnMaterialParameters mean = body->parameters;
    double mu = 0, volume = 0;
    mean.mu = mean.lambda = 0;
    for (int k = 0; k < p->count; k++) {
        parameters[k] = body->parameters;
        parameters[k].mu = parameters[k].lambda = 0;
        for (int i = p->first[k]; i < p->first[k + 1]; i++) {
            const SnMaterialParameters* e =
                body->element_parameters ? &body->element_parameters[p->members[i]] : &body->parameters;
            parameters[k].lambda += p->shares[i] * (e->lambda - kept_lambda(e));
            mu += p->shares[i] * p->volumes[k] * e->mu;
        }
        volume += p->volumes[k];
        mean.lambda += (parameters[k].lambda - mean.lambda) * p->volumes[k] / volume;
    }
    double stiffness = mean.lambda > 0 ? sn_material_effective_stiffness(body->type, mean) : 0;
    return stiffness > 0 ? body->material.weight * sqrt(CLUSTER_WEIGHT * mu / volume / stiffness) : 0;
}

static SnStatus add_points(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation, int* nodes,
                           int* members, SnMaterialParameters* parameters)
{
    double weight = cluster_parameters(body, parameters);
    for (int64_t i = 0; i < SN_POINT_NODES * (int64_t)body->points.count; i++)
        nodes[i] = body->points.nodes[i] + body->first_node;
    for (int i = 0; i < body->tetrahedron_count; i++) members[i] = body->first_element + i;
    if (weight == 0) return SN_OK;
    return sn_potential_add(potential, &(SnTermsDef){
                                           .term = sn_term_find("point"),
                                           .material = body->type,
                                           .dissipation = dissipation,
                                           .count = body->points.count,
                                           .elements = nodes,
                                           .parameters = parameters,
                                           .per_element = true,
                                           .points = &body->points,
                                           .members = members,
                                           .reinforcement = true,
                                           .weight = weight,
                                           .name = body->name,
                                       });
}

static SnStatus add_clusters(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation)
{
    int *nodes, *members = NULL;
    SnMaterialParameters* parameters = NULL;
    if (body->element != SN_ELEMENT_LINEAR_BBAR) return SN_OK;
    if (!SN_NEW(nodes, SN_POINT_NODES * (int64_t)body->points.count, "terms")) return SN_ERROR_MEMORY;
    bool room = SN_NEW(members, body->tetrahedron_count, "terms") && SN_NEW(parameters, body->points.count, "terms");
    SnStatus status = room ? add_points(potential, body, dissipation, nodes, members, parameters) : SN_ERROR_MEMORY;
    SN_FREE(nodes, members, parameters);
    return status;
}

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
    SN_TRY(add_elements(potential, body, (Choice){0}));
    SN_TRY(add_clusters(potential, body, NULL));
    SN_TRY(add_fibers(potential, body, NULL));
    SN_TRY(add_hinges(potential, body, NULL));
    return sn_limits_add_terms(model, body, potential);
}

// Drag acts on nodes by their mass; where it is given to some elements, on the nodes of these.
static SnStatus add_drag(SnPotential* potential, const SnBody* body, Choice choice)
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
static SnStatus add_damping(SnPotential* potential, const SnBody* body, const SnBodyDamping* damping)
{
    Choice choice = {.elements = damping->elements, .count = damping->element_count};
    SN_TRY(sn_potential_add_dissipation(potential, &damping->dissipation, body->name, &choice.dissipation));
    if (damping->dissipation.rate == SN_RATE_POSITION) return add_drag(potential, body, choice);
    SN_TRY(add_elements(potential, body, choice));
    const SnDissipationType* type = damping->dissipation.type;
    if (damping->elements || !type->stiffness || type->rate != SN_RATE_GRADIENT) return SN_OK;
    SN_TRY(add_clusters(potential, body, choice.dissipation));
    SN_TRY(add_fibers(potential, body, choice.dissipation));
    return add_hinges(potential, body, choice.dissipation);
}

// After all terms: drag needs the masses.
static SnStatus add_dampings(SnPotential* potential, const SnModel* model)
{
    for (int i = 0; i < model->body_count; i++)
        for (int k = 0; k < model->bodies[i].damping_count; k++)
            SN_TRY(add_damping(potential, &model->bodies[i], &model->bodies[i].dampings[k]));
    return SN_OK;
}

static SnStatus add_bodies(SnPotential* potential, const SnModel* model)
{
    for (int i = 0; i < model->body_count; i++) SN_TRY(add_terms(potential, model, &model->bodies[i]));
    return add_dampings(potential, model);
}

SnStatus sn_terms_create(const SnModel* model, SnPotential** potential)
{
    double* rest;
    if (!SN_NEW(rest, 3 * (int64_t)model->node_count, "the rest shape")) return SN_ERROR_MEMORY;
    for (int i = 0; i < model->body_count; i++) {
        const SnBody* body = &model->bodies[i];
        memcpy(rest + 3 * (int64_t)body->first_node, body->rest, 3 * (size_t)body->node_count * sizeof *rest);
    }
    SnStatus status = sn_potential_create(model->node_count, rest, model->tasks, potential);
    sn_free(rest);
    return status == SN_OK ? add_bodies(*potential, model) : status;
}
