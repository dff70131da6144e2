// What the files that read legacy .vtk share.
#pragma once
#include "mesh/builder.h"

// Lists of node numbers: cell i has nodes[start[i] .. start[i + 1]).
typedef struct VtkCells {
    int64_t* start; // count + 1
    int64_t* nodes;
    int count;
    int start_capacity, node_capacity;
} VtkCells;

typedef struct Vtk {
    SnReader reader;
    SnMeshBuilder builder;
    double version;
    bool polydata, have_points;
    VtkCells cells;
    int* types; // of an unstructured grid's cells
    int type_count;
    int cell_count; // over all lists, as CELL_DATA counts them
    int* source[4]; // by dimension: the cell each element came from
    int source_capacity[4];
} Vtk;

SnStatus sn_vtk_read_points(Vtk* v);
SnStatus sn_vtk_read_cells(Vtk* v);      // CELLS
SnStatus sn_vtk_read_cell_types(Vtk* v); // CELL_TYPES
// A list of polygonal data, of one type of cells, which are numbered after those of the lists before it.
SnStatus sn_vtk_read_poly_list(Vtk* v, int type);
SnStatus sn_vtk_make_poly_list(Vtk* v, int type); // of v->cells, which are then done
SnStatus sn_vtk_make_cells(Vtk* v);               // once cells and their types are known
SnStatus sn_vtk_read_data(Vtk* v, bool per_node); // POINT_DATA, CELL_DATA
// A field of values for all nodes or all cells, which are spread to the elements made of them.
SnStatus sn_vtk_add_field(Vtk* v, SnWord name, bool per_node, int components, const double* values);
void sn_vtk_free(Vtk* v); // all but its reader

SnStatus sn_vtk_skip_metadata(Vtk* v); // up to an empty line
SnStatus sn_vtk_read_type(Vtk* v, SnNumberType* type);

SnStatus sn_vtk_write(const SnMesh* mesh, const char* path);
