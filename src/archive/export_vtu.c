// VTK: every node and element of a frame; then the triangles of obstacles, where these are asked for.
#include <math.h>
#include <sinew/field.h>
#include <stddef.h>
#include <string.h>

#include "archive/vtu_grid.h"
#include "linalg/vec3.h"

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

// The next obstacle's mesh after this one; NULL: begin, or none is left.
static const SnExportMesh* next_obstacle(const SnExport* job, const SnExportMesh* mesh)
{
    for (mesh = mesh ? mesh + 1 : job->meshes; mesh < job->meshes + job->mesh_count; mesh++)
        if (mesh->obstacle >= 0) return mesh;
    return NULL;
}

#define EACH_OBSTACLE(m, job) (const SnExportMesh* m = next_obstacle(job, NULL); m; m = next_obstacle(job, m))

static void count_obstacles(const SnExport* job, uint64_t counts[SN_VTU_KINDS])
{
    for
        EACH_OBSTACLE(m, job)
        {
            counts[SN_VTU_POINT] += (uint64_t)m->vertex_count;
            counts[SN_VTU_CELL] += (uint64_t)m->face_count;
            counts[SN_VTU_CORNER] += (uint64_t)m->corner_count;
        }
}

static void count_cells(const SnExport* job, uint64_t counts[SN_VTU_KINDS])
{
    count_obstacles(job, counts);
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
    for
        EACH_OBSTACLE(m, job) fwrite(m->points, 3 * sizeof(double), (size_t)m->vertex_count, file);
}

static void write_zeros(FILE* file, const SnExport* job) // of points of obstacles
{
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->vertex_count; i++) fwrite((const double[3]){0}, sizeof(double[3]), 1, file);
}

static void write_velocities(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fwrite(frame->velocities, 3 * sizeof(double), (size_t)job->node_count, file);
    write_zeros(file, job);
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
    write_zeros(file, job);
}

// Volume, area or length of an element.
static double content_of(const double* x, const int* nodes, int corners)
{
    double e[3][3] = {{0}}, n[3];
    for (int k = 1; k < corners; k++) sn_subtract3(x + 3 * (size_t)nodes[k], x + 3 * (size_t)nodes[0], e[k - 1]);
    if (corners == 2) return sn_length3(e[0]);
    sn_cross3(e[0], e[1], n);
    return corners == 3 ? sn_length3(n) / 2 : sn_dot3(n, e[2]) / 6;
}

static double volume_ratio(const double* rest, const double* x, const int* nodes, int corners, double unit)
{
    return pow(unit, corners - 1) * content_of(x, nodes, corners) / content_of(rest, nodes, corners);
}

// The largest change of length of its edges, relative.
static double stretch(const double* rest, const double* x, const int* nodes, int corners, double unit)
{
    double most = 0;
    for (int i = 0; i < corners; i++)
        for (int j = i + 1; j < corners; j++) {
            size_t a = 3 * (size_t)nodes[i], b = 3 * (size_t)nodes[j];
            most = fmax(most, fabs(unit * sn_distance3(x + a, x + b) / sn_distance3(rest + a, rest + b) - 1));
        }
    return most;
}

// A number for each element, from its nodes at rest and now; unit: m, that of now.
typedef double Measure(const double* rest, const double* x, const int* nodes, int corners, double unit);

static void write_measure(FILE* file, const SnExport* job, const SnExportFrame* frame, Measure* measure, double rigid)
{
    double unit = job->def.to.metres > 0 ? job->def.to.metres : 1;
    for (int b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++) {
            const SnBodyInfo* body = &job->def.bodies[b];
            const int* nodes = *(const int* const*)((const char*)body + kinds[k].elements);
            for (int i = 0; i < count_of(&kinds[k], body); i++) {
                double value = measure(body->rest, frame->positions + 3 * (size_t)body->first_node,
                                       nodes + (size_t)kinds[k].corners * (size_t)i, kinds[k].corners, unit);
                fwrite(&value, sizeof value, 1, file);
            }
        }
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->face_count; i++) fwrite(&rigid, sizeof rigid, 1, file);
}

static void write_volume_ratios(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    write_measure(file, job, frame, volume_ratio, 1);
}

static void write_stretches(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    write_measure(file, job, frame, stretch, 0);
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
    int32_t first = job->node_count;
    for
        EACH_OBSTACLE(m, job)
        {
            for (int i = 0; i < m->corner_count; i++) fwrite(&(int32_t){first + m->corners[i]}, sizeof first, 1, file);
            first += m->vertex_count;
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
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->face_count; i++) {
        end += 3;
        fwrite(&end, sizeof end, 1, file);
    }
}

static void write_types(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->def.bodies[b]); i++) fputc(kinds[k].vtk_type, file);
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->face_count; i++) fputc(kinds[1].vtk_type, file);
}

static void write_body_numbers(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    for (int32_t b = 0; b < job->def.body_count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < count_of(&kinds[k], &job->def.bodies[b]); i++) fwrite(&b, sizeof b, 1, file);
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->face_count; i++) fwrite(&(int32_t){-1 - m->obstacle}, sizeof(int32_t), 1, file);
}

// --- fields, one after the other in job->fields: of each, numbers of all elements ---

enum { STRESS = 6 };
static const char* const fields[] = {"stress", "von-mises", "energy-density"};
static const int components[] = {STRESS, 1, 1};
enum { FIELDS = sizeof fields / sizeof *fields };

// To the axes of the files.
static void turn_stress(const SnExport* job, double s[STRESS])
{
    double m[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}, t[3][3];
    SnConvention from = job->def.from, to = job->def.to;
    from.metres = to.metres = 1;
    sn_convention_change(&from, &to, false, 3, &m[0][0]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) t[r][c] = m[c][r];
    sn_convention_change(&from, &to, false, 3, &t[0][0]);
    const double turned[STRESS] = {t[0][0], t[1][1], t[2][2], t[0][1], t[1][2], t[0][2]};
    memcpy(s, turned, sizeof turned);
}

static SnStatus find_fields(SnExport* job)
{
    SnWorld* world = job->def.world;
    int64_t count = sn_world_element_count(world), sum = 0;
    for (int k = 0; k < FIELDS; k++) sum += components[k];
    if (!job->fields && !SN_NEW(job->fields, sum * count, "fields")) return SN_ERROR_MEMORY;
    double* to = job->fields;
    for (int k = 0; k < FIELDS; to += components[k++] * count)
        SN_TRY(sn_world_field(world, fields[k], SN_FIELD_ELEMENTS, to));
    for (int64_t i = 0; i < count; i++) turn_stress(job, job->fields + STRESS * i);
    return SN_OK;
}

static void write_field(FILE* file, const SnExport* job, int which)
{
    int64_t count = sn_world_element_count(job->def.world);
    const double *from = job->fields, zeros[STRESS] = {0};
    for (int k = 0; k < which; k++) from += components[k] * count;
    fwrite(from, sizeof *from, (size_t)(components[which] * count), file);
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->face_count; i++) fwrite(zeros, sizeof *zeros, (size_t)components[which], file);
}

static void write_stress(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    write_field(file, job, 0);
}

static void write_von_mises(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    write_field(file, job, 1);
}

static void write_energy_density(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)frame;
    write_field(file, job, 2);
}

// In pascals, whatever the unit of lengths.
static void write_pressures(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fwrite(frame->pressures, sizeof(double), (size_t)job->node_count, file);
    for
        EACH_OBSTACLE(m, job)
    for (int i = 0; i < m->vertex_count; i++) fwrite(&(double){0}, sizeof(double), 1, file);
}

// Those of fields last: they are left out where there is no world; before them what contacts tell.
static const SnVtuArray arrays[] = {
    {"Points", "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"", SN_VTU_POINT, 24, write_points},
    {"Cells", "type=\"Int32\" Name=\"connectivity\"", SN_VTU_CORNER, 4, write_corners},
    {"Cells", "type=\"Int64\" Name=\"offsets\"", SN_VTU_CELL, 8, write_offsets},
    {"Cells", "type=\"UInt8\" Name=\"types\"", SN_VTU_CELL, 1, write_types},
    {"PointData", "type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\"", SN_VTU_POINT, 24, write_velocities},
    {"PointData", "type=\"Float64\" Name=\"displacement\" NumberOfComponents=\"3\"", SN_VTU_POINT, 24,
     write_displacements},
    {"CellData", "type=\"Float64\" Name=\"volume_ratio\"", SN_VTU_CELL, 8, write_volume_ratios},
    {"CellData", "type=\"Float64\" Name=\"stretch\"", SN_VTU_CELL, 8, write_stretches},
    {"CellData", "type=\"Int32\" Name=\"body\"", SN_VTU_CELL, 4, write_body_numbers},
    {"PointData", "type=\"Float64\" Name=\"contact_pressure\"", SN_VTU_POINT, 8, write_pressures},
    {"CellData", "type=\"Float64\" Name=\"stress\" NumberOfComponents=\"6\"", SN_VTU_CELL, 8 * STRESS, write_stress},
    {"CellData", "type=\"Float64\" Name=\"von_mises\"", SN_VTU_CELL, 8, write_von_mises},
    {"CellData", "type=\"Float64\" Name=\"energy_density\"", SN_VTU_CELL, 8, write_energy_density},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static SnVtuGrid make_grid(const SnExport* job, const SnExportFrame* frame, SnVtuArray chosen[ARRAYS])
{
    int count = 0;
    for (int i = 0; i < (job->def.world ? ARRAYS : ARRAYS - FIELDS); i++)
        if (frame->pressures || arrays[i].write != write_pressures) chosen[count++] = arrays[i];
    SnVtuGrid grid = {{(uint64_t)job->node_count, 0, 0}, " Vectors=\"velocity\"", " Scalars=\"body\"", count, chosen};
    count_cells(job, grid.counts);
    return grid;
}

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    SnVtuArray chosen[ARRAYS];
    SnVtuGrid grid = make_grid(job, frame, chosen);
    sn_vtu_write(file, &grid, job, frame);
}

static void write_pieces(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    SnVtuArray chosen[ARRAYS];
    SnVtuGrid grid = make_grid(job, frame, chosen);
    sn_vtu_write_pieces(file, &grid, job, frame);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    if (job->def.world) SN_TRY(find_fields(job));
    return sn_vtu_frame(job, frame, write, write_pieces);
}

const SnExporter sn_export_vtu = {
    .name = "vtu",
    .summary = "VTK for ParaView, a file per frame and a .pvd: all elements, velocities, displacements, stretches, "
               "stresses, energies, contact pressures, body numbers",
    .fields = true,
    .begin = sn_vtu_begin,
    .frame = frame,
};
