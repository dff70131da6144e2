// Undirected graphs as neighbour lists: both directions of every edge, no loops, neighbours increasing.
#pragma once
#include "core/memory.h"

int sn_compare_ints(const void* a, const void* b); // for qsort and bsearch

typedef struct SnGraph {
    int n;          // vertices
    int64_t* start; // n + 1, into to
    int* to;
} SnGraph;

// The graph of a symmetric pattern given by its lower triangle, column after column; diagonal entries are skipped.
SnStatus sn_graph_from_pattern(int n, const int64_t* col_start, const int* row, SnGraph* graph);
void sn_graph_free(SnGraph* graph);
bool sn_graph_connected(const SnGraph* graph, int* queue, bool* seen); // n entries of work each; seen zeroed

// An order of the vertices in which Cholesky fills in little: order[k] is eliminated k-th. Approximate minimum degree
// up to a few thousand vertices, nested dissection above.
SnStatus sn_graph_order(const SnGraph* graph, int* order);
