// From an exported mesh to vertices with one normal each: corners are split at creases and seams of the UVs.
#include "archive/glb_mesh.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

static const double CREASE = 0.64; // cosine of the angle between faces beyond which the edge is sharp: 50 degrees

static void facet_of(const float* x, const int* corners, int size, double normal[3])
{
    const float* start = x + 3 * (size_t)corners[0]; // Newell: right for polygons that are not flat
    normal[0] = normal[1] = normal[2] = 0;
    for (int i = 0; i < size; i++) {
        const float *a = x + 3 * (size_t)corners[i], *b = x + 3 * (size_t)corners[(i + 1) % size];
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            normal[c] += ((double)a[d] - (double)b[d]) * ((double)a[e] + (double)b[e] - 2 * (double)start[e]);
        }
    }
}

// The file's vertices of one vertex of the mesh, as a list: first[vertex], next[...]; -1 ends it.
typedef struct Split {
    int* next;
    int next_capacity;
} Split;

static SnStatus add_vertex(SnGlbMesh* g, Split* split, int vertex, const double* uv, const double facet[3], int* index)
{
    int i = *index = g->vertex_count;
    if (!SN_GROW(g->source, g->vertex_capacity, i + 1, "vertices") ||
        !SN_GROW(split->next, split->next_capacity, i + 1, "vertices") ||
        !SN_GROW(g->facet, g->facet_capacity, i + 1, "vertices") ||
        (uv && !SN_GROW(g->uv, g->uv_capacity, 2 * (i + 1), "vertices")))
        return SN_ERROR_MEMORY;
    g->source[i] = vertex;
    memcpy(g->facet[i], facet, sizeof g->facet[i]);
    if (uv) g->uv[2 * i] = (float)uv[0], g->uv[2 * i + 1] = 1 - (float)uv[1]; // glTF has v downwards
    split->next[i] = g->first[vertex];
    g->first[vertex] = i;
    g->vertex_count++;
    return SN_OK;
}

static SnStatus find_vertex(SnGlbMesh* g, Split* split, int corner, const double facet[3], int* index)
{
    const double* uv = g->mesh->uv ? g->mesh->uv + 2 * (size_t)corner : NULL;
    int vertex = g->mesh->corners[corner];
    for (int i = g->first[vertex]; i >= 0; i = split->next[i]) {
        if (uv && (g->uv[2 * i] != (float)uv[0] || g->uv[2 * i + 1] != 1 - (float)uv[1])) continue;
        if (sn_dot3(g->facet[i], facet) < CREASE) continue;
        *index = i;
        return SN_OK;
    }
    return add_vertex(g, split, vertex, uv, facet, index);
}

// The number of the material of each face, from 1 on; 0: none.
static int material_of(const SnExportMesh* m, int face)
{
    return m->groups[SN_FACE_MATERIAL] ? m->groups[SN_FACE_MATERIAL][face] : 0;
}

// Sorted by material, in the order of faces within each.
static SnStatus sort_triangles(SnGlbMesh* g, const int* material)
{
    int most = g->mesh->skin ? g->mesh->skin->faces.group_count : 0, *next = NULL;
    uint32_t* sorted = NULL;
    bool room = SN_NEW(next, most + 2, "materials") && SN_NEW(g->parts, most + 1, "materials") &&
                SN_NEW(g->part_starts, most + 2, "materials") &&
                SN_NEW(sorted, 3 * (int64_t)g->triangle_count, "triangles");
    for (int t = 0; room && t < g->triangle_count; t++) next[material[t] + 1]++;
    for (int k = 0; room && k <= most; k++) {
        if (next[k + 1] > 0) g->parts[g->part_count] = k - 1, g->part_starts[g->part_count++] = next[k];
        next[k + 1] += next[k];
    }
    for (int t = 0; room && t < g->triangle_count; t++)
        memcpy(sorted + 3 * (size_t)next[material[t]]++, g->triangles + 3 * (size_t)t, 3 * sizeof *sorted);
    if (room) {
        g->part_starts[g->part_count] = g->triangle_count;
        memcpy(g->triangles, sorted, 3 * (size_t)g->triangle_count * sizeof *sorted);
    }
    SN_FREE(next, sorted);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus split_faces(SnGlbMesh* g, Split* split, const float* x, int* material)
{
    const SnExportMesh* m = g->mesh;
    int triangles = m->corner_count - 2 * m->face_count;
    if (!SN_NEW(g->triangles, 3 * (int64_t)(triangles > 0 ? triangles : 0), "triangles")) return SN_ERROR_MEMORY;
    for (int f = 0, corner = 0; f < m->face_count; f++) {
        int size = sn_export_face_size(m, f), first = 0, before = 0, now = 0;
        double facet[3];
        facet_of(x, m->corners + corner, size, facet);
        sn_normalize3(facet);
        for (int k = 0; k < size; k++, before = now) {
            SN_TRY(find_vertex(g, split, corner + k, facet, &now));
            if (k == 0) first = now;
            if (k < 2) continue;
            uint32_t* t = g->triangles + 3 * (size_t)g->triangle_count++;
            t[0] = (uint32_t)first, t[1] = (uint32_t)before, t[2] = (uint32_t)now;
            material[g->triangle_count - 1] = material_of(m, f);
        }
        corner += size;
    }
    return SN_OK;
}

// Ends of ropes are vertices, too: the first of those that a vertex has.
static SnStatus add_rest(SnGlbMesh* g, Split* split)
{
    int index;
    for (int i = 0; i < 2 * g->mesh->edge_count; i++)
        if (g->first[g->mesh->edges[i]] < 0)
            SN_TRY(
                add_vertex(g, split, g->mesh->edges[i], g->mesh->uv ? (double[2]){0} : NULL, (double[3]){0}, &index));
    return SN_OK;
}

static SnStatus split_vertices(SnGlbMesh* g, const float* x)
{
    Split split = {0};
    if (!SN_NEW(g->first, g->mesh->vertex_count, "vertices")) return SN_ERROR_MEMORY;
    for (int i = 0; i < g->mesh->vertex_count; i++) g->first[i] = -1;
    int* material = NULL;
    SnStatus status = SN_NEW(material, g->mesh->corner_count, "triangles") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = split_faces(g, &split, x, material);
    if (status == SN_OK) status = sort_triangles(g, material);
    if (status == SN_OK) status = add_rest(g, &split);
    SN_FREE(split.next, material);
    return status;
}

// Whether it moves at all, and the box of all frames.
static SnStatus look_at_frames(SnExport* job, SnGlbMesh* g)
{
    size_t count = 3 * (size_t)g->mesh->vertex_count;
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, *start;
    if (!(start = sn_copy_memory(g->read, count, sizeof *start, "a frame"))) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    for (int i = 0; status == SN_OK && i < job->kept; i++) {
        status = sn_export_kept(job, g->mesh, i, g->read, NULL);
        if (memcmp(start, g->read, count * sizeof *start) != 0) g->target_count = job->kept - 1;
        for (size_t k = 0; k < count; k++)
            lo[k % 3] = fminf(lo[k % 3], g->read[k]), hi[k % 3] = fmaxf(hi[k % 3], g->read[k]);
    }
    sn_free(start);
    for (int c = 0; c < 3; c++) {
        g->shift[c] = 0.5 * ((double)lo[c] + (double)hi[c]);
        g->scale = fmax(g->scale, (double)hi[c] - (double)lo[c]);
    }
    if (!(g->scale > 0)) g->scale = 1;
    return status;
}

SnStatus sn_glb_mesh_make(SnExport* job, const SnExportMesh* mesh, SnGlbMesh* g)
{
    *g = (SnGlbMesh){.mesh = mesh};
    if (!SN_NEW(g->read, 6 * (int64_t)mesh->vertex_count, "a frame")) return SN_ERROR_MEMORY;
    SN_TRY(sn_export_kept(job, mesh, 0, g->read, NULL));
    SN_TRY(split_vertices(g, g->read));
    int64_t count = 3 * (int64_t)g->vertex_count;
    if (!SN_NEW(g->points, count, "a frame") || !SN_NEW(g->normals, count, "a frame") ||
        !SN_NEW(g->velocities, count, "a frame") || !SN_NEW(g->sums, count, "a frame"))
        return SN_ERROR_MEMORY;
    return look_at_frames(job, g);
}

void sn_glb_mesh_free(SnGlbMesh* g)
{
    SN_FREE(g->source, g->first, g->facet, g->uv, g->triangles, g->parts, g->part_starts, g->points, g->normals,
            g->velocities, g->read, g->sums);
}

// The mean normal of the triangles at each vertex, by area.
static void make_normals(SnGlbMesh* g)
{
    memset(g->sums, 0, 3 * (size_t)g->vertex_count * sizeof *g->sums);
    for (int t = 0; t < g->triangle_count; t++) {
        const int corners[3] = {(int)g->triangles[3 * t], (int)g->triangles[3 * t + 1], (int)g->triangles[3 * t + 2]};
        double normal[3];
        facet_of(g->points, corners, 3, normal);
        for (int k = 0; k < 9; k++) g->sums[3 * (size_t)corners[k / 3] + k % 3] += normal[k % 3];
    }
    for (int i = 0; i < g->vertex_count; i++) {
        double* n = g->sums + 3 * (size_t)i;
        sn_normalize3(n);
        for (int c = 0; c < 3; c++) g->normals[3 * (size_t)i + c] = (float)n[c];
    }
}

SnStatus sn_glb_mesh_read(SnExport* job, SnGlbMesh* g, int frame)
{
    float* velocities = g->read + 3 * (size_t)g->mesh->vertex_count;
    SN_TRY(sn_export_kept(job, g->mesh, frame, g->read, velocities));
    for (int i = 0; i < g->vertex_count; i++) {
        memcpy(g->points + 3 * (size_t)i, g->read + 3 * (size_t)g->source[i], 3 * sizeof(float));
        memcpy(g->velocities + 3 * (size_t)i, velocities + 3 * (size_t)g->source[i], 3 * sizeof(float));
    }
    make_normals(g);
    return SN_OK;
}
