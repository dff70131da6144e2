// Which solvers are distributed.
#include "mpi/solvers.h"

// `linear: cholesky`, its default, cannot be told from nothing said.
static SnStatus check_preconditioner(const SnSolverDef* def)
{
    const char* name = def->preconditioner ? def->preconditioner : "ichol";
    if (strcmp(name, "ichol") == 0) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED,
                   "`preconditioner: %s` is for one process; here they are PETSc's, as in --preconditioner jacobi",
                   name);
}

SnStatus sn_mpi_solver_find(const SnSolverDef* def, const SnSolverType** type)
{
    const char *name = def->type ? def->type : "auto", *initial = def->initial ? def->initial : "laplacian";
    bool lbfgs = strcmp(name, "lbfgs") == 0;
    *type = &sn_mpi_newton; // what auto is here
    if (strcmp(name, "newton") == 0 || strcmp(name, "auto") == 0) return check_preconditioner(def);
    *type = &sn_mpi_dot;
    if (strcmp(name, "dot") == 0 || (lbfgs && strcmp(initial, "dot") == 0)) return SN_OK;
    *type = &sn_mpi_lbfgs;
    if (lbfgs && strcmp(initial, "laplacian") == 0) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED,
                   "solver '%s%s%s' is not distributed yet; newton, dot and lbfgs/laplacian are (--solver newton)",
                   name, lbfgs ? "/" : "", lbfgs ? initial : "");
}
