// A thread with one slot of work.
#include "view/aside.h"

#include <pthread.h>
#include <stdio.h>

#include "core/memory.h"

struct SnAside {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; // of what follows
    SnAsideWork work;       // NULL: nothing to do
    void* context;
    bool started, ends;
    SnStatus status; // of the last work
    char message[1024];
};

static void do_work(SnAside* a, SnAsideWork work, void* context)
{
    a->status = work(context);
    if (a->status != SN_OK) snprintf(a->message, sizeof a->message, "%s", sn_last_error());
}

static void* thread_main(void* context)
{
    SnAside* a = context;
    pthread_mutex_lock(&a->mutex);
    for (;;) {
        while (!a->work && !a->ends) pthread_cond_wait(&a->changed, &a->mutex);
        if (!a->work) break;
        pthread_mutex_unlock(&a->mutex);
        do_work(a, a->work, a->context);
        pthread_mutex_lock(&a->mutex);
        a->work = NULL;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

SnStatus sn_aside_create(SnAside** out)
{
    *out = NULL;
    SnAside* a;
    if (!SN_NEW(a, 1, "a thread")) return SN_ERROR_MEMORY;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->changed, NULL);
    a->started = pthread_create(&a->thread, NULL, thread_main, a) == 0;
    *out = a;
    return SN_OK;
}

void sn_aside_begin(SnAside* a, SnAsideWork work, void* context)
{
    if (!a->started) {
        do_work(a, work, context);
        return;
    }
    pthread_mutex_lock(&a->mutex);
    a->work = work, a->context = context;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->mutex);
}

SnStatus sn_aside_wait(SnAside* a)
{
    pthread_mutex_lock(&a->mutex);
    while (a->work) pthread_cond_wait(&a->changed, &a->mutex);
    SnStatus status = a->status;
    a->status = SN_OK;
    pthread_mutex_unlock(&a->mutex);
    return status == SN_OK ? SN_OK : sn_fail(status, "%s", a->message);
}

void sn_aside_destroy(SnAside* a)
{
    if (!a) return;
    if (a->started) {
        pthread_mutex_lock(&a->mutex);
        a->ends = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->mutex);
        pthread_join(a->thread, NULL);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->mutex);
    sn_free(a);
}
