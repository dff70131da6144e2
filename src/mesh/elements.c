// The elements of a mesh by dimension, sorted node sets, orientation.
#include "mesh/elements.h"
#include "core/handle.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/vec3.h"

const char* const sn_element_nouns[4][2] = {
    {"node", "nodes"}, {"edge", "edges"}, {"triangle", "triangles"}, {"tetrahedron", "tetrahedra"}};

const int sn_tetrahedron_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

int* sn_element_count(SnMesh* mesh, int dimension)
{
    int* counts[] = {&mesh->node_count, &mesh->edge_count, &mesh->triangle_count, &mesh->tetrahedron_count};
    return counts[dimension];
}

int** sn_element_list(SnMesh* mesh, int dimension)
{
    int** lists[] = {NULL, &mesh->edges, &mesh->triangles, &mesh->tetrahedra};
    return lists[dimension];
}

int sn_mesh_count_of(const SnMesh* mesh, int dimension)
{
    const int counts[] = {mesh->node_count, mesh->edge_count, mesh->triangle_count, mesh->tetrahedron_count};
    return counts[dimension];
}

const int* sn_mesh_list_of(const SnMesh* mesh, int dimension)
{
    const int* lists[] = {NULL, mesh->edges, mesh->triangles, mesh->tetrahedra};
    return lists[dimension];
}

int sn_mesh_top_dimension(const SnMesh* mesh)
{
    int dimension = 3;
    while (dimension > 0 && sn_mesh_count_of(mesh, dimension) == 0) dimension--;
    return dimension;
}

SnNodeKey sn_node_key(const int* nodes, int count, int item)
{
    SnNodeKey key = {{-1, -1, -1, -1}, item};
    for (int i = 0; i < count; i++) {
        int j = i;
        for (; j > 0 && key.nodes[j - 1] > nodes[i]; j--) key.nodes[j] = key.nodes[j - 1];
        key.nodes[j] = nodes[i];
    }
    return key;
}

bool sn_same_key(const SnNodeKey* a, const SnNodeKey* b)
{
    return memcmp(a->nodes, b->nodes, sizeof a->nodes) == 0;
}

static int compare_keys(const void* left, const void* right)
{
    const SnNodeKey *a = left, *b = right;
    for (int i = 0; i < 4; i++)
        if (a->nodes[i] != b->nodes[i]) return a->nodes[i] < b->nodes[i] ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static void sort_bucket(SnNodeKey* keys, size_t count)
{
    enum { SMALL = 32 };
    if (count > SMALL) {
        qsort(keys, count, sizeof *keys, compare_keys);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        SnNodeKey key = keys[i];
        size_t j = i;
        for (; j > 0 && compare_keys(&keys[j - 1], &key) > 0; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

// First by the lowest node, by counting; what is left are short runs.
SnStatus sn_sort_keys(SnNodeKey* keys, int64_t count, int node_count)
{
    SnNodeKey* sorted = NULL;
    int64_t* start = NULL;
    if (!SN_NEW(sorted, count, "sorting elements") || !SN_NEW(start, (size_t)node_count + 2, "sorting elements")) {
        sn_free(sorted);
        return SN_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < count; i++) start[keys[i].nodes[0] + 2]++;
    for (int64_t n = 1; n <= (int64_t)node_count; n++) start[n + 1] += start[n];
    for (int64_t i = 0; i < count; i++) sorted[start[keys[i].nodes[0] + 1]++] = keys[i];
    for (int64_t n = 0; n < node_count; n++) sort_bucket(sorted + start[n], (size_t)(start[n + 1] - start[n]));
    if (count) memcpy(keys, sorted, (size_t)count * sizeof *keys);
    SN_FREE(start, sorted);
    return SN_OK;
}

SnStatus sn_mesh_allocate(int node_count, int dimension, int count, SnMesh** out)
{
    SnMesh* mesh;
    *out = NULL;
    if (!SN_NEW(mesh, 1, "a mesh")) return SN_ERROR_MEMORY;
    sn_handle_made(mesh);
    mesh->node_count = node_count;
    *sn_element_count(mesh, dimension) = count;
    int** list = sn_element_list(mesh, dimension);
    bool room = SN_NEW(mesh->nodes, 3 * (size_t)node_count, "nodes") &&
                SN_NEW(*list, (size_t)(dimension + 1) * (size_t)count, sn_element_nouns[dimension][1]);
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, mesh, sn_mesh_destroy, out);
}

double sn_tetrahedron_volume(const double* nodes, const int* tetrahedron)
{
    const double* a = nodes + 3 * (size_t)tetrahedron[0];
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) e[i][j] = nodes[3 * (size_t)tetrahedron[i + 1] + (size_t)j] - a[j];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

double sn_element_content(const SnMesh* mesh, int dimension, const int* nodes)
{
    const double *a = mesh->nodes + 3 * (size_t)nodes[0], *b = mesh->nodes + 3 * (size_t)nodes[1];
    double u[3], v[3], n[3];
    if (dimension == 3) return sn_tetrahedron_volume(mesh->nodes, nodes);
    sn_subtract3(b, a, u);
    if (dimension == 1) return sn_length3(u);
    sn_subtract3(mesh->nodes + 3 * (size_t)nodes[2], a, v);
    sn_cross3(u, v, n);
    return 0.5 * sn_length3(n);
}

void sn_mesh_fix_handedness(SnMesh* mesh)
{
    bool any_negative = false;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        double volume = sn_tetrahedron_volume(mesh->nodes, mesh->tetrahedra + 4 * (size_t)t);
        if (volume > 0) return;
        any_negative |= volume < 0;
    }
    for (int t = 0; any_negative && t < mesh->tetrahedron_count; t++) {
        int* tetrahedron = mesh->tetrahedra + 4 * (size_t)t;
        int last = tetrahedron[3];
        tetrahedron[3] = tetrahedron[2];
        tetrahedron[2] = last;
    }
    for (int t = 0; any_negative && mesh->quadratic && t < mesh->tetrahedron_count; t += 8)
        for (int i = 0; i < 4; i++) { // the parts at corners 2 and 3
            int *a = mesh->tetrahedra + 4 * ((size_t)t + 2), *b = a + 4, other = a[i];
            a[i] = b[i];
            b[i] = other;
        }
}

SnStatus sn_mesh_first_tags(const SnMesh* mesh, int dimension, int** tags)
{
    int count = sn_mesh_count_of(mesh, dimension);
    if (!SN_NEW(*tags, count, "group numbers")) return SN_ERROR_MEMORY;
    for (int g = mesh->group_count - 1; g >= 0; g--) {
        const SnMeshGroup* group = &mesh->groups[g];
        for (int i = 0; group->dimension == dimension && i < group->count; i++) (*tags)[group->items[i]] = group->tag;
    }
    return SN_OK;
}

SnStatus sn_mesh_list_around(const SnMesh* mesh, int** first, int** around)
{
    int64_t corners = 4 * (int64_t)mesh->tetrahedron_count;
    if (!SN_NEW(*first, (int64_t)mesh->node_count + 2, "a mesh") || !SN_NEW(*around, corners, "a mesh"))
        return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < corners; i++) (*first)[mesh->tetrahedra[i] + 2]++;
    for (int n = 0; n < mesh->node_count; n++) (*first)[n + 2] += (*first)[n + 1];
    for (int64_t i = 0; i < corners; i++) (*around)[(*first)[mesh->tetrahedra[i] + 1]++] = (int)(i / 4);
    return SN_OK;
}
