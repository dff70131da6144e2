// What a stage knows of its elements: the matrix C of each dissipation and the past I^p (potential/viscous.h).
#include <math.h>
#include <string.h>

#include "potential/density_modes.h"
#include "potential/viscous_kernel.h"
#include "potential/viscous_rate.h"

enum { HINGE_REST = 4 };  // entry of a hinge's shape: the length of z at rest
#define LEAST_STRETCH 0.1 // stretches below this count as this where C divides by them

enum { PLACES = 3 };

typedef struct Stage {
    const SnPast* from;
    SnLaneMatrix past, rate, places[PLACES]; // z^p, z'^n, and what z^p is made of
    SnLaneMatrix u, v;                       // of the place where C is taken
    SnLaneArray s[3];
} Stage;

static SnLaneArray* entries(const SnViscousPack* pack, int entry)
{
    return (SnLaneArray*)(pack->stage + entry * SN_LANES);
}

static void set_identity(SnLaneArray* a)
{
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) a[k][l] = k % 4 == 0 ? 1.0 : 0.0;
}

// z^p + t z'^n
static void place_at(const Stage* stage, double t, SnLaneArray* z)
{
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) z[k][l] = stage->past[k][l] + t * stage->rate[k][l];
}

// A bending hinge's K: mu along z, and across it what the angle at rest leaves of that.
static void find_hinge(const SnViscousPack* pack, const Stage* stage, SnModes* m)
{
    memset(m, 0, sizeof *m);
    for (int l = 0; l < SN_LANES; l++) {
        double mu = pack->term.parameters.mu[l], rest = pack->term.shape[HINGE_REST * SN_LANES + l];
        double across = sn_lane_max(1.0 - rest / sn_lane_max(stage->s[0][l], 1e-150), 0.0);
        m->a[0][l] = mu;
        m->same[0][l] = m->same[1][l] = mu * across;
    }
}

// Of a fluid: shear |rate|^2 + bulk/2 tr^2; of a node, shear/2 |v|^2.
static void set_fluid(const SnViscousPack* pack, SnModes* m)
{
    SnViscosity c = pack->dissipation->viscosity;
    bool node = pack->dissipation->rate == SN_RATE_POSITION;
    int w = pack->type->coordinates;
    memset(m, 0, sizeof *m);
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < SN_LANES; l++)
            m->a[k][l] = node ? (k == 0 ? c.shear : 0.0) : k < 3 ? (k < w ? 2.0 * c.shear + c.bulk : 0.0) : c.bulk;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < SN_LANES; l++) m->same[k][l] = c.shear, m->cross[k][l] = node ? 0.0 : c.shear;
}

// From K on F to C on strains by F' = F^-T E', the part of F' that does not turn: X_ij = E_ij/s_i.
static void turn_to_strains(const Stage* stage, int w, SnModes* m)
{
    SnLaneArray inverse[3];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) {
            double s = stage->s[i][l], size = sn_lane_max(fabs(s), LEAST_STRETCH);
            inverse[i][l] = i < w ? 1.0 / (s < 0.0 ? -size : size) : 0.0;
        }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            for (int l = 0; l < SN_LANES; l++) {
                double pi = inverse[i][l], pj = inverse[j][l];
                m->a[sn_voigt(i, j)][l] *= pi * pj;
                if (i == j) continue;
                double both = i < w && j < w ? 1.0 : 0.0;
                int pair = i + j - 1;
                m->same[pair][l] =
                    0.25 * both * (m->same[pair][l] * (pi * pi + pj * pj) + 2.0 * m->cross[pair][l] * pi * pj);
                m->cross[pair][l] = m->same[pair][l];
            }
}

// Factors of the spline: the largest, or each stretch its own.
static void apply_curve(const SnViscousPack* pack, const Stage* stage, SnModes* m)
{
    const SnDissipation* d = pack->dissipation;
    int w = pack->type->coordinates;
    for (int l = 0; l < SN_LANES; l++) {
        double factor[3] = {0}, largest = 0;
        for (int i = 0; i < w; i++) {
            factor[i] = sn_dissipation_factor(d, stage->s[i][l]);
            largest = sn_lane_max(largest, factor[i]);
        }
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                m->a[sn_voigt(i, j)][l] *= d->per_stretch ? sqrt(factor[i] * factor[j]) : largest;
        for (int k = 0; k < 3; k++) m->same[k][l] *= largest, m->cross[k][l] *= largest;
    }
}

static void set_matrix(const SnViscousPack* pack, Stage* stage)
{
    const SnDissipation* d = pack->dissipation;
    SnLaneArray *a = entries(pack, SN_STAGE_A), *same = entries(pack, SN_STAGE_SAME),
                *cross = entries(pack, SN_STAGE_CROSS);
    SnModes m;
    SnLaneMatrix z;
    place_at(stage, stage->from->ahead ? pack->b : 0.0, z);
    if (d->base->stiffness || d->has_curve || d->type->energy)
        sn_lanes_svd((const SnLaneArray*)z, stage->u, stage->s, stage->v);
    else
        memset(stage->s, 0, sizeof stage->s); // nobody asks for them
    if (!d->base->stiffness) {
        set_fluid(pack, &m);
        set_identity(stage->u);
        set_identity(stage->v);
    } else if (pack->type->elements)
        sn_density_modes(pack->type->coordinates, pack->material, &pack->term.parameters, (const SnLaneArray*)stage->s,
                         &m);
    else
        find_hinge(pack, stage, &m);
    if (d->base->stiffness && sn_rate_kind(pack) == SN_KIND_STRAIN) turn_to_strains(stage, pack->type->coordinates, &m);
    if (d->rate == SN_RATE_STRETCHES) // no shear
        memset(m.same, 0, sizeof m.same), memset(m.cross, 0, sizeof m.cross);
    if (d->has_curve) apply_curve(pack, stage, &m);
    double scale = d->base->stiffness ? d->viscosity.stiffness : 1.0;
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < SN_LANES; l++) a[k][l] = scale * m.a[k][l];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < SN_LANES; l++) same[k][l] = scale * m.same[k][l], cross[k][l] = scale * m.cross[k][l];
    sn_lanes_copy((const SnLaneArray*)stage->u, 9, entries(pack, SN_STAGE_U));
    sn_lanes_copy((const SnLaneArray*)stage->v, 9, entries(pack, SN_STAGE_V));
    sn_lanes_copy((const SnLaneArray*)stage->s, 3, entries(pack, SN_STAGE_AT));
}

// V a V^T
static void turn_back(const SnLaneArray* a, const SnLaneArray* v, SnLaneArray* out)
{
    SnLaneMatrix product;
    sn_lanes_multiply(v, false, a, false, product);
    sn_lanes_multiply((const SnLaneArray*)product, false, v, true, out);
}

// What the past is of: the stretches, S = V diag g(s^2) V^T (potential/viscous_rate.h), or the same of a rotation R
// alone, V diag(s) V^T.
typedef enum Of { STRETCHES, POLAR, TURNED } Of;

// out += weight times that of z.
static void add_stretches(const SnLaneArray* z, Of of, double weight, SnLaneArray* out)
{
    SnLaneMatrix u, v, diagonal = {{0}}, whole;
    SnLaneArray s[3];
    sn_lanes_svd(z, u, s, v);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) diagonal[4 * i][l] = of == POLAR ? sn_polar_size(s[i][l]) : s[i][l];
    if (of != STRETCHES) turn_back((const SnLaneArray*)diagonal, (const SnLaneArray*)v, whole);
    for (int k = 0; k < (of == STRETCHES ? 3 : 9); k++)
        for (int l = 0; l < SN_LANES; l++) out[k][l] += weight * (of == STRETCHES ? s[k][l] : whole[k][l]);
}

// out += weight times its rate, with z' the rate of z.
static void add_stretch_rates(const SnLaneArray* z, const SnLaneArray* rate, Of of, double weight, SnLaneArray* out)
{
    SnLaneMatrix u, v, product, x, whole;
    SnLaneArray s[3];
    sn_lanes_svd(z, u, s, v);
    sn_lanes_multiply((const SnLaneArray*)u, true, rate, false, product);
    sn_lanes_multiply((const SnLaneArray*)product, false, (const SnLaneArray*)v, false, x);
    for (int i = 0; i < 3 && of != STRETCHES; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < SN_LANES; l++) {
                double share = of == POLAR ? sn_polar_divided(s[i][l], s[j][l])
                                           : 1.0 / sn_lane_max(s[i][l] + s[j][l], LEAST_STRETCH);
                product[3 * j + i][l] = share * (s[i][l] * x[3 * j + i][l] + s[j][l] * x[3 * i + j][l]);
            }
    if (of != STRETCHES) turn_back((const SnLaneArray*)product, (const SnLaneArray*)v, whole);
    for (int k = 0; k < (of == STRETCHES ? 3 : 9); k++)
        for (int l = 0; l < SN_LANES; l++) out[k][l] += weight * (of == STRETCHES ? x[4 * k][l] : whole[k][l]);
}

// On a straight line corrected by I'', from differences.
static void past_stretches(const SnViscousPack* pack, const Stage* stage, Of of, SnLaneArray* out)
{
    const SnPast* from = stage->from;
    memset(out, 0, sizeof(SnLaneMatrix));
    for (int i = 0; i < from->count; i++) add_stretches((const SnLaneArray*)stage->places[i], of, from->weight[i], out);
    if (from->lead != 0.0)
        add_stretch_rates((const SnLaneArray*)stage->places[0], (const SnLaneArray*)stage->rate, of, from->lead, out);
    for (int side = -1; side <= 1 && stage->from->straight; side++) {
        SnLaneMatrix z;
        place_at(stage, side * pack->b, z);
        add_stretches((const SnLaneArray*)z, of, side == 0 ? 1.0 : -0.5, out);
    }
}

// V^T a V, or U^T a V.
static void turn(const SnLaneArray* left, const SnLaneArray* a, const SnLaneArray* v, SnLaneArray* out)
{
    SnLaneMatrix product;
    sn_lanes_multiply(a, false, v, false, product);
    sn_lanes_multiply(left, true, (const SnLaneArray*)product, false, out);
}

// e += weight/2 (a^T b + b^T a)
static void add_product(const SnLaneArray* a, const SnLaneArray* b, double weight, SnLaneArray* e)
{
    SnLaneMatrix product;
    sn_lanes_multiply(a, true, b, false, product);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < SN_LANES; l++)
                e[3 * j + i][l] += 0.5 * weight * (product[3 * j + i][l] + product[3 * i + j][l]);
}

// Green's strain is quadratic: on a straight line its past is E(z^n) - b^2/2 z'^T z'.
static void past_strain(const SnViscousPack* pack, const Stage* stage, SnLaneArray* out)
{
    SnLaneMatrix e = {{0}};
    const SnPast* from = stage->from;
    const SnLaneArray* rate = (const SnLaneArray*)stage->rate;
    for (int i = 0; i < from->count; i++) {
        const SnLaneArray* z = (const SnLaneArray*)stage->places[i];
        add_product(z, z, 0.5 * from->weight[i], e);
    }
    add_product((const SnLaneArray*)stage->places[0], rate, from->lead, e);
    if (stage->from->straight) add_product(rate, rate, -0.5 * pack->b * pack->b, e);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) e[4 * i][l] -= 0.5;
    turn((const SnLaneArray*)stage->v, (const SnLaneArray*)e, (const SnLaneArray*)stage->v, out);
}

// Of the rate at the end: z^p/2, and z^p^T z^p/8 as a strain.
static void past_of_end(const SnViscousPack* pack, const Stage* stage, SnLaneArray* out)
{
    SnLaneMatrix e = {{0}};
    SnLaneArray* offset = entries(pack, SN_STAGE_OFFSET);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) offset[k][l] = 0.5 * stage->past[k][l];
    add_product((const SnLaneArray*)stage->past, (const SnLaneArray*)stage->past, 0.125, e);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) e[4 * i][l] -= 0.5;
    turn((const SnLaneArray*)stage->v, (const SnLaneArray*)e, (const SnLaneArray*)stage->v, out);
}

static void set_past(const SnViscousPack* pack, const Stage* stage)
{
    SnLaneArray* out = entries(pack, SN_STAGE_PAST);
    const SnLaneArray *u = (const SnLaneArray*)stage->u, *v = (const SnLaneArray*)stage->v;
    SnLaneMatrix s;
    switch (sn_rate_kind(pack)) {
    case SN_KIND_GRADIENT: turn(u, (const SnLaneArray*)stage->past, v, out); break;
    case SN_KIND_STRAIN:
        if (pack->dissipation->at_end)
            past_of_end(pack, stage, out);
        else
            past_strain(pack, stage, out);
        break;
    case SN_KIND_POLAR: past_stretches(pack, stage, POLAR, out); break;
    case SN_KIND_PROJECTOR: // in the orientation in which C is taken
        past_stretches(pack, stage, TURNED, s);
        turn(v, (const SnLaneArray*)s, v, out);
        break;
    case SN_KIND_STRETCHES:
    case SN_KIND_CUSTOM: past_stretches(pack, stage, STRETCHES, out); break;
    }
}

// r of a rate as slow as the smoothing; powers from 1 on need none.
static void set_floor(const SnViscousPack* pack)
{
    const SnLaneArray* a = sn_stage(pack, SN_STAGE_A);
    double *floor = entries(pack, SN_STAGE_FLOOR)[0], *first = entries(pack, SN_STAGE_FIRST_FLOOR)[0];
    double* stiffer = entries(pack, SN_STAGE_STIFFER)[0];
    double rate = sn_dissipation_sticks(pack->dissipation) ? pack->dissipation->parameters.smoothing : 0.0;
    for (int l = 0; l < SN_LANES; l++) {
        first[l] = floor[l] = sn_lane_max(0.5 * a[0][l] * rate * rate, 1e-100);
        stiffer[l] = 1.0;
    }
}

static void take_shift(const SnViscousPack* pack)
{
    SnLaneArray* past = entries(pack, SN_STAGE_PAST);
    SnLaneMatrix shift;
    sn_stage_frame(pack, sn_stage(pack, SN_STAGE_SHIFT), shift);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) past[k][l] -= sn_shift_length(pack) * shift[k][l];
}

void SN_KERNEL(sn_viscous_begin)(const SnViscousPack* pack, const SnPast* past)
{
    Stage stage;
    stage.from = past;
    sn_viscous_coordinates(pack, past->xp, stage.past);
    sn_viscous_coordinates(pack, past->v, stage.rate);
    for (int i = 0; i < past->count; i++) sn_viscous_coordinates(pack, past->x[i], stage.places[i]);
    set_matrix(pack, &stage);
    set_past(pack, &stage);
    set_floor(pack);
    if (sn_dissipation_sticks(pack->dissipation)) take_shift(pack);
    SN_KERNEL(sn_viscous_rest)(pack);
}
