// Symmetric sparse matrices of 3x3 blocks.
#include "linalg/block_matrix.h"

#include <string.h>

void sn_block_matrix_free(SnBlockMatrix* matrix)
{
    sn_free(matrix->col_start);
    sn_free(matrix->row);
    sn_free(matrix->values);
    *matrix = (SnBlockMatrix){0};
}

void sn_block_matrix_multiply(const SnBlockMatrix* a, const double* x, double* y)
{
    memset(y, 0, 3 * (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++) {
        int64_t blocks = a->col_start[j + 1] - a->col_start[j];
        const int* rows = a->row + a->col_start[j];
        for (int c = 0; c < 3; c++) {
            const double* column = a->values + sn_block_column(a, j, c);
            double xj = x[3 * j + c], sum = column[0] * xj;
            for (int r = c + 1; r < 3; r++) {
                y[3 * j + r] += column[r - c] * xj;
                sum += column[r - c] * x[3 * j + r];
            }
            for (int64_t k = 1; k < blocks; k++) {
                for (int r = 0; r < 3; r++) {
                    double value = column[3 - c + 3 * (k - 1) + r];
                    y[3 * rows[k] + r] += value * xj;
                    sum += value * x[3 * rows[k] + r];
                }
            }
            y[3 * j + c] += sum;
        }
    }
}
