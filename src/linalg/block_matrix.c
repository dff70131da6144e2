// Symmetric sparse matrices of 3x3 blocks.
#include "linalg/block_matrix.h"

void sn_block_matrix_free(SnBlockMatrix* matrix)
{
    SN_FREE(matrix->col_start, matrix->row, matrix->values);
    *matrix = (SnBlockMatrix){0};
}
