#include "live/rival.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"

SnStatus sn_rival_start(const SnRetraceDef* def, const char* solver, SnRival* rival)
{
    *rival = (SnRival){0};
    SnRetraced retraced;
    SN_TRY(sn_retrace(def, &retraced));
    rival->world = retraced.world, rival->run = retraced.run;
    SnStatus status = sn_world_set_solver(rival->world, solver);
    if (status == SN_OK) status = sn_run_file_set_meta(rival->run, "branch_name", solver);
    if (status != SN_OK) sn_rival_stop(rival);
    return status;
}

void sn_rival_stop(SnRival* rival)
{
    sn_run_file_destroy(rival->run);
    sn_world_destroy(rival->world);
    rival->run = NULL, rival->world = NULL;
}

static SnStatus follow(SnRival* rival, const SnWorld* leader)
{
    SnStepReport report;
    for (int i = 0; i < sn_world_event_count(leader); i++) {
        SnEvent event;
        SN_TRY(sn_world_event(leader, i, &event));
        bool own = strcmp(event.kind, "solver") == 0 || strcmp(event.kind, "lag") == 0;
        if (!own) SN_TRY(sn_world_apply(rival->world, &event));
    }
    SN_TRY(sn_world_step(rival->world, &report));
    SN_TRY(sn_run_file_add_step(rival->run, &report));
    return sn_run_file_write_frame(rival->run, rival->world);
}

SnStatus sn_rival_follow(SnRival* rival, const SnWorld* leader)
{
    if (!rival->world || follow(rival, leader) == SN_OK) return SN_OK;
    snprintf(rival->why, sizeof rival->why, "%s", sn_last_error());
    sn_rival_stop(rival);
    return SN_OK;
}
