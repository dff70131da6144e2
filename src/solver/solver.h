// Minimising an objective: one loop and one stopping rule for all solvers, and the table of solvers.
#pragma once
#include <sinew/world.h>

#include "core/parameter.h"
#include "solver/stopping.h"

// A minimisation under way.
typedef struct SnSearch {
    SnObjective* objective;
    double* x;               // 3 x node_count: the iterate; pinned nodes are where they belong
    double* g;               // 3 x node_count: gradient there
    double* d;               // 3 x node_count: direction, zero at pinned nodes
    double *trial, *trial_g; // 3 x node_count: of the line search; after it, the iterate before and its gradient
    SnObjectiveValue value;  // E(x)
    double norm;             // |g|
    SnStopping stopping;
    struct SnIslands* islands; // where something can touch
    double tolerance;          // N: the residual that it allows at x; 0: run to the iteration limit
    double caution; // of that, what the solver asks of itself where its residual hides soft modes that are still off
    int iteration_limit;
    int end;              // the iterations after which it ends: the limit, or a few more
    int budget, spent;    // evaluations of a step: at most, where not 0, and by minimisations before this one
    int line_search;      // a number from sn_line_search_find
    double armijo, wolfe; // its constants
    double step;          // of the last line search: 1 is the full step
    bool floor_reached;   // the last step was too small for E to tell
    int iterations, evaluations, factorizations;
    int conjugate;       // iterations of conjugate gradients
    int bounded;         // inner loops that ended by their bound of work and not by their precision
    bool stale;          // value and gradient are not those of x: the solver had no need of them
    bool renewed;        // the gradient at x is another one than that the last iteration ended with
    bool exact;          // the last iteration was Newton's: how stiff a term is does not matter to it
    bool again;          // a matrix is applied once more within one iteration
    bool settled;        // the solver's own stopping rule is met
    const char* stalled; // set by a solver that cannot go on: why
    SnOutcome outcome;
    double open; // N: converged with planes of contacts as they were, the residual with those found last; 0: the same
    char detail[256];                       // of a stall, or of planes that have not settled, for people
    int worst_count, worst[SN_WORST_NODES]; // where it stalled
    SnTimes ms;
    // Called before the first and after each iteration, for those who watch; NULL: nobody does.
    void (*watch)(void* user, const struct SnSearch* search);
    void* watch_user;
} SnSearch;

// What a solver carries over from one minimisation to the next, as numbers: a resumed run goes on with the same bits.
typedef struct SnMemory {
    int64_t (*size)(const void* state);
    void (*save)(const void* state, double* numbers);
    void (*restore)(void* state, const double* numbers); // NULL: forgets
    // Makes room for so many numbers, or as many as it can, before they are restored; NULL: the size is always the
    // same.
    SnStatus (*expect)(void* state, int64_t size);
} SnMemory;

// A solver: a file with these functions and a row in solver_table.c.
typedef struct SnSolverType {
    const char* name;
    const char* summary;           // one line, as printed by `sinew list solvers`
    const SnParameter* parameters; // its options, members of SnSolverDef or in its room `own`; NULL: none
    bool global_step;  // it can keep constraints in one, by other methods than energies (constraint/method.h)
    bool keeps_limits; // itself, as projections: they have no energy
    double caution;    // see SnSearch; 0: 1
    // State for one objective (its free nodes and pattern); freed by destroy, also when half built.
    SnStatus (*create)(SnObjective* objective, const SnSolverDef* def, void** state);
    void (*destroy)(void* state);
    // Before the first iteration of each minimisation, with value and gradient at search->x; NULL: nothing to do.
    SnStatus (*start)(void* state, SnSearch* search);
    // One iteration: improves search->x and refreshes value and gradient. When it cannot, it says why in
    // search->stalled.
    SnStatus (*iterate)(void* state, SnSearch* search);
    // Value and gradient at search->x, where they are more than sn_search_evaluate's; NULL: they are not.
    void (*evaluate)(void* state, SnSearch* search);
    // After each minimisation, x being where that ended; NULL: nothing to do.
    void (*end)(void* state, const SnSearch* search);
    const SnMemory* memory; // what it takes from one minimisation into the next; NULL: nothing
} SnSolverType;

SN_TABLE(SnSolverType, solver)

extern const SnParameter sn_solver_parameters[]; // those that all solvers have
// Whether `scaled` says anything: not around an initial inverse of lbfgs that is not linear.
bool sn_solver_def_scales(const SnSolverDef* def);
// Checks what is given, and has every name as its table has it: the caller's texts may go away.
SnStatus sn_solver_def_resolve(SnSolverDef* def);
void sn_solver_def_take_type(SnSolverDef* def); // makes the room `own` that of its type

SnStatus sn_search_create(SnObjective* objective, const SnSolverDef* def, SnSearch** search);
void sn_search_destroy(SnSearch* search);

// Minimises from search->x, at least one iteration, until |g| <= tolerance, the iteration limit, or a stall.
SnStatus sn_minimize(const SnSolverType* solver, void* state, SnSearch* search);

// The value and the gradient at search->x.
void sn_search_evaluate(SnSearch* search);
