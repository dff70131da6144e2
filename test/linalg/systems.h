// Sparse matrices of all shapes.
#pragma once
#include "check_linalg.h"

#include "core/random.h"
#include "linalg/block_jacobi.h"
#include "linalg/cholesky.h"

// Patterns: lower triangles by columns, the diagonal first.
typedef struct Pattern {
    int n;
    int64_t* col_start;
    int* row;
} Pattern;

static inline void begin_pattern(Pattern* p, int n, int64_t most)
{
    *p = (Pattern){.n = n};
    check(SN_NEW(p->col_start, n + 1, "test") && SN_NEW(p->row, most, "test"));
}

// A box of side^3 (or side^2) nodes, as the edges of a Kuhn tetrahedralisation.
static inline void make_grid(Pattern* p, int side, bool solid)
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

static inline void make_solid(Pattern* p, int side)
{
    make_grid(p, side, true);
}

static inline void make_flat(Pattern* p, int side)
{
    make_grid(p, side, false);
}

static inline void make_clique(Pattern* p, int n)
{
    begin_pattern(p, n, (int64_t)n * n);
    int64_t used = 0;
    for (int j = 0; j < n; j++) {
        p->col_start[j] = used;
        for (int i = j; i < n; i++) p->row[used++] = i;
    }
    p->col_start[n] = used;
}

static inline void make_diagonal(Pattern* p, int n)
{
    begin_pattern(p, n, n);
    for (int j = 0; j < n; j++) p->col_start[j + 1] = j + 1, p->row[j] = j;
}

// Ropes of 7 nodes that touch nothing, and every fifth of them only a point.
static inline void make_ropes(Pattern* p, int n)
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

// Ropes before and after a box, on whose top some of its parts hang.
static inline void make_mixed(Pattern* p, int side)
{
    Pattern box, ropes;
    make_solid(&box, side), make_ropes(&ropes, box.n);
    begin_pattern(p, 3 * box.n, box.col_start[box.n] + 2 * ropes.col_start[ropes.n]);
    const Pattern* parts[] = {&ropes, &box, &ropes};
    int64_t used = 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < box.n; j++) {
            p->col_start[k * box.n + j] = used;
            for (int64_t e = parts[k]->col_start[j]; e < parts[k]->col_start[j + 1]; e++)
                p->row[used++] = k * box.n + parts[k]->row[e];
        }
    p->col_start[3 * box.n] = used;
    sn_free(box.col_start), sn_free(box.row), sn_free(ropes.col_start), sn_free(ropes.row);
}

// Node 0 touches all the others.
static inline void make_star(Pattern* p, int n)
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
    {"cube", make_solid, 9},        {"large cube", make_solid, 14},    {"cube and ropes", make_mixed, 12},
};
enum { CASES = sizeof cases / sizeof *cases };

static inline double* random_vector(int n, uint64_t seed)
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

static inline void fill_scalar(SnScalarMatrix* a)
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

static inline void fill_block(SnBlockMatrix* a)
{
    SnRandom random = {12};
    double* degree = NULL;
    check(SN_NEW(a->values, 9 * a->col_start[a->n] - 3 * (int64_t)a->n, "test") && SN_NEW(degree, a->n, "test"));
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

static inline System make_system(const Case* which, int blocks)
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

static inline void free_system(System* a)
{
    sn_scalar_matrix_free(&a->scalar);
    sn_block_matrix_free(&a->block);
}

static inline void multiply(const System* a, const double* x, double* y)
{
    if (a->blocks == 1)
        sn_scalar_matrix_multiply(&a->scalar, x, y);
    else
        multiply_blocks(&a->block, x, y);
}

static inline double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}
