// Block Jacobi.
#include "linalg/block_jacobi.h"

#include "linalg/block_matrix.h"
#include "linalg/tile3.h"

enum { GRAIN = 2048 };

struct SnBlockJacobi {
    const SnBlockMatrix* matrix;
    double* inverse; // nine numbers a node
};

SnStatus sn_block_jacobi_create(const SnBlockMatrix* matrix, SnBlockJacobi** out)
{
    *out = NULL;
    SnBlockJacobi* jacobi;
    if (!SN_NEW(jacobi, 1, "block Jacobi")) return SN_ERROR_MEMORY;
    jacobi->matrix = matrix;
    bool room = SN_NEW(jacobi->inverse, 9 * (int64_t)matrix->n, "block Jacobi");
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, jacobi, sn_free, out);
}

void sn_block_jacobi_destroy(SnBlockJacobi* jacobi)
{
    if (!jacobi) return;
    SN_FREE(jacobi->inverse, jacobi);
}

static void invert_blocks(void* context, int first, int last)
{
    SnBlockJacobi* jacobi = context;
    for (int j = first; j < last; j++) {
        double block[9], v[9], *inverse = jacobi->inverse + 9 * (int64_t)j;
        sn_block_read(jacobi->matrix, j, 0, block);
        if (!sn_tile3_invert_factor(block, 0, v)) {
            double size = fabs(block[0]) + fabs(block[4]) + fabs(block[8]);
            double one = size > 0 && isfinite(size) ? 1 / sqrt(size) : 1;
            for (int k = 0; k < 9; k++) v[k] = k % 4 == 0 ? one : 0;
        }
        for (int c = 0; c < 3; c++) // V^T V
            for (int r = 0; r < 3; r++)
                inverse[3 * c + r] = v[3 * r] * v[3 * c] + v[3 * r + 1] * v[3 * c + 1] + v[3 * r + 2] * v[3 * c + 2];
    }
}

void sn_block_jacobi_update(SnBlockJacobi* jacobi, SnTasks* tasks)
{
    sn_tasks_for(tasks, jacobi->matrix->n, GRAIN, invert_blocks, jacobi);
}

typedef struct Product {
    const double *inverse, *x;
    double* y;
} Product;

static void multiply_blocks(void* context, int first, int last)
{
    const Product* product = context;
    for (int j = first; j < last; j++) {
        const double *v = product->inverse + 9 * (int64_t)j, *x = product->x + 3 * (int64_t)j;
        double x0 = x[0], x1 = x[1], x2 = x[2];
        for (int r = 0; r < 3; r++) product->y[3 * (int64_t)j + r] = v[r] * x0 + v[3 + r] * x1 + v[6 + r] * x2;
    }
}

static void apply(void* self, SnTasks* tasks, const double* x, double* y)
{
    const SnBlockJacobi* jacobi = self;
    sn_tasks_for(tasks, jacobi->matrix->n, GRAIN, multiply_blocks, &(Product){jacobi->inverse, x, y});
}

SnLinearMap sn_block_jacobi_map(SnBlockJacobi* jacobi)
{
    return (SnLinearMap){apply, jacobi};
}
