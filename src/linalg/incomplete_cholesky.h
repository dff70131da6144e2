// Incomplete Cholesky without fill, IC(0), of matrices of 3x3 blocks (Meijerink & van der Vorst 1977); where it breaks
// down, the diagonal blocks are enlarged until it does not (Manteuffel 1980).
#pragma once
#include "linalg/block_matrix.h"
#include "linalg/pcg.h"

typedef struct SnIncompleteCholesky SnIncompleteCholesky;

// For the pattern of `matrix`, which must outlive the result.
SnStatus sn_incomplete_cholesky_create(const SnBlockMatrix* matrix, SnIncompleteCholesky** cholesky);
void sn_incomplete_cholesky_destroy(SnIncompleteCholesky* cholesky);

// Factors the matrix's current values. *enlarged (may be NULL) is by which fraction the diagonal had to be enlarged,
// mostly 0. *definite is false if even doubling it did not help: then there is nothing to apply.
void sn_incomplete_cholesky_factor(SnIncompleteCholesky* cholesky, SnTasks* tasks, double* enlarged, bool* definite);

// x -> (L L^T)^-1 x
SnLinearMap sn_incomplete_cholesky_map(SnIncompleteCholesky* cholesky);
