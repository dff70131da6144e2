// Normals of the faces, edges and nodes of a surface.
#include "mesh/normals.h"

#include <string.h>

#include "linalg/vec3.h"
#include "mesh/elements.h"

// Numbers the edges; equal keys are neighbours after sorting.
static SnStatus number_edges(SnNormals* n, SnNodeKey* keys)
{
    int64_t count = 3 * (int64_t)n->triangle_count;
    for (int64_t i = 0; i < count; i++) {
        const int* t = n->triangles + i / 3 * 3;
        int ends[2] = {t[(i + 1) % 3], t[(i + 2) % 3]};
        keys[i] = sn_node_key(ends, 2, (int)i);
    }
    SN_TRY(sn_sort_keys(keys, count, n->node_count));
    for (int64_t first = 0, last; first < count; first = last) {
        int forth = 0; // triangles that go along it from the lower to the higher node
        for (last = first; last < count && sn_same_key(&keys[first], &keys[last]); last++) {
            int item = keys[last].item;
            n->edge_of[item] = n->edge_count;
            forth += n->triangles[item / 3 * 3 + (item + 1) % 3] == keys[first].nodes[0];
        }
        n->open_edges += !(last - first == 2 && forth == 1);
        n->edge_count++;
    }
    return SN_OK;
}

static SnStatus build(SnNormals* n, const int* triangles)
{
    SnNodeKey* keys;
    int64_t count = 3 * (int64_t)n->triangle_count;
    n->triangles = sn_copy_memory(triangles, (size_t)count, sizeof *triangles, "normals");
    if (!n->triangles || !SN_NEW(n->edge_of, count, "normals") || !SN_NEW(n->face, count, "normals") ||
        !SN_NEW(n->node, 3 * (int64_t)n->node_count, "normals") || !SN_NEW(keys, count, "normals"))
        return SN_ERROR_MEMORY;
    SnStatus status = number_edges(n, keys);
    sn_free(keys);
    SN_TRY(status);
    return SN_NEW(n->edge, 3 * (int64_t)n->edge_count, "normals") ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_normals_create(int triangle_count, const int* triangles, int node_count, SnNormals** out)
{
    SnNormals* n;
    *out = NULL;
    if (!SN_NEW(n, 1, "normals")) return SN_ERROR_MEMORY;
    n->triangle_count = triangle_count;
    n->node_count = node_count;
    SN_FINISH(build(n, triangles), n, sn_normals_destroy, out);
}

void sn_normals_destroy(SnNormals* n)
{
    if (!n) return;
    SN_FREE(n->triangles, n->edge_of, n->face, n->edge, n->node, n);
}

static double angle_between(const double a[3], const double b[3])
{
    double normal[3];
    sn_cross3(a, b, normal);
    return atan2(sn_length3(normal), sn_dot3(a, b));
}

static void add(double* sum, double scale, const double* v)
{
    for (int c = 0; c < 3; c++) sum[c] += scale * v[c];
}

void sn_normals_update(SnNormals* n, const double* x)
{
    memset(n->edge, 0, 3 * (size_t)n->edge_count * sizeof *n->edge);
    memset(n->node, 0, 3 * (size_t)n->node_count * sizeof *n->node);
    for (int t = 0; t < n->triangle_count; t++) {
        const int* corner = n->triangles + 3 * (int64_t)t;
        double *face = n->face + 3 * (int64_t)t, sides[3][3]; // sides[k] is opposite to corner k
        for (int k = 0; k < 3; k++)
            sn_subtract3(x + 3 * (int64_t)corner[(k + 2) % 3], x + 3 * (int64_t)corner[(k + 1) % 3], sides[k]);
        sn_cross3(sides[1], sides[2], face);
        if (sn_normalize3(face) == 0) memset(face, 0, 3 * sizeof *face);
        for (int k = 0; k < 3; k++) {
            double back[3] = {-sides[(k + 1) % 3][0], -sides[(k + 1) % 3][1], -sides[(k + 1) % 3][2]};
            add(n->edge + 3 * (int64_t)n->edge_of[3 * (int64_t)t + k], 1, face);
            add(n->node + 3 * (int64_t)corner[k], angle_between(back, sides[(k + 2) % 3]), face);
        }
    }
}

void sn_normals_at(const SnNormals* n, const SnNearest* nearest, double normal[3])
{
    const int *corner = n->triangles + 3 * (int64_t)nearest->item, *edge = n->edge_of + 3 * (int64_t)nearest->item;
    const double* from = n->face + 3 * (int64_t)nearest->item;
    switch (nearest->feature) {
    case 1: from = n->node + 3 * (int64_t)corner[0]; break;
    case 2: from = n->node + 3 * (int64_t)corner[1]; break;
    case 4: from = n->node + 3 * (int64_t)corner[2]; break;
    case 3: from = n->edge + 3 * (int64_t)edge[2]; break;
    case 5: from = n->edge + 3 * (int64_t)edge[1]; break;
    case 6: from = n->edge + 3 * (int64_t)edge[0]; break;
    default: break;
    }
    memcpy(normal, from, 3 * sizeof *normal);
    if (sn_normalize3(normal) == 0) memset(normal, 0, 3 * sizeof *normal);
}
