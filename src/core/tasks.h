// Tasks on a small pool of threads, or on the host's own runner, and sums that do not depend on how many there are.
//
// Work is split into chunks whose number depends on the problem alone; each chunk has its own output, and outputs are
// added in chunk order. So the bits are the same for any thread count.
#pragma once
#include "core/memory.h"

typedef struct SnTasks SnTasks;
typedef struct SnShare SnShare; // core/share.h

// threads 0: one per processor. A runner with a run function takes the pool's place.
SnStatus sn_tasks_create(int threads, SnTaskRunner runner, SnTasks** tasks);
void sn_tasks_destroy(SnTasks* tasks);
int sn_tasks_threads(const SnTasks* tasks);

// Calls task(context, 0 .. count-1), each once; returns when all are done. NULL tasks: in this thread, in order.
void sn_tasks_run(SnTasks* tasks, int count, SnTask* task, void* context);

// Range tasks: [0, count) in chunks of `grain` items.
typedef void SnRangeTask(void* context, int first, int last);
void sn_tasks_for(SnTasks* tasks, int count, int grain, SnRangeTask* task, void* context);

// Sum over chunks of [0, count): each chunk's sum is computed alone, then added in chunk order.
typedef double SnSumTask(void* context, int first, int last);
double sn_tasks_sum(SnTasks* tasks, int count, int grain, SnSumTask* task, void* context);
