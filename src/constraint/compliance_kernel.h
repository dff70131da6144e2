// Sums of columns of a compliance, compiled once per instruction set.
#pragma once

enum { SN_COLUMNS = 4 }; // at once

typedef struct SnComplianceKernels {
    // x += sum_k column_k q[0][k], n numbers; with three vectors so for y and z, which follow.
    void (*add_columns)(int n, int vectors, const float* const column[SN_COLUMNS], const double q[3][SN_COLUMNS],
                        double* x);
} SnComplianceKernels;
