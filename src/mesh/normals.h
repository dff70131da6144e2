// Normals of the faces, edges and nodes of a surface: they tell inside from outside at its nearest point.
//
// With the normals of faces weighted by their angles at each node, p is outside a closed surface iff
// (p - nearest).normal > 0, wherever the nearest point lies (Baerentzen & Aanaes 2005).
#pragma once
#include "mesh/bounding_tree.h"

typedef struct SnNormals {
    int triangle_count, node_count, edge_count;
    int* triangles; // 3 x triangle_count
    int* edge_of;   // 3 x triangle_count: the edge opposite to each corner
    int open_edges; // with other than two triangles, or two that disagree about inside
    double* face;   // 3 x triangle_count; zero where the triangle has no area
    double* edge;   // 3 x edge_count, not of unit length
    double* node;   // 3 x node_count, not of unit length
} SnNormals;

SnStatus sn_normals_create(int triangle_count, const int* triangles, int node_count, SnNormals** normals);
void sn_normals_destroy(SnNormals* normals);
void sn_normals_update(SnNormals* normals, const double* x);

// The normal at the nearest point: of unit length, or zero where triangles without area or a fold leave none.
void sn_normals_at(const SnNormals* normals, const SnNearest* nearest, double normal[3]);
