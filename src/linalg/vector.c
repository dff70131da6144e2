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
