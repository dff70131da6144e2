// Clusters of tetrahedra, over which the volume that is kept is a mean (the F-bar patches of de Souza Neto, Pires and
// Owen 2005; here the mean is that of F itself, which is linear in x).
//
// A mesh has five to six tetrahedra for each node. Where each keeps its volume, a node's three coordinates have two
// equations each: that is locking. Clusters of eight leave about four coordinates for each. They grow greedily over
// shared faces, by the tetrahedron with the fewest nodes of its own, then the most faces in common: compact ones have
// more tetrahedra for their ten nodes. What is left over in small pieces goes to clusters beside it, where there is
// room.
#include <string.h>

#include "mesh/elements.h"
#include "potential/points.h"
#include "potential/tetrahedron.h"

enum { MOST = 8, SMALL = 4, PASSES = 3 };

typedef struct Cluster {
    int size, node_count;
    int nodes[SN_POINT_NODES];
} Cluster;

typedef struct Clusters {
    int count; // of tetrahedra
    const int *tetrahedra, *kinds;
    int* neighbours; // 4 x count: across the face opposite to each corner; -1: none
    int* of;         // count: the cluster of each; -1: none yet
    int cluster_count;
    Cluster* clusters;
} Clusters;

static bool find_neighbours(Clusters* c)
{
    SnNodeKey* keys;
    int64_t faces = 4 * (int64_t)c->count;
    int most = 0;
    if (!SN_NEW(keys, faces, "elements")) return false;
    for (int64_t i = 0; i < faces; i++) {
        const int *t = c->tetrahedra + i / 4 * 4, *corners = sn_tetrahedron_faces[i % 4];
        keys[i] = sn_node_key((int[]){t[corners[0]], t[corners[1]], t[corners[2]]}, 3, (int)i);
        most = t[i % 4] > most ? t[i % 4] : most;
        c->neighbours[i] = -1;
    }
    bool done = sn_sort_keys(keys, faces, most + 1) == SN_OK;
    for (int64_t i = 1; i < faces && done; i++)
        if (sn_same_key(&keys[i - 1], &keys[i])) {
            c->neighbours[keys[i - 1].item] = keys[i].item / 4;
            c->neighbours[keys[i].item] = keys[i - 1].item / 4;
        }
    sn_free(keys);
    return done;
}

static bool has_node(const Cluster* cluster, int node)
{
    for (int i = 0; i < cluster->node_count; i++)
        if (cluster->nodes[i] == node) return true;
    return false;
}

static int fresh_nodes(const Clusters* c, const Cluster* cluster, int t)
{
    int fresh = 0;
    for (int a = 0; a < 4; a++) fresh += !has_node(cluster, c->tetrahedra[4 * (int64_t)t + a]);
    return fresh;
}

static void take(Clusters* c, int cluster, int t)
{
    Cluster* to = &c->clusters[cluster];
    for (int a = 0; a < 4; a++)
        if (!has_node(to, c->tetrahedra[4 * (int64_t)t + a]))
            to->nodes[to->node_count++] = c->tetrahedra[4 * (int64_t)t + a];
    to->size++;
    c->of[t] = cluster;
}

// How good it is to take a tetrahedron in: fewest nodes, then most faces; 0: it does not fit.
static int gain(const Clusters* c, int cluster, int t)
{
    int fresh = fresh_nodes(c, &c->clusters[cluster], t), faces = 0;
    if (c->clusters[cluster].node_count + fresh > SN_POINT_NODES) return 0;
    for (int f = 0; f < 4; f++) {
        int beside = c->neighbours[4 * (int64_t)t + f];
        faces += beside >= 0 && c->of[beside] == cluster;
    }
    return 10 - 5 * fresh + faces;
}

static void grow(Clusters* c, int seed)
{
    int members[MOST], cluster = c->cluster_count++, best = seed;
    while (best >= 0) {
        members[c->clusters[cluster].size] = best;
        take(c, cluster, best);
        int most = 0, size = c->clusters[cluster].size;
        best = -1;
        for (int k = 0; k < 4 * size && size < MOST; k++) {
            int t = c->neighbours[4 * (int64_t)members[k / 4] + k % 4];
            if (t < 0 || c->of[t] >= 0 || (c->kinds && c->kinds[t] != c->kinds[seed])) continue;
            int g = gain(c, cluster, t);
            if (g > most || (g == most && g > 0 && t < best)) most = g, best = t;
        }
    }
}

// A tetrahedron of a small cluster goes to one beside it.
static bool give_away(Clusters* c, int t)
{
    int best = -1, most = 0, own = c->of[t];
    for (int f = 0; f < 4; f++) {
        int beside = c->neighbours[4 * (int64_t)t + f], to = beside < 0 ? -1 : c->of[beside];
        if (to < 0 || to == own || (c->kinds && c->kinds[t] != c->kinds[beside])) continue;
        int g = c->clusters[to].size >= c->clusters[own].size ? gain(c, to, t) : 0;
        if (g > most) most = g, best = to;
    }
    if (best < 0) return false;
    c->clusters[own].size--;
    take(c, best, t);
    return true;
}

static void make(Clusters* c)
{
    for (int t = 0; t < c->count; t++)
        if (c->of[t] < 0) grow(c, t);
    bool more = true;
    for (int pass = 0; pass < PASSES && more; pass++) {
        more = false;
        for (int t = 0; t < c->count; t++)
            if (c->clusters[c->of[t]].size < SMALL) more |= give_away(c, t);
    }
}

// Volumes and members of the clusters that are left, which get numbers anew.
static SnStatus list_members(Clusters* c, const double* rest, SnPoints* p)
{
    int count = 0;
    int* next = NULL;
    for (int k = 0; k < c->cluster_count; k++) {
        if (c->clusters[k].size == 0) continue;
        c->clusters[k].nodes[0] = count++; // its number, from here on
    }
    for (int t = 0; t < c->count; t++) c->of[t] = c->clusters[c->of[t]].nodes[0];
    SN_TRY(sn_points_allocate(count, c->count, p));
    if (!SN_NEW(next, (int64_t)count + 1, "elements")) return SN_ERROR_MEMORY;
    for (int t = 0; t < c->count; t++) p->first[c->of[t] + 1]++;
    for (int k = 0; k < count; k++) p->first[k + 1] += p->first[k];
    memcpy(next, p->first, ((size_t)count + 1) * sizeof *next);
    for (int t = 0; t < c->count; t++) {
        int at = next[c->of[t]]++;
        p->members[at] = t;
        p->shares[at] = sn_tetrahedron_volume(rest, c->tetrahedra + 4 * (int64_t)t);
        p->volumes[c->of[t]] += p->shares[at];
    }
    for (int k = 0; k < count; k++)
        for (int i = p->first[k]; i < p->first[k + 1]; i++) p->shares[i] /= p->volumes[k];
    sn_free(next);
    return SN_OK;
}

static int place_of(int* nodes, int* count, int node)
{
    for (int i = 0; i < *count; i++)
        if (nodes[i] == node) return i;
    nodes[*count] = node;
    return (*count)++;
}

// The mean of the weights of its tetrahedra, by their volumes.
static void average(const Clusters* c, const double* rest, int k, SnPoints* p)
{
    int *nodes = p->nodes + (int64_t)SN_POINT_NODES * k, count = 0;
    double g[SN_POINT_NODES][3] = {{0}};
    for (int i = p->first[k]; i < p->first[k + 1]; i++) {
        const int* t = c->tetrahedra + 4 * (int64_t)p->members[i];
        double x[12], inverse[9], volume, faces[4];
        for (int a = 0; a < 4; a++) memcpy(x + 3 * a, rest + 3 * (int64_t)t[a], 3 * sizeof *x);
        sn_tetrahedron_shape(x, inverse, &volume, faces);
        for (int a = 0; a < 4; a++) {
            double* to = g[place_of(nodes, &count, t[a])];
            for (int d = 0; d < 3; d++)
                to[d] += p->shares[i] * (a ? inverse[3 * (a - 1) + d] : -inverse[d] - inverse[3 + d] - inverse[6 + d]);
        }
    }
    for (int a = count; a < SN_POINT_NODES; a++) nodes[a] = nodes[0];
    memcpy(p->shapes + (int64_t)SN_POINT_SHAPE * k, g[1], SN_POINT_SHAPE * sizeof(double));
}

SnStatus sn_points_of_clusters(const double* rest, int count, const int* tetrahedra, const int* kinds, SnPoints* p)
{
    Clusters c = {.count = count, .tetrahedra = tetrahedra, .kinds = kinds};
    *p = (SnPoints){0};
    bool room = SN_NEW(c.neighbours, 4 * (int64_t)count, "elements") && SN_NEW(c.of, count, "elements") &&
                SN_NEW(c.clusters, count, "elements") && find_neighbours(&c);
    SnStatus status = room ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        for (int t = 0; t < count; t++) c.of[t] = -1;
        make(&c);
        status = list_members(&c, rest, p);
    }
    for (int k = 0; k < p->count && status == SN_OK; k++) average(&c, rest, k, p);
    if (status != SN_OK) sn_points_free(p);
    SN_FREE(c.neighbours, c.of, c.clusters);
    return status;
}
