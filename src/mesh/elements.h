// The elements of a mesh by dimension (1: edges, 2: triangles, 3: tetrahedra), for code that treats them alike.
#pragma once
#include "mesh/mesh.h"

// At most this many nodes or elements of a kind, so that 8 x count is still an int.
enum { SN_MESH_MOST = INT32_MAX / 8 };

extern const char* const sn_element_nouns[4][2]; // {"tetrahedron", "tetrahedra"}, by dimension

// The faces of a positive tetrahedron, wound outward; face i is opposite to corner i.
extern const int sn_tetrahedron_faces[4][3];

int* sn_element_count(SnMesh* mesh, int dimension);
int** sn_element_list(SnMesh* mesh, int dimension);
int sn_mesh_count_of(const SnMesh* mesh, int dimension); // 0: nodes
const int* sn_mesh_list_of(const SnMesh* mesh, int dimension);
int sn_mesh_top_dimension(const SnMesh* mesh); // the highest that has elements, or 0

// A mesh with room for nodes and elements of one dimension, all zero.
SnStatus sn_mesh_allocate(int node_count, int dimension, int count, SnMesh** mesh);

// Node sets in increasing order, to find equal ones.
typedef struct SnNodeKey {
    int nodes[4]; // increasing; unused ones are -1 and come last
    int item;
} SnNodeKey;

SnNodeKey sn_node_key(const int* nodes, int count, int item);
bool sn_same_key(const SnNodeKey* a, const SnNodeKey* b);
// Sorts by nodes, then item. All nodes[0] are below node_count.
SnStatus sn_sort_keys(SnNodeKey* keys, int64_t count, int node_count);

double sn_tetrahedron_volume(const double* nodes, const int* tetrahedron); // m3, signed
// Volume (signed), area or length of an element, m3, m2 or m.
double sn_element_content(const SnMesh* mesh, int dimension, const int* nodes);
// Turns all tetrahedra around when none has a positive and some a negative volume: the file's handedness is other.
void sn_mesh_fix_handedness(SnMesh* mesh);
// The tetrahedra at each node n: around[first[n]] to before around[first[n + 1]], increasing. Both are allocated, also
// where it fails.
SnStatus sn_mesh_list_around(const SnMesh* mesh, int** first, int** around);
// The surface as a mesh of its own, without nodes that it does not use; for formats that know only triangles.
SnStatus sn_mesh_make_surface(const SnMesh* mesh, SnMesh** surface);
// For each item of one dimension the tag of the first group that has it, or 0; *tags is allocated.
SnStatus sn_mesh_first_tags(const SnMesh* mesh, int dimension, int** tags);
