// Hinges: nodes that keep their places relative to each other, and turn about an axis a through a point c, or about the
// point alone.
//
// Up to two of them (about a point three) span all others, X_i - c = sum_f w_f (X_f - c) + l a, and any turn keeps
// that:
//
//     x_i - sum_f w_f x_f = (1 - sum_f w_f) c + l a
//
// is linear in the nodes. The frame nodes f themselves keep their place along the axis, and across it their distances
// from it and from each other, which is taken as linear where they are, and found anew from there.
#pragma once
#include "constraint/constraint.h"

enum { SN_HINGE_FRAME = 3 };

typedef struct SnHinge {
    int number; // as of a tie: no other one, nor a tie, has it
    int node_count;
    const int* nodes; // of the world
    bool ball;        // it turns about the point, in any direction
    int frame_count;
    int frame[SN_HINGE_FRAME];                    // which of the nodes
    double radius[SN_HINGE_FRAME];                // m, from the axis or the point
    double apart[SN_HINGE_FRAME][SN_HINGE_FRAME]; // m, across the axis
    double* weights;                              // SN_HINGE_FRAME x node_count; of a frame node, 1 for itself
    double* along;                                // node_count, m: l; of a frame node, its place along the axis
    // At the end of the stage, and how they move: m, m/s; a direction, 1/s.
    double point[3], axis[3];
    double point_velocity[3], axis_velocity[3];
    double last_point[3], last_axis[3]; // at the start of the step
} SnHinge;

// For point, axis and nodes as set, at their places, 3 x node_count.
SnStatus sn_hinge_build(SnHinge* hinge, const double* places);
void sn_hinge_free(SnHinge* hinge);
// Adds its constraints for nodes at x, with keys as of ties. start: where nodes were at the start of the step, for
// forces in its middle; NULL: at its end.
SnStatus sn_hinge_collect(const SnHinge* hinge, int slide_count, const SnTasks* tasks, const double* x,
                          const double* start, SnConstraintSet* set);
