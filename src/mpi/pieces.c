// Frames in pieces: FOLDER/NAME.STEP.pPROCESS.vtu of each process, NAME.STEP.pvtu and NAME.pvd of the first.
#include "mpi/pieces.h"

#include <stdio.h>
#include <string.h>

#include "cli/run.h"
#include "scene/scene.h"

static SnStatus check_formats(const SnSceneOutput* output)
{
    for (int i = 0; i < output->write_count; i++)
        if (strcmp(output->write[i], "vtu") != 0)
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "`write: [%s]` of `output` is not done by several processes, which write vtu alone; `sinew "
                           "export RUN --to %s` does it afterwards",
                           output->write[i], output->write[i]);
    return SN_OK;
}

static SnStatus list_bodies(SnWorld* part, SnPieces* p)
{
    int count = sn_world_body_count(part);
    if (!SN_NEW(p->bodies, count, "pieces")) return SN_ERROR_MEMORY;
    for (int b = 0; b < count; b++) SN_TRY(sn_world_body(part, b, &p->bodies[b]));
    return SN_OK;
}

static SnStatus begin(const SnSimulation* simulation, const SnShared* shared, SnPieces* p)
{
    SN_TRY(list_bodies(shared->part, p));
    if (!(p->folder = sn_path_with_ending(simulation->path, ""))) return SN_ERROR_MEMORY;
    SnExportDef def = {.folder = p->folder,
                       .name = sn_path_name(p->folder),
                       .bodies = p->bodies,
                       .body_count = sn_world_body_count(shared->part),
                       .world = shared->part,
                       .piece = shared->rank,
                       .piece_count = shared->size};
    return sn_export_begin(sn_exporter_find("vtu"), &def, &p->job);
}

SnStatus sn_pieces_begin(const SnSimulation* simulation, const SnShared* shared, SnPieces* p)
{
    const SnSceneOutput* output = sn_scene_output(simulation->scene);
    if (output->write_count == 0) return SN_OK;
    SN_TRY(check_formats(output)); // the same in all
    return sn_mpi_agree(shared->comm, begin(simulation, shared, p));
}

SnStatus sn_pieces_write(const SnShared* shared, SnPieces* p)
{
    const SnState* state = &shared->part->state;
    if (!p->job) return SN_OK;
    SnExportFrame frame = {
        .number = (int)state->step, .time = state->time, .positions = state->x, .velocities = state->v};
    return sn_mpi_agree(shared->comm, sn_export_frame(p->job, &frame));
}

SnStatus sn_pieces_end(SnPieces* p)
{
    return p->job ? sn_export_end(p->job) : SN_OK;
}

void sn_pieces_free(SnPieces* p)
{
    sn_export_destroy(p->job);
    SN_FREE(p->bodies, p->folder);
    *p = (SnPieces){0};
}
