// Triangles (sheets): U = V psi(s1, s2, 1), F = [b-a, c-a] B^-1 (3x2) = U diag(s) V^T, V = area times thickness.
#include <string.h>

#include "linalg/svd3.h"
#include "potential/gather.h"
#include "potential/modes.h"
#include "potential/prox.h"
#include "potential/term.h"
#include "potential/triangle.h"

typedef SnLaneArray Lanes;

// Columns of U: the two principal directions and the normal; V is a rotation of the plane.
typedef struct Decomposition {
    Lanes u[9], v[4], s[3];
} Decomposition;

static bool prepare(const double* x, double section, const double* direction, double* inverse, double* volume,
                    double* faces)
{
    (void)direction;
    return sn_triangle_shape(x, section, inverse, volume, faces);
}

SN_INLINE void svd_lane(Lanes f[6], Decomposition* d, int l)
{
    double a[6] = {f[0][l], f[1][l], f[2][l], f[3][l], f[4][l], f[5][l]}, u[9], s[2], v[4];
    sn_lane_svd32(a, u, s, v);
    for (int k = 0; k < 9; k++) d->u[k][l] = u[k];
    for (int k = 0; k < 4; k++) d->v[k][l] = v[k];
    d->s[0][l] = s[0], d->s[1][l] = s[1], d->s[2][l] = 1.0;
}

static void deformation_gradient(const SnTermPack* pack, const double* x, Lanes f[6])
{
    double corner[3][3][SN_LANES];
    for (int k = 0; k < 3; k++) sn_gather_corner(pack->nodes + k * SN_LANES, x, corner[k]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 2; c++) {
            const double* b = pack->shape + c * SN_LANES; // column c of B^-1, rows 2 apart
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                f[3 * c + r][l] = (corner[1][r][l] - corner[0][r][l]) * b[l] +
                                  (corner[2][r][l] - corner[0][r][l]) * b[2 * SN_LANES + l];
        }
}

static void decompose(const SnTermPack* pack, const double* x, Decomposition* d)
{
    Lanes f[6];
    deformation_gradient(pack, x, f);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) svd_lane(f, d, l);
}

static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)
{
    Decomposition d;
    decompose(pack, x, &d);
    sn_material_energy(material, (const double(*)[SN_LANES])d.s, &pack->parameters, out);
    for (int l = 0; l < SN_LANES; l++) out[l] *= pack->volume[l];
}

static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g,
                     double* energies)
{
    Decomposition d;
    Lanes psi[3], p[6], force[3][3];
    decompose(pack, x, &d);
    sn_material_gradient(material, (const double(*)[SN_LANES])d.s, &pack->parameters, psi);
    sn_material_energy(material, (const double(*)[SN_LANES])d.s, &pack->parameters, energies);
    for (int l = 0; l < SN_LANES; l++) energies[l] *= pack->volume[l];
    for (int c = 0; c < 2; c++) // P = U diag(psi') V^T
        for (int r = 0; r < 3; r++)
            for (int l = 0; l < SN_LANES; l++)
                p[3 * c + r][l] = d.u[r][l] * psi[0][l] * d.v[c][l] + d.u[3 + r][l] * psi[1][l] * d.v[2 + c][l];
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < 3; r++) {
            const double* b = pack->shape + 2 * k * SN_LANES; // row k of B^-1
            for (int l = 0; l < SN_LANES; l++)
                force[k + 1][r][l] = pack->volume[l] * (p[r][l] * b[l] + p[3 + r][l] * b[SN_LANES + l]);
        }
    for (int r = 0; r < 3; r++)
        for (int l = 0; l < SN_LANES; l++) force[0][r][l] = -(force[1][r][l] + force[2][r][l]);
    for (int k = 0; k < 3; k++) sn_scatter_corner(pack->nodes + k * SN_LANES, force[k], g);
}

// Out-of-plane modes psi_i/s_i: the tension that a sheet puts up against being moved along its normal.
static void normal_modes(const double* s, const double* g, bool project, double* same, double* cross)
{
    for (int l = 0; l < SN_LANES; l++) {
        double tension = g[l] / (s[l] > 1e-12 ? s[l] : 1e-12);
        same[l] = project ? sn_lane_max(tension, 0.0) : tension;
        cross[l] = 0.0;
    }
}

static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks)
{
    Decomposition d;
    SnModes m;
    Lanes psi[3], g[2][3];
    decompose(pack, x, &d);
    sn_material_derivatives(material, (const double(*)[SN_LANES])d.s, &pack->parameters, psi, m.a);
    for (int l = 0; l < SN_LANES; l++) m.a[2][l] = m.a[4][l] = m.a[5][l] = 0.0;
    sn_pair_modes(d.s[0], d.s[1], psi[0], psi[1], m.a[0], m.a[1], m.a[3], project, m.same[0], m.cross[0]);
    normal_modes(d.s[0], psi[0], project, m.same[1], m.cross[1]);
    normal_modes(d.s[1], psi[1], project, m.same[2], m.cross[2]);
    if (project) sn_modes_project(&m);
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < SN_LANES; l++) {
            const double *b = pack->shape + 2 * k * SN_LANES, *c = b + SN_LANES;
            g[k][0][l] = b[l] * d.v[0][l] + c[l] * d.v[1][l];
            g[k][1][l] = b[l] * d.v[2][l] + c[l] * d.v[3][l];
            g[k][2][l] = 0.0;
        }
    sn_element_blocks(3, &m, d.u, g, pack->volume, blocks);
}

static void prox(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight,
                 double* z)
{
    Decomposition d;
    Lanes f[6], s[3];
    memcpy(f, y, sizeof f);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) svd_lane(f, &d, l);
    sn_prox_stretches(2, material, pack, weight, d.s, d.s, s);
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 3; r++)
            for (int l = 0; l < SN_LANES; l++)
                z[(3 * c + r) * SN_LANES + l] =
                    d.u[r][l] * s[0][l] * d.v[c][l] + d.u[3 + r][l] * s[1][l] * d.v[2 + c][l];
}

const SnTermType SN_KERNEL(sn_triangle) = {
    .name = "triangle",
    .elements = SN_ON_TRIANGLES,
    .nodes = 3,
    .coordinates = 2,
    .shape_size = 4,
    SN_TERM_FUNCTIONS,
};
