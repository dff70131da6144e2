// Rows of blocks, and conjugate gradients with each preconditioner.
#include "linalg/block_jacobi.h"
#include "linalg/block_rows.h"
#include "linalg/incomplete_cholesky.h"
#include "systems.h"

static void test_rows(void** state)
{
    (void)state;
    for (int t = 0; t < CASES; t++) {
        System a = make_system(&cases[t], 3);
        int n = 3 * a.n;
        double *x = random_vector(n, 21), *y = random_vector(n, 0), *z = random_vector(n, 0);
        double* first = random_vector(n, 0);
        SnBlockRows* rows;
        check_ok(sn_block_rows_create(&a.block, &rows));
        multiply(&a, x, y);
        for (int threads = 1; threads <= 3; threads++) {
            SnTasks* tasks;
            check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &tasks));
            sn_block_rows_update(rows, tasks);
            sn_block_rows_multiply(rows, tasks, x, z);
            if (threads == 1) memcpy(first, z, (size_t)n * sizeof *z);
            check(memcmp(first, z, (size_t)n * sizeof *z) == 0);
            sn_tasks_destroy(tasks);
        }
        for (int i = 0; i < n; i++) check_near(z[i], y[i], 1e-12 * (1 + fabs(y[i])));
        sn_block_rows_destroy(rows);
        free_system(&a);
        sn_free(x), sn_free(y), sn_free(z), sn_free(first);
    }
}

// Conjugate gradients and its preconditioners on one matrix.
typedef struct Krylov {
    SnBlockRows* rows;
    SnBlockJacobi* jacobi;
    SnIncompleteCholesky* incomplete;
    SnPcg* pcg;
} Krylov;

static SnStatus create_krylov(const SnBlockMatrix* matrix, Krylov* k)
{
    *k = (Krylov){0};
    SN_TRY(sn_block_rows_create(matrix, &k->rows));
    SN_TRY(sn_block_jacobi_create(matrix, &k->jacobi));
    SN_TRY(sn_incomplete_cholesky_create(matrix, &k->incomplete));
    return sn_pcg_create(3 * matrix->n, &k->pcg);
}

static void destroy_krylov(Krylov* k)
{
    sn_block_rows_destroy(k->rows);
    sn_block_jacobi_destroy(k->jacobi);
    sn_incomplete_cholesky_destroy(k->incomplete);
    sn_pcg_destroy(k->pcg);
}

static void test_pcg(void** state)
{
    (void)state;
    for (int t = 0; t < CASES; t++) {
        System a = make_system(&cases[t], 3);
        int n = 3 * a.n, iterations[3];
        double *x = random_vector(n, 21), *b = random_vector(n, 0), *y = random_vector(n, 0);
        double* first = random_vector(n, 0);
        Krylov k;
        check_ok(create_krylov(&a.block, &k));
        multiply(&a, x, b);
        for (int threads = 1; threads <= 3; threads++) {
            SnTasks* tasks;
            double enlarged;
            bool definite;
            check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &tasks));
            sn_block_rows_update(k.rows, tasks);
            sn_block_jacobi_update(k.jacobi, tasks);
            sn_incomplete_cholesky_factor(k.incomplete, tasks, &enlarged, &definite);
            check(definite && enlarged == 0);
            SnLinearMap maps[] = {{0}, sn_block_jacobi_map(k.jacobi), sn_incomplete_cholesky_map(k.incomplete)};
            for (int m = 0; m < 3; m++) {
                SnPcgOptions options = {.tolerance = 1e-10};
                SnPcgReport report = sn_pcg_solve(k.pcg, tasks, sn_block_rows_map(k.rows), maps[m], b, y, options);
                check(report.converged && !report.indefinite && report.residual <= 1e-10);
                for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-7);
                iterations[m] = report.iterations;
                options.guess = true; // the solution is its own best guess
                options.tolerance = 2e-10;
                report = sn_pcg_solve(k.pcg, tasks, sn_block_rows_map(k.rows), maps[m], b, y, options);
                check(report.converged && report.iterations <= 2);
            }
            if (threads == 1) memcpy(first, y, (size_t)n * sizeof *y);
            check(memcmp(first, y, (size_t)n * sizeof *y) == 0);
            sn_tasks_destroy(tasks);
        }
        check(iterations[2] <= iterations[1] && iterations[1] <= iterations[0] + 5);
        if (cases[t].make == make_clique || cases[t].make == make_diagonal) check(iterations[2] <= 2); // exact
        destroy_krylov(&k);
        free_system(&a);
        sn_free(x), sn_free(b), sn_free(y), sn_free(first);
    }
}

// A matrix that curves downwards somewhere: the iterate is still a direction of descent.
static void test_indefinite_pcg(void** state)
{
    (void)state;
    System a = make_system(&cases[9], 3);
    int n = 3 * a.n;
    double *b = random_vector(n, 3), *y = random_vector(n, 0);
    Krylov k;
    check_ok(create_krylov(&a.block, &k));
    for (int shift = 12; shift <= 1200; shift *= 10) {
        for (int j = 0; j < a.n; j++)
            for (int c = 0; c < 3; c++) a.block.values[sn_block_column(&a.block, j, c)] -= shift;
        sn_block_rows_update(k.rows, NULL);
        sn_block_jacobi_update(k.jacobi, NULL);
        SnLinearMap maps[] = {{0}, sn_block_jacobi_map(k.jacobi)};
        for (int m = 0; m < 2; m++) {
            SnPcgReport report = sn_pcg_solve(k.pcg, NULL, sn_block_rows_map(k.rows), maps[m], b, y,
                                              (SnPcgOptions){.tolerance = 1e-10, .max_iterations = 500});
            check(report.indefinite && !report.converged && report.iterations >= 1);
            double dot = 0;
            for (int i = 0; i < n; i++) dot += b[i] * y[i];
            check(dot > 0);
        }
    }
    bool definite;
    sn_incomplete_cholesky_factor(k.incomplete, NULL, NULL, &definite);
    check(!definite);
    destroy_krylov(&k);
    free_system(&a);
    sn_free(b), sn_free(y);
}

// IC(0) of a positive definite matrix may break down: then the diagonal is enlarged (Kershaw's 4x4 example).
static void test_enlarged_diagonal(void** state)
{
    (void)state;
    int64_t col_start[] = {0, 3, 5, 7, 8};
    int row[] = {0, 1, 3, 1, 2, 2, 3, 3};
    const double values[] = {3, -2, 2, 3, -2, 3, -2, 3};
    double storage[72], x[12] = {1, 2, 3, 4}, y[12];
    SnBlockMatrix a = {4, col_start, row, storage};
    for (int j = 0; j < 4; j++)
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++) {
            double block[9] = {values[k], 0, 0, 0, values[k], 0, 0, 0, values[k]};
            sn_block_write(&a, j, k - col_start[j], block);
        }
    Krylov k;
    double enlarged;
    bool definite;
    check_ok(create_krylov(&a, &k));
    sn_incomplete_cholesky_factor(k.incomplete, NULL, &enlarged, &definite);
    check(definite && enlarged > 0 && enlarged < 1);
    sn_block_rows_update(k.rows, NULL);
    SnPcgReport report = sn_pcg_solve(k.pcg, NULL, sn_block_rows_map(k.rows), sn_incomplete_cholesky_map(k.incomplete),
                                      x, y, (SnPcgOptions){.tolerance = 1e-12});
    check(report.converged);
    destroy_krylov(&k);
}

static void test_pcg_edges(void** state)
{
    (void)state;
    System a = make_system(&cases[6], 3);
    int n = 3 * a.n;
    double *b = random_vector(n, 5), *y = random_vector(n, 6);
    Krylov k;
    check_ok(create_krylov(&a.block, &k));
    sn_block_rows_update(k.rows, NULL);
    SnPcgReport report = sn_pcg_solve(k.pcg, NULL, sn_block_rows_map(k.rows), (SnLinearMap){0}, b, y,
                                      (SnPcgOptions){.tolerance = 1e-14, .max_iterations = 3});
    check(!report.converged && report.iterations == 3 && report.residual > 1e-14);
    memset(b, 0, (size_t)n * sizeof *b);
    report = sn_pcg_solve(k.pcg, NULL, sn_block_rows_map(k.rows), (SnLinearMap){0}, b, y, (SnPcgOptions){0});
    check(report.converged && report.iterations == 0);
    for (int i = 0; i < n; i++) check(y[i] == 0);
    b[7] = NAN;
    report = sn_pcg_solve(k.pcg, NULL, sn_block_rows_map(k.rows), (SnLinearMap){0}, b, y, (SnPcgOptions){0});
    check(!report.converged && report.indefinite && report.iterations == 1);
    destroy_krylov(&k);
    for (long count = 0;; count++) {
        FailingMemory memory;
        start_failing(&memory, count);
        SnStatus status = create_krylov(&a.block, &k);
        destroy_krylov(&k);
        stop_failing(&memory);
        if (status == SN_OK) break;
        check(status == SN_ERROR_MEMORY && count < 1000);
    }
    free_system(&a);
    sn_free(b), sn_free(y);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rows),           cmocka_unit_test(test_pcg),
    cmocka_unit_test(test_indefinite_pcg), cmocka_unit_test(test_enlarged_diagonal),
    cmocka_unit_test(test_pcg_edges),
};
RUN_TESTS(tests, NULL, NULL)
