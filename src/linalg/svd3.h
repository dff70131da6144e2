// 3x3 singular values and vectors, and symmetric eigenvectors, for one lane: Jacobi rotations, no branches.
//
// F = U diag(s) V^T with det U = det V = +1 and s1 >= s2 >= |s3|; s3 < 0 when det F < 0. One-sided Jacobi (Hestenes
// 1958) rotates the columns of F until they are orthogonal; it is accurate to rounding also for rank-deficient input.
// Matrices are column-major arrays: column j is a[3j .. 3j+2].
#pragma once
#include "linalg/lane.h"

// Tangent, at most 1, of the angle that makes two columns orthogonal whose squared lengths differ by delta and whose
// product is half of twice.
SN_INLINE double sn_lane_tangent(double delta, double twice)
{
    double size = fabs(delta) + sqrt(delta * delta + twice * twice);
    return (delta < 0.0 ? -twice : twice) / (size > 1e-300 ? size : 1e-300);
}

// The same in single precision, at half the price: an angle that is repeated in the next sweep need not be exact, only
// its rotation must be one.
SN_INLINE double sn_lane_rough_tangent(double delta, double twice)
{
    float d = (float)delta, w = (float)twice, size = fabsf(d) + sqrtf(d * d + w * w);
    return (double)((d < 0.0f ? -w : w) / (size > 1e-37f ? size : 1e-37f));
}

// Columns p and q of a and of v, turned by the angle of tangent t.
SN_INLINE void sn_lane_rotate(double* a, double* v, int p, int q, double t)
{
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    for (int i = 0; i < 3; i++) {
        double x = a[3 * p + i], y = a[3 * q + i];
        a[3 * p + i] = c * x - s * y;
        a[3 * q + i] = s * x + c * y;
        x = v[3 * p + i], y = v[3 * q + i];
        v[3 * p + i] = c * x - s * y;
        v[3 * q + i] = s * x + c * y;
    }
}

SN_INLINE double sn_lane_dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Makes columns p and q of a more orthogonal. n: squared lengths of a's columns, kept up.
SN_INLINE void sn_lane_orthogonalise(double* a, double* v, double* n, int p, int q, bool rough)
{
    double gamma = sn_lane_dot(a + 3 * p, a + 3 * q), delta = n[q] - n[p];
    double t = rough ? sn_lane_rough_tangent(delta, 2.0 * gamma) : sn_lane_tangent(delta, 2.0 * gamma);
    sn_lane_rotate(a, v, p, q, t);
    n[p] -= t * gamma;
    n[q] += t * gamma;
}

// Puts the longer of columns p < q first, turning one round so that the determinant stays.
SN_INLINE void sn_lane_order_columns(double* a, double* v, int p, int q)
{
    double* ap = a + 3 * p;
    double* aq = a + 3 * q;
    double alpha = ap[0] * ap[0] + ap[1] * ap[1] + ap[2] * ap[2];
    double beta = aq[0] * aq[0] + aq[1] * aq[1] + aq[2] * aq[2];
    double swap = alpha < beta ? 1.0 : 0.0, keep = 1.0 - swap;
    for (int i = 0; i < 3; i++) {
        double x = ap[i], y = aq[i];
        ap[i] = keep * x + swap * y;
        aq[i] = keep * y - swap * x;
        double* vp = v + 3 * p;
        double* vq = v + 3 * q;
        x = vp[i], y = vq[i];
        vp[i] = keep * x + swap * y;
        vq[i] = keep * y - swap * x;
    }
}

SN_INLINE void sn_lane_cross(const double* a, const double* b, double* c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// w = a unit vector orthogonal to the unit vector u: along candidate where that says enough, else any.
SN_INLINE void sn_lane_unit_orthogonal(const double* u, const double* candidate, double least, double* w)
{
    // Any vector orthogonal to u: cross with the axis of u's smallest entry.
    double ux = fabs(u[0]), uy = fabs(u[1]), uz = fabs(u[2]);
    double px = (ux <= uy ? 1.0 : 0.0) * (ux <= uz ? 1.0 : 0.0); // products: && on lanes does not vectorise
    double py = (1.0 - px) * (uy <= uz ? 1.0 : 0.0);
    double pz = 1.0 - px - py;
    double axis[3] = {px, py, pz}, any[3];
    sn_lane_cross(u, axis, any);
    double along = sn_lane_dot(u, candidate);
    double c[3] = {candidate[0] - along * u[0], candidate[1] - along * u[1], candidate[2] - along * u[2]};
    double again = sn_lane_dot(u, c); // once more: the first pass leaves rounding of |candidate|
    for (int i = 0; i < 3; i++) c[i] -= again * u[i];
    double good = sn_lane_dot(c, c) > least * least ? 1.0 : 0.0;
    for (int i = 0; i < 3; i++) c[i] = good != 0.0 ? c[i] : any[i];
    double inverse = 1.0 / sqrt(sn_lane_dot(c, c));
    for (int i = 0; i < 3; i++) w[i] = c[i] * inverse;
}

SN_INLINE void sn_lane_sweep(double* a, double* v, bool rough)
{
    double n[3]; // anew in each sweep: keeping them up loses digits of short columns
    for (int k = 0; k < 3; k++) n[k] = sn_lane_dot(a + 3 * k, a + 3 * k);
    sn_lane_orthogonalise(a, v, n, 0, 1, rough);
    sn_lane_orthogonalise(a, v, n, 0, 2, rough);
    sn_lane_orthogonalise(a, v, n, 1, 2, rough);
}

// 1 where some pair of columns of a, whose largest entry was 1, is not yet orthogonal to rounding.
SN_INLINE double sn_lane_skewed(const double* a)
{
    double n[3], most = 0.0;
    for (int k = 0; k < 3; k++) n[k] = sn_lane_dot(a + 3 * k, a + 3 * k);
    double g01 = sn_lane_dot(a, a + 3), g02 = sn_lane_dot(a, a + 6), g12 = sn_lane_dot(a + 3, a + 6);
    most = sn_lane_max(most, g01 * g01 - 4e-30 * (n[0] + n[1]));
    most = sn_lane_max(most, g02 * g02 - 4e-30 * (n[0] + n[2]));
    most = sn_lane_max(most, g12 * g12 - 4e-30 * (n[1] + n[2]));
    return most > 0.0 ? 1.0 : 0.0;
}

// What f is divided by before its columns are turned: the largest entry, so that squares neither overflow nor vanish.
SN_INLINE double sn_lane_scale3(const double* f)
{
    double size = 0.0;
    for (int i = 0; i < 9; i++) size = sn_lane_max(size, fabs(f[i]));
    return size > 1e-290 ? size : 0.0;
}

// From f whose columns have been made orthogonal by v; scale: what sn_lane_scale3 said.
SN_INLINE void sn_lane_svd3_finish(double* f, double scale, double* u, double* s, double* v)
{
    sn_lane_order_columns(f, v, 0, 1);
    sn_lane_order_columns(f, v, 0, 2);
    sn_lane_order_columns(f, v, 1, 2);
    double length = sqrt(sn_lane_dot(f, f)), shorten = 1.0 / (scale > 0.0 ? length : 1.0);
    u[0] = scale > 0.0 ? f[0] * shorten : 1.0;
    u[1] = scale > 0.0 ? f[1] * shorten : 0.0;
    u[2] = scale > 0.0 ? f[2] * shorten : 0.0;
    sn_lane_unit_orthogonal(u, f + 3, 1e-15, u + 3);
    sn_lane_cross(u, u + 3, u + 6);
    s[0] = length * scale;
    s[1] = sn_lane_dot(u + 3, f + 3) * scale;
    s[2] = sn_lane_dot(u + 6, f + 6) * scale;
}

// f is overwritten. u, v: 9 doubles each, column-major; s: 3.
SN_INLINE void sn_lane_svd3(double* f, double* u, double* s, double* v)
{
    double scale = sn_lane_scale3(f), inverse = 1.0 / (scale > 0.0 ? scale : 1.0);
    for (int i = 0; i < 9; i++) f[i] *= inverse;
    for (int i = 0; i < 9; i++) v[i] = i % 4 == 0 ? 1.0 : 0.0;
    sn_lane_sweep(f, v, true); // written out: a loop here would keep the loop over lanes from vectorising
    sn_lane_sweep(f, v, true);
    sn_lane_sweep(f, v, true);
    sn_lane_sweep(f, v, false);
    sn_lane_svd3_finish(f, scale, u, s, v);
}

// The same for 3x2 f (6 doubles, overwritten): one rotation makes two columns orthogonal. u: 9, the third column is the
// normal; s: 2, both at least 0; v: 4.
SN_INLINE void sn_lane_svd32(double* f, double* u, double* s, double* v)
{
    double w[6] = {1, 0, 0, 0, 1, 0}, size = 0.0;
    for (int i = 0; i < 6; i++) size = sn_lane_max(size, fabs(f[i]));
    double scale = size > 1e-290 ? size : 1.0, inverse = 1.0 / scale;
    for (int i = 0; i < 6; i++) f[i] *= inverse;
    double delta = sn_lane_dot(f + 3, f + 3) - sn_lane_dot(f, f);
    sn_lane_rotate(f, w, 0, 1, sn_lane_tangent(delta, 2.0 * sn_lane_dot(f, f + 3)));
    sn_lane_order_columns(f, w, 0, 1);
    double length = sqrt(sn_lane_dot(f, f)), shorten = 1.0 / (size > 1e-290 ? length : 1.0);
    u[0] = size > 1e-290 ? f[0] * shorten : 1.0;
    u[1] = size > 1e-290 ? f[1] * shorten : 0.0;
    u[2] = size > 1e-290 ? f[2] * shorten : 0.0;
    sn_lane_unit_orthogonal(u, f + 3, 1e-15, u + 3);
    sn_lane_cross(u, u + 3, u + 6);
    s[0] = length * scale;
    s[1] = sn_lane_dot(u + 3, f + 3) * scale;
    v[0] = w[0], v[1] = w[1], v[2] = w[3], v[3] = w[4];
}

// One two-sided Jacobi rotation: a <- R^T a R annihilates a(p,q); r is the third axis.
SN_INLINE void sn_lane_annihilate(double* a, double* v, int p, int q, int r)
{
    double off = a[3 * p + q], delta = a[4 * q] - a[4 * p], twice = 2.0 * off;
    double t = sn_lane_tangent(delta, twice), c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    a[4 * p] -= t * off;
    a[4 * q] += t * off;
    a[3 * p + q] = a[3 * q + p] = 0.0;
    double x = a[3 * p + r], y = a[3 * q + r];
    a[3 * p + r] = a[3 * r + p] = c * x - s * y;
    a[3 * q + r] = a[3 * r + q] = s * x + c * y;
    for (int i = 0; i < 3; i++) {
        x = v[3 * p + i], y = v[3 * q + i];
        v[3 * p + i] = c * x - s * y;
        v[3 * q + i] = s * x + c * y;
    }
}

SN_INLINE void sn_lane_annihilate_all(double* a, double* v)
{
    sn_lane_annihilate(a, v, 0, 1, 2);
    sn_lane_annihilate(a, v, 0, 2, 1);
    sn_lane_annihilate(a, v, 1, 2, 0);
}

// Symmetric 3x3 h (11, 22, 33, 12, 13, 23) to its nearest positive semidefinite matrix, in place.
SN_INLINE void sn_lane_project_spd3(double* h)
{
    double a[9] = {h[0], h[3], h[4], h[3], h[1], h[5], h[4], h[5], h[2]};
    double v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sn_lane_annihilate_all(a, v);
    sn_lane_annihilate_all(a, v);
    sn_lane_annihilate_all(a, v);
    sn_lane_annihilate_all(a, v);
    double l0 = sn_lane_max(a[0], 0.0), l1 = sn_lane_max(a[4], 0.0), l2 = sn_lane_max(a[8], 0.0);
    h[0] = l0 * v[0] * v[0] + l1 * v[3] * v[3] + l2 * v[6] * v[6];
    h[1] = l0 * v[1] * v[1] + l1 * v[4] * v[4] + l2 * v[7] * v[7];
    h[2] = l0 * v[2] * v[2] + l1 * v[5] * v[5] + l2 * v[8] * v[8];
    h[3] = l0 * v[0] * v[1] + l1 * v[3] * v[4] + l2 * v[6] * v[7];
    h[4] = l0 * v[0] * v[2] + l1 * v[3] * v[5] + l2 * v[6] * v[8];
    h[5] = l0 * v[1] * v[2] + l1 * v[4] * v[5] + l2 * v[7] * v[8];
}
