// The constant matrix of projective methods over the free nodes, A = M/b^2 + sum w^2 G^T G, factored when b changes.
#pragma once
#include "linalg/node_system.h"
#include "solver/solver.h"

typedef struct SnPrefactored {
    SnNodeSystem system;   // of L, plus the inertia once that is known
    const double* weights; // as sn_laplacian_create takes them, or NULL
    double* diagonal;      // of L, per row
    bool preconditions;    // and does not take steps: it has SnNodes.support
    double inertia;        // that the factor was made with; negative: there is none yet
    int64_t actuated;      // rest shapes that L was made with, as the potential counts them
} SnPrefactored;

// weights: as sn_laplacian_create takes them, kept; NULL: w^2 = k V. large: what the sweeps over factors that do not
// stay in the cache read; floats for steps whose rounding the next one corrects, shorts for preconditioners.
SnStatus sn_prefactored_create(SnObjective* objective, const double* weights, SnFactorPrecision large,
                               SnPrefactored** prefactored);
void sn_prefactored_destroy(SnPrefactored* prefactored);

// The matrix by other weights; to be factored at the next start.
void sn_prefactored_update(SnPrefactored* prefactored, const SnObjective* objective);
// Before each minimisation: factors again if the step length or rest shapes have changed.
SnStatus sn_prefactored_start(SnPrefactored* prefactored, SnSearch* search);
// Factors with the values that matrix (off the diagonal) and diagonal have now.
SnStatus sn_prefactored_factor(SnPrefactored* prefactored, SnSearch* search);
