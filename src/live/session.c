#include "live/session.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/remake.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "core/memory.h"
#include "core/timer.h"
#include "live/make.h"
#include "live/retrace.h"
#include "scene/scene.h"
#include "world/world.h"
#include <sinew/run.h>

enum { MOST_REQUESTS = 64, MOST_LENGTH = 512 };

// What somebody asked; page: who.
typedef struct Asked {
    int page;
    char text[MOST_LENGTH];
} Asked;

enum { MOST_PINS = 256, MOST_BODIES = 1000 };

// An obstacle that a page carries, and where it was; or a handle, with the point that it was taken at.
typedef struct Carried {
    bool on;
    int obstacle;
    SnPose from;
    int handle;     // -1: none
    double* places; // 3 x as many nodes as it has
    double point[3];
} Carried;

struct SnSession {
    SnSessionDef def;
    char first[SN_LONGEST_PATH]; // of the first run file: def.path, which is the caller's,
    char path[SN_LONGEST_PATH];  // and of the one that is written now
    SnWorld* world;
    SnRunFile* run;
    int grabs[SN_MOST_PAGES]; // what each page holds, -1: nothing
    Carried carried[SN_MOST_PAGES];
    int own_handles;  // of the scene
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
    // In place of it, where a text follows them.
    SnStatus (*act_text)(SnSession* session, const double* numbers, const char* text, SnSessionStatus* status);
} Request;

// What comes after them; NULL: they are not there.
static const char* read_numbers(const char* text, int count, double numbers[MOST_NUMBERS])
{
    for (int i = 0; i < count; i++) {
        char* end;
        numbers[i] = strtod(text, &end);
        if (end == text || !isfinite(numbers[i])) return NULL;
        text = end;
    }
    return text + strspn(text, " ");
}

static int whole(double number)
{
    return (int)fmin(fmax(number, -1), 1e9);
}

static SnStatus set_gravity(SnSession* session, int page, const double* g, SnSessionStatus* status)
{
    (void)page, (void)status;
    return sn_world_set_gravity(session->world, g);
}

static void put_down(Carried* c)
{
    sn_free(c->places);
    *c = (Carried){.handle = -1};
}

static SnStatus drop(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)numbers, (void)status;
    int grab = session->grabs[page];
    session->grabs[page] = -1;
    put_down(&session->carried[page]);
    return grab < 0 ? SN_OK : sn_world_let_go(session->world, grab);
}

// The handle that holds the corner that was met nearest, if it can be moved; -1: none.
static int handle_at(const SnSession* session, const SnPick* pick)
{
    int k = pick->weights[1] > pick->weights[0];
    if (pick->weights[2] > pick->weights[k]) k = 2;
    const SnModel* model = &session->world->model;
    int handle = sn_handle_of_node(model, &session->world->state, pick->nodes[k]);
    return handle >= 0 && !model->handles[handle].hinge ? handle : -1;
}

static SnStatus take_handle(SnSession* session, Carried* c, int handle, const SnPick* pick)
{
    const SnHandle* h = &session->world->model.handles[handle];
    if (!SN_NEW(c->places, 3 * (int64_t)h->node_count, "a handle")) return SN_ERROR_MEMORY;
    for (int k = 0; k < h->node_count; k++)
        memcpy(c->places + 3 * (int64_t)k, sn_world_positions(session->world) + 3 * (int64_t)h->nodes[k],
               3 * sizeof(double));
    memcpy(c->point, pick->point, sizeof c->point);
    c->handle = handle;
    return SN_OK;
}

// All its nodes go as the point does that it was taken at.
static SnStatus carry_handle(SnSession* session, const Carried* c, const double* target)
{
    double* places;
    int count = session->world->model.handles[c->handle].node_count;
    if (!SN_NEW(places, 3 * (int64_t)count, "a handle")) return SN_ERROR_MEMORY;
    for (int64_t k = 0; k < 3 * (int64_t)count; k++) places[k] = c->places[k] + target[k % 3] - c->point[k % 3];
    SnStatus status = sn_world_move_handle(session->world, c->handle, places);
    sn_free(places);
    return status;
}

// What a ray from the page meets first; nothing, where that is nothing.
static SnStatus grab(SnSession* session, int page, const double* ray, SnSessionStatus* status)
{
    SnPick pick;
    SN_TRY(drop(session, page, ray, status));
    SN_TRY(sn_world_pick(session->world, ray, ray + 3, &pick));
    if (pick.body < 0) return SN_OK;
    int handle = handle_at(session, &pick);
    if (handle >= 0) return take_handle(session, &session->carried[page], handle, &pick);
    return sn_world_grab(session->world, &pick, 0, &session->grabs[page]);
}

static SnStatus drag(SnSession* session, int page, const double* target, SnSessionStatus* status)
{
    (void)status;
    int held = session->grabs[page];
    if (session->carried[page].handle >= 0) return carry_handle(session, &session->carried[page], target);
    return held < 0 ? SN_OK : sn_world_drag(session->world, held, target);
}

// Its number, then by how much from where it was when the page took it.
static SnStatus carry(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)status;
    Carried* c = &session->carried[page];
    int obstacle = whole(numbers[0]);
    if (!c->on || c->obstacle != obstacle) {
        SnObstacleInfo info;
        SN_TRY(sn_world_obstacle(session->world, obstacle, &info));
        put_down(c);
        c->on = true, c->obstacle = obstacle, c->from = info.pose;
    }
    SnPose pose = c->from;
    for (int k = 0; k < 3; k++) pose.shift[k] += numbers[1 + k];
    return sn_world_move_obstacle(session->world, obstacle, &pose);
}

// How many handles that pages have made hold.
static int count_pins(const SnSession* session)
{
    const SnModel* model = &session->world->model;
    const SnState* state = &session->world->state;
    int count = 0;
    for (int i = session->own_handles; i < model->handle_count; i++)
        count += !sn_handle_released(&model->handles[i], state->time + state->step_length, state->step_length);
    return count;
}

// The triangle that a ray meets is held where it is; where something holds it, that lets go.
static SnStatus pin(SnSession* session, int page, const double* ray, SnSessionStatus* status)
{
    (void)page, (void)status;
    const SnWorld* world = session->world;
    SnPick pick;
    int nodes[3], handle;
    SN_TRY(sn_world_pick(world, ray, ray + 3, &pick));
    if (pick.body < 0) return SN_OK;
    for (int k = 0; k < 3; k++)
        if ((handle = sn_handle_of_node(&world->model, &world->state, pick.nodes[k])) >= 0)
            return sn_world_release_handle(session->world, handle);
    if (count_pins(session) >= MOST_PINS)
        return sn_fail(SN_ERROR_VALUE, "%d places are held; let one go first", MOST_PINS);
    for (int k = 0; k < 3; k++) nodes[k] = pick.nodes[k] - world->model.bodies[pick.body].first_node;
    return sn_world_hold(session->world, pick.body, nodes, 3, &handle);
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

static SnStatus set_young(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)status;
    return sn_world_set_material(session->world, whole(numbers[0]), "young", numbers[1]);
}

static SnStatus set_poisson(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)status;
    return sn_world_set_material(session->world, whole(numbers[0]), "poisson", numbers[1]);
}

static SnStatus set_density(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)status;
    return sn_world_set_material(session->world, whole(numbers[0]), "density", numbers[1]);
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

static void look_at_shelf(const SnModel* model, const SnState* state, SnSessionStatus* status)
{
    status->shelf_count = status->away_count = 0;
    for (int b = 0; b < model->body_count && status->shelf_count < SN_MOST_SHOWN; b++)
        if (state->out[b] != 0) status->shelf[status->shelf_count++] = b;
    for (int k = 0; k < model->obstacle_count && status->away_count < SN_MOST_SHOWN; k++)
        if (model->obstacles[k].out) status->away[status->away_count++] = k;
}

// What pages are told of the world.
static void look_at_world(const SnSession* session, SnSessionStatus* status)
{
    const SnModel* model = &session->world->model;
    look_at_shelf(model, &session->world->state, status);
    status->body_count = model->body_count < SN_MOST_SHOWN ? model->body_count : SN_MOST_SHOWN;
    for (int b = 0; b < status->body_count; b++) {
        const SnMaterial* m = &model->bodies[b].material;
        status->bodies[b] = (SnSessionBody){m->young, m->poisson, m->density};
    }
    status->solver = model->solver_type->name, status->integrator = model->integrator->name;
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
    int body = whole(numbers[0]);
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

// Which kind, how large, and where.
static SnStatus make_new(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page;
    if (sn_world_body_count(session->world) >= MOST_BODIES)
        return sn_fail(SN_ERROR_VALUE, "there are %d bodies; pages make no more", MOST_BODIES);
    SN_TRY(sn_make_body(session->world, whole(numbers[0]), numbers[1], numbers + 2));
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
    for (int i = 0; i < SN_MOST_PAGES; i++)
        if (session->grabs[i] >= 0 && sn_world_grab_force(session->world, session->grabs[i], &(SnWrench){0}) != SN_OK)
            session->grabs[i] = -1;
    return show_change(session, status);
}

// Its number, then where the middle of its surface goes, as it was added.
static SnStatus place_obstacle(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page;
    SnMesh* mesh;
    SnMeshMeasure box = {0};
    SnPose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {numbers[1], numbers[2], numbers[3]}};
    SN_TRY(sn_world_obstacle_surface(session->world, whole(numbers[0]), 1, &mesh));
    if (mesh) sn_mesh_measure(mesh, &box);
    sn_mesh_destroy(mesh);
    for (int c = 0; c < 3; c++) pose.shift[c] -= 0.5 * (box.lo[c] + box.hi[c]);
    SN_TRY(sn_world_place_obstacle(session->world, whole(numbers[0]), &pose));
    return show_change(session, status);
}

static SnStatus take_out_obstacle(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page;
    for (int i = 0; i < SN_MOST_PAGES; i++)
        if (session->carried[i].on && session->carried[i].obstacle == whole(numbers[0])) put_down(&session->carried[i]);
    SN_TRY(sn_world_remove_obstacle(session->world, whole(numbers[0])));
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

SnStatus sn_session_branch_path(const SnSession* session, int number, char path[SN_LONGEST_PATH])
{
    const char *own = session->def.path, *dot = strrchr(own, '.'), *slash = strrchr(own, '/');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - own) : (int)strlen(own);
    int length = number > 0 ? snprintf(path, SN_LONGEST_PATH, "%.*s-%d.run", stem, own, number)
                            : snprintf(path, SN_LONGEST_PATH, "%s", own);
    return length < SN_LONGEST_PATH ? SN_OK : sn_fail(SN_ERROR_FILE, "%s: the name is too long", own);
}

// The first of NAME-1.run, NAME-2.run ... that is not there.
static SnStatus find_number(const SnSession* session, int* number)
{
    char path[SN_LONGEST_PATH];
    for (*number = 1; *number < 10000; ++*number) {
        SN_TRY(sn_session_branch_path(session, *number, path));
        if (access(path, F_OK) != 0) return SN_OK;
    }
    return sn_fail(SN_ERROR_FILE, "%s: there is no name left for another branch", session->def.path);
}

// What pages hold, and how stiff everything is, as the world has it.
static void look_again(SnSession* session)
{
    double young, poisson;
    for (int i = 0; i < SN_MOST_PAGES; i++) {
        session->grabs[i] = -1, put_down(&session->carried[i]);
        sn_world_let_go(session->world, i);
    }
    bool known = session->young > 0 && sn_world_stiffness(session->world, 0, &young, &poisson) == SN_OK;
    session->stiffness = known ? young / session->young : 1;
}

// The file so far is closed and stays; what goes on is another one, made from `from`, or that itself.
static SnStatus go_over(SnSession* session, const char* from, const char* to, int64_t step, SnSessionStatus* status)
{
    SnWorld* world;
    SnRunFile* run;
    SnRetraceDef def = {session->def.scene, from, to, step, is_quitting, session};
    status->playing = false;
    SN_TRY(sn_retrace(&def, &world, &run));
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    session->world = world, session->run = run;
    snprintf(session->path, sizeof session->path, "%s", to ? to : from);
    snprintf(status->path, sizeof status->path, "%s", session->path);
    status->branches[status->at].frames = status->frames;
    status->failed = false, status->branch++;
    look_again(session);
    return SN_OK;
}

static SnStatus branch(SnSession* session, int page, const double* frame, SnSessionStatus* status)
{
    (void)page;
    char path[SN_LONGEST_PATH];
    SnBranch next = {.parent = status->at, .frame = whole(frame[0])};
    if (!(frame[0] >= 0 && frame[0] < status->frames)) return sn_fail(SN_ERROR_VALUE, "there is no frame %g", frame[0]);
    if (status->branch_count == SN_MOST_BRANCHES)
        return sn_fail(SN_ERROR_VALUE, "there are %d branches; another one needs another session", SN_MOST_BRANCHES);
    SN_TRY(find_number(session, &next.number));
    SN_TRY(sn_session_branch_path(session, next.number, path));
    SN_TRY(go_over(session, session->path, path, next.frame, status));
    status->frames = next.frames = next.frame + 1;
    status->at = status->branch_count++;
    status->branches[status->at] = next;
    return SN_OK;
}

static SnStatus check_branch(const SnSessionStatus* status, double number)
{
    if (number >= 0 && number < status->branch_count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "there is no branch %g; there are %d, counted from 0", number, status->branch_count);
}

// Back to a branch, at its end.
static SnStatus switch_to(SnSession* session, int page, const double* number, SnSessionStatus* status)
{
    (void)page;
    char path[SN_LONGEST_PATH];
    SN_TRY(check_branch(status, number[0]));
    const SnBranch* to = &status->branches[whole(number[0])];
    if (whole(number[0]) == status->at) return SN_OK;
    SN_TRY(sn_session_branch_path(session, to->number, path));
    SN_TRY(go_over(session, path, NULL, 0, status));
    status->at = whole(number[0]), status->frames = to->frames;
    return SN_OK;
}

// What it is called, also in its file.
static SnStatus name_it(SnSession* session, const double* number, const char* text, SnSessionStatus* status)
{
    char path[SN_LONGEST_PATH];
    SnRunFile* other = NULL;
    SN_TRY(check_branch(status, number[0]));
    SnBranch* branch = &status->branches[whole(number[0])];
    bool own = whole(number[0]) == status->at;
    SN_TRY(sn_session_branch_path(session, branch->number, path));
    if (!own) SN_TRY(sn_run_file_open_to_append(path, &other));
    snprintf(branch->name, sizeof branch->name, "%s", text);
    SnStatus done = sn_run_file_set_meta(own ? session->run : other, "branch_name", branch->name);
    sn_run_file_destroy(other);
    return done;
}

// By its number in `sinew list solvers`.
static SnStatus set_solver(SnSession* session, int page, const double* number, SnSessionStatus* status)
{
    (void)page, (void)status;
    bool known = number[0] >= 0 && number[0] < sn_table_count(&sn_solver_table);
    if (!known) return sn_fail(SN_ERROR_VALUE, "there is no solver %g", number[0]);
    return sn_world_set_solver(session->world, sn_table_name(&sn_solver_table, (int)number[0]));
}

static SnStatus set_integrator(SnSession* session, int page, const double* number, SnSessionStatus* status)
{
    (void)page, (void)status;
    bool known = number[0] >= 0 && number[0] < sn_integrator_count();
    if (!known) return sn_fail(SN_ERROR_VALUE, "there is no integrator %g", number[0]);
    return sn_world_set_integrator(session->world, sn_integrator_at((int)number[0])->name);
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
    {"play", 0, play, NULL},
    {"pause", 0, pause_it, NULL},
    {"step", 0, step_once, NULL},
    {"speed", 1, set_speed, NULL},
    {"drop", 0, drop, NULL},
    {"gravity", 3, set_gravity, NULL},
    {"drag", 3, drag, NULL},
    {"grab", 6, grab, NULL},
    {"obstacle", 4, carry, NULL},
    {"pin", 6, pin, NULL},
    {"stiffness", 1, set_stiffness, NULL},
    {"young", 2, set_young, NULL},
    {"poisson", 2, set_poisson, NULL},
    {"density", 2, set_density, NULL},
    {"friction", 1, set_friction, NULL},
    {"branch", 1, branch, NULL},
    {"switch", 1, switch_to, NULL},
    {"solver", 1, set_solver, NULL},
    {"integrator", 1, set_integrator, NULL},
    {"place", 4, place, NULL},
    {"remove", 6, take_out, NULL},
    {"new", 5, make_new, NULL},
    {"place-obstacle", 4, place_obstacle, NULL},
    {"remove-obstacle", 1, take_out_obstacle, NULL},
    {"name", 1, NULL, name_it},
};

// Letters that a page and a terminal show as they are.
static bool is_name(const char* text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return false;
    return length < SN_LONGEST_NAME;
}

// The kind of a request, its numbers and the text after them; NULL: there is none, or they are others.
static const Request* find_kind(const char* request, double numbers[MOST_NUMBERS], const char** text)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(request, kinds[i].name, length) != 0 || (request[length] && request[length] != ' ')) continue;
        *text = read_numbers(request + length, kinds[i].numbers, numbers);
        bool good = *text && (kinds[i].act_text ? is_name(*text) : **text == 0);
        return good && (kinds[i].act != set_speed || numbers[0] > 0) ? &kinds[i] : NULL;
    }
    return NULL;
}

bool sn_session_understands(const char* request)
{
    double numbers[MOST_NUMBERS];
    const char* text;
    return strlen(request) < MOST_LENGTH && find_kind(request, numbers, &text);
}

static SnStatus act(SnSession* session, const Asked* asked, SnSessionStatus* status)
{
    double numbers[MOST_NUMBERS];
    const char* text;
    const Request* kind = find_kind(asked->text, numbers, &text);
    return kind->act_text ? kind->act_text(session, numbers, text, status)
                          : kind->act(session, asked->page, numbers, status);
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
        session->request_count--;
        memmove(session->requests, session->requests + 1, (size_t)session->request_count * sizeof *session->requests);
        SnSessionStatus status = session->status;
        pthread_mutex_unlock(&session->mutex);
        SnStatus done = act(session, &request, &status);
        if (!status.failed) status.message[0] = 0;
        look_at_world(session, &status);
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
    for (int i = 0; i < SN_MOST_PAGES; i++) session->grabs[i] = -1, session->carried[i].handle = -1;
    session->stiffness = 1;
    if (snprintf(session->first, sizeof session->first, "%s", session->def.path) >= SN_LONGEST_PATH)
        return sn_fail(SN_ERROR_FILE, "%s: the name is too long", session->def.path);
    session->def.path = session->first;
    snprintf(session->path, sizeof session->path, "%s", session->first);
    snprintf(session->status.path, sizeof session->status.path, "%s", session->path);
    SN_TRY(sn_start_check_output(scene, session->path));
    SN_TRY(sn_run_start_world(scene, &session->world));
    SnRunOptions options = sn_default_run_options();
    options.name = sn_scene_name(scene), options.scene = sn_scene_text(scene), options.residuals = true;
    SN_TRY(sn_run_file_create(session->def.path, session->world, &options, &session->run));
    SnConvention convention = sn_scene_convention(scene);
    SN_TRY(sn_run_file_set_meta(session->run, "units", sn_convention_units(&convention)));
    SN_TRY(sn_run_file_set_meta(session->run, "up", convention.z_up ? "z" : "y"));
    SN_TRY(sn_remake_note_folder(session->run, scene));
    if (session->def.overrides) SN_TRY(sn_run_file_set_meta(session->run, "overrides", session->def.overrides));
    session->status.frames = 1;
    session->status.branch_count = 1;
    session->status.branches[0] = (SnBranch){.parent = -1, .frames = 1};
    session->own_handles = session->world->model.handle_count;
    look_at_world(session, &session->status);
    double poisson;
    if (sn_world_stiffness(session->world, 0, &session->young, &poisson) != SN_OK) session->young = 0;
    session->def.overrides = NULL; // the caller's, too
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
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    pthread_mutex_destroy(&session->mutex);
    pthread_cond_destroy(&session->asked);
    sn_free(session);
}
