// Copies of nodes are added in the order of ranks, so that all have the same bits.
#include "mpi/fabric.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 9, TAG = 7 }; // numbers of a node that are exchanged at most

static int by_rank_then_number(const void* a, const void* b)
{
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] > q[1]) - (p[1] < q[1]);
}

// (rank, number in the whole, node) of each copy elsewhere, sorted.
static SnStatus list_shared(SnFabric* f, int (*rows)[3])
{
    const SnPartOf* of = &f->of;
    int used = 0;
    for (int i = 0; i < of->node_count; i++)
        for (int k = of->sharer_start[i]; k < of->sharer_start[i + 1]; k++, used++)
            rows[used][0] = of->sharers[k], rows[used][1] = of->nodes[i], rows[used][2] = i;
    qsort(rows, (size_t)used, sizeof *rows, by_rank_then_number);
    for (int i = 0; i < used; i++) {
        f->neighbour_count += i == 0 || rows[i][0] != rows[i - 1][0];
        f->shared[i] = rows[i][2], f->shared_rank[i] = rows[i][0];
    }
    if (!SN_NEW(f->neighbours, f->neighbour_count, "neighbours") ||
        !SN_NEW(f->requests, 2 * (int64_t)f->neighbour_count + 1, "neighbours"))
        return SN_ERROR_MEMORY;
    for (int i = 0, k = -1; i < used; i++) {
        if (i == 0 || rows[i][0] != rows[i - 1][0]) f->neighbours[++k] = (SnNeighbour){rows[i][0], 0, i};
        f->neighbours[k].count++;
    }
    return SN_OK;
}

static SnStatus list_copies(SnFabric* f)
{
    int n = f->of.node_count, *next;
    if (!SN_NEW(f->copy_start, (int64_t)n + 1, "neighbours") || !SN_NEW(f->copies, f->shared_count, "neighbours") ||
        !SN_NEW(next, n, "neighbours"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < f->shared_count; i++) f->copy_start[f->shared[i] + 1]++;
    for (int i = 0; i < n; i++) f->copy_start[i + 1] += f->copy_start[i], next[i] = f->copy_start[i];
    for (int i = 0; i < f->shared_count; i++) f->copies[next[f->shared[i]]++] = i; // neighbours are sorted by rank
    sn_free(next);
    return SN_OK;
}

void sn_fabric_exchange(SnFabric* f, const void* const* out, const int64_t* out_size, void* const* in,
                        const int64_t* in_size)
{
    int used = 0;
    for (int k = 0; k < f->neighbour_count; k++)
        if (in_size[k] > 0)
            MPI_Irecv(in[k], (int)in_size[k], MPI_BYTE, f->neighbours[k].rank, TAG, f->comm, &f->requests[used++]);
    for (int k = 0; k < f->neighbour_count; k++) {
        if (out_size[k] == 0) continue;
        MPI_Isend(out[k], (int)out_size[k], MPI_BYTE, f->neighbours[k].rank, TAG, f->comm, &f->requests[used++]);
        f->traffic.bytes += out_size[k], f->traffic.messages++;
    }
    MPI_Waitall(used, f->requests, MPI_STATUSES_IGNORE);
}

// Of node i, in the order of ranks, this process's own among them.
static void add_copies(const SnFabric* f, int width, int i, double* values)
{
    double sum[WIDTH];
    bool begun = false, own = false;
    for (int k = f->copy_start[i]; k <= f->copy_start[i + 1]; k++) {
        bool last = k == f->copy_start[i + 1];
        int at = last ? 0 : f->copies[k], rank = last ? f->size : f->shared_rank[at];
        if (!own && f->rank < rank) {
            for (int c = 0; c < width; c++) sum[c] = begun ? sum[c] + values[c] : values[c];
            own = begun = true;
        }
        for (int c = 0; c < width && !last; c++) {
            double value = f->in[(int64_t)width * at + c];
            sum[c] = begun ? sum[c] + value : value;
        }
        begun = true;
    }
    memcpy(values, sum, (size_t)width * sizeof *values);
}

// Nodes that all have: from where they belong to all, rank after rank.
static void spread_common(SnFabric* f, int width, double* values)
{
    const SnPartOf* of = &f->of;
    size_t size = (size_t)width * sizeof *values;
    int counts[f->size], first[f->size], next[f->size];
    for (int r = 0; r < f->size; r++)
        counts[r] = width * f->common_counts[r], first[r] = width * f->common_first[r], next[r] = 0;
    for (int k = 0, used = 0; k < of->common_count; k++)
        if (of->own[of->common[k]])
            memcpy(f->common_out + (int64_t)width * used++, values + (int64_t)width * of->common[k], size);
    MPI_Allgatherv(f->common_out, counts[f->rank], MPI_DOUBLE, f->common_in, counts, first, MPI_DOUBLE, f->comm);
    for (int k = 0; k < of->common_count; k++) {
        int node = of->common[k], rank = of->owner[node];
        if (rank != f->rank)
            memcpy(values + (int64_t)width * node, f->common_in + first[rank] + width * (int64_t)next[rank], size);
        next[rank]++;
    }
    f->traffic.spreads++, f->traffic.spread_bytes += counts[f->rank] * (int64_t)sizeof(double);
}

static void add(void* self, int width, double* values)
{
    SnFabric* f = self;
    for (int i = 0; i < f->shared_count; i++)
        memcpy(f->out + (int64_t)width * i, values + (int64_t)width * f->shared[i], (size_t)width * sizeof *values);
    int used = 0;
    for (int k = 0; k < f->neighbour_count; k++) {
        const SnNeighbour* n = &f->neighbours[k];
        int count = width * n->count;
        double *in = f->in + (int64_t)width * n->first, *out = f->out + (int64_t)width * n->first;
        MPI_Irecv(in, count, MPI_DOUBLE, n->rank, TAG, f->comm, &f->requests[used++]);
        MPI_Isend(out, count, MPI_DOUBLE, n->rank, TAG, f->comm, &f->requests[used++]);
        f->traffic.bytes += count * (int64_t)sizeof(double), f->traffic.messages++;
    }
    MPI_Waitall(used, f->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < f->of.node_count; i++)
        if (f->copy_start[i + 1] > f->copy_start[i]) add_copies(f, width, i, values + (int64_t)width * i);
    if (f->of.common_count > 0 && f->size > 1) spread_common(f, width, values);
}

// To one process and from there to all: whatever the order of additions was, all have the same bits.
static void reduce(SnFabric* f, MPI_Op op, int count, double* values)
{
    MPI_Reduce(f->rank == 0 ? MPI_IN_PLACE : values, values, count, MPI_DOUBLE, op, 0, f->comm);
    MPI_Bcast(values, count, MPI_DOUBLE, 0, f->comm);
    f->traffic.sums++, f->traffic.sum_bytes += 2 * count * (int64_t)sizeof(double);
}

static void sum(void* self, int count, double* values)
{
    reduce(self, MPI_SUM, count, values);
}

static void largest(void* self, int count, double* values)
{
    reduce(self, MPI_MAX, count, values);
}

static SnStatus list_common(SnFabric* f)
{
    const SnPartOf* of = &f->of;
    if (!SN_NEW(f->common_counts, f->size, "neighbours") || !SN_NEW(f->common_first, f->size, "neighbours"))
        return SN_ERROR_MEMORY;
    for (int k = 0; k < of->common_count; k++) f->common_counts[of->owner[of->common[k]]]++;
    for (int r = 1; r < f->size; r++) f->common_first[r] = f->common_first[r - 1] + f->common_counts[r - 1];
    bool room = SN_NEW(f->common_out, WIDTH * (int64_t)f->common_counts[f->rank], "neighbours") &&
                SN_NEW(f->common_in, WIDTH * (int64_t)of->common_count, "neighbours");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus build(SnFabric* f)
{
    int(*rows)[3];
    f->shared_count = f->of.sharer_start[f->of.node_count];
    int64_t size = WIDTH * (int64_t)f->shared_count;
    if (!SN_NEW(f->shared, f->shared_count, "neighbours") || !SN_NEW(f->shared_rank, f->shared_count, "neighbours") ||
        !SN_NEW(f->out, size, "neighbours") || !SN_NEW(f->in, size, "neighbours") ||
        !SN_NEW(rows, f->shared_count, "neighbours"))
        return SN_ERROR_MEMORY;
    SnStatus status = list_shared(f, rows);
    sn_free(rows);
    SN_TRY(status);
    SN_TRY(list_copies(f));
    return list_common(f);
}

SnStatus sn_fabric_create(MPI_Comm comm, SnPartOf* of, SnFabric** out)
{
    *out = NULL;
    SnFabric* f;
    if (!SN_NEW(f, 1, "neighbours")) return SN_ERROR_MEMORY;
    f->comm = comm;
    MPI_Comm_rank(comm, &f->rank);
    MPI_Comm_size(comm, &f->size);
    f->of = *of;
    *of = (SnPartOf){0};
    f->share = (SnShare){.self = f,
                         .node_count = f->of.node_count,
                         .all_nodes = f->of.all_nodes,
                         .own = f->of.own,
                         .ghost = f->of.ghost,
                         .number = f->of.nodes,
                         .body_count = f->of.body_count,
                         .body = f->of.body,
                         .first = f->rank == 0,
                         .span_count = f->of.span_count,
                         .spans = f->of.spans,
                         .sum = sum,
                         .largest = largest,
                         .add = add};
    SN_FINISH(build(f), f, sn_fabric_destroy, out);
}

void sn_fabric_destroy(SnFabric* f)
{
    if (!f) return;
    sn_part_of_free(&f->of);
    SN_FREE(f->neighbours, f->shared, f->shared_rank, f->copy_start, f->copies, f->out, f->in, f->requests,
            f->common_counts, f->common_first, f->common_out, f->common_in, f);
}

SnStatus sn_mpi_agree(MPI_Comm comm, SnStatus status)
{
    int rank, size, mine, first;
    char message[1024];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mine = status == SN_OK ? size : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size) return SN_OK;
    int code = (int)status;
    if (rank == first) strncpy(message, sn_last_error(), sizeof message - 1), message[sizeof message - 1] = 0;
    MPI_Bcast(&code, 1, MPI_INT, first, comm);
    MPI_Bcast(message, sizeof message, MPI_CHAR, first, comm);
    return sn_fail((SnStatus)code, "%s", message);
}
