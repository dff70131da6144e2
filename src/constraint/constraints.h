// The constraints of a minimisation: where they come from, how they are kept, and what they add to the objective.
//
// A method (constraint/method.h) keeps them: by an energy that any solver can minimise, or within the global step of a
// solver that has one. Constraints are collected anew where the nodes are now, whenever a solver says so.
#pragma once
#include "constraint/friction.h"
#include "constraint/grab.h"
#include "constraint/hinge.h"
#include "constraint/slide.h"
#include "constraint/tie.h"
#include "linalg/block_matrix.h"

typedef struct SnConstraintMethod SnConstraintMethod;

typedef struct SnConstraints {
    const SnNodes* nodes;
    const SnConstraintMethod* method;
    SnFriction friction;
    // Where they come from.
    SnContacts* contacts; // NULL: nothing can touch
    int slide_count;
    SnSlide* slides;
    int tie_count;
    const SnTie* ties;
    int hinge_count;
    const SnHinge* hinges;
    int handle_count;           // ties and hinges with numbers below are of handles, then come attachments
    int grab_count, first_grab; // the number of the first of them, after all ties
    const SnGrab* grabs;
    SnSlideScene scene;
    double further;         // how many times as far as the stage's end the step's is from its start
    const double* start;    // 3 x node_count: where the step began
    double* end;            // 3 x node_count: where nodes would be at its end
    bool* touched;          // node_count, or NULL where nothing slides and touches: whether there is a contact
    bool joins;             // there may be some on several nodes
    SnConstraintSet* now;   // as last collected; key and force are the world's state
    int64_t count;          // of all processes, each once
    SnConstraintSet before; // as they were before that
    int pushing_capacity;
    int64_t* pushing; // keys of the contacts that pushed when the stage began
    double ms_aim;    // in finding those of first guesses, since the last minimisation
    // Of the minimisation under way.
    double penalty;     // relative to what their nodes put up against being moved
    double mean_force;  // N, of those that push
    double last_change; // what the forces were last changed by, N; 0: they were not
    double same_change; // the same, if they were those of the same constraints
    int rounds;         // how often they were found anew
    double share;       // of the next change, that the gradient may be when forces are taken over
    double left;        // N: what the gradient was with those found last at a minimum; 0: not at one
    double open;        // N: the gradient with those found last, where they stay and that is too much; 0: it is not
    int slow_changes;   // how many of those in a row were hardly smaller than the one before
    bool contradicting; // they cannot all be kept: their forces stay as they are, and they give way
    double asked;       // N: what the gradient has to come down to until they have settled; 0: as far as is known
    bool settled;       // the forces are what holds the nodes
    bool reached;       // nodes got to the iterate without crossing anything
    bool held_up;       // not all of them get to the minimum that was just found
    bool changed;       // since the last iteration, and value and gradient at x with them
    int bounded;        // loops for their forces that ended by their bound of work and not by their precision
} SnConstraints;

void sn_constraints_free(SnConstraints* constraints);

// The constraints are for the end of a stage `span` after the start of the step; obstacles and detector are there.
// x: where the step began, free of crossings; it ends `further` times as far from there as the stage.
SnStatus sn_constraints_begin_stage(SnConstraints* constraints, const double* x, double span, double further);
// Finds those of nodes that are to go to x; forces are those of the constraints before with the same keys.
SnStatus sn_constraints_aim(SnConstraints* constraints, const double* x);
// How far they may go without crossing anything; where they would be on the way; and where they are safe, as they were
// last taken (sn_contacts_take).
SnStatus sn_constraints_advance(SnConstraints* constraints, const double* x, const SnGoing* going, SnAdvance* advance);
void sn_constraints_ahead(const SnConstraints* constraints, const double* ways, double* x);
void sn_constraints_safe(const SnConstraints* constraints, double* x);
// How far a constraint's point gives way to a force, by the stiffness of its nodes alone, m/N.
double sn_constraint_yield(const SnNodes* nodes, const SnStencil* at);
// Penalties and normal forces for constraints as they are now.
void sn_constraints_set_penalty(SnConstraints* constraints, double penalty);
// Whether it is this process's: others may have it, too, where a node of it has copies there. Sums are over these.
bool sn_constraint_is_own(const SnNodes* nodes, const SnKept* item);
// There are none any more.
void sn_constraints_drop(SnConstraints* constraints);
// Before a minimisation.
void sn_constraints_start(SnConstraints* constraints);

// What they add to the objective at x: energy; gradient, times scale; and, to the diagonal blocks of a Hessian, what
// bounds its second derivative from above (for constraints on one node, just that), where the gradient is g.
double sn_constraints_energy(const SnConstraints* constraints, const double* x);
// What springs among them (SnConstraint.springy) have at x, J: all of it where constraints are kept in a global step.
double sn_constraints_spring_energy(const SnConstraints* constraints, const double* x);
double sn_constraint_spring_energy(const SnKept* item, const double* x);
void sn_constraints_gradient(const SnConstraints* constraints, double scale, const double* x, double* g);
void sn_constraints_hessian(const SnConstraints* constraints, const double* x, const double* g,
                            const SnBlockMatrix* matrix);
// The second derivative of one energy by its point, 3x3, positive semidefinite; false: there is none.
bool sn_constraints_block(const SnConstraints* constraints, int index, const double* x, const double* g,
                          double block[9]);
// How far along d, from x, a step may go; 1: all the way.
double sn_constraints_longest_step(const SnConstraints* constraints, const double* x, const double* d);

// An iterate: g has the gradient of all nodes, pinned ones too.
typedef struct SnConstraintIterate {
    const double* x;
    double* g;
    double value, norm; // of the objective; of g over the free nodes
    double tolerance;   // N
    double floor;       // N: what rounding leaves of forces that balance each other
    bool room;          // there are iterations left for planes to settle
    double ms_collect;  // that finding constraints took
} SnConstraintIterate;
// After an iteration: constraints as they are at x now, value and gradient with them; forces are taken over where the
// minimum for the present ones is near enough.
SnStatus sn_constraints_update(SnConstraints* constraints, SnConstraintIterate* iterate);
// At x, where nodes have been advanced to or would go on to: other constraints, value and gradient with them.
SnStatus sn_constraints_renew(SnConstraints* constraints, SnConstraintIterate* iterate);
// Takes what they add to value and gradient out of these (sign -1), or puts it in, with the norm.
void sn_constraints_correct(const SnConstraints* constraints, SnConstraintIterate* iterate, double sign);
// Forces are what they push with at x, and friction goes by that.
void sn_constraints_take_over(SnConstraints* constraints, const double* x);
// At the end: the same, but friction is what the gradient has of it.
void sn_constraints_end(SnConstraints* constraints, const double* x);
// Iterations ended before the minimum, where forces of a global step are those of the iterate before it: what still
// pulls a node at the obstacle that it is pressed against, that bears, as a handle would.
SnStatus sn_constraints_bear(SnConstraints* constraints, SnConstraintIterate* iterate);
// The end was not where the forces lead to. Where obstacles move, those of a global step are what it would have taken
// to make way for them, if at all: nobody goes on from them. An energy's are what it pushes with wherever it is.
void sn_constraints_forget_pushed(SnConstraints* constraints);
// By how much that would change the gradient, and how large the forces are, N.
double sn_constraints_change(const SnConstraints* constraints, const double* x, double* size);
bool sn_constraints_push(const SnConstraints* constraints, const double* x); // some do, or would have to
