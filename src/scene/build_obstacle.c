// An obstacle: its type's numbers, heights, mesh or frames, and how it moves.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/pi.h"
#include "obstacle/obstacle.h"
#include "scene/build.h"

void sn_free_obstacle(SnSceneObstacle* o)
{
    SN_FREE(o->heights, o->keyframes);
    sn_mesh_destroy(o->mesh);
    for (int i = 0; i < o->def.shape.frame_count && o->frames; i++) sn_mesh_destroy(o->frames[i]);
    sn_free(o->frames);
}

static bool read_row(SnScene* scene, const SnSceneObstacle* o, const SnNode* row, int columns, double* heights)
{
    char what[128];
    snprintf(what, sizeof what, "a row of 'heights' in %s", o->context);
    return sn_read_numbers(&scene->problems, row, what, NULL, columns, heights);
}

static SnStatus read_heights(SnScene* scene, SnSceneObstacle* o, const SnObstaclePart* part)
{
    const SnNode* node = sn_node_find(part->node, "heights");
    char what[128];
    SnObstacleShape* shape = &o->def.shape;
    const char* file = shape->height_map;
    snprintf(what, sizeof what, "'heights' in %s", o->context);
    if (file) {
        shape->height_map = sn_arena_print(&scene->arena, "%s%s", file[0] == '/' ? "" : scene->folder, file);
        if (!shape->height_map) return SN_ERROR_MEMORY;
        if (sn_node_is_null(node)) return SN_OK;
    }
    if (sn_node_is_null(node)) {
        sn_problem_error(&scene->problems, part->node->place,
                         "%s are missing, as in [[0, 0.1], [0, 0.2]], or a grey picture, as in file: hills.png", what);
        return SN_OK;
    }
    if (!sn_check_list(&scene->problems, node, what)) return SN_OK;
    int rows = node->count, columns = node->first && node->first->kind == SN_NODE_LIST ? node->first->count : 0;
    if (rows < 2 || columns < 2) {
        sn_problem_error(&scene->problems, node->place, "%s must be at least two rows of at least two numbers", what);
        return SN_OK;
    }
    if (!SN_NEW(o->heights, (int64_t)rows * columns, "heights")) return SN_ERROR_MEMORY;
    double* next = o->heights;
    for (const SnNode* row = node->first; row; row = row->next, next += columns)
        if (!read_row(scene, o, row, columns, next)) return SN_OK;
    shape->heights = o->heights, shape->rows = rows, shape->columns = columns;
    return SN_OK;
}

static SnStatus load_frame(SnScene* scene, const SnSceneObstacle* o, const SnPlacePart* place, const SnNode* node,
                           const char* path, SnMesh** mesh)
{
    SnNode file = {.kind = SN_NODE_SCALAR, .plain = true, .place = node->place, .text = path, .key = "file"};
    SnNode map = {.kind = SN_NODE_MAP, .place = node->place, .text = "", .count = 1, .first = &file, .last = &file};
    file.key_place = node->place;
    return sn_build_surface(scene, o->context, &map, place, NULL, mesh);
}

// walk%03d.obj names files only when it has one such field; printf shall see no other.
static bool is_pattern(const char* text)
{
    const char* percent = strchr(text, '%');
    if (!percent || strchr(percent + 1, '%')) return false;
    percent++;
    size_t digits = strspn(percent, "0123456789");
    return digits <= 2 && percent[digits] == 'd';
}

static void print_frame(const char* pattern, int number, char* path, size_t size)
{
    const char *percent = strchr(pattern, '%'), *d = strchr(percent, 'd');
    int width = 0;
    if (d > percent + 1) sscanf(percent + 1, "%d", &width);
    snprintf(path, size, "%.*s%0*d%s", (int)(percent - pattern), pattern, width, number, d + 1);
}

static bool exists(const SnScene* scene, const char* path)
{
    char full[4096];
    snprintf(full, sizeof full, "%s%s", path[0] == '/' ? "" : scene->folder, path);
    return access(full, F_OK) == 0;
}

static SnStatus keep_frame(SnSceneObstacle* o, int* capacity, SnMesh* mesh)
{
    int* count = &o->def.shape.frame_count;
    if (!SN_GROW(o->frames, *capacity, *count + 1, "frames")) {
        sn_mesh_destroy(mesh);
        return SN_ERROR_MEMORY;
    }
    o->frames[(*count)++] = mesh;
    o->def.shape.frames = (const SnMesh* const*)o->frames;
    return SN_OK;
}

static SnStatus read_frames(SnScene* scene, SnSceneObstacle* o, const SnObstaclePart* part)
{
    enum { MOST = 100000 };
    const SnNode* node = sn_node_find(part->node, "frames");
    int capacity = 0;
    SnMesh* mesh = NULL;
    char path[4096];
    for (const SnNode* item = node->kind == SN_NODE_LIST ? node->first : NULL; item; item = item->next) {
        SN_TRY(item->kind == SN_NODE_MAP ? sn_build_surface(scene, o->context, item, &part->place, NULL, &mesh)
                                         : load_frame(scene, o, &part->place, item, item->text, &mesh));
        if (!mesh) return SN_OK;
        SN_TRY(keep_frame(o, &capacity, mesh));
    }
    bool pattern = node->kind == SN_NODE_SCALAR && is_pattern(node->text);
    for (int i = 0; pattern && i < MOST; i++) {
        print_frame(node->text, i, path, sizeof path);
        if (!exists(scene, path) && i > 0) break;
        if (!exists(scene, path)) continue;
        SN_TRY(load_frame(scene, o, &part->place, node, path, &mesh));
        if (!mesh) return SN_OK;
        SN_TRY(keep_frame(o, &capacity, mesh));
    }
    if (o->def.shape.frame_count == 0)
        sn_problem_error(&scene->problems, node->place,
                         "'frames' in %s must be a list of files or generated shapes, or a pattern such as "
                         "walk%%03d.obj of which there are "
                         "some",
                         o->context);
    return SN_OK;
}

static SnStatus read_mesh(SnScene* scene, SnSceneObstacle* o, const SnObstaclePart* part)
{
    const SnNode* node = sn_node_find(part->node, "mesh");
    if (!sn_node_is_null(sn_node_find(part->node, "frames"))) return read_frames(scene, o, part);
    if (sn_node_is_null(node)) {
        sn_problem_error(&scene->problems, part->node->place, "%s needs a 'mesh', as in {file: stairs.obj}",
                         o->context);
        return SN_OK;
    }
    SN_TRY(sn_build_surface(scene, o->context, node, &part->place, o->frame, &o->mesh));
    o->def.shape.mesh = o->mesh;
    return SN_OK;
}

// Where it turns about, when its motion does not say.
static void middle_of(const SnSceneObstacle* o, double middle[3])
{
    const SnObstacleShape* s = &o->def.shape;
    const SnMesh* mesh = s->frame_count > 0 ? s->frames[0] : s->mesh;
    bool axis = strcmp(s->type, "capsule") == 0 || strcmp(s->type, "cylinder") == 0;
    SnMeshMeasure measure;
    if (mesh) sn_mesh_measure(mesh, &measure);
    for (int c = 0; c < 3; c++)
        middle[c] = mesh ? 0.5 * (measure.lo[c] + measure.hi[c]) : axis ? 0.5 * (s->point[c] + s->to[c]) : s->point[c];
}

// What the numbers themselves have wrong is said by the type.
static SnStatus try_out(SnScene* scene, const SnSceneObstacle* o, const SnObstaclePart* part)
{
    SnObstacle made;
    SnStatus status = sn_obstacle_create(&made, &o->def.shape);
    if (status == SN_ERROR_MEMORY) return status;
    if (status != SN_OK)
        sn_problem_error(&scene->problems, part->node->place, "%s: %s", o->context, sn_last_error());
    else if (sn_obstacle_open_edges(&made) > 0)
        sn_problem_warning(&scene->problems, part->node->place,
                           "%s: the mesh is not closed (%d edges do not join two triangles that agree which side is "
                           "out); near these, inside and outside may be mistaken",
                           o->context, sn_obstacle_open_edges(&made));
    if (status == SN_OK) sn_obstacle_destroy(&made);
    return SN_OK;
}

SnStatus sn_build_obstacle(SnScene* scene, int index)
{
    SnSceneObstacle* o = &scene->obstacles[index];
    const SnObstaclePart* part = (const SnObstaclePart*)scene->part.obstacles.items + index;
    double middle[3];
    o->def = part->def;
    o->name = o->def.name ? o->def.name : sn_arena_print(&scene->arena, "obstacle %d", index);
    o->context = o->def.name ? sn_arena_print(&scene->arena, "obstacle '%s'", o->def.name)
                             : sn_arena_print(&scene->arena, "obstacle %d", index);
    if (!o->context) return SN_ERROR_MEMORY;
    SN_TRY(sn_build_obstacle_groups(scene, o, part->groups));
    const SnObstacleType* type = part->node && o->def.shape.type ? sn_obstacle_find(o->def.shape.type) : NULL;
    if (!type) return SN_OK; // reported
    sn_check_strangers(&scene->problems, &sn_obstacle_table, part->node, o->context, type, NULL);
    o->def.shape.rotate[3] *= SN_PI / 180;
    if (scene->convention.z_up && strcmp(type->name, "plane") == 0 && !sn_node_find(part->node, "normal"))
        o->def.shape.normal[1] = 0, o->def.shape.normal[2] = 1;
    if (strcmp(type->name, "terrain") == 0) SN_TRY(read_heights(scene, o, part));
    if (strcmp(type->name, "mesh") == 0) SN_TRY(read_mesh(scene, o, part));
    SN_TRY(sn_build_obstacle_cache(scene, o, &part->motion));
    middle_of(o, middle);
    SN_TRY(sn_build_motion(scene, o->context, &part->motion, middle, &o->def.motion, &o->keyframes));
    // A number that could not be read is 0, and would be said to be wrong a second time.
    return scene->problems.errors > 0 ? SN_OK : try_out(scene, o, part);
}
