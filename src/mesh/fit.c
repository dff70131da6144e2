// The boundary of a solid fitted to its surface: nodes near sharp edges and corners are moved onto these, one after the
// other, as long as the tetrahedra around keep their shape; inner nodes and those on smooth parts give way.
#include <math.h>
#include <stdlib.h>

#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/quality.h"
#include "mesh/solid.h"

enum { ROUNDS = 4 };
static const double REACH = 0.75, EDGE_REACH = 0.5; // of the edge length: how far corners and sharp edges attract

typedef enum Kind { INNER, FACE, SHARP, CORNER } Kind;

typedef struct Fit {
    const SnShells* s;
    const SnTree* surface;
    const SnSolidDef* def;
    double edge;
    SnMesh* solid;
    Kind* kind;          // of each node
    int *first, *around; // tetrahedra around each node
    int *rim, rim_count; // nodes of the boundary
    int* creases;        // 3 x crease_count: both ends, one of them twice
    int crease_count;
    char* degree; // sharp edges at each vertex of the surface, 3: more than two
    SnTree *rim_tree, *crease_tree;
} Fit;

// --- sharp edges of the surface ---

static void normal_of(const SnShells* s, int triangle, double n[3])
{
    const int* t = s->triangles + 3 * (int64_t)triangle;
    double u[3], v[3];
    sn_subtract3(s->nodes + 3 * (int64_t)t[1], s->nodes + 3 * (int64_t)t[0], u);
    sn_subtract3(s->nodes + 3 * (int64_t)t[2], s->nodes + 3 * (int64_t)t[0], v);
    sn_cross3(u, v, n);
    sn_normalize3(n);
}

static bool is_sharp(const Fit* f, int edge)
{
    int other = f->s->across[edge];
    double a[3], b[3];
    if (other < edge) return false; // open, or looked at from the other side
    normal_of(f->s, edge / 3, a), normal_of(f->s, other / 3, b);
    return sn_dot3(a, b) < cos(f->def->fit_degrees * SN_PI / 180);
}

static SnStatus find_creases(Fit* f)
{
    const SnShells* s = f->s;
    int capacity = 0;
    if (!SN_NEW(f->degree, s->node_count, "sharp edges")) return SN_ERROR_MEMORY;
    for (int e = 0; e < 3 * s->triangle_count; e++) {
        if (!is_sharp(f, e)) continue;
        int a = s->triangles[e], b = s->triangles[e / 3 * 3 + (e + 1) % 3];
        if (!SN_GROW(f->creases, capacity, 3 * ((int64_t)f->crease_count + 1), "sharp edges")) return SN_ERROR_MEMORY;
        int* c = f->creases + 3 * (int64_t)f->crease_count++;
        c[0] = a, c[1] = b, c[2] = b;
        f->degree[a] += f->degree[a] < 3, f->degree[b] += f->degree[b] < 3;
    }
    return f->crease_count ? sn_tree_create(f->crease_count, 3, f->creases, s->nodes, &f->crease_tree) : SN_OK;
}

// --- the solid ---

static SnStatus find_rim(Fit* f)
{
    int *triangles, count, *items = NULL;
    const SnMesh* m = f->solid;
    SN_TRY(sn_mesh_surface(m, &triangles, &count));
    SnStatus status = SN_OK;
    if (!SN_NEW(f->kind, m->node_count, "a solid") || !SN_NEW(f->rim, m->node_count, "a solid") ||
        !SN_NEW(items, 3 * (int64_t)m->node_count, "a solid"))
        status = SN_ERROR_MEMORY;
    for (int64_t i = 0; status == SN_OK && i < 3 * (int64_t)count; i++) f->kind[triangles[i]] = FACE;
    for (int n = 0; status == SN_OK && n < m->node_count; n++) {
        if (f->kind[n] != FACE) continue;
        for (int k = 0; k < 3; k++) items[3 * (int64_t)f->rim_count + k] = n; // a point as a triangle
        f->rim[f->rim_count++] = n;
    }
    if (status == SN_OK) status = sn_tree_create(f->rim_count, 3, items, m->nodes, &f->rim_tree);
    SN_FREE(triangles, items);
    return status;
}

// The smallest dihedral angle around a node, or what is left of the largest to 180 degrees.
static double worst_around(const Fit* f, int node)
{
    double worst = 90;
    for (int k = f->first[node]; k < f->first[node + 1]; k++) {
        double lo, hi;
        sn_dihedral_angles(f->solid->nodes, f->solid->tetrahedra + 4 * (int64_t)f->around[k], &lo, &hi);
        worst = fmin(worst, fmin(lo, 180 - hi));
    }
    return worst;
}

// Moves a node when the tetrahedra around it stay better than `least`, or become better than they were.
static bool move(const Fit* f, int node, const double to[3], double least)
{
    double *x = f->solid->nodes + 3 * (int64_t)node, from[3] = {x[0], x[1], x[2]}, before = worst_around(f, node);
    for (int c = 0; c < 3; c++) x[c] = to[c];
    double after = worst_around(f, node);
    if (after >= least || after > before) return true;
    for (int c = 0; c < 3; c++) x[c] = from[c];
    return false;
}

// --- moves ---

static bool is_free(void* user, int item)
{
    const Fit* f = user;
    return f->kind[f->rim[item]] <= FACE || f->kind[f->rim[item]] == SHARP;
}

static void fit_corners(Fit* f)
{
    for (int v = 0; v < f->s->node_count; v++) {
        SnNearest nearest;
        const double* p = f->s->nodes + 3 * (int64_t)v;
        if (f->degree[v] != 1 && f->degree[v] != 3) continue;
        if (!sn_tree_nearest(f->rim_tree, f->solid->nodes, p, REACH * f->edge, is_free, f, &nearest)) continue;
        int node = f->rim[nearest.item];
        if (nearest.distance == 0 || move(f, node, p, f->def->least_degree)) f->kind[node] = CORNER;
    }
}

typedef struct Near {
    double distance;
    int node;
    double to[3];
} Near;

static int compare_near(const void* left, const void* right)
{
    const Near *a = left, *b = right;
    int order = (a->distance > b->distance) - (a->distance < b->distance);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

// The nearest first: those further away find their places taken by the shape that is left.
static SnStatus fit_edges(Fit* f)
{
    Near* list;
    int count = 0;
    if (!SN_NEW(list, f->rim_count, "sharp edges")) return SN_ERROR_MEMORY;
    for (int i = 0; i < f->rim_count; i++) {
        SnNearest nearest;
        int n = f->rim[i];
        if (f->kind[n] != FACE || !sn_tree_nearest(f->crease_tree, f->s->nodes, f->solid->nodes + 3 * (int64_t)n,
                                                   EDGE_REACH * f->edge, NULL, NULL, &nearest))
            continue;
        list[count++] = (Near){nearest.distance, n, {nearest.point[0], nearest.point[1], nearest.point[2]}};
    }
    qsort(list, (size_t)count, sizeof *list, compare_near);
    for (int i = 0; i < count; i++)
        if (move(f, list[i].node, list[i].to, f->def->least_degree)) f->kind[list[i].node] = SHARP;
    sn_free(list);
    return SN_OK;
}

// The middle of the neighbours: of an inner node all, of one on the boundary those on it.
static bool middle_of(const Fit* f, int node, double middle[3])
{
    int count = 0;
    for (int c = 0; c < 3; c++) middle[c] = 0;
    for (int k = f->first[node]; k < f->first[node + 1]; k++)
        for (int i = 0; i < 4; i++) {
            int other = f->solid->tetrahedra[4 * (int64_t)f->around[k] + i];
            if (other == node || (f->kind[node] == FACE && f->kind[other] == INNER)) continue;
            for (int c = 0; c < 3; c++) middle[c] += f->solid->nodes[3 * (int64_t)other + c];
            count++;
        }
    for (int c = 0; count && c < 3; c++) middle[c] /= count;
    return count > 0;
}

// Nodes of badly shaped tetrahedra go towards the middle of their neighbours, those of the boundary along the surface.
static void relax(Fit* f)
{
    const double enough = 2 * f->def->least_degree;
    for (int n = 0; n < f->solid->node_count; n++) {
        double to[3];
        SnNearest nearest;
        if (f->kind[n] > FACE || worst_around(f, n) > enough || !middle_of(f, n, to)) continue;
        if (f->kind[n] == FACE) {
            if (!sn_tree_nearest(f->surface, f->s->nodes, to, INFINITY, NULL, NULL, &nearest)) continue;
            for (int c = 0; c < 3; c++) to[c] = nearest.point[c];
        }
        move(f, n, to, INFINITY);
    }
}

static SnStatus fit(Fit* f)
{
    SN_TRY(find_creases(f));
    if (f->crease_count == 0) return SN_OK;
    SN_TRY(sn_mesh_list_around(f->solid, &f->first, &f->around));
    SN_TRY(find_rim(f));
    for (int round = 0; round < ROUNDS; round++) {
        sn_tree_refit(f->rim_tree, NULL, f->solid->nodes, 0);
        fit_corners(f);
        SN_TRY(fit_edges(f));
        relax(f);
    }
    return SN_OK;
}

SnStatus sn_fit_boundary(const SnShells* shells, const SnTree* tree, const SnSolidDef* def, double edge, SnMesh* solid)
{
    Fit f = {.s = shells, .surface = tree, .def = def, .edge = edge, .solid = solid};
    SnStatus status = fit(&f);
    sn_tree_destroy(f.rim_tree);
    sn_tree_destroy(f.crease_tree);
    SN_FREE(f.kind, f.first, f.around, f.rim, f.creases, f.degree);
    return status;
}
