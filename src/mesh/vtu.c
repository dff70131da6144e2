// VTK's XML files: unstructured grids (.vtu) and polygons (.vtp)
// (https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html).
#include "mesh/vtu.h"

#include <math.h>
#include <string.h>

#include "mesh/elements.h"
#include "mesh/vtk.h"

// --- XML ---

bool sn_xml_next(SnReader* r, SnXmlTag* tag)
{
    for (;;) {
        const char* at = memchr(r->at, '<', (size_t)(r->end - r->at));
        if (!at) return r->at = r->end, false;
        bool comment = r->end - at >= 4 && memcmp(at, "<!--", 4) == 0;
        const char* end =
            comment ? memmem(at, (size_t)(r->end - at), "-->", 3) : memchr(at, '>', (size_t)(r->end - at));
        if (!end) return r->at = r->end, false;
        r->at = end + (comment ? 3 : 1);
        if (comment || at[1] == '?' || at[1] == '!') continue;
        *tag = (SnXmlTag){.end = at[1] == '/', .alone = end[-1] == '/', .after = r->at};
        const char *name = at + 1 + tag->end, *c = name;
        while (c < end && *c != '/' && *c != ' ' && !(*c >= '\t' && *c <= '\r')) c++;
        tag->name = (SnWord){name, (int)(c - name < 256 ? c - name : 256)};
        tag->attributes = c;
        return true;
    }
}

SnWord sn_xml_attribute(const SnXmlTag* tag, const char* name)
{
    size_t length = strlen(name);
    for (const char* c = tag->attributes; c < tag->after;) {
        while (c < tag->after && (*c == ' ' || (*c >= '\t' && *c <= '\r'))) c++;
        const char *start = c, *equals = memchr(c, '=', (size_t)(tag->after - c));
        if (!equals || equals + 1 >= tag->after) break;
        const char* open = equals + 1;
        while (open < tag->after && *open != '"' && *open != '\'') open++;
        const char* close = open + 1 < tag->after ? memchr(open + 1, *open, (size_t)(tag->after - open - 1)) : NULL;
        if (!close) break;
        size_t width = (size_t)(equals - start);
        while (width > 0 && start[width - 1] == ' ') width--;
        if (width == length && memcmp(start, name, length) == 0 && close - open < INT32_MAX)
            return (SnWord){open + 1, (int)(close - open - 1)};
        c = close + 1;
    }
    return (SnWord){tag->attributes, 0};
}

static int64_t whole(SnWord word, int64_t fallback)
{
    int64_t value = 0;
    for (int i = 0; i < word.length; i++) {
        if (word.text[i] < '0' || word.text[i] > '9' || value > INT64_MAX / 20) return fallback;
        value = 10 * value + (word.text[i] - '0');
    }
    return word.length > 0 ? value : fallback;
}

// --- the parts of the file ---

typedef struct Vtu {
    SnVtuFile file;
    Vtk vtk; // what it has in common with legacy files; its own reader is not used
    SnVtuArray* arrays;
    int array_count, array_capacity;
    int64_t points, cells;
    int pieces;
} Vtu;

static bool type_of(SnWord word, SnNumberType* type)
{
    static const char* const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 0; i < 10; i++) {
        *type = (SnNumberType)i;
        if (sn_word_is(word, names[i])) return true;
    }
    return false;
}

static SnStatus read_file_tag(Vtu* v, const SnXmlTag* tag)
{
    SnReader* r = &v->file.reader;
    SnWord kind = sn_xml_attribute(tag, "type"), by = sn_xml_attribute(tag, "compressor"),
           header = sn_xml_attribute(tag, "header_type");
    v->vtk.polydata = sn_word_is(kind, "PolyData");
    if (!v->vtk.polydata && !sn_word_is(kind, "UnstructuredGrid"))
        return sn_reader_fail(r, tag->name.text, SN_ERROR_UNSUPPORTED,
                              "files of type \"%.*s\"; UnstructuredGrid and PolyData can be read",
                              kind.length < 32 ? kind.length : 32, kind.text);
    if (by.length > 0 && !sn_word_is(by, "vtkZLibDataCompressor"))
        return sn_reader_fail(r, tag->name.text, SN_ERROR_UNSUPPORTED,
                              "data compressed by %.*s; zlib can be read: choose it, or none, when writing the file",
                              by.length < 64 ? by.length : 64, by.text);
    v->file.compressed = by.length > 0;
    v->file.header = sn_word_is(header, "UInt64") ? SN_UINT64 : SN_UINT32;
    r->big_endian = sn_word_is(sn_xml_attribute(tag, "byte_order"), "BigEndian");
    return SN_OK;
}

static SnStatus read_array_tag(Vtu* v, const SnXmlTag* tag, SnWord section)
{
    SnReader* r = &v->file.reader;
    SnWord type = sn_xml_attribute(tag, "type");
    SnVtuArray a = {.section = section,
                    .name = sn_xml_attribute(tag, "Name"),
                    .format = sn_xml_attribute(tag, "format"),
                    .offset = whole(sn_xml_attribute(tag, "offset"), -1),
                    .text = tag->after,
                    .where = tag->name.text};
    int64_t components = whole(sn_xml_attribute(tag, "NumberOfComponents"), 1);
    a.components = components > 0 && components < 1000 ? (int)components : 1;
    bool number = type_of(type, &a.type);
    if (!tag->alone) {
        const char* close = memchr(r->at, '<', (size_t)(r->end - r->at));
        a.last = close ? close : r->end;
    }
    if (!a.last) a.last = a.text;
    if (!number) return SN_OK; // texts
    if (!SN_GROW(v->arrays, v->array_capacity, v->array_count + (int64_t)1, "arrays")) return SN_ERROR_MEMORY;
    v->arrays[v->array_count++] = a;
    return SN_OK;
}

static SnStatus read_piece_tag(Vtu* v, const SnXmlTag* tag)
{
    int64_t points = whole(sn_xml_attribute(tag, "NumberOfPoints"), 0);
    if (points == 0) return SN_OK; // one of nothing
    v->points = points;
    v->cells = whole(sn_xml_attribute(tag, "NumberOfCells"), 0);
    if (++v->pieces > 1)
        return sn_reader_fail(&v->file.reader, tag->name.text, SN_ERROR_UNSUPPORTED,
                              "the file is of several pieces; one can be read: merge them, as ParaView does on saving");
    return SN_OK;
}

static SnStatus read_tags(Vtu* v)
{
    static const char* const sections[] = {"Points", "Cells",     "Verts",    "Lines",    "Strips",
                                           "Polys",  "PointData", "CellData", "FieldData"};
    SnReader* r = &v->file.reader;
    SnXmlTag tag;
    SnWord section = {r->at, 0};
    bool begun = false;
    while (sn_xml_next(r, &tag)) {
        if (tag.end) continue;
        if (!begun && !sn_word_is(tag.name, "VTKFile")) break;
        if (!begun) SN_TRY(read_file_tag(v, &tag));
        begun = true;
        for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
            if (sn_word_is(tag.name, sections[i])) section = tag.name;
        if (sn_word_is(tag.name, "Piece")) SN_TRY(read_piece_tag(v, &tag));
        if (sn_word_is(tag.name, "DataArray")) SN_TRY(read_array_tag(v, &tag, section));
        if (!sn_word_is(tag.name, "AppendedData")) continue;
        const char* mark = memchr(tag.after, '_', (size_t)(r->end - tag.after));
        v->file.appended = mark ? mark + 1 : NULL;
        v->file.appended_raw = sn_word_is(sn_xml_attribute(&tag, "encoding"), "raw");
        break; // raw bytes are no XML
    }
    return begun ? SN_OK : sn_reader_fail(r, r->bytes, SN_ERROR_FORMAT, "a VTK XML file starts with <VTKFile>");
}

// --- nodes, cells and fields ---

static SnStatus numbers_of(Vtu* v, const char* section, const char* name, double** values, int64_t* count)
{
    *values = NULL, *count = 0;
    for (int i = 0; i < v->array_count; i++) {
        const SnVtuArray* a = &v->arrays[i];
        if (!sn_word_is(a->section, section) || (name && !sn_word_is(a->name, name))) continue;
        return sn_vtu_numbers(&v->file, a, values, count);
    }
    return SN_OK;
}

static SnStatus fail_section(const Vtu* v, const char* section, const char* what)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: <%s> %s", v->file.reader.path, section, what);
}

static SnStatus add_points(Vtu* v)
{
    double* x;
    int64_t count;
    SN_TRY(numbers_of(v, "Points", NULL, &x, &count));
    SnStatus status = count == 3 * v->points ? SN_OK : fail_section(v, "Points", "has not three numbers for each");
    for (int64_t i = 0; status == SN_OK && i < v->points; i++) status = sn_builder_node(&v->vtk.builder, x + 3 * i);
    sn_free(x);
    return status;
}

static bool is_place(double value, int64_t end)
{
    return value >= 0 && value <= (double)end && value == floor(value);
}

// Connectivity and offsets, the end of each cell, as lists of legacy files are.
static SnStatus take_cells(Vtu* v, const char* section, const double* nodes, int64_t node_count, const double* ends,
                           int64_t count)
{
    VtkCells* c = &v->vtk.cells;
    if (count > SN_MESH_MOST || node_count > INT32_MAX - 1) return fail_section(v, section, "has too many cells");
    if (!SN_GROW(c->start, c->start_capacity, count + 1, "cells") ||
        !SN_GROW(c->nodes, c->node_capacity, node_count, "cells"))
        return SN_ERROR_MEMORY;
    c->start[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!is_place(ends[i], node_count) || ends[i] < (double)c->start[i])
            return fail_section(v, section, "has offsets that do not increase up to the end of its connectivity");
        c->start[i + 1] = (int64_t)ends[i];
    }
    for (int64_t i = 0; i < node_count; i++) {
        if (!is_place(nodes[i], v->points - 1)) return fail_section(v, section, "names a point that does not exist");
        c->nodes[i] = (int64_t)nodes[i];
    }
    c->count = (int)count;
    return SN_OK;
}

static SnStatus read_cells(Vtu* v, const char* section)
{
    double *nodes, *ends = NULL;
    int64_t node_count, count = 0;
    SN_TRY(numbers_of(v, section, "connectivity", &nodes, &node_count));
    SnStatus status = numbers_of(v, section, "offsets", &ends, &count);
    if (status == SN_OK) status = take_cells(v, section, nodes, node_count, ends, count);
    SN_FREE(nodes, ends);
    return status;
}

static SnStatus add_grid_cells(Vtu* v)
{
    double* types;
    int64_t count;
    SN_TRY(read_cells(v, "Cells"));
    SN_TRY(numbers_of(v, "Cells", "types", &types, &count));
    SnStatus status = count == v->vtk.cells.count ? SN_OK : fail_section(v, "Cells", "has not a type for each cell");
    if (status == SN_OK && !SN_NEW(v->vtk.types, count, "cell types")) status = SN_ERROR_MEMORY;
    for (int64_t i = 0; status == SN_OK && i < count; i++)
        v->vtk.types[i] = is_place(types[i], 255) ? (int)types[i] : -1;
    sn_free(types);
    v->vtk.type_count = v->vtk.cell_count = (int)count;
    return status == SN_OK ? sn_vtk_make_cells(&v->vtk) : status;
}

static SnStatus add_poly_cells(Vtu* v)
{
    static const struct {
        const char* section;
        int type;
    } lists[] = {{"Verts", 2}, {"Lines", 4}, {"Polys", 7}, {"Strips", 6}}; // as their data are ordered
    for (int i = 0; i < 4; i++) {
        SN_TRY(read_cells(v, lists[i].section));
        SN_TRY(sn_vtk_make_poly_list(&v->vtk, lists[i].type));
    }
    return SN_OK;
}

static SnStatus add_fields(Vtu* v)
{
    for (int i = 0; i < v->array_count; i++) {
        const SnVtuArray* a = &v->arrays[i];
        bool per_node = sn_word_is(a->section, "PointData");
        if (!per_node && !sn_word_is(a->section, "CellData")) continue;
        double* values;
        int64_t count, items = per_node ? v->vtk.builder.mesh->node_count : v->vtk.cell_count;
        SN_TRY(sn_vtu_numbers(&v->file, a, &values, &count));
        SnStatus status = count == a->components * items
                              ? sn_vtk_add_field(&v->vtk, a->name, per_node, a->components, values)
                              : fail_section(v, per_node ? "PointData" : "CellData",
                                             "has an array with another number of values than there are items");
        sn_free(values);
        SN_TRY(status);
    }
    return SN_OK;
}

static SnStatus build(Vtu* v, SnMesh** mesh)
{
    SN_TRY(read_tags(v));
    SN_TRY(sn_builder_begin(&v->vtk.builder, &v->file.reader));
    v->vtk.reader = v->file.reader; // for messages
    if (v->file.compressed) v->vtk.builder.field_budget *= 64;
    SN_TRY(add_points(v));
    SN_TRY(v->vtk.polydata ? add_poly_cells(v) : add_grid_cells(v));
    SN_TRY(add_fields(v));
    return sn_builder_finish(&v->vtk.builder, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Vtu v = {0};
    SN_TRY(sn_reader_open(&v.file.reader, path));
    SnStatus status = build(&v, mesh);
    sn_vtk_free(&v.vtk);
    sn_free(v.arrays);
    sn_reader_close(&v.file.reader);
    return status;
}

const SnMeshFormat sn_mesh_vtu = {
    .name = "vtu",
    .endings = ".vtu .vtp",
    .summary = "VTK XML unstructured grids and polygons of one piece: text, base 64 or appended, also by zlib",
    .read = read,
};
