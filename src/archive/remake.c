#include "archive/remake.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/run_file.h"
#include "scene/build.h"
#include "scene/override_list.h"
#include "scene/scene.h"
#include "world/added.h"
#include "world/world.h"

// Where a file is: "" or ending in a slash.
static int folder_length(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

// The way from one folder to another, both whole: "../../b/".
static void find_way(const char* from, const char* to, char* way, size_t size)
{
    size_t same = 0;
    *way = '\0';
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') same = i + 1;
    for (const char* up = from + same; (up = strchr(up, '/')); up++) sn_append(way, size, "../");
    sn_append(way, size, "%s", to + same);
}

SnStatus sn_remake_note_folder(SnRunFile* run, const SnScene* scene)
{
    const char* path = sn_run_file_path(run);
    char folder[PATH_MAX], from[PATH_MAX + 1], to[PATH_MAX + 1], way[4 * PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s./", folder_length(path), path);
    if (!realpath(folder, from) || !realpath(*scene->folder ? scene->folder : "./", to)) return SN_OK;
    sn_append(from, sizeof from, "%s", from[1] ? "/" : ""), sn_append(to, sizeof to, "%s", to[1] ? "/" : "");
    find_way(from, to, way, sizeof way);
    return *way ? sn_run_file_set_meta(run, "folder", way) : SN_OK;
}

SnStatus sn_remake_scene(SnRunFile* run, SnScene** scene)
{
    SnOverrides list = {0};
    const char *note, *text = sn_run_file_scene(run), *path = sn_run_file_path(run);
    int folder = folder_length(path);
    char name[2 * PATH_MAX];
    *scene = NULL;
    SN_TRY(sn_run_file_meta(run, "folder", &note)); // a note is gone when the next one is asked for
    snprintf(name, sizeof name, "%.*s%s%s", folder, path, note ? note : "", path + folder);
    SN_TRY(sn_run_file_meta(run, "overrides", &note));
    bool good = !note || sn_overrides_add_lines(&list, note);
    SnStatus status = good ? sn_scene_parse(text, strlen(text), name, list.items, list.count, scene) : SN_ERROR_MEMORY;
    sn_overrides_free(&list);
    return status;
}

// Those that came while it went on.
static SnStatus bring_bodies(SnRunFile* run, SnWorld* world)
{
    const SnEvent* events;
    int count;
    SN_TRY(sn_run_file_read_events(run, -1, &events, &count));
    for (int i = 0; i < count; i++)
        if (strcmp(events[i].kind, "add-body") == 0 && sn_world_body_count(world) < sn_run_file_body_count(run))
            SN_TRY(sn_added_body(world, &events[i])); // wherever it is: it is put in its place later
    return SN_OK;
}

SnStatus sn_remake_world(SnRunFile* run, SnScene* scene, SnWorld** world)
{
    *world = NULL;
    SN_TRY(sn_scene_create_unstarted(scene, world));
    SnStatus status = bring_bodies(run, *world);
    if (status != SN_OK) {
        sn_world_destroy(*world);
        *world = NULL;
        return status;
    }
    int now = sn_world_node_count(*world), then = sn_run_file_node_count(run);
    if (now == then) return SN_OK;
    sn_world_destroy(*world);
    *world = NULL;
    return sn_fail(SN_ERROR_VALUE, "%s: its scene has %d nodes now, the run has %d; files it names were changed",
                   sn_run_file_path(run), now, then);
}

// What fields depend on.
static bool is_of_fields(const SnEvent* event)
{
    static const char* const kinds[] = {"stiffness", "material", "add-actuator", "actuator"};
    bool any = false;
    for (int i = 0; i < 4; i++) any |= strcmp(event->kind, kinds[i]) == 0;
    return any;
}

// Those after steps from that of the world on, before the given one. What was made is noted.
static SnStatus make_changes(SnRunFile* run, SnWorld* world, int64_t step)
{
    const SnEvent* events;
    int count;
    SN_TRY(sn_run_file_read_events(run, world->state.step - 1, &events, &count));
    world->events.noting = true;
    for (int i = 0; i < count && events[i].step < step; i++) {
        int frame = sn_run_file_find_frame(run, events[i].step);
        if (!is_of_fields(&events[i])) continue;
        if (frame >= 0) world->state.time = sn_run_file_frame_time(run, frame); // ramps count from there
        SN_TRY(sn_world_apply(world, &events[i]));
    }
    return SN_OK;
}

SnStatus sn_remake_go(SnRunFile* run, SnScene* scene, SnWorld** world, int frame, const double* positions,
                      const double* velocities)
{
    int64_t step = sn_run_file_frame_step(run, frame);
    if (step < (*world)->state.step && (*world)->events.count > 0) { // back to what was before
        sn_world_destroy(*world);
        SN_TRY(sn_remake_world(run, scene, world));
    }
    if (step > (*world)->state.step) SN_TRY(make_changes(run, *world, step));
    (*world)->state.step = step;
    sn_remake_set(*world, sn_run_file_frame_time(run, frame), positions, velocities);
    return SN_OK;
}

void sn_remake_set(SnWorld* world, double time, const double* positions, const double* velocities)
{
    size_t bytes = 3 * (size_t)world->model.node_count * sizeof *positions;
    memcpy(world->state.x, positions, bytes);
    memcpy(world->state.v, velocities, bytes);
    world->state.time = time; // actuators go by it
    world->elastic = NAN;
}
