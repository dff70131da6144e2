// What is wrong with a mesh, with the first few element numbers of each kind of problem.
#include "linalg/vec3.h"
#include "mesh/elements.h"

#include <math.h>
#include <stdio.h>

// Volume below this part of the longest side cubed (area: squared; edge: of the mesh's diagonal) counts as none.
static const double flat = 1e-12;

// One problem speaks of items of one dimension: the highest that has it, and dimensions are visited from 3 down.
static void note(SnMeshCheck* check, SnMeshProblemKind kind, int dimension, int item)
{
    SnMeshProblem* problem = &check->problems[kind];
    if (problem->count > 0 && problem->dimension != dimension) return;
    problem->dimension = dimension;
    if (problem->count < SN_MESH_PROBLEM_EXAMPLES) problem->examples[problem->count] = item;
    problem->count++;
}

static void check_nodes(const SnMesh* mesh, const char* used, SnMeshCheck* check)
{
    for (int n = 0; n < mesh->node_count; n++) {
        const double* p = mesh->nodes + 3 * (size_t)n;
        if (sn_first_beyond(1, p) >= 0) note(check, SN_MESH_NON_FINITE, 0, n);
        if (!used[n]) note(check, SN_MESH_UNREFERENCED, 0, n);
    }
}

static bool in_range(const SnMesh* mesh, const int* nodes, int count)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] < 0 || nodes[i] >= mesh->node_count) return false;
    return true;
}

static double distance(const SnMesh* mesh, int a, int b)
{
    return sn_distance3(mesh->nodes + 3 * (size_t)a, mesh->nodes + 3 * (size_t)b);
}

static void check_shape(const SnMesh* mesh, int dimension, int item, double diagonal, SnMeshCheck* check)
{
    const int* nodes = sn_mesh_list_of(mesh, dimension) + (size_t)(dimension + 1) * (size_t)item;
    double longest = 0;
    bool repeated = false;
    for (int i = 0; i <= dimension; i++) {
        for (int j = i + 1; j <= dimension; j++) {
            repeated |= nodes[i] == nodes[j];
            longest = fmax(longest, distance(mesh, nodes[i], nodes[j]));
        }
    }
    double size = sn_element_content(mesh, dimension, nodes),
           scale = dimension == 1 ? diagonal : pow(longest, dimension);
    if (!repeated && !isfinite(size)) return; // its nodes are reported
    if (repeated || fabs(size) <= flat * scale)
        note(check, SN_MESH_DEGENERATE, dimension, item);
    else if (size < 0)
        note(check, SN_MESH_INVERTED, dimension, item);
}

static SnStatus check_elements(const SnMesh* mesh, int dimension, double diagonal, char* used, SnMeshCheck* check)
{
    int count = sn_mesh_count_of(mesh, dimension), corners = dimension + 1, kept = 0;
    const int* list = sn_mesh_list_of(mesh, dimension);
    SnNodeKey* keys = NULL;
    char* again = NULL;
    SnStatus status = SN_ERROR_MEMORY;
    if (!SN_NEW(keys, count, "element keys") || !SN_NEW(again, count, "element flags")) goto done;
    for (int item = 0; item < count; item++) {
        const int* nodes = list + (size_t)corners * (size_t)item;
        if (!in_range(mesh, nodes, corners)) {
            note(check, SN_MESH_OUT_OF_RANGE, dimension, item);
            continue;
        }
        for (int i = 0; i < corners; i++) used[nodes[i]] = 1;
        check_shape(mesh, dimension, item, diagonal, check);
        keys[kept++] = sn_node_key(nodes, corners, item);
    }
    status = sn_sort_keys(keys, kept, mesh->node_count);
    if (status != SN_OK) goto done;
    for (int i = 1; i < kept; i++)
        if (sn_same_key(&keys[i - 1], &keys[i])) again[keys[i].item] = 1; // an earlier one has the same nodes
    for (int item = 0; item < count; item++)
        if (again[item]) note(check, SN_MESH_DUPLICATE, dimension, item);
done:
    SN_FREE(again, keys);
    return status;
}

// Marks the items that share a key with two others or more. Keys are sorted.
static void mark_crowded(const SnNodeKey* keys, int64_t count, char* marked)
{
    for (int64_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && sn_same_key(&keys[first], &keys[last]);) last++;
        for (int64_t i = first; last - first > 2 && i < last; i++) marked[keys[i].item] = 1;
    }
}

// Faces of the tetrahedra that are in range, sorted; item is the tetrahedron.
static SnStatus sorted_faces(const SnMesh* mesh, SnNodeKey** keys, int64_t* count)
{
    *count = 0;
    if (!SN_NEW(*keys, 4 * (size_t)mesh->tetrahedron_count, "faces")) return SN_ERROR_MEMORY;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int* nodes = mesh->tetrahedra + 4 * (size_t)t;
        if (!in_range(mesh, nodes, 4)) continue;
        for (int f = 0; f < 4; f++) {
            int face[3] = {nodes[sn_tetrahedron_faces[f][0]], nodes[sn_tetrahedron_faces[f][1]],
                           nodes[sn_tetrahedron_faces[f][2]]};
            (*keys)[(*count)++] = sn_node_key(face, 3, t);
        }
    }
    return sn_sort_keys(*keys, *count, mesh->node_count);
}

// Edges of triangles (given by sorted node keys), sorted; marks the owners of those with more than two triangles.
static SnStatus mark_crowded_edges(const SnNodeKey* triangles, int count, int node_count, char* marked)
{
    SnNodeKey* edges;
    if (!SN_NEW(edges, 3 * (size_t)count, "edges")) return SN_ERROR_MEMORY;
    for (int t = 0; t < count; t++) {
        for (int i = 0; i < 3; i++) {
            int edge[2] = {triangles[t].nodes[i], triangles[t].nodes[(i + 1) % 3]};
            edges[3 * (size_t)t + (size_t)i] = sn_node_key(edge, 2, triangles[t].item);
        }
    }
    SnStatus status = sn_sort_keys(edges, 3 * (int64_t)count, node_count);
    if (status == SN_OK) mark_crowded(edges, 3 * (int64_t)count, marked);
    sn_free(edges);
    return status;
}

// The boundary of the tetrahedra: keeps, in place, the keys that occur once.
static int keep_single(SnNodeKey* keys, int64_t count)
{
    int kept = 0;
    for (int64_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && sn_same_key(&keys[first], &keys[last]);) last++;
        if (last - first == 1) keys[kept++] = keys[first];
    }
    return kept;
}

static SnStatus check_manifold(const SnMesh* mesh, SnMeshCheck* check)
{
    int dimension = mesh->tetrahedron_count ? 3 : 2, items = sn_mesh_count_of(mesh, dimension);
    SnNodeKey* keys = NULL;
    char* marked = NULL;
    int64_t count = 0;
    SnStatus status = SN_NEW(marked, items, "element flags") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK && dimension == 3) {
        status = sorted_faces(mesh, &keys, &count);
        if (status == SN_OK) mark_crowded(keys, count, marked);
        if (status == SN_OK) count = keep_single(keys, count);
    } else if (status == SN_OK) {
        status = SN_NEW(keys, items, "triangles") ? SN_OK : SN_ERROR_MEMORY;
        for (int t = 0; status == SN_OK && t < items; t++) {
            const int* nodes = mesh->triangles + 3 * (size_t)t;
            if (in_range(mesh, nodes, 3)) keys[count++] = sn_node_key(nodes, 3, t);
        }
    }
    if (status == SN_OK) status = mark_crowded_edges(keys, (int)count, mesh->node_count, marked);
    for (int i = 0; status == SN_OK && i < items; i++)
        if (marked[i]) note(check, SN_MESH_NON_MANIFOLD, dimension, i);
    SN_FREE(marked, keys);
    return status;
}

SnStatus sn_mesh_check(const SnMesh* mesh, SnMeshCheck* check)
{
    *check = (SnMeshCheck){0};
    SnMeshMeasure measure;
    sn_mesh_measure(mesh, &measure);
    double diagonal = 0;
    for (int i = 0; i < 3; i++) diagonal += (measure.hi[i] - measure.lo[i]) * (measure.hi[i] - measure.lo[i]);
    diagonal = isfinite(diagonal) ? sqrt(diagonal) : 0;
    char* used;
    if (!SN_NEW(used, mesh->node_count, "node flags")) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    for (int dimension = 3; dimension > 0 && status == SN_OK; dimension--)
        status = check_elements(mesh, dimension, diagonal, used, check);
    if (status == SN_OK) check_nodes(mesh, used, check);
    if (status == SN_OK) status = check_manifold(mesh, check);
    sn_free(used);
    return status;
}

static const struct {
    const char* adjective;
    bool fatal;
} kinds[SN_MESH_PROBLEM_KINDS] = {
    [SN_MESH_NON_FINITE] = {"non-finite", true},      [SN_MESH_OUT_OF_RANGE] = {"out-of-range", true},
    [SN_MESH_INVERTED] = {"inverted", true},          [SN_MESH_DEGENERATE] = {"degenerate", true},
    [SN_MESH_DUPLICATE] = {"duplicate", true},        [SN_MESH_UNREFERENCED] = {"unreferenced", false},
    [SN_MESH_NON_MANIFOLD] = {"non-manifold", false},
};

bool sn_mesh_check_fatal(const SnMeshCheck* check)
{
    for (int kind = 0; kind < SN_MESH_PROBLEM_KINDS; kind++)
        if (kinds[kind].fatal && check->problems[kind].count > 0) return true;
    return false;
}

void sn_mesh_problem_text(const SnMeshCheck* check, SnMeshProblemKind kind, char* text, size_t size)
{
    const SnMeshProblem* problem = &check->problems[kind];
    if (size > 0) text[0] = 0;
    if (problem->count == 0) return;
    bool many = problem->count > 1;
    char list[SN_MESH_PROBLEM_EXAMPLES * 12 + 8] = "";
    for (int i = 0; i < problem->count && i < SN_MESH_PROBLEM_EXAMPLES; i++)
        sn_append(list, sizeof list, "%s%d", i ? ", " : "", problem->examples[i]);
    snprintf(text, size, "%d %s %s (%s%s %s%s)", problem->count, kinds[kind].adjective,
             sn_element_nouns[problem->dimension][many], problem->dimension ? "element" : "node", many ? "s" : "", list,
             problem->count > SN_MESH_PROBLEM_EXAMPLES ? ", ..." : "");
}

static void measure_elements(const SnMesh* mesh, int dimension, double* total)
{
    const int* list = sn_mesh_list_of(mesh, dimension);
    *total = 0;
    for (int item = 0; item < sn_mesh_count_of(mesh, dimension); item++) {
        const int* nodes = list + (size_t)(dimension + 1) * (size_t)item;
        if (in_range(mesh, nodes, dimension + 1)) *total += sn_element_content(mesh, dimension, nodes);
    }
}

void sn_mesh_measure(const SnMesh* mesh, SnMeshMeasure* measure)
{
    for (int i = 0; i < 3; i++) {
        measure->lo[i] = mesh->node_count ? INFINITY : 0;
        measure->hi[i] = mesh->node_count ? -INFINITY : 0;
        for (int n = 0; n < mesh->node_count; n++) {
            measure->lo[i] = fmin(measure->lo[i], mesh->nodes[3 * (size_t)n + (size_t)i]);
            measure->hi[i] = fmax(measure->hi[i], mesh->nodes[3 * (size_t)n + (size_t)i]);
        }
    }
    measure_elements(mesh, 3, &measure->volume);
    measure_elements(mesh, 2, &measure->area);
    measure_elements(mesh, 1, &measure->length);
}
