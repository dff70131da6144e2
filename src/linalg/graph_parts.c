#include "linalg/graph_parts.h"

#include <stdlib.h>
#include <string.h>

enum { TOGETHER = 2000 }; // nodes in all up to which they are ordered at once

void sn_graph_parts_free(SnGraphParts* parts)
{
    sn_graph_free(&parts->graph);
    SN_FREE(parts->start, parts->node, parts->local, parts->order, parts->hash);
    *parts = (SnGraphParts){0};
}

// The part of each node, into `local`, by its least node; nodes of a part come out in no order.
static void find_parts(SnGraphParts* parts)
{
    const SnGraph* g = &parts->graph;
    int found = 0;
    for (int i = 0; i < g->n; i++) parts->local[i] = -1;
    for (int i = 0; i < g->n; i++) {
        if (parts->local[i] >= 0) continue;
        int at = found;
        parts->start[parts->count] = found;
        parts->local[i] = parts->count, parts->node[found++] = i;
        for (; at < found; at++)
            for (int64_t k = g->start[parts->node[at]]; k < g->start[parts->node[at] + 1]; k++)
                if (parts->local[g->to[k]] < 0) parts->local[g->to[k]] = parts->count, parts->node[found++] = g->to[k];
        parts->count++;
    }
    parts->start[parts->count] = found;
}

// Nodes of each part, increasing, and their numbers in it.
static void number_nodes(SnGraphParts* parts)
{
    int* next = parts->order; // not needed yet
    for (int p = 0; p < parts->count; p++) next[p] = parts->start[p];
    for (int i = 0; i < parts->graph.n; i++) {
        int p = parts->local[i], at = next[p]++;
        parts->node[at] = i;
        parts->local[i] = at - parts->start[p];
    }
}

static uint64_t hash_of(const SnGraphParts* parts, int part)
{
    const SnGraph* g = &parts->graph;
    uint64_t hash = 14695981039346656037u;
    for (int k = parts->start[part]; k < parts->start[part + 1]; k++) {
        int i = parts->node[k];
        for (int64_t q = g->start[i]; q < g->start[i + 1]; q++)
            hash = (hash ^ (uint32_t)parts->local[g->to[q]]) * 1099511628211u;
        hash = (hash ^ 0xffffffffu) * 1099511628211u;
    }
    return hash;
}

bool sn_graph_parts_same(const SnGraphParts* a, int part_a, const SnGraphParts* b, int part_b)
{
    int n = sn_graph_part_size(a, part_a);
    if (a->hash[part_a] != b->hash[part_b] || n != sn_graph_part_size(b, part_b)) return false;
    for (int k = 0; k < n; k++) {
        int i = a->node[a->start[part_a] + k], j = b->node[b->start[part_b] + k];
        int64_t at = a->graph.start[i], other = b->graph.start[j], count = a->graph.start[i + 1] - at;
        if (count != b->graph.start[j + 1] - other) return false;
        for (int64_t q = 0; q < count; q++)
            if (a->local[a->graph.to[at + q]] != b->local[b->graph.to[other + q]]) return false;
    }
    return true;
}

static SnStatus order_part(const SnGraphParts* parts, int part, int* order)
{
    int n = sn_graph_part_size(parts, part);
    const SnGraph* g = &parts->graph;
    SnGraph own = {.n = n};
    if (n == g->n) return sn_graph_order(g, order);
    if (!SN_NEW(own.start, (int64_t)n + 1, "a graph")) return SN_ERROR_MEMORY;
    for (int k = 0; k < n; k++) {
        int i = parts->node[parts->start[part] + k];
        own.start[k + 1] = own.start[k] + g->start[i + 1] - g->start[i];
    }
    SnStatus status = SN_NEW(own.to, own.start[n], "a graph") ? SN_OK : SN_ERROR_MEMORY;
    for (int k = 0; k < n && status == SN_OK; k++) {
        int i = parts->node[parts->start[part] + k];
        int* to = own.to + own.start[k];
        for (int64_t q = g->start[i]; q < g->start[i + 1]; q++) *to++ = parts->local[g->to[q]];
    }
    if (status == SN_OK) status = sn_graph_order(&own, order);
    sn_graph_free(&own);
    return status;
}

// All at once, which does not take long, and each part as that has it.
static SnStatus order_together(SnGraphParts* parts)
{
    int n = parts->graph.n, *all, *next = NULL, *of = NULL;
    SnStatus status = SN_NEW(all, n, "the node order") && SN_NEW(next, parts->count, "the node order") &&
                              SN_NEW(of, n, "the node order")
                          ? sn_graph_order(&parts->graph, all)
                          : SN_ERROR_MEMORY;
    for (int p = 0; p < parts->count && status == SN_OK; p++)
        for (int k = parts->start[p]; k < parts->start[p + 1]; k++) of[parts->node[k]] = p;
    for (int k = 0; k < n && status == SN_OK; k++) {
        int p = of[all[k]];
        parts->order[parts->start[p] + next[p]++] = parts->local[all[k]];
    }
    SN_FREE(all, next, of);
    return status;
}

static SnStatus order_each(SnGraphParts* parts, SnGraphPartKnown known, void* user)
{
    SnStatus status = SN_OK;
    for (int p = 0; p < parts->count && status == SN_OK; p++) {
        int* order = parts->order + parts->start[p];
        if (sn_graph_part_size(parts, p) == 1)
            order[0] = 0;
        else if (!known || !known(user, parts, p, order))
            status = order_part(parts, p, order);
    }
    return status;
}

SnStatus sn_graph_parts_create(SnGraph* graph, SnGraphPartKnown known, void* user, SnGraphParts* parts)
{
    *parts = (SnGraphParts){.graph = *graph};
    *graph = (SnGraph){0};
    int64_t n = parts->graph.n;
    SnStatus status =
        SN_NEW(parts->start, n + 1, "the parts of a graph") && SN_NEW(parts->node, n, "the parts of a graph") &&
                SN_NEW(parts->local, n, "the parts of a graph") && SN_NEW(parts->order, n, "the parts of a graph")
            ? SN_OK
            : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        find_parts(parts);
        number_nodes(parts);
        if (!SN_NEW(parts->hash, parts->count, "the parts of a graph")) status = SN_ERROR_MEMORY;
    }
    for (int p = 0; p < parts->count && status == SN_OK; p++) parts->hash[p] = hash_of(parts, p);
    if (status == SN_OK) status = n <= TOGETHER ? order_together(parts) : order_each(parts, known, user);
    if (status != SN_OK) sn_graph_parts_free(parts);
    return status;
}
