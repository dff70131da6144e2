// The table of L-BFGS's initial inverses: one row each.
#include "solver/initial.h"

#define INITIAL_LIST   \
    X(laplacian)       \
    X(trace_laplacian) \
    X(kept_hessian) X(hessian) X(rest_hessian) X(warped_rest_hessian) X(identity) X(ichol) X(pcg) X(dot)

#define X(ID) extern const SnInitialType sn_initial_##ID;
INITIAL_LIST
#undef X

static const SnInitialType* const rows[] = {
#define X(ID) &sn_initial_##ID,
    INITIAL_LIST NULL
#undef X
};

static SnStatus apply(void* self, const double* q, double* r)
{
    const SnInitialInverse* b = self;
    return b->initial->apply(b->state, b->search, q, b->yy_over_sy, r);
}

SnInverse sn_initial_inverse(SnInitialInverse* inverse)
{
    return (SnInverse){apply, inverse};
}

const SnTable sn_initial_table = {"initial", rows, .key = "initial", .parameters = offsetof(SnInitialType, parameters)};
