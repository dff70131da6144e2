// A body's material: checked, and where it varies from element to element, its parameters and densities there.
#include <math.h>
#include <string.h>

#include "core/pi.h"
#include "material/spline.h"
#include "mesh/elements.h"
#include "world/world.h"

// Parameters of a material on this body's elements.
static SnStatus parameters_of(const SnBody* body, bool sheet, SnMaterial material, SnMaterialParameters* out)
{
    material.inversion = body->material.inversion;
    material.weight = body->material.weight;
    material.user = body->spline ? body->spline : body->material.user;
    return sn_material_parameters_of(&material, body->type, sheet, out);
}

static bool has_curves(const SnSplineDef* spline)
{
    return spline->a.count || spline->b.count || spline->c.count;
}

static SnStatus check_region(const SnBody* body, const SnBodyDef* def, int r)
{
    const SnMaterialType* type;
    SN_TRY(sn_material_resolve(&def->regions[r], &type));
    if (type != body->type)
        return sn_fail(SN_ERROR_VALUE, "it is of type '%s', the body of '%s'; regions differ in numbers only",
                       type->name, body->type->name);
    const SnSplineDef *own = &def->regions[r].spline, *whole = &def->material.spline;
    if (has_curves(own) && memcmp(own, whole, sizeof *own) != 0)
        return sn_fail(SN_ERROR_VALUE, "it has a spline of its own; regions differ in numbers only");
    return SN_OK;
}

static SnStatus check_elements(const SnBodyDef* def, int count)
{
    for (int e = 0; e < count && def->region_of_element; e++)
        if (def->region_of_element[e] < -1 || def->region_of_element[e] >= def->region_count)
            return sn_fail(SN_ERROR_VALUE, "element %d is in region %d; there are regions 0 to %d, and -1 for none", e,
                           def->region_of_element[e], def->region_count - 1);
    for (int e = 0; e < count && def->young_scale; e++)
        if (!(def->young_scale[e] > 0) || !isfinite(def->young_scale[e]))
            return sn_fail(SN_ERROR_VALUE, "element %d has a young_scale of %g; it must be positive", e,
                           def->young_scale[e]);
    return SN_OK;
}

const SnMaterial* sn_body_def_material(const SnBodyDef* def, int element)
{
    int region = def->region_of_element ? def->region_of_element[element] : -1;
    return region < 0 ? &def->material : &def->regions[region];
}

// m3 of an element at rest.
static double element_volume(const SnMesh* mesh, int dimension, const int* nodes, double thickness)
{
    double content = sn_element_content(mesh, dimension, nodes);
    if (dimension == 3) return content;
    return dimension == 2 ? thickness * content : SN_PI / 4 * thickness * thickness * content;
}

// The mean density around each node, so that mass = density x volume holds node by node; and the body's mass.
static SnStatus spread_density(SnBody* body, const SnBodyDef* def, int dimension)
{
    double* volumes;
    int count = sn_mesh_count_of(def->mesh, dimension), corners = dimension + 1;
    if (!SN_NEW(body->node_density, def->mesh->node_count, "densities")) return SN_ERROR_MEMORY;
    if (!SN_NEW(volumes, def->mesh->node_count, "densities")) return SN_ERROR_MEMORY;
    body->mass = 0;
    for (int e = 0; e < count; e++) {
        const int* nodes = sn_mesh_list_of(def->mesh, dimension) + (int64_t)corners * e;
        double density = sn_body_def_material(def, e)->density;
        double volume = element_volume(def->mesh, dimension, nodes, def->material.thickness);
        body->mass += density * volume;
        for (int c = 0; c < corners; c++) {
            volumes[nodes[c]] += volume;
            body->node_density[nodes[c]] += density * volume;
        }
    }
    for (int i = 0; i < def->mesh->node_count; i++)
        if (volumes[i] > 0) body->node_density[i] /= volumes[i];
    sn_free(volumes);
    return SN_OK;
}

// Every number of a region is checked, also where no element is in it.
static SnStatus vary(SnBody* body, const SnBodyDef* def, bool sheet)
{
    int dimension = sn_mesh_top_dimension(def->mesh), count = sn_mesh_count_of(def->mesh, dimension);
    if (def->region_count < 0 || (def->region_count > 0 && !def->regions))
        return sn_fail(SN_ERROR_VALUE, "%d regions%s", def->region_count,
                       def->regions ? "; there can be 0 or more" : " without a list");
    SN_TRY(check_elements(def, count));
    for (int r = 0; r < def->region_count; r++) {
        SnMaterialParameters unused;
        SnStatus status = check_region(body, def, r);
        if (status == SN_OK) status = parameters_of(body, sheet, def->regions[r], &unused);
        if (status != SN_OK) return sn_fail_prefix(status, "region %d", r);
    }
    if (!SN_NEW(body->element_parameters, count, "parameters of elements")) return SN_ERROR_MEMORY;
    for (int e = 0; e < count; e++) {
        SnMaterial material = *sn_body_def_material(def, e);
        if (def->young_scale) material.young *= def->young_scale[e];
        SN_TRY(parameters_of(body, sheet, material, &body->element_parameters[e]));
    }
    return spread_density(body, def, dimension);
}

SnStatus sn_body_change_material(SnBody* body, const SnMaterial* given)
{
    SnMaterial material = *given;
    SnMaterialParameters parameters;
    const SnMaterialType* type;
    bool sheet = body->tetrahedron_count == 0 && body->triangle_count > 0;
    if (body->element_parameters)
        return sn_fail(SN_ERROR_VALUE, "the material of body '%s' varies from element to element, and stays",
                       body->name);
    SN_TRY(sn_material_resolve(&material, &type));
    SN_TRY(parameters_of(body, sheet, material, &parameters));
    body->mass *= material.density / body->material.density;
    double bending = sheet ? sn_material_bending(&body->material) : 0; // which is the same everywhere
    for (int k = 0; k < body->hinge_count && bending > 0; k++)
        body->hinge_stiffness[k] *= sn_material_bending(&material) / bending;
    body->material = material, body->parameters = parameters;
    return SN_OK;
}

SnStatus sn_body_set_material(SnBody* body, const SnBodyDef* def)
{
    bool sheet = def->mesh->tetrahedron_count == 0 && def->mesh->triangle_count > 0;
    body->material = def->material;
    SN_TRY(sn_material_resolve(&def->material, &body->type));
    body->material.type = body->type->name;
    body->material.spline = (SnSplineDef){0}; // the caller's; what it says is in body->spline
    if (body->type->curves && has_curves(&def->material.spline))
        SN_TRY(sn_spline_create(&def->material.spline, &body->spline));
    SN_TRY(parameters_of(body, sheet, def->material, &body->parameters));
    if (!def->region_of_element && !def->young_scale) return SN_OK;
    return vary(body, def, sheet);
}
