// Square to disc and cube to ball. A point on the square (cube) of half-width r goes to the circle (sphere) of radius r
// at the angle given by tan(pi/4 coordinate / r), so that cells have equal angles; near the middle this is blended with
// the plain square (cube), which has no creases along its diagonals.
#include "core/pi.h"
#include "mesh/lattice.h"

#include <math.h>

static void round_map(double* p, int n)
{
    double r = 0, length = 0, q[3], inner = 1 / sqrt(n);
    for (int i = 0; i < n; i++) r = fmax(r, fabs(p[i]));
    if (r == 0) return;
    for (int i = 0; i < n; i++) {
        q[i] = tan(0.25 * SN_PI * p[i] / r);
        length += q[i] * q[i];
    }
    length = sqrt(length);
    inner += 0.5 * (1 - inner); // keeps the innermost cells about as large as the outer ones
    double blend = r;
    for (int i = 0; i < n; i++) p[i] = (1 - blend) * inner * p[i] + blend * r * q[i] / length;
}

void sn_square_to_disc(double p[2])
{
    round_map(p, 2);
}

void sn_cube_to_ball(double p[3])
{
    round_map(p, 3);
}
