// A body's dampings: type, numbers, curve, and the elements they are for.
#include "scene/build.h"

#include <string.h>

#include "dissipation/dissipation.h"
#include "mesh/elements.h"

typedef struct Reading {
    SnScene* scene;
    const SnSceneBody* body;
    const SnDampingPart* part;
    const char* context; // "damping 0 of body 'bar'"
    SnDampingDef* def;
} Reading;

static SnStatus use_elements(Reading* r, const int* elements, int count)
{
    int* copy = sn_arena_allocate(&r->scene->arena, (size_t)(count ? count : 1) * sizeof *copy);
    if (!copy) return SN_ERROR_MEMORY;
    memcpy(copy, elements, (size_t)count * sizeof *copy);
    r->def->elements = copy;
    r->def->element_count = count;
    return SN_OK;
}

// Elements all of whose nodes are selected.
static SnStatus read_where(Reading* r)
{
    const SnMesh* mesh = r->body->mesh;
    int *nodes = NULL, *elements = NULL, count = 0, found = 0, dimension = sn_mesh_top_dimension(mesh);
    int element_count = sn_mesh_count_of(mesh, dimension);
    unsigned char* chosen = NULL;
    const char* context = sn_arena_print(&r->scene->arena, "where of %s", r->context);
    SnStatus status =
        context ? sn_select_nodes(r->scene, r->body, &r->part->where, context, &nodes, &count) : SN_ERROR_MEMORY;
    if (status == SN_OK &&
        (!SN_NEW(chosen, mesh->node_count, "a damping") || !SN_NEW(elements, element_count, "a damping")))
        status = SN_ERROR_MEMORY;
    for (int i = 0; i < count && status == SN_OK; i++) chosen[nodes[i]] = 1;
    for (int e = 0; e < element_count && status == SN_OK; e++) {
        const int* corners = sn_mesh_list_of(mesh, dimension) + (int64_t)(dimension + 1) * e;
        bool all = true;
        for (int c = 0; c <= dimension; c++) all &= chosen[corners[c]];
        if (all) elements[found++] = e;
    }
    if (status == SN_OK && count > 0 && found == 0)
        sn_problem_error(&r->scene->problems, r->part->where.node->place, "%s selects %d nodes but no whole %s",
                         context, count, sn_element_nouns[dimension][0]);
    if (status == SN_OK) status = use_elements(r, elements, found);
    SN_FREE(nodes, chosen, elements);
    return status;
}

static SnStatus read_elements(Reading* r)
{
    const SnNode* group = r->part->group ? sn_node_find(r->part->node, "group") : NULL;
    if (group && r->part->where.node) {
        sn_problem_error(&r->scene->problems, group->key_place, "%s has both 'group' and 'where'; use one of them",
                         r->context);
        return SN_OK;
    }
    if (!r->body->mesh) return SN_OK; // reported
    if (r->part->where.node) return read_where(r);
    const SnMeshGroup* found = group ? sn_find_group(r->scene, r->body, group, r->context) : NULL;
    return found ? use_elements(r, found->items, found->count) : SN_OK;
}

static SnStatus read_damping(SnScene* scene, const SnSceneBody* body, int index, SnDampingDef* def)
{
    const SnDampingPart* part = (const SnDampingPart*)body->part->damping.items + index;
    Reading r = {.scene = scene, .body = body, .part = part, .def = def};
    r.context = sn_arena_print(&scene->arena, "damping %d of %s", index, body->context);
    if (!r.context) return SN_ERROR_MEMORY;
    *def = part->def;
    const SnDissipationType* type = def->type ? sn_dissipation_find(def->type) : NULL;
    if (!part->node || !type) return SN_OK; // reported
    int errors = scene->problems.errors;
    sn_check_strangers(&scene->problems, &sn_dissipation_table, part->node, r.context, type,
                       sn_dissipation_base(type, def));
    SN_TRY(read_elements(&r));
    SnDissipation unused;
    if (scene->problems.errors == errors && sn_dissipation_set(&unused, def) != SN_OK)
        sn_problem_error(&scene->problems, part->node->place, "%s: %s", r.context, sn_last_error());
    return SN_OK;
}

SnStatus sn_build_damping(SnScene* scene, SnSceneBody* body)
{
    int count = body->part->damping.count;
    if (count == 0) return SN_OK;
    body->dampings = sn_arena_allocate(&scene->arena, (size_t)count * sizeof *body->dampings);
    if (!body->dampings) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) SN_TRY(read_damping(scene, body, i, &body->dampings[i]));
    body->damping_count = count;
    return SN_OK;
}
