// Terms of solids: U = V psi(s), F = sum of x_a G_a^T = U diag(s) V^T, constant in the element, which has NODES
// corners: the file that includes this has said how many. Tetrahedra have G from B^-1; points of larger elements, and
// means over several tetrahedra, have theirs given.
//
// Gradient: P = U diag(psi') V^T; materials known by invariants need no singular values where nothing is close to
// collapse: P = a F + b F F^T F + c cof F with scalars from the derivatives by the invariants. Hessian by its
// eigen-modes in the rotated frame (scaling block, and a flip and a twist mode for each pair of axes), each clamped at
// zero: the nearest positive semidefinite matrix without a 9x9 eigen-solve (Smith, de Goes, Kim 2019 give the modes for
// invariants; here they follow from psi' and psi'').
#pragma once
#include <math.h>
#include <string.h>

#include "linalg/polar3.h"
#include "linalg/svd3.h"
#include "potential/map.h"
#include "potential/modes.h"
#include "potential/prox.h"
#include "potential/term.h"

typedef SnLaneArray Lanes;

enum { MOST_SWEEPS = 4 }; // after a rough one, from a frame

// Matrices are column-major: entry (r, c) is [3c + r].
typedef struct Decomposition {
    Lanes u[9], v[9], s[3];
} Decomposition;

SN_INLINE void svd_lane(Lanes f[9], Decomposition* d, int l)
{
    double a[9] = {f[0][l], f[1][l], f[2][l], f[3][l], f[4][l], f[5][l], f[6][l], f[7][l], f[8][l]};
    double u[9], s[3], v[9];
    sn_lane_svd3(a, u, s, v);
    for (int k = 0; k < 9; k++) d->u[k][l] = u[k];
    for (int k = 0; k < 9; k++) d->v[k][l] = v[k];
    for (int k = 0; k < 3; k++) d->s[k][l] = s[k];
}

static void decompose(const SnTermPack* pack, const double* x, Decomposition* d)
{
    Lanes f[9];
    sn_map_apply(NODES, 3, pack, x, f);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) svd_lane(f, d, l);
}

// What a pack's energy and stress take when the material is known by invariants.
typedef struct Invariants {
    Lanes f[9], cof[9];
    Lanes i[4];   // sum, i1, i2, j
    Lanes slope;  // q' of the sum
    Lanes psi[5]; // the density and its derivatives by the invariants
} Invariants;

SN_INLINE void invariants_lane(Invariants* v, int l)
{
    double f[9], c[9];
    for (int k = 0; k < 9; k++) f[k] = v->f[k][l];
    sn_lane_cross(f + 3, f + 6, c);
    sn_lane_cross(f + 6, f, c + 3);
    sn_lane_cross(f, f + 3, c + 6);
    v->i[1][l] = sn_lane_dot(f, f) + sn_lane_dot(f + 3, f + 3) + sn_lane_dot(f + 6, f + 6);
    v->i[2][l] = sn_lane_dot(c, c) + sn_lane_dot(c + 3, c + 3) + sn_lane_dot(c + 6, c + 6);
    v->i[3][l] = sn_lane_dot(f, c);
    for (int k = 0; k < 9; k++) v->cof[k][l] = c[k];
}

SN_INLINE void sum_lane(Invariants* v, double* wrong, int l)
{
    SnStretchSum sum = sn_lane_stretch_sum(v->i[1][l], v->i[2][l], v->i[3][l]);
    v->i[0][l] = sum.value;
    v->slope[l] = sum.slope;
    wrong[l] = sum.wrong;
}

// False where some lane needs singular values: close to collapse, or below a barrier's floor (the smallest stretch is
// at least j / sqrt(i2)).
static bool find_invariants(const SnMaterialType* material, const SnTermPack* pack, const double* x, Invariants* v)
{
    const SnMaterialPacks* packs = material->packs;
    if (!packs || !packs->invariants) return false;
    sn_map_apply(NODES, 3, pack, x, v->f);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) invariants_lane(v, l);
    Lanes wrong = {0};
    if (packs->uses_sum) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sum_lane(v, wrong, l);
    } else {
        for (int l = 0; l < SN_LANES; l++) v->i[0][l] = 0, v->slope[l] = 1;
    }
    if (material->barrier) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) {
            double j = v->i[3][l], floor = pack->parameters.floor[l];
            wrong[l] += (j > 0.0 ? 0.0 : 1.0) + (j * j >= floor * floor * v->i[2][l] ? 0.0 : 1.0);
        }
    }
    double bad = 0;
#pragma omp simd reduction(+ : bad)
    for (int l = 0; l < SN_LANES; l++) bad += wrong[l];
    if (!(bad == 0)) return false;
    packs->invariants((const double(*)[SN_LANES])v->i, &pack->parameters, v->psi);
    return true;
}

static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)
{
    Invariants v;
    if (find_invariants(material, pack, x, &v)) {
        for (int l = 0; l < SN_LANES; l++) out[l] = v.psi[0][l] * pack->volume[l];
        return;
    }
    Decomposition d;
    decompose(pack, x, &d);
    sn_material_energy(material, (const double(*)[SN_LANES])d.s, &pack->parameters, out);
    for (int l = 0; l < SN_LANES; l++) out[l] *= pack->volume[l];
}

// Forces on the corners from V P G.
static void scatter_stress(const SnTermPack* pack, Lanes p[9], double* g)
{
    Lanes force[SN_TERM_NODES][3];
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) p[k][l] *= pack->volume[l];
    sn_map_transpose(NODES, 3, pack, p, force);
    for (int k = 0; k < NODES; k++) sn_scatter_corner(pack->nodes + k * SN_LANES, force[k], g);
}

// P = a F + b F F^T F + c cof F, from dpsi/di1 2F + dpsi/di2 2(i1 F - F F^T F) + dpsi/dj cof F + dpsi/dsum R.
SN_INLINE void stress_lane(const Invariants* v, Lanes p[9], int l)
{
    double sum = v->i[0][l], i1 = v->i[1][l], rotation = v->psi[1][l] / v->slope[l];
    double a = 2.0 * v->psi[2][l] + 2.0 * v->psi[3][l] * i1 + 4.0 * rotation * (sum * sum + i1);
    double b = -2.0 * v->psi[3][l] - 8.0 * rotation;
    double c = v->psi[4][l] + 8.0 * rotation * sum;
    double f[9], s[6]; // s = F^T F: 11 22 33 12 13 23
    for (int k = 0; k < 9; k++) f[k] = v->f[k][l];
    for (int k = 0; k < 3; k++) s[k] = sn_lane_dot(f + 3 * k, f + 3 * k);
    s[3] = sn_lane_dot(f, f + 3), s[4] = sn_lane_dot(f, f + 6), s[5] = sn_lane_dot(f + 3, f + 6);
    for (int r = 0; r < 3; r++) {
        double x = f[r], y = f[3 + r], z = f[6 + r];
        p[r][l] = a * x + b * (x * s[0] + y * s[3] + z * s[4]) + c * v->cof[r][l];
        p[3 + r][l] = a * y + b * (x * s[3] + y * s[1] + z * s[5]) + c * v->cof[3 + r][l];
        p[6 + r][l] = a * z + b * (x * s[4] + y * s[5] + z * s[2]) + c * v->cof[6 + r][l];
    }
}

// The same for densities of i1 and j alone.
SN_INLINE void plain_stress_lane(const Invariants* v, Lanes p[9], int l)
{
    double a = 2.0 * v->psi[2][l], c = v->psi[4][l];
    for (int k = 0; k < 9; k++) p[k][l] = a * v->f[k][l] + c * v->cof[k][l];
}

static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g,
                     double* energies)
{
    Lanes psi[3], p[9];
    Invariants v;
    if (find_invariants(material, pack, x, &v)) {
        if (material->packs->uses_sum || material->packs->uses_i2) {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) stress_lane(&v, p, l);
        } else {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) plain_stress_lane(&v, p, l);
        }
        for (int l = 0; l < SN_LANES; l++) energies[l] = v.psi[0][l] * pack->volume[l];
        scatter_stress(pack, p, g);
        return;
    }
    Decomposition d;
    decompose(pack, x, &d);
    sn_material_gradient(material, (const double(*)[SN_LANES])d.s, &pack->parameters, psi);
    sn_material_energy(material, (const double(*)[SN_LANES])d.s, &pack->parameters, energies);
    for (int l = 0; l < SN_LANES; l++) energies[l] *= pack->volume[l];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                p[3 * c + r][l] = d.u[r][l] * psi[0][l] * d.v[c][l] + d.u[3 + r][l] * psi[1][l] * d.v[3 + c][l] +
                                  d.u[6 + r][l] * psi[2][l] * d.v[6 + c][l];
        }
    scatter_stress(pack, p, g);
}

static void find_modes(const SnMaterialType* material, const SnTermPack* pack, Decomposition* d, bool project,
                       SnModes* m)
{
    Lanes g[3];
    sn_material_derivatives(material, (const double(*)[SN_LANES])d->s, &pack->parameters, g, m->a);
    Lanes* h = m->a;
    sn_pair_modes(d->s[0], d->s[1], g[0], g[1], h[0], h[1], h[3], project, m->same[0], m->cross[0]);
    sn_pair_modes(d->s[0], d->s[2], g[0], g[2], h[0], h[2], h[4], project, m->same[1], m->cross[1]);
    sn_pair_modes(d->s[1], d->s[2], g[1], g[2], h[1], h[2], h[5], project, m->same[2], m->cross[2]);
    if (project) sn_modes_project(m);
}

static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks)
{
    Decomposition d;
    SnModes m;
    decompose(pack, x, &d);
    find_modes(material, pack, &d, project, &m);
    Lanes g[NODES - 1][3]; // row k of G V, from corner 1 on
    for (int k = 0; k < NODES - 1; k++) {
        const double* b = pack->shape + 3 * k * SN_LANES;
        for (int c = 0; c < 3; c++) {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                g[k][c][l] = b[l] * d.v[3 * c][l] + b[SN_LANES + l] * d.v[3 * c + 1][l] +
                             b[2 * SN_LANES + l] * d.v[3 * c + 2][l];
        }
    }
    sn_element_blocks(NODES, &m, d.u, g, pack->volume, blocks);
}

// The columns of y, turned by those of v, which is frame; returns what they are divided by.
SN_INLINE double turn_lane(const double* y, const double* frame, Lanes v[9], Lanes f[9], int l)
{
    double a[9];
    for (int k = 0; k < 9; k++) a[k] = y[k * SN_LANES + l], v[k][l] = frame[k * SN_LANES + l];
    double scale = sn_lane_scale3(a), inverse = 1.0 / (scale > 0.0 ? scale : 1.0);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            f[3 * c + r][l] = inverse * (a[r] * v[3 * c][l] + a[3 + r] * v[3 * c + 1][l] + a[6 + r] * v[3 * c + 2][l]);
    return scale;
}

SN_INLINE double sweep_lane(Lanes f[9], Lanes v[9], bool rough, int l)
{
    double a[9], b[9];
    for (int k = 0; k < 9; k++) a[k] = f[k][l], b[k] = v[k][l];
    sn_lane_sweep(a, b, rough);
    for (int k = 0; k < 9; k++) f[k][l] = a[k], v[k][l] = b[k];
    return rough ? 1.0 : sn_lane_skewed(a);
}

SN_INLINE void finish_lane(Lanes f[9], double scale, Decomposition* d, double* frame, int l)
{
    double a[9], u[9], s[3], v[9];
    for (int k = 0; k < 9; k++) a[k] = f[k][l], v[k] = d->v[k][l];
    sn_lane_svd3_finish(a, scale, u, s, v);
    for (int k = 0; k < 9; k++) d->u[k][l] = u[k], d->v[k][l] = v[k], frame[k * SN_LANES + l] = v[k];
    for (int k = 0; k < 3; k++) d->s[k][l] = s[k];
}

// The singular value decomposition of y for which V was close to frame: often two sweeps do.
static void decompose_near(const double* y, double* frame, Decomposition* d)
{
    Lanes f[9], scale;
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) scale[l] = turn_lane(y, frame, d->v, f, l);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) sweep_lane(f, d->v, true, l);
    double skewed = 1.0;
    for (int k = 0; k < MOST_SWEEPS && skewed > 0.0; k++) {
        skewed = 0.0;
#pragma omp simd reduction(+ : skewed)
        for (int l = 0; l < SN_LANES; l++) skewed += sweep_lane(f, d->v, false, l);
    }
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) finish_lane(f, scale[l], d, frame, l);
}

static void decompose_all(const double* y, Decomposition* d)
{
    Lanes f[9];
    memcpy(f, y, sizeof f);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) svd_lane(f, d, l);
}

// The diagonal of U^T guess V.
SN_INLINE void guess_lane(const double* guess, const Decomposition* d, Lanes s[3], int l)
{
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int c = 0; c < 3; c++) {
            const double* column = guess + 3 * c * SN_LANES + l;
            sum += d->v[3 * i + c][l] * (d->u[3 * i][l] * column[0] + d->u[3 * i + 1][l] * column[SN_LANES] +
                                         d->u[3 * i + 2][l] * column[2 * SN_LANES]);
        }
        s[i][l] = sum;
    }
}

static void prox(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight,
                 double* z)
{
    Decomposition d;
    Lanes s[3];
    if (pack->frame)
        decompose_near(y, pack->frame, &d);
    else
        decompose_all(y, &d);
    if (pack->frame && pack->guess) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) guess_lane(pack->guess, &d, s, l);
        sn_prox_stretches(3, material, pack, weight, d.s, s, s);
    } else {
        sn_prox_stretches(3, material, pack, weight, d.s, d.s, s);
    }
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            double* out = z + (3 * c + r) * SN_LANES;
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                out[l] = d.u[r][l] * s[0][l] * d.v[c][l] + d.u[3 + r][l] * s[1][l] * d.v[3 + c][l] +
                         d.u[6 + r][l] * s[2][l] * d.v[6 + c][l];
        }
}
