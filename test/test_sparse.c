// Sparse solvers of the linalg room: Cholesky on graphs of all shapes, partitions of meshes.
#include "check.h"
#include "core/random.h"
#include "linalg/cholesky.h"
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
    {"cube", make_solid, 9},        {"large cube", make_solid, 21},
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
            SnStatus status = create(&a, &cholesky);
            if (status == SN_OK) sn_cholesky_destroy(cholesky);
            sn_thread_set_allocator(NULL);
            if (memory.live != 0) fail_msg("%ld blocks left after failure %ld", memory.live, n);
            if (status == SN_OK) break;
            check(status == SN_ERROR_MEMORY && cholesky == NULL);
            check(n < 1000);
        }
        free_system(&a);
    }
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
        cmocka_unit_test(test_cholesky),       cmocka_unit_test(test_against_dense),  cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_nan_passes),     cmocka_unit_test(test_failing_memory), cmocka_unit_test(test_partition),
        cmocka_unit_test(test_odd_partitions),
    };
    return cmocka_run_group_tests_name("sparse", tests, NULL, NULL);
}
