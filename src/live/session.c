#include "live/session.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "archive/start.h"
#include "core/memory.h"
#include "core/timer.h"
#include "scene/scene.h"
#include <sinew/run.h>

enum { MOST_REQUESTS = 64, MOST_LENGTH = 512 };

struct SnSession {
    SnSessionDef def;
    SnWorld* world;
    SnRunFile* run;
    char* changes; // that were made, a line each
    pthread_t thread;
    bool started;
    void (*changed)(void* user);
    void* user;
    pthread_mutex_t mutex; // of all that follows
    pthread_cond_t asked;
    bool quit;
    int steps; // to be made though it does not play
    int request_count;
    char requests[MOST_REQUESTS][MOST_LENGTH];
    SnSessionStatus status;
};

// --- What it can be asked, by its thread ---

typedef struct Request {
    const char* name;
    bool (*check)(const char* rest); // NULL: nothing follows
    SnStatus (*act)(SnSession* session, const char* rest, SnSessionStatus* status);
} Request;

static bool is_speed(const char* rest)
{
    double speed;
    char more;
    return sscanf(rest, "%lf %c", &speed, &more) == 1 && speed > 0 && speed <= 1000;
}

static bool is_gravity(const char* rest)
{
    double g[3];
    char more;
    return sscanf(rest, "%lf %lf %lf %c", &g[0], &g[1], &g[2], &more) == 3;
}

// Keeps in the run file what was changed, after which of its frames.
static SnStatus note(SnSession* session, int frames, const char* kind, const char* rest)
{
    size_t size = strlen(session->changes) + strlen(kind) + strlen(rest) + 32;
    char* longer = sn_reallocate(session->changes, size, 1, "changes");
    if (!longer) return SN_ERROR_MEMORY;
    session->changes = longer;
    sn_append(longer, size, "%d: %s %s\n", frames - 1, kind, rest);
    return sn_run_file_set_meta(session->run, "changes", longer);
}

static SnStatus set_gravity(SnSession* session, const char* rest, SnSessionStatus* status)
{
    double g[3] = {0};
    sscanf(rest, "%lf %lf %lf", &g[0], &g[1], &g[2]);
    SN_TRY(sn_world_set_gravity(session->world, g));
    return note(session, status->frames, "gravity", rest);
}

static SnStatus play(SnSession* session, const char* rest, SnSessionStatus* status)
{
    (void)session, (void)rest;
    status->playing = !status->failed;
    return SN_OK;
}

static SnStatus pause_it(SnSession* session, const char* rest, SnSessionStatus* status)
{
    (void)session, (void)rest;
    status->playing = false;
    return SN_OK;
}

static SnStatus step_once(SnSession* session, const char* rest, SnSessionStatus* status)
{
    (void)rest;
    status->playing = false;
    session->steps++;
    return SN_OK;
}

static SnStatus set_speed(SnSession* session, const char* rest, SnSessionStatus* status)
{
    (void)session;
    sscanf(rest, "%lf", &status->speed);
    return SN_OK;
}

static const Request kinds[] = {
    {"play", NULL, play},
    {"pause", NULL, pause_it},
    {"step", NULL, step_once},
    {"speed", is_speed, set_speed},
    {"gravity", is_gravity, set_gravity},
};

// The kind of a request and what follows its name; NULL: there is none.
static const Request* find_kind(const char* request, const char** rest)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(request, kinds[i].name, length) != 0 || (request[length] && request[length] != ' ')) continue;
        *rest = request + length + (request[length] == ' ');
        bool good = kinds[i].check ? kinds[i].check(*rest) : (*rest)[0] == 0;
        return good ? &kinds[i] : NULL;
    }
    return NULL;
}

// --- The thread ---

static SnStatus one_step(SnSession* session, double* ms)
{
    SnStepReport report;
    SN_TRY(sn_world_step(session->world, &report));
    *ms = report.ms.total;
    SN_TRY(sn_run_file_add_step(session->run, &report));
    return sn_run_file_write_frame(session->run, session->world);
}

static void fail(SnSessionStatus* status)
{
    status->playing = false, status->failed = true;
    snprintf(status->message, sizeof status->message, "%s", sn_last_error());
}

// Does what was asked for, in order. The mutex is held, but not while something is done.
static void answer(SnSession* session)
{
    while (session->request_count > 0) {
        char request[MOST_LENGTH];
        const char* rest;
        memcpy(request, session->requests[0], sizeof request);
        session->request_count--;
        memmove(session->requests[0], session->requests[1], (size_t)session->request_count * MOST_LENGTH);
        SnSessionStatus status = session->status;
        pthread_mutex_unlock(&session->mutex);
        SnStatus done = find_kind(request, &rest)->act(session, rest, &status);
        if (done != SN_OK) snprintf(status.message, sizeof status.message, "%s", sn_last_error());
        pthread_mutex_lock(&session->mutex);
        session->status = status;
    }
}

// Waits until the next step is due, or something is asked.
static void wait_until(SnSession* session, double due)
{
    struct timespec until;
    double left = due - sn_now_ms();
    if (left <= 0) return;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(left * 1e6);
    until.tv_sec += ns / 1000000000, until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&session->asked, &session->mutex, &until);
}

static void make_step(SnSession* session)
{
    double ms = 0;
    if (session->steps > 0) session->steps--;
    pthread_mutex_unlock(&session->mutex);
    SnStatus status = one_step(session, &ms);
    pthread_mutex_lock(&session->mutex);
    session->status.ms = ms;
    if (status != SN_OK)
        fail(&session->status);
    else
        session->status.frames++;
}

static void* run(void* user)
{
    SnSession* session = user;
    double due = 0;
    pthread_mutex_lock(&session->mutex);
    while (!session->quit) {
        bool asked = session->request_count > 0, stepped = false;
        answer(session);
        if (session->status.failed) session->steps = 0;
        if (session->steps > 0 || (session->status.playing && sn_now_ms() >= due)) {
            double now = sn_now_ms(), late = now - due;
            make_step(session);
            double h = 1000 * sn_world_time_step(session->world) / session->status.speed;
            due = (late < h ? due : now) + h;
            stepped = true;
        }
        if (stepped || asked) {
            pthread_mutex_unlock(&session->mutex);
            if (session->changed) session->changed(session->user);
            pthread_mutex_lock(&session->mutex);
        } else if (session->status.playing) {
            wait_until(session, due);
        } else if (session->request_count == 0 && session->steps == 0 && !session->quit) {
            pthread_cond_wait(&session->asked, &session->mutex);
        }
    }
    pthread_mutex_unlock(&session->mutex);
    return NULL;
}

// --- From other threads ---

bool sn_session_ask(SnSession* session, const char* request)
{
    const char* rest;
    if (strlen(request) >= MOST_LENGTH || !find_kind(request, &rest)) return false;
    pthread_mutex_lock(&session->mutex);
    if (session->request_count < MOST_REQUESTS) // a page that asks faster than steps are made is not heard
        strcpy(session->requests[session->request_count++], request);
    pthread_cond_signal(&session->asked);
    pthread_mutex_unlock(&session->mutex);
    return true;
}

void sn_session_status(SnSession* session, SnSessionStatus* status)
{
    pthread_mutex_lock(&session->mutex);
    *status = session->status;
    pthread_mutex_unlock(&session->mutex);
}

void sn_session_watch(SnSession* session, void (*changed)(void* user), void* user)
{
    pthread_mutex_lock(&session->mutex);
    session->changed = changed, session->user = user;
    pthread_mutex_unlock(&session->mutex);
}

static SnStatus start(SnSession* session)
{
    const SnScene* scene = session->def.scene;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&session->mutex, NULL);
    pthread_cond_init(&session->asked, &monotonic);
    pthread_condattr_destroy(&monotonic);
    session->status.speed = 1;
    if (!SN_NEW(session->changes, 1, "changes")) return SN_ERROR_MEMORY;
    SN_TRY(sn_start_world(scene, &session->world));
    SnRunOptions options = sn_default_run_options();
    options.name = sn_scene_name(scene), options.scene = sn_scene_text(scene);
    SN_TRY(sn_run_file_create(session->def.path, session->world, &options, &session->run));
    session->status.frames = 1;
    if (pthread_create(&session->thread, NULL, run, session) != 0)
        return sn_fail(SN_ERROR_MEMORY, "cannot start a thread for the simulation");
    session->started = true;
    return SN_OK;
}

SnStatus sn_session_create(const SnSessionDef* def, SnSession** out)
{
    SnSession* session;
    *out = NULL;
    if (!SN_NEW(session, 1, "a simulation")) return SN_ERROR_MEMORY;
    session->def = *def;
    SN_FINISH(start(session), session, sn_session_destroy, out);
}

void sn_session_destroy(SnSession* session)
{
    if (!session) return;
    if (session->started) {
        pthread_mutex_lock(&session->mutex);
        session->quit = true;
        pthread_cond_signal(&session->asked);
        pthread_mutex_unlock(&session->mutex);
        pthread_join(session->thread, NULL);
    }
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->asked);
    SN_FREE(session->changes, session);
}
