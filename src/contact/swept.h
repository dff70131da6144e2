// Surfaces on their way: boxes around elements from the start to the end, trees of them, and what meets what.
//
// A surface's boxes are as seen by one who goes with its mean displacement, its shift: what falls is not near all that
// it falls past of itself. Seen from there another surface's boxes also slide by how much its shift is more.
#pragma once
#include "contact/surfaces.h"
#include "mesh/bounding_tree.h"

// Boxes of the elements of a block, one element per lane, rounded outward to halve what has to be read.
typedef struct SnBlock {
    float lo[3][SN_BLOCK], hi[3][SN_BLOCK]; // lanes without an element meet nothing
} SnBlock;

typedef struct SnRoundBox {
    float lo[3], hi[3];
} SnRoundBox;

typedef struct SnSweptElements {
    const SnSurfaceElements* elements;
    SnBox* boxes;     // count: around both ends, further out by the radius and what rounding may take
    bool* marked;     // count: it has a point that changed, where that is asked for
    int* marks;       // count + 1: how many have before it
    SnBlock* blocks;  // 2^depth
    SnRoundBox* tree; // 2 x 2^depth - 1 boxes in heap order; the last 2^depth are those of the blocks
} SnSweptElements;

// How far the boxes of some nodes now reach beyond what they were, at most, on each side; negative: they fall short.
typedef struct SnOutgrown {
    double low[3], high[3];
} SnOutgrown;

// Of nodes: how far they go, all in all, and their largest coordinate, m.
typedef struct SnJourney {
    double sum[3], largest;
} SnJourney;

typedef struct SnSwept {
    SnSweptElements of[SN_SURFACE_KINDS];
    double shift[3];   // m: mean displacement
    double radius;     // m, with what rounding may take
    SnBox bound;       // around all of it, as seen from the world
    SnBox* noted;      // boxes of the nodes when they were last noted
    SnOutgrown beyond; // these
} SnSwept;

SnStatus sn_swept_create(const SnSurface* surface, SnSwept* swept);
void sn_swept_free(SnSwept* swept);

// The journey of nodes [first, last).
SnJourney sn_swept_journey(const SnSwept* swept, const double* x0, const double* x1, int first, int last);
// The boxes of nodes [first, last), the box around them, and how far they outgrew the noted ones.
void sn_swept_nodes(SnSwept* swept, const double* x0, const double* x1, int first, int last, SnBox* bound,
                    SnOutgrown* beyond);
// The boxes of edges or triangles [first, last), from those of the nodes.
void sn_swept_elements(SnSwept* swept, int kind, int first, int last);
// Which of elements [first, last) have a point that changed.
void sn_swept_mark(SnSweptElements* swept, const bool* changed, int first, int last);
void sn_swept_count_marks(SnSweptElements* swept); // when all are known
// Blocks and tree of one kind, from its boxes.
void sn_swept_refit(SnSweptElements* swept);
// Remembers where the nodes are.
void sn_swept_note(SnSwept* swept);

// What a box of surface a has to be to meet those of b where they slide past.
static inline SnBox sn_slid_box(const SnBox* box, const SnSwept* a, const SnSwept* b)
{
    SnBox out;
    for (int c = 0; c < 3; c++) {
        double slide = b->shift[c] - a->shift[c];
        out.lo[c] = box->lo[c] - (slide > 0 ? slide : 0);
        out.hi[c] = box->hi[c] - (slide < 0 ? slide : 0);
    }
    return out;
}

SnRoundBox sn_round_box(const SnBox* box, double margin); // further out by the margin, then rounded outward
// The blocks from `first` on that meet a box, increasing; blocks has room for all 2^depth. Returns how many.
int sn_swept_blocks(const SnSweptElements* swept, const SnRoundBox* box, int first, int* blocks);

static inline bool sn_round_boxes_meet(const SnRoundBox* a, const SnRoundBox* b)
{
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
           (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

static inline bool sn_boxes_meet(const SnBox* a, const SnBox* b)
{
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
           (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}
