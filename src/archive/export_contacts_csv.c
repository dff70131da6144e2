// Contacts as CSV: a row for each that pushes.
#include "archive/export_job.h"

static SnStatus begin(SnExport* job)
{
    SN_TRY(sn_export_open_stream(job, "csv"));
    fputs("frame,time,body,other_body,obstacle,state,x,y,z,normal_x,normal_y,normal_z,gap,force,friction_x,friction_y,"
          "friction_z,node_1,node_2,node_3,node_4\n",
          job->stream);
    return SN_OK;
}

// Nothing where there is none of a kind; nine digits give back the same float32.
static void write_number(FILE* file, int number)
{
    fputc(',', file);
    if (number >= 0) fprintf(file, "%d", number);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    for (int i = 0; i < frame->contact_count; i++) {
        const SnContactInfo* c = &frame->contacts[i];
        const double* vectors[] = {c->point, c->normal, c->friction};
        fprintf(job->stream, "%d,%.17g,%d", frame->number, frame->time, c->body);
        write_number(job->stream, c->other_body), write_number(job->stream, c->obstacle);
        fprintf(job->stream, ",%s", sn_contact_state_name(c->state));
        for (int k = 0; k < 3; k++) {
            for (int a = 0; a < 3; a++) fprintf(job->stream, ",%.9g", vectors[k][a]);
            if (k == 1) fprintf(job->stream, ",%.9g,%.9g", c->gap, c->force);
        }
        for (int k = 0; k < SN_CONTACT_NODES; k++) write_number(job->stream, c->nodes[k]);
        fputc('\n', job->stream);
    }
    return sn_export_flush_stream(job);
}

const SnExporter sn_export_contacts_csv = {
    .name = "csv",
    .summary = "table of contacts, one file: frame, time, who touches whom, point, normal, gap, forces, nodes",
    .contacts = true,
    .begin = begin,
    .frame = frame,
};
