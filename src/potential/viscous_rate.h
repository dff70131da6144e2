// The rate q of a dissipation at z, half its square r, and the derivatives of r, in a frame: X = U^T dz V.
//
// Sheets and strands have z padded by zero columns. Matrices are column-major lanes: entry (i, j) is [3j + i].
#pragma once
#include <math.h>

#include "linalg/svd3.h"
#include "potential/map.h"
#include "potential/modes.h"
#include "potential/viscous_kernel.h"

typedef SnLaneArray SnLaneMatrix[9];

typedef struct SnRatePoint {
    SnLaneMatrix u, v; // the frame
    SnLaneArray r;
    SnLaneMatrix t;    // J^T C q
    SnLaneMatrix q;    // I - I^p over b
    SnLaneMatrix y, l; // of the projector: z turned back, and (tr M - M)^-1
    SnLaneArray s[3];  // of rates of stretches: z's own
} SnRatePoint;

SN_INLINE void sn_lanes_copy(const SnLaneArray* from, int count, SnLaneArray* to)
{
    for (int k = 0; k < count; k++)
        for (int l = 0; l < SN_LANES; l++) to[k][l] = from[k][l];
}

// c = op(a) op(b), op the transpose where asked for.
SN_INLINE void sn_lanes_multiply(const SnLaneArray* a, bool ta, const SnLaneArray* b, bool tb, SnLaneArray* c)
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            const double *a0 = a[ta ? 3 * i : i], *a1 = a[ta ? 3 * i + 1 : 3 + i], *a2 = a[ta ? 3 * i + 2 : 6 + i];
            const double *b0 = b[tb ? j : 3 * j], *b1 = b[tb ? 3 + j : 3 * j + 1], *b2 = b[tb ? 6 + j : 3 * j + 2];
            double* out = c[3 * j + i];
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) out[l] = a0[l] * b0[l] + a1[l] * b1[l] + a2[l] * b2[l];
        }
}

SN_INLINE void sn_svd_lane(const SnLaneArray* f, SnLaneArray* u, SnLaneArray* s, SnLaneArray* v, int l)
{
    double a[9] = {f[0][l], f[1][l], f[2][l], f[3][l], f[4][l], f[5][l], f[6][l], f[7][l], f[8][l]};
    double au[9], as[3], av[9];
    sn_lane_svd3(a, au, as, av);
    for (int k = 0; k < 9; k++) u[k][l] = au[k];
    for (int k = 0; k < 9; k++) v[k][l] = av[k];
    for (int k = 0; k < 3; k++) s[k][l] = as[k];
}

SN_INLINE void sn_lanes_svd(const SnLaneArray* f, SnLaneArray* u, SnLaneArray* s, SnLaneArray* v)
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) sn_svd_lane(f, u, s, v, l);
}

// z = D x, padded.
SN_INLINE void sn_viscous_coordinates(const SnViscousPack* pack, const double* x, SnLaneArray* z)
{
    int width = pack->type->coordinates;
    for (int k = 3 * width; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) z[k][l] = 0.0;
    sn_map_apply(pack->type->nodes, width, &pack->term, x, z);
}

SN_INLINE const SnLaneArray* sn_stage(const SnViscousPack* pack, int entry)
{
    return (const SnLaneArray*)(pack->stage + entry * SN_LANES);
}

// What a shift of the rate by 1 is of the past.
SN_INLINE double sn_shift_length(const SnViscousPack* pack)
{
    return pack->dissipation->at_end ? 0.5 * pack->b : pack->b;
}

// From the frame in which shifts of the rate are kept to that of the past.
SN_INLINE void sn_stage_frame(const SnViscousPack* pack, const SnLaneArray* kept, SnLaneArray* out)
{
    SnLaneMatrix turned;
    SnRateKind kind = sn_rate_kind(pack);
    const SnLaneArray* v = sn_stage(pack, SN_STAGE_V);
    if (kind == SN_KIND_POLAR || kind == SN_KIND_STRETCHES) {
        sn_lanes_copy(kept, 9, out);
        return;
    }
    sn_lanes_multiply(kept, false, v, false, turned);
    sn_lanes_multiply(kind == SN_KIND_GRADIENT ? sn_stage(pack, SN_STAGE_U) : v, true, (const SnLaneArray*)turned,
                      false, out);
}

// The number of the entry i, j of a symmetric matrix 11 22 33 12 13 23.
SN_INLINE int sn_voigt(int i, int j)
{
    return i == j ? i : i + j + 2;
}

// t = C x of the entries of a matrix, block diagonal as SnModes are.
SN_INLINE void sn_modes_apply(const SnLaneArray* a, const SnLaneArray* same, const SnLaneArray* cross,
                              const SnLaneArray* x, SnLaneArray* t)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int pair = i + j - 1, k = 3 * j + i, m = 3 * i + j;
            for (int l = 0; l < SN_LANES; l++)
                t[k][l] = i == j ? a[sn_voigt(0, i)][l] * x[0][l] + a[sn_voigt(i, 1)][l] * x[4][l] +
                                       a[sn_voigt(i, 2)][l] * x[8][l]
                                 : same[i == j ? 0 : pair][l] * x[k][l] + cross[i == j ? 0 : pair][l] * x[m][l];
        }
}

SN_INLINE void sn_half_product(const SnLaneArray* t, const SnLaneArray* x, double* r)
{
    for (int l = 0; l < SN_LANES; l++) {
        double sum = 0.0;
        for (int k = 0; k < 9; k++) sum += t[k][l] * x[k][l];
        r[l] = 0.5 * sum;
    }
}

// Half the square of a shift, in the frame of the past.
SN_INLINE void sn_shift_square(const SnViscousPack* pack, const SnLaneArray* shift, double* r)
{
    const SnLaneArray *a = sn_stage(pack, SN_STAGE_A), *same = sn_stage(pack, SN_STAGE_SAME);
    SnRateKind kind = sn_rate_kind(pack);
    SnLaneMatrix t;
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) t[k][l] = kind == SN_KIND_POLAR ? 2.0 * shift[k][l] : 0.0;
    for (int i = 0; i < 3 && kind == SN_KIND_STRETCHES; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < SN_LANES; l++) t[i][l] += a[sn_voigt(i, j)][l] * shift[j][l];
    if (kind != SN_KIND_POLAR && kind != SN_KIND_STRETCHES)
        sn_modes_apply(a, same, kind == SN_KIND_STRAIN ? same : sn_stage(pack, SN_STAGE_CROSS), shift, t);
    sn_half_product((const SnLaneArray*)t, shift, r);
    double shear = kind == SN_KIND_POLAR ? pack->dissipation->viscosity.shear : 1.0;
    for (int l = 0; l < SN_LANES; l++) r[l] *= shear;
}

// Rate of F in the stage's frame.
SN_INLINE void sn_rate_gradient(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    const SnLaneArray* past = sn_stage(pack, SN_STAGE_PAST);
    double inverse = 1.0 / pack->b;
    SnLaneMatrix zv;
    sn_lanes_copy(sn_stage(pack, SN_STAGE_U), 9, p->u);
    sn_lanes_copy(sn_stage(pack, SN_STAGE_V), 9, p->v);
    sn_lanes_multiply(z, false, p->v, false, zv);
    sn_lanes_multiply(p->u, true, zv, false, p->q);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) p->q[k][l] = (p->q[k][l] - past[k][l]) * inverse;
    sn_modes_apply(sn_stage(pack, SN_STAGE_A), sn_stage(pack, SN_STAGE_SAME), sn_stage(pack, SN_STAGE_CROSS), p->q,
                   p->t);
    sn_half_product(p->t, p->q, p->r);
}

// Rate of Green's strain in the frame V; U is the identity. q, and t while it is the stress T, are symmetric.
SN_INLINE void sn_rate_strain(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    const SnLaneArray *past = sn_stage(pack, SN_STAGE_PAST), *same = sn_stage(pack, SN_STAGE_SAME);
    const SnLaneArray* offset = sn_stage(pack, SN_STAGE_OFFSET);
    bool at_end = pack->dissipation->at_end;
    double scale = at_end ? 2.0 : 1.0, inverse = scale / pack->b;
    int w = pack->type->coordinates;
    SnLaneMatrix e, stress, from;
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) {
            p->u[k][l] = k % 4 == 0 ? 1.0 : 0.0;
            from[k][l] = at_end ? z[k][l] - offset[k][l] : z[k][l];
        }
    sn_lanes_copy(sn_stage(pack, SN_STAGE_V), 9, p->v);
    sn_lanes_multiply((const SnLaneArray*)from, false, p->v, false, p->y);
    sn_lanes_multiply(p->y, true, p->y, false, e);
    for (int k = 0; k < 9; k++) {
        bool inside = k / 3 < w && k % 3 < w;
        for (int l = 0; l < SN_LANES; l++)
            p->q[k][l] = inside ? (0.5 * (e[k][l] - (k % 4 == 0 ? 1.0 : 0.0)) - past[k][l]) * inverse : 0.0;
    }
    // A shear stress is conjugate to 2 E_ij, and stands in both halves of the symmetric product.
    sn_modes_apply(sn_stage(pack, SN_STAGE_A), same, same, p->q, stress);
    sn_half_product(stress, p->q, p->r);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) p->l[k][l] = scale * stress[k][l];
    sn_lanes_multiply(p->y, false, (const SnLaneArray*)p->l, false, p->t);
}

// The polar stretch S = g(F^T F) has a kink where an element is flat, g(c) = c^1/2: powers near 0 would jump there, and
// a minimisation go to and fro. Below this stretch it is rounded off, g(c) = e/8 (3 + 6 c/e^2 - c^2/e^4), with two
// continuous derivatives.
#define SN_POLAR_FLAT 0.1

SN_INLINE double sn_polar_size(double s)
{
    double size = fabs(s), part = s * (1.0 / SN_POLAR_FLAT), square = part * part;
    return size >= SN_POLAR_FLAT ? size : 0.125 * SN_POLAR_FLAT * (3.0 + square * (6.0 - square));
}

// (g(a^2) - g(b^2))/(a^2 - b^2), which is 1/(|a| + |b|) of what is not flat; where one is flat and the other hardly is
// not, as if both were.
SN_INLINE double sn_polar_divided(double a, double b)
{
    double e2 = SN_POLAR_FLAT * SN_POLAR_FLAT, x = a * a, y = b * b, apart = x - y;
    double round = (0.75 - 0.125 * (x + y) / e2) / SN_POLAR_FLAT, sum = fabs(a) + fabs(b);
    double mixed = (sn_polar_size(a) - sn_polar_size(b)) / (fabs(apart) > 1e-6 ? apart : 1.0);
    bool flat_a = x < e2, flat_b = y < e2;
    if (!flat_a && !flat_b) return 1.0 / sn_lane_max(sum, SN_POLAR_FLAT);
    return (flat_a && flat_b) || fabs(apart) <= 1e-6 ? round : mixed;
}

// Rate of the polar stretch: in the frame of z's singular vectors, q = (diag g(s^2) - V^T S^p V)/b, and dS_ij =
// g_ij (s_i X_ij + s_j X_ji) with g's divided differences, also of what is inside out (s_3 < 0): no more than dF,
// wherever F is.
SN_INLINE void sn_rate_polar(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    int w = pack->type->coordinates;
    double inverse = 1.0 / pack->b, twice = 2.0 * pack->dissipation->viscosity.shear;
    SnLaneMatrix turned, past;
    sn_lanes_svd(z, p->u, p->s, p->v);
    sn_lanes_multiply(sn_stage(pack, SN_STAGE_PAST), false, p->v, false, turned);
    sn_lanes_multiply(p->v, true, turned, false, past);
    for (int l = 0; l < SN_LANES; l++) p->r[l] = 0.0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int k = 3 * j + i;
            bool inside = i < w && j < w;
            for (int l = 0; l < SN_LANES; l++) {
                double s = p->s[i][l];
                p->q[k][l] = inside ? ((i == j ? sn_polar_size(s) : 0.0) - past[k][l]) * inverse : 0.0;
                p->r[l] += 0.5 * twice * p->q[k][l] * p->q[k][l];
                p->t[k][l] = twice * p->q[k][l] * 2.0 * s * sn_polar_divided(s, p->s[j][l]);
            }
        }
}

// Rate of the principal stretches.
SN_INLINE void sn_rate_stretches(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    const SnLaneArray *past = sn_stage(pack, SN_STAGE_PAST), *a = sn_stage(pack, SN_STAGE_A);
    double inverse = 1.0 / pack->b;
    int w = pack->type->coordinates;
    sn_lanes_svd(z, p->u, p->s, p->v);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) p->q[k][l] = p->t[k][l] = 0.0;
    for (int i = 0; i < w; i++)
        for (int l = 0; l < SN_LANES; l++) p->q[4 * i][l] = (p->s[i][l] - past[i][l]) * inverse;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < w; j++)
            for (int l = 0; l < SN_LANES; l++) p->t[4 * i][l] += a[sn_voigt(i, j)][l] * p->q[4 * j][l];
    sn_half_product(p->t, p->q, p->r);
}

// The axial vector of a matrix's skew part, twice: (a32 - a23, a13 - a31, a21 - a12).
SN_INLINE void sn_axial(const SnLaneArray* a, SnLaneArray* out)
{
    for (int l = 0; l < SN_LANES; l++) {
        out[0][l] = a[5][l] - a[7][l];
        out[1][l] = a[6][l] - a[2][l];
        out[2][l] = a[1][l] - a[3][l];
    }
}

// out -= [n]x b
SN_INLINE void sn_subtract_cross(const SnLaneArray* n, const SnLaneArray* b, SnLaneArray* out)
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            for (int l = 0; l < SN_LANES; l++)
                out[3 * c + i][l] -= n[j][l] * b[3 * c + k][l] - n[k][l] * b[3 * c + j][l];
        }
}

SN_INLINE void sn_matrix_vector(const SnLaneArray* a, const SnLaneArray* x, SnLaneArray* y)
{
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) y[i][l] = a[i][l] * x[0][l] + a[3 + i][l] * x[1][l] + a[6 + i][l] * x[2][l];
}

// Rate of F without the rigid turning nearest to it: with B the past and Q the rotation that brings it closest to z,
// q = (Y - B)/b, Y = Q^T z. As z varies by Q X V^T, Y does by X - W Y with the skew W for which W M + M W =
// X B^T - B X^T, M = Y B^T: its axial vector is (tr M - M)^-1 ax(X B^T). So t = T - [n]x B, n = (tr M - M)^-1 ax(T
// Y^T).
SN_INLINE void sn_rate_projector(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    const SnLaneArray* past = sn_stage(pack, SN_STAGE_PAST);
    double inverse = 1.0 / pack->b;
    SnLaneMatrix zv, product, left, right, scaled;
    SnLaneArray axial[3], n[3];
    sn_lanes_copy(sn_stage(pack, SN_STAGE_V), 9, p->v);
    sn_lanes_multiply(z, false, p->v, false, zv);
    sn_lanes_multiply(zv, false, past, true, product);
    sn_lanes_svd(product, left, p->s, right);
    sn_lanes_multiply(left, false, right, true, p->u);
    sn_lanes_multiply(p->u, true, zv, false, p->y);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) {
            double sum = p->s[0][l] + p->s[1][l] + p->s[2][l] - p->s[k / 3][l];
            scaled[k][l] = right[k][l] / (sum > 1e-9 ? sum : 1e-9);
            p->q[k][l] = (p->y[k][l] - past[k][l]) * inverse;
        }
    sn_lanes_multiply(scaled, false, right, true, p->l);
    sn_modes_apply(sn_stage(pack, SN_STAGE_A), sn_stage(pack, SN_STAGE_SAME), sn_stage(pack, SN_STAGE_CROSS), p->q,
                   p->t);
    sn_half_product(p->t, p->q, p->r);
    sn_lanes_multiply(p->t, false, p->y, true, product);
    sn_axial(product, axial);
    sn_matrix_vector(p->l, axial, n);
    sn_subtract_cross(n, past, p->t);
}

// A user's own function of the rates of the stretches.
SN_INLINE void sn_rate_custom(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    const SnDissipation* d = pack->dissipation;
    const SnLaneArray *past = sn_stage(pack, SN_STAGE_PAST), *at = sn_stage(pack, SN_STAGE_AT);
    int w = pack->type->coordinates;
    sn_lanes_svd(z, p->u, p->s, p->v);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) p->q[k][l] = p->t[k][l] = 0.0;
    for (int l = 0; l < SN_LANES; l++) {
        for (int i = 0; i < w; i++) p->q[4 * i][l] = (p->s[i][l] - past[i][l]) / pack->b;
        SnStretches rate = {p->q[0][l], p->q[4][l], p->q[8][l]}, s = {at[0][l], at[1][l], at[2][l]};
        SnStretches g = d->type->gradient(rate, s, d->parameters);
        p->r[l] = d->type->energy(rate, s, d->parameters);
        p->t[0][l] = g.s1, p->t[4][l] = w > 1 ? g.s2 : 0.0, p->t[8][l] = w > 2 ? g.s3 : 0.0;
    }
}
