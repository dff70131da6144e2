// Generalised winding numbers of a surface: how often it goes around a point, also where it has holes.
//
// w(p) = sum of the solid angles of its triangles / 4 pi (Jacobson et al. 2013): 1 inside and 0 outside a closed
// surface, in between near holes. Triangles far away are summed by the tree: the field of their area vectors, to second
// order around their centre (Barill et al. 2018).
#pragma once
#include "mesh/bounding_tree.h"

typedef struct SnWinding {
    SnTree* tree;
    const double* x;            // not copied
    struct SnWindingBox* boxes; // as the tree's
} SnWinding;

SnStatus sn_winding_create(int triangle_count, const int* triangles, const double* x, SnWinding** winding);
void sn_winding_destroy(SnWinding* winding);
double sn_winding_at(const SnWinding* winding, const double p[3]);
// Of one triangle.
double sn_solid_angle(const double a[3], const double b[3], const double c[3], const double p[3]);

// Where the segment from p to q goes through a triangle: 0 to 1, or -1: it does not, or lies in its plane.
double sn_segment_meets(const double a[3], const double b[3], const double c[3], const double p[3], const double q[3]);
