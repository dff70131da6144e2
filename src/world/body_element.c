// The elements of a body that are not linear tetrahedra: checked, and their points.
#include <math.h>

#include "mesh/raise.h"
#include "world/definitions.h"
#include "world/world.h"

#define ELEMENT_DOC                                                                                                 \
    "of tetrahedra: `auto`, which is `linear-bbar` where Poisson's ratio is above 0.45 and the material can, "      \
    "otherwise "                                                                                                    \
    "`linear`; `linear`; `linear-bbar`: linear ones that keep their volume in clusters of about eight, for "        \
    "materials that hardly change it; `quadratic`: ten-node tetrahedra, which a mesh of first order is raised to; " \
    "see "                                                                                                          \
    "[elements](elements.md)"
const SnParameter sn_body_parameters[] = {
    {"element", SN_ENUM, offsetof(SnBodyDef, element), .value = "auto",
     .names = (const char* const[]){"linear", "linear-bbar", "quadratic", "auto", NULL}, .doc = ELEMENT_DOC},
    {"shelf", SN_BOOLEAN, offsetof(SnBodyDef, shelf), .value = "false",
     .doc = "it is not there until it is taken from the shelf while the world runs, see "
            "[live](live.md#bodies-that-come-and-go)"},
    {0},
};

static SnStatus check_split(const SnMaterialType* type)
{
    char names[200] = "";
    if (type->splits) return SN_OK;
    for (int i = 0; i < sn_material_count(); i++)
        if (sn_material_at(i)->splits)
            sn_append(names, sizeof names, "%s%s", *names ? ", " : "", sn_material_at(i)->name);
    return sn_fail(
        SN_ERROR_VALUE,
        "element linear-bbar needs a material in which what keeps the volume is apart, as it is not in '%s'; "
        "these have it so: %s",
        type->name, names);
}

SnStatus sn_element_check(const SnBodyDef* def, int dimension, const SnMaterialType* type)
{
    SN_TRY(sn_parameters_check(sn_body_parameters, def, ""));
    if (def->element == SN_ELEMENT_LINEAR || def->element == SN_ELEMENT_AUTO) return SN_OK;
    if (dimension != 3)
        return sn_fail(SN_ERROR_VALUE, "element %s is for bodies of tetrahedra, which it is not; leave `element` out",
                       sn_body_parameters[0].names[def->element]);
    return def->element == SN_ELEMENT_LINEAR_BBAR ? check_split(type) : SN_OK;
}

static SnStatus set_quadratics(SnBody* body, const SnMesh* mesh)
{
    int *elements, count = mesh->tetrahedron_count / 8;
    if (!mesh->quadratic)
        return sn_fail(SN_ERROR_VALUE, "element quadratic needs a mesh of second order; make one by sn_mesh_raise");
    if (!SN_NEW(elements, 10 * (int64_t)count, "elements")) return SN_ERROR_MEMORY;
    for (int e = 0; e < count; e++) sn_mesh_quadratic(mesh, 3, e, elements + 10 * (int64_t)e);
    SnStatus status = sn_points_of_quadratics(body->rest, count, elements, &body->points);
    sn_free(elements);
    return status;
}

// By measured error for the time it takes (docs/elements.md), without another mesh.
static SnElement choose(const SnBody* body, const SnBodyDef* def)
{
    double most = def->material.poisson;
    for (int i = 0; i < def->region_count; i++) most = fmax(most, def->regions[i].poisson);
    return body->tetrahedron_count > 0 && body->type->splits && most > SN_LOCKING ? SN_ELEMENT_LINEAR_BBAR
                                                                                  : SN_ELEMENT_LINEAR;
}

SnStatus sn_body_set_element(SnBody* body, const SnBodyDef* def)
{
    SN_TRY(sn_element_check(def, body->tetrahedron_count > 0 ? 3 : 2, body->type));
    body->element = def->element == SN_ELEMENT_AUTO ? choose(body, def) : def->element;
    if (body->element == SN_ELEMENT_LINEAR) return SN_OK;
    if (body->element == SN_ELEMENT_QUADRATIC) return set_quadratics(body, def->mesh);
    return sn_points_of_clusters(body->rest, body->tetrahedron_count, body->tetrahedra, def->region_of_element,
                                 &body->points);
}
