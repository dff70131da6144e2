// PLY, binary little-endian: a file per frame with the surfaces as faces and ropes as edges.
#include <stdint.h>
#include <string.h>

#include "archive/export_job.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

static void write_header(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    fprintf(file, "ply\nformat binary_little_endian 1.0\ncomment frame %d, time %.17g s\n", frame->number, frame->time);
    fprintf(file, "element vertex %d\nproperty double x\nproperty double y\nproperty double z\n", job->shown_count);
    fprintf(file, "element face %d\nproperty list uchar int vertex_indices\n", job->shown_faces);
    if (job->shown_edges)
        fprintf(file, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", job->shown_edges);
    fputs("end_header\n", file);
}

static void write_faces(FILE* file, const SnExport* job, const SnBodyInfo* body)
{
    const int* shown = job->shown + body->first_node;
    for (int i = 0; i < body->surface_count; i++) {
        unsigned char bytes[1 + 3 * sizeof(int32_t)] = {3};
        for (int c = 0; c < 3; c++)
            memcpy(bytes + 1 + 4 * c, &shown[body->surface[3 * (size_t)i + c]], sizeof(int32_t));
        fwrite(bytes, sizeof bytes, 1, file);
    }
}

static void write_edges(FILE* file, const SnExport* job, const SnBodyInfo* body)
{
    const int* shown = job->shown + body->first_node;
    for (size_t i = 0; i < 2 * (size_t)body->edge_count; i++) fwrite(&shown[body->edges[i]], sizeof(int32_t), 1, file);
}

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    write_header(file, job, frame);
    for (int i = 0; i < job->node_count; i++)
        if (job->shown[i] >= 0) fwrite(frame->positions + 3 * (size_t)i, sizeof(double), 3, file);
    for (int b = 0; b < job->body_count; b++) write_faces(file, job, &job->bodies[b]);
    for (int b = 0; b < job->body_count; b++) write_edges(file, job, &job->bodies[b]);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    return sn_export_frame_file(job, frame, "ply", write);
}

const SnExporter sn_export_ply = {
    .name = "ply",
    .summary = "PLY (binary), a file per frame: surfaces and ropes",
    .frame = frame,
};
