#include "archive/again.h"

#include <inttypes.h>

#include "archive/start.h"
#include "core/status.h"

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

SnStatus sn_again_step(SnAgain* again, SnStepReport* now)
{
    for (; again->next < again->count && again->events[again->next].step <= now->step; again->next++) {
        SnStatus status = sn_world_apply(again->world, &again->events[again->next]);
        if (status != SN_OK) return sn_fail_prefix(status, "change %d, after step %" PRId64, again->next, now->step);
    }
    SN_TRY(sn_world_step(again->world, now));
    return again->made ? sn_run_file_add_step(again->made, now) : SN_OK;
}
