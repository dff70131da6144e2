// The global step of projective methods: minimise 1/2 d^T A d - r^T d, subject to the objective's constraints at x + d,
// by the method that suits them (constraint/method.h).
#pragma once
#include "constraint/method.h"
#include "solver/prefactored.h"

typedef struct SnGlobal {
    SnPrefactored* prefactored;
    const SnConstraintMethod* asked; // NULL: whichever suits
    double precision, reduction;     // as SnGlobalStep; methods that go on from step to step need not be exact
    double size;                     // m, of all rest shapes together
    double* d;                       // 3 x node_count
    void *uzawa, *gauss_seidel;      // states; the second is NULL until it is first used
    int work;                        // solves that are left to keep constraints with, of the whole minimisation
    int iterations;                  // that the last one took
} SnGlobal;

// How a solver keeps constraints: by what is asked for, where it can, otherwise by energies.
const SnConstraintMethod* sn_solver_constraint_method(const SnSolverType* solver, const SnSolverDef* def);

SnStatus sn_global_create(SnObjective* objective, const SnSolverDef* def, const double* weights, SnGlobal** global);
void sn_global_destroy(SnGlobal* global);
SnStatus sn_global_start(SnGlobal* global, SnSearch* search); // before each minimisation

// d, as above; the constraints' forces become those that keep them, unless they are energies.
SnStatus sn_global_solve(SnGlobal* global, const SnObjective* objective, const double* r, const double* x);
// And x += d. r: 3 x node_count, without the forces of constraints, not read at pinned nodes.
SnStatus sn_global_step(SnGlobal* global, const SnObjective* objective, const double* r, double* x);

// Of a fixed number of steps: where something touches, planes that are wedged against each other may fling nodes
// further than all there is, and the next step from there further still. Then x is where the minimisation began, again,
// and nothing is pushed. Whether.
bool sn_global_call_back(const SnGlobal* global, SnSearch* search, const double* from);

// Finds constraints that the global step keeps anew where the nodes are now; energies are found after each iteration.
void sn_global_take_over(SnSearch* search);
