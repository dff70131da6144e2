// The constants of the methods that keep constraints, in one place; docs/contact.md has what was measured of them.
#pragma once

// Augmented Lagrangian: the penalty k, relative to what a constraint's nodes put up against being moved.
#define SN_PENALTY 3.0
#define SN_PENALTY_GLOBAL 0.3     // of friction in a global step, which keeps all else exactly
#define SN_PENALTY_GUESS 1.0      // where first guesses are compared
#define SN_PENALTY_GROWTH 3.0     // when forces converge slowly,
#define SN_PENALTY_MOST 10.0      // while it is below this
enum { SN_PENALTY_PATIENCE = 5 }; // slow changes, in a row, before that; and before constraints count as contradicting
#define SN_SPRING 1.0             // of slides whose node touches, too
#define SN_SLOW_CHANGE 0.7        // of the change before

#define SN_ABOUT_TO_PUSH 0.1 // of the mean force: so near to pushing a constraint counts as one that does, in matrices

// When forces are taken over, and when they have settled.
#define SN_TAKE_OVER 0.5        // the gradient is at most this much of what the forces would change,
#define SN_TAKE_OVER_LEAST 0.01 // and half as much each time that they change by more than before, down to this
#define SN_FORCE_ERROR 2e-3     // of the forces: at the tolerance alone, what rests would never come to rest
#define SN_TOLERANCE_SHARE 1e-3 // of the tolerance: less is never asked for
// Of the forces, how large the gradient may be at the end: what is left over must not move what they hold.
#define SN_BALANCE 2e-3

// Rounds of constraints found anew at the minimum of those before, in which planes follow what they are between; at
// sharp edges they would go to and fro for ever, so after these they stay, unless each round leaves so much less than
// the one before; and what those found last would leave is told.
enum { SN_MOST_ROUNDS = 4, SN_MOST_SETTLING = 30 };
#define SN_SETTLING 0.5

// Global steps.
#define SN_GLOBAL_PRECISION 1e-9 // m, relative to the size of the rest shapes
#define SN_GLOBAL_REDUCTION 0.03 // of what constraints are off by, in each global step
enum {
    SN_UZAWA_ROUNDS = 20,         // changes of the active set
    SN_UZAWA_WORK = 600,          // iterations of conjugate gradients, in all of a global step,
    SN_UZAWA_EACH = 50,           // in all global steps together, so many for each iteration that is allowed,
    SN_UZAWA_FIXED_WORK = 2000,   // and at least these where their number is fixed: too few in one, and
    SN_UZAWA_LEAST = 20,          // what obstacles push is in their way for good; after these each has so many
    SN_UZAWA_PATIENCE = 100,      // of these without progress, before constraints count as dependent
    SN_GAUSS_SEIDEL_MANY = 300,   // constraints from which on it is tried by itself
    SN_GAUSS_SEIDEL_SWEEPS = 100, // at most
    SN_CORNER_PASSES = 30,        // over the planes of one node
};
#define SN_GAUSS_SEIDEL_RELAXATION 1.6
#define SN_CORNER_SAME 1e-12  // of a force of such a plane: it stays
#define SN_UZAWA_PROGRESS 0.9 // of the least residual so far
#define SN_UZAWA_LEFT 1e-2    // of the first residual: less is not taken for a contradiction
#define SN_UZAWA_YIELD 1e-2   // of what their nodes do: how far dependent constraints give way

// Woodbury's formula in an initial inverse.
enum { SN_INVERSE_ITERATIONS = 60 };

// Forces in the step of a quasi-Newton method (constraint/dual.h).
#define SN_DUAL_FIRST_STEP 0.3   // relative to what a constraint's nodes put up against being moved
#define SN_DUAL_STEP_ERROR 0.1   // of the step,
#define SN_DUAL_EXACT_ERROR 0.01 // and where the step is as good as Newton's and steps towards the forces are cheap
#define SN_DUAL_LAST_ERROR 0.03  // but no less than so much of what may be left over in the end
#define SN_DUAL_ERROR 1e-8       // of the forces: less is never asked for
enum { SN_DUAL_STEPS = 100, SN_DUAL_EXACT_STEPS = 1000 }; // at most
enum { SN_DUAL_PATIENCE = 100 };
#define SN_DUAL_PROGRESS 0.9  // of the least error so many steps ago: more is no progress
#define SN_CLUSTER_BOND 0.5   // from which constraints are one cluster, see constraint/clusters.h
#define SN_CLUSTER_ERROR 0.1  // of what those of a cluster are off by is left of it,
#define SN_CLUSTER_SHARE 0.01 // if that is so much of all errors, squared
#define SN_CLUSTER_WORSE 10.0 // times the error that all have is too much after it
enum {
    SN_CLUSTER_LOOK = 16,  // of the same bodies before it are looked at for each,
    SN_CLUSTER_FIRST = 10, // steps until they are looked at,
    SN_CLUSTER_EVERY = 10, // and then until they are again
    SN_CLUSTER_STEPS = 200 // of their own, at most
};

// What nothing but constraints holds leaves a matrix without them singular: so much of the elements' stiffness is
// added.
#define SN_SUPPORT 1e-3
// In a global step, of the diagonal: less than rounding, in a factor of single precision, and constraints are kept by
// luck.
#define SN_SUPPORT_GLOBAL 1e-6
#define SN_INVERSE_ERROR 1e-3 // of the right-hand side
