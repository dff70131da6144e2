// The initial inverse of L-BFGS, by name: what stands in for H^-1 before the pairs correct it.
#pragma once
#include "constraint/inverse.h"
#include "solver/solver.h"

// An initialiser: a file with these functions and a row in initial_table.c.
typedef struct SnInitialType {
    const char* name;
    const char* summary;           // one line, as printed by `sinew list initials`
    const SnParameter* parameters; // its options, members of SnSolverDef; NULL: none
    bool linear;                   // apply is linear, and the same from start to start
    bool symmetric;                // and symmetric, but for rounding
    bool scalar;                   // and the same for x, y and z, between which it is zero; it tells its factor
    SnStatus (*create)(SnObjective* objective, const SnSolverDef* def, void** state);
    void (*destroy)(void* state);
    // At the start of each minimisation, with the gradient at search->x; NULL: nothing to do.
    SnStatus (*start)(void* state, SnSearch* search);
    // r = H0 q, both 3 x node_count and zero at pinned nodes. ys: y.y / s.y of the newest pair, 0 when there is none.
    SnStatus (*apply)(void* state, SnSearch* search, const double* q, double yy_over_sy, double* r);
    // The same of SN_MANY vectors at once, in place, where it tells its factor: rows of the free nodes, three each or,
    // where it is scalar, one, of SN_MANY numbers each. They are zero but at some nodes, whatever is there, and only
    // these are asked for.
    SnStatus (*apply_many)(void* state, const int* nodes, int count, double* rows);
    // What that gives is turned with the nodes: R H0 R^T, with the rotation R of each, r, column after column, of that
    // with this row; NULL: it is not.
    void (*turn)(const void* state, int row, double r[9]);
    // And of one vector, where it is not scalar: three numbers a node.
    SnStatus (*apply_among)(void* state, const int* nodes, int count, double* rows);
    // Whether it would rather be started anew than be applied again; NULL: never.
    bool (*stale)(void* state, const SnSearch* search);
    // For those who count what it costs: its factor, and how often its matrix has been taken anew so far; NULL: not
    // told.
    const struct SnCholesky* (*factor)(const void* state);
    int (*taken)(const void* state);
    const SnMemory* memory; // what it takes from one minimisation into the next; NULL: nothing
} SnInitialType;

SN_TABLE(SnInitialType, initial)

// The subdomain of `dot` that each node is in, node_count each: of several the last, and then it is shared; -1: none.
SnStatus sn_dot_subdomains(const SnObjective* objective, const SnSolverDef* def, int* part, bool* shared);

// The rows of free nodes of each, as `dot` splits the elements of this process.
typedef struct SnDotRows {
    int count;
    int *start, *rows; // count + 1, and where these say: increasing
} SnDotRows;
SnStatus sn_dot_list_rows(const SnObjective* objective, const SnSolverDef* def, SnDotRows* rows);
void sn_dot_rows_free(SnDotRows* rows);

// `factor` and `taken` of the initial inverse of L-BFGS, which tells them.
const struct SnCholesky* sn_lbfgs_factor(const void* state);
int sn_lbfgs_taken(const void* state);
int64_t sn_lbfgs_applied(const void* state);    // how often it was applied to keep constraints, so far
double sn_lbfgs_kept_work(const void* state);   // and what finding their forces has cost besides (solver/work.h),
int64_t sn_lbfgs_kept_steps(const void* state); // in so many steps towards them
// What such a step would take around a Hessian, if that were known among the nodes that constraints touch as this
// initial inverse is; 0: that is not.
double sn_lbfgs_touched_work(const void* state);

// One of them as a map, for the time of a direction.
typedef struct SnInitialInverse {
    const SnInitialType* initial;
    void* state;
    SnSearch* search;
    double yy_over_sy;
} SnInitialInverse;
SnInverse sn_initial_inverse(SnInitialInverse* inverse);

// The state of solver `lbfgs` around this initial inverse (solver/lbfgs.c).
SnStatus sn_lbfgs_create_around(const SnInitialType* initial, SnObjective* objective, const SnSolverDef* def,
                                void** state);
