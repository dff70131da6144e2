// Wavefront OBJ: a file per frame, a mesh per `o` group; surfaces as faces, ropes as lines.
#include "archive/export_obj.h"

void sn_obj_write_mesh(FILE* file, const SnExportMesh* m, SnObjCount* written)
{
    fprintf(file, "o %s\n", m->name);
    for (int i = 0; i < m->vertex_count; i++) {
        const double* x = m->points + 3 * (size_t)i;
        fprintf(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; m->uv && i < m->corner_count; i++)
        fprintf(file, "vt %.9g %.9g\n", m->uv[2 * (size_t)i], m->uv[2 * (size_t)i + 1]);
    const size_t first = written->vertices + 1; // OBJ counts from 1, through all groups
    for (int f = 0, corner = 0; f < m->face_count; f++) {
        fputs("f", file);
        for (int end = corner + sn_export_face_size(m, f); corner < end; corner++) {
            fprintf(file, " %zu", first + (size_t)m->corners[corner]);
            if (m->uv) fprintf(file, "/%zu", written->uvs + 1 + (size_t)corner);
        }
        fputc('\n', file);
    }
    for (int i = 0; i < m->edge_count; i++)
        fprintf(file, "l %zu %zu\n", first + (size_t)m->edges[2 * i], first + (size_t)m->edges[2 * i + 1]);
    written->vertices += (size_t)m->vertex_count;
    written->uvs += m->uv ? (size_t)m->corner_count : 0;
}

static void write(FILE* file, const SnExport* job, const SnExportFrame* frame)
{
    SnObjCount written = {0};
    fprintf(file, "# frame %d, time %.17g s\n", frame->number, frame->time);
    for (int i = 0; i < job->mesh_count; i++) sn_obj_write_mesh(file, &job->meshes[i], &written);
}

static SnStatus frame(SnExport* job, const SnExportFrame* frame)
{
    SN_TRY(sn_export_check_finite(job, frame, "OBJ"));
    return sn_export_frame_file(job, frame, "obj", write);
}

const SnExporter sn_export_obj = {
    .name = "obj",
    .summary = "Wavefront OBJ, a file per frame: surfaces and ropes, a group per body",
    .frame = frame,
};
