// Where a body's material varies: regions by physical group, and a field of the mesh file that scales young.
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "material/material.h"
#include "mesh/elements.h"

enum { MOST_NAMES = 64 };

const SnMeshGroup* sn_find_group(SnScene* scene, const SnSceneBody* body, const SnNode* name, const char* context)
{
    const char* names[MOST_NAMES];
    int count = 0, dimension = sn_mesh_top_dimension(body->mesh);
    for (int i = 0; i < body->mesh->group_count; i++) {
        const SnMeshGroup* group = &body->mesh->groups[i];
        if (group->dimension != dimension) continue;
        if (strcmp(group->name, name->text) == 0) return group;
        if (count < MOST_NAMES) names[count++] = group->name;
    }
    if (count)
        sn_report_unknown(&scene->problems, name->place, "group", name->text, context, names, count);
    else
        sn_problem_error(&scene->problems, name->place, "group '%.60s' in %s: the mesh has no groups of %s", name->text,
                         context, sn_element_nouns[dimension][1]);
    return NULL;
}

static SnStatus read_region(SnScene* scene, SnSceneBody* body, int index)
{
    const SnRegionPart* part = (const SnRegionPart*)body->part->material.regions.items + index;
    SnMaterial* region = &body->regions[index];
    const SnMaterialType* type = sn_material_find(body->material.type);
    char* context = sn_arena_print(&scene->arena, "region %d of material of %s", index, body->context);
    if (!context) return SN_ERROR_MEMORY;
    *region = body->material;
    if (!part->node || !part->group) return SN_OK; // reported
    int errors = scene->problems.errors;
    sn_read_material_numbers(scene, part->node, context, &part->numbers, type, region);
    sn_read_reinforcement(scene, body, part->node, context, &part->numbers, region);
    SnMaterialParameters unused;
    if (scene->problems.errors == errors && sn_material_parameters(region, type, &unused) != SN_OK)
        sn_problem_error(&scene->problems, part->node->place, "%s: %s", context, sn_last_error());
    const SnNode* name = sn_node_find(part->node, "group");
    const SnMeshGroup* group = body->mesh ? sn_find_group(scene, body, name, context) : NULL;
    for (int i = 0; group && i < group->count; i++) body->region_of_element[group->items[i]] = index;
    return SN_OK;
}

const SnMeshField* sn_find_field(SnScene* scene, const SnSceneBody* body, const SnNode* name, int components,
                                 const char* context)
{
    const char* names[MOST_NAMES];
    int count = 0;
    for (int i = 0; i < body->mesh->field_count; i++) {
        const SnMeshField* field = &body->mesh->fields[i];
        if (field->components != components) continue;
        if (strcmp(field->name, name->text) == 0) return field;
        if (count < MOST_NAMES) names[count++] = field->name;
    }
    if (count)
        sn_report_unknown(&scene->problems, name->place, "field", name->text, context, names, count);
    else
        sn_problem_error(&scene->problems, name->place,
                         "'%s' in %s names '%.60s', but the mesh has no field of %s per element or node", name->key,
                         context, name->text, components == 1 ? "one number" : "three numbers");
    return NULL;
}

// A node field is averaged over the corners of each element.
static double field_at(const SnMesh* mesh, const SnMeshField* field, int dimension, int element)
{
    if (!field->per_node) return field->values[element];
    const int* nodes = sn_mesh_list_of(mesh, dimension) + (int64_t)(dimension + 1) * element;
    double sum = 0;
    for (int c = 0; c <= dimension; c++) sum += field->values[nodes[c]];
    return sum / (dimension + 1);
}

static SnStatus read_field(SnScene* scene, SnSceneBody* body)
{
    const SnNode* name = sn_node_find(body->part->material.node, "young-field");
    SnPlace place = name->place;
    if (name->kind != SN_NODE_SCALAR || sn_node_is_null(name)) {
        sn_problem_error(&scene->problems, place,
                         "'young-field' in material of %s must be the name of a field, found %s", body->context,
                         sn_node_words(name).text);
        return SN_OK;
    }
    char context[128];
    snprintf(context, sizeof context, "material of %s", body->context);
    const SnMeshField* field = sn_find_field(scene, body, name, 1, context);
    if (!field) return SN_OK;
    int dimension = sn_mesh_top_dimension(body->mesh), count = sn_mesh_count_of(body->mesh, dimension);
    if (!SN_NEW(body->young_scale, count, "a field")) return SN_ERROR_MEMORY;
    for (int e = 0; e < count; e++) {
        body->young_scale[e] = field_at(body->mesh, field, dimension, e);
        if (body->young_scale[e] > 0 && isfinite(body->young_scale[e])) continue;
        sn_problem_error(&scene->problems, place,
                         "field '%.60s' of the mesh of %s is %g in %s %d; it multiplies young and must be positive",
                         field->name, body->context, body->young_scale[e], sn_element_nouns[dimension][0], e);
        return SN_OK;
    }
    return SN_OK;
}

SnStatus sn_build_regions(SnScene* scene, SnSceneBody* body)
{
    const SnMaterialPart* part = &body->part->material;
    int regions = part->regions.count;
    if (regions > 0) {
        int elements = body->mesh ? sn_mesh_count_of(body->mesh, sn_mesh_top_dimension(body->mesh)) : 0;
        body->regions = sn_arena_allocate(&scene->arena, (size_t)regions * sizeof *body->regions);
        if (!body->regions || !SN_NEW(body->region_of_element, elements, "regions")) return SN_ERROR_MEMORY;
        body->region_count = regions;
        for (int e = 0; e < elements; e++) body->region_of_element[e] = -1;
        for (int r = 0; r < regions; r++) SN_TRY(read_region(scene, body, r));
    }
    return sn_node_find(part->node, "young-field") && body->mesh ? read_field(scene, body) : SN_OK;
}
