// wind: the air that flows past each triangle drags it along and lifts it.
//
// With A and n area and normal, u = w - v the air's velocity relative to the triangle's, c = |n.u|/|u| and l the unit
// vector across u in the plane of u and n, on the side to which n turns when n.u > 0:
//
//     F = rho/2 A |u|^2 (C_D c u/|u| + C_L c sqrt(1 - c^2) l)
//
// the drag of what is seen of the triangle from upwind, and a lift that is largest at 45 degrees and none along or
// across. A third goes to each corner. Of a solid only triangles that face the wind count. The drag is k (w - v) with
// k = rho/2 A C_D |n.u|, whose v is that of the end of the stage; the lift, at a right angle to it, is kept.
//
// Gusts are waves that the mean wind W carries along (Taylor's frozen turbulence): w = W + g |W| sum a_i sin(q_i.(x - W
// t) + p_i), a_i across q_i as air keeps its volume, from one length down to a quarter of it.
#include <math.h>
#include <stddef.h>

#include "core/pi.h"
#include "core/random.h"
#include "linalg/vec3.h"
#include "potential/load.h"

enum { WAVES = 8 };

#define LEAST_SPEED 10.0 // m/s: in still air, what nodes may have themselves

typedef struct Wave {
    double q[3], a[3], phase;
} Wave;

// A direction that is at a right angle to the first, if one is given; all are equally likely.
static void random_direction(SnRandom* random, const double* across, double out[3])
{
    double square;
    do {
        for (int c = 0; c < 3; c++) out[c] = sn_random_uniform(random, -1, 1);
        square = sn_dot3(out, out);
    } while (square > 1 || square < 0.01);
    if (across) {
        double other[3] = {out[0], out[1], out[2]};
        sn_cross3(across, other, out);
    }
    sn_normalize3(out);
}

// Together they have the mean square 1.
static void make_waves(double length, Wave waves[WAVES])
{
    SnRandom random = {1};
    for (int i = 0; i < WAVES; i++) {
        Wave* w = &waves[i];
        double number = 2 * SN_PI / length * pow(4, (double)i / (WAVES - 1)); // rad/m
        random_direction(&random, NULL, w->q);
        random_direction(&random, w->q, w->a);
        w->phase = sn_random_uniform(&random, 0, 2 * SN_PI);
        for (int c = 0; c < 3; c++) w->q[c] *= number, w->a[c] *= sqrt(2.0 / WAVES);
    }
}

// v turned about the axis of the wind by its angle at this time, or back.
static void turn(const SnLoadDef* def, double time, double v[3])
{
    double axis[3] = {def->turn[0], def->turn[1], def->turn[2]}, across[3], length = sn_length3(axis);
    if (!(length > 0) || !(def->period > 0)) return;
    for (int c = 0; c < 3; c++) axis[c] /= length;
    double angle = 2 * SN_PI * time / def->period, along = sn_dot3(axis, v);
    sn_cross3(axis, v, across);
    for (int c = 0; c < 3; c++) v[c] = cos(angle) * v[c] + sin(angle) * across[c] + (1 - cos(angle)) * along * axis[c];
}

// Without gusts: W + G (x - centre), all of it turned, the places with it.
static void flow_at(const SnLoadDef* def, double factor, double time, const double x[3], double w[3])
{
    double from[3];
    sn_subtract3(x, def->centre, from);
    turn(def, -time, from);
    for (int c = 0; c < 3; c++) w[c] = factor * (def->vector[c] + sn_dot3(def->gradient + 3 * c, from));
    turn(def, time, w);
}

// The air at x: the flow and the waves, times their size.
static void air_at(const SnLoadDef* def, double factor, const Wave* waves, double time, const double x[3], double w[3])
{
    double size = def->gust > 0 ? factor * def->gust * sn_length3(def->vector) : 0;
    if (def->field) {
        def->field(def->user, time, x, w);
        for (int c = 0; c < 3; c++) w[c] *= factor;
        return;
    }
    flow_at(def, factor, time, x, w);
    for (int i = 0; i < WAVES && size != 0; i++) {
        double along = sn_dot3(waves[i].q, x) - time * sn_dot3(waves[i].q, def->vector) + waves[i].phase;
        for (int c = 0; c < 3; c++) w[c] += size * sin(along) * waves[i].a[c];
    }
}

static void mean_of(const int* t, const double* x, double mean[3])
{
    for (int c = 0; c < 3; c++)
        mean[c] = (x[3 * (int64_t)t[0] + c] + x[3 * (int64_t)t[1] + c] + x[3 * (int64_t)t[2] + c]) / 3;
}

// The force of the lift, and the drag's k.
static double find_lift(const SnLoad* load, const double area[3], const double u[3], double lift[3])
{
    const SnLoadDef* def = &load->def;
    double speed = sn_length3(u), through = 0.5 * sn_dot3(area, u), size = 0.5 * sn_length3(area); // A n.u; A
    for (int c = 0; c < 3; c++) lift[c] = 0;
    if (!(speed > 0) || !(size > 0) || (through > 0 && !load->two_sided)) return 0;
    double side = through < 0 ? -1 : 1, normal = fabs(through) / size; // |n.u|
    double pressure = 0.5 * def->density * def->lift * fabs(through);  // times |u|, and the sine of l
    for (int c = 0; c < 3; c++) lift[c] = pressure * (side * speed * 0.5 * area[c] / size - normal * u[c] / speed);
    return 0.5 * def->density * def->drag * fabs(through);
}

static void add(const SnLoad* load, const SnLoadState* state, SnLoadSum* sum)
{
    Wave waves[WAVES];
    const double *x = state->x, *v = state->v, factor = sn_load_factor(load, state->time);
    if (load->def.gust > 0) make_waves(load->def.length, waves);
    for (int i = 0; i < load->triangle_count; i++) {
        const int* t = load->triangles + 3 * (int64_t)i;
        double area[3], middle[3], own[3], w[3], u[3], lift[3];
        sn_load_area(t, x, area), mean_of(t, x, middle), mean_of(t, v, own);
        air_at(&load->def, factor, waves, state->time - load->since, middle, w);
        sn_subtract3(w, own, u);
        double k = find_lift(load, area, u, lift);
        for (int c = 0; c < 3; c++) {
            sum->drag[t[c]] += k / 3;
            for (int a = 0; a < 3; a++) sum->force[3 * (int64_t)t[c] + a] += (lift[a] + k * w[a]) / 3;
        }
    }
}

static void bound(const SnLoad* load, const double* x, double* drag)
{
    const SnLoadDef* def = &load->def;
    double most = def->ramp.count > 0 ? 0 : 1;
    for (int i = 0; i < def->ramp.count; i++) most = fmax(most, fabs(def->ramp.points[2 * i + 1]));
    most *= fabs(load->scale);
    for (int i = 0; i < load->triangle_count; i++) {
        const int* t = load->triangles + 3 * (int64_t)i;
        double area[3], middle[3], w[3];
        sn_load_area(t, x, area), mean_of(t, x, middle);
        flow_at(def, most, 0, middle, w);
        double speed = fmax(sn_length3(w) + most * def->gust * sn_length3(def->vector), LEAST_SPEED);
        for (int c = 0; c < 3; c++) drag[t[c]] += 0.5 * def->density * def->drag * 0.5 * sn_length3(area) * speed / 3;
    }
}

static const SnParameter parameters[] = {
    {"wind", SN_NUMBER, offsetof(SnLoadDef, vector), .count = 3, .example = "[8, 0, 0]", .unit = "m/s",
     .doc = "velocity of the air, which drags and lifts each triangle"},
    {"air-density", SN_NUMBER, offsetof(SnLoadDef, density), .value = "1.2", .range = ">0", .unit = "kg/m3",
     .doc = "of the air"},
    {"drag", SN_NUMBER, offsetof(SnLoadDef, drag), .value = "1.2", .range = ">=0",
     .doc = "coefficient along the air's velocity, by the area that is seen from there"},
    {"lift", SN_NUMBER, offsetof(SnLoadDef, lift), .value = "1", .range = ">=0",
     .doc = "coefficient across it; the lift is largest at 45 degrees"},
    {"gust", SN_NUMBER, offsetof(SnLoadDef, gust), .value = "0", .range = ">=0 <=2",
     .doc = "root mean square of the gusts that the wind carries along, relative to its speed"},
    {"gust-length", SN_NUMBER, offsetof(SnLoadDef, length), .value = "1", .range = ">0", .unit = "m",
     .doc = "wavelength of the longest gusts; the shortest have a quarter of it"},
    {"gradient", SN_MATRIX, offsetof(SnLoadDef, gradient), .example = "[[0, 0.5, 0], [0, 0, 0], [0, 0, 0]]",
     .unit = "1/s",
     .doc = "of the air's velocity in space: w = wind + gradient (x - centre), as in a shear or a vortex"},
    {"centre", SN_NUMBER, offsetof(SnLoadDef, centre), .count = 3, .value = "[0, 0, 0]", .unit = "m",
     .doc = "where the air has the velocity `wind`"},
    {"turn", SN_NUMBER, offsetof(SnLoadDef, turn), .count = 3, .value = "[0, 0, 0]",
     .doc = "axis through `centre` about which the whole field turns as time goes on; zeros: it does not"},
    {"period", SN_NUMBER, offsetof(SnLoadDef, period), .value = "1", .range = ">0", .unit = "s",
     .doc = "of one such turn"},
    {0},
};

const SnLoadType sn_load_wind = {
    .name = "wind",
    .summary = "air that flows past: drag and lift of each triangle, of solids where they face it",
    .parameters = parameters,
    .on_surface = true,
    .add = add,
    .bound = bound,
};
