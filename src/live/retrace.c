#include "live/retrace.h"

#include <stdio.h>
#include <string.h>

#include "archive/start.h"
#include "core/status.h"
#include "scene/scene.h"

typedef struct Retrace {
    const SnRetraceDef* def;
    SnRunFile *old, *run;
    SnWorld* world;
    const SnEvent* events;
    int count, next;
} Retrace;

static SnStatus begin(Retrace* r)
{
    const SnRetraceDef* def = r->def;
    SnRunOptions options = sn_default_run_options();
    char at[32];
    SN_TRY(sn_run_file_open(def->from, &r->old));
    SN_TRY(sn_run_file_read_events(r->old, -1, &r->events, &r->count));
    SN_TRY(sn_start_world(def->scene, &r->world));
    options.name = sn_scene_name(def->scene), options.scene = sn_scene_text(def->scene);
    SN_TRY(sn_run_file_create(def->to, r->world, &options, &r->run));
    static const char* const texts[] = {"units", "up", "overrides"};
    for (int i = 0; i < 3; i++) {
        const char* text;
        SN_TRY(sn_run_file_meta(r->old, texts[i], &text));
        if (text) SN_TRY(sn_run_file_set_meta(r->run, texts[i], text));
    }
    const char* name = strrchr(def->from, '/');
    snprintf(at, sizeof at, "%lld", (long long)def->step);
    SN_TRY(sn_run_file_set_meta(r->run, "branch_of", name ? name + 1 : def->from));
    return sn_run_file_set_meta(r->run, "branch_step", at);
}

static SnStatus apply_until(Retrace* r, int64_t step)
{
    for (; r->next < r->count && r->events[r->next].step <= step; r->next++)
        SN_TRY(sn_world_apply(r->world, &r->events[r->next]));
    return SN_OK;
}

static SnStatus go(Retrace* r)
{
    SnStepReport now;
    SN_TRY(sn_world_measure(r->world, &now));
    while (now.step < r->def->step) {
        if (r->def->stop && r->def->stop(r->def->user)) return sn_fail(SN_ERROR_VALUE, "given up");
        SN_TRY(apply_until(r, now.step));
        SN_TRY(sn_world_step(r->world, &now));
        SN_TRY(sn_run_file_add_step(r->run, &now));
        SN_TRY(sn_run_file_write_frame(r->run, r->world));
    }
    return SN_OK;
}

SnStatus sn_retrace(const SnRetraceDef* def, SnWorld** world, SnRunFile** run)
{
    Retrace r = {.def = def};
    SnStatus status = begin(&r);
    if (status == SN_OK) status = go(&r);
    sn_run_file_destroy(r.old);
    *world = r.world, *run = r.run;
    if (status == SN_OK) return SN_OK;
    sn_run_file_destroy(r.run);
    sn_world_destroy(r.world);
    *world = NULL, *run = NULL;
    return status;
}
