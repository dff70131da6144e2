// Surfaces repaired: what coincides merged, faces turned outward, slivers flipped away, holes closed.
#include <math.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/solid.h"

enum { MOST_EXACT = 100, MOST_PASSES = 3 }; // edges of a hole that is closed with the least area
static const double SLIVER = 1e-3;          // height over longest edge of a triangle that is one

typedef struct Repair {
    SnShells* shells;
    double* nodes; // those of the shells, then the middles of large holes
    int node_count, node_capacity;
    int* triangles;
    int triangle_count, triangle_capacity;
    SnRepairReport* report;
} Repair;

static bool add_triangle(Repair* r, int a, int b, int c)
{
    int64_t end = 3 * (int64_t)r->triangle_count;
    if (!SN_GROW(r->triangles, r->triangle_capacity, end + 3, "a surface")) return false;
    r->triangles[end] = a, r->triangles[end + 1] = b, r->triangles[end + 2] = c;
    r->triangle_count++;
    return true;
}

static double area_of(const Repair* r, int a, int b, int c)
{
    double u[3], v[3], n[3];
    sn_subtract3(r->nodes + 3 * (int64_t)b, r->nodes + 3 * (int64_t)a, u);
    sn_subtract3(r->nodes + 3 * (int64_t)c, r->nodes + 3 * (int64_t)a, v);
    sn_cross3(u, v, n);
    return 0.5 * sn_length3(n);
}

// --- holes ---

// Its area; many times the squares of its edges where it has none, as such a triangle closes nothing.
static double cost_of(const Repair* r, int a, int b, int c)
{
    const int t[4] = {a, b, c, a};
    double area = area_of(r, a, b, c), squares = 0;
    for (int k = 0; k < 3; k++) {
        double d = sn_distance3(r->nodes + 3 * (int64_t)t[k], r->nodes + 3 * (int64_t)t[k + 1]);
        squares += d * d;
    }
    return area > 1e-9 * squares ? area : 1e6 * squares;
}

static bool add_part(Repair* r, const int* loop, const unsigned char* middle, int count, int i, int j)
{
    if (j < i + 2) return true;
    int k = middle[i * count + j];
    return add_triangle(r, loop[i], loop[k], loop[j]) && add_part(r, loop, middle, count, i, k) &&
           add_part(r, loop, middle, count, k, j);
}

// The triangulation of least area (Klincsek 1980): least(i, j) = min over k of least(i, k) + least(k, j) + area(i, k,
// j).
static SnStatus close_exactly(Repair* r, const int* loop, int count)
{
    double* least;
    unsigned char* middle = NULL;
    if (!SN_NEW(least, count * count, "a hole") || !SN_NEW(middle, count * count, "a hole")) {
        SN_FREE(least, middle);
        return SN_ERROR_MEMORY;
    }
    for (int width = 2; width < count; width++)
        for (int i = 0; i + width < count; i++) {
            int j = i + width;
            least[i * count + j] = INFINITY;
            for (int k = i + 1; k < j; k++) {
                double area = least[i * count + k] + least[k * count + j] + cost_of(r, loop[i], loop[k], loop[j]);
                if (area < least[i * count + j]) least[i * count + j] = area, middle[i * count + j] = (unsigned char)k;
            }
        }
    bool done = add_part(r, loop, middle, count, 0, count - 1);
    SN_FREE(least, middle);
    return done ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus close_by_fan(Repair* r, const int* loop, int count)
{
    int middle = r->node_count;
    if (!SN_GROW(r->nodes, r->node_capacity, 3 * ((int64_t)middle + 1), "a hole")) return SN_ERROR_MEMORY;
    double* x = r->nodes + 3 * (int64_t)middle;
    for (int c = 0; c < 3; c++) x[c] = 0;
    for (int i = 0; i < 3 * count; i++) x[i % 3] += r->nodes[3 * (int64_t)loop[i / 3] + i % 3] / count;
    r->node_count++;
    for (int i = 0; i < count; i++)
        if (!add_triangle(r, loop[i], loop[(i + 1) % count], middle)) return SN_ERROR_MEMORY;
    return SN_OK;
}

static SnStatus close_holes(Repair* r, int most)
{
    int *start, *loops, count;
    SN_TRY(sn_shells_holes(r->shells, &start, &loops, &count));
    SnStatus status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; i++) {
        int edges = start[i + 1] - start[i];
        if (edges < 3 || edges > most) continue;
        status =
            edges <= MOST_EXACT ? close_exactly(r, loops + start[i], edges) : close_by_fan(r, loops + start[i], edges);
        r->report->closed++;
    }
    SN_FREE(start, loops);
    return status;
}

// --- slivers ---

static double height_over_longest(const Repair* r, const int* t, int* longest)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double length = sn_distance3(r->nodes + 3 * (int64_t)t[k], r->nodes + 3 * (int64_t)t[(k + 1) % 3]);
        if (length > most) most = length, *longest = k;
    }
    return most > 0 ? 2 * area_of(r, t[0], t[1], t[2]) / (most * most) : 0;
}

// A flat triangle gives its long edge to its neighbour: (a, b, c), (b, a, d) become (c, d, b), (d, c, a).
static bool flip(Repair* r, int triangle, int edge, char* touched)
{
    int across = r->shells->across[3 * (int64_t)triangle + edge], unused;
    if (across < 0 || touched[across / 3]) return false;
    int *t = r->triangles + 3 * (int64_t)triangle, *o = r->triangles + (int64_t)(across / 3) * 3;
    int a = t[edge], b = t[(edge + 1) % 3], c = t[(edge + 2) % 3], d = o[(across + 2) % 3];
    double before = fmin(height_over_longest(r, t, &unused), height_over_longest(r, o, &unused));
    int first[3] = {c, d, b}, second[3] = {d, c, a};
    if (c == d) return false;
    if (!(fmin(height_over_longest(r, first, &unused), height_over_longest(r, second, &unused)) > 2 * before))
        return false;
    for (int k = 0; k < 3; k++) t[k] = first[k], o[k] = second[k];
    touched[triangle] = touched[across / 3] = 1;
    return true;
}

static SnStatus flip_slivers(Repair* r, int* flipped)
{
    char* touched;
    *flipped = 0;
    if (!SN_NEW(touched, r->triangle_count, "slivers")) return SN_ERROR_MEMORY;
    for (int t = 0; t < r->triangle_count; t++) {
        int longest = 0;
        if (touched[t] || height_over_longest(r, r->triangles + 3 * (int64_t)t, &longest) >= SLIVER) continue;
        bool can = !touched[t];
        *flipped += can && flip(r, t, longest, touched);
    }
    sn_free(touched);
    return SN_OK;
}

// --- all of it ---

static SnStatus take(Repair* r)
{
    const SnShells* s = r->shells;
    r->node_count = r->triangle_count = 0;
    if (!SN_GROW(r->nodes, r->node_capacity, 3 * (int64_t)s->node_count, "a surface") ||
        !SN_GROW(r->triangles, r->triangle_capacity, 3 * (int64_t)s->triangle_count, "a surface"))
        return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * (int64_t)s->node_count; i++) r->nodes[i] = s->nodes[i];
    for (int64_t i = 0; i < 3 * (int64_t)s->triangle_count; i++) r->triangles[i] = s->triangles[i];
    r->node_count = s->node_count, r->triangle_count = s->triangle_count;
    return SN_OK;
}

// The surface without nodes that no triangle has.
static SnStatus make(const Repair* r, SnMesh** out)
{
    SnMesh whole = {.node_count = r->node_count, .nodes = r->nodes};
    whole.triangle_count = r->triangle_count, whole.triangles = r->triangles;
    return sn_mesh_make_surface(&whole, out);
}

static SnStatus repair(Repair* r, const SnMesh* surface, const SnRepairDef* def, SnMesh** out)
{
    int flipped = 1;
    SN_TRY(sn_shells_create(surface, def->merge >= 0 ? def->merge : 1e-7 * sn_mesh_size(surface), &r->shells));
    r->report->before = r->shells->report;
    SN_TRY(take(r));
    for (int pass = 0; pass < MOST_PASSES && flipped > 0; pass++) {
        SN_TRY(flip_slivers(r, &flipped));
        r->report->flipped += flipped;
        SnMesh whole = {.node_count = r->node_count, .nodes = r->nodes};
        whole.triangle_count = r->triangle_count, whole.triangles = r->triangles;
        SnShells* next;
        if (flipped == 0) break;
        SN_TRY(sn_shells_create(&whole, 0, &next));
        sn_shells_destroy(r->shells);
        r->shells = next;
        SN_TRY(take(r));
    }
    SN_TRY(close_holes(r, def->holes));
    return make(r, out);
}

SnRepairDef sn_default_repair_def(void)
{
    return (SnRepairDef){.merge = -1, .holes = 30};
}

SnStatus sn_surface_check(const SnMesh* surface, const char* what)
{
    if (surface->triangle_count == 0 || surface->tetrahedron_count > 0)
        return sn_fail(SN_ERROR_VALUE, "surfaces of triangles can be %s, but this mesh has %s", what,
                       surface->tetrahedron_count > 0 ? "tetrahedra" : "no triangles");
    int bad = sn_first_beyond(surface->node_count, surface->nodes);
    return bad < 0 ? SN_OK : sn_fail(SN_ERROR_VALUE, "vertex %d is not a number, or beyond %g m", bad, SN_FARTHEST);
}

SnStatus sn_mesh_repair(const SnMesh* surface, const SnRepairDef* def, SnMesh** out, SnRepairReport* report)
{
    SN_NEED(out);
    *out = NULL;
    SN_HANDLE(surface);
    SN_NEED(def);
    if (!isfinite(def->merge) || def->holes < 0)
        return sn_fail(SN_ERROR_VALUE,
                       "vertices nearer than %g m are one, holes of %d edges: must be a number, and 0 or more",
                       def->merge, def->holes);
    SN_TRY(sn_surface_check(surface, "repaired"));
    SnRepairReport own = {0};
    Repair r = {.report = &own};
    SnStatus status = repair(&r, surface, def, out);
    if (status == SN_OK) {
        sn_shells_destroy(r.shells);
        r.shells = NULL;
        status = sn_shells_create(*out, 0, &r.shells);
        if (status == SN_OK) own.after = r.shells->report;
    }
    sn_shells_destroy(r.shells);
    SN_FREE(r.nodes, r.triangles);
    if (report) *report = own;
    return status;
}
