// Colourings of graphs: neighbours have different colours, so the vertices of one colour may change at once.
#pragma once
#include "linalg/graph.h"

typedef struct SnColoring {
    int count;     // colours
    int* start;    // count + 1, into vertices
    int* vertices; // colour after colour, increasing within each
} SnColoring;

// Greedy, vertices of high degree first: at most one colour more than the highest degree, the same for the same graph.
SnStatus sn_coloring_create(const SnGraph* graph, SnColoring* coloring);
void sn_coloring_free(SnColoring* coloring);
