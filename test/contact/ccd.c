// Continuous collision detection against exact arithmetic: coordinates are integers, in units of a power of two, so
// that what collides when, and what does not, is decided without rounding.
//
// Pairs are built around a contact at a known time, with or without a gap there. Those without must end before that
// time. For all, it is proven that there is no collision up to the time returned: on each piece of the path there is a
// plane, with an integer normal, that has the elements' corners on different sides at both ends of the piece, and so in
// between. SINEW_CCD_PAIRS in the environment is how many pairs are tried.
#include "check.h"

#include <float.h>

#include "contact/apart.h"
#include "contact/ccd.h"
#include "contact/distance.h"
#include "contact/near.h"
#include "core/random.h"
#include "linalg/vec3.h"

typedef __int128 Wide;

enum { TIMES = 16, MOST_PIECES = 1 << 16 }; // a contact is at a multiple of 1/16 of the way

// Bits of times and of normals: with 35 of places and their sums they have to go into 127. Short paths want times,
// small gaps want normals.
typedef struct Grid {
    int time, normal;
} Grid;
static const Grid grids[] = {{46, 38}, {32, 52}, {40, 46}};

// What was made, in units: from and to = from + 16 motion.
typedef struct Case {
    int first;                            // corners of the first element
    int shape, gap, motion;               // of which kind it is
    int hit;                              // sixteenths of the way until they touch; 0: they start so; -1: not known
    int64_t from[4][3], to[4][3], far[3]; // far is added to all places
    double unit;                          // m
    double separation;                    // m
} Case;

// What is to be proven: up to a time the pair is always further than `kept` units apart.
typedef struct Claim {
    const Case* pair;
    Grid grid;
    double kept;
} Claim;

static int64_t below(SnRandom* random, int64_t most)
{
    return (int64_t)(sn_random_bits(random) % (uint64_t)(2 * most + 1)) - most;
}

// A length between 1 and 2^most, small ones as often as large ones.
static int64_t any_length(SnRandom* random, int most)
{
    return 1 + (int64_t)(sn_random_bits(random) % ((uint64_t)1 << (sn_random_bits(random) % (uint64_t)(most + 1))));
}

static void pick_vector(SnRandom* random, int64_t most, int64_t v[3])
{
    for (int c = 0; c < 3; c++) v[c] = below(random, most);
}

// Multiples of 1/16 that add up to 1, often none.
static void pick_weights(SnRandom* random, int count, int64_t* weights)
{
    int left = 16;
    for (int k = 0; k < count - 1; k++) {
        weights[k] = sn_random_bits(random) % 3 ? (int64_t)(sn_random_bits(random) % (uint64_t)(left + 1)) : 0;
        left -= (int)weights[k];
    }
    weights[count - 1] = left;
    int k = (int)(sn_random_bits(random) % (uint64_t)count);
    int64_t last = weights[count - 1];
    weights[count - 1] = weights[k], weights[k] = last;
}

enum { FREE, FLAT, LINE, SLIVER, TINY, POINT, SHAPES };

// Edges of both elements as seen from a first corner of each, of some shape together: free, in a plane, along a line,
// thin, of different sizes, without extent.
static void pick_edges(SnRandom* random, int shape, int64_t e[4][3])
{
    int64_t size = (int64_t)1 << (8 + sn_random_bits(random) % 17), axes[2][3], thin = any_length(random, 4);
    pick_vector(random, size, axes[0]), pick_vector(random, size, axes[1]);
    for (int k = 0; k < 4; k++) {
        int64_t a = below(random, 4), b = shape == LINE ? 0 : below(random, 4);
        int64_t most = shape == TINY && k % 2 ? thin : size;
        pick_vector(random, shape == SLIVER ? thin : most, e[k]);
        if (shape == FLAT || shape == LINE)
            for (int c = 0; c < 3; c++) e[k][c] = (a * axes[0][c] + b * axes[1][c]) / 4;
        if (shape == SLIVER)
            for (int c = 0; c < 3; c++) e[k][c] += a * (axes[0][c] / 4);
        if (shape == POINT && below(random, 1) == 0) memset(e[k], 0, sizeof e[k]);
    }
}

// Places at the contact, so that a point of one is a point of the other.
static void pick_contact(SnRandom* random, const Case* t, int64_t x[4][3])
{
    int64_t e[4][3], weights[4];
    pick_edges(random, t->shape, e);
    pick_weights(random, t->first, weights), pick_weights(random, 4 - t->first, weights + t->first);
    for (int side = 0; side < 2; side++) {
        int begin = side ? t->first : 0, end = side ? 4 : t->first;
        for (int c = 0; c < 3; c++) {
            int64_t mean = 0; // 16 times the mean
            for (int k = begin + 1; k < end; k++) mean += weights[k] * e[k][c];
            for (int k = begin; k < end; k++) x[k][c] = (k > begin ? 16 * e[k][c] : 0) - mean;
        }
    }
}

enum { STILL, SHIFT, ALONG, ANY, SMALL, MOTIONS };

// Of each corner, in sixteenths of its way: none of the first, both as they are, in the contact's plane, any, small.
static void pick_motion(SnRandom* random, const Case* t, const int64_t x[4][3], int64_t v[4][3])
{
    int64_t size = any_length(random, 25), shift[3], common[3];
    pick_vector(random, size, shift), pick_vector(random, any_length(random, 25), common);
    int64_t a = below(random, 8), b = below(random, 8);
    for (int k = 0; k < 4; k++) {
        pick_vector(random, t->motion == SMALL ? 4 : size, v[k]);
        if (t->motion == SHIFT || t->motion == ALONG || (t->motion == STILL && k < t->first))
            memset(v[k], 0, sizeof v[k]);
        for (int c = 0; c < 3 && k < t->first; c++) {
            if (t->motion == SHIFT) v[k][c] = shift[c];
            if (t->motion == ALONG) v[k][c] = (a * (x[3][c] - x[2][c]) + b * (x[t->first][c] - x[3][c])) / 64;
        }
        if (t->motion == SMALL)
            for (int c = 0; c < 3 && k < t->first; c++) v[k][c] += shift[c];
        for (int c = 0; c < 3; c++) v[k][c] += common[c];
    }
}

enum { TOUCHING, NEAR, APART, GAPS };

static void make_case(SnRandom* random, int first, Case* t)
{
    int64_t x[4][3], v[4][3], gap[3] = {0};
    *t = (Case){.first = first, .shape = (int)(sn_random_bits(random) % SHAPES)};
    t->gap = (int)(sn_random_bits(random) % GAPS), t->motion = (int)(sn_random_bits(random) % MOTIONS);
    int time = (int)(sn_random_bits(random) % (TIMES + 1));
    pick_contact(random, t, x);
    if (t->gap == NEAR) pick_vector(random, 4, gap);
    if (t->gap == APART) pick_vector(random, any_length(random, 28), gap);
    t->hit = gap[0] || gap[1] || gap[2] ? -1 : time;
    pick_motion(random, t, x, v);
    if (sn_random_bits(random) % 4 == 0) pick_vector(random, (int64_t)1 << 45, t->far);
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            t->from[k][c] = x[k][c] - time * v[k][c] + (k < first ? gap[c] : 0);
            t->to[k][c] = t->from[k][c] + TIMES * v[k][c];
        }
    t->unit = ldexp(1, -24 - (int)(sn_random_bits(random) % 8));
    t->separation = sn_random_bits(random) % 2 ? 0 : t->unit * (double)any_length(random, 20);
}

static void places(const Case* t, const int64_t x[4][3], double out[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) out[k][c] = t->unit * (double)(t->far[c] + x[k][c]);
}

static double run_case(const Case* t)
{
    double from[4][3], to[4][3];
    places(t, t->from, from), places(t, t->to, to);
    return t->first == 1 ? sn_ccd_node_triangle(from, to, t->separation) : sn_ccd_edge_edge(from, to, t->separation);
}

static void find_near(const Case* t, double time, double x[4][3], SnDistance* near)
{
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            double from = (double)(t->from[k][c] - t->from[0][c]), to = (double)(t->to[k][c] - t->to[0][c]);
            x[k][c] = from + time * (to - from);
        }
    t->first == 1 ? sn_distance_node_triangle(x, near) : sn_distance_edge_edge(x, near);
}

// Is every corner of the first further than `least` units above those of the second along n, at this time?
static bool apart_at(const Claim* claim, const int64_t n[3], int64_t time, Wide least)
{
    const Case* t = claim->pair;
    for (int i = 0; i < t->first; i++)
        for (int j = t->first; j < 4; j++) {
            Wide above = 0;
            for (int c = 0; c < 3; c++) {
                int64_t from = t->from[i][c] - t->from[j][c], to = t->to[i][c] - t->to[j][c];
                above += n[c] * ((Wide)from * ((Wide)1 << claim->grid.time) + (Wide)(to - from) * time);
            }
            if (!(above > least)) return false;
        }
    return true;
}

// Does a plane at right angles to `direction` keep them apart from one time to another?
static bool plane_parts(const Claim* claim, const double direction[3], int64_t begin, int64_t end)
{
    int64_t n[3];
    double length = sn_length3(direction), square = 0;
    if (!(length > 0)) return false;
    for (int c = 0; c < 3; c++) {
        n[c] = (int64_t)round(ldexp(direction[c] / length, claim->grid.normal));
        square += (double)n[c] * (double)n[c];
    }
    Wide least = (Wide)ceil(sqrt(square) * claim->kept * (1 + 1e-12)) << claim->grid.time;
    return apart_at(claim, n, begin, least) && apart_at(claim, n, end, least);
}

// At right angles to what is between the corners that have a weight, which rounding has spoilt.
static void straighten(const Case* t, const double x[4][3], const SnDistance* near, double n[3])
{
    double e[3];
    for (int k = 0; k < 12; k++)
        for (int i = k % 4, j = 0; j < i; j++) {
            bool same = (i < t->first) == (j < t->first), both = (near->features >> i & near->features >> j & 1) != 0;
            sn_subtract3(x[i], x[j], e);
            double square = sn_dot3(e, e), along = square > 0 && same && both ? sn_dot3(n, e) / square : 0;
            for (int c = 0; c < 3; c++) n[c] -= along * e[c];
        }
}

// By the plane of the triangle, from one of its corners (short edges tell its normal best), or along both edges.
static bool normal_parts(const Claim* claim, const double x[4][3], int corner, int64_t begin, int64_t end)
{
    double u[3], v[3], n[3];
    if (claim->pair->first == 1)
        sn_subtract3(x[1 + (corner + 1) % 3], x[1 + corner], u),
            sn_subtract3(x[1 + (corner + 2) % 3], x[1 + corner], v);
    else
        sn_subtract3(x[1], x[0], u), sn_subtract3(x[3], x[2], v);
    sn_cross3(u, v, n);
    double opposite[3] = {-n[0], -n[1], -n[2]};
    return plane_parts(claim, n, begin, end) || plane_parts(claim, opposite, begin, end);
}

// By a plane that parts them at this time: between the nearest points, or along what they lie on.
static bool plane_at_parts(const Claim* claim, double time, int64_t begin, int64_t end)
{
    const Case* t = claim->pair;
    double x[4][3], n[3] = {0};
    SnDistance near;
    find_near(t, ldexp(time, -claim->grid.time), x, &near);
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) n[c] += near.weight[k] * x[k][c];
    if (plane_parts(claim, n, begin, end)) return true;
    straighten(t, x, &near, n);
    if (plane_parts(claim, n, begin, end)) return true;
    for (int corner = 0; corner < (t->first == 1 ? 3 : 1); corner++)
        if (normal_parts(claim, x, corner, begin, end)) return true;
    return false;
}

static bool piece_is_free(const Claim* claim, int64_t begin, int64_t end)
{
    return plane_at_parts(claim, 0.5 * (double)(begin + end), begin, end) ||
           plane_at_parts(claim, (double)begin, begin, end) || plane_at_parts(claim, (double)end, begin, end);
}

// Halves the path until each piece is free.
static bool path_is_free(const Claim* claim, double time)
{
    int64_t stack[64], begin = 0;
    int count = 1, pieces = 0;
    stack[0] = (int64_t)ceil(ldexp(time, claim->grid.time));
    while (count > 0 && pieces++ < MOST_PIECES) {
        int64_t end = stack[count - 1];
        if (piece_is_free(claim, begin, end))
            begin = end, count--;
        else if (end - begin < 2 || count == 64)
            return false;
        else
            stack[count++] = begin + (end - begin) / 2;
    }
    return count == 0;
}

static bool is_proven(const Case* t, double time, double kept)
{
    for (int k = 0; k < 3; k++)
        if (path_is_free(&(Claim){t, grids[k], kept}, time)) return true;
    return false;
}

// Are they on different sides of each other along an axis, at the start and at the end?
static bool sides_are_kept(const Case* t)
{
    bool kept[3][2];
    memset(kept, true, sizeof kept);
    for (int i = 0; i < t->first; i++)
        for (int j = t->first; j < 4; j++)
            for (int c = 0; c < 3; c++) {
                if (t->from[i][c] < t->from[j][c] || t->to[i][c] < t->to[j][c]) kept[c][0] = false;
                if (t->from[i][c] > t->from[j][c] || t->to[i][c] > t->to[j][c]) kept[c][1] = false;
            }
    return kept[0][0] || kept[0][1] || kept[1][0] || kept[1][1] || kept[2][0] || kept[2][1];
}

typedef struct Counts {
    long pairs, hits, touching, proven, ended, cut, unproven;
} Counts;

static void print_case(const Case* t, double time)
{
    print_message("%d corners, shape %d gap %d motion %d hit %d unit %g separation %g far %ld %ld %ld: %.17g\n",
                  t->first, t->shape, t->gap, t->motion, t->hit, t->unit, t->separation, (long)t->far[0],
                  (long)t->far[1], (long)t->far[2], time);
    for (int k = 0; k < 4; k++)
        print_message("  {%ld, %ld, %ld} to {%ld, %ld, %ld}\n", (long)t->from[k][0], (long)t->from[k][1],
                      (long)t->from[k][2], (long)t->to[k][0], (long)t->to[k][1], (long)t->to[k][2]);
}

// In units; that within which rounding counts as touching is documented.
static double rounding(const Case* t)
{
    double largest = 0;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++)
            largest =
                fmax(largest, fmax(fabs((double)(t->far[c] + t->from[k][c])), fabs((double)(t->far[c] + t->to[k][c]))));
    return 128 * DBL_EPSILON * largest;
}

// Ended, but further apart than it had to be? Unless the number of steps ended it, no more than an eighth is left.
static bool ended_early(const Case* t, double time, double distance, double kept)
{
    double x[4][3];
    SnDistance near;
    find_near(t, time, x, &near);
    double gap = distance - kept, wide = 10 * t->separation / t->unit;
    return sqrt(near.square) > kept + 0.126 * (wide > 0 ? fmin(gap, wide) : gap) + 3 * rounding(t);
}

static void check_case(const Case* t, Counts* counts)
{
    double x[4][3], time = run_case(t), separation = t->separation / t->unit;
    SnDistance near;
    find_near(t, 0, x, &near);
    double distance = sqrt(near.square);
    counts->pairs++, counts->hits += t->hit >= 0;
    if (distance <= 4.1 * rounding(t) && distance <= separation + 1.1 * rounding(t)) {
        bool kept = sides_are_kept(t) || memcmp(t->from, t->to, sizeof t->from) == 0;
        counts->touching++;
        check(distance > 0.9 * rounding(t) ? time == 0 || kept || is_proven(t, time, 0) : time == kept);
        return;
    }
    check(time >= 0 && time <= 1);
    bool through = t->hit >= 0 && time * TIMES >= t->hit;
    if (through) print_case(t, time);
    check(!through);
    double kept = distance > separation + rounding(t) ? separation : fmin(separation, 0.5 * distance);
    bool free = is_proven(t, time, 0.98 * kept);
    counts->proven += free, counts->unproven += !free;
    if (!free) print_case(t, time);
    counts->ended += time < 1, counts->cut += time < 1 && ended_early(t, time, distance, kept);
}

static void test_ccd_never_misses(void** state)
{
    (void)state;
    const char* given = getenv("SINEW_CCD_PAIRS");
    long pairs = given ? atol(given) : 200000;
    SnRandom random = {14};
    Counts counts = {0};
    for (long k = 0; k < pairs; k++) {
        Case t;
        make_case(&random, 1 + (int)(k % 2), &t);
        check_case(&t, &counts);
    }
    print_message("%ld pairs: %ld touch at a known time, %ld at the start; %ld paths proven free, %ld not;\n"
                  "%ld ended before 1, %ld of them by the number of steps\n",
                  counts.pairs, counts.hits, counts.touching, counts.proven, counts.unproven, counts.ended, counts.cut);
    check(counts.unproven == 0);
    check(100 * counts.cut < counts.ended);
}

// What a pack says of a single pair, in its last lane.
static const SnPair lanes[SN_LANES] = {[SN_LANES - 1] = {{0, 1, 2, 3}}};

static bool is_noted_apart(const Case* t)
{
    double from[4][3], to[4][3], distance[SN_LANES] = {0};
    bool apart[SN_LANES];
    places(t, t->from, from), places(t, t->to, to);
    distance[SN_LANES - 1] = t->separation;
    SnNoteApart* note = t->first == 1 ? SN_OF_ISA(sn_note_apart_nodes) : SN_OF_ISA(sn_note_apart_edges);
    note(*from, *to, lanes, SN_LANES, distance, apart);
    return apart[SN_LANES - 1];
}

static bool is_noted_near(const Case* t, const double x[4][3], double near, double at_end)
{
    double squares[2][SN_LANES] = {{0}};
    bool noted[SN_LANES];
    squares[0][SN_LANES - 1] = near, squares[1][SN_LANES - 1] = at_end;
    SnNoteNear* note = t->first == 1 ? SN_OF_ISA(sn_note_near_nodes) : SN_OF_ISA(sn_note_near_edges);
    note(*x, lanes, SN_LANES, squares[0], squares[1], noted);
    return noted[SN_LANES - 1];
}

// Near, unless it is nothing compared with the elements; whichever points of these are nearest.
static void check_noted_near(const Case* t, int* noted)
{
    double x[4][3], e[3], size = 0;
    SnDistance d;
    places(t, t->from, x);
    t->first == 1 ? sn_distance_node_triangle(x, &d) : sn_distance_edge_edge(x, &d);
    for (int k = 1; k < 4; k++) sn_subtract3(x[k], x[0], e), size = fmax(size, sn_length3(e));
    if (!(sqrt(d.square) > 1e-7 * size)) return;
    bool within = t->first == 1 || d.features == 15;
    if (!is_noted_near(t, x, d.square, within ? 0 : d.square)) print_case(t, 0);
    check(is_noted_near(t, x, d.square, within ? 0 : d.square));
    check(!is_noted_near(t, x, 0.99 * d.square, 0.99 * d.square));
    noted[within && is_noted_near(t, x, d.square, 0)]++;
}

// What packs of pairs leave out is indeed free, or far.
static void test_packs_leave_out_what_is_free(void** state)
{
    (void)state;
    const char* given = getenv("SINEW_CCD_PAIRS");
    long pairs = given ? atol(given) : 100000, apart = 0;
    SnRandom random = {15};
    int near[2] = {0};
    for (int isa = 0; isa < SN_ISA_COUNT; isa++) {
        if (!sn_isa_available((SnIsa)isa)) continue;
        check_ok(sn_isa_choose(sn_isa_name((SnIsa)isa)));
        for (long k = 0; k < pairs / SN_ISA_COUNT; k++) {
            Case t;
            make_case(&random, 1 + (int)(k % 2), &t);
            check_noted_near(&t, near);
            if (!is_noted_apart(&t)) continue;
            check(t.hit < 0 && is_proven(&t, 1, 0.98 * t.separation / t.unit));
            apart++;
        }
    }
    check_ok(sn_isa_choose(NULL));
    print_message("%ld of %ld stay apart; near %d within, %d at ends\n", apart, pairs, near[1], near[0]);
    check(100 * apart > pairs && near[0] > 0 && near[1] > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ccd_never_misses),
    cmocka_unit_test(test_packs_leave_out_what_is_free),
};
RUN_TESTS(tests, NULL, NULL)
