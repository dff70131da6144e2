// Symmetric sparse matrices that act on x, y and z alike.
#include "linalg/scalar_matrix.h"

#include <string.h>

void sn_scalar_matrix_free(SnScalarMatrix* matrix)
{
    SN_FREE(matrix->col_start, matrix->row, matrix->values);
    *matrix = (SnScalarMatrix){0};
}

void sn_scalar_matrix_multiply(const SnScalarMatrix* a, const double* x, double* y)
{
    memset(y, 0, 3 * (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++) {
        const double* xj = x + 3 * j;
        double sum[3] = {0, 0, 0};
        for (int64_t k = a->col_start[j]; k < a->col_start[j + 1]; k++) {
            int i = a->row[k];
            double value = a->values[k];
            for (int c = 0; c < 3; c++) y[3 * i + c] += value * xj[c];
            if (i != j)
                for (int c = 0; c < 3; c++) sum[c] += value * x[3 * i + c];
        }
        for (int c = 0; c < 3; c++) y[3 * j + c] += sum[c];
    }
}
