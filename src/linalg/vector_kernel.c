// Scalar products and sums of stretches of vectors: enough sums side by side to hide what an addition takes.
#include "linalg/vector_kernel.h"

#include "core/isa.h"

extern const SnVectorKernels SN_KERNEL(sn_vector_kernels_table);

enum { SIDE_BY_SIDE = 16 };

static double dot(int n, const double* x, const double* y)
{
    double sums[SIDE_BY_SIDE] = {0};
    int i = 0;
    for (; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE)
#pragma omp simd
        for (int k = 0; k < SIDE_BY_SIDE; k++) sums[k] += x[i + k] * y[i + k];
    for (int k = 0; i + k < n; k++) sums[k] += x[i + k] * y[i + k];
    for (int width = SIDE_BY_SIDE / 2; width > 0; width /= 2)
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
    return sums[0];
}

static void add(int n, double a, const double* x, double* z)
{
#pragma omp simd
    for (int i = 0; i < n; i++) z[i] += a * x[i];
}

const SnVectorKernels SN_KERNEL(sn_vector_kernels_table) = {.dot = dot, .add = add};
