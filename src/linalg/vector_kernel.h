// Stretches of vectors, compiled once per instruction set.
#pragma once

typedef struct SnVectorKernels {
    double (*dot)(int n, const double* x, const double* y);
    void (*add)(int n, double a, const double* x, double* z); // z += a x
} SnVectorKernels;
