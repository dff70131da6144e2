// Symmetric sparse matrices of 3x3 blocks: the lower triangle by columns, laid out as a scalar matrix.
//
// Block column j holds its diagonal block first, then rows increasing. Scalar column 3j+c holds the diagonal block's
// rows c..2, then three entries of each further block, so a block's place follows from arithmetic alone.
#pragma once
#include "core/tasks.h"

typedef struct SnBlockMatrix {
    int n;              // block rows
    int64_t* col_start; // n + 1, into row
    int* row;           // block rows, the diagonal first in each column
    double* values;     // scalar lower triangle, column after column
} SnBlockMatrix;

void sn_block_matrix_free(SnBlockMatrix* matrix);

// Index in values of scalar column 3j+c's first entry.
static inline int64_t sn_block_column(const SnBlockMatrix* a, int j, int c)
{
    int64_t blocks = a->col_start[j + 1] - a->col_start[j];
    return 9 * a->col_start[j] - 3 * (int64_t)j + 3 * blocks * c - (c == 2 ? 1 : 0);
}

// Writes a full 3x3 block (row-major) as the k-th block of column j; of the diagonal one (k = 0) the lower triangle.
static inline void sn_block_write(const SnBlockMatrix* a, int j, int64_t k, const double block[9])
{
    for (int c = 0; c < 3; c++) {
        double* column = a->values + sn_block_column(a, j, c);
        if (k == 0)
            for (int r = c; r < 3; r++) column[r - c] = block[3 * r + c];
        else
            for (int r = 0; r < 3; r++) column[3 - c + 3 * (k - 1) + r] = block[3 * r + c];
    }
}

// Reads the k-th block of column j, column-major; of the diagonal one both triangles.
static inline void sn_block_read(const SnBlockMatrix* a, int j, int64_t k, double block[9])
{
    for (int c = 0; c < 3; c++) {
        const double* column = a->values + sn_block_column(a, j, c);
        if (k == 0)
            for (int r = c; r < 3; r++) block[3 * c + r] = block[3 * r + c] = column[r - c];
        else
            for (int r = 0; r < 3; r++) block[3 * c + r] = column[3 * k - c + r];
    }
}
