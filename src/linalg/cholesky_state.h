// What a Cholesky factorisation keeps, for cholesky.c (factoring) and cholesky_solve.c.
#pragma once
#include "linalg/cholesky.h"
#include "linalg/factor_copy.h"

struct SnCholesky {
    const SnBlockMatrix* matrix; // one of these two
    const SnScalarMatrix* scalar;
    SnTasks* tasks;
    SnFactorPlan plan;
    const SnFrontKernels* fronts;
    const SnSweepKernels* sweeps;
    double* l;                   // the factor
    int* place;                  // n: where node k of the order is in vectors; NULL: at order[k]
    SnFactorPrecision precision; // asked for, for the sweeps
    SnFactorCopy copy;           // the same in fewer bits
    double* probe;               // 2 x 3n: of short copies, whether they will do
    double* work;                // fronts
    double* vector;              // plan.rows, four numbers each with three right-hand sides
    double* sums;                // of the top's sweeps
    double *many, *many_sums;    // the same with many right-hand sides; made when first needed
    int *rank, *home;            // n: where a node is in the order, and its supernode; made with these,
    bool* wanted;                // and supernodes: of a sweep of some nodes,
    double swept;                // the part of the factor that is
    bool* indefinite;            // group_count + 1
    double shift;
    bool factored;
    SnFactorStore* store;
    // With a store, of numbers alone: the matrix's as they were factored, part after part, and where each begins.
    double* values;
    int64_t* value_start; // parts + 1
    bool* kept;           // plan.shape.count: the supernode is there already, from the store; NULL: none can be
    int kept_count;       // parts
};

static inline int sn_chunks_of(int count, int size)
{
    return count / size + (count % size != 0);
}

void sn_cholesky_free(SnCholesky* c); // also if there is a store
// Numbers needed for the sums of the top's chunks in a sweep.
int64_t sn_cholesky_sums_length(const SnFactorPlan* plan);
// Fills the copy that sweeps read, after factoring.
void sn_cholesky_copy_for_sweeps(SnCholesky* c);
