// Vectors of three numbers.
#pragma once
#include <math.h>

// m and m/s: where nodes may be and how fast. Beyond it, products of distances are no longer numbers.
#define SN_FARTHEST 1e20

// The first of 3 x count numbers that is beyond it, or not a number, by its vector; -1: none.
static inline int sn_first_beyond(int count, const double* x)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[3 * i]) <= SN_FARTHEST && fabs(x[3 * i + 1]) <= SN_FARTHEST && fabs(x[3 * i + 2]) <= SN_FARTHEST))
            return i;
    return -1;
}

static inline double sn_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double sn_length3(const double a[3])
{
    return sqrt(sn_dot3(a, a));
}

static inline void sn_subtract3(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = a[c] - b[c];
}

static inline double sn_distance3(const double a[3], const double b[3])
{
    double d[3];
    sn_subtract3(a, b, d);
    return sn_length3(d);
}

static inline void sn_cross3(const double a[3], const double b[3], double out[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y;
}

// y = R x, R row after row; or R^T x.
static inline void sn_rotate3(const double r[9], const double x[3], double y[3])
{
    for (int c = 0; c < 3; c++) y[c] = r[3 * c] * x[0] + r[3 * c + 1] * x[1] + r[3 * c + 2] * x[2];
}

static inline void sn_unrotate3(const double r[9], const double x[3], double y[3])
{
    for (int c = 0; c < 3; c++) y[c] = r[c] * x[0] + r[3 + c] * x[1] + r[6 + c] * x[2];
}

// Scales to unit length and returns the length; a vector without one becomes the x axis.
static inline double sn_normalize3(double a[3])
{
    double length = sn_length3(a);
    for (int c = 0; c < 3; c++) a[c] = length > 0 ? a[c] / length : c == 0;
    return length;
}

static inline double sn_triangle_area(const double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], n[3];
    sn_subtract3(b, a, u);
    sn_subtract3(c, a, v);
    sn_cross3(u, v, n);
    return 0.5 * sn_length3(n);
}

// Of a matrix, row after row: the determinant; and the inverse, where that is not 0.
static inline double sn_determinant3(const double a[9])
{
    double across[3];
    sn_cross3(a + 3, a + 6, across);
    return sn_dot3(a, across);
}

static inline double sn_invert3(const double a[9], double out[9])
{
    double determinant = sn_determinant3(a), column[3];
    for (int k = 0; k < 3; k++) {
        sn_cross3(a + 3 * ((k + 1) % 3), a + 3 * ((k + 2) % 3), column);
        for (int r = 0; r < 3; r++) out[3 * r + k] = column[r] / determinant;
    }
    return determinant;
}

// A unit vector at right angles to a unit vector.
static inline void sn_across3(const double a[3], double out[3])
{
    int least = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0 : fabs(a[1]) <= fabs(a[2]) ? 1 : 2;
    double axis[3] = {least == 0, least == 1, least == 2};
    sn_cross3(a, axis, out);
    sn_normalize3(out);
}
