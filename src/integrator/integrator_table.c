// The table of time integrators: one row each.
#include <string.h>

#include "integrator/integrator.h"

#define INTEGRATOR_LIST X(backward_euler) X(bdf2) X(trapezoidal) X(implicit_midpoint) X(tr_bdf2) X(static)

#define X(ID) extern const SnIntegratorType sn_##ID;
INTEGRATOR_LIST
#undef X

static const SnIntegratorType* const table[] = {
#define X(ID) &sn_##ID,
    INTEGRATOR_LIST
#undef X
};

int sn_integrator_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const SnIntegratorType* sn_integrator_at(int index)
{
    return table[index];
}

const SnIntegratorType* sn_integrator_find(const char* name)
{
    for (int i = 0; i < sn_integrator_count(); i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}
