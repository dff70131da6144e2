// The projected Hessian of an objective at some x, factored: the initial inverses made of it share this.
#pragma once
#include "linalg/cholesky.h"
#include "solver/solver.h"
#include "solver/warp.h"

typedef struct SnFactoredHessian {
    SnHessian* hessian;
    SnCholesky* cholesky;
    double* rows;   // 3 x free_count
    double* own;    // 3 x free_count: the diagonal without inertia
    double inertia; // that the factor was made with; negative: there is none yet
    bool rounded;   // to single precision, in which it is remembered
} SnFactoredHessian;

// elastic: without dissipations, so that it does not depend on the stage that it is made in.
SnStatus sn_factored_hessian_build(SnFactoredHessian* factored, SnObjective* objective, bool elastic);
void sn_factored_hessian_free(SnFactoredHessian* factored);
// The matrix at x, without inertia.
void sn_factored_hessian_take(SnFactoredHessian* factored, SnSearch* search, const double* x);
// Factors it with the objective's inertia.
SnStatus sn_factored_hessian_factor(SnFactoredHessian* factored, SnSearch* search);
// The matrix as numbers of single precision, two in each of so many doubles.
int64_t sn_factored_hessian_size(const SnFactoredHessian* factored);
void sn_factored_hessian_save(const SnFactoredHessian* factored, double* numbers);
void sn_factored_hessian_restore(SnFactoredHessian* factored, const double* numbers);
// r = H^-1 q, or R H^-1 R^T q with the rotations of a warp (NULL: none); both 3 x node_count and zero at pinned nodes.
SnStatus sn_factored_hessian_apply(SnFactoredHessian* factored, const SnObjective* objective, const SnWarp* warp,
                                   const double* q, double* r);
// The same in place, of 3 x free_count rows that are zero but at some nodes, and asked for there alone.
SnStatus sn_factored_hessian_apply_among(SnFactoredHessian* factored, const SnWarp* warp, const int* nodes, int count,
                                         double* rows);
