// .ply, text and binary of both byte orders, with properties of any type: vertices, faces (polygons become fans of
// triangles), triangle strips and edges; the rest is passed over (http://paulbourke.net/dataformats/ply/).
#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/writer.h"

typedef enum Role { OTHER, X, Y, Z, CORNERS, STRIP, START, END } Role; // of a property
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
        {"vertex_indices", FACE, true, CORNERS},
        {"vertex_index", FACE, true, CORNERS},
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
    bool wanted = property->role == CORNERS || property->role == STRIP;
    SN_TRY(sn_read_typed_integer(&p->reader, property->count_type, &count, "the length of a list"));
    SN_TRY(sn_reader_fits_typed(&p->reader, count, property->type, "list items"));
    if (wanted && !SN_GROW(p->corners, p->corner_capacity, count, "a list")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++)
        SN_TRY(wanted ? sn_read_typed_integer(&p->reader, property->type, &p->corners[i], "a vertex number")
                      : sn_read_typed_real(&p->reader, property->type, &ignored, "a property"));
    if (wanted) p->corner_count = (int)count;
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

static SnStatus add_item(Ply* p, ElementKind kind, const double x[3], const double ends[2])
{
    if (kind == VERTEX) return sn_builder_node(&p->builder, x);
    if (kind == STRIPS) return add_strip(p);
    if (kind == EDGE) {
        if (!(ends[0] >= 0 && ends[0] < SN_MESH_MOST && ends[1] >= 0 && ends[1] < SN_MESH_MOST))
            return sn_malformed(&p->reader, "an edge from vertex %g to %g", ends[0], ends[1]);
        return sn_builder_element(&p->builder, 1, (const int64_t[]){(int64_t)ends[0], (int64_t)ends[1]});
    }
    if (kind == FACE && p->corner_count < 3) return sn_malformed(&p->reader, "a face of %d vertices", p->corner_count);
    return kind == FACE ? sn_builder_polygon(&p->builder, p->corners, p->corner_count) : SN_OK;
}

static SnStatus read_item(Ply* p, const Element* element, ElementKind kind)
{
    double x[3] = {0, 0, 0}, ends[2] = {-1, -1}, value;
    p->corner_count = 0;
    for (int i = 0; i < element->properties; i++) {
        const Property* property = &p->properties[element->first + i];
        if (property->list) {
            SN_TRY(read_list(p, property));
            continue;
        }
        SN_TRY(sn_read_typed_real(&p->reader, property->type, &value, "a property"));
        if (property->role >= X && property->role <= Z) x[property->role - X] = value;
        if (property->role == START || property->role == END) ends[property->role - START] = value;
    }
    return add_item(p, kind, x, ends);
}

static SnStatus read_items(Ply* p, const Element* element)
{
    size_t bytes = 0;
    unsigned roles = 0;
    for (int i = 0; i < element->properties; i++) {
        const Property* property = &p->properties[element->first + i];
        roles |= 1u << property->role;
        bytes += p->reader.binary ? sn_number_size(property->list ? property->count_type : property->type) : 2;
    }
    static const unsigned needed[] = {[VERTEX] = 1u << X | 1u << Y | 1u << Z,
                                      [FACE] = 1u << CORNERS,
                                      [EDGE] = 1u << START | 1u << END,
                                      [STRIPS] = 1u << STRIP};
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
    SN_FREE(p.elements, p.properties, p.corners);
    sn_reader_close(&p.reader);
    return status;
}

static SnStatus write(const SnMesh* mesh, const char* path)
{
    SnWriter w;
    SN_TRY(sn_writer_open(&w, path));
    sn_write(&w, "ply\nformat ascii 1.0\nelement vertex %d\n", mesh->node_count);
    sn_write(&w, "property double x\nproperty double y\nproperty double z\n");
    sn_write(&w, "element face %d\nproperty list uchar int vertex_indices\n", mesh->triangle_count);
    if (mesh->edge_count)
        sn_write(&w, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", mesh->edge_count);
    sn_write(&w, "end_header\n");
    for (int i = 0; i < mesh->node_count; i++) {
        const double* x = mesh->nodes + 3 * (size_t)i;
        sn_write(&w, "%.17g %.17g %.17g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
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
    .summary = "polygons and edges, text or binary; of tetrahedra the surface is written, as text",
    .read = read,
    .write = write,
    .surface = true,
};
