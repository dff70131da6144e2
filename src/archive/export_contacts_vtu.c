// Contacts for VTK: a point for each that pushes, with its forces.
#include "archive/vtu_grid.h"

#define FOR_EACH(c, frame)                                          \
    for (int at_##c = 0; at_##c < (frame)->contact_count; at_##c++) \
        for (const SnContactInfo* c = &(frame)->contacts[at_##c]; c; c = NULL)

static void write_points(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame) fwrite(c->point, sizeof c->point, 1, file);
}

static void write_forces(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame)
    for (int a = 0; a < 3; a++) {
        double all = c->force * c->normal[a] + c->friction[a];
        fwrite(&all, sizeof all, 1, file);
    }
}

static void write_friction(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame) fwrite(c->friction, sizeof c->friction, 1, file);
}

static void write_normals(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame) fwrite(c->normal, sizeof c->normal, 1, file);
}

static void write_normal_forces(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame) fwrite(&c->force, sizeof c->force, 1, file);
}

static void write_gaps(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame) fwrite(&c->gap, sizeof c->gap, 1, file);
}

// Body, other body, obstacle.
static void write_who(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame)
    {
        const int32_t who[3] = {c->body, c->other_body, c->obstacle};
        fwrite(who, sizeof who, 1, file);
    }
}

static void write_states(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    FOR_EACH(c, frame) fputc(c->state, file);
}

// A cell for each point: VTK shows nothing of points without.
static void write_corners(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    for (int32_t i = 0; i < frame->contact_count; i++) fwrite(&i, sizeof i, 1, file);
}

static void write_offsets(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    for (int64_t i = 1; i <= frame->contact_count; i++) fwrite(&i, sizeof i, 1, file);
}

static void write_types(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    (void)job;
    for (int i = 0; i < frame->contact_count; i++) fputc(1, file); // VTK_VERTEX
}

#define VECTOR(name) "type=\"Float64\" Name=\"" name "\" NumberOfComponents=\"3\""
static const SnVtuArray arrays[] = {
    {"Points", VECTOR("Points"), SN_VTU_POINT, 24, write_points},
    {"Cells", "type=\"Int32\" Name=\"connectivity\"", SN_VTU_CORNER, 4, write_corners},
    {"Cells", "type=\"Int64\" Name=\"offsets\"", SN_VTU_CELL, 8, write_offsets},
    {"Cells", "type=\"UInt8\" Name=\"types\"", SN_VTU_CELL, 1, write_types},
    {"PointData", VECTOR("force"), SN_VTU_POINT, 24, write_forces},
    {"PointData", VECTOR("friction"), SN_VTU_POINT, 24, write_friction},
    {"PointData", VECTOR("normal"), SN_VTU_POINT, 24, write_normals},
    {"PointData", "type=\"Float64\" Name=\"normal_force\"", SN_VTU_POINT, 8, write_normal_forces},
    {"PointData", "type=\"Float64\" Name=\"gap\"", SN_VTU_POINT, 8, write_gaps},
    {"PointData", "type=\"Int32\" Name=\"body_other_obstacle\" NumberOfComponents=\"3\"", SN_VTU_POINT, 12, write_who},
    {"PointData", "type=\"UInt8\" Name=\"state\"", SN_VTU_POINT, 1, write_states},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    uint64_t count = (uint64_t)frame->contact_count;
    SnVtuGrid grid = {{count, count, count}, " Vectors=\"force\" Scalars=\"state\"", "", ARRAYS, arrays};
    sn_vtu_write(file, &grid, job, frame);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    return sn_vtu_frame(job, frame, write, NULL); // never in pieces
}

const SnExporter sn_export_contacts_vtu = {
    .name = "vtu",
    .summary = "VTK for ParaView, a file per frame and a .pvd: a point for each contact, with its forces",
    .contacts = true,
    .begin = sn_vtu_begin,
    .frame = frame,
};
