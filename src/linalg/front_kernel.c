// Dense kernels on fronts: tiles of 12 x 4 numbers in registers, multiplied strip by strip.
#include "linalg/front.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"
#include "linalg/four.h"

extern const SnFrontKernels SN_KERNEL(sn_front_kernels_table);

#if defined(__SSE2__) && !defined(__AVX__)
// With 16-byte registers a tile of 12 x 4 would not stay in them: strip by strip, 4 x 4.
typedef double Two __attribute__((vector_size(16)));
typedef double TwoAnywhere __attribute__((vector_size(16), aligned(8), may_alias));

SN_INLINE void multiply_strip(const double* a, const double* b, int k, double* t, int stride)
{
    Two s[4][2];
    for (int c = 0; c < 4; c++) s[c][0] = s[c][1] = (Two){0, 0};
    for (int64_t i = 0; i < 4 * (int64_t)k; i += 4) {
        Two x0 = *(const TwoAnywhere*)(a + i), x1 = *(const TwoAnywhere*)(a + i + 2);
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++) {
            Two y = {b[i + c], b[i + c]};
            s[c][0] += x0 * y;
            s[c][1] += x1 * y;
        }
    }
    for (int c = 0; c < 4; c++) {
        *(TwoAnywhere*)(t + c * stride) -= s[c][0];
        *(TwoAnywhere*)(t + c * stride + 2) -= s[c][1];
    }
}

// t[c][q] -= strip a[q] times row c of strip b, over k columns.
SN_INLINE void multiply(int n, const double* const a[3], const double* b, int k, Four t[4][3])
{
    for (int q = 0; q < n; q++) multiply_strip(a[q], b, k, (double*)&t[0][q], 12);
}
#else
// t[c][q] -= strip a[q] times row c of strip b, over k columns. n strips, a constant once inlined.
SN_INLINE void multiply(int n, const double* const a[3], const double* b, int k, Four t[4][3])
{
    Four s[4][3];
    for (int c = 0; c < 4; c++)
        for (int q = 0; q < n; q++) s[c][q] = (Four){0, 0, 0, 0};
    const double *a0 = a[0], *a1 = a[n > 1], *a2 = a[n > 2 ? 2 : 0];
    for (int64_t i = 0; i < 4 * (int64_t)k; i += 4) {
        Four x0 = LOAD(a0 + i), x1 = x0, x2 = x0;
        if (n > 1) x1 = LOAD(a1 + i);
        if (n > 2) x2 = LOAD(a2 + i);
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++) {
            double y = b[i + c];
            s[c][0] += x0 * y;
            if (n > 1) s[c][1] += x1 * y;
            if (n > 2) s[c][2] += x2 * y;
        }
    }
    for (int c = 0; c < 4; c++)
        for (int q = 0; q < n; q++) t[c][q] -= s[c][q];
}
#endif

// Loads tiles (i .. i+n-1, j) of packed columns; the tiles of a column lie one after the other.
SN_INLINE void load_tiles(int n, const double* tile, int64_t height, Four t[4][3])
{
    for (int c = 0; c < 4; c++)
        for (int q = 0; q < n; q++) t[c][q] = LOAD(tile + c * height + 4 * q);
}

// Tiles (i .. i+n-1, j) of the factor: what is left of A minus earlier columns, times the inverse of tile (j, j).
SN_INLINE void factor_tiles(int n, const SnFront* f, int strips, double* const rows[3], int i, int j)
{
    const double* b = f->l + sn_front_strip(f->columns, j);
    const double* inverse = b + 16 * (int64_t)j;
    const double* const a[3] = {rows[0], rows[1], rows[2]};
    int width = f->columns - 4 * j < 4 ? f->columns - 4 * j : 4;
    Four t[4][3];
    load_tiles(n, f->p + sn_packed_block(strips, j) + 4 * (int64_t)(i - j), 4 * (int64_t)(strips - j), t);
    multiply(n, a, b, 4 * j, t);
    for (int c = 0; c < width; c++) {
        for (int q = 0; q < n; q++) {
            Four x = t[0][q] * inverse[c];
            for (int d = 1; d <= c; d++) x += t[d][q] * inverse[4 * d + c];
            STORE(rows[q] + 16 * (int64_t)j + 4 * c, x);
        }
    }
}

// Of one, two or three.
static void factor_some(int n, const SnFront* f, int strips, double* const rows[3], int i, int j)
{
    switch (n) {
    case 1: factor_tiles(1, f, strips, rows, i, j); break;
    case 2: factor_tiles(2, f, strips, rows, i, j); break;
    default: factor_tiles(3, f, strips, rows, i, j);
    }
}

// The inverse of the Cholesky factor of a w x w tile (column-major, lower triangle), written over it.
static bool invert_tile(double t[16], int w, double* inverse)
{
    double l[16] = {0}, v[16] = {0};
    for (int c = 0; c < w; c++) {
        double d = t[5 * c];
        for (int k = 0; k < c; k++) d -= l[4 * k + c] * l[4 * k + c];
        if (!(d > 0) || !isfinite(d)) return false;
        d = sqrt(d);
        l[5 * c] = d;
        for (int r = c + 1; r < w; r++) {
            double x = t[4 * c + r];
            for (int k = 0; k < c; k++) x -= l[4 * k + r] * l[4 * k + c];
            l[4 * c + r] = x / d;
        }
    }
    for (int c = 0; c < w; c++) {
        v[5 * c] = 1 / l[5 * c];
        for (int r = c + 1; r < w; r++) {
            double x = 0;
            for (int k = c; k < r; k++) x -= l[4 * k + r] * v[4 * c + k];
            v[4 * c + r] = x / l[5 * r];
        }
    }
    memcpy(inverse, v, 4 * (size_t)w * sizeof *v);
    return true;
}

static bool factor_diagonal_tile(const SnFront* f, int strips, int i)
{
    double* row = f->l + sn_front_strip(f->columns, i);
    const double* const a[3] = {row, row, row};
    int width = f->columns - 4 * i < 4 ? f->columns - 4 * i : 4;
    Four t[4][3];
    double tile[16];
    load_tiles(1, f->p + sn_packed_block(strips, i), 4 * (int64_t)(strips - i), t);
    multiply(1, a, row, 4 * i, t);
    for (int c = 0; c < 4; c++) STORE(tile + 4 * c, t[c][0]);
    return invert_tile(tile, width, row + 16 * (int64_t)i);
}

static bool factor_diagonal(const SnFront* f)
{
    int diagonal = sn_strips(f->columns), strips = diagonal + sn_strips(f->below);
    for (int i = 0; i < diagonal; i += 3) {
        int n = diagonal - i < 3 ? diagonal - i : 3;
        double* rows[3];
        for (int q = 0; q < 3; q++) rows[q] = f->l + sn_front_strip(f->columns, i + (q < n ? q : 0));
        for (int j = 0; j < i; j++) factor_some(n, f, strips, rows, i, j);
        for (int q = 0; q < n; q++) {
            double* const row[3] = {rows[q], rows[q], rows[q]};
            for (int j = i; j < i + q; j++) factor_some(1, f, strips, row, i + q, j);
            if (!factor_diagonal_tile(f, strips, i + q)) return false;
        }
    }
    return true;
}

static void factor_rows(const SnFront* f, int first, int last)
{
    int diagonal = sn_strips(f->columns), strips = diagonal + sn_strips(f->below);
    for (int i = first; i < last; i += 3) {
        int n = last - i < 3 ? last - i : 3;
        double* rows[3];
        for (int q = 0; q < 3; q++) rows[q] = f->l + sn_front_strip(f->columns, diagonal + i + (q < n ? q : 0));
        for (int j = 0; j < diagonal; j++) factor_some(n, f, strips, rows, diagonal + i, j);
    }
}

SN_INLINE void update_tiles(int n, const SnFront* f, int strips, int i, int j)
{
    int64_t step = 4 * (int64_t)f->columns, height = 4 * (int64_t)(strips - j);
    const double* below = f->l + sn_front_strip(f->columns, sn_strips(f->columns));
    const double* const a[3] = {below + i * step, below + (i + 1) * step, below + (i + 2) * step};
    double* tile = f->u + sn_packed_block(strips, j) + 4 * (int64_t)(i - j);
    Four t[4][3];
    load_tiles(n, tile, height, t);
    multiply(n, a, below + j * step, f->columns, t);
    for (int c = 0; c < 4; c++)
        for (int q = 0; q < n; q++) STORE(tile + c * height + 4 * q, t[c][q]);
}

static void update_some(int n, const SnFront* f, int strips, int i, int j)
{
    switch (n) {
    case 1: update_tiles(1, f, strips, i, j); break;
    case 2: update_tiles(2, f, strips, i, j); break;
    default: update_tiles(3, f, strips, i, j);
    }
}

// Strips are taken as right-hand operands in groups that stay in the second-level cache.
static void update(const SnFront* f, int first, int last)
{
    int strips = sn_strips(f->below);
    int group = 8192 / f->columns;
    for (int begin = 0; begin < last; begin += group) {
        int end = begin + group < last ? begin + group : last;
        for (int i = first; i < last; i += 3) {
            int over = i + 3 < last ? i + 3 : last;
            for (int j = begin; j < end && j < over; j++) {
                int from = j < i ? i : j;
                update_some(over - from, f, strips, from, j);
            }
        }
    }
}

// One column of a child, from its node `node` on, of which `k` rows are above the diagonal; from node `tail` on the
// targets follow each other.
SN_INLINE void extend_column(int block, double* to, const double* from, int node, int k, int nodes, int tail,
                             const int* relative)
{
    for (int q = k; q < block; q++) to[relative[node] + q] += from[block * node + q];
    int i = node + 1;
    for (; i < tail; i++)
        for (int q = 0; q < block; q++) to[relative[i] + q] += from[block * i + q];
    if (i >= nodes) return;
    double* out = to + relative[i];
    const double* in = from + block * i;
    for (int r = 0; r < block * (nodes - i); r++) out[r] += in[r];
}

SN_INLINE void extend_block(int block, const SnFront* f, double* child, int nodes, const int* relative, int first,
                            int last)
{
    int child_strips = sn_strips(block * nodes), diagonal = sn_strips(f->columns), below = sn_strips(f->below);
    int tail = nodes - 1;
    while (tail > first && relative[tail - 1] + block == relative[tail]) tail--;
    for (int node = first; node < last; node++) {
        for (int k = 0; k < block; k++) {
            int column = relative[node] + k;
            double* to = column < f->columns ? sn_packed_column(f->p, diagonal + below, column)
                                             : sn_packed_column(f->u, below, column - 4 * diagonal) - 4 * diagonal;
            extend_column(block, to, sn_packed_column(child, child_strips, block * node + k), node, k, nodes, tail,
                          relative);
        }
    }
}

static void extend(const SnFront* f, double* child, int nodes, int block, const int* relative, int first, int last)
{
    if (block == 1)
        extend_block(1, f, child, nodes, relative, first, last);
    else
        extend_block(3, f, child, nodes, relative, first, last);
}

const SnFrontKernels SN_KERNEL(sn_front_kernels_table) = {
    .factor_diagonal = factor_diagonal, .factor_rows = factor_rows, .update = update, .extend = extend};
