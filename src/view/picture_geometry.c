// Vertices and area-weighted normals of all bodies of a picture, in one list.
#include "view/picture_geometry.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "linalg/vec3.h"

bool sn_picture_geometry_reserve(SnPictureGeometry* g, int64_t vertices, int64_t indices)
{
    return SN_GROW(g->vertices, g->vertex_capacity, g->vertex_count + vertices, "picture vertices") &&
           SN_GROW(g->indices, g->index_capacity, g->index_count + indices, "picture triangles");
}

// Twice the area times the normal, added to the three vertices: sums of these are area-weighted normals.
static void add_normals(const SnPictureSurface* surface, const double* x, double* normals)
{
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* v = surface->triangles + 3 * (size_t)t;
        const double* a = x + 3 * (size_t)surface->source[v[0]];
        const double* b = x + 3 * (size_t)surface->source[v[1]];
        const double* c = x + 3 * (size_t)surface->source[v[2]];
        double e[3], f[3];
        for (int i = 0; i < 3; i++) e[i] = b[i] - a[i], f[i] = c[i] - a[i];
        double n[3];
        sn_cross3(e, f, n);
        if (!isfinite(n[0] + n[1] + n[2])) continue;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) normals[3 * (size_t)v[k] + i] += n[i];
    }
}

static void set_colour(uint8_t out[4], const float colour[3], uint8_t alpha)
{
    for (int i = 0; i < 3; i++) out[i] = (uint8_t)lrintf(255 * fminf(fmaxf(colour[i], 0), 1));
    out[3] = alpha;
}

static bool is_finite(const double* p)
{
    return isfinite(p[0] + p[1] + p[2]);
}

static bool is_whole(const SnPictureBody* body, const int v[3])
{
    bool whole = true;
    for (int k = 0; k < 3; k++) whole = whole && is_finite(body->positions + 3 * (size_t)body->surface->source[v[k]]);
    return whole;
}

// How many indices were added at `to`.
static int add_triangles(const SnPictureBody* body, const int* triangles, int count, int base, uint32_t* to)
{
    int added = 0;
    for (int t = 0; t < count; t++) {
        const int* v = triangles + 3 * (size_t)t;
        bool whole = is_whole(body, v);
        for (int k = 0; whole && k < 3; k++) to[added++] = (uint32_t)(base + v[k]);
    }
    return added;
}

// Coarse bodies, others as they are, ropes; nothing where no body is coarse.
static SnStatus add_coarse(SnPictureGeometry* g, const SnPictureScene* scene, int ropes)
{
    bool any = false;
    for (int b = 0; b < scene->body_count; b++) any |= scene->bodies[b].surface->coarse != NULL;
    if (!any) return SN_OK;
    if (!sn_picture_geometry_reserve(g, 0, g->index_count)) return SN_ERROR_MEMORY;
    uint32_t* to = g->indices + g->index_count;
    int base = 0;
    for (int b = 0; b < scene->body_count; b++) {
        const SnPictureSurface* s = scene->bodies[b].surface;
        int count = s->coarse ? s->coarse_count : s->triangle_count;
        g->coarse_count +=
            add_triangles(&scene->bodies[b], s->coarse ? s->coarse : s->triangles, count, base, to + g->coarse_count);
        base += s->vertex_count;
    }
    for (int i = ropes; i < g->index_count; i++) to[g->coarse_count++] = g->indices[i];
    return SN_OK;
}

// For the indices from `first` on; body NULL: they have none.
static SnStatus add_uvs(SnPictureGeometry* g, const SnPictureBody* body, int first)
{
    if (!SN_GROW(g->uvs, g->uv_capacity, 3 * (int64_t)g->index_count, "texture coordinates")) return SN_ERROR_MEMORY;
    memset(g->uvs + 3 * (size_t)first, 0, 3 * (size_t)(g->index_count - first) * sizeof *g->uvs);
    const float* from = body ? body->surface->corner_uvs : NULL;
    float* to = g->uvs + 3 * (size_t)first;
    for (int t = 0; from && t < body->surface->triangle_count; t++) {
        if (!is_whole(body, body->surface->triangles + 3 * (size_t)t)) continue;
        for (int k = 0; k < 3; k++, to += 3) {
            const float* uv = from + 2 * (3 * (size_t)t + (size_t)k);
            if (isfinite(uv[0] + uv[1])) to[0] = uv[0], to[1] = uv[1], to[2] = 1;
        }
    }
    return SN_OK;
}

static SnStatus add_body(SnPictureGeometry* g, const SnPictureBody* body)
{
    const SnPictureSurface* surface = body->surface;
    if (!sn_picture_geometry_reserve(g, surface->vertex_count, 3 * (int64_t)surface->triangle_count) ||
        !SN_GROW(g->normals, g->normal_capacity, 3 * (int64_t)surface->vertex_count, "picture normals"))
        return SN_ERROR_MEMORY;
    memset(g->normals, 0, 3 * (size_t)surface->vertex_count * sizeof *g->normals);
    add_normals(surface, body->positions, g->normals);
    g->index_count +=
        add_triangles(body, surface->triangles, surface->triangle_count, g->vertex_count, g->indices + g->index_count);
    for (int v = 0; v < surface->vertex_count; v++) {
        SnPictureVertex* vertex = &g->vertices[g->vertex_count++];
        const double *p = body->positions + 3 * (size_t)surface->source[v], *n = g->normals + 3 * (size_t)v;
        double length = sn_length3(n);
        for (int i = 0; i < 3; i++) {
            vertex->position[i] = is_finite(p) ? (float)(p[i] - g->origin[i]) : 0;
            vertex->normal[i] = length > 0 ? (float)(n[i] / length) : i == 1;
        }
        set_colour(vertex->colour, body->colours ? body->colours + 3 * (size_t)surface->source[v] : body->colour, 255);
    }
    return SN_OK;
}

SnStatus sn_picture_geometry_fill(SnPictureGeometry* g, const SnPictureScene* scene)
{
    g->vertex_count = g->index_count = g->coarse_count = 0;
    // Of what the camera looks at: single precision is spent on differences, and what does not move stays where it is.
    memcpy(g->origin, scene->camera.target, sizeof g->origin);
    for (int b = 0; b < scene->body_count; b++) {
        int first = g->index_count;
        SN_TRY(add_body(g, &scene->bodies[b]));
        if (scene->checker > 0) SN_TRY(add_uvs(g, &scene->bodies[b], first));
    }
    int first = g->index_count;
    for (int r = 0; r < scene->rope_count; r++) SN_TRY(sn_picture_geometry_add_rope(g, &scene->ropes[r]));
    if (scene->checker > 0) SN_TRY(add_uvs(g, NULL, first));
    if (scene->quality != SN_PICTURE_STILL) SN_TRY(add_coarse(g, scene, first));
    for (int k = 0; k < 3; k++) g->lo[k] = INFINITY, g->hi[k] = -INFINITY;
    for (int i = 0; i < g->index_count; i++) {
        const float* p = g->vertices[g->indices[i]].position;
        for (int k = 0; k < 3; k++) {
            g->lo[k] = fminf(g->lo[k], p[k]);
            g->hi[k] = fmaxf(g->hi[k], p[k]);
        }
    }
    return SN_OK;
}

SnStatus sn_picture_geometry_unshare(SnPictureGeometry* g)
{
    SnPictureVertex* vertices;
    int count = g->index_count + g->coarse_count;
    if (!SN_NEW(vertices, count, "picture vertices")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        vertices[i] = g->vertices[g->indices[i]];
        if (g->uvs && i < g->index_count && 3 * i + 2 < g->uv_capacity)
            memcpy(vertices[i].uv, g->uvs + 3 * (size_t)i, sizeof vertices[i].uv);
        g->indices[i] = (uint32_t)i;
    }
    sn_free(g->vertices);
    g->vertices = vertices;
    g->vertex_count = g->vertex_capacity = count;
    return SN_OK;
}

void sn_picture_geometry_flatten(SnPictureGeometry* g)
{
    for (int i = 0; i + 2 < g->vertex_count; i += 3) {
        SnPictureVertex* v = g->vertices + i;
        double e[3], f[3], n[3];
        for (int c = 0; c < 3; c++)
            e[c] = (double)v[1].position[c] - (double)v[0].position[c],
            f[c] = (double)v[2].position[c] - (double)v[0].position[c];
        sn_cross3(e, f, n);
        double length = sn_length3(n);
        for (int c = 0; c < 9 && v[0].colour[3] && length > 0; c++) v[c / 3].normal[c % 3] = (float)(n[c % 3] / length);
    }
}

void sn_picture_geometry_free(SnPictureGeometry* g)
{
    SN_FREE(g->vertices, g->indices, g->normals, g->uvs);
    *g = (SnPictureGeometry){0};
}
