// The potential: gradient and Hessian through packs and patches by finite differences, invariances, projection,
// threads.
#include "bodies.h"
#include "check_linalg.h"
#include "core/random.h"
#include "linalg/svd3.h"
#include "potential/laplacian.h"

static void check_gradient(Fixture* f, double step, double tolerance)
{
    sn_potential_gradient(f->potential, f->x, f->g);
    double size = 0;
    for (int i = 0; i < 3 * f->n; i++) size = fmax(size, fabs(f->g[i]));
    for (int i = 0; i < 3 * f->n; i++) {
        double keep = f->x[i];
        f->x[i] = keep + step;
        double up = sn_potential_energy(f->potential, f->x).elastic;
        f->x[i] = keep - step;
        double down = sn_potential_energy(f->potential, f->x).elastic;
        f->x[i] = keep;
        check_near(f->g[i], (up - down) / (2 * step), tolerance * size);
    }
}

static void gradient_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 2, 2);
    jitter(&f, 0.05, 1);
    check_gradient(&f, term->prepare ? 1e-6 : 1e-5, 1e-6); // means are nearer to rest, where stretches are rounded
    jitter(&f, 0.6, 2);                                    // many inverted elements
    check_gradient(&f, 1e-7, 1e-4);
    free_fixture(&f);
}

static void test_gradient(void** state)
{
    (void)state;
    for_all_pairs(gradient_pair);
}

// Dense H x by the block matrix over free rows, against differences of the gradient.
static void check_hessian(Fixture* f, const int* free_index, int free_count, double tolerance)
{
    SnHessian* h;
    check_ok(sn_hessian_create(f->potential, free_index, free_count, &h));
    for (int i = 0; i < free_count; i++) h->diagonal[i] = 7;
    sn_hessian_assemble(h, f->x, false);
    SnRandom random = {9};
    double *direction = NULL, *rows = NULL, *product = NULL, *up = NULL, *down = NULL;
    check(SN_NEW(direction, 3 * f->n, "test") && SN_NEW(rows, 3 * free_count, "test") &&
          SN_NEW(product, 3 * free_count, "test") && SN_NEW(up, 3 * f->n, "test") && SN_NEW(down, 3 * f->n, "test"));
    for (int trial = 0; trial < 5; trial++) {
        for (int i = 0; i < f->n; i++)
            for (int c = 0; c < 3 && free_index[i] >= 0; c++)
                rows[3 * free_index[i] + c] = direction[3 * i + c] = sn_random_uniform(&random, -1, 1);
        multiply_blocks(&h->matrix, rows, product);
        // The gradient is rounded to about 1e-11, and more where an element has more nodes.
        const double step = 1e-7, noise = (1e-11 + 1e-12 * f->potential->groups[0].term->nodes) / step;
        double size = 0;
        for (int i = 0; i < 3 * f->n; i++) f->x[i] += step * direction[i];
        sn_potential_gradient(f->potential, f->x, up);
        for (int i = 0; i < 3 * f->n; i++) f->x[i] -= 2 * step * direction[i];
        sn_potential_gradient(f->potential, f->x, down);
        for (int i = 0; i < 3 * f->n; i++) f->x[i] += step * direction[i];
        for (int i = 0; i < 3 * free_count; i++) size = fmax(size, fabs(product[i]));
        for (int i = 0; i < f->n; i++)
            for (int c = 0; c < 3 && free_index[i] >= 0; c++) {
                int k = 3 * i + c, row = 3 * free_index[i] + c;
                check_near(product[row], (up[k] - down[k]) / (2 * step) + 7 * rows[row], tolerance * size + noise);
            }
    }
    sn_free(direction), sn_free(rows), sn_free(product), sn_free(up), sn_free(down);
    sn_hessian_destroy(h);
}

static void hessian_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 2, 2);
    int *all = NULL, *some = NULL, count = 0;
    check(SN_NEW(all, f.n, "test") && SN_NEW(some, f.n, "test"));
    for (int i = 0; i < f.n; i++) all[i] = f.n - 1 - i; // any order of rows will do
    for (int i = 0; i < f.n; i++) some[i] = i % 3 == 0 ? -1 : count++;
    check_hessian(&f, all, f.n, 1e-6); // at rest: all stretches equal
    jitter(&f, 0.05, 3);
    check_hessian(&f, all, f.n, 1e-5);
    check_hessian(&f, some, count, 1e-5);
    jitter(&f, 0.4, 4); // some inverted elements
    check_hessian(&f, all, f.n, 1e-3);
    sn_free(all), sn_free(some);
    free_fixture(&f);
}

static void test_hessian(void** state)
{
    (void)state;
    for_all_pairs(hessian_pair);
}

static void invariance_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 2, 1);
    check_near(sn_potential_energy(f.potential, f.x).elastic, 0, 2e-12 * term->nodes + 1e-11); // of 1e4 Pa in 2 m3
    jitter(&f, 0.1, 5);
    double energy = sn_potential_energy(f.potential, f.x).elastic, force[3] = {0}, torque[3] = {0}, size = 0;
    sn_potential_gradient(f.potential, f.x, f.g);
    for (int i = 0; i < f.n; i++) {
        double cross[3];
        sn_lane_cross(f.x + 3 * i, f.g + 3 * i, cross);
        for (int c = 0; c < 3; c++) force[c] += f.g[3 * i + c], torque[c] += cross[c], size += fabs(f.g[3 * i + c]);
    }
    for (int c = 0; c < 3; c++) {
        check_near(force[c], 0, 1e-13 * size);
        check_near(torque[c], 0, 1e-12 * size);
    }
    const double c = cos(0.7), s = sin(0.7);
    for (int i = 0; i < f.n; i++) {
        double* p = f.x + 3 * i;
        double x = c * p[0] - s * p[1] + 3, y = s * p[0] + c * p[1] - 1, z = p[2];
        p[0] = x, p[1] = c * y - s * z, p[2] = s * y + c * z;
    }
    check_near(sn_potential_energy(f.potential, f.x).elastic, energy, 1e-11 * energy);
    free_fixture(&f);
}

static void test_invariance(void** state)
{
    (void)state;
    for_all_pairs(invariance_pair);
}

static void test_barrier_is_infinite(void** state)
{
    (void)state;
    Fixture f = make_fixture(sn_term_find("tetrahedron"), sn_material_find("neo-hookean"), SN_INVERSION_BARRIER, 3, 2);
    check(isfinite(sn_potential_energy(f.potential, f.x).elastic));
    for (int i = 0; i < 3; i++) f.x[3 * 17 + i] += 10;
    double energy = sn_potential_energy(f.potential, f.x).elastic;
    check(isinf(energy) && energy > 0);
    free_fixture(&f);
}

static void test_same_bits_any_threads(void** state)
{
    (void)state;
    double first = 0, *kept = NULL;
    const int threads[] = {1, 2, 5};
    for (int t = 0; t < 3; t++) {
        Fixture f = make_fixture(sn_term_find("tetrahedron"), sn_material_find("neo-hookean"), SN_INVERSION_EXTEND, 8,
                                 threads[t]);
        check(f.potential->patch_count > 10);
        jitter(&f, 0.02, 6);
        double energy = sn_potential_energy(f.potential, f.x).elastic;
        sn_potential_gradient(f.potential, f.x, f.g);
        if (t == 0) {
            first = energy;
            kept = sn_copy_memory(f.g, 3 * (size_t)f.n, sizeof *kept, "test");
        }
        check(memcmp(&energy, &first, sizeof energy) == 0);
        check(memcmp(kept, f.g, 3 * (size_t)f.n * sizeof *kept) == 0);
        free_fixture(&f);
    }
    sn_free(kept);
}

// x.L x by nodes against the sum of k V |z|^2 over elements, z = D x by its definition, with every node moved at
// random.
static void laplacian_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    int* rows = NULL;
    check(SN_NEW(rows, f.n, "test"));
    for (int i = 0; i < f.n; i++) rows[i] = i;
    SnScalarMatrix l;
    check_ok(sn_laplacian_create(f.potential, rows, f.n, NULL, &l));
    jitter(&f, 0.5, 77);
    sn_scalar_matrix_multiply(&l, f.x, f.g);
    double by_nodes = 0, by_elements = 0;
    for (int i = 0; i < 3 * f.n; i++) by_nodes += f.x[i] * f.g[i];
    for (int i = 0; i < f.potential->patch_count; i++) {
        const SnPatch* patch = &f.potential->patches[i];
        const SnTermGroup* group = &f.potential->groups[patch->group];
        const double* x = sn_potential_gather(f.potential, patch, f.x);
        for (int e = 0; e < patch->element_count; e++) {
            SnTermPack pack = sn_potential_pack(group, patch->first_pack + e / SN_LANES);
            int lane = e % SN_LANES, w = term->coordinates;
            for (int c = 0; c < w; c++)
                for (int r = 0; r < 3; r++) { // z by its definition: differences for F, weights for strands
                    double z = 0;
                    for (int a = 0; a < term->nodes; a++) {
                        double at = x[3 * pack.nodes[a * SN_LANES + lane] + r];
                        double first = x[3 * pack.nodes[lane] + r];
                        if (w == 1) z += pack.shape[a * SN_LANES + lane] * at;
                        if (w > 1 && a > 0) z += (at - first) * pack.shape[((a - 1) * w + c) * SN_LANES + lane];
                    }
                    by_elements += pack.volume[lane] * sn_term_stiffness(f.potential, group, &pack, lane) * z * z;
                }
        }
    }
    check_near(by_nodes, by_elements, 1e-9 * by_elements);
    sn_scalar_matrix_free(&l);
    sn_free(rows);
    free_fixture(&f);
}

static void test_laplacian(void** state)
{
    (void)state;
    for_all_pairs(laplacian_pair);
}

static void test_sums_over_nodes(void** state)
{
    (void)state;
    Fixture f = make_fixture(sn_term_find("tetrahedron"), sn_material_find("corotated"), SN_INVERSION_EXTEND, 2, 1);
    double volume = 0, faces = 0;
    for (int i = 0; i < f.n; i++) volume += f.potential->node_volume[i], faces += f.potential->node_face[i];
    check_near(volume, 2, 1e-12);
    check_near(f.potential->volume, 2, 1e-12);
    // Each tetrahedron's faces, once each: 48 Kuhn tetrahedra of half-unit cells have areas (1 + sqrt 2) / 4 in all.
    check_near(faces, f.mesh->tetrahedron_count * (1 + sqrt(2)) / 4, 1e-12 * faces);
    check(sn_potential_characteristic_force(f.potential) > 0);
    free_fixture(&f);
}

static void test_bad_element(void** state)
{
    (void)state;
    const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const int nodes[4] = {0, 1, 2, 3};
    SnMaterialParameters p = {.mu = 1, .lambda = 1};
    SnTermsDef def = {.term = sn_term_find("tetrahedron"), .material = sn_material_at(0), .count = 1};
    def.elements = nodes, def.parameters = &p, def.name = "flat";
    SnPotential* potential;
    check_ok(sn_potential_create(4, rest, NULL, &potential));
    check_fails(sn_potential_add(potential, &def), SN_ERROR_VALUE, "flat", "tetrahedron 0", "no volume");
    sn_potential_destroy(potential);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gradient),
    cmocka_unit_test(test_hessian),
    cmocka_unit_test(test_invariance),
    cmocka_unit_test(test_barrier_is_infinite),
    cmocka_unit_test(test_same_bits_any_threads),
    cmocka_unit_test(test_laplacian),
    cmocka_unit_test(test_sums_over_nodes),
    cmocka_unit_test(test_bad_element),
};
RUN_TESTS(tests, NULL, NULL)
