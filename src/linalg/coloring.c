// Greedy colouring in order of degree.
#include "linalg/coloring.h"

#include <stdlib.h>

typedef struct Ranked {
    int vertex;
    int64_t degree;
} Ranked;

static int compare_ranked(const void* a, const void* b)
{
    const Ranked *x = a, *y = b;
    if (x->degree != y->degree) return x->degree > y->degree ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

// The smallest colour that no neighbour has; seen[c] is the last vertex that met colour c.
static int free_color(const SnGraph* g, int vertex, const int* color, int* seen)
{
    for (int64_t k = g->start[vertex]; k < g->start[vertex + 1]; k++)
        if (color[g->to[k]] >= 0) seen[color[g->to[k]]] = vertex;
    int c = 0;
    while (seen[c] == vertex) c++;
    return c;
}

static SnStatus paint(const SnGraph* g, int* color, int* count)
{
    Ranked* ranked;
    int* seen;
    if (!SN_NEW(ranked, g->n, "a colouring")) return SN_ERROR_MEMORY;
    if (!SN_NEW(seen, (int64_t)g->n + 1, "a colouring")) {
        sn_free(ranked);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < g->n; i++) ranked[i] = (Ranked){i, g->start[i + 1] - g->start[i]}, color[i] = -1;
    for (int i = 0; i <= g->n; i++) seen[i] = -1;
    qsort(ranked, (size_t)g->n, sizeof *ranked, compare_ranked);
    *count = 0;
    for (int i = 0; i < g->n; i++) {
        int c = free_color(g, ranked[i].vertex, color, seen);
        color[ranked[i].vertex] = c;
        if (c >= *count) *count = c + 1;
    }
    SN_FREE(ranked, seen);
    return SN_OK;
}

static SnStatus sort_by_color(SnColoring* coloring, int n, const int* color)
{
    if (!SN_NEW(coloring->start, (int64_t)coloring->count + 2, "a colouring") ||
        !SN_NEW(coloring->vertices, n, "a colouring"))
        return SN_ERROR_MEMORY;
    int* next = coloring->start + 1; // counts, then the next place of each colour, which ends as the next one's start
    for (int i = 0; i < n; i++) next[color[i] + 1]++;
    for (int c = 1; c <= coloring->count; c++) next[c] += next[c - 1];
    for (int i = 0; i < n; i++) coloring->vertices[next[color[i]]++] = i;
    return SN_OK;
}

SnStatus sn_coloring_create(const SnGraph* graph, SnColoring* coloring)
{
    *coloring = (SnColoring){0};
    int* color;
    if (!SN_NEW(color, graph->n, "a colouring")) return SN_ERROR_MEMORY;
    SnStatus status = paint(graph, color, &coloring->count);
    if (status == SN_OK) status = sort_by_color(coloring, graph->n, color);
    sn_free(color);
    if (status != SN_OK) sn_coloring_free(coloring);
    return status;
}

void sn_coloring_free(SnColoring* coloring)
{
    SN_FREE(coloring->start, coloring->vertices);
    *coloring = (SnColoring){0};
}
