// .ply, text and binary of both byte orders, with properties of any type: vertices with colours, normals and texture
// coordinates, faces (polygons become fans of triangles) with texture coordinates of their corners, triangle strips and
// edges; the rest is passed over (http://paulbourke.net/dataformats/ply/).
#include <math.h>

#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/writer.h"

// Of a property: the place of its value; then of lists.
typedef enum Role { X, Y, Z, NX, NY, NZ, U, V, RED, GREEN, BLUE, ALPHA, START, END, CORNERS, STRIP, UVS, OTHER } Role;
#define VALUES CORNERS
#define ROLE_BIT(role) (1u << (role))
static const unsigned POSITION = 7u << X, NORMAL = 7u << NX, UV = 3u << U, COLOUR = 7u << RED;

typedef struct Property {
    bool list;
    SnNumberType count_type, type;
    Role role;
} Property;

typedef enum ElementKind { UNKNOWN, VERTEX, FACE, EDGE, STRIPS } ElementKind;
typedef struct Element {
    ElementKind kind;
    int64_t count;
    int first, properties;
    const char* where; // in the header
} Element;

typedef struct Ply {
    SnReader reader;
    SnMeshBuilder builder;
    Element* elements;
    int element_count, element_capacity;
    Property* properties;
    int property_count, property_capacity;
    int64_t* corners; // of the list being read
    int corner_count, corner_capacity;
    double* uvs; // of a face's corners
    int uv_count, uv_capacity;
    int64_t* uv_numbers; // per corner of the face being made
    int uv_number_capacity;
    unsigned attributes; // that vertices have, as bits of roles
    int vertex_uvs;      // read so far
} Ply;

static SnStatus read_type(Ply* p, SnNumberType* type)
{
    static const char* const names[][2] = {
        {"char", "int8"},   {"uchar", "uint8"}, {"short", "int16"},  {"ushort", "uint16"}, {"int", "int32"},
        {"uint", "uint32"}, {"int64", "long"},  {"uint64", "ulong"}, {"float", "float32"}, {"double", "float64"}};
    SnWord word;
    SN_TRY(sn_read_word(&p->reader, &word, "a type"));
    for (int i = 0; i < 10; i++) {
        *type = (SnNumberType)i;
        if (sn_word_is(word, names[i][0]) || sn_word_is(word, names[i][1])) return SN_OK;
    }
    return sn_reader_fail(&p->reader, word.text, SN_ERROR_FORMAT,
                          "a type such as float or int should be here, not '%.*s'", word.length < 32 ? word.length : 32,
                          word.text);
}

static Role role_of(SnWord name, ElementKind kind, bool list)
{
    static const struct {
        const char* name;
        ElementKind kind;
        bool list;
        Role role;
    } roles[] = {
        {"x", VERTEX, false, X},
        {"y", VERTEX, false, Y},
        {"z", VERTEX, false, Z},
        {"nx", VERTEX, false, NX},
        {"ny", VERTEX, false, NY},
        {"nz", VERTEX, false, NZ},
        {"u", VERTEX, false, U},
        {"v", VERTEX, false, V},
        {"s", VERTEX, false, U},
        {"t", VERTEX, false, V},
        {"texture_u", VERTEX, false, U},
        {"texture_v", VERTEX, false, V},
        {"red", VERTEX, false, RED},
        {"green", VERTEX, false, GREEN},
        {"blue", VERTEX, false, BLUE},
        {"alpha", VERTEX, false, ALPHA},
        {"diffuse_red", VERTEX, false, RED},
        {"diffuse_green", VERTEX, false, GREEN},
        {"diffuse_blue", VERTEX, false, BLUE},
        {"vertex_indices", FACE, true, CORNERS},
        {"vertex_index", FACE, true, CORNERS},
        {"texcoord", FACE, true, UVS},
        {"vertex_indices", STRIPS, true, STRIP},
        {"vertex_index", STRIPS, true, STRIP},
        {"vertex1", EDGE, false, START},
        {"vertex2", EDGE, false, END},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (roles[i].kind == kind && roles[i].list == list && sn_word_is(name, roles[i].name)) return roles[i].role;
    return OTHER;
}

static SnStatus read_property(Ply* p, const char* where)
{
    SnWord word;
    if (p->element_count == 0)
        return sn_reader_fail(&p->reader, where, SN_ERROR_FORMAT, "a property before any element");
    if (!SN_GROW(p->properties, p->property_capacity, p->property_count + (int64_t)1, "properties"))
        return SN_ERROR_MEMORY;
    Property* property = &p->properties[p->property_count];
    *property = (Property){0};
    property->list = sn_peek_word(&p->reader, &word) && sn_word_is(word, "list");
    if (property->list) {
        p->reader.at += word.length;
        SN_TRY(read_type(p, &property->count_type));
    }
    SN_TRY(read_type(p, &property->type));
    SN_TRY(sn_read_word(&p->reader, &word, "the name of a property"));
    Element* element = &p->elements[p->element_count - 1];
    property->role = role_of(word, element->kind, property->list);
    element->properties++;
    p->property_count++;
    return SN_OK;
}

static SnStatus read_element(Ply* p, const char* where)
{
    static const char* const kinds[] = {"", "vertex", "face", "edge", "tristrips"};
    SnWord word;
    if (!SN_GROW(p->elements, p->element_capacity, p->element_count + (int64_t)1, "elements")) return SN_ERROR_MEMORY;
    Element* element = &p->elements[p->element_count];
    *element = (Element){.first = p->property_count, .where = where};
    SN_TRY(sn_read_word(&p->reader, &word, "the name of an element"));
    for (int i = 1; i < 5; i++)
        if (sn_word_is(word, kinds[i])) element->kind = (ElementKind)i;
    SN_TRY(sn_read_integer(&p->reader, 0, INT32_MAX, &element->count, "the number of elements"));
    p->element_count++;
    return SN_OK;
}

static SnStatus read_format(Ply* p, bool* binary)
{
    SnWord word;
    SN_TRY(sn_read_word(&p->reader, &word, "the format"));
    p->reader.big_endian = sn_word_is(word, "binary_big_endian");
    *binary = p->reader.big_endian || sn_word_is(word, "binary_little_endian");
    if (*binary || sn_word_is(word, "ascii")) return SN_OK;
    return sn_reader_fail(&p->reader, word.text, SN_ERROR_FORMAT,
                          "the format must be ascii, binary_little_endian or binary_big_endian");
}

static SnStatus read_header(Ply* p)
{
    SnReader* r = &p->reader;
    SnWord word;
    bool binary = false;
    if (!sn_next_word(r, &word) || !sn_word_is(word, "ply"))
        return sn_reader_fail(r, r->bytes, SN_ERROR_FORMAT, "a PLY file starts with 'ply'");
    for (sn_skip_line(r);; sn_skip_line(r)) {
        SN_TRY(sn_read_word(r, &word, "end_header"));
        if (sn_word_is(word, "end_header")) break;
        if (sn_word_is(word, "comment") || sn_word_is(word, "obj_info")) continue;
        if (sn_word_is(word, "format"))
            SN_TRY(read_format(p, &binary));
        else if (sn_word_is(word, "element"))
            SN_TRY(read_element(p, word.text));
        else if (sn_word_is(word, "property"))
            SN_TRY(read_property(p, word.text));
        else
            return sn_reader_fail(r, word.text, SN_ERROR_FORMAT, "element, property or end_header should be here");
    }
    sn_skip_line(r);
    r->binary = binary;
    return SN_OK;
}

static SnStatus read_list(Ply* p, const Property* property)
{
    int64_t count;
    double ignored;
    bool wanted = property->role == CORNERS || property->role == STRIP, uvs = property->role == UVS;
    SN_TRY(sn_read_typed_integer(&p->reader, property->count_type, &count, "the length of a list"));
    SN_TRY(sn_reader_fits_typed(&p->reader, count, property->type, "list items"));
    if (wanted && !SN_GROW(p->corners, p->corner_capacity, count, "a list")) return SN_ERROR_MEMORY;
    if (uvs && !SN_GROW(p->uvs, p->uv_capacity, count, "a list")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        SN_TRY(wanted ? sn_read_typed_integer(&p->reader, property->type, &p->corners[i], "a vertex number")
                      : sn_read_typed_real(&p->reader, property->type, uvs ? &p->uvs[i] : &ignored, "a property"));
    if (wanted) p->corner_count = (int)count;
    if (uvs) p->uv_count = (int)count;
    return SN_OK;
}

// A strip: each vertex after the second makes a triangle with the two before it, every other one turned; -1 starts
// anew.
static SnStatus add_strip(Ply* p)
{
    for (int i = 0, length = 0; i < p->corner_count; i++) {
        const int64_t* c = p->corners + i;
        length = *c < 0 ? 0 : length + 1;
        if (length < 3) continue;
        int64_t even[3] = {c[-2], c[-1], c[0]}, odd[3] = {c[-1], c[-2], c[0]};
        SN_TRY(sn_builder_element(&p->builder, 2, length % 2 ? even : odd));
    }
    return SN_OK;
}

static SnStatus add_vertex(Ply* p, const double* values)
{
    SN_TRY(sn_builder_node(&p->builder, values + X));
    if ((p->attributes & NORMAL) == NORMAL) SN_TRY(sn_builder_normal(&p->builder, values + NX));
    if ((p->attributes & UV) == UV) SN_TRY(sn_builder_uv(&p->builder, values + U));
    p->vertex_uvs += (p->attributes & UV) == UV;
    if ((p->attributes & COLOUR) != COLOUR) return SN_OK;
    float colour[4];
    for (int c = 0; c < 4; c++) colour[c] = (float)values[RED + c];
    return sn_builder_colour(&p->builder, colour);
}

// Of its corners, where the face has two for each; else of its vertices.
static SnStatus number_uvs(Ply* p, const int64_t** uvs)
{
    *uvs = p->vertex_uvs > 0 ? p->corners : NULL;
    if (p->uv_count != 2 * p->corner_count) return SN_OK;
    if (!SN_GROW(p->uv_numbers, p->uv_number_capacity, (int64_t)p->corner_count, "texture coordinates"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < p->corner_count; i++) {
        p->uv_numbers[i] = p->builder.faces.faces.uv_count;
        SN_TRY(sn_builder_uv(&p->builder, p->uvs + 2 * (size_t)i));
    }
    *uvs = p->uv_numbers;
    return SN_OK;
}

static SnStatus add_face(Ply* p)
{
    const int64_t* uvs;
    bool normals = p->builder.faces.faces.normal_count > 0;
    if (p->corner_count < 3) return sn_malformed(&p->reader, "a face of %d vertices", p->corner_count);
    SN_TRY(number_uvs(p, &uvs));
    return sn_builder_face(&p->builder, p->corners, uvs, normals ? p->corners : NULL, p->corner_count);
}

static SnStatus add_item(Ply* p, ElementKind kind, const double* values)
{
    const double* ends = values + START;
    if (kind == VERTEX) return add_vertex(p, values);
    if (kind == FACE) return add_face(p);
    if (kind == STRIPS) return add_strip(p);
    if (kind != EDGE) return SN_OK;
    if (!(ends[0] >= 0 && ends[0] < SN_MESH_MOST && ends[1] >= 0 && ends[1] < SN_MESH_MOST))
        return sn_malformed(&p->reader, "an edge from vertex %g to %g", ends[0], ends[1]);
    return sn_builder_element(&p->builder, 1, (const int64_t[]){(int64_t)ends[0], (int64_t)ends[1]});
}

// Colours of whole numbers go up to the largest of their type.
static double scale_of(const Property* property)
{
    bool colour = property->role >= RED && property->role <= ALPHA;
    if (!colour || property->type == SN_FLOAT32 || property->type == SN_FLOAT64) return 1;
    return 1 / (exp2(8 * (double)sn_number_size(property->type)) - 1);
}

static SnStatus read_item(Ply* p, const Element* element, ElementKind kind)
{
    double values[VALUES] = {[ALPHA] = 1, [START] = -1, [END] = -1}, value;
    p->corner_count = p->uv_count = 0;
    for (int i = 0; i < element->properties; i++) {
        const Property* property = &p->properties[element->first + i];
        if (property->list) {
            SN_TRY(read_list(p, property));
            continue;
        }
        SN_TRY(sn_read_typed_real(&p->reader, property->type, &value, "a property"));
        if (property->role < VALUES) values[property->role] = value * scale_of(property);
    }
    return add_item(p, kind, values);
}

static SnStatus read_items(Ply* p, const Element* element)
{
    size_t bytes = 0;
    unsigned roles = 0;
    for (int i = 0; i < element->properties; i++) {
        const Property* property = &p->properties[element->first + i];
        roles |= ROLE_BIT(property->role);
        bytes += p->reader.binary ? sn_number_size(property->list ? property->count_type : property->type) : 2;
    }
    const unsigned needed[] = {[VERTEX] = POSITION,
                               [FACE] = ROLE_BIT(CORNERS),
                               [EDGE] = ROLE_BIT(START) | ROLE_BIT(END),
                               [STRIPS] = ROLE_BIT(STRIP)};
    if (element->kind == VERTEX) p->attributes = roles;
    bool complete = (needed[element->kind] & ~roles) == 0;
    if (!complete && element->kind == VERTEX)
        return sn_reader_fail(&p->reader, element->where, SN_ERROR_FORMAT,
                              "vertices without the properties x, y and z");
    if (element->properties == 0) return SN_OK; // nothing to read, however many there are
    SN_TRY(sn_reader_fits(&p->reader, element->count, bytes, "elements"));
    for (int64_t i = 0; i < element->count; i++) SN_TRY(read_item(p, element, complete ? element->kind : UNKNOWN));
    return SN_OK;
}

static SnStatus read_all(Ply* p, SnMesh** mesh)
{
    SN_TRY(sn_builder_begin(&p->builder, &p->reader));
    SN_TRY(read_header(p));
    for (int i = 0; i < p->element_count; i++) SN_TRY(read_items(p, &p->elements[i]));
    return sn_builder_finish(&p->builder, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Ply p = {0};
    SN_TRY(sn_reader_open(&p.reader, path));
    SnStatus status = read_all(&p, mesh);
    sn_builder_abandon(&p.builder);
    SN_FREE(p.elements, p.properties, p.corners, p.uvs, p.uv_numbers);
    sn_reader_close(&p.reader);
    return status;
}

// --- writing ---

// Lengths of lists are bytes, where they fit.
static const char* length_type(const SnFaces* f)
{
    int most = 3;
    for (int i = 0; f && i < f->count; i++)
        most = most > f->start[i + 1] - f->start[i] ? most : f->start[i + 1] - f->start[i];
    return 2 * most < 256 ? "uchar" : "int";
}

static void write_header(SnWriter* w, const SnMesh* mesh)
{
    const SnFaces* f = mesh->faces;
    const char* length = length_type(f);
    sn_write(w, "ply\nformat ascii 1.0\nelement vertex %d\n", mesh->node_count);
    sn_write(w, "property double x\nproperty double y\nproperty double z\n");
    if (f && f->colours)
        sn_write(w, "property float red\nproperty float green\nproperty float blue\nproperty float alpha\n");
    sn_write(w, "element face %d\nproperty list %s int vertex_indices\n", f ? f->count : mesh->triangle_count, length);
    if (f && f->corner_uvs) sn_write(w, "property list %s double texcoord\n", length);
    if (mesh->edge_count)
        sn_write(w, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", mesh->edge_count);
    sn_write(w, "end_header\n");
}

// A face of which a corner has no texture coordinate has none.
static void write_face(SnWriter* w, const SnFaces* f, int face)
{
    int first = f->start[face], end = f->start[face + 1];
    bool all = f->corner_uvs != NULL;
    sn_write(w, "%d", end - first);
    for (int k = first; k < end; k++) sn_write(w, " %d", f->corners[k]);
    for (int k = first; k < end; k++) all = all && f->corner_uvs[k] >= 0;
    if (f->corner_uvs) sn_write(w, " %d", all ? 2 * (end - first) : 0);
    for (int k = first; all && k < end; k++)
        for (int c = 0; c < 2; c++) sn_write_real(w, f->uvs[2 * (size_t)f->corner_uvs[k] + (size_t)c]);
    sn_write(w, "\n");
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    SnWriter w;
    const SnFaces* f = mesh->faces;
    SN_TRY(sn_writer_open(&w, path));
    write_header(&w, mesh);
    for (int i = 0; i < mesh->node_count; i++) {
        const double* x = mesh->nodes + 3 * (size_t)i;
        sn_write(&w, "%.17g %.17g %.17g", x[0], x[1], x[2]);
        for (int c = 0; f && f->colours && c < 4; c++)
            sn_write(&w, " %.9g", (double)f->colours[4 * (size_t)i + (size_t)c]);
        sn_write(&w, "\n");
    }
    for (int i = 0; f && i < f->count; i++) write_face(&w, f, i);
    for (int i = 0; !f && i < mesh->triangle_count; i++) {
        const int* n = mesh->triangles + 3 * (size_t)i;
        sn_write(&w, "3 %d %d %d\n", n[0], n[1], n[2]);
    }
    for (int i = 0; i < mesh->edge_count; i++)
        sn_write(&w, "%d %d\n", mesh->edges[2 * (size_t)i], mesh->edges[2 * (size_t)i + 1]);
    return sn_writer_close(&w);
}

const SnMeshFormat sn_mesh_ply = {
    .name = "ply",
    .endings = ".ply",
    .summary = "polygons and edges with colours and UVs, text or binary; of tetrahedra the surface is written, as text",
    .read = read,
    .write = write,
    .surface = true,
};
