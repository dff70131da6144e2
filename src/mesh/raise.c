// Elements of second order: edges of 3 nodes, triangles of 6, tetrahedra of 10. A mesh has them as the 2, 4 and 8
// linear ones that their nodes make, one after the other (SnMesh.quadratic): all that knows linear elements goes on.
//
// The first of the parts are those at the corners, in order; part i has corner i as its node i, and the middle of the
// edge from i to j as its node j. So the nodes of the whole are found again. The four other parts of a tetrahedron are
// around the shortest of the three ways between the middles of opposite edges.
#include "mesh/raise.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"

const int sn_quadratic_nodes[4] = {1, 3, 6, 10};
const int sn_quadratic_parts[4] = {1, 2, 4, 8};

// Node number of the middle of the edge between two corners, as VTK has it; -1: they are one.
static const int middle[4][4] = {{-1, 4, 6, 7}, {4, -1, 5, 8}, {6, 5, -1, 9}, {7, 8, 9, -1}};

// The same of edges and triangles.
static int middle_of(int dimension, int i, int j)
{
    static const int of_triangle[3][3] = {{-1, 3, 5}, {3, -1, 4}, {5, 4, -1}};
    return dimension == 3 ? middle[i][j] : dimension == 2 ? of_triangle[i][j] : 2;
}

// Three ways through the middle, each with the nodes around it.
static const int ways[3][6] = {{4, 9, 6, 5, 8, 7}, {6, 8, 4, 5, 9, 7}, {7, 5, 4, 6, 9, 8}};

static double distance_of(const double* x, const int64_t* nodes, int a, int b)
{
    return sn_distance3(x + 3 * nodes[a], x + 3 * nodes[b]);
}

static double volume_of(const double* x, const int64_t* nodes, const int part[4])
{
    int corners[4];
    for (int i = 0; i < 4; i++) corners[i] = (int)nodes[part[i]];
    return sn_tetrahedron_volume(x, corners);
}

// The four parts around the way; wound as the whole.
static void split_middle(const double* x, const int64_t* nodes, int64_t* parts)
{
    static const int corners[4] = {0, 1, 2, 3};
    int best = 0;
    for (int w = 1; w < 3; w++)
        if (distance_of(x, nodes, ways[w][0], ways[w][1]) < distance_of(x, nodes, ways[best][0], ways[best][1]))
            best = w;
    const int *way = ways[best], *around = way + 2;
    bool positive = volume_of(x, nodes, corners) > 0;
    for (int k = 0; k < 4; k++) {
        int part[4] = {way[0], around[k], around[(k + 1) % 4], way[1]};
        if ((volume_of(x, nodes, part) > 0) != positive) part[1] = around[(k + 1) % 4], part[2] = around[k];
        for (int i = 0; i < 4; i++) parts[4 * k + i] = nodes[part[i]];
    }
}

void sn_quadratic_split(int dimension, const double* x, const int64_t* nodes, int64_t* parts)
{
    int corners = dimension + 1;
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < corners; j++) parts[corners * i + j] = nodes[i == j ? i : middle_of(dimension, i, j)];
    if (dimension == 2)
        for (int i = 0; i < 3; i++) parts[9 + i] = nodes[3 + i];
    if (dimension == 3) split_middle(x, nodes, parts + 16);
}

void sn_mesh_quadratic(const SnMesh* mesh, int dimension, int item, int nodes[10])
{
    int corners = dimension + 1;
    const int* parts = sn_mesh_list_of(mesh, dimension) + (int64_t)corners * sn_quadratic_parts[dimension] * item;
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < corners; j++) nodes[i == j ? i : middle_of(dimension, i, j)] = parts[corners * i + j];
}

// --- raising ---

typedef struct Raise {
    const SnMesh* from;
    SnMesh* to;
    SnNodeKey* edges; // all, sorted: each once, item: its node
    int edge_count;
} Raise;

static int corners_of(int dimension)
{
    return dimension + 1;
}

static SnStatus find_edges(Raise* r)
{
    const SnMesh* m = r->from;
    int64_t most = 6 * (int64_t)m->tetrahedron_count + 3 * (int64_t)m->triangle_count + m->edge_count, count = 0;
    if (!SN_NEW(r->edges, most, "edges")) return SN_ERROR_MEMORY;
    for (int d = 1; d < 4; d++)
        for (int e = 0; e < sn_mesh_count_of(m, d); e++) {
            const int* nodes = sn_mesh_list_of(m, d) + (int64_t)corners_of(d) * e;
            for (int i = 0; i < corners_of(d); i++)
                for (int j = 0; j < i; j++) r->edges[count++] = sn_node_key((int[]){nodes[i], nodes[j]}, 2, 0);
        }
    SN_TRY(sn_sort_keys(r->edges, count, m->node_count));
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || !sn_same_key(&r->edges[i], &r->edges[r->edge_count - 1])) r->edges[r->edge_count++] = r->edges[i];
    if ((int64_t)m->node_count + r->edge_count > SN_MESH_MOST)
        return sn_fail(SN_ERROR_VALUE, "a mesh of second order would have more than %d nodes", SN_MESH_MOST);
    for (int i = 0; i < r->edge_count; i++) r->edges[i].item = m->node_count + i;
    return SN_OK;
}

static int node_between(const Raise* r, int a, int b)
{
    int lo = a < b ? a : b, hi = a < b ? b : a, first = 0, last = r->edge_count;
    while (first < last) {
        int mid = first + (last - first) / 2;
        const int* n = r->edges[mid].nodes;
        if (n[0] < lo || (n[0] == lo && n[1] < hi))
            first = mid + 1;
        else
            last = mid;
    }
    return r->edges[first].item;
}

static SnStatus raise_nodes(Raise* r)
{
    const SnMesh* m = r->from;
    r->to->node_count = m->node_count + r->edge_count;
    if (!SN_NEW(r->to->nodes, 3 * (int64_t)r->to->node_count, "nodes")) return SN_ERROR_MEMORY;
    memcpy(r->to->nodes, m->nodes, 3 * (size_t)m->node_count * sizeof *m->nodes);
    for (int i = 0; i < r->edge_count; i++) {
        const int* n = r->edges[i].nodes;
        for (int c = 0; c < 3; c++)
            r->to->nodes[3 * (int64_t)r->edges[i].item + c] =
                0.5 * (m->nodes[3 * (int64_t)n[0] + c] + m->nodes[3 * (int64_t)n[1] + c]);
    }
    return SN_OK;
}

static SnStatus raise_elements(Raise* r, int d)
{
    int count = sn_mesh_count_of(r->from, d), corners = corners_of(d), parts = sn_quadratic_parts[d];
    if (count > SN_MESH_MOST / parts)
        return sn_fail(SN_ERROR_VALUE, "%d %s are too many to be raised", count, sn_element_nouns[d][1]);
    int** list = sn_element_list(r->to, d);
    *sn_element_count(r->to, d) = count * parts;
    if (!SN_NEW(*list, (int64_t)corners * parts * count, "elements")) return SN_ERROR_MEMORY;
    for (int e = 0; e < count; e++) {
        const int* from = sn_mesh_list_of(r->from, d) + (int64_t)corners * e;
        int64_t nodes[10], made[32];
        for (int i = 0; i < corners; i++) {
            nodes[i] = from[i];
            for (int j = 0; j < i; j++) nodes[middle_of(d, i, j)] = node_between(r, from[i], from[j]);
        }
        sn_quadratic_split(d, r->to->nodes, nodes, made);
        for (int k = 0; k < corners * parts; k++) (*list)[(int64_t)corners * parts * e + k] = (int)made[k];
    }
    return SN_OK;
}

// A group of elements has all parts of each; one of nodes also those between two of it.
static SnStatus raise_group(const Raise* r, const SnMeshGroup* from, SnMeshGroup* to)
{
    int parts = sn_quadratic_parts[from->dimension];
    bool of_nodes = from->dimension == 0, *in = NULL;
    int64_t most = of_nodes ? (int64_t)from->count + r->edge_count : (int64_t)parts * from->count;
    *to = (SnMeshGroup){.tag = from->tag, .dimension = from->dimension, .name = sn_copy_text(from->name)};
    if (!to->name || !SN_NEW(to->items, most, "a group")) return SN_ERROR_MEMORY;
    if (of_nodes && !SN_NEW(in, r->from->node_count, "a group")) return SN_ERROR_MEMORY;
    for (int i = 0; i < from->count; i++) {
        if (of_nodes) in[from->items[i]] = true;
        for (int k = 0; k < parts; k++) to->items[to->count++] = parts * from->items[i] + k;
    }
    for (int i = 0; i < r->edge_count && of_nodes; i++)
        if (in[r->edges[i].nodes[0]] && in[r->edges[i].nodes[1]]) to->items[to->count++] = r->edges[i].item;
    sn_free(in);
    return SN_OK;
}

static SnStatus raise_field(const Raise* r, const SnMeshField* from, SnMeshField* to)
{
    int top = sn_mesh_top_dimension(r->from), parts = sn_quadratic_parts[top];
    int64_t c = from->components, count = from->per_node ? r->to->node_count : sn_mesh_count_of(r->to, top);
    *to = (SnMeshField){.name = sn_copy_text(from->name), .per_node = from->per_node, .components = from->components};
    if (!to->name || !SN_NEW(to->values, c * count, "a field")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < c * count && !from->per_node; i++) to->values[i] = from->values[i / c / parts * c + i % c];
    if (!from->per_node) return SN_OK;
    memcpy(to->values, from->values, (size_t)c * (size_t)r->from->node_count * sizeof *to->values);
    for (int i = 0; i < r->edge_count; i++)
        for (int k = 0; k < c; k++)
            to->values[c * r->edges[i].item + k] =
                0.5 * (from->values[c * r->edges[i].nodes[0] + k] + from->values[c * r->edges[i].nodes[1] + k]);
    return SN_OK;
}

static SnStatus raise_all(Raise* r)
{
    const SnMesh* m = r->from;
    SnMesh* to = r->to;
    SN_TRY(find_edges(r));
    SN_TRY(raise_nodes(r));
    for (int d = 1; d < 4; d++) SN_TRY(raise_elements(r, d));
    if (!SN_NEW(to->groups, m->group_count, "groups") || !SN_NEW(to->fields, m->field_count, "fields"))
        return SN_ERROR_MEMORY;
    for (int g = 0; g < m->group_count; g++) SN_TRY(raise_group(r, &m->groups[g], &to->groups[to->group_count++]));
    for (int f = 0; f < m->field_count; f++) SN_TRY(raise_field(r, &m->fields[f], &to->fields[to->field_count++]));
    to->quadratic = true;
    return SN_OK;
}

SnStatus sn_mesh_raise(const SnMesh* mesh, SnMesh** raised)
{
    SN_NEED(raised);
    *raised = NULL;
    SN_HANDLE(mesh);
    if (mesh->quadratic) return sn_fail(SN_ERROR_VALUE, "the mesh is of second order already");
    if (mesh->tetrahedron_count == 0) return sn_fail(SN_ERROR_VALUE, "the mesh has no tetrahedra to be raised");
    Raise r = {.from = mesh};
    if (!SN_NEW(r.to, 1, "a mesh")) return SN_ERROR_MEMORY;
    sn_handle_made(r.to);
    SnStatus status = raise_all(&r);
    sn_free(r.edges);
    SN_FINISH(status, r.to, sn_mesh_destroy, raised);
}

// --- lowering ---

static SnStatus lower_group(const SnMeshGroup* from, SnMeshGroup* to)
{
    int parts = sn_quadratic_parts[from->dimension];
    *to = (SnMeshGroup){.tag = from->tag, .dimension = from->dimension, .name = sn_copy_text(from->name)};
    if (!to->name || !SN_NEW(to->items, from->count, "a group")) return SN_ERROR_MEMORY;
    for (int i = 0; i < from->count; i++)
        if (to->count == 0 || to->items[to->count - 1] != from->items[i] / parts)
            to->items[to->count++] = from->items[i] / parts;
    return SN_OK;
}

static SnStatus lower_field(const SnMesh* mesh, const SnMeshField* from, SnMeshField* to)
{
    int top = sn_mesh_top_dimension(mesh), parts = from->per_node ? 1 : sn_quadratic_parts[top];
    int64_t c = from->components, count = (from->per_node ? mesh->node_count : sn_mesh_count_of(mesh, top)) / parts;
    *to = (SnMeshField){.name = sn_copy_text(from->name), .per_node = from->per_node, .components = from->components};
    if (!to->name || !SN_NEW(to->values, c * count, "a field")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < c * count; i++) to->values[i] = from->values[i / c * parts * c + i % c];
    return SN_OK;
}

static SnStatus lower_all(const SnMesh* m, SnMesh* to)
{
    to->node_count = m->node_count;
    to->nodes = sn_copy_memory(m->nodes, 3 * (size_t)m->node_count, sizeof *m->nodes, "nodes");
    if (!to->nodes) return SN_ERROR_MEMORY;
    for (int d = 1; d < 4; d++) {
        int count = sn_mesh_count_of(m, d) / sn_quadratic_parts[d], corners = corners_of(d);
        int** list = sn_element_list(to, d);
        *sn_element_count(to, d) = count;
        if (!SN_NEW(*list, (int64_t)corners * count, "elements")) return SN_ERROR_MEMORY;
        for (int e = 0; e < count; e++) {
            int nodes[10];
            sn_mesh_quadratic(m, d, e, nodes);
            memcpy(*list + (int64_t)corners * e, nodes, (size_t)corners * sizeof *nodes);
        }
    }
    if (!SN_NEW(to->groups, m->group_count, "groups") || !SN_NEW(to->fields, m->field_count, "fields"))
        return SN_ERROR_MEMORY;
    for (int g = 0; g < m->group_count; g++) SN_TRY(lower_group(&m->groups[g], &to->groups[to->group_count++]));
    for (int f = 0; f < m->field_count; f++) SN_TRY(lower_field(m, &m->fields[f], &to->fields[to->field_count++]));
    return SN_OK;
}

SnStatus sn_mesh_lower(const SnMesh* mesh, SnMesh** lowered)
{
    SnMesh* made;
    *lowered = NULL;
    if (!SN_NEW(made, 1, "a mesh")) return SN_ERROR_MEMORY;
    sn_handle_made(made);
    SN_FINISH(lower_all(mesh, made), made, sn_mesh_destroy, lowered);
}
