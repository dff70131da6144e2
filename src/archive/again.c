#include "archive/again.h"

#include <inttypes.h>
#include <math.h>

#include "archive/remake.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "core/memory.h"
#include "core/status.h"
#include "world/world.h"

static SnStatus make_file(SnAgain* again, const char* path, const SnRunOptions* options)
{
    static const char* const texts[] = {"units", "up", "overrides"};
    if (sn_is_same_file(path, sn_run_file_path(again->run)))
        return sn_fail(SN_ERROR_FILE, "%s: this is the run itself, which would be lost; choose another name", path);
    SN_TRY(sn_run_file_create(path, again->world, options, &again->made));
    for (int i = 0; i < 3; i++) {
        const char* text;
        SN_TRY(sn_run_file_meta(again->run, texts[i], &text));
        if (text) SN_TRY(sn_run_file_set_meta(again->made, texts[i], text));
    }
    return SN_OK;
}

SnStatus sn_again_start(SnAgain* again, const char* path, const SnRunOptions* options)
{
    SN_TRY(sn_run_file_read_events(again->run, -1, &again->events, &again->count));
    return path ? make_file(again, path, options) : SN_OK;
}

static SnStatus apply_next(SnAgain* again, int64_t step)
{
    SnStatus status = sn_world_apply(again->world, &again->events[again->next]);
    if (status != SN_OK) return sn_fail_prefix(status, "change %d, after step %" PRId64, again->next, step);
    again->next++;
    return SN_OK;
}

// --- by a checkpoint ---

// Everything is where it was at a step; values: room for a frame. Of the rest of the state changes need nothing: how
// long obstacles had waited is a change itself.
static SnStatus stand_at(SnAgain* again, int64_t step, double* values)
{
    SnWorld* world = again->world;
    int frame = sn_run_file_find_frame(again->run, step);
    int64_t n = 3 * (int64_t)sn_run_file_node_count(again->run);
    if (frame < 0) return sn_fail(SN_ERROR_VALUE, "there is no frame of step %" PRId64, step);
    SN_TRY(sn_run_file_read_frame(again->run, frame, values, values + n));
    sn_remake_set(world, sn_run_file_frame_time(again->run, frame), values, values + n);
    world->state.step = step, world->state.lag = 0;
    world->elastic = NAN;
    return SN_OK;
}

static SnStatus make_changes(SnAgain* again, int64_t before)
{
    int64_t step = -1;
    double* values;
    if (!SN_NEW(values, 6 * (int64_t)sn_run_file_node_count(again->run), "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    while (status == SN_OK && again->next < again->count && again->events[again->next].step < before) {
        bool later = again->events[again->next].step != step;
        step = again->events[again->next].step;
        if (later) status = stand_at(again, step, values);
        if (status == SN_OK) status = apply_next(again, step);
    }
    sn_free(values);
    return status;
}

static SnStatus restore(SnAgain* again, int64_t step)
{
    void* state;
    size_t size;
    SN_TRY(sn_run_file_read_checkpoint(again->run, step, &step, &state, &size));
    sn_world_discard_problem(again->world); // it is made of the state that is restored, as where a run is resumed
    SnStatus status = sn_world_restore_state(again->world, state, size);
    sn_free(state);
    return status;
}

SnStatus sn_again_jump(SnAgain* again, int64_t step, int64_t* at)
{
    SN_TRY(sn_run_file_find_checkpoint(again->run, step, at));
    bool changed = again->count > 0 && again->events[0].step < *at;
    if (*at <= 0 || (changed && !sn_run_file_keeps_checkpoints(again->run))) return *at = 0, SN_OK;
    SN_TRY(make_changes(again, *at));
    return restore(again, *at);
}

// --- step by step ---

SnStatus sn_again_step(SnAgain* again, SnStepReport* now)
{
    while (again->next < again->count && again->events[again->next].step <= now->step)
        SN_TRY(apply_next(again, now->step));
    SN_TRY(sn_world_step(again->world, now));
    return again->made ? sn_run_file_add_step(again->made, now) : SN_OK;
}
