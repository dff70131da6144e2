// Values that match a measured curve: sum of squares of r_i = y(x_i) - y_i, by Levenberg and Marquardt's method,
// (J^T J + m diag(J^T J)) d = -J^T r, with J from differences: a run for each value and one for each try. Between two
// positive bounds values are taken by their logarithms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/measured.h"
#include "core/memory.h"
#include "experiment/sweep.h"

enum { MOST = SN_SWEEP_MOST_OVERS };
#define DIFFERENCE 0.01 // of the way between the bounds
#define SETTLED 1e-4    // the same: steps that are shorter end it

typedef struct Fit {
    SnSweep* sweep;
    SnSweepFit* def;
    int n;                     // values
    double lo[MOST], hi[MOST]; // bounds
    bool logarithmic[MOST];
    int count; // points of the curve
    double *x, *y;
    double *r, *trial, *slopes; // count; count; n x count
} Fit;

// --- the measured curve ---

static SnStatus read_curve(Fit* fit, const char* path)
{
    int x_capacity = 0, y_capacity = 0, line = 0;
    char text[512];
    FILE* file = fopen(path, "r");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: the curve cannot be opened", path);
    SnStatus status = SN_OK;
    while (status == SN_OK && fgets(text, sizeof text, file)) {
        double x, y;
        int found = sscanf(text, " %lf%*[ \t,;]%lf", &x, &y);
        bool heading = ++line == 1 && found < 1; // its columns' names
        if (heading || text[strspn(text, " \t\r\n")] == 0 || text[0] == '#') continue;
        if (found != 2 || !isfinite(x) || !isfinite(y))
            status = sn_fail(SN_ERROR_FORMAT, "%s:%d: a line must have two numbers, found '%.40s'", path, line, text);
        else if (fit->count > 0 && !(x > fit->x[fit->count - 1]))
            status = sn_fail(SN_ERROR_FORMAT, "%s:%d: %g follows %g; the first column must increase", path, line, x,
                             fit->x[fit->count - 1]);
        else if (!SN_GROW(fit->x, x_capacity, fit->count + 1, "a curve") ||
                 !SN_GROW(fit->y, y_capacity, fit->count + 1, "a curve"))
            status = SN_ERROR_MEMORY;
        else
            fit->x[fit->count] = x, fit->y[fit->count] = y, fit->count++;
    }
    fclose(file);
    if (status == SN_OK && fit->count < fit->n)
        status = sn_fail(SN_ERROR_VALUE, "%s: the curve has %d points, fewer than the %d values to be found", path,
                         fit->count, fit->n);
    return status;
}

// --- values ---

static SnStatus read_bounds(Fit* fit)
{
    for (int k = 0; k < fit->n; k++) {
        const SnSweepOver* over = &fit->sweep->overs[k];
        int end = 0;
        if (over->count != 1 || sscanf(over->values[0], "%lf:%lf%n", &fit->lo[k], &fit->hi[k], &end) != 2 ||
            over->values[0][end] || !(fit->lo[k] < fit->hi[k]) || !isfinite(fit->hi[k] - fit->lo[k]))
            return sn_fail(SN_ERROR_VALUE, "--over %s=%s: for --fit it must be two bounds LO:HI, as in 1e4:1e6",
                           over->path, over->values[0]);
        fit->logarithmic[k] = fit->lo[k] > 0 && fit->hi[k] > 2 * fit->lo[k];
    }
    return SN_OK;
}

// 0 to 1, as the method has them.
static double value_of(const Fit* fit, int k, double u)
{
    return fit->logarithmic[k] ? fit->lo[k] * pow(fit->hi[k] / fit->lo[k], u)
                               : fit->lo[k] + u * (fit->hi[k] - fit->lo[k]);
}

static SnStatus add_case(Fit* fit, const double* u)
{
    char texts[MOST][32];
    const char* values[MOST];
    for (int k = 0; k < fit->n; k++) {
        snprintf(texts[k], sizeof texts[k], "%.9g", value_of(fit, k, u[k]));
        values[k] = texts[k];
    }
    fit->def->runs++;
    return sn_sweep_add_case(fit->sweep, values);
}

// --- a run's curve beside the measured one ---

// y at each x of the measured curve, linear between the steps; beyond them, as at the nearest.
static double at(const double* x, const double* y, int count, double where)
{
    double nearest = NAN, distance = INFINITY;
    for (int i = 0; i < count; i++) {
        if (isnan(x[i]) || isnan(y[i])) continue;
        if (fabs(x[i] - where) < distance) distance = fabs(x[i] - where), nearest = y[i];
        bool between = i + 1 < count && (x[i] - where) * (x[i + 1] - where) <= 0 && x[i] != x[i + 1];
        if (between && !isnan(y[i + 1])) return y[i] + (y[i + 1] - y[i]) * (where - x[i]) / (x[i + 1] - x[i]);
    }
    return nearest;
}

static SnStatus read_axes(const Fit* fit, SnRunFile* run, const SnRunStep* steps, int count, double* x, double* y)
{
    const SnValueInfo* info;
    const SnSweepFit* d = fit->def;
    for (int i = 0; i < count; i++) x[i] = steps[i].time;
    SN_TRY(sn_measured_read(run, &(SnMeasuredDef){d->what, d->of}, count, y, &info));
    return d->against ? sn_measured_read(run, &(SnMeasuredDef){d->against, NULL}, count, x, &info) : SN_OK;
}

static SnStatus compare(const Fit* fit, SnRunFile* run, double* r)
{
    const SnRunStep* steps;
    int count;
    double *x, *y = NULL;
    SN_TRY(sn_run_file_read_steps(run, -1, &steps, &count));
    if (!SN_NEW(x, count, "a curve")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(y, count, "a curve") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = read_axes(fit, run, steps, count, x, y);
    for (int i = 0; i < fit->count && status == SN_OK; i++) r[i] = at(x, y, count, fit->x[i]) - fit->y[i];
    SN_FREE(x, y);
    return status;
}

static SnStatus residual(Fit* fit, int number, double* r)
{
    SnRunFile* run;
    const SnSweepCase* one = &fit->sweep->cases[number];
    if (!one->done)
        return sn_fail(SN_ERROR_UNSUPPORTED, "case %d, %s=%s, failed: %s", number, fit->sweep->overs[0].path,
                       one->values[0], one->failure ? one->failure : "it was not run");
    SN_TRY(sn_run_file_open(sn_sweep_path(fit->sweep, number, ".run"), &run));
    SnStatus status = compare(fit, run, r);
    sn_run_file_destroy(run);
    for (int i = 0; i < fit->count && status == SN_OK; i++)
        if (!isfinite(r[i]))
            status = sn_fail(SN_ERROR_UNSUPPORTED, "case %d has nothing to compare with at %g", number, fit->x[i]);
    return status;
}

static double squares(const double* r, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += r[i] * r[i];
    return sum;
}

// --- the method ---

// Solves a d = b by Gauss's elimination with pivots; false: it is singular.
static bool solve(int n, double a[MOST][MOST], double b[MOST], double d[MOST])
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++) pivot = fabs(a[i][c]) > fabs(a[pivot][c]) ? i : pivot;
        if (!(fabs(a[pivot][c]) > 0)) return false;
        for (int j = 0; j < n; j++) {
            double swap = a[c][j];
            a[c][j] = a[pivot][j], a[pivot][j] = swap;
        }
        double swap = b[c];
        b[c] = b[pivot], b[pivot] = swap;
        for (int i = c + 1; i < n; i++) {
            double f = a[i][c] / a[c][c];
            for (int j = c; j < n; j++) a[i][j] -= f * a[c][j];
            b[i] -= f * b[c];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        d[i] = b[i];
        for (int j = i + 1; j < n; j++) d[i] -= a[i][j] * d[j];
        d[i] /= a[i][i];
    }
    return true;
}

static void normal_equations(const Fit* fit, double damping, double a[MOST][MOST], double b[MOST])
{
    for (int i = 0; i < fit->n; i++) {
        const double* own = fit->slopes + (int64_t)i * fit->count;
        b[i] = 0;
        for (int k = 0; k < fit->count; k++) b[i] -= own[k] * fit->r[k];
        for (int j = 0; j < fit->n; j++) {
            a[i][j] = 0;
            for (int k = 0; k < fit->count; k++) a[i][j] += own[k] * fit->slopes[(int64_t)j * fit->count + k];
        }
        a[i][i] *= 1 + damping;
    }
}

// Runs of u and of its neighbours, side by side; residual and slopes.
static SnStatus take_slopes(Fit* fit, const double* u, bool known)
{
    int first = fit->sweep->case_count;
    double steps[MOST];
    if (!known) SN_TRY(add_case(fit, u));
    for (int k = 0; k < fit->n; k++) {
        double beside[MOST];
        memcpy(beside, u, sizeof beside);
        steps[k] = u[k] + DIFFERENCE > 1 ? -DIFFERENCE : DIFFERENCE;
        beside[k] += steps[k];
        SN_TRY(add_case(fit, beside));
    }
    SN_TRY(sn_sweep_open(fit->sweep));
    SN_TRY(sn_sweep_run(fit->sweep, first, &fit->def->stopped));
    if (fit->def->stopped) return SN_OK;
    if (!known) SN_TRY(residual(fit, first, fit->r));
    for (int k = 0; k < fit->n; k++) {
        double* slope = fit->slopes + (int64_t)k * fit->count;
        SN_TRY(residual(fit, first + !known + k, slope));
        for (int i = 0; i < fit->count; i++) slope[i] = (slope[i] - fit->r[i]) / steps[k];
    }
    return SN_OK;
}

// Goes to a better place, with more and more damping where there is none nearby; how far it went, 0: nowhere.
static SnStatus improve(Fit* fit, double* u, double* damping, double* gone)
{
    double before = squares(fit->r, fit->count);
    *gone = 0;
    for (int trial = 0; trial < 6 && fit->def->runs < fit->def->most_runs; trial++, *damping *= 10) {
        double a[MOST][MOST], b[MOST], d[MOST], next[MOST] = {0}, way = 0;
        normal_equations(fit, *damping, a, b);
        if (!solve(fit->n, a, b, d))
            return sn_fail(SN_ERROR_VALUE, "the curve does not depend on one of the values; leave that --over out");
        for (int k = 0; k < fit->n; k++) {
            next[k] = fmin(fmax(u[k] + d[k], 0), 1);
            way = fmax(way, fabs(next[k] - u[k]));
        }
        if (way < 0.01 * SETTLED) return SN_OK;
        SN_TRY(add_case(fit, next));
        SN_TRY(sn_sweep_open(fit->sweep));
        SN_TRY(sn_sweep_run(fit->sweep, fit->sweep->case_count - 1, &fit->def->stopped));
        if (fit->def->stopped) return SN_OK;
        SN_TRY(residual(fit, fit->sweep->case_count - 1, fit->trial));
        if (squares(fit->trial, fit->count) >= before) continue;
        memcpy(u, next, sizeof next);
        memcpy(fit->r, fit->trial, (size_t)fit->count * sizeof *fit->r);
        *gone = way, *damping *= 0.1;
        return SN_OK;
    }
    return SN_OK;
}

// Standard deviations by the curvature there: s^2 (J^T J)^-1, s^2 the sum of squares by what is left of the points.
static void find_spread(Fit* fit, const double* u)
{
    double s2 = squares(fit->r, fit->count) / (fit->count > fit->n ? fit->count - fit->n : 1);
    for (int k = 0; k < fit->n; k++) {
        double a[MOST][MOST], b[MOST], d[MOST];
        normal_equations(fit, 0, a, b);
        for (int i = 0; i < fit->n; i++) b[i] = i == k;
        double value = value_of(fit, k, u[k]);
        double slope = fit->logarithmic[k] ? value * log(fit->hi[k] / fit->lo[k]) : fit->hi[k] - fit->lo[k];
        fit->def->best[k] = value;
        fit->def->spread[k] = solve(fit->n, a, b, d) && d[k] >= 0 ? sqrt(s2 * d[k]) * slope : NAN;
    }
    fit->def->misfit = sqrt(squares(fit->r, fit->count) / fit->count);
}

static SnStatus search(Fit* fit)
{
    double u[MOST], damping = 1e-3, gone = 1;
    for (int k = 0; k < MOST; k++) u[k] = 0.5;
    SN_TRY(take_slopes(fit, u, false));
    while (!fit->def->stopped && fit->def->runs < fit->def->most_runs) {
        SN_TRY(improve(fit, u, &damping, &gone));
        if (fit->def->stopped) break;
        fit->def->converged = gone < SETTLED;
        if (fit->def->converged || fit->def->runs + fit->n > fit->def->most_runs) break;
        SN_TRY(take_slopes(fit, u, true));
    }
    find_spread(fit, u);
    return SN_OK;
}

SnStatus sn_sweep_fit(SnSweep* sweep, SnSweepFit* def)
{
    Fit fit = {.sweep = sweep, .def = def, .n = sweep->over_count};
    SnStatus status = read_bounds(&fit);
    if (status == SN_OK) status = read_curve(&fit, def->curve);
    if (status == SN_OK && (!SN_NEW(fit.r, fit.count, "a fit") || !SN_NEW(fit.trial, fit.count, "a fit") ||
                            !SN_NEW(fit.slopes, (int64_t)fit.n * fit.count, "a fit")))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK) status = search(&fit);
    SN_FREE(fit.x, fit.y, fit.r, fit.trial, fit.slopes);
    return status;
}
