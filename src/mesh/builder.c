// A mesh under construction from a file.
#include "mesh/builder.h"
#include "core/handle.h"

#include "mesh/elements.h"
#include "mesh/raise.h"
#include "mesh/slab.h"

#include <stdio.h>
#include <stdlib.h>

SnStatus sn_builder_begin(SnMeshBuilder* builder, const SnReader* reader)
{
    *builder = (SnMeshBuilder){.reader = reader, .largest_node = -1, .field_budget = 8 * (int64_t)reader->size};
    if (!SN_NEW(builder->mesh, 1, "a mesh")) return SN_ERROR_MEMORY;
    sn_handle_made(builder->mesh);
    return SN_OK;
}

SnStatus sn_builder_begin_slab(SnMeshBuilder* builder, const SnReader* reader, struct SnSlab* slab)
{
    SN_TRY(sn_builder_begin(builder, reader));
    builder->slab = slab;
    return SN_OK;
}

static SnStatus not_in_slabs(const SnMeshBuilder* builder, const char* what)
{
    return sn_reader_fail(builder->reader, NULL, SN_ERROR_UNSUPPORTED, "%s cannot be read in slabs", what);
}

static SnStatus too_many(const SnMeshBuilder* builder, const char* what)
{
    return sn_reader_fail(builder->reader, NULL, SN_ERROR_VALUE, "more than %d %s", SN_MESH_MOST, what);
}

SnStatus sn_builder_node(SnMeshBuilder* builder, const double x[3])
{
    SnMesh* mesh = builder->mesh;
    if (mesh->node_count == SN_MESH_MOST) return too_many(builder, "nodes");
    if (builder->slab) return sn_slab_take_node(builder->slab, mesh->node_count++, x);
    int64_t end = 3 * (int64_t)mesh->node_count;
    if (!SN_GROW(mesh->nodes, builder->node_capacity, end + 3, "nodes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < 3; i++) mesh->nodes[end + i] = x[i];
    mesh->node_count++;
    return SN_OK;
}

SnStatus sn_builder_element(SnMeshBuilder* builder, int dimension, const int64_t* nodes)
{
    SnMesh* mesh = builder->mesh;
    int* count = sn_element_count(mesh, dimension);
    int** list = sn_element_list(mesh, dimension);
    int corners = dimension + 1;
    if (*count == SN_MESH_MOST) return too_many(builder, sn_element_nouns[dimension][1]);
    int64_t end = corners * (int64_t)*count;
    if (!builder->slab && !SN_GROW(*list, builder->element_capacity[dimension], end + corners, "elements"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < corners; i++) {
        if (nodes[i] < 0 || nodes[i] >= SN_MESH_MOST)
            return sn_malformed(builder->reader, "%s %d names a node that does not exist",
                                sn_element_nouns[dimension][0], *count);
        if (nodes[i] > builder->largest_node) {
            builder->largest_node = nodes[i];
            builder->largest_at = builder->reader->at;
        }
        if (builder->slab)
            builder->last_nodes[i] = nodes[i];
        else
            (*list)[end + i] = (int)nodes[i];
    }
    ++*count;
    return builder->slab && dimension == 3 ? sn_slab_take_element(builder->slab, *count - 1, nodes) : SN_OK;
}

SnStatus sn_builder_quadratic(SnMeshBuilder* builder, int dimension, const int64_t* nodes)
{
    int64_t parts[32];
    if (builder->slab) return not_in_slabs(builder, "elements of second order");
    for (int i = 0; i < sn_quadratic_nodes[dimension]; i++)
        if (nodes[i] < 0 || nodes[i] >= builder->mesh->node_count)
            return sn_malformed(builder->reader, "an element names node %lld (counted from 0), but there are %d nodes",
                                (long long)nodes[i], builder->mesh->node_count);
    sn_quadratic_split(dimension, builder->mesh->nodes, nodes, parts);
    for (int k = 0; k < sn_quadratic_parts[dimension]; k++)
        SN_TRY(sn_builder_element(builder, dimension, parts + (dimension + 1) * k));
    builder->quadratics[dimension]++;
    return SN_OK;
}

// All elements are of one order; sheets and ropes of the second are taken as their parts.
static SnStatus set_order(const SnMeshBuilder* builder)
{
    if (builder->quadratics[3] == 0) return SN_OK;
    for (int d = 1; d < 4; d++)
        if (sn_mesh_count_of(builder->mesh, d) != sn_quadratic_parts[d] * builder->quadratics[d])
            return sn_reader_fail(builder->reader, builder->reader->end, SN_ERROR_UNSUPPORTED,
                                  "there are %s of first order beside tetrahedra of second order; save all with one",
                                  sn_element_nouns[d][1]);
    builder->mesh->quadratic = true;
    return SN_OK;
}

SnStatus sn_builder_join(SnMeshBuilder* builder, int dimension, int tag, int item)
{
    if (item < 0) item = *sn_element_count(builder->mesh, dimension) - 1;
    if (builder->slab) return sn_slab_take_member(builder->slab, dimension, tag, item, builder->last_nodes);
    if (!SN_GROW(builder->members, builder->member_capacity, builder->member_count + (int64_t)1, "group members"))
        return SN_ERROR_MEMORY;
    builder->members[builder->member_count++] = (SnMember){dimension, tag, item};
    return SN_OK;
}

SnStatus sn_builder_name_group(SnMeshBuilder* builder, int dimension, int tag, const char* name)
{
    if (builder->slab) return sn_slab_name_group(builder->slab, dimension, tag, name);
    if (!SN_GROW(builder->members, builder->member_capacity, builder->member_count + (int64_t)1, "group members") ||
        !SN_GROW(builder->names, builder->name_capacity, builder->name_count + (int64_t)1, "group names"))
        return SN_ERROR_MEMORY;
    char* copy = sn_copy_text(name);
    if (!copy) return SN_ERROR_MEMORY;
    builder->names[builder->name_count++] = (SnGroupName){dimension, tag, copy};
    builder->members[builder->member_count++] = (SnMember){dimension, tag, -1};
    return SN_OK;
}

SnStatus sn_builder_field(SnMeshBuilder* builder, const char* name, bool per_node, int components, int count,
                          double** values)
{
    if (builder->slab) return not_in_slabs(builder, "fields");
    // Values that were in the file fit easily; an endless list of all but empty fields does not.
    int64_t size;
    if (__builtin_mul_overflow((int64_t)components, (int64_t)count, &size) || size > builder->field_budget)
        return sn_malformed(builder->reader, "the fields have values for too few of the nodes or elements");
    builder->field_budget -= size;
    SnMesh* mesh = builder->mesh;
    if (!SN_GROW(mesh->fields, builder->field_capacity, mesh->field_count + (int64_t)1, "fields"))
        return SN_ERROR_MEMORY;
    SnMeshField* field = &mesh->fields[mesh->field_count];
    *field = (SnMeshField){.per_node = per_node, .components = components};
    mesh->field_count++;
    field->name = sn_copy_text(name);
    if (!field->name || !SN_NEW(field->values, size, "a field")) return SN_ERROR_MEMORY;
    *values = field->values;
    return SN_OK;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare_members(const void* left, const void* right)
{
    const SnMember *a = left, *b = right;
    int order = compare(b->dimension, a->dimension); // tetrahedra first
    if (order == 0) order = compare(a->tag, b->tag);
    return order ? order : compare(a->item, b->item);
}

static int compare_names(const void* left, const void* right)
{
    const SnGroupName *a = left, *b = right;
    int order = compare(a->dimension, b->dimension);
    return order ? order : compare(a->tag, b->tag);
}

static bool same_group(const SnMember* a, const SnMember* b)
{
    return a->dimension == b->dimension && a->tag == b->tag;
}

static SnStatus make_group(const SnMeshBuilder* builder, int first, int last, SnMeshGroup* group)
{
    const SnMember* member = &builder->members[first];
    group->dimension = member->dimension;
    group->tag = member->tag;
    SnGroupName key = {group->dimension, group->tag, NULL};
    const SnGroupName* named =
        builder->name_count ? bsearch(&key, builder->names, (size_t)builder->name_count, sizeof key, compare_names)
                            : NULL;
    char number[16];
    snprintf(number, sizeof number, "%d", group->tag);
    group->name = sn_copy_text(named && named->name[0] ? named->name : number);
    if (!group->name || !SN_NEW(group->items, last - first, "a group")) return SN_ERROR_MEMORY;
    for (int i = first; i < last; i++) {
        int item = builder->members[i].item;
        if (item >= 0 && (group->count == 0 || group->items[group->count - 1] != item))
            group->items[group->count++] = item;
    }
    return SN_OK;
}

static SnStatus make_groups(SnMeshBuilder* builder)
{
    SnMesh* mesh = builder->mesh;
    int count = builder->member_count, groups = 0;
    if (count == 0) return SN_OK;
    bool sorted = true;
    for (int i = 1; i < count && sorted; i++)
        sorted = compare_members(&builder->members[i - 1], &builder->members[i]) <= 0;
    if (!sorted) qsort(builder->members, (size_t)count, sizeof *builder->members, compare_members);
    if (builder->name_count) qsort(builder->names, (size_t)builder->name_count, sizeof *builder->names, compare_names);
    for (int i = 0; i < count; i++) groups += i == 0 || !same_group(&builder->members[i - 1], &builder->members[i]);
    if (!SN_NEW(mesh->groups, groups, "groups")) return SN_ERROR_MEMORY;
    for (int first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && same_group(&builder->members[first], &builder->members[last]);) last++;
        SN_TRY(make_group(builder, first, last, &mesh->groups[mesh->group_count++]));
    }
    return SN_OK;
}

static SnStatus finish_slab(SnMeshBuilder* builder)
{
    const SnMesh* mesh = builder->mesh;
    if (mesh->tetrahedron_count == 0) return not_in_slabs(builder, "meshes without tetrahedra");
    builder->slab->all_nodes = mesh->node_count, builder->slab->all_elements = mesh->tetrahedron_count;
    return SN_OK;
}

static SnStatus check_and_group(SnMeshBuilder* builder)
{
    if (builder->mesh->node_count == 0)
        return sn_reader_fail(builder->reader, builder->reader->end, SN_ERROR_FORMAT, "the file holds no nodes");
    if (builder->largest_node >= builder->mesh->node_count)
        return sn_reader_fail(builder->reader, builder->largest_at, SN_ERROR_FORMAT,
                              "an element names node %lld (counted from 0), but there are %d nodes",
                              (long long)builder->largest_node, builder->mesh->node_count);
    if (builder->slab) return finish_slab(builder);
    SN_TRY(set_order(builder));
    SN_TRY(sn_builder_finish_faces(builder));
    return make_groups(builder);
}

SnStatus sn_builder_finish(SnMeshBuilder* builder, SnMesh** mesh)
{
    SnStatus status = check_and_group(builder);
    if (status == SN_OK && !builder->slab) {
        *mesh = builder->mesh;
        builder->mesh = NULL;
    }
    sn_builder_abandon(builder);
    return status;
}

void sn_builder_abandon(SnMeshBuilder* builder)
{
    for (int i = 0; i < builder->name_count; i++) sn_free(builder->names[i].name);
    SN_FREE(builder->names, builder->members);
    sn_builder_abandon_faces(builder);
    sn_mesh_destroy(builder->mesh);
    *builder = (SnMeshBuilder){0};
}
