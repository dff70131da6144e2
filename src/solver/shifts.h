// Shifts of the rates of powers below 1 (potential/viscous.h): when a minimisation takes them over, and how.
#pragma once
#include "solver/solver.h"

typedef struct SnShifts {
    double left;            // the gradient after they were last taken over
    double stiffness, most; // of their envelopes, and the most that is tried
    double weight;          // of Nesterov's sequence: 1, 1.6, 2.2, ...
    int slow;               // how often in a row hardly less was left
    double least;           // the smallest gradient that was left since momentum began,
    int since;              // and how often in a row it was no less
} SnShifts;

SnShifts sn_shifts_start(const SnSearch* search);

// After an iteration: where it is time, they are taken over, and value and gradient are those with them.
void sn_shifts_settle(SnShifts* shifts, const SnSolverType* solver, void* state, SnSearch* search);
