// Rows that join several nodes, as a product.
#include "solver/coupling.h"

#include <math.h>

SnStatus sn_coupling_update(SnCoupling* c, const SnObjective* o, const double* x, const double* g, SnLinearMap matrix)
{
    c->count = 0;
    c->matrix = matrix;
    for (int i = 0; o->rows && i < o->rows->count && !o->hard; i++) {
        const SnRow* row = &o->rows->rows[i];
        SnCoupledRow coupled = {.count = row->count};
        if (row->count < 2 || !sn_row_block(o, row, x, g, coupled.block)) continue;
        for (int k = 0; k < row->count; k++)
            coupled.row[k] = o->free_index[row->node[k]], coupled.weight[k] = row->weight[k];
        if (!SN_GROW(c->rows, c->capacity, c->count + 1, "constraints")) return SN_ERROR_MEMORY;
        c->rows[c->count++] = coupled;
    }
    return SN_OK;
}

// y += (w K w^T - bound) x for one row.
static void add_row(const SnCoupledRow* r, const double* x, double* y)
{
    double all = 0, sum[3] = {0};
    for (int k = 0; k < r->count; k++) {
        all += fabs(r->weight[k]);
        for (int c = 0; c < 3 && r->row[k] >= 0; c++) sum[c] += r->weight[k] * x[3 * (int64_t)r->row[k] + c];
    }
    for (int k = 0; k < r->count; k++) {
        if (r->row[k] < 0) continue;
        const double* at = x + 3 * (int64_t)r->row[k];
        double way[3];
        for (int c = 0; c < 3; c++) way[c] = r->weight[k] * sum[c] - all * fabs(r->weight[k]) * at[c];
        for (int c = 0; c < 3; c++)
            y[3 * (int64_t)r->row[k] + c] +=
                r->block[3 * c] * way[0] + r->block[3 * c + 1] * way[1] + r->block[3 * c + 2] * way[2];
    }
}

static void apply(void* self, SnTasks* tasks, const double* x, double* y)
{
    SnCoupling* c = self;
    c->matrix.apply(c->matrix.self, tasks, x, y);
    for (int i = 0; i < c->count; i++) add_row(&c->rows[i], x, y);
}

SnLinearMap sn_coupling_map(SnCoupling* c)
{
    return (SnLinearMap){apply, c};
}

void sn_coupling_free(SnCoupling* c)
{
    sn_free(c->rows);
    *c = (SnCoupling){0};
}
