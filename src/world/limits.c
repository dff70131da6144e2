// Limits of stretch: terms besides the material's, whose density is the distance to what is allowed.
#include <math.h>

#include "material/limit.h"
#include "mesh/elements.h"
#include "world/definitions.h"
#include "world/problem.h"

#define STIFFNESS 10.0 // default, relative to what the elements have of their own

static bool limited(const SnLimits* l)
{
    return l->lo > 0 || !isinf(l->hi);
}

SnStatus sn_limits_check(const SnLimits* l, int dimension, const char* of)
{
    SN_TRY(sn_parameters_check(sn_limits_parameters, l, of));
    if (!(l->lo <= 1) || !(l->hi >= 1))
        return sn_fail(SN_ERROR_VALUE,
                       "'stretch' in %s is [%g, %g]; the first must be between 0 and 1, the second at least 1, as in "
                       "[0.95, 1.05]",
                       of, l->lo, l->hi);
    if (l->mode == SN_LIMIT_WARP_WEFT && dimension != 2)
        return sn_fail(SN_ERROR_VALUE, "%s: 'mode: warp-weft' is for sheets, not for %s; use 'mode: isotropic'", of,
                       sn_element_nouns[dimension][1]);
    return SN_OK;
}

SnStatus sn_body_set_limits(SnBody* body, const SnBodyDef* def)
{
    body->limits = def->limits;
    return sn_limits_check(&def->limits, sn_mesh_top_dimension(def->mesh), "limits");
}

// What elements put up against being stretched: their material's stiffness and, in a step of h, their inertia's,
// density (size/h)^2.
static double default_stiffness(const SnModel* model, const SnBody* body, int count)
{
    double content = body->mass / body->material.density / count, h = model->def.time_step,
           thickness = body->material.thickness;
    double square = body->tetrahedron_count ? cbrt(content) * cbrt(content) : content / thickness;
    if (!body->tetrahedron_count && !body->triangle_count) square = square / thickness * (square / thickness);
    return STIFFNESS *
           (sn_material_effective_stiffness(body->type, body->parameters) + body->material.density * square / (h * h));
}

static SnStatus add_kind(const SnModel* model, SnPotential* potential, const SnBody* body, const char* term, int count,
                         const int* nodes, const int* members, const double direction[3])
{
    const SnLimits* l = &body->limits;
    double stiffness = l->stiffness > 0 ? l->stiffness : default_stiffness(model, body, count);
    SnMaterialParameters parameters = {.mu = stiffness / 2, .extra = {l->lo, l->hi}};
    SnTermsDef def = {
        .term = sn_term_find(term),
        .material = &sn_limit,
        .count = count,
        .elements = nodes,
        .parameters = &parameters,
        .section = body->material.thickness,
        .direction = {direction[0], direction[1], direction[2]},
        .reinforcement = true,
        .members = members,
        .keep = model->solver_type->keeps_limits ? SN_KEEP_PROJECTION : SN_KEEP_PENALTY,
        .weight = body->material.weight,
        .name = body->name,
    };
    return sn_potential_add(potential, &def);
}

static SnStatus add_all(const SnModel* model, SnPotential* potential, const SnBody* body, const SnElements* e,
                        const int* nodes, const int* members)
{
    const double warp[3] = {1, 0, 0}, weft[3] = {0, 1, 0};
    bool sheet = body->tetrahedron_count == 0 && body->triangle_count > 0;
    if (!sheet || body->limits.mode == SN_LIMIT_ISOTROPIC)
        return add_kind(model, potential, body, e->term, e->count, nodes, members, warp);
    SN_TRY(add_kind(model, potential, body, "thread", e->count, nodes, members, warp));
    return add_kind(model, potential, body, "thread", e->count, nodes, members, weft);
}

SnStatus sn_limits_add_terms(const SnModel* model, const SnBody* body, SnPotential* potential)
{
    if (!limited(&body->limits)) return SN_OK;
    SnElements e = sn_body_elements(body);
    int64_t size = (int64_t)e.nodes * e.count;
    int *members, *nodes = sn_copy_memory(e.items, (size_t)size, sizeof *nodes, "limits");
    if (!nodes) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(members, e.count, "limits") ? SN_OK : SN_ERROR_MEMORY;
    for (int64_t i = 0; i < size; i++) nodes[i] += body->first_node;
    for (int i = 0; i < e.count && status == SN_OK; i++) members[i] = body->first_element + i;
    if (status == SN_OK) status = add_all(model, potential, body, &e, nodes, members);
    SN_FREE(nodes, members);
    return status;
}
