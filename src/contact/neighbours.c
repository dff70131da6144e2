// Which triangles and edges a point of a surface belongs to.
#include "contact/neighbours.h"

#include "core/memory.h"
#include "linalg/vec3.h"

void sn_neighbours_destroy(SnNeighbours* n)
{
    if (!n) return;
    sn_free(n->first), sn_free(n->triangles), sn_free(n->edge_first), sn_free(n->ends);
    sn_free(n);
}

// Counts (fill: lists) what is at each point. at: where the next one goes.
static void visit(const SnSurfaces* s, SnNeighbours* n, int64_t* at, bool fill)
{
    for (int k = 0; k < s->count; k++) {
        const SnSurfaceElements* e = &s->items[k].of[SN_SURFACE_TRIANGLES];
        for (int64_t t = 0; t < e->count; t++)
            for (int c = 0; c < 3; c++) {
                const int* p = e->points + 3 * t;
                int64_t to = at[p[c]]++;
                if (fill) n->triangles[2 * to] = p[(c + 1) % 3], n->triangles[2 * to + 1] = p[(c + 2) % 3];
            }
    }
}

static void visit_edges(const SnSurfaces* s, SnNeighbours* n, int64_t* at, bool fill)
{
    for (int k = 0; k < s->count; k++) {
        const SnSurfaceElements* e = &s->items[k].of[SN_SURFACE_EDGES];
        for (int64_t i = 0; i < e->count; i++)
            for (int c = 0; c < 2; c++) {
                int64_t to = at[e->points[2 * i + c]]++;
                if (fill) n->ends[to] = e->points[2 * i + 1 - c];
            }
    }
}

// Numbers at each point become the first of each, and one more at the end.
static void sum_up(int64_t* first, int count)
{
    int64_t sum = 0;
    for (int i = 0; i <= count; i++) {
        int64_t here = first[i];
        first[i] = sum;
        sum += here;
    }
}

static SnStatus build(SnNeighbours* n, const SnSurfaces* s, int64_t* at)
{
    int count = s->point_count;
    if (!SN_NEW(n->first, count + 1, "contacts") || !SN_NEW(n->edge_first, count + 1, "contacts"))
        return SN_ERROR_MEMORY;
    visit(s, n, n->first, false), visit_edges(s, n, n->edge_first, false);
    sum_up(n->first, count), sum_up(n->edge_first, count);
    if (!SN_NEW(n->triangles, 2 * n->first[count] + 1, "contacts") ||
        !SN_NEW(n->ends, n->edge_first[count] + 1, "contacts"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) at[i] = n->first[i];
    visit(s, n, at, true);
    for (int i = 0; i < count; i++) at[i] = n->edge_first[i];
    visit_edges(s, n, at, true);
    return SN_OK;
}

SnStatus sn_neighbours_create(const SnSurfaces* surfaces, SnNeighbours** out)
{
    SnNeighbours* n;
    int64_t* at = NULL;
    *out = NULL;
    if (!SN_NEW(n, 1, "contacts")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(at, surfaces->point_count + 1, "contacts") ? build(n, surfaces, at) : SN_ERROR_MEMORY;
    sn_free(at);
    if (status != SN_OK) {
        sn_neighbours_destroy(n);
        return status;
    }
    *out = n;
    return SN_OK;
}

// One of the two elements of a pair: the points that have a weight, its nearest point, and the way to the other's.
typedef struct Side {
    int count, point[3];
    double nearest[3], way[3], square; // of the way
    double level, ridge;               // cosines
    const int* other;                  // the points of the other one,
    int others;
} Side;

// The cosine from which on a direction leads nearer, for corners and nodes. Of two edges it may be a little more or
// less: those between flat faces that lie on each other have nodes that say it all, those at a rim have not.
#define LEVEL 1e-9
#define RIDGE 0.03

// Does going from the nearest point towards point `to` lead nearer to the other element, by more than this cosine?
static bool leads(const Side* s, const double* x, int to, double cosine)
{
    double d[3];
    sn_subtract3(x + 3 * (int64_t)to, s->nearest, d);
    double along = sn_dot3(d, s->way), square = cosine * cosine * sn_dot3(d, d) * s->square;
    return cosine < 0 ? along > 0 || along * along <= square : along > 0 && along * along > square;
}

// A point of the other element: on the way there the two come nearer for good.
static bool is_other(const Side* s, int point)
{
    bool is = false;
    for (int k = 0; k < s->others; k++) is |= s->other[k] == point;
    return is;
}

// A corner: no edge at it leads nearer.
static bool corner_is_nearest(const SnNeighbours* n, const Side* s, const double* x)
{
    int p = s->point[0];
    for (int64_t k = n->edge_first[p]; k < n->edge_first[p + 1]; k++)
        if (!is_other(s, n->ends[k]) && leads(s, x, n->ends[k], s->level)) return false;
    return true;
}

// An edge: no triangle at it leads nearer, and not two are level.
static bool edge_is_nearest(const SnNeighbours* n, const Side* s, const double* x)
{
    int a = s->point[0], b = s->point[1], level = 0;
    for (int64_t k = n->first[a]; k < n->first[a + 1]; k++) {
        int c = n->triangles[2 * k], d = n->triangles[2 * k + 1];
        if (c != b && d != b) continue;
        int to = c == b ? d : c;
        if (is_other(s, to)) continue;
        if (leads(s, x, to, s->level)) return false;
        level += s->ridge > 0 && leads(s, x, to, -s->ridge);
    }
    return s->ridge == 0 || level < 2;
}

static bool side_is_nearest(const SnNeighbours* n, const Side* s, const double* x)
{
    return s->count == 3 || (s->count == 2 ? edge_is_nearest(n, s, x) : corner_is_nearest(n, s, x));
}

static bool are_nearest(const SnNeighbours* n, Side sides[2], double level, double ridge, const double* x)
{
    for (int k = 0; k < 2; k++) sides[k].level = level, sides[k].ridge = ridge;
    return side_is_nearest(n, &sides[0], x) && side_is_nearest(n, &sides[1], x);
}

// A point without triangles: of a rope.
static bool is_bare(const SnNeighbours* n, int point)
{
    return n->first[point] == n->first[point + 1];
}

bool sn_neighbours_nearest(const SnNeighbours* n, const int point[4], SnNearestBy as, const SnDistance* d,
                           const double* x)
{
    Side sides[2] = {0};
    for (int k = 0; k < 4; k++) {
        Side* s = &sides[as.edges ? k / 2 : k > 0];
        if (d->weight[k] == 0) continue;
        s->point[s->count++] = point[k];
        double w = d->weight[k] < 0 ? -d->weight[k] : d->weight[k];
        for (int c = 0; c < 3; c++) s->nearest[c] += w * x[3 * (int64_t)point[k] + c];
    }
    int first = as.edges ? 2 : 1;
    sides[0].other = point + first, sides[0].others = as.close ? 4 - first : 0;
    sides[1].other = point, sides[1].others = as.close ? first : 0;
    sn_subtract3(sides[1].nearest, sides[0].nearest, sides[0].way);
    sn_subtract3(sides[0].nearest, sides[1].nearest, sides[1].way);
    sides[0].square = sides[1].square = sn_dot3(sides[0].way, sides[0].way);
    // Corners of triangles come as nodes; those of edges alone are for ropes.
    if (as.edges && (sides[0].count == 1 || sides[1].count == 1) && !is_bare(n, point[0]) && !is_bare(n, point[2]))
        return false;
    if (!as.edges && sides[1].count == 3) return true;
    return as.edges && !as.flat ? are_nearest(n, sides, RIDGE, RIDGE, x) : are_nearest(n, sides, LEVEL, 0, x);
}
