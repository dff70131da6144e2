// The solvers that work over several processes, by the names of those that they stand for.
#pragma once
#include <string.h>

#include "mpi/fabric.h"
#include "mpi/rows.h"
#include "solver/solver.h"

extern const SnSolverType sn_mpi_newton, sn_mpi_lbfgs, sn_mpi_dot;

// L-BFGS around any initial inverse (sn_lbfgs_create_around).
void sn_mpi_lbfgs_destroy(void* state);
SnStatus sn_mpi_lbfgs_start(void* state, SnSearch* search);
SnStatus sn_mpi_lbfgs_iterate(void* state, SnSearch* search);

// The one for a definition; an error, by name, for those that are not distributed.
SnStatus sn_mpi_solver_find(const SnSolverDef* def, const SnSolverType** type);

static inline SnFabric* sn_fabric_of(const SnObjective* o)
{
    return sn_tasks_share(o->nodes.tasks)->self;
}
