// Points: terms of more corners than a tetrahedron has. F = sum of x_a G_a^T with weights G that are given, linear in x
// as that of a tetrahedron: the points of quadrature of larger elements, and means over several tetrahedra.
#pragma once
#include "core/memory.h"

enum { SN_POINT_NODES = 10, SN_POINT_SHAPE = 3 * (SN_POINT_NODES - 1) };

typedef struct SnPoints {
    int count;
    int* nodes;      // SN_POINT_NODES x count; where there are fewer, the first is repeated, with no weight
    double* shapes;  // SN_POINT_SHAPE x count: G of corners 1 and on; corner 0 has minus their sum
    double* volumes; // count, m3
    int* first;      // count + 1, into members: the elements of the body that a point is of
    int* members;
    double* shares; // what of a point's energy each has; they add up to 1
} SnPoints;

SnStatus sn_points_allocate(int count, int member_count, SnPoints* points);
void sn_points_free(SnPoints* points);

// Some of them, in this order.
SnStatus sn_points_choose(const SnPoints* from, const int* chosen, int count, SnPoints* points);

// Four of each ten-node tetrahedron (10 x count, as VTK orders nodes), whose eight linear parts are the body's
// elements.
SnStatus sn_points_of_quadratics(const double* rest, int count, const int* elements, SnPoints* points);

// Means of F over clusters of up to about eight tetrahedra that share faces and are of one kind (NULL: all are): each
// tetrahedron is in one. *points is freed when it fails.
SnStatus sn_points_of_clusters(const double* rest, int count, const int* tetrahedra, const int* kinds,
                               SnPoints* points);
