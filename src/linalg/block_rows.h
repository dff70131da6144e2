// Rows of 3x3 blocks: products and substitutions in which each row is gathered by one thread, so that they run in
// parallel with the same bits. Blocks are nine numbers, column after column.
#pragma once
#include "linalg/block_matrix.h"
#include "linalg/pcg.h"

typedef struct SnRowList {
    int n;
    int64_t* start; // n + 1
    int* column;    // increasing in each row
    double* block;  // nine numbers each, and one more at the end of all
} SnRowList;

SnStatus sn_row_list_allocate(int n, int64_t blocks, SnRowList* list);
void sn_row_list_free(SnRowList* list);

typedef struct SnRowKernels {
    // y = A x for rows first .. last-1
    void (*multiply)(const SnRowList* a, const double* x, double* y, int first, int last);
    // x_i = D_i (x_i - sum of A_ij x_j), rows upwards; D_i is nine numbers
    void (*forward)(const SnRowList* a, const double* d, double* x, int first, int last);
    // x_i = D_i^T (x_i - sum of A_ij x_j), rows downwards
    void (*backward)(const SnRowList* a, const double* d, double* x, int first, int last);
    // c -= sum over the pairs of a_left a_right^T
    void (*subtract_products)(const double* a, const int (*pair)[2], int64_t count, double c[9]);
} SnRowKernels;

const SnRowKernels* sn_row_kernels(void); // of this processor

// Both triangles of a symmetric matrix by rows.
typedef struct SnBlockRows SnBlockRows;

// For the pattern of `matrix`, which must outlive the result.
SnStatus sn_block_rows_create(const SnBlockMatrix* matrix, SnBlockRows** rows);
void sn_block_rows_destroy(SnBlockRows* rows);
void sn_block_rows_update(SnBlockRows* rows, SnTasks* tasks); // takes over the matrix's current values
void sn_block_rows_multiply(const SnBlockRows* rows, SnTasks* tasks, const double* x, double* y); // y = A x
SnLinearMap sn_block_rows_map(SnBlockRows* rows);
