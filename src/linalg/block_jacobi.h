// Block Jacobi: the inverses of the 3x3 blocks on the diagonal, as a preconditioner.
#pragma once
#include "linalg/block_matrix.h"
#include "linalg/pcg.h"

typedef struct SnBlockJacobi SnBlockJacobi;

SnStatus sn_block_jacobi_create(const SnBlockMatrix* matrix, SnBlockJacobi** jacobi); // the matrix must outlive it
void sn_block_jacobi_destroy(SnBlockJacobi* jacobi);
// Takes over the matrix's current values. Blocks that are not positive definite are replaced by the size of their
// diagonal, so that the preconditioner always is.
void sn_block_jacobi_update(SnBlockJacobi* jacobi, SnTasks* tasks);
SnLinearMap sn_block_jacobi_map(SnBlockJacobi* jacobi);
