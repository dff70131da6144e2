// Continuous collision detection: steps that are known to be free, one after the other.
//
// At time t the elements are d apart. No point goes faster than its element's fastest corner, so that they stay apart
// for another d/l, l the sum of both elements' largest speeds, when their mean motion is left out (additive CCD: Li,
// Kaufman, Jiang 2021, Codimensional incremental potential contact). The plane between the nearest points tells as much
// and mostly more: until a corner comes to it the elements are on different sides of it, and how far a corner is from
// it is linear in t (conservative advancement: Mirtich 1996). Two elements that slide along each other need one step by
// the plane where they need many by their speed; at distances next to rounding, where the plane is too inexact to have
// both on their sides, the speed still tells. The longer step is taken. Nothing but these bounds is relied upon: a
// result is free, whatever made the steps end.
//
// Rounding: with m the largest coordinate and u = 2^-53, a corner's place at time t is computed to 18 u m per
// coordinate, the distance from it to 55 u m, the caller's place to 5 u m per coordinate, and t moves the corners by 28
// u m at most: 162 u m altogether; heights above the plane are better than 140 u m. 256 u m are kept besides the
// separation.
#include "contact/ccd.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "contact/distance.h"
#include "linalg/vec3.h"

enum { MOST_STEPS = 1000, MOST_EVALUATIONS = 256, GROWTH = 4 };
#define ROUNDING (128 * DBL_EPSILON)
#define LEFT 0.1     // steps leave this much of the gap
#define ENOUGH 0.125 // and end where no more than this is left
#define WIDE 10      // separations: wider gaps count as this, that what comes from afar may pass close by

typedef struct Path {
    int first; // corners of the first element: 1 or 2, the other has the rest
    const double (*from)[3];
    double v[4][3];  // without the mean
    double speed;    // of the two against each other, at most
    SnDistance near; // at the time reached
    double distance;
} Path;

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

// Of what steps leave.
static inline double scale_of(double gap, double separation)
{
    return separation > 0 ? smaller(gap, WIDE * separation) : gap;
}

static inline void find_near(Path* p, const double x[4][3])
{
    if (p->first == 1)
        sn_distance_node_triangle(x, &p->near);
    else
        sn_distance_edge_edge(x, &p->near);
    p->distance = sqrt(p->near.square);
}

static inline double bound_speed(const Path* p)
{
    double square[4];
    for (int k = 0; k < 4; k++) square[k] = sn_dot3(p->v[k], p->v[k]);
    double rest = larger(square[2], square[3]);
    return p->first == 1 ? sqrt(square[0]) + sqrt(larger(square[1], rest))
                         : sqrt(larger(square[0], square[1])) + sqrt(rest);
}

static inline double largest_of(const double* from, const double* to)
{
    double largest[4] = {0};
    for (int i = 0; i < 12; i++) largest[i % 4] = larger(largest[i % 4], larger(fabs(from[i]), fabs(to[i])));
    return larger(larger(largest[0], largest[1]), larger(largest[2], largest[3]));
}

static inline void start(Path* p, const double to[4][3])
{
    double mean[3];
    find_near(p, p->from);
    for (int k = 0; k < 4; k++) sn_subtract3(to[k], p->from[k], p->v[k]);
    for (int c = 0; c < 3; c++) mean[c] = 0.25 * ((p->v[0][c] + p->v[1][c]) + (p->v[2][c] + p->v[3][c]));
    for (int k = 0; k < 4; k++) sn_subtract3(p->v[k], mean, p->v[k]);
    p->speed = bound_speed(p);
}

// Until when all corners are at least `height` from each other along the vector between the nearest points, as they
// are at t; not even at t: a time before it.
static double until_plane(const Path* p, const double x[4][3], double t, double height)
{
    double n[3] = {0}, s[4], r[4], until = INFINITY;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) n[c] += p->near.weight[k] * (x[k][c] + t * p->v[k][c]);
    for (int k = 0; k < 4; k++) s[k] = sn_dot3(n, x[k]), r[k] = sn_dot3(n, p->v[k]);
    double least = height * sn_length3(n);
    for (int i = 0; i < p->first; i++)
        for (int j = p->first; j < 4; j++) {
            double above = s[i] - s[j] - least, rate = r[j] - r[i];
            if (rate > 0)
                until = smaller(until, above / rate);
            else if (!(above - rate * t >= 0))
                until = -1;
        }
    return until;
}

// Are the two on different sides of each other along an axis, at the start and at the end? Then always: no rounding.
static bool sides_kept(int first, int axis, double sign, const double from[4][3], const double to[4][3])
{
    for (int i = 0; i < first; i++)
        for (int j = first; j < 4; j++)
            if (!(sign * from[i][axis] >= sign * from[j][axis] && sign * to[i][axis] >= sign * to[j][axis]))
                return false;
    return true;
}

static bool may_go_on_touching(int first, const double from[4][3], const double to[4][3])
{
    bool free = memcmp(from, to, 12 * sizeof(double)) == 0;
    for (int axis = 0; axis < 3 && !free; axis++)
        free = sides_kept(first, axis, 1, from, to) || sides_kept(first, axis, -1, from, to);
    return free;
}

// Steps from t = 0 that leave `height`, until no more than `enough` is left.
static double go_on(Path* p, double height, double enough)
{
    double t = 0, x[4][3], at[4][3];
    for (int k = 0; k < 4; k++) sn_subtract3(p->from[k], p->from[0], x[k]);
    for (int k = 0; k < MOST_STEPS; k++) {
        double next = larger(t + (p->distance - height) / p->speed, until_plane(p, x, t, height));
        if (next >= 1) return 1;
        if (!(next > t)) return t; // also of numbers that are none
        t = next;
        for (int i = 0; i < 12; i++) at[i / 3][i % 3] = x[i / 3][i % 3] + t * p->v[i / 3][i % 3];
        find_near(p, at);
        if (p->distance <= enough) return t;
    }
    return t;
}

static inline double go(int first, const double from[4][3], const double to[4][3], double separation)
{
    double rounding = ROUNDING * largest_of(*from, *to);
    Path p;
    p.first = first, p.from = from;
    start(&p, to);
    double kept = separation + rounding;
    if (p.distance <= kept) {
        if (p.distance <= 4 * rounding) return rounding < INFINITY && may_go_on_touching(first, from, to);
        kept = smaller(separation, 0.5 * p.distance) + rounding;
    }
    double gap = p.distance - kept, scale = scale_of(gap, separation);
    if (p.speed <= gap - LEFT * scale) return 1;
    return go_on(&p, kept + LEFT * scale, kept + ENOUGH * scale);
}

double sn_ccd_node_triangle(const double from[4][3], const double to[4][3], double separation)
{
    return go(1, from, to, separation);
}

double sn_ccd_edge_edge(const double from[4][3], const double to[4][3], double separation)
{
    return go(2, from, to, separation);
}

// From inside, backwards from the end: does the path stay less deep than it began, but for its first thousandth?
static bool leads_out(SnPathDistance* distance, void* user, double speed)
{
    double start = distance(user, 0), t = 1;
    for (int k = 0; k < MOST_EVALUATIONS && t > 1e-3; k++) {
        double higher = distance(user, t) - start;
        if (!(higher > 0)) return false;
        t -= higher / speed;
    }
    return t <= 1e-3;
}

// A convex function goes on at least as it went between two times; for no longer than a few times as long, lest their
// rounding tell. How long it falls by no more than `fall`:
static double convex_step(double fall, double slope, double since)
{
    return slope * GROWTH * since >= -fall ? GROWTH * since : fall / -slope;
}

static double follow(SnPathDistance* distance, void* user, double speed, double separation, bool convex)
{
    double d = distance(user, 0), t = 0, slope = -INFINITY, since = 0;
    if (!(d > 0)) return speed == 0 || leads_out(distance, user, speed);
    double kept = d > separation ? separation : smaller(separation, 0.5 * d), scale = scale_of(d - kept, separation);
    for (int k = 0; k < MOST_EVALUATIONS; k++) {
        double fall = d - kept - LEFT * scale, step = fall / speed;
        if (convex && k > 0) step = larger(step, convex_step(fall, slope, since));
        if (t + step >= 1) return 1;
        if (!(t + step > t)) return t;
        double before = d;
        d = distance(user, t + step), slope = (d - before) / step, since = step, t += step;
        if (d <= kept + ENOUGH * scale) return t;
    }
    return t;
}

double sn_ccd_distance(SnPathDistance* distance, void* user, double speed, double separation)
{
    return follow(distance, user, speed, separation, false);
}

double sn_ccd_convex_distance(SnPathDistance* distance, void* user, double speed, double separation)
{
    return follow(distance, user, speed, separation, true);
}
