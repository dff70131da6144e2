// Distances of pairs, for as many at once as there are lanes.
//
// Rounded in another way than those of contact/distance.c, they are as good: BEYOND is more than both together may be
// wrong by, as long as no two points are 1e8 times as far apart as what is near.
#include "contact/near.h"

#include "contact/pair_pack.h"

#define BEYOND (1 + 1e-6) // of the square

void SN_KERNEL(sn_note_near_nodes)(const double* x, const SnPair* pairs, int count, const double near[SN_LANES],
                                   const double at_end[SN_LANES], bool is_near[SN_LANES])
{
    SnPack p;
    int found[SN_LANES];
    (void)at_end;
    sn_pack_gather(x, pairs, count, &p);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) found[l] = sn_lane_node_triangle(&p, l).square > BEYOND * near[l] ? 0 : 1;
    for (int l = 0; l < SN_LANES; l++) is_near[l] = found[l];
}

void SN_KERNEL(sn_note_near_edges)(const double* x, const SnPair* pairs, int count, const double near[SN_LANES],
                                   const double at_end[SN_LANES], bool is_near[SN_LANES])
{
    SnPack p;
    int found[SN_LANES];
    sn_pack_gather(x, pairs, count, &p);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        SnLaneDistance d = sn_lane_edge_edge(&p, l);
        found[l] = d.square > BEYOND * (d.known ? at_end[l] : near[l]) ? 0 : 1;
    }
    for (int l = 0; l < SN_LANES; l++) is_near[l] = found[l];
}
