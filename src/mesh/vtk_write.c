// Legacy .vtk, written as text in the layout that all readers know (version 3.0).
#include "mesh/vtk.h"

#include "mesh/elements.h"
#include "mesh/raise.h"
#include "mesh/writer.h"

#include <ctype.h>
#include <math.h>

// Of second order: each with all of its nodes.
static void write_whole(SnWriter* w, const SnMesh* mesh)
{
    static const int types[] = {1, 21, 22, 24};
    int64_t count = 0, size = 0;
    for (int d = 1; d < 4; d++) {
        int64_t of = sn_mesh_count_of(mesh, d) / sn_quadratic_parts[d];
        count += of, size += (1 + sn_quadratic_nodes[d]) * of;
    }
    sn_write(w, "CELLS %lld %lld\n", (long long)count, (long long)size);
    for (int d = 3; d > 0; d--)
        for (int i = 0; i < sn_mesh_count_of(mesh, d) / sn_quadratic_parts[d]; i++) {
            int nodes[10];
            sn_mesh_quadratic(mesh, d, i, nodes);
            sn_write(w, "%d", sn_quadratic_nodes[d]);
            for (int j = 0; j < sn_quadratic_nodes[d]; j++) sn_write(w, " %d", nodes[j]);
            sn_write(w, "\n");
        }
    sn_write(w, "CELL_TYPES %lld\n", (long long)count);
    for (int d = 3; d > 0; d--)
        for (int i = 0; i < sn_mesh_count_of(mesh, d) / sn_quadratic_parts[d]; i++) sn_write(w, "%d\n", types[d]);
}

static void write_cells(SnWriter* w, const SnMesh* mesh)
{
    static const int types[] = {1, 3, 5, 10};
    int64_t count = 0, size = 0;
    for (int d = 1; d < 4; d++) {
        count += sn_mesh_count_of(mesh, d);
        size += (d + 2) * (int64_t)sn_mesh_count_of(mesh, d);
    }
    sn_write(w, "CELLS %lld %lld\n", (long long)count, (long long)size);
    for (int d = 3; d > 0; d--) {
        const int* list = sn_mesh_list_of(mesh, d);
        for (int i = 0; i < sn_mesh_count_of(mesh, d); i++) {
            sn_write(w, "%d", d + 1);
            for (int j = 0; j <= d; j++) sn_write(w, " %d", list[(size_t)(d + 1) * (size_t)i + (size_t)j]);
            sn_write(w, "\n");
        }
    }
    sn_write(w, "CELL_TYPES %lld\n", (long long)count);
    for (int d = 3; d > 0; d--)
        for (int i = 0; i < sn_mesh_count_of(mesh, d); i++) sn_write(w, "%d\n", types[d]);
}

static void write_name(SnWriter* w, const char* name)
{
    for (const char* c = name; *c; c++)
        sn_write(w, isgraph((unsigned char)*c) && *c != '%' && *c != '"' ? "%c" : "%%%02X", (unsigned char)*c);
    if (!*name) sn_write(w, "data");
}

// Cells of lower dimension, which come last, have no values.
static void write_field(SnWriter* w, const SnMeshField* field, int64_t count, int64_t padding)
{
    write_name(w, field->name);
    sn_write(w, " %d %lld double\n", field->components, (long long)(count + padding));
    for (int64_t i = 0; i < count + padding; i++) {
        for (int c = 0; c < field->components; c++)
            sn_write_real(w, i < count ? field->values[field->components * i + c] : NAN);
        sn_write(w, "\n");
    }
}

static void write_fields(SnWriter* w, const SnMesh* mesh, bool per_node)
{
    int arrays = 0, top = sn_mesh_top_dimension(mesh);
    int64_t count = per_node ? mesh->node_count : sn_mesh_count_of(mesh, top), padding = 0;
    for (int i = 0; i < mesh->field_count; i++) arrays += mesh->fields[i].per_node == per_node;
    for (int d = 1; d < top && !per_node; d++) padding += sn_mesh_count_of(mesh, d);
    if (arrays == 0) return;
    sn_write(w, "%s %lld\nFIELD fields %d\n", per_node ? "POINT_DATA" : "CELL_DATA", (long long)(count + padding),
             arrays);
    for (int i = 0; i < mesh->field_count; i++)
        if (mesh->fields[i].per_node == per_node) write_field(w, &mesh->fields[i], count, padding);
}

static SnStatus write_mesh(const SnMesh* mesh, const SnMesh* whole, const char* path)
{
    SnWriter w;
    SN_TRY(sn_writer_open(&w, path));
    sn_write(&w, "# vtk DataFile Version 3.0\nsinew mesh\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    sn_write(&w, "POINTS %d double\n", mesh->node_count);
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * (size_t)i;
        sn_write(&w, "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    if (whole)
        write_whole(&w, whole);
    else
        write_cells(&w, mesh);
    write_fields(&w, mesh, true);
    write_fields(&w, mesh, false);
    return sn_writer_close(&w);
}

SnStatus sn_vtk_write(const SnMesh* mesh, const char* path)
{
    SnMesh* lowered;
    if (!mesh->quadratic) return write_mesh(mesh, NULL, path);
    SN_TRY(sn_mesh_lower(mesh, &lowered));
    SnStatus status = write_mesh(lowered, mesh, path);
    sn_mesh_destroy(lowered);
    return status;
}
