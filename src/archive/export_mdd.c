// MDD point cache: NAME.MESH.mdd with the vertices of all frames, and the mesh they belong to as NAME.MESH.obj.
// Frames, points, the time of each frame in seconds, then float32 x y z. All big-endian.
#include <stdint.h>
#include <string.h>

#include "archive/export_obj.h"

static void write_turned(FILE* file, const void* words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char*)words + 4 * i, 4);
        const unsigned char bytes[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16),
                                        (unsigned char)(word >> 8), (unsigned char)word};
        fwrite(bytes, 1, 4, file);
    }
}

static SnStatus write_cache(FILE* file, SnExport* job, const SnExportMesh* mesh)
{
    write_turned(file, (int32_t[2]){job->kept, mesh->vertex_count}, 2);
    for (int i = 0; i < job->kept; i++)
        write_turned(file, &(float){job->def.times ? (float)job->def.times[i] : (float)(i / job->rate)}, 1);
    for (int i = 0; i < job->kept; i++) {
        SN_TRY(sn_export_kept(job, mesh, i, job->record, NULL));
        write_turned(file, job->record, 3 * (size_t)mesh->vertex_count);
    }
    return SN_OK;
}

static SnStatus end(SnExport* job)
{
    for (int i = 0; i < job->mesh_count; i++) SN_TRY(sn_export_mesh_file(job, &job->meshes[i], "mdd", write_cache));
    return SN_OK;
}

const SnExporter sn_export_mdd = {
    .name = "mdd",
    .summary = "MDD point caches, one for each body with an OBJ of its first frame",
    .begin = sn_export_keep_begin,
    .frame = sn_export_cache_frame,
    .end = end,
};
