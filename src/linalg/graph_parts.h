// The connected parts of a graph, and an order of elimination for each: bodies that nothing joins are parts, whose
// orders, but in small graphs, do not depend on what else there is.
#pragma once
#include <stdint.h>

#include "linalg/graph.h"

typedef struct SnGraphParts {
    SnGraph graph;
    int count;
    int* start;     // count + 1, into node and order
    int* node;      // n: those of each part, increasing
    int* local;     // n: the number of a node within its part
    int* order;     // n: of each part, by numbers within it: the node eliminated k-th
    uint64_t* hash; // count: of the pattern
} SnGraphParts;

// Where the order of a part may be taken from: one that has the same pattern. Whether there was one.
typedef bool (*SnGraphPartKnown)(void* user, const SnGraphParts* parts, int part, int* order);

// Takes the graph over, also if it fails. known: NULL where nothing is.
SnStatus sn_graph_parts_create(SnGraph* graph, SnGraphPartKnown known, void* user, SnGraphParts* parts);
void sn_graph_parts_free(SnGraphParts* parts);
// Whether two parts have the same pattern, node by node.
bool sn_graph_parts_same(const SnGraphParts* a, int part_a, const SnGraphParts* b, int part_b);

static inline int sn_graph_part_size(const SnGraphParts* parts, int part)
{
    return parts->start[part + 1] - parts->start[part];
}
