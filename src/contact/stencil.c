// A point of a few nodes, and a plane.
#include "contact/stencil.h"

#include "linalg/vec3.h"

static double sum_along(const SnStencil* s, double sum, const double* x)
{
    for (int k = 0; k < s->count; k++) sum += s->weight[k] * sn_dot3(s->normal, x + 3 * (int64_t)s->node[k]);
    return sum;
}

double sn_stencil_gap(const SnStencil* s, const double* x)
{
    return sum_along(s, -s->offset, x);
}

double sn_stencil_along(const SnStencil* s, const double* x)
{
    return sn_stencil_gap(s, x) + s->offset;
}

// What a point is carried by has weights that add up to 1, some of which may be negative.
double sn_stencil_sign(const SnStencil* s)
{
    double sum = 0;
    for (int k = 0; k < s->first; k++) sum += s->weight[k];
    return sum > 0 ? 1 : -1;
}

void sn_stencil_add(const SnStencil* s, double scale, double* f)
{
    for (int k = 0; k < s->count; k++)
        for (int c = 0; c < 3; c++) f[3 * (int64_t)s->node[k] + c] += scale * s->weight[k] * s->normal[c];
}

void sn_stencil_spread(const SnStencil* s, double scale, const double force[3], double* f)
{
    for (int k = 0; k < s->count; k++)
        for (int c = 0; c < 3; c++) f[3 * (int64_t)s->node[k] + c] += scale * s->weight[k] * force[c];
}
