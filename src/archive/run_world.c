// The run of a world: its bodies, obstacles, states and reports as the run file wants them.
#include "archive/run_database.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/plain.h"
#include "linalg/vec3.h"
#include "mesh/mesh.h"
#include "world/world.h"

SnRunOptions sn_default_run_options(void)
{
    // Rounding noise does not compress: zlib takes 5 to 10 % off positions and velocities and four times as long.
    return (SnRunOptions){.name = "", .scene = "", .compress = false, .contacts = true};
}

SnRunStep sn_run_step(const SnStepReport* report)
{
    SnRunStep row = {
        .step = report->step,
        .time = report->time,
        .iterations = report->iterations,
        .evaluations = report->evaluations,
        .factorizations = report->factorizations,
        .outcome = sn_outcome_name(report->outcome),
        .detail = report->detail,
        .worst_count = report->worst_count,
        .gradient = report->gradient,
        .tolerance = report->tolerance,
        .energy = report->energy,
        .contacts = report->contacts,
        .crossings = report->crossings,
        .parts = report->parts,
        .inverted = report->inverted,
        .bounded = report->bounded,
        .asleep = report->asleep,
        .distance = report->distance,
        .depth = report->depth,
        .errors = report->errors,
        .drift = report->drift,
        .ms_local = report->ms.evaluate + report->ms.assemble,
        .ms_global = report->ms.factor + report->ms.solve,
        .ms_contact = report->ms.contact,
        .ms_total = report->ms.total,
    };
    memcpy(row.worst, report->worst, sizeof row.worst);
    memcpy(row.momentum, report->momentum, sizeof row.momentum);
    memcpy(row.angular_momentum, report->angular_momentum, sizeof row.angular_momentum);
    memcpy(row.impulse, report->impulse, sizeof row.impulse);
    memcpy(row.angular_impulse, report->angular_impulse, sizeof row.angular_impulse);
    return row;
}

// --- what the world is made of ---

typedef struct Parts {
    int body_count, obstacle_count;
    SnBodyInfo* bodies;
    SnRunObstacle* obstacles;
    SnRunPlace* places; // of the obstacles
    SnMesh** surfaces;  // of the obstacles; NULL: a plane, or not asked for
    int probe_count;
    SnValueInfo* probes; // what is measured
} Parts;

static void free_parts(Parts* parts)
{
    for (int i = 0; parts->surfaces && i < parts->obstacle_count; i++) sn_mesh_destroy(parts->surfaces[i]);
    SN_FREE(parts->bodies, parts->obstacles, parts->places, parts->surfaces, parts->probes);
}

// m, across the bodies: how much of an endless obstacle is kept.
static double size_of(const SnWorld* world)
{
    const double* x = sn_world_positions(world);
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < sn_world_node_count(world); i++) lo = fmin(lo, x[3 * i + c]), hi = fmax(hi, x[3 * i + c]);
        if (hi > lo) square += (hi - lo) * (hi - lo);
    }
    return square > 0 ? sqrt(square) : 1;
}

// One that is on the shelf is in one point, where nothing is seen of it.
static SnPose nowhere(const SnWorld* world)
{
    SnPose pose = {0};
    if (sn_world_node_count(world) > 0) memcpy(pose.shift, sn_world_positions(world), sizeof pose.shift);
    return pose;
}

static SnStatus describe_obstacle(SnWorld* world, int index, bool new, const SnRunPieces* pieces, Parts* parts)
{
    SnObstacleInfo info;
    SN_TRY(sn_world_obstacle(world, index, &info));
    SnRunObstacle* o = &parts->obstacles[index];
    SnRunPlace* place = &parts->places[index];
    bool plane = !info.shape->custom && strcmp(info.shape->type, "plane") == 0;
    *o = (SnRunObstacle){info.name,      info.shape->type, info.friction,
                         info.thickness, .plane = plane,   .changes = info.changes};
    place->pose = info.out ? nowhere(world) : info.pose;
    if (plane) {
        memcpy(o->point, info.shape->point, sizeof o->point);
        memcpy(o->normal, info.shape->normal, sizeof o->normal);
    } else if (new || info.changes)
        SN_TRY(
            sn_world_obstacle_surface(world, index, pieces ? pieces->extent : size_of(world), &parts->surfaces[index]));
    const SnMesh* surface = parts->surfaces[index];
    if (!surface) return SN_OK;
    o->vertex_count = surface->node_count, o->triangle_count = surface->triangle_count;
    o->triangles = surface->triangles, place->vertices = surface->nodes;
    return SN_OK;
}

// Surfaces only of those that change, and of those that the file does not know, from `known` on.
static SnStatus list_obstacles(SnWorld* world, int known, const SnRunPieces* pieces, Parts* parts)
{
    parts->obstacle_count = sn_world_obstacle_count(world);
    if (!SN_NEW(parts->obstacles, parts->obstacle_count, "the obstacles of a run file") ||
        !SN_NEW(parts->places, parts->obstacle_count, "the obstacles of a run file") ||
        !SN_NEW(parts->surfaces, parts->obstacle_count, "the obstacles of a run file"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < parts->obstacle_count; i++) SN_TRY(describe_obstacle(world, i, i >= known, pieces, parts));
    return SN_OK;
}

// Bodies and all obstacles; free_parts also when it fails. shared: where the world is a part; NULL: it is whole.
static SnStatus list_parts(SnWorld* world, const SnRunShared* shared, Parts* parts)
{
    *parts = (Parts){.body_count = sn_world_body_count(world)};
    if (!SN_NEW(parts->bodies, parts->body_count, "the bodies of a run file")) return SN_ERROR_MEMORY;
    for (int i = 0; i < parts->body_count; i++) {
        SN_TRY(sn_world_body(world, i, &parts->bodies[i]));
        if (shared) parts->bodies[i] = shared->bodies[i];
    }
    parts->probe_count = sn_world_value_count(world);
    if (!SN_NEW(parts->probes, parts->probe_count, "the probes of a run file")) return SN_ERROR_MEMORY;
    for (int i = 0; i < parts->probe_count; i++) SN_TRY(sn_world_value(world, i, &parts->probes[i]));
    return list_obstacles(world, 0, shared ? shared->pieces : NULL, parts);
}

// --- writing ---

// The world's state as a frame; *state is memory for the losses and the checkpoint, reused from call to call.
static SnStatus frame_of(SnWorld* world, const SnRunPieces* pieces, const SnRunStep* steps, int step_count,
                         const SnRunPlace* places, void** state, int* capacity, SnRunFrame* frame)
{
    int loss_count = sn_world_loss_count(world);
    size_t size = pieces ? 0 : sn_world_state_size(world), before = (size_t)loss_count * sizeof(SnLoss);
    char* bytes = *state;
    bool grown = SN_GROW(bytes, *capacity, (int64_t)(before + size), "a checkpoint");
    *state = bytes;
    if (!grown) return SN_ERROR_MEMORY;
    SnLoss* losses = *state;
    for (int i = 0; i < loss_count; i++) SN_TRY(sn_world_loss(world, i, &losses[i]));
    if (!pieces) SN_TRY(sn_world_save_state(world, bytes + before, size));
    *frame = (SnRunFrame){
        .step = steps[step_count - 1].step,
        .time = steps[step_count - 1].time,
        .pieces = pieces,
        .positions = sn_world_positions(world),
        .velocities = sn_world_velocities(world),
        .steps = steps,
        .step_count = step_count,
        .losses = losses,
        .loss_count = loss_count,
        .state = bytes + before,
        .state_size = size,
        .places = places,
    };
    return SN_OK;
}

static SnStatus create(const char* path, SnWorld* world, const SnStepReport* start, const SnRunOptions* options,
                       const SnRunPieces* pieces, const Parts* parts, SnRunFile** run)
{
    SnRunStep row = sn_run_step(start);
    SnRunDef def = {options->name,      options->scene,      sn_world_time_step(world), parts->bodies,
                    parts->body_count,  options->compress,   parts->obstacles,          parts->obstacle_count,
                    options->contacts,  parts->probes,       parts->probe_count,        pieces,
                    options->residuals, options->checkpoints};
    SnRunFrame frame;
    void* state = NULL;
    int capacity = 0;
    SnStatus status = frame_of(world, pieces, &row, 1, parts->places, &state, &capacity, &frame);
    frame.values = start->values;
    if (status == SN_OK) status = sn_run_file_create_from(path, &def, &frame, run);
    sn_free(state);
    return status;
}

// So that pictures know what is up.
static SnStatus put_gravity(SnRunFile* run, const double gravity[3])
{
    char text[96];
    sn_plain_print(text, sizeof text, "%.17g %.17g %.17g", gravity[0], gravity[1], gravity[2]);
    return sn_run_file_set_meta(run, "gravity", text);
}

static SnStatus create_listed(const char* path, SnWorld* world, const SnRunShared* shared, const SnStepReport* start,
                              const SnRunOptions* options, SnRunFile** run)
{
    SnRunOptions usual = sn_default_run_options();
    Parts parts;
    *run = NULL;
    SnStatus status = list_parts(world, shared, &parts);
    if (status == SN_OK)
        status = create(path, world, start, options ? options : &usual, shared ? shared->pieces : NULL, &parts, run);
    free_parts(&parts);
    if (status == SN_OK) status = put_gravity(*run, world->model.def.gravity);
    if (status == SN_OK) status = sn_world_note_changes(world, true);
    if (status != SN_OK) sn_run_file_destroy(*run), *run = NULL;
    return status;
}

SnStatus sn_run_file_create_measured(const char* path, SnWorld* world, const SnStepReport* start,
                                     const SnRunOptions* options, SnRunFile** run)
{
    return create_listed(path, world, NULL, start, options, run);
}

SnStatus sn_run_file_create_shared(const char* path, const SnRunShared* shared, const SnStepReport* start,
                                   const SnRunOptions* options, SnRunFile** run)
{
    return create_listed(path, shared->part, shared, start, options, run);
}

SnStatus sn_run_file_create(const char* path, SnWorld* world, const SnRunOptions* options, SnRunFile** run)
{
    SnStepReport start;
    SN_NEED(run);
    *run = NULL;
    SN_NEED(path);
    SN_HANDLE(world);
    SN_TRY(sn_world_measure(world, &start));
    return sn_run_file_create_measured(path, world, &start, options, run);
}

SnStatus sn_run_file_add_step(SnRunFile* run, const SnStepReport* report)
{
    SN_HANDLE(run);
    SN_NEED(report);
    SN_TRY(sn_run_check_writable(run));
    if (report->value_count != run->probe_count)
        return sn_fail(SN_ERROR_VALUE, "%s: the step has %d measured values but the run was started with %d", run->path,
                       report->value_count, run->probe_count);
    int64_t values = (int64_t)run->probe_count * run->pending_count;
    if (!SN_GROW(run->pending, run->pending_capacity, run->pending_count + 1, "step rows") ||
        !SN_GROW(run->pending_values, run->pending_values_capacity, values + run->probe_count, "step rows"))
        return SN_ERROR_MEMORY;
    if (run->probe_count > 0)
        memcpy(run->pending_values + values, report->values, (size_t)run->probe_count * sizeof(double));
    SnRunStep row = sn_run_step(report);
    if (!row.detail) row.detail = "";
    if (*row.detail) row.detail = sn_arena_text(&run->pending_texts, row.detail, strlen(row.detail));
    if (!row.detail) return SN_ERROR_MEMORY;
    run->pending[run->pending_count++] = row;
    return SN_OK;
}

static SnStatus check_counts(const SnRunFile* run, const SnWorld* world)
{
    if (run->pending_count < 1)
        return sn_fail(SN_ERROR_VALUE, "%s: a frame needs the report of the step that led to it", run->path);
    bool more = sn_world_body_count(world) > run->body_count;
    if ((sn_world_node_count(world) != run->node_count && !more) ||
        sn_world_obstacle_count(world) < run->obstacle_count)
        return sn_fail(SN_ERROR_VALUE,
                       "%s: the world has %d nodes and %d obstacles but the run was started with %d and %d", run->path,
                       sn_world_node_count(world), sn_world_obstacle_count(world), run->node_count,
                       run->obstacle_count);
    return SN_OK;
}

// Those that push.
static SnStatus list_contacts(SnRunFile* run, const SnWorld* world, const SnRunShared* shared, SnRunFrame* frame)
{
    int all = shared ? shared->contact_count : sn_world_contact_count(world), count = run->keeps_contacts ? all : 0;
    if (!SN_GROW(run->contacts, run->contact_capacity, count, "contacts")) return SN_ERROR_MEMORY;
    frame->contacts = run->contacts;
    for (int i = 0; i < count; i++) {
        SnContactInfo* next = &run->contacts[frame->contact_count];
        if (shared)
            *next = shared->contacts[i];
        else
            SN_TRY(sn_world_contact(world, i, next));
        frame->contact_count += next->state != SN_CONTACT_OPEN;
    }
    return SN_OK;
}

static SnStatus list_residuals(SnRunFile* run, const SnWorld* world, SnRunFrame* frame)
{
    const double* g = sn_world_residuals(world);
    int count = sn_world_node_count(world);
    if (!SN_GROW(run->residuals, run->residual_capacity, count, "residuals")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) run->residuals[i] = g ? (float)sn_length3(g + 3 * i) : 0;
    frame->residuals = run->residuals;
    return SN_OK;
}

// Bodies and obstacles that came since the last frame.
static SnStatus list_later(const SnRunFile* run, const SnWorld* world, Parts* parts, SnRunFrame* frame)
{
    frame->later_obstacles = parts->obstacles + run->obstacle_count;
    frame->later_obstacle_count = parts->obstacle_count - run->obstacle_count;
    int count = sn_world_body_count(world) - run->body_count;
    if (count <= 0) return SN_OK;
    if (!SN_NEW(parts->bodies, count, "the bodies of a run file")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) SN_TRY(sn_world_body(world, run->body_count + i, &parts->bodies[i]));
    frame->later = parts->bodies, frame->later_count = count;
    return SN_OK;
}

static SnStatus write_frame(SnRunFile* run, SnWorld* world, const SnRunShared* shared)
{
    const SnRunPieces* pieces = shared ? shared->pieces : NULL;
    Parts parts = {0};
    SnRunFrame frame;
    SnStatus status = list_obstacles(world, run->obstacle_count, pieces, &parts);
    if (status == SN_OK)
        status = frame_of(world, pieces, run->pending, run->pending_count, parts.places, &run->state,
                          &run->state_capacity, &frame);
    frame.values = run->pending_values;
    frame.events = world->events.items, frame.event_count = world->events.count;
    if (status == SN_OK) status = list_contacts(run, world, shared, &frame);
    if (status == SN_OK) status = list_later(run, world, &parts, &frame);
    if (status == SN_OK && run->keeps_residuals && !shared) status = list_residuals(run, world, &frame);
    if (status == SN_OK) status = sn_run_file_append(run, &frame);
    free_parts(&parts);
    if (status != SN_OK) return status;
    SN_TRY(sn_world_note_changes(world, true)); // those are kept
    run->pending_count = 0;
    sn_arena_free(&run->pending_texts);
    return SN_OK;
}

SnStatus sn_run_file_write_frame(SnRunFile* run, SnWorld* world)
{
    SN_HANDLE(run);
    SN_HANDLE(world);
    SN_TRY(check_counts(run, world));
    return write_frame(run, world, NULL);
}

SnStatus sn_run_file_write_shared(SnRunFile* run, const SnRunShared* shared)
{
    return write_frame(run, shared->part, shared);
}

// --- resuming ---

static bool same(const void* a, const void* b, int count, size_t size)
{
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static const char* difference(const SnBodyInfo* a, const SnBodyInfo* b)
{
    if (strcmp(a->name, b->name)) return "name";
    if (a->node_count != b->node_count) return "number of nodes";
    if (!same(a->rest, b->rest, a->node_count, 3 * sizeof(double))) return "rest shape";
    if (a->tetrahedron_count != b->tetrahedron_count || a->triangle_count != b->triangle_count ||
        a->edge_count != b->edge_count)
        return "number of elements";
    if (!same(a->tetrahedra, b->tetrahedra, a->tetrahedron_count, 4 * sizeof(int)) ||
        !same(a->triangles, b->triangles, a->triangle_count, 3 * sizeof(int)) ||
        !same(a->edges, b->edges, a->edge_count, 2 * sizeof(int)))
        return "mesh";
    return NULL;
}

static const char* obstacle_difference(const SnRunObstacle* a, const SnRunObstacle* b)
{
    if (strcmp(a->name, b->name)) return "name";
    if (strcmp(a->type, b->type)) return "type";
    for (int c = 0; c < 3; c++)
        if (a->point[c] != b->point[c] || a->normal[c] != b->normal[c]) return "plane";
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        !same(a->triangles, b->triangles, a->triangle_count, 3 * sizeof(int)))
        return "surface";
    return NULL;
}

// The surfaces as they were at the start.
static SnStatus check_start(SnRunFile* run, int index, const SnRunPlace* place, const char** what)
{
    double* vertices;
    int count = run->obstacles[index].vertex_count;
    if (!SN_NEW(vertices, 3 * count, "an obstacle")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_obstacle(run, 0, index, NULL, vertices);
    if (status == SN_OK && !same(vertices, place->vertices, count, 3 * sizeof(double))) *what = "surface";
    sn_free(vertices);
    return status;
}

static const char remedy[] = "resume with the scene that the run was started with, or start anew without --resume";

static SnStatus check_obstacles(SnRunFile* run, const Parts* parts)
{
    if (parts->obstacle_count != run->obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "%s: the run has %d obstacles but the scene %d; %s", run->path,
                       run->obstacle_count, parts->obstacle_count, remedy);
    for (int i = 0; i < run->obstacle_count; i++) {
        const char* what = obstacle_difference(&run->obstacles[i], &parts->obstacles[i]);
        if (!what) SN_TRY(check_start(run, i, &parts->places[i], &what));
        if (what)
            return sn_fail(SN_ERROR_VALUE, "%s: obstacle %d (%s) has another %s in the run than in the scene; %s",
                           run->path, i, parts->obstacles[i].name, what, remedy);
    }
    return SN_OK;
}

static SnStatus check_probes(const SnRunFile* run, const Parts* parts)
{
    if (parts->probe_count != run->probe_count)
        return sn_fail(SN_ERROR_VALUE, "%s: the run has %d measured values but the scene %d; %s", run->path,
                       run->probe_count, parts->probe_count, remedy);
    for (int i = 0; i < run->probe_count; i++) {
        const SnValueInfo *a = &run->probes[i], *b = &parts->probes[i];
        if (strcmp(a->name, b->name) || strcmp(a->what, b->what) || strcmp(a->component, b->component))
            return sn_fail(SN_ERROR_VALUE, "%s: value %d is '%s' of '%s' in the run and '%s' of '%s' in the scene; %s",
                           run->path, i, a->what, a->name, b->what, b->name, remedy);
    }
    return SN_OK;
}

// Of bodies whose arrays are in pieces.
static SnStatus compare_pieces(SnRunFile* run, const SnRunPieces* pieces, int body, const char** what)
{
    bool same_array;
    for (SnRunArray array = SN_RUN_REST; array < SN_RUN_SURFACE && !*what; array++) {
        SN_TRY(sn_run_compare_pieces(run, pieces, array, body, &same_array));
        if (!same_array) *what = array == SN_RUN_REST ? "rest shape" : "mesh";
    }
    return SN_OK;
}

static SnStatus check_bodies(SnRunFile* run, const SnRunPieces* pieces, const Parts* parts)
{
    if (parts->body_count != run->body_count)
        return sn_fail(SN_ERROR_VALUE, "%s: the run has %d bodies but the scene %d; %s", run->path, run->body_count,
                       parts->body_count, remedy);
    for (int i = 0; i < run->body_count; i++) {
        const SnBodyInfo *a = &run->bodies[i], *b = &parts->bodies[i];
        const char* what = pieces ? strcmp(a->name, b->name)         ? "name"
                                    : a->node_count != b->node_count ? "number of nodes"
                                                                     : NULL
                                  : difference(a, b);
        if (pieces && !what) SN_TRY(compare_pieces(run, pieces, i, &what));
        if (what)
            return sn_fail(SN_ERROR_VALUE, "%s: body %d (%s) has another %s in the run (%s) than in the scene; %s",
                           run->path, i, parts->bodies[i].name, what, run->bodies[i].name, remedy);
    }
    return SN_OK;
}

SnStatus sn_run_file_check_bodies(SnRunFile* run, const SnWorld* world)
{
    for (int i = 0; i < run->body_count && i < sn_world_body_count(world); i++) {
        SnBodyInfo body;
        SN_TRY(sn_world_body(world, i, &body));
        const char* what = difference(&run->bodies[i], &body);
        if (what)
            return sn_fail(SN_ERROR_VALUE,
                           "%s: body %d (%s) has another %s in the run; files its scene names were changed", run->path,
                           i, body.name, what);
    }
    return SN_OK;
}

// What was changed while the run went on is not in its scene.
static SnStatus check_unchanged(SnRunFile* run)
{
    const SnEvent* events;
    int count;
    SN_TRY(sn_run_file_read_events(run, -1, &events, &count));
    if (count == 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE,
                   "%s: the run was changed while it went on (%s after step %lld, and %d more), which its scene does "
                   "not tell; make it again with `sinew replay`, or start anew without --resume",
                   run->path, events[0].kind, (long long)events[0].step, count - 1);
}

static SnStatus check_same(SnRunFile* run, const char* scene, SnWorld* world, const SnRunShared* shared)
{
    SN_TRY(check_unchanged(run));
    if (scene && strcmp(scene, run->scene))
        return sn_fail(SN_ERROR_VALUE, "%s: the scene has changed since this run was started; %s", run->path, remedy);
    if (sn_world_time_step(world) != run->time_step)
        return sn_fail(SN_ERROR_VALUE, "%s: the run has time step %g s but the scene %g s; %s", run->path,
                       run->time_step, sn_world_time_step(world), remedy);
    Parts parts;
    SnStatus status = list_parts(world, shared, &parts);
    if (status == SN_OK) status = check_bodies(run, shared ? shared->pieces : NULL, &parts);
    if (status == SN_OK) status = check_obstacles(run, &parts);
    if (status == SN_OK) status = check_probes(run, &parts);
    free_parts(&parts);
    return status;
}

static SnStatus restore(SnRunFile* run, SnWorld* world)
{
    int64_t step;
    void* state;
    size_t size;
    SN_TRY(sn_run_file_read_checkpoint(run, INT64_MAX, &step, &state, &size));
    SnStatus status = sn_world_restore_state(world, state, size);
    sn_free(state);
    if (status != SN_OK) return sn_fail_prefix(status, "%s: cannot resume at step %lld", run->path, (long long)step);
    return sn_run_file_truncate(run, step);
}

SnStatus sn_run_file_resume(const char* path, const char* scene, SnWorld* world, SnRunFile** run)
{
    SN_NEED(run);
    *run = NULL;
    SN_NEED(path);
    SN_HANDLE(world);
    SnRunFile* opened;
    *run = NULL;
    SN_TRY(sn_run_file_open_to_append(path, &opened));
    SnStatus status = check_same(opened, scene, world, NULL);
    if (status == SN_OK) status = restore(opened, world);
    if (status == SN_OK) status = sn_world_note_changes(world, true);
    SN_FINISH(status, opened, sn_run_file_destroy, run);
}

SnStatus sn_run_file_resume_shared(const char* path, const char* scene, const SnRunShared* shared, SnRunFile** run)
{
    SnRunFile* opened;
    *run = NULL;
    SN_TRY(sn_run_open_to_append(path, true, &opened));
    SnStatus status = check_same(opened, scene, shared->part, shared);
    int64_t step;
    if (status == SN_OK) status = sn_run_last_checkpoint(opened, &step);
    if (status == SN_OK) status = sn_run_file_truncate(opened, step);
    if (status == SN_OK) status = sn_world_note_changes(shared->part, true);
    SN_FINISH(status, opened, sn_run_file_destroy, run);
}
