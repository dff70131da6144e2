// The prox of an isotropic density with fibers: a safeguarded Newton in the nine entries of F.
//
// All matrices are written in the frame of F's singular vectors, dF = U X V^T, where the isotropic part is block
// diagonal (potential/modes.h), the fibers add k_ik e_j e_l to the pair (X_ij, X_kl) with e = V^T d, and the pull adds
// a multiple of the identity.
#include "potential/prox9.h"

#include <math.h>
#include <string.h>

#include "linalg/svd3.h"

enum { ITERATIONS = 100, HALVINGS = 60 };
#define TOLERANCE 1e-13
#define ROUNDING 1e-12 // of the value, generously: it is a difference of larger numbers

// What is known at one F. Matrices are column-major: entry (r, c) is [3c + r].
typedef struct Point {
    double f[9], u[9], v[9], s[3];
    double value;    // the objective over V
    double psi[3];   // first derivatives of the density by the stretches
    double n[3];     // direction of F d; where that vanishes, of the rotation's image of d
    double length;   // |F d|
    double g[9];     // the gradient over V, not rotated
    double relative; // its largest entry over the sizes of its parts
} Point;

static double tau_of(const SnProx9* p)
{
    return p->weight / p->volume;
}

static void multiply(const double* a, const double* x, double* out)
{
    for (int r = 0; r < 3; r++) out[r] = a[r] * x[0] + a[3 + r] * x[1] + a[6 + r] * x[2];
}

// U diag(s) V^T
static void compose(const double* u, const double* s, const double* v, double* out)
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            out[3 * c + r] = u[r] * s[0] * v[c] + u[3 + r] * s[1] * v[3 + c] + u[6 + r] * s[2] * v[6 + c];
}

static void find_fiber(const SnProx9* p, Point* x)
{
    multiply(x->f, p->direction, x->n);
    x->length = sqrt(sn_lane_dot(x->n, x->n));
    if (x->length > 1e-150) {
        for (int c = 0; c < 3; c++) x->n[c] /= x->length;
        return;
    }
    const double one[3] = {1, 1, 1};
    double rotation[9];
    compose(x->u, one, x->v, rotation);
    multiply(rotation, p->direction, x->n);
}

static void evaluate(const SnProx9* p, const double* y, const double* f, Point* x)
{
    double tau = tau_of(p), size = 0, largest = 0, iso[9];
    memcpy(x->f, f, sizeof x->f);
    memcpy(iso, f, sizeof iso); // the decomposition works in place
    sn_lane_svd3(iso, x->u, x->s, x->v);
    find_fiber(p, x);
    SnStretches s = {x->s[0], x->s[1], x->s[2]}, g = p->material->gradient(s, p->parameters);
    double stretch = x->length - 1;
    x->psi[0] = g.s1, x->psi[1] = g.s2, x->psi[2] = g.s3;
    compose(x->u, x->psi, x->v, iso);
    x->value = p->material->energy(s, p->parameters) + 0.5 * p->fiber * stretch * stretch;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            int k = 3 * c + r;
            double fiber = p->fiber * stretch * x->n[r] * p->direction[c], off = f[k] - y[k];
            x->g[k] = iso[k] + fiber + tau * off;
            x->value += 0.5 * tau * off * off;
            size = fmax(size, fabs(iso[k]) + fabs(fiber) + tau * (1 + fabs(y[k])));
            largest = fmax(largest, fabs(x->g[k]));
        }
    // A barrier is left where the energy or the stress is no number.
    bool feasible = isfinite(x->value) && isfinite(largest);
    x->value = feasible ? x->value : INFINITY;
    x->relative = feasible ? largest / size : INFINITY;
}

// The pair of X_ij, X_ji: [same cross; cross same], both eigenvalues clamped at zero when projected.
static void pair_modes(const Point* x, const double h[3][3], int i, int j, bool project, double* same, double* cross)
{
    double difference = x->s[i] - x->s[j], sum = x->s[i] + x->s[j];
    double flip = fabs(difference) < 1e-5 ? 0.5 * (h[i][i] + h[j][j]) - h[i][j] : (x->psi[i] - x->psi[j]) / difference;
    double twist = (x->psi[i] + x->psi[j]) / fmax(sum, 1e-12);
    if (project) flip = fmax(flip, 0), twist = fmax(twist, 0);
    *same = 0.5 * (flip + twist);
    *cross = 0.5 * (flip - twist);
}

static void add_isotropic(const SnProx9* p, const Point* x, bool project, double a[9][9])
{
    SnStretchHessian d = p->material->hessian((SnStretches){x->s[0], x->s[1], x->s[2]}, p->parameters);
    double h[3][3] = {{d.h11, d.h12, d.h13}, {d.h12, d.h22, d.h23}, {d.h13, d.h23, d.h33}};
    double block[6] = {d.h11, d.h22, d.h33, d.h12, d.h13, d.h23};
    if (project) sn_lane_project_spd3(block);
    const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[4 * i][4 * j] += block[place[i][j]];
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            double same, cross;
            pair_modes(x, (const double(*)[3])h, i, j, project, &same, &cross);
            int k = 3 * j + i, l = 3 * i + j;
            a[k][k] += same, a[l][l] += same;
            a[k][l] += cross, a[l][k] += cross;
        }
}

// kappa (n n^T + (1 - 1/|F d|) (I - n n^T)) on F d, seen from the frame.
static void add_fiber(const SnProx9* p, const Point* x, bool project, double a[9][9])
{
    double e[3], n[3], across = 1 - 1 / fmax(x->length, 1e-12);
    if (project) across = fmax(across, 0);
    for (int c = 0; c < 3; c++) {
        e[c] = sn_lane_dot(x->v + 3 * c, p->direction);
        n[c] = sn_lane_dot(x->u + 3 * c, x->n);
    }
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < 9; l++) {
            int i = k % 3, j = l % 3;
            double stiffness = (i == j ? across : 0) + (1 - across) * n[i] * n[j];
            a[k][l] += p->fiber * stiffness * e[k / 3] * e[l / 3];
        }
}

// Solves a d = -g by Cholesky's method, in place. False: a is not positive definite.
static bool solve(double a[9][9], const double g[9], double d[9])
{
    double trace = 0;
    for (int i = 0; i < 9; i++) trace += fabs(a[i][i]);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            if (i == j && !(sum > 1e-14 * trace)) return false;
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    }
    for (int i = 0; i < 9; i++) {
        double sum = -g[i];
        for (int k = 0; k < i; k++) sum -= a[i][k] * d[k];
        d[i] = sum / a[i][i];
    }
    for (int i = 8; i >= 0; i--) {
        double sum = d[i];
        for (int k = i + 1; k < 9; k++) sum -= a[k][i] * d[k];
        d[i] = sum / a[i][i];
    }
    return true;
}

// U X V^T or, transposed, U^T X V.
static void turn(const double* u, const double* x, const double* v, bool transposed, double* out)
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) {
            out[3 * c + r] = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    out[3 * c + r] += transposed ? u[3 * r + i] * x[3 * j + i] * v[3 * c + j]
                                                 : u[3 * i + r] * x[3 * j + i] * v[3 * j + c];
        }
}

// Newton's direction; true when the Hessian itself was positive definite, otherwise its projection is taken.
static bool find_direction(const SnProx9* p, const Point* x, double d[9])
{
    double g[9], step[9];
    turn(x->u, x->g, x->v, true, g);
    for (int project = 0; project < 2; project++) {
        double a[9][9] = {{0}};
        add_isotropic(p, x, project, a);
        add_fiber(p, x, project, a);
        for (int i = 0; i < 9; i++) a[i][i] += tau_of(p);
        if (!solve(a, g, step)) continue;
        turn(x->u, step, x->v, false, d);
        return !project;
    }
    for (int i = 0; i < 9; i++) d[i] = -x->g[i] / tau_of(p); // rounding has eaten the pull
    return false;
}

static void try_step(const SnProx9* p, const double* y, const Point* from, const double* d, double t, Point* trial)
{
    double f[9];
    for (int i = 0; i < 9; i++) f[i] = from->f[i] + t * d[i];
    evaluate(p, y, f, trial);
}

// The full step of a convex model where it halves the gradient without going up (to the other side of a hill), else as
// far as the value decreases. False: no progress.
static bool advance(const SnProx9* p, const double* y, Point* x)
{
    double d[9], slope = 0, t = 1,
                 stiffness = fabs(p->parameters.mu) + fabs(p->parameters.lambda) + p->fiber + tau_of(p);
    double slack = ROUNDING * (fabs(x->value) + stiffness);
    Point trial;
    bool convex = find_direction(p, x, d);
    for (int i = 0; i < 9; i++) slope += x->g[i] * d[i];
    try_step(p, y, x, d, 1, &trial);
    bool good = convex && trial.relative <= 0.5 * x->relative && trial.value <= x->value + slack;
    for (int k = 0; k < HALVINGS && !good; k++, t *= 0.5) {
        if (k > 0) try_step(p, y, x, d, t, &trial);
        good = trial.value < x->value + 1e-4 * t * slope;
    }
    if (!good) { // at the rounding of the value, a smaller gradient is progress
        try_step(p, y, x, d, 1, &trial);
        good = trial.relative < x->relative && trial.value <= x->value + slack;
    }
    if (good) *x = trial;
    return good;
}

// Y, kept away from a barrier, and the rotation in it.
static void find_starts(const SnProx9* p, const double* y, double near[9], double rest[9])
{
    double u[9], s[3], v[9];
    const double one[3] = {1, 1, 1};
    memcpy(near, y, 9 * sizeof *near);
    sn_lane_svd3(near, u, s, v);
    compose(u, one, v, rest);
    double least = p->material->barrier ? fmax(p->parameters.floor, 0.1) : -INFINITY;
    for (int i = 0; i < 3; i++) s[i] = fmax(s[i], least);
    compose(u, s, v, near);
}

// The density pushes much harder than the pull: far out on an exponential, Newton crawls.
static bool is_far(const SnProx9* p, const double* y, const Point* x)
{
    double push = 0, pull = 0;
    for (int k = 0; k < 9; k++) push += fabs(x->g[k]), pull += tau_of(p) * (1 + fabs(y[k]));
    return !(push < 100 * pull); // also where it is infinite
}

static void minimize(const SnProx9* p, const double* y, Point* x)
{
    for (int k = 0; k < ITERATIONS && x->relative > TOLERANCE; k++)
        if (!advance(p, y, x)) return;
}

// Where the way from Y ends inside out, or higher than rest is, there may be a better minimum on the way from rest.
double sn_prox9(const SnProx9* p, const double y[9], double z[9])
{
    Point x, other;
    double near[9], rest[9];
    memcpy(z, y, 9 * sizeof *z);
    if (!(p->volume > 0)) return 0; // nothing pulls away from Y
    find_starts(p, y, near, rest);
    evaluate(p, y, near, &x);
    evaluate(p, y, rest, &other);
    if (is_far(p, y, &x)) x = other;
    minimize(p, y, &x);
    if (x.s[2] < 0 || other.value < x.value) {
        minimize(p, y, &other);
        if (other.value < x.value) x = other;
    }
    memcpy(z, x.f, sizeof x.f);
    return x.relative;
}
