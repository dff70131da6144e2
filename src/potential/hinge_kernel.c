// Bending hinges: U = k/2 3/(A0 + A1) (|sum K_j x_j| - r)^2 over the two triangles at an inner edge, with cotangent
// weights K and the length r of the sum in the rest shape. Corners: the edge 0-1, then the two opposite ones.
//
// The sum is the edge's length times 2 sin(angle/2). For flat rest shapes r = 0 and the term is the quadratic one of
// Bergou et al. 2006 with a constant Hessian; r lets shells keep their shape. Only mu of the parameters is taken, as k
// (N m). A regular mesh bends like a plate of stiffness 3 k.
#include "potential/gather.h"
#include "potential/modes.h"
#include "potential/term.h"

enum { CORNERS = 4, REST = 4 }; // the shape's entries: a weight per corner, then r

#define FLAT 1e-6 // angle at rest, rad, below which it is that of rounding

// Cotangent of the angle between u and v.
static double cotangent(const double* u, const double* v)
{
    double c[3];
    sn_lane_cross(u, v, c);
    return sn_lane_dot(u, v) / sqrt(sn_lane_dot(c, c));
}

static void difference(const double* x, int from, int to, double* d)
{
    for (int c = 0; c < 3; c++) d[c] = x[3 * to + c] - x[3 * from + c];
}

static double rest_length(const double* x, const double* weights, double edge)
{
    double z[3] = {0};
    for (int a = 0; a < CORNERS; a++)
        for (int c = 0; c < 3; c++) z[c] += weights[a] * (x[3 * a + c] - x[c]);
    double length = sqrt(sn_lane_dot(z, z));
    return length > FLAT * edge ? length : 0;
}

static bool prepare(const double* x, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    (void)section, (void)direction;
    double e0[3], e1[3], e2[3], e3[3], e4[3], back[3], area[3], areas = 0;
    difference(x, 0, 1, e0);
    difference(x, 0, 2, e1), difference(x, 0, 3, e2); // at corner 0
    difference(x, 1, 2, e3), difference(x, 1, 3, e4); // at corner 1
    for (int c = 0; c < 3; c++) back[c] = -e0[c];
    double c01 = cotangent(e0, e1), c02 = cotangent(e0, e2), c03 = cotangent(back, e3), c04 = cotangent(back, e4);
    shape[0] = c03 + c04;
    shape[1] = c01 + c02;
    shape[2] = -c01 - c03;
    shape[3] = -c02 - c04;
    sn_lane_cross(e0, e1, area);
    areas += 0.5 * sqrt(sn_lane_dot(area, area));
    sn_lane_cross(e0, e2, area);
    areas += 0.5 * sqrt(sn_lane_dot(area, area));
    *volume = 3 / areas; // 1/m2: the factor of k
    shape[REST] = rest_length(x, shape, sqrt(sn_lane_dot(e0, e0)));
    for (int a = 0; a < CORNERS; a++) faces[a] = 0;
    return isfinite(*volume) && isfinite(shape[0] + shape[1] + shape[2] + shape[3]);
}

typedef struct Bend {
    SnLaneArray z[3], length;
    SnLaneArray ratio; // r/|z|: a hinge that is flat now but was not at rest has no direction to bend to
} Bend;

static void bend(const SnTermPack* pack, const double* x, Bend* b)
{
    SnLaneArray corner[3];
    for (int c = 0; c < 3; c++)
        for (int l = 0; l < SN_LANES; l++) b->z[c][l] = 0.0;
    for (int a = 0; a < CORNERS; a++) {
        sn_gather_corner(pack->nodes + a * SN_LANES, x, corner);
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++) b->z[c][l] += pack->shape[a * SN_LANES + l] * corner[c][l];
    }
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double length = sqrt(b->z[0][l] * b->z[0][l] + b->z[1][l] * b->z[1][l] + b->z[2][l] * b->z[2][l]);
        b->length[l] = length;
        b->ratio[l] = pack->shape[REST * SN_LANES + l] / (length > 1e-150 ? length : 1e-150);
    }
}

static void bending_energy(const SnTermPack* pack, const Bend* b, double* out)
{
    for (int l = 0; l < SN_LANES; l++) {
        double d = b->length[l] - pack->shape[REST * SN_LANES + l];
        out[l] = 0.5 * pack->volume[l] * pack->parameters.mu[l] * d * d;
    }
}

static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)
{
    (void)material;
    Bend b;
    bend(pack, x, &b);
    bending_energy(pack, &b, out);
}

static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g,
                     double* energies)
{
    (void)material;
    Bend b;
    SnLaneArray f[3];
    bend(pack, x, &b);
    bending_energy(pack, &b, energies);
    for (int a = 0; a < CORNERS; a++) {
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++)
                f[c][l] = pack->volume[l] * pack->parameters.mu[l] * pack->shape[a * SN_LANES + l] *
                          (1.0 - b.ratio[l]) * b.z[c][l];
        sn_scatter_corner(pack->nodes + a * SN_LANES, f, g);
    }
}

// k V (n n^T + (1 - r/|z|) (I - n n^T)) by z; projected, the second factor is clamped at zero.
static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks)
{
    (void)material;
    Bend b;
    SnLaneArray k[9];
    bend(pack, x, &b);
    for (int e = 0; e < 9; e++)
        for (int l = 0; l < SN_LANES; l++) {
            double across = 1.0 - b.ratio[l], square = b.length[l] * b.length[l];
            across = project ? sn_lane_max(across, 0.0) : across;
            double nn = b.z[e / 3][l] * b.z[e % 3][l] / (square > 1e-300 ? square : 1.0);
            k[e][l] = pack->volume[l] * pack->parameters.mu[l] * ((e % 4 == 0 ? across : 0.0) + (1.0 - across) * nn);
        }
    for (int a = 0; a < CORNERS; a++)
        for (int c = 0; c <= a; c++)
            for (int e = 0; e < 9; e++)
                for (int l = 0; l < SN_LANES; l++)
                    blocks[sn_pair(a, c) * SN_BLOCK + e * SN_LANES + l] =
                        pack->shape[a * SN_LANES + l] * pack->shape[c * SN_LANES + l] * k[e][l];
}

// k V/2 (|z| - r)^2 + w/2 |z - y|^2: along y, of length (k V r + w |y|)/(k V + w).
static void prox(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight,
                 double* z)
{
    (void)material;
    for (int l = 0; l < SN_LANES; l++) {
        double a = y[l], b = y[SN_LANES + l], c = y[2 * SN_LANES + l], length = sqrt(a * a + b * b + c * c);
        double stiffness = pack->volume[l] * pack->parameters.mu[l], rest = pack->shape[REST * SN_LANES + l];
        double scale = (weight[l] + stiffness * (length > 1e-150 ? rest / length : 0.0)) / (weight[l] + stiffness);
        for (int i = 0; i < 3; i++) z[i * SN_LANES + l] = scale * y[i * SN_LANES + l];
    }
}

const SnTermType SN_KERNEL(sn_hinge) = {
    .name = "hinge",
    .elements = 0,
    .reinforcement = true,
    .nodes = CORNERS,
    .coordinates = 1,
    .shape_size = CORNERS + 1,
    SN_TERM_FUNCTIONS,
};
