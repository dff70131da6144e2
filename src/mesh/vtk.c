// Legacy .vtk, text and binary: the header, the keywords, and arrays of numbers
// (https://docs.vtk.org/en/latest/vtk_file_formats/vtk_legacy_file_format.html).
#include "mesh/vtk.h"

#include <string.h>

SnStatus sn_vtk_read_type(Vtk* v, SnNumberType* type)
{
    static const struct {
        const char* name;
        SnNumberType type;
    } types[] = {
        {"double", SN_FLOAT64},        {"float", SN_FLOAT32},       {"int", SN_INT32},
        {"unsigned_char", SN_UINT8},   {"char", SN_INT8},           {"short", SN_INT16},
        {"unsigned_short", SN_UINT16}, {"unsigned_int", SN_UINT32}, {"long", SN_INT64},
        {"unsigned_long", SN_UINT64},  {"vtktypeint64", SN_INT64},  {"vtktypeuint64", SN_UINT64},
        {"vtkIdType", SN_INT32},       {"vtktypeint32", SN_INT32},
    };
    SnWord word;
    SN_TRY(sn_read_word(&v->reader, &word, "a type such as float"));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        *type = types[i].type;
        if (sn_word_is(word, types[i].name)) return SN_OK;
    }
    return sn_reader_fail(&v->reader, word.text, SN_ERROR_UNSUPPORTED,
                          "arrays of type '%.*s'; float, double, int and "
                          "other numbers can be read",
                          word.length < 32 ? word.length : 32, word.text);
}

SnStatus sn_vtk_skip_metadata(Vtk* v)
{
    SnReader* r = &v->reader;
    sn_skip_line(r);
    while (r->at < r->end && sn_skip_blanks(r)) sn_skip_line(r);
    return SN_OK;
}

static SnStatus skip_field(Vtk* v);
static SnStatus read_point_data(Vtk* v)
{
    return sn_vtk_read_data(v, true);
}

static SnStatus read_cell_data(Vtk* v)
{
    return sn_vtk_read_data(v, false);
}

enum { GRID = 1, POLY = 2 };
static const struct {
    const char* name;
    int datasets;
    SnStatus (*read)(Vtk* v);
    int cell_type; // of a list of polygonal data, which has no function of its own
} keywords[] = {
    {"POINTS", GRID | POLY, .read = sn_vtk_read_points},
    {"CELLS", GRID, .read = sn_vtk_read_cells},
    {"CELL_TYPES", GRID, .read = sn_vtk_read_cell_types},
    {"VERTICES", POLY, .cell_type = 2},
    {"LINES", POLY, .cell_type = 4},
    {"POLYGONS", POLY, .cell_type = 7},
    {"TRIANGLE_STRIPS", POLY, .cell_type = 6},
    {"POINT_DATA", GRID | POLY, .read = read_point_data},
    {"CELL_DATA", GRID | POLY, .read = read_cell_data},
    {"METADATA", GRID | POLY, .read = sn_vtk_skip_metadata},
    {"FIELD", GRID | POLY, .read = skip_field},
};

// FIELD name arrays, before the points: for the whole file, such as a time.
static SnStatus skip_field(Vtk* v)
{
    SnWord word;
    int64_t arrays, components, tuples;
    SN_TRY(sn_read_word(&v->reader, &word, "the name of a field"));
    SN_TRY(sn_read_integer(&v->reader, 0, INT32_MAX, &arrays, "the number of arrays"));
    for (int64_t i = 0; i < arrays; i++) {
        SnNumberType type;
        double ignored;
        if (sn_peek_word(&v->reader, &word) && sn_word_is(word, "METADATA")) SN_TRY(sn_vtk_skip_metadata(v));
        SN_TRY(sn_read_word(&v->reader, &word, "the name of an array"));
        SN_TRY(sn_read_integer(&v->reader, 0, INT32_MAX, &components, "the number of components"));
        SN_TRY(sn_read_integer(&v->reader, 0, INT32_MAX, &tuples, "the number of tuples"));
        SN_TRY(sn_vtk_read_type(v, &type));
        if (v->reader.binary) sn_skip_line(&v->reader);
        SN_TRY(sn_reader_fits_typed(&v->reader, components * tuples, type, "values"));
        for (int64_t j = 0; j < components * tuples; j++)
            SN_TRY(sn_read_typed_real(&v->reader, type, &ignored, "a value"));
    }
    return SN_OK;
}

static SnStatus read_keyword(Vtk* v, SnWord word)
{
    int dataset = v->polydata ? POLY : GRID;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if ((keywords[i].datasets & dataset) && sn_word_is(word, keywords[i].name))
            return keywords[i].read ? keywords[i].read(v) : sn_vtk_read_poly_list(v, keywords[i].cell_type);
    return sn_reader_fail(&v->reader, word.text, SN_ERROR_FORMAT, "'%.*s' where %s should be",
                          word.length < 32 ? word.length : 32, word.text,
                          v->polydata ? "POINTS, POLYGONS, LINES, POINT_DATA or CELL_DATA"
                                      : "POINTS, CELLS, CELL_TYPES, POINT_DATA or CELL_DATA");
}

static SnStatus read_header(Vtk* v)
{
    SnReader* r = &v->reader;
    SnWord word;
    static const char start[] = "# vtk DataFile Version";
    if (r->size < sizeof start || memcmp(r->bytes, start, sizeof start - 1) != 0)
        return sn_malformed(r, "a legacy VTK file starts with '%s'", start);
    r->at += sizeof start - 1;
    SN_TRY(sn_read_real(r, &v->version, "the version"));
    sn_skip_line(r);
    sn_skip_line(r); // the title
    SN_TRY(sn_read_word(r, &word, "ASCII or BINARY"));
    bool binary = sn_word_is(word, "BINARY");
    if (!binary && !sn_word_is(word, "ASCII"))
        return sn_reader_fail(r, word.text, SN_ERROR_FORMAT, "ASCII or BINARY should be here");
    SN_TRY(sn_read_word(r, &word, "DATASET"));
    if (!sn_word_is(word, "DATASET")) return sn_reader_fail(r, word.text, SN_ERROR_FORMAT, "DATASET should be here");
    SN_TRY(sn_read_word(r, &word, "the kind of dataset"));
    v->polydata = sn_word_is(word, "POLYDATA");
    if (!v->polydata && !sn_word_is(word, "UNSTRUCTURED_GRID"))
        return sn_reader_fail(r, word.text, SN_ERROR_UNSUPPORTED,
                              "dataset '%.*s'; UNSTRUCTURED_GRID and POLYDATA can be read",
                              word.length < 32 ? word.length : 32, word.text);
    r->binary = r->big_endian = binary;
    return SN_OK;
}

static SnStatus read_all(Vtk* v, SnMesh** mesh)
{
    SnWord word;
    SN_TRY(sn_builder_begin(&v->builder, &v->reader));
    SN_TRY(read_header(v));
    while (sn_next_word(&v->reader, &word)) SN_TRY(read_keyword(v, word));
    SN_TRY(sn_vtk_make_cells(v));
    return sn_builder_finish(&v->builder, mesh);
}

void sn_vtk_free(Vtk* v)
{
    sn_builder_abandon(&v->builder);
    SN_FREE(v->cells.start, v->cells.nodes, v->types);
    for (int i = 0; i < 4; i++) sn_free(v->source[i]);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    Vtk v = {0};
    SN_TRY(sn_reader_open(&v.reader, path));
    SnStatus status = read_all(&v, mesh);
    sn_vtk_free(&v);
    sn_reader_close(&v.reader);
    return status;
}

const SnMeshFormat sn_mesh_vtk = {
    .name = "vtk",
    .endings = ".vtk",
    .summary = "legacy VTK unstructured grids and polygons, text or binary; written as text",
    .read = read,
    .write = sn_vtk_write,
};
