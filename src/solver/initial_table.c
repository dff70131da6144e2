// The table of L-BFGS's initial inverses: one row each.
#include <string.h>

#include "solver/initial.h"

#define INITIAL_LIST \
    X(laplacian) X(trace_laplacian) X(hessian) X(rest_hessian) X(warped_rest_hessian) X(identity) X(ichol) X(pcg) X(dot)

#define X(ID) extern const SnInitialType sn_initial_##ID;
INITIAL_LIST
#undef X

static const SnInitialType* const table[] = {
#define X(ID) &sn_initial_##ID,
    INITIAL_LIST
#undef X
};

int sn_initial_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const SnInitialType* sn_initial_at(int index)
{
    return table[index];
}

const SnInitialType* sn_initial_find(const char* name)
{
    for (int i = 0; i < sn_initial_count(); i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

static SnStatus apply(void* self, const double* q, double* r)
{
    const SnInitialInverse* b = self;
    return b->initial->apply(b->state, b->search, q, b->yy_over_sy, r);
}

SnInverse sn_initial_inverse(SnInitialInverse* inverse)
{
    return (SnInverse){apply, inverse};
}
