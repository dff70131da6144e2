// gmsh .msh: which elements and nodes are in the same groups. Version 4.x knows groups of entities only, so that each
// set of groups becomes an entity.
#include "mesh/gmsh_output.h"

#include "mesh/elements.h"

#include <stdlib.h>

void sn_gmsh_free_sets(GmshSets* s)
{
    SN_FREE(s->start, s->tags, s->entity, s->order, s->example);
}

static int compare_sets(const void* left, const void* right, void* context)
{
    const GmshSets* s = context;
    int a = *(const int*)left, b = *(const int*)right;
    int na = s->start[a + 1] - s->start[a], nb = s->start[b + 1] - s->start[b];
    for (int i = 0; i < na && i < nb; i++) {
        int ta = s->tags[s->start[a] + i], tb = s->tags[s->start[b] + i];
        if (ta != tb) return ta < tb ? -1 : 1;
    }
    return (na > nb) - (na < nb);
}

SnStatus sn_gmsh_number_groups(const SnMesh* mesh, const char* path, int** numbers)
{
    int largest = 0;
    if (!SN_NEW(*numbers, mesh->group_count, "group numbers")) return SN_ERROR_MEMORY;
    for (int g = 0; g < mesh->group_count; g++)
        if (mesh->groups[g].tag > largest) largest = mesh->groups[g].tag;
    for (int g = 0; g < mesh->group_count; g++) {
        (*numbers)[g] = mesh->groups[g].tag;
        if (mesh->groups[g].tag > 0) continue;
        if (largest >= INT32_MAX - mesh->group_count)
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: gmsh numbers groups from 1, and beyond group %d there is no number for group %d", path,
                           largest, mesh->groups[g].tag);
        (*numbers)[g] = largest + 1 + g;
    }
    return SN_OK;
}

static SnStatus collect_tags(const SnMesh* mesh, const int* numbers, int dimension, GmshSets* s)
{
    if (!SN_NEW(s->start, (size_t)s->item_count + 2, "group lists")) return SN_ERROR_MEMORY;
    for (int g = 0; g < mesh->group_count; g++)
        for (int i = 0; mesh->groups[g].dimension == dimension && i < mesh->groups[g].count; i++)
            s->start[mesh->groups[g].items[i] + 2]++;
    for (int i = 1; i <= s->item_count; i++) s->start[i + 1] += s->start[i];
    if (!SN_NEW(s->tags, s->start[s->item_count + 1], "group lists")) return SN_ERROR_MEMORY;
    for (int g = 0; g < mesh->group_count; g++)
        for (int i = 0; mesh->groups[g].dimension == dimension && i < mesh->groups[g].count; i++)
            s->tags[s->start[mesh->groups[g].items[i] + 1]++] = numbers[g];
    return SN_OK;
}

SnStatus sn_gmsh_find_sets(const SnMesh* mesh, const int* numbers, int dimension, GmshSets* s)
{
    int n = s->item_count = sn_mesh_count_of(mesh, dimension);
    SN_TRY(collect_tags(mesh, numbers, dimension, s));
    if (!SN_NEW(s->entity, n, "entities") || !SN_NEW(s->order, n, "entities") || !SN_NEW(s->example, n + 1, "entities"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) s->order[i] = i;
    if (n && s->start[n] > 0) qsort_r(s->order, (size_t)n, sizeof *s->order, compare_sets, s);
    for (int i = 0; i < n; i++) {
        int item = s->order[i];
        if (dimension == 0 && s->start[item] == s->start[item + 1]) continue;
        if (s->entity_count == 0 || compare_sets(&s->example[s->entity_count], &item, s) != 0)
            s->example[++s->entity_count] = item;
        s->entity[item] = s->entity_count;
    }
    for (int i = 0; i < n; i++) s->block_count += s->entity[i] && (i == 0 || s->entity[i] != s->entity[i - 1]);
    return SN_OK;
}
