// What stiffens a body besides its material: fibers, by a direction or a field of the mesh file, and bending.
#include "linalg/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/elements.h"

static bool is_field(const SnNode* direction)
{
    return direction && direction->kind == SN_NODE_MAP;
}

static void read_direction(SnScene* scene, const SnNode* node, const char* context, double direction[3])
{
    char what[200];
    snprintf(what, sizeof what, "'direction' in fiber of %s", context);
    if (is_field(node)) return; // looked up once the regions are known
    if (node->kind != SN_NODE_LIST) {
        sn_problem_error(&scene->problems, node->place, "%s must be [x, y, z] or {field: NAME}, found %s", what,
                         sn_node_words(node).text);
        return;
    }
    if (!sn_read_numbers(&scene->problems, node, what, NULL, 3, direction)) return;
    double length = sn_length3(direction);
    if (!(length > 0 && isfinite(length)))
        sn_problem_error(&scene->problems, node->place, "%s must be finite and not zero", what);
}

static void read_fiber(SnScene* scene, const char* context, const SnFiberPart* part, const SnFiberPart* inherited,
                       SnMaterial* material)
{
    static const char example[] = "{stiffness: 1e5, direction: [1, 0, 0]}";
    const SnNode* direction = part->direction ? part->direction : inherited ? inherited->direction : NULL;
    bool stiffness = sn_node_find(part->node, "stiffness") != NULL;
    if (stiffness) material->fiber = part->stiffness;
    if (!stiffness && !(inherited && inherited->node))
        sn_problem_error(&scene->problems, part->node->key_place, "fiber of %s lacks 'stiffness', as in %s", context,
                         example);
    else if (material->fiber > 0 && !direction)
        sn_problem_error(&scene->problems, part->node->key_place, "fiber of %s lacks 'direction', as in %s", context,
                         example);
    if (part->direction) read_direction(scene, part->direction, context, material->fiber_direction);
}

void sn_read_reinforcement(SnScene* scene, const SnSceneBody* body, const SnNode* node, const char* context,
                           const SnMaterialNumbers* numbers, SnMaterial* material)
{
    const SnMaterialNumbers* base = &body->part->material.numbers;
    int dimension = body->mesh ? sn_mesh_top_dimension(body->mesh) : 0;
    const SnNode* bending = sn_node_find(node, "bending");
    if (bending && dimension && dimension != 2)
        sn_problem_error(&scene->problems, bending->key_place, "'bending' in %s is for sheets, its mesh is of %s",
                         context, sn_element_nouns[dimension][1]);
    if (!numbers->fiber.node) return;
    if (dimension && dimension != 3)
        sn_problem_error(&scene->problems, numbers->fiber.node->key_place,
                         "fiber of %s: fibers run through tetrahedra, its mesh is of %s", context,
                         sn_element_nouns[dimension][1]);
    read_fiber(scene, context, &numbers->fiber, numbers == base ? NULL : &base->fiber, material);
}

// The field that {field: NAME} names; NULL: a problem was recorded.
static const SnMeshField* find_field(SnScene* scene, const SnSceneBody* body, const SnNode* direction)
{
    const SnNode* name = sn_node_find(direction, "field");
    if (!name || direction->count != 1 || name->kind != SN_NODE_SCALAR || sn_node_is_null(name)) {
        sn_problem_error(&scene->problems, direction->place,
                         "'direction' in fiber of %s must be [x, y, z] or {field: NAME}", body->context);
        return NULL;
    }
    char context[128];
    snprintf(context, sizeof context, "fiber of %s", body->context);
    return sn_find_field(scene, body, name, 3, context);
}

// A node field is averaged over an element's corners. Fibers have no sense, so the corners are first turned to agree.
static void field_at(const SnMesh* mesh, const SnMeshField* field, int element, double out[3])
{
    const int *nodes = mesh->tetrahedra + 4 * (int64_t)element, own[1] = {element};
    int count = field->per_node ? 4 : 1;
    for (int c = 0; c < 3; c++) out[c] = 0;
    for (int a = 0; a < count; a++) {
        const double* v = field->values + 3 * (int64_t)(field->per_node ? nodes : own)[a];
        double sign = sn_dot3(out, v) < 0 ? -1 : 1;
        for (int c = 0; c < 3; c++) out[c] += sign * v[c] / count;
    }
}

// Where a region's fibers get their direction from: -1 is the body's own material.
static const SnNode* direction_of(const SnSceneBody* body, int region)
{
    const SnMaterialPart* part = &body->part->material;
    const SnRegionPart* regions = part->regions.items;
    const SnNode* own = region < 0 ? NULL : regions[region].numbers.fiber.direction;
    return own ? own : part->numbers.fiber.direction;
}

// Directions of the elements of one region from its field. False: a problem was recorded.
static bool fill_from_field(SnScene* scene, SnSceneBody* body, int region, const SnNode* direction)
{
    const SnMeshField* field = find_field(scene, body, direction);
    bool any = false, some = false;
    for (int e = 0; field && e < body->mesh->tetrahedron_count; e++) {
        if ((body->region_of_element ? body->region_of_element[e] : -1) != region) continue;
        double* d = body->fiber_directions + 3 * (int64_t)e;
        field_at(body->mesh, field, e, d);
        sn_place_direction(&body->part->place, d); // the file's directions turn with the mesh
        if (!isfinite(d[0] + d[1] + d[2])) {
            sn_problem_error(&scene->problems, direction->place,
                             "field '%.60s' of the mesh of %s is not finite in tetrahedron %d", field->name,
                             body->context, e);
            return false;
        }
        any = true;
        some |= d[0] != 0 || d[1] != 0 || d[2] != 0;
    }
    if (any && !some)
        sn_problem_error(&scene->problems, direction->place,
                         "field '%.60s' of the mesh of %s is zero everywhere; it is the direction of the fibers",
                         field->name, body->context);
    return field && (some || !any);
}

SnStatus sn_build_fibers(SnScene* scene, SnSceneBody* body)
{
    bool fields = false;
    for (int r = -1; r < body->region_count; r++) fields |= is_field(direction_of(body, r));
    if (!fields || !body->mesh || body->mesh->tetrahedron_count == 0) return SN_OK;
    int count = body->mesh->tetrahedron_count;
    if (!SN_NEW(body->fiber_directions, 3 * (int64_t)count, "fiber directions")) return SN_ERROR_MEMORY;
    for (int r = -1; r < body->region_count; r++)
        if (is_field(direction_of(body, r)) && !fill_from_field(scene, body, r, direction_of(body, r))) return SN_OK;
    for (int e = 0; e < count; e++) {
        int r = body->region_of_element ? body->region_of_element[e] : -1;
        const SnMaterial* material = r < 0 ? &body->material : &body->regions[r];
        if (is_field(direction_of(body, r))) continue;
        memcpy(body->fiber_directions + 3 * (int64_t)e, material->fiber_direction, 3 * sizeof(double));
    }
    return SN_OK;
}
