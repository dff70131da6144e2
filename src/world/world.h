// What a world is inside.
#pragma once
#include <sinew/world.h>

#include "contact/contacts.h"
#include "core/log.h"
#include "core/tasks.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/normals.h"
#include "solver/solver.h"

typedef struct SnBody {
    char* name;
    int first_node, node_count;
    double* rest; // 3 x node_count
    int tetrahedron_count, triangle_count, edge_count, surface_count;
    int *tetrahedra, *triangles, *edges, *surface;
    SnMaterial material;
    const SnMaterialType* type;
    SnMaterialParameters parameters;
    SnMaterialParameters* element_parameters; // where the material varies, otherwise NULL
    double* node_density;                     // the same; kg/m3 around each node
    struct SnSpline* spline;                  // the curves of the material `spline`, or NULL
    double mass;
    SnLimits limits;
    int fiber_count;
    int* fibers;              // fiber_count: the tetrahedra that have some
    double* fiber_stiffness;  // fiber_count, Pa
    double* fiber_directions; // 3 x fiber_count
    int hinge_count;
    int* hinges;             // 4 x hinge_count: an edge, then the opposite corners of its two triangles
    double* hinge_stiffness; // hinge_count, N m
    int damping_count;
    struct SnBodyDamping* dampings;
} SnBody;

// A dissipation of a body.
typedef struct SnBodyDamping {
    SnDissipation dissipation;
    int* elements; // element_count, of the body; NULL: all
    int element_count;
} SnBodyDamping;

typedef struct SnHandle {
    int body, node_count;
    int* nodes;    // of the world
    double* start; // 3 x node_count
    SnMotion motion;
    SnKeyframe* keyframes; // what motion.keyframes points to
    bool released;
    SnHold how;
    double stiffness; // N/m; 0: by itself
    // Of nodes held by energy, 3 x node_count each: where they belong at the end of the stage, how far that is from
    // where they belonged at its start, and the force on them at its end, N, which is state.
    double *place, *way, *force;
} SnHandle;

typedef struct SnWorldObstacle {
    char* name;
    SnMotion motion;
    SnKeyframe* keyframes; // what motion.keyframes points to
} SnWorldObstacle;

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

typedef struct SnSlide {
    int on_body, on_obstacle; // one of them, the other is -1
    int node_count;
    int* nodes;       // of the world
    double* distance; // node_count, m: from the surface, negative inside
    SnTree* tree;     // of the surface of on_body, by its own nodes
    SnNormals* normals;
    double size; // m, of on_body
} SnSlide;

struct SnWorld {
    SnWorldDef def;
    SnTasks* tasks;
    const SnIntegratorType* integrator;
    const SnSolverType* solver_type;
    int body_count, body_capacity;
    SnBody* bodies;
    int handle_count, handle_capacity;
    SnHandle* handles;
    int obstacle_count, obstacle_capacity, obstacle_shape_capacity;
    SnWorldObstacle* obstacles;
    SnObstacle* obstacle_shapes; // obstacle_count, as the detector wants them

    int slide_count, slide_capacity;
    SnSlide* slides;

    // State
    int node_count, node_capacity;
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
    int loss_capacity;
    char** loss_names;                     // account_count - SN_ACCOUNT_LOSS
    double held_kinetic, held_momentum[6]; // of the held nodes at the start of the step
    SnEnergy energy;
    double rows_time; // s, that the rows are for
    SnRowSet rows,
        rows_before; // constraints of the last stage, and of the one before; of them, key and force are state
    bool measured;   // kinetic, elastic and gravity of `energy` are the state's

    // The problem, made from the above before the first step after a change.
    bool ready;
    SnPotential* potential;
    SnObjective objective;
    SnSearch* search;
    void* solver;
    SnContacts* contacts; // NULL: nothing can touch
    int pin_group;        // of the potential: the nodes held by energy, handle after handle; -1: there are none
    double *pin_place, *pin_force; // 3 for each of these
    int* pin_nodes;
    double* mass;              // node_count, kg
    double* node_stiffness;    // node_count, N/m
    double* gravity;           // 3 x node_count, N
    double* target;            // 3 x node_count
    double *xp, *vp;           // 3 x node_count: what the stage starts from
    double *stage_x, *stage_v; // 3 x node_count: the end of the newest stage
    double* reaction;          // 3 x node_count, N
    double* loss_impulses;     // 3 x node_count for each dissipation, N s: where the integrator needs the force
    int* free_index;           // node_count
    double characteristic;     // N
    bool barrier;              // some body's energy is infinite where it is inside out
    char detail[256];
    void (*watch)(void* user, const SnSearch* search); // see SnSearch.watch
    void* watch_user;
};

// Calls `watch` before the first and after each iteration of every minimisation from now on; NULL: nobody watches.
void sn_world_watch(SnWorld* world, void (*watch)(void* user, const SnSearch* search), void* user);

void sn_body_free(SnBody* body);
// Sets material, type, parameters, and where the material varies those of the elements and the mass
// (world/body_material.c).
SnStatus sn_body_set_material(SnBody* body, const SnBodyDef* def);
// Checks and sets the limits of stretch (world/limits.c), and adds their terms to the potential.
SnStatus sn_body_set_limits(SnBody* body, const SnBodyDef* def);
SnStatus sn_world_add_limits(SnWorld* world, const SnBody* body);
// Sets fibers and hinges (world/body_reinforcement.c); the regions have been checked.
SnStatus sn_body_set_reinforcement(SnBody* body, const SnBodyDef* def);

// Sets dampings (world/body_damping.c).
SnStatus sn_body_set_damping(SnBody* body, const SnBodyDef* def);
void sn_body_free_damping(SnBody* body);

double sn_body_density(const SnBody* body, int node); // kg/m3 around a node of the body

// Builds the problem if something changed since it was last built (world/problem.c).
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

// The constraint rows of a stage (world/constraints.c): what they are for is set at its beginning, then they are
// collected for nodes at x, as often as these have moved; forces are those of the rows before with the same keys.
// Slides (world/slide.c): their rows at x; and whether a node slides on a contact's target.
SnStatus sn_world_collect_slides(SnWorld* world, const double* x);
bool sn_world_slides_on(const SnWorld* world, int node, int target);
void sn_slide_free(SnSlide* slide);

void sn_world_begin_rows(SnWorld* world, double time);
SnStatus sn_world_collect_rows(SnWorld* world, const double* x);

// Contacts (world/contact.c). The detector for the world's bodies and obstacles; obstacles put where they are at
// `time`; rows at x; and, for the ledger, what obstacles gave and what friction took within the time b of a stage that
// ended with the nodes at x.
SnStatus sn_world_build_contacts(SnWorld* world);
void sn_world_begin_contacts(SnWorld* world, double time);
SnStatus
sn_world_warn_of_starts(const SnWorld* world); // before the first step, with rows collected: what starts inside
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
