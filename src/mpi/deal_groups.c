// Members of groups go to those who have the elements and nodes.
#include "mpi/deal_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/fabric.h"

// All processes' groups, in the order in which they are met, rank after rank; slabs of some may know nothing of some.
typedef struct GroupName {
    int dimension, tag;
    char name[120];
} GroupName;

static bool same_group(const GroupName* a, int dimension, int tag)
{
    return a->tag == tag && a->dimension == dimension;
}

static SnStatus share_names(const Deal* d, GroupName** all, int* total)
{
    int counts[d->size], first[d->size], mine = d->slab.group_count * (int)sizeof(GroupName), bytes = 0, kept = 0;
    GroupName* own;
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, d->comm);
    for (int r = 0; r < d->size; r++) first[r] = bytes, bytes += counts[r];
    SnStatus status = SN_NEW(own, d->slab.group_count, "groups") && SN_NEW(*all, bytes / (int)sizeof **all, "groups")
                          ? SN_OK
                          : SN_ERROR_MEMORY;
    SN_TRY(sn_mpi_agree(d->comm, status));
    for (int g = 0; g < d->slab.group_count; g++) {
        own[g] = (GroupName){.dimension = d->slab.groups[g].dimension, .tag = d->slab.groups[g].tag};
        strncpy(own[g].name, d->slab.groups[g].name, sizeof own[g].name - 1);
    }
    MPI_Allgatherv(own, mine, MPI_BYTE, *all, counts, first, MPI_BYTE, d->comm);
    sn_free(own);
    for (int i = 0, count = bytes / (int)sizeof **all; i < count; i++) {
        bool known = false;
        for (int k = 0; k < kept; k++) known |= same_group(&(*all)[k], (*all)[i].dimension, (*all)[i].tag);
        if (!known) (*all)[kept++] = (*all)[i];
    }
    *total = kept;
    return SN_OK;
}

static int group_number(const GroupName* all, int total, const SnSlabGroup* group)
{
    for (int k = 0; k < total; k++)
        if (same_group(&all[k], group->dimension, group->tag)) return k;
    return -1;
}

// (group, item) to whom the item's slab is of; of elements to whom they went.
static SnStatus send_members(const Deal* d, const GroupName* all, int total, SnPost* post)
{
    SN_TRY(sn_post_begin(d->comm, 2, post));
    for (int pass = 0; pass < 2; pass++) {
        for (int g = 0; g < d->slab.group_count; g++)
            for (int i = 0; i < d->slab.groups[g].count; i++) {
                const SnSlabGroup* group = &d->slab.groups[g];
                int item = group->items[i],
                    to = group->dimension == 3 ? d->target[item - d->slab.first_element] : sn_deal_slab_of(d, item);
                if (pass == 0) {
                    sn_post_count(post, to);
                    continue;
                }
                int* message = sn_post_add(post, to);
                message[0] = group_number(all, total, group), message[1] = item;
            }
        if (pass == 0) SN_TRY(sn_post_open(post));
    }
    return sn_post_send(post);
}

// Nodes from their slabs to those who have them.
static SnStatus forward_nodes(const Deal* d, const GroupName* all, const Asked* asked, const SnPost* members,
                              SnPost* post)
{
    SN_TRY(sn_post_begin(d->comm, 2, post));
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < members->in_total; i++) {
            const int* member = members->in + 2 * i;
            if (all[member[0]].dimension == 3) continue;
            int node = member[1] - d->slab.first_node;
            for (int k = asked->start[node]; k < asked->start[node + 1]; k++) {
                if (pass == 0)
                    sn_post_count(post, asked->ranks[k]);
                else
                    memcpy(sn_post_add(post, asked->ranks[k]), member, 2 * sizeof *member);
            }
        }
        if (pass == 0) SN_TRY(sn_post_open(post));
    }
    return sn_post_send(post);
}

static SnStatus add_member(SnMeshGroup* group, int* capacity, int item)
{
    if (!SN_GROW(group->items, *capacity, group->count + 1, "groups")) return SN_ERROR_MEMORY;
    group->items[group->count++] = item;
    return SN_OK;
}

static void sort_members(SnMeshGroup* group)
{
    int kept = 0;
    qsort(group->items, (size_t)group->count, sizeof *group->items, sn_compare_ints);
    for (int i = 0; i < group->count; i++)
        if (kept == 0 || group->items[kept - 1] != group->items[i]) group->items[kept++] = group->items[i];
    group->count = kept;
}

static SnStatus fill_groups(Deal* d, const SnPost* members, const SnPost* nodes, int* capacities)
{
    SnMeshGroup* groups = d->mesh->groups;
    for (int64_t i = 0; i < members->in_total; i++) {
        const int* m = members->in + 2 * i;
        if (groups[m[0]].dimension == 3)
            SN_TRY(
                add_member(&groups[m[0]], &capacities[m[0]], sn_deal_find(d->part->elements, d->element_count, m[1])));
    }
    for (int64_t i = 0; i < nodes->in_total; i++) {
        const int* m = nodes->in + 2 * i;
        SN_TRY(add_member(&groups[m[0]], &capacities[m[0]], d->order[sn_deal_find(d->nodes, d->node_count, m[1])]));
    }
    for (int g = 0; g < d->mesh->group_count; g++) sort_members(&groups[g]);
    return SN_OK;
}

// Those of fewer dimensions are of nodes here.
static SnStatus make_groups(Deal* d, const GroupName* all, int total, const SnPost* members, const SnPost* nodes)
{
    int* capacities;
    if (!SN_NEW(d->mesh->groups, total, "groups") || !SN_NEW(capacities, total, "groups")) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    for (int g = 0; g < total && status == SN_OK; g++) {
        d->mesh->groups[g] = (SnMeshGroup){sn_copy_text(all[g].name), all[g].tag, all[g].dimension == 3 ? 3 : 0, 0,
                                           sn_allocate(1, sizeof(int), "")};
        d->mesh->group_count++;
        capacities[g] = 1;
        if (!d->mesh->groups[g].name || !d->mesh->groups[g].items) status = SN_ERROR_MEMORY;
    }
    if (status == SN_OK) status = fill_groups(d, members, nodes, capacities);
    sn_free(capacities);
    return status;
}

SnStatus sn_deal_groups(Deal* d, const Asked* asked)
{
    GroupName* all = NULL;
    int total = 0;
    SnPost members = {0}, nodes = {0};
    SnStatus status = share_names(d, &all, &total);
    if (status == SN_OK && total > 0) {
        status = send_members(d, all, total, &members);
        if (status == SN_OK) status = forward_nodes(d, all, asked, &members, &nodes);
        if (status == SN_OK) status = sn_mpi_agree(d->comm, make_groups(d, all, total, &members, &nodes));
    }
    sn_post_free(&members);
    sn_post_free(&nodes);
    sn_free(all);
    return status;
}
