// Bending hinges: U = k/2 3/(A0 + A1) |sum K_j x_j|^2 over the two triangles at an inner edge (Bergou et al. 2006),
// with cotangent weights of the rest shape. Corners: the edge 0-1, then the two opposite ones.
//
// The term is quadratic, so its Hessian is constant. It takes only mu of its parameters, as k (N m); rest shapes are
// flat.
#include "potential/gather.h"
#include "potential/modes.h"
#include "potential/term.h"

enum { CORNERS = 4 };

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
    for (int a = 0; a < CORNERS; a++) faces[a] = 0;
    return isfinite(*volume) && isfinite(shape[0] + shape[1] + shape[2] + shape[3]);
}

static void bend(const SnTermPack* pack, const double* x, SnLaneArray z[3])
{
    SnLaneArray corner[3];
    for (int c = 0; c < 3; c++)
        for (int l = 0; l < SN_LANES; l++) z[c][l] = 0.0;
    for (int a = 0; a < CORNERS; a++) {
        sn_gather_corner(pack->nodes + a * SN_LANES, x, corner);
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++) z[c][l] += pack->shape[a * SN_LANES + l] * corner[c][l];
    }
}

static void bending_energy(const SnTermPack* pack, SnLaneArray z[3], double* out)
{
    for (int l = 0; l < SN_LANES; l++)
        out[l] = 0.5 * pack->volume[l] * pack->parameters.mu[l] *
                 (z[0][l] * z[0][l] + z[1][l] * z[1][l] + z[2][l] * z[2][l]);
}

static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)
{
    (void)material;
    SnLaneArray z[3];
    bend(pack, x, z);
    bending_energy(pack, z, out);
}

static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g,
                     double* energies)
{
    (void)material;
    SnLaneArray z[3], f[3];
    bend(pack, x, z);
    bending_energy(pack, z, energies);
    for (int a = 0; a < CORNERS; a++) {
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++)
                f[c][l] = pack->volume[l] * pack->parameters.mu[l] * pack->shape[a * SN_LANES + l] * z[c][l];
        sn_scatter_corner(pack->nodes + a * SN_LANES, f, g);
    }
}

static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks)
{
    (void)material, (void)x, (void)project;
    for (int a = 0; a < CORNERS; a++)
        for (int b = 0; b <= a; b++)
            for (int e = 0; e < 9; e++)
                for (int l = 0; l < SN_LANES; l++)
                    blocks[sn_pair(a, b) * SN_BLOCK + e * SN_LANES + l] =
                        e % 4 == 0 ? pack->volume[l] * pack->parameters.mu[l] * pack->shape[a * SN_LANES + l] *
                                         pack->shape[b * SN_LANES + l]
                                   : 0.0;
}

// k V/2 |z|^2 + w/2 |z - y|^2
static void prox(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight,
                 double* z)
{
    (void)material;
    for (int c = 0; c < 3; c++)
        for (int l = 0; l < SN_LANES; l++)
            z[c * SN_LANES + l] =
                y[c * SN_LANES + l] * weight[l] / (weight[l] + pack->volume[l] * pack->parameters.mu[l]);
}

const SnTermType SN_KERNEL(sn_hinge) = {
    .name = "hinge",
    .elements = 0,
    .reinforcement = true,
    .nodes = CORNERS,
    .coordinates = 1,
    .shape_size = CORNERS,
    .prepare = prepare,
    .energy = energy,
    .gradient = gradient,
    .hessian = hessian,
    .prox = prox,
};
