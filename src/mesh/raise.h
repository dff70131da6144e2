// Meshes of second order (mesh/raise.c).
#pragma once
#include "mesh/mesh.h"

extern const int sn_quadratic_nodes[4], sn_quadratic_parts[4]; // of an element, by dimension

// The nodes of an element of second order, as VTK orders them, to those of its linear parts: dimension + 1 each.
void sn_quadratic_split(int dimension, const double* x, const int64_t* nodes, int64_t* parts);
// And back: of element number `item` of a mesh of second order.
void sn_mesh_quadratic(const SnMesh* mesh, int dimension, int item, int nodes[10]);
// The corners of its elements as linear ones, over all nodes; groups and fields are theirs.
SnStatus sn_mesh_lower(const SnMesh* mesh, SnMesh** lowered);
