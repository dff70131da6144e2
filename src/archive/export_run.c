// A whole run: its bodies and obstacles, its convention, and frame after frame.
#include <math.h>

#include "archive/contact_pressure.h"
#include "archive/exporter.h"
#include "archive/remake.h"
#include "archive/run_file.h"
#include "core/memory.h"
#include "core/plain.h"

// What an export of a run needs besides its definition.
typedef struct Source {
    SnRunFile* run;
    int first, last;
    double *values, *times;
    SnPlacedObstacles* obstacles;
    SnScene* scene; // of exporters of fields
    SnWorld* world; // the same; NULL: it cannot be made any more
} Source;

// m: as far as bodies reach in the first and last frame; how large planes are drawn.
static SnStatus measure(const Source* source, double* extent)
{
    int count = 3 * sn_run_file_node_count(source->run);
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int end = 0; end < 2; end++) {
        SN_TRY(sn_run_file_read_frame(source->run, end ? source->last : source->first, source->values, NULL));
        for (int i = 0; i < count; i++) {
            if (!isfinite(source->values[i])) continue;
            lo[i % 3] = fmin(lo[i % 3], source->values[i]), hi[i % 3] = fmax(hi[i % 3], source->values[i]);
        }
    }
    double size = 0;
    for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
    *extent = size > 0 && isfinite(size) ? 2 * size : 1;
    return SN_OK;
}

static SnStatus read_convention(SnRunFile* run, const SnExportChoice* choice, SnConvention* from, SnConvention* to)
{
    const char* text;
    SN_TRY(sn_run_file_meta(run, "up", &text)); // frames are in metres; of the axis the scene tells
    *from = (SnConvention){.metres = 1, .z_up = text && text[0] == 'z'};
    SN_TRY(sn_run_file_meta(run, "units", &text));
    *to = *from;
    SN_TRY(sn_convention_read(text, NULL, to));
    return sn_convention_read(choice->units, choice->up, to);
}

static SnStatus find_pressures(const Source* source, int number, SnExportFrame* frame)
{
    const SnContactInfo* contacts;
    int count, nodes = sn_run_file_node_count(source->run);
    if (sn_run_file_need_contacts(source->run) != SN_OK) return SN_OK;
    SN_TRY(sn_run_file_read_contacts(source->run, number, &contacts, &count));
    double* pressures = source->values + 6 * (size_t)nodes;
    sn_contact_pressures(sn_run_file_bodies(source->run), sn_run_file_body_count(source->run), nodes, frame->positions,
                         contacts, count, pressures + nodes, pressures);
    frame->pressures = pressures;
    return SN_OK;
}

static SnStatus export_frames(SnExport* job, const SnExporter* exporter, Source* source)
{
    double *positions = source->values, *velocities = positions + 3 * (size_t)sn_run_file_node_count(source->run);
    for (int i = source->first; i <= source->last; i++) {
        double time = sn_run_file_frame_time(source->run, i);
        SnExportFrame frame = {.number = i, .time = time, .positions = positions, .velocities = velocities};
        if (exporter->contacts)
            SN_TRY(sn_run_file_read_contacts(source->run, i, &frame.contacts, &frame.contact_count));
        else
            SN_TRY(sn_run_file_read_frame(source->run, i, positions, velocities));
        if (source->world) SN_TRY(sn_remake_go(source->run, source->scene, &source->world, i, positions, velocities));
        if (exporter->fields) SN_TRY(find_pressures(source, i, &frame));
        if (source->obstacles) SN_TRY(sn_placed_obstacles_read(source->obstacles, i));
        SN_TRY(sn_export_frame(job, &frame));
    }
    return sn_export_end(job);
}

// A run whose scene cannot be read any more, as files that it names are gone, is exported without fields.
static SnStatus make_world(Source* source)
{
    SnStatus status = sn_remake_scene(source->run, &source->scene);
    if (status == SN_OK) status = sn_remake_world(source->run, source->scene, &source->world);
    return status == SN_ERROR_MEMORY ? status : SN_OK;
}

static SnStatus export_with(const SnExporter* exporter, Source* source, const SnExportChoice* choice, SnExportDef* def)
{
    bool obstacles = choice->obstacles || (exporter->scene && !choice->bodies_only);
    int count = source->last - source->first + 1;
    double extent;
    if (!SN_NEW(source->values, 8 * (size_t)sn_run_file_node_count(source->run), "a frame") ||
        !SN_NEW(source->times, count, "times"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) source->times[i] = sn_run_file_frame_time(source->run, source->first + i);
    if (obstacles) {
        SN_TRY(measure(source, &extent));
        SN_TRY(sn_placed_obstacles_create(source->run, extent, &source->obstacles));
    }
    SN_TRY(read_convention(source->run, choice, &def->from, &def->to));
    def->bodies = sn_run_file_bodies(source->run), def->body_count = sn_run_file_body_count(source->run);
    def->frame_count = count, def->times = source->times;
    if (exporter->fields) SN_TRY(make_world(source));
    def->obstacles = source->obstacles, def->world = source->world;
    def->camera = choice->camera, def->quantise = choice->quantise;
    def->velocities = choice->velocities;
    SnExport* job;
    SN_TRY(sn_export_begin(exporter, def, &job));
    SnStatus status = export_frames(job, exporter, source);
    sn_export_destroy(job);
    return status;
}

SnStatus sn_export_run(const SnExporter* exporter, SnRunFile* run, const char* folder, const char* name, int first,
                       int last, const SnExportChoice* choice)
{
    if (first < 0 || last < first || last >= sn_run_file_frame_count(run))
        return sn_fail(SN_ERROR_VALUE, "%s: no frames %d:%d; the run has frames 0:%d", sn_run_file_path(run), first,
                       last, sn_run_file_frame_count(run) - 1);
    SnPlain plain;
    SN_TRY(sn_plain_begin(&plain));
    Source source = {.run = run, .first = first, .last = last};
    SnExportDef def = {.folder = folder, .name = name};
    SnStatus status = export_with(exporter, &source, choice ? choice : &(SnExportChoice){0}, &def);
    SN_FREE(source.values, source.times);
    sn_placed_obstacles_destroy(source.obstacles);
    sn_world_destroy(source.world);
    sn_scene_destroy(source.scene);
    sn_plain_end(&plain);
    return status;
}
