// Which pairs are near: distances of as many pairs at once as there are lanes, as contact/distance.h has them.
#pragma once
#include "contact/pairs.h"
#include "core/isa.h"

// Notes those of `count` pairs, SN_LANES at most, that are within the square of a distance, or, of edges of which the
// nearest point is an end, within that of another one. x: 3 per point.
typedef void SnNoteNear(const double* x, const SnPair* pairs, int count, const double near[SN_LANES],
                        const double at_end[SN_LANES], bool is_near[SN_LANES]);
SN_EXTERN_OF_ISA(SnNoteNear, sn_note_near_nodes);
SN_EXTERN_OF_ISA(SnNoteNear, sn_note_near_edges);
