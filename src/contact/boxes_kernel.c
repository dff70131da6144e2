// Which boxes of a block one box meets, all lanes at once.
#include "contact/boxes.h"

void SN_KERNEL(sn_boxes_that_meet)(const SnBlock* blocks, const SnRoundBox* box, const int* which, int count,
                                   unsigned* lanes)
{
    for (int k = 0; k < count; k++) {
        const SnBlock* b = &blocks[which[k]];
        unsigned meets = 0;
#pragma omp simd reduction(| : meets)
        for (int l = 0; l < SN_BLOCK; l++)
            meets |=
                (unsigned)((b->lo[0][l] <= box->hi[0]) & (box->lo[0] <= b->hi[0][l]) & (b->lo[1][l] <= box->hi[1]) &
                           (box->lo[1] <= b->hi[1][l]) & (b->lo[2][l] <= box->hi[2]) & (box->lo[2] <= b->hi[2][l]))
                << l;
        lanes[k] = meets;
    }
}
