// TetGen .node and .ele, which belong together: either may be named. Numbers start at 0 or 1; attributes become fields,
// boundary markers and whole-numbered region attributes groups
// (https://wias-berlin.de/software/tetgen/fformats.html).
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/slab.h"
#include "mesh/writer.h"

#include <math.h>
#include <string.h>

typedef struct Tetgen {
    SnReader nodes, elements;
    SnMeshBuilder builder;
    int64_t first; // 0 or 1
} Tetgen;

static const char attribute[] = "attribute"; // the name of the field, of nodes and of elements

// The same path with another ending.
static char* sibling(const char* path, const char* ending)
{
    size_t stem = (size_t)(strrchr(path, '.') - path);
    char* other = sn_allocate(stem + strlen(ending) + 1, 1, "a path");
    if (!other) return NULL;
    memcpy(other, path, stem);
    strcpy(other + stem, ending);
    return other;
}

static SnStatus read_node(Tetgen* t, int i, int64_t attributes, int64_t markers, double* values)
{
    SnReader* r = &t->nodes;
    int64_t number, marker;
    double x[3], ignored;
    sn_reader_release(r);
    SN_TRY(sn_read_integer(r, i ? t->first + i : 0, i ? t->first + i : 1, &number, "the number of a node, in order,"));
    if (i == 0) t->first = number;
    for (int j = 0; j < 3; j++) SN_TRY(sn_read_real(r, &x[j], "a node's coordinate"));
    SN_TRY(sn_builder_node(&t->builder, x));
    for (int64_t j = 0; j < attributes; j++)
        SN_TRY(sn_read_real(r, values ? &values[i * attributes + j] : &ignored, "a node's attribute"));
    if (!markers) return SN_OK;
    SN_TRY(sn_read_integer(r, INT32_MIN, INT32_MAX, &marker, "a boundary marker"));
    return marker ? sn_builder_join(&t->builder, 0, (int)marker, i) : SN_OK;
}

static SnStatus read_nodes(Tetgen* t)
{
    SnReader* r = &t->nodes;
    int count;
    int64_t attributes, markers, dimension;
    double* values = NULL;
    SN_TRY(sn_read_count(r, 8, &count, "nodes"));
    SN_TRY(sn_read_integer(r, 3, 3, &dimension, "the dimension"));
    SN_TRY(sn_read_integer(r, 0, INT32_MAX / 4, &attributes, "the number of attributes"));
    SN_TRY(sn_read_integer(r, 0, 1, &markers, "whether there are boundary markers (0 or 1)"));
    SN_TRY(sn_reader_fits(r, count, 2 * (size_t)(4 + attributes), "nodes"));
    t->builder.field_budget = 8 * (int64_t)r->size;
    if (attributes && count && !t->builder.slab)
        SN_TRY(sn_builder_field(&t->builder, attribute, true, (int)attributes, count, &values));
    for (int i = 0; i < count; i++) SN_TRY(read_node(t, i, attributes, markers, values));
    return SN_OK;
}

static bool is_tag(double region)
{
    return region == floor(region) && fabs(region) < INT32_MAX;
}

// Of a slab, which has no fields and cannot look at all of them first.
static SnStatus join_region(Tetgen* t, double region, int i)
{
    if (is_tag(region)) return sn_builder_join(&t->builder, 3, (int)region, i);
    return sn_reader_fail(&t->elements, NULL, SN_ERROR_UNSUPPORTED, "attributes that are no tags, in slabs");
}

static SnStatus read_element(Tetgen* t, int64_t corners, int i, int64_t attributes, double* values)
{
    SnReader* r = &t->elements;
    double unused;
    int64_t number, nodes[4], ignored, most = t->builder.mesh->node_count - 1 + t->first;
    sn_reader_release(r);
    SN_TRY(sn_read_integer(r, 0, INT32_MAX, &number, "the number of a tetrahedron"));
    for (int j = 0; j < 4; j++) {
        SN_TRY(sn_read_integer(r, t->first, most, &nodes[j], "a node of a tetrahedron"));
        nodes[j] -= t->first;
    }
    for (int64_t j = 4; j < corners; j++) SN_TRY(sn_read_integer(r, t->first, most, &ignored, "a node"));
    double region = 0, *own = values ? values + i * attributes : NULL;
    for (int64_t j = 0; j < attributes; j++)
        SN_TRY(sn_read_real(r, own ? &own[j] : j ? &unused : &region, "a tetrahedron's attribute"));
    SN_TRY(sn_builder_element(&t->builder, 3, nodes));
    return own || region == 0 ? SN_OK : join_region(t, region, i);
}

// The first attribute is the region; as a group when it is a whole number in all of them.
static SnStatus group_regions(Tetgen* t, const double* values, int64_t attributes, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_tag(values[i * attributes])) return SN_OK;
    for (int i = 0; i < count; i++)
        if (values[i * attributes] != 0) SN_TRY(sn_builder_join(&t->builder, 3, (int)values[i * attributes], i));
    return SN_OK;
}

static SnStatus read_elements(Tetgen* t)
{
    SnReader* r = &t->elements;
    int count;
    int64_t corners, attributes;
    double* values = NULL;
    SN_TRY(sn_read_count(r, 10, &count, "tetrahedra"));
    SN_TRY(sn_read_integer(r, 4, 10, &corners, "the number of nodes per tetrahedron (4 or 10)"));
    SN_TRY(sn_read_integer(r, 0, INT32_MAX / 4, &attributes, "the number of attributes"));
    SN_TRY(sn_reader_fits(r, count, 2 * (size_t)(1 + corners + attributes), "tetrahedra"));
    t->builder.field_budget = 8 * (int64_t)r->size;
    if (attributes && count && !t->builder.slab)
        SN_TRY(sn_builder_field(&t->builder, attribute, false, (int)attributes, count, &values));
    for (int i = 0; i < count; i++) SN_TRY(read_element(t, corners, i, attributes, values));
    return values ? group_regions(t, values, attributes, count) : SN_OK;
}

static SnStatus read_pair(Tetgen* t, const char* node_path, const char* element_path, SnSlab* slab, SnMesh** mesh)
{
    SN_TRY((slab ? sn_reader_open_mapped : sn_reader_open)(&t->nodes, node_path));
    SN_TRY((slab ? sn_reader_open_mapped : sn_reader_open)(&t->elements, element_path));
    t->nodes.comment = t->elements.comment = '#';
    SN_TRY(sn_builder_begin_slab(&t->builder, &t->nodes, slab));
    SN_TRY(read_nodes(t));
    t->builder.reader = &t->elements;
    SN_TRY(read_elements(t));
    t->builder.reader = &t->nodes;
    return sn_builder_finish(&t->builder, mesh);
}

static SnStatus read_files(const char* path, SnSlab* slab, SnMesh** mesh)
{
    Tetgen t = {0};
    char *node_path = sibling(path, ".node"), *element_path = node_path ? sibling(path, ".ele") : NULL;
    SnStatus status = element_path ? read_pair(&t, node_path, element_path, slab, mesh) : SN_ERROR_MEMORY;
    sn_builder_abandon(&t.builder);
    sn_reader_close(&t.nodes);
    sn_reader_close(&t.elements);
    SN_FREE(node_path, element_path);
    return status;
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    return read_files(path, NULL, mesh);
}

static SnStatus read_slab(const char* path, SnSlab* slab)
{
    SnMesh* none = NULL;
    return read_files(path, slab, &none);
}

static const SnMeshField* attributes_of(const SnMesh* mesh, bool per_node)
{
    for (int i = 0; i < mesh->field_count; i++)
        if (mesh->fields[i].per_node == per_node && strcmp(mesh->fields[i].name, attribute) == 0)
            return &mesh->fields[i];
    return NULL;
}

static bool has_group(const SnMesh* mesh, int dimension)
{
    for (int i = 0; i < mesh->group_count; i++)
        if (mesh->groups[i].dimension == dimension) return true;
    return false;
}

static void write_attributes(SnWriter* w, const SnMeshField* field, int item)
{
    for (int c = 0; field && c < field->components; c++)
        sn_write_real(w, field->values[(size_t)field->components * (size_t)item + (size_t)c]);
}

static SnStatus write_nodes(const SnMesh* mesh, const char* path)
{
    const SnMeshField* field = attributes_of(mesh, true);
    bool marked = has_group(mesh, 0);
    int* markers;
    SN_TRY(sn_mesh_first_tags(mesh, 0, &markers));
    SnWriter w;
    SnStatus status = sn_writer_open(&w, path);
    if (status == SN_OK) {
        sn_write(&w, "%d 3 %d %d\n", mesh->node_count, field ? field->components : 0, marked);
        for (int i = 0; i < mesh->node_count; i++) {
            const double* p = mesh->nodes + 3 * (size_t)i;
            sn_write(&w, "%d %.17g %.17g %.17g", i, p[0], p[1], p[2]);
            write_attributes(&w, field, i);
            if (marked) sn_write(&w, " %d", markers[i]);
            sn_write(&w, "\n");
        }
        status = sn_writer_close(&w);
    }
    sn_free(markers);
    return status;
}

// Regions come from the attributes the mesh was read with, or else from its groups.
static SnStatus write_elements(const SnMesh* mesh, const char* path)
{
    const SnMeshField* field = attributes_of(mesh, false);
    bool regions = !field && has_group(mesh, 3);
    int* tags;
    SN_TRY(sn_mesh_first_tags(mesh, 3, &tags));
    SnWriter w;
    SnStatus status = sn_writer_open(&w, path);
    if (status == SN_OK) {
        sn_write(&w, "%d 4 %d\n", mesh->tetrahedron_count, field ? field->components : regions);
        for (int i = 0; i < mesh->tetrahedron_count; i++) {
            const int* n = mesh->tetrahedra + 4 * (size_t)i;
            sn_write(&w, "%d %d %d %d %d", i, n[0], n[1], n[2], n[3]);
            write_attributes(&w, field, i);
            if (regions) sn_write(&w, " %d", tags[i]);
            sn_write(&w, "\n");
        }
        status = sn_writer_close(&w);
    }
    sn_free(tags);
    return status;
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    if (mesh->tetrahedron_count == 0)
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: TetGen files hold tetrahedra, and this mesh has none", path);
    char *node_path = sibling(path, ".node"), *element_path = node_path ? sibling(path, ".ele") : NULL;
    SnStatus status = element_path ? write_nodes(mesh, node_path) : SN_ERROR_MEMORY;
    if (status == SN_OK) status = write_elements(mesh, element_path);
    SN_FREE(node_path, element_path);
    return status;
}

const SnMeshFormat sn_mesh_tetgen = {
    .name = "tetgen",
    .endings = ".node .ele",
    .summary = "TetGen's pair of files, of which either may be named",
    .read = read,
    .read_slab = read_slab,
    .write = write,
};
