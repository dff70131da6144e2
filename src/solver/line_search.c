// Line searches along search->d, by name: armijo, wolfe, dot, dot-uncapped, none.
//
// armijo shortens t until E(x + t d) <= E(x) + c t g.d (Armijo 1966). wolfe also asks |g(x + t d).d| <= c2 |g.d|
// (strong Wolfe conditions, by bracketing and cubic interpolation; Nocedal and Wright 2006, 3.5-3.6). dot starts from
// the minimum of the quadratic along d, t = min(1, max(0.1, -d.g / d.H d)) (Li et al. 2019, eq. 14), and asks for plain
// decrease; dot-uncapped may begin beyond 1. none takes the full step, whatever comes of it.
//
// A trial outside the domain of a barrier material has infinite energy and is refused like any other, so the iterates
// stay feasible. Close to the minimum the decrease drowns in E's rounding; then a step is judged by its gradient
// instead (sn_minimize does), and the search only asks that E does not rise beyond rounding.
#include "solver/line_search.h"

#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/node_vector.h"
#include "linalg/vector.h"

enum { TRIALS = 40, WOLFE_TRIALS = 30 };
#define ROUNDING 1e-14 // of E relative to its magnitude: sums of many terms

static int length_of(const SnSearch* s)
{
    return 3 * s->objective->nodes.count;
}

static double dot_with_d(const SnSearch* s, const double* g)
{
    return sn_nodes_dot(s->objective->nodes.tasks, s->objective->nodes.count, g, s->d);
}

static double norm(const SnSearch* s, const double* x)
{
    return sn_nodes_norm(s->objective->nodes.tasks, s->objective->nodes.count, x);
}

// x + t d with its value and gradient, in the trial buffers.
static SnObjectiveValue try_step(SnSearch* s, double t)
{
    double start = sn_now_ms();
    sn_vector_axpy(s->objective->nodes.tasks, length_of(s), t, s->d, s->x, s->trial);
    SnObjectiveValue value = sn_objective_gradient(s->objective, s->trial, s->trial_g);
    s->evaluations++;
    s->ms.evaluate += sn_now_ms() - start;
    return value;
}

// The trial becomes the iterate; the trial buffers keep the old one.
static void accept(SnSearch* s, double t, SnObjectiveValue value)
{
    double *x = s->x, *g = s->g;
    s->x = s->trial, s->g = s->trial_g;
    s->trial = x, s->trial_g = g;
    s->value = value;
    s->step = t;
    s->norm = norm(s, s->g);
}

typedef struct Point {
    double t, value, slope;
} Point;

// The minimum of the cubic through two points with slopes, kept inside their interval.
static double interpolate(Point a, Point b)
{
    double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t);
    double square = d1 * d1 - a.slope * b.slope, d2 = square > 0 ? copysign(sqrt(square), b.t - a.t) : 0;
    double t = b.t - (b.t - a.t) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
    double lo = fmin(a.t, b.t), hi = fmax(a.t, b.t), margin = 0.1 * (hi - lo);
    return t > lo + margin && t < hi - margin ? t : 0.5 * (lo + hi);
}

// Where the decrease is below E's rounding, the slope decides instead: E falls along the step unless it has turned up
// (Hager and Zhang 2005, approximate Wolfe conditions).
static bool slope_is_good(SnSearch* s, double slope, double c)
{
    return dot_with_d(s, s->trial_g) <= (2 * c - 1) * slope;
}

// Shorter and shorter steps, each the minimum of the cubic through what is known, within [0.1, 0.5] of the last. Trials
// come with their gradients: mostly the first or second one is taken.
static bool backtrack(SnSearch* s, double slope, double slack, double t, double c)
{
    const Point start = {0, s->value.total, slope};
    for (int k = 0; k < TRIALS; k++) {
        SnObjectiveValue value = try_step(s, t);
        double above = value.total - (start.value + c * t * slope);
        if (above <= 0 || (above <= slack && slope_is_good(s, slope, c))) {
            accept(s, t, value);
            return true;
        }
        Point trial = {t, value.total, dot_with_d(s, s->trial_g)};
        double next = isfinite(trial.value) && isfinite(trial.slope) ? interpolate(start, trial) : 0.5 * t;
        t = fmin(0.5 * t, fmax(0.1 * t, next));
    }
    return false;
}

// The first step: all the way, or as far as constraints let it go.
static double first_step(const SnSearch* s)
{
    return sn_constraints_longest_step(s->objective->constraints, s->x, s->d);
}

static bool armijo(SnSearch* s, double slope, double slack)
{
    return backtrack(s, slope, slack, first_step(s), s->armijo);
}

static bool none(SnSearch* s, double slope, double slack)
{
    (void)slope, (void)slack;
    double t = first_step(s);
    accept(s, t, try_step(s, t));
    return true;
}

// d.H d by a difference of gradients.
static bool from_quadratic(SnSearch* s, double slope, double slack, double cap)
{
    double size = norm(s, s->d), t = 1;
    double step = 1e-6 * norm(s, s->x) / (size > 0 ? size : 1);
    if (isfinite(try_step(s, step).total)) {
        double curvature = (dot_with_d(s, s->trial_g) - slope) / step;
        t = curvature > 0 ? fmin(cap, fmax(0.1, -slope / curvature)) : 1;
    }
    double longest = first_step(s); // at most 1: beyond it, as far as that when constraints are in the way
    return backtrack(s, slope, slack, longest < 1 ? fmin(t, longest) : t, 0);
}

static bool dot(SnSearch* s, double slope, double slack)
{
    return from_quadratic(s, slope, slack, 1);
}

static bool dot_uncapped(SnSearch* s, double slope, double slack)
{
    return from_quadratic(s, slope, slack, INFINITY);
}

static bool wolfe(SnSearch* s, double slope, double slack)
{
    Point start = {0, s->value.total, slope}, lo = start, hi = {INFINITY, INFINITY, 0};
    double t = 1;
    if (first_step(s) < t) return armijo(s, slope, slack); // it cannot be bracketed from beyond
    for (int k = 0; k < WOLFE_TRIALS; k++) {
        SnObjectiveValue value = try_step(s, t);
        Point p = {t, value.total, dot_with_d(s, s->trial_g)};
        bool low = p.value <= start.value + s->armijo * t * slope + slack && (p.value < lo.value + slack || lo.t == 0);
        if (low && fabs(p.slope) <= -s->wolfe * slope) {
            accept(s, t, value);
            return true;
        }
        if (!low || !isfinite(p.value)) {
            hi = p;
        } else {
            if (isfinite(hi.t) ? p.slope * (hi.t - lo.t) >= 0 : p.slope >= 0) hi = lo;
            lo = p;
        }
        if (!isfinite(hi.t))
            t = 2 * t;
        else
            t = isfinite(hi.value) ? interpolate(lo, hi) : 0.5 * (lo.t + hi.t);
    }
    return backtrack(s, slope, slack, lo.t > 0 ? lo.t : 1, s->armijo);
}

typedef struct Row {
    const char* name;
    bool (*search)(SnSearch* s, double slope, double slack);
} Row;
static const Row table[] = {
    {"armijo", armijo}, {"wolfe", wolfe}, {"dot", dot}, {"dot-uncapped", dot_uncapped}, {"none", none}, {0}};
const SnTable sn_line_search_table = {.noun = "line search", .rows = table, .stride = sizeof(Row)};

int sn_line_search_find(const char* name)
{
    const Row* row = sn_table_find(&sn_line_search_table, name);
    return row ? (int)(row - table) : -1;
}

bool sn_line_search(SnSearch* s)
{
    double slope = dot_with_d(s, s->g);
    if (!(slope < 0)) return false;
    double slack = ROUNDING * s->value.magnitude;
    s->floor_reached = -slope <= slack;
    if (table[s->line_search].search(s, slope, slack)) return true;
    s->value = sn_objective_gradient(s->objective, s->x, s->g); // also the reactions, which the trials overwrote
    return false;
}
