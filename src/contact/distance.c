// Nearest points of a node and a triangle, and of two edges.
//
// Both have a plane spanned by two edges u and v, and the offset r between two of the points. With u projected out,
// v' = v - (v.u/u.u) u and r' = r - (r.u/u.u) u, what is left is how far to go along v', t = r'.v'/v'.v'. Unlike the
// quotient of 2x2 determinants this stays good for slivers and nearly parallel edges: the point found is off by
// x <= u (|v| + |r| + d |v|/|v'|) in the direction of v', at distance d, and by no more than |v'| as it is within the
// element. At right angles to d, that is an error of x^2/2d <= u |v| / 2 at most, or of x where d < |v'|. Where the
// point is not within the element, one on its rim is nearest, and of those the nearest is taken.
#include "contact/distance.h"

#include "linalg/vec3.h"

typedef double Vector[3];

// Where the line along e comes nearest to r, in units of e; 0 of one without length.
static inline double foot(const double r[3], const double e[3], double square)
{
    return square > 0 ? sn_dot3(r, e) / square : 0;
}

static inline double clamp(double t)
{
    return t > 0 ? t < 1 ? t : 1 : 0; // NaN as well becomes 0
}

// |r - t e|^2
static inline double square_past(const double r[3], double t, const double e[3])
{
    double x = r[0] - t * e[0], y = r[1] - t * e[1], z = r[2] - t * e[2];
    return x * x + y * y + z * z;
}

// out = r - t e
static inline void move_back(const double r[3], double t, const double e[3], double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = r[c] - t * e[c];
}

static inline void set(SnDistance* out, double square, double w0, double w1, double w2, double w3)
{
    *out = (SnDistance){square,
                        {w0, w1, w2, w3},
                        (unsigned)(w0 != 0) | (unsigned)(w1 != 0) << 1 | (unsigned)(w2 != 0) << 2 |
                            (unsigned)(w3 != 0) << 3};
}

// The nearest of the three edges. pa, from a to p; on_ab, where on ab.
static void to_rim(const double x[4][3], const double pa[3], const double ab[3], double on_ab, const double ac[3],
                   SnDistance* out)
{
    Vector pb, bc;
    sn_subtract3(x[0], x[2], pb), sn_subtract3(x[3], x[2], bc);
    double on_ac = clamp(foot(pa, ac, sn_dot3(ac, ac))), on_bc = clamp(foot(pb, bc, sn_dot3(bc, bc)));
    const double square[3] = {square_past(pa, on_ab, ab), square_past(pa, on_ac, ac), square_past(pb, on_bc, bc)};
    const double of_b[3] = {on_ab, 0, 1 - on_bc}, of_c[3] = {0, on_ac, on_bc}, of_a[3] = {1 - on_ab, 1 - on_ac, 0};
    int least = square[1] < square[0];
    least = square[2] < square[least] ? 2 : least;
    set(out, square[least], 1, -of_a[least], -of_b[least], -of_c[least]);
}

void sn_distance_node_triangle(const double x[4][3], SnDistance* out)
{
    Vector pa, ab, ac, across, rest;
    sn_subtract3(x[0], x[1], pa), sn_subtract3(x[2], x[1], ab), sn_subtract3(x[3], x[1], ac);
    double square = sn_dot3(ab, ab), along = foot(pa, ab, square), skew = foot(ac, ab, square);
    move_back(ac, skew, ab, across), move_back(pa, along, ab, rest);
    double c = foot(rest, across, sn_dot3(across, across)), b = along - c * skew, a = 1 - b - c;
    if (a > 0 && b > 0 && c > 0)
        set(out, square_past(rest, c, across), 1, -a, -b, -c);
    else
        to_rim(x, pa, ab, clamp(along), ac, out);
}

// The nearest with one of the four ends.
static void to_ends(const double x[4][3], const double ab[3], const double cd[3], SnDistance* out)
{
    Vector ca, cb, ac, ad;
    sn_subtract3(x[0], x[2], ca), sn_subtract3(x[1], x[2], cb), sn_subtract3(x[2], x[0], ac);
    sn_subtract3(x[3], x[0], ad);
    double of_ab = sn_dot3(ab, ab), of_cd = sn_dot3(cd, cd);
    const double s[4] = {0, 1, clamp(foot(ac, ab, of_ab)), clamp(foot(ad, ab, of_ab))};
    const double t[4] = {clamp(foot(ca, cd, of_cd)), clamp(foot(cb, cd, of_cd)), 0, 1};
    const double square[4] = {square_past(ca, t[0], cd), square_past(cb, t[1], cd), square_past(ac, s[2], ab),
                              square_past(ad, s[3], ab)};
    int least = 0;
    for (int k = 1; k < 4; k++)
        if (square[k] < square[least]) least = k;
    set(out, square[least], 1 - s[least], s[least], t[least] - 1, -t[least]);
}

void sn_distance_edge_edge(const double x[4][3], SnDistance* out)
{
    Vector ca, ab, cd, across, rest;
    sn_subtract3(x[0], x[2], ca), sn_subtract3(x[1], x[0], ab), sn_subtract3(x[3], x[2], cd);
    double square = sn_dot3(ab, ab), along = foot(ca, ab, square), skew = foot(cd, ab, square);
    move_back(cd, skew, ab, across), move_back(ca, along, ab, rest);
    double t = foot(rest, across, sn_dot3(across, across)), s = t * skew - along;
    if (s > 0 && s < 1 && t > 0 && t < 1)
        set(out, square_past(rest, t, across), 1 - s, s, t - 1, -t);
    else
        to_ends(x, ab, cd, out);
}
