// How far each free node has turned between two shapes: the rotation nearest to what its neighbours did (as-rigid-as-
// possible, Sorkine and Alexa 2007), with which a matrix made for the one serves for the other (stiffness warping,
// Mueller et al. 2002).
#pragma once
#include "solver/objective.h"

typedef struct SnWarp {
    SnTasks* tasks;
    int count;         // free nodes
    int* node;         // count: the node of each
    int64_t* start;    // count + 1, into neighbours
    int* neighbours;   // free nodes that share an element with it
    double* rotations; // [pack][9][lane], column after column
} SnWarp;

// pattern: of a matrix over the free nodes.
SnStatus sn_warp_build(SnWarp* warp, const SnObjective* objective, const SnBlockMatrix* pattern);
void sn_warp_free(SnWarp* warp);
// The rotations from one shape to another, both 3 x node_count.
void sn_warp_turn(SnWarp* warp, const double* from, const double* to);
void sn_warp_rotation(const SnWarp* warp, int row, double r[9]); // of a free node, column after column
// rows <- R rows, or R^T rows; 3 x count, of `lanes` numbers each.
void sn_warp_apply(const SnWarp* warp, bool transposed, int lanes, double* rows);
void sn_warp_apply_some(const SnWarp* warp, bool transposed, int lanes, const int* nodes, int count, double* rows);
