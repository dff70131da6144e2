// Terms of a body's elements: linear ones, points of ten-node tetrahedra, clusters of element linear-bbar.
#include "world/element_terms.h"

#include <math.h>

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

static SnStatus add_chosen(SnPotential* potential, const SnBody* body, SnTermChoice choice, int* nodes, int* members,
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
    if (body->element != SN_ELEMENT_QUADRATIC) SN_TRY(sn_potential_add(potential, &def));
    if (!def.apart || def.dissipation) return SN_OK;
    def.parameters = parameters ? body->element_parameters : &body->parameters;
    return sn_potential_add_content(potential, &def);
}

static SnStatus add_linear(SnPotential* potential, const SnBody* body, SnTermChoice choice)
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

// Points of a body as terms; `def` has what they are.
static SnStatus add_points(SnPotential* potential, const SnBody* body, SnTermsDef def)
{
    int *nodes, *members = NULL, count = def.points->count;
    if (!SN_NEW(nodes, SN_POINT_NODES * (int64_t)count, "terms")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(members, body->tetrahedron_count, "terms") ? SN_OK : SN_ERROR_MEMORY;
    for (int64_t i = 0; i < SN_POINT_NODES * (int64_t)count; i++) nodes[i] = def.points->nodes[i] + body->first_node;
    for (int i = 0; i < body->tetrahedron_count && status == SN_OK; i++) members[i] = body->first_element + i;
    def.term = sn_term_find("point");
    def.material = body->type;
    def.count = count, def.elements = nodes, def.members = members;
    def.name = body->name;
    if (status == SN_OK) status = sn_potential_add(potential, &def);
    SN_FREE(nodes, members);
    return status;
}

int sn_quadratics_chosen(const SnBody* body, const int* elements, int count, int* points)
{
    int *parts = points + body->points.count, chosen = 0;
    for (int i = 0; i < body->points.count / 4; i++) parts[i] = 0;
    for (int k = 0; k < count; k++) parts[elements[k] / 8]++;
    for (int k = 0; k < body->points.count; k++)
        if (parts[k / 4] == 8) points[chosen++] = k;
    return chosen;
}

static SnStatus add_quadratics(SnPotential* potential, const SnBody* body, SnTermChoice choice, const SnPoints* points)
{
    SnMaterialParameters* parameters = NULL;
    bool varies = body->element_parameters != NULL;
    if (varies && !SN_NEW(parameters, points->count, "terms")) return SN_ERROR_MEMORY;
    for (int k = 0; k < points->count && varies; k++)
        parameters[k] = body->element_parameters[points->members[points->first[k]]];
    SnStatus status = add_points(potential, body,
                                 (SnTermsDef){.dissipation = choice.dissipation,
                                              .parameters = varies ? parameters : &body->parameters,
                                              .per_element = varies,
                                              .points = points,
                                              .weight = body->material.weight});
    sn_free(parameters);
    return status;
}

static SnStatus add_chosen_quadratics(SnPotential* potential, const SnBody* body, SnTermChoice choice)
{
    int* points;
    SnPoints some = {0};
    if (!SN_NEW(points, 2 * (int64_t)body->points.count, "terms")) return SN_ERROR_MEMORY;
    int count = sn_quadratics_chosen(body, choice.elements, choice.count, points);
    SnStatus status = sn_points_choose(&body->points, points, count, &some);
    if (status == SN_OK) status = add_quadratics(potential, body, choice, &some);
    sn_points_free(&some);
    sn_free(points);
    return status;
}

SnStatus sn_add_elements(SnPotential* potential, const SnBody* body, SnTermChoice choice)
{
    SN_TRY(add_linear(potential, body, choice));
    if (body->element != SN_ELEMENT_QUADRATIC) return SN_OK;
    return choice.elements ? add_chosen_quadratics(potential, body, choice)
                           : add_quadratics(potential, body, choice, &body->points);
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

SnStatus sn_add_clusters(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation)
{
    SnMaterialParameters* parameters;
    if (body->element != SN_ELEMENT_LINEAR_BBAR) return SN_OK;
    if (!SN_NEW(parameters, body->points.count, "terms")) return SN_ERROR_MEMORY;
    double weight = cluster_parameters(body, parameters);
    SnStatus status = SN_OK;
    if (weight > 0)
        status = add_points(potential, body,
                            (SnTermsDef){.dissipation = dissipation,
                                         .parameters = parameters,
                                         .per_element = true,
                                         .points = &body->points,
                                         .reinforcement = true,
                                         .weight = weight});
    sn_free(parameters);
    return status;
}
