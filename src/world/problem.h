// The problem: what a step solves, made from the model before the first step after a change (world/problem.c).
#pragma once
#include "solver/solver.h"
#include "world/contact_filter.h"
#include "world/state.h"

// A node held by energy.
typedef struct SnPin {
    int handle, entry; // the node is this one of the handle's
} SnPin;

// The pressure of a chamber, as the root of what it would be minus what it is; of a given volume, of what is missing.
typedef struct SnGas {
    double pressure, last, last_off; // Pa: now, before, and what it was off then
    // Of a given volume: N, pressure times area, of which `last` is then, `last_off` being m3; and m3/N, 0: not known.
    double force, give;
    int round; // of the stage
} SnGas;

// Loads in the present stage (world/load.c); nothing where there are none.

typedef struct SnLoads {
    SnGas* gases;     // load_count
    SnChamber* ended; // load_count: as the stage found them
    bool* rests;      // load_count: its body is on the shelf
    SnLoadSum sum;
    double* most;             // node_count, N s/m: of the drag
    double* mass;             // node_count, kg: with what the drag adds to it
    double* external;         // 3 x node_count, N: gravity and loads when the stage begins
    double* acting;           // 3 x node_count, N: loads as they were last found, at the end of the stage in the end
    double *following, *next; // 3 x node_count, N: of loads that follow, and at the minimum; NULL: there are none
    int own_count;
    SnLoadSum* own; // own_count, as there are works: of loads whose work is asked for, as `sum`
    double at;      // s, of the end of the stage
} SnLoads;

// What actuators make of elements (world/actuator.c); nothing where there are none.
typedef struct SnActuations {
    SnActuation* elements;    // element_count
    double *factors, *wanted; // actuator_count each: of their ramps, now and next
    double *before, *now;     // 3 x node_count, N: forces of elements
} SnActuations;

// Nodes that are held in some directions (world/tie.c).
typedef struct SnTies {
    int count;
    SnTie* items;
    int hinge_count;
    SnHinge* hinges; // of handles that have one and hold, with their weights
} SnTies;

typedef struct SnProblem {
    bool ready;
    bool reported;  // a step has been made of it
    bool* released; // handle_count: the handle has let go
    SnPotential* potential;
    SnObjective objective;
    SnSearch* search;
    void* solver; // NULL: no step has been made, or every node is held
    SnConstraints constraints;
    SnTies ties;
    SnObstacle* obstacles;     // obstacle_count, placed for the stage
    SnContactFilter filter;    // of constraints.contacts
    bool* slides;              // node_count: the node slides on something; NULL: none does
    int* free_index;           // node_count: row of each free node, -1 where held
    double* asleep;            // body_count: as the state had it
    struct SnSleepRoom* sleep; // (world/sleep.c)
    double* mass;              // node_count, kg
    double* gravity;           // 3 x node_count, N
    SnLoads loads;
    SnActuations actuations;
    double* node_stiffness; // node_count, N/m
    double* support;        // node_count, N/m, or NULL: see SnNodes
    double characteristic;  // N, that the tolerance is relative to
    bool start_checked;     // it has been looked at what starts inside something
    bool slides_told;       // that some contradict each other has been said
    bool barrier;           // some body's energy is infinite where it is inside out
    int lost;               // a node that the stage would take beyond all numbers; -1: none
    // Nodes that are held by energy now, handle after handle; first springs, then those that the solver keeps in place.
    int pin_count, spring_count;
    SnPin* pins;        // pin_count
    int* pin_nodes;     // pin_count, of the world
    double* pin_shares; // pin_count: how far of the way to its place a node goes, if others stay
    int pin_group;      // of the potential: of springs, if there are any; then of the others
} SnProblem;

// Terms of all bodies that are not on the shelf, and of their dampings, not finished yet (world/terms.c).
SnStatus sn_terms_create(const SnModel* model, const SnState* state, SnPotential** potential);
// Terms of the body's limits of stretch (world/limits.c).
SnStatus sn_limits_add_terms(const SnModel* model, const SnBody* body, SnPotential* potential);
// Terms of nodes held by energy, after all others (world/pin.c).
SnStatus sn_pins_add_terms(const SnModel* model, SnProblem* problem);
