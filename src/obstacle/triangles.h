// A surface of triangles that knows its signed distance; for obstacles made of them.
#pragma once
#include "mesh/normals.h"

typedef struct SnTriangles {
    int node_count, triangle_count;
    double* x; // 3 x node_count
    SnTree* tree;
    SnNormals* normals;
} SnTriangles;

// Both arrays are copied.
SnStatus sn_triangles_create(int node_count, const double* x, int triangle_count, const int* triangles,
                             SnTriangles** out);
void sn_triangles_destroy(SnTriangles* triangles);
// After the nodes in x have been moved.
void sn_triangles_update(SnTriangles* triangles);

// The distance from the surface, never negative, with its nearest point and the unit vector from there to p (the
// normal, where p is on the surface). side: +1 outside, -1 inside, by the normal there.
double sn_triangles_distance(const SnTriangles* triangles, const double p[3], SnNearest* nearest, double away[3],
                             int* side);
