// The prox of a density in its stretches: argmin psi(s) + tau/2 |s - s0|^2, a safeguarded Newton over lanes.
//
// F and its prox have the same singular vectors, so this is all there is to the prox of an isotropic term. Iterations
// are the outer loop and lanes the inner one; a lane that has arrived is left alone. Where stretches may not be
// negative (Overby, Brown, Li, Narain 2017), those at zero that would fall stay there, and steps end there.
#pragma once
#include <math.h>
#include <string.h>

#include "potential/modes.h"
#include "potential/term.h"

enum { SN_PROX_ITERATIONS = 60, SN_PROX_HALVINGS = 50 };
#define SN_PROX_OPEN 0.2        // stretch of what would stay flat
#define SN_PROX_TOLERANCE 1e-11 // of the gradient, relative to what it is the sum of

// d = -H^-1 g for symmetric 3x3 H by its LDL^T; where H is not positive definite, a multiple of the identity is added
// that makes it so (Gershgorin), and 1 is returned.
SN_INLINE double sn_prox_direction_lane(SnLaneArray h[6], SnLaneArray g[3], SnLaneArray d[3], int l)
{
    double a = h[0][l], b = h[1][l], c = h[2][l], e = h[3][l], f = h[4][l], k = h[5][l];
    double size = fabs(a) + fabs(b) + fabs(c), least = 1e-10 * size;
    double second = b * a - e * e, det = a * (b * c - k * k) - e * (e * c - k * f) + f * (e * k - b * f);
    double definite =
        (a > least ? 1.0 : 0.0) * (second > least * least ? 1.0 : 0.0) * (det > least * least * least ? 1.0 : 0.0);
    double row1 = a - fabs(e) - fabs(f), row2 = b - fabs(e) - fabs(k), row3 = c - fabs(f) - fabs(k);
    double lowest = sn_lane_min(row1, sn_lane_min(row2, row3));
    double shift = definite != 0.0 ? 0.0 : 1e-3 * size - sn_lane_min(lowest, 0.0);
    a += shift, b += shift, c += shift;
    // Cofactors of the (shifted) matrix: its inverse is their matrix over the determinant.
    double c11 = b * c - k * k, c12 = k * f - e * c, c13 = e * k - b * f;
    double c22 = a * c - f * f, c23 = e * f - a * k, c33 = a * b - e * e;
    double inverse = -1.0 / (a * c11 + e * c12 + f * c13);
    d[0][l] = inverse * (c11 * g[0][l] + c12 * g[1][l] + c13 * g[2][l]);
    d[1][l] = inverse * (c12 * g[0][l] + c22 * g[1][l] + c23 * g[2][l]);
    d[2][l] = inverse * (c13 * g[0][l] + c23 * g[1][l] + c33 * g[2][l]);
    return 1.0 - definite;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \
    "-Wstringop-overflow" // gcc 12 takes a pointer to one of two points for one to a row of it
#endif

// A point of the minimisation.
typedef struct SnProxPoint {
    double s[3][SN_LANES], g[3][SN_LANES], h[6][SN_LANES]; // stretches, gradient and Hessian of the objective
    SnLaneArray norm, size;                                // largest entry of g, and of what g is the sum of
} SnProxPoint;

typedef struct SnProx {
    const SnMaterialType* material;
    const SnParameterPack* parameters;
    double least;             // stretches are not below this: 0, or minus infinity
    int iterations;           // at most
    const double* tau;        // [lane]
    const SnLaneArray* s0;    // [3]: where it is pulled to
    const SnLaneArray* start; // [3]: where Newton's method starts
    SnProxPoint points[2];
    SnProxPoint *here, *trial;
    SnLaneArray d[3];       // Newton's direction
    SnLaneArray indefinite; // 1 where the Hessian was not positive definite
} SnProx;

// Rows of a multiple of the identity for stretches at zero that stay there.
SN_INLINE void sn_prox_hold_lowest(const SnProx* p, int i, SnProxPoint* point)
{
    SnLaneArray *s = point->s, *g = point->g, *h = point->h;
    int first = i == 2 ? 4 : 3, second = i == 0 ? 4 : 5; // the entries beside the diagonal
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) {
        double held = s[i][l] <= 0.0 ? (g[i][l] == 0.0 ? 1.0 : 0.0) : 0.0;
        h[i][l] = held != 0.0 ? p->tau[l] : h[i][l];
        h[first][l] = held != 0.0 ? 0.0 : h[first][l];
        h[second][l] = held != 0.0 ? 0.0 : h[second][l];
    }
}

// Gradient, Hessian and sizes at point->s; fixed stretches get a row of the identity.
SN_INLINE void sn_prox_derivatives(const SnProx* p, int dimension, SnProxPoint* point)
{
    sn_material_derivatives(p->material, (const double(*)[SN_LANES])point->s, p->parameters, point->g, point->h);
    SnLaneArray *s = point->s, *g = point->g, *h = point->h;
    for (int l = 0; l < SN_LANES; l++) point->size[l] = 0.0, point->norm[l] = 0.0;
    for (int i = 0; i < dimension; i++)
        for (int l = 0; l < SN_LANES; l++) {
            double size = fabs(g[i][l]) + p->tau[l] * (1.0 + fabs(p->s0[i][l]));
            point->size[l] = sn_lane_max(point->size[l], size);
            g[i][l] += p->tau[l] * (s[i][l] - p->s0[i][l]);
            h[i][l] += p->tau[l];
            g[i][l] = s[i][l] <= p->least && g[i][l] >= 0.0 ? 0.0 : g[i][l];
            point->norm[l] = sn_lane_max(point->norm[l], fabs(g[i][l]));
        }
    for (int i = dimension; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) {
            g[i][l] = 0.0;
            h[i][l] = 1.0;
            h[i == 2 ? 4 : 3][l] = 0.0;
            h[5][l] = 0.0;
        }
    for (int i = 0; i < dimension && p->least == 0.0; i++) sn_prox_hold_lowest(p, i, point);
}

SN_INLINE void sn_prox_value(const SnProx* p, int dimension, SnProxPoint* point, double* out)
{
    sn_material_energy(p->material, (const double(*)[SN_LANES])point->s, p->parameters, out);
    for (int i = 0; i < dimension; i++)
        for (int l = 0; l < SN_LANES; l++) {
            double d = point->s[i][l] - p->s0[i][l];
            out[l] += 0.5 * p->tau[l] * d * d;
        }
}

SN_INLINE void sn_prox_move(SnProx* p, const double* t)
{
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++)
            p->trial->s[i][l] = sn_lane_max(p->here->s[i][l] + t[l] * p->d[i][l], p->least);
}

// Halves the step of each lane until its value decreases enough. Used where the gradient did not shrink.
SN_INLINE void sn_prox_backtrack(SnProx* p, int dimension)
{
    SnLaneArray t, value, trial_value, *g = p->here->g, *from = p->here->s, *to = p->trial->s;
    sn_prox_value(p, dimension, p->here, value);
    for (int l = 0; l < SN_LANES; l++) t[l] = 1.0;
    for (int k = 0; k < SN_PROX_HALVINGS; k++) {
        double refused = 0.0;
        sn_prox_move(p, t);
        sn_prox_value(p, dimension, p->trial, trial_value);
#pragma omp simd reduction(+ : refused)
        for (int l = 0; l < SN_LANES; l++) {
            double slack = 1e-14 * fabs(value[l]) + 1e-16 * p->tau[l], fall = 0.0;
            for (int i = 0; i < 3; i++) fall += g[i][l] * (to[i][l] - from[i][l]);
            double good = trial_value[l] <= value[l] + 1e-4 * fall + slack ? 1.0 : 0.0;
            t[l] = good != 0.0 ? t[l] : 0.5 * t[l];
            refused += 1.0 - good;
        }
        if (refused == 0.0) break;
    }
    sn_prox_derivatives(p, dimension, p->trial);
}

// How many lanes of the trial are neither closer by enough nor there; also those that have left a barrier's domain.
SN_INLINE double sn_prox_worse(const SnProx* p)
{
    const SnProxPoint *here = p->here, *trial = p->trial;
    const double *floor = p->parameters->floor, free = p->material->barrier ? 0.0 : 1.0;
    double worse = 0.0;
#pragma omp simd reduction(+ : worse)
    for (int l = 0; l < SN_LANES; l++) {
        double least = sn_lane_min(trial->s[0][l], sn_lane_min(trial->s[1][l], trial->s[2][l]));
        double feasible = least > 0.0 ? 1.0 : floor[l] > 0.0 ? 1.0 : free;
        double shrunk = trial->norm[l] * here->size[l] <= 0.9 * here->norm[l] * trial->size[l] ? 1.0 : 0.0;
        double arrived = trial->norm[l] <= SN_PROX_TOLERANCE * trial->size[l] ? 1.0 : 0.0;
        worse += 1.0 - feasible * sn_lane_max(shrunk * (1.0 - p->indefinite[l]), arrived);
    }
    return worse;
}

// One Newton step of all lanes; the full one where it shortens the gradient (a step out of the domain gives NaN and
// does not), else as far as the value decreases.
SN_INLINE void sn_prox_step(SnProx* p, int dimension)
{
    SnLaneArray full;
    SnProxPoint *here = p->here, *trial = p->trial;
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) p->indefinite[l] = sn_prox_direction_lane(here->h, here->g, p->d, l);
    for (int l = 0; l < SN_LANES; l++) full[l] = 1.0;
    sn_prox_move(p, full);
    sn_prox_derivatives(p, dimension, trial);
    if (sn_prox_worse(p) > 0.0) sn_prox_backtrack(p, dimension);
    p->here = trial;
    p->trial = here;
}

// Lanes whose density pushes much harder than the pull start from rest: far out on an exponential, Newton crawls.
SN_INLINE bool sn_prox_start_at_rest(SnProx* p)
{
    double any = 0.0;
    SnLaneArray *s = p->here->s, *g = p->here->g;
#pragma omp simd reduction(+ : any)
    for (int l = 0; l < SN_LANES; l++) {
        double push = fabs(g[0][l]) + fabs(g[1][l]) + fabs(g[2][l]);
        double pull = p->tau[l] * (1.0 + fabs(p->s0[0][l]) + fabs(p->s0[1][l]) + fabs(p->s0[2][l]));
        double far = push < 100.0 * pull ? 0.0 : 1.0; // also where push is not a number
        for (int i = 0; i < 3; i++) s[i][l] = far != 0.0 ? 1.0 : s[i][l];
        any += far;
    }
    return any != 0.0;
}

// Stretches that are not negative. Where a density has no slope at zero but falls away from it, as that of stvk, a flat
// element would be at rest, and so would be a body crumpled into flat elements: they are a little more than zero.
SN_INLINE void sn_prox_open(const SnMaterialType* material, const SnParameterPack* parameters, int dimension,
                            SnLaneArray s[3])
{
    SnLaneArray open[3], g[3], h[6];
    double flat = 0.0;
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) {
            bool low = i < dimension && s[i][l] < 0.5 * SN_PROX_OPEN;
            flat += low ? 1.0 : 0.0;
            open[i][l] = low ? SN_PROX_OPEN : s[i][l];
            s[i][l] = i < dimension ? sn_lane_max(s[i][l], 0.0) : s[i][l];
        }
    if (flat == 0.0) return;
    sn_material_derivatives(material, (const double(*)[SN_LANES])open, parameters, g, h);
    for (int i = 0; i < dimension; i++)
        for (int l = 0; l < SN_LANES; l++)
            if (s[i][l] < 0.5 * SN_PROX_OPEN && g[i][l] <= 0.0 && h[i][l] < 0.0) s[i][l] = SN_PROX_OPEN;
}

// p->material, parameters, tau, s0 and start are given; dimension: how many stretches may move, 3, 2 (a sheet) or 1 (a
// strand). The answer is p->here->s.
SN_INLINE void sn_prox_minimize(SnProx* p, int dimension)
{
    p->here = &p->points[0];
    p->trial = &p->points[1];
    const double* floor = p->parameters->floor;
    bool barrier = p->material->barrier || p->least == 0.0; // from zero nothing would push a collapsed element
    for (int i = 0; i < 3; i++) {
        const double* start = p->start[i];
        double* s = p->points[0].s[i];
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) {
            double inside = sn_lane_max(start[l], sn_lane_max(floor[l], 0.1)); // a barrier's domain
            s[l] = i >= dimension ? 1.0 : barrier ? inside : start[l];
        }
    }
    sn_prox_derivatives(p, dimension, p->here);
    if (sn_prox_start_at_rest(p)) sn_prox_derivatives(p, dimension, p->here);
    for (int k = 0; k < p->iterations; k++) {
        double open = 0.0;
#pragma omp simd reduction(+ : open)
        for (int l = 0; l < SN_LANES; l++) open += p->here->norm[l] > SN_PROX_TOLERANCE * p->here->size[l] ? 1.0 : 0.0;
        if (open == 0.0) break;
        sn_prox_step(p, dimension);
    }
    if (p->least == 0.0) sn_prox_open(p->material, p->parameters, dimension, p->here->s);
}

// s = argmin V psi(s) + weight/2 |s - s0|^2 over the first `dimension` stretches of a pack's elements, from start.
SN_INLINE void sn_prox_stretches(int dimension, const SnMaterialType* material, const SnTermPack* pack,
                                 const double* weight, SnLaneArray s0[3], SnLaneArray start[3], SnLaneArray s[3])
{
    SnLaneArray tau;
    for (int l = 0; l < SN_LANES; l++) tau[l] = weight[l] / (pack->volume[l] > 0.0 ? pack->volume[l] : 1.0);
    SnProx p; // not zeroed: it is large, and filled before it is read
    p.material = material, p.parameters = &pack->parameters, p.tau = tau;
    p.least = pack->upright ? 0.0 : -INFINITY;
    p.iterations = pack->iterations > 0 ? pack->iterations : SN_PROX_ITERATIONS;
    p.s0 = (const SnLaneArray*)s0, p.start = (const SnLaneArray*)start;
    sn_prox_minimize(&p, dimension);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) s[i][l] = p.here->s[i][l];
}
