// Triangular sweeps with one right-hand side over a supernode's strips of REAL, which is double or float.
// Included by sweep_kernel.c once for each; WIDE loads four of them as doubles, LANES are four of them as they are,
// which TAKE loads, NARROW makes of doubles and WIDEN makes doubles of. Rows beside the diagonal, which are most of it,
// are multiplied as they are, four strips at a time, and added up as doubles. NAME tells the functions apart.

static const REAL* NAME(rows_below)(const void* l, int columns)
{
    return (const REAL*)l + sn_front_strip(columns, sn_strips(columns));
}

// A strip's column is one register.

static void NAME(forward_diagonal_1)(const void* l, int columns, double* y)
{
    for (int i = 0; 4 * i < columns; i++) {
        const REAL* strip = (const REAL*)l + sn_front_strip(columns, i);
        int width = tile_width(columns, i);
        double t[4] = {0}, r[4];
        Four s[4] = {{0}};
        for (int k = 0; k < 4 * i; k += 4)
            for (int c = 0; c < 4; c++) s[c] += WIDE(strip + 4 * (k + c)) * y[k + c];
        memcpy(t, y + 4 * i, (size_t)width * sizeof *t);
        STORE(t, LOAD(t) - ((s[0] + s[1]) + (s[2] + s[3])));
        const REAL* inverse = strip + 16 * (int64_t)i;
        Four x = WIDE(inverse) * t[0];
        for (int c = 1; c < width; c++) x += WIDE(inverse + 4 * c) * t[c];
        STORE(r, x);
        memcpy(y + 4 * i, r, (size_t)width * sizeof *r);
    }
}

SN_INLINE void NAME(forward_strips_1)(int n, const REAL* strip, int columns, const double* y, const int* target,
                                      double* work)
{
    int64_t step = 4 * (int64_t)columns;
    LANES s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int k = 0; k < columns; k++) {
        REAL yk = (REAL)y[k];
        fetch(strip, 4 * sizeof(REAL), n, k, SN_SWEEP_AHEAD);
        s0 += TAKE(strip + 4 * k) * yk;
        if (n > 1) s1 += TAKE(strip + step + 4 * k) * yk;
        if (n > 2) s2 += TAKE(strip + 2 * step + 4 * k) * yk;
        if (n > 3) s3 += TAKE(strip + 3 * step + 4 * k) * yk;
    }
    double out[16];
    STORE(out, WIDEN(s0)), STORE(out + 4, WIDEN(s1)), STORE(out + 8, WIDEN(s2)), STORE(out + 12, WIDEN(s3));
    for (int r = 0; r < 4 * n; r++) work[target[r]] -= out[r];
}

static void NAME(forward_rows_1)(const void* l, int columns, int strips, int first, int last, const double* y,
                                 const int* target, double* work)
{
    (void)strips;
    const REAL* below = NAME(rows_below)(l, columns);
    int e = first;
    for (; e + 4 <= last; e += 4)
        NAME(forward_strips_1)(4, below + 4 * (int64_t)columns * e, columns, y, target + 4 * e, work);
    for (; e < last; e++) NAME(forward_strips_1)(1, below + 4 * (int64_t)columns * e, columns, y, target + 4 * e, work);
}

SN_INLINE void NAME(backward_strips_1)(int n, const REAL* strip, int columns, const int* target, const double* work,
                                       double* sums)
{
    int64_t step = 4 * (int64_t)columns;
    double in[16] = {0};
    for (int r = 0; r < 4 * n; r++) in[r] = work[target[r]];
    LANES x0 = NARROW(LOAD(in)), x1 = NARROW(LOAD(in + 4)), x2 = NARROW(LOAD(in + 8)), x3 = NARROW(LOAD(in + 12));
    for (int k = 0; k < columns; k++) {
        fetch(strip, 4 * sizeof(REAL), n, k, -SN_SWEEP_AHEAD);
        LANES s = TAKE(strip + 4 * k) * x0;
        if (n > 1) s += TAKE(strip + step + 4 * k) * x1;
        if (n > 2) s += TAKE(strip + 2 * step + 4 * k) * x2;
        if (n > 3) s += TAKE(strip + 3 * step + 4 * k) * x3;
        STORE(sums + 4 * k, LOAD(sums + 4 * k) + WIDEN(s));
    }
}

static void NAME(backward_rows_1)(const void* l, int columns, int strips, int first, int last, const int* target,
                                  const double* work, double* sums)
{
    (void)strips;
    const REAL* below = NAME(rows_below)(l, columns);
    int e = last;
    for (; e - 4 >= first; e -= 4)
        NAME(backward_strips_1)(4, below + 4 * (int64_t)columns * (e - 4), columns, target + 4 * (e - 4), work, sums);
    for (; e > first; e--)
        NAME(backward_strips_1)(1, below + 4 * (int64_t)columns * (e - 1), columns, target + 4 * (e - 1), work, sums);
}

// The four rows r of a strip, and what they have in columns on the left from `first` on.
SN_INLINE void NAME(backward_strip_1)(const REAL* strip, int i, int columns, int first, double* sums, double* y,
                                      double r[4])
{
    const REAL* inverse = strip + 16 * (int64_t)i;
    int width = tile_width(columns, i);
    double t[4] = {0}, product[4];
    memset(r, 0, 4 * sizeof *r);
    for (int c = 0; c < width; c++) t[c] = y[4 * i + c] - sum_lanes(sums + 4 * (4 * i + c));
    for (int c = 0; c < width; c++) {
        STORE(product, WIDE(inverse + 4 * c) * LOAD(t));
        r[c] = sum_lanes(product);
    }
    memcpy(y + 4 * i, r, (size_t)width * sizeof *r);
    Four x = LOAD(r);
    for (int k = first; k < 4 * i; k++) STORE(sums + 4 * k, LOAD(sums + 4 * k) + WIDE(strip + 4 * k) * x);
}

// Four strips together, but for what is between them.
static void NAME(backward_diagonal_1)(const void* l, int columns, double* sums, double* y)
{
    int strips = sn_strips(columns), i = strips - 1;
    double r[4];
    for (; i >= 4 * (strips / 4); i--)
        NAME(backward_strip_1)((const REAL*)l + sn_front_strip(columns, i), i, columns, 0, sums, y, r);
    for (; i >= 3; i -= 4) {
        const REAL* strip[4];
        LANES x[4];
        for (int e = 3; e >= 0; e--) {
            strip[e] = (const REAL*)l + sn_front_strip(columns, i - 3 + e);
            NAME(backward_strip_1)(strip[e], i - 3 + e, columns, 4 * (i - 3), sums, y, r);
            x[e] = NARROW(LOAD(r));
        }
        const REAL *l0 = strip[0], *l1 = strip[1], *l2 = strip[2], *l3 = strip[3];
        LANES x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
        for (int k = 0; k < 4 * (i - 3); k++) {
            LANES s = TAKE(l0 + 4 * k) * x0 + TAKE(l1 + 4 * k) * x1 + TAKE(l2 + 4 * k) * x2 + TAKE(l3 + 4 * k) * x3;
            STORE(sums + 4 * k, LOAD(sums + 4 * k) + WIDEN(s));
        }
    }
}

const SnSweepKernels TABLE(sn_sweep_single) = {.forward_diagonal = NAME(forward_diagonal_1),
                                               .forward_rows = NAME(forward_rows_1),
                                               .backward_rows = NAME(backward_rows_1),
                                               .backward_diagonal = NAME(backward_diagonal_1)};
