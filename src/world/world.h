// A world: a model (what was defined), a state (what is saved), a problem (what is solved), and scratch for the step.
#pragma once
#include "world/model.h"
#include "world/problem.h"
#include "world/scratch.h"
#include "world/state.h"

struct SnWorld {
    SnModel model;
    SnState state;
    SnProblem problem;
    SnScratch scratch;
    SnEnergy energy;
    bool measured; // kinetic, elastic and gravity of `energy` are the state's
    char detail[256];
    void (*watch)(void* user, const SnSearch* search); // see SnSearch.watch
    void* watch_user;
};

// Calls `watch` before the first and after each iteration of every minimisation from now on; NULL: nobody watches.
void sn_world_watch(SnWorld* world, void (*watch)(void* user, const SnSearch* search), void* user);

// Builds the problem if something changed since it was last built (world/problem.c).
SnStatus sn_world_add_limits(SnWorld* world, const SnBody* body);
SnStatus sn_world_prepare(SnWorld* world);
void sn_world_discard_problem(SnWorld* world);

// Lets go handles whose release time has come; then, if any, the problem has to be built anew (world/handle.c).
void sn_world_release_handles(SnWorld* world, double time);
// Handles that hold by energy (world/pin.c): checks and fills what they need; adds their terms, after all others, and
// frees these with the problem; their places, and how these move, in a stage that ends at `at`, or at a time; puts
// their nodes there; finds their forces with the nodes at x, the stage being over, or at its beginning; what they give,
// as in the ledger; how far off the furthest is; nodes they hold.
SnStatus sn_handle_set_hold(const SnWorld* world, const SnHandleDef* def, SnHandle* handle);
void sn_handle_free(SnHandle* handle);
bool sn_handle_eliminates(const SnHandle* handle); // now
SnStatus sn_world_add_pins(SnWorld* world);
void sn_world_discard_pins(SnWorld* world);
void sn_pins_begin_stage(SnWorld* world, const SnStage* stage, double at);
void sn_pins_place(SnWorld* world, double time);
void sn_pins_put(const SnWorld* world, double* x);
void sn_pins_find_forces(SnWorld* world, const double* x);
void sn_pins_begin_forces(SnWorld* world);
void sn_pins_add_given(const SnWorld* world, double b, const double* x, double* amounts);
void sn_pins_add_rates(const SnWorld* world, double* amounts);
void sn_pins_let_go(SnWorld* world, SnHandle* handle);
double sn_pins_drift(const SnWorld* world);
int sn_pins_held(const SnWorld* world, int body);

// Puts the held nodes of x where the handles have them at `time`.
void sn_world_place_handles(const SnWorld* world, double time, double* x);
// Puts their velocities into v; where the script has a corner, those after it or before it.
void sn_world_move_handles(const SnWorld* world, double time, bool after, double* v);

// The constraints of a stage (world/constraints.c): made with the problem; obstacles put where they are at `time`, for
// which constraints are then collected, as often as nodes have moved.
SnStatus sn_world_build_constraints(SnWorld* world);
void sn_world_begin_constraints(SnWorld* world, double time);

// Contacts (world/contact.c). Before the first step, with constraints collected, what starts inside; for the ledger,
// what obstacles gave and what friction took within the time b of a stage that ended with the nodes at x; for the
// report.
SnStatus sn_world_warn_of_starts(const SnWorld* world);
void sn_world_account_contacts(const SnWorld* world, double b, const double* x, double* amounts);
void sn_world_report_contacts(const SnWorld* world, SnStepReport* report);

// One stage of the step that ends at `time` (world/stage.c): sets what it starts from, its target and the first guess
// ...
SnStatus sn_stage_begin(SnWorld* world, const SnStage* stage, double time);
// ... and takes over what the search has found, as stage_x and stage_v.
void sn_stage_end(SnWorld* world, const SnStage* stage);
// Begins the potential's stage such that its dissipations have the slopes of the present state; uses xp and vp.
void sn_stage_begin_present(SnWorld* world);
// Contacts that do not throw back what hits (world/impact.c): whether they are to be kept from it; whether something
// hit in the stage, faster than what is inside is pushed out; `force` without contacts; the velocities after a stage.
bool sn_impact_stops(const SnWorld* world);
bool sn_impact_happened(const SnWorld* world);
void sn_impact_keep_out(SnWorld* world);
void sn_impact_end_stage(SnWorld* world);
// The force at the present state, from positions and velocities.
void sn_stage_force(SnWorld* world);

// The energy ledger and the momenta (world/ledger.c): the energies of the state, whose elastic part is known; the start
// of a step; what a stage adds, after sn_stage_end; the end, with the new state in place.
SnStatus sn_ledger_create(SnWorld* world);
void sn_ledger_destroy(SnWorld* world);
// Accounts for the losses to a body's dampings, in the order in which the potential will have them; and all but the
// first `count` closed.
SnStatus sn_ledger_open(SnWorld* world, const SnBody* body);
void sn_ledger_close(SnWorld* world, int count);
void sn_ledger_state(SnWorld* world, double elastic);
// What dissipations give of the momenta per second at the present state, in which the potential's stage has been begun.
void sn_ledger_drag_rates(SnWorld* world);
void sn_ledger_begin(SnWorld* world);
void sn_ledger_stage(SnWorld* world, const SnStage* stage);
void sn_ledger_end(SnWorld* world, double elastic);
void sn_ledger_read_accounts(SnWorld* world); // pins, viscous and friction of `energy` from the accounts
// six += factor (f, x cross f)
void sn_ledger_add_wrench(double* six, double factor, const double* x, const double* f);
void sn_ledger_momentum(const SnWorld* world, double linear[3], double angular[3]);
