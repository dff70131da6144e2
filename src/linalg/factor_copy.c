// A copy of a Cholesky factor in fewer bits, as the sweeps take it: floats, or with three right-hand sides 16-bit
// integers with a scale for each column of a supernode.
//
// Of integers the diagonal blocks stay in floats, so the factor is of full rank and L L^T positive definite whatever is
// rounded off below them.
#include "linalg/factor_copy.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 16, LARGEST = 32767 };

// Of a supernode, the rows below of `size` bytes each.
static int64_t length_of(const SnFactorPlan* plan, int s, size_t size)
{
    int columns = sn_plan_columns(plan, s), strips = sn_strips(sn_plan_below(plan, s));
    int64_t floats = (int64_t)sizeof(float);
    if (plan->block == 3) return (plan->l_at[s + 1] - plan->l_at[s]) * floats;
    return sn_copy_rows(columns) * floats + 32 * (int64_t)sn_strips(columns) * ((strips + 1) / 2) * (int64_t)size;
}

SnStatus sn_factor_copy_create(const SnFactorPlan* plan, const double* l, SnFactorPrecision precision,
                               SnFactorCopy* copy)
{
    *copy = (SnFactorCopy){.precision = precision, .plan = plan, .l = l};
    if (precision == SN_FACTOR_DOUBLE) return SN_OK;
    int count = plan->shape.count;
    for (int s = 0; s < count; s++) copy->length += length_of(plan, s, sizeof(float));
    if (SN_NEW(copy->bytes, copy->length, "the Cholesky factor's copy") &&
        SN_NEW(copy->at, count + 1, "the Cholesky factor's copy"))
        return SN_OK;
    sn_factor_copy_free(copy);
    return SN_ERROR_MEMORY;
}

void sn_factor_copy_free(SnFactorCopy* copy)
{
    SN_FREE(copy->bytes, copy->at);
    copy->bytes = NULL, copy->at = NULL, copy->length = 0;
    copy->precision = SN_FACTOR_DOUBLE;
}

static void to_floats(const double* from, int64_t count, float* to)
{
    for (int64_t k = 0; k < count; k++) to[k] = (float)from[k];
}

static int nearest(double value)
{
    return (int)(value < 0 ? value - 0.5 : value + 0.5);
}

// A word of two numbers of at most LARGEST: the first is its lower half as an integer with a sign, the second the whole
// word over 2^16, as near as it can be.
static uint32_t word_of(double first, double second)
{
    int low = nearest(first) & 0xffff, high = nearest(second - (double)low / 65536);
    return ((uint32_t)high << 16) + (uint32_t)low;
}

// Of strips of `columns` columns of four, the largest number of each column.
static void find_largest(const double* from, int strips, int columns, double* most)
{
    for (int k = 0; k < columns; k++) most[k] = 0;
    for (int e = 0; e < strips; e++, from += 4 * columns)
        for (int k = 0; k < 4 * columns; k++) {
            double size = fabs(from[k]);
            most[k / 4] = size > most[k / 4] ? size : most[k / 4];
        }
}

// Where column k of strip e goes, in numbers.
static int64_t place(int columns, int strips, int e, int k)
{
    return sn_panel_at(columns, strips, e - e % 2, k / 4) + 8 * (k % 4) + 4 * (e % 2);
}

// The largest number of each column becomes LARGEST.
static void to_words(const double* from, int strips, int columns, float* scale, uint32_t* panels)
{
    double up[SN_FRONT_WIDEST + 1] = {0}; // an odd number of columns is padded
    find_largest(from, strips, columns, up);
    for (int k = 0; k < columns; k++) {
        scale[k] = (float)(up[k] / LARGEST / 65536);
        up[k] = up[k] > 0 ? LARGEST / up[k] : 0;
    }
    for (int e = 0; e < strips; e++, from += 4 * columns)
        for (int k = 0; k < columns; k += 2) {
            const double *first = from + 4 * k, *second = k + 1 < columns ? first + 4 : first;
            uint32_t* to = panels + place(columns, strips, e, k) / 2 + 2 * (e % 2);
            for (int r = 0; r < 4; r++) to[r] = word_of(up[k] * first[r], up[k + 1] * second[r]);
        }
}

static void to_panels(const double* from, int strips, int columns, float* scale, float* panels)
{
    for (int k = 0; k < columns; k++) scale[k] = 1;
    for (int e = 0; e < strips; e++)
        for (int k = 0; k < columns; k++, from += 4) to_floats(from, 4, panels + place(columns, strips, e, k));
}

// The inverse of a diagonal block, four of its columns at a time.
static void invert_diagonal(const double* l, int columns, float* panels)
{
    const SnSweepKernels* doubles = sn_sweep_kernels(true, SN_FACTOR_DOUBLE);
    double y[4 * SN_FRONT_WIDEST] __attribute__((aligned(64)));
    for (int j = 0; j < sn_strips(columns); j++) {
        memset(y, 0, 4 * (size_t)columns * sizeof *y);
        for (int c = 0; c < 4 && 4 * j + c < columns; c++) y[4 * (4 * j + c) + c] = 1;
        doubles->forward_diagonal(l, columns, y);
        float* to = panels + sn_diagonal_panel_at(columns, j);
        for (int r = 4 * j; r < columns; r++)
            for (int c = 0; c < 4; c++) to[32 * (r / 8 - j / 2) + 8 * c + r % 8] = (float)y[4 * r + c];
    }
}

static void fill_supernode(const SnFactorCopy* copy, int s)
{
    const SnFactorPlan* plan = copy->plan;
    int columns = sn_plan_columns(plan, s), strips = sn_strips(sn_plan_below(plan, s));
    const double *from = copy->l + plan->l_at[s], *below = from + sn_front_strip(columns, sn_strips(columns));
    float* to = (float*)(void*)(copy->bytes + copy->at[s]);
    if (plan->block == 3) {
        to_floats(from, plan->l_at[s + 1] - plan->l_at[s], to);
        return;
    }
    memset(to, 0, (size_t)(copy->at[s + 1] - copy->at[s])); // what is padded
    invert_diagonal(from, columns, to + sn_copy_diagonal(columns));
    float* panels = to + sn_copy_rows(columns);
    if (copy->precision == SN_FACTOR_SHORT)
        to_words(below, strips, columns, to, (uint32_t*)panels);
    else
        to_panels(below, strips, columns, to, panels);
}

static void fill_supernodes(void* context, int first, int last)
{
    for (int s = first; s < last; s++) fill_supernode(context, s);
}

void sn_factor_copy_fill(SnFactorCopy* copy, SnFactorPrecision precision, SnTasks* tasks)
{
    if (!copy->bytes) return;
    size_t size = precision == SN_FACTOR_SHORT ? sizeof(int16_t) : sizeof(float);
    copy->precision = precision;
    copy->at[0] = 0;
    for (int s = 0; s < copy->plan->shape.count; s++) copy->at[s + 1] = copy->at[s] + length_of(copy->plan, s, size);
    sn_tasks_for(tasks, copy->plan->shape.count, GRAIN, fill_supernodes, copy);
}
