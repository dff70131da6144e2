// Elements that a part of a scene is for: by `group`, or those whose nodes are all in its `where`.
#include <string.h>

#include "mesh/elements.h"
#include "scene/build.h"

static SnStatus use(SnScene* scene, const int* elements, int count, const int** out, int* out_count)
{
    int* copy = sn_arena_allocate(&scene->arena, (size_t)(count ? count : 1) * sizeof *copy);
    if (!copy) return SN_ERROR_MEMORY;
    memcpy(copy, elements, (size_t)count * sizeof *copy);
    *out = copy, *out_count = count;
    return SN_OK;
}

// Elements all of whose nodes are selected.
static SnStatus by_where(SnScene* scene, const SnSceneBody* body, SnElementChoice c, const int** out, int* out_count)
{
    const SnMesh* mesh = body->mesh;
    int *nodes = NULL, *elements = NULL, count = 0, found = 0, dimension = sn_mesh_top_dimension(mesh);
    int element_count = sn_mesh_count_of(mesh, dimension);
    unsigned char* chosen = NULL;
    const char* context = sn_arena_print(&scene->arena, "where of %s", c.context);
    SnStatus status = context ? sn_select_nodes(scene, body, c.where, context, &nodes, &count) : SN_ERROR_MEMORY;
    if (status == SN_OK &&
        (!SN_NEW(chosen, mesh->node_count, "a selection") || !SN_NEW(elements, element_count, "a selection")))
        status = SN_ERROR_MEMORY;
    for (int i = 0; i < count && status == SN_OK; i++) chosen[nodes[i]] = 1;
    for (int e = 0; e < element_count && status == SN_OK; e++) {
        const int* corners = sn_mesh_list_of(mesh, dimension) + (int64_t)(dimension + 1) * e;
        bool all = true;
        for (int k = 0; k <= dimension; k++) all &= chosen[corners[k]];
        if (all) elements[found++] = e;
    }
    if (status == SN_OK && count > 0 && found == 0)
        sn_problem_error(&scene->problems, c.where->node->place, "%s selects %d nodes but no whole %s", context, count,
                         sn_element_nouns[dimension][0]);
    if (status == SN_OK) status = use(scene, elements, found, out, out_count);
    SN_FREE(nodes, chosen, elements);
    return status;
}

SnStatus sn_choose_elements(SnScene* scene, const SnSceneBody* body, SnElementChoice c, const int** elements,
                            int* count)
{
    const SnNode* group = c.group ? sn_node_find(c.node, "group") : NULL;
    if (group && c.where->node) {
        sn_problem_error(&scene->problems, group->key_place, "%s has both 'group' and 'where'; use one of them",
                         c.context);
        return SN_OK;
    }
    if (!body->mesh) return SN_OK; // reported
    if (c.where->node) return by_where(scene, body, c, elements, count);
    const SnMeshGroup* found = group ? sn_find_group(scene, body, group, c.context) : NULL;
    return found ? use(scene, found->items, found->count, elements, count) : SN_OK;
}
