// The state: what a step changes and a checkpoint saves, all of it; the table in world/state.c has a row for each
// member.
#pragma once
#include "constraint/constraint.h"
#include "world/model.h"

// Something that adds up over time, as work or impulse: integrated by the stages of the integrator as v is.
typedef struct SnAccount {
    double sum;  // since the start
    double last; // of the last step
    double part; // of the present step, up to the end of its newest stage
    double rate; // per second, at the present state
} SnAccount;

// What a chamber of given volume was found with: the pressure, Pa, and what a N, pressure times area, adds to it, m3.
typedef struct SnChamber {
    double pressure, give;
} SnChamber;

enum {
    // What the script and gravity give: its rate at the start of a step is evaluated there.
    SN_ACCOUNT_PINS,    // work of handles, J
    SN_ACCOUNT_IMPULSE, // of gravity and handles: three of momentum, three of angular momentum
    // What is known at the end of a stage alone, from where its rate is kept for the next step.
    SN_ACCOUNT_OBSTACLES = SN_ACCOUNT_IMPULSE + 6, // work of moving obstacles, J
    SN_ACCOUNT_LOADS,                              // work of loads, J
    SN_ACCOUNT_FRICTION,                           // loss to friction, J
    SN_ACCOUNT_UNCONVERGED,                        // loss to forces that solves have left over, J
    SN_ACCOUNT_DRAG,                               // momenta, as above, of contacts, dissipations and loads
    SN_ACCOUNT_LOSS = SN_ACCOUNT_DRAG + 6,         // to the first dissipation, J; the others follow
};

enum { SN_STATE_COUNTS = 12 }; // kinds of things that arrays have entries for, see world/state.c

typedef struct SnState {
    int64_t step;
    double time;
    double step_length;  // h of the next step, s
    double last_length;  // of the last one; 0: there is none to look back to; negative: nor there, as something hit
    int64_t origin_step; // when the step length was set: times are counted from there
    double origin_time;
    double *x, *v;               // 3 x node_count
    double* before_x;            // 3 x node_count: the state before; of integrators that look back,
    double* before_v;            // and of all with inertia
    double* force;               // 3 x node_count, N: in all, but at held nodes without what their handles exert; of
                                 // integrators that need it, and of those without inertia
    int force_known;             // or it is to be evaluated
    double* pin_force;           // 3 x pin_count, N: on nodes held by energy, at the end of the last stage
    SnAccount* accounts;         // SN_ACCOUNT_LOSS + loss_count
    SnAccount* works;            // work_count, J: of handles, obstacles and loads that probes ask for
    SnChamber* chambers;         // load_count, where one of them has a given volume
    double* torn;                // tied_count: not 0: the attachment has let go of the node
    double* out;                 // body_count: not 0: the body is on the shelf (world/shelf.c)
    double* rest_time;           // body_count, s: for which no node of the body has been faster than SnSleepDef.speed
    double* asleep;              // body_count: not 0: the body sleeps, with all that have this number (world/sleep.c)
    double* shifts;              // shift_count, 1/s: of the rates of powers below 1 (potential/viscous.h)
    double numerical;            // J, lost to the integrator and the solver
    double lag;                  // s, by which obstacles are held up by what cannot get out of their way
    int64_t halvings;            // of the step, with which the last one began in the end
    int64_t rest, resting;       // steps for which steps are not taken in parts, as that did not help; and left of them
    SnConstraintSet constraints; // of the last stage: key and force are saved
    int64_t counts[SN_STATE_COUNTS]; // that the arrays have been made for
} SnState;

// Makes room for what the model has now; what is new is zero.
SnStatus sn_state_grow(SnState* state, const SnModel* model);
void sn_state_free(SnState* state);

// Its arrays: what they have entries for, and how many numbers each.
typedef enum SnStatePer { SN_PER_WORLD, SN_PER_NODE, SN_PER_PIN, SN_PER_SHIFT } SnStatePer;
typedef struct SnStateArray {
    double** values;
    SnStatePer per;
    int64_t count; // of entries
    int width;     // numbers of each
} SnStateArray;
enum { SN_STATE_ARRAYS = 16 };
int sn_state_arrays(const SnModel* model, SnState* state, SnStateArray arrays[SN_STATE_ARRAYS]);
// The numbers that are in no array, and those of the accounts, of a state of the same model or of a part of it.
void sn_state_copy_numbers(const SnState* from, const SnModel* model, SnState* to);

// Where its members are among its bytes. A model with the counts of the whole gives those of the whole, of which a part
// has the members that are per world, and some entries of the others.
typedef struct SnStatePiece {
    int64_t first, size; // bytes
    SnStatePer per;
    void* bytes;     // of what is per world
    double** values; // of what is not
    int width;       // numbers of an entry, the same
} SnStatePiece;
enum { SN_STATE_PIECES = 32 };
int sn_state_pieces(const SnModel* model, SnState* state, SnStatePiece pieces[SN_STATE_PIECES]);
// Clock, counts and sums of a state from elsewhere.
SnStatus sn_state_check_numbers(const SnModel* model, const SnState* state);

// Its bytes without those of constraints, and copying them out and in.
size_t sn_state_size(const SnModel* model);
void sn_state_save(const SnModel* model, const SnState* state, char* bytes);
// Whether it can be one: bytes may come from a file that was damaged, or made to harm.
SnStatus sn_state_check(const SnModel* model, const char* bytes);
void sn_state_restore(const SnModel* model, SnState* state, const char* bytes);
