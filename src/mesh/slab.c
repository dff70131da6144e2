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

SnStatus sn_slab_name_group(SnSlab* slab, int dimension, int tag, const char* name)
{
    SnSlabGroup* group = slab->counting ? NULL : find_group(slab, dimension, tag);
    char* copy = group && *name ? sn_copy_text(name) : NULL;
    if (slab->counting || (group && !*name)) return SN_OK;
    if (!copy) return SN_ERROR_MEMORY;
    sn_free(group->name);
    group->name = copy;
    return SN_OK;
}

SnStatus sn_slab_take_node(SnSlab* slab, int number, const double x[3])
{
    int at = number - slab->first_node;
    if (!slab->counting && at >= 0 && at < slab->node_count) memcpy(slab->nodes + 3 * (int64_t)at, x, 3 * sizeof *x);
    return SN_OK;
}

SnStatus sn_slab_take_element(SnSlab* slab, int number, const int64_t nodes[4])
{
    int at = number - slab->first_element;
    for (int c = 0; c < 4 && !slab->counting && at >= 0 && at < slab->element_count; c++)
        slab->tetrahedra[4 * (int64_t)at + c] = (int)nodes[c];
    return SN_OK;
}

// Of those of fewer dimensions one slab has each.
SnStatus sn_slab_take_member(SnSlab* slab, int dimension, int tag, int item, const int64_t* nodes)
{
    int at = item - slab->first_element;
    if (slab->counting) return SN_OK;
    if (dimension == 3) return sn_slab_join(slab, 3, tag, at >= 0 && at < slab->element_count ? item : -1);
    if (dimension == 0) return sn_slab_join(slab, 0, tag, item % slab->slabs == slab->number ? item : -1);
    for (int c = 0; c <= dimension; c++)
        SN_TRY(sn_slab_join(slab, dimension, tag, item % slab->slabs == slab->number ? (int)nodes[c] : -1));
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
    slab->counting = true;
    SN_TRY(format->read_slab(path, slab));
    slab->counting = false;
    SN_TRY(sn_slab_allocate(slab, slab->all_nodes, slab->all_elements));
    return format->read_slab(path, slab);
}
