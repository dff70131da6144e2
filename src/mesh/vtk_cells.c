// Legacy .vtk: points and cells, in the old layout (each cell's count before its nodes) and in that of version 5
// (offsets, then all nodes).
#include "mesh/vtk.h"

#include "mesh/elements.h"

SnStatus sn_vtk_read_points(Vtk* v)
{
    SnReader* r = &v->reader;
    int count;
    SnNumberType type;
    double x[3];
    if (v->have_points) return sn_malformed(r, "a second list of POINTS");
    v->have_points = true;
    SN_TRY(sn_read_count(r, 3, &count, "points"));
    SN_TRY(sn_vtk_read_type(v, &type));
    if (r->binary) sn_skip_line(r);
    SN_TRY(sn_reader_fits_typed(&v->reader, 3 * (int64_t)count, type, "coordinates"));
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < 3; j++) SN_TRY(sn_read_typed_real(&v->reader, type, &x[j], "a point's coordinate"));
        SN_TRY(sn_builder_node(&v->builder, x));
    }
    return SN_OK;
}

static SnStatus reserve(VtkCells* cells, int64_t starts, int64_t nodes)
{
    bool ok = SN_GROW(cells->start, cells->start_capacity, starts, "cells") &&
              SN_GROW(cells->nodes, cells->node_capacity, nodes, "cells");
    return ok ? SN_OK : SN_ERROR_MEMORY;
}

// count, then count numbers: node count, nodes.
static SnStatus read_old_cells(Vtk* v, int64_t count, int64_t size)
{
    VtkCells* cells = &v->cells;
    SN_TRY(sn_reader_fits_typed(&v->reader, size, SN_INT32, "cell numbers"));
    if (count > size) return sn_malformed(&v->reader, "more cells than numbers");
    SN_TRY(reserve(cells, count + 1, size));
    int64_t used = 0, length;
    for (int64_t i = 0; i < count; i++) {
        SN_TRY(sn_read_typed_integer(&v->reader, SN_INT32, &length, "the number of nodes of a cell"));
        if (length < 0 || length > size - i - used - 1)
            return sn_malformed(&v->reader, "a cell of %lld nodes", (long long)length);
        cells->start[i] = used;
        for (int64_t j = 0; j < length; j++)
            SN_TRY(sn_read_typed_integer(&v->reader, SN_INT32, &cells->nodes[used++], "a node of a cell"));
    }
    cells->start[count] = used;
    cells->count = (int)count;
    return SN_OK;
}

static SnStatus read_array(Vtk* v, const char* name, int64_t count, int64_t* values)
{
    SnWord word;
    SnNumberType type;
    SN_TRY(sn_read_word(&v->reader, &word, name));
    if (!sn_word_is(word, name))
        return sn_reader_fail(&v->reader, word.text, SN_ERROR_FORMAT, "%s should be here", name);
    SN_TRY(sn_vtk_read_type(v, &type));
    if (v->reader.binary) sn_skip_line(&v->reader);
    SN_TRY(sn_reader_fits_typed(&v->reader, count, type, "cell numbers"));
    for (int64_t i = 0; i < count; i++)
        SN_TRY(sn_read_typed_integer(&v->reader, type, &values[i], "a number of a cell"));
    return SN_OK;
}

static SnStatus read_new_cells(Vtk* v, int64_t starts, int64_t size)
{
    VtkCells* cells = &v->cells;
    SN_TRY(sn_reader_fits(&v->reader, starts, 1, "cells"));
    SN_TRY(sn_reader_fits(&v->reader, size, 1, "cell numbers"));
    SN_TRY(reserve(cells, starts > 0 ? starts : 1, size));
    SN_TRY(read_array(v, "OFFSETS", starts, cells->start));
    const char* where = v->reader.at;
    SN_TRY(read_array(v, "CONNECTIVITY", size, cells->nodes));
    bool good = starts == 0 || (cells->start[0] == 0 && cells->start[starts - 1] <= size);
    for (int64_t i = 1; i < starts && good; i++) good = cells->start[i - 1] <= cells->start[i];
    if (!good)
        return sn_reader_fail(&v->reader, where, SN_ERROR_FORMAT, "OFFSETS do not rise from 0 to %lld",
                              (long long)size);
    cells->count = starts > 0 ? (int)(starts - 1) : 0;
    return SN_OK;
}

static SnStatus read_list(Vtk* v)
{
    SnReader* r = &v->reader;
    int64_t count, size;
    SN_TRY(sn_read_integer(r, 0, SN_MESH_MOST, &count, "the number of cells"));
    SN_TRY(sn_read_integer(r, 0, INT32_MAX - 1, &size, "the size of the cell list"));
    SnReader before = *r;
    SnWord word;
    bool is_new = v->version >= 5 && sn_peek_word(&before, &word) && sn_word_is(word, "OFFSETS");
    if (r->binary) sn_skip_line(r);
    return is_new ? read_new_cells(v, count, size) : read_old_cells(v, count, size);
}

SnStatus sn_vtk_read_cells(Vtk* v)
{
    if (v->cells.count) return sn_malformed(&v->reader, "a second list of CELLS");
    SN_TRY(read_list(v));
    v->cell_count = v->cells.count;
    return SN_OK;
}

SnStatus sn_vtk_read_cell_types(Vtk* v)
{
    int64_t type;
    if (v->types) return sn_malformed(&v->reader, "a second list of CELL_TYPES");
    SN_TRY(sn_read_count(&v->reader, 1, &v->type_count, "cell types"));
    if (v->reader.binary) sn_skip_line(&v->reader);
    SN_TRY(sn_reader_fits_typed(&v->reader, v->type_count, SN_INT32, "cell types"));
    if (!SN_NEW(v->types, v->type_count, "cell types")) return SN_ERROR_MEMORY;
    for (int i = 0; i < v->type_count; i++) {
        SN_TRY(sn_read_typed_integer(&v->reader, SN_INT32, &type, "a cell type"));
        v->types[i] = type < 0 || type > INT32_MAX ? -1 : (int)type;
    }
    return SN_OK;
}

// --- cells to elements

typedef SnStatus MakeCell(Vtk* v, const int64_t* nodes, int count);

static SnStatus make_nothing(Vtk* v, const int64_t* nodes, int count)
{
    (void)v, (void)nodes, (void)count;
    return SN_OK;
}

static SnStatus make_lines(Vtk* v, const int64_t* nodes, int count)
{
    for (int i = 1; i < count; i++) SN_TRY(sn_builder_element(&v->builder, 1, nodes + i - 1));
    return SN_OK;
}

static SnStatus make_polygon(Vtk* v, const int64_t* nodes, int count)
{
    return sn_builder_polygon(&v->builder, nodes, count);
}

static SnStatus make_strip(Vtk* v, const int64_t* nodes, int count)
{
    for (int i = 2; i < count; i++) {
        int64_t even[3] = {nodes[i - 2], nodes[i - 1], nodes[i]}, odd[3] = {nodes[i - 1], nodes[i - 2], nodes[i]};
        SN_TRY(sn_builder_element(&v->builder, 2, i % 2 ? odd : even));
    }
    return SN_OK;
}

static SnStatus make_tetrahedron(Vtk* v, const int64_t* nodes, int count)
{
    (void)count;
    return sn_builder_element(&v->builder, 3, nodes);
}

static SnStatus make_quadratic(Vtk* v, const int64_t* nodes, int count)
{
    return sn_builder_quadratic(&v->builder, count == 3 ? 1 : count == 6 ? 2 : 3, nodes);
}

typedef struct CellType {
    int type, least, most; // nodes
    MakeCell* make;
} CellType;

enum { ANY = INT32_MAX };
static const CellType cell_types[] = {
    {0, 0, ANY, make_nothing},    {1, 1, 1, make_nothing},      {2, 0, ANY, make_nothing},  {3, 2, 2, make_lines},
    {4, 2, ANY, make_lines},      {5, 3, 3, make_polygon},      {6, 3, ANY, make_strip},    {7, 3, ANY, make_polygon},
    {9, 4, 4, make_polygon},      {10, 4, 4, make_tetrahedron}, {21, 3, 3, make_quadratic}, {22, 6, 6, make_quadratic},
    {24, 10, 10, make_quadratic},
};

static const CellType* find_type(int type)
{
    for (size_t i = 0; i < sizeof cell_types / sizeof *cell_types; i++)
        if (cell_types[i].type == type) return &cell_types[i];
    return NULL;
}

// Remembers for the elements made since the last call that they come from this cell.
static SnStatus note_source(Vtk* v, int cell, int done[4])
{
    for (int d = 1; d < 4; d++) {
        int count = sn_mesh_count_of(v->builder.mesh, d);
        if (!SN_GROW(v->source[d], v->source_capacity[d], count, "cells")) return SN_ERROR_MEMORY;
        while (done[d] < count) v->source[d][done[d]++] = cell;
    }
    return SN_OK;
}

static SnStatus make_cells(Vtk* v, int fixed_type, int first_cell)
{
    VtkCells* cells = &v->cells;
    int done[4];
    for (int d = 0; d < 4; d++) done[d] = sn_mesh_count_of(v->builder.mesh, d);
    for (int i = 0; i < cells->count; i++) {
        const CellType* type = find_type(fixed_type >= 0 ? fixed_type : v->types[i]);
        int64_t length = cells->start[i + 1] - cells->start[i];
        if (!type)
            return sn_reader_fail(
                &v->reader, NULL, SN_ERROR_UNSUPPORTED,
                "cell %d has type %d; lines, triangles, polygons and tetrahedra (3 .. 7, 9, 10, 21, 22, 24) can be "
                "read",
                i, v->types[i]);
        if (length < type->least || length > type->most)
            return sn_malformed(&v->reader, "cell %d of type %d has %lld nodes", i, type->type, (long long)length);
        SN_TRY(type->make(v, length ? cells->nodes + cells->start[i] : NULL, (int)length));
        SN_TRY(note_source(v, first_cell + i, done));
    }
    return SN_OK;
}

SnStatus sn_vtk_make_cells(Vtk* v)
{
    if (v->polydata || v->cells.count == 0) return SN_OK;
    if (v->type_count != v->cells.count)
        return sn_malformed(&v->reader, "%d cells, but %d CELL_TYPES", v->cells.count, v->type_count);
    SN_TRY(make_cells(v, -1, 0));
    v->cells.count = 0; // done
    return SN_OK;
}

SnStatus sn_vtk_read_poly_list(Vtk* v, int type)
{
    SN_TRY(read_list(v));
    return sn_vtk_make_poly_list(v, type);
}

SnStatus sn_vtk_make_poly_list(Vtk* v, int type)
{
    if (v->cell_count > INT32_MAX - v->cells.count)
        return sn_reader_fail(&v->reader, NULL, SN_ERROR_VALUE, "too many cells");
    SN_TRY(make_cells(v, type, v->cell_count));
    v->cell_count += v->cells.count;
    v->cells.count = 0;
    return SN_OK;
}
