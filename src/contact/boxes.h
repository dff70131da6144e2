// A box against those of blocks, as many at once as there are lanes.
#pragma once
#include "contact/swept.h"
#include "core/isa.h"

// lanes[k] has the bits of those boxes of blocks[which[k]] that meet a box.
typedef void SnBoxesThatMeet(const SnBlock* blocks, const SnRoundBox* box, const int* which, int count,
                             unsigned* lanes);
SN_EXTERN_OF_ISA(SnBoxesThatMeet, sn_boxes_that_meet);
