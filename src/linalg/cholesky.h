// Sparse Cholesky factorisation of symmetric matrices on the nodes of a mesh, of 3x3 blocks or the same for x, y and z.
// Whichever it is, vectors are 3n long with x y z of each node together.
#pragma once
#include "linalg/block_matrix.h"
#include "linalg/scalar_matrix.h"

typedef struct SnCholesky SnCholesky;

// What was found for matrices that are no more (linalg/factor_store.h).
typedef struct SnFactorStore SnFactorStore;

// Orders and analyses the pattern of `matrix`, which must outlive the result; values are not read. What has the same
// pattern in the store is not ordered again, and destroyed, the factorisation is left there; NULL: there is none.
SnStatus sn_cholesky_create(const SnBlockMatrix* matrix, SnFactorStore* store, SnCholesky** cholesky);
// The same for A (x) I3: one factor of A, whose solve sweeps x, y and z together. Parts with the same numbers as in the
// store are not factored again.
SnStatus sn_cholesky_create_scalar(const SnScalarMatrix* matrix, SnFactorStore* store, SnCholesky** cholesky);
void sn_cholesky_destroy(SnCholesky* cholesky);

// Threads to factor and solve with; as created, the calling thread alone. The bits do not depend on them. Different
// factorisations may be used by different threads at the same time, as long as they have no tasks in common.
void sn_cholesky_set_tasks(SnCholesky* cholesky, SnTasks* tasks);

// What the sweeps read, double as created: faster where the factor does not fit in the cache, and enough for a
// preconditioner. Floats are right, and symmetric, to six digits or so; shorts, of factors of A (x) I3 alone, to three
// or four, positive definite whatever they lose. Short copies that lose too much of A (of a vector of ones, say, in a
// body much stiffer than its inertia) are replaced by floats when factoring.
typedef enum SnFactorPrecision { SN_FACTOR_DOUBLE, SN_FACTOR_FLOAT, SN_FACTOR_SHORT } SnFactorPrecision;
enum { SN_FACTOR_LARGE = 2000000 }; // entries of a factor that does not stay in the cache
SnStatus sn_cholesky_set_precision(SnCholesky* cholesky, SnFactorPrecision precision);

// Factors matrix + shift I with the matrix's current values. *definite tells whether it was positive definite; when it
// was not, there is no factor to solve with.
SnStatus sn_cholesky_factor(SnCholesky* cholesky, double shift, bool* definite);

// x = A^-1 b, both 3n long; x may be b.
SnStatus sn_cholesky_solve(SnCholesky* cholesky, const double* b, double* x);

// The same on vectors of more than the rows: row i is at places[i], in threes (n of them, copied), and the other
// numbers of x are left alone.
SnStatus sn_cholesky_set_places(SnCholesky* cholesky, const int* places);
SnStatus sn_cholesky_solve_placed(SnCholesky* cholesky, const double* b, double* x);

// The same with SN_MANY right-hand sides at once, in place, at a fraction of the price of each: rows are the matrix's
// (three a node where it has blocks), with the numbers of all right-hand sides together. In double precision. Of some
// nodes: all others have zeros for right-hand sides, whatever is there, and are left alone; the sweeps then go along
// the branches of the elimination tree that these nodes are on, to the same bits.
enum { SN_MANY = 8 };
SnStatus sn_cholesky_solve_many(SnCholesky* cholesky, double* rows);
SnStatus sn_cholesky_solve_some(SnCholesky* cholesky, const int* nodes, int count, double* rows);

// The same with one right-hand side, x y z of each node as in sn_cholesky_solve, and in its precision.
SnStatus sn_cholesky_solve_among(SnCholesky* cholesky, const int* nodes, int count, double* x);

// The part of the factor that the sweeps of some nodes read; 0 before the first of them.
double sn_cholesky_swept(const SnCholesky* cholesky);
int sn_cholesky_parts(const SnCholesky* cholesky);      // that are not connected with each other
int sn_cholesky_parts_kept(const SnCholesky* cholesky); // of these, taken from the store by the last factorisation
double sn_cholesky_factor_entries(const SnCholesky* cholesky); // nonzeros of the factor
double sn_cholesky_factor_flops(const SnCholesky* cholesky);   // multiplications of a factorisation
