#include "live/session.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/remake.h"
#include "archive/start.h"
#include "core/memory.h"
#include "core/timer.h"
#include "live/retrace.h"
#include "scene/scene.h"
#include "solver/solver.h"
#include <sinew/run.h>

enum { MOST_REQUESTS = 64, MOST_LENGTH = 512 };

// What somebody asked; page: who.
typedef struct Asked {
    int page;
    char text[MOST_LENGTH];
} Asked;

enum { MOST_PINS = 256 };
typedef struct Pinned {
    int handle, nodes[3];
} Pinned;

// An obstacle that a page carries, and where it was.
typedef struct Carried {
    bool on;
    int obstacle;
    SnPose from;
} Carried;

struct SnSession {
    SnSessionDef def;
    char path[SN_LONGEST_PATH]; // of the run file that is written now
    SnWorld* world;
    SnRunFile* run;
    int grabs[SN_MOST_PAGES]; // what each page holds, -1: nothing
    Carried carried[SN_MOST_PAGES];
    int pin_count; // places that pages have held
    Pinned pins[MOST_PINS];
    double stiffness; // of all bodies, relative to the start
    double young;     // Pa, of the first one then
    pthread_t thread;
    bool started;
    void (*changed)(void* user);
    void* user;
    pthread_mutex_t mutex; // of all that follows
    pthread_cond_t asked;
    bool quit;
    int steps; // to be made though it does not play
    int request_count;
    Asked requests[MOST_REQUESTS];
    SnSessionStatus status;
};

// --- What it can be asked, by its thread ---

enum { MOST_NUMBERS = 6 };

typedef struct Request {
    const char* name;
    int numbers; // that follow
    SnStatus (*act)(SnSession* session, int page, const double* numbers, SnSessionStatus* status);
} Request;

static bool read_numbers(const char* text, int count, double numbers[MOST_NUMBERS])
{
    for (int i = 0; i < count; i++) {
        char* end;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i])) return false;
        text = end;
    }
    return text[strspn(text, " ")] == 0;
}

static SnStatus set_gravity(SnSession* session, int page, const double* g, SnSessionStatus* status)
{
    (void)page, (void)status;
    return sn_world_set_gravity(session->world, g);
}

static SnStatus drop(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)numbers, (void)status;
    int grab = session->grabs[page];
    session->grabs[page] = -1;
    session->carried[page].on = false;
    return grab < 0 ? SN_OK : sn_world_let_go(session->world, grab);
}

// What a ray from the page meets first; nothing, where that is nothing.
static SnStatus grab(SnSession* session, int page, const double* ray, SnSessionStatus* status)
{
    SnPick pick;
    SN_TRY(drop(session, page, ray, status));
    SN_TRY(sn_world_pick(session->world, ray, ray + 3, &pick));
    return pick.body < 0 ? SN_OK : sn_world_grab(session->world, &pick, 0, &session->grabs[page]);
}

static SnStatus drag(SnSession* session, int page, const double* target, SnSessionStatus* status)
{
    (void)status;
    int held = session->grabs[page];
    return held < 0 ? SN_OK : sn_world_drag(session->world, held, target);
}

// Its number, then by how much from where it was when the page took it.
static SnStatus carry(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)status;
    Carried* c = &session->carried[page];
    int obstacle = (int)fmin(fmax(numbers[0], -1), 1e9);
    if (!c->on || c->obstacle != obstacle) {
        SnObstacleInfo info;
        SN_TRY(sn_world_obstacle(session->world, obstacle, &info));
        *c = (Carried){true, obstacle, info.pose};
    }
    SnPose pose = c->from;
    for (int k = 0; k < 3; k++) pose.shift[k] += numbers[1 + k];
    return sn_world_move_obstacle(session->world, obstacle, &pose);
}

// The triangle that a ray meets is held where it is; met again, it is let go.
static SnStatus pin(SnSession* session, int page, const double* ray, SnSessionStatus* status)
{
    (void)page, (void)status;
    SnPick pick;
    SnBodyInfo body;
    int nodes[3];
    SN_TRY(sn_world_pick(session->world, ray, ray + 3, &pick));
    if (pick.body < 0) return SN_OK;
    for (int i = 0; i < session->pin_count; i++)
        for (int k = 0; k < 9; k++)
            if (session->pins[i].nodes[k / 3] == pick.nodes[k % 3]) {
                int handle = session->pins[i].handle;
                session->pins[i] = session->pins[--session->pin_count];
                return sn_world_release_handle(session->world, handle);
            }
    if (session->pin_count == MOST_PINS)
        return sn_fail(SN_ERROR_VALUE, "%d places are held; let one go first", MOST_PINS);
    SN_TRY(sn_world_body(session->world, pick.body, &body));
    for (int k = 0; k < 3; k++) nodes[k] = pick.nodes[k] - body.first_node;
    Pinned* at = &session->pins[session->pin_count];
    SN_TRY(sn_world_hold(session->world, pick.body, nodes, 3, &at->handle));
    memcpy(at->nodes, pick.nodes, sizeof at->nodes);
    session->pin_count++;
    return SN_OK;
}

// Of all bodies, as a multiple of what they started with.
static SnStatus set_stiffness(SnSession* session, int page, const double* factor, SnSessionStatus* status)
{
    (void)page, (void)status;
    double change = fmin(fmax(factor[0], 1e-6), 1e6) / session->stiffness;
    for (int b = 0; b < sn_world_body_count(session->world); b++) {
        double young, poisson;
        SN_TRY(sn_world_stiffness(session->world, b, &young, &poisson));
        SN_TRY(sn_world_set_stiffness(session->world, b, young * change, poisson));
    }
    session->stiffness *= change;
    return SN_OK;
}

// Of all that touches.
static SnStatus set_friction(SnSession* session, int page, const double* friction, SnSessionStatus* status)
{
    (void)page, (void)status;
    for (int k = -1; k < sn_world_obstacle_count(session->world); k++)
        SN_TRY(sn_world_set_friction(session->world, k, friction[0]));
    return SN_OK;
}

// --- The shelf ---

static void look_at_shelf(const SnSession* session, SnSessionStatus* status)
{
    status->shelf_count = 0;
    for (int b = 0; b < sn_world_body_count(session->world) && status->shelf_count < SN_MOST_SHOWN; b++) {
        SnBodyInfo info;
        if (sn_world_body(session->world, b, &info) == SN_OK && info.out) status->shelf[status->shelf_count++] = b;
    }
}

// What has come or gone is seen with the next step, which is made, if nothing else makes it.
static SnStatus show_change(SnSession* session, const SnSessionStatus* status)
{
    if (!status->playing) session->steps++;
    return SN_OK;
}

// Its number, then where the middle of the box of its rest shape goes.
static SnStatus place(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page;
    SnBodyInfo info;
    SnPose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {numbers[1], numbers[2], numbers[3]}};
    int body = (int)fmin(fmax(numbers[0], -1), 1e9);
    SN_TRY(sn_world_body(session->world, body, &info));
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < info.node_count; i++)
            low = fmin(low, info.rest[3 * i + c]), high = fmax(high, info.rest[3 * i + c]);
        pose.shift[c] -= (low + high) / 2;
    }
    SN_TRY(sn_world_place_body(session->world, body, &pose, NULL));
    return show_change(session, status);
}

// The body that a ray meets.
static SnStatus take_out(SnSession* session, int page, const double* ray, SnSessionStatus* status)
{
    (void)page;
    SnPick pick;
    SN_TRY(sn_world_pick(session->world, ray, ray + 3, &pick));
    if (pick.body < 0) return SN_OK;
    SN_TRY(sn_world_remove_body(session->world, pick.body));
    for (int i = session->pin_count - 1; i >= 0; i--) { // what held it has let go
        SnBodyInfo body;
        SN_TRY(sn_world_body(session->world, pick.body, &body));
        int own = session->pins[i].nodes[0] - body.first_node;
        if (own >= 0 && own < body.node_count) session->pins[i] = session->pins[--session->pin_count];
    }
    for (int i = 0; i < SN_MOST_PAGES; i++)
        if (session->grabs[i] >= 0 && sn_world_grab_force(session->world, session->grabs[i], &(SnWrench){0}) != SN_OK)
            session->grabs[i] = -1;
    return show_change(session, status);
}

// --- Going on from an earlier frame, another way ---

static bool is_quitting(void* user)
{
    SnSession* session = user;
    pthread_mutex_lock(&session->mutex);
    bool quit = session->quit;
    pthread_mutex_unlock(&session->mutex);
    return quit;
}

// The first of NAME-1.run, NAME-2.run ... that is not there.
static SnStatus name_branch(const SnSession* session, char path[SN_LONGEST_PATH])
{
    const char *own = session->def.path, *dot = strrchr(own, '.'), *slash = strrchr(own, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - own) : (int)strlen(own);
    for (int n = 1; n < 10000; n++) {
        if (snprintf(path, SN_LONGEST_PATH, "%.*s-%d.run", stem, own, n) >= SN_LONGEST_PATH) break;
        if (access(path, F_OK) != 0) return SN_OK;
    }
    return sn_fail(SN_ERROR_FILE, "%s: there is no name left for another branch", own);
}

// What pages hold, and how stiff everything is, as the world has it.
static void look_again(SnSession* session)
{
    double young, poisson;
    for (int i = 0; i < SN_MOST_PAGES; i++) {
        session->grabs[i] = -1, session->carried[i].on = false;
        sn_world_let_go(session->world, i);
    }
    session->pin_count = 0;
    bool known = session->young > 0 && sn_world_stiffness(session->world, 0, &young, &poisson) == SN_OK;
    session->stiffness = known ? young / session->young : 1;
}

// The file so far is closed and stays; what goes on is another one.
static SnStatus branch(SnSession* session, int page, const double* frame, SnSessionStatus* status)
{
    (void)page;
    SnWorld* world;
    SnRunFile* run;
    char path[SN_LONGEST_PATH];
    if (!(frame[0] >= 0 && frame[0] < status->frames)) return sn_fail(SN_ERROR_VALUE, "there is no frame %g", frame[0]);
    SN_TRY(name_branch(session, path));
    status->playing = false;
    SnRetraceDef def = {session->def.scene, session->path, path, (int64_t)frame[0], is_quitting, session};
    SN_TRY(sn_retrace(&def, &world, &run));
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    session->world = world, session->run = run;
    snprintf(session->path, sizeof session->path, "%s", path);
    snprintf(status->path, sizeof status->path, "%s", path);
    status->frames = (int)frame[0] + 1, status->failed = false, status->branch++;
    look_again(session);
    return SN_OK;
}

// By its number in `sinew list solvers`.
static SnStatus set_solver(SnSession* session, int page, const double* number, SnSessionStatus* status)
{
    (void)page, (void)status;
    bool known = number[0] >= 0 && number[0] < sn_table_count(&sn_solver_table);
    if (!known) return sn_fail(SN_ERROR_VALUE, "there is no solver %g", number[0]);
    return sn_world_set_solver(session->world, sn_table_name(&sn_solver_table, (int)number[0]));
}

static SnStatus play(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)session, (void)page, (void)numbers;
    status->playing = !status->failed;
    return SN_OK;
}

static SnStatus pause_it(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)session, (void)page, (void)numbers;
    status->playing = false;
    return SN_OK;
}

static SnStatus step_once(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)numbers;
    status->playing = false;
    session->steps++;
    return SN_OK;
}

static SnStatus set_speed(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)session, (void)page;
    status->speed = fmin(1000, fmax(1e-6, numbers[0]));
    return SN_OK;
}

static const Request kinds[] = {
    {"play", 0, play},
    {"pause", 0, pause_it},
    {"step", 0, step_once},
    {"speed", 1, set_speed},
    {"drop", 0, drop},
    {"gravity", 3, set_gravity},
    {"drag", 3, drag},
    {"grab", 6, grab},
    {"obstacle", 4, carry},
    {"pin", 6, pin},
    {"stiffness", 1, set_stiffness},
    {"friction", 1, set_friction},
    {"branch", 1, branch},
    {"solver", 1, set_solver},
    {"place", 4, place},
    {"remove", 6, take_out},
};

// The kind of a request and its numbers; NULL: there is none, or they are others.
static const Request* find_kind(const char* request, double numbers[MOST_NUMBERS])
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(request, kinds[i].name, length) != 0 || (request[length] && request[length] != ' ')) continue;
        bool good = read_numbers(request + length, kinds[i].numbers, numbers);
        return good && (kinds[i].act != set_speed || numbers[0] > 0) ? &kinds[i] : NULL;
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
        Asked request = session->requests[0];
        double numbers[MOST_NUMBERS];
        session->request_count--;
        memmove(session->requests, session->requests + 1, (size_t)session->request_count * sizeof *session->requests);
        SnSessionStatus status = session->status;
        pthread_mutex_unlock(&session->mutex);
        SnStatus done = find_kind(request.text, numbers)->act(session, request.page, numbers, &status);
        if (!status.failed) status.message[0] = 0;
        look_at_shelf(session, &status);
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

// Of a page that drags only the last place counts. One that asks faster than steps are made is not heard.
static void enqueue(SnSession* session, int page, const char* request)
{
    int count = session->request_count;
    Asked* last = count > 0 ? &session->requests[count - 1] : NULL;
    bool again = last && last->page == page &&
                 (are_both("drag ", request, last->text) || are_both("obstacle ", request, last->text));
    if (!again && count == MOST_REQUESTS) return;
    Asked* at = again ? last : &session->requests[session->request_count++];
    at->page = page;
    strcpy(at->text, request);
}

bool sn_session_ask(SnSession* session, int page, const char* request)
{
    double numbers[MOST_NUMBERS];
    if (page < 0 || page >= SN_MOST_PAGES || strlen(request) >= MOST_LENGTH || !find_kind(request, numbers))
        return false;
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
    for (int i = 0; i < SN_MOST_PAGES; i++) session->grabs[i] = -1;
    session->stiffness = 1;
    if (snprintf(session->path, sizeof session->path, "%s", session->def.path) >= SN_LONGEST_PATH)
        return sn_fail(SN_ERROR_FILE, "%s: the name is too long", session->def.path);
    snprintf(session->status.path, sizeof session->status.path, "%s", session->path);
    SN_TRY(sn_start_check_output(scene, session->path));
    SN_TRY(sn_run_start_world(scene, &session->world));
    SnRunOptions options = sn_default_run_options();
    options.name = sn_scene_name(scene), options.scene = sn_scene_text(scene);
    SN_TRY(sn_run_file_create(session->def.path, session->world, &options, &session->run));
    SnConvention convention = sn_scene_convention(scene);
    SN_TRY(sn_run_file_set_meta(session->run, "units", sn_convention_units(&convention)));
    SN_TRY(sn_run_file_set_meta(session->run, "up", convention.z_up ? "z" : "y"));
    SN_TRY(sn_remake_note_folder(session->run, scene));
    if (session->def.overrides) SN_TRY(sn_run_file_set_meta(session->run, "overrides", session->def.overrides));
    session->status.frames = 1;
    look_at_shelf(session, &session->status);
    double poisson;
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
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->asked);
    sn_free(session);
}
