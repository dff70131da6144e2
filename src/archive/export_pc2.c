// PC2 point cache: NAME.MESH.pc2 with the vertices of all frames, and the mesh they belong to as NAME.MESH.obj.
// "POINTCACHE2\0", version 1, points, first frame, frames per sample, samples; then float32 x y z. Little-endian.
#include <stdint.h>

#include "archive/export_obj.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

static SnStatus write_rest(FILE* file, SnExport* job, const SnExportMesh* mesh)
{
    fprintf(file, "# vertices of the first frame; the others are in %s.%s.%s\n", job->name, mesh->name,
            job->exporter->name);
    sn_obj_write_mesh(file, mesh, &(SnObjCount){0});
    return SN_OK;
}

SnStatus sn_export_cache_frame(SnExport* job, const SnExportFrame* frame)
{
    SN_TRY(sn_export_keep_frame(job, frame));
    for (int i = 0; job->kept == 1 && i < job->mesh_count; i++)
        SN_TRY(sn_export_mesh_file(job, &job->meshes[i], "obj", write_rest));
    return SN_OK;
}

static SnStatus write_cache(FILE* file, SnExport* job, const SnExportMesh* mesh)
{
    fwrite("POINTCACHE2", 1, 12, file);
    fwrite((int32_t[2]){1, mesh->vertex_count}, 4, 2, file);
    fwrite((float[2]){(float)sn_export_time_code(job, 0), 1}, 4, 2, file);
    fwrite(&(int32_t){job->kept}, 4, 1, file);
    for (int i = 0; i < job->kept; i++) {
        SN_TRY(sn_export_kept(job, mesh, i, job->record, NULL));
        fwrite(job->record, 12, (size_t)mesh->vertex_count, file);
    }
    return SN_OK;
}

static SnStatus end(SnExport* job)
{
    for (int i = 0; i < job->mesh_count; i++) SN_TRY(sn_export_mesh_file(job, &job->meshes[i], "pc2", write_cache));
    return SN_OK;
}

const SnExporter sn_export_pc2 = {
    .name = "pc2",
    .summary =
        "PC2 point caches, one for each body with an OBJ of its first frame: for Blender's and others' mesh cache",
    .begin = sn_export_keep_begin,
    .frame = sn_export_cache_frame,
    .end = end,
};
