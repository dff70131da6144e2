// Constraints that join several nodes, as a product.
#include "constraint/joined.h"

#include <math.h>

SnStatus sn_joined_update(SnJoined* j, const SnConstraints* c, const double* x, const double* g, SnLinearMap matrix)
{
    j->count = 0;
    j->matrix = matrix;
    for (int i = 0; i < c->now->count; i++) {
        const SnStencil* at = &c->now->items[i].constraint.at;
        SnJoinedConstraint joined = {.count = at->count};
        if (at->count < 2 || !sn_constraints_block(c, i, x, g, joined.block)) continue;
        for (int k = 0; k < at->count; k++)
            joined.row[k] = c->nodes->free_index[at->node[k]], joined.weight[k] = at->weight[k];
        if (!SN_GROW(j->items, j->capacity, j->count + 1, "constraints")) return SN_ERROR_MEMORY;
        j->items[j->count++] = joined;
    }
    return SN_OK;
}

// y += (w K w^T - bound) x for one constraint.
static void add_constraint(const SnJoinedConstraint* r, const double* x, double* y)
{
    double all = 0, sum[3] = {0};
    for (int k = 0; k < r->count; k++) {
        all += fabs(r->weight[k]);
        for (int c = 0; c < 3 && r->row[k] >= 0; c++) sum[c] += r->weight[k] * x[3 * (int64_t)r->row[k] + c];
    }
    for (int k = 0; k < r->count; k++) {
        if (r->row[k] < 0) continue;
        const double* at = x + 3 * (int64_t)r->row[k];
        double along[3];
        for (int c = 0; c < 3; c++) along[c] = r->weight[k] * sum[c] - all * fabs(r->weight[k]) * at[c];
        for (int c = 0; c < 3; c++)
            y[3 * (int64_t)r->row[k] + c] +=
                r->block[3 * c] * along[0] + r->block[3 * c + 1] * along[1] + r->block[3 * c + 2] * along[2];
    }
}

static void apply(void* self, SnTasks* tasks, const double* x, double* y)
{
    SnJoined* j = self;
    j->matrix.apply(j->matrix.self, tasks, x, y);
    for (int i = 0; i < j->count; i++) add_constraint(&j->items[i], x, y);
}

SnLinearMap sn_joined_map(SnJoined* j)
{
    return (SnLinearMap){apply, j};
}

void sn_joined_free(SnJoined* j)
{
    sn_free(j->items);
    *j = (SnJoined){0};
}
