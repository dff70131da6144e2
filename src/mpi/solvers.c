// Which solvers are distributed.
#include "mpi/solvers.h"

SnStatus sn_mpi_solver_find(const SnSolverDef* def, const SnSolverType** type)
{
    const char* name = def->type ? def->type : "auto";
    *type = &sn_mpi_newton; // what auto is here
    if (strcmp(name, "newton") == 0 || strcmp(name, "auto") == 0) return SN_OK;
    return sn_fail(SN_ERROR_UNSUPPORTED, "solver '%s' is not distributed yet; newton is (solver: {type: newton})",
                   name);
}
