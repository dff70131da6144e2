// A pool of pthreads that take task numbers from one ticket; the caller works too, and waits only for tasks that were
// taken, never for a thread that is not running: an idle or crowded processor costs speed, not standstill.
#include "core/tasks.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/isa.h"
#include "core/share.h"
#include "core/timer.h"

enum { MOST_THREADS = 256, SPINS = 2000, SUM_CHUNKS = 1024 };
enum { INDEX_BITS = 22 }; // tasks of one job, at most 4 million

// How long a task takes, by its function: jobs that are over before another thread could take part are done by the
// caller alone, and for short ones no thread is woken before so much of them has been done that one would have paid for
// itself. Where it had not, the time before, as no processor was free or the jobs were too far apart, it takes twice as
// much. Who does a task never bears on what comes out.
enum { GUESSES = 256, BETWEEN = 16 }; // kept at a time, more than there are functions; of so many runs one is timed
static const double ALONE = 6, UNWOKEN = 40; // us, of the whole job; of a long one, or of short ones together
static const double PAID = 40, MOST = 5e3;   // us: what others are to do between two times; of short ones, at most

typedef struct Guess {
    const void* key; // the function
    double us;       // of a task
    int runs;        // since it was timed last
} Guess;

typedef struct Job {
    SnTask* task;
    void* context;
} Job;

struct SnTasks {
    int threads; // the caller included
    SnTaskRunner runner;
    pthread_t workers[MOST_THREADS];
    int started;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Job job;
    // What is next: the job's number, its task count and the next task, in one word, so that a task is taken only from
    // the job that was looked at.
    _Atomic uint64_t ticket;
    atomic_int done;     // tasks of the job that have been finished
    atomic_int sleeping; // workers that wait to be woken
    atomic_bool quit;
    double sums[SUM_CHUNKS];
    const SnShare* share;
    double missed, taken, patience; // us, since threads were woken last: of jobs done alone; of others' tasks; so long
    Guess guesses[GUESSES];
};

static uint64_t make_ticket(uint64_t number, uint64_t count)
{
    return number << (2 * INDEX_BITS) | count << INDEX_BITS;
}

static uint64_t number_of(uint64_t ticket)
{
    return ticket >> (2 * INDEX_BITS);
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Takes tasks until there are none, and tells how many. While a taken task is not done its job stays, so the job may be
// read.
static int work(SnTasks* tasks)
{
    const uint64_t mask = ((uint64_t)1 << INDEX_BITS) - 1;
    uint64_t ticket = atomic_load(&tasks->ticket);
    int own = 0;
    while ((ticket & mask) < (ticket >> INDEX_BITS & mask)) {
        if (!atomic_compare_exchange_weak(&tasks->ticket, &ticket, ticket + 1)) continue;
        tasks->job.task(tasks->job.context, (int)(ticket & mask));
        atomic_fetch_add(&tasks->done, 1);
        ticket = atomic_load(&tasks->ticket);
        own++;
    }
    return own;
}

// Waits for the next job: spins briefly (jobs follow each other within microseconds), then sleeps.
static uint64_t await_job(SnTasks* tasks, uint64_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        uint64_t number = number_of(atomic_load(&tasks->ticket));
        if (number != seen) return number;
        pause_briefly();
    }
    pthread_mutex_lock(&tasks->lock);
    atomic_fetch_add(&tasks->sleeping, 1); // before looking once more: whoever publishes now will see us
    while (number_of(atomic_load(&tasks->ticket)) == seen) pthread_cond_wait(&tasks->wake, &tasks->lock);
    atomic_fetch_sub(&tasks->sleeping, 1);
    pthread_mutex_unlock(&tasks->lock);
    return number_of(atomic_load(&tasks->ticket));
}

static void* worker_main(void* argument)
{
    SnTasks* tasks = argument;
    uint64_t seen = 0;
    for (;;) {
        seen = await_job(tasks, seen);
        if (atomic_load(&tasks->quit)) return NULL;
        work(tasks);
    }
}

static void publish(SnTasks* tasks, int count)
{
    uint64_t number = number_of(atomic_load(&tasks->ticket)) + 1;
    atomic_store(&tasks->ticket, make_ticket(number, (uint64_t)count));
    if (atomic_load(&tasks->sleeping) == 0) return;
    pthread_mutex_lock(&tasks->lock);
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
    sn_isa(); // chosen before there are threads that ask for it
    pthread_mutex_init(&tasks->lock, NULL);
    pthread_cond_init(&tasks->wake, NULL);
    tasks->threads = 1;
    tasks->patience = UNWOKEN;
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
    publish(tasks, 0);
    for (int i = 0; i < tasks->started; i++) pthread_join(tasks->workers[i], NULL);
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->lock);
    sn_free(tasks);
}

void sn_tasks_set_share(SnTasks* tasks, const SnShare* share)
{
    tasks->share = share;
}

const SnShare* sn_tasks_share(const SnTasks* tasks)
{
    return tasks ? tasks->share : NULL;
}

int sn_tasks_threads(const SnTasks* tasks)
{
    return tasks ? tasks->threads : 1;
}

// Its own, or the next that is free: two functions that shared one would forget each other's with every job, and each
// of those would wake all threads.
static Guess* guess_of(SnTasks* tasks, const void* key)
{
    uintptr_t first = (uintptr_t)key >> 4;
    Guess* guess = &tasks->guesses[first % GUESSES];
    for (int i = 1; i < GUESSES && guess->key && guess->key != key; i++) guess = &tasks->guesses[(first + i) % GUESSES];
    if (guess->key != key) *guess = (Guess){.key = key, .us = INFINITY};
    return guess;
}

// What takes longer than expected was perhaps interrupted; what takes less was not.
static void learn(Guess* guess, double us)
{
    guess->us = us < guess->us || isinf(guess->us) ? us : guess->us + (us - guess->us) / 8;
    guess->runs = 0;
}

// Among all threads; the caller's share of the tasks.
static int share_out(SnTasks* tasks, int count, SnTask* task, void* context)
{
    tasks->job = (Job){task, context};
    atomic_store(&tasks->done, 0);
    publish(tasks, count);
    return work(tasks);
}

static bool is_alone(SnTasks* tasks, double us)
{
    if (us < ALONE || atomic_load(&tasks->sleeping) == 0) return us < ALONE;
    tasks->missed += us;
    if (us < UNWOKEN && tasks->missed < tasks->patience) return true;
    tasks->patience = tasks->taken < PAID ? fmin(2 * tasks->patience, MOST) : UNWOKEN;
    tasks->missed = tasks->taken = 0;
    return false;
}

static void run(SnTasks* tasks, int count, SnTask* task, void* context, const void* key)
{
    if (tasks && tasks->runner.run && count > 1) {
        tasks->runner.run(tasks->runner.user, count, task, context);
        return;
    }
    if (!tasks || tasks->started == 0 || count <= 1 || count >> INDEX_BITS) {
        for (int i = 0; i < count; i++) task(context, i);
        return;
    }
    Guess* guess = guess_of(tasks, key);
    bool timed = ++guess->runs >= BETWEEN || isinf(guess->us);
    bool alone = is_alone(tasks, count * guess->us);
    double begin = timed ? sn_now_ms() : 0;
    int own = alone ? count : share_out(tasks, count, task, context);
    for (int i = 0; i < count && alone; i++) task(context, i);
    if (own < count && isfinite(guess->us)) tasks->taken += (count - own) * guess->us;
    if (timed && own > 0) learn(guess, 1e3 * (sn_now_ms() - begin) / own);
    if (alone) return;
    for (int spins = 0; atomic_load(&tasks->done) < count; spins++) {
        if (spins < SPINS)
            pause_briefly();
        else
            sched_yield(); // more threads than processors
    }
}

void sn_tasks_run(SnTasks* tasks, int count, SnTask* task, void* context)
{
    run(tasks, count, task, context, (const void*)(uintptr_t)task);
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
    run(tasks, chunk_count(count, grain), range_chunk, &range, (const void*)(uintptr_t)task);
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
    run(tasks, chunks, range_chunk, &range, (const void*)(uintptr_t)task);
    double total = 0;
    for (int i = 0; i < chunks; i++) total += range.sums[i];
    return total;
}
