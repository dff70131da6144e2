// What a step works with: nothing here outlives it.
#pragma once

typedef struct SnScratch {
    double* target;            // 3 x node_count: x~ of the stage; held nodes are where they belong
    double *xp, *vp;           // 3 x node_count: what the stage starts from
    double *stage_x, *stage_v; // 3 x node_count: the end of the newest stage
    double* reaction;          // 3 x node_count, N: what handles exert
    double* loss_impulses;     // 3 x node_count for each dissipation, N s: where the integrator needs the force
    double held_kinetic, held_momentum[6]; // of the held nodes at the start of the step
} SnScratch;
