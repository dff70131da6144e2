// Long vectors in parallel, in chunks of a fixed size.
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8192 };

typedef struct Operands {
    const double *x, *y;
    double* z;
    double a;
} Operands;

static double dot_chunk(void* context, int first, int last)
{
    Operands* o = context;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = first; i < last; i++) sum += o->x[i] * o->y[i];
    return sum;
}

double sn_vector_dot(SnTasks* tasks, int n, const double* x, const double* y)
{
    return sn_tasks_sum(tasks, n, GRAIN, dot_chunk, &(Operands){.x = x, .y = y});
}

double sn_vector_norm(SnTasks* tasks, int n, const double* x)
{
    return sqrt(sn_vector_dot(tasks, n, x, x));
}

static void copy_chunk(void* context, int first, int last)
{
    Operands* o = context;
    memcpy(o->z + first, o->x + first, (size_t)(last - first) * sizeof *o->z);
}

void sn_vector_copy(SnTasks* tasks, int n, const double* x, double* y)
{
    sn_tasks_for(tasks, n, GRAIN, copy_chunk, &(Operands){.x = x, .z = y});
}

static void axpy_chunk(void* context, int first, int last)
{
    Operands* o = context;
    for (int i = first; i < last; i++) o->z[i] = o->a * o->x[i] + o->y[i];
}

void sn_vector_axpy(SnTasks* tasks, int n, double a, const double* x, const double* y, double* z)
{
    sn_tasks_for(tasks, n, GRAIN, axpy_chunk, &(Operands){.x = x, .y = y, .z = z, .a = a});
}

static void scale_chunk(void* context, int first, int last)
{
    Operands* o = context;
    for (int i = first; i < last; i++) o->z[i] *= o->a;
}

void sn_vector_scale(SnTasks* tasks, int n, double a, double* x)
{
    sn_tasks_for(tasks, n, GRAIN, scale_chunk, &(Operands){.z = x, .a = a});
}

enum { MANY_CHUNKS = 64, STRIP = 512 }; // entries worked on while they are in the first cache

typedef struct Many {
    int n, count, grain;
    const double* const* xs;
    const double *y, *c;
    double* z;
    double sums[MANY_CHUNKS][SN_VECTOR_MANY];
} Many;

static void dots_chunk(void* context, int index)
{
    Many* m = context;
    int first = index * m->grain, last = m->n - first < m->grain ? m->n : first + m->grain;
    double* sums = m->sums[index];
    for (int k = 0; k < m->count; k++) sums[k] = 0;
    for (int a = first; a < last; a += STRIP) {
        int b = last - a < STRIP ? last : a + STRIP;
        for (int k = 0; k < m->count; k++) {
            const double *x = m->xs[k], *y = m->y;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int i = a; i < b; i++) sum += x[i] * y[i];
            sums[k] += sum;
        }
    }
}

// Chunks of at least GRAIN entries, and at most MANY_CHUNKS of them: as many as the length alone asks for.
static int many_chunks(Many* m)
{
    m->grain = GRAIN;
    while ((m->n + m->grain - 1) / m->grain > MANY_CHUNKS) m->grain *= 2;
    return (m->n + m->grain - 1) / m->grain;
}

void sn_vector_dots(SnTasks* tasks, int n, int count, const double* const* xs, const double* y, double* out)
{
    Many m;
    m.n = n, m.count = count, m.xs = xs, m.y = y;
    int chunks = many_chunks(&m);
    sn_tasks_run(tasks, chunks, dots_chunk, &m);
    for (int k = 0; k < count; k++) {
        out[k] = 0;
        for (int i = 0; i < chunks; i++) out[k] += m.sums[i][k];
    }
}

static void combine_chunk(void* context, int first, int last)
{
    const Many* m = context;
    for (int a = first; a < last; a += STRIP) {
        int b = last - a < STRIP ? last : a + STRIP;
        double strip[STRIP];
        memcpy(strip, m->y + a, (size_t)(b - a) * sizeof *strip);
        for (int k = 0; k < m->count; k++) {
            const double* x = m->xs[k] + a;
            double c = m->c[k];
            for (int i = 0; i < b - a; i++) strip[i] += c * x[i];
        }
        memcpy(m->z + a, strip, (size_t)(b - a) * sizeof *strip);
    }
}

void sn_vector_combine(SnTasks* tasks, int n, const double* base, int count, const double* c, const double* const* xs,
                       double* z)
{
    Many m;
    m.n = n, m.count = count, m.xs = xs, m.y = base, m.c = c, m.z = z;
    sn_tasks_for(tasks, n, GRAIN, combine_chunk, &m);
}
