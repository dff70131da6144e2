// Linear systems over several processes: PETSc's conjugate gradients.
#pragma once
#include "linalg/scalar_matrix.h"
#include "mpi/rows.h"

enum { SN_MOST_CG = 1000 };

typedef struct SnLinear {
    const SnRows* rows;
    KSP ksp;
    Vec right, answer;
    Mat matrix;
    Mat product;        // what is solved with in its place, with the matrix to precondition that; NULL: itself
    int width;          // of its blocks: 3, or 1, and then x, y and z are solved for one after the other
    int64_t iterations; // of conjugate gradients, so far
} SnLinear;

typedef struct SnLinearReport {
    bool converged, indefinite;
    int iterations;
} SnLinearReport;

// The preconditioner of a matrix of 3x3 blocks: gamg, bddc, asm or jacobi. Set before a solver is made.
extern const char* const sn_linear_preconditioners[];
void sn_linear_set_preconditioner(const char* name);
const char* sn_linear_preconditioner(void);

// rest: where nodes are, for rigid motions; NULL: a scalar matrix. PETSc's options come with the prefix sinew_.
SnStatus sn_linear_create(const SnRows* rows, const SnSharedMatrix* matrix, const double* rest, int most,
                          SnLinear* linear);
void sn_linear_free(SnLinear* linear);
SnStatus sn_linear_factor(SnLinear* linear); // after the matrix has changed
// x = matrix^-1 factor b to a residual of `tolerance` times the right-hand side's, over nodes.
SnStatus sn_linear_solve(SnLinear* linear, double factor, const double* b, double tolerance, double* x,
                         SnLinearReport* report);

// The lower triangle of 3x3 blocks that a part has.
SnPartBlocks sn_blocks_of(const SnBlockMatrix* matrix);
SnPartBlocks sn_numbers_of(const SnScalarMatrix* matrix);
