// What tests from linalg on share: the plain product with a block matrix.
#pragma once
#include "check.h"

#include "linalg/block_matrix.h"

// y = A x, block after block.
static inline void multiply_blocks(const SnBlockMatrix* a, const double* x, double* y)
{
    memset(y, 0, 3 * (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++)
        for (int64_t k = 0; k < a->col_start[j + 1] - a->col_start[j]; k++) {
            double block[9]; // column-major
            int i = a->row[a->col_start[j] + k];
            sn_block_read(a, j, k, block);
            for (int e = 0; e < 9; e++) {
                y[3 * i + e % 3] += block[e] * x[3 * j + e / 3];
                if (k > 0) y[3 * j + e / 3] += block[e] * x[3 * i + e % 3];
            }
        }
}
