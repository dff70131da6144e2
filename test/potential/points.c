// Clusters of tetrahedra: each in one, at most ten nodes, one kind each; F of an affine map; no memory.
#include "bodies.h"
#include "mesh/elements.h"

// A box whose nodes are moved about.
static SnMesh* make_box(int size)
{
    SnMesh* mesh;
    SnRandom random = {7};
    check_ok(sn_mesh_make_box((double[]){2, 1, 1}, (int[]){2 * size, size, size}, &mesh));
    for (int i = 0; i < 3 * mesh->node_count; i++) mesh->nodes[i] += sn_random_uniform(&random, -0.1, 0.1) / size;
    return mesh;
}

static void check_members(const SnMesh* mesh, const SnPoints* p, const int* kinds)
{
    int* seen = calloc((size_t)mesh->tetrahedron_count, sizeof *seen);
    double all = 0;
    for (int k = 0; k < p->count; k++) {
        double shares = 0;
        for (int i = p->first[k]; i < p->first[k + 1]; i++) {
            const int* t = mesh->tetrahedra + 4 * p->members[i];
            double volume = sn_tetrahedron_volume(mesh->nodes, t);
            check(!seen[p->members[i]]++);
            check(!kinds || kinds[p->members[i]] == kinds[p->members[p->first[k]]]);
            check_near(p->shares[i] * p->volumes[k], volume, 1e-14);
            shares += p->shares[i];
            for (int a = 0; a < 4; a++) {
                bool found = false;
                for (int n = 0; n < SN_POINT_NODES; n++) found |= p->nodes[SN_POINT_NODES * k + n] == t[a];
                check(found);
            }
        }
        check_near(shares, 1, 1e-12);
        all += p->volumes[k];
    }
    for (int t = 0; t < mesh->tetrahedron_count; t++) check(seen[t] == 1);
    SnMeshMeasure measure;
    sn_mesh_measure(mesh, &measure);
    check_near(all, measure.volume, 1e-12);
    free(seen);
}

// x = A X + b gives F = A in every cluster.
static void check_affine(const SnMesh* mesh, const SnPoints* p)
{
    const double a[9] = {1.1, 0.3, -0.2, 0.1, 0.8, 0.4, -0.5, 0.2, 1.3};
    for (int k = 0; k < p->count; k++) {
        double f[9] = {0};
        for (int n = 1; n < SN_POINT_NODES; n++) {
            const double* g = p->shapes + SN_POINT_SHAPE * k + 3 * (n - 1);
            const double *x = mesh->nodes + 3 * p->nodes[SN_POINT_NODES * k + n],
                         *o = mesh->nodes + 3 * p->nodes[SN_POINT_NODES * k];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    for (int d = 0; d < 3; d++) f[3 * r + c] += a[3 * r + d] * (x[d] - o[d]) * g[c];
        }
        for (int i = 0; i < 9; i++) check_near(f[i], a[i], 1e-12);
    }
}

static void test_clusters(void** state)
{
    (void)state;
    for (int size = 1; size <= 6; size += size) {
        SnMesh* mesh = make_box(size);
        SnPoints p;
        int* kinds = calloc((size_t)mesh->tetrahedron_count, sizeof *kinds);
        for (int t = 0; t < mesh->tetrahedron_count; t++) kinds[t] = mesh->nodes[3 * mesh->tetrahedra[4 * t]] > 1;
        for (int k = 0; k < 2; k++) {
            check_ok(
                sn_points_of_clusters(mesh->nodes, mesh->tetrahedron_count, mesh->tetrahedra, k ? kinds : NULL, &p));
            check_members(mesh, &p, k ? kinds : NULL);
            check_affine(mesh, &p);
            check(k || size == 1 || mesh->tetrahedron_count > 5 * p.count); // not many are small
            sn_points_free(&p);
        }
        free(kinds);
        sn_mesh_destroy(mesh);
    }
}

static void test_no_memory(void** state)
{
    (void)state;
    SnMesh* mesh = make_box(2);
    SnStatus status = SN_ERROR_MEMORY;
    for (long n = 0; status != SN_OK; n++) {
        FailingMemory memory;
        SnPoints p;
        start_failing(&memory, n);
        status = sn_points_of_clusters(mesh->nodes, mesh->tetrahedron_count, mesh->tetrahedra, NULL, &p);
        sn_points_free(&p);
        stop_failing(&memory);
        check(status == SN_OK || status == SN_ERROR_MEMORY);
    }
    sn_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_clusters),
    cmocka_unit_test(test_no_memory),
};
RUN_TESTS(tests, NULL, NULL)
