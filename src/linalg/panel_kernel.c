// Triangular sweeps with x y z together over a supernode's panels (see front.h): eight rows are one register,
// multiplied by x, y or z of a column. Sums over a supernode are in float, sums of supernodes in double.
#include <string.h>

#include "core/isa.h"
#include "linalg/four.h"
#include "linalg/front.h"

extern const SnSweepKernels SN_KERNEL(sn_sweep_triple_float), SN_KERNEL(sn_sweep_triple_short);

typedef float FourFloats __attribute__((vector_size(16)));
typedef float Eight __attribute__((vector_size(32)));
typedef float EightAnywhere __attribute__((vector_size(32), aligned(4), may_alias));
typedef float EightAligned __attribute__((vector_size(32), may_alias));
typedef int EightInts __attribute__((vector_size(32), may_alias));

#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define HALF(a, h) __builtin_shufflevector(a, a, 4 * h, 4 * h + 1, 4 * h + 2, 4 * h + 3)
#define EIGHT(x) (*(EightAnywhere*)(x))

// The rows of four columns: floats, or two columns to a word, the first in its lower half. The whole word is the second
// as near as it can be, so that only the first has to be brought into place.
SN_INLINE void load_columns(bool shorts, const char* at, Eight* l0, Eight* l1, Eight* l2, Eight* l3)
{
    if (shorts) {
        EightInts low = ((const EightInts*)(const void*)at)[0], high = ((const EightInts*)(const void*)at)[1];
        *l0 = __builtin_convertvector(low << 16, Eight), *l1 = __builtin_convertvector(low, Eight);
        *l2 = __builtin_convertvector(high << 16, Eight), *l3 = __builtin_convertvector(high, Eight);
    } else {
        const EightAligned* l = (const EightAligned*)(const void*)at;
        *l0 = l[0], *l1 = l[1], *l2 = l[2], *l3 = l[3];
    }
}

// sums (x y z of eight rows, strip after strip) += L y, of four columns; y: x y z of each.
SN_INLINE void forward_panel(bool shorts, const char* at, int strips, const float* y, float* sums)
{
    Eight zero = {0}, y0 = zero + y[0], y1 = zero + y[1], y2 = zero + y[2], y3 = zero + y[3], y4 = zero + y[4],
          y5 = zero + y[5], y6 = zero + y[6], y7 = zero + y[7], y8 = zero + y[8], y9 = zero + y[9], y10 = zero + y[10],
          y11 = zero + y[11], l0, l1, l2, l3;
    for (int e = 0; e < strips; e++, at += shorts ? 64 : 128, sums += 24) {
        Eight a = EIGHT(sums), b = EIGHT(sums + 8), c = EIGHT(sums + 16);
        __builtin_prefetch(at + SN_SWEEP_AHEAD);
        if (!shorts) __builtin_prefetch(at + SN_SWEEP_AHEAD + 64);
        load_columns(shorts, at, &l0, &l1, &l2, &l3);
        a += l0 * y0, b += l0 * y1, c += l0 * y2;
        a += l1 * y3, b += l1 * y4, c += l1 * y5;
        a += l2 * y6, b += l2 * y7, c += l2 * y8;
        a += l3 * y9, b += l3 * y10, c += l3 * y11;
        EIGHT(sums) = a, EIGHT(sums + 8) = b, EIGHT(sums + 16) = c;
    }
}

// x y z of eight rows, each together with that of the fourth row after it, from and to three registers.
SN_INLINE void to_pairs(const float* planes, Eight pairs[4])
{
    Eight x = *(const EightAnywhere*)planes, y = *(const EightAnywhere*)(planes + 8),
          z = *(const EightAnywhere*)(planes + 16), zero = {0};
    Eight xy = LOW(x, y), zw = LOW(z, zero), xy2 = HIGH(x, y), zw2 = HIGH(z, zero);
    pairs[0] = FIRST(xy, zw), pairs[1] = SECOND(xy, zw), pairs[2] = FIRST(xy2, zw2), pairs[3] = SECOND(xy2, zw2);
}

SN_INLINE void to_planes(const Eight pairs[4], float* planes)
{
    Eight a = LOW(pairs[0], pairs[1]), b = LOW(pairs[2], pairs[3]), c = HIGH(pairs[0], pairs[1]),
          d = HIGH(pairs[2], pairs[3]);
    EIGHT(planes) = FIRST(a, b), EIGHT(planes + 8) = SECOND(a, b), EIGHT(planes + 16) = FIRST(c, d);
}

// The rows at target -= sums.
static void give_rows(const float* sums, int rows, const int* target, double* work)
{
    for (int r = 0; r < rows; r += 8, sums += 24) {
        Eight pairs[4];
        to_pairs(sums, pairs);
        for (int i = 0; i < 4; i++) {
            double* to = work + 4 * (int64_t)target[r + i];
            STORE(to, LOAD(to) - __builtin_convertvector(HALF(pairs[i], 0), Four));
        }
        for (int i = 0; i < 4 && r + 4 < rows; i++) {
            double* to = work + 4 * (int64_t)target[r + 4 + i];
            STORE(to, LOAD(to) - __builtin_convertvector(HALF(pairs[i], 1), Four));
        }
    }
}

static void take_rows(const double* work, int rows, const int* target, float* planes)
{
    for (int r = 0; r < rows; r += 8, planes += 24) {
        Eight pairs[4];
        for (int i = 0; i < 4; i++) {
            FourFloats low = __builtin_convertvector(LOAD(work + 4 * (int64_t)target[r + i]), FourFloats), high = {0};
            if (r + 4 < rows) high = __builtin_convertvector(LOAD(work + 4 * (int64_t)target[r + 4 + i]), FourFloats);
            pairs[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        to_planes(pairs, planes);
    }
}

// sums of four columns' x y z (and nothing) += L^T x.
SN_INLINE void backward_panel(bool shorts, const char* at, int strips, const float* x, const float* scale, double* sums)
{
    Eight s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0}, s8 = {0}, s9 = {0}, s10 = {0},
          s11 = {0}, l0, l1, l2, l3;
    at += (shorts ? 64 : 128) * (int64_t)strips, x += 24 * (int64_t)strips;
    for (int e = 0; e < strips; e++) {
        at -= shorts ? 64 : 128, x -= 24;
        Eight a = *(const EightAnywhere*)x, b = *(const EightAnywhere*)(x + 8), c = *(const EightAnywhere*)(x + 16);
        __builtin_prefetch(at - SN_SWEEP_AHEAD);
        if (!shorts) __builtin_prefetch(at - SN_SWEEP_AHEAD + 64);
        load_columns(shorts, at, &l0, &l1, &l2, &l3);
        s0 += l0 * a, s1 += l0 * b, s2 += l0 * c;
        s3 += l1 * a, s4 += l1 * b, s5 += l1 * c;
        s6 += l2 * a, s7 += l2 * b, s8 += l2 * c;
        s9 += l3 * a, s10 += l3 * b, s11 += l3 * c;
    }
    const Eight s[4][3] = {{s0, s1, s2}, {s3, s4, s5}, {s6, s7, s8}, {s9, s10, s11}};
    for (int c = 0; c < 4; c++) { // lanes summed of x y z at once
        Eight zero = {0}, xy = LOW(s[c][0], s[c][1]) + HIGH(s[c][0], s[c][1]),
              z = LOW(s[c][2], zero) + HIGH(s[c][2], zero);
        Eight both = FIRST(xy, z) + SECOND(xy, z);
        FourFloats sum = HALF(both, 0) + HALF(both, 1);
        STORE(sums + 4 * c, LOAD(sums + 4 * c) + __builtin_convertvector(sum, Four) * (double)scale[c]);
    }
}

// A supernode's panels, of `strips` strips below its diagonal block.
typedef struct Panels {
    const float* scale; // of each column
    const char* at;
    int columns, strips;
} Panels;

static Panels panels_of(const void* l, int columns, int strips)
{
    const float* scale = l;
    return (Panels){scale, (const char*)(scale + sn_copy_rows(columns)), columns, strips};
}

static int width_of(int columns, int j)
{
    return columns - 4 * j < 4 ? columns - 4 * j : 4;
}

// x y z of columns 4j .. of y, times their scale.
SN_INLINE void take_columns(const double* y, const float* scale, int columns, int j, float four[12])
{
    for (int c = 0; c < 4; c++)
        for (int q = 0; q < 3; q++) {
            int k = 4 * j + c;
            four[3 * c + q] = k < columns ? (float)(scale ? y[4 * k + q] * (double)scale[k] : y[4 * k + q]) : 0;
        }
}

static void forward_diagonal_panels(const void* l, int columns, double* y)
{
    const float* panels = (const float*)l + sn_copy_diagonal(columns);
    float sums[3 * SN_FRONT_WIDEST] __attribute__((aligned(32))), four[12];
    int eights = (columns + 7) / 8;
    memset(sums, 0, 24 * (size_t)eights * sizeof *sums);
    for (int j = 0; j < sn_strips(columns); j++) {
        take_columns(y, NULL, columns, j, four);
        forward_panel(false, (const char*)(panels + sn_diagonal_panel_at(columns, j)), eights - j / 2, four,
                      sums + 24 * (j / 2));
    }
    for (int r = 0; r < columns; r += 8) {
        Eight pairs[4];
        to_pairs(sums + 3 * r, pairs);
        for (int i = 0; i < 4 && r + i < columns; i++)
            STORE(y + 4 * (r + i), __builtin_convertvector(HALF(pairs[i], 0), Four));
        for (int i = 0; i < 4 && r + 4 + i < columns; i++)
            STORE(y + 4 * (r + 4 + i), __builtin_convertvector(HALF(pairs[i], 1), Four));
    }
}

static void backward_diagonal_panels(const void* l, int columns, double* sums, double* y)
{
    static const float ones[4] = {1, 1, 1, 1};
    const float* panels = (const float*)l + sn_copy_diagonal(columns);
    float x[3 * SN_FRONT_WIDEST] __attribute__((aligned(32)));
    double four[16];
    int eights = (columns + 7) / 8;
    for (int r = 0; r < columns; r += 8) {
        FourFloats rows[8] = {{0}};
        for (int i = 0; i < 8 && r + i < columns; i++)
            rows[i] = __builtin_convertvector(LOAD(y + 4 * (r + i)) - LOAD(sums + 4 * (r + i)), FourFloats);
        Eight pairs[4];
        for (int i = 0; i < 4; i++) pairs[i] = __builtin_shufflevector(rows[i], rows[4 + i], 0, 1, 2, 3, 4, 5, 6, 7);
        to_planes(pairs, x + 3 * r);
    }
    for (int j = sn_strips(columns) - 1; j >= 0; j--) {
        memset(four, 0, sizeof four);
        backward_panel(false, (const char*)(panels + sn_diagonal_panel_at(columns, j)), eights - j / 2,
                       x + 24 * (j / 2), ones, four);
        memcpy(y + 16 * j, four, 4 * (size_t)width_of(columns, j) * sizeof *y);
    }
}

SN_INLINE void forward_panels(bool shorts, const Panels* p, int first, int last, const double* y, const int* target,
                              double* work)
{
    float sums[12 * SN_PANEL_STRIPS], four[12];
    int blocks = sn_strips(p->columns), rows = 4 * (last - first), strips = (last - first + 1) / 2;
    memset(sums, 0, 24 * (size_t)strips * sizeof *sums);
    for (int j = 0; j < blocks; j++) {
        take_columns(y, p->scale, p->columns, j, four);
        const char* at = p->at + (shorts ? 2 : 4) * sn_panel_at(p->columns, p->strips, first, j);
        forward_panel(shorts, at, strips, four, sums);
    }
    give_rows(sums, rows, target + 4 * first, work);
}

SN_INLINE void backward_panels(bool shorts, const Panels* p, int first, int last, const int* target, const double* work,
                               double* sums)
{
    float x[12 * SN_PANEL_STRIPS];
    double four[16];
    int rows = 4 * (last - first), strips = (last - first + 1) / 2;
    take_rows(work, rows, target + 4 * first, x);
    for (int j = sn_strips(p->columns) - 1; j >= 0; j--) {
        const char* at = p->at + (shorts ? 2 : 4) * sn_panel_at(p->columns, p->strips, first, j);
        int width = 4 * width_of(p->columns, j);
        if (width == 16) {
            backward_panel(shorts, at, strips, x, p->scale + 4 * j, sums + 16 * j);
            continue;
        }
        memset(four, 0, sizeof four);
        backward_panel(shorts, at, strips, x, p->scale + 4 * j, four);
        for (int k = 0; k < width; k++) sums[16 * j + k] += four[k];
    }
}

// The part of first .. last that is in one panel's reach.
static int panel_end(int first, int last)
{
    int end = first - first % SN_PANEL_STRIPS + SN_PANEL_STRIPS;
    return end < last ? end : last;
}

static int panel_begin(int first, int last)
{
    int begin = (last - 1) - (last - 1) % SN_PANEL_STRIPS;
    return begin > first ? begin : first;
}

#define PANEL_KERNELS(kind, shorts)                                                                                  \
    static void forward_triples_##kind(const void* l, int columns, int strips, int first, int last, const double* y, \
                                       const int* target, double* work)                                              \
    {                                                                                                                \
        Panels p = panels_of(l, columns, strips);                                                                    \
        for (int e = first; e < last; e = panel_end(e, last))                                                        \
            forward_panels(shorts, &p, e, panel_end(e, last), y, target, work);                                      \
    }                                                                                                                \
    static void backward_triples_##kind(const void* l, int columns, int strips, int first, int last,                 \
                                        const int* target, const double* work, double* sums)                         \
    {                                                                                                                \
        Panels p = panels_of(l, columns, strips);                                                                    \
        for (int e = last; e > first; e = panel_begin(first, e))                                                     \
            backward_panels(shorts, &p, panel_begin(first, e), e, target, work, sums);                               \
    }
PANEL_KERNELS(float, false)
PANEL_KERNELS(short, true)

const SnSweepKernels SN_KERNEL(sn_sweep_triple_float) = {.forward_diagonal = forward_diagonal_panels,
                                                         .forward_rows = forward_triples_float,
                                                         .backward_rows = backward_triples_float,
                                                         .backward_diagonal = backward_diagonal_panels};
const SnSweepKernels SN_KERNEL(sn_sweep_triple_short) = {.forward_diagonal = forward_diagonal_panels,
                                                         .forward_rows = forward_triples_short,
                                                         .backward_rows = backward_triples_short,
                                                         .backward_diagonal = backward_diagonal_panels};
