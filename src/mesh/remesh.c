// Surfaces of edges of one length (Botsch & Kobbelt 2004): edges longer than 4/3 of it are split, those shorter than
// 4/5 collapsed, others flipped towards nodes of six triangles; then nodes go to the middle of what is around them,
// along the surface, and back onto the surface as it was given. Sharp edges stay: nodes on them move along them.
#include "mesh/remesh.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/solid.h"

static const double FEW = 4; // edges: as long a crease is at least

typedef struct Remesh {
    SnShells* given;
    SnTree *surface, *creases;
    int* crease_items; // 3 x crease_count: both ends, one of them twice
    int crease_count;
    double* normals; // 3 per triangle of the surface
    SnNet net;
} Remesh;

// --- sharp edges of the surface ---

static void normal_of(const SnShells* s, int triangle, double n[3])
{
    const SnNet as_net = {.x = s->nodes};
    sn_net_normal(&as_net, s->triangles + 3 * (int64_t)triangle, n);
    sn_normalize3(n);
}

static bool is_sharp(const Remesh* r, int edge, double cosine)
{
    int other = r->given->across[edge];
    return other < 0 || sn_dot3(r->normals + 3 * (int64_t)(edge / 3), r->normals + 3 * (int64_t)(other / 3)) < cosine;
}

static int root_of(int* parent, int n)
{
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
}

// Sharp edges that hang together and are all in all shorter than a few edges are roughness, as scans have it.
static SnStatus drop_short(Remesh* r, double least)
{
    const SnShells* s = r->given;
    int edges = 3 * s->triangle_count, *parent;
    double* length = NULL;
    if (!SN_NEW(parent, s->node_count, "sharp edges")) return SN_ERROR_MEMORY;
    bool room = SN_NEW(length, s->node_count, "sharp edges");
    for (int n = 0; n < s->node_count; n++) parent[n] = n;
    for (int e = 0; e < edges; e++)
        if (r->net.sharp[e])
            parent[root_of(parent, s->triangles[e])] = root_of(parent, s->triangles[e / 3 * 3 + (e + 1) % 3]);
    for (int e = 0; room && e < edges; e++) {
        int a = s->triangles[e], b = s->triangles[e / 3 * 3 + (e + 1) % 3];
        bool both = s->across[e] >= 0; // then it is met twice
        if (r->net.sharp[e])
            length[root_of(parent, a)] +=
                (both ? 0.5 : 1) * sn_distance3(s->nodes + 3 * (int64_t)a, s->nodes + 3 * (int64_t)b);
    }
    for (int e = 0; room && e < edges; e++)
        if (s->across[e] >= 0 && length[root_of(parent, s->triangles[e])] < least) r->net.sharp[e] = 0;
    SN_FREE(parent, length);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus find_creases(Remesh* r, double cosine, double edge)
{
    const SnShells* s = r->given;
    int edges = 3 * s->triangle_count;
    if (!SN_NEW(r->normals, edges, "normals") || !SN_NEW(r->crease_items, 3 * (int64_t)edges, "sharp edges") ||
        !SN_NEW(r->net.sharp, edges, "sharp edges"))
        return SN_ERROR_MEMORY;
    for (int t = 0; t < s->triangle_count; t++) normal_of(s, t, r->normals + 3 * (int64_t)t);
    for (int e = 0; e < edges; e++) r->net.sharp[e] = is_sharp(r, e, cosine);
    SN_TRY(drop_short(r, FEW * edge));
    for (int e = 0; e < edges; e++) {
        if (!r->net.sharp[e]) continue;
        int* item = r->crease_items + 3 * (int64_t)r->crease_count++;
        item[0] = s->triangles[e], item[1] = item[2] = s->triangles[e / 3 * 3 + (e + 1) % 3];
    }
    return r->crease_count ? sn_tree_create(r->crease_count, 3, r->crease_items, s->nodes, &r->creases) : SN_OK;
}

// The other ends of the sharp edges at a node; at most two are told, of how many there are.
static int along_crease(const SnNet* net, const SnNetLinks* l, int node, int ends[2])
{
    int count = 0;
    for (int i = l->around_start[node]; i < l->around_start[node + 1]; i++)
        for (int k = 0; k < 3; k++) {
            int64_t e = 3 * (int64_t)l->around[i] + k;
            int a = net->triangles[e], b = net->triangles[e / 3 * 3 + (e + 1) % 3], other = a == node ? b : a;
            if (!net->sharp[e] || (a != node && b != node)) continue;
            bool again = (count > 0 && ends[0] == other) || (count > 1 && ends[1] == other);
            if (!again && count < 2) ends[count++] = other;
        }
    return l->sharp_at[node];
}

// Ends of sharp edges, where more than two meet, and where they bend sharply.
static void fix_corners(SnNet* net, const SnNetLinks* l, double cosine)
{
    for (int n = 0; n < net->node_count; n++) {
        int ends[2] = {n, n}, count = along_crease(net, l, n, ends);
        double u[3], v[3];
        net->fixed[n] = count != 0 && count != 2;
        if (count != 2) continue;
        sn_subtract3(net->x + 3 * (int64_t)ends[0], net->x + 3 * (int64_t)n, u);
        sn_subtract3(net->x + 3 * (int64_t)n, net->x + 3 * (int64_t)ends[1], v);
        sn_normalize3(u), sn_normalize3(v);
        net->fixed[n] = sn_dot3(u, v) < cosine;
    }
}

static SnStatus begin(Remesh* r, double cosine, double edge)
{
    const SnShells* s = r->given;
    SnNet* net = &r->net;
    SnNetLinks l;
    SN_TRY(sn_tree_create(s->triangle_count, 3, s->triangles, s->nodes, &r->surface));
    SN_TRY(find_creases(r, cosine, edge));
    net->x = sn_copy_memory(s->nodes, 3 * (size_t)s->node_count, sizeof(double), "nodes");
    net->triangles = sn_copy_memory(s->triangles, 3 * (size_t)s->triangle_count, sizeof(int), "triangles");
    if (!net->x || !net->triangles || !SN_NEW(net->fixed, s->node_count, "nodes")) return SN_ERROR_MEMORY;
    net->node_count = net->node_capacity = s->node_count, net->x_capacity = 3 * s->node_count;
    net->triangle_count = s->triangle_count, net->triangle_capacity = net->sharp_capacity = 3 * s->triangle_count;
    SN_TRY(sn_net_link(net, &l));
    fix_corners(net, &l, cosine);
    sn_net_unlink(&l);
    return SN_OK;
}

// --- nodes ---

typedef struct Facing {
    const Remesh* r;
    const double* normal;
} Facing;

static bool faces_alike(void* user, int item) // the other side of a thin part is not it
{
    const Facing* f = user;
    return sn_dot3(f->r->normals + 3 * (int64_t)item, f->normal) > 0;
}

// Onto the surface, or, of nodes on sharp edges, onto these.
static void project(const Remesh* r, const double normal[3], bool crease, double x[3])
{
    SnNearest nearest;
    Facing facing = {r, normal};
    bool found = crease ? sn_tree_nearest(r->creases, r->given->nodes, x, INFINITY, NULL, NULL, &nearest)
                        : sn_tree_nearest(r->surface, r->given->nodes, x, INFINITY, faces_alike, &facing, &nearest);
    if (found) memcpy(x, nearest.point, sizeof nearest.point);
}

// The middle of the triangles around a node by their areas, within its tangent plane; its normal.
static void middle_of(const SnNet* net, const SnNetLinks* l, int node, double x[3], double normal[3])
{
    double sum = 0, middle[3] = {0};
    memset(normal, 0, 3 * sizeof *normal);
    for (int i = l->around_start[node]; i < l->around_start[node + 1]; i++) {
        const int* t = net->triangles + 3 * (int64_t)l->around[i];
        double n[3];
        sn_net_normal(net, t, n);
        double area = sn_length3(n);
        sum += area;
        for (int c = 0; c < 3; c++) {
            normal[c] += n[c];
            for (int k = 0; k < 3; k++) middle[c] += area / 3 * net->x[3 * (int64_t)t[k] + c];
        }
    }
    const double* at = net->x + 3 * (int64_t)node;
    memcpy(x, at, 3 * sizeof *x);
    if (!(sum > 0) || !(sn_normalize3(normal) > 0)) return;
    double offset[3];
    for (int c = 0; c < 3; c++) offset[c] = middle[c] / sum - at[c];
    double up = sn_dot3(offset, normal);
    for (int c = 0; c < 3; c++) x[c] = at[c] + offset[c] - up * normal[c];
}

static void move(const Remesh* r, SnNet* net, const SnNetLinks* l, int node, bool spread)
{
    double *at = net->x + 3 * (int64_t)node, x[3], normal[3];
    bool crease = l->sharp_at[node] > 0;
    int ends[2] = {node, node};
    if (net->fixed[node] || l->around_start[node] == l->around_start[node + 1]) return;
    middle_of(net, l, node, x, normal);
    if (crease) {
        if (along_crease(net, l, node, ends) != 2) return;
        for (int c = 0; c < 3; c++) x[c] = 0.5 * (net->x[3 * (int64_t)ends[0] + c] + net->x[3 * (int64_t)ends[1] + c]);
    }
    for (int part = spread ? 0 : 2; part < 3; part++) { // all of the way, half of it, only back onto the surface
        double to[3];
        for (int c = 0; c < 3; c++) to[c] = at[c] + (part == 0 ? 1 : part == 1 ? 0.5 : 0) * (x[c] - at[c]);
        project(r, normal, crease, to);
        if (!sn_net_may_move(net, l, node, -1, to, INFINITY)) continue;
        memcpy(at, to, sizeof to);
        return;
    }
}

static SnStatus move_nodes(Remesh* r, bool spread)
{
    SnNetLinks l;
    SN_TRY(sn_net_link(&r->net, &l));
    for (int n = 0; n < r->net.node_count; n++) move(r, &r->net, &l, n, spread);
    sn_net_unlink(&l);
    return SN_OK;
}

// --- rounds ---

typedef SnStatus Pass(SnNet* net, double edge, int* count);

static SnStatus split(SnNet* net, double edge, int* count)
{
    return sn_net_split(net, 4.0 / 3 * edge, count);
}

static SnStatus collapse(SnNet* net, double edge, int* count)
{
    return sn_net_collapse(net, 0.8 * edge, 4.0 / 3 * edge, count);
}

static SnStatus flip(SnNet* net, double edge, int* count)
{
    return sn_net_flip(net, 4.0 / 3 * edge, count);
}

static SnStatus remesh(Remesh* r, double edge, int rounds)
{
    static const struct {
        Pass* pass;
        int most;
    } passes[] = {{split, 40}, {collapse, 20}, {flip, 6}};
    for (int round = 0; round < rounds; round++) {
        for (int p = 0; p < 3; p++)
            for (int i = 0, count = 1; i < passes[p].most && count > 0; i++)
                SN_TRY(passes[p].pass(&r->net, edge, &count));
        SN_TRY(move_nodes(r, true));
    }
    return move_nodes(r, false);
}

// --- what came out ---

static double distance_to(const SnTree* tree, const double* nodes, const double x[3])
{
    SnNearest nearest;
    return sn_tree_nearest(tree, nodes, x, INFINITY, NULL, NULL, &nearest) ? nearest.distance : 0;
}

static SnStatus measure_deviation(const Remesh* r, SnRemeshReport* report)
{
    const SnNet* net = &r->net;
    SnTree* tree;
    SN_TRY(sn_tree_create(net->triangle_count, 3, net->triangles, net->x, &tree));
    double most = 0;
    for (int n = 0; n < r->given->node_count; n++) {
        const double* x = r->given->nodes + 3 * (int64_t)n;
        most = fmax(most, distance_to(tree, net->x, x));
    }
    for (int n = 0; n < net->node_count; n++)
        most = fmax(most, distance_to(r->surface, r->given->nodes, net->x + 3 * (int64_t)n));
    for (int t = 0; t < net->triangle_count; t++) {
        const int* v = net->triangles + 3 * (int64_t)t;
        double x[3];
        for (int c = 0; c < 3; c++)
            x[c] = (net->x[3 * (int64_t)v[0] + c] + net->x[3 * (int64_t)v[1] + c] + net->x[3 * (int64_t)v[2] + c]) / 3;
        most = fmax(most, distance_to(r->surface, r->given->nodes, x));
    }
    report->deviation = most;
    sn_tree_destroy(tree);
    return SN_OK;
}

static void measure_triangle(const SnNet* net, const int* t, SnRemeshReport* report)
{
    for (int k = 0; k < 3; k++) {
        double u[3], v[3], n[3];
        const double* a = net->x + 3 * (int64_t)t[k];
        sn_subtract3(net->x + 3 * (int64_t)t[(k + 1) % 3], a, u);
        sn_subtract3(net->x + 3 * (int64_t)t[(k + 2) % 3], a, v);
        sn_cross3(u, v, n);
        double angle = atan2(sn_length3(n), sn_dot3(u, v)) * 180 / SN_PI;
        report->least_angle = fmin(report->least_angle, angle);
        report->largest_angle = fmax(report->largest_angle, angle);
    }
}

static SnStatus measure(Remesh* r, SnRemeshReport* report)
{
    SnNetLinks l;
    SN_TRY(sn_net_link(&r->net, &l));
    report->shortest = INFINITY, report->least_angle = 180;
    for (int e = 0; e < l.edge_count; e++) {
        double length = sn_distance3(r->net.x + 3 * (int64_t)l.ends[2 * e], r->net.x + 3 * (int64_t)l.ends[2 * e + 1]);
        report->shortest = fmin(report->shortest, length), report->longest = fmax(report->longest, length);
        report->mean += length / l.edge_count;
        report->sharp_edges += r->net.sharp[l.sides[l.side_start[e]]];
    }
    for (int t = 0; t < r->net.triangle_count; t++)
        measure_triangle(&r->net, r->net.triangles + 3 * (int64_t)t, report);
    sn_net_unlink(&l);
    return measure_deviation(r, report);
}

// --- all of it ---

static double mean_edge(const SnShells* s)
{
    double sum = 0;
    for (int e = 0; e < 3 * s->triangle_count; e++)
        sum += sn_distance3(s->nodes + 3 * (int64_t)s->triangles[e],
                            s->nodes + 3 * (int64_t)s->triangles[e / 3 * 3 + (e + 1) % 3]);
    return sum / fmax(1, 3.0 * s->triangle_count);
}

static SnStatus check(const SnShells* s, double edge)
{
    enum { MOST = 20000000 };
    double triangles = s->report.area / (sqrt(3) / 4 * edge * edge);
    if (s->triangle_count == 0) return sn_fail(SN_ERROR_VALUE, "the surface has no triangles with an area");
    if (triangles < MOST) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "edges of %g m would make %.0f triangles, more than %d; choose longer ones", edge,
                   triangles, MOST);
}

static SnStatus make(const SnNet* net, SnMesh** out)
{
    SN_TRY(sn_mesh_allocate(net->node_count, 2, net->triangle_count, out));
    memcpy((*out)->nodes, net->x, 3 * (size_t)net->node_count * sizeof(double));
    memcpy((*out)->triangles, net->triangles, 3 * (size_t)net->triangle_count * sizeof(int));
    return SN_OK;
}

static SnStatus look_again(const SnMesh* made, SnSurfaceReport* report)
{
    SnShells* s;
    SN_TRY(sn_shells_create(made, 0, &s));
    SnStatus status = sn_shells_crossings(s, NULL);
    *report = s->report;
    sn_shells_destroy(s);
    return status;
}

SnRemeshDef sn_default_remesh_def(void)
{
    return (SnRemeshDef){.sharp_degrees = 40, .rounds = 10};
}

SnStatus sn_mesh_remesh(const SnMesh* surface, const SnRemeshDef* def, SnMesh** out, SnRemeshReport* report)
{
    SN_NEED(out);
    *out = NULL;
    SN_HANDLE(surface);
    SN_NEED(def);
    if (!(def->edge >= 0 && def->edge < SN_FARTHEST) || !(def->sharp_degrees > 0 && def->sharp_degrees <= 180) ||
        def->rounds < 0 || def->rounds > 1000)
        return sn_fail(SN_ERROR_VALUE,
                       "edge %g m, sharp from %g degrees, %d rounds: must be at least 0, above 0 and at most 180, and "
                       "0 to 1000",
                       def->edge, def->sharp_degrees, def->rounds);
    SN_TRY(sn_surface_check(surface, "remeshed"));
    Remesh r = {0};
    SnRemeshReport own = {0};
    double cosine = cos(def->sharp_degrees * SN_PI / 180);
    SN_TRY(sn_shells_create(surface, 1e-9 * sn_mesh_size(surface), &r.given));
    own.before = r.given->report;
    own.edge = def->edge > 0 ? def->edge : mean_edge(r.given);
    SnStatus status = check(r.given, own.edge);
    if (status == SN_OK) status = begin(&r, cosine, own.edge);
    if (status == SN_OK) status = remesh(&r, own.edge, def->rounds);
    if (status == SN_OK && report) status = measure(&r, &own);
    if (status == SN_OK) status = make(&r.net, out);
    if (status == SN_OK && report) status = look_again(*out, &own.after);
    if (report) *report = own;
    if (status != SN_OK) sn_mesh_destroy(*out), *out = NULL;
    sn_shells_destroy(r.given);
    sn_tree_destroy(r.surface), sn_tree_destroy(r.creases);
    SN_FREE(r.crease_items, r.normals);
    sn_net_free(&r.net);
    return status;
}
