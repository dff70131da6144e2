// A surface in order: nodes that coincide are one, triangles without area or given twice are gone, neighbours agree
// about outside, and shells, the parts that hang together over edges of two triangles, face outward.
#pragma once
#include "core/tasks.h"
#include "mesh/mesh.h"

enum { SN_OPEN = -1, SN_CROWDED = -2 }; // edges with one triangle, and with more than two

typedef struct SnShells {
    int node_count, triangle_count;
    double* nodes;  // 3 x node_count
    int* triangles; // 3 x triangle_count
    int* origin;    // triangle_count: the number of each in the mesh
    int* node_of;   // per node of the mesh: its node here
    int* across; // 3 x triangle_count: what lies across the edge after each corner, as 3 triangle + corner; or SN_OPEN,
                 // SN_CROWDED
    int* shell_of; // triangle_count
    SnSurfaceReport report;
} SnShells;

// merge: m, nodes as near as this are one. The mesh's own triangles, or the boundary of its tetrahedra.
SnStatus sn_shells_create(const SnMesh* mesh, double merge, SnShells** shells);
void sn_shells_destroy(SnShells* shells);
// Loops of open edges: those of loop i are between nodes[start[i]] .. nodes[start[i + 1] - 1], wound as a face that
// would close it. Those that do not come back to where they began are left out. Arrays are allocated.
SnStatus sn_shells_holes(const SnShells* shells, int** start, int** nodes, int* count);
// Pairs of triangles of which an edge of one goes through the other.
SnStatus sn_shells_crossings(SnShells* shells, SnTasks* tasks);
