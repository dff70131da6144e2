// Nearest points of a node and a triangle, and of two edges.
//
// Elements may be degenerate in any way: triangles and edges without extent, collinear corners, parallel edges. The
// distance is within 16 u s of the true one, u = 2^-53 and s the largest distance between two of the four points, as
// long as fourth powers of s are finite and not zero; beyond, nothing is promised but that no weight is NaN.
#pragma once

// The vector from the second's nearest point to the first's is sum_k weight[k] x[k].
typedef struct SnDistance {
    double square;     // of the distance, m^2
    double weight[4];  // node {p}, triangle {a, b, c}: 1 and minus the coordinates in the triangle;
                       // edges {a, b}, {c, d}: coordinates on the first, minus those on the second
    unsigned features; // bit k: weight k is not zero
} SnDistance;

void sn_distance_node_triangle(const double x[4][3], SnDistance* out); // p, a, b, c
void sn_distance_edge_edge(const double x[4][3], SnDistance* out);     // a, b; c, d
