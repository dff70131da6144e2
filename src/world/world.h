// A world: a model (what was defined), a state (what is saved), a problem (what is solved), and scratch for the step.
#pragma once
#include "linalg/factor_store.h"
#include "world/model.h"
#include "world/probe.h"
#include "world/problem.h"
#include "world/scratch.h"
#include "world/state.h"

// The contacts of the last step, as they are told to others.
typedef struct SnTouches {
    int count, capacity;
    SnContactInfo* items;
} SnTouches;

// Changes that were noted (world/event.h).
typedef struct SnEvents {
    bool noting, applying; // applying: one is made again just now
    int count, capacity;
    SnEvent* items;
} SnEvents;

struct SnWorld {
    SnModel model;
    SnState state;
    SnProblem problem;
    SnScratch scratch;
    SnFactorStore factors; // of problems before this one, until a step has been made
    double elastic;        // J, of the state; NAN: it is to be evaluated
    SnTouches touches;     // as of the last step
    SnMeasured measured;   // the same, by probes
    SnEvents events;
    char detail[256];                                  // of the last report
    void (*watch)(void* user, const SnSearch* search); // see SnSearch.watch
    void* watch_user;
    bool busy; // it is in the middle of a step, or is measured
};

// What a function of the caller's own, as of a material or a log, must not ask for from within a step: to change its
// world.
#define SN_CHANGE(world)                                                                                          \
    do {                                                                                                          \
        SN_HANDLE(world);                                                                                         \
        if ((world)->busy)                                                                                        \
            return sn_fail(SN_ERROR_VALUE, "%s: the world is in the middle of a step; call it when that is over", \
                           __func__);                                                                             \
    } while (0)

// Calls `watch` before the first and after each iteration of every minimisation from now on; NULL: nobody watches.
void sn_world_watch(SnWorld* world, void (*watch)(void* user, const SnSearch* search), void* user);

// A part of a step (world/step.c), from the state to `time`; failed: with contacts, it did not converge; cut: they kept
// nodes from where they were to go. A failure that can be taken again, in shorter parts, leaves no new state.
typedef struct SnPart {
    double time;
    bool again, failed, cut;
} SnPart;
SnStatus sn_world_take_part(SnWorld* world, SnPart* part, SnStepReport* report);
// All parts of the step that ends at `time` (world/parts.c).
SnStatus sn_world_take_parts(SnWorld* world, double time, SnStepReport* report);

// Builds the problem of a step that ends at `time`, if it is not that of the last one, and the scratch for it
// (world/problem.c).
SnStatus sn_world_prepare(SnWorld* world, double time);
SnStatus sn_world_prepare_solver(SnWorld* world); // after it, before a step
void sn_world_discard_problem(SnWorld* world);

// Handles (world/handle.c). Whether one has let go in a step of length h that ends at `time`; the state after those
// have let go that hold until now and no longer at `time`, and whether one of them had energy stored; whether the
// problem has its nodes taken out.
bool sn_handle_released(const SnHandle* handle, double time, double h);
bool sn_handles_release(const SnModel* model, SnState* state, double time);
bool sn_handle_eliminates(const SnModel* model, const SnProblem* problem, int handle);
int sn_handle_of_node(const SnModel* model, const SnState* state, int node); // that holds it; -1: none does
// Puts the nodes that are taken out where the script has them at `time`.
void sn_handles_place(const SnModel* model, const SnProblem* problem, double time, double* x);
// Puts their velocities into v; where the script has a corner, those at time + lean.
void sn_handles_move(const SnModel* model, const SnProblem* problem, double time, double lean, double* v);
#define SN_LEAN 1e-6 // of a step: after a corner, or, negative, before it

// Handles that hold by energy (world/pin.c): their places, and how these move, in a stage that ends at `at`, or at a
// time; puts their nodes there; finds their forces with the nodes at x, the stage being over, or at its beginning; what
// they give, as in the ledger; the state after one has let go, or after they went on without their nodes; how far off
// the furthest is; nodes they hold of a body.
void sn_pins_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* scratch,
                         const SnStage* stage, double at);
void sn_pins_place(const SnModel* model, SnProblem* problem, SnScratch* scratch, double time);
void sn_pins_put(const SnModel* model, const SnProblem* problem, const SnScratch* scratch, double* x);
void sn_pins_find_forces(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch,
                         const double* x);
void sn_pins_begin_forces(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch);
void sn_pins_add_given(const SnModel* model, const SnState* state, const SnProblem* problem, const SnScratch* scratch,
                       double b, const double* x, double* amounts);
void sn_pins_add_rates(const SnModel* model, const SnState* state, const SnProblem* problem, double* amounts);
void sn_pins_let_go(const SnModel* model, SnState* state, const SnHandle* handle);
void sn_pins_go_on(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, double time);
double sn_pins_drift(const SnModel* model, const SnState* state, const SnProblem* problem);
int sn_pins_held(const SnModel* model, const SnProblem* problem, int body);

// Loads (world/load.c): room for them, with the problem; the force at the present state, 3 x node_count, N, valid until
// the next call, NULL: there are none; what they make of the stage that ends at `at`, after its start
// and target have been found; and their force at its end.
SnStatus sn_loads_build(const SnModel* model, const SnState* state, SnProblem* problem);
void sn_loads_free(SnLoads* loads);
const double* sn_loads_find(const SnModel* model, const SnState* state, SnProblem* problem);
void sn_loads_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* scratch,
                          const SnStage* stage, double at);
// At a minimum: whether forces that follow are other ones there; then they are taken, and it is to be found anew.
bool sn_loads_follow(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* scratch,
                     const SnStage* stage, double at);
void sn_loads_end_stage(const SnModel* model, SnProblem* problem, const SnScratch* scratch);
// After the step: what chambers of given volume were found with.
void sn_loads_keep(const SnModel* model, const SnProblem* problem, SnState* state);

// Actuators (world/actuator.c): room for them, with the problem; rest shapes as they are at a time, and whether they
// changed; the same for a stage, and what that is to its stopping rule; what the change from one time to another would
// do with nodes at x, by its power at its start or end, J.
SnStatus sn_actuators_build(const SnModel* model, SnProblem* problem);
void sn_actuators_free(SnActuations* actuations);
bool sn_actuators_set(const SnModel* model, SnProblem* problem, double time);
void sn_actuators_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, double at);
double sn_actuators_work(const SnModel* model, SnProblem* problem, const double* x, double from, double to, bool end);

// Forces (world/force.c): whether a step has left any; that of a load, with room for it, 3 and 1 x node_count.
bool sn_forces_are_known(const SnWorld* world);
void sn_force_of_load(const SnWorld* world, int load, double* force, double* drag, SnWrench* wrench);

// Probes (world/probe.c): room for them, with the problem; their values at the present state, into the report.
SnStatus sn_probes_build(const SnModel* model, SnMeasured* measured);
void sn_probes_discard(SnMeasured* measured);
SnStatus sn_probes_measure(SnWorld* world, SnStepReport* report);

// The works that probes ask for (world/work.c), together with the ledger, which see: at the start of a step, with
// `rates`: as that has them evaluated; at the start of a stage without inertia; at its end, and that of the step.
void sn_works_begin(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch);
void sn_works_begin_stage(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch);
void sn_works_stage(const SnModel* model, SnState* state, SnProblem* problem, const SnScratch* scratch,
                    const SnStage* stage);
void sn_works_end(const SnModel* model, SnState* state, const SnProblem* problem);
void sn_works_reset(const SnModel* model, SnState* state);
void sn_works_drag_rates(const SnModel* model, SnState* state, SnProblem* problem);
void sn_works_find_load(const SnModel* model, SnProblem* problem, const SnLoadState* at);
void sn_works_add_lead(const SnModel* model, SnState* state, int number,
                       double work); // of a hinge or an attachment, in a stage
void sn_works_let_go(const SnModel* model, SnState* state, const SnHandle* handle, double stored);
// Of a moving obstacle, or of a handle that holds in some directions, within `span`, by contacts or otherwise, J.
double sn_contacts_work(const SnModel* model, const SnState* state, const SnProblem* problem, const SnWork* of,
                        double span, const double* x, bool contacts);

// The saved state of a whole that this process has a part of, in pieces (world/checkpoint.c). whole: a model with its
// counts. The head is what comes before the state: constraints, and before them what is not looked into.
typedef struct SnSaved {
    int64_t size, head_size; // bytes
    char* head;
    int64_t constraint_count;
    int piece_count;
    SnStatePiece pieces[SN_STATE_PIECES]; // places are among all bytes
} SnSaved;
SnStatus sn_saved_begin(const SnModel* whole, SnState* part, const SnConstraintSet* constraints, SnSaved* saved);
void sn_saved_free(SnSaved* saved);
// One that is to be read, by its first sn_saved_header_size bytes; the head is to be filled, and then has constraints.
size_t sn_saved_header_size(void);
SnStatus sn_saved_expect(const SnModel* whole, SnState* part, const void* bytes, int64_t size, SnSaved* saved);
SnStatus sn_saved_constraints(const SnSaved* saved, SnConstraintSet* set);

// Ties (world/tie.c): made with the problem; put where they are at the end of a stage; what one exerts at x, of
// attachments on the first of its constraints' nodes.
SnStatus sn_ties_build(const SnModel* model, const SnState* state, const SnProblem* problem, SnTies* ties);
void sn_ties_free(SnTies* ties);
void sn_ties_place(const SnModel* model, const SnState* state, SnTies* ties, double time);
SnStatus sn_hinges_build(const SnModel* model, const SnProblem* problem, SnTies* ties); // the same (world/hinge.c)
// Puts velocities of the section, at x, to the nearest ones of a section that turns; how far the furthest was off, m/s,
// and what that gave, J.
double sn_hinge_lead(const SnHinge* hinge, const double* mass, const double* x, double* v, double* work);
void sn_hinges_place(const SnModel* model, const SnState* state, SnTies* ties, double time);
void sn_ties_add_force(const SnModel* model, const SnState* state, const SnProblem* problem, const double* x,
                       int number, SnWrench* wrench);

// Attachments (world/attachment.c): one as a tie; how far apart it is to be, 3 x node_count, at the end of a stage that
// started at `start`; whether a node of one is tied to what a contact has as its target; those let go that pull too
// hard.
SnTie sn_attachment_tie(const SnModel* model, const SnState* state, int attachment);
void sn_attachment_place(const SnAttachment* attachment, double start, double time, double* place, double* velocity);
bool sn_attachment_holds(const SnModel* model, int node, int target);
void sn_attachments_tear(const SnModel* model, SnState* state, const SnProblem* problem);

// Constraints (world/constraints.c): made with the problem; obstacles put where they are at `time`, for which
// constraints are then collected.
SnStatus sn_constraints_build(const SnModel* model, SnState* state, SnProblem* problem);
// An error, if something crosses something else where it starts.
SnStatus sn_contacts_check_start(const SnModel* model, const SnProblem* problem);
// By how much obstacles lag behind their script at the end of the step, s.
double sn_constraints_lag(const SnState* state, const SnProblem* problem, double time);
// Obstacles and detector are where they are now, of no stage.
void sn_constraints_stand(const SnModel* model, const SnState* state, SnProblem* problem);
SnStatus sn_constraints_place(const SnModel* model, const SnState* state, SnProblem* problem, double time);

// Contacts (world/contact.c). Before the first step, with constraints collected, what starts inside; for the ledger,
// what obstacles gave and what friction took in a stage from `from` that ended with the nodes at x, apart for contacts,
// with what slides did that drew their nodes, and for the rest of slides; where friction's impulse is asked for, it is
// added to, and of friction there is only what obstacles put into it.
SnStatus sn_contacts_warn_of_starts(const SnModel* model, const SnState* state);
void sn_contacts_account(const SnModel* model, const SnState* state, const SnProblem* problem, const SnStage* stage,
                         const double* from, const double* x, double* rub_impulse, double* contacts, double* slides);
SnStatus sn_contacts_report_crossings(const SnProblem* problem, SnStepReport* report, char detail[256]);

// What is told of contacts (world/touches.c): those of the part of a step that has just been made; how far they are
// from their laws, where that is further than before; how near things are, obstacles being where they got to.
SnStatus sn_touches_list(const SnModel* model, const SnState* state, const SnProblem* problem, SnTouches* touches);
// Adds what contacts push each node with, N, node_count.
void sn_touches_spread(const SnModel* model, const SnState* state, const SnProblem* problem, const SnTouches* touches,
                       double* force);
void sn_touches_add_errors(const SnModel* model, const SnTouches* touches, SnContactErrors* errors);
SnStatus sn_touches_measure(const SnState* state, const SnProblem* problem, SnStepReport* report);

// A body that starts at x flat, or inside out, where its energy has no slope (world/start.c).
void sn_start_mend(const SnModel* model, const SnBody* body, double* x);

// Says, once, that slides contradict each other (world/slide.c).
void sn_slides_warn(const SnModel* model, SnProblem* problem);

// Where slides have flung a node away, the part has failed; the last one stays where it was (world/fling.c).
void sn_world_stop_flinging(SnWorld* world, SnPart* part);

// Energy that a step whose solves have not converged ends with, beyond what it began with and was given, J; 0: none.
// Takes it off the velocities at its end (world/excess.c).
double sn_excess(const SnWorld* world, const SnStepReport* report);
bool sn_excess_remove(SnWorld* world, double gain); // false: shapes have gained more than there was

// The number in the whole of a node that is lost in this process or another (core/share.h); -1: none is.
int sn_world_first_lost(const SnModel* model, int node);

// One stage of the step that ends at `time` (world/stage.c): sets what it starts from, its target, constraints and the
// first guess ...
double sn_stage_time(const SnModel* model, const SnState* state, const SnStage* stage, double time); // its end, s
SnStatus sn_stage_begin(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch,
                        const SnStage* stage, double time);
// ... and takes over what the search has found, as stage_x and stage_v, and the forces there.
void sn_stage_end(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, const SnStage* stage);
// Finds present_v, and begins the potential's stage such that its dissipations have the slopes of the present state.
void sn_stage_begin_present(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* scratch);
// The force at the present state, from positions and velocities.
void sn_stage_force(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch);

// Contacts that do not throw back what hits (world/impact.c): whether they are to be kept from it; whether something
// hit in the stage, faster than what is inside is pushed out; `force` without contacts; the velocities after a stage.
bool sn_impact_stops(const SnModel* model, const SnProblem* problem);
// Sections of hinges have the velocities of turning sections after each stage; what is kept out of `force`, of the one
// kind or the other.
bool sn_impact_leads(const SnModel* model, const SnProblem* problem);
bool sn_impact_keeps_out(const SnModel* model, const SnProblem* problem, const SnConstraint* constraint);
// Of the force at the end of a stage that begins with the force at t^n, but without that, only a part acts over the
// whole step.
double sn_impact_share(const SnModel* model, const SnState* state);
bool sn_impact_happened(const SnModel* model, const SnState* state, const SnProblem* problem);
void sn_impact_keep_out(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch);
void sn_impact_end_stage(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch,
                         const SnStage* stage);

// Pushes the contact such that in the time b it comes no nearer than its gap at x lets it, its pushes together not
// pulling; whether that was anything.
bool sn_impact_push(const SnProblem* problem, SnKept* item, const double* x, double b, double* v);

// After sn_stage_end, the velocities of a stage that was cut short (world/cut.c); elastic: the energy it began with, J.
void sn_cut_end_stage(const SnModel* model, SnState* state, const SnProblem* problem, SnScratch* scratch,
                      const SnStage* stage, double elastic);

// The energy ledger and the momenta (world/ledger.c): the energies of the state, whose elastic part is known; the start
// of a step; what a stage adds, after sn_stage_end; the end, with the new state in place.
typedef struct SnLedgerStart {
    SnEnergy energy;
    double held_kinetic, held_momentum[6]; // of the held nodes
} SnLedgerStart;
SnEnergy sn_ledger_energy(const SnModel* model, const SnState* state, const SnProblem* problem, double elastic);
void sn_ledger_begin(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch, double elastic,
                     SnLedgerStart* start);
void sn_ledger_begin_stage(const SnModel* model, SnState* state, const SnProblem* problem, const SnScratch* scratch,
                           const SnStage* stage);           // after sn_stage_begin
void sn_ledger_reset(const SnModel* model, SnState* state); // as if no stage had been
void sn_ledger_stage(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch,
                     const SnStage* stage);
void sn_ledger_end(const SnModel* model, SnState* state, const SnProblem* problem, const SnLedgerStart* start,
                   double elastic);
// Whether the loss to friction is found from its impulse over the step, in scratch.
bool sn_ledger_has_rub_impulse(const SnModel* model, const SnProblem* problem);
// What dissipations and loads give per second at the present state, in which the potential's stage has been begun and
// loads have been found.
void sn_ledger_drag_rates(const SnModel* model, SnState* state, SnProblem* problem, SnScratch* scratch);
// six += factor (f, x cross f)
void sn_ledger_add_wrench(double* six, double factor, const double* x, const double* f);
void sn_ledger_momentum(const SnModel* model, const SnState* state, const SnProblem* problem, double linear[3],
                        double angular[3]);
