// METIS: k-way partitions of the dual graph (Karypis & Kumar 1998) and nested dissection.
#include "linalg/partition.h"

#include <limits.h>
#include <metis.h>
#include <pthread.h>

#include "core/sanitizer.h"

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32-bit indices");

// METIS draws from the C library's random numbers, seeded at each call: two calls at once would disturb each other.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static SnStatus metis_failure(int code, const char* what)
{
    if (code == METIS_ERROR_MEMORY) return sn_fail(SN_ERROR_MEMORY, "out of memory: %s", what);
    return sn_fail(SN_ERROR_UNSUPPORTED, "%s failed with METIS code %d", what, code);
}

static void set_options(idx_t options[METIS_NOPTIONS])
{
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
}

static SnStatus check_size(const SnGraph* graph)
{
    if (graph->start[graph->n] > INT_MAX)
        return sn_fail(SN_ERROR_UNSUPPORTED, "a graph of %lld edges is too large for METIS (at most %d)",
                       (long long)graph->start[graph->n], INT_MAX);
    return SN_OK;
}

SnStatus sn_partition_order(const SnGraph* graph, int* order)
{
    SN_TRY(check_size(graph));
    int n = graph->n, *start = NULL, *place = NULL;
    if (!SN_NEW(start, n + 1, "the node order") || !SN_NEW(place, n, "the node order")) {
        sn_free(start);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i <= n; i++) start[i] = (int)graph->start[i];
    idx_t options[METIS_NOPTIONS], count = n;
    set_options(options);
    pthread_mutex_lock(&one_at_a_time);
    int code = METIS_NodeND(&count, start, graph->to, NULL, options, order, place);
    pthread_mutex_unlock(&one_at_a_time);
    SN_WRITTEN(order, (size_t)n * sizeof *order);
    SN_FREE(start, place);
    return code == METIS_OK ? SN_OK : metis_failure(code, "ordering the nodes");
}

// METIS refuses to make connected parts of a graph that is not connected itself.
static SnStatus split(const SnGraph* dual, int parts, int* part)
{
    int *start = NULL, *queue = NULL, code = METIS_OK;
    bool* seen = NULL;
    SnStatus status = check_size(dual);
    if (status == SN_OK && (!SN_NEW(start, dual->n + 1, "the partition") || !SN_NEW(queue, dual->n, "the partition") ||
                            !SN_NEW(seen, dual->n, "the partition")))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK) {
        idx_t options[METIS_NOPTIONS], n = dual->n, constraints = 1, wanted = parts, cut;
        set_options(options);
        options[METIS_OPTION_CONTIG] = sn_graph_connected(dual, queue, seen);
        for (int i = 0; i <= dual->n; i++) start[i] = (int)dual->start[i];
        pthread_mutex_lock(&one_at_a_time);
        code = METIS_PartGraphKway(&n, &constraints, start, dual->to, NULL, NULL, NULL, &wanted, NULL, NULL, options,
                                   &cut, part);
        pthread_mutex_unlock(&one_at_a_time);
        SN_WRITTEN(part, (size_t)dual->n * sizeof *part);
        if (code != METIS_OK) status = metis_failure(code, "splitting the mesh");
    }
    SN_FREE(start, queue, seen);
    return status;
}

// Elements of each node: list[start[v]] .. list[start[v+1]-1].
static SnStatus invert(int elements, const int* start, const int* nodes, int node_count, int64_t** out, int** out_list)
{
    int64_t* first = NULL;
    int* list = NULL;
    *out = NULL, *out_list = NULL;
    if (!SN_NEW(first, (int64_t)node_count + 2, "the partition")) return SN_ERROR_MEMORY;
    if (!SN_NEW(list, elements ? start[elements] : 0, "the partition")) {
        sn_free(first);
        return SN_ERROR_MEMORY;
    }
    for (int k = start[0]; k < start[elements]; k++) first[nodes[k] + 2]++;
    for (int v = 0; v < node_count; v++) first[v + 2] += first[v + 1];
    for (int e = 0; e < elements; e++)
        for (int k = start[e]; k < start[e + 1]; k++) list[first[nodes[k] + 1]++] = e;
    *out = first, *out_list = list;
    return SN_OK;
}

typedef struct Dual {
    const int *start, *nodes; // the mesh
    int64_t* node_start;
    int *node_elements, *shared, *near; // nodes in common with each element; elements that have any
    int common;
} Dual;

// Neighbours of element e, into `to` unless NULL; their number. Marks are cleared again.
static int neighbours(Dual* d, int e, int* to)
{
    int near = 0, found = 0, own = d->start[e + 1] - d->start[e];
    for (int k = d->start[e]; k < d->start[e + 1]; k++) {
        int v = d->nodes[k];
        for (int64_t q = d->node_start[v]; q < d->node_start[v + 1]; q++)
            if (d->shared[d->node_elements[q]]++ == 0) d->near[near++] = d->node_elements[q];
    }
    for (int k = 0; k < near; k++) {
        int f = d->near[k], other = d->start[f + 1] - d->start[f], least = own < other ? own : other;
        int needed = least - 1 < d->common ? least - 1 : d->common; // small elements have smaller faces
        if (f != e && d->shared[f] >= (needed < 1 ? 1 : needed)) {
            if (to) to[found] = f;
            found++;
        }
        d->shared[f] = 0;
    }
    return found;
}

static SnStatus make_dual(int elements, const int* start, const int* nodes, int node_count, int common, SnGraph* dual)
{
    Dual d = {.start = start, .nodes = nodes, .common = common};
    *dual = (SnGraph){.n = elements};
    SnStatus status = invert(elements, start, nodes, node_count, &d.node_start, &d.node_elements);
    if (status == SN_OK &&
        (!SN_NEW(d.shared, elements, "the partition") || !SN_NEW(d.near, elements, "the partition") ||
         !SN_NEW(dual->start, (int64_t)elements + 1, "the partition")))
        status = SN_ERROR_MEMORY;
    for (int e = 0; e < elements && status == SN_OK; e++) dual->start[e + 1] = dual->start[e] + neighbours(&d, e, NULL);
    if (status == SN_OK && !SN_NEW(dual->to, dual->start[elements], "the partition")) status = SN_ERROR_MEMORY;
    for (int e = 0; e < elements && status == SN_OK; e++) neighbours(&d, e, dual->to + dual->start[e]);
    SN_FREE(d.node_start, d.node_elements, d.shared, d.near);
    if (status != SN_OK) sn_graph_free(dual);
    return status;
}

// Numbers the parts in the order in which they appear, so that none is empty.
static SnStatus renumber(int elements, int parts, int* part, int* made)
{
    int* name = NULL;
    if (!SN_NEW(name, parts, "the partition")) return SN_ERROR_MEMORY;
    *made = 0;
    for (int e = 0; e < elements; e++) {
        if (name[part[e]] == 0) name[part[e]] = ++*made;
        part[e] = name[part[e]] - 1;
    }
    sn_free(name);
    return SN_OK;
}

SnStatus sn_partition_graph(const SnGraph* graph, int parts, int* part, int* made)
{
    if (parts < 1) return sn_fail(SN_ERROR_VALUE, "a graph is split into at least 1 part, not %d", parts);
    if (parts > graph->n) parts = graph->n;
    if (parts <= 1) {
        for (int v = 0; v < graph->n; v++) part[v] = 0;
        *made = graph->n > 0;
        return SN_OK;
    }
    SN_TRY(split(graph, parts, part));
    return renumber(graph->n, parts, part, made);
}

SnStatus sn_partition_elements(int elements, const int* start, const int* nodes, int node_count, int common, int parts,
                               int* part, int* made)
{
    if (parts < 1) return sn_fail(SN_ERROR_VALUE, "a mesh is split into at least 1 part, not %d", parts);
    if (parts == 1 || elements <= 1) {
        for (int e = 0; e < elements; e++) part[e] = 0;
        *made = elements > 0;
        return SN_OK;
    }
    SnGraph dual;
    SN_TRY(make_dual(elements, start, nodes, node_count, common, &dual));
    SnStatus status = sn_partition_graph(&dual, parts, part, made);
    sn_graph_free(&dual);
    return status;
}
