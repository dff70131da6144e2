// Between vectors over all nodes and vectors over the free ones.
#include "linalg/free_nodes.h"

enum { GRAIN = 4096 };

typedef struct Copy {
    const int* free_index;
    double factor;
    const double* from;
    double* to;
} Copy;

static void gather(void* context, int first, int last)
{
    const Copy* c = context;
    for (int i = first; i < last; i++) {
        int64_t row = c->free_index[i];
        for (int k = 0; k < 3 && row >= 0; k++) c->to[3 * row + k] = c->factor * c->from[3 * (int64_t)i + k];
    }
}

static void scatter(void* context, int first, int last)
{
    const Copy* c = context;
    for (int i = first; i < last; i++) {
        int64_t row = c->free_index[i];
        for (int k = 0; k < 3; k++) c->to[3 * (int64_t)i + k] = row >= 0 ? c->from[3 * row + k] : 0;
    }
}

void sn_free_gather(SnTasks* tasks, int node_count, const int* free_index, double factor, const double* x, double* out)
{
    sn_tasks_for(tasks, node_count, GRAIN, gather, &(Copy){free_index, factor, x, out});
}

void sn_free_scatter(SnTasks* tasks, int node_count, const int* free_index, const double* rows, double* x)
{
    sn_tasks_for(tasks, node_count, GRAIN, scatter, &(Copy){free_index, 1, rows, x});
}
