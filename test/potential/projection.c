// The projected Hessian: nearest to the true one, never negative.
#include "bodies.h"
#include "linalg/svd3.h"

enum { MOST = 3 * SN_TERM_NODES };

// The dense 3k x 3k Hessian of the one real lane of a pack's blocks.
static void dense_blocks(const double* blocks, int nodes, int lane, double* out)
{
    int n = 3 * nodes;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b <= a; b++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    double value = blocks[((a * (a + 1) / 2 + b) * 9 + 3 * r + c) * SN_LANES + lane];
                    out[(3 * a + r) * n + 3 * b + c] = out[(3 * b + c) * n + 3 * a + r] = value;
                }
}

// Eigenvalues and vectors of a symmetric n x n matrix by cyclic Jacobi: an independent reference.
static void dense_eigen(int n, double* a, double* v)
{
    for (int i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0) continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
                    x = v[p * n + k], y = v[q * n + k];
                    v[p * n + k] = c * x - s * y, v[q * n + k] = s * x + c * y;
                }
            }
}

// The 9x9 (or 3x3) Hessian by F follows from the element's by its shape; projecting it with a dense eigen-solve and
// going back must give the projected blocks.
static void projection_pair(const SnTermType* term, const SnMaterialType* material)
{
    if (term->coordinates != 3 || term->nodes != 4) return; // the others have their own test below
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    int k = term->nodes, n = 3 * k, m = 3 * (k - 1); // unknowns, entries of F
    for (int trial = 0; trial < 20; trial++) {
        jitter(&f, trial < 10 ? 0.2 : 0.9, 100 + (uint64_t)trial);
        const SnTermGroup* group = &f.potential->groups[0];
        const double* x = sn_potential_gather(f.potential, &f.potential->patches[0], f.x);
        SnTermPack pack = sn_potential_pack(group, 0);
        double plain[SN_TERM_PAIRS * 9 * SN_LANES], projected[SN_TERM_PAIRS * 9 * SN_LANES];
        term->hessian(material, &pack, x, false, plain);
        term->hessian(material, &pack, x, true, projected);
        for (int lane = 0; lane < 4; lane++) {
            // Shape rows: node a moves F's entry (r, c) by d[a][c] on axis r.
            double d[4][3] = {{0}}, hx[144], hp[144], inverse[9], hf[81] = {0}, v[81], back[144];
            int w = k - 1;
            for (int a = 1; a < k; a++)
                for (int c = 0; c < w; c++) {
                    d[a][c] = pack.shape[((a - 1) * w + c) * SN_LANES + lane];
                    d[0][c] -= d[a][c];
                }
            dense_blocks(plain, k, lane, hx);
            dense_blocks(projected, k, lane, hp);
            // Invert the w x w matrix of d[1..][.]: H_F = B^T-weighted corners 1.. of H_x.
            if (w == 1) {
                inverse[0] = 1 / d[1][0];
            } else {
                double cof[3][3];
                for (int i = 0; i < 3; i++) sn_lane_cross(d[1 + (i + 1) % 3], d[1 + (i + 2) % 3], cof[i]);
                double det = sn_lane_dot(d[1], cof[0]);
                for (int c = 0; c < 3; c++)
                    for (int a = 0; a < 3; a++) inverse[3 * c + a] = cof[a][c] / det; // sum_c d[a][c] inv[c][b] = I
            }
            for (int c = 0; c < w; c++)
                for (int e = 0; e < w; e++)
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++)
                            for (int a = 0; a < w; a++)
                                for (int b = 0; b < w; b++)
                                    hf[(3 * c + r) * m + 3 * e + q] += inverse[w * c + a] * inverse[w * e + b] *
                                                                       hx[(3 * (a + 1) + r) * n + 3 * (b + 1) + q];
            dense_eigen(m, hf, v);
            double pf[81] = {0};
            for (int i = 0; i < m; i++)
                for (int r = 0; r < m && hf[i * m + i] > 0; r++)
                    for (int c = 0; c < m; c++) pf[r * m + c] += hf[i * m + i] * v[i * m + r] * v[i * m + c];
            double size = 0;
            for (int i = 0; i < n * n; i++) back[i] = 0, size = fmax(size, fabs(hx[i]));
            for (int a = 0; a < k; a++)
                for (int b = 0; b < k; b++)
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++)
                            for (int c = 0; c < w; c++)
                                for (int e = 0; e < w; e++)
                                    back[(3 * a + r) * n + 3 * b + q] +=
                                        d[a][c] * d[b][e] * pf[(3 * c + r) * m + 3 * e + q];
            for (int i = 0; i < n * n; i++) check_near(hp[i], back[i], 1e-9 * size);
        }
    }
    free_fixture(&f);
}

static void test_projection_is_nearest(void** state)
{
    (void)state;
    for_all_pairs(projection_pair);
}

// Any term: the projected Hessian is positive semidefinite and not below the true one, element by element.
static void semidefinite_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    int k = term->nodes, n = 3 * k;
    for (int trial = 0; trial < 20; trial++) {
        jitter(&f, trial < 10 ? 0.02 : 0.3, 200 + (uint64_t)trial);
        const double* x = sn_potential_gather(f.potential, &f.potential->patches[0], f.x);
        SnTermPack pack = sn_potential_pack(&f.potential->groups[0], 0);
        double plain[SN_TERM_PAIRS * 9 * SN_LANES], projected[SN_TERM_PAIRS * 9 * SN_LANES];
        term->hessian(material, &pack, x, false, plain);
        term->hessian(material, &pack, x, true, projected);
        for (int lane = 0; lane < 4; lane++) {
            double a[MOST * MOST], b[MOST * MOST], v[MOST * MOST], size = 0;
            dense_blocks(plain, k, lane, a);
            dense_blocks(projected, k, lane, b);
            for (int i = 0; i < n * n; i++) size = fmax(size, fabs(a[i])), a[i] = b[i] - a[i];
            dense_eigen(n, a, v);
            dense_eigen(n, b, v);
            for (int i = 0; i < n; i++) check(a[i * n + i] >= -1e-10 * size && b[i * n + i] >= -1e-10 * size);
        }
    }
    free_fixture(&f);
}

static void test_projection_is_semidefinite(void** state)
{
    (void)state;
    for_all_pairs(semidefinite_pair);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_projection_is_nearest),
    cmocka_unit_test(test_projection_is_semidefinite),
};
RUN_TESTS(tests, NULL, NULL)
