// Second derivatives of a dissipation by z in the frame of SnRatePoint, over [9 x 9] entries of X, column after column:
// `form` J^T C J, and `bend` (C q).I_zz, which is left out where it is small next to the other (see each).
#pragma once
#include "potential/viscous_rate.h"

typedef SnLaneArray SnLaneHessian[81];

SN_INLINE void sn_form_of_modes(const SnLaneArray* a, const SnLaneArray* same, const SnLaneArray* cross,
                                SnLaneArray* form)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int pair = i + j - 1, k = 3 * j + i, m = 3 * i + j;
            for (int l = 0; l < SN_LANES; l++) {
                form[36 * i + 4 * j][l] = a[sn_voigt(i, j)][l];
                if (i != j) form[9 * k + k][l] = same[pair][l], form[9 * k + m][l] = cross[pair][l];
            }
        }
}

SN_INLINE void sn_stiffness_gradient(const SnViscousPack* pack, SnLaneArray* form)
{
    sn_form_of_modes(sn_stage(pack, SN_STAGE_A), sn_stage(pack, SN_STAGE_SAME), sn_stage(pack, SN_STAGE_CROSS), form);
}

// out += factor x y
SN_INLINE void sn_add_product(const double* factor, const double* x, const double* y, double* out)
{
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) out[l] += factor[l] * x[l] * y[l];
}

// The stress T, a symmetric matrix, made positive semidefinite: 11 22 33 12 13 23.
SN_INLINE void sn_project_stress_lane(const SnLaneArray* stress, SnLaneArray* t, int l)
{
    double h[6] = {stress[0][l], stress[4][l], stress[8][l], stress[3][l], stress[6][l], stress[7][l]};
    sn_lane_project_spd3(h);
    for (int k = 0; k < 6; k++) t[k][l] = h[k];
}

// With y = z V: y_rc a_cd y_sd of the normal strains, and for each pair c, e that of y_re dX_c + y_rc dX_e.
SN_INLINE void sn_stiffness_strain(const SnViscousPack* pack, const SnRatePoint* p, bool project, SnLaneArray* form,
                                   SnLaneArray* bend)
{
    const SnLaneArray *a = sn_stage(pack, SN_STAGE_A), *shear = sn_stage(pack, SN_STAGE_SAME), *y = p->y;
    int w = pack->type->coordinates;
    for (int c = 0; c < w; c++)
        for (int d = 0; d < w; d++)
            for (int r = 0; r < 3; r++)
                for (int s = 0; s < 3; s++) {
                    double* out = form[9 * (3 * c + r) + 3 * d + s];
                    sn_add_product(a[sn_voigt(c, d)], y[3 * c + r], y[3 * d + s], out);
                    if (c != d) sn_add_product(shear[c + d - 1], y[3 * d + r], y[3 * c + s], out);
                    for (int e = 0; e < w && c == d; e++)
                        if (e != c) sn_add_product(shear[c + e - 1], y[3 * e + r], y[3 * e + s], out);
                }
    for (int k = 0; k < 81 && pack->dissipation->at_end; k++)
        for (int l = 0; l < SN_LANES; l++) form[k][l] *= 4.0;
    const int entries[6] = {0, 4, 8, 3, 6, 7};
    SnLaneArray t[6];
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < SN_LANES; l++) t[k][l] = p->l[entries[k]][l];
    if (project) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) sn_project_stress_lane(p->l, t, l);
    }
    for (int c = 0; c < w; c++)
        for (int d = 0; d < w; d++)
            for (int r = 0; r < 3; r++)
                for (int l = 0; l < SN_LANES; l++) bend[9 * (3 * c + r) + 3 * d + r][l] = t[sn_voigt(c, d)][l];
}

// dS_ij = a_ij X_ij + a_ji X_ji, a_ij = g_ij s_i
SN_INLINE double sn_polar_share(const SnRatePoint* p, int i, int j, int l)
{
    return p->s[i][l] * sn_polar_divided(p->s[i][l], p->s[j][l]);
}

// From S^2 = F^T F: T : d2S = 2 sum G_ij (dF^T dF - dS dS)_ij, G_ij = T_ij/(|s_i| + |s_j|), T = C q.
SN_INLINE void sn_bend_of_polar(const SnViscousPack* pack, const SnRatePoint* p, SnLaneArray* bend)
{
    int w = pack->type->coordinates;
    double twice = 2.0 * pack->dissipation->viscosity.shear;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < w; j++)
            for (int l = 0; l < SN_LANES; l++) {
                double sum = sn_lane_max(fabs(p->s[i][l]) + fabs(p->s[j][l]), 0.05); // flat ones are beyond this
                double g = 2.0 * twice * p->q[3 * j + i][l] / sum;
                for (int r = 0; r < 3; r++) bend[9 * (3 * i + r) + 3 * j + r][l] += g;
                for (int k = 0; k < w; k++) {
                    double a[2] = {sn_polar_share(p, i, k, l), sn_polar_share(p, k, i, l)};
                    double b[2] = {sn_polar_share(p, j, k, l), sn_polar_share(p, k, j, l)};
                    int row[2] = {3 * k + i, 3 * i + k}, column[2] = {3 * k + j, 3 * j + k};
                    for (int e = 0; e < 4; e++) bend[9 * row[e / 2] + column[e % 2]][l] -= g * a[e / 2] * b[e % 2];
                }
            }
}

// Projected, `bend` is left out: it is smaller by the strain of one step, or a power's force of a stiff envelope.
SN_INLINE void sn_stiffness_polar(const SnViscousPack* pack, const SnRatePoint* p, bool project, SnLaneArray* form,
                                  SnLaneArray* bend)
{
    int w = pack->type->coordinates;
    double twice = 2.0 * pack->dissipation->viscosity.shear;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < w; j++) {
            int k = 3 * j + i, m = 3 * i + j;
            for (int l = 0; l < SN_LANES; l++) {
                double si = sn_polar_share(p, i, j, l), sj = sn_polar_share(p, j, i, l);
                form[9 * k + k][l] = (i == j ? 4.0 : 2.0) * twice * si * si;
                if (i != j) form[9 * k + m][l] = 2.0 * twice * si * sj;
            }
        }
    if (!project) sn_bend_of_polar(pack, p, bend);
}

// The second derivative of functions of the stretches has flip and twist modes of pairs, see potential/modes.h.
SN_INLINE void sn_bend_of_stretches(const SnViscousPack* pack, const SnRatePoint* p, const SnLaneArray* form,
                                    bool project, SnLaneArray* bend)
{
    int w = pack->type->coordinates;
    SnLaneArray same, cross;
    double inverse = 1.0 / pack->b;
    for (int i = 0; i < w; i++)
        for (int j = i + 1; j < w; j++) {
            SnLaneArray h[3];
            int k = 3 * j + i, m = 3 * i + j;
            for (int l = 0; l < SN_LANES; l++) {
                h[0][l] = inverse * form[40 * i][l], h[1][l] = inverse * form[40 * j][l];
                h[2][l] = inverse * form[36 * i + 4 * j][l];
            }
            sn_pair_modes(p->s[i], p->s[j], p->t[4 * i], p->t[4 * j], h[0], h[1], h[2], project, same, cross);
            for (int l = 0; l < SN_LANES; l++) {
                bend[9 * k + k][l] = bend[9 * m + m][l] = same[l];
                bend[9 * k + m][l] = bend[9 * m + k][l] = cross[l];
            }
        }
    for (int i = 0; i < w; i++)
        for (int r = w; r < 3; r++)
            for (int l = 0; l < SN_LANES; l++) {
                double tension = p->t[4 * i][l] / sn_lane_max(p->s[i][l], 1e-12);
                bend[10 * (3 * i + r)][l] = project ? sn_lane_max(tension, 0.0) : tension;
            }
}

SN_INLINE void sn_stiffness_stretches(const SnViscousPack* pack, const SnRatePoint* p, bool project, SnLaneArray* form,
                                      SnLaneArray* bend)
{
    const SnLaneArray* a = sn_stage(pack, SN_STAGE_A);
    int w = pack->type->coordinates;
    for (int i = 0; i < w; i++)
        for (int j = 0; j < w; j++)
            for (int l = 0; l < SN_LANES; l++) form[36 * i + 4 * j][l] = a[sn_voigt(i, j)][l];
    sn_bend_of_stretches(pack, p, (const SnLaneArray*)form, project, bend);
}

SN_INLINE void sn_stiffness_custom(const SnViscousPack* pack, const SnRatePoint* p, bool project, SnLaneArray* form,
                                   SnLaneArray* bend)
{
    const SnDissipation* d = pack->dissipation;
    const SnLaneArray* at = sn_stage(pack, SN_STAGE_AT);
    int w = pack->type->coordinates;
    for (int l = 0; l < SN_LANES; l++) {
        SnStretches rate = {p->q[0][l], p->q[4][l], p->q[8][l]}, s = {at[0][l], at[1][l], at[2][l]};
        SnStretchHessian u = d->type->hessian(rate, s, d->parameters);
        double h[6] = {
            u.h11, w > 1 ? u.h22 : 0, w > 2 ? u.h33 : 0, w > 1 ? u.h12 : 0, w > 2 ? u.h13 : 0, w > 2 ? u.h23 : 0};
        if (project) sn_lane_project_spd3(h);
        for (int i = 0; i < w; i++)
            for (int j = 0; j < w; j++) form[36 * i + 4 * j][l] = h[sn_voigt(i, j)];
    }
    sn_bend_of_stretches(pack, p, (const SnLaneArray*)form, project, bend);
}

// J X = X - [(tr M - M)^-1 ax(X B^T)]x Y, column after column. `bend` is left out: it is smaller by the strain of one
// step.
SN_INLINE void sn_stiffness_projector(const SnViscousPack* pack, const SnRatePoint* p, SnLaneArray* form)
{
    const SnLaneArray* past = sn_stage(pack, SN_STAGE_PAST);
    SnLaneMatrix columns[9], applied;
    for (int k = 0; k < 9; k++) {
        SnLaneMatrix unit, product;
        SnLaneArray axial[3], n[3];
        for (int m = 0; m < 9; m++)
            for (int l = 0; l < SN_LANES; l++) unit[m][l] = m == k ? 1.0 : 0.0;
        sn_lanes_multiply(unit, false, past, true, product);
        sn_axial(product, axial);
        sn_matrix_vector(p->l, axial, n);
        sn_subtract_cross(n, p->y, unit);
        sn_lanes_copy(unit, 9, columns[k]);
    }
    for (int k = 0; k < 9; k++) {
        sn_modes_apply(sn_stage(pack, SN_STAGE_A), sn_stage(pack, SN_STAGE_SAME), sn_stage(pack, SN_STAGE_CROSS),
                       columns[k], applied);
        for (int m = 0; m < 9; m++)
            for (int l = 0; l < SN_LANES; l++) {
                double sum = 0.0;
                for (int i = 0; i < 9; i++) sum += columns[m][i][l] * applied[i][l];
                form[9 * m + k][l] = sum;
            }
    }
}
