// A pool of pthreads that take task numbers from one counter; the caller works too.
#include "core/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 256, SPINS = 2000, SUM_CHUNKS = 1024 };

typedef struct Job {
    SnTask* task;
    void* context;
    int count;
} Job;

struct SnTasks {
    int threads; // the caller included
    SnTaskRunner runner;
    pthread_t workers[MOST_THREADS];
    int started;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Job job;
    atomic_uint generation; // counts jobs; workers wait for it to change
    atomic_int next;        // the next task number of the job
    atomic_int busy;        // workers that have not yet left the job
    atomic_bool quit;
    double sums[SUM_CHUNKS];
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void work(SnTasks* tasks)
{
    Job job = tasks->job;
    for (;;) {
        int index = atomic_fetch_add(&tasks->next, 1);
        if (index >= job.count) return;
        job.task(job.context, index);
    }
}

// Waits for the next job: spins briefly (jobs follow each other within microseconds), then sleeps.
static void await_generation(SnTasks* tasks, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&tasks->generation) != seen) return;
        pause_briefly();
    }
    pthread_mutex_lock(&tasks->lock);
    while (atomic_load(&tasks->generation) == seen) pthread_cond_wait(&tasks->wake, &tasks->lock);
    pthread_mutex_unlock(&tasks->lock);
}

static void* worker_main(void* argument)
{
    SnTasks* tasks = argument;
    unsigned seen = 0;
    for (;;) {
        await_generation(tasks, seen);
        seen++;
        if (atomic_load(&tasks->quit)) return NULL;
        work(tasks);
        atomic_fetch_sub(&tasks->busy, 1);
    }
}

static void wake_workers(SnTasks* tasks)
{
    pthread_mutex_lock(&tasks->lock);
    atomic_fetch_add(&tasks->generation, 1);
    pthread_cond_broadcast(&tasks->wake);
    pthread_mutex_unlock(&tasks->lock);
}

SnStatus sn_tasks_create(int threads, SnTaskRunner runner, SnTasks** out)
{
    *out = NULL;
    if (threads < 0 || threads > MOST_THREADS)
        return sn_fail(SN_ERROR_VALUE, "threads is %d; it must be between 0 (all processors) and %d", threads,
                       MOST_THREADS);
    SnTasks* tasks;
    if (!SN_NEW(tasks, 1, "the thread pool")) return SN_ERROR_MEMORY;
    if (threads == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threads = processors < 1 ? 1 : processors > MOST_THREADS ? MOST_THREADS : (int)processors;
    }
    tasks->runner = runner;
    pthread_mutex_init(&tasks->lock, NULL);
    pthread_cond_init(&tasks->wake, NULL);
    tasks->threads = 1;
    for (int i = 1; i < threads && !runner.run; i++) {
        if (pthread_create(&tasks->workers[tasks->started], NULL, worker_main, tasks) != 0) break;
        tasks->started++;
        tasks->threads++;
    }
    *out = tasks;
    return SN_OK;
}

void sn_tasks_destroy(SnTasks* tasks)
{
    if (!tasks) return;
    atomic_store(&tasks->quit, true);
    wake_workers(tasks);
    for (int i = 0; i < tasks->started; i++) pthread_join(tasks->workers[i], NULL);
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->lock);
    sn_free(tasks);
}

int sn_tasks_threads(const SnTasks* tasks)
{
    return tasks ? tasks->threads : 1;
}

void sn_tasks_run(SnTasks* tasks, int count, SnTask* task, void* context)
{
    if (tasks && tasks->runner.run && count > 1) {
        tasks->runner.run(tasks->runner.user, count, task, context);
        return;
    }
    if (!tasks || tasks->started == 0 || count <= 1) {
        for (int i = 0; i < count; i++) task(context, i);
        return;
    }
    tasks->job = (Job){task, context, count};
    atomic_store(&tasks->next, 0);
    atomic_store(&tasks->busy, tasks->started);
    wake_workers(tasks);
    work(tasks);
    for (int spins = 0; atomic_load(&tasks->busy) > 0; spins++) {
        if (spins < SPINS)
            pause_briefly();
        else
            sched_yield(); // more threads than processors
    }
}

typedef struct Range {
    SnRangeTask* task;
    SnSumTask* sum;
    void* context;
    int count, grain;
    double* sums;
} Range;

static void range_chunk(void* context, int index)
{
    Range* range = context;
    int first = index * range->grain;
    int last = range->count - first < range->grain ? range->count : first + range->grain;
    if (range->sum)
        range->sums[index] = range->sum(range->context, first, last);
    else
        range->task(range->context, first, last);
}

static int chunk_count(int count, int grain)
{
    return count / grain + (count % grain != 0);
}

void sn_tasks_for(SnTasks* tasks, int count, int grain, SnRangeTask* task, void* context)
{
    if (count <= 0) return;
    Range range = {.task = task, .context = context, .count = count, .grain = grain};
    sn_tasks_run(tasks, chunk_count(count, grain), range_chunk, &range);
}

double sn_tasks_sum(SnTasks* tasks, int count, int grain, SnSumTask* task, void* context)
{
    if (count <= 0) return 0;
    int least = chunk_count(count, SUM_CHUNKS); // the sums are kept in a fixed array
    if (grain < least) grain = least;
    double local[SUM_CHUNKS];
    Range range = {.sum = task, .context = context, .count = count, .grain = grain};
    range.sums = tasks ? tasks->sums : local;
    int chunks = chunk_count(count, grain);
    sn_tasks_run(tasks, chunks, range_chunk, &range);
    double total = 0;
    for (int i = 0; i < chunks; i++) total += range.sums[i];
    return total;
}
