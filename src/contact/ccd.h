// Continuous collision detection: how far along their way two elements, or a point and an obstacle, may go without
// touching. What is returned is never too far: rounding is allowed for, also that of from + t (to - from) by the
// caller.
#pragma once

// Four points go straight from `from` to `to`: node {p} and triangle {a, b, c}, or edges {a, b} and {c, d}. How far
// they may go, in [0, 1], so that the two stay further than `separation` apart all the way; 1: to the end. Where less
// than 1, a tenth to an eighth of what they are further apart at the start is left, of ten times the separation if that
// is less (or more, where a path is so long in comparison that its end is not reached in a bounded number of steps).
//
// Two that start at a distance d <= separation keep min(separation, d/2). Two that touch to within rounding (1e-13 of
// the largest coordinate) go all the way if they do not move at all, or if an axis of the coordinates has them on
// different sides at the start and at the end, where they may touch again; else nowhere (0): on which side of each
// other they are cannot be told.
double sn_ccd_node_triangle(const double from[4][3], const double to[4][3], double separation);
double sn_ccd_edge_edge(const double from[4][3], const double to[4][3], double separation);

// A signed distance at time t in [0, 1] of a path.
typedef double SnPathDistance(void* user, double t);
// The same for a point and what has such a distance. speed: it changes by no more than this per unit of t. What the
// distance may be wrong by belongs into `separation`. A path that starts inside (or touching) is free, 1, if after its
// first thousandth it is always less deep than at the start, else not (0).
double sn_ccd_distance(SnPathDistance* distance, void* user, double speed, double separation);
// The same where the distance is a convex function of t, as that of a convex obstacle is on a straight path past it: a
// path along the surface needs few evaluations, however near. It may be wrong by a tenth of `separation`.
double sn_ccd_convex_distance(SnPathDistance* distance, void* user, double speed, double separation);
