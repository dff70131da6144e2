// A copy of a Cholesky factor in fewer bits, for the sweeps.
#pragma once
#include "core/tasks.h"
#include "linalg/factor_plan.h"

typedef struct SnFactorCopy {
    SnFactorPrecision precision; // double: there is no copy
    const SnFactorPlan* plan;
    const double* l; // the factor itself
    char* bytes;     // long enough for floats
    int64_t length;  // of them
    int64_t* at;     // supernodes + 1: where each begins
} SnFactorCopy;

// plan and l must outlive it. Nothing is copied yet.
SnStatus sn_factor_copy_create(const SnFactorPlan* plan, const double* l, SnFactorPrecision precision,
                               SnFactorCopy* copy);
void sn_factor_copy_free(SnFactorCopy* copy);

// Copies the factor, in another precision from now on; there is room for any but doubles.
void sn_factor_copy_fill(SnFactorCopy* copy, SnFactorPrecision precision, SnTasks* tasks);

// The strips of a supernode as sn_sweep_kernels takes them; the factor's own where there is no copy.
static inline const void* sn_factor_copy_strips(const SnFactorCopy* copy, int s)
{
    return copy->bytes ? (const void*)(copy->bytes + copy->at[s]) : (const void*)(copy->l + copy->plan->l_at[s]);
}
