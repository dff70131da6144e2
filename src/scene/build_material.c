// A body's material: the type, numbers from a preset and from keys, a spline's curves.
#include "scene/build.h"

#include <math.h>

#include "material/material.h"
#include "material/spline.h"
#include "mesh/elements.h"
#include "world/definitions.h"

// Of the elements that are simulated: 3 tetrahedra, 2 triangles, 1 edges.
static int dimension_of(const SnSceneBody* body)
{
    return body->mesh ? sn_mesh_top_dimension(body->mesh) : 3;
}

// Where to point at for a key, or for the whole when it is absent.
static SnPlace place_of(const SnSceneBody* body, const char* key)
{
    const SnNode *material = body->part->material.node, *node = sn_node_find(material, key);
    return node ? node->place : material ? material->place : body->part->node->place;
}

static void report_mismatch(SnScene* scene, const SnSceneBody* body, const SnMaterialType* type)
{
    char fitting[200];
    sn_material_names(SN_ON_EDGES << (dimension_of(body) - 1), fitting, sizeof fitting);
    sn_problem_error(&scene->problems, place_of(body, "type"),
                     "material '%s' of %s is not for its mesh of %s; fitting ones: %s", type->name, body->context,
                     sn_element_nouns[dimension_of(body)][1], fitting);
}

// The type that is named, else the preset's, else what suits the mesh.
static const SnMaterialType* choose_type(SnScene* scene, SnSceneBody* body)
{
    if (!body->material.type) body->material.type = dimension_of(body) == 1 ? "spring" : "neo-hookean";
    const SnMaterialType* type = sn_material_find(body->material.type);
    if (!(type->elements & SN_ON_EDGES << (dimension_of(body) - 1))) report_mismatch(scene, body, type);
    return type;
}

// `type: rubber` stands for `preset: rubber`.
static const SnMaterialPreset* find_preset(SnScene* scene, const SnSceneBody* body)
{
    const SnMaterialPart* part = &body->part->material;
    const SnMaterialPreset* preset = part->type ? sn_preset_find(part->type) : NULL;
    if (preset && part->preset)
        sn_problem_error(&scene->problems, place_of(body, "type"),
                         "material of %s names two presets, '%s' and '%s'; give one", body->context, part->type,
                         part->preset);
    return part->preset ? sn_preset_find(part->preset) : preset;
}

static bool given(const SnNode* node, const char* key)
{
    return sn_node_find(node, key) != NULL;
}

// Either young and poisson, or mu and lambda.
static void read_stiffness(SnScene* scene, const SnNode* node, const char* context, const SnMaterialNumbers* numbers,
                           SnMaterial* material)
{
    const SnNode *mu = sn_node_find(node, "mu"), *lambda = sn_node_find(node, "lambda");
    if (!mu && !lambda) return;
    const SnNode* one = mu ? mu : lambda;
    if (given(node, "young") || given(node, "poisson"))
        sn_problem_error(&scene->problems, one->key_place,
                         "%s has '%s' and '%s'; give young and poisson, or mu and lambda", context, one->key,
                         given(node, "young") ? "young" : "poisson");
    else if (!mu || !lambda)
        sn_problem_error(&scene->problems, one->key_place, "%s has '%s' but not '%s'; they belong together", context,
                         one->key, mu ? "lambda" : "mu");
    else if (!(3 * numbers->lambda > -2 * numbers->mu))
        sn_problem_error(&scene->problems, lambda->place, "'lambda' in %s must be above -2/3 mu = %g Pa, found %g",
                         context, -2.0 / 3 * numbers->mu, numbers->lambda);
    else
        sn_young_poisson(numbers->mu, numbers->lambda, &material->young, &material->poisson);
}

void sn_read_material_numbers(SnScene* scene, const SnNode* node, const char* context, const SnMaterialNumbers* numbers,
                              const SnMaterialType* type, SnMaterial* material)
{
    if (!node) return;
    sn_copy_given(sn_elastic_parameters, node, &numbers->def, material);
    sn_copy_given(type->parameters, node, &numbers->def, material);
    sn_check_strangers(&scene->problems, &sn_material_table, node, context, type, NULL);
    read_stiffness(scene, node, context, numbers, material);
}

// A sheet's mass per area. Without a thickness the sheet is given one of 1 m, so that per volume is per area; how it
// bends is then not known.
static void read_area_density(SnScene* scene, const SnSceneBody* body, SnMaterial* material)
{
    const SnMaterialPart* part = &body->part->material;
    const SnNode* key = sn_node_find(part->node, "area-density");
    if (!key) return;
    if (given(part->node, "density"))
        sn_problem_error(&scene->problems, key->key_place,
                         "material of %s has 'density' and 'area-density'; give one of them", body->context);
    if (body->mesh && dimension_of(body) != 2)
        sn_problem_error(&scene->problems, key->key_place,
                         "'area-density' in material of %s is for sheets, its mesh is of %s; give density",
                         body->context, sn_element_nouns[dimension_of(body)][1]);
    if (!given(part->node, "thickness")) {
        material->thickness = 1;
        if (isnan(material->bending)) material->bending = 0;
    }
    material->density = part->area_density / material->thickness;
}

// Tries the curves, so that mistakes are reported here.
static SnStatus check_spline(SnScene* scene, const SnSceneBody* body)
{
    SnSpline* spline;
    double at;
    SnPlace place = place_of(body, given(body->part->material.node, "a") ? "a" : "type");
    SnStatus status = sn_spline_create(&body->material.spline, &spline);
    if (status == SN_ERROR_MEMORY) return status;
    if (status != SN_OK)
        sn_problem_error(&scene->problems, place, "material of %s: %s", body->context, sn_last_error());
    else if (sn_spline_softens(spline, &at))
        sn_problem_warning(
            &scene->problems, place,
            "material of %s: the spline's stress falls as it is stretched beyond %g, so the body may snap "
            "through; slopes that grow with the stretch avoid it",
            body->context, at);
    sn_spline_destroy(spline);
    return SN_OK;
}

static SnStatus read_spline(SnScene* scene, SnSceneBody* body, const SnMaterialType* type, int errors)
{
    const SnNode* node = body->part->material.node;
    bool points = given(node, "a") || given(node, "b") || given(node, "c");
    if (!type->curves || scene->problems.errors > errors) return SN_OK;
    if (points) return check_spline(scene, body);
    if (!body->material.spline.a.count)
        sn_problem_error(&scene->problems, place_of(body, "type"),
                         "material 'spline' of %s needs points of its curves, as in a: [[0.5, -1], [1, 0], [2, 2]]",
                         body->context);
    return SN_OK;
}

// Linear tetrahedra that hardly change their volume are too stiff in bending; docs/accuracy.md has by how much.
static void warn_of_locking(SnScene* scene, const SnSceneBody* body, const SnMaterialType* type)
{
    double poisson = body->material.poisson;
    SnElement element = body->part->def.element;
    bool linear = element == SN_ELEMENT_LINEAR || (element == SN_ELEMENT_AUTO && !type->splits);
    if (!body->mesh || dimension_of(body) != 3 || !(poisson > SN_LOCKING) || !linear) return;
    sn_problem_warning(
        &scene->problems, place_of(body, given(body->part->material.node, "poisson") ? "poisson" : "type"),
        "material of %s: linear tetrahedra with a Poisson's ratio of %g bend too little: by a third with "
        "three elements across, by a tenth with eight, by more on irregular meshes; take `element: %s`, "
        "refine, or take 0.45 or less",
        body->context, poisson, type->splits ? "auto" : "quadratic");
}

static void check_element(SnScene* scene, const SnSceneBody* body, const SnMaterialType* type)
{
    const SnNode* node = sn_node_find(body->part->node, "element");
    if (body->mesh && node && sn_element_check(&body->part->def, dimension_of(body), type) != SN_OK)
        sn_problem_error(&scene->problems, node->place, "%s: %s", body->context, sn_last_error());
}

SnStatus sn_build_material(SnScene* scene, SnSceneBody* body)
{
    const SnMaterialPart* part = &body->part->material;
    const SnMaterialPreset* preset = find_preset(scene, body);
    int errors = scene->problems.errors;
    SnMaterial* m = &body->material;
    *m = preset ? sn_preset_material(preset) : part->numbers.def;
    if (part->type && !sn_preset_find(part->type)) m->type = part->type;
    sn_copy_given(sn_stuff_parameters, part->node, &part->numbers.def, m);
    const SnMaterialType* type = choose_type(scene, body);
    char* context = sn_arena_print(&scene->arena, "material of %s", body->context);
    if (!context) return SN_ERROR_MEMORY;
    sn_read_material_numbers(scene, part->node, context, &part->numbers, type, m);
    sn_read_reinforcement(scene, body, part->node, context, &part->numbers, m);
    read_area_density(scene, body, m);
    SN_TRY(read_spline(scene, body, type, errors));
    SnMaterialParameters unused;
    bool sheet = dimension_of(body) == 2;
    SnStatus status = sn_material_parameters_of(m, type, sheet, &unused);
    if (status != SN_OK && scene->problems.errors == errors)
        sn_problem_error(&scene->problems, place_of(body, "type"), "%s: %s", context, sn_last_error());
    if (status == SN_OK) check_element(scene, body, type);
    if (status == SN_OK) warn_of_locking(scene, body, type);
    return SN_OK;
}
