// Between vectors over all nodes and vectors over the free ones.
#include "solver/rows.h"

enum { GRAIN = 4096 };

typedef struct Copy {
    const SnObjective* objective;
    double factor;
    const double* from;
    double* to;
} Copy;

static void gather(void* context, int first, int last)
{
    const Copy* c = context;
    for (int i = first; i < last; i++) {
        int64_t row = c->objective->free_index[i];
        for (int k = 0; k < 3 && row >= 0; k++) c->to[3 * row + k] = c->factor * c->from[3 * (int64_t)i + k];
    }
}

static void scatter(void* context, int first, int last)
{
    const Copy* c = context;
    for (int i = first; i < last; i++) {
        int64_t row = c->objective->free_index[i];
        for (int k = 0; k < 3; k++) c->to[3 * (int64_t)i + k] = row >= 0 ? c->from[3 * row + k] : 0;
    }
}

void sn_rows_gather(const SnObjective* o, double factor, const double* x, double* rows)
{
    sn_tasks_for(o->tasks, o->node_count, GRAIN, gather, &(Copy){o, factor, x, rows});
}

void sn_rows_scatter(const SnObjective* o, const double* rows, double* x)
{
    sn_tasks_for(o->tasks, o->node_count, GRAIN, scatter, &(Copy){o, 1, rows, x});
}
