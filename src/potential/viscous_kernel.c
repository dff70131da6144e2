// Dissipation over packs of elements: energy, gradient and Hessian (potential/viscous.h has the formulas).
#include <string.h>

#include "potential/viscous_kernel.h"
#include "potential/viscous_stiffness.h"

static void find_rate(const SnViscousPack* pack, const SnLaneArray* z, SnRatePoint* p)
{
    switch (sn_rate_kind(pack)) {
    case SN_KIND_GRADIENT: sn_rate_gradient(pack, z, p); break;
    case SN_KIND_STRAIN: sn_rate_strain(pack, z, p); break;
    case SN_KIND_POLAR: sn_rate_polar(pack, z, p); break;
    case SN_KIND_STRETCHES: sn_rate_stretches(pack, z, p); break;
    case SN_KIND_PROJECTOR: sn_rate_projector(pack, z, p); break;
    case SN_KIND_CUSTOM: sn_rate_custom(pack, z, p); break;
    }
}

static void find_stiffness(const SnViscousPack* pack, const SnRatePoint* p, bool project, SnLaneArray* form,
                           SnLaneArray* bend)
{
    memset(form, 0, sizeof(SnLaneHessian));
    memset(bend, 0, sizeof(SnLaneHessian));
    switch (sn_rate_kind(pack)) {
    case SN_KIND_GRADIENT: sn_stiffness_gradient(pack, form); break;
    case SN_KIND_STRAIN: sn_stiffness_strain(pack, p, project, form, bend); break;
    case SN_KIND_POLAR: sn_stiffness_polar(pack, p, project, form, bend); break;
    case SN_KIND_STRETCHES: sn_stiffness_stretches(pack, p, project, form, bend); break;
    case SN_KIND_PROJECTOR: sn_stiffness_projector(pack, p, form); break;
    case SN_KIND_CUSTOM: sn_stiffness_custom(pack, p, project, form, bend); break;
    }
}

// f, f' and f'' of the lanes' r.
typedef struct Power {
    SnLaneArray value, slope, curvature;
} Power;

static void find_power(const SnViscousPack* pack, const SnRatePoint* p, Power* f)
{
    const SnDissipation* d = pack->dissipation;
    if (!d->type->energy && d->type->packs->power) {
        d->type->packs->power(p->r, sn_stage(pack, SN_STAGE_FLOOR)[0], &d->parameters, f->value, f->slope,
                              f->curvature);
        return;
    }
    for (int l = 0; l < SN_LANES; l++) f->value[l] = p->r[l], f->slope[l] = 1.0, f->curvature[l] = 0.0;
}

void SN_KERNEL(sn_viscous_density)(const SnViscousPack* pack, const SnLaneArray* z, double* w, SnLaneArray* stress)
{
    SnRatePoint p;
    Power f;
    SnLaneMatrix turned;
    find_rate(pack, z, &p);
    find_power(pack, &p, &f);
    const double* rest = sn_stage(pack, SN_STAGE_REST)[0];
    for (int l = 0; l < SN_LANES; l++) w[l] = pack->b * (f.value[l] - rest[l]);
    if (!stress) return;
    sn_lanes_multiply(p.u, false, p.t, false, turned);
    sn_lanes_multiply(turned, false, p.v, true, stress);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) stress[k][l] *= f.slope[l];
}

void SN_KERNEL(sn_viscous_second)(const SnViscousPack* pack, const SnLaneArray* z, bool project, SnLaneArray* h,
                                  SnLaneArray* u, SnLaneArray* v)
{
    SnRatePoint p;
    Power f;
    SnLaneHessian bend;
    double inverse = 1.0 / pack->b;
    find_rate(pack, z, &p);
    find_power(pack, &p, &f);
    find_stiffness(pack, &p, project, h, bend);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            double *out = h[9 * i + j], *more = bend[9 * i + j];
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                out[l] =
                    inverse * (f.slope[l] * out[l] + f.curvature[l] * p.t[i][l] * p.t[j][l]) + f.slope[l] * more[l];
        }
    sn_lanes_copy((const SnLaneArray*)p.u, 9, u);
    sn_lanes_copy((const SnLaneArray*)p.v, 9, v);
}

// q + l, as z has it, in the frame in which l is kept.
static void keep_frame(const SnViscousPack* pack, const SnRatePoint* p, SnLaneArray* out)
{
    SnLaneMatrix turned;
    SnRateKind kind = sn_rate_kind(pack);
    const SnLaneArray *v = kind == SN_KIND_POLAR ? (const SnLaneArray*)p->v : sn_stage(pack, SN_STAGE_V), *u = v;
    if (kind == SN_KIND_STRETCHES) {
        for (int i = 0; i < 3; i++) memcpy(out[i], p->q[4 * i], sizeof *out);
        return;
    }
    if (kind == SN_KIND_GRADIENT) u = sn_stage(pack, SN_STAGE_U);
    sn_lanes_multiply(u, false, (const SnLaneArray*)p->q, false, turned);
    sn_lanes_multiply((const SnLaneArray*)turned, false, v, true, out);
}

// l <- f'/f'(0) (q + l), and on by a part of the way since the last time; from then on with an envelope that is so many
// times as stiff as at first. l is kept as of that one.
static void settle(const SnViscousPack* pack, const double* x, SnSettle how)
{
    SnRatePoint p;
    Power f, still, next;
    SnLaneMatrix z, change = {{0}}, moved;
    SnLaneArray* past = (SnLaneArray*)(pack->stage + SN_STAGE_PAST * SN_LANES);
    SnLaneArray* shift = (SnLaneArray*)(pack->stage + SN_STAGE_SHIFT * SN_LANES);
    SnLaneArray* last = (SnLaneArray*)(pack->stage + SN_STAGE_LAST * SN_LANES);
    double *floor = pack->stage + SN_STAGE_FLOOR * SN_LANES, *stiffer = pack->stage + SN_STAGE_STIFFER * SN_LANES;
    const double* first = sn_stage(pack, SN_STAGE_FIRST_FLOOR)[0];
    sn_viscous_coordinates(pack, x, z);
    find_rate(pack, (const SnLaneArray*)z, &p);
    find_power(pack, &p, &f);
    memset(p.r, 0, sizeof p.r);
    find_power(pack, &p, &still);
    for (int l = 0; l < SN_LANES; l++) floor[l] = sn_lane_max(first[l] / (how.stiffness * how.stiffness), 1e-100);
    find_power(pack, &p, &next);
    keep_frame(pack, &p, change);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) {
            double before = shift[k][l] / stiffer[l], here = change[k][l] * f.slope[l] / still.slope[l] * stiffer[l];
            shift[k][l] = here + how.momentum * (here - last[k][l]);
            last[k][l] = here;
            change[k][l] = shift[k][l] / stiffer[l] * still.slope[l] / next.slope[l] - before;
        }
    for (int l = 0; l < SN_LANES; l++) stiffer[l] *= next.slope[l] / still.slope[l];
    sn_stage_frame(pack, (const SnLaneArray*)change, moved);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) past[k][l] -= sn_shift_length(pack) * moved[k][l];
    SN_KERNEL(sn_viscous_rest)(pack);
}

// W without what the shift alone has of it.
void SN_KERNEL(sn_viscous_rest)(const SnViscousPack* pack)
{
    SnRatePoint p;
    Power f;
    SnLaneMatrix shift;
    double* rest = pack->stage + SN_STAGE_REST * SN_LANES;
    memset(rest, 0, sizeof(SnLaneArray));
    if (!sn_dissipation_sticks(pack->dissipation)) return;
    memset(p.r, 0, sizeof p.r);
    find_power(pack, &p, &f);
    sn_stage_frame(pack, sn_stage(pack, SN_STAGE_SHIFT), shift);
    sn_shift_square(pack, (const SnLaneArray*)shift, rest);
    const double* stiffer = sn_stage(pack, SN_STAGE_STIFFER)[0];
    for (int l = 0; l < SN_LANES; l++) rest[l] *= f.slope[l] / (stiffer[l] * stiffer[l]);
}

static void energy(const SnViscousPack* pack, const double* x, double* energies)
{
    SnLaneMatrix z;
    sn_viscous_coordinates(pack, x, z);
    SN_KERNEL(sn_viscous_density)(pack, (const SnLaneArray*)z, energies, NULL);
    for (int l = 0; l < SN_LANES; l++) energies[l] *= pack->term.volume[l];
}

// G of every corner, padded to three columns.
static void find_weights(const SnViscousPack* pack, SnLaneArray weights[SN_TERM_NODES][3])
{
    for (int l = 0; l < SN_LANES; l++) {
        double g[3][SN_TERM_NODES] = {{0}};
        sn_map_weights(pack->type, &pack->term, l, g);
        for (int a = 0; a < pack->type->nodes; a++)
            for (int c = 0; c < 3; c++) weights[a][c][l] = g[c][a];
    }
}

static void gradient(const SnViscousPack* pack, const double* x, double* g, double* energies)
{
    SnLaneMatrix z, stress;
    SnLaneArray weights[SN_TERM_NODES][3];
    sn_viscous_coordinates(pack, x, z);
    SN_KERNEL(sn_viscous_density)(pack, (const SnLaneArray*)z, energies, stress);
    find_weights(pack, weights);
    for (int l = 0; l < SN_LANES; l++) energies[l] *= pack->term.volume[l];
    for (int a = 0; a < pack->type->nodes; a++) {
        SnLaneArray force[3], *g_a = weights[a];
        for (int r = 0; r < 3; r++)
            for (int l = 0; l < SN_LANES; l++)
                force[r][l] = pack->term.volume[l] *
                              (stress[r][l] * g_a[0][l] + stress[3 + r][l] * g_a[1][l] + stress[6 + r][l] * g_a[2][l]);
        sn_scatter_corner(pack->term.nodes + a * SN_LANES, force, g);
    }
}

// V U (sum_cd p_c q_d H_cd) U^T for two corners with weights p and q in the frame V.
static void corner_block(const SnViscousPack* pack, const SnLaneArray* h, const SnLaneArray* u, const SnLaneArray* p,
                         const SnLaneArray* q, double* block)
{
    SnLaneMatrix sum, left, out;
    for (int s = 0; s < 3; s++)
        for (int r = 0; r < 3; r++) {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) {
                double total = 0.0;
                for (int c = 0; c < 3; c++)
                    for (int d = 0; d < 3; d++) total += p[c][l] * q[d][l] * h[9 * (3 * c + r) + 3 * d + s][l];
                sum[3 * s + r][l] = pack->term.volume[l] * total;
            }
        }
    sn_lanes_multiply(u, false, (const SnLaneArray*)sum, false, left);
    sn_lanes_multiply((const SnLaneArray*)left, false, u, true, out);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) memcpy(block + (3 * r + s) * SN_LANES, out[3 * s + r], sizeof(SnLaneArray));
}

static void hessian(const SnViscousPack* pack, const double* x, bool project, double* blocks)
{
    SnLaneMatrix z, u, v;
    SnLaneHessian h;
    SnLaneArray corner[SN_TERM_NODES][3], weights[SN_TERM_NODES][3];
    sn_viscous_coordinates(pack, x, z);
    find_weights(pack, corner);
    SN_KERNEL(sn_viscous_second)(pack, (const SnLaneArray*)z, project, h, u, v);
    for (int a = 0; a < pack->type->nodes; a++) {
        SnLaneArray* g = corner[a];
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++)
                weights[a][c][l] = g[0][l] * v[3 * c][l] + g[1][l] * v[3 * c + 1][l] + g[2][l] * v[3 * c + 2][l];
    }
    for (int a = 0; a < pack->type->nodes; a++)
        for (int b = 0; b <= a; b++)
            corner_block(pack, (const SnLaneArray*)h, (const SnLaneArray*)u, (const SnLaneArray*)weights[a],
                         (const SnLaneArray*)weights[b], blocks + sn_pair(a, b) * SN_BLOCK);
}

extern const SnViscousKernels SN_KERNEL(sn_viscous);
const SnViscousKernels SN_KERNEL(sn_viscous) = {
    .begin = SN_KERNEL(sn_viscous_begin),
    .settle = settle,
    .energy = energy,
    .gradient = gradient,
    .hessian = hessian,
    .density = SN_KERNEL(sn_viscous_density),
    .prox = SN_KERNEL(sn_viscous_prox),
};
