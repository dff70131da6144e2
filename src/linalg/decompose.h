// Singular values and rotations of packs of 3x3 and 3x2 matrices, for the instruction set in use. Matrices are column
// after column: entry (r, c) of lane l is f[3c + r][l].
#pragma once
#include "core/isa.h"

typedef struct SnDecompositions {
    // F = U diag(s) V^T, det U = det V = 1, s1 >= s2 >= |s3|
    void (*svd3)(const double f[9][SN_LANES], double u[9][SN_LANES], double s[3][SN_LANES], double v[9][SN_LANES]);
    // F (3x2) = U diag(s) V^T; u has the normal as its third column, v is 2x2
    void (*svd32)(const double f[6][SN_LANES], double u[9][SN_LANES], double s[2][SN_LANES], double v[4][SN_LANES]);
    // F = R S with det R = 1: without singular values where F is not close to collapse
    void (*polar3)(const double f[9][SN_LANES], double r[9][SN_LANES]);
} SnDecompositions;

const SnDecompositions* sn_decompositions(void);
