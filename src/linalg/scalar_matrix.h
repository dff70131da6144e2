// Symmetric sparse matrices that act on x, y and z alike: A (x) I3 stored as A, its lower triangle by columns.
//
// Column j holds its diagonal entry first, then rows increasing. Vectors are 3n long, x y z of each node together.
#pragma once
#include "core/tasks.h"

typedef struct SnScalarMatrix {
    int n;              // rows
    int64_t* col_start; // n + 1, into row and values
    int* row;           // the diagonal first in each column
    double* values;
} SnScalarMatrix;

void sn_scalar_matrix_free(SnScalarMatrix* matrix);

// y = (A (x) I3) x, both 3n long, in this thread.
void sn_scalar_matrix_multiply(const SnScalarMatrix* a, const double* x, double* y);
