// glTF as a mesh (all triangles and lines of the scene, where its nodes put them) and as a point cache (the same
// vertices through the first animation: of nodes, skins and morph targets).
#include "mesh/gltf.h"

#include <math.h>

#include "mesh/builder.h"
#include "mesh/point_cache.h"

typedef struct Vertices {
    int *owner, *first, count;
} Vertices;

// --- a mesh ---

static SnStatus add_part(SnMeshBuilder* b, const SnGltfPart* part, const int* owner, int64_t* uv_count)
{
    int corners = part->lines ? 2 : 3;
    int64_t first_uv = *uv_count;
    for (int i = 0; part->uvs && i < part->count; i++) // glTF has v downwards
        SN_TRY(sn_builder_uv(b, (const double[2]){part->uvs[2 * i], 1 - part->uvs[2 * i + 1]}));
    *uv_count += part->uvs ? part->count : 0;
    SN_TRY(sn_builder_face_group(b, SN_FACE_OBJECT, part->name));
    for (int i = 0; i + corners <= part->index_count; i += corners) {
        const int* v = part->indices + i;
        int64_t nodes[3] = {owner[v[0]], owner[v[1]], part->lines ? 0 : owner[v[2]]};
        bool flat = nodes[0] == nodes[1] || (!part->lines && (nodes[1] == nodes[2] || nodes[0] == nodes[2]));
        if (flat) continue; // those of no size are there for looks alone
        if (part->lines)
            SN_TRY(sn_builder_element(b, 1, nodes));
        else
            SN_TRY(sn_builder_face(
                b, nodes, part->uvs ? (const int64_t[3]){first_uv + v[0], first_uv + v[1], first_uv + v[2]} : NULL,
                NULL, 3));
    }
    return SN_OK;
}

static SnStatus add_nodes(SnMeshBuilder* b, const SnGltfScene* s, const Vertices* v)
{
    for (int p = 0, next = 0, made = 0; p < s->part_count; next += s->parts[p++].count)
        for (; made < v->count && v->first[made] < next + s->parts[p].count; made++) {
            double x[3];
            sn_gltf_vertex(s, &s->parts[p], v->first[made] - next, x);
            SN_TRY(sn_builder_node(b, x));
        }
    return SN_OK;
}

static SnStatus build(SnMeshBuilder* b, const SnGltfScene* s, const Vertices* v, SnMesh** mesh)
{
    SN_TRY(sn_builder_begin(b, &s->file.reader));
    SN_TRY(add_nodes(b, s, v));
    int64_t uv_count = 0;
    for (int p = 0, next = 0; p < s->part_count; next += s->parts[p++].count)
        SN_TRY(add_part(b, &s->parts[p], v->owner + next, &uv_count));
    return sn_builder_finish(b, mesh);
}

static SnStatus read(const char* path, SnMesh** mesh)
{
    SnGltfScene scene;
    Vertices v;
    SnMeshBuilder builder = {0};
    SN_TRY(sn_gltf_scene_open(path, &scene));
    SnStatus status = sn_gltf_weld(&scene, &v.owner, &v.first, &v.count);
    if (status == SN_OK) status = build(&builder, &scene, &v, mesh);
    sn_builder_abandon(&builder);
    SN_FREE(v.owner, v.first);
    sn_gltf_scene_close(&scene);
    return status;
}

const SnMeshFormat sn_mesh_gltf = {
    .name = "gltf",
    .endings = ".gltf .glb",
    .summary = "glTF 2.0: triangles and lines of all nodes in their places, equal vertices of a node made one",
    .read = read,
    .y_up_metres = true,
    .surface = true,
};

// --- a point cache ---

static SnStatus take_frames(SnGltfScene* s, const Vertices* v, const SnGltfMotion* m, double rate, SnPointCache** cache)
{
    enum { MOST = 100000 };
    double frames = ceil(sn_gltf_motion_end(m) * rate - 1e-6) + 1;
    if (frames > MOST)
        return sn_fail(SN_ERROR_FORMAT, "%s: %.0f frames of %g s; there can be %d: choose a lower rate",
                       s->file.reader.path, frames, 1 / rate, MOST);
    if (v->count == 0) return sn_fail(SN_ERROR_FORMAT, "%s: the file has no vertices", s->file.reader.path);
    SN_TRY(sn_point_cache_create(v->count, (int)frames, rate, cache));
    for (int f = 0; f < (int)frames; f++) {
        sn_gltf_motion_apply(m, s, (*cache)->times[f]);
        double* x = (*cache)->points + 3 * (int64_t)f * v->count;
        for (int p = 0, next = 0, made = 0; p < s->part_count; next += s->parts[p++].count)
            for (; made < v->count && v->first[made] < next + s->parts[p].count; made++)
                sn_gltf_vertex(s, &s->parts[p], v->first[made] - next, x + 3 * (int64_t)made);
        for (int64_t i = 0; i < 3 * (int64_t)v->count; i++)
            if (!isfinite(x[i]))
                return sn_fail(SN_ERROR_FORMAT, "%s: the animation puts vertex %lld at no finite place at %g s",
                               s->file.reader.path, (long long)(i / 3), (*cache)->times[f]);
    }
    return SN_OK;
}

static SnStatus read_cache(const char* path, double rate, SnPointCache** cache)
{
    SnGltfScene scene;
    SnGltfMotion* motion = NULL;
    Vertices v = {0};
    *cache = NULL;
    SN_TRY(sn_gltf_scene_open(path, &scene));
    SnStatus status = sn_gltf_weld(&scene, &v.owner, &v.first, &v.count);
    if (status == SN_OK) status = sn_gltf_motion_create(&scene, &motion);
    if (status == SN_OK) status = take_frames(&scene, &v, motion, rate, cache);
    if (status != SN_OK) sn_point_cache_destroy(*cache), *cache = NULL;
    SN_FREE(v.owner, v.first);
    sn_gltf_motion_destroy(motion);
    sn_gltf_scene_close(&scene);
    return status;
}

const SnPointCacheFormat sn_point_cache_gltf = {
    .name = "gltf",
    .endings = ".gltf .glb",
    .summary = "glTF 2.0: vertices through the first animation (nodes, skins, morph targets), sampled at `rate`",
    .read = read_cache,
};
