// The table of solvers: one row each.
#include <string.h>

#include "solver/solver.h"

#define SOLVER_LIST X(auto) X(newton) X(lbfgs) X(dot) X(chebyshev) X(pd) X(admm)

#define X(ID) extern const SnSolverType sn_##ID;
SOLVER_LIST
#undef X

static const SnSolverType* const table[] = {
#define X(ID) &sn_##ID,
    SOLVER_LIST
#undef X
};

int sn_solver_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const SnSolverType* sn_solver_at(int index)
{
    return table[index];
}

const SnSolverType* sn_solver_find(const char* name)
{
    for (int i = 0; i < sn_solver_count(); i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

SnSolverDef sn_default_solver_def(void)
{
    return (SnSolverDef){.type = "auto",
                         .iterations = 100,
                         .tolerance = 1e-5,
                         .line_search = "armijo",
                         .armijo = 0.3,
                         .initial = "laplacian",
                         .history = 5,
                         .linear = "cholesky",
                         .preconditioner = "ichol",
                         .relaxation = 1,
                         .adapt = true,
                         .merge_dissipation = true,
                         .constraints = "auto"};
}
