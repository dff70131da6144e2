// What a step works with: no number here outlives it.
#pragma once
#include "world/problem.h"

typedef struct SnScratch {
    double* target;            // 3 x node_count: x~ of the stage; held nodes are where they belong
    double *xp, *vp;           // 3 x node_count: what the stage starts from
    double *stage_x, *stage_v; // 3 x node_count: the end of the newest stage
    double* stopped_v;         // 3 x node_count: these, of what has hit
    double* reaction;          // 3 x node_count, N: what handles exert
    double* slope;             // 3 x node_count, N: of a dissipation
    double *start_v, length;   // 3 x node_count: velocities before the last part of a step, and how long that was, s
    // Where the integrator needs the force:
    double* present_v;     // 3 x node_count: v^n, of held nodes as their script goes on from there
    double* past_x;        // 3 x node_count: where these velocities come from
    double* loss_impulses; // 3 x node_count for each dissipation, N s
    double* rub_impulse;   // 3 x node_count, N s: of friction
    // 3 for each node held by energy: where it belongs at the end of the stage, how far that is from where it belonged
    // at its start, and the force on it, N.
    double *pin_place, *pin_displacement, *pin_force;
    // Where something can touch: the state before a part of a step that may have to be taken again.
    char* saved;
    SnConstraintSet saved_constraints, begun_constraints; // of the part of a step; of a step that may be taken anew
} SnScratch;

SnStatus sn_scratch_create(const SnModel* model, const SnProblem* problem, SnScratch* scratch);
void sn_scratch_free(SnScratch* scratch);
