// gmsh .msh, written as 2.2, 4.0 or 4.1, text or binary; each layout stands here once for both. Elements keep their
// order: in 4.x a run of neighbours in the same groups is one block, and each set of groups is one entity; in 2.2 an
// element names its one group itself.
#include "mesh/gmsh_output.h"

#include "mesh/elements.h"
#include "mesh/raise.h"

#include <string.h>

static const char* const versions[] = {[GMSH_2_2] = "2.2", [GMSH_4_0] = "4.0", [GMSH_4_1] = "4.1"};
static const int types[2][4] = {{15, 1, 2, 4}, {15, 8, 9, 11}}; // of points, edges, triangles and tetrahedra, by order

static int type_of(const GmshOutput* o, int dimension)
{
    return types[o->whole != NULL][dimension];
}

static void write_format(GmshOutput* o)
{
    sn_gmsh_begin(o, "MeshFormat");
    sn_write(&o->writer, "%s %d 8\n", versions[o->version], o->binary);
    if (o->binary) sn_gmsh_put_int(o, 1); // shows the byte order
    sn_gmsh_end(o, "MeshFormat");
}

// A name in quotation marks, which it cannot hold itself.
static void write_quoted(SnWriter* w, const char* name)
{
    sn_write(w, "\"");
    for (const char* c = name; *c; c++) sn_write(w, "%c", *c == '"' || *c == '\n' ? '\'' : *c);
    sn_write(w, "\"\n");
}

static void write_names(SnWriter* w, const SnMesh* mesh, const int* numbers) // text in binary files, too
{
    if (mesh->group_count == 0) return;
    sn_write(w, "$PhysicalNames\n%d\n", mesh->group_count);
    for (int g = 0; g < mesh->group_count; g++) {
        sn_write(w, "%d %d ", mesh->groups[g].dimension, numbers[g]);
        write_quoted(w, mesh->groups[g].name);
    }
    sn_write(w, "$EndPhysicalNames\n");
}

static void put_nodes_of(GmshOutput* o, const SnMesh* mesh, int dimension, int item)
{
    const int* list = sn_mesh_list_of(mesh, dimension);
    size_t corners = (size_t)dimension + 1;
    if (o->whole && dimension > 0) {
        static const int from_vtk[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
        int nodes[10];
        sn_mesh_quadratic(o->whole, dimension, item, nodes);
        for (int j = 0; j < sn_quadratic_nodes[dimension]; j++) sn_gmsh_put_tag(o, 1 + nodes[from_vtk[j]]);
        sn_gmsh_end_line(o);
        return;
    }
    for (size_t j = 0; j < corners; j++) sn_gmsh_put_tag(o, 1 + (dimension ? list[corners * (size_t)item + j] : item));
    sn_gmsh_end_line(o);
}

static void put_point(GmshOutput* o, const double* p)
{
    for (int i = 0; i < 3; i++) sn_gmsh_put_real(o, p[i]);
}

// --- 2.2

// One group per element is all that 2.2 can say; a node may be in several, as a point element for each.
static SnStatus check_single_groups(const SnMesh* mesh, const char* path, const int* numbers, const GmshSets sets[4])
{
    for (int d = 1; d < 4; d++)
        for (int i = 0; i < sets[d].item_count; i++) {
            const int* tags = sets[d].tags + sets[d].start[i];
            if (sets[d].start[i + 1] - sets[d].start[i] < 2) continue;
            const char* names[2] = {"", ""};
            for (int g = 0; g < mesh->group_count; g++)
                for (int k = 0; k < 2; k++)
                    if (mesh->groups[g].dimension == d && numbers[g] == tags[k]) names[k] = mesh->groups[g].name;
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: %s %d is in the groups \"%s\" and \"%s\", but gmsh 2.2 has one group per element; "
                           "write version 4.1",
                           path, sn_element_nouns[d][0], i, names[0], names[1]);
        }
    return SN_OK;
}

static void write_node_list(GmshOutput* o, const SnMesh* mesh)
{
    sn_gmsh_begin(o, "Nodes");
    sn_write(&o->writer, "%d\n", mesh->node_count);
    for (int i = 0; i < mesh->node_count; i++) {
        sn_gmsh_put_int(o, i + 1);
        put_point(o, mesh->nodes + 3 * (size_t)i);
        sn_gmsh_end_line(o);
    }
    sn_gmsh_end(o, "Nodes");
}

// Text: tag type tag-count group entity nodes. Binary: type and tag-count stand before all elements of the type.
static void write_old_element(GmshOutput* o, const SnMesh* mesh, int dimension, int item, int tag, int group,
                              int entity)
{
    sn_gmsh_put_int(o, tag);
    if (!o->binary) sn_gmsh_put_int(o, type_of(o, dimension));
    if (!o->binary) sn_gmsh_put_int(o, 2);
    sn_gmsh_put_int(o, group);
    sn_gmsh_put_int(o, entity);
    put_nodes_of(o, mesh, dimension, item);
}

static void write_old_elements_of(GmshOutput* o, const SnMesh* mesh, const GmshSets* s, int dimension, int* tag)
{
    int grouped = s->start[s->item_count], count = dimension ? s->item_count : grouped;
    if (count == 0) return;
    if (o->binary) {
        sn_gmsh_put_int(o, type_of(o, dimension));
        sn_gmsh_put_int(o, count);
        sn_gmsh_put_int(o, 2);
    }
    for (int i = 0; i < s->item_count; i++) {
        int first = s->start[i], last = s->start[i + 1];
        if (dimension && first == last) write_old_element(o, mesh, dimension, i, ++*tag, 0, s->entity[i]);
        // gmsh gives the groups of an entity to all of its elements: points in several need one entity per group
        for (int k = first; k < last; k++)
            write_old_element(o, mesh, dimension, i, ++*tag, s->tags[k], dimension ? s->entity[i] : s->tags[k]);
    }
}

static SnStatus count_old_elements(const char* path, const GmshSets sets[4], int64_t* count)
{
    *count = sets[0].start[sets[0].item_count];
    for (int d = 1; d < 4; d++) *count += sets[d].item_count;
    if (*count <= INT32_MAX) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %lld elements are too many for gmsh 2.2; write version 4.1", path,
                   (long long)*count);
}

static void write_old_elements(GmshOutput* o, const SnMesh* mesh, const GmshSets sets[4], int64_t count)
{
    int tag = 0;
    sn_gmsh_begin(o, "Elements");
    sn_write(&o->writer, "%lld\n", (long long)count);
    for (int d = 3; d >= 0; d--) write_old_elements_of(o, mesh, &sets[d], d, &tag);
    sn_gmsh_end(o, "Elements");
}

// --- 4.x

// Entities get the bounds of the whole mesh, points the place of one of their nodes.
static void write_entity(GmshOutput* o, const SnMesh* mesh, const SnMeshMeasure* m, const GmshSets* s, int dimension,
                         int e)
{
    int item = s->example[e];
    const double* place = mesh->nodes + 3 * (size_t)item;
    sn_gmsh_put_int(o, e);
    put_point(o, dimension ? m->lo : place);
    if (dimension || o->version == GMSH_4_0) put_point(o, dimension ? m->hi : place);
    sn_gmsh_put_size(o, s->start[item + 1] - s->start[item]);
    for (int i = s->start[item]; i < s->start[item + 1]; i++) sn_gmsh_put_int(o, s->tags[i]);
    if (dimension) sn_gmsh_put_size(o, 0); // entities that bound it
    sn_gmsh_end_line(o);
}

static void write_entities(GmshOutput* o, const SnMesh* mesh, const GmshSets sets[4])
{
    SnMeshMeasure measure;
    sn_mesh_measure(mesh, &measure);
    sn_gmsh_begin(o, "Entities");
    for (int d = 0; d < 4; d++) sn_gmsh_put_size(o, sets[d].entity_count);
    sn_gmsh_end_line(o);
    for (int d = 0; d < 4; d++)
        for (int e = 1; e <= sets[d].entity_count; e++) write_entity(o, mesh, &measure, &sets[d], d, e);
    sn_gmsh_end(o, "Entities");
}

// How many blocks and items follow; 4.1 adds the range of their tags.
static void write_counts(GmshOutput* o, int64_t blocks, int64_t items)
{
    sn_gmsh_put_size(o, blocks);
    sn_gmsh_put_size(o, items);
    if (o->version == GMSH_4_1) {
        sn_gmsh_put_size(o, items > 0);
        sn_gmsh_put_size(o, items);
    }
    sn_gmsh_end_line(o);
}

// `third` is the element type, or whether nodes are parametric.
static void write_block_header(GmshOutput* o, int dimension, int entity, int third, int count)
{
    bool old = o->version == GMSH_4_0;
    sn_gmsh_put_int(o, old ? entity : dimension);
    sn_gmsh_put_int(o, old ? dimension : entity);
    sn_gmsh_put_int(o, third);
    sn_gmsh_put_size(o, count);
    sn_gmsh_end_line(o);
}

// 4.0 has tag and coordinates of each node together; 4.1 first all tags, then all coordinates.
static void write_nodes(GmshOutput* o, const SnMesh* mesh)
{
    int n = mesh->node_count;
    bool old = o->version == GMSH_4_0;
    sn_gmsh_begin(o, "Nodes");
    write_counts(o, 1, n);
    write_block_header(o, sn_mesh_top_dimension(mesh), 1, 0, n);
    for (int i = 1; i <= n && !old; i++) {
        sn_gmsh_put_tag(o, i);
        sn_gmsh_end_line(o);
    }
    for (int i = 0; i < n; i++) {
        if (old) sn_gmsh_put_tag(o, i + 1);
        put_point(o, mesh->nodes + 3 * (size_t)i);
        sn_gmsh_end_line(o);
    }
    sn_gmsh_end(o, "Nodes");
}

static void write_blocks(GmshOutput* o, const SnMesh* mesh, const GmshSets* s, int dimension, int64_t* tag)
{
    for (int first = 0, last; first < s->item_count; first = last) {
        for (last = first + 1; last < s->item_count && s->entity[last] == s->entity[first];) last++;
        if (s->entity[first] == 0) continue;
        write_block_header(o, dimension, s->entity[first], type_of(o, dimension), last - first);
        for (int i = first; i < last; i++) {
            sn_gmsh_put_tag(o, ++*tag);
            put_nodes_of(o, mesh, dimension, i);
        }
    }
}

// Tetrahedra first, so that their tags are 1, 2, ...
static void write_elements(GmshOutput* o, const SnMesh* mesh, const GmshSets sets[4])
{
    int64_t blocks = 0, count = 0, tag = 0;
    for (int d = 0; d < 4; d++) {
        blocks += sets[d].block_count;
        for (int i = 0; i < sets[d].item_count; i++) count += sets[d].entity[i] != 0;
    }
    sn_gmsh_begin(o, "Elements");
    write_counts(o, blocks, count);
    for (int d = 3; d >= 0; d--) write_blocks(o, mesh, &sets[d], d, &tag);
    sn_gmsh_end(o, "Elements");
}

// --- all versions

static void write_field(GmshOutput* o, const SnMesh* mesh, const SnMeshField* field)
{
    const char* section = field->per_node ? "NodeData" : "ElementData";
    int top = sn_mesh_top_dimension(mesh), components = field->components;
    int count = field->per_node ? mesh->node_count : top ? sn_mesh_count_of(mesh, top) : 0;
    sn_gmsh_begin(o, section);
    sn_write(&o->writer, "1\n");
    write_quoted(&o->writer, field->name);
    sn_write(&o->writer, "1\n0\n3\n0\n%d\n%d\n", components, count);
    for (int i = 0; i < count; i++) {
        sn_gmsh_put_int(o, i + 1);
        for (int c = 0; c < components; c++)
            sn_gmsh_put_real(o, field->values[(size_t)components * (size_t)i + (size_t)c]);
        sn_gmsh_end_line(o);
    }
    sn_gmsh_end(o, section);
}

static SnStatus write_file(GmshOutput* o, const SnMesh* mesh, const char* path, const int* numbers,
                           const GmshSets sets[4])
{
    int64_t old_count = 0;
    if (o->version == GMSH_2_2) {
        SN_TRY(check_single_groups(mesh, path, numbers, sets));
        SN_TRY(count_old_elements(path, sets, &old_count));
    }
    SN_TRY(sn_writer_open(&o->writer, path));
    write_format(o);
    write_names(&o->writer, mesh, numbers);
    if (o->version == GMSH_2_2) {
        write_node_list(o, mesh);
        write_old_elements(o, mesh, sets, old_count);
    } else {
        write_entities(o, mesh, sets);
        write_nodes(o, mesh);
        write_elements(o, mesh, sets);
    }
    for (int i = 0; i < mesh->field_count; i++) write_field(o, mesh, &mesh->fields[i]);
    return sn_writer_close(&o->writer);
}

static SnStatus write_as(const SnMesh* mesh, const SnMesh* whole, const char* path, const SnMeshWriteOptions* options)
{
    const char* wanted = options->version ? options->version : "4.1";
    GmshOutput output = {.binary = options->binary, .whole = whole};
    int version = GMSH_2_2;
    while (version <= GMSH_4_1 && strcmp(versions[version], wanted) != 0) version++;
    if (version > GMSH_4_1)
        return sn_fail(SN_ERROR_VALUE, "%s: gmsh version %s cannot be written; there are 2.2, 4.0 and 4.1", path,
                       wanted);
    output.version = (GmshVersion)version;
    GmshSets sets[4] = {0};
    int* numbers = NULL;
    SnStatus status = sn_gmsh_number_groups(mesh, path, &numbers);
    for (int d = 0; d < 4 && status == SN_OK; d++) status = sn_gmsh_find_sets(mesh, numbers, d, &sets[d]);
    if (status == SN_OK) status = write_file(&output, mesh, path, numbers, sets);
    for (int d = 0; d < 4; d++) sn_gmsh_free_sets(&sets[d]);
    sn_free(numbers);
    return status;
}

// Those of second order are written by their corners and groups, each with all of its nodes.
SnStatus sn_gmsh_write_as(const SnMesh* mesh, const char* path, const SnMeshWriteOptions* options)
{
    SnMesh* lowered;
    if (!mesh->quadratic) return write_as(mesh, NULL, path, options);
    SN_TRY(sn_mesh_lower(mesh, &lowered));
    SnStatus status = write_as(lowered, mesh, path, options);
    sn_mesh_destroy(lowered);
    return status;
}

SnStatus sn_gmsh_write(const SnMesh* mesh, const char* path)
{
    return sn_gmsh_write_as(mesh, path, &(SnMeshWriteOptions){0});
}
