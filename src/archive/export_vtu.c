// VTK: every node and element of a frame.
#include <stddef.h>

#include "archive/vtu_grid.h"

// One kind of element: where a body keeps it and what VTK calls it.
typedef struct Kind {
    int corners;
    uint8_t vtk_type;
    size_t count, elements; // offsets in SnBodyInfo
} Kind;

#define KEPT(count, elements) offsetof(SnBodyInfo, count), offsetof(SnBodyInfo, elements)
static const Kind kinds[] = {
    {4, 10, KEPT(tetrahedron_count, tetrahedra)}, // VTK_TETRA
    {3, 5, KEPT(triangle_count, triangles)},      // VTK_TRIANGLE
    {2, 3, KEPT(edge_count, edges)},              // VTK_LINE
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int count_of(const Kind* kind, const SnBodyInfo* body)
{
    return *(const int*)((const char*)body + kind->count);
}

static void count_cells(const SnExport* job, uint64_t counts[SN_VTU_KINDS])
{
    for (int b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++) {
            uint64_t count = (uint64_t)count_of(&kinds[k], &job->def.bodies[b]);
            counts[SN_VTU_CELL] += count;
            counts[SN_VTU_CORNER] += count * (uint64_t)kinds[k].corners;
        }
}

// --- the arrays, in the order of the file ---

static void write_points(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fwrite(frame->positions, 3 * sizeof(double), (size_t)job->node_count, file);
}

static void write_velocities(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fwrite(frame->velocities, 3 * sizeof(double), (size_t)job->node_count, file);
}

// From the rest shape.
static void write_displacements(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    for (int b = 0; b < job->def.body_count; b++) {
        const SnBodyInfo* body = &job->def.bodies[b];
        const double* x = frame->positions + 3 * (size_t)body->first_node;
        for (size_t i = 0; i < (size_t)body->node_count; i++) {
            double u[3] = {body->rest[3 * i], body->rest[3 * i + 1], body->rest[3 * i + 2]};
            sn_convention_change(&job->def.from, &job->def.to, true, 1, u);
            for (int c = 0; c < 3; c++) u[c] = x[3 * i + (size_t)c] - u[c];
            fwrite(u, sizeof u, 1, file);
        }
    }
}

static void write_corners(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++) {
            const SnBodyInfo* body = &job->def.bodies[b];
            const int* nodes = *(const int* const*)((const char*)body + kinds[k].elements);
            size_t count = (size_t)count_of(&kinds[k], body) * (size_t)kinds[k].corners;
            for (size_t i = 0; i < count; i++) {
                int32_t node = body->first_node + nodes[i];
                fwrite(&node, sizeof node, 1, file);
            }
        }
}

static void write_offsets(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    int64_t end = 0;
    for (int b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->def.bodies[b]); i++) {
                end += kinds[k].corners;
                fwrite(&end, sizeof end, 1, file);
            }
}

static void write_types(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->def.bodies[b]); i++) fputc(kinds[k].vtk_type, file);
}

static void write_body_numbers(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int32_t b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->def.bodies[b]); i++) fwrite(&b, sizeof b, 1, file);
}

static const SnVtuArray arrays[] = {
    {"Points", "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", SN_VTU_POINT, 24, write_points},
    {"Cells", "type=\"Int32\" Name=\"connectivity\"", SN_VTU_CORNER, 4, write_corners},
    {"Cells", "type=\"Int64\" Name=\"offsets\"", SN_VTU_CELL, 8, write_offsets},
    {"Cells", "type=\"UInt8\" Name=\"types\"", SN_VTU_CELL, 1, write_types},
    {"PointData", "type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"", SN_VTU_POINT, 24, write_velocities},
    {"PointData", "type=\"Float64\" Name=\"displacement\" NumberOfComponents=\"3\"", SN_VTU_POINT, 24,
     write_displacements},
    {"CellData", "type=\"Int32\" Name=\"body\"", SN_VTU_CELL, 4, write_body_numbers},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    SnVtuGrid grid = {{(uint64_t)job->node_count, 0, 0}, " Vectors=\"velocity\"", " Scalars=\"body\"", ARRAYS, arrays};
    count_cells(job, grid.counts);
    sn_vtu_write(file, &grid, job, frame);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    return sn_vtu_frame(job, frame, write);
}

const SnExporter sn_export_vtu = {
    .name = "vtu",
    .summary = "VTK for ParaView, a file per frame and a .pvd: all elements, velocities, displacements, body numbers",
    .nodes = true,
    .begin = sn_vtu_begin,
    .frame = frame,
};
