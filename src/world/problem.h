// The problem: what a step solves, made from the model before the first step after a change.
#pragma once
#include "solver/solver.h"

typedef struct SnProblem {
    bool ready;
    SnPotential* potential;
    SnObjective objective;
    SnSearch* search;
    void* solver; // NULL: every node is held
    SnConstraints constraints;
    int* free_index;        // node_count: -1 where held
    double* mass;           // node_count, kg
    double* gravity;        // 3 x node_count, N
    double* node_stiffness; // node_count, N/m
    double characteristic;  // N
    bool barrier;           // some body's energy is infinite where it is inside out
    int pin_group;          // of the potential: the nodes held by energy, handle after handle; -1: there are none
    double *pin_place, *pin_force; // 3 for each of these
    int* pin_nodes;
} SnProblem;
