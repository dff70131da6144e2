// Triangular sweeps over a supernode's strips, with one right-hand side or with x y z together. Each strip is read
// once.
#include <string.h>

#include "core/isa.h"
#include "linalg/front.h"

extern const SnSweepKernels SN_KERNEL(sn_sweep_single_double), SN_KERNEL(sn_sweep_triple_double);
extern const SnSweepKernels SN_KERNEL(sn_sweep_single_float), SN_KERNEL(sn_sweep_triple_float);

typedef double Four __attribute__((vector_size(32)));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

typedef float Eight __attribute__((vector_size(32)));
typedef float EightAnywhere __attribute__((vector_size(32), aligned(4), may_alias));
typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

#define LOAD(x) (*(const FourAnywhere*)(x))
#define STORE(x, v) (*(FourAnywhere*)(x) = (v))

// The factor is read as one stream, forwards and then backwards; strips are short, so the processor's own prefetching
// would start anew at each. A sweep fetches as much as it uses, this far ahead.
enum { AHEAD = 4096 };

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

// Three right-hand sides in double: a row's x y z are one register, multiplied by one number of the strip.

SN_INLINE void forward_strips_3(int n, const double* strip, int columns, const double* y, const int* target,
                                double* work)
{
    const double* next = strip + 4 * (int64_t)columns;
    Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (int k = 0; k < columns; k++) {
        Four yk = LOAD(y + 4 * k);
        fetch(strip, 32, n, k, AHEAD);
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

static void forward_triples_double(const void* l, int columns, int first, int last, const double* y, const int* target,
                                   double* work)
{
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
        fetch(strip, 32, n, k, -AHEAD);
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

static void backward_triples_double(const void* l, int columns, int first, int last, const int* target,
                                    const double* work, double* sums)
{
    const double* below = (const double*)l + sn_front_strip(columns, sn_strips(columns));
    int e = last;
    for (; e - 2 >= first; e -= 2)
        backward_strips_3(2, below + 4 * (int64_t)columns * (e - 2), columns, target + 4 * (e - 2), work, sums);
    for (; e > first; e--)
        backward_strips_3(1, below + 4 * (int64_t)columns * (e - 1), columns, target + 4 * (e - 1), work, sums);
}

// Three right-hand sides in float: two columns at once, x y z of either in a half of the register. Sums over a
// supernode are in float, sums of supernodes in double.

#define HALVES(v, r) __builtin_shufflevector(v, v, r, r, r, r, 4 + r, 4 + r, 4 + r, 4 + r)

SN_INLINE void load_pair(const float* strip, int k, int columns, Eight* pair)
{
    if (k + 1 < columns) {
        *pair = *(const EightAnywhere*)(strip + 4 * k);
        return;
    }
    const float* l = strip + 4 * k;
    *pair = (Eight){l[0], l[1], l[2], l[3], 0, 0, 0, 0};
}

SN_INLINE void forward_pairs(int n, const float* strip, int columns, const float* y, const int* target, double* work)
{
    const float* next = strip + 4 * (int64_t)columns;
    Eight s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0}, l;
    for (int k = 0; k < columns; k += 2) {
        Eight yk = *(const EightAnywhere*)(y + 4 * k);
        fetch(strip, 32, n, k / 2, AHEAD);
        load_pair(strip, k, columns, &l);
        s0 += yk * HALVES(l, 0), s1 += yk * HALVES(l, 1), s2 += yk * HALVES(l, 2), s3 += yk * HALVES(l, 3);
        if (n == 1) continue;
        load_pair(next, k, columns, &l);
        s4 += yk * HALVES(l, 0), s5 += yk * HALVES(l, 1), s6 += yk * HALVES(l, 2), s7 += yk * HALVES(l, 3);
    }
    Eight s[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (int r = 0; r < 4 * n; r++) {
        FourFloats sum =
            __builtin_shufflevector(s[r], s[r], 0, 1, 2, 3) + __builtin_shufflevector(s[r], s[r], 4, 5, 6, 7);
        double* at = work + 4 * (int64_t)target[r];
        STORE(at, LOAD(at) - __builtin_convertvector(sum, Four));
    }
}

static void forward_triples_float(const void* l, int columns, int first, int last, const double* y, const int* target,
                                  double* work)
{
    const float* below = (const float*)l + sn_front_strip(columns, sn_strips(columns));
    float rounded[4 * SN_FRONT_WIDEST + 4];
    for (int k = 0; k < 4 * columns; k++) rounded[k] = (float)y[k];
    memset(rounded + 4 * columns, 0, 4 * sizeof *rounded);
    int e = first;
    for (; e + 2 <= last; e += 2)
        forward_pairs(2, below + 4 * (int64_t)columns * e, columns, rounded, target + 4 * e, work);
    for (; e < last; e++) forward_pairs(1, below + 4 * (int64_t)columns * e, columns, rounded, target + 4 * e, work);
}

SN_INLINE void backward_pairs(int n, const float* strip, int columns, const int* target, const double* work,
                              float* sums)
{
    const float* next = strip + 4 * (int64_t)columns;
    Eight x[8] = {{0}}, l;
    for (int r = 0; r < 4 * n; r++) {
        FourFloats half = __builtin_convertvector(LOAD(work + 4 * (int64_t)target[r]), FourFloats);
        x[r] = __builtin_shufflevector(half, half, 0, 1, 2, 3, 0, 1, 2, 3);
    }
    Eight x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    for (int k = 0; k < columns; k += 2) {
        Eight s = *(const EightAnywhere*)(sums + 4 * k);
        fetch(strip, 32, n, k / 2, -AHEAD);
        load_pair(strip, k, columns, &l);
        s += x0 * HALVES(l, 0), s += x1 * HALVES(l, 1), s += x2 * HALVES(l, 2), s += x3 * HALVES(l, 3);
        if (n > 1) {
            load_pair(next, k, columns, &l);
            s += x4 * HALVES(l, 0), s += x5 * HALVES(l, 1), s += x6 * HALVES(l, 2), s += x7 * HALVES(l, 3);
        }
        *(EightAnywhere*)(sums + 4 * k) = s;
    }
}

static void backward_triples_float(const void* l, int columns, int first, int last, const int* target,
                                   const double* work, double* sums)
{
    const float* below = (const float*)l + sn_front_strip(columns, sn_strips(columns));
    float rounded[4 * SN_FRONT_WIDEST + 4];
    memset(rounded, 0, (4 * (size_t)columns + 4) * sizeof *rounded);
    int e = last;
    for (; e - 2 >= first; e -= 2)
        backward_pairs(2, below + 4 * (int64_t)columns * (e - 2), columns, target + 4 * (e - 2), work, rounded);
    for (; e > first; e--)
        backward_pairs(1, below + 4 * (int64_t)columns * (e - 1), columns, target + 4 * (e - 1), work, rounded);
    for (int k = 0; k < 4 * columns; k++) sums[k] += rounded[k];
}

#define REAL double
#define NAME(function) function##_double
#define TABLE(name) SN_KERNEL(name##_double)
#define WIDE(x) LOAD(x)
#include "linalg/sweep_kernel.h"
#undef REAL
#undef NAME
#undef TABLE
#undef WIDE

#define REAL float
#define NAME(function) function##_float
#define TABLE(name) SN_KERNEL(name##_float)
#define WIDE(x) __builtin_convertvector(*(const FourFloats*)(x), Four)
#include "linalg/sweep_kernel.h"
