// Wavefront OBJ: a file per frame, a mesh per `o` group; surfaces as faces, ropes as lines.
#include "archive/export_obj.h"

#include "mesh/faces.h"

static void write_vertices(FILE* file, const SnExportMesh* m)
{
    for (int i = 0; i < m->vertex_count; i++) {
        const double* x = m->points + 3 * (size_t)i;
        const float* c = m->colours ? m->colours + 4 * (size_t)i : NULL;
        fprintf(file, "v %.9g %.9g %.9g", x[0], x[1], x[2]);
        if (c) fprintf(file, " %.9g %.9g %.9g", (double)c[0], (double)c[1], (double)c[2]);
        fputc('\n', file);
    }
}

// g, usemtl and s of a skin, where they change; `o` is the body, and after its last face the state is none.
static void write_state(FILE* file, const SnExportMesh* m, int face)
{
    const SnFaces* f = &m->skin->faces;
    bool end = face == m->face_count;
    for (int kind = SN_FACE_GROUP; kind <= SN_FACE_MATERIAL; kind++) {
        int now = end ? 0 : m->groups[kind][face], before = face > 0 ? m->groups[kind][face - 1] : 0;
        const char* word = kind == SN_FACE_GROUP ? "g" : "usemtl";
        if (now != before) fprintf(file, now ? "%s %s\n" : "%s\n", word, now ? f->groups[now - 1].name : "");
    }
    int now = end || !f->smoothing ? 0 : f->smoothing[face],
        before = f->smoothing && face > 0 ? f->smoothing[face - 1] : 0;
    if (now != before) fprintf(file, now ? "s %d\n" : "s off\n", now);
}

void sn_obj_write_mesh(FILE* file, const SnExportMesh* m, SnObjCount* written)
{
    const SnFaces* skin = m->skin ? &m->skin->faces : NULL;
    int uvs = skin && skin->corner_uvs ? skin->uv_count : 0;
    fprintf(file, "o %s\n", m->name);
    write_vertices(file, m);
    for (size_t i = 0; i < (size_t)uvs; i++) fprintf(file, "vt %.9g %.9g\n", skin->uvs[2 * i], skin->uvs[2 * i + 1]);
    const size_t first = written->vertices + 1; // OBJ counts from 1, through all groups
    for (int f = 0, corner = 0; f < m->face_count; f++) {
        if (skin) write_state(file, m, f);
        fputs("f", file);
        for (int end = corner + sn_export_face_size(m, f); corner < end; corner++) {
            fprintf(file, " %zu", first + (size_t)m->corners[corner]);
            if (uvs && skin->corner_uvs[corner] >= 0)
                fprintf(file, "/%zu", written->uvs + 1 + (size_t)skin->corner_uvs[corner]);
        }
        fputc('\n', file);
    }
    if (skin) write_state(file, m, m->face_count);
    for (int i = 0; i < m->edge_count; i++)
        fprintf(file, "l %zu %zu\n", first + (size_t)m->edges[2 * i], first + (size_t)m->edges[2 * i + 1]);
    written->vertices += (size_t)m->vertex_count;
    written->uvs += (size_t)uvs;
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
