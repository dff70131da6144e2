// A surface of triangles that knows its signed distance.
#include "obstacle/triangles.h"

#include "linalg/vec3.h"

static SnStatus build(SnTriangles* t, const double* x, const int* triangles)
{
    t->x = sn_copy_memory(x, 3 * (size_t)t->node_count, sizeof *x, "an obstacle");
    if (!t->x) return SN_ERROR_MEMORY;
    SN_TRY(sn_tree_create(t->triangle_count, 3, triangles, x, &t->tree));
    SN_TRY(sn_normals_create(t->triangle_count, triangles, t->node_count, &t->normals));
    sn_normals_update(t->normals, x);
    return SN_OK;
}

SnStatus sn_triangles_create(int node_count, const double* x, int triangle_count, const int* triangles,
                             SnTriangles** out)
{
    SnTriangles* t;
    *out = NULL;
    if (!SN_NEW(t, 1, "an obstacle")) return SN_ERROR_MEMORY;
    t->node_count = node_count;
    t->triangle_count = triangle_count;
    SN_FINISH(build(t, x, triangles), t, sn_triangles_destroy, out);
}

void sn_triangles_destroy(SnTriangles* t)
{
    if (!t) return;
    sn_tree_destroy(t->tree);
    sn_normals_destroy(t->normals);
    SN_FREE(t->x, t);
}

void sn_triangles_update(SnTriangles* t)
{
    sn_tree_refit(t->tree, NULL, t->x, 0);
    sn_normals_update(t->normals, t->x);
}

// Triangles without area have no sides; what they cover, their neighbours have as well.
static bool has_area(void* user, int item)
{
    const double* face = ((const SnNormals*)user)->face + 3 * (int64_t)item;
    return face[0] != 0 || face[1] != 0 || face[2] != 0;
}

double sn_triangles_distance(const SnTriangles* t, const double p[3], SnNearest* nearest, double away[3], int* side)
{
    double normal[3], size = 0;
    if (!sn_tree_nearest(t->tree, t->x, p, INFINITY, has_area, t->normals, nearest))
        sn_tree_nearest(t->tree, t->x, p, INFINITY, NULL, NULL, nearest);
    sn_normals_at(t->normals, nearest, normal);
    sn_subtract3(p, nearest->point, away);
    *side = sn_dot3(away, normal) < 0 ? -1 : 1;
    for (int c = 0; c < 3; c++) size = fmax(size, fabs(p[c]));
    if (nearest->distance > 1e-12 * size)
        sn_normalize3(away);
    else // the offset from the surface is rounding
        for (int c = 0; c < 3; c++) away[c] = *side * normal[c];
    return nearest->distance;
}
