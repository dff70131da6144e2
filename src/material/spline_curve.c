// The curves of the spline material: natural cubic splines through points of their slopes, linear beyond the points.
#include <math.h>

#include "core/memory.h"
#include "material/spline.h"

static SnStatus check_points(const SnCurve* curve, const char* name)
{
    if (curve->count < 0 || curve->count > SN_SPLINE_POINTS)
        return sn_fail(SN_ERROR_VALUE, "%s has %d points; 2 to %d are possible", name, curve->count, SN_SPLINE_POINTS);
    if (curve->count > 0 && !curve->points)
        return sn_fail(SN_ERROR_VALUE, "%s has %d points but no list of them", name, curve->count);
    if (curve->count == 1) return sn_fail(SN_ERROR_VALUE, "%s has 1 point; it needs at least 2, or none", name);
    for (int i = 0; i < curve->count; i++) {
        const double* p = curve->points + 2 * i;
        if (!isfinite(p[0]) || !isfinite(p[1])) return sn_fail(SN_ERROR_VALUE, "%s: point %d is not finite", name, i);
        if (i > 0 && !(p[0] > p[-2]))
            return sn_fail(SN_ERROR_VALUE, "%s: stretches must increase, but %g follows %g", name, p[0], p[-2]);
    }
    return SN_OK;
}

// Second derivatives of the slope at the points, 0 at both ends: the tridiagonal system by elimination.
static void second_derivatives(const SnCurve* curve, double* second)
{
    double factor[SN_SPLINE_POINTS], right[SN_SPLINE_POINTS];
    int n = curve->count;
    const double* p = curve->points;
    factor[0] = right[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double before = p[2 * i] - p[2 * i - 2], after = p[2 * i + 2] - p[2 * i];
        double jump = (p[2 * i + 3] - p[2 * i + 1]) / after - (p[2 * i + 1] - p[2 * i - 1]) / before;
        double pivot = 2 * (before + after) - before * factor[i - 1];
        factor[i] = after / pivot;
        right[i] = (6 * jump - before * right[i - 1]) / pivot;
    }
    second[n - 1] = 0;
    for (int i = n - 2; i >= 0; i--) second[i] = right[i] - factor[i] * second[i + 1];
    second[0] = 0;
}

static void set_piece(SnSplineCurve* out, int k, double from, double origin, const double p[4])
{
    out->from[k] = from;
    out->origin[k] = origin;
    out->p0[k] = p[0], out->p1[k] = p[1], out->p2[k] = p[2], out->p3[k] = p[3];
}

static double piece_energy(const SnSplineCurve* c, int k, double s)
{
    double d = s - c->origin[k];
    return c->energy[k] + d * (c->p0[k] + d * (c->p1[k] / 2 + d * (c->p2[k] / 3 + d * c->p3[k] / 4)));
}

static int piece_of(const SnSplineCurve* c, double s)
{
    int k = 0;
    while (k + 1 < SN_SPLINE_PIECES && c->from[k + 1] <= s) k++;
    return k;
}

// Energies are continuous from piece to piece and 0 at rest.
static void integrate(SnSplineCurve* c, int pieces)
{
    for (int k = 1; k < pieces; k++) c->energy[k] = piece_energy(c, k - 1, c->origin[k]);
    double rest = piece_energy(c, piece_of(c, 1), 1);
    for (int k = 0; k < pieces; k++) c->energy[k] -= rest;
}

static void set_curve(const SnCurve* curve, SnSplineCurve* out)
{
    double second[SN_SPLINE_POINTS];
    int n = curve->count;
    const double* p = curve->points;
    for (int k = 0; k < SN_SPLINE_PIECES; k++) out->from[k] = k ? INFINITY : -INFINITY;
    if (n == 0) return;
    second_derivatives(curve, second);
    for (int i = 0; i < n - 1; i++) {
        double h = p[2 * i + 2] - p[2 * i], rise = (p[2 * i + 3] - p[2 * i + 1]) / h;
        double left = rise - h * (2 * second[i] + second[i + 1]) / 6;
        set_piece(out, i + 1, p[2 * i], p[2 * i],
                  (double[]){p[2 * i + 1], left, second[i] / 2, (second[i + 1] - second[i]) / (6 * h)});
        if (i == 0) set_piece(out, 0, -INFINITY, p[0], (double[]){p[1], left, 0, 0});
        double right = rise + h * (second[i] + 2 * second[i + 1]) / 6;
        if (i == n - 2) set_piece(out, n, p[2 * n - 2], p[2 * n - 2], (double[]){p[2 * n - 1], right, 0, 0});
    }
    integrate(out, n + 1);
}

double sn_spline_curve_at(const SnSplineCurve* c, double s)
{
    int k = piece_of(c, s);
    double d = s - c->origin[k];
    return c->p0[k] + d * (c->p1[k] + d * (c->p2[k] + d * c->p3[k]));
}

SnStatus sn_spline_curve_set(const SnCurve* curve, SnSplineCurve* out)
{
    SN_TRY(check_points(curve, "the curve"));
    set_curve(curve, out);
    return SN_OK;
}

static double stress(const SnSpline* spline, double s)
{
    return sn_spline_curve_at(&spline->a, s) + 2 * sn_spline_curve_at(&spline->b, s) +
           sn_spline_curve_at(&spline->c, s);
}

static SnStatus check_rest(const SnSpline* spline, const SnSplineDef* def)
{
    double largest = 0, rest = stress(spline, 1);
    const SnCurve* curves[3] = {&def->a, &def->b, &def->c};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < curves[c]->count; i++) largest = fmax(largest, fabs(curves[c]->points[2 * i + 1]));
    if (fabs(rest) <= 1e-6 * largest) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "the spline's stress at rest, a'(1) + 2 b'(1) + c'(1), is %g; it must be 0", rest);
}

static SnStatus fill(SnSpline* spline, const SnSplineDef* def)
{
    const SnCurve* curves[3] = {&def->a, &def->b, &def->c};
    SnSplineCurve* out[3] = {&spline->a, &spline->b, &spline->c};
    const char* names[3] = {"spline curve a", "spline curve b", "spline curve c"};
    spline->lo = INFINITY, spline->hi = -INFINITY;
    for (int c = 0; c < 3; c++) {
        SN_TRY(check_points(curves[c], names[c]));
        set_curve(curves[c], out[c]);
        if (curves[c]->count == 0) continue;
        spline->lo = fmin(spline->lo, curves[c]->points[0]);
        spline->hi = fmax(spline->hi, curves[c]->points[2 * curves[c]->count - 2]);
    }
    if (spline->lo > spline->hi)
        return sn_fail(SN_ERROR_VALUE, "the spline has no points; give at least curve a, as in a: [[0.5, -1], [1, 0], "
                                       "[2, 2]]");
    return check_rest(spline, def);
}

SnStatus sn_spline_create(const SnSplineDef* def, SnSpline** out)
{
    SnSpline* spline;
    *out = NULL;
    if (!SN_NEW(spline, 1, "a spline")) return SN_ERROR_MEMORY;
    SN_FINISH(fill(spline, def), spline, sn_spline_destroy, out);
}

void sn_spline_destroy(SnSpline* spline)
{
    sn_free(spline);
}

bool sn_spline_softens(const SnSpline* spline, double* at)
{
    enum { SAMPLES = 1000 };
    double step = (spline->hi - spline->lo) / SAMPLES, before = stress(spline, spline->lo);
    for (int i = 1; i <= SAMPLES; i++) {
        double s = spline->lo + i * step, now = stress(spline, s);
        if (now < before) {
            *at = s - step;
            return true;
        }
        before = now;
    }
    return false;
}
