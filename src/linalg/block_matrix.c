// Symmetric sparse matrices of 3x3 blocks.
#include "linalg/block_matrix.h"

void sn_block_matrix_free(SnBlockMatrix* matrix)
{
    sn_free(matrix->col_start);
    sn_free(matrix->row);
    sn_free(matrix->values);
    *matrix = (SnBlockMatrix){0};
}
