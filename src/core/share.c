// Sums of several processes, or of one.
#include "core/share.h"

bool sn_share_owns(const SnTasks* tasks, int node)
{
    const SnShare* share = sn_tasks_share(tasks);
    return !share || share->own[node];
}

bool sn_share_is_ghost(const SnTasks* tasks, int node)
{
    const SnShare* share = sn_tasks_share(tasks);
    return share && share->ghost[node];
}

double sn_share_once(const SnTasks* tasks, double value)
{
    const SnShare* share = sn_tasks_share(tasks);
    return !share || share->first ? value : 0;
}

int sn_share_number(const SnTasks* tasks, int node)
{
    const SnShare* share = sn_tasks_share(tasks);
    return share ? share->number[node] : node;
}

double sn_share_count(const SnTasks* tasks, int node_count)
{
    const SnShare* share = sn_tasks_share(tasks);
    return share ? (double)share->all_nodes : node_count;
}

void sn_share_sum(const SnTasks* tasks, int count, double* values)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (share) share->sum(share->self, count, values);
}

double sn_share_total(const SnTasks* tasks, double value)
{
    sn_share_sum(tasks, 1, &value);
    return value;
}

double sn_share_largest(const SnTasks* tasks, double value)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (share) share->largest(share->self, 1, &value);
    return value;
}

double sn_share_smallest(const SnTasks* tasks, double value)
{
    return -sn_share_largest(tasks, -value);
}

void sn_share_most(const SnTasks* tasks, int count, double* values)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (share) share->largest(share->self, count, values);
}

bool sn_share_any(const SnTasks* tasks, bool value)
{
    return sn_share_largest(tasks, value) > 0;
}

void sn_share_add(const SnTasks* tasks, int width, double* values)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (share) share->add(share->self, width, values);
}

void sn_share_spread(const SnTasks* tasks, int width, double* values)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (!share) return;
    for (int i = 0; i < share->node_count; i++)
        for (int64_t k = (int64_t)width * i; k < (int64_t)width * (i + 1) && !share->own[i]; k++) values[k] = 0;
    share->add(share->self, width, values);
}

// A task over a range that does not begin at 0.
typedef struct Shifted {
    SnSumTask* task;
    void* context;
    int by;
} Shifted;

static double shifted_task(void* context, int first, int last)
{
    const Shifted* s = context;
    return s->task(s->context, first + s->by, last + s->by);
}

double sn_share_own_sum(SnTasks* tasks, int node_count, int grain, SnSumTask* task, void* context)
{
    const SnShare* share = sn_tasks_share(tasks);
    if (!share) return sn_tasks_sum(tasks, node_count, grain, task, context);
    double sum = 0;
    for (int i = 0; i < share->span_count; i++) {
        Shifted shifted = {task, context, share->spans[2 * i]};
        sum += sn_tasks_sum(tasks, share->spans[2 * i + 1] - shifted.by, grain, shifted_task, &shifted);
    }
    return sum;
}

double sn_share_node_sum(SnTasks* tasks, int node_count, int grain, SnSumTask* task, void* context)
{
    return sn_share_total(tasks, sn_share_own_sum(tasks, node_count, grain, task, context));
}

void sn_share_pick(const SnTasks* tasks, int most, int* count, double* values, int* nodes)
{
    enum { MOST = 16 };
    if (!sn_tasks_share(tasks)) return;
    double picked[MOST];
    int numbers[MOST], used = 0, here = 0;
    for (; used < most && used < MOST; used++) {
        while (here < *count && !sn_share_owns(tasks, nodes[here])) here++;
        double value = here < *count ? values[here] : -1, largest = sn_share_largest(tasks, value);
        double number = value == largest ? sn_share_number(tasks, nodes[here]) : -1;
        if (largest < 0) break;
        picked[used] = largest;
        numbers[used] = (int)sn_share_largest(tasks, number);
        here += number >= 0 && numbers[used] == (int)number;
    }
    for (int i = 0; i < used; i++) values[i] = picked[i], nodes[i] = numbers[i];
    *count = used;
}
