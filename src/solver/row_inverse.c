// With K = R R^T, (B^-1 + C^T K C)^-1 = B - B C^T R S^-1 R^T C B, S = 1 + R^T C B C^T R (Woodbury's formula). S has
// three numbers per row and eigenvalues from 1 on; conjugate gradients take one B per iteration.
#include "solver/row_inverse.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

enum { MOST_ITERATIONS = 60 };
#define ERROR 1e-3 // of the right-hand side

typedef struct SnRowFactor {
    int row;     // of the objective
    double r[9]; // lower triangle
} SnRowFactor;

SnStatus sn_row_inverse_create(SnRowInverse* v, const SnObjective* o)
{
    int64_t n = 3 * (int64_t)o->node_count;
    return SN_NEW(v->force, n, "constraints") && SN_NEW(v->way, n, "constraints") ? SN_OK : SN_ERROR_MEMORY;
}

void sn_row_inverse_free(SnRowInverse* v)
{
    sn_free(v->factors), sn_free(v->guess), sn_free(v->residual), sn_free(v->ahead), sn_free(v->product);
    sn_free(v->force), sn_free(v->way);
    *v = (SnRowInverse){0};
}

// K = R R^T, also where K is singular.
static void factor(const double k[9], double r[9])
{
    double least = 1e-12 * (k[0] + k[4] + k[8]);
    memset(r, 0, 9 * sizeof *r);
    for (int j = 0; j < 3; j++) {
        double pivot = k[4 * j];
        for (int c = 0; c < j; c++) pivot -= r[3 * j + c] * r[3 * j + c];
        if (!(pivot > least)) continue;
        r[4 * j] = sqrt(pivot);
        for (int i = j + 1; i < 3; i++) {
            double sum = k[3 * i + j];
            for (int c = 0; c < j; c++) sum -= r[3 * i + c] * r[3 * j + c];
            r[3 * i + j] = sum / r[4 * j];
        }
    }
}

static SnStatus make_room(SnRowInverse* v, int count)
{
    int most = v->number_capacity;
    double** vectors[4] = {&v->guess, &v->residual, &v->ahead, &v->product};
    if (!SN_GROW(v->factors, v->capacity, count, "constraints")) return SN_ERROR_MEMORY;
    for (int k = 0; k < 4; k++) {
        v->number_capacity = most;
        if (!SN_GROW(*vectors[k], v->number_capacity, 3 * (int64_t)count, "constraints")) return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

SnStatus sn_row_inverse_update(SnRowInverse* v, const SnSearch* s)
{
    const SnObjective* o = s->objective;
    v->count = 0;
    if (!o->rows || o->hard) return SN_OK;
    SN_TRY(make_room(v, o->rows->count));
    v->rows = o->rows->rows;
    for (int i = 0; i < o->rows->count; i++) {
        double block[9];
        if (!sn_row_block(o, &v->rows[i], s->x, s->g, block)) continue;
        factor(block, v->factors[v->count].r);
        v->factors[v->count++].row = i;
    }
    return SN_OK;
}

// y = R^T C x
static void gather(const SnRowInverse* v, const SnObjective* o, const double* x, double* y)
{
    for (int i = 0; i < v->count; i++) {
        const SnRow* row = &v->rows[v->factors[i].row];
        const double* r = v->factors[i].r;
        double sum[3] = {0};
        for (int k = 0; k < row->count; k++)
            for (int c = 0; c < 3 && o->free_index[row->node[k]] >= 0; c++)
                sum[c] += row->weight[k] * x[3 * (int64_t)row->node[k] + c];
        for (int c = 0; c < 3; c++) y[3 * i + c] = r[c] * sum[0] + r[3 + c] * sum[1] + r[6 + c] * sum[2];
    }
}

// f = C^T R y at free nodes, zero elsewhere
static void scatter(const SnRowInverse* v, const SnObjective* o, const double* y, double* f)
{
    memset(f, 0, 3 * (size_t)o->node_count * sizeof *f);
    for (int i = 0; i < v->count; i++) {
        const SnRow* row = &v->rows[v->factors[i].row];
        const double *r = v->factors[i].r, *at = y + 3 * i;
        for (int c = 0; c < 3; c++) {
            double force = r[3 * c] * at[0] + r[3 * c + 1] * at[1] + r[3 * c + 2] * at[2];
            for (int k = 0; k < row->count; k++)
                if (o->free_index[row->node[k]] >= 0) f[3 * (int64_t)row->node[k] + c] += row->weight[k] * force;
        }
    }
}

static double dot(int count, const double* a, const double* b)
{
    double sum = 0;
    for (int k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

SnStatus sn_row_inverse_apply(SnRowInverse* v, const SnInitialType* initial, void* state, SnSearch* s, const double* q,
                              double ys, double* r)
{
    const SnObjective* o = s->objective;
    int n = 3 * v->count;
    SN_TRY(initial->apply(state, s, q, ys, r));
    if (n == 0) return SN_OK;
    gather(v, o, r, v->residual);
    memset(v->guess, 0, (size_t)n * sizeof *v->guess);
    memcpy(v->ahead, v->residual, (size_t)n * sizeof *v->ahead);
    double rr = dot(n, v->residual, v->residual), enough = ERROR * ERROR * rr;
    for (int k = 0; k < MOST_ITERATIONS && rr > enough; k++) {
        scatter(v, o, v->ahead, v->force);
        SN_TRY(initial->apply(state, s, v->force, ys, v->way));
        gather(v, o, v->way, v->product);
        for (int i = 0; i < n; i++) v->product[i] += v->ahead[i];
        double step = rr / dot(n, v->ahead, v->product), before = rr;
        for (int i = 0; i < n; i++) v->guess[i] += step * v->ahead[i], v->residual[i] -= step * v->product[i];
        rr = dot(n, v->residual, v->residual);
        for (int i = 0; i < n; i++) v->ahead[i] = v->residual[i] + rr / before * v->ahead[i];
        sn_vector_axpy(o->tasks, 3 * o->node_count, -step, v->way, r, r);
    }
    return SN_OK;
}
