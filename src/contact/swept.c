// Boxes around elements on their way, and a tree of blocks of them.
#include "contact/swept.h"

#include <math.h>
#include <string.h>

static const SnBox nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static const SnRoundBox empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static SnStatus create_elements(const SnSurfaceElements* e, SnSweptElements* swept)
{
    int64_t blocks = (int64_t)1 << e->depth;
    swept->elements = e;
    if (!SN_NEW(swept->boxes, e->count, "swept surfaces") || !SN_NEW(swept->marked, e->count, "swept surfaces") ||
        !SN_NEW(swept->marks, (int64_t)e->count + 1, "swept surfaces") ||
        !SN_NEW(swept->blocks, blocks, "swept surfaces") || !SN_NEW(swept->tree, 2 * blocks - 1, "swept surfaces"))
        return SN_ERROR_MEMORY;
    return SN_OK;
}

SnStatus sn_swept_create(const SnSurface* surface, SnSwept* swept)
{
    for (int k = 0; k < SN_SURFACE_KINDS; k++) SN_TRY(create_elements(&surface->of[k], &swept->of[k]));
    return SN_NEW(swept->noted, surface->of[SN_SURFACE_NODES].count, "swept surfaces") ? SN_OK : SN_ERROR_MEMORY;
}

void sn_swept_free(SnSwept* swept)
{
    for (int k = 0; k < SN_SURFACE_KINDS; k++)
        SN_FREE(swept->of[k].boxes, swept->of[k].marked, swept->of[k].marks, swept->of[k].blocks, swept->of[k].tree);
    sn_free(swept->noted);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void extend(SnBox* box, const SnBox* by)
{
    for (int c = 0; c < 3; c++) {
        box->lo[c] = smaller(by->lo[c], box->lo[c]);
        box->hi[c] = larger(by->hi[c], box->hi[c]);
    }
}

SnJourney sn_swept_journey(const SnSwept* swept, const double* x0, const double* x1, int first, int last)
{
    const int* points = swept->of[SN_SURFACE_NODES].elements->points;
    SnJourney journey = {{0, 0, 0}, 0};
    for (int i = first; i < last; i++) {
        const double *a = x0 + 3 * (int64_t)points[i], *b = x1 + 3 * (int64_t)points[i];
        for (int c = 0; c < 3; c++) {
            journey.sum[c] += b[c] - a[c];
            journey.largest = larger(journey.largest, larger(fabs(a[c]), fabs(b[c])));
        }
    }
    return journey;
}

void sn_swept_nodes(SnSwept* swept, const double* x0, const double* x1, int first, int last, SnBox* bound,
                    SnOutgrown* beyond)
{
    const SnSweptElements* nodes = &swept->of[SN_SURFACE_NODES];
    *bound = nothing;
    for (int c = 0; c < 3; c++) beyond->low[c] = beyond->high[c] = -INFINITY;
    for (int i = first; i < last; i++) {
        int64_t at = 3 * (int64_t)nodes->elements->points[i];
        SnBox box;
        for (int c = 0; c < 3; c++) {
            double a = x0[at + c], b = x1[at + c] - swept->shift[c];
            box.lo[c] = smaller(a, b) - swept->radius, box.hi[c] = larger(a, b) + swept->radius;
            beyond->low[c] = larger(swept->noted[i].lo[c] - box.lo[c], beyond->low[c]);
            beyond->high[c] = larger(box.hi[c] - swept->noted[i].hi[c], beyond->high[c]);
        }
        nodes->boxes[i] = box;
        extend(bound, &box);
    }
}

void sn_swept_elements(SnSwept* swept, int kind, int first, int last)
{
    const SnBox* nodes = swept->of[SN_SURFACE_NODES].boxes;
    const SnSweptElements* of = &swept->of[kind];
    int k = of->elements->corners;
    for (int i = first; i < last; i++) {
        const int* corners = of->elements->nodes + (int64_t)k * i;
        SnBox box = nodes[corners[0]];
        for (int a = 1; a < k; a++) extend(&box, &nodes[corners[a]]);
        of->boxes[i] = box;
    }
}

void sn_swept_mark(SnSweptElements* swept, const bool* changed, int first, int last)
{
    int k = swept->elements->corners;
    for (int i = first; i < last; i++) {
        const int* points = swept->elements->points + (int64_t)k * i;
        swept->marked[i] = false;
        for (int a = 0; a < k; a++) swept->marked[i] |= changed[points[a]];
    }
}

void sn_swept_count_marks(SnSweptElements* swept)
{
    for (int i = 0; i < swept->elements->count; i++) swept->marks[i + 1] = swept->marks[i] + swept->marked[i];
}

// Rounding to float is wrong by less than these.
#define RELATIVE 1.2e-7
#define ABSOLUTE 1e-37

SnRoundBox sn_round_box(const SnBox* box, double margin)
{
    SnRoundBox out;
    for (int c = 0; c < 3; c++) {
        double lo = box->lo[c] - margin, hi = box->hi[c] + margin;
        out.lo[c] = (float)(lo - (fabs(lo) * RELATIVE + ABSOLUTE));
        out.hi[c] = (float)(hi + (fabs(hi) * RELATIVE + ABSOLUTE));
    }
    return out;
}

static void join(const SnRoundBox* a, const SnRoundBox* b, SnRoundBox* out)
{
    for (int c = 0; c < 3; c++) {
        out->lo[c] = a->lo[c] < b->lo[c] ? a->lo[c] : b->lo[c];
        out->hi[c] = a->hi[c] > b->hi[c] ? a->hi[c] : b->hi[c];
    }
}

static SnRoundBox refit_block(SnSweptElements* swept, int block)
{
    int first = sn_block_start(swept->elements, block), count = sn_block_start(swept->elements, block + 1) - first;
    SnRoundBox all = empty;
    for (int k = 0; k < SN_BLOCK; k++) {
        SnRoundBox box = k < count ? sn_round_box(&swept->boxes[first + k], 0) : empty;
        join(&all, &box, &all);
        for (int c = 0; c < 3; c++)
            swept->blocks[block].lo[c][k] = box.lo[c], swept->blocks[block].hi[c][k] = box.hi[c];
    }
    return all;
}

void sn_swept_refit(SnSweptElements* swept)
{
    int leaves = 1 << swept->elements->depth;
    for (int k = 0; k < leaves; k++) swept->tree[leaves - 1 + k] = refit_block(swept, k);
    for (int k = leaves - 2; k >= 0; k--) join(&swept->tree[2 * k + 1], &swept->tree[2 * k + 2], &swept->tree[k]);
}

void sn_swept_note(SnSwept* swept)
{
    const SnSweptElements* nodes = &swept->of[SN_SURFACE_NODES];
    if (nodes->elements->count)
        memcpy(swept->noted, nodes->boxes, (size_t)nodes->elements->count * sizeof *swept->noted);
}

int sn_swept_blocks(const SnSweptElements* swept, const SnRoundBox* box, int first, int* blocks)
{
    int stack[64], ends[64], used = 0, found = 0, depth = swept->elements->depth;
    stack[used] = 0, ends[used++] = 1 << depth; // a box and the block after its last
    while (used > 0) {
        int k = stack[--used], end = ends[used], leaves = (1 << depth) - 1;
        if (end <= first || !sn_round_boxes_meet(&swept->tree[k], box)) continue;
        if (k >= leaves) {
            blocks[found++] = k - leaves;
            continue;
        }
        int half = 1 << (depth - 1 - (31 - __builtin_clz((unsigned)k + 1))); // blocks below a child
        stack[used] = 2 * k + 2, ends[used++] = end;
        stack[used] = 2 * k + 1, ends[used++] = end - half;
    }
    return found;
}
