// Sums of columns of a compliance, compiled once per instruction set.
#pragma once

enum { SN_COLUMNS = 4 }; // at once

typedef struct SnComplianceKernels {
    // x += sum_k column_k q[0][k], and so for y and z, which follow; n numbers each.
    void (*add_columns)(int n, const double* const column[SN_COLUMNS], const double q[3][SN_COLUMNS], double* x);
} SnComplianceKernels;
