// Lists of near pairs: when they hold, how they are made and looked through.
//
// Let l, h be the lower and upper sides of swept boxes along an axis. Those of elements i of a and j of b meet now if
// l_i <= h_j and l_j <= h_i on all axes. Since the list was made l_i went down by no more than any node of a did, and
// h_j up by no more than any of b, so l_i <= h_j now means l_i <= h_j + (low of a + high of b) then. If these sums, and
// how much further b slides past a, are within the margin, all that meet now are listed; a common translation cancels.
#include "contact/pair_list.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/apart.h"
#include "contact/boxes.h"

enum { GRAIN = 128 };     // blocks of a chunk
#define ROUNDINGS 64      // of the largest difference between coordinates, along a direction
#define FIRST_MARGIN 0.1  // of an edge
#define LEAST_MARGIN 0.01 // of an edge
#define MOST_MARGIN 0.7   // of an edge
#define MARGIN_SCALE 0.5  // margin^2 = this x edge x outgrown per call

SnPairPart sn_pair_part(int a, int b, int part)
{
    if (part == 2) return (SnPairPart){a, SN_SURFACE_EDGES, b, SN_SURFACE_EDGES};
    if (part == 1 && a == b) return (SnPairPart){.from = -1};
    return (SnPairPart){part ? b : a, SN_SURFACE_NODES, part ? a : b, SN_SURFACE_TRIANGLES};
}

int sn_pair_chunks(const SnSurfaces* surfaces, const SnPairPart* part)
{
    if (part->from < 0) return 0;
    const SnSurfaceElements* from = &surfaces->items[part->from].of[part->from_kind];
    if (!from->count || !surfaces->items[part->to].of[part->to_kind].count) return 0;
    return ((1 << from->depth) + GRAIN - 1) / GRAIN;
}

static double slide(const SnSwept* a, const SnSwept* b, int axis)
{
    return fmax(b->shift[axis] - a->shift[axis], 0);
}

// The largest sum so far.
static double outgrown(const SnPairList* list, const SnSwept* swept)
{
    const SnSwept *a = &swept[list->a], *b = &swept[list->b];
    double most = 0;
    for (int c = 0; c < 3; c++) {
        double up = slide(a, b, c) - list->slide[0][c], down = slide(b, a, c) - list->slide[1][c];
        most = fmax(most, list->spent[0][c] + a->beyond.low[c] + b->beyond.high[c] + up);
        most = fmax(most, list->spent[1][c] + b->beyond.low[c] + a->beyond.high[c] + down);
    }
    return most;
}

bool sn_pair_list_holds(const SnPairList* list, const SnSwept* swept, double rounding)
{
    return list->made && outgrown(list, swept) + (1 + list->notes) * rounding <= list->margin;
}

void sn_pair_list_spend(SnPairList* list, int surface, const SnOutgrown* beyond)
{
    for (int c = 0; c < 3; c++) {
        if (list->a == surface) list->spent[0][c] += beyond->low[c], list->spent[1][c] += beyond->high[c];
        if (list->b == surface) list->spent[0][c] += beyond->high[c], list->spent[1][c] += beyond->low[c];
    }
    list->notes++;
}

void sn_pair_list_begin(SnPairList* list, const SnSwept* swept, double edge)
{
    double margin = FIRST_MARGIN * edge;
    if (list->made) margin = sqrt(MARGIN_SCALE * edge * outgrown(list, swept) / (list->age > 0 ? list->age : 1));
    list->margin = fmin(fmax(margin, LEAST_MARGIN * edge), MOST_MARGIN * edge);
    if (margin > 2 * MOST_MARGIN * edge) list->margin = LEAST_MARGIN * edge; // none lasts for another call
    memset(list->spent, 0, sizeof list->spent);
    for (int c = 0; c < 3; c++) {
        list->slide[0][c] = slide(&swept[list->a], &swept[list->b], c);
        list->slide[1][c] = slide(&swept[list->b], &swept[list->a], c);
    }
    list->notes = list->age = 0;
    list->made = false;
}

static bool share(const int* a, int a_count, const int* b, int b_count)
{
    bool any = false;
    for (int i = 0; i < a_count; i++)
        for (int k = 0; k < b_count; k++) any |= a[i] == b[k];
    return any;
}

// One surface's elements that are looked up among another's.
typedef struct Search {
    const SnSwept *here, *there;
    const SnSweptElements *from, *to;
    bool own;   // both are of one surface
    bool twice; // and of one kind: each pair is wanted once
    double margin;
    SnBoxesThatMeet* meet;
    SnPairRows* rows;
} Search;

static SnStatus list_near(const Search* s, int item, int block_count)
{
    SnPairRows* r = s->rows;
    const SnSurfaceElements *from = s->from->elements, *to = s->to->elements;
    const int* points = from->points + (int64_t)from->corners * item;
    SnBox slid = sn_slid_box(&s->from->boxes[item], s->here, s->there);
    SnRoundBox box = sn_round_box(&slid, s->margin);
    int before = r->near_count;
    s->meet(s->to->blocks, &box, r->blocks, block_count, r->lanes);
    for (int k = 0; k < block_count; k++) {
        int first = sn_block_start(to, r->blocks[k]), end = sn_block_start(to, r->blocks[k] + 1);
        if (!SN_GROW(r->near, r->near_capacity, (int64_t)r->near_count + SN_BLOCK, "pairs")) return SN_ERROR_MEMORY;
        for (unsigned left = r->lanes[k]; left; left &= left - 1) {
            int other = first + __builtin_ctz(left);
            if (other >= end || (s->twice && other <= item)) continue; // a box without end meets empty lanes
            if (s->own && share(points, from->corners, to->points + (int64_t)to->corners * other, to->corners))
                continue;
            r->near[r->near_count++] = other;
        }
    }
    if (r->near_count == before) return SN_OK;
    if (!SN_GROW(r->rows, r->capacity, (int64_t)r->count + 1, "pairs")) return SN_ERROR_MEMORY;
    r->rows[r->count++] = (SnPairRow){item, r->near_count};
    return SN_OK;
}

static SnStatus list_block(const Search* s, int block)
{
    const SnSurfaceElements* from = s->from->elements;
    SnRoundBox box = s->from->tree[(1 << from->depth) - 1 + block];
    SnBox grown;
    for (int c = 0; c < 3; c++) grown.lo[c] = box.lo[c], grown.hi[c] = box.hi[c];
    grown = sn_slid_box(&grown, s->here, s->there);
    box = sn_round_box(&grown, s->margin);
    int count = sn_swept_blocks(s->to, &box, s->twice ? block : 0, s->rows->blocks);
    for (int i = sn_block_start(from, block); i < sn_block_start(from, block + 1) && count; i++)
        SN_TRY(list_near(s, i, count));
    return SN_OK;
}

void sn_pair_list_make(const SnPairList* list, const SnSwept* swept, const SnPairPart* part, int chunk,
                       SnPairRows* rows)
{
    const SnSwept *here = &swept[part->from], *there = &swept[part->to];
    Search s = {.here = here, .there = there, .margin = list->margin, .rows = rows};
    s.meet = SN_OF_ISA(sn_boxes_that_meet);
    s.from = &here->of[part->from_kind], s.to = &there->of[part->to_kind];
    s.own = here == there, s.twice = s.from == s.to;
    int blocks = 1 << s.from->elements->depth, end = (chunk + 1) * GRAIN < blocks ? (chunk + 1) * GRAIN : blocks;
    rows->count = rows->near_count = 0;
    int64_t most = (int64_t)1 << s.to->elements->depth;
    bool room = SN_GROW(rows->blocks, rows->block_capacity, most, "pairs") &&
                SN_GROW(rows->lanes, rows->lane_capacity, most, "pairs");
    rows->status = room ? SN_OK : SN_ERROR_MEMORY;
    for (int k = chunk * GRAIN; k < end && rows->status == SN_OK; k++) rows->status = list_block(&s, k);
}

static SnPair pair_of(const SnSurfaceElements* from, int item, const SnSurfaceElements* to, int other)
{
    SnPair pair;
    const int *a = from->points + (int64_t)from->corners * item, *b = to->points + (int64_t)to->corners * other;
    if (from->corners == 1)
        pair = (SnPair){{a[0], b[0], b[1], b[2]}};
    else
        pair = (SnPair){{a[0], a[1], b[0], b[1]}};
    return pair;
}

// Both surfaces' radii, and what rounding may take: a part of the largest difference between coordinates.
static double reach_of(const SnSwept* a, const SnSwept* b)
{
    double size = 0;
    for (int c = 0; c < 3; c++)
        size = fmax(size, fmax(a->bound.hi[c], b->bound.hi[c]) - fmin(a->bound.lo[c], b->bound.lo[c]));
    return (a->radius + b->radius) * (1 + 1e-12) + ROUNDINGS * DBL_EPSILON * size;
}

// Of those listed at a row's element, from `first` on, the ones whose boxes meet its; returns how many.
static int look_at_row(const SnSweptElements* to, const SnBox* box, const int* near, int count, int* met)
{
    int found = 0;
    for (int k = 0; k < count; k++) { // without a branch, which would be guessed wrong too often
        met[found] = near[k];
        found += sn_boxes_meet(box, &to->boxes[near[k]]);
    }
    return found;
}

// The same of marked ones, which are few. Elements are listed in increasing order.
static int look_at_marked(const SnSweptElements* to, const SnBox* box, const int* near, int count, int* met)
{
    int found = 0;
    if (to->marks[near[count - 1] + 1] == to->marks[near[0]]) return 0;
    for (int k = 0; k < count; k++)
        if (to->marked[near[k]] && sn_boxes_meet(box, &to->boxes[near[k]])) met[found++] = near[k];
    return found;
}

// Those listed whose boxes meet; there is room for all. Few do, so pairs are made when that is known of a row.
static void look_at_boxes(const SnSwept* here, const SnSwept* there, const SnPairPart* part, bool marked,
                          SnPairRows* rows)
{
    const SnSweptElements *from = &here->of[part->from_kind], *to = &there->of[part->to_kind];
    SnPairArray* found = &rows->found;
    for (int r = 0, k = 0; r < rows->count; k = rows->rows[r++].end) {
        int item = rows->rows[r].item, count = rows->rows[r].end - k;
        SnBox box = sn_slid_box(&from->boxes[item], here, there);
        int met = marked && !from->marked[item] ? look_at_marked(to, &box, rows->near + k, count, rows->met)
                                                : look_at_row(to, &box, rows->near + k, count, rows->met);
        for (int m = 0; m < met; m++)
            found->items[found->count++] = pair_of(from->elements, item, to->elements, rows->met[m]);
    }
}

void sn_pair_list_look(const SnSwept* swept, const SnPairPart* part, const double* x0, const double* x1, bool marked,
                       SnPairRows* rows)
{
    const SnSwept *here = &swept[part->from], *there = &swept[part->to];
    SnDropApart* drop =
        part->from_kind == SN_SURFACE_EDGES ? SN_OF_ISA(sn_drop_apart_edges) : SN_OF_ISA(sn_drop_apart_nodes);
    SnPairArray* found = &rows->found;
    found->count = 0;
    if (rows->status != SN_OK) return;
    if (!SN_GROW(found->items, found->capacity, rows->near_count, "pairs") ||
        !SN_GROW(rows->met, rows->met_capacity, rows->near_count, "pairs")) {
        rows->status = SN_ERROR_MEMORY;
        return;
    }
    look_at_boxes(here, there, part, marked, rows);
    found->count = drop(&(SnApart){x0, x1, reach_of(here, there)}, found->items, found->count);
}

void sn_pair_list_destroy(SnPairList* list)
{
    if (!list) return;
    for (int k = 0; k < list->chunk_capacity; k++) {
        SnPairRows* r = &list->chunks[k];
        sn_free(r->rows), sn_free(r->near), sn_free(r->blocks), sn_free(r->lanes), sn_free(r->met),
            sn_free(r->found.items);
    }
    sn_free(list->chunks);
    sn_free(list);
}
