// Colouring of a mesh's graph.
#include "check.h"

#include "linalg/coloring.h"
#include "mesh/mesh.h"

// A colouring of a mesh's graph, and of a star, in which no two neighbours agree.
static void test_coloring(void** state)
{
    (void)state;
    SnMesh* mesh;
    check_ok(sn_mesh_make_sphere(1, 5, &mesh));
    int n = mesh->node_count;
    bool* joined = calloc((size_t)n * (size_t)n, sizeof *joined);
    for (int t = 0; t < mesh->tetrahedron_count; t++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                if (a != b) joined[mesh->tetrahedra[4 * t + a] * n + mesh->tetrahedra[4 * t + b]] = true;
    SnGraph graph = {
        .n = n, .start = calloc((size_t)n + 1, sizeof(int64_t)), .to = calloc((size_t)n * 64, sizeof(int))};
    int highest = 0;
    for (int i = 0; i < n; i++) {
        graph.start[i + 1] = graph.start[i];
        for (int j = 0; j < n; j++)
            if (joined[i * n + j]) graph.to[graph.start[i + 1]++] = j;
        int degree = (int)(graph.start[i + 1] - graph.start[i]);
        highest = degree > highest ? degree : highest;
    }
    SnColoring coloring;
    check_ok(sn_coloring_create(&graph, &coloring));
    check(coloring.count > 3 && coloring.count <= highest + 1);
    check(coloring.start[0] == 0 && coloring.start[coloring.count] == n);
    int* seen = calloc((size_t)n, sizeof *seen);
    for (int c = 0; c < coloring.count; c++)
        for (int i = coloring.start[c]; i < coloring.start[c + 1]; i++) {
            seen[coloring.vertices[i]]++;
            for (int j = i + 1; j < coloring.start[c + 1]; j++)
                check(!joined[coloring.vertices[i] * n + coloring.vertices[j]]);
        }
    for (int i = 0; i < n; i++) check(seen[i] == 1);
    sn_coloring_free(&coloring);
    sn_mesh_destroy(mesh);
    free(graph.start), free(graph.to), free(joined), free(seen);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_coloring),
};
RUN_TESTS(tests, NULL, NULL)
