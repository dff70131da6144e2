// The point of a triangle nearest to a point; barycentric coordinates in a tetrahedron.
#include <math.h>

#include "mesh/tree.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = a[c] - b[c];
}

// Inside the triangle's prism: the weights of the foot of the perpendicular.
static bool above_face(const double ab[3], const double ac[3], const double ap[3], double weights[3])
{
    double n[3], q[3];
    cross(ab, ac, n);
    double square = dot(n, n);
    // A sliver's normal is rounding; its edges tell as much.
    if (!(square > 1e-24 * dot(ab, ab) * dot(ac, ac))) return false;
    cross(ab, ap, q);
    weights[2] = dot(q, n) / square;
    cross(ap, ac, q);
    weights[1] = dot(q, n) / square;
    weights[0] = 1 - weights[1] - weights[2];
    return weights[0] > 0 && weights[1] > 0 && weights[2] > 0;
}

static void combine(const double* const corners[3], const double p[3], SnNearest* out)
{
    double square = 0;
    out->feature = 0;
    for (int a = 0; a < 3; a++) out->feature |= (out->weights[a] > 0) << a;
    for (int c = 0; c < 3; c++) {
        out->point[c] =
            out->weights[0] * corners[0][c] + out->weights[1] * corners[1][c] + out->weights[2] * corners[2][c];
        square += (p[c] - out->point[c]) * (p[c] - out->point[c]);
    }
    out->distance = sqrt(square);
}

// The part of the way from one end of an edge to the other at which it comes nearest.
static double along_edge(const double from[3], const double to[3], const double p[3])
{
    double edge[3], way[3];
    subtract(to, from, edge);
    subtract(p, from, way);
    double square = dot(edge, edge), t = square > 0 ? dot(way, edge) / square : 0;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

void sn_nearest_on_triangle(const double a[3], const double b[3], const double c[3], const double p[3], SnNearest* out)
{
    const double* corners[3] = {a, b, c};
    double ab[3], ac[3], ap[3];
    subtract(b, a, ab), subtract(c, a, ac), subtract(p, a, ap);
    out->item = 0;
    if (above_face(ab, ac, ap, out->weights)) {
        combine(corners, p, out);
        return;
    }
    out->distance = INFINITY;
    for (int k = 0; k < 3; k++) {
        SnNearest edge = {.weights = {0}};
        double t = along_edge(corners[k], corners[(k + 1) % 3], p);
        edge.weights[k] = 1 - t, edge.weights[(k + 1) % 3] = t;
        combine(corners, p, &edge);
        if (edge.distance < out->distance) *out = edge;
    }
}

bool sn_point_in_tetrahedron(const double corners[12], const double p[3], double weights[4])
{
    double e[3][3], way[3], n[3][3];
    for (int k = 0; k < 3; k++) subtract(corners + 3 * (k + 1), corners, e[k]);
    subtract(p, corners, way);
    for (int k = 0; k < 3; k++) cross(e[(k + 1) % 3], e[(k + 2) % 3], n[k]);
    double volume = dot(e[0], n[0]);
    if (volume == 0) return false;
    weights[0] = 1;
    for (int k = 0; k < 3; k++) weights[k + 1] = dot(way, n[k]) / volume, weights[0] -= weights[k + 1];
    return true;
}
