// The linalg room: lane logarithm, 3x3 SVD and projection against references, block matrices and Cholesky.
#include "check_linalg.h"

#include "core/random.h"
#include "linalg/cholesky.h"
#include "linalg/decompose.h"
#include "linalg/svd3.h"
#include "linalg/vector.h"

static void test_log(void** state)
{
    (void)state;
    SnRandom random = {1};
    for (int i = 0; i < 100000; i++) {
        double x = exp(sn_random_uniform(&random, -300, 300)), y = 1 + sn_random_uniform(&random, -1e-3, 1e-3);
        check_near(sn_lane_log(x), log(x), 4e-16 * fabs(log(x)));
        check_near(sn_lane_log(y), log(y), 4e-16 * fabs(log(y)));
    }
    check(sn_lane_log(1) == 0);
}

static double determinant(const double* a)
{
    double c[3];
    sn_lane_cross(a + 3, a + 6, c);
    return sn_lane_dot(a, c);
}

static void check_orthogonal(const double* q)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) check_near(sn_lane_dot(q + 3 * i, q + 3 * j), i == j, 1e-13);
    check_near(determinant(q), 1, 1e-13);
}

static void check_svd(const double* f)
{
    double copy[9], u[9], s[3], v[9], size = 0;
    for (int i = 0; i < 9; i++) copy[i] = f[i], size = fmax(size, fabs(f[i]));
    sn_lane_svd3(copy, u, s, v);
    check_orthogonal(u);
    check_orthogonal(v);
    check(s[0] >= s[1] * (1 - 1e-14) && s[1] >= fabs(s[2]) - 1e-14 * s[0]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += u[3 * k + r] * s[k] * v[3 * k + c];
            check_near(sum, f[3 * c + r], 1e-13 * size);
        }
    double det = determinant(f);
    if (fabs(det) > 1e-10 * size * size * size) check(s[2] * det > 0);
}

static void test_svd(void** state)
{
    (void)state;
    SnRandom random = {2};
    const double special[][9] = {
        {0},
        {1, 0, 0, 0, 1, 0, 0, 0, 1},
        {-1, 0, 0, 0, -1, 0, 0, 0, -1},
        {1, 0, 0, 0, 1, 0, 0, 0, -1},
        {1, 2, 3, 2, 4, 6, 3, 6, 9},       // rank 1
        {1, 0, 0, 0, 1, 0, 1, 1, 0},       // rank 2
        {1, 1e-9, 0, 1, 0, 1e-9, 1, 0, 0}, // nearly rank 1
        {1e-150, 0, 0, 0, 2e-150, 0, 0, 0, 3e-150},
        {1e100, 0, 1e99, 0, 2e100, 0, 0, 1e98, 3e100},
        {0, 0, 0, 0, 0, 0, 0, 0, 5},
    };
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) check_svd(special[k]);
    for (int k = 0; k < 20000; k++) {
        double f[9];
        for (int i = 0; i < 9; i++) f[i] = sn_random_uniform(&random, -2, 2);
        if (k % 4 == 1) // ill-conditioned: one column almost a combination of the others
            for (int i = 0; i < 3; i++) f[6 + i] = f[i] - f[3 + i] + 1e-10 * f[6 + i];
        if (k % 4 == 2) // near the identity
            for (int i = 0; i < 9; i++) f[i] = 1e-3 * f[i] + (i % 4 == 0);
        if (k % 4 == 3) // far-apart columns
            for (int i = 0; i < 9; i++) f[i] *= pow(10, -4 * (i / 3));
        check_svd(f);
    }
}

// Sixteen matrices of one kind: random, near rest, ill-conditioned, inverted, rank one and zero.
static void make_pack(SnRandom* random, int kind, double f[9][SN_LANES])
{
    for (int l = 0; l < SN_LANES; l++) {
        double a[9];
        for (int i = 0; i < 9; i++) a[i] = sn_random_uniform(random, -2, 2);
        for (int i = 0; i < 9; i++) {
            if (kind == 1) a[i] = 1e-3 * a[i] + (i % 4 == 0);
            if (kind == 2 && i >= 6) a[i] = a[i - 6] + 1e-8 * a[i];
            if (kind == 3) a[i] = 0.1 * a[i] + (i == 8 ? -1 : i % 4 == 0);
            if (kind == 4) a[i] = a[0] * a[i % 3];
            if (kind == 5) a[i] = l % 2 ? 0 : a[i] * 1e-200;
            f[i][l] = a[i];
        }
    }
}

static void check_pack(const SnDecompositions* pack, double f[9][SN_LANES], bool rotation_is_defined)
{
    double u[9][SN_LANES], s[3][SN_LANES], v[9][SN_LANES], r[9][SN_LANES];
    pack->svd3((const double(*)[SN_LANES])f, u, s, v);
    pack->polar3((const double(*)[SN_LANES])f, r);
    for (int l = 0; l < SN_LANES; l++) {
        double a[9], b[9], q[9], size = 1e-300;
        for (int i = 0; i < 9; i++) a[i] = u[i][l], b[i] = v[i][l], q[i] = r[i][l], size = fmax(size, fabs(f[i][l]));
        check_orthogonal(a);
        check_orthogonal(b);
        for (int i = 0; i < 9; i++) {
            double sum = 0, turn = 0;
            for (int k = 0; k < 3; k++) sum += u[3 * k + i % 3][l] * s[k][l] * v[3 * k + i / 3][l];
            for (int k = 0; k < 3; k++) turn += u[3 * k + i % 3][l] * v[3 * k + i / 3][l];
            check_near(sum, f[i][l], 1e-13 * size);
            if (rotation_is_defined) check_near(q[i], turn, 1e-11);
        }
    }
    double x[6][SN_LANES], t[2][SN_LANES], w[4][SN_LANES];
    memcpy(x, f, sizeof x);
    pack->svd32((const double(*)[SN_LANES])x, u, t, w);
    for (int l = 0; l < SN_LANES; l++) {
        double a[9], size = 1e-300;
        for (int i = 0; i < 9; i++) a[i] = u[i][l], size = fmax(size, fabs(f[i][l]));
        check_orthogonal(a);
        check(t[0][l] >= t[1][l] * (1 - 1e-14) && t[1][l] >= -1e-14 * t[0][l]);
        for (int i = 0; i < 6; i++)
            check_near(u[i % 3][l] * t[0][l] * w[i / 3][l] + u[3 + i % 3][l] * t[1][l] * w[2 + i / 3][l], f[i][l],
                       1e-13 * size);
    }
}

static void test_packs_of_every_instruction_set(void** state)
{
    (void)state;
    for (int isa = 0; isa < SN_ISA_COUNT; isa++) {
        if (!sn_isa_available((SnIsa)isa)) continue;
        check_ok(sn_isa_choose(sn_isa_name((SnIsa)isa)));
        SnRandom random = {12};
        for (int k = 0; k < 600; k++) {
            double f[9][SN_LANES];
            make_pack(&random, k % 6, f);
            check_pack(sn_decompositions(), f, k % 6 == 1 || k % 6 == 3);
        }
    }
    check_ok(sn_isa_choose(NULL));
}

// The nearest positive semidefinite matrix is p with p and p - h both positive semidefinite and p (p - h) = 0.
static void test_projection(void** state)
{
    (void)state;
    SnRandom random = {3};
    for (int k = 0; k < 5000; k++) {
        double h[6], p[6], size = 0;
        for (int i = 0; i < 6; i++) {
            h[i] = sn_random_uniform(&random, -2, 2) * pow(10, k % 5);
            if (k % 7 == 0 && i >= 3) h[i] = 0;
            p[i] = h[i];
            size = fmax(size, fabs(h[i]));
        }
        sn_lane_project_spd3(p);
        double a[9] = {p[0], p[3], p[4], p[3], p[1], p[5], p[4], p[5], p[2]};
        double d[9] = {p[0] - h[0], p[3] - h[3], p[4] - h[4], p[3] - h[3], p[1] - h[1],
                       p[5] - h[5], p[4] - h[4], p[5] - h[5], p[2] - h[2]};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                for (int i = 0; i < 3; i++) sum += a[3 * r + i] * d[3 * i + c];
                check_near(sum, 0, 1e-12 * size * size);
            }
        for (int trial = 0; trial < 5; trial++) {
            double x[3], ax = 0, dx = 0;
            for (int i = 0; i < 3; i++) x[i] = sn_random_uniform(&random, -1, 1);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) ax += x[r] * a[3 * r + c] * x[c], dx += x[r] * d[3 * r + c] * x[c];
            check(ax >= -1e-12 * size && dx >= -1e-12 * size);
        }
    }
}

static void test_vectors(void** state)
{
    (void)state;
    enum { N = 50000 };
    static double x[N], y[N], z[N];
    SnRandom random = {4};
    for (int i = 0; i < N; i++) x[i] = sn_random_uniform(&random, -1, 1), y[i] = sn_random_uniform(&random, -1, 1);
    double plain = 0;
    for (int i = 0; i < N; i++) plain += x[i] * y[i];
    double first = 0;
    for (int threads = 1; threads <= 3; threads++) {
        SnTasks* tasks;
        check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &tasks));
        double dot = sn_vector_dot(tasks, N, x, y);
        check_near(dot, plain, 1e-10);
        if (threads == 1) first = dot;
        check(dot == first);
        sn_vector_axpy(tasks, N, 2.5, x, y, z);
        for (int i = 0; i < N; i++) check(z[i] == 2.5 * x[i] + y[i]);
        sn_vector_copy(tasks, N, x, z);
        check(memcmp(x, z, sizeof x) == 0);
        check_near(sn_vector_norm(tasks, N, x), sqrt(sn_vector_dot(tasks, N, x, x)), 0);
        sn_tasks_destroy(tasks);
    }
}

// A block matrix on a grid graph: diagonally dominant, so positive definite.
static void make_matrix(SnBlockMatrix* a, int side, double dominance)
{
    SnRandom random = {5};
    a->n = side * side;
    check(SN_NEW(a->col_start, a->n + 1, "test") && SN_NEW(a->row, 3 * a->n, "test"));
    int64_t used = 0;
    for (int j = 0; j < a->n; j++) {
        a->col_start[j] = used;
        a->row[used++] = j;
        if (j % side + 1 < side) a->row[used++] = j + 1;
        if (j + side < a->n) a->row[used++] = j + side;
    }
    a->col_start[a->n] = used;
    check(SN_NEW(a->values, 9 * used, "test"));
    for (int j = 0; j < a->n; j++)
        for (int64_t k = 0; k < a->col_start[j + 1] - a->col_start[j]; k++) {
            double block[9];
            for (int i = 0; i < 9; i++) block[i] = sn_random_uniform(&random, -1, 1);
            if (k == 0) {
                block[1] = block[3], block[2] = block[6], block[5] = block[7];
                for (int i = 0; i < 9; i += 4) block[i] += dominance;
            }
            sn_block_write(a, j, k, block);
        }
}

static void test_cholesky(void** state)
{
    (void)state;
    const int sides[] = {1, 4, 20, 60}; // below and above the switch from AMD to METIS
    for (int t = 0; t < 4; t++) {
        SnBlockMatrix a = {0};
        make_matrix(&a, sides[t], 20);
        int n = 3 * a.n;
        double *x = NULL, *b = NULL, *y = NULL;
        check(SN_NEW(x, n, "test") && SN_NEW(b, n, "test") && SN_NEW(y, n, "test"));
        SnRandom random = {6};
        for (int i = 0; i < n; i++) x[i] = sn_random_uniform(&random, -1, 1);
        multiply_blocks(&a, x, b);
        SnCholesky* cholesky;
        bool definite;
        check_ok(sn_cholesky_create(&a, NULL, &cholesky));
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        check(definite);
        check_ok(sn_cholesky_solve(cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-12);
        check_ok(sn_cholesky_factor(cholesky, 3, &definite)); // (A + 3I) y = A x + 3x
        for (int i = 0; i < n; i++) b[i] += 3 * x[i];
        check_ok(sn_cholesky_solve(cholesky, b, b));
        for (int i = 0; i < n; i++) check_near(b[i], x[i], 1e-12);
        check_ok(sn_cholesky_factor(cholesky, -100, &definite));
        check(!definite);
        check(sn_cholesky_factor_entries(cholesky) >= n);
        sn_cholesky_destroy(cholesky);
        sn_block_matrix_free(&a);
        sn_free(x), sn_free(b), sn_free(y);
    }
}

// M + L of a grid graph: x, y and z are solved for at once.
static void test_scalar_cholesky(void** state)
{
    (void)state;
    const int sides[] = {1, 4, 20, 60};
    for (int t = 0; t < 4; t++) {
        int side = sides[t], n = side * side;
        SnScalarMatrix a = {.n = n};
        check(SN_NEW(a.col_start, n + 1, "test") && SN_NEW(a.row, 3 * n, "test") && SN_NEW(a.values, 3 * n, "test"));
        int64_t used = 0;
        for (int j = 0; j < n; j++) {
            a.col_start[j] = used;
            a.row[used] = j, a.values[used++] = 4.5;
            if (j % side + 1 < side) a.row[used] = j + 1, a.values[used++] = -1;
            if (j + side < n) a.row[used] = j + side, a.values[used++] = -1;
        }
        a.col_start[n] = used;
        double *x = NULL, *b = NULL;
        check(SN_NEW(x, 3 * n, "test") && SN_NEW(b, 3 * n, "test"));
        SnRandom random = {7};
        for (int i = 0; i < 3 * n; i++) x[i] = sn_random_uniform(&random, -1, 1);
        sn_scalar_matrix_multiply(&a, x, b);
        SnCholesky* cholesky;
        bool definite;
        check_ok(sn_cholesky_create_scalar(&a, NULL, &cholesky));
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        check(definite);
        check_ok(sn_cholesky_solve(cholesky, b, b));
        for (int i = 0; i < 3 * n; i++) check_near(b[i], x[i], 1e-12);
        check_ok(sn_cholesky_factor(cholesky, -4.6, &definite));
        check(!definite);
        sn_cholesky_destroy(cholesky);
        sn_scalar_matrix_free(&a);
        sn_free(x), sn_free(b);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_log),
    cmocka_unit_test(test_svd),
    cmocka_unit_test(test_packs_of_every_instruction_set),
    cmocka_unit_test(test_projection),
    cmocka_unit_test(test_vectors),
    cmocka_unit_test(test_cholesky),
    cmocka_unit_test(test_scalar_cholesky),
};
RUN_TESTS(tests, NULL, NULL)
