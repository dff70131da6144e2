// PLY, binary little-endian: a file per frame with the surfaces as faces and ropes as edges.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "archive/export_job.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

// What all meshes of the file have in common.
typedef struct Layout {
    int faces, edges;
    bool long_lists; // lengths of lists do not fit into bytes
    bool velocities, uvs, colours;
} Layout;

static Layout layout_of(const SnExport* job)
{
    Layout layout = {.velocities = true, .uvs = job->mesh_count > 0, .colours = job->mesh_count > 0};
    for (int i = 0; i < job->mesh_count; i++) {
        const SnExportMesh* m = &job->meshes[i];
        layout.faces += m->face_count, layout.edges += m->edge_count;
        for (int f = 0; f < m->face_count; f++)
            layout.long_lists = layout.long_lists || sn_export_face_size(m, f) > 127;
        layout.velocities = layout.velocities && m->velocities;
        layout.uvs = layout.uvs && m->uv;
        layout.colours = layout.colours && m->colours;
    }
    return layout;
}

static void write_header(FILE* file, const SnExport* job, const SnExportFrame* frame, const Layout* layout)
{
    fprintf(file, "ply\nformat binary_little_endian 1.0\ncomment frame %d, time %.17g s\n", frame->number, frame->time);
    fprintf(file, "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n", job->vertex_count);
    if (layout->velocities) fputs("property double vx\nproperty double vy\nproperty double vz\n", file);
    if (layout->colours) fputs("property uchar red\nproperty uchar green\nproperty uchar blue\n", file);
    const char* length = layout->long_lists ? "int" : "uchar";
    fprintf(file, "element face %d\nproperty list %s int vertex_indices\n", layout->faces, length);
    if (layout->uvs) fprintf(file, "property list %s float texcoord\n", length);
    if (layout->edges) fprintf(file, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", layout->edges);
    fputs("end_header\n", file);
}

static void write_vertices(FILE* file, const SnExportMesh* m, const Layout* layout)
{
    for (int i = 0; i < m->vertex_count; i++) {
        fwrite(m->points + 3 * (size_t)i, sizeof(double), 3, file);
        if (layout->velocities) fwrite(m->velocities + 3 * (size_t)i, sizeof(double), 3, file);
        for (int c = 0; layout->colours && c < 3; c++)
            fputc((int)(255 * fminf(1, fmaxf(0, m->colours[4 * (size_t)i + (size_t)c])) + 0.5f), file);
    }
}

static void write_length(FILE* file, int length, const Layout* layout)
{
    fwrite(&(int32_t){length}, layout->long_lists ? 4 : 1, 1, file);
}

static void write_faces(FILE* file, const SnExportMesh* m, const Layout* layout)
{
    for (int f = 0, corner = 0; f < m->face_count; f++) {
        int size = sn_export_face_size(m, f), end = corner + size;
        write_length(file, size, layout);
        for (int k = corner; k < end; k++) fwrite(&(int32_t){(int32_t)m->first + m->corners[k]}, 4, 1, file);
        if (layout->uvs) write_length(file, 2 * size, layout);
        for (int k = corner; layout->uvs && k < end; k++)
            fwrite((float[2]){(float)m->uv[2 * (size_t)k], (float)m->uv[2 * (size_t)k + 1]}, 4, 2, file);
        corner = end;
    }
}

static void write_edges(FILE* file, const SnExportMesh* m)
{
    for (size_t i = 0; i < 2 * (size_t)m->edge_count; i++)
        fwrite(&(int32_t){(int32_t)m->first + m->edges[i]}, 4, 1, file);
}

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    Layout layout = layout_of(job);
    write_header(file, job, frame, &layout);
    for (int i = 0; i < job->mesh_count; i++) write_vertices(file, &job->meshes[i], &layout);
    for (int i = 0; i < job->mesh_count; i++) write_faces(file, &job->meshes[i], &layout);
    for (int i = 0; i < job->mesh_count; i++) write_edges(file, &job->meshes[i]);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    return sn_export_frame_file(job, frame, "ply", write);
}

const SnExporter sn_export_ply = {
    .name = "ply",
    .summary = "PLY (binary), a file per frame: surfaces and ropes, velocities",
    .frame = frame,
};
