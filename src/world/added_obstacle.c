// Obstacles that are added while a world runs, as the numbers of an event, and from these: type, numbers of the shape,
// its mesh, frames or heights, motion, how it touches. What numbers cannot say is refused: a type of the caller's own.
#include "mesh/mesh.h"
#include "world/added.h"
#include "world/event.h"
#include "world/written_parts.h"

static const SnPlain shape_numbers[] = {
    SN_PLAIN(SnObstacleShape, point, 3),  SN_PLAIN(SnObstacleShape, normal, 3),     SN_PLAIN(SnObstacleShape, to, 3),
    SN_PLAIN(SnObstacleShape, radius, 1), SN_PLAIN(SnObstacleShape, tube, 1),       SN_PLAIN(SnObstacleShape, size, 3),
    SN_PLAIN(SnObstacleShape, rotate, 4), SN_PLAIN(SnObstacleShape, frame_rate, 1),
};
enum { SHAPE_NUMBERS = sizeof shape_numbers / sizeof *shape_numbers, NAME = 64 };

// --- Writing ---

static bool is_mesh(const SnObstacleShape* s)
{
    return strcmp(s->type, sn_obstacle_mesh.name) == 0;
}

// Its mesh, or the first of its frames and the nodes of the others: what other types have of these is left out.
static void put_shape(SnWritten* n, const SnObstacleShape* s)
{
    bool mesh = is_mesh(s), frames = mesh && s->frame_count > 0, heights = strcmp(s->type, "terrain") == 0;
    sn_put_text(n, s->type);
    sn_put_plain(n, SHAPE_NUMBERS, shape_numbers, s);
    sn_put_ints(n, 5,
                (int[]){s->repeat, heights ? s->columns : 0, heights ? s->rows : 0, mesh, frames ? s->frame_count : 0});
    if (heights) sn_put(n, (int64_t)s->columns * s->rows, s->heights);
    if (mesh) sn_put_mesh(n, frames ? s->frames[0] : s->mesh);
    for (int i = 1; frames && i < s->frame_count; i++)
        sn_put(n, 3 * (int64_t)s->frames[i]->node_count, s->frames[i]->nodes);
}

static void put_obstacle(SnWritten* n, const void* given)
{
    const SnObstacleDef* def = given;
    sn_put_text(n, def->name);
    put_shape(n, &def->shape);
    sn_put(n, 2, (double[]){def->friction, def->thickness});
    sn_put_ints(n, 2, (int[]){def->shelf, def->motion.keyframe_count});
    sn_put_motion(n, &def->motion);
    sn_put(n, 4 * (int64_t)def->motion.keyframe_count, (const double*)def->motion.keyframes);
    sn_put_groups(n, def->group_count, def->groups);
}

SnStatus sn_added_check_obstacle(const SnObstacleDef* def)
{
    const char* what = def->shape.custom ? "a shape of the caller's functions" : "more than a hundred million numbers";
    if (!def->shape.custom && sn_added_fits(put_obstacle, def)) return SN_OK;
    return sn_fail(SN_ERROR_VALUE,
                   "it has %s, of which a run file that is being written keeps nothing: put it on the shelf before "
                   "(SnObstacleDef.shelf), or close the file first",
                   what);
}

SnStatus sn_added_note_obstacle(SnWorld* world, const SnObstacleDef* def, int obstacle)
{
    return sn_added_note(world, "add-obstacle", obstacle, put_obstacle, def);
}

// --- Reading ---

// What a definition points to.
typedef struct Room {
    char name[256], type[NAME];
    SnMesh* mesh;
    const SnMesh** frames; // of which the first is `mesh`
    int frame_count;
    SnGroups groups;
} Room;

static void free_room(Room* room)
{
    for (int i = 1; room->frames && i < room->frame_count; i++) sn_mesh_destroy((SnMesh*)room->frames[i]);
    sn_free(room->frames);
    sn_mesh_destroy(room->mesh);
    sn_groups_free(&room->groups);
}

// The nodes of all frames but the first: as many points each, of which nothing else is asked.
static SnStatus take_frames(SnReading* r, int count, Room* room)
{
    int64_t size = 3 * (int64_t)room->mesh->node_count;
    if (count < 1 || (count > 1 && (size == 0 || (r->count - r->next) / size < count - 1))) return sn_reading_refuse(r);
    if (!SN_NEW(room->frames, count, "changes")) return SN_ERROR_MEMORY;
    room->frame_count = count, room->frames[0] = room->mesh;
    for (int i = 1; i < count; i++) {
        SnMeshDef def = sn_default_mesh_def();
        SnMesh* frame;
        def.node_count = room->mesh->node_count, def.nodes = sn_take(r, size);
        SN_TRY(sn_mesh_create(&def, &frame));
        room->frames[i] = frame;
    }
    return SN_OK;
}

static SnStatus take_shape(SnReading* r, SnObstacleShape* s, Room* room)
{
    int counts[5];
    sn_take_text(r, room->type, sizeof room->type);
    *s = sn_obstacle(room->type);
    sn_take_plain(r, SHAPE_NUMBERS, shape_numbers, s);
    for (int k = 0; k < 5; k++) counts[k] = sn_take_int(r), r->bad |= counts[k] < 0;
    s->repeat = counts[0] != 0, s->columns = counts[1], s->rows = counts[2];
    if (counts[1] > 0) s->heights = sn_take(r, (int64_t)counts[1] * counts[2]);
    if (counts[3] == 0) return SN_OK;
    SN_TRY(sn_take_mesh(r, &room->mesh));
    s->mesh = room->mesh;
    if (counts[4] == 0) return SN_OK;
    SN_TRY(take_frames(r, counts[4], room));
    s->frames = room->frames, s->frame_count = counts[4];
    return SN_OK;
}

static SnStatus take_obstacle(SnReading* r, SnObstacleDef* def, Room* room)
{
    sn_take_text(r, room->name, sizeof room->name);
    SN_TRY(take_shape(r, &def->shape, room));
    def->name = *room->name ? room->name : NULL;
    def->friction = *sn_take(r, 1), def->thickness = *sn_take(r, 1);
    def->shelf = sn_take_int(r) != 0, def->motion.keyframe_count = sn_take_int(r);
    sn_take_motion(r, &def->motion);
    def->motion.keyframes = (const SnKeyframe*)sn_take(r, 4 * (int64_t)def->motion.keyframe_count);
    SN_TRY(sn_take_groups(r, &room->groups));
    def->groups = (const char* const*)room->groups.names, def->group_count = room->groups.count;
    return r->bad || r->next != r->count ? sn_reading_refuse(r) : SN_OK;
}

SnStatus sn_added_obstacle(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    SnObstacleDef def = sn_default_obstacle_def();
    Room room = {0};
    SnStatus status = take_obstacle(&r, &def, &room);
    if (status == SN_OK) status = sn_world_add_obstacle(world, &def, NULL);
    free_room(&room);
    return status;
}
