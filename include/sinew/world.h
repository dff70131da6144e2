// The world: bodies, handles, a time integrator and a solver; one call makes one step.
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include <sinew/actuator.h>
#include <sinew/base.h>
#include <sinew/dissipation.h>
#include <sinew/load.h>
#include <sinew/material.h>
#include <sinew/mesh.h>
#include <sinew/obstacle.h>
#include <sinew/parameter.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnWorld SnWorld;

typedef struct SnSolverDef {
    const char* type;        // a name of `sinew list solvers`
    int iterations;          // at most this many per minimisation
    double tolerance;        // epsilon of the stopping rule; 0: only the iteration count stops
    const char* stop;        // "error": also by what acts, so that little is left to move; "characteristic": alone
    const char* first_guess; // "best": the lowest of a few; "target": x~, where forces alone would lead, as in papers
    const char* line_search; // armijo, wolfe or dot
    double armijo;           // sufficient decrease of the line search, 0 < armijo < 0.5
    const char* initial;     // of lbfgs: a name of `sinew list initials`
    int history;             // of lbfgs: pairs kept; 0: none
    const char* linear;      // of newton: cholesky or pcg
    bool projected;          // of newton: every Hessian is projected; false: those that are not positive definite
    const char* preconditioner;   // of newton with linear pcg, of initial pcg: ichol or block-jacobi
    int cg_iterations;            // of both: at most so many; 0: as many as are good
    bool unscaled;                // of lbfgs around a linear initial inverse: it is not scaled to the newest pair
    double stiffness_interval[2]; // of initial laplacian: stretches over which the material's stiffness is fitted;
                                  // zeros: 0.5, 1.5
    int subdomains;               // of dot: how many; 0: from the size
    int subdomain_nodes;          // of dot, when subdomains is 0: about so many nodes each; 0: a good number
    bool symmetric_blend;    // of dot: copies are weighted by 1/sqrt(n) before and after the solve, not by 1/n after it
    bool disjoint;           // of dot: a node where subdomains meet belongs to one of them, and has no copies
    double relaxation;       // of admm: over-relaxation, 1 (none) to below 2
    int anderson;            // of admm and pd: window of Anderson's acceleration, 0 (none) to 20
    bool warm_start;         // of admm: u goes on from the last step
    double residual;         // of admm: stop when both of its residuals are this small, relatively; 0: not looked at
    bool adapt;              // of admm: weights follow what is met, where iterations make little progress
    bool upright;            // of admm: local steps turn no element inside out; false: as the material has it
    int local_iterations;    // of admm: at most so many in an element's local step; 0: until it has converged
    bool merge_dissipation;  // of admm: damping is part of each element's local step; false: a term of its own
    const char* constraints; // of admm and pd, how rows are kept: auto, uzawa, gauss-seidel or energy
    SnOwn own;               // options of one type alone; sn_solver_set sets them by name
    int budget; // evaluations in all of a step after which no iteration begins, and which is not taken in parts; 0:
                // none
} SnSolverDef;

// How bodies touch obstacles, each other and themselves. What bodies, obstacles and pairs say goes before this.
typedef struct SnContactDef {
    const char* method; // "auto", "energy", "uzawa" or "gauss-seidel": how solvers with a global step keep contacts
    bool bodies;        // different bodies touch each other
    bool self;          // a body touches itself
    double thickness;   // m: how far surfaces are kept apart; -1: a part of each body's edges
    double friction;    // Coulomb's coefficient, between bodies
    double slip;        // m/s: 0: what sticks does not move; otherwise friction is smoothed below this speed
    double push;        // m/s: bodies that start inside something are pushed out no faster than this
    int parts;          // at most so many a step is taken in that does not converge with contacts; 1: never in parts
    int restitution;    // 0: what hits stays; 1: it bounces as the integrator has it. backward-euler never bounces
    bool untangle; // surfaces that cross at the start are separated, no faster than `push`; false: they are refused
} SnContactDef;

// Of one body: how it touches.
typedef struct SnBodyContactDef {
    int self;                  // 1: it touches itself, 0: it does not; -1: as SnContactDef.self
    double thickness;          // m: two surfaces are kept apart by half of each one's; -1: SnContactDef.thickness
    bool skin;                 // SnBodyDef.skin touches, in place of the body's own surface and nodes
    const char* const* groups; // names by which SnContactPairDef may mean it, among others; copied
    int group_count;
} SnBodyContactDef;

// Bodies that have come to rest sleep: they are held where they are, and cost next to nothing, until something comes
// near, or they are changed. Bodies whose boxes overlap are an island, which sleeps and wakes as one.
typedef struct SnSleepDef {
    double speed; // m/s: an island sleeps when none of its nodes has been faster; 0: none does by itself
    double after; // s: for so long, in steps that converged
} SnSleepDef;

typedef struct SnWorldDef {
    double time_step;       // s
    double gravity[3];      // m/s2
    const char* integrator; // a name of `sinew list integrators`
    double gamma;           // of tr-bdf2: where its first stage ends, 0 < gamma < 1; 0: 2 - sqrt 2
    int dissipation_order;  // 1 or 2: how exactly dissipation is taken; 0: as the integrator's order
    SnSolverDef solver;
    SnContactDef contact;
    int threads;         // 0: one per processor; ignored when runner.run is set
    SnTaskRunner runner; // a host's own job system, or zero
    SnLog log;
    SnSleepDef sleep;
} SnWorldDef;

SN_API SnSolverDef sn_default_solver_def(void);
// An option by the name that `sinew list solvers` shows, as a scene has it: sn_solver_set(&def, "history", "8"). The
// type comes first.
SN_API SnStatus sn_solver_set(SnSolverDef* def, const char* name, const char* value);
SN_API SnContactDef sn_default_contact_def(void);
SN_API SnWorldDef sn_default_world_def(void);
SN_API SnStatus sn_world_create(const SnWorldDef* def, SnWorld** world);
SN_API void sn_world_destroy(SnWorld* world);

// Limits of stretch, beyond which nothing goes: ADMM keeps them to convergence; the other solvers put an energy
// stiffness/2 |distance|^2 per volume in their place. An edge with lo = hi = 1 is a rod, one with hi = 1 a rope.
typedef enum SnLimitMode {
    SN_LIMIT_AUTO,      // warp and weft of sheets, otherwise isotropic
    SN_LIMIT_ISOTROPIC, // all principal stretches
    SN_LIMIT_WARP_WEFT, // of sheets: how far their two axes are stretched
} SnLimitMode;

typedef struct SnLimits {
    double lo, hi; // 0 <= lo <= 1 <= hi; 0 and infinity: no limits
    SnLimitMode mode;
    double stiffness; // Pa; 0: ten times what the material and the inertia of elements put up
} SnLimits;

// How a body of tetrahedra is deformed between its nodes.
typedef enum SnElement {
    SN_ELEMENT_LINEAR,      // linearly in each tetrahedron; too stiff where the volume hardly changes
    SN_ELEMENT_LINEAR_BBAR, // the same, but what keeps the volume does so in clusters of about eight of them
    SN_ELEMENT_QUADRATIC,   // quadratically, in ten-node tetrahedra: the mesh is of second order (sn_mesh_raise)
    SN_ELEMENT_AUTO,        // LINEAR_BBAR where Poisson's ratio is above 0.45 and the material can, otherwise LINEAR
} SnElement;

// How a skin follows the nodes of its body.
typedef enum SnSkinWeights {
    SN_SKIN_LINEAR, // as a point of its tetrahedron: with a crease where that meets others
    SN_SKIN_SMOOTH, // by the deformation around it, too: what bends evenly is smooth; such a skin cannot touch
} SnSkinWeights;

typedef struct SnBodyDef {
    const char* name;       // copied; NULL: "body N"
    const SnMesh* mesh;     // copied: rest shape; may be destroyed after the call
    const double* start;    // 3 x node_count start positions, or NULL for the rest shape
    const double* velocity; // 3 x node_count start velocities, or NULL for none
    SnElement element;
    SnMaterial material;
    // Where the material varies. Elements are the mesh's tetrahedra, without these its triangles, without these its
    // edges.
    const SnMaterial* regions; // of the body's type, with other young, poisson, density, extra, fiber or bending
    int region_count;
    const int* region_of_element;   // per element: index into regions, or -1 for `material`; NULL: no regions
    const double* young_scale;      // per element: multiplies young, positive; NULL: 1
    const double* fiber_directions; // 3 per element, any length, in place of fiber_direction; zero: no fibers there
    SnLimits limits;
    const SnDampingDef* damping; // how it loses energy; they add up; copied
    int damping_count;
    SnBodyContactDef contact;
    // A surface that its tetrahedra carry, drawn and exported in place of their own; copied. NULL: none, or, of a sheet
    // whose mesh has faces, these.
    const SnMesh* skin;
    bool shelf; // it is not there until sn_world_place_body takes it from the shelf
    SnSkinWeights skin_weights;
} SnBodyDef;

SN_API SnBodyDef sn_default_body_def(void);
SN_API SnStatus sn_world_add_body(SnWorld* world, const SnBodyDef* def, int* body); // body may be NULL

// A scripted displacement, a function of time alone; the parts add up.
typedef struct SnKeyframe {
    double time;    // s
    double move[3]; // m, from the start position; linear in between, constant outside
} SnKeyframe;

typedef struct SnMotion {
    double velocity[3]; // m/s
    // m, at least 0: how far the velocity carries from the start, ahead and back, before it changes sign; both 0: it
    // never does.
    double turn[2];
    double rotate_axis[3]; // any length; zero: no rotation
    double rotate_centre[3];
    double rotate_rate;          // rad/s
    const SnKeyframe* keyframes; // times increasing; copied
    int keyframe_count;
    double oscillate_amplitude[3]; // m; times sin(2 pi frequency t)
    double oscillate_frequency;    // 1/s
    double until;                  // s; the motion stops here (infinity: never)
    double release;                // s; the nodes are let go here (infinity: never)
} SnMotion;

// How a handle holds its nodes.
typedef enum SnHold {
    SN_HOLD_ELIMINATE, // they are taken out of the problem: exact, and nothing is to be solved for them
    SN_HOLD_ENERGY,    // by springs, stiffness/2 |x - place|^2 each
} SnHold;

typedef struct SnHandleDef {
    int body;
    const int* nodes; // of the body; NULL: all
    int node_count;
    SnMotion motion; // zero: pinned where they start
    // Where they are taken from in place of their start, as from another program's animation; the motion adds to it.
    // Linear in between, constant outside; copied.
    const double* targets;      // target_count x 3 x node_count, m; NULL: from their start
    const double* target_times; // target_count, s, increasing
    int target_count;
    SnHold how;
    // Directions that it holds in, of any length: one for a roller or a plane of symmetry; across them nodes are free.
    // Nodes may be in several handles that have such, where all their directions are independent. 0 or 3: all.
    double axes[9]; // 3 x axis_count
    int axis_count;
    // N/m, of each node held by energy; 0: a thousand times what its elements and, in a step, its inertia put up, and
    // admm keeps it in place to convergence
    double stiffness;
    // A hinge: nodes keep their places relative to each other, and turn freely together about an axis through a point,
    // or, where the axis is zero, about the point in any direction. The motion takes point and axis along.
    bool hinge;
    double hinge_axis[3];  // of any length
    double hinge_point[3]; // m; NAN: the middle of the nodes
} SnHandleDef;

SN_API SnHandleDef sn_default_handle_def(void);
// Also between steps: then its times count from there on, and factors are made anew. handle may be NULL.
SN_API SnStatus sn_world_add_handle(SnWorld* world, const SnHandleDef* def, int* handle);

// An obstacle: its shape at time 0 and how it moves, as a rigid body.
typedef struct SnObstacleDef {
    const char* name; // copied; NULL: "obstacle N"
    SnObstacleShape shape;
    double friction;           // Coulomb's coefficient
    double thickness;          // m: bodies are kept this far from its surface; -1: each as far as its own thickness
    SnMotion motion;           // zero: it stays; `release` has no meaning here
    const char* const* groups; // as bodies have them; copied
    int group_count;
    bool shelf; // it is not there until sn_world_place_obstacle takes it from the shelf
} SnObstacleDef;

SN_API SnObstacleDef sn_default_obstacle_def(void); // a floor: the plane y = 0
// obstacle may be NULL. Also between steps, unless something would be inside it; its motion and its frames count from
// there. While changes are noted one with a type of the caller's own is refused.
SN_API SnStatus sn_world_add_obstacle(SnWorld* world, const SnObstacleDef* def, int* obstacle);

// What two are to each other. A name is that of a body, of an obstacle, or of a group: then it is each that is in it;
// "all" is everything. Twice the same body is that body and itself; otherwise nobody is meant with itself. Of several
// that mean the same two the last one that says something counts.
typedef struct SnContactPairDef {
    const char* between[2];
    int touch;       // 1: they touch, 0: they do not; -1: as without this
    double friction; // Coulomb's coefficient; -1: as without this
} SnContactPairDef;

SN_API SnContactPairDef sn_default_contact_pair_def(void);
// After the bodies and obstacles that it names; later ones go before earlier ones. Between steps another friction costs
// nothing; two that are to touch and cross already are refused.
SN_API SnStatus sn_world_add_contact_pair(SnWorld* world, const SnContactPairDef* def);

// Nodes of a body that stay on a surface, at a distance, and slide along it: of an obstacle, or of another body, which
// feels them (two ways).
typedef struct SnSlideDef {
    int body;
    const int* nodes; // of the body; NULL: all
    int node_count;
    int on_body, on_obstacle; // one of them; -1: not that
    double distance;          // m, from the surface, outwards; NAN: as far as each node starts
} SnSlideDef;

SN_API SnSlideDef sn_default_slide_def(void);
SN_API SnStatus sn_world_add_slide(SnWorld* world, const SnSlideDef* def, int* slide); // at any time; may be NULL
SN_API SnStatus sn_world_release_slide(SnWorld* world, int slide);                     // it keeps its number

// Nodes of a body.
typedef struct SnPlaceDef {
    int body;         // -1: none
    const int* nodes; // NULL: all
    int node_count;
} SnPlaceDef;

// Nodes of a body that are tied to another one, or to others of the same: each to the nearest point of its surface, or,
// with to.nodes, and where it has no surface, to the nearest of these; as they are when it is added. Both feel it.
typedef struct SnAttachmentDef {
    SnPlaceDef from, to;
    double strength; // N: a node is let go after a step in which its tie pulled harder; infinity: never
    double close;    // s: within which what is apart at the start is drawn together; 0: in the first step
} SnAttachmentDef;

SN_API SnAttachmentDef sn_default_attachment_def(void);
// At any time; `close` counts from there on. attachment may be NULL.
SN_API SnStatus sn_world_add_attachment(SnWorld* world, const SnAttachmentDef* def, int* attachment);
SN_API SnStatus sn_world_release_attachment(SnWorld* world, int attachment); // all of its nodes that are not yet
SN_API int sn_world_attachment_count(const SnWorld* world);
SN_API SnStatus sn_world_attachment_torn(const SnWorld* world, int attachment, int* count); // how many nodes are let go

// A load (sinew/load.h) with the defaults of its type. It acts from the next step on; added between steps, its ramp
// and gusts count from there.
SN_API SnLoadDef sn_default_load_def(const char* type);
SN_API SnStatus sn_world_add_load(SnWorld* world, const SnLoadDef* def, int* load); // load may be NULL

// An actuator (sinew/actuator.h) with the defaults of its type. It acts from then on, as its ramp has it, whose times
// count from there; between steps what elements store more at once is work.
SN_API SnActuatorDef sn_default_actuator_def(const char* type);
SN_API SnStatus sn_world_add_actuator(SnWorld* world, const SnActuatorDef* def, int* actuator); // may be NULL

typedef enum SnOutcome {
    SN_OUTCOME_CONVERGED,       // the stopping rule was met
    SN_OUTCOME_ITERATION_LIMIT, // as many iterations as were asked for
    SN_OUTCOME_STALLED,         // no further progress possible; SnStepReport.detail says why
    SN_OUTCOME_UNSETTLED, // the rule was met, but by planes of contacts and slides that are not those of where it ended
} SnOutcome;
SN_API const char* sn_outcome_name(SnOutcome outcome); // "converged", "iteration limit", "stalled", "unsettled"

// Joules. kinetic, elastic and gravity are the state's; the others are sums since the start, so that
// kinetic + elastic + gravity - their values at the start = pins - viscous - friction - numerical.
typedef struct SnEnergy {
    double kinetic, elastic, gravity;
    double pins;        // work done by handles, moving obstacles, loads and actuators
    double viscous;     // loss to dissipation functions
    double friction;    // loss to friction
    double numerical;   // loss to the time integrator, to contacts that stop something, and to unconverged solves
    double unconverged; // of which to unconverged solves: to the forces that they have left over
} SnEnergy;

typedef struct SnTimes { // milliseconds
    double evaluate, assemble, factor, solve, contact, total;
} SnTimes;

// How far contacts are from the laws they stand for, at the end of a step: all 0 where they are kept exactly. With f
// the normal forces, g the gaps, t the thicknesses, r the friction, mu its coefficients and s the slips of all
// contacts:
typedef struct SnContactErrors {
    double pull;    // sum of -f where that pulls, of the sum of |f|
    double gap;     // the largest -g/t: how much too near they are, in thicknesses
    double product; // sum of f |g|, of the sum of f t: what pushes is not at its distance
    double cone;    // sum of |r| - mu f where that is too much, of the sum of f
    double slip; // sum of mu f |s| + r.s, of the sum of mu f t: what slips is not opposed by all the friction there is
} SnContactErrors;

enum { SN_WORST_NODES = 4 };

typedef struct SnStepReport {
    int64_t step; // 1 after the first step
    double time;  // s, at the end of the step
    SnOutcome outcome;
    const char* detail; // why it stalled or has not settled, or how contacts are not kept, or ""; until the next step
    int worst_count;    // where it stalled: the nodes with the largest residuals, the largest first
    int worst[SN_WORST_NODES];
    int iterations, evaluations, factorizations;
    int parts;        // that the step was taken in, as with contacts it did not converge as a whole; 1: it was
    double gradient;  // N, norm of the objective's gradient over free nodes at the end
    double tolerance; // N, what the stopping rule asked for
    SnEnergy energy;
    double momentum[3];         // kg m/s
    double angular_momentum[3]; // kg m2/s, about the origin
    // What gravity, handles, loads, contacts and dissipations have given of both since the start. The momentum has
    // gained as much, to the tolerance of the solver; the angular momentum may have lost some to the integrator.
    double impulse[3], angular_impulse[3];
    double drift; // m: how far off its place the furthest node that is held by energy is
    int contacts; // pairs that push: a node and an obstacle or a triangle, or two edges
    // m: the smallest between surfaces that may touch, of those nearer than 1.5 thicknesses; infinity: none is.
    // Elements of one body that are that near at rest do not count, nor do nodes that are held.
    double distance;
    double depth; // m: how far inside an obstacle that is known by its distance the deepest free node is; 0: none is
    SnContactErrors errors; // the largest of its parts
    int crossings;        // edges that go through triangles at the end, each with each: what has not been untangled yet
    int inverted;         // tetrahedra that are inside out at the end, or flat
    int asleep;           // bodies that slept through it, or through a part of it
    int bounded;          // times that an inner loop ended by its bound of work and not by its precision
    int value_count;      // numbers of the probes (sinew/probe.h),
    const double* values; // and these; until the next step. NAN: not known, as forces before the first step
    SnTimes ms;
} SnStepReport;

// Advances by one time step (or solves one equilibrium). A solve that does not converge is an outcome in the
// report, not an error.
SN_API SnStatus sn_world_step(SnWorld* world, SnStepReport* report); // report may be NULL

// N, 3 x node_count: what the last minimisation of the last step has left at each node, of which SnStepReport.gradient
// is the norm; zero where nodes are held. NULL: no step has been made since the world was changed. Until the next call.
SN_API const double* sn_world_residuals(const SnWorld* world);

// What a body's dissipation functions have taken since the start; they add up to SnEnergy.viscous.
typedef struct SnLoss {
    const char* name; // "BODY: TYPE"
    double energy;    // J
} SnLoss;
SN_API int sn_world_loss_count(const SnWorld* world);
SN_API SnStatus sn_world_loss(const SnWorld* world, int index, SnLoss* loss);

// A contact, as of the end of the last step.
typedef enum SnContactState {
    SN_CONTACT_OPEN,   // it is near, and does not push
    SN_CONTACT_STICKS, // it pushes; friction holds it
    SN_CONTACT_SLIDES, // it pushes; friction is all that there can be, or there is none
} SnContactState;
SN_API const char* sn_contact_state_name(SnContactState state); // "open", "sticks", "slides"

enum { SN_CONTACT_NODES = 4 };

typedef struct SnContactInfo {
    int body;                    // what is pushed
    int other_body, obstacle;    // by whom: one of them; -1: not that
    int node_count;              // of the world: those of the body first, then those of the other one
    int nodes[SN_CONTACT_NODES]; // -1: none; of a skin that touches, of each side the one that carries most of the
                                 // point
    SnContactState state;
    double point[3];    // m: where, on the body
    double normal[3];   // the direction in which it is pushed
    double gap;         // m: how far they are apart, beyond the thickness
    double force;       // N along the normal; with implicit-midpoint in the middle of the step
    double friction[3]; // N on the body
    double slip[3];     // m: how far the point has moved along the other one's surface in the step, or its last part
    double thickness;   // m that is kept,
    double coefficient; // and Coulomb's
} SnContactInfo;

// Those of the last step, the same for any number of threads; none before it and after a restore.
SN_API int sn_world_contact_count(const SnWorld* world);
SN_API SnStatus sn_world_contact(const SnWorld* world, int contact, SnContactInfo* info);

// What something outside exerts on bodies, as of the end of the last step (with implicit-midpoint its middle, with
// several stages their last); none before it and after a restore.
typedef struct SnWrench {
    double force[3];  // N
    double torque[3]; // N m, about the origin
} SnWrench;

SN_API SnStatus sn_world_handle_force(const SnWorld* world, int handle, SnWrench* wrench);
SN_API SnStatus sn_world_obstacle_force(const SnWorld* world, int obstacle, SnWrench* wrench); // normal and friction
SN_API SnStatus sn_world_load_force(const SnWorld* world, int load, SnWrench* wrench);
SN_API SnStatus sn_world_attachment_force(const SnWorld* world, int attachment, SnWrench* wrench); // on `from`
// What contacts with one body exert on another.
SN_API SnStatus sn_world_contact_force(const SnWorld* world, int body, int other, SnWrench* wrench);

// The current state in the same form, before the first step or after a restore (iterations 0).
SN_API SnStatus sn_world_measure(SnWorld* world, SnStepReport* report);

SN_API int sn_world_node_count(const SnWorld* world);
SN_API const double* sn_world_positions(const SnWorld* world);  // 3 x node_count, bodies one after the other
SN_API const double* sn_world_velocities(const SnWorld* world); // 3 x node_count
SN_API double sn_world_time(const SnWorld* world);
SN_API double sn_world_time_step(const SnWorld* world); // of the next step
// Steps are this long from now on.
SN_API SnStatus sn_world_set_time_step(SnWorld* world, double time_step);

// --- Changes between steps. What they add to energies and momenta is the work and the impulse of handles. ---

// 3 x node_count each. Where something would cross something else, or be inside out where that is infinite, it is an
// error and nothing has changed. Held nodes go where their script has them in the next step.
SN_API SnStatus sn_world_set_positions(SnWorld* world, const double* positions);
SN_API SnStatus sn_world_set_velocities(SnWorld* world, const double* velocities);
SN_API SnStatus sn_world_set_gravity(SnWorld* world, const double gravity[3]); // m/s2; costs nothing

// Of a body whose material is the same everywhere; factors are made anew.
SN_API SnStatus sn_world_set_stiffness(SnWorld* world, int body, double young, double poisson);
SN_API SnStatus sn_world_stiffness(const SnWorld* world, int body, double* young, double* poisson);
// One number of such a body's material: "young", "poisson", "density", or a number of its type's own.
SN_API SnStatus sn_world_set_material(SnWorld* world, int body, const char* name, double value);
SN_API SnStatus sn_world_material(const SnWorld* world, int body, const char* name, double* value);
// One number of a body's damping, counted from 0: "beta", "shear", "bulk", "strength" or "drag", of those that its type
// has; factors are made anew.
SN_API SnStatus sn_world_set_damping(SnWorld* world, int body, int damping, const char* name, double value);
SN_API SnStatus sn_world_damping(const SnWorld* world, int body, int damping, const char* name, double* value);
// One more damping of a body, at any time; `damping`, which may be NULL, is its number.
SN_API SnStatus sn_world_add_damping(SnWorld* world, int body, const SnDampingDef* def, int* damping);
// Another solver, by a name of `sinew list solvers`, with the options that the world has; everything is made anew.
SN_API SnStatus sn_world_set_solver(SnWorld* world, const char* type);
// Another integrator, by a name of `sinew list integrators`; one with inertia in place of another such one.
SN_API SnStatus sn_world_set_integrator(SnWorld* world, const char* type);
// Of an obstacle, or, -1, between bodies, where no pair says otherwise; costs nothing.
SN_API SnStatus sn_world_set_friction(SnWorld* world, int obstacle, double friction);
// A load is so many times what it was defined as, besides its ramp; costs nothing, but for wind that grows.
SN_API SnStatus sn_world_set_load(SnWorld* world, int load, double factor);
// The same of an actuator; what elements store more at once is work.
SN_API SnStatus sn_world_set_actuator(SnWorld* world, int actuator, double factor);
// Holds nodes of a body where they are, as a handle that is added at any time; factors are made anew.
SN_API SnStatus sn_world_hold(SnWorld* world, int body, const int* nodes, int node_count, int* handle);
// Within the next step the handle's nodes go where they are told to (3 x as many as it has, m), and there they stay:
// its script is over. Costs nothing.
SN_API SnStatus sn_world_move_handle(SnWorld* world, int handle, const double* places);
// The same as a rotation and a shift of where its nodes were when it was added.
SN_API SnStatus sn_world_pose_handle(SnWorld* world, int handle, const SnPose* pose);
SN_API SnStatus sn_world_release_handle(SnWorld* world, int handle); // it lets its nodes go; factors are made anew
// The same of an obstacle, as a rotation and a shift of what it was added as. What is in its way it pushes, or waits
// for.
SN_API SnStatus sn_world_move_obstacle(SnWorld* world, int obstacle, const SnPose* pose);
// The same of the vertices of an obstacle of triangles that has `frames`, one being enough: 3 x as many as these have,
// m, before its pose.
SN_API SnStatus sn_world_shape_obstacle(SnWorld* world, int obstacle, const double* vertices);
// Takes an obstacle out, onto the shelf, where it keeps its number and touches nothing; one with slides is refused. And
// takes one from there: it is put where the pose has it, and stays, unless something would be inside it or cross it.
// The problem is made anew.
SN_API SnStatus sn_world_remove_obstacle(SnWorld* world, int obstacle);
SN_API SnStatus sn_world_place_obstacle(SnWorld* world, int obstacle, const SnPose* pose);

// Takes a body out, onto the shelf: it keeps its numbers, but all its nodes are in one point, and nothing acts on them.
// Handles let go of it, loads and actuators rest; one with slides or attachments that hold is refused. And takes one
// from there: its rest shape is put where the pose has it, with a velocity (NULL: none), unless it would cross
// something. The problem is made anew.
SN_API SnStatus sn_world_remove_body(SnWorld* world, int body);
SN_API SnStatus sn_world_place_body(SnWorld* world, int body, const SnPose* pose, const double velocity[3]);

// Puts a body to sleep, with all of its island (SnSleepDef), whatever they do: they stop. Refused where one of them has
// slides, attachments, loads, actuators, grabs, or a handle by energy or in some directions: such do not sleep. And
// wakes one with its island; -1: all.
SN_API SnStatus sn_world_sleep(SnWorld* world, int body);
SN_API SnStatus sn_world_wake(SnWorld* world, int body);

// What a ray meets first of the bodies' surfaces.
typedef struct SnPick {
    int body, triangle; // -1: nothing; of SnBodyInfo.surface
    int nodes[3];       // of the world, its corners
    double weights[3];  // point = sum of weights x corners
    double point[3];    // m
    double distance;    // m from the origin
} SnPick;
SN_API SnStatus sn_world_pick(const SnWorld* world, const double origin[3], const double direction[3], SnPick* pick);

// Pulls at the point that was picked with a spring, N/m, 0: a usual one, towards where it is now, or is dragged to.
// Nothing is made anew for it. grab: the least number that is free.
SN_API SnStatus sn_world_grab(SnWorld* world, const SnPick* pick, double stiffness, int* grab);
SN_API SnStatus sn_world_drag(SnWorld* world, int grab, const double target[3]);
SN_API SnStatus sn_world_let_go(SnWorld* world, int grab);
SN_API SnStatus sn_world_grab_force(const SnWorld* world, int grab, SnWrench* wrench); // as the nodes are now

// Changes as numbers, to be kept and made again in a world that is in the same state. A run file that is started from
// a world has it note them, and keeps them (sinew/run.h).
typedef struct SnEvent {
    int64_t step;     // after which it was made
    const char* kind; // "gravity", "drag", ...
    int target;       // which grab, handle, obstacle, body
    int count;
    const double* numbers;
} SnEvent;
// From now on; those so far are dropped. Notes take memory until they are dropped, as a run file does with each frame:
// a world that goes on after its run file was closed should be told to note no more.
SN_API SnStatus sn_world_note_changes(SnWorld* world, bool noting);
SN_API int sn_world_event_count(const SnWorld* world);
SN_API SnStatus sn_world_event(const SnWorld* world, int index, SnEvent* event); // until the next change
SN_API SnStatus sn_world_apply(SnWorld* world, const SnEvent* event);

// A hash of positions and velocities, bit for bit: equal states have equal hashes.
SN_API uint64_t sn_world_hash(const SnWorld* world);

// A body as the world keeps it; pointers are valid while the world lives. Node indices are the body's own.
typedef struct SnBodyInfo {
    const char* name;
    int first_node, node_count; // its range in the world's arrays
    const double* rest;         // 3 x node_count
    int tetrahedron_count;
    const int* tetrahedra;
    int triangle_count;
    const int* triangles; // of a sheet
    int edge_count;
    const int* edges; // of a rope
    int surface_count;
    const int* surface; // 3 x surface_count: the boundary of the tetrahedra, or the sheet's triangles; outward
    double mass;        // kg
    const SnSkin* skin; // NULL: none
    bool out;           // it is on the shelf
    bool asleep;        // it sleeps (SnSleepDef)
    SnElement element;  // of tetrahedra; of ten-node ones each eight that follow each other are one
} SnBodyInfo;

SN_API int sn_world_body_count(const SnWorld* world);
SN_API SnStatus sn_world_body(const SnWorld* world, int body, SnBodyInfo* info);
// A body as it is drawn: 3 numbers each for the vertices of its skin, or, where it has none, for its nodes: where they
// are, m, and their normals, the mean of the triangles around them by area; zero where there are none. Either may be
// NULL.
SN_API SnStatus sn_world_draw(const SnWorld* world, int body, float* positions, float* normals);

// An obstacle as the world keeps it; pointers are valid while the world lives.
typedef struct SnObstacleInfo {
    const char* name;
    const SnObstacleShape* shape; // with its type's name, also of a custom one
    double friction;
    double thickness; // m: the largest of any body, where the definition left it open
    SnPose pose;      // now
    bool changes;     // its surface may be another one later, besides its pose
    bool out;         // it is on the shelf
} SnObstacleInfo;

SN_API int sn_world_obstacle_count(const SnWorld* world);
SN_API SnStatus sn_world_obstacle(const SnWorld* world, int obstacle, SnObstacleInfo* info);
// Its surface now, as triangles, before its pose is applied; of an endless one `extent` m to each side. *mesh is NULL
// where a custom type cannot tell. Node and triangle counts stay the same from step to step.
SN_API SnStatus sn_world_obstacle_surface(SnWorld* world, int obstacle, double extent, SnMesh** mesh);

// Everything exact resumption needs, as bytes. sn_world_state_size bytes are written; restore checks that they come
// from a world of the same make-up.
SN_API size_t sn_world_state_size(const SnWorld* world);
SN_API SnStatus sn_world_save_state(const SnWorld* world, void* bytes, size_t size);
SN_API SnStatus sn_world_restore_state(SnWorld* world, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
