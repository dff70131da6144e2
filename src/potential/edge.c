// Edges (springs, ropes): U = V psi(s), s = |b - a| / L, V = L pi d^2 / 4 for a rope of diameter d.
//
// Gradient: V psi'/L along the edge. Hessian: V/L^2 (psi'' n n^T + psi'/s (I - n n^T)), the second term clamped at zero
// when projected (a compressed rope buckles).
#include <math.h>

#include "linalg/lane.h"
#include "potential/gather.h"
#include "potential/term.h"

typedef double Lanes[SN_LANES];

static bool prepare(const double* x, double section, double* shape, double* volume, double* faces)
{
    double dx = x[3] - x[0], dy = x[4] - x[1], dz = x[5] - x[2], length = sqrt(dx * dx + dy * dy + dz * dz);
    shape[0] = 1 / length;
    faces[0] = faces[1] = 0.78539816339744830962 * section * section; // pi/4 d^2
    *volume = length * faces[0];
    return *volume > 0 && isfinite(shape[0]);
}

// Unit direction and stretches (s, 1, 1); a collapsed edge points nowhere.
static void stretch(const SnTermPack* pack, const double* x, Lanes n[3], Lanes s[3])
{
    double a[3][SN_LANES], b[3][SN_LANES];
    sn_gather_corner(pack->nodes, x, a);
    sn_gather_corner(pack->nodes + SN_LANES, x, b);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double dx = b[0][l] - a[0][l], dy = b[1][l] - a[1][l], dz = b[2][l] - a[2][l];
        double length = sqrt(dx * dx + dy * dy + dz * dz), inverse = 1.0 / (length > 1e-290 ? length : 1.0);
        n[0][l] = dx * inverse, n[1][l] = dy * inverse, n[2][l] = dz * inverse;
        s[0][l] = length * pack->shape[l], s[1][l] = 1.0, s[2][l] = 1.0;
    }
}

static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)
{
    Lanes n[3], s[3];
    stretch(pack, x, n, s);
    sn_material_energy(material, (const double(*)[SN_LANES])s, &pack->parameters, out);
    for (int l = 0; l < SN_LANES; l++) out[l] *= pack->volume[l];
}

static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g)
{
    Lanes n[3], s[3], psi[3], f[3], minus[3];
    stretch(pack, x, n, s);
    sn_material_gradient(material, (const double(*)[SN_LANES])s, &pack->parameters, psi);
    for (int c = 0; c < 3; c++)
        for (int l = 0; l < SN_LANES; l++) {
            f[c][l] = pack->volume[l] * pack->shape[l] * psi[0][l] * n[c][l];
            minus[c][l] = -f[c][l];
        }
    sn_scatter_corner(pack->nodes, minus, g);
    sn_scatter_corner(pack->nodes + SN_LANES, f, g);
}

static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks)
{
    Lanes n[3], s[3], psi[3], h[6];
    stretch(pack, x, n, s);
    sn_material_gradient(material, (const double(*)[SN_LANES])s, &pack->parameters, psi);
    sn_material_hessian(material, (const double(*)[SN_LANES])s, &pack->parameters, h);
    double *b00 = blocks, *b10 = blocks + 9 * SN_LANES, *b11 = blocks + 18 * SN_LANES;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++) {
                double along = h[0][l], across = psi[0][l] / sn_lane_max(s[0][l], 1e-12);
                if (project) along = sn_lane_max(along, 0.0), across = sn_lane_max(across, 0.0);
                double k = pack->volume[l] * pack->shape[l] * pack->shape[l];
                double nn = n[r][l] * n[c][l], value = k * (along * nn + across * ((r == c ? 1.0 : 0.0) - nn));
                int at = (3 * r + c) * SN_LANES + l;
                b00[at] = b11[at] = value;
                b10[at] = -value;
            }
}

const SnTermType SN_KERNEL(sn_edge) = {
    .name = "edge",
    .elements = SN_ON_EDGES,
    .nodes = 2,
    .shape_size = 1,
    .prepare = prepare,
    .energy = energy,
    .gradient = gradient,
    .hessian = hessian,
};
