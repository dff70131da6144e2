// The lattice of isosurface stuffing: signs, cuts, points moved onto the surface.
#include "mesh/stuffing.h"

#include <math.h>

#include "linalg/vec3.h"
#include "mesh/elements.h"

// As in the paper: cuts nearer to a point than this part of their edge take the point along.
static const double NEAR_LONG = 0.24999, NEAR_SHORT = 0.41189;
enum { GRAIN = 256, HALVINGS = 24, MOST_HITS = 16 };

int sn_stuffing_corner(const SnStuffing* s, int i, int j, int k)
{
    const int* n = s->cells;
    if (i < 0 || j < 0 || k < 0 || i > n[0] || j > n[1] || k > n[2]) return -1;
    return (k * (n[1] + 1) + j) * (n[0] + 1) + i;
}

int sn_stuffing_centre(const SnStuffing* s, int i, int j, int k)
{
    const int* n = s->cells;
    if (i < 0 || j < 0 || k < 0 || i >= n[0] || j >= n[1] || k >= n[2]) return -1;
    return s->corner_count + (k * n[1] + j) * n[0] + i;
}

// Its indices along the axes; of a centre those of its cell.
static void indices(const SnStuffing* s, int point, int at[3])
{
    bool corner = point < s->corner_count;
    int n[2] = {s->cells[0] + corner, s->cells[1] + corner}, k = corner ? point : point - s->corner_count;
    at[0] = k % n[0], at[1] = k / n[0] % n[1], at[2] = k / n[0] / n[1];
}

static void lattice_place(const SnStuffing* s, int point, double x[3])
{
    int at[3];
    indices(s, point, at);
    double half = point < s->corner_count ? 0 : 0.5;
    for (int c = 0; c < 3; c++) x[c] = s->origin[c] + (at[c] + half) * s->size;
}

// The other end of an edge that a point owns, or -1.
static int end_of(const SnStuffing* s, int point, int slot)
{
    int at[3];
    indices(s, point, at);
    bool corner = point < s->corner_count;
    if (slot < 3) {
        at[slot]++;
        return corner ? sn_stuffing_corner(s, at[0], at[1], at[2]) : sn_stuffing_centre(s, at[0], at[1], at[2]);
    }
    if (corner) return -1;
    int k = slot - 3;
    return sn_stuffing_corner(s, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2));
}

static int slots_of(const SnStuffing* s, int point)
{
    return point < s->corner_count ? 3 : SN_SLOTS;
}

// --- signs and cuts ---

typedef struct Work {
    SnStuffing* s;
    const SnWinding* winding;
} Work;

static void set_signs(void* context, int first, int last)
{
    Work* w = context;
    for (int p = first; p < last; p++) {
        double x[3];
        lattice_place(w->s, p, x);
        w->s->sign[p] = sn_winding_at(w->winding, x) > 0.5 ? 1 : -1;
    }
}

static bool is_cut(const SnStuffing* s, int point, int slot)
{
    int end = end_of(s, point, slot);
    return end >= 0 && s->sign[point] != s->sign[end];
}

static void count_cuts(void* context, int first, int last)
{
    Work* w = context;
    for (int p = first; p < last; p++)
        for (int k = 0; k < slots_of(w->s, p); k++) w->s->first[p + 1] += is_cut(w->s, p, k);
}

// Where a segment goes through the surface.
typedef struct Hits {
    const SnWinding* winding;
    const double *p, *q;
    int count;
    double at[MOST_HITS];
} Hits;

static bool add_hit(void* user, int item)
{
    Hits* h = user;
    const int* n = h->winding->tree->items + 3 * (int64_t)item;
    const double* x = h->winding->x;
    double t = sn_segment_meets(x + 3 * (int64_t)n[0], x + 3 * (int64_t)n[1], x + 3 * (int64_t)n[2], h->p, h->q);
    if (t < 0) return true;
    for (int i = 0; i < h->count; i++)
        if (fabs(h->at[i] - t) < 1e-9) return true; // an edge of two triangles
    if (h->count < MOST_HITS) h->at[h->count++] = t;
    return true;
}

// The one place where the surface crosses it; of several, and where a hole lets it through, that where the winding
// number changes.
static double find_cut(const SnWinding* winding, const double p[3], const double q[3], bool inside)
{
    Hits h = {.winding = winding, .p = p, .q = q};
    SnBox box;
    for (int c = 0; c < 3; c++) box.lo[c] = fmin(p[c], q[c]), box.hi[c] = fmax(p[c], q[c]);
    sn_tree_overlaps(winding->tree, &box, add_hit, &h);
    if (h.count == 1) return h.at[0];
    double lo = 0, hi = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double t = 0.5 * (lo + hi), x[3];
        for (int c = 0; c < 3; c++) x[c] = p[c] + t * (q[c] - p[c]);
        bool same = (sn_winding_at(winding, x) > 0.5) == inside;
        *(same ? &lo : &hi) = t;
    }
    for (int i = 0; i < h.count; i++) // the place itself, where it is no hole
        if (fabs(h.at[i] - hi) < 1e-6) return h.at[i];
    return 0.5 * (lo + hi);
}

static void set_cuts(void* context, int first, int last)
{
    Work* w = context;
    SnStuffing* s = w->s;
    for (int p = first; p < last; p++) {
        int cut = s->first[p];
        for (int k = 0; k < slots_of(s, p) && cut < s->first[p + 1]; k++) {
            if (!is_cut(s, p, k)) continue;
            double x[3], y[3];
            lattice_place(s, p, x), lattice_place(s, end_of(s, p, k), y);
            s->slot[cut] = (signed char)k;
            s->at[cut++] = find_cut(w->winding, x, y, s->sign[p] > 0);
        }
    }
}

static SnStatus make_cuts(SnStuffing* s, SnTasks* tasks, Work* work)
{
    sn_tasks_for(tasks, s->point_count, GRAIN, count_cuts, work);
    int64_t sum = 0;
    for (int p = 0; p < s->point_count; p++) {
        sum += s->first[p + 1];
        if (sum + s->point_count > SN_MESH_MOST)
            return sn_fail(SN_ERROR_VALUE, "a lattice of %d points is cut too often; take longer edges",
                           s->point_count);
        s->first[p + 1] = (int)sum;
    }
    s->cut_count = (int)sum;
    if (!SN_NEW(s->slot, sum, "a lattice") || !SN_NEW(s->at, sum, "a lattice")) return SN_ERROR_MEMORY;
    sn_tasks_for(tasks, s->point_count, GRAIN, set_cuts, work);
    return SN_OK;
}

// --- points moved onto the surface ---

typedef struct Around {
    int cut;     // of an edge at this point
    double away; // m, of the edge's length: how far the cut is from it
    bool is_long;
} Around;

static int owned_cut(const SnStuffing* s, int owner, int slot)
{
    if (owner < 0) return -1;
    for (int i = s->first[owner]; i < s->first[owner + 1]; i++)
        if (s->slot[i] == slot) return i;
    return -1;
}

static int add_around(const SnStuffing* s, int cut, bool own, bool is_long, Around* list, int count)
{
    if (cut < 0 || s->at[cut] < 0) return count;
    list[count] = (Around){cut, own ? s->at[cut] : 1 - s->at[cut], is_long};
    return count + 1;
}

// Cuts of all edges at a point.
static int cuts_around(const SnStuffing* s, int point, Around list[14])
{
    int at[3], count = 0;
    bool corner = point < s->corner_count;
    indices(s, point, at);
    for (int k = 0; k < slots_of(s, point); k++)
        count = add_around(s, owned_cut(s, point, k), true, k < 3, list, count);
    for (int c = 0; c < 3; c++) {
        int b[3] = {at[0] - (c == 0), at[1] - (c == 1), at[2] - (c == 2)};
        int other = corner ? sn_stuffing_corner(s, b[0], b[1], b[2]) : sn_stuffing_centre(s, b[0], b[1], b[2]);
        count = add_around(s, owned_cut(s, other, c), false, true, list, count);
    }
    for (int k = 0; corner && k < 8; k++) {
        int other = sn_stuffing_centre(s, at[0] - (k & 1), at[1] - (k >> 1 & 1), at[2] - (k >> 2));
        count = add_around(s, owned_cut(s, other, 3 + k), false, false, list, count);
    }
    return count;
}

// One point after the other: whether one is moved depends on those before it.
static void move_points(SnStuffing* s)
{
    const double short_edge = sqrt(0.75);
    for (int p = 0; p < s->point_count; p++) {
        Around list[14];
        int count = cuts_around(s, p, list), nearest = -1;
        double least = INFINITY;
        for (int i = 0; i < count; i++) {
            double length = list[i].is_long ? 1 : short_edge;
            if (list[i].away >= (list[i].is_long ? NEAR_LONG : NEAR_SHORT)) continue;
            if (list[i].away * length < least) least = list[i].away * length, nearest = i;
        }
        if (nearest < 0) continue;
        int to = list[nearest].cut;
        s->moved_to[p] = to;
        s->sign[p] = 0;
        for (int i = 0; i < count; i++) s->at[list[i].cut] = -1 - s->at[list[i].cut]; // told by its sign, not lost
    }
}

// The owner of a cut: the last point whose list does not begin beyond it.
static int owner_of(const SnStuffing* s, int cut)
{
    int lo = 0, hi = s->point_count;
    while (hi - lo > 1) {
        int middle = lo + (hi - lo) / 2;
        *(s->first[middle] <= cut ? &lo : &hi) = middle;
    }
    return lo;
}

static void cut_place(const SnStuffing* s, int cut, double x[3])
{
    int owner = owner_of(s, cut);
    double y[3], t = s->at[cut] < 0 ? -1 - s->at[cut] : s->at[cut];
    lattice_place(s, owner, x), lattice_place(s, end_of(s, owner, s->slot[cut]), y);
    for (int c = 0; c < 3; c++) x[c] += t * (y[c] - x[c]);
}

void sn_stuffing_place(const SnStuffing* s, int code, double x[3])
{
    if (code >= s->point_count)
        cut_place(s, code - s->point_count, x);
    else if (s->moved_to[code] >= 0)
        cut_place(s, s->moved_to[code], x);
    else
        lattice_place(s, code, x);
}

int sn_stuffing_cut(const SnStuffing* s, int a, int b)
{
    for (int side = 0; side < 2; side++) {
        int owner = side ? b : a, other = side ? a : b;
        for (int i = s->first[owner]; i < s->first[owner + 1]; i++)
            if (s->at[i] >= 0 && end_of(s, owner, s->slot[i]) == other) return s->point_count + i;
    }
    return -1;
}

// --- all of it ---

static SnStatus set_size(SnStuffing* s, const double lo[3], const double hi[3], double size)
{
    s->size = size;
    double corners = 1, centres = 1;
    for (int c = 0; c < 3; c++) {
        double cells = ceil((hi[c] - lo[c]) / size) + 2; // one more around it, shared between both sides
        if (!(cells < 1e6)) cells = 1e6;
        s->cells[c] = (int)cells;
        s->origin[c] = 0.5 * (lo[c] + hi[c]) - 0.5 * cells * size;
        corners *= cells + 1, centres *= cells;
    }
    if (corners + centres > SN_MESH_MOST / 2)
        return sn_fail(SN_ERROR_VALUE,
                       "edges of %g m would need a lattice of %.3g points; at most %d are possible: take longer edges",
                       size, corners + centres, SN_MESH_MOST / 2);
    s->corner_count = (int)corners;
    s->point_count = (int)(corners + centres);
    return SN_OK;
}

static SnStatus fill(SnStuffing* s, const SnWinding* winding, SnTasks* tasks)
{
    Work work = {s, winding};
    if (!SN_NEW(s->sign, s->point_count, "a lattice") || !SN_NEW(s->first, s->point_count + 1, "a lattice") ||
        !SN_NEW(s->moved_to, s->point_count, "a lattice"))
        return SN_ERROR_MEMORY;
    for (int p = 0; p < s->point_count; p++) s->moved_to[p] = -1;
    sn_tasks_for(tasks, s->point_count, GRAIN, set_signs, &work);
    SN_TRY(make_cuts(s, tasks, &work));
    move_points(s);
    return SN_OK;
}

SnStatus sn_stuffing_create(const SnWinding* winding, const double lo[3], const double hi[3], double size,
                            SnTasks* tasks, SnStuffing** out)
{
    SnStuffing* s;
    *out = NULL;
    if (!SN_NEW(s, 1, "a lattice")) return SN_ERROR_MEMORY;
    SnStatus status = set_size(s, lo, hi, size);
    if (status == SN_OK) status = fill(s, winding, tasks);
    SN_FINISH(status, s, sn_stuffing_destroy, out);
}

void sn_stuffing_destroy(SnStuffing* s)
{
    if (!s) return;
    SN_FREE(s->sign, s->first, s->slot, s->at, s->moved_to, s->level, s);
}
