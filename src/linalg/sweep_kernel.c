// Triangular sweeps over a supernode's strips, with one right-hand side or with x y z together. Each strip is read
// once.
#include <string.h>

#include "core/isa.h"
#include "linalg/front.h"

extern const SnSweepKernels SN_KERNEL(sn_sweep_single), SN_KERNEL(sn_sweep_triple);

typedef double Four __attribute__((vector_size(32)));
typedef double FourAnywhere __attribute__((vector_size(32), aligned(8), may_alias));

#define LOAD(x) (*(const FourAnywhere*)(x))
#define STORE(x, v) (*(FourAnywhere*)(x) = (v))

// The factor is read as one stream, forwards and then backwards; strips are short, so the processor's own prefetching
// would start anew at each. A sweep that takes n strips at once fetches n * 32 bytes a column, this far ahead.
enum { AHEAD = 4096 };

SN_INLINE void fetch(const double* strips, int n, int k, int ahead)
{
    const char* at = (const char*)strips + 32 * n * k + ahead;
    if (n > 1 || k % 2 == 0) __builtin_prefetch(at);
    if (n > 2) __builtin_prefetch(at + 64);
}

static int tile_width(int columns, int i)
{
    return columns - 4 * i < 4 ? columns - 4 * i : 4;
}

static const double* rows_below(const double* l, int columns)
{
    return l + sn_front_strip(columns, sn_strips(columns));
}

// One right-hand side: a strip's column is one register.

static void forward_diagonal_1(const double* l, int columns, double* y)
{
    for (int i = 0; 4 * i < columns; i++) {
        const double* strip = l + sn_front_strip(columns, i);
        int width = tile_width(columns, i);
        double t[4] = {0}, r[4];
        Four s[4] = {{0}};
        for (int k = 0; k < 4 * i; k += 4)
            for (int c = 0; c < 4; c++) s[c] += LOAD(strip + 4 * (k + c)) * y[k + c];
        memcpy(t, y + 4 * i, (size_t)width * sizeof *t);
        STORE(t, LOAD(t) - ((s[0] + s[1]) + (s[2] + s[3])));
        const double* inverse = strip + 16 * (int64_t)i;
        Four x = LOAD(inverse) * t[0];
        for (int c = 1; c < width; c++) x += LOAD(inverse + 4 * c) * t[c];
        STORE(r, x);
        memcpy(y + 4 * i, r, (size_t)width * sizeof *r);
    }
}

SN_INLINE void forward_strips_1(int n, const double* strip, int columns, const double* y, const int* target,
                                double* work)
{
    int64_t step = 4 * (int64_t)columns;
    Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int k = 0; k < columns; k++) {
        double yk = y[k];
        fetch(strip, n, k, AHEAD);
        s0 += LOAD(strip + 4 * k) * yk;
        if (n > 1) s1 += LOAD(strip + step + 4 * k) * yk;
        if (n > 2) s2 += LOAD(strip + 2 * step + 4 * k) * yk;
        if (n > 3) s3 += LOAD(strip + 3 * step + 4 * k) * yk;
    }
    double out[16];
    STORE(out, s0), STORE(out + 4, s1), STORE(out + 8, s2), STORE(out + 12, s3);
    for (int r = 0; r < 4 * n; r++) work[target[r]] -= out[r];
}

static void forward_rows_1(const double* l, int columns, int first, int last, const double* y, const int* target,
                           double* work)
{
    const double* below = rows_below(l, columns);
    int e = first;
    for (; e + 4 <= last; e += 4)
        forward_strips_1(4, below + 4 * (int64_t)columns * e, columns, y, target + 4 * e, work);
    for (; e < last; e++) forward_strips_1(1, below + 4 * (int64_t)columns * e, columns, y, target + 4 * e, work);
}

SN_INLINE void backward_strips_1(int n, const double* strip, int columns, const int* target, const double* work,
                                 double* sums)
{
    int64_t step = 4 * (int64_t)columns;
    double in[16] = {0};
    for (int r = 0; r < 4 * n; r++) in[r] = work[target[r]];
    Four x0 = LOAD(in), x1 = LOAD(in + 4), x2 = LOAD(in + 8), x3 = LOAD(in + 12);
    for (int k = 0; k < columns; k++) {
        fetch(strip, n, k, -AHEAD);
        Four s = LOAD(sums + 4 * k) + LOAD(strip + 4 * k) * x0;
        if (n > 1) s += LOAD(strip + step + 4 * k) * x1;
        if (n > 2) s += LOAD(strip + 2 * step + 4 * k) * x2;
        if (n > 3) s += LOAD(strip + 3 * step + 4 * k) * x3;
        STORE(sums + 4 * k, s);
    }
}

static void backward_rows_1(const double* l, int columns, int first, int last, const int* target, const double* work,
                            double* sums)
{
    const double* below = rows_below(l, columns);
    int e = last;
    for (; e - 4 >= first; e -= 4)
        backward_strips_1(4, below + 4 * (int64_t)columns * (e - 4), columns, target + 4 * (e - 4), work, sums);
    for (; e > first; e--)
        backward_strips_1(1, below + 4 * (int64_t)columns * (e - 1), columns, target + 4 * (e - 1), work, sums);
}

static double sum_lanes(const double* x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

static void backward_diagonal_1(const double* l, int columns, double* sums, double* y)
{
    for (int i = sn_strips(columns) - 1; i >= 0; i--) {
        const double* strip = l + sn_front_strip(columns, i);
        const double* inverse = strip + 16 * (int64_t)i;
        int width = tile_width(columns, i);
        double t[4] = {0}, r[4] = {0}, product[4];
        for (int c = 0; c < width; c++) t[c] = y[4 * i + c] - sum_lanes(sums + 4 * (4 * i + c));
        for (int c = 0; c < width; c++) {
            STORE(product, LOAD(inverse + 4 * c) * LOAD(t));
            r[c] = sum_lanes(product);
        }
        memcpy(y + 4 * i, r, (size_t)width * sizeof *r);
        Four x = LOAD(r);
        for (int k = 0; k < 4 * i; k++) STORE(sums + 4 * k, LOAD(sums + 4 * k) + LOAD(strip + 4 * k) * x);
    }
}

// Three right-hand sides: x y z of a row are one register, multiplied by one number of the strip.

static void forward_diagonal_3(const double* l, int columns, double* y)
{
    for (int i = 0; 4 * i < columns; i++) {
        const double* strip = l + sn_front_strip(columns, i);
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

SN_INLINE void forward_strips_3(int n, const double* strip, int columns, const double* y, const int* target,
                                double* work)
{
    const double* next = strip + 4 * (int64_t)columns;
    Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (int k = 0; k < columns; k++) {
        Four yk = LOAD(y + 4 * k);
        fetch(strip, n, k, AHEAD);
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

static void forward_rows_3(const double* l, int columns, int first, int last, const double* y, const int* target,
                           double* work)
{
    const double* below = rows_below(l, columns);
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
        fetch(strip, n, k, -AHEAD);
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

static void backward_rows_3(const double* l, int columns, int first, int last, const int* target, const double* work,
                            double* sums)
{
    const double* below = rows_below(l, columns);
    int e = last;
    for (; e - 2 >= first; e -= 2)
        backward_strips_3(2, below + 4 * (int64_t)columns * (e - 2), columns, target + 4 * (e - 2), work, sums);
    for (; e > first; e--)
        backward_strips_3(1, below + 4 * (int64_t)columns * (e - 1), columns, target + 4 * (e - 1), work, sums);
}

static void backward_diagonal_3(const double* l, int columns, double* sums, double* y)
{
    for (int i = sn_strips(columns) - 1; i >= 0; i--) {
        const double* strip = l + sn_front_strip(columns, i);
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

const SnSweepKernels SN_KERNEL(sn_sweep_single) = {.forward_diagonal = forward_diagonal_1,
                                                   .forward_rows = forward_rows_1,
                                                   .backward_rows = backward_rows_1,
                                                   .backward_diagonal = backward_diagonal_1};
const SnSweepKernels SN_KERNEL(sn_sweep_triple) = {.forward_diagonal = forward_diagonal_3,
                                                   .forward_rows = forward_rows_3,
                                                   .backward_rows = backward_rows_3,
                                                   .backward_diagonal = backward_diagonal_3};
