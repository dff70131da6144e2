// One array after the other, one process after the other: the first one needs room for one process's numbers at a time.
#include "mpi/gather_state.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 9 };

void sn_gather_free(SnGather* g)
{
    for (int r = 0; g->fabric && r < g->fabric->size; r++) {
        if (g->nodes) sn_free(g->nodes[r]);
        if (g->pins) sn_free(g->pins[r]);
        if (g->shifts) sn_free(g->shifts[r]);
    }
    SN_FREE(g->counts, g->nodes, g->pins, g->shifts, g->own, g->buffer);
    *g = (SnGather){0};
}

static SnStatus receive_lists(SnGather* g)
{
    SnFabric* f = g->fabric;
    if (!SN_NEW(g->counts, f->size, "the whole") || !SN_NEW(g->nodes, f->size, "the whole") ||
        !SN_NEW(g->pins, f->size, "the whole") || !SN_NEW(g->shifts, f->size, "the whole"))
        return SN_ERROR_MEMORY;
    for (int r = 1; r < f->size; r++) {
        MPI_Recv(g->counts[r], 3, MPI_INT64_T, r, TAG, f->comm, MPI_STATUS_IGNORE);
        if (!SN_NEW(g->nodes[r], g->counts[r][0], "the whole") || !SN_NEW(g->pins[r], g->counts[r][1], "the whole") ||
            !SN_NEW(g->shifts[r], g->counts[r][2], "the whole"))
            return SN_ERROR_MEMORY;
        MPI_Recv(g->nodes[r], (int)g->counts[r][0], MPI_INT, r, TAG, f->comm, MPI_STATUS_IGNORE);
        MPI_Recv(g->pins[r], (int)g->counts[r][1], MPI_INT, r, TAG, f->comm, MPI_STATUS_IGNORE);
        MPI_Recv(g->shifts[r], (int)g->counts[r][2], MPI_INT64_T, r, TAG, f->comm, MPI_STATUS_IGNORE);
    }
    return SN_OK;
}

static SnStatus send_lists(SnGather* g, const int* nodes)
{
    SnFabric* f = g->fabric;
    int64_t counts[3] = {g->own_count, f->of.pin_count, f->of.shift_count};
    MPI_Send(counts, 3, MPI_INT64_T, 0, TAG, f->comm);
    MPI_Send(nodes, g->own_count, MPI_INT, 0, TAG, f->comm);
    MPI_Send(f->of.pins, f->of.pin_count, MPI_INT, 0, TAG, f->comm);
    MPI_Send(f->of.shifts, (int)f->of.shift_count, MPI_INT64_T, 0, TAG, f->comm);
    return SN_OK;
}

SnStatus sn_gather_create(SnFabric* f, SnGather* g)
{
    int* nodes;
    *g = (SnGather){.fabric = f};
    if (!SN_NEW(g->own, f->of.node_count, "the whole") || !SN_NEW(nodes, f->of.node_count, "the whole"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < f->of.node_count; i++)
        if (f->of.own[i]) nodes[g->own_count] = f->of.nodes[i], g->own[g->own_count++] = i;
    SnStatus status = f->rank == 0 ? receive_lists(g) : send_lists(g, nodes);
    sn_free(nodes);
    SN_TRY(status);
    g->most = 3 * (int64_t)g->own_count;
    if (3 * (int64_t)f->of.pin_count > g->most) g->most = 3 * (int64_t)f->of.pin_count;
    if (f->of.shift_count > g->most) g->most = f->of.shift_count;
    MPI_Allreduce(MPI_IN_PLACE, &g->most, 1, MPI_INT64_T, MPI_MAX, f->comm);
    return SN_NEW(g->buffer, g->most, "the whole") ? SN_OK : SN_ERROR_MEMORY;
}

// Entry k of this process's own, in the part's array and in the whole's.
static int64_t here(const SnGather* g, SnStatePer per, int64_t k)
{
    return per == SN_PER_NODE ? g->own[k] : k;
}

static int64_t there(const SnGather* g, int rank, SnStatePer per, int64_t k)
{
    const SnPartOf* of = &g->fabric->of;
    bool own = rank == g->fabric->rank;
    if (per == SN_PER_NODE) return own ? of->nodes[g->own[k]] : g->nodes[rank][k];
    if (per == SN_PER_PIN) return own ? of->pins[k] : g->pins[rank][k];
    return own ? of->shifts[k] : g->shifts[rank][k];
}

static int64_t own_entries(const SnGather* g, SnStatePer per)
{
    const SnPartOf* of = &g->fabric->of;
    return per == SN_PER_NODE ? g->own_count : per == SN_PER_PIN ? of->pin_count : of->shift_count;
}

static int64_t entries_of(const SnGather* g, int rank, SnStatePer per)
{
    return rank == g->fabric->rank ? own_entries(g, per) : g->counts[rank][per - SN_PER_NODE];
}

// Between the buffer and an array, entry by entry.
static void pack(const SnGather* g, const SnStateArray* a, const double* values, double* buffer)
{
    size_t size = (size_t)a->width * sizeof *values;
    for (int64_t k = 0; k < own_entries(g, a->per); k++)
        memcpy(buffer + a->width * k, values + a->width * here(g, a->per, k), size);
}

static void gather_array(SnGather* g, const SnStateArray* part, double* whole)
{
    SnFabric* f = g->fabric;
    int width = part->width;
    if (f->rank > 0) {
        pack(g, part, *part->values, g->buffer);
        MPI_Send(g->buffer, (int)(width * own_entries(g, part->per)), MPI_DOUBLE, 0, TAG, f->comm);
        return;
    }
    for (int r = 0; r < f->size; r++) {
        int64_t count = entries_of(g, r, part->per);
        if (r == 0)
            pack(g, part, *part->values, g->buffer);
        else
            MPI_Recv(g->buffer, (int)(width * count), MPI_DOUBLE, r, TAG, f->comm, MPI_STATUS_IGNORE);
        for (int64_t k = 0; k < count; k++)
            memcpy(whole + width * there(g, r, part->per, k), g->buffer + width * k, (size_t)width * sizeof *whole);
    }
}

static void scatter_array(SnGather* g, const SnStateArray* part, const double* whole)
{
    SnFabric* f = g->fabric;
    int width = part->width;
    for (int r = f->size - 1; r >= 0 && f->rank == 0; r--) { // the first one's stays in the buffer
        int64_t count = entries_of(g, r, part->per);
        for (int64_t k = 0; k < count; k++)
            memcpy(g->buffer + width * k, whole + width * there(g, r, part->per, k), (size_t)width * sizeof *whole);
        if (r > 0) MPI_Send(g->buffer, (int)(width * count), MPI_DOUBLE, r, TAG, f->comm);
    }
    int64_t count = own_entries(g, part->per);
    if (f->rank > 0) MPI_Recv(g->buffer, (int)(width * count), MPI_DOUBLE, 0, TAG, f->comm, MPI_STATUS_IGNORE);
    for (int64_t k = 0; k < count; k++)
        memcpy(*part->values + width * here(g, part->per, k), g->buffer + width * k, (size_t)width * sizeof *whole);
}

// All arrays that have entries somewhere.
static void each_array(SnGather* g, const SnModel* model, SnState* part, SnWorld* whole, bool back)
{
    SnStateArray local[SN_STATE_ARRAYS], all[SN_STATE_ARRAYS];
    int count = sn_state_arrays(model, part, local);
    if (whole) sn_state_arrays(&whole->model, &whole->state, all);
    for (int i = 0; i < count; i++) {
        int64_t entries = whole ? all[i].count : 0;
        MPI_Bcast(&entries, 1, MPI_INT64_T, 0, g->fabric->comm);
        if (local[i].per == SN_PER_WORLD || entries == 0) continue;
        if (back)
            scatter_array(g, &local[i], whole ? *all[i].values : NULL);
        else
            gather_array(g, &local[i], whole ? *all[i].values : NULL);
        if (back && local[i].per == SN_PER_NODE) sn_share_spread(model->tasks, local[i].width, *local[i].values);
    }
}

// --- constraints ---

// Those that are this process's, by the nodes of the whole.
static SnStatus list_own(const SnFabric* f, const SnConstraintSet* from, SnConstraintSet* to)
{
    for (int i = 0; i < from->count; i++) {
        SnKept item = from->items[i];
        if (!f->of.own[item.constraint.at.node[0]]) continue;
        for (int k = 0; k < item.constraint.at.count; k++)
            item.constraint.at.node[k] = f->of.nodes[item.constraint.at.node[k]];
        SN_TRY(sn_constraint_set_add(to, &item));
    }
    return SN_OK;
}

static SnStatus receive_items(SnGather* g, SnConstraintSet* to)
{
    SnStatus status = SN_OK;
    for (int r = 1; r < g->fabric->size; r++) {
        MPI_Status message;
        int bytes;
        MPI_Probe(r, TAG, g->fabric->comm, &message);
        MPI_Get_count(&message, MPI_BYTE, &bytes);
        SnKept* items = sn_allocate((size_t)bytes + 1, 1, "the whole");
        if (!items) return SN_ERROR_MEMORY;
        MPI_Recv(items, bytes, MPI_BYTE, r, TAG, g->fabric->comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes / (int)sizeof *items && status == SN_OK; i++)
            status = sn_constraint_set_add(to, &items[i]);
        sn_free(items);
    }
    sn_constraint_set_sort(to);
    return status;
}

static SnStatus gather_constraints(SnGather* g, const SnState* part, SnWorld* whole)
{
    SnConstraintSet own = {0}, *to = whole ? &whole->state.constraints : &own;
    to->count = 0;
    SnStatus status = sn_mpi_agree(g->fabric->comm, list_own(g->fabric, &part->constraints, to));
    if (status == SN_OK && whole) status = receive_items(g, to);
    if (status == SN_OK && !whole)
        MPI_Send(own.items, own.count * (int)sizeof *own.items, MPI_BYTE, 0, TAG, g->fabric->comm);
    sn_constraint_set_free(&own);
    return sn_mpi_agree(g->fabric->comm, status);
}

// A node of the whole, and its number here.
typedef struct Named {
    int number, node;
} Named;

static int compare_named(const void* a, const void* b)
{
    return ((const Named*)a)->number - ((const Named*)b)->number;
}

// Those all of whose nodes are here.
static SnStatus choose_items(const SnFabric* f, const Named* names, SnConstraintSet* from, SnConstraintSet* to)
{
    for (int i = 0; i < from->count; i++) {
        SnKept* item = &from->items[i];
        bool here = true;
        for (int k = 0; k < item->constraint.at.count; k++) {
            Named key = {item->constraint.at.node[k], 0};
            const Named* found = bsearch(&key, names, (size_t)f->of.node_count, sizeof key, compare_named);
            here &= found != NULL;
            if (found) item->constraint.at.node[k] = found->node;
        }
        if (here) SN_TRY(sn_constraint_set_add(to, item));
    }
    return SN_OK;
}

static SnStatus scatter_constraints(SnGather* g, SnState* part, const SnWorld* whole)
{
    const SnFabric* f = g->fabric;
    SnConstraintSet all = {.count = whole ? whole->state.constraints.count : 0};
    Named* names;
    MPI_Bcast(&all.count, 1, MPI_INT, 0, f->comm);
    SnStatus status = SN_NEW(all.items, all.count, "the whole") && SN_NEW(names, f->of.node_count, "the whole")
                          ? SN_OK
                          : SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(f->comm, status));
    size_t bytes = (size_t)all.count * sizeof *all.items;
    if (whole && bytes > 0) memcpy(all.items, whole->state.constraints.items, bytes);
    MPI_Bcast(all.items, (int)bytes, MPI_BYTE, 0, f->comm);
    for (int i = 0; i < f->of.node_count; i++) names[i] = (Named){f->of.nodes[i], i};
    qsort(names, (size_t)f->of.node_count, sizeof *names, compare_named);
    part->constraints.count = 0;
    status = choose_items(f, names, &all, &part->constraints);
    SN_FREE(all.items, names);
    return sn_mpi_agree(f->comm, status);
}

SnStatus sn_gather_state(SnGather* g, const SnModel* model, SnState* part, SnWorld* whole)
{
    if (whole) sn_state_copy_numbers(part, model, &whole->state);
    each_array(g, model, part, whole, false);
    return gather_constraints(g, part, whole);
}

// Clock and accounts, to all: those who have none of the whole's arrays get these as the numbers of a state.
static void send_numbers(SnGather* g, const SnModel* model, SnState* part)
{
    SnState numbers = *part;
    MPI_Bcast(&numbers, sizeof numbers, MPI_BYTE, 0, g->fabric->comm);
    numbers.accounts = part->accounts;
    MPI_Bcast(part->accounts, (int)sizeof(SnAccount) * (SN_ACCOUNT_LOSS + model->loss_count), MPI_BYTE, 0,
              g->fabric->comm);
    sn_state_copy_numbers(&numbers, model, part);
}

SnStatus sn_scatter_state(SnGather* g, const SnModel* model, SnState* part, SnWorld* whole)
{
    if (whole) sn_state_copy_numbers(&whole->state, model, part);
    send_numbers(g, model, part);
    each_array(g, model, part, whole, true);
    return scatter_constraints(g, part, whole);
}
