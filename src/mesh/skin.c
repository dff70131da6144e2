// Skins: a vertex of a surface is at x = sum w_i x_i, with the barycentric coordinates w of its rest position in a
// tetrahedron of the solid that carries it.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"
#include "mesh/elements.h"
#include "mesh/faces.h"

typedef struct Carry {
    const SnMesh* solid;
    SnTree *inside, *boundary; // tetrahedra; faces of the boundary
    int* owner;                // the tetrahedron of each boundary face
    SnSkin* skin;
    double* outside; // per vertex
} Carry;

// The tetrahedron that a point is in; of several, as on a face, that in which it is deepest, then the lowest.
typedef struct Holder {
    const SnMesh* solid;
    const double* p;
    int tetrahedron;
    double least; // of its weights
} Holder;

static const double ON_FACE = -1e-9; // a weight that is negative by rounding

static void corners_of(const SnMesh* solid, int tetrahedron, double corners[12])
{
    for (int k = 0; k < 12; k++)
        corners[k] = solid->nodes[3 * (int64_t)solid->tetrahedra[4 * (int64_t)tetrahedron + k / 3] + k % 3];
}

static bool weights_in(const SnMesh* solid, int tetrahedron, const double p[3], double weights[4])
{
    double corners[12];
    corners_of(solid, tetrahedron, corners);
    return sn_point_in_tetrahedron(corners, p, weights);
}

static bool look_inside(void* user, int item)
{
    Holder* h = user;
    double w[4];
    if (!weights_in(h->solid, item, h->p, w)) return true;
    double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
    if (least > h->least || (least == h->least && item < h->tetrahedron)) h->least = least, h->tetrahedron = item;
    return true;
}

static void carry_vertex(Carry* c, int v)
{
    const double* p = c->skin->rest + 3 * (int64_t)v;
    Holder h = {c->solid, p, -1, ON_FACE};
    SnBox box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    sn_tree_overlaps(c->inside, &box, look_inside, &h);
    SnNearest nearest;
    if (h.tetrahedron < 0 && sn_tree_nearest(c->boundary, c->solid->nodes, p, INFINITY, NULL, NULL, &nearest)) {
        h.tetrahedron = c->owner[nearest.item];
        c->outside[v] = nearest.distance;
    }
    if (h.tetrahedron < 0) h.tetrahedron = 0;
    const int* nodes = c->solid->tetrahedra + 4 * (int64_t)h.tetrahedron;
    for (int k = 0; k < 4; k++) c->skin->carriers[4 * (int64_t)v + k] = nodes[k];
    weights_in(c->solid, h.tetrahedron, p, c->skin->weights + 4 * (int64_t)v);
}

static void carry_vertices(void* context, int first, int last)
{
    for (int v = first; v < last; v++) carry_vertex(context, v);
}

// Boundary faces with the tetrahedra that they belong to.
static SnStatus make_boundary(Carry* c)
{
    int *triangles, count, *around = NULL, *first = NULL;
    const SnMesh* solid = c->solid;
    SN_TRY(sn_mesh_surface(solid, &triangles, &count));
    SnStatus status = sn_tree_create(count, 3, triangles, solid->nodes, &c->boundary);
    if (status == SN_OK && (!SN_NEW(c->owner, count, "a skin") || !SN_NEW(first, solid->node_count + 2, "a skin") ||
                            !SN_NEW(around, 4 * (int64_t)solid->tetrahedron_count, "a skin")))
        status = SN_ERROR_MEMORY;
    // Tetrahedra around each node; faces come in the order of their tetrahedra, but some belong to inner ones.
    for (int64_t i = 0; status == SN_OK && i < 4 * (int64_t)solid->tetrahedron_count; i++)
        first[solid->tetrahedra[i] + 2]++;
    for (int n = 0; status == SN_OK && n < solid->node_count; n++) first[n + 2] += first[n + 1];
    for (int64_t i = 0; status == SN_OK && i < 4 * (int64_t)solid->tetrahedron_count; i++)
        around[first[solid->tetrahedra[i] + 1]++] = (int)(i / 4);
    for (int f = 0; status == SN_OK && f < count; f++) {
        const int* t = triangles + 3 * (int64_t)f;
        for (int k = first[t[0]]; k < first[t[0] + 1]; k++) {
            const int* n = solid->tetrahedra + 4 * (int64_t)around[k];
            int found = 0;
            for (int j = 0; j < 4; j++) found += n[j] == t[1] || n[j] == t[2];
            if (found == 2) c->owner[f] = around[k];
        }
    }
    SN_FREE(triangles, around, first);
    return status;
}

static SnStatus carry(Carry* c)
{
    SnSkin* skin = c->skin;
    skin->carrier_count = 4;
    SN_TRY(sn_tree_create(c->solid->tetrahedron_count, 4, c->solid->tetrahedra, c->solid->nodes, &c->inside));
    SN_TRY(make_boundary(c));
    if (!SN_NEW(skin->carriers, 4 * (int64_t)skin->vertex_count, "a skin") ||
        !SN_NEW(skin->weights, 4 * (int64_t)skin->vertex_count, "a skin") ||
        !SN_NEW(c->outside, skin->vertex_count, "a skin"))
        return SN_ERROR_MEMORY;
    carry_vertices(c, 0, skin->vertex_count);
    for (int v = 0; v < skin->vertex_count; v++) skin->outside = fmax(skin->outside, c->outside[v]);
    return SN_OK;
}

static SnStatus fill(SnSkin* skin, const SnMesh* surface)
{
    skin->vertex_count = surface->node_count;
    skin->rest = sn_copy_memory(surface->nodes, 3 * (size_t)surface->node_count, sizeof(double), "a skin");
    if (!skin->rest) return SN_ERROR_MEMORY;
    return surface->faces ? sn_faces_copy(surface->faces, surface->node_count, &skin->faces)
                          : sn_faces_of_triangles(surface, &skin->faces);
}

SnStatus sn_skin_create(const SnMesh* solid, const SnMesh* surface, SnSkin** out)
{
    *out = NULL;
    if (solid->tetrahedron_count == 0)
        return sn_fail(SN_ERROR_VALUE, "a skin is carried by tetrahedra, and the mesh has none; leave the skin out, or "
                                       "take a solid mesh");
    if (surface->triangle_count == 0)
        return sn_fail(SN_ERROR_VALUE, "the skin has no faces; it should be a surface, as in an .obj file");
    if (sn_first_beyond(surface->node_count, surface->nodes) >= 0)
        return sn_fail(SN_ERROR_VALUE, "vertex %d of the skin is not a number, or beyond %g m",
                       sn_first_beyond(surface->node_count, surface->nodes), SN_FARTHEST);
    Carry c = {.solid = solid};
    if (!SN_NEW(c.skin, 1, "a skin")) return SN_ERROR_MEMORY;
    SnStatus status = fill(c.skin, surface);
    if (status == SN_OK) status = carry(&c);
    sn_tree_destroy(c.inside);
    sn_tree_destroy(c.boundary);
    SN_FREE(c.owner, c.outside);
    SN_FINISH(status, c.skin, sn_skin_destroy, out);
}

SnStatus sn_skin_of_sheet(const SnMesh* sheet, SnSkin** out)
{
    SnSkin* skin;
    *out = NULL;
    if (!SN_NEW(skin, 1, "a skin")) return SN_ERROR_MEMORY;
    SN_FINISH(fill(skin, sheet), skin, sn_skin_destroy, out);
}

void sn_skin_destroy(SnSkin* skin)
{
    if (!skin) return;
    sn_faces_free(&skin->faces);
    SN_FREE(skin->rest, skin->carriers, skin->weights, skin);
}

void sn_skin_carry(const SnSkin* skin, const double* x, double* vertices)
{
    if (!skin || !x || !vertices) return;
    if (!skin->carriers) { // vertices are nodes
        memcpy(vertices, x, 3 * (size_t)skin->vertex_count * sizeof *x);
        return;
    }
    int count = skin->carrier_count;
    for (int64_t v = 0; v < skin->vertex_count; v++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int64_t k = count * v; k < count * (v + 1); k++)
                sum += skin->weights[k] * x[3 * (int64_t)skin->carriers[k] + c];
            vertices[3 * v + c] = sum;
        }
}
