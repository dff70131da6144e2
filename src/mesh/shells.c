// A surface in order: merged, oriented, counted.
#include "mesh/shells.h"

#include <math.h>
#include <stdlib.h>

#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/winding.h"

static const double FLAT = 1e-12; // of the square of its longest edge: the area of a triangle that has none

// --- nodes ---

typedef struct Along {
    double x;
    int node;
} Along;

static int compare_along(const void* left, const void* right)
{
    const Along *a = left, *b = right;
    int order = (a->x > b->x) - (a->x < b->x);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

// Each node to the lowest that is as near as `merge`, of those that stay.
static SnStatus merge_nodes(SnShells* s, const SnMesh* mesh, double merge)
{
    Along* order;
    int count = mesh->node_count;
    if (!SN_NEW(order, count, "a surface")) return SN_ERROR_MEMORY;
    for (int n = 0; n < count; n++) order[n] = (Along){mesh->nodes[3 * (int64_t)n], n}, s->node_of[n] = -1;
    qsort(order, (size_t)count, sizeof *order, compare_along);
    for (int i = 0; i < count; i++) {
        int n = order[i].node, to = -1;
        for (int k = i - 1; k >= 0 && order[i].x - order[k].x <= merge && to < 0; k--) {
            int other = order[k].node;
            if (s->node_of[other] == other &&
                sn_distance3(mesh->nodes + 3 * (int64_t)n, mesh->nodes + 3 * (int64_t)other) <= merge)
                to = other;
        }
        s->node_of[n] = to < 0 ? n : to;
        s->report.merged += to >= 0;
    }
    sn_free(order);
    return SN_OK;
}

static void number_nodes(SnShells* s, const SnMesh* mesh, int* number)
{
    for (int n = 0; n < mesh->node_count; n++) {
        if (s->node_of[n] != n) continue;
        number[n] = s->node_count;
        for (int c = 0; c < 3; c++) s->nodes[3 * (int64_t)s->node_count + c] = mesh->nodes[3 * (int64_t)n + c];
        s->node_count++;
    }
    for (int n = 0; n < mesh->node_count; n++) s->node_of[n] = number[s->node_of[n]];
}

// --- triangles ---

static double area_of(const SnShells* s, const int* t, double* longest)
{
    double u[3], v[3], n[3];
    const double *a = s->nodes + 3 * (int64_t)t[0], *b = s->nodes + 3 * (int64_t)t[1],
                 *c = s->nodes + 3 * (int64_t)t[2];
    sn_subtract3(b, a, u), sn_subtract3(c, a, v);
    sn_cross3(u, v, n);
    *longest = fmax(sn_distance3(b, c), fmax(sn_length3(u), sn_length3(v)));
    return 0.5 * sn_length3(n);
}

static SnStatus take_triangles(SnShells* s, const int* triangles, int count)
{
    SnNodeKey* keys;
    if (!SN_NEW(keys, count, "a surface")) return SN_ERROR_MEMORY;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int t[3];
        double longest;
        for (int k = 0; k < 3; k++) t[k] = s->node_of[triangles[3 * (int64_t)i + k]];
        bool flat = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
        if (!flat) flat = !(area_of(s, t, &longest) > FLAT * longest * longest);
        s->report.flat += flat;
        if (!flat) keys[kept++] = sn_node_key(t, 3, i);
    }
    SnStatus status = sn_sort_keys(keys, kept, s->node_count);
    int* again = NULL;
    if (status == SN_OK && !SN_NEW(again, count, "a surface")) status = SN_ERROR_MEMORY;
    for (int i = 0; status == SN_OK && i < kept; i++)
        again[keys[i].item] = i > 0 && sn_same_key(&keys[i - 1], &keys[i]) ? 2 : 1;
    for (int i = 0; status == SN_OK && i < count; i++) {
        s->report.twice += again[i] == 2;
        if (again[i] != 1) continue;
        for (int k = 0; k < 3; k++)
            s->triangles[3 * (int64_t)s->triangle_count + k] = s->node_of[triangles[3 * (int64_t)i + k]];
        s->origin[s->triangle_count++] = i;
    }
    SN_FREE(keys, again);
    return status;
}

// --- edges ---

static SnStatus find_neighbours(SnShells* s)
{
    SnNodeKey* keys;
    int64_t count = 3 * (int64_t)s->triangle_count;
    if (!SN_NEW(keys, count, "edges of a surface")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        const int* t = s->triangles + i / 3 * 3;
        keys[i] = sn_node_key((const int[]){t[i % 3], t[(i + 1) % 3]}, 2, (int)i);
        s->across[i] = SN_OPEN;
    }
    SnStatus status = sn_sort_keys(keys, count, s->node_count);
    for (int64_t i = 0, end; status == SN_OK && i < count; i = end) {
        for (end = i + 1; end < count && sn_same_key(&keys[i], &keys[end]);) end++;
        s->report.open_edges += end - i == 1;
        s->report.crowded_edges += end - i > 2;
        for (int64_t k = i; end - i > 2 && k < end; k++) s->across[keys[k].item] = SN_CROWDED;
        if (end - i != 2) continue;
        s->across[keys[i].item] = keys[i + 1].item;
        s->across[keys[i + 1].item] = keys[i].item;
    }
    sn_free(keys);
    return status;
}

// --- directions ---

// Neighbours that agree have their common edge in opposite directions.
static bool agree(const SnShells* s, int edge, int other)
{
    return s->triangles[edge] == s->triangles[other / 3 * 3 + (other + 1) % 3];
}

// Edges are told by corners, which change: neighbours are looked for anew afterwards.
static void turn(SnShells* s, int triangle)
{
    int* t = s->triangles + 3 * (int64_t)triangle;
    int swap = t[1];
    t[1] = t[2], t[2] = swap;
}

// Which triangles have to turn so that neighbours agree, shell by shell.
static SnStatus spread(SnShells* s, char* turned)
{
    int *queue, shells = 0;
    if (!SN_NEW(queue, s->triangle_count, "a surface")) return SN_ERROR_MEMORY;
    for (int t = 0; t < s->triangle_count; t++) s->shell_of[t] = -1;
    for (int seed = 0; seed < s->triangle_count; seed++) {
        if (s->shell_of[seed] >= 0) continue;
        int first = 0, last = 0, sum = 0;
        queue[last++] = seed, s->shell_of[seed] = shells;
        while (first < last) {
            int t = queue[first++];
            sum += turned[t];
            for (int k = 0; k < 3; k++) {
                int other = s->across[3 * (int64_t)t + k];
                if (other < 0 || s->shell_of[other / 3] >= 0) continue;
                s->shell_of[other / 3] = shells;
                turned[other / 3] = agree(s, 3 * t + k, other) ? turned[t] : !turned[t];
                queue[last++] = other / 3;
            }
        }
        bool fewer = 2 * sum > last; // most stay as they are
        for (int i = 0; i < last; i++) {
            turned[queue[i]] ^= fewer;
            s->report.turned += turned[queue[i]];
        }
        shells++;
    }
    s->report.shells = shells;
    sn_free(queue);
    return SN_OK;
}

typedef struct Shell {
    double volume, middle[3];
    double area, vector[3]; // of which the sum is 0 where it is closed
    int number, count, first, open;
} Shell;

static const double CLOSED = 0.3; // as much of its area may be missing: only then it has an inside of its own

static int compare_shells(const void* left, const void* right)
{
    const Shell *a = left, *b = right;
    int order = (fabs(a->volume) < fabs(b->volume)) - (fabs(a->volume) > fabs(b->volume));
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void measure_shells(const SnShells* s, Shell* shells)
{
    for (int i = 0; i < s->report.shells; i++) shells[i] = (Shell){.number = i, .first = -1};
    for (int t = 0; t < s->triangle_count; t++) {
        Shell* shell = &shells[s->shell_of[t]];
        if (shell->first < 0) shell->first = t;
        shell->count++;
        for (int k = 0; k < 3; k++) {
            const double* x = s->nodes + 3 * (int64_t)s->triangles[3 * (int64_t)t + k];
            shell->open += s->across[3 * (int64_t)t + k] < 0;
            for (int c = 0; c < 3; c++) shell->middle[c] += x[c] / 3;
        }
    }
    for (int i = 0; i < s->report.shells; i++)
        for (int c = 0; c < 3; c++) shells[i].middle[c] /= shells[i].count;
    for (int t = 0; t < s->triangle_count; t++) { // about its middle: of an open one, as if closed from there
        Shell* shell = &shells[s->shell_of[t]];
        double p[3][3], n[3];
        for (int k = 0; k < 3; k++)
            sn_subtract3(s->nodes + 3 * (int64_t)s->triangles[3 * (int64_t)t + k], shell->middle, p[k]);
        sn_cross3(p[1], p[2], n);
        shell->volume += sn_dot3(p[0], n) / 6;
        sn_subtract3(p[1], p[0], p[1]), sn_subtract3(p[2], p[0], p[2]);
        sn_cross3(p[1], p[2], n);
        shell->area += 0.5 * sn_length3(n);
        for (int c = 0; c < 3; c++) shell->vector[c] += 0.5 * n[c];
    }
}

// How often the shells that are in order already go around a point just outside of one that faces inward.
static double around(const SnShells* s, const Shell* shell, const char* settled)
{
    const int* t = s->triangles + 3 * (int64_t)shell->first;
    const double *a = s->nodes + 3 * (int64_t)t[0], *b = s->nodes + 3 * (int64_t)t[1],
                 *c = s->nodes + 3 * (int64_t)t[2];
    double p[3], sum = 0;
    for (int i = 0; i < 3; i++) p[i] = (a[i] + b[i] + c[i]) / 3;
    for (int i = 0; i < s->triangle_count; i++) {
        const int* o = s->triangles + 3 * (int64_t)i;
        if (settled[s->shell_of[i]])
            sum += sn_solid_angle(s->nodes + 3 * (int64_t)o[0], s->nodes + 3 * (int64_t)o[1],
                                  s->nodes + 3 * (int64_t)o[2], p);
    }
    return sum / (4 * SN_PI);
}

// From the largest shell to the smallest: one that faces inward is a cavity if it lies inside those before it.
static void face_outward(SnShells* s, Shell* shells, char* settled)
{
    qsort(shells, (size_t)s->report.shells, sizeof *shells, compare_shells);
    for (int i = 0; i < s->report.shells; i++) {
        Shell* shell = &shells[i];
        bool inward = shell->volume < 0 && sn_length3(shell->vector) < CLOSED * shell->area;
        bool cavity = inward && !shell->open && around(s, shell, settled) > 0.5;
        s->report.cavities += cavity;
        settled[shell->number] = 1;
        if (!inward || cavity) continue;
        s->report.inside_out++;
        for (int t = 0; t < s->triangle_count; t++)
            if (s->shell_of[t] == shell->number) turn(s, t);
    }
}

static SnStatus orient(SnShells* s)
{
    char *turned, *settled = NULL;
    Shell* shells = NULL;
    if (!SN_NEW(turned, s->triangle_count, "a surface")) return SN_ERROR_MEMORY;
    SnStatus status = spread(s, turned);
    for (int t = 0; status == SN_OK && t < s->triangle_count; t++)
        if (turned[t]) turn(s, t);
    if (status == SN_OK &&
        (!SN_NEW(shells, s->report.shells, "shells") || !SN_NEW(settled, s->report.shells, "shells")))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK) {
        measure_shells(s, shells);
        face_outward(s, shells, settled);
        s->report.open_edges = s->report.crowded_edges = 0;
        status = find_neighbours(s);
    }
    SN_FREE(turned, settled, shells);
    return status;
}

// --- open edges ---

// The next open edge after this one around its end, over the triangles there; one with more triangles ends the search.
static int next_open(const SnShells* s, int edge)
{
    int at = edge / 3 * 3 + (edge + 1) % 3; // the edge that begins where this one ends
    for (int turns = 0; s->across[at] >= 0 && turns < 100000; turns++) {
        int other = s->across[at];
        at = other / 3 * 3 + (other + 1) % 3;
    }
    return at;
}

static int find_root(int* parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Sets of open edges that hang together over their nodes.
static SnStatus count_holes(SnShells* s)
{
    int* parent;
    if (!SN_NEW(parent, s->node_count, "holes")) return SN_ERROR_MEMORY;
    for (int n = 0; n < s->node_count; n++) parent[n] = -1;
    for (int e = 0; e < 3 * s->triangle_count; e++) {
        int a = s->triangles[e], b = s->triangles[e / 3 * 3 + (e + 1) % 3];
        if (s->across[e] != SN_OPEN) continue;
        if (parent[a] < 0) parent[a] = a, s->report.holes++;
        if (parent[b] < 0) parent[b] = b, s->report.holes++;
        a = find_root(parent, a), b = find_root(parent, b);
        if (a != b) parent[a] = b, s->report.holes--;
    }
    sn_free(parent);
    return SN_OK;
}

// --- all of it ---

static void measure(SnShells* s)
{
    SnSurfaceReport* r = &s->report;
    for (int t = 0; t < s->triangle_count; t++) {
        const int* n = s->triangles + 3 * (int64_t)t;
        double cross[3], longest;
        sn_cross3(s->nodes + 3 * (int64_t)n[1], s->nodes + 3 * (int64_t)n[2], cross);
        r->volume += sn_dot3(s->nodes + 3 * (int64_t)n[0], cross) / 6;
        r->area += area_of(s, n, &longest);
    }
}

static SnStatus fill(SnShells* s, const SnMesh* mesh, double merge)
{
    int *triangles, count, *number = NULL;
    SN_TRY(sn_mesh_surface(mesh, &triangles, &count));
    SnStatus status = SN_OK;
    if (!SN_NEW(s->nodes, 3 * (int64_t)mesh->node_count, "a surface") ||
        !SN_NEW(s->node_of, mesh->node_count, "a surface") || !SN_NEW(number, mesh->node_count, "a surface") ||
        !SN_NEW(s->triangles, 3 * (int64_t)count, "a surface") || !SN_NEW(s->origin, count, "a surface") ||
        !SN_NEW(s->across, 3 * (int64_t)count, "a surface") || !SN_NEW(s->shell_of, count, "a surface"))
        status = SN_ERROR_MEMORY;
    s->report.triangles = count;
    s->report.vertices = mesh->node_count;
    if (status == SN_OK) status = merge_nodes(s, mesh, merge);
    if (status == SN_OK) number_nodes(s, mesh, number);
    if (status == SN_OK) status = take_triangles(s, triangles, count);
    if (status == SN_OK) status = find_neighbours(s);
    if (status == SN_OK) status = orient(s);
    if (status == SN_OK) status = count_holes(s);
    if (status == SN_OK) measure(s);
    SN_FREE(triangles, number);
    return status;
}

SnStatus sn_shells_create(const SnMesh* mesh, double merge, SnShells** out)
{
    SnShells* s;
    *out = NULL;
    if (!SN_NEW(s, 1, "a surface")) return SN_ERROR_MEMORY;
    SN_FINISH(fill(s, mesh, merge), s, sn_shells_destroy, out);
}

void sn_shells_destroy(SnShells* s)
{
    if (!s) return;
    SN_FREE(s->nodes, s->triangles, s->origin, s->node_of, s->across, s->shell_of, s);
}

// --- holes ---

typedef struct Loops {
    int *start, *nodes, count; // as they are told
    int *path, *place;         // nodes of the way so far, and where each node is on it, -1: not
    char* seen;                // edges
} Loops;

// The face that closes a hole goes the other way around.
static void add_loop(Loops* l, const int* path, int count)
{
    int end = l->start[l->count];
    if (count < 3) return;
    for (int i = count - 1; i >= 0; i--) l->nodes[end++] = path[i];
    l->start[++l->count] = end;
}

// The loop that an edge is on, in parts where it meets itself in a node; none where it does not come back.
static void follow(const SnShells* s, Loops* l, int edge)
{
    int at = edge, length = 0, begun = l->count;
    for (; !l->seen[at] && s->across[at] == SN_OPEN; at = next_open(s, at)) {
        int node = s->triangles[at], again = l->place[node];
        l->seen[at] = 1;
        if (again >= 0) add_loop(l, l->path + again, length - again);
        for (; again >= 0 && length > again; length--) l->place[l->path[length - 1]] = -1;
        l->place[node] = length;
        l->path[length++] = node;
    }
    if (at == edge) add_loop(l, l->path, length);
    if (at != edge) l->count = begun;
    for (int i = 0; i < length; i++) l->place[l->path[i]] = -1;
}

SnStatus sn_shells_holes(const SnShells* s, int** start, int** nodes, int* count)
{
    Loops l = {0};
    int64_t edges = s->report.open_edges;
    *start = *nodes = NULL;
    *count = 0;
    bool room = SN_NEW(l.start, edges + 2, "holes") && SN_NEW(l.nodes, edges + 1, "holes") &&
                SN_NEW(l.path, edges + 1, "holes") && SN_NEW(l.place, s->node_count, "holes") &&
                SN_NEW(l.seen, 3 * (int64_t)s->triangle_count, "holes");
    for (int n = 0; room && n < s->node_count; n++) l.place[n] = -1;
    for (int e = 0; room && e < 3 * s->triangle_count; e++)
        if (s->across[e] == SN_OPEN && !l.seen[e]) follow(s, &l, e);
    SN_FREE(l.path, l.place, l.seen);
    if (room)
        *start = l.start, *nodes = l.nodes, *count = l.count;
    else
        SN_FREE(l.start, l.nodes);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

// --- crossings ---

typedef struct Crossing {
    const SnShells* s;
    const SnTree* tree;
    int triangle, found;
} Crossing;

static bool shares_node(const int* a, const int* b)
{
    for (int i = 0; i < 9; i++)
        if (a[i / 3] == b[i % 3]) return true;
    return false;
}

static bool edge_through(const SnShells* s, const int* a, const int* b)
{
    const double* x = s->nodes;
    for (int k = 0; k < 3; k++)
        if (sn_segment_meets(x + 3 * (int64_t)b[0], x + 3 * (int64_t)b[1], x + 3 * (int64_t)b[2], x + 3 * (int64_t)a[k],
                             x + 3 * (int64_t)a[(k + 1) % 3]) >= 0)
            return true;
    return false;
}

static bool look_at(void* user, int item)
{
    Crossing* c = user;
    const int *a = c->s->triangles + 3 * (int64_t)c->triangle, *b = c->s->triangles + 3 * (int64_t)item;
    if (item <= c->triangle || shares_node(a, b)) return true;
    c->found += edge_through(c->s, a, b) || edge_through(c->s, b, a);
    return true;
}

static double count_crossings(void* context, int first, int last)
{
    Crossing c = *(Crossing*)context;
    c.found = 0;
    for (c.triangle = first; c.triangle < last; c.triangle++) {
        SnBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int k = 0; k < 9; k++) {
            double x = c.s->nodes[3 * (int64_t)c.s->triangles[3 * (int64_t)c.triangle + k / 3] + k % 3];
            box.lo[k % 3] = fmin(box.lo[k % 3], x), box.hi[k % 3] = fmax(box.hi[k % 3], x);
        }
        sn_tree_overlaps(c.tree, &box, look_at, &c);
    }
    return c.found;
}

SnStatus sn_shells_crossings(SnShells* s, SnTasks* tasks)
{
    SnTree* tree;
    SN_TRY(sn_tree_create(s->triangle_count, 3, s->triangles, s->nodes, &tree));
    Crossing c = {.s = s, .tree = tree};
    s->report.crossings = (int)sn_tasks_sum(tasks, s->triangle_count, 512, count_crossings, &c);
    sn_tree_destroy(tree);
    return SN_OK;
}
