// Sparse Cholesky factorisation of block matrices. CHOLMOD is behind this file and seen nowhere else.
#pragma once
#include "linalg/block_matrix.h"

typedef struct SnCholesky SnCholesky;

// Orders and analyses the pattern of `matrix`, which must outlive the result; values are not read.
SnStatus sn_cholesky_create(const SnBlockMatrix* matrix, SnCholesky** cholesky);
void sn_cholesky_destroy(SnCholesky* cholesky);

// Factors matrix + shift I with the matrix's current values. *definite tells whether it was positive definite; when it
// was not, there is no factor to solve with.
SnStatus sn_cholesky_factor(SnCholesky* cholesky, double shift, bool* definite);

// x = A^-1 b, both 3n long; x may be b.
SnStatus sn_cholesky_solve(SnCholesky* cholesky, const double* b, double* x);

double sn_cholesky_factor_entries(const SnCholesky* cholesky); // nonzeros of the factor
