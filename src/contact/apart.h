// Planes between two elements on their way: most of those whose boxes meet stay apart, and some plane tells.
//
// Along a direction d the gap between two sets of points that go straight is the least of linear functions of time, so
// the lesser of the gaps at both ends, over |d|, is a bound for the distance all along, however the two move together.
// Directions that mostly tell are from centre to centre (of both ends), for neighbours on a surface, and across both
// elements (at the start: the triangle's normal, the cross product of the edges), for layers.
#pragma once
#include "contact/pairs.h"
#include "core/isa.h"

typedef struct SnApart {
    const double *x0, *x1;
    double reach; // m, with what rounding may take: 64 errors of the largest difference between coordinates
} SnApart;

// Takes out pairs that one of the two directions keeps further apart than the reach; returns how many are left.
typedef int SnDropApart(const SnApart* apart, SnPair* pairs, int count);
SN_EXTERN_OF_ISA(SnDropApart, sn_drop_apart_nodes);
SN_EXTERN_OF_ISA(SnDropApart, sn_drop_apart_edges);

// Which of `count` pairs, SN_LANES at most, are further apart than these distances (m, and what rounding may take of
// coordinates, not of differences) all the way.
typedef void SnNoteApart(const double* x0, const double* x1, const SnPair* pairs, int count,
                         const double distance[SN_LANES], bool apart[SN_LANES]);
SN_EXTERN_OF_ISA(SnNoteApart, sn_note_apart_nodes);
SN_EXTERN_OF_ISA(SnNoteApart, sn_note_apart_edges);
