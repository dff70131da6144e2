// Small mesh files of every variant, written here byte by byte: five nodes, two tetrahedra (or triangles) and friends.
#pragma once
#include "check.h"

#include <zlib.h>

#include "core/sanitizer.h"

typedef struct Bytes {
    char* data;
    size_t size, capacity;
} Bytes;

static inline void put(Bytes* b, const void* data, size_t size)
{
    if (b->size + size + 1 > b->capacity) {
        b->capacity = 2 * (b->size + size) + 256;
        b->data = realloc(b->data, b->capacity);
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = 0;
}

static inline void put_text(Bytes* b, const char* text)
{
    put(b, text, strlen(text));
}

static inline void put_number(Bytes* b, const void* number, size_t size,
                              bool big_endian) // of this little-endian machine
{
    for (size_t i = 0; i < size; i++) put(b, (const char*)number + (big_endian ? size - 1 - i : i), 1);
}

static inline void put_i32(Bytes* b, int32_t value, bool big_endian)
{
    put_number(b, &value, 4, big_endian);
}

static inline void put_i64(Bytes* b, int64_t value, bool big_endian)
{
    put_number(b, &value, 8, big_endian);
}

static inline void put_f32(Bytes* b, float value, bool big_endian)
{
    put_number(b, &value, 4, big_endian);
}

static inline void put_f64(Bytes* b, double value, bool big_endian)
{
    put_number(b, &value, 8, big_endian);
}

static const double fixture_nodes[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1.25}};
static const int fixture_tetrahedra[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
static const int fixture_triangles[2][3] = {{0, 1, 2}, {1, 3, 2}};
static const int fixture_edge[2] = {0, 4};

typedef struct Fixture {
    const char* name;
    const char* ending;
    void (*make)(Bytes* b);
    const char* sibling_ending; // TetGen's other file
    const char* sibling;
    int tetrahedra, triangles, edges, groups, fields; // that it has
} Fixture;

// --- gmsh: one description, nine files

enum { TEXT, LITTLE, BIG };
typedef struct GmshMaker {
    Bytes* b;
    int version, mode; // 22, 40, 41; TEXT, ...
} GmshMaker;

static inline void gmsh_int(GmshMaker m, int value)
{
    char text[32];
    snprintf(text, sizeof text, "%d ", value);
    if (m.mode == TEXT)
        put_text(m.b, text);
    else
        put_i32(m.b, value, m.mode == BIG);
}

static inline void gmsh_size(GmshMaker m, int value)
{
    if (m.mode == TEXT)
        gmsh_int(m, value);
    else
        put_i64(m.b, value, m.mode == BIG);
}

static inline void gmsh_tag(GmshMaker m, int value) // of a node or an element
{
    if (m.version == 41)
        gmsh_size(m, value);
    else
        gmsh_int(m, value);
}

static inline void gmsh_real(GmshMaker m, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g ", value);
    if (m.mode == TEXT)
        put_text(m.b, text);
    else
        put_f64(m.b, value, m.mode == BIG);
}

static inline void gmsh_line(GmshMaker m)
{
    if (m.mode == TEXT) put_text(m.b, "\n");
}

static const int gmsh_tags[5] = {10, 1000000007, 7, 3, 99}; // far apart and out of order

static inline void gmsh_entity(GmshMaker m, int dimension, int tag, int physical)
{
    gmsh_int(m, tag);
    int bounds = dimension == 0 && m.version == 41 ? 3 : 6;
    for (int i = 0; i < bounds; i++) gmsh_real(m, i / 3);
    gmsh_size(m, 1);
    gmsh_int(m, physical);
    if (dimension > 0) {
        gmsh_size(m, 2);
        gmsh_int(m, 1);
        gmsh_int(m, -2);
    }
    gmsh_line(m);
}

// Entities 5 .. 8 of dimension 0 .. 3 in physical groups 1 .. 4.
static inline void gmsh_entities(GmshMaker m)
{
    put_text(m.b, "$Entities\n");
    for (int d = 0; d < 4; d++) gmsh_size(m, 1);
    gmsh_line(m);
    for (int d = 0; d < 4; d++) gmsh_entity(m, d, 5 + d, 1 + d);
    put_text(m.b, "\n$EndEntities\n");
}

static inline void gmsh_block(GmshMaker m, int dimension, int tag, int third, int count)
{
    gmsh_int(m, m.version == 41 ? dimension : tag);
    gmsh_int(m, m.version == 41 ? tag : dimension);
    gmsh_int(m, third);
    gmsh_size(m, count);
    gmsh_line(m);
}

static inline void gmsh_xyz(GmshMaker m, int node)
{
    for (int i = 0; i < 3; i++) gmsh_real(m, fixture_nodes[node][i]);
    gmsh_line(m);
}

static inline void gmsh_node_block(GmshMaker m, int first, int count)
{
    gmsh_block(m, 3, 8, 0, count);
    for (int i = first; i < first + count; i++) {
        gmsh_tag(m, gmsh_tags[i]);
        if (m.version == 40) gmsh_xyz(m, i);
    }
    gmsh_line(m);
    for (int i = first; m.version == 41 && i < first + count; i++) gmsh_xyz(m, i);
}

static inline void gmsh_nodes(GmshMaker m)
{
    put_text(m.b, "$Nodes\n");
    if (m.version == 22) {
        put_text(m.b, "5\n");
        for (int i = 0; i < 5; i++) {
            gmsh_int(m, gmsh_tags[i]);
            gmsh_xyz(m, i);
        }
    } else {
        gmsh_size(m, 2);
        gmsh_size(m, 5);
        if (m.version == 41) gmsh_size(m, 3), gmsh_size(m, 1000000007);
        gmsh_line(m);
        gmsh_node_block(m, 0, 2);
        gmsh_node_block(m, 2, 3);
    }
    put_text(m.b, "\n$EndNodes\n");
}

static inline void gmsh_element(GmshMaker m, int type, int number, int dimension, int group, const int* nodes,
                                int count)
{
    gmsh_tag(m, number);
    if (m.version == 22) {
        if (m.mode == TEXT) gmsh_int(m, type), gmsh_int(m, 2);
        gmsh_int(m, group);
        gmsh_int(m, 5 + dimension);
    }
    for (int i = 0; i < count; i++) gmsh_tag(m, gmsh_tags[nodes[i]]);
    gmsh_line(m);
}

static inline void gmsh_elements(GmshMaker m)
{
    static const struct {
        int type, dimension, nodes;
        const int* list;
        int count;
    } lists[] = {{15, 0, 1, fixture_edge, 1}, // node 0
                 {1, 1, 2, fixture_edge, 1},
                 {2, 2, 3, fixture_triangles[0], 1},
                 {4, 3, 4, fixture_tetrahedra[0], 2}};
    put_text(m.b, m.version == 22 ? "$Elements\n5\n" : "$Elements\n");
    if (m.version != 22) gmsh_size(m, 4), gmsh_size(m, 5);
    if (m.version == 41) gmsh_size(m, 100), gmsh_size(m, 104);
    if (m.version != 22) gmsh_line(m);
    for (int l = 0, number = 100; l < 4; l++) {
        if (m.version != 22) gmsh_block(m, lists[l].dimension, 5 + lists[l].dimension, lists[l].type, lists[l].count);
        if (m.version == 22 && m.mode != TEXT) gmsh_int(m, lists[l].type), gmsh_int(m, lists[l].count), gmsh_int(m, 2);
        for (int i = 0; i < lists[l].count; i++)
            gmsh_element(m, lists[l].type, number++, lists[l].dimension, 1 + lists[l].dimension,
                         lists[l].list + i * lists[l].nodes, lists[l].nodes);
    }
    put_text(m.b, "\n$EndElements\n");
}

static inline void gmsh_data(GmshMaker m)
{
    put_text(m.b, "$NodeData\n1\n\"warm th\"\n1\n0.5\n3\n0\n1\n5\n");
    for (int i = 0; i < 5; i++) {
        gmsh_int(m, gmsh_tags[i]);
        gmsh_real(m, 0.5 * i);
        gmsh_line(m);
    }
    put_text(m.b, "\n$EndNodeData\n$ElementData\n1\n\"pull\"\n1\n0\n3\n0\n3\n2\n");
    for (int i = 0; i < 2; i++) {
        gmsh_int(m, 103 + i);
        for (int c = 0; c < 3; c++) gmsh_real(m, 3 * i + c);
        gmsh_line(m);
    }
    put_text(m.b, "\n$EndElementData\n");
}

static inline void make_gmsh(Bytes* b, int version, int mode)
{
    GmshMaker m = {b, version, mode};
    char header[64];
    snprintf(header, sizeof header, "$MeshFormat\n%g %d 8\n", version / 10.0, mode != TEXT);
    put_text(b, header);
    if (mode != TEXT) put_i32(b, 1, mode == BIG);
    put_text(b, mode == TEXT ? "$EndMeshFormat\n" : "\n$EndMeshFormat\n");
    put_text(b, "$Comments\nanything $Nodes\n$EndComments\n$PhysicalNames\n2\n3 4 \"soft part\"\n1 2 "
                "\"wire\"\n$EndPhysicalNames\n");
    if (version != 22) gmsh_entities(m);
    gmsh_nodes(m);
    gmsh_elements(m);
    gmsh_data(m);
}

#define GMSH_MAKER(version, mode)                          \
    static inline void make_gmsh_##version##mode(Bytes* b) \
    {                                                      \
        make_gmsh(b, version, mode);                       \
    }
GMSH_MAKER(22, TEXT)
GMSH_MAKER(22, LITTLE)
GMSH_MAKER(22, BIG)
GMSH_MAKER(40, TEXT)
GMSH_MAKER(40, LITTLE)
GMSH_MAKER(40, BIG)
GMSH_MAKER(41, TEXT)
GMSH_MAKER(41, LITTLE)
GMSH_MAKER(41, BIG)

// --- medit, TetGen

static inline void make_medit(Bytes* b)
{
    put_text(
        b,
        "MeshVersionFormatted 2\n# a comment\n\nDimension\n3\n\nVertices\n\n5\n\n0 0 0 0\n1 0 0 7\n\n0 1 0 0\n0 0 1 0\n"
        "1 1 1.25 0 # here\nRequiredVertices\n2\n1 2\n\nEdges\n1\n1 5 3\nTriangles\n1\n1 2 3 9\nTetrahedra\n2\n"
        "1 2 3 4 1\n2 3 4 5 2\nEnd\n");
}

static inline void make_tetgen_nodes(Bytes* b)
{
    put_text(b,
             "# nodes\n5 3 1 1\n1 0 0 0 0.5 0\n2 1 0 0 1.5 1\n3 0 1 0 2.5 1\n4 0 0 1 3.5 0\n5 1 1 1.25 4.5 0\n# end\n");
}

static inline void make_tetgen_elements(Bytes* b)
{
    put_text(b, "2 4 1 # two\n0 0 1 2 3 17\n1 1 2 3 4 18\n");
}

// --- VTK

static inline void vtk_header(Bytes* b, const char* version, const char* mode, const char* dataset)
{
    put_text(b, "# vtk DataFile Version ");
    put_text(b, version);
    put_text(b, "\na title # with marks\n");
    put_text(b, mode);
    put_text(b, "\nDATASET ");
    put_text(b, dataset);
    put_text(b, "\n");
}

static inline void make_vtk_text(Bytes* b)
{
    vtk_header(b, "3.0", "ASCII", "UNSTRUCTURED_GRID");
    put_text(b,
             "POINTS 5 float\n0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1.25\n\nCELLS 4 17\n2 0 4\n4 0 1 2 3\n3 0 1 2\n4 1 2 3 4\n\n"
             "CELL_TYPES 4\n3\n10\n5\n10\n\nPOINT_DATA 5\nSCALARS warm%20th double 1\nLOOKUP_TABLE default\n"
             "0 0.5 1 1.5 2\nCELL_DATA 4\nVECTORS pull float\n9 9 9 0 1 2 9 9 9 3 4 5\n");
}

static inline void make_vtk_new_text(Bytes* b)
{
    vtk_header(b, "5.1", "ASCII", "UNSTRUCTURED_GRID");
    put_text(b, "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1.25\nMETADATA\nINFORMATION 0\n\nCELLS 5 13\n"
                "OFFSETS vtktypeint64\n0 2 6 9 13\nCONNECTIVITY vtktypeint64\n0 4 0 1 2 3 0 1 2 1 2 3 4\n"
                "CELL_TYPES 4\n3\n10\n5\n10\nPOINT_DATA 5\nFIELD FieldData 1\nwarm%20th 1 5 double\n0 0.5 1 1.5 2\n"
                "METADATA\nINFORMATION 0\n\n"
                "CELL_DATA 4\nFIELD FieldData 1\npull 3 4 float\n9 9 9 0 1 2 9 9 9 3 4 5\n");
}

static inline void put_floats(Bytes* b, const double* values, int count, bool doubles)
{
    for (int i = 0; i < count; i++) {
        if (doubles)
            put_f64(b, values[i], true);
        else
            put_f32(b, (float)values[i], true);
    }
}

static inline void vtk_binary_data(Bytes* b)
{
    static const double warmth[] = {0, 0.5, 1, 1.5, 2}, pull[] = {9, 9, 9, 0, 1, 2, 9, 9, 9, 3, 4, 5};
    put_text(b, "\nPOINT_DATA 5\nSCALARS warm%20th double\nLOOKUP_TABLE default\n");
    put_floats(b, warmth, 5, true);
    put_text(b, "\nCELL_DATA 4\nVECTORS pull float\n");
    put_floats(b, pull, 12, false);
    put_text(b, "\n");
}

static const int vtk_connectivity[] = {0, 4, 0, 1, 2, 3, 0, 1, 2, 1, 2, 3, 4};
static const int vtk_offsets[] = {0, 2, 6, 9, 13};
static const int vtk_types[] = {3, 10, 5, 10};

static inline void make_vtk_binary(Bytes* b)
{
    vtk_header(b, "3.0", "BINARY", "UNSTRUCTURED_GRID");
    put_text(b, "POINTS 5 float\n");
    put_floats(b, fixture_nodes[0], 15, false);
    put_text(b, "\nCELLS 4 17\n");
    for (int c = 0; c < 4; c++) {
        put_i32(b, vtk_offsets[c + 1] - vtk_offsets[c], true);
        for (int i = vtk_offsets[c]; i < vtk_offsets[c + 1]; i++) put_i32(b, vtk_connectivity[i], true);
    }
    put_text(b, "\nCELL_TYPES 4\n");
    for (int c = 0; c < 4; c++) put_i32(b, vtk_types[c], true);
    vtk_binary_data(b);
}

static inline void make_vtk_new_binary(Bytes* b)
{
    vtk_header(b, "5.1", "BINARY", "UNSTRUCTURED_GRID");
    put_text(b, "POINTS 5 double\n");
    put_floats(b, fixture_nodes[0], 15, true);
    put_text(b, "\nCELLS 5 13\nOFFSETS vtktypeint64\n");
    for (int i = 0; i < 5; i++) put_i64(b, vtk_offsets[i], true);
    put_text(b, "\nCONNECTIVITY vtktypeint64\n");
    for (int i = 0; i < 13; i++) put_i64(b, vtk_connectivity[i], true);
    put_text(b, "\nCELL_TYPES 4\n");
    for (int c = 0; c < 4; c++) put_i32(b, vtk_types[c], true);
    vtk_binary_data(b);
}

static inline void make_vtk_polydata(Bytes* b)
{
    vtk_header(b, "2.0", "ASCII", "POLYDATA");
    put_text(b, "POINTS 5 float\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1.25\nVERTICES 1 2\n1 0\nLINES 1 3\n2 0 4\n"
                "POLYGONS 2 8\n3 0 1 2\n3 1 3 2\nCELL_DATA 4\nSCALARS heat int\nLOOKUP_TABLE default\n1 2 3 4\n"
                "POINT_DATA 5\nNORMALS up float\n0 1 0 0 1 0 0 1 0 0 1 0 0 1 0\n");
}

static inline void make_vtk_new_polydata(Bytes* b)
{
    vtk_header(b, "5.1", "BINARY", "POLYDATA");
    put_text(b, "POINTS 5 float\n");
    put_floats(b, fixture_nodes[0], 15, false);
    put_text(b, "\nLINES 2 2\nOFFSETS vtktypeint64\n");
    put_i64(b, 0, true), put_i64(b, 2, true);
    put_text(b, "\nCONNECTIVITY vtktypeint64\n");
    put_i64(b, 0, true), put_i64(b, 4, true);
    put_text(b, "\nPOLYGONS 3 6\nOFFSETS vtktypeint64\n");
    put_i64(b, 0, true), put_i64(b, 3, true), put_i64(b, 6, true);
    put_text(b, "\nCONNECTIVITY vtktypeint64\n");
    for (int i = 0; i < 6; i++) put_i64(b, fixture_triangles[i / 3][i % 3], true);
    put_text(b, "\n");
}

// --- surfaces

static inline void make_obj(Bytes* b)
{
    put_text(b, "# five\nmtllib x.mtl\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nv 0 0 1 0.1 0.2 0.3\n"
                "v 1 1 \\\n 1.25\ng a\nusemtl b\nf 1/1/1 2//1 3\nf -4 -2/1 -3\nl 1 5 # line\n");
}

static inline void make_ply_text(Bytes* b)
{
    put_text(b, "ply\nformat ascii 1.0\ncomment hello\nelement vertex 5\nproperty float x\nproperty float y\n"
                "property float z\nproperty uchar red\nelement face 2\nproperty int flags\n"
                "property list uchar int vertex_indices\nelement edge 1\nproperty int vertex1\nproperty int vertex2\n"
                "end_header\n0 0 0 255\n1 0 0 1\n0 1 0 2\n0 0 1 3\n1 1 1.25 4\n7 3 0 1 2\n8 3 1 3 2\n0 4\n");
}

static inline void make_ply_binary(Bytes* b, bool big)
{
    put_text(b, "ply\nformat ");
    put_text(b, big ? "binary_big_endian 1.0\n" : "binary_little_endian 1.0\n");
    put_text(b, "element vertex 5\nproperty short weight\nproperty double x\nproperty float32 y\nproperty double z\n"
                "property list uint8 uint16 more\nelement face 2\nproperty list int uint vertex_index\n"
                "element edge 1\nproperty int64 vertex1\nproperty uchar vertex2\nend_header\n");
    for (int i = 0; i < 5; i++) {
        int16_t weight = (int16_t)(-i), more = 300;
        put_number(b, &weight, 2, big);
        put_f64(b, fixture_nodes[i][0], big);
        put_f32(b, (float)fixture_nodes[i][1], big);
        put_f64(b, fixture_nodes[i][2], big);
        put(b, "\1", 1);
        put_number(b, &more, 2, big);
    }
    for (int t = 0; t < 2; t++) {
        put_i32(b, 3, big);
        for (int i = 0; i < 3; i++) put_i32(b, fixture_triangles[t][i], big);
    }
    put_i64(b, 0, big);
    put(b, "\4", 1);
}

static inline void make_ply_little(Bytes* b)
{
    make_ply_binary(b, false);
}

static inline void make_ply_big(Bytes* b)
{
    make_ply_binary(b, true);
}

static inline void make_stl_text(Bytes* b)
{
    put_text(b, "solid two words\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                "endfacet\nFACET NORMAL 0 0 0\n OUTER LOOP\n  VERTEX 1 0 0\n  VERTEX 0 0 1e0\n  VERTEX -0 1 0\n"
                " ENDLOOP\nENDFACET\nendsolid two words\n");
}

static inline void make_stl_binary(Bytes* b)
{
    char header[80] = "solid but binary";
    put(b, header, sizeof header);
    put_i32(b, 2, false);
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 3; i++) put_f32(b, 0, false);
        for (int c = 0; c < 9; c++) put_f32(b, (float)fixture_nodes[fixture_triangles[t][c / 3]][c % 3], false);
        put(b, "\0\0", 2);
    }
}

#define GLTF_SCENE                                                                                                   \
    "\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"scale\":[2,2,2],"        \
    "\"children\":[1]},{\"mesh\":0,\"name\":\"m\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"  \
    "\"indices\":1},{\"attributes\":{\"POSITION\":0},\"indices\":2,\"mode\":1}]}],\"accessors\":[{\"bufferView\":0," \
    "\"componentType\":5126,\"count\":5,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5123,\"count\":6,"    \
    "\"type\":\"SCALAR\"},{\"bufferView\":1,\"byteOffset\":12,\"componentType\":5123,\"count\":2,\"type\":"          \
    "\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":60},{\"buffer\":0,\"byteOffset\":60,"                \
    "\"byteLength\":16}]"

// The nodes at half their size: the scene's node makes them twice as large.
static inline void make_gltf(Bytes* b)
{
    put_text(b, "{" GLTF_SCENE ",\"buffers\":[{\"byteLength\":76,\"uri\":\"data:application/octet-stream;base64,"
                "AAAAAAAAAAAAAAAAAAAAPwAAAAAAAAAAAAAAAAAAAD8AAAAAAAAAAAAAAAAAAAA/AAAAPwAAAD8AACA/"
                "AAABAAIAAQADAAIAAAAEAA==\"}]}\n");
}

static inline void make_glb(Bytes* b)
{
    const char* json = "{" GLTF_SCENE ",\"buffers\":[{\"byteLength\":76}]}";
    int32_t length = (int32_t)strlen(json), padded = (length + 3) / 4 * 4;
    put_text(b, "glTF");
    put_i32(b, 2, false), put_i32(b, 28 + padded + 76, false), put_i32(b, padded, false);
    put_text(b, "JSON");
    put_text(b, json);
    put(b, "   ", (size_t)(padded - length));
    put_i32(b, 76, false), put(b, "BIN\0", 4);
    for (int i = 0; i < 15; i++) put_f32(b, (float)fixture_nodes[i / 3][i % 3] / 2, false);
    for (int i = 0; i < 8; i++) {
        uint16_t corner = (uint16_t)(i < 6 ? fixture_triangles[i / 3][i % 3] : fixture_edge[i - 6]);
        put_number(b, &corner, 2, false);
    }
}

// --- VTK's XML files: the cells of make_vtk_text, in each way that numbers may be in

typedef enum VtuMode { VTU_TEXT, VTU_BASE64, VTU_RAW, VTU_PACKED } VtuMode;

static inline void put_base64(Bytes* b, const unsigned char* data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)data[i] << 16 | (i + 1 < size ? (unsigned)data[i + 1] << 8 : 0) |
                        (i + 2 < size ? (unsigned)data[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], i + 1 < size ? digits[bits >> 6 & 63] : '=',
                        i + 2 < size ? digits[bits & 63] : '='};
        put(b, four, 4);
    }
}

// Of two blocks where it is compressed.
static inline void put_vtu_data(Bytes* appended, VtuMode mode, const Bytes* raw)
{
    if (mode != VTU_PACKED) {
        put_i32(appended, (int32_t)raw->size, false);
        put(appended, raw->data, raw->size);
        return;
    }
    unsigned char packed[2][512];
    uLongf sizes[2] = {512, 512};
    size_t half = raw->size / 2 + 1, rest = raw->size - half;
    compress(packed[0], &sizes[0], (const Bytef*)raw->data, half);
    compress(packed[1], &sizes[1], (const Bytef*)raw->data + half, rest);
    for (int i = 0; i < 2; i++) SN_WRITTEN(packed[i], sizes[i]);
    const int32_t header[5] = {2, (int32_t)half, (int32_t)rest, (int32_t)sizes[0], (int32_t)sizes[1]};
    for (int i = 0; i < 5; i++) put_i32(appended, header[i], false);
    for (int i = 0; i < 2; i++) put(appended, packed[i], sizes[i]);
}

static inline void put_vtu_array(Bytes* b, Bytes* appended, VtuMode mode, const char* attributes, bool real,
                                 const double* values, int count)
{
    char text[200];
    Bytes raw = {0};
    for (int i = 0; i < count; i++)
        if (real)
            put_f64(&raw, values[i], false);
        else
            put_i32(&raw, (int32_t)values[i], false);
    snprintf(text, sizeof text, "<DataArray type='%s' %s format=\"%s\" offset='%zu'>\n", real ? "Float64" : "Int32",
             attributes,
             mode == VTU_TEXT     ? "ascii"
             : mode == VTU_BASE64 ? "binary"
                                  : "appended",
             appended->size);
    put_text(b, text);
    for (int i = 0; mode == VTU_TEXT && i < count; i++) {
        snprintf(text, sizeof text, "%s%g", i ? " " : "", values[i]);
        put_text(b, text);
    }
    if (mode == VTU_BASE64) {
        Bytes all = {0};
        put_vtu_data(&all, mode, &raw);
        put_base64(b, (const unsigned char*)all.data, all.size);
        free(all.data);
    }
    if (mode == VTU_RAW || mode == VTU_PACKED) put_vtu_data(appended, mode, &raw);
    put_text(b, "\n</DataArray>\n");
    free(raw.data);
}

static inline void make_vtu(Bytes* b, VtuMode mode)
{
    static const double nodes[] = {0, 4, 0, 1, 2, 3, 0, 1, 2, 1, 2, 3, 4}, ends[] = {2, 6, 9, 13},
                        types[] = {3, 10, 5, 10}, warmth[] = {0, 0.5, 1, 1.5, 2},
                        pull[] = {9, 9, 9, 0, 1, 2, 9, 9, 9, 3, 4, 5};
    Bytes appended = {0};
    put_text(b, "<?xml version=\"1.0\"?>\n<!-- > a comment < -->\n<VTKFile type=\"UnstructuredGrid\" "
                "byte_order=\"LittleEndian\"");
    if (mode == VTU_PACKED) put_text(b, " compressor=\"vtkZLibDataCompressor\"");
    put_text(b, "><UnstructuredGrid>\n<FieldData><DataArray type=\"String\" Name=\"s\" format=\"ascii\">65</DataArray>"
                "</FieldData><Piece NumberOfPoints='5' NumberOfCells='4'>\n<PointData>\n");
    put_vtu_array(b, &appended, mode, "Name=\"warm%20th\"", true, warmth, 5);
    put_text(b, "</PointData><CellData>\n");
    put_vtu_array(b, &appended, mode, "Name=\"pull\" NumberOfComponents = \"3\"", true, pull, 12);
    put_text(b, "</CellData><Points>\n");
    put_vtu_array(b, &appended, mode, "NumberOfComponents=\"3\"", true, fixture_nodes[0], 15);
    put_text(b, "</Points><Cells>\n");
    put_vtu_array(b, &appended, mode, "Name=\"connectivity\"", false, nodes, 13);
    put_vtu_array(b, &appended, mode, "Name=\"offsets\"", false, ends, 4);
    put_vtu_array(b, &appended, mode, "Name=\"types\"", false, types, 4);
    put_text(b, "</Cells></Piece></UnstructuredGrid>\n");
    if (appended.size > 0) {
        put_text(b, "<AppendedData encoding=\"raw\">\n_");
        put(b, appended.data, appended.size);
        put_text(b, "\n</AppendedData>");
    }
    put_text(b, "</VTKFile>\n");
    free(appended.data);
}

static inline void make_vtu_text(Bytes* b)
{
    make_vtu(b, VTU_TEXT);
}

static inline void make_vtu_base64(Bytes* b)
{
    make_vtu(b, VTU_BASE64);
}

static inline void make_vtu_raw(Bytes* b)
{
    make_vtu(b, VTU_RAW);
}

static inline void make_vtu_packed(Bytes* b)
{
    make_vtu(b, VTU_PACKED);
}

static inline void make_vtp(Bytes* b)
{
    put_text(b, "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"5\">\n"
                "<CellData><DataArray type=\"Float32\" Name=\"kind\" format=\"ascii\">1 2 3 4</DataArray></CellData>\n"
                "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"
                "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1.25</DataArray></Points>\n"
                "<Verts><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">3</DataArray>"
                "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">1</DataArray></Verts>\n"
                "<Lines><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 4</DataArray>"
                "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">2</DataArray></Lines>\n"
                "<Polys><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 1 3 2</DataArray>"
                "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">3 6</DataArray></Polys>\n"
                "</Piece></PolyData></VTKFile>\n");
}

static inline void make_usda(Bytes* b)
{
    put_text(b, "#usda 1.0\n(\n    metersPerUnit = 0.5\n)\n\ndef Mesh \"m\"\n{\n"
                "    int[] faceVertexCounts = [3, 3]\n    int[] faceVertexIndices = [0, 1, 2, 1, 3, 2]\n"
                "    point3f[] points = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2), (2, 2, 2.5)]\n}\n");
}

static const Fixture fixtures[] = {
    {"gmsh 2.2 text", ".msh", make_gmsh_22TEXT, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 2.2 binary", ".msh", make_gmsh_22LITTLE, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 2.2 big-endian", ".msh", make_gmsh_22BIG, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 4.0 text", ".msh", make_gmsh_40TEXT, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 4.0 binary", ".msh", make_gmsh_40LITTLE, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 4.0 big-endian", ".msh", make_gmsh_40BIG, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 4.1 text", ".msh", make_gmsh_41TEXT, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 4.1 binary", ".msh", make_gmsh_41LITTLE, NULL, NULL, 2, 1, 1, 4, 2},
    {"gmsh 4.1 big-endian", ".msh", make_gmsh_41BIG, NULL, NULL, 2, 1, 1, 4, 2},
    {"medit", ".mesh", make_medit, NULL, NULL, 2, 1, 1, 5, 0},
    {"tetgen nodes", ".node", make_tetgen_nodes, ".ele", "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n", 2, 0, 0, 1, 1},
    {"tetgen elements", ".ele", make_tetgen_elements, ".node",
     "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1.25\n", 2, 0, 0, 2, 1},
    {"vtk text", ".vtk", make_vtk_text, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtk 5.1 text", ".vtk", make_vtk_new_text, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtk binary", ".vtk", make_vtk_binary, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtk 5.1 binary", ".vtk", make_vtk_new_binary, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtk polydata", ".vtk", make_vtk_polydata, NULL, NULL, 0, 2, 1, 0, 2},
    {"vtk 5.1 polydata", ".vtk", make_vtk_new_polydata, NULL, NULL, 0, 2, 1, 0, 0},
    {"obj", ".obj", make_obj, NULL, NULL, 0, 2, 1, 0, 0},
    {"ply text", ".ply", make_ply_text, NULL, NULL, 0, 2, 1, 0, 0},
    {"ply little-endian", ".ply", make_ply_little, NULL, NULL, 0, 2, 1, 0, 0},
    {"ply big-endian", ".ply", make_ply_big, NULL, NULL, 0, 2, 1, 0, 0},
    {"stl text", ".stl", make_stl_text, NULL, NULL, 0, 2, 0, 0, 0},
    {"stl binary", ".stl", make_stl_binary, NULL, NULL, 0, 2, 0, 0, 0},
    {"gltf", ".gltf", make_gltf, NULL, NULL, 0, 2, 1, 0, 0},
    {"glb", ".glb", make_glb, NULL, NULL, 0, 2, 1, 0, 0},
    {"usda", ".usda", make_usda, NULL, NULL, 0, 2, 0, 0, 0},
    {"vtu text", ".vtu", make_vtu_text, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtu base 64", ".vtu", make_vtu_base64, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtu appended", ".vtu", make_vtu_raw, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtu by zlib", ".vtu", make_vtu_packed, NULL, NULL, 2, 1, 1, 0, 2},
    {"vtp", ".vtp", make_vtp, NULL, NULL, 0, 2, 1, 0, 1},
};
enum { FIXTURES = sizeof fixtures / sizeof *fixtures };
