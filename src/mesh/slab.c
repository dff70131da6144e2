// Slabs are as equal as whole numbers can be.
#include "mesh/slab.h"

#include <stdio.h>
#include <string.h>

int sn_slab_first(int all, int number, int slabs)
{
    return (int)((int64_t)all * number / slabs);
}

int sn_slab_of(int all, int k, int slabs)
{
    return (int)(((int64_t)slabs * (k + 1) - 1) / all);
}

SnStatus sn_slab_allocate(SnSlab* slab, int all_nodes, int all_elements)
{
    slab->all_nodes = all_nodes, slab->all_elements = all_elements;
    slab->first_node = sn_slab_first(all_nodes, slab->number, slab->slabs);
    slab->node_count = sn_slab_first(all_nodes, slab->number + 1, slab->slabs) - slab->first_node;
    slab->first_element = sn_slab_first(all_elements, slab->number, slab->slabs);
    slab->element_count = sn_slab_first(all_elements, slab->number + 1, slab->slabs) - slab->first_element;
    bool room = SN_NEW(slab->nodes, 3 * (int64_t)slab->node_count, "a slab") &&
                SN_NEW(slab->tetrahedra, 4 * (int64_t)slab->element_count, "a slab");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_slab_free(SnSlab* slab)
{
    for (int g = 0; g < slab->group_count; g++) SN_FREE(slab->groups[g].name, slab->groups[g].items);
    SN_FREE(slab->nodes, slab->tetrahedra, slab->groups);
    *slab = (SnSlab){0};
}

static SnSlabGroup* find_group(SnSlab* slab, int dimension, int tag)
{
    for (int g = 0; g < slab->group_count; g++)
        if (slab->groups[g].tag == tag && slab->groups[g].dimension == dimension) return &slab->groups[g];
    if (!SN_GROW(slab->groups, slab->group_capacity, slab->group_count + 1, "groups")) return NULL;
    SnSlabGroup* made = &slab->groups[slab->group_count];
    char name[16];
    snprintf(name, sizeof name, "%d", tag);
    *made = (SnSlabGroup){.name = sn_copy_text(name), .tag = tag, .dimension = dimension};
    if (made->name) slab->group_count++;
    return made->name ? made : NULL;
}

SnStatus sn_slab_join(SnSlab* slab, int dimension, int tag, int item)
{
    SnSlabGroup* group = find_group(slab, dimension, tag);
    if (!group || !SN_GROW(group->items, group->capacity, group->count + 1, "groups")) return SN_ERROR_MEMORY;
    if (item >= 0) group->items[group->count++] = item;
    return SN_OK;
}

SnStatus sn_slab_make(const SnShape* shape, const SnShapeDef* def, SnSlab* slab)
{
    if (!shape->slab) return sn_fail(SN_ERROR_UNSUPPORTED, "%s cannot be made in slabs", shape->name);
    return shape->slab(def, slab);
}

SnStatus sn_slab_read(const SnMeshFormat* format, const char* path, SnSlab* slab)
{
    if (!format->read_slab) return sn_fail(SN_ERROR_UNSUPPORTED, "%s files cannot be read in slabs", format->name);
    return format->read_slab(path, slab);
}
