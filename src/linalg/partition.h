// Splitting graphs and meshes into parts, and nested dissection. METIS is behind this file and seen nowhere else.
#pragma once
#include "linalg/graph.h"

// Splits elements (element e has nodes[start[e]] .. nodes[start[e+1]-1]) into at most `parts` parts of about equal
// size that share few faces; elements with `common` nodes in common are neighbours (3 for tetrahedra). Parts are
// connected where the mesh is. part[e] becomes the element's part, 0 .. *made-1, none of them empty; the same mesh
// gives the same parts.
SnStatus sn_partition_elements(int elements, const int* start, const int* nodes, int node_count, int common, int parts,
                               int* part, int* made);

// Splits the vertices of a graph into at most `parts` parts of about equal size with few edges between them.
SnStatus sn_partition_graph(const SnGraph* graph, int parts, int* part, int* made);

// The nested dissection order of a graph.
SnStatus sn_partition_order(const SnGraph* graph, int* order);
