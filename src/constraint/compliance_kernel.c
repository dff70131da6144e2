// Each number of the matrix is read once for x, y and z, and each of the result once for several columns.
#include "constraint/compliance_kernel.h"

#include "core/isa.h"

extern const SnComplianceKernels SN_KERNEL(sn_compliance_kernels_table);

static void add_to_one(int n, const float* const column[SN_COLUMNS], const double q[SN_COLUMNS], double* x)
{
    const float *a = column[0], *b = column[1], *c = column[2], *d = column[3];
#pragma omp simd
    for (int i = 0; i < n; i++) x[i] += (a[i] * q[0] + b[i] * q[1]) + (c[i] * q[2] + d[i] * q[3]);
}

static void add_to_three(int n, const float* const column[SN_COLUMNS], const double q[3][SN_COLUMNS], double* x)
{
    const float *a = column[0], *b = column[1], *c = column[2], *d = column[3];
    double *y = x + n, *z = y + n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        x[i] += (a[i] * q[0][0] + b[i] * q[0][1]) + (c[i] * q[0][2] + d[i] * q[0][3]);
        y[i] += (a[i] * q[1][0] + b[i] * q[1][1]) + (c[i] * q[1][2] + d[i] * q[1][3]);
        z[i] += (a[i] * q[2][0] + b[i] * q[2][1]) + (c[i] * q[2][2] + d[i] * q[2][3]);
    }
}

static void add_columns(int n, int vectors, const float* const column[SN_COLUMNS], const double q[3][SN_COLUMNS],
                        double* x)
{
    if (vectors == 1)
        add_to_one(n, column, q[0], x);
    else
        add_to_three(n, column, q, x);
}

const SnComplianceKernels SN_KERNEL(sn_compliance_kernels_table) = {.add_columns = add_columns};
