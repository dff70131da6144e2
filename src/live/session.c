#include "live/session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "archive/remake.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "core/memory.h"
#include "core/timer.h"
#include "live/session_state.h"
#include "scene/scene.h"
#include "world/world.h"

#define LONGEST_ANSWER 10.0 // ms, between two steps

// --- The thread ---

static SnStatus one_step(SnSession* session, double* ms)
{
    SnStepReport report;
    SN_TRY(sn_rival_follow(&session->rival, session->world));
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

// Does what was asked for until now, in order, or as much of it as is done in some ms: who asks without end does not
// keep steps from being made. The mutex is held, but not while something is done.
static void answer(SnSession* session)
{
    double until = sn_now_ms() + LONGEST_ANSWER;
    for (int left = session->request_count; left > 0 && sn_now_ms() < until; left--) {
        SnAsked request = session->requests[0];
        session->request_count--;
        memmove(session->requests, session->requests + 1, (size_t)session->request_count * sizeof *session->requests);
        SnSessionStatus status = session->status;
        pthread_mutex_unlock(&session->mutex);
        if (!status.failed) status.message[0] = 0;
        SnStatus done = sn_session_act(session, &request, &status);
        if (done != SN_OK) snprintf(status.message, sizeof status.message, "%s", sn_last_error());
        sn_session_look(session, &status);
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

// A rival that cannot follow is left behind.
static void end_lost_race(SnSession* session)
{
    if (session->status.race < 0 || session->rival.world) return;
    snprintf(session->status.message, sizeof session->status.message, "the race is over: %s", session->rival.why);
    session->status.race = -1;
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
    sn_session_look_at_handles(session, &session->status);
    if (status == SN_OK) end_lost_race(session);
    if (session->status.race >= 0) session->status.branches[session->status.race].frames = session->status.frames;
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
            if (session->changed) session->changed(session->user);
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

static bool are_both(const char* kind, const char* a, const char* b)
{
    size_t length = strlen(kind);
    return strncmp(a, kind, length) == 0 && strncmp(b, kind, length) == 0;
}

// The last thing that a page has asked and that is not done yet; NULL: there is none.
static SnAsked* last_of(SnSession* session, int page)
{
    for (int i = session->request_count - 1; i >= 0; i--)
        if (session->requests[i].page == page) return &session->requests[i];
    return NULL;
}

// Of a page that drags only the last place counts. One that asks faster than steps are made is not heard, but when it
// lets go: there is room for that, once for each page.
static void enqueue(SnSession* session, int page, const char* request)
{
    SnAsked* last = last_of(session, page);
    bool drop = strncmp(request, "drop", 4) == 0;
    bool again = last && (are_both("drop", request, last->text) || are_both("drag ", request, last->text) ||
                          are_both("obstacle ", request, last->text));
    if (!again && session->request_count >= SN_MOST_WAITING + (drop ? SN_MOST_PAGES : 0)) return;
    SnAsked* at = again ? last : &session->requests[session->request_count++];
    at->page = page;
    strcpy(at->text, request);
}

bool sn_session_ask(SnSession* session, int page, const char* request)
{
    if (page < 0 || page >= SN_MOST_PAGES || !sn_session_understands(request)) return false;
    pthread_mutex_lock(&session->mutex);
    enqueue(session, page, request);
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

static void prepare(SnSession* session)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&session->mutex, NULL);
    pthread_cond_init(&session->asked, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (int i = 0; i < SN_MOST_PAGES; i++) session->grabs[i] = -1, session->carried[i].handle = -1;
    session->status.speed = session->stiffness = 1;
    session->status.race = -1;
}

// A new run file, of the scene's start.
static SnStatus begin(SnSession* session)
{
    const SnScene* scene = session->def.scene;
    if (snprintf(session->first, sizeof session->first, "%s", session->def.path) >= SN_LONGEST_PATH)
        return sn_fail(SN_ERROR_FILE, "%s: the name is too long", session->def.path);
    snprintf(session->path, sizeof session->path, "%s", session->first);
    SN_TRY(sn_start_check_output(scene, session->path));
    SN_TRY(sn_run_start_world(scene, &session->world));
    SnRunOptions options = sn_default_run_options();
    options.name = sn_scene_name(scene), options.scene = sn_scene_text(scene), options.residuals = true;
    options.checkpoints = true;
    SN_TRY(sn_run_file_create(session->def.path, session->world, &options, &session->run));
    SnConvention convention = sn_scene_convention(scene);
    SN_TRY(sn_run_file_set_meta(session->run, "units", sn_convention_units(&convention)));
    SN_TRY(sn_run_file_set_meta(session->run, "up", convention.z_up ? "z" : "y"));
    SN_TRY(sn_remake_note_folder(session->run, scene));
    if (session->def.overrides) SN_TRY(sn_run_file_set_meta(session->run, "overrides", session->def.overrides));
    session->status.branch_count = 1;
    session->status.branches[0] = (SnBranch){.parent = -1, .frames = 1};
    session->own_handles = session->world->model.handle_count;
    return SN_OK;
}

static SnStatus start(SnSession* session)
{
    double poisson;
    prepare(session);
    SN_TRY(session->def.resume ? sn_session_resume(session) : begin(session));
    SN_TRY(sn_run_file_up(session->run, session->up));
    snprintf(session->status.path, sizeof session->status.path, "%s", session->path);
    session->def.path = session->first;
    session->def.overrides = NULL; // the caller's, too
    session->status.frames = session->status.branches[session->status.at].frames;
    sn_session_look(session, &session->status);
    if (sn_world_stiffness(session->world, 0, &session->young, &poisson) != SN_OK) session->young = 0;
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
    for (int i = 0; i < SN_MOST_PAGES; i++) sn_free(session->carried[i].places);
    sn_rival_stop(&session->rival);
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->asked);
    sn_free(session);
}
