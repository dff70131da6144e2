// Smoother skins: x = sum_n N_n (x_n + 1/2 F_n (X - X_n)), N the barycentric coordinates of the rest position X in its
// tetrahedron and F_n the mean deformation gradient of the tetrahedra at node n, by volume.
//
// With y(X) the motion, sum_n N_n y(X_n) errs by +1/2 y'' (X - X_n)^2 and sum_n N_n (y(X_n) + y'(X_n) (X - X_n)) by as
// much to the other side, so their mean follows what is quadratic, and a skin has no creases where its solid is bent
// evenly. It is linear in the nodes, follows affine motions as they are, and its weights add up to 1.
#include <string.h>

#include "linalg/vec3.h"
#include "mesh/faces.h"

typedef struct Smooth {
    const SnMesh* solid;
    int *first, *around;      // tetrahedra at each node
    double *volume, *slopes;  // of tetrahedra: 6 times it; 12: gradients of its four coordinates
    int *slot, *found, count; // nodes that carry the vertex at hand, and where they are in `found`; -1: they do not
    double* weight;           // of these
} Smooth;

// The tetrahedra at nodes.
static void list_around(Smooth* s)
{
    const SnMesh* solid = s->solid;
    for (int64_t i = 0; i < 4 * (int64_t)solid->tetrahedron_count; i++) s->first[solid->tetrahedra[i] + 2]++;
    for (int n = 0; n < solid->node_count; n++) s->first[n + 2] += s->first[n + 1];
    for (int64_t i = 0; i < 4 * (int64_t)solid->tetrahedron_count; i++)
        s->around[s->first[solid->tetrahedra[i] + 1]++] = (int)(i / 4);
}

static void find_slopes(Smooth* s, int64_t t)
{
    const int* n = s->solid->tetrahedra + 4 * t;
    const double* x = s->solid->nodes;
    double edges[9], inverse[9], *slopes = s->slopes + 12 * t;
    for (int k = 0; k < 3; k++) sn_subtract3(x + 3 * (int64_t)n[k + 1], x + 3 * (int64_t)n[0], edges + 3 * k);
    s->volume[t] = fabs(sn_invert3(edges, inverse));
    if (!(s->volume[t] > 0)) return;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            slopes[3 * (k + 1) + a] = inverse[3 * a + k];
            slopes[a] -= inverse[3 * a + k];
        }
}

static void add(Smooth* s, int node, double weight)
{
    if (s->slot[node] < 0) {
        s->slot[node] = s->count;
        s->found[s->count] = node, s->weight[s->count++] = 0;
    }
    s->weight[s->slot[node]] += weight;
}

// Half of F_n d, times a share.
static void add_gradient(Smooth* s, int n, double share, const double d[3])
{
    double all = 0;
    for (int k = s->first[n]; k < s->first[n + 1]; k++) all += s->volume[s->around[k]];
    for (int k = s->first[n]; k < s->first[n + 1] && all > 0; k++) {
        int64_t t = s->around[k];
        for (int c = 0; c < 4; c++)
            add(s, s->solid->tetrahedra[4 * t + c],
                0.5 * share * s->volume[t] / all * sn_dot3(s->slopes + 12 * t + 3 * (int64_t)c, d));
    }
}

static void find_weights(Smooth* s, const SnSkin* skin, int64_t v)
{
    for (int k = 0; k < s->count; k++) s->slot[s->found[k]] = -1;
    s->count = 0;
    for (int k = 0; k < 4; k++) {
        int n = skin->carriers[4 * v + k];
        double d[3], share = skin->weights[4 * v + k];
        sn_subtract3(skin->rest + 3 * v, s->solid->nodes + 3 * (int64_t)n, d);
        add(s, n, share);
        if (share != 0) add_gradient(s, n, share, d);
    }
}

static SnStatus carry(Smooth* s, SnSkin* skin)
{
    int most = 0, *carriers;
    double* weights;
    for (int v = 0; v < skin->vertex_count; v++) {
        find_weights(s, skin, v);
        most = s->count > most ? s->count : most;
    }
    int64_t size = (int64_t)most * skin->vertex_count;
    if (size > INT32_MAX)
        return sn_fail(SN_ERROR_UNSUPPORTED, "a smooth skin of %d vertices has up to %d nodes to a vertex; too many",
                       skin->vertex_count, most);
    if (!SN_NEW(carriers, size, "a skin")) return SN_ERROR_MEMORY;
    if (!SN_NEW(weights, size, "a skin")) {
        sn_free(carriers);
        return SN_ERROR_MEMORY;
    }
    for (int64_t v = 0; v < skin->vertex_count; v++) {
        find_weights(s, skin, v);
        for (int k = 0; k < most; k++) {
            carriers[most * v + k] = s->found[k < s->count ? k : 0];
            weights[most * v + k] = k < s->count ? s->weight[k] : 0;
        }
    }
    SN_FREE(skin->carriers, skin->weights);
    skin->carriers = carriers, skin->weights = weights, skin->carrier_count = most;
    return SN_OK;
}

SnStatus sn_skin_smooth(const SnMesh* solid, SnSkin* skin)
{
    Smooth s = {.solid = solid};
    int64_t nodes = solid->node_count, tetrahedra = solid->tetrahedron_count;
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(s.first, nodes + 2, "a skin") && SN_NEW(s.around, 4 * tetrahedra, "a skin") &&
        SN_NEW(s.volume, tetrahedra, "a skin") && SN_NEW(s.slopes, 12 * tetrahedra, "a skin") &&
        SN_NEW(s.slot, nodes, "a skin") && SN_NEW(s.found, nodes, "a skin") && SN_NEW(s.weight, nodes, "a skin")) {
        list_around(&s);
        for (int64_t t = 0; t < tetrahedra; t++) find_slopes(&s, t);
        for (int n = 0; n < nodes; n++) s.slot[n] = -1;
        status = carry(&s, skin);
    }
    SN_FREE(s.first, s.around, s.volume, s.slopes, s.slot, s.found, s.weight);
    return status;
}
