// Anderson acceleration by the normal equations of its small least-squares problem, slightly regularised.
#include "linalg/anderson.h"

#include <math.h>

#include "linalg/vector.h"

struct SnAnderson {
    int n, window;
    int count, newest; // differences kept, and where the newest is
    bool any;          // there is a step before
    double length;     // of the last step
    double* memory;    // what the vectors below point into
    double *v, *step, *image;
    double* steps[SN_ANDERSON_MOST];  // differences of steps
    double* images[SN_ANDERSON_MOST]; // differences of G(v)
    double products[SN_ANDERSON_MOST][SN_ANDERSON_MOST];
};

SnStatus sn_anderson_create(int n, int window, SnAnderson** out)
{
    *out = NULL;
    SnAnderson* a;
    if (!SN_NEW(a, 1, "the acceleration")) return SN_ERROR_MEMORY;
    a->n = n, a->window = window;
    if (!SN_NEW(a->memory, (3 + 2 * (int64_t)window) * n, "the acceleration")) {
        sn_anderson_destroy(a);
        return SN_ERROR_MEMORY;
    }
    double* next = a->memory;
    a->v = next, a->step = next += n, a->image = next += n;
    for (int i = 0; i < window; i++) a->steps[i] = next += n, a->images[i] = next += n;
    *out = a;
    return SN_OK;
}

void sn_anderson_destroy(SnAnderson* a)
{
    if (!a) return;
    SN_FREE(a->memory, a);
}

static void forget(SnAnderson* a)
{
    a->count = 0;
    a->newest = -1;
}

void sn_anderson_start(SnAnderson* a, SnTasks* tasks, const double* v)
{
    forget(a);
    a->any = false;
    sn_vector_copy(tasks, a->n, v, a->v);
}

// The differences to the step before, into the oldest place. `v` is G(a->v).
static void keep_differences(SnAnderson* a, SnTasks* tasks, const double* v)
{
    a->newest = (a->newest + 1) % a->window;
    a->count = a->count < a->window ? a->count + 1 : a->count;
    double *df = a->steps[a->newest], *dg = a->images[a->newest];
    sn_vector_axpy(tasks, a->n, -1, a->v, v, df); // the new step
    sn_vector_axpy(tasks, a->n, -1, a->step, df, df);
    sn_vector_axpy(tasks, a->n, -1, a->image, v, dg);
    double products[SN_ANDERSON_MOST];
    sn_vector_dots(tasks, a->n, a->count, (const double* const*)a->steps, df, products);
    for (int i = 0; i < a->count; i++) a->products[a->newest][i] = a->products[i][a->newest] = products[i];
}

// c = (P + small I)^-1 b, by Cholesky in place.
static bool solve(int n, double p[SN_ANDERSON_MOST][SN_ANDERSON_MOST], double* b)
{
    double trace = 0;
    for (int i = 0; i < n; i++) trace += p[i][i];
    for (int i = 0; i < n; i++) p[i][i] += 1e-12 * trace;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = p[i][j];
            for (int k = 0; k < j; k++) sum -= p[i][k] * p[j][k];
            if (i == j && !(sum > 0)) return false;
            p[i][j] = i == j ? sqrt(sum) : sum / p[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= p[i][k] * b[k];
        b[i] /= p[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= p[k][i] * b[k];
        b[i] /= p[i][i];
    }
    return true;
}

void sn_anderson_next(SnAnderson* a, SnTasks* tasks, double* v)
{
    double work[SN_ANDERSON_MOST][SN_ANDERSON_MOST], c[SN_ANDERSON_MOST];
    if (a->any) keep_differences(a, tasks, v);
    sn_vector_axpy(tasks, a->n, -1, a->v, v, a->step);
    sn_vector_copy(tasks, a->n, v, a->image);
    double length = sn_vector_norm(tasks, a->n, a->step);
    if (a->any && length > 2 * a->length) forget(a);
    a->any = true;
    a->length = length;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < a->count; j++) work[i][j] = a->products[i][j];
    sn_vector_dots(tasks, a->n, a->count, (const double* const*)a->steps, a->step, c);
    if (a->count > 0 && solve(a->count, work, c)) {
        for (int i = 0; i < a->count; i++) c[i] = -c[i];
        sn_vector_combine(tasks, a->n, 1, a->image, a->count, c, (const double* const*)a->images, v);
    }
    sn_vector_copy(tasks, a->n, v, a->v);
}
