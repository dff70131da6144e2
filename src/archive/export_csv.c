// CSV: frame,time,node,x,y,z in one file; 17 digits give back the same bits. Vertices of obstacles, where these are
// asked for, are numbered after the nodes of bodies.
#include "archive/export_job.h"

static SnStatus begin(SnExport* job)
{
    SN_TRY(sn_export_open_stream(job, "csv"));
    fputs("frame,time,node,x,y,z\n", job->stream);
    return SN_OK;
}

static void write_points(const SnExport* job, const SnExportFrame* frame, int first, int count, const double* x)
{
    for (int i = 0; i < count; i++, x += 3)
        fprintf(job->stream, "%d,%.17g,%d,%.17g,%.17g,%.17g\n", frame->number, frame->time, first + i, x[0], x[1],
                x[2]);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    int first = job->node_count;
    write_points(job, frame, 0, job->node_count, frame->positions);
    for (int i = 0; i < job->mesh_count; i++) {
        const SnExportMesh* m = &job->meshes[i];
        if (m->obstacle < 0) continue;
        write_points(job, frame, first, m->vertex_count, m->points);
        first += m->vertex_count;
    }
    return sn_export_flush_stream(job);
}

const SnExporter sn_export_csv = {
    .name = "csv",
    .summary = "table of node positions, one file: frame,time,node,x,y,z",
    .begin = begin,
    .frame = frame,
};
