// CSV: frame,time,node,x,y,z in one file; 17 digits give back the same bits.
#include "archive/export_job.h"

static SnStatus begin(SnExport* job)
{
    SN_TRY(sn_export_open_stream(job, "csv"));
    fputs("frame,time,node,x,y,z\n", job->stream);
    return SN_OK;
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    const double* x = frame->positions;
    for (int i = 0; i < job->node_count; i++, x += 3)
        fprintf(job->stream, "%d,%.17g,%d,%.17g,%.17g,%.17g\n", frame->number, frame->time, i, x[0], x[1], x[2]);
    return sn_export_flush_stream(job);
}

const SnExporter sn_export_csv = {
    .name = "csv",
    .summary = "table of node positions, one file: frame,time,node,x,y,z",
    .nodes = true,
    .begin = begin,
    .frame = frame,
};
