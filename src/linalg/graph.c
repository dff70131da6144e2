// Undirected graphs as neighbour lists, and AMD, which is seen nowhere else.
#include "linalg/graph.h"

#include <amd.h>

#include "core/sanitizer.h"
#include "linalg/partition.h"

enum { SMALL = 600 }; // vertices up to which AMD orders as well as METIS, and faster

int sn_compare_ints(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return x < y ? -1 : x > y;
}

void sn_graph_free(SnGraph* graph)
{
    SN_FREE(graph->start, graph->to);
    *graph = (SnGraph){0};
}

// Column after column puts the smaller neighbours of each vertex in increasing order, then its larger ones.
SnStatus sn_graph_from_pattern(int n, const int64_t* col_start, const int* row, SnGraph* graph)
{
    *graph = (SnGraph){.n = n};
    int64_t* next = NULL;
    if (!SN_NEW(graph->start, (int64_t)n + 1, "a graph") || !SN_NEW(next, (int64_t)n + 1, "a graph")) goto fail;
    for (int j = 0; j < n; j++)
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++)
            if (row[k] != j) graph->start[j + 1]++, graph->start[row[k] + 1]++;
    for (int j = 0; j < n; j++) graph->start[j + 1] += graph->start[j], next[j] = graph->start[j];
    if (!SN_NEW(graph->to, graph->start[n], "a graph")) goto fail;
    for (int j = 0; j < n; j++)
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++)
            if (row[k] != j) graph->to[next[row[k]]++] = j;
    for (int j = 0; j < n; j++)
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++)
            if (row[k] != j) graph->to[next[j]++] = row[k];
    sn_free(next);
    return SN_OK;
fail:
    sn_free(next);
    sn_graph_free(graph);
    return SN_ERROR_MEMORY;
}

bool sn_graph_connected(const SnGraph* graph, int* queue, bool* seen)
{
    int found = 0;
    if (graph->n == 0) return true;
    queue[found++] = 0, seen[0] = true;
    for (int at = 0; at < found; at++)
        for (int64_t k = graph->start[queue[at]]; k < graph->start[queue[at] + 1]; k++)
            if (!seen[graph->to[k]]) seen[graph->to[k]] = true, queue[found++] = graph->to[k];
    return found == graph->n;
}

// AMD takes one triangle, in long integers.
static SnStatus order_by_degree(const SnGraph* graph, int* order)
{
    int n = graph->n;
    SuiteSparse_long *start = NULL, *row = NULL, *perm = NULL;
    SnStatus status = SN_ERROR_MEMORY;
    if (!SN_NEW(start, n + 1, "the node order") || !SN_NEW(row, graph->start[n] / 2, "the node order") ||
        !SN_NEW(perm, n, "the node order"))
        goto done;
    SuiteSparse_long used = 0;
    for (int j = 0; j < n; j++) {
        for (int64_t k = graph->start[j]; k < graph->start[j + 1]; k++)
            if (graph->to[k] > j) row[used++] = graph->to[k];
        start[j + 1] = used;
    }
    int result = (int)amd_l_order(n, start, row, perm, NULL, NULL);
    SN_WRITTEN(perm, (size_t)n * sizeof *perm);
    if (result == AMD_OUT_OF_MEMORY) {
        status = sn_fail(SN_ERROR_MEMORY, "out of memory: the node order");
    } else if (result != AMD_OK) {
        status = sn_fail(SN_ERROR_UNSUPPORTED, "ordering the nodes failed with AMD status %d", result);
    } else {
        for (int k = 0; k < n; k++) order[k] = (int)perm[k];
        status = SN_OK;
    }
done:
    SN_FREE(start, row, perm);
    return status;
}

SnStatus sn_graph_order(const SnGraph* graph, int* order)
{
    if (graph->start[graph->n] == 0) { // nothing fills in
        for (int k = 0; k < graph->n; k++) order[k] = k;
        return SN_OK;
    }
    return graph->n <= SMALL ? order_by_degree(graph, order) : sn_partition_order(graph, order);
}
