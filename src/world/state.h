// The state: what a step changes and a checkpoint saves.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "constraint/constraint.h"

// Something that adds up over time, as work or impulse: integrated by the stages of the integrator as v is.
typedef struct SnAccount {
    double sum;  // since the start
    double last; // of the last step
    double part; // of the present step, up to the end of its newest stage
    double rate; // per second, at the present state
} SnAccount;

enum {
    // What the script and gravity give: its rate at the start of a step is evaluated there.
    SN_ACCOUNT_PINS,    // work of handles, J
    SN_ACCOUNT_IMPULSE, // of gravity and handles: three of momentum, three of angular momentum
    // What is known at the end of a stage alone, from where its rate is kept for the next step.
    SN_ACCOUNT_OBSTACLES = SN_ACCOUNT_IMPULSE + 6, // work of moving obstacles, J
    SN_ACCOUNT_FRICTION,                           // loss to friction, J
    SN_ACCOUNT_DRAG,                               // momenta, as above, of contacts and dissipations
    SN_ACCOUNT_LOSS = SN_ACCOUNT_DRAG + 6,         // to the first dissipation, J; the others follow
};

typedef struct SnState {
    int node_capacity;
    int64_t step;
    double time;
    double step_length;  // h of the next step, s
    double last_length;  // of the last one; 0: there is none to look back to; negative: nor there, as something hit
    int64_t origin_step; // when the step length was set: times are counted from there
    double origin_time;
    double *x, *v;               // 3 x node_count
    double *before_x, *before_v; // 3 x node_count: the state before, for integrators that look back
    double* force;               // 3 x node_count, N: in all, but at held nodes without what their handles exert
    bool force_known;            // for integrators that need it
    int account_count, account_capacity;
    SnAccount* accounts;
    SnConstraintSet constraints; // of the last stage: key and force are state
} SnState;
