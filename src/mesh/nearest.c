// The point of a triangle nearest to a point; barycentric coordinates in a tetrahedron.
#include <math.h>

#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"

// Inside the triangle's prism: the weights of the foot of the perpendicular.
static bool above_face(const double ab[3], const double ac[3], const double ap[3], double weights[3])
{
    double n[3], q[3];
    sn_cross3(ab, ac, n);
    double square = sn_dot3(n, n);
    // A sliver's normal is rounding; its edges tell as much.
    if (!(square > 1e-24 * sn_dot3(ab, ab) * sn_dot3(ac, ac))) return false;
    sn_cross3(ab, ap, q);
    weights[2] = sn_dot3(q, n) / square;
    sn_cross3(ap, ac, q);
    weights[1] = sn_dot3(q, n) / square;
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

// Where an edge comes nearest, as a fraction of its length from one end, and the square of how near.
static double along_edge(const double from[3], const double to[3], const double p[3], double* square)
{
    double edge[3], offset[3];
    sn_subtract3(to, from, edge);
    sn_subtract3(p, from, offset);
    double length = sn_dot3(edge, edge), t = length > 0 ? sn_dot3(offset, edge) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int c = 0; c < 3; c++) offset[c] -= t * edge[c];
    *square = sn_dot3(offset, offset);
    return t;
}

void sn_nearest_on_triangle(const double a[3], const double b[3], const double c[3], const double p[3], SnNearest* out)
{
    const double* corners[3] = {a, b, c};
    double ab[3], ac[3], ap[3], least = INFINITY;
    sn_subtract3(b, a, ab), sn_subtract3(c, a, ac), sn_subtract3(p, a, ap);
    out->item = 0;
    if (!above_face(ab, ac, ap, out->weights))
        for (int k = 0; k < 3; k++) {
            double square, t = along_edge(corners[k], corners[(k + 1) % 3], p, &square);
            if (!(square < least)) continue;
            least = square;
            out->weights[k] = 1 - t, out->weights[(k + 1) % 3] = t, out->weights[(k + 2) % 3] = 0;
        }
    combine(corners, p, out);
}

bool sn_point_in_tetrahedron(const double corners[12], const double p[3], double weights[4])
{
    double e[3][3], offset[3], n[3][3];
    for (int k = 0; k < 3; k++) sn_subtract3(corners + 3 * (k + 1), corners, e[k]);
    sn_subtract3(p, corners, offset);
    for (int k = 0; k < 3; k++) sn_cross3(e[(k + 1) % 3], e[(k + 2) % 3], n[k]);
    double volume = sn_dot3(e[0], n[0]);
    if (volume == 0) return false;
    weights[0] = 1;
    for (int k = 0; k < 3; k++) weights[k + 1] = sn_dot3(offset, n[k]) / volume, weights[0] -= weights[k + 1];
    return true;
}
