// Preconditioned conjugate gradients (Hestenes & Stiefel 1952), cut short where the matrix curves downwards (Steihaug
// 1983).
#pragma once
#include "core/tasks.h"

// A linear map: y = A x. The operator and the preconditioner are both given so.
typedef struct SnLinearMap {
    void (*apply)(void* self, SnTasks* tasks, const double* x, double* y);
    void* self;
} SnLinearMap;

typedef struct SnPcgOptions {
    double tolerance;   // stops at |b - A x| <= tolerance |b|
    int max_iterations; // 0: as many as there are unknowns
    bool guess;         // x is a first guess; otherwise it begins at zero
} SnPcgOptions;

typedef struct SnPcgReport {
    int iterations;  // products with A
    double residual; // |b - A x| / |b|, as the recurrence has it
    bool converged;  // the tolerance was met
    bool indefinite; // p . A p <= 0: x is the iterate before that, or, at the first, the preconditioned b
} SnPcgReport;

typedef struct SnPcg SnPcg; // work vectors

SnStatus sn_pcg_create(int unknowns, SnPcg** pcg);
void sn_pcg_destroy(SnPcg* pcg);

// Solves A x = b. Without preconditioner (apply NULL), plain conjugate gradients. Allocates nothing; the bits do not
// depend on the number of threads as long as those of the maps do not.
SnPcgReport sn_pcg_solve(SnPcg* pcg, SnTasks* tasks, SnLinearMap a, SnLinearMap preconditioner, const double* b,
                         double* x, SnPcgOptions options);
