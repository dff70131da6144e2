// The run of a world: its bodies, states and reports as the run file wants them.
#include "archive/run_database.h"

#include <stdio.h>
#include <string.h>

SnRunOptions sn_default_run_options(void)
{
    // Rounding noise does not compress: zlib takes 10 % off positions and velocities and four times as long.
    return (SnRunOptions){.compression = SN_COMPRESSION_NONE};
}

SnRunStep sn_run_step(const SnStepReport* report)
{
    SnRunStep row = {.step = report->step, .time = report->time, .iterations = report->iterations};
    snprintf(row.outcome, sizeof row.outcome, "%s", sn_outcome_name(report->outcome));
    row.gradient = report->gradient;
    row.energy = report->energy;
    memcpy(row.momentum, report->momentum, sizeof row.momentum);
    memcpy(row.angular_momentum, report->angular_momentum, sizeof row.angular_momentum);
    memcpy(row.impulse, report->impulse, sizeof row.impulse);
    memcpy(row.angular_impulse, report->angular_impulse, sizeof row.angular_impulse);
    row.contacts = report->contacts;
    row.ms_local = report->ms.evaluate + report->ms.assemble;
    row.ms_global = report->ms.factor + report->ms.solve;
    row.ms_contact = report->ms.contact;
    row.ms_total = report->ms.total;
    return row;
}

static SnStatus bodies_of(const SnWorld* world, SnRunBody** bodies, int* count)
{
    *count = sn_world_body_count(world);
    if (!SN_NEW(*bodies, *count, "the bodies of a run file")) return SN_ERROR_MEMORY;
    for (int i = 0; i < *count; i++) {
        SnBodyInfo info;
        SnStatus status = sn_world_body(world, i, &info);
        if (status != SN_OK) {
            sn_free(*bodies);
            *bodies = NULL;
            return status;
        }
        (*bodies)[i] = (SnRunBody){
            info.name,           info.first_node, info.node_count, info.rest,  info.tetrahedron_count, info.tetrahedra,
            info.triangle_count, info.triangles,  info.edge_count, info.edges, info.surface_count,     info.surface,
        };
    }
    return SN_OK;
}

// The world's state as a frame; *state is memory for the losses and the checkpoint, reused from call to call.
static SnStatus frame_of(SnWorld* world, const SnRunStep* steps, int step_count, void** state, int* capacity,
                         SnRunFrame* frame)
{
    int loss_count = sn_world_loss_count(world);
    size_t size = sn_world_state_size(world), before = (size_t)loss_count * sizeof(SnLoss);
    char* bytes = *state;
    bool grown = SN_GROW(bytes, *capacity, (int64_t)(before + size), "a checkpoint");
    *state = bytes;
    if (!grown) return SN_ERROR_MEMORY;
    SnLoss* losses = *state;
    for (int i = 0; i < loss_count; i++) SN_TRY(sn_world_loss(world, i, &losses[i]));
    SN_TRY(sn_world_save_state(world, bytes + before, size));
    *frame = (SnRunFrame){
        .step = steps[step_count - 1].step,
        .time = steps[step_count - 1].time,
        .positions = sn_world_positions(world),
        .velocities = sn_world_velocities(world),
        .steps = steps,
        .step_count = step_count,
        .losses = losses,
        .loss_count = loss_count,
        .state = bytes + before,
        .state_size = size,
    };
    return SN_OK;
}

SnStatus sn_run_file_create(const char* path, const char* scene, const char* name, SnWorld* world,
                            const SnRunOptions* options, SnRunFile** run)
{
    *run = NULL;
    SnRunOptions chosen = options ? *options : sn_default_run_options();
    SnStepReport report;
    SN_TRY(sn_world_measure(world, &report));
    SnRunStep row = sn_run_step(&report);
    SnRunBody* bodies;
    int body_count, capacity = 0;
    SN_TRY(bodies_of(world, &bodies, &body_count));
    SnRunDef def = {name, scene, sn_world_time_step(world), bodies, body_count, chosen.compression};
    SnRunFrame frame;
    void* state = NULL;
    SnStatus status = frame_of(world, &row, 1, &state, &capacity, &frame);
    if (status == SN_OK) status = sn_run_file_create_from(path, &def, &frame, run);
    sn_free(state);
    sn_free(bodies);
    return status;
}

SnStatus sn_run_file_write_frame(SnRunFile* run, SnWorld* world, const SnStepReport* reports, int report_count)
{
    if (report_count < 1)
        return sn_fail(SN_ERROR_VALUE, "%s: a frame needs the report of the step that led to it", run->path);
    if (sn_world_node_count(world) != run->node_count)
        return sn_fail(SN_ERROR_VALUE, "%s: the world has %d nodes but the run was started with %d", run->path,
                       sn_world_node_count(world), run->node_count);
    SnRunStep* rows;
    if (!SN_NEW(rows, report_count, "step rows")) return SN_ERROR_MEMORY;
    for (int i = 0; i < report_count; i++) rows[i] = sn_run_step(&reports[i]);
    SnRunFrame frame;
    SnStatus status = frame_of(world, rows, report_count, &run->state, &run->state_capacity, &frame);
    if (status == SN_OK) status = sn_run_file_append(run, &frame);
    sn_free(rows);
    return status;
}

// --- resuming ---

static bool same(const void* a, const void* b, int count, size_t size)
{
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

static const char* difference(const SnRunBody* a, const SnRunBody* b)
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

static SnStatus check_same(const SnRunFile* run, const char* scene, const SnWorld* world, const SnRunBody* bodies,
                           int body_count)
{
    const char* remedy = "resume with the scene that the run was started with, or start anew without --resume";
    if (scene && strcmp(scene, run->scene))
        return sn_fail(SN_ERROR_VALUE, "%s: the scene has changed since this run was started; %s", run->path, remedy);
    if (sn_world_time_step(world) != run->time_step)
        return sn_fail(SN_ERROR_VALUE, "%s: the run has time step %g s but the scene %g s; %s", run->path,
                       run->time_step, sn_world_time_step(world), remedy);
    if (body_count != run->body_count)
        return sn_fail(SN_ERROR_VALUE, "%s: the run has %d bodies but the scene %d; %s", run->path, run->body_count,
                       body_count, remedy);
    for (int i = 0; i < body_count; i++) {
        const char* what = difference(&run->bodies[i], &bodies[i]);
        if (what)
            return sn_fail(SN_ERROR_VALUE, "%s: body %d (%s) has another %s in the run (%s) than in the scene; %s",
                           run->path, i, bodies[i].name, what, run->bodies[i].name, remedy);
    }
    return SN_OK;
}

static SnStatus restore(SnRunFile* run, SnWorld* world)
{
    int64_t step;
    void* state;
    size_t size;
    SN_TRY(sn_run_file_read_checkpoint(run, &step, &state, &size));
    SnStatus status = sn_world_restore_state(world, state, size);
    sn_free(state);
    if (status != SN_OK) return sn_fail_prefix(status, "%s: cannot resume at step %lld", run->path, (long long)step);
    return sn_run_file_truncate(run, step);
}

SnStatus sn_run_file_resume(const char* path, const char* scene, SnWorld* world, SnRunFile** run)
{
    SN_TRY(sn_run_file_open_to_append(path, run));
    SnRunBody* bodies;
    int body_count;
    SnStatus status = bodies_of(world, &bodies, &body_count);
    if (status == SN_OK) {
        status = check_same(*run, scene, world, bodies, body_count);
        sn_free(bodies);
    }
    if (status == SN_OK) status = restore(*run, world);
    if (status != SN_OK) {
        sn_run_file_destroy(*run);
        *run = NULL;
    }
    return status;
}
