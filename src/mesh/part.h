// A part of a mesh: some of its tetrahedra, and their nodes. A node between parts is in all of them, and belongs to
// one.
#pragma once
#include "core/memory.h"

typedef struct SnMeshPart {
    int all_nodes, all_elements, all_surface; // of the whole
    int *nodes, *elements;                    // of each of the part's: its number in the whole; elements in order
    int own_count;                            // nodes come first that belong here, each in order
    int* owner;                               // of each node: the part that it belongs to
    int *sharer_start, *sharers;              // of each node: the other parts that have it, in order
    int surface_count, surface_first; // triangles of the whole's surface, by nodes of the part; among those of all
    int* surface;                     // parts, one part after the other
    void* dealer;                     // who knows sums over all parts
    void (*sum)(void* dealer, int count, double* values);
    void (*largest)(void* dealer, int count, double* values);
} SnMeshPart;

void sn_mesh_part_destroy(SnMeshPart* part);
// The part's number of a node of the whole, -1: it has not got it.
int sn_mesh_part_node(const SnMeshPart* part, int node_count, int number);
// Of all parts; nothing where part is NULL, and the mesh whole.
void sn_mesh_part_sum(const SnMeshPart* part, int count, double* values);
void sn_mesh_part_largest(const SnMeshPart* part, int count, double* values);
