// The local step of ADMM for dissipations, alone or merged with their elements' energy: Newton's method in the nine
// entries of z, over lanes, with projected second derivatives. Rates of the polar stretch alone have one in a single
// dimension (Brown et al. 2018, App. B), with which it starts, and mostly ends.
#include <math.h>
#include <string.h>

#include "potential/density_modes.h"
#include "potential/prox.h"
#include "potential/viscous_kernel.h"
#include "potential/viscous_stiffness.h"

enum { ITERATIONS = 60, HALVINGS = 40, MOST_STUCK = 4 };
#define TOLERANCE 1e-11 // of the gradient, relative to what it is the sum of
#define ROUNDING 1e-12  // of the value, in which logarithms and exponentials are
#define NEARER 0.9      // of the gradient before: an iteration was worth it
#define SMALL_TURN 0.01 // rad^2: a turn that is found to second order
#define FAST 0.15       // of the gradient before: a second derivative is worth keeping

typedef struct Problem {
    const SnViscousTerms* terms;
    int width;       // columns of z
    SnLaneMatrix y;  // padded
    SnLaneArray tau; // weight over volume
} Problem;

typedef struct Point {
    SnLaneMatrix z, g;             // place and gradient
    SnLaneArray value, norm, size; // the objective; largest entry of g, and of what g is the sum of
    SnLaneMatrix u, v;             // of z, where the energy is asked for
    SnLaneArray s[3];
} Point;

// psi and its derivative by F.
static void add_energy(const Problem* p, const SnLaneArray* z, Point* x)
{
    const SnViscousPack* pack = &p->terms->packs[0];
    SnLaneMatrix scaled, stress;
    SnLaneArray s[3], energy, g[3];
    sn_lanes_svd(z, x->u, x->s, x->v);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) s[i][l] = i < p->width ? x->s[i][l] : 1.0;
    sn_material_energy(pack->material, (const double(*)[SN_LANES])s, &pack->term.parameters, energy);
    sn_material_gradient(pack->material, (const double(*)[SN_LANES])s, &pack->term.parameters, g);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) scaled[k][l] = k / 3 < p->width ? x->u[k][l] * g[k / 3][l] : 0.0;
    sn_lanes_multiply((const SnLaneArray*)scaled, false, (const SnLaneArray*)x->v, true, stress);
    for (int l = 0; l < SN_LANES; l++) x->value[l] += energy[l];
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) x->g[k][l] += stress[k][l];
}

static void evaluate(const Problem* p, Point* x)
{
    SnLaneMatrix stress;
    SnLaneArray w;
    memset(x->g, 0, sizeof x->g);
    for (int l = 0; l < SN_LANES; l++) x->value[l] = x->norm[l] = x->size[l] = 0.0;
    if (p->terms->elastic) add_energy(p, (const SnLaneArray*)x->z, x);
    for (int i = 0; i < p->terms->count; i++) {
        SN_KERNEL(sn_viscous_density)(&p->terms->packs[i], (const SnLaneArray*)x->z, w, stress);
        for (int l = 0; l < SN_LANES; l++) x->value[l] += w[l];
        for (int k = 0; k < 9; k++)
            for (int l = 0; l < SN_LANES; l++) x->g[k][l] += stress[k][l];
    }
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) {
            double off = x->z[k][l] - p->y[k][l];
            x->size[l] = sn_lane_max(x->size[l], fabs(x->g[k][l]) + p->tau[l] * (1.0 + fabs(p->y[k][l])));
            x->g[k][l] += p->tau[l] * off;
            x->value[l] += 0.5 * p->tau[l] * off * off;
            x->norm[l] = sn_lane_max(x->norm[l], fabs(x->g[k][l]));
        }
}

// The rows of each block of two columns of h, turned from the frame dz = u X v^T.
static void turn_rows(const SnLaneArray* h, const SnLaneArray* u, SnLaneArray* rows)
{
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
            SnLaneMatrix block, left, out;
            for (int k = 0; k < 9; k++) memcpy(block[k], h[9 * (3 * c + k % 3) + 3 * d + k / 3], sizeof(SnLaneArray));
            sn_lanes_multiply(u, false, (const SnLaneArray*)block, false, left);
            sn_lanes_multiply((const SnLaneArray*)left, false, u, true, out);
            for (int k = 0; k < 9; k++) memcpy(rows[9 * (3 * c + k % 3) + 3 * d + k / 3], out[k], sizeof(SnLaneArray));
        }
}

// total += h, whose columns are in the frame v: first one of each pair of them, then the other. Only the lower triangle
// is asked for.
static void add_columns(const SnLaneArray* h, const SnLaneArray* v, SnLaneArray* total)
{
    for (int i = 0; i < 9; i++) {
        SnLaneMatrix half; // of row i of the result, by columns of the frame
        for (int k = 0; k < 9; k++) {
            const double *h0 = h[9 * (i % 3) + k], *h1 = h[9 * (3 + i % 3) + k], *h2 = h[9 * (6 + i % 3) + k];
            const double *v0 = v[i / 3], *v1 = v[3 + i / 3], *v2 = v[6 + i / 3];
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) half[k][l] = v0[l] * h0[l] + v1[l] * h1[l] + v2[l] * h2[l];
        }
        for (int j = 0; j <= i; j++) {
            double *out = total[9 * i + j], *h0 = half[j % 3], *h1 = half[3 + j % 3], *h2 = half[6 + j % 3];
            const double *v0 = v[j / 3], *v1 = v[3 + j / 3], *v2 = v[6 + j / 3];
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) out[l] += v0[l] * h0[l] + v1[l] * h1[l] + v2[l] * h2[l];
        }
    }
}

// Rates of strain have the world's frame for rows.
static void add_turned(const SnLaneArray* h, bool turned, const SnLaneArray* u, const SnLaneArray* v,
                       SnLaneArray* total)
{
    SnLaneHessian rows;
    if (turned) turn_rows(h, u, rows);
    add_columns(turned ? (const SnLaneArray*)rows : h, v, total);
}

// The lower triangle of the second derivative.
static void find_second(const Problem* p, const Point* x, SnLaneArray* total)
{
    const SnViscousPack* pack = &p->terms->packs[0];
    SnLaneHessian h;
    SnLaneMatrix u, v;
    memset(total, 0, sizeof h);
    for (int i = 0; i < p->terms->count; i++) {
        bool turned = sn_rate_kind(&p->terms->packs[i]) != SN_KIND_STRAIN;
        SN_KERNEL(sn_viscous_second)(&p->terms->packs[i], (const SnLaneArray*)x->z, true, h, u, v);
        add_turned((const SnLaneArray*)h, turned, (const SnLaneArray*)u, (const SnLaneArray*)v, total);
    }
    if (p->terms->elastic) {
        SnModes m;
        sn_density_modes(p->width, pack->material, &pack->term.parameters, (const SnLaneArray*)x->s, &m);
        memset(h, 0, sizeof h);
        sn_form_of_modes((const SnLaneArray*)m.a, (const SnLaneArray*)m.same, (const SnLaneArray*)m.cross, h);
        add_turned((const SnLaneArray*)h, true, (const SnLaneArray*)x->u, (const SnLaneArray*)x->v, total);
    }
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < SN_LANES; l++) total[10 * i][l] += p->tau[l];
}

// Cholesky's factor of a, in place; a is positive definite but for rounding.
static void factor(SnLaneArray* a)
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j <= i; j++) {
            double* out = a[9 * i + j];
            for (int k = 0; k < j; k++) {
#pragma omp simd
                for (int l = 0; l < SN_LANES; l++) out[l] -= a[9 * i + k][l] * a[9 * j + k][l];
            }
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++)
                out[l] = i == j ? 1.0 / sqrt(sn_lane_max(out[l], 1e-300)) : out[l] * a[10 * j][l];
        }
}

// d = -a^-1 g with that.
static void solve(const SnLaneArray* a, const SnLaneArray* g, SnLaneArray* d)
{
    for (int i = 0; i < 9; i++) {
        for (int l = 0; l < SN_LANES; l++) d[i][l] = -g[i][l];
        for (int k = 0; k < i; k++) {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) d[i][l] -= a[9 * i + k][l] * d[k][l];
        }
        for (int l = 0; l < SN_LANES; l++) d[i][l] *= a[10 * i][l];
    }
    for (int i = 8; i >= 0; i--) {
        for (int k = i + 1; k < 9; k++) {
#pragma omp simd
            for (int l = 0; l < SN_LANES; l++) d[i][l] -= a[9 * k + i][l] * d[k][l];
        }
        for (int l = 0; l < SN_LANES; l++) d[i][l] *= a[10 * i][l];
    }
}

// Has this lane not converged? Spare ones, which have no volume, must not decide anything for the others.
SN_INLINE double is_open_lane(const Problem* p, const Point* x, int l)
{
    return p->terms->packs[0].term.volume[l] > 0.0 && x->norm[l] > TOLERANCE * x->size[l] ? 1.0 : 0.0;
}

// Goes along d as far as the value decreases, lane by lane. False: no lane went anywhere.
static bool advance(const Problem* p, Point* here, Point* trial, const SnLaneArray* d)
{
    SnLaneArray t, slope;
    double moved = 0.0;
    for (int l = 0; l < SN_LANES; l++) {
        t[l] = here->norm[l] > TOLERANCE * here->size[l] ? 1.0 : 0.0;
        slope[l] = 0.0;
        for (int k = 0; k < 9; k++) slope[l] += here->g[k][l] * d[k][l];
    }
    for (int halving = 0; halving <= HALVINGS; halving++) {
        double refused = 0.0;
        for (int k = 0; k < 9; k++)
            for (int l = 0; l < SN_LANES; l++) trial->z[k][l] = here->z[k][l] + t[l] * d[k][l];
        evaluate(p, trial);
        for (int l = 0; l < SN_LANES; l++) {
            double slack = ROUNDING * fabs(here->value[l]) + 1e-17 * p->tau[l];
            bool good = t[l] == 0.0 || trial->value[l] <= here->value[l] + 1e-4 * t[l] * slope[l] + slack;
            t[l] = good ? t[l] : halving == HALVINGS - 1 ? 0.0 : 0.5 * t[l];
            refused += good ? 0.0 : 1.0;
        }
        if (refused == 0.0) break;
    }
    for (int l = 0; l < SN_LANES; l++) moved += t[l] * is_open_lane(p, here, l);
    return moved > 0.0;
}

// Is there a lane that has not?
static bool is_open(const Problem* p, const Point* x)
{
    double open = 0.0;
    for (int l = 0; l < SN_LANES; l++) open += is_open_lane(p, x, l);
    return open > 0.0;
}

// Lanes that are not there yet no longer come nearer: what is left over is rounding, of logarithms above all.
static bool is_stuck(const Problem* p, const Point* before, const Point* now)
{
    double nearer = 0.0;
    for (int l = 0; l < SN_LANES; l++)
        nearer += now->norm[l] < NEARER * before->norm[l] ? is_open_lane(p, before, l) : 0.0;
    return nearer == 0.0;
}

// The second derivative serves for another iteration where all lanes that are not there yet came nearer by much.
static bool is_fast(const Problem* p, const Point* before, const Point* now)
{
    double slow = 0.0;
    for (int l = 0; l < SN_LANES; l++) slow += now->norm[l] > FAST * before->norm[l] ? is_open_lane(p, now, l) : 0.0;
    return slow == 0.0;
}

// From the guess, kept away from a barrier.
static void set_start(const Problem* p, Point* x)
{
    const SnViscousPack* pack = &p->terms->packs[0];
    SnLaneMatrix u, v, scaled;
    SnLaneArray s[3], clamped[3];
    sn_lanes_copy((const SnLaneArray*)p->y, 9, x->z);
    if (p->terms->guess) sn_lanes_copy((const SnLaneArray*)p->terms->guess, 3 * p->width, x->z);
    if (!p->terms->elastic || !pack->material->barrier) return;
    sn_lanes_svd((const SnLaneArray*)x->z, u, s, v);
    sn_density_stretches(p->width, pack->material, &pack->term.parameters, (const SnLaneArray*)s, clamped);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) scaled[k][l] = k / 3 < p->width ? u[k][l] * clamped[k / 3][l] : 0.0;
    sn_lanes_multiply((const SnLaneArray*)scaled, false, (const SnLaneArray*)v, true, x->z);
}

// Turns what has come out inside out the right way round. Only about a minimum, but where it is none, what pulls grows
// from one local step to the next.
static void turn(const Problem* p, SnLaneArray* z)
{
    const SnViscousPack* pack = &p->terms->packs[0];
    SnLaneMatrix u, v, scaled;
    SnLaneArray s[3];
    double inside_out = 0.0;
    sn_lanes_svd((const SnLaneArray*)z, u, s, v);
    for (int l = 0; l < SN_LANES; l++) inside_out += s[2][l] < 0.0 ? 1.0 : 0.0;
    if (inside_out == 0.0) return;
    sn_prox_open(pack->material, &pack->term.parameters, 3, s);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SN_LANES; l++) scaled[k][l] = u[k][l] * s[k / 3][l];
    sn_lanes_multiply((const SnLaneArray*)scaled, false, (const SnLaneArray*)v, true, z);
}

// eta of the length's problem in rates, y = far/b. An envelope with eta_f and the weight tau are springs one after the
// other: eta = b tau eta_f/(b tau + eta_f).
static void find_springs(const Problem* p, double* eta)
{
    const SnViscousPack* pack = &p->terms->packs[0];
    const SnDissipation* d = pack->dissipation;
    SnLaneArray still = {0}, value, slope, curvature;
    for (int l = 0; l < SN_LANES; l++) eta[l] = pack->b * p->tau[l];
    if (!sn_dissipation_sticks(d)) return;
    d->type->packs->power(still, sn_stage(pack, SN_STAGE_FLOOR)[0], &d->parameters, value, slope, curvature);
    for (int l = 0; l < SN_LANES; l++) eta[l] *= 2.0 * slope[l] / sn_lane_max(2.0 * slope[l] + eta[l], 1e-300);
}

// x of min b f(x^2/b^2) + tau/2 (far - x)^2: one root.
static void find_length(const Problem* p, const double* eta, const double* far, double* x)
{
    const SnViscousPack* pack = &p->terms->packs[0];
    SnLaneArray y, force;
    for (int l = 0; l < SN_LANES; l++) y[l] = far[l] / pack->b;
    pack->dissipation->type->packs->pull(y, eta, &pack->dissipation->parameters, force);
    for (int l = 0; l < SN_LANES; l++) x[l] = sn_lane_max(far[l] - force[l] / p->tau[l], 0.0);
}

// R <- the orthogonal matrix nearest to m.
static void find_turn(const SnLaneArray* m, SnLaneArray* turn)
{
    SnLaneMatrix u, v;
    SnLaneArray s[3];
    sn_lanes_svd(m, u, s, v);
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < SN_LANES; l++) u[i][l] *= s[i / 3][l] < 0.0 ? -1.0 : 1.0;
    sn_lanes_multiply((const SnLaneArray*)u, false, (const SnLaneArray*)v, true, turn);
}

// (tr m - m)^-1 a for the symmetric part of m.
SN_INLINE void solve_turning(const SnLaneArray* m, const SnLaneArray* a, SnLaneArray* w, int l)
{
    double xy = -0.5 * (m[1][l] + m[3][l]), xz = -0.5 * (m[2][l] + m[6][l]), yz = -0.5 * (m[5][l] + m[7][l]);
    double xx = m[4][l] + m[8][l], yy = m[0][l] + m[8][l], zz = m[0][l] + m[4][l];
    double cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
    double cyy = xx * zz - xz * xz, cyz = xy * xz - xx * yz, czz = xx * yy - xy * xy;
    double det = xx * cxx + xy * cxy + xz * cxz, inverse = 1.0 / (fabs(det) > 1e-30 ? det : 1e-30);
    w[0][l] = inverse * (cxx * a[0][l] + cxy * a[1][l] + cxz * a[2][l]);
    w[1][l] = inverse * (cxy * a[0][l] + cyy * a[1][l] + cyz * a[2][l]);
    w[2][l] = inverse * (cxz * a[0][l] + cyz * a[1][l] + czz * a[2][l]);
}

// R <- R Q, Q the small turn with which Q^T m is symmetric to second order. Returns the largest turn of a lane,
// squared.
static double turn_on(const Problem* p, const SnLaneArray* m, SnLaneArray* turn)
{
    const double* volume = p->terms->packs[0].term.volume;
    SnLaneArray a[3], w[3];
    SnLaneMatrix q, next;
    double most = 0.0;
    sn_axial(m, a);
#pragma omp simd
    for (int l = 0; l < SN_LANES; l++) solve_turning(m, (const SnLaneArray*)a, w, l);
    for (int l = 0; l < SN_LANES; l++) {
        double x = w[0][l], y = w[1][l], z = w[2][l], square = x * x + y * y + z * z;
        double f = 1.0 / (1.0 + 0.25 * square), g = 0.5 * f;
        q[0][l] = 1.0 - g * (y * y + z * z), q[4][l] = 1.0 - g * (x * x + z * z), q[8][l] = 1.0 - g * (x * x + y * y);
        q[1][l] = f * z + g * x * y, q[3][l] = -f * z + g * x * y;
        q[2][l] = -f * y + g * x * z, q[6][l] = f * y + g * x * z;
        q[5][l] = f * x + g * y * z, q[7][l] = -f * x + g * y * z;
        most = sn_lane_max(most, volume[l] > 0.0 ? square : 0.0);
    }
    sn_lanes_multiply((const SnLaneArray*)turn, false, (const SnLaneArray*)q, false, next);
    sn_lanes_copy((const SnLaneArray*)next, 9, turn);
    return most;
}

// S on the way from S^p to what R makes of y, seen = R^T y, which is nearest. Returns the largest change, squared.
static double find_stretch(const Problem* p, const SnLaneArray* seen, const double* eta, SnLaneArray* s)
{
    const SnLaneArray* past = sn_stage(&p->terms->packs[0], SN_STAGE_PAST);
    const double* volume = p->terms->packs[0].term.volume;
    SnLaneMatrix way;
    SnLaneArray far = {0}, length;
    double change = 0.0;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < SN_LANES; l++) {
            way[i][l] = 0.5 * (seen[i][l] + seen[i % 3 * 3 + i / 3][l]) - past[i][l];
            far[l] += way[i][l] * way[i][l];
        }
    for (int l = 0; l < SN_LANES; l++) far[l] = sqrt(far[l]);
    find_length(p, eta, far, length);
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < SN_LANES; l++) {
            double next = past[i][l] + way[i][l] * length[l] / sn_lane_max(far[l], 1e-300), off = next - s[i][l];
            s[i][l] = next, change = sn_lane_max(change, volume[l] > 0.0 ? off * off : 0.0);
        }
    return change;
}

// z = R S: S for R, and R what is nearest to y for that S, in turn.
static void alternate(const Problem* p, SnLaneArray* z)
{
    enum { MOST = 20 };
    const SnLaneArray* y = (const SnLaneArray*)p->y;
    SnLaneMatrix turn, seen, s = {{0}}, product;
    SnLaneArray eta;
    find_springs(p, eta);
    find_turn(y, turn);
    for (int k = 0; k < MOST; k++) {
        sn_lanes_multiply((const SnLaneArray*)turn, true, y, false, seen);
        double change = find_stretch(p, (const SnLaneArray*)seen, eta, s);
        if (change < 1e-23) break;
        sn_lanes_multiply((const SnLaneArray*)seen, false, (const SnLaneArray*)s, false, product);
        if (turn_on(p, (const SnLaneArray*)product, turn) < SMALL_TURN) continue;
        sn_lanes_multiply(y, false, (const SnLaneArray*)s, false, product);
        find_turn((const SnLaneArray*)product, turn);
    }
    sn_lanes_multiply((const SnLaneArray*)turn, false, (const SnLaneArray*)s, false, z);
}

void SN_KERNEL(sn_viscous_prox)(const SnViscousTerms* terms, const double* y, const double* weight, double* z)
{
    Problem p = {.terms = terms, .width = terms->packs[0].type->coordinates};
    Point points[2], *here = &points[0], *trial = &points[1];
    SnLaneHessian a;
    SnLaneMatrix d;
    int size = 3 * p.width;
    for (int k = 0; k < size; k++) memcpy(p.y[k], y + k * SN_LANES, sizeof(SnLaneArray));
    for (int l = 0; l < SN_LANES; l++) {
        double volume = terms->packs[0].term.volume[l];
        p.tau[l] = sn_lane_max(weight[l] / (volume > 0.0 ? volume : 1.0), 1e-100);
    }
    if (terms->count == 1 && !terms->elastic && sn_rate_kind(&terms->packs[0]) == SN_KIND_POLAR)
        alternate(&p, here->z);
    else
        set_start(&p, here);
    evaluate(&p, here);
    bool fast = false;
    int stuck = 0;
    for (int k = 0;
         k < (terms->iterations > 0 ? terms->iterations : ITERATIONS) && stuck < MOST_STUCK && is_open(&p, here); k++) {
        if (!fast) find_second(&p, here, a), factor(a);
        solve((const SnLaneArray*)a, (const SnLaneArray*)here->g, d);
        bool kept = fast, moved = advance(&p, here, trial, (const SnLaneArray*)d);
        if (!moved && !kept) break;
        fast = moved && is_fast(&p, here, trial);
        stuck = moved && !is_stuck(&p, here, trial) ? 0 : stuck + 1;
        if (!moved) continue; // a second derivative of its own may do better
        Point* swap = here;
        here = trial, trial = swap;
    }
    if (terms->upright && terms->elastic && p.width == 3) turn(&p, here->z);
    for (int k = 0; k < size; k++) memcpy(z + k * SN_LANES, here->z[k], sizeof(SnLaneArray));
}
