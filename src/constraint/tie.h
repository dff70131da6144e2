// Ties: nodes that are held in some directions n, where a script has them or at a point of a body,
//
//     n.(x_i - p) = 0   or   n.(x_i - sum_k w_k x_k) = n.p,
//
// and move freely across these.
#pragma once
#include "constraint/constraint.h"

enum { SN_TIE_CORNERS = 3 };

typedef struct SnTie {
    int number; // no other one has it
    int node_count;
    const int* nodes; // of the world
    int axis_count;
    const double* axes; // 3 x axis_count, orthonormal
    // Of a body that it is tied to: nodes of the world and their weights, SN_TIE_CORNERS for each node, weight 0: none;
    // NULL: a script has them.
    const int* corners;
    const double* weights;
    const double* gone;       // node_count: not 0: it has been torn; NULL: none is
    double *place, *velocity; // 3 x node_count, m, m/s: p at the end of the stage, and how it moves
} SnTie;

// Adds its constraints, with keys beyond those of `slides`.
SnStatus sn_tie_collect(const SnTie* tie, int slide_count, const SnTasks* tasks, SnConstraintSet* set);
int64_t sn_tie_key(int number, int slide_count, int axis, int node);
// The number of the tie that a constraint is of; -1: of none.
int sn_tie_number(const SnConstraint* constraint, int slide_count);
