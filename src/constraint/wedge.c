// Slides that cannot all be kept, or only by forces that would tear a node away: they are springs, and share the load.
//
// Between planes that are not parallel a light node is squeezed out sideways, however much the sheet that it belongs to
// stretches: so a slide gives way whose node touches something, too. A node that slides on several obstacles may be
// asked to be in two places at once; each of its slides draws it to its own, then.
#include "constraint/wedge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/vec3.h"

enum { MOST_PLANES = 8 }; // of one node that are looked at

#define SLANT 1e-5    // planes within about a degree of each other are not met by going along one of them
#define KEPT 0.03     // of the largest gap may be left over where all can be closed
#define ROUNDING 1e-9 // of where the node is: less is no gap

static int compare(const void* a, const void* b)
{
    int64_t key = *(const int64_t*)a, other = ((const SnKept*)b)->constraint.key;
    return key < other ? -1 : key > other;
}

// A node's slides: this one, and those on what comes after it; only those on obstacles, as bodies give way themselves.
static int list_planes(const SnConstraints* c, SnKept* item, SnKept* planes[MOST_PLANES])
{
    int count = 0;
    int64_t number = item->constraint.key >> 32, node = item->constraint.key & 0xffffffff;
    if (sn_constraint_is_contact(&item->constraint) || item->constraint.at.count > 1) return 0;
    planes[count++] = item;
    for (int64_t k = number + 1; k < c->slide_count && count < MOST_PLANES; k++) {
        int64_t key = k << 32 | node;
        SnKept* other = bsearch(&key, c->now->items, (size_t)c->now->count, sizeof *other, compare);
        if (other && other->constraint.at.count == 1) planes[count++] = other;
    }
    return count;
}

// d = -(sum n n^T + SLANT)^-1 sum gap n closes the gaps of planes that can be closed.
static bool contradict(int count, SnKept* planes[], const double* x)
{
    const double* p = x + 3 * (int64_t)planes[0]->constraint.at.node[0];
    double m[9] = {SLANT, 0, 0, 0, SLANT, 0, 0, 0, SLANT}, inverse[9], pull[3] = {0}, d[3], gap[MOST_PLANES];
    double largest = 0, left = 0, size = sn_length3(p);
    for (int k = 0; k < count; k++) {
        const SnStencil* at = &planes[k]->constraint.at;
        gap[k] = sn_stencil_gap(at, x);
        largest = fmax(largest, fabs(gap[k])), size = fmax(size, fabs(at->offset));
        for (int r = 0; r < 3; r++) {
            pull[r] -= gap[k] * at->normal[r];
            for (int s = 0; s < 3; s++) m[3 * r + s] += at->normal[r] * at->normal[s];
        }
    }
    sn_invert3(m, inverse);
    for (int r = 0; r < 3; r++) d[r] = sn_dot3(inverse + 3 * r, pull);
    for (int k = 0; k < count; k++) left = fmax(left, fabs(gap[k] + sn_dot3(planes[k]->constraint.at.normal, d)));
    return left > KEPT * largest && largest > ROUNDING * size;
}

bool sn_slides_share_nodes(const SnConstraints* c)
{
    SnKept* planes[MOST_PLANES];
    for (int i = 0; i < c->now->count && c->slide_count > 1; i++)
        if (list_planes(c, &c->now->items[i], planes) > 1) return true;
    return false;
}

static void find_contradicting(const SnConstraints* c, const double* x)
{
    for (int i = 0; i < c->now->count && c->slide_count > 1; i++) {
        SnKept* planes[MOST_PLANES];
        int count = list_planes(c, &c->now->items[i], planes);
        for (int k = 0; k < count && count > 1; k++) planes[k]->constraint.drawn = 0; // who draws is not told apart
        if (count < 2 || !contradict(count, planes, x)) continue;
        for (int k = 0; k < count; k++) planes[k]->constraint.contradicts = planes[k]->constraint.springy = true;
    }
}

static void find_touching(const SnConstraints* c)
{
    if (!c->touched) return;
    memset(c->touched, 0, (size_t)c->nodes->count * sizeof *c->touched);
    for (int i = 0; i < c->now->count; i++) {
        const SnConstraint* it = &c->now->items[i].constraint;
        for (int k = 0; k < it->at.count && sn_constraint_is_contact(it); k++) c->touched[it->at.node[k]] = true;
    }
    for (int i = 0; i < c->now->count; i++) {
        SnConstraint* it = &c->now->items[i].constraint;
        it->springy |= it->key >> 32 < c->slide_count && c->touched[it->at.node[0]]; // neither contacts nor ties
    }
}

void sn_constraints_find_wedged(SnConstraints* c, const double* x)
{
    if (c->slide_count == 0) return;
    for (int i = 0; i < c->now->count; i++) {
        SnConstraint* it = &c->now->items[i].constraint;
        it->springy = it->spring > 0, it->contradicts = false;
    }
    find_touching(c);
    find_contradicting(c, x);
}
