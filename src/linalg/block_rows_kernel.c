// Products of rows of 3x3 blocks. A block's column is loaded as four numbers, of which the last is not used.
#include <string.h>

#include "core/isa.h"
#include "linalg/block_rows.h"
#include "linalg/four.h"

extern const SnRowKernels SN_KERNEL(sn_row_kernels_table);

// sum[0..2] = sum over the row's blocks of A_ij x_j
SN_INLINE void gather(const SnRowList* a, int i, const double* x, double sum[4])
{
    Four s0 = {0}, s1 = {0}, s2 = {0};
    const double* block = a->block + 9 * a->start[i];
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++, block += 9) {
        const double* xj = x + 3 * (int64_t)a->column[e];
        s0 += LOAD(block) * xj[0];
        s1 += LOAD(block + 3) * xj[1];
        s2 += LOAD(block + 6) * xj[2];
    }
    STORE(sum, (s0 + s1) + s2);
}

static void multiply(const SnRowList* a, const double* x, double* y, int first, int last)
{
    for (int i = first; i < last; i++) {
        double sum[4];
        gather(a, i, x, sum);
        memcpy(y + 3 * (int64_t)i, sum, 3 * sizeof *y);
    }
}

static void forward(const SnRowList* a, const double* d, double* x, int first, int last)
{
    for (int i = first; i < last; i++) {
        double sum[4], *xi = x + 3 * (int64_t)i;
        const double* di = d + 9 * (int64_t)i;
        gather(a, i, x, sum);
        for (int r = 0; r < 3; r++) sum[r] = xi[r] - sum[r];
        for (int r = 0; r < 3; r++) xi[r] = di[r] * sum[0] + di[3 + r] * sum[1] + di[6 + r] * sum[2];
    }
}

static void backward(const SnRowList* a, const double* d, double* x, int first, int last)
{
    for (int i = last - 1; i >= first; i--) {
        double sum[4], *xi = x + 3 * (int64_t)i;
        const double* di = d + 9 * (int64_t)i;
        gather(a, i, x, sum);
        for (int r = 0; r < 3; r++) sum[r] = xi[r] - sum[r];
        for (int r = 0; r < 3; r++) xi[r] = di[3 * r] * sum[0] + di[3 * r + 1] * sum[1] + di[3 * r + 2] * sum[2];
    }
}

static void subtract_products(const double* a, const int (*pair)[2], int64_t count, double c[9])
{
    Four s0 = {0}, s1 = {0}, s2 = {0};
    for (int64_t k = 0; k < count; k++) {
        const double *left = a + 9 * (int64_t)pair[k][0], *right = a + 9 * (int64_t)pair[k][1];
        Four l0 = LOAD(left), l1 = LOAD(left + 3), l2 = LOAD(left + 5);
        l2 = __builtin_shufflevector(l2, l2, 1, 2, 3, 3); // the block after this one may be another thread's
        s0 += l0 * right[0] + l1 * right[3] + l2 * right[6];
        s1 += l0 * right[1] + l1 * right[4] + l2 * right[7];
        s2 += l0 * right[2] + l1 * right[5] + l2 * right[8];
    }
    double sum[12];
    STORE(sum, s0), STORE(sum + 4, s1), STORE(sum + 8, s2);
    for (int q = 0; q < 3; q++)
        for (int r = 0; r < 3; r++) c[3 * q + r] -= sum[4 * q + r];
}

const SnRowKernels SN_KERNEL(sn_row_kernels_table) = {
    .multiply = multiply, .forward = forward, .backward = backward, .subtract_products = subtract_products};
