// A net of triangles: splits, collapses and flips, each a pass over all edges that is the same every time.
//
// Nothing is asked of the net: edges may have any number of triangles. A pass changes edges that are not near each
// other, so that what is known of the rest stays true; adjacency is found anew for each.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/remesh.h"

void sn_net_free(SnNet* net)
{
    SN_FREE(net->x, net->fixed, net->triangles, net->sharp);
    *net = (SnNet){0};
}

void sn_net_normal(const SnNet* net, const int* t, double normal[3])
{
    double u[3], v[3];
    const double* a = net->x + 3 * (int64_t)t[0];
    sn_subtract3(net->x + 3 * (int64_t)t[1], a, u), sn_subtract3(net->x + 3 * (int64_t)t[2], a, v);
    sn_cross3(u, v, normal);
}

// --- who is next to whom ---

static SnStatus find_edges(SnNet* net, SnNetLinks* l)
{
    SnNodeKey* keys;
    int count = 3 * net->triangle_count;
    if (!SN_NEW(keys, count, "edges")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        keys[i] = sn_node_key((const int[]){net->triangles[i], net->triangles[i / 3 * 3 + (i + 1) % 3]}, 2, i);
    SnStatus status = sn_sort_keys(keys, count, net->node_count);
    for (int i = 0, end; status == SN_OK && i < count; i = end) {
        char sharp = 0;
        for (end = i; end < count && sn_same_key(&keys[i], &keys[end]); end++) {
            l->sides[end] = keys[end].item;
            l->edge_of[keys[end].item] = l->edge_count;
            sharp |= net->sharp[keys[end].item];
        }
        sharp |= end - i != 2;
        for (int k = i; k < end; k++) net->sharp[keys[k].item] = sharp;
        for (int k = 0; k < 2; k++) {
            l->ends[2 * l->edge_count + k] = keys[i].nodes[k];
            l->sharp_at[keys[i].nodes[k]] += sharp;
            l->open[keys[i].nodes[k]] |= end - i == 1;
        }
        l->side_start[++l->edge_count] = end;
    }
    sn_free(keys);
    return status;
}

static void find_around(const SnNet* net, SnNetLinks* l)
{
    for (int i = 0; i < 3 * net->triangle_count; i++) l->around_start[net->triangles[i] + 1]++;
    for (int n = 0; n < net->node_count; n++) l->around_start[n + 1] += l->around_start[n];
    for (int i = 0; i < 3 * net->triangle_count; i++) l->around[l->around_start[net->triangles[i]]++] = i / 3;
    for (int n = net->node_count; n > 0; n--) l->around_start[n] = l->around_start[n - 1];
    l->around_start[0] = 0;
}

SnStatus sn_net_link(SnNet* net, SnNetLinks* l)
{
    int64_t corners = 3 * (int64_t)net->triangle_count, nodes = net->node_count;
    *l = (SnNetLinks){0};
    bool room = SN_NEW(l->ends, 2 * corners, "edges") && SN_NEW(l->edge_of, corners, "edges") &&
                SN_NEW(l->side_start, corners + 1, "edges") && SN_NEW(l->sides, corners, "edges") &&
                SN_NEW(l->around_start, nodes + 1, "edges") && SN_NEW(l->around, corners, "edges") &&
                SN_NEW(l->sharp_at, nodes, "edges") && SN_NEW(l->open, nodes, "edges") &&
                SN_NEW(l->touched, nodes, "edges");
    SnStatus status = room ? find_edges(net, l) : SN_ERROR_MEMORY;
    if (status == SN_OK) find_around(net, l);
    if (status != SN_OK) sn_net_unlink(l);
    return status;
}

void sn_net_unlink(SnNetLinks* l)
{
    SN_FREE(l->ends, l->edge_of, l->side_start, l->sides, l->around_start, l->around, l->sharp_at, l->open, l->touched);
    *l = (SnNetLinks){0};
}

static double length_of(const SnNet* net, const SnNetLinks* l, int edge)
{
    return sn_distance3(net->x + 3 * (int64_t)l->ends[2 * edge], net->x + 3 * (int64_t)l->ends[2 * edge + 1]);
}

static bool is_sharp(const SnNet* net, const SnNetLinks* l, int edge)
{
    return net->sharp[l->sides[l->side_start[edge]]];
}

// --- splits ---

static int add_triangle(SnNet* net, int a, int b, int c, char ab, char bc, char ca)
{
    int64_t end = 3 * ((int64_t)net->triangle_count + 1);
    if (end > SN_MESH_MOST || !SN_GROW(net->triangles, net->triangle_capacity, end, "triangles") ||
        !SN_GROW(net->sharp, net->sharp_capacity, end, "triangles"))
        return -1;
    int* t = net->triangles + 3 * (int64_t)net->triangle_count;
    char* s = net->sharp + 3 * (int64_t)net->triangle_count;
    t[0] = a, t[1] = b, t[2] = c, s[0] = ab, s[1] = bc, s[2] = ca;
    return net->triangle_count++;
}

// A node in the middle of each long edge; -1: of the others.
static SnStatus add_middles(SnNet* net, const SnNetLinks* l, double longest, int* middle, int* count)
{
    for (int e = 0; e < l->edge_count; e++) {
        middle[e] = -1;
        if (!(length_of(net, l, e) > longest)) continue;
        int64_t n = net->node_count;
        if (n >= SN_MESH_MOST / 3 || !SN_GROW(net->x, net->x_capacity, 3 * (n + 1), "nodes") ||
            !SN_GROW(net->fixed, net->node_capacity, n + 1, "nodes"))
            return SN_ERROR_MEMORY;
        for (int c = 0; c < 3; c++)
            net->x[3 * n + c] =
                0.5 * (net->x[3 * (int64_t)l->ends[2 * e] + c] + net->x[3 * (int64_t)l->ends[2 * e + 1] + c]);
        net->fixed[n] = 0;
        middle[e] = net->node_count++;
        ++*count;
    }
    return SN_OK;
}

// A triangle with nodes in the middle of one, two or three edges becomes two, three or four.
static SnStatus cut(SnNet* net, int triangle, const int middle[3])
{
    int marks = (middle[0] >= 0) + (middle[1] >= 0) + (middle[2] >= 0), k = 0;
    if (marks == 0) return SN_OK;
    if (marks == 1)
        while (middle[k] < 0) k++;
    if (marks == 2)
        while (middle[(k + 2) % 3] >= 0) k++; // the edge before corner k stays whole
    int64_t first = 3 * (int64_t)triangle;
    int t[3], m[3];
    char s[3];
    for (int i = 0; i < 3; i++) {
        t[i] = net->triangles[first + (k + i) % 3], s[i] = net->sharp[first + (k + i) % 3], m[i] = middle[(k + i) % 3];
    }
    const int own[4][3] = {{0}, {t[0], m[0], t[2]}, {m[0], t[1], m[1]}, {m[0], m[1], m[2]}};
    const char own_sharp[4][3] = {{0}, {s[0], 0, s[2]}, {s[0], s[1], 0}, {0, 0, 0}};
    memcpy(net->triangles + first, own[marks], sizeof own[0]);
    memcpy(net->sharp + first, own_sharp[marks], sizeof own_sharp[0]);
    int last = 0;
    if (marks == 1) last = add_triangle(net, m[0], t[1], t[2], s[0], s[1], 0);
    if (marks == 2) { // the rest has four corners: along its shorter diagonal
        bool from = sn_distance3(net->x + 3 * (int64_t)m[0], net->x + 3 * (int64_t)t[2]) <
                    sn_distance3(net->x + 3 * (int64_t)t[0], net->x + 3 * (int64_t)m[1]);
        last = from ? add_triangle(net, m[0], m[1], t[2], 0, s[1], 0) : add_triangle(net, m[0], m[1], t[0], 0, 0, s[0]);
        if (last >= 0)
            last = from ? add_triangle(net, m[0], t[2], t[0], 0, s[2], s[0])
                        : add_triangle(net, t[0], m[1], t[2], 0, s[1], s[2]);
    }
    if (marks == 3) {
        last = add_triangle(net, t[0], m[0], m[2], s[0], 0, s[2]);
        if (last >= 0) last = add_triangle(net, m[0], t[1], m[1], s[0], s[1], 0);
        if (last >= 0) last = add_triangle(net, m[2], m[1], t[2], 0, s[1], s[2]);
    }
    return last < 0 ? SN_ERROR_MEMORY : SN_OK;
}

SnStatus sn_net_split(SnNet* net, double longest, int* count)
{
    SnNetLinks l;
    int *middle = NULL, triangles = net->triangle_count;
    *count = 0;
    SN_TRY(sn_net_link(net, &l));
    SnStatus status = SN_NEW(middle, l.edge_count, "edges") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = add_middles(net, &l, longest, middle, count);
    for (int t = 0; status == SN_OK && t < triangles; t++) {
        const int* e = l.edge_of + 3 * (int64_t)t;
        status = cut(net, t, (const int[3]){middle[e[0]], middle[e[1]], middle[e[2]]});
    }
    sn_free(middle);
    sn_net_unlink(&l);
    return status;
}

// --- collapses ---

static bool has_node(const int* t, int node)
{
    return t[0] == node || t[1] == node || t[2] == node;
}

static int other_count(const SnNet* net, const SnNetLinks* l, int a, int b) // nodes next to both
{
    int common = 0;
    for (int i = l->around_start[a]; i < l->around_start[a + 1]; i++)
        for (int k = 0; k < 3; k++) {
            int c = net->triangles[3 * (int64_t)l->around[i] + k];
            bool again = c == a || c == b, next = false;
            for (int j = l->around_start[a]; j < i && !again; j++)
                again = has_node(net->triangles + 3 * (int64_t)l->around[j], c);
            for (int j = l->around_start[b]; j < l->around_start[b + 1] && !again && !next; j++)
                next = has_node(net->triangles + 3 * (int64_t)l->around[j], c);
            common += next;
        }
    return common;
}

// Twice its area over the square of its longest edge: 0.87 for the best, 0 for a sliver.
static double shape_of(const double p[3][3], double normal[3])
{
    double u[3], v[3], longest = 0;
    sn_subtract3(p[1], p[0], u), sn_subtract3(p[2], p[0], v);
    sn_cross3(u, v, normal);
    for (int k = 0; k < 3; k++) longest = fmax(longest, sn_distance3(p[k], p[(k + 1) % 3]));
    return longest > 0 ? sn_length3(normal) / (longest * longest) : 0;
}

static const double GOOD = 0.15; // shape from which on a triangle may get worse

static void corners_of(const SnNet* net, const int* t, double p[3][3])
{
    for (int k = 0; k < 3; k++) memcpy(p[k], net->x + 3 * (int64_t)t[k], sizeof p[k]);
}

bool sn_net_may_move(const SnNet* net, const SnNetLinks* l, int node, int with, const double x[3], double longest)
{
    static const double STILL = 0.5; // cosine of the turn that a triangle may make
    for (int i = l->around_start[node]; i < l->around_start[node + 1]; i++) {
        const int* t = net->triangles + 3 * (int64_t)l->around[i];
        if (has_node(t, with)) continue;
        double p[3][3], before[3], after[3];
        corners_of(net, t, p);
        double shape = shape_of(p, before);
        for (int k = 0; k < 3; k++) {
            if (t[k] == node)
                memcpy(p[k], x, sizeof p[k]);
            else if (sn_distance3(p[k], x) > longest)
                return false;
        }
        double then = shape_of(p, after);
        if (!(then > GOOD || then >= shape)) return false;
        if (!(sn_dot3(before, after) > STILL * sn_length3(before) * sn_length3(after))) return false;
    }
    return true;
}

// Whom the ends of an edge become one with, and where: false where one may not leave its place or its sharp edge.
static bool choose_place(const SnNet* net, const SnNetLinks* l, int edge, int* keep, int* gone, double x[3])
{
    int a = l->ends[2 * edge], b = l->ends[2 * edge + 1];
    bool sharp = is_sharp(net, l, edge);
    int rank_a = net->fixed[a] ? 2 : l->sharp_at[a] > 0, rank_b = net->fixed[b] ? 2 : l->sharp_at[b] > 0;
    *keep = rank_a >= rank_b ? a : b, *gone = *keep == a ? b : a;
    int high = rank_a > rank_b ? rank_a : rank_b, low = rank_a + rank_b - high;
    if (low == 2 || (low == 1 && !sharp)) return false;
    for (int c = 0; c < 3; c++)
        x[c] = high == low ? 0.5 * (net->x[3 * (int64_t)a + c] + net->x[3 * (int64_t)b + c])
                           : net->x[3 * (int64_t)*keep + c];
    return true;
}

static bool untouched(const SnNet* net, const SnNetLinks* l, int node)
{
    for (int i = l->around_start[node]; i < l->around_start[node + 1]; i++)
        for (int k = 0; k < 3; k++)
            if (l->touched[net->triangles[3 * (int64_t)l->around[i] + k]]) return false;
    return true;
}

static void touch(const SnNet* net, SnNetLinks* l, int node)
{
    for (int i = l->around_start[node]; i < l->around_start[node + 1]; i++)
        for (int k = 0; k < 3; k++) l->touched[net->triangles[3 * (int64_t)l->around[i] + k]] = 1;
}

static bool collapse(SnNet* net, SnNetLinks* l, int edge, double longest, int* becomes)
{
    int a = l->ends[2 * edge], b = l->ends[2 * edge + 1], keep, gone;
    double x[3];
    if (!untouched(net, l, a) || !untouched(net, l, b) || !choose_place(net, l, edge, &keep, &gone, x)) return false;
    if (other_count(net, l, a, b) != l->side_start[edge + 1] - l->side_start[edge]) return false;
    if (!sn_net_may_move(net, l, keep, gone, x, longest) || !sn_net_may_move(net, l, gone, keep, x, longest))
        return false;
    touch(net, l, a), touch(net, l, b);
    memcpy(net->x + 3 * (int64_t)keep, x, sizeof x);
    becomes[gone] = keep;
    return true;
}

// Where edges of a triangle that goes become one, it is sharp if one of them was.
static void pass_sharpness(SnNet* net, const SnNetLinks* l, int triangle)
{
    int64_t first = 3 * (int64_t)triangle;
    char any = 0;
    for (int k = 0; k < 3; k++)
        any |= net->triangles[first + k] == net->triangles[first + (k + 1) % 3] ? 0 : net->sharp[first + k];
    for (int k = 0; any && k < 3; k++) {
        int e = l->edge_of[first + k];
        if (net->triangles[first + k] == net->triangles[first + (k + 1) % 3]) continue;
        for (int i = l->side_start[e]; i < l->side_start[e + 1]; i++) net->sharp[l->sides[i]] = 1;
    }
}

static bool is_gone(const int* t)
{
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

// Takes out nodes and triangles that are gone.
static void sweep(SnNet* net, const SnNetLinks* l, int* becomes)
{
    for (int i = 0; i < 3 * net->triangle_count; i++) net->triangles[i] = becomes[net->triangles[i]];
    for (int t = 0; t < net->triangle_count; t++)
        if (is_gone(net->triangles + 3 * (int64_t)t)) pass_sharpness(net, l, t);
    int kept = 0, nodes = 0;
    for (int t = 0; t < net->triangle_count; t++) {
        if (is_gone(net->triangles + 3 * (int64_t)t)) continue;
        memmove(net->triangles + 3 * (int64_t)kept, net->triangles + 3 * (int64_t)t, 3 * sizeof(int));
        memmove(net->sharp + 3 * (int64_t)kept++, net->sharp + 3 * (int64_t)t, 3);
    }
    net->triangle_count = kept;
    for (int n = 0; n < net->node_count; n++) {
        if (becomes[n] != n) continue;
        memmove(net->x + 3 * (int64_t)nodes, net->x + 3 * (int64_t)n, 3 * sizeof(double));
        net->fixed[nodes] = net->fixed[n];
        becomes[n] = nodes++;
    }
    net->node_count = nodes;
    for (int i = 0; i < 3 * kept; i++) net->triangles[i] = becomes[net->triangles[i]];
}

typedef struct Short {
    double length;
    int edge;
} Short;

static int compare_short(const void* left, const void* right)
{
    const Short *a = left, *b = right;
    int order = (a->length > b->length) - (a->length < b->length);
    return order ? order : (a->edge > b->edge) - (a->edge < b->edge);
}

SnStatus sn_net_collapse(SnNet* net, double shortest, double longest, int* count)
{
    SnNetLinks l;
    Short* list = NULL;
    int *becomes = NULL, found = 0;
    *count = 0;
    SN_TRY(sn_net_link(net, &l));
    bool room = SN_NEW(list, l.edge_count, "edges") && SN_NEW(becomes, net->node_count, "nodes");
    for (int e = 0; room && e < l.edge_count; e++) {
        double length = length_of(net, &l, e);
        if (length < shortest) list[found++] = (Short){length, e};
    }
    if (found > 0) qsort(list, (size_t)found, sizeof *list, compare_short);
    for (int n = 0; room && n < net->node_count; n++) becomes[n] = n;
    for (int i = 0; i < found; i++) *count += collapse(net, &l, list[i].edge, longest, becomes);
    if (*count > 0) sweep(net, &l, becomes);
    SN_FREE(list, becomes);
    sn_net_unlink(&l);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

// --- flips ---

// From the best number of triangles: six around it, three at an open edge.
static int off_by(const SnNetLinks* l, int node, int change)
{
    return abs(l->around_start[node + 1] - l->around_start[node] + change - (l->open[node] ? 3 : 6));
}

static bool joined(const SnNet* net, const SnNetLinks* l, int a, int b)
{
    for (int i = l->around_start[a]; i < l->around_start[a + 1]; i++)
        if (has_node(net->triangles + 3 * (int64_t)l->around[i], b)) return true;
    return false;
}

// The triangles (a, b, c) and (b, a, d) become (c, d, b) and (d, c, a), where nodes get nearer to six triangles and
// both stay turned as they were.
static bool flip(SnNet* net, SnNetLinks* l, int edge, double longest)
{
    static const double STILL = 0.8;
    if (l->side_start[edge + 1] - l->side_start[edge] != 2 || is_sharp(net, l, edge)) return false;
    int s = l->sides[l->side_start[edge]], o = l->sides[l->side_start[edge] + 1];
    int *t = net->triangles + s / 3 * 3, *u = net->triangles + o / 3 * 3, i = s % 3, j = o % 3;
    int a = t[i], b = t[(i + 1) % 3], c = t[(i + 2) % 3], d = u[(j + 2) % 3];
    if (u[j] != b || c == d || l->touched[a] || l->touched[b] || l->touched[c] || l->touched[d]) return false;
    int before = off_by(l, a, 0) + off_by(l, b, 0) + off_by(l, c, 0) + off_by(l, d, 0);
    if (off_by(l, a, -1) + off_by(l, b, -1) + off_by(l, c, 1) + off_by(l, d, 1) >= before) return false;
    double length = sn_distance3(net->x + 3 * (int64_t)c, net->x + 3 * (int64_t)d);
    if (joined(net, l, c, d) || (length > longest && length > length_of(net, l, edge))) return false;
    const int one[3] = {c, d, b}, two[3] = {d, c, a};
    double p[4][3][3], n1[3], n2[3], m1[3], m2[3], sum[3];
    corners_of(net, t, p[0]), corners_of(net, u, p[1]), corners_of(net, one, p[2]), corners_of(net, two, p[3]);
    double shape = fmin(shape_of(p[0], n1), shape_of(p[1], n2)), then = fmin(shape_of(p[2], m1), shape_of(p[3], m2));
    if (!(then > GOOD || then >= shape)) return false;
    for (int k = 0; k < 3; k++) sum[k] = n1[k] + n2[k];
    double whole = sn_length3(sum);
    if (!(sn_dot3(m1, sum) > STILL * sn_length3(m1) * whole) || !(sn_dot3(m2, sum) > STILL * sn_length3(m2) * whole))
        return false;
    char db = net->sharp[o / 3 * 3 + (j + 2) % 3], bc = net->sharp[s / 3 * 3 + (i + 1) % 3],
         ca = net->sharp[s / 3 * 3 + (i + 2) % 3], ad = net->sharp[o / 3 * 3 + (j + 1) % 3];
    memcpy(t, one, sizeof one), memcpy(u, two, sizeof two);
    memcpy(net->sharp + s / 3 * 3, (const char[3]){0, db, bc}, 3);
    memcpy(net->sharp + o / 3 * 3, (const char[3]){0, ca, ad}, 3);
    l->touched[a] = l->touched[b] = l->touched[c] = l->touched[d] = 1;
    return true;
}

SnStatus sn_net_flip(SnNet* net, double longest, int* count)
{
    SnNetLinks l;
    *count = 0;
    SN_TRY(sn_net_link(net, &l));
    for (int e = 0; e < l.edge_count; e++) *count += flip(net, &l, e, longest);
    sn_net_unlink(&l);
    return SN_OK;
}
