// Triangular sweeps over a supernode's strips, with one right-hand side, with x y z together or with eight. Each strip
// is read once. Strips are short, so the processor's own prefetching would start anew at each.
#include <string.h>

#include "core/isa.h"
#include "linalg/four.h"
#include "linalg/front.h"

extern const SnSweepKernels SN_KERNEL(sn_sweep_single_double), SN_KERNEL(sn_sweep_triple_double);
extern const SnSweepKernels SN_KERNEL(sn_sweep_single_float), SN_KERNEL(sn_sweep_many);
extern const SnSweepKernels SN_KERNEL(sn_sweep_triple_float), SN_KERNEL(sn_sweep_triple_short); // panel_kernel.c
extern const SnSweepTable SN_KERNEL(sn_sweep_table);

typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

SN_INLINE void fetch(const void* strips, int bytes, int n, int k, int ahead)
{
    const char* at = (const char*)strips + bytes * n * k + ahead; // a column of n strips
    if (bytes * n >= 64 || k % (64 / (bytes * n)) == 0) __builtin_prefetch(at);
    if (bytes * n > 64) __builtin_prefetch(at + 64);
}

static int tile_width(int columns, int i)
{
    return columns - 4 * i < 4 ? columns - 4 * i : 4;
}

static double sum_lanes(const double* x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

// Three right-hand sides: x y z of a row are one register, multiplied by one number of the strip.

static void forward_diagonal_triples(const void* l, int columns, double* y)
{
    for (int i = 0; 4 * i < columns; i++) {
        const double* strip = (const double*)l + sn_front_strip(columns, i);
        const double* inverse = strip + 16 * (int64_t)i;
        int width = tile_width(columns, i);
        Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (int k = 0; k < 4 * i; k++) {
            Four yk = LOAD(y + 4 * k);
            s0 += yk * strip[4 * k], s1 += yk * strip[4 * k + 1];
            s2 += yk * strip[4 * k + 2], s3 += yk * strip[4 * k + 3];
        }
        Four t[4] = {-s0, -s1, -s2, -s3};
        for (int c = 0; c < width; c++) t[c] += LOAD(y + 4 * (4 * i + c));
        for (int r = 0; r < width; r++) {
            Four x = t[0] * inverse[r];
            for (int c = 1; c <= r; c++) x += t[c] * inverse[4 * c + r];
            STORE(y + 4 * (4 * i + r), x);
        }
    }
}

static void backward_diagonal_triples(const void* l, int columns, double* sums, double* y)
{
    for (int i = sn_strips(columns) - 1; i >= 0; i--) {
        const double* strip = (const double*)l + sn_front_strip(columns, i);
        const double* inverse = strip + 16 * (int64_t)i;
        int width = tile_width(columns, i);
        Four t[4] = {{0}}, x[4] = {{0}};
        for (int c = 0; c < width; c++) t[c] = LOAD(y + 4 * (4 * i + c)) - LOAD(sums + 4 * (4 * i + c));
        for (int c = 0; c < width; c++) {
            for (int r = c; r < width; r++) x[c] += t[r] * inverse[4 * c + r];
            STORE(y + 4 * (4 * i + c), x[c]);
        }
        Four x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
        for (int k = 0; k < 4 * i; k++) {
            Four s = LOAD(sums + 4 * k);
            s += x0 * strip[4 * k], s += x1 * strip[4 * k + 1];
            s += x2 * strip[4 * k + 2], s += x3 * strip[4 * k + 3];
            STORE(sums + 4 * k, s);
        }
    }
}

SN_INLINE void forward_strips_3(int n, const double* strip, int columns, const double* y, const int* target,
                                double* work)
{
    const double* next = strip + 4 * (int64_t)columns;
    Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (int k = 0; k < columns; k++) {
        Four yk = LOAD(y + 4 * k);
        fetch(strip, 32, n, k, SN_SWEEP_AHEAD);
        s0 += yk * strip[4 * k], s1 += yk * strip[4 * k + 1];
        s2 += yk * strip[4 * k + 2], s3 += yk * strip[4 * k + 3];
        if (n == 1) continue;
        s4 += yk * next[4 * k], s5 += yk * next[4 * k + 1];
        s6 += yk * next[4 * k + 2], s7 += yk * next[4 * k + 3];
    }
    Four s[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (int r = 0; r < 4 * n; r++) {
        double* at = work + 4 * (int64_t)target[r];
        STORE(at, LOAD(at) - s[r]);
    }
}

static void forward_triples(const void* l, int columns, int strips, int first, int last, const double* y,
                            const int* target, double* work)
{
    (void)strips;
    const double* below = (const double*)l + sn_front_strip(columns, sn_strips(columns));
    int e = first;
    for (; e + 2 <= last; e += 2)
        forward_strips_3(2, below + 4 * (int64_t)columns * e, columns, y, target + 4 * e, work);
    for (; e < last; e++) forward_strips_3(1, below + 4 * (int64_t)columns * e, columns, y, target + 4 * e, work);
}

SN_INLINE void backward_strips_3(int n, const double* strip, int columns, const int* target, const double* work,
                                 double* sums)
{
    const double* next = strip + 4 * (int64_t)columns;
    Four x[8] = {{0}};
    for (int r = 0; r < 4 * n; r++) x[r] = LOAD(work + 4 * (int64_t)target[r]);
    Four x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    for (int k = 0; k < columns; k++) {
        fetch(strip, 32, n, k, -SN_SWEEP_AHEAD);
        Four s = LOAD(sums + 4 * k);
        s += x0 * strip[4 * k], s += x1 * strip[4 * k + 1];
        s += x2 * strip[4 * k + 2], s += x3 * strip[4 * k + 3];
        if (n > 1) {
            s += x4 * next[4 * k], s += x5 * next[4 * k + 1];
            s += x6 * next[4 * k + 2], s += x7 * next[4 * k + 3];
        }
        STORE(sums + 4 * k, s);
    }
}

static void backward_triples(const void* l, int columns, int strips, int first, int last, const int* target,
                             const double* work, double* sums)
{
    (void)strips;
    const double* below = (const double*)l + sn_front_strip(columns, sn_strips(columns));
    int e = last;
    for (; e - 2 >= first; e -= 2)
        backward_strips_3(2, below + 4 * (int64_t)columns * (e - 2), columns, target + 4 * (e - 2), work, sums);
    for (; e > first; e--)
        backward_strips_3(1, below + 4 * (int64_t)columns * (e - 1), columns, target + 4 * (e - 1), work, sums);
}

// Eight right-hand sides: two registers a row.

static void forward_diagonal_many(const void* l, int columns, double* y)
{
    for (int i = 0; 4 * i < columns; i++) {
        const double* strip = (const double*)l + sn_front_strip(columns, i);
        const double* inverse = strip + 16 * (int64_t)i;
        int width = tile_width(columns, i);
        Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, u0 = {0}, u1 = {0}, u2 = {0}, u3 = {0};
        for (int k = 0; k < 4 * i; k++) {
            Four a = LOAD(y + 8 * k), b = LOAD(y + 8 * k + 4);
            s0 += a * strip[4 * k], s1 += a * strip[4 * k + 1], s2 += a * strip[4 * k + 2], s3 += a * strip[4 * k + 3];
            u0 += b * strip[4 * k], u1 += b * strip[4 * k + 1], u2 += b * strip[4 * k + 2], u3 += b * strip[4 * k + 3];
        }
        Four t[8] = {-s0, -s1, -s2, -s3, -u0, -u1, -u2, -u3};
        for (int c = 0; c < width; c++) t[c] += LOAD(y + 8 * (4 * i + c)), t[4 + c] += LOAD(y + 8 * (4 * i + c) + 4);
        for (int r = 0; r < width; r++)
            for (int half = 0; half < 2; half++) {
                Four x = t[4 * half] * inverse[r];
                for (int c = 1; c <= r; c++) x += t[4 * half + c] * inverse[4 * c + r];
                STORE(y + 8 * (4 * i + r) + 4 * half, x);
            }
    }
}

// sums -= what rows with the numbers x, then those of the other half, have in `columns` columns of a strip
SN_INLINE void add_rows_many(const double* strip, int columns, const Four x[8], bool ahead, double* sums)
{
    Four x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], v0 = x[4], v1 = x[5], v2 = x[6], v3 = x[7];
    for (int k = 0; k < columns; k++) {
        if (ahead) fetch(strip, 32, 1, k, -SN_SWEEP_AHEAD);
        Four a = x0 * strip[4 * k] + x1 * strip[4 * k + 1], b = v0 * strip[4 * k] + v1 * strip[4 * k + 1];
        a += x2 * strip[4 * k + 2] + x3 * strip[4 * k + 3], b += v2 * strip[4 * k + 2] + v3 * strip[4 * k + 3];
        STORE(sums + 8 * k, LOAD(sums + 8 * k) + a);
        STORE(sums + 8 * k + 4, LOAD(sums + 8 * k + 4) + b);
    }
}

static void backward_diagonal_many(const void* l, int columns, double* sums, double* y)
{
    for (int i = sn_strips(columns) - 1; i >= 0; i--) {
        const double* strip = (const double*)l + sn_front_strip(columns, i);
        const double* inverse = strip + 16 * (int64_t)i;
        int width = tile_width(columns, i);
        Four t[8] = {{0}}, x[8] = {{0}};
        for (int c = 0; c < 2 * width; c++) {
            int at = 8 * (4 * i + c / 2) + c % 2 * 4;
            t[c % 2 * 4 + c / 2] = LOAD(y + at) - LOAD(sums + at);
        }
        for (int c = 0; c < width; c++)
            for (int half = 0; half < 2; half++) {
                for (int r = c; r < width; r++) x[4 * half + c] += t[4 * half + r] * inverse[4 * c + r];
                STORE(y + 8 * (4 * i + c) + 4 * half, x[4 * half + c]);
            }
        add_rows_many(strip, 4 * i, x, false, sums);
    }
}

static void forward_many(const void* l, int columns, int strips, int first, int last, const double* y,
                         const int* target, double* work)
{
    (void)strips;
    for (int e = first; e < last; e++) {
        const double* strip = (const double*)l + sn_front_strip(columns, sn_strips(columns)) + 4 * (int64_t)columns * e;
        Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, u0 = {0}, u1 = {0}, u2 = {0}, u3 = {0};
        for (int k = 0; k < columns; k++) {
            Four a = LOAD(y + 8 * k), b = LOAD(y + 8 * k + 4);
            fetch(strip, 32, 1, k, SN_SWEEP_AHEAD);
            s0 += a * strip[4 * k], s1 += a * strip[4 * k + 1], s2 += a * strip[4 * k + 2], s3 += a * strip[4 * k + 3];
            u0 += b * strip[4 * k], u1 += b * strip[4 * k + 1], u2 += b * strip[4 * k + 2], u3 += b * strip[4 * k + 3];
        }
        Four s[8] = {s0, s1, s2, s3, u0, u1, u2, u3};
        for (int r = 0; r < 8; r++) {
            double* at = work + 8 * (int64_t)target[4 * e + r % 4] + r / 4 * 4;
            STORE(at, LOAD(at) - s[r]);
        }
    }
}

static void backward_many(const void* l, int columns, int strips, int first, int last, const int* target,
                          const double* work, double* sums)
{
    (void)strips;
    for (int e = last - 1; e >= first; e--) {
        const double* strip = (const double*)l + sn_front_strip(columns, sn_strips(columns)) + 4 * (int64_t)columns * e;
        Four x[8];
        for (int r = 0; r < 8; r++) x[r] = LOAD(work + 8 * (int64_t)target[4 * e + r % 4] + r / 4 * 4);
        add_rows_many(strip, columns, x, true, sums);
    }
}

#define REAL double
#define NAME(function) function##_double
#define TABLE(name) SN_KERNEL(name##_double)
#define LANES Four
#define TAKE(x) LOAD(x)
#define WIDE(x) LOAD(x)
#define WIDEN(v) (v)
#define NARROW(v) (v)
#include "linalg/sweep_kernel.h"
#undef REAL
#undef NAME
#undef TABLE
#undef LANES
#undef TAKE
#undef WIDE
#undef WIDEN
#undef NARROW

#define REAL float
#define NAME(function) function##_float
#define TABLE(name) SN_KERNEL(name##_float)
#define LANES FourFloats
#define TAKE(x) (*(const FourFloats*)(x))
#define WIDE(x) WIDEN(TAKE(x))
#define WIDEN(v) ((Four){(double)(v)[0], (double)(v)[1], (double)(v)[2], (double)(v)[3]}) // one instruction by gcc
#define NARROW(v) __builtin_convertvector(v, FourFloats)
#include "linalg/sweep_kernel.h"

const SnSweepKernels SN_KERNEL(sn_sweep_triple_double) = {.forward_diagonal = forward_diagonal_triples,
                                                          .forward_rows = forward_triples,
                                                          .backward_rows = backward_triples,
                                                          .backward_diagonal = backward_diagonal_triples};

const SnSweepKernels SN_KERNEL(sn_sweep_many) = {.forward_diagonal = forward_diagonal_many,
                                                 .forward_rows = forward_many,
                                                 .backward_rows = backward_many,
                                                 .backward_diagonal = backward_diagonal_many};

const SnSweepTable SN_KERNEL(sn_sweep_table) = {
    .many = &SN_KERNEL(sn_sweep_many),
    .single = {&SN_KERNEL(sn_sweep_single_double), &SN_KERNEL(sn_sweep_single_float)},
    .triple = {&SN_KERNEL(sn_sweep_triple_double), &SN_KERNEL(sn_sweep_triple_float),
               &SN_KERNEL(sn_sweep_triple_short)},
};
