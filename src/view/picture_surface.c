// Crease-aware splitting of a surface's nodes: the triangles around a node form groups connected over smooth edges,
// and each group gets its own vertex, so that area-weighted normals do not round off edges.
#include "view/picture_surface.h"

#include <math.h>

#include "core/memory.h"
#include "core/pi.h"
#include "linalg/vec3.h"

// Working arrays of the splitting.
typedef struct Split {
    double* normals;        // 3 x triangle_count, unit or zero
    int *first, *items;     // triangles around each node
    int* parent;            // union-find over the triangles around one node
    int *seen_by, *seen_at; // per node w: the node v whose ring touched w last, and by which of v's triangles
} Split;

static void split_free(Split* split)
{
    SN_FREE(split->normals, split->first, split->items, split->parent, split->seen_by, split->seen_at);
}

static void unit_normal(const double* x, const int* t, double n[3])
{
    const double *a = x + 3 * (size_t)t[0], *b = x + 3 * (size_t)t[1], *c = x + 3 * (size_t)t[2];
    double u[3], v[3];
    sn_subtract3(b, a, u);
    sn_subtract3(c, a, v);
    sn_cross3(u, v, n);
    double length = sn_length3(n);
    for (int i = 0; i < 3; i++) n[i] = length > 0 && isfinite(length) ? n[i] / length : 0;
}

static SnStatus split_begin(Split* split, int nodes, const double* x, int count, const int* triangles)
{
    for (int i = 0; i < 3 * count; i++)
        if (triangles[i] < 0 || triangles[i] >= nodes)
            return sn_fail(SN_ERROR_VALUE, "surface: triangle %d names node %d of %d", i / 3, triangles[i], nodes);
    if (!SN_NEW(split->normals, 3 * (size_t)count, "surface normals") ||
        !SN_NEW(split->first, (size_t)nodes + 2, "surface rings") ||
        !SN_NEW(split->items, 3 * (size_t)count, "surface rings") ||
        !SN_NEW(split->parent, 3 * (size_t)count, "surface rings") || !SN_NEW(split->seen_by, nodes, "surface rings") ||
        !SN_NEW(split->seen_at, nodes, "surface rings"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) unit_normal(x, triangles + 3 * i, split->normals + 3 * i);
    for (int i = 0; i < 3 * count; i++) split->first[triangles[i] + 2]++;
    for (int i = 0; i < nodes; i++) split->first[i + 2] += split->first[i + 1], split->seen_by[i] = -1;
    for (int i = 0; i < 3 * count; i++) split->items[split->first[triangles[i] + 1]++] = i;
    return SN_OK;
}

static int find_root(int* parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Triangles without area have no direction of their own and join their neighbours.
static bool is_smooth(const double* a, const double* b, double limit)
{
    double length_a = sn_dot3(a, a), length_b = sn_dot3(b, b);
    return length_a == 0 || length_b == 0 || sn_dot3(a, b) >= limit;
}

// Joins the corners around `node` whose triangles share a smooth edge of it.
static void join_ring(Split* split, int node, const int* triangles, double limit)
{
    int begin = split->first[node], end = split->first[node + 1];
    for (int i = begin; i < end; i++) split->parent[i] = i;
    for (int i = begin; i < end; i++) {
        int triangle = split->items[i] / 3, corner = split->items[i] % 3;
        for (int side = 1; side <= 2; side++) {
            int other = triangles[3 * triangle + (corner + side) % 3];
            if (split->seen_by[other] == node) {
                int before = split->seen_at[other], neighbour = split->items[before] / 3;
                if (is_smooth(split->normals + 3 * (size_t)triangle, split->normals + 3 * (size_t)neighbour, limit))
                    split->parent[find_root(split->parent, i)] = find_root(split->parent, before);
            }
            split->seen_by[other] = node;
            split->seen_at[other] = i;
        }
    }
}

// Numbers the groups around each node and writes the triangles over them.
static void number_vertices(Split* split, SnPictureSurface* surface)
{
    for (int node = 0; node < surface->node_count; node++) {
        int begin = split->first[node], end = split->first[node + 1];
        for (int i = begin; i < end; i++)
            if (find_root(split->parent, i) == i) {
                surface->triangles[split->items[i]] = surface->vertex_count;
                surface->source[surface->vertex_count++] = node;
            }
        for (int i = begin; i < end; i++)
            surface->triangles[split->items[i]] = surface->triangles[split->items[find_root(split->parent, i)]];
    }
}

SnStatus sn_picture_surface_create(int node_count, const double* positions, int triangle_count, const int* triangles,
                                   double crease_degrees, SnPictureSurface** out)
{
    *out = NULL;
    SnPictureSurface* surface;
    if (!SN_NEW(surface, 1, "surface")) return SN_ERROR_MEMORY;
    surface->node_count = node_count;
    surface->triangle_count = triangle_count;
    Split split = {0};
    SnStatus status = split_begin(&split, node_count, positions, triangle_count, triangles);
    if (status == SN_OK && (!SN_NEW(surface->source, 3 * (size_t)triangle_count, "surface") ||
                            !SN_NEW(surface->triangles, 3 * (size_t)triangle_count, "surface")))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK) {
        double limit = cos(crease_degrees * SN_PI / 180);
        for (int node = 0; node < node_count; node++) join_ring(&split, node, triangles, limit);
        number_vertices(&split, surface);
        status = sn_picture_surface_coarsen(surface, positions);
    }
    split_free(&split);
    SN_FINISH(status, surface, sn_picture_surface_destroy, out);
}

void sn_picture_surface_destroy(SnPictureSurface* surface)
{
    if (!surface) return;
    SN_FREE(surface->source, surface->triangles, surface->coarse, surface->corner_uvs, surface);
}
