// Sparse solvers of the linalg room: Cholesky on graphs of all shapes, conjugate gradients, partitions of meshes.
#include "check.h"
#include "core/random.h"
#include "linalg/block_jacobi.h"
#include "linalg/block_rows.h"
#include "linalg/cholesky.h"
#include "linalg/incomplete_cholesky.h"
#include "linalg/partition.h"

// Patterns: lower triangles by columns, the diagonal first.
typedef struct Pattern {
    int n;
    int64_t* col_start;
    int* row;
} Pattern;

static void begin_pattern(Pattern* p, int n, int64_t most)
{
    *p = (Pattern){.n = n};
    check(SN_NEW(p->col_start, n + 1, "test") && SN_NEW(p->row, most, "test"));
}

// A box of side^3 (or side^2) nodes, as the edges of a Kuhn tetrahedralisation.
static void make_grid(Pattern* p, int side, bool solid)
{
    int n = solid ? side * side * side : side * side;
    begin_pattern(p, n, 8 * (int64_t)n);
    int64_t used = 0;
    for (int j = 0; j < n; j++) {
        p->col_start[j] = used;
        int at[3] = {j % side, j / side % side, j / side / side};
        for (int corner = 0; corner < (solid ? 8 : 4); corner++) {
            int to[3] = {at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)};
            if (to[0] < side && to[1] < side && (!solid || to[2] < side))
                p->row[used++] = to[0] + side * (to[1] + side * to[2]);
        }
    }
    p->col_start[n] = used;
}

static void make_solid(Pattern* p, int side)
{
    make_grid(p, side, true);
}

static void make_flat(Pattern* p, int side)
{
    make_grid(p, side, false);
}

static void make_clique(Pattern* p, int n)
{
    begin_pattern(p, n, (int64_t)n * n);
    int64_t used = 0;
    for (int j = 0; j < n; j++) {
        p->col_start[j] = used;
        for (int i = j; i < n; i++) p->row[used++] = i;
    }
    p->col_start[n] = used;
}

static void make_diagonal(Pattern* p, int n)
{
    begin_pattern(p, n, n);
    for (int j = 0; j < n; j++) p->col_start[j + 1] = j + 1, p->row[j] = j;
}

// Ropes of 7 nodes that touch nothing, and every fifth of them only a point.
static void make_ropes(Pattern* p, int n)
{
    begin_pattern(p, n, 2 * (int64_t)n);
    int64_t used = 0;
    for (int j = 0; j < n; j++) {
        p->col_start[j] = used;
        p->row[used++] = j;
        if (j % 7 != 6 && j + 1 < n && j / 7 % 5 != 4) p->row[used++] = j + 1;
    }
    p->col_start[n] = used;
}

// Node 0 touches all the others.
static void make_star(Pattern* p, int n)
{
    begin_pattern(p, n, 2 * (int64_t)n);
    for (int i = 0; i < n; i++) p->row[i] = i;
    for (int j = 1; j < n; j++) p->row[n + j - 1] = j;
    for (int j = 0; j < n; j++) p->col_start[j + 1] = n + j;
}

typedef struct Case {
    const char* name;
    void (*make)(Pattern* p, int size);
    int size;
} Case;

static const Case cases[] = {
    {"one node", make_diagonal, 1}, {"diagonal", make_diagonal, 2500}, {"ropes", make_ropes, 3001},
    {"star", make_star, 500},       {"clique", make_clique, 90},       {"large clique", make_clique, 600},
    {"small square", make_flat, 7}, {"square", make_flat, 70},         {"two cubes", make_solid, 2},
    {"cube", make_solid, 9},        {"large cube", make_solid, 14},
};
enum { CASES = sizeof cases / sizeof *cases };

static double* random_vector(int n, uint64_t seed)
{
    double* x;
    check(SN_NEW(x, n, "test"));
    SnRandom random = {seed};
    for (int i = 0; i < n; i++) x[i] = sn_random_uniform(&random, -1, 1);
    return x;
}

// A matrix of either kind on a pattern, positive definite.
typedef struct System {
    SnScalarMatrix scalar;
    SnBlockMatrix block;
    int n, blocks; // blocks: 1 or 3
} System;

static void fill_scalar(SnScalarMatrix* a)
{
    SnRandom random = {11};
    check(SN_NEW(a->values, a->col_start[a->n], "test"));
    for (int j = 0; j < a->n; j++)
        for (int64_t k = a->col_start[j]; k < a->col_start[j + 1]; k++) {
            double value = a->row[k] == j ? 0.5 : -sn_random_uniform(&random, 0.2, 1);
            a->values[k] += value;
            if (a->row[k] == j) continue;
            a->values[a->col_start[j]] -= value;
            a->values[a->col_start[a->row[k]]] -= value;
        }
}

static void fill_block(SnBlockMatrix* a)
{
    SnRandom random = {12};
    double* degree = NULL;
    check(SN_NEW(a->values, sn_block_matrix_entries(a), "test") && SN_NEW(degree, a->n, "test"));
    for (int j = 0; j < a->n; j++)
        for (int64_t k = a->col_start[j] + 1; k < a->col_start[j + 1]; k++) degree[j]++, degree[a->row[k]]++;
    for (int j = 0; j < a->n; j++)
        for (int64_t k = 0; k < a->col_start[j + 1] - a->col_start[j]; k++) {
            double block[9];
            for (int i = 0; i < 9; i++) block[i] = 0.3 * sn_random_uniform(&random, -1, 1);
            for (int i = 0; i < 9; i += 4) block[i] += k ? -1 : 1.7 * degree[j] + 1.5;
            if (k == 0) block[1] = block[3], block[2] = block[6], block[5] = block[7];
            sn_block_write(a, j, k, block);
        }
    sn_free(degree);
}

static System make_system(const Case* which, int blocks)
{
    System a = {.blocks = blocks};
    Pattern p;
    which->make(&p, which->size);
    a.n = p.n;
    if (blocks == 1) {
        a.scalar = (SnScalarMatrix){.n = p.n, .col_start = p.col_start, .row = p.row};
        fill_scalar(&a.scalar);
    } else {
        a.block = (SnBlockMatrix){.n = p.n, .col_start = p.col_start, .row = p.row};
        fill_block(&a.block);
    }
    return a;
}

static void free_system(System* a)
{
    sn_scalar_matrix_free(&a->scalar);
    sn_block_matrix_free(&a->block);
}

static void multiply(const System* a, const double* x, double* y)
{
    if (a->blocks == 1)
        sn_scalar_matrix_multiply(&a->scalar, x, y);
    else
        sn_block_matrix_multiply(&a->block, x, y);
}

static SnStatus create(const System* a, SnCholesky** cholesky)
{
    return a->blocks == 1 ? sn_cholesky_create_scalar(&a->scalar, cholesky) : sn_cholesky_create(&a->block, cholesky);
}

static void test_cholesky(void** state)
{
    (void)state;
    const int threads[] = {1, 2, 5};
    for (int which = 0; which < 2 * CASES; which++) {
        System a = make_system(&cases[which / 2], which % 2 ? 3 : 1);
        int n = 3 * a.n;
        double *x = random_vector(n, 13), *b = random_vector(n, 0), *y = random_vector(n, 0), *first = NULL;
        SnCholesky* cholesky;
        bool definite;
        multiply(&a, x, b);
        check_ok(create(&a, &cholesky));
        check_fails(sn_cholesky_solve(cholesky, b, y), SN_ERROR_VALUE, "no factor");
        for (int k = 0; k < 4; k++) {
            SnTasks* tasks = NULL;
            if (k > 0) check_ok(sn_tasks_create(threads[k - 1], (SnTaskRunner){0}, &tasks));
            sn_cholesky_set_tasks(cholesky, tasks);
            check_ok(sn_cholesky_factor(cholesky, 0, &definite));
            if (!definite) fail_msg("%s of %d: not definite", cases[which / 2].name, a.blocks);
            check_ok(sn_cholesky_solve(cholesky, b, y));
            for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-11);
            if (!first)
                first = sn_copy_memory(y, (size_t)n, sizeof *y, "test");
            else if (memcmp(first, y, (size_t)n * sizeof *y) != 0)
                fail_msg("%s of %d: other bits with %d threads", cases[which / 2].name, a.blocks, threads[k - 1]);
            sn_cholesky_set_tasks(cholesky, NULL);
            sn_tasks_destroy(tasks);
        }
        check_ok(sn_cholesky_factor(cholesky, -0.9e3, &definite)); // below every eigenvalue there is
        check(!definite);
        check_fails(sn_cholesky_solve(cholesky, b, y), SN_ERROR_VALUE, "no factor");
        check_ok(sn_cholesky_factor(cholesky, 2.5, &definite));
        check(definite);
        for (int i = 0; i < n; i++) b[i] += 2.5 * x[i];
        check_ok(sn_cholesky_solve(cholesky, b, b)); // in place
        for (int i = 0; i < n; i++) check_near(b[i], x[i], 1e-11);
        check(sn_cholesky_factor_entries(cholesky) >= a.blocks * a.n && sn_cholesky_factor_flops(cholesky) > 0);
        sn_cholesky_destroy(cholesky);
        free_system(&a);
        sn_free(x), sn_free(b), sn_free(y), sn_free(first);
    }
}

// The rows elsewhere, in twice as long vectors: the same bits, and nothing else is touched.
static void check_placed(SnCholesky* cholesky, int rows, const double* b, const double* x)
{
    int* places;
    double* y = random_vector(6 * rows, 21);
    check(SN_NEW(places, rows, "test"));
    for (int i = 0; i < rows; i++) {
        places[i] = 2 * (rows - 1 - i);
        memcpy(y + 3 * places[i], b + 3 * i, 3 * sizeof *y);
    }
    double spare = y[3 * (2 * rows - 1)];
    check_ok(sn_cholesky_set_places(cholesky, places));
    check_ok(sn_cholesky_solve_placed(cholesky, y, y));
    for (int i = 0; i < rows; i++) check(memcmp(y + 3 * places[i], x + 3 * i, 3 * sizeof *y) == 0);
    check(y[3 * (2 * rows - 1)] == spare);
    sn_free(places), sn_free(y);
}

// A factorisation whose sweeps are to read a copy: b = A x; y and z are to be filled.
typedef struct Copied {
    double *x, *b, *y, *z;
    SnCholesky* cholesky;
    SnTasks* tasks;
} Copied;

static Copied make_copied(const System* a)
{
    int n = 3 * a->n;
    Copied t = {random_vector(n, 13), random_vector(n, 0), random_vector(n, 0), random_vector(n, 0), NULL, NULL};
    multiply(a, t.x, t.b);
    check_ok(create(a, &t.cholesky));
    check_ok(sn_tasks_create(3, (SnTaskRunner){0}, &t.tasks));
    return t;
}

static void free_copied(Copied* t)
{
    sn_cholesky_destroy(t->cholesky);
    sn_tasks_destroy(t->tasks);
    sn_free(t->x), sn_free(t->b), sn_free(t->y), sn_free(t->z);
}

// The factor in single precision: nearly right, with the same bits for any number of threads.
static void test_single(void** state)
{
    (void)state;
    for (int which = 0; which < 2 * CASES; which++) {
        System a = make_system(&cases[which / 2], which % 2 ? 3 : 1);
        Copied t = make_copied(&a);
        int n = 3 * a.n;
        double *x = t.x, *b = t.b, *y = t.y, *z = t.z;
        bool definite;
        if (which % 4 < 2)
            check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_FLOAT)); // before factoring or after
        check_ok(sn_cholesky_factor(t.cholesky, 0, &definite));
        check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_FLOAT));
        check_ok(sn_cholesky_solve(t.cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 2e-5);
        sn_cholesky_set_tasks(t.cholesky, t.tasks);
        check_ok(sn_cholesky_solve(t.cholesky, b, z));
        check(memcmp(y, z, (size_t)n * sizeof *y) == 0);
        check_placed(t.cholesky, a.n, b, y);
        check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_DOUBLE));
        check_ok(sn_cholesky_solve(t.cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-11);
        free_copied(&t);
        free_system(&a);
    }
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// The factor in 16-bit integers: right to three digits, symmetric and positive, with the same bits for any number of
// threads; of scalar matrices alone.
static void test_short(void** state)
{
    (void)state;
    const Case many_rows = {"more rows than panels are long", make_clique, 1500};
    for (int which = 0; which <= CASES; which++) {
        System a = make_system(which < CASES ? &cases[which] : &many_rows, 1);
        Copied t = make_copied(&a);
        int n = 3 * a.n;
        double *x = t.x, *b = t.b, *y = t.y, *z = t.z;
        bool definite;
        check_ok(sn_cholesky_set_precision(t.cholesky, SN_FACTOR_SHORT));
        check_ok(sn_cholesky_factor(t.cholesky, 0, &definite));
        check_ok(sn_cholesky_solve(t.cholesky, b, y));
        double error = 0;
        for (int i = 0; i < n; i++) error = fmax(error, fabs(y[i] - x[i]));
        check(error < 2e-3);
        check(which < 9 || error > 1e-6); // it is not the copy in floats
        sn_cholesky_set_tasks(t.cholesky, t.tasks);
        check_ok(sn_cholesky_solve(t.cholesky, b, z));
        check(memcmp(y, z, (size_t)n * sizeof *y) == 0);
        check_ok(sn_cholesky_solve(t.cholesky, x, z)); // y = B b, z = B x
        check_near(dot(n, x, y), dot(n, b, z), 1e-5 * sqrt(dot(n, x, x) * dot(n, y, y)));
        check(dot(n, x, z) > 0);
        free_copied(&t);
        free_system(&a);
    }
    System blocks = make_system(&cases[9], 3);
    SnCholesky* cholesky;
    check_ok(create(&blocks, &cholesky));
    check(sn_cholesky_set_precision(cholesky, SN_FACTOR_SHORT) == SN_ERROR_VALUE);
    sn_cholesky_destroy(cholesky);
    free_system(&blocks);
}

// Where 16 bits would lose the little that holds a matrix up, floats take their place.
static void test_short_gives_way(void** state)
{
    (void)state;
    System a = make_system(&cases[10], 1);
    int n = 3 * a.n;
    double *x = random_vector(n, 13), *b = random_vector(n, 0), *y = random_vector(n, 0);
    for (int j = 0; j < a.n; j++) a.scalar.values[a.scalar.col_start[j]] -= 0.5 - 1e-5; // all that is not a Laplacian
    for (int i = 0; i < n; i++) x[i] = 1 + 0.1 * x[i];
    SnCholesky* cholesky;
    bool definite;
    multiply(&a, x, b);
    check_ok(create(&a, &cholesky));
    check_ok(sn_cholesky_set_precision(cholesky, SN_FACTOR_SHORT));
    check_ok(sn_cholesky_factor(cholesky, 0, &definite));
    check(definite);
    check_ok(sn_cholesky_solve(cholesky, b, y));
    for (int i = 0; i < n; i++) check_near(y[i], x[i], 0.02);
    // And back, when it can.
    multiply(&a, x, b);
    for (int i = 0; i < n; i++) b[i] += x[i];
    check_ok(sn_cholesky_factor(cholesky, 1, &definite));
    check_ok(sn_cholesky_solve(cholesky, b, y));
    double error = 0;
    for (int i = 0; i < n; i++) error = fmax(error, fabs(y[i] - x[i]));
    check(error > 1e-6 && error < 1e-3);
    sn_cholesky_destroy(cholesky);
    free_system(&a);
    sn_free(x), sn_free(b), sn_free(y);
}

// As large as a test may be: many groups, a top with chains of links.
static void test_large(void** state)
{
    (void)state;
    System a = make_system(&(Case){"large", make_solid, 21}, 1);
    int n = 3 * a.n;
    double *x = random_vector(n, 14), *b = random_vector(n, 0);
    SnCholesky* cholesky;
    SnTasks* tasks;
    bool definite;
    multiply(&a, x, b);
    check_ok(sn_tasks_create(3, (SnTaskRunner){0}, &tasks));
    check_ok(create(&a, &cholesky));
    sn_cholesky_set_tasks(cholesky, tasks);
    check_ok(sn_cholesky_factor(cholesky, 0, &definite));
    check_ok(sn_cholesky_solve(cholesky, b, b));
    for (int i = 0; i < n; i++) check_near(b[i], x[i], 1e-11);
    check(sn_cholesky_factor_entries(cholesky) < 3e6 && sn_cholesky_bytes(cholesky) < 1e8);
    sn_cholesky_destroy(cholesky);
    sn_tasks_destroy(tasks);
    free_system(&a);
    sn_free(x), sn_free(b);
}

// The whole inverse of small matrices, column after column, against dense elimination.
static void test_against_dense(void** state)
{
    (void)state;
    enum { MOST = 3 * 64 };
    static double dense[MOST][MOST], unit[MOST], column[MOST], factor[MOST][MOST];
    const Case small[] = {{"cube", make_solid, 4}, {"clique", make_clique, 20}, {"ropes", make_ropes, 40}};
    for (int t = 0; t < 6; t++) {
        System a = make_system(&small[t / 2], t % 2 ? 3 : 1);
        int n = 3 * a.n;
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) unit[i] = i == j;
            multiply(&a, unit, dense[j]);
        }
        for (int j = 0; j < n; j++) // dense = factor factor^T
            for (int i = j; i < n; i++) {
                double sum = dense[i][j];
                for (int k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
                factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
            }
        SnCholesky* cholesky;
        bool definite;
        check_ok(create(&a, &cholesky));
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) unit[i] = column[i] = i == j;
            for (int i = 0; i < n; i++) {
                for (int k = 0; k < i; k++) column[i] -= factor[i][k] * column[k];
                column[i] /= factor[i][i];
            }
            for (int i = n - 1; i >= 0; i--) {
                for (int k = i + 1; k < n; k++) column[i] -= factor[k][i] * column[k];
                column[i] /= factor[i][i];
            }
            check_ok(sn_cholesky_solve(cholesky, unit, unit));
            for (int i = 0; i < n; i++) check_near(unit[i], column[i], 1e-13);
        }
        sn_cholesky_destroy(cholesky);
        free_system(&a);
    }
}

// One bad pivot, wherever it is, is found; so is a matrix that is not a number.
static void test_indefinite(void** state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        System a = make_system(&cases[t < 2 ? 7 : 9], t % 2 ? 3 : 1);
        SnCholesky* cholesky;
        bool definite;
        check_ok(create(&a, &cholesky));
        for (int j = 0; j < a.n; j += a.n / 13) {
            double* diagonal = a.blocks == 1 ? a.scalar.values + a.scalar.col_start[j]
                                             : a.block.values + sn_block_column(&a.block, j, 1);
            double was = *diagonal, bad[] = {-1e-3, 0, NAN, INFINITY};
            for (int k = 0; k < 4; k++) {
                *diagonal = bad[k];
                check_ok(sn_cholesky_factor(cholesky, 0, &definite));
                check(!definite);
            }
            *diagonal = was;
        }
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        check(definite);
        sn_cholesky_destroy(cholesky);
        free_system(&a);
    }
}

// After a right-hand side that is not a number, the next one is solved as if nothing had been.
static void test_nan_passes(void** state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        System a = make_system(&cases[9], t ? 3 : 1);
        int n = 3 * a.n;
        double *x = random_vector(n, 1), *b = random_vector(n, 2), *y = random_vector(n, 3);
        SnCholesky* cholesky;
        bool definite;
        check_ok(create(&a, &cholesky));
        check_ok(sn_cholesky_factor(cholesky, 0, &definite));
        for (int i = 0; i < n; i++) y[i] = NAN;
        check_ok(sn_cholesky_solve(cholesky, y, y));
        multiply(&a, x, b);
        check_ok(sn_cholesky_solve(cholesky, b, y));
        for (int i = 0; i < n; i++) check_near(y[i], x[i], 1e-12);
        sn_cholesky_destroy(cholesky);
        free_system(&a);
        sn_free(x), sn_free(b), sn_free(y);
    }
}

static void test_failing_memory(void** state)
{
    (void)state;
    for (int t = 0; t < 4; t++) {
        System a = make_system(&cases[t < 2 ? 7 : 9], t % 2 ? 3 : 1);
        for (long n = 0;; n++) {
            FailingMemory memory = failing_memory(n);
            memory.allocator.user = &memory;
            sn_thread_set_allocator(&memory.allocator);
            SnCholesky* cholesky;
            SnStatus created = create(&a, &cholesky);
            SnFactorPrecision precision = t % 2 ? SN_FACTOR_FLOAT : SN_FACTOR_SHORT;
            SnStatus status = created == SN_OK ? sn_cholesky_set_precision(cholesky, precision) : created;
            sn_cholesky_destroy(cholesky);
            sn_thread_set_allocator(NULL);
            if (memory.live != 0) fail_msg("%ld blocks left after failure %ld", memory.live, n);
            if (status == SN_OK) break;
            check(status == SN_ERROR_MEMORY && (created == SN_OK || cholesky == NULL));
            check(n < 1000);
        }
        free_system(&a);
    }
}

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
        FailingMemory memory = failing_memory(count);
        memory.allocator.user = &memory;
        sn_thread_set_allocator(&memory.allocator);
        SnStatus status = create_krylov(&a.block, &k);
        destroy_krylov(&k);
        sn_thread_set_allocator(NULL);
        check(memory.live == 0);
        if (status == SN_OK) break;
        check(status == SN_ERROR_MEMORY && count < 1000);
    }
    free_system(&a);
    sn_free(b), sn_free(y);
}

// Tetrahedra of a box of cubes, five to a cube.
static int make_tetrahedra(int side, int** start, int** nodes)
{
    static const int five[2][5][4] = {{{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 5, 6}},
                                      {{1, 0, 2, 4}, {1, 3, 2, 7}, {1, 5, 4, 7}, {2, 6, 4, 7}, {1, 2, 4, 7}}};
    int count = 0, points = side + 1;
    check(SN_NEW(*start, 5 * side * side * side + 1, "test") && SN_NEW(*nodes, 20 * side * side * side, "test"));
    for (int c = 0; c < side * side * side; c++) {
        int x = c % side, y = c / side % side, z = c / side / side;
        for (int t = 0; t < 5; t++, count++)
            for (int k = 0; k < 4; k++) {
                int v = five[(x + y + z) % 2][t][k];
                (*nodes)[4 * count + k] = x + (v & 1) + points * (y + (v >> 1 & 1) + points * (z + (v >> 2)));
            }
    }
    for (int e = 0; e <= count; e++) (*start)[e] = 4 * e;
    return count;
}

static void test_partition(void** state)
{
    (void)state;
    int *start = NULL, *nodes = NULL, *part = NULL, *again = NULL, made, made_again, side = 8;
    int elements = make_tetrahedra(side, &start, &nodes), node_count = (side + 1) * (side + 1) * (side + 1);
    check(SN_NEW(part, elements, "test") && SN_NEW(again, elements, "test"));
    const int parts[] = {1, 2, 6, 40};
    for (int t = 0; t < 4; t++) {
        int size[40] = {0}, touched = 0;
        check_ok(sn_partition_elements(elements, start, nodes, node_count, 3, parts[t], part, &made));
        check_ok(sn_partition_elements(elements, start, nodes, node_count, 3, parts[t], again, &made_again));
        check(made == parts[t] && made_again == made);
        check(memcmp(part, again, (size_t)elements * sizeof *part) == 0);
        for (int e = 0; e < elements; e++) check(part[e] >= 0 && part[e] < made), size[part[e]]++;
        for (int p = 0; p < made; p++) check(size[p] > 0 && size[p] < 1.3 * elements / made + 2);
        for (int v = 0; v < node_count; v++) { // nodes in several parts are few
            int first = -1;
            bool several = false;
            for (int k = 0; k < 4 * elements; k++)
                if (nodes[k] == v) several |= first >= 0 && part[k / 4] != first, first = part[k / 4];
            touched += several;
        }
        check(t == 0 ? touched == 0 : touched < (t == 1 ? 0.25 : t == 2 ? 0.6 : 0.95) * node_count);
    }
    sn_free(start), sn_free(nodes), sn_free(part), sn_free(again);
}

static void test_odd_partitions(void** state)
{
    (void)state;
    int start[] = {0, 4, 8, 10, 12}, nodes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10}, part[4], made;
    check_ok(sn_partition_elements(4, start, nodes, 11, 3, 3, part, &made)); // three things that do not touch
    check(made >= 1 && made <= 3);
    check_ok(sn_partition_elements(4, start, nodes, 11, 3, 100, part, &made));
    check(made >= 1 && made <= 4);
    check_ok(sn_partition_elements(1, start, nodes, 11, 3, 5, part, &made));
    check(made == 1 && part[0] == 0);
    check_ok(sn_partition_elements(0, start, nodes, 11, 3, 5, part, &made));
    check(made == 0);
    check_fails(sn_partition_elements(4, start, nodes, 11, 3, 0, part, &made), SN_ERROR_VALUE, "at least 1", "0");
    for (long n = 0;; n++) {
        FailingMemory memory = failing_memory(n);
        memory.allocator.user = &memory;
        sn_thread_set_allocator(&memory.allocator);
        SnStatus status = sn_partition_elements(4, start, nodes, 11, 3, 2, part, &made);
        sn_thread_set_allocator(NULL);
        check(memory.live == 0);
        if (status == SN_OK) break;
        check(status == SN_ERROR_MEMORY && n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_short_gives_way),
        cmocka_unit_test(test_against_dense),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_nan_passes),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_pcg),
        cmocka_unit_test(test_indefinite_pcg),
        cmocka_unit_test(test_enlarged_diagonal),
        cmocka_unit_test(test_pcg_edges),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_odd_partitions),
    };
    return cmocka_run_group_tests_name("sparse", tests, NULL, NULL);
}
