// With K = R R^T, (B^-1 + C^T K C)^-1 = B - B C^T R S^-1 R^T C B, S = 1 + R^T C B C^T R (Woodbury's formula). S has
// three numbers per constraint and eigenvalues from 1 on; conjugate gradients take one B per iteration.
#include "constraint/inverse.h"

#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/share.h"
#include "linalg/vector.h"

typedef struct SnConstraintFactor {
    int index;   // of the constraint
    double r[9]; // lower triangle
} SnConstraintFactor;

SnStatus sn_constraint_inverse_create(SnConstraintInverse* v, SnConstraints* constraints)
{
    int64_t n = 3 * (int64_t)constraints->nodes->count;
    v->constraints = constraints;
    return SN_NEW(v->force, n, "constraints") && SN_NEW(v->moved, n, "constraints") ? SN_OK : SN_ERROR_MEMORY;
}

void sn_constraint_inverse_free(SnConstraintInverse* v)
{
    sn_free(v->factors), sn_free(v->guess), sn_free(v->residual), sn_free(v->search), sn_free(v->image);
    sn_free(v->force), sn_free(v->moved);
    *v = (SnConstraintInverse){0};
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

static SnStatus make_room(SnConstraintInverse* v, int count)
{
    int most = v->number_capacity;
    double** vectors[4] = {&v->guess, &v->residual, &v->search, &v->image};
    if (!SN_GROW(v->factors, v->capacity, count, "constraints")) return SN_ERROR_MEMORY;
    for (int k = 0; k < 4; k++) {
        v->number_capacity = most;
        if (!SN_GROW(*vectors[k], v->number_capacity, 3 * (int64_t)count, "constraints")) return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

SnStatus sn_constraint_inverse_update(SnConstraintInverse* v, const double* x, const double* g)
{
    const SnConstraints* c = v->constraints;
    v->count = 0;
    SN_TRY(make_room(v, c->now->count));
    for (int i = 0; i < c->now->count; i++) {
        double block[9];
        if (!sn_constraints_block(c, i, x, g, block)) continue;
        factor(block, v->factors[v->count].r);
        v->factors[v->count++].index = i;
    }
    v->any = c->count > 0 && sn_share_any(c->nodes->tasks, v->count > 0);
    return SN_OK;
}

static const SnStencil* stencil_of(const SnConstraintInverse* v, int i)
{
    return &v->constraints->now->items[v->factors[i].index].constraint.at;
}

// y = R^T C x
static void gather(const SnConstraintInverse* v, const double* x, double* y)
{
    const int* free_index = v->constraints->nodes->free_index;
    for (int i = 0; i < v->count; i++) {
        const SnStencil* at = stencil_of(v, i);
        const double* r = v->factors[i].r;
        double sum[3] = {0};
        for (int k = 0; k < at->count; k++)
            for (int c = 0; c < 3 && free_index[at->node[k]] >= 0; c++)
                sum[c] += at->weight[k] * x[3 * (int64_t)at->node[k] + c];
        for (int c = 0; c < 3; c++) y[3 * i + c] = r[c] * sum[0] + r[3 + c] * sum[1] + r[6 + c] * sum[2];
    }
}

// f = C^T R y at free nodes, zero elsewhere
static void scatter(const SnConstraintInverse* v, const double* y, double* f)
{
    const SnNodes* nodes = v->constraints->nodes;
    memset(f, 0, 3 * (size_t)nodes->count * sizeof *f);
    for (int i = 0; i < v->count; i++) {
        const SnStencil* at = stencil_of(v, i);
        const double *r = v->factors[i].r, *in = y + 3 * i;
        for (int c = 0; c < 3; c++) {
            double force = r[3 * c] * in[0] + r[3 * c + 1] * in[1] + r[3 * c + 2] * in[2];
            for (int k = 0; k < at->count; k++)
                if (nodes->free_index[at->node[k]] >= 0) f[3 * (int64_t)at->node[k] + c] += at->weight[k] * force;
        }
    }
}

static double dot(const SnConstraintInverse* v, const double* a, const double* b)
{
    const SnConstraints* c = v->constraints;
    double sum = 0;
    for (int k = 0; k < 3 * v->count; k++)
        if (sn_constraint_is_own(c->nodes, &c->now->items[v->factors[k / 3].index])) sum += a[k] * b[k];
    return sn_share_total(c->nodes->tasks, sum);
}

SnStatus sn_constraint_inverse_apply(SnConstraintInverse* v, SnInverse b, const double* q, double* r)
{
    const SnNodes* nodes = v->constraints->nodes;
    int n = 3 * v->count;
    SN_TRY(b.apply(b.self, q, r));
    if (!v->any) return SN_OK;
    gather(v, r, v->residual);
    memset(v->guess, 0, (size_t)n * sizeof *v->guess);
    memcpy(v->search, v->residual, (size_t)n * sizeof *v->search);
    double rr = dot(v, v->residual, v->residual), enough = SN_INVERSE_ERROR * SN_INVERSE_ERROR * rr;
    for (int k = 0; k < SN_INVERSE_ITERATIONS && rr > enough; k++) {
        scatter(v, v->search, v->force);
        SN_TRY(b.apply(b.self, v->force, v->moved));
        gather(v, v->moved, v->image);
        for (int i = 0; i < n; i++) v->image[i] += v->search[i];
        double step = rr / dot(v, v->search, v->image), before = rr;
        for (int i = 0; i < n; i++) v->guess[i] += step * v->search[i], v->residual[i] -= step * v->image[i];
        rr = dot(v, v->residual, v->residual);
        for (int i = 0; i < n; i++) v->search[i] = v->residual[i] + rr / before * v->search[i];
        sn_vector_axpy(nodes->tasks, 3 * nodes->count, -step, v->moved, r, r);
    }
    v->constraints->bounded += rr > enough;
    return SN_OK;
}
