// Preconditioned conjugate gradients.
#include "linalg/pcg.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

enum { GRAIN = 8192 };

struct SnPcg {
    int n;
    double *r, *z, *p, *q; // residual, preconditioned residual, direction, A p
};

SnStatus sn_pcg_create(int unknowns, SnPcg** out)
{
    *out = NULL;
    SnPcg* pcg;
    if (!SN_NEW(pcg, 1, "conjugate gradients")) return SN_ERROR_MEMORY;
    pcg->n = unknowns;
    bool room = SN_NEW(pcg->r, unknowns, "conjugate gradients") && SN_NEW(pcg->z, unknowns, "conjugate gradients") &&
                SN_NEW(pcg->p, unknowns, "conjugate gradients") && SN_NEW(pcg->q, unknowns, "conjugate gradients");
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, pcg, sn_pcg_destroy, out);
}

void sn_pcg_destroy(SnPcg* pcg)
{
    if (!pcg) return;
    SN_FREE(pcg->r, pcg->z, pcg->p, pcg->q, pcg);
}

typedef struct Step {
    SnPcg* pcg;
    double* x;
    double alpha, beta;
} Step;

// x += alpha p, r -= alpha q; returns r . r
static double advance(void* context, int first, int last)
{
    const Step* step = context;
    double *r = step->pcg->r, *x = step->x, alpha = step->alpha, sum = 0;
    const double *p = step->pcg->p, *q = step->pcg->q;
#pragma omp simd reduction(+ : sum)
    for (int i = first; i < last; i++) {
        x[i] += alpha * p[i];
        double ri = r[i] - alpha * q[i];
        r[i] = ri;
        sum += ri * ri;
    }
    return sum;
}

static void turn(void* context, int first, int last) // p = z + beta p
{
    const Step* step = context;
    for (int i = first; i < last; i++) step->pcg->p[i] = step->pcg->z[i] + step->beta * step->pcg->p[i];
}

static void precondition(SnPcg* pcg, SnTasks* tasks, SnLinearMap preconditioner)
{
    if (preconditioner.apply)
        preconditioner.apply(preconditioner.self, tasks, pcg->r, pcg->z);
    else
        sn_vector_copy(tasks, pcg->n, pcg->r, pcg->z);
}

// r = b - A x
static void begin(SnPcg* pcg, SnTasks* tasks, SnLinearMap a, const double* b, double* x, bool guess)
{
    if (guess) {
        a.apply(a.self, tasks, x, pcg->q);
        sn_vector_axpy(tasks, pcg->n, -1, pcg->q, b, pcg->r);
    } else {
        memset(x, 0, (size_t)pcg->n * sizeof *x);
        sn_vector_copy(tasks, pcg->n, b, pcg->r);
    }
}

SnPcgReport sn_pcg_solve(SnPcg* pcg, SnTasks* tasks, SnLinearMap a, SnLinearMap preconditioner, const double* b,
                         double* x, SnPcgOptions options)
{
    int n = pcg->n, most = options.max_iterations > 0 ? options.max_iterations : n;
    Step step = {.pcg = pcg, .x = x};
    SnPcgReport report = {0};
    begin(pcg, tasks, a, b, x, options.guess);
    double size = sn_vector_norm(tasks, n, b), length = sn_vector_norm(tasks, n, pcg->r), rz = 0;
    if (size == 0) size = 1; // the answer is zero, or a guess is to be brought to it
    while (!(report.converged = length <= options.tolerance * size) && report.iterations < most) {
        precondition(pcg, tasks, preconditioner);
        double next = sn_vector_dot(tasks, n, pcg->r, pcg->z);
        step.beta = report.iterations > 0 ? next / rz : 0;
        rz = next;
        sn_tasks_for(tasks, n, GRAIN, turn, &step);
        a.apply(a.self, tasks, pcg->p, pcg->q);
        double curvature = sn_vector_dot(tasks, n, pcg->p, pcg->q);
        if (!(curvature > 0) || !(rz > 0) || !isfinite(curvature)) {
            report.indefinite = true;
            if (report.iterations++ == 0 && !options.guess) sn_vector_copy(tasks, n, pcg->p, x);
            break;
        }
        step.alpha = rz / curvature;
        length = sqrt(sn_tasks_sum(tasks, n, GRAIN, advance, &step));
        report.iterations++;
    }
    report.residual = length / size;
    return report;
}
