// What a session does when it is asked to, by its thread.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/run_file.h"
#include "core/memory.h"
#include "core/status.h"
#include "live/make.h"
#include "live/retrace.h"
#include "live/session_state.h"
#include "scene/scene.h"
#include "world/event.h"

enum { MOST_NUMBERS = 7, MOST_PINS = 256, MOST_BODIES = 1000, MOST_OBSTACLES = 1000 };

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

static void put_down(SnCarried* c)
{
    sn_free(c->places);
    *c = (SnCarried){.handle = -1};
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

static SnStatus take_handle(SnSession* session, SnCarried* c, int handle, const SnPick* pick)
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
static SnStatus carry_handle(SnSession* session, const SnCarried* c, const double* target)
{
    double* places;
    int count = session->world->model.handles[c->handle].node_count;
    if (!SN_NEW(places, 3 * (int64_t)count, "a handle")) return SN_ERROR_MEMORY;
    for (int64_t k = 0; k < 3 * (int64_t)count; k++) places[k] = c->places[k] + target[k % 3] - c->point[k % 3];
    SnStatus status = sn_world_move_handle(session->world, c->handle, places);
    sn_free(places);
    return status;
}

// What a page has picked: a body, three of its nodes, and how much of each. It is named and not met by a ray, as it may
// have moved since the frame that is seen.
static SnStatus read_pick(const SnSession* session, const double* numbers, SnPick* pick)
{
    SnBodyInfo info;
    *pick = (SnPick){.body = whole(numbers[0])};
    SN_TRY(sn_world_body(session->world, pick->body, &info));
    const double* x = sn_world_positions(session->world);
    for (int k = 0; k < 3; k++) {
        int node = whole(numbers[1 + k]);
        if (node < 0 || node >= info.node_count)
            return sn_fail(SN_ERROR_VALUE, "body '%s' has no node %g", info.name, numbers[1 + k]);
        pick->nodes[k] = info.first_node + node, pick->weights[k] = numbers[4 + k];
        for (int c = 0; c < 3; c++) pick->point[c] += pick->weights[k] * x[3 * (int64_t)pick->nodes[k] + c];
    }
    return SN_OK;
}

// What a handle holds is carried by it.
static SnStatus grab(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    SnPick pick;
    SN_TRY(drop(session, page, numbers, status));
    SN_TRY(read_pick(session, numbers, &pick));
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
    SnCarried* c = &session->carried[page];
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

// The triangle that is picked is held where it is; where something holds it, that lets go.
static SnStatus pin(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)status;
    const SnWorld* world = session->world;
    SnPick pick;
    int nodes[3], count = 0, handle;
    SN_TRY(read_pick(session, numbers, &pick));
    for (int k = 0; k < 3; k++)
        if ((handle = sn_handle_of_node(&world->model, &world->state, pick.nodes[k])) >= 0)
            return sn_world_release_handle(session->world, handle);
    if (count_pins(session) >= MOST_PINS)
        return sn_fail(SN_ERROR_VALUE, "%d places are held; let one go first", MOST_PINS);
    for (int k = 0; k < 3; k++) { // of a skin, corners may be carried by the same node
        int node = pick.nodes[k] - world->model.bodies[pick.body].first_node;
        if ((count < 1 || nodes[0] != node) && (count < 2 || nodes[1] != node)) nodes[count++] = node;
    }
    return sn_world_hold(session->world, pick.body, nodes, count, &handle);
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

// Body, damping, number, and that.
static SnStatus set_damping(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)status;
    return sn_world_set_damping_number(session->world, whole(numbers[0]), whole(numbers[1]), whole(numbers[2]),
                                       numbers[3]);
}

// Of a body that has none: Rayleigh's, as pages offer it.
static SnStatus add_damping(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page, (void)status;
    SnDampingDef def = sn_default_damping_def("rayleigh");
    int body = whole(numbers[0]);
    if (body >= 0 && body < session->world->model.body_count && session->world->model.bodies[body].damping_count > 0)
        return sn_fail(SN_ERROR_VALUE, "body '%s' has a damping", session->world->model.bodies[body].name);
    def.beta = numbers[1], def.conserve_momentum = SN_MOMENTUM_CONSERVED;
    return sn_world_add_damping(session->world, body, &def, NULL);
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

static void look_at_dampings(const SnWorld* world, int index, SnSessionBody* body)
{
    const SnBody* of = &world->model.bodies[index];
    body->damping_count = 0;
    for (int d = 0; d < of->damping_count; d++)
        for (int k = 0; sn_damping_number_name(k) && body->damping_count < SN_MOST_DAMPINGS; k++) {
            struct SnSessionDamping* next = &body->dampings[body->damping_count];
            *next =
                (struct SnSessionDamping){d, k, of->dampings[d].dissipation.type->name, sn_damping_number_name(k), 0};
            body->damping_count += sn_world_damping(world, index, d, next->name, &next->value) == SN_OK;
        }
}

void sn_session_look_at_handles(const SnSession* session, SnSessionStatus* status)
{
    const SnModel* model = &session->world->model;
    const SnState* state = &session->world->state;
    status->held_count = 0;
    for (int k = 0; k < model->handle_count; k++) {
        const SnHandle* h = &model->handles[k];
        if (sn_handle_released(h, state->time + state->step_length, state->step_length)) continue;
        for (int i = 0; i < h->node_count && status->held_count < SN_MOST_HELD; i++)
            status->held[status->held_count++] = h->nodes[i];
    }
}

void sn_session_look(const SnSession* session, SnSessionStatus* status)
{
    const SnModel* model = &session->world->model;
    sn_session_look_at_handles(session, status);
    look_at_shelf(model, &session->world->state, status);
    status->body_count = model->body_count < SN_MOST_SHOWN ? model->body_count : SN_MOST_SHOWN;
    for (int b = 0; b < status->body_count; b++) {
        const SnMaterial* m = &model->bodies[b].material;
        status->bodies[b] = (SnSessionBody){.young = m->young, .poisson = m->poisson, .density = m->density};
        look_at_dampings(session->world, b, &status->bodies[b]);
    }
    status->stiffness = session->stiffness;
    memcpy(status->gravity, model->def.gravity, sizeof status->gravity);
    status->friction = model->obstacle_count > 0 ? model->obstacle_shapes[0].friction : model->def.contact.friction;
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

// The same of obstacles.
static SnStatus make_obstacle(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page;
    if (sn_world_obstacle_count(session->world) >= MOST_OBSTACLES)
        return sn_fail(SN_ERROR_VALUE, "there are %d obstacles; pages make no more", MOST_OBSTACLES);
    SN_TRY(sn_make_obstacle(session->world, whole(numbers[0]), numbers[1], numbers + 2, session->up));
    return show_change(session, status);
}

static SnStatus take_out(SnSession* session, int page, const double* numbers, SnSessionStatus* status)
{
    (void)page;
    SN_TRY(sn_world_remove_body(session->world, whole(numbers[0])));
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

static void end_race(SnSession* session, SnSessionStatus* status)
{
    sn_rival_stop(&session->rival);
    status->race = -1;
}

void sn_session_tell(SnSessionStatus* status, const SnRetraced* retraced)
{
    status->retraced = retraced->made;
    status->message[0] = 0;
    if (retraced->why[0])
        snprintf(status->message, sizeof status->message, "all %lld steps were made again: %s",
                 (long long)retraced->made, retraced->why);
}

// The file so far is closed and stays; what goes on is another one, made from `from`, or that itself.
static SnStatus go_over(SnSession* session, const char* from, const char* to, int64_t step, SnSessionStatus* status)
{
    SnRetraced retraced;
    SnRetraceDef def = {session->def.scene, from, to, step, is_quitting, session};
    status->playing = false;
    end_race(session, status);
    SN_TRY(sn_retrace(&def, &retraced));
    sn_run_file_destroy(session->run);
    sn_world_destroy(session->world);
    session->world = retraced.world, session->run = retraced.run;
    snprintf(session->path, sizeof session->path, "%s", to ? to : from);
    snprintf(status->path, sizeof status->path, "%s", session->path);
    status->branches[status->at].frames = status->frames;
    status->failed = false, status->branch++;
    sn_session_tell(status, &retraced);
    look_again(session);
    return SN_OK;
}

// Another run file that leaves the present one at a frame, which is not there yet.
static SnStatus begin_branch(const SnSession* session, int frame, const SnSessionStatus* status, SnBranch* next,
                             char path[SN_LONGEST_PATH])
{
    *next = (SnBranch){.parent = status->at, .frame = frame};
    if (status->branch_count == SN_MOST_BRANCHES)
        return sn_fail(SN_ERROR_VALUE, "there are %d branches; another one needs another session", SN_MOST_BRANCHES);
    SN_TRY(find_number(session, &next->number));
    return sn_session_branch_path(session, next->number, path);
}

static SnStatus branch(SnSession* session, int page, const double* frame, SnSessionStatus* status)
{
    (void)page;
    char path[SN_LONGEST_PATH];
    SnBranch next;
    if (!(frame[0] >= 0 && frame[0] < status->frames)) return sn_fail(SN_ERROR_VALUE, "there is no frame %g", frame[0]);
    SN_TRY(begin_branch(session, whole(frame[0]), status, &next, path));
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
    end_race(session, status); // whose file may be the one
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
    SnRunFile* run = whole(number[0]) == status->at ? session->run : NULL;
    if (whole(number[0]) == status->race) run = session->rival.run;
    SN_TRY(sn_session_branch_path(session, branch->number, path));
    if (!run) SN_TRY(sn_run_file_open_to_append(path, &other));
    snprintf(branch->name, sizeof branch->name, "%s", text);
    SnStatus done = sn_run_file_set_meta(run ? run : other, "branch_name", branch->name);
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

// From now on the same steps are made by another solver, too, in a run file of its own, which is a branch; -1: no more.
static SnStatus race(SnSession* session, int page, const double* number, SnSessionStatus* status)
{
    (void)page;
    char path[SN_LONGEST_PATH];
    SnBranch next;
    end_race(session, status);
    if (number[0] < 0) return SN_OK;
    if (number[0] >= sn_table_count(&sn_solver_table))
        return sn_fail(SN_ERROR_VALUE, "there is no solver %g", number[0]);
    const char* solver = sn_table_name(&sn_solver_table, (int)number[0]);
    SN_TRY(begin_branch(session, status->frames - 1, status, &next, path));
    SnRetraceDef def = {session->def.scene, session->path, path, next.frame, is_quitting, session};
    SN_TRY(sn_rival_start(&def, solver, &session->rival));
    snprintf(next.name, sizeof next.name, "%s", solver);
    next.frames = status->frames;
    status->race = status->branch_count++;
    status->branches[status->race] = next;
    return SN_OK;
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
    {"grab", 7, grab, NULL},
    {"obstacle", 4, carry, NULL},
    {"pin", 7, pin, NULL},
    {"stiffness", 1, set_stiffness, NULL},
    {"young", 2, set_young, NULL},
    {"poisson", 2, set_poisson, NULL},
    {"density", 2, set_density, NULL},
    {"damping", 4, set_damping, NULL},
    {"add-damping", 2, add_damping, NULL},
    {"friction", 1, set_friction, NULL},
    {"branch", 1, branch, NULL},
    {"switch", 1, switch_to, NULL},
    {"solver", 1, set_solver, NULL},
    {"race", 1, race, NULL},
    {"integrator", 1, set_integrator, NULL},
    {"place", 4, place, NULL},
    {"remove", 1, take_out, NULL},
    {"new", 5, make_new, NULL},
    {"new-obstacle", 5, make_obstacle, NULL},
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
    return strlen(request) < SN_MOST_LENGTH && find_kind(request, numbers, &text);
}

SnStatus sn_session_act(SnSession* session, const SnAsked* asked, SnSessionStatus* status)
{
    double numbers[MOST_NUMBERS];
    const char* text;
    const Request* kind = find_kind(asked->text, numbers, &text);
    return kind->act_text ? kind->act_text(session, numbers, text, status)
                          : kind->act(session, asked->page, numbers, status);
}
