// The bounding-volume tree: building, refitting, walking.
#include "mesh/bounding_tree.h"

#include <math.h>

enum { MOST_DEPTH = 28, GRAIN = 256 };

// The first place that belongs to a leaf; places are spread evenly.
static int first_place(const SnTree* tree, int64_t leaf)
{
    return (int)(leaf * tree->count >> tree->depth);
}

static int leaf_count(const SnTree* tree)
{
    return 1 << tree->depth;
}

typedef struct Builder {
    SnTree* tree;
    double* centre; // 3 x count
} Builder;

// Elements in order of their centre along an axis; equal ones by their number.
static bool before(const Builder* b, int axis, int i, int j)
{
    double x = b->centre[3 * (int64_t)i + axis], y = b->centre[3 * (int64_t)j + axis];
    return x < y || (x == y && i < j);
}

static void swap(int* a, int* b)
{
    int t = *a;
    *a = *b, *b = t;
}

// Moves the elements that belong before place `middle` of [first, last) to the front: Hoare's selection.
static void select_median(const Builder* b, int axis, int first, int middle, int last)
{
    int* order = b->tree->order;
    while (last - first > 1) {
        int pivot = order[first + (last - first) / 2], i = first, j = last - 1;
        while (i <= j) {
            while (before(b, axis, order[i], pivot)) i++;
            while (before(b, axis, pivot, order[j])) j--;
            if (i <= j) swap(&order[i++], &order[j--]);
        }
        if (middle <= j)
            last = j + 1;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

static int longest_axis(const Builder* b, int first, int last)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = first; i < last; i++)
        for (int c = 0; c < 3; c++) {
            double x = b->centre[3 * (int64_t)b->tree->order[i] + c];
            lo[c] = x < lo[c] ? x : lo[c];
            hi[c] = x > hi[c] ? x : hi[c];
        }
    int axis = hi[1] - lo[1] > hi[0] - lo[0] ? 1 : 0;
    return hi[2] - lo[2] > hi[axis] - lo[axis] ? 2 : axis;
}

// Sorts the leaves [first, last) (a power of two of them) into halves, quarters, ...
static void split(const Builder* b, int first, int last)
{
    if (last - first < 2) return;
    int middle = first + (last - first) / 2;
    int begin = first_place(b->tree, first), end = first_place(b->tree, last), cut = first_place(b->tree, middle);
    select_median(b, longest_axis(b, begin, end), begin, cut, end);
    split(b, first, middle);
    split(b, middle, last);
}

static SnStatus build(SnTree* tree, const int* items, const double* x)
{
    Builder b = {.tree = tree};
    int k = tree->corners;
    while (tree->depth < MOST_DEPTH && (int64_t)SN_TREE_LEAF << tree->depth < tree->count) tree->depth++;
    if (!SN_NEW(tree->order, tree->count, "a tree") || !SN_NEW(tree->boxes, 2 * (int64_t)leaf_count(tree), "a tree"))
        return SN_ERROR_MEMORY;
    tree->items = sn_copy_memory(items, (size_t)k * (size_t)tree->count, sizeof *items, "a tree");
    if (!tree->items || !SN_NEW(b.centre, 3 * (int64_t)tree->count, "a tree")) return SN_ERROR_MEMORY;
    for (int i = 0; i < tree->count; i++) {
        tree->order[i] = i;
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < k; a++)
                b.centre[3 * (int64_t)i + c] += x[3 * (int64_t)items[(int64_t)k * i + a] + c] / k;
    }
    split(&b, 0, leaf_count(tree));
    sn_free(b.centre);
    return SN_OK;
}

SnStatus sn_tree_create(int count, int corners, const int* items, const double* x, SnTree** out)
{
    SnTree* tree;
    *out = NULL;
    if (!SN_NEW(tree, 1, "a tree")) return SN_ERROR_MEMORY;
    tree->count = count;
    tree->corners = corners;
    SnStatus status = build(tree, items, x);
    if (status == SN_OK) sn_tree_refit(tree, NULL, x, 0);
    SN_FINISH(status, tree, sn_tree_destroy, out);
}

void sn_tree_destroy(SnTree* tree)
{
    if (!tree) return;
    SN_FREE(tree->items, tree->order, tree->boxes, tree);
}

typedef struct Refit {
    SnTree* tree;
    const double* x;
    double margin;
    int first; // box of the level
} Refit;

static void refit_leaves(void* context, int first, int last)
{
    Refit* r = context;
    const SnTree* tree = r->tree;
    for (int leaf = first; leaf < last; leaf++) {
        SnBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        int end = first_place(tree, leaf + 1);
        for (int place = first_place(tree, leaf); place < end; place++) {
            const int* nodes = tree->items + (int64_t)tree->corners * tree->order[place];
            for (int a = 0; a < tree->corners; a++)
                for (int c = 0; c < 3; c++) {
                    double x = r->x[3 * (int64_t)nodes[a] + c];
                    box.lo[c] = x - r->margin < box.lo[c] ? x - r->margin : box.lo[c];
                    box.hi[c] = x + r->margin > box.hi[c] ? x + r->margin : box.hi[c];
                }
        }
        tree->boxes[r->first + leaf] = box;
    }
}

static void refit_level(void* context, int first, int last)
{
    Refit* r = context;
    for (int k = r->first + first; k < r->first + last; k++) {
        const SnBox *a = &r->tree->boxes[2 * k + 1], *b = &r->tree->boxes[2 * k + 2];
        SnBox* box = &r->tree->boxes[k];
        for (int c = 0; c < 3; c++) {
            box->lo[c] = a->lo[c] < b->lo[c] ? a->lo[c] : b->lo[c];
            box->hi[c] = a->hi[c] > b->hi[c] ? a->hi[c] : b->hi[c];
        }
    }
}

void sn_tree_refit(SnTree* tree, SnTasks* tasks, const double* x, double margin)
{
    Refit r = {tree, x, margin, leaf_count(tree) - 1};
    sn_tasks_for(tasks, leaf_count(tree), GRAIN, refit_leaves, &r);
    for (int level = tree->depth - 1; level >= 0; level--) {
        r.first = (1 << level) - 1;
        sn_tasks_for(tasks, 1 << level, GRAIN, refit_level, &r);
    }
}

static bool meet(const SnBox* a, const SnBox* b)
{
    for (int c = 0; c < 3; c++)
        if (a->lo[c] > b->hi[c] || b->lo[c] > a->hi[c]) return false;
    return true;
}

static bool visit_leaf(const SnTree* tree, int leaf, SnTreeVisit* visit, void* user)
{
    for (int place = first_place(tree, leaf); place < first_place(tree, leaf + 1); place++)
        if (!visit(user, tree->order[place])) return false;
    return true;
}

void sn_tree_overlaps(const SnTree* tree, const SnBox* box, SnTreeVisit* visit, void* user)
{
    int stack[MOST_DEPTH + 2] = {0}, used = 1, leaves = leaf_count(tree) - 1;
    while (used > 0) {
        int k = stack[--used];
        if (!meet(&tree->boxes[k], box)) continue;
        if (k < leaves)
            stack[used++] = 2 * k + 2, stack[used++] = 2 * k + 1;
        else if (!visit_leaf(tree, k - leaves, visit, user))
            return;
    }
}

// The square of the distance of a point from a box.
static double square_to_box(const SnBox* box, const double p[3])
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        double d = box->lo[c] > p[c] ? box->lo[c] - p[c] : p[c] > box->hi[c] ? p[c] - box->hi[c] : 0;
        sum += d * d;
    }
    return sum;
}

double sn_tree_square_to(const SnTree* tree, const double* x, int item, const double p[3])
{
    SnBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const int* nodes = tree->items + (int64_t)tree->corners * item;
    for (int a = 0; a < tree->corners; a++)
        for (int c = 0; c < 3; c++) {
            double at = x[3 * (int64_t)nodes[a] + c];
            box.lo[c] = at < box.lo[c] ? at : box.lo[c];
            box.hi[c] = at > box.hi[c] ? at : box.hi[c];
        }
    return square_to_box(&box, p);
}

typedef struct Search {
    const SnTree* tree;
    const double *x, *p;
    SnTreeAccept* accept;
    void* user;
    SnNearest* best;
    bool* found;
    double rounding;
} Search;

// Further away than this, boxes and triangles need not be looked at; of equals none is left out.
static bool too_far(const Search* s, double square)
{
    double far = s->best->distance * (1 + 1e-14) + s->rounding;
    return square > far * far;
}

static void look_at_leaf(const Search* s, int leaf)
{
    for (int place = first_place(s->tree, leaf); place < first_place(s->tree, leaf + 1); place++) {
        int item = s->tree->order[place];
        if (too_far(s, sn_tree_square_to(s->tree, s->x, item, s->p))) continue;
        if (s->accept && !s->accept(s->user, item)) continue;
        const int* n = s->tree->items + 3 * (int64_t)item;
        SnNearest nearest;
        sn_nearest_on_triangle(s->x + 3 * (int64_t)n[0], s->x + 3 * (int64_t)n[1], s->x + 3 * (int64_t)n[2], s->p,
                               &nearest);
        bool same = *s->found && nearest.distance == s->best->distance;
        if (!(nearest.distance < s->best->distance || (same && item < s->best->item))) continue;
        *s->best = nearest;
        s->best->item = item;
        *s->found = true;
    }
}

bool sn_tree_nearest(const SnTree* tree, const double* x, const double p[3], double most, SnTreeAccept* accept,
                     void* user, SnNearest* nearest)
{
    int stack[MOST_DEPTH + 2] = {0}, used = 1, leaves = leaf_count(tree) - 1;
    double squares[MOST_DEPTH + 2] = {0};
    bool found = false;
    Search s = {tree, x, p, accept, user, nearest, &found, 1e-14 * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]))};
    nearest->distance = most;
    while (used > 0) {
        int k = stack[--used];
        if (too_far(&s, squares[used])) continue;
        if (k >= leaves) {
            look_at_leaf(&s, k - leaves);
            continue;
        }
        double left = square_to_box(&tree->boxes[2 * k + 1], p), right = square_to_box(&tree->boxes[2 * k + 2], p);
        int nearer = left <= right ? 1 : 2;
        stack[used] = 2 * k + 3 - nearer, squares[used++] = left <= right ? right : left;
        stack[used] = 2 * k + nearer, squares[used++] = left <= right ? left : right;
    }
    return found;
}
