// Hinges: which nodes span the others, and what keeps them.
#include "constraint/hinge.h"

#include <math.h>
#include <string.h>

#include "constraint/tie.h"
#include "core/share.h"
#include "linalg/vec3.h"

#define FLAT 1e-6 // of the size of the section: nodes that are so near to what is spanned are in it
#define FAR 0.5   // of the furthest node from what is spanned: near enough to that to be the next of the frame

void sn_hinge_free(SnHinge* h)
{
    SN_FREE(h->weights, h->along);
    h->weights = h->along = NULL;
}

// From the point, across the axis; returns how far along it.
static double across_from(const SnHinge* h, const double point[3], const double axis[3], const double p[3], double z[3])
{
    sn_subtract3(p, point, z);
    if (h->ball) return 0;
    double along = sn_dot3(z, axis);
    for (int c = 0; c < 3; c++) z[c] -= along * axis[c];
    return along;
}

static double across(const SnHinge* h, const double p[3], double z[3])
{
    return across_from(h, h->point, h->axis, p, z);
}

// --- which nodes span the others ---

// The frame so far: directions that are orthonormal, and the frame nodes in terms of these, column by column.
typedef struct Span {
    int count;
    double directions[SN_HINGE_FRAME][3], columns[SN_HINGE_FRAME][SN_HINGE_FRAME];
} Span;

// What is left of z outside the span, its length returned; and its parts within.
static double outside(const Span* span, const double z[3], double parts[SN_HINGE_FRAME], double left[3])
{
    memcpy(left, z, 3 * sizeof *left);
    for (int k = 0; k < span->count; k++) {
        parts[k] = sn_dot3(left, span->directions[k]);
        for (int c = 0; c < 3; c++) left[c] -= parts[k] * span->directions[k][c];
    }
    return sn_length3(left);
}

// How well the distances from the point and from the frame so far hold a node at z: the squared volume that their
// directions span, 1 where they are at right angles.
static double hold_of(const SnHinge* h, const double* places, const double z[3])
{
    double left[3], volume = 1;
    Span ways = {0};
    for (int k = 0; k <= h->frame_count; k++) {
        double way[3], from[3] = {0}, parts[SN_HINGE_FRAME];
        if (k > 0) across(h, places + 3 * (int64_t)h->frame[k - 1], from);
        sn_subtract3(z, from, way);
        double length = sn_length3(way), size = outside(&ways, way, parts, left);
        if (!(size > 0)) return 0;
        volume *= size * size / (length * length);
        for (int c = 0; c < 3; c++) ways.directions[ways.count][c] = left[c] / size;
        ways.count++;
    }
    return volume;
}

// The next node of the frame: far from what is spanned so far, and well held; -1: all is spanned.
static int find_next(const SnHinge* h, const Span* span, const double* places, double size)
{
    double most = 0, best = 0, z[3], parts[SN_HINGE_FRAME], left[3];
    int found = -1;
    for (int i = 0; i < h->node_count; i++) {
        across(h, places + 3 * (int64_t)i, z);
        most = fmax(most, outside(span, z, parts, left));
    }
    for (int i = 0; i < h->node_count && most > FLAT * size; i++) {
        across(h, places + 3 * (int64_t)i, z);
        double far = outside(span, z, parts, left);
        double hold = far < FAR * most ? 0 : h->frame_count > 0 ? hold_of(h, places, z) : far;
        if (hold > best) best = hold, found = i;
    }
    return found;
}

static void add_to_frame(SnHinge* h, Span* span, const double* places, int node)
{
    double z[3], left[3], *column = span->columns[span->count];
    int k = h->frame_count++;
    across(h, places + 3 * (int64_t)node, z);
    column[k] = outside(span, z, column, left);
    for (int c = 0; c < 3; c++) span->directions[k][c] = left[c] / column[k];
    span->count++;
    h->frame[k] = node, h->radius[k] = sn_length3(z);
    for (int g = 0; g < k; g++) {
        double other[3];
        across(h, places + 3 * (int64_t)h->frame[g], other);
        h->apart[k][g] = h->apart[g][k] = sn_distance3(z, other);
    }
}

// Solves sum_f w_f z_f = z backwards, as the columns are triangular.
static void find_weights(const Span* span, const double z[3], double* weights)
{
    double left[3];
    outside(span, z, weights, left);
    for (int f = span->count - 1; f >= 0; f--) {
        weights[f] /= span->columns[f][f];
        for (int k = 0; k < f; k++) weights[k] -= weights[f] * span->columns[f][k];
    }
}

static void span_all(SnHinge* h, const Span* span, const double* places)
{
    double z[3];
    for (int64_t i = 0; i < h->node_count; i++) {
        h->along[i] = across(h, places + 3 * i, z);
        find_weights(span, z, h->weights + SN_HINGE_FRAME * i);
    }
    double own[SN_HINGE_FRAME] = {0};
    for (int f = 0; f < h->frame_count; f++) own[f] = h->along[h->frame[f]];
    for (int64_t i = 0; i < h->node_count; i++)
        for (int f = 0; f < h->frame_count; f++) h->along[i] -= h->weights[SN_HINGE_FRAME * i + f] * own[f];
    for (int f = 0; f < h->frame_count; f++) {
        double* weights = h->weights + SN_HINGE_FRAME * (int64_t)h->frame[f];
        h->along[h->frame[f]] = own[f];
        for (int g = 0; g < SN_HINGE_FRAME; g++) weights[g] = f == g;
    }
}

SnStatus sn_hinge_build(SnHinge* h, const double* places)
{
    Span span = {0};
    double size = 0;
    if (!SN_NEW(h->weights, SN_HINGE_FRAME * (int64_t)h->node_count, "a hinge") ||
        !SN_NEW(h->along, h->node_count, "a hinge")) {
        sn_hinge_free(h);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < h->node_count; i++) size = fmax(size, sn_distance3(places + 3 * (int64_t)i, h->point));
    for (int most = h->ball ? 3 : 2; h->frame_count < most;) {
        int next = find_next(h, &span, places, size);
        if (next < 0) break;
        add_to_frame(h, &span, places, next);
    }
    span_all(h, &span, places);
    return SN_OK;
}

// --- what keeps them ---

static bool is_frame(const SnHinge* h, int k)
{
    for (int f = 0; f < h->frame_count; f++)
        if (h->frame[f] == k) return true;
    return false;
}

// What a place in terms of point and axis does: a (velocity of the point) + b (that of the axis).
static void set_velocity(const SnHinge* h, double a, double b, SnConstraint* c)
{
    for (int i = 0; i < 3; i++) c->velocity[i] = a * h->point_velocity[i] + b * h->axis_velocity[i];
}

// A node that is no frame node, in all three directions.
static SnStatus collect_spanned(const SnHinge* h, int k, int64_t key, SnConstraintSet* set)
{
    const double* weights = h->weights + SN_HINGE_FRAME * (int64_t)k;
    SnKept item = {.constraint = {.key = key, .curved = true}};
    SnStencil* at = &item.constraint.at;
    double rest = 1;
    *at = (SnStencil){.count = 1, .node = {h->nodes[k]}, .weight = {1}};
    for (int f = 0; f < h->frame_count; f++) {
        rest -= weights[f];
        if (weights[f] == 0) continue;
        at->node[at->count] = h->nodes[h->frame[f]], at->weight[at->count] = -weights[f];
        at->count++;
    }
    set_velocity(h, rest, h->along[k], &item.constraint);
    for (int a = 0; a < 3; a++) {
        memset(at->normal, 0, sizeof at->normal);
        at->normal[a] = 1;
        at->offset = rest * h->point[a] + h->along[k] * h->axis[a];
        item.constraint.key = key + ((int64_t)a << 32);
        SN_TRY(sn_constraint_set_add(set, &item));
    }
    return SN_OK;
}

// Ways of a frame node across the axis, from the axis or from another frame node, now and at the start of the step.
typedef struct Ways {
    double now[3], start[3];
} Ways;

static void find_ways(const SnHinge* h, int node, const double* x, const double* start, Ways* w, double* along)
{
    *along = across(h, x + 3 * (int64_t)node, w->now);
    if (start) across_from(h, h->last_point, h->last_axis, start + 3 * (int64_t)node, w->start);
}

// A distance that stays, n.way = length, linear around where it is: n along the way. With forces in the middle of the
// step, m the mean of both ways: |now|^2 - |start|^2 = 2 m.(now - start), so n is along m, and no work is done and no
// momentum of turning given, whatever the step (Gonzalez 1999).
static void set_distance(const SnHinge* h, const Ways* w, double length, bool middle, SnStencil* at)
{
    double mean[3], along = 0;
    for (int c = 0; c < 3; c++) mean[c] = middle ? 0.5 * (w->now[c] + w->start[c]) : w->now[c];
    if (middle)
        length = sn_dot3(mean, w->start) + 0.5 * (length * length - sn_dot3(w->start, w->start));
    else
        length *= sn_length3(mean);
    for (int c = 0; c < 3 && !h->ball; c++) along += mean[c] * h->axis[c];
    for (int c = 0; c < 3; c++) mean[c] -= along * h->axis[c]; // of an axis that turns
    double size = sn_length3(mean);
    for (int c = 0; c < 3; c++) at->normal[c] = size > 0 ? mean[c] / size : 0;
    at->offset = size > 0 ? length / size : 0;
}

// Along the axis; the axis turning, this is how fast the plane across it moves at the node.
static void set_along(const SnHinge* h, int f, const double* p, SnConstraint* c)
{
    double way[3];
    sn_subtract3(p, h->point, way);
    double turn = sn_dot3(way, h->axis_velocity);
    memcpy(c->at.normal, h->axis, sizeof h->axis);
    c->at.offset = sn_dot3(h->axis, h->point) + h->along[h->frame[f]];
    for (int i = 0; i < 3; i++) c->velocity[i] = h->point_velocity[i] - turn * h->axis[i];
}

// Its places from the axis and from the frame nodes before it.
static SnStatus collect_frame(const SnHinge* h, int f, int64_t key, const double* x, const double* start,
                              SnConstraintSet* set)
{
    int node = h->nodes[h->frame[f]];
    Ways own, other, apart;
    double along, beside;
    SnKept item = {.constraint = {.key = key, .curved = true, .at = {.count = 1, .node = {node}, .weight = {1}}}};
    SnStencil* at = &item.constraint.at;
    if (!h->ball) {
        set_along(h, f, x + 3 * (int64_t)node, &item.constraint);
        SN_TRY(sn_constraint_set_add(set, &item));
        item.constraint.key += (int64_t)1 << 32;
    }
    find_ways(h, node, x, start, &own, &along);
    set_distance(h, &own, h->radius[f], start, at);
    at->offset += sn_dot3(at->normal, h->point);
    set_velocity(h, 1, along, &item.constraint);
    SN_TRY(sn_constraint_set_add(set, &item));
    for (int g = 0; g < f; g++) {
        int second = h->nodes[h->frame[g]];
        find_ways(h, second, x, start, &other, &beside);
        sn_subtract3(own.now, other.now, apart.now);
        if (start) sn_subtract3(own.start, other.start, apart.start);
        item.constraint.key += (int64_t)1 << 32;
        at->count = 2, at->node[1] = second, at->weight[1] = -1;
        set_distance(h, &apart, h->apart[f][g], start, at);
        set_velocity(h, 0, along - beside, &item.constraint);
        SN_TRY(sn_constraint_set_add(set, &item));
    }
    return SN_OK;
}

SnStatus sn_hinge_collect(const SnHinge* h, int slide_count, const SnTasks* tasks, const double* x, const double* start,
                          SnConstraintSet* set)
{
    for (int k = 0; k < h->node_count; k++) {
        int64_t key = sn_tie_key(h->number, slide_count, 0, sn_share_number(tasks, h->nodes[k]));
        if (!is_frame(h, k)) SN_TRY(collect_spanned(h, k, key, set));
    }
    for (int f = 0; f < h->frame_count; f++) {
        int64_t key = sn_tie_key(h->number, slide_count, 0, sn_share_number(tasks, h->nodes[h->frame[f]]));
        SN_TRY(collect_frame(h, f, key, x, start, set));
    }
    return SN_OK;
}
