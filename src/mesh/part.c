#include "mesh/part.h"

void sn_mesh_part_destroy(SnMeshPart* part)
{
    if (!part) return;
    SN_FREE(part->nodes, part->elements, part->owner, part->sharer_start, part->sharers, part->surface, part);
}

void sn_mesh_part_sum(const SnMeshPart* part, int count, double* values)
{
    if (part) part->sum(part->dealer, count, values);
}

void sn_mesh_part_largest(const SnMeshPart* part, int count, double* values)
{
    if (part) part->largest(part->dealer, count, values);
}

int sn_mesh_part_node(const SnMeshPart* part, int node_count, int number)
{
    for (int pass = 0; pass < 2; pass++) { // own ones, and copies
        int lo = pass ? part->own_count : 0, end = pass ? node_count : part->own_count, hi = end;
        while (lo < hi) {
            int middle = lo + (hi - lo) / 2;
            if (part->nodes[middle] < number)
                lo = middle + 1;
            else
                hi = middle;
        }
        if (lo < end && part->nodes[lo] == number) return lo;
    }
    return -1;
}
