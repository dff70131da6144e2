// Wavefront OBJ: a file per frame, a body per `o` group; surfaces as faces, ropes as lines.
#include <math.h>

#include "archive/export_job.h"

// A name in one word, as most readers of `o` expect.
static void write_word(FILE* file, const char* name)
{
    for (; *name; name++) fputc((unsigned char)*name <= ' ' ? '_' : *name, file);
}

static void write_body(FILE* file, const SnExport* job, const SnBodyInfo* body, const double* positions)
{
    const int* shown = job->shown + body->first_node; // OBJ counts vertices from 1, through all groups
    fputs("o ", file);
    write_word(file, body->name);
    fputc('\n', file);
    for (int i = 0; i < body->node_count; i++) {
        const double* x = positions + 3 * ((size_t)body->first_node + (size_t)i);
        if (shown[i] >= 0) fprintf(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    const int* t = body->surface;
    for (int i = 0; i < body->surface_count; i++, t += 3)
        fprintf(file, "f %d %d %d\n", shown[t[0]] + 1, shown[t[1]] + 1, shown[t[2]] + 1);
    const int* e = body->edges;
    for (int i = 0; i < body->edge_count; i++, e += 2) fprintf(file, "l %d %d\n", shown[e[0]] + 1, shown[e[1]] + 1);
}

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fprintf(file, "# frame %d, time %.17g s\n", frame->number, frame->time);
    for (int b = 0; b < job->body_count; b++) write_body(file, job, &job->bodies[b], frame->positions);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    for (int i = 0; i < job->node_count; i++) {
        const double* x = frame->positions + 3 * (size_t)i;
        if (!isfinite(x[0] + x[1] + x[2]))
            return sn_fail(SN_ERROR_VALUE,
                           "frame %d: node %d is at (%g, %g, %g), which OBJ cannot hold; choose earlier "
                           "frames, or vtu or csv",
                           frame->number, i, x[0], x[1], x[2]);
    }
    return sn_export_frame_file(job, frame, "obj", write);
}

const SnExporter sn_export_obj = {
    .name = "obj",
    .summary = "Wavefront OBJ, a file per frame: surfaces and ropes, a group per body",
    .frame = frame,
};
