// Long vectors in parallel, in chunks of a fixed size.
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "linalg/vector_kernel.h"

enum { GRAIN = 4096 }; // entries of a chunk, about

// Chunks of much the same length, as many as the length alone asks for.
static int even_grain(int n)
{
    int chunks = (n + GRAIN - 1) / GRAIN;
    return chunks > 1 ? ((n + chunks - 1) / chunks + 63) / 64 * 64 : GRAIN;
}

SN_EXTERN_OF_ISA(const SnVectorKernels, sn_vector_kernels_table);

static const SnVectorKernels* kernels(void)
{
    return SN_OF_ISA(&sn_vector_kernels_table);
}

typedef struct Operands {
    const double *x, *y;
    double* z;
    double a;
} Operands;

static double dot_chunk(void* context, int first, int last)
{
    Operands* o = context;
    return kernels()->dot(last - first, o->x + first, o->y + first);
}

double sn_vector_dot(SnTasks* tasks, int n, const double* x, const double* y)
{
    return sn_tasks_sum(tasks, n, even_grain(n), dot_chunk, &(Operands){.x = x, .y = y});
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
    sn_tasks_for(tasks, n, even_grain(n), copy_chunk, &(Operands){.x = x, .z = y});
}

static void axpy_chunk(void* context, int first, int last)
{
    Operands* o = context;
    for (int i = first; i < last; i++) o->z[i] = o->a * o->x[i] + o->y[i];
}

void sn_vector_axpy(SnTasks* tasks, int n, double a, const double* x, const double* y, double* z)
{
    sn_tasks_for(tasks, n, even_grain(n), axpy_chunk, &(Operands){.x = x, .y = y, .z = z, .a = a});
}

static void scale_chunk(void* context, int first, int last)
{
    Operands* o = context;
    for (int i = first; i < last; i++) o->z[i] *= o->a;
}

void sn_vector_scale(SnTasks* tasks, int n, double a, double* x)
{
    sn_tasks_for(tasks, n, even_grain(n), scale_chunk, &(Operands){.z = x, .a = a});
}

enum { MANY_CHUNKS = 64, STRIP = 512 }; // entries worked on while they are in the first cache

typedef struct Many {
    int n, count, grain;
    const double *const *xs, *const *ys;
    const double *y, *c;
    double a;
    double* z;
    double sums[MANY_CHUNKS][SN_VECTOR_MANY];
} Many;

static void dots_chunk(void* context, int index)
{
    Many* m = context;
    int first = index * m->grain, last = m->n - first < m->grain ? m->n : first + m->grain;
    double* sums = m->sums[index];
    double (*dot)(int n, const double* x, const double* y) = kernels()->dot;
    for (int k = 0; k < m->count; k++) sums[k] = 0;
    for (int a = first; a < last; a += STRIP) {
        int b = last - a < STRIP ? last : a + STRIP;
        for (int k = 0; k < m->count; k++) sums[k] += dot(b - a, m->xs[k] + a, m->ys[k] + a);
    }
}

// At most MANY_CHUNKS of them.
static int many_chunks(Many* m)
{
    m->grain = even_grain(m->n);
    while ((m->n + m->grain - 1) / m->grain > MANY_CHUNKS) m->grain *= 2;
    return (m->n + m->grain - 1) / m->grain;
}

static void some_pairs(SnTasks* tasks, int n, int count, const double* const* xs, const double* const* ys, double* out)
{
    Many m;
    m.n = n, m.count = count, m.xs = xs, m.ys = ys;
    int chunks = many_chunks(&m);
    sn_tasks_run(tasks, chunks, dots_chunk, &m);
    for (int k = 0; k < count; k++) {
        out[k] = 0;
        for (int i = 0; i < chunks; i++) out[k] += m.sums[i][k];
    }
}

void sn_vector_pairs(SnTasks* tasks, int n, int count, const double* const* xs, const double* const* ys, double* out)
{
    for (int first = 0; first < count; first += SN_VECTOR_MANY) {
        int some = count - first < SN_VECTOR_MANY ? count - first : SN_VECTOR_MANY;
        some_pairs(tasks, n, some, xs + first, ys + first, out + first);
    }
}

void sn_vector_dots(SnTasks* tasks, int n, int count, const double* const* xs, const double* y, double* out)
{
    const double* ys[SN_VECTOR_MANY];
    for (int k = 0; k < count; k++) ys[k] = y;
    some_pairs(tasks, n, count, xs, ys, out);
}

static void combine_chunk(void* context, int first, int last)
{
    const Many* m = context;
    void (*add)(int n, double a, const double* x, double* z) = kernels()->add;
    for (int a = first; a < last; a += STRIP) {
        int b = last - a < STRIP ? last : a + STRIP;
        double strip[STRIP] = {0};
        add(b - a, m->a, m->y + a, strip);
        for (int k = 0; k < m->count; k++) add(b - a, m->c[k], m->xs[k] + a, strip);
        memcpy(m->z + a, strip, (size_t)(b - a) * sizeof *strip);
    }
}

void sn_vector_combine(SnTasks* tasks, int n, double a, const double* base, int count, const double* c,
                       const double* const* xs, double* z)
{
    Many m;
    m.a = a, m.n = n, m.count = count, m.xs = xs, m.y = base, m.c = c, m.z = z;
    sn_tasks_for(tasks, n, even_grain(n), combine_chunk, &m);
}
