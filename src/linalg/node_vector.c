// Products over the nodes that are one's own, and then over processes.
#include "linalg/node_vector.h"

#include <math.h>

#include "core/share.h"
#include "linalg/vector.h"

double sn_nodes_dot(SnTasks* tasks, int node_count, const double* x, const double* y)
{
    double sum;
    sn_nodes_pairs(tasks, node_count, 1, &x, &y, &sum);
    return sum;
}

double sn_nodes_norm(SnTasks* tasks, int node_count, const double* x)
{
    return sqrt(sn_nodes_dot(tasks, node_count, x, x));
}

// The products over one range of nodes, added.
static void add_span(SnTasks* tasks, int first, int last, int count, const double* const* xs, const double* const* ys,
                     double* out)
{
    for (int k = 0; k < count; k++) {
        const double *x = xs[k] + 3 * (int64_t)first, *y = ys[k] + 3 * (int64_t)first;
        out[k] += sn_vector_dot(tasks, 3 * (last - first), x, y);
    }
}

void sn_nodes_pairs(SnTasks* tasks, int node_count, int count, const double* const* xs, const double* const* ys,
                    double* out)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (!share && count == 1)
        *out = sn_vector_dot(tasks, 3 * node_count, *xs, *ys);
    else if (!share)
        sn_vector_pairs(tasks, 3 * node_count, count, xs, ys, out);
    if (!share) return;
    for (int k = 0; k < count; k++) out[k] = 0;
    for (int i = 0; i < share->span_count; i++)
        add_span(tasks, share->spans[2 * i], share->spans[2 * i + 1], count, xs, ys, out);
    share->sum(share->self, count, out);
}
