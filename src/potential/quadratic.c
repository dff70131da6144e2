// Ten-node tetrahedra: N_i = L_i (2 L_i - 1) at corners, N_ij = 4 L_i L_j between, and F at the four points of
// quadrature that are exact for polynomials of second degree (Zienkiewicz and Taylor, table 5.3).
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "potential/points.h"

#define NEAR 0.58541019662496845446 // L of a point at its own corner, (5 + 3 sqrt 5)/20
#define FAR 0.13819660112501051518  // and at the others, (5 - sqrt 5)/20

// Corners of each edge, in VTK's order.
static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// Derivatives of the ten functions by L_1, L_2, L_3, of which L_0 is what is left to 1.
static void derivatives(const double l[4], double d[10][3])
{
    double by[10][4] = {{0}};
    for (int i = 0; i < 4; i++) by[i][i] = 4 * l[i] - 1;
    for (int e = 0; e < 6; e++) {
        by[4 + e][edges[e][0]] = 4 * l[edges[e][1]];
        by[4 + e][edges[e][1]] = 4 * l[edges[e][0]];
    }
    for (int a = 0; a < 10; a++)
        for (int c = 0; c < 3; c++) d[a][c] = by[a][c + 1] - by[a][0];
}

// G = J^-T dN of a point, and its volume.
static double find_weights(const double* rest, const int* nodes, const double l[4], double g[10][3])
{
    double d[10][3], j[9] = {0}, inverse[9];
    derivatives(l, d);
    for (int a = 0; a < 10; a++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) j[3 * r + c] += rest[3 * (int64_t)nodes[a] + r] * d[a][c];
    double det = sn_invert3(j, inverse);
    for (int a = 0; a < 10; a++)
        for (int c = 0; c < 3; c++)
            g[a][c] = d[a][0] * inverse[c] + d[a][1] * inverse[3 + c] + d[a][2] * inverse[6 + c];
    return det / 24;
}

// A point is of the part at its corner, half of it, and of the four in the middle.
static void set_members(SnPoints* p, int element, int point)
{
    int k = 4 * element + point, at = 5 * k;
    p->first[k + 1] = at + 5;
    for (int i = 0; i < 5; i++) {
        p->members[at + i] = 8 * element + (i == 0 ? point : 3 + i);
        p->shares[at + i] = i == 0 ? 0.5 : 0.125;
    }
}

SnStatus sn_points_of_quadratics(const double* rest, int count, const int* elements, SnPoints* p)
{
    SN_TRY(sn_points_allocate(4 * count, 20 * count, p));
    for (int k = 0; k < 4 * count; k++) {
        const int* nodes = elements + 10 * (int64_t)(k / 4);
        double l[4] = {FAR, FAR, FAR, FAR}, g[10][3];
        l[k % 4] = NEAR;
        p->volumes[k] = find_weights(rest, nodes, l, g);
        if (!(p->volumes[k] > 0) || !isfinite(1 / p->volumes[k])) {
            double volume = p->volumes[k];
            sn_points_free(p);
            return sn_fail(SN_ERROR_VALUE,
                           "ten-node tetrahedron %d is inside out or flat at one of its points (%g m3); its edges are "
                           "too curved",
                           k / 4, volume);
        }
        memcpy(p->nodes + (int64_t)SN_POINT_NODES * k, nodes, 10 * sizeof *nodes);
        memcpy(p->shapes + (int64_t)SN_POINT_SHAPE * k, g[1], SN_POINT_SHAPE * sizeof(double));
        set_members(p, k / 4, k % 4);
    }
    return SN_OK;
}

SnStatus sn_points_choose(const SnPoints* from, const int* chosen, int count, SnPoints* to)
{
    int members = 0;
    for (int k = 0; k < count; k++) members += from->first[chosen[k] + 1] - from->first[chosen[k]];
    SN_TRY(sn_points_allocate(count, members, to));
    for (int k = 0; k < count; k++) {
        int64_t at = chosen[k];
        int first = from->first[at], size = from->first[at + 1] - first;
        memcpy(to->nodes + (int64_t)SN_POINT_NODES * k, from->nodes + SN_POINT_NODES * at,
               SN_POINT_NODES * sizeof(int));
        memcpy(to->shapes + (int64_t)SN_POINT_SHAPE * k, from->shapes + SN_POINT_SHAPE * at,
               SN_POINT_SHAPE * sizeof(double));
        to->volumes[k] = from->volumes[at];
        memcpy(to->members + to->first[k], from->members + first, (size_t)size * sizeof(int));
        memcpy(to->shares + to->first[k], from->shares + first, (size_t)size * sizeof(double));
        to->first[k + 1] = to->first[k] + size;
    }
    return SN_OK;
}
