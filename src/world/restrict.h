// A part of a world, for one of several processes that share it (core/share.h): some of its elements, and their nodes.
//
// All bodies, handles, obstacles and losses stay, by their numbers, though a part may have nothing of some. A node
// between parts is in all of them, and belongs to one.
#pragma once
#include "world/world.h"

// What a part has of the whole.
typedef struct SnPartOf {
    int64_t all_nodes; // of the whole
    int node_count;    // of the part: of each body those of all parts, then its own nodes, then copies of others'
    int* nodes;        // node_count: their numbers in the whole
    int body_count;    // of the whole
    int* body;         // node_count: that the node is of
    int* owner;        // node_count: the part that the node belongs to
    bool* own;         // node_count
    bool* ghost;       // node_count: it is here for constraints alone, and in none of the part's elements
    int span_count;    // own nodes, as ranges
    int* spans;        // 2 x span_count
    int common_count;  // nodes that all parts have, as constraints may join them to any other
    int* common;       // common_count, in the order of the whole
    int* sharer_start; // node_count + 1: the other parts that have the node in elements, in order; none of a ghost
    int* sharers;
    int pin_count;
    int* pins; // pin_count: their numbers in the whole
    int64_t shift_count;
    int64_t* shifts; // shift_count, the same
} SnPartOf;
void sn_part_of_free(SnPartOf* of);

// Splits all elements of all bodies, body after body, into so many parts, of about equal size and with few nodes in
// common; an error where there are too few.
SnStatus sn_world_divide(const SnWorld* world, int parts, int* part);
// An error, if the world has something that parts cannot have yet, by name.
SnStatus sn_world_check_divisible(const SnWorld* world);
// Leaves in the world what part number `mine` has, its state too.
SnStatus sn_world_restrict(SnWorld* world, const int* part, int mine, SnPartOf* of);

// The same of a world that was made of parts of meshes, one for each body: what these are, and loads on own nodes
// alone.
struct SnMeshPart;
SnStatus sn_world_take_mesh_parts(SnWorld* world, struct SnMeshPart* const* parts, int mine, SnPartOf* of);
