// Handles, attachments, slides and contact pairs that are added while a world runs, as the numbers of an event, and
// from these.
#include "world/added.h"

#include "world/event.h"
#include "world/written_parts.h"

// --- Handles ---

static const SnPlain plain[] = {
    SN_PLAIN(SnHandleDef, stiffness, 1),
    SN_PLAIN(SnHandleDef, axes, 9),
    SN_PLAIN(SnHandleDef, hinge_axis, 3),
    SN_PLAIN(SnHandleDef, hinge_point, 3),
};
enum { PLAIN = sizeof plain / sizeof *plain };

// A handle as it was defined, with the nodes that this meant.
typedef struct AddedHandle {
    const SnHandleDef* def;
    const SnHandle* handle;
    const SnBody* bodies;
} AddedHandle;

static void put_handle(SnWritten* n, const void* given)
{
    const AddedHandle* added = given;
    const SnHandleDef* def = added->def;
    int node_count = added->handle->node_count, first = added->bodies[def->body].first_node;
    int counts[] = {(int)def->how,    def->axis_count, def->hinge, node_count, def->motion.keyframe_count,
                    def->target_count};
    sn_put_ints(n, 6, counts);
    sn_put_plain(n, PLAIN, plain, def);
    sn_put_motion(n, &def->motion);
    for (int i = 0; i < node_count; i++) sn_put_one(n, added->handle->nodes[i] - first);
    sn_put(n, 4 * (int64_t)def->motion.keyframe_count, (const double*)def->motion.keyframes);
    sn_put(n, def->target_count, def->target_times);
    sn_put(n, 3 * (int64_t)node_count * def->target_count, def->targets);
}

SnStatus sn_added_handle(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    SnHandleDef def = sn_default_handle_def();
    int* nodes;
    def.body = e->target;
    int how = sn_take_int(&r);
    def.how = how == SN_HOLD_ENERGY ? SN_HOLD_ENERGY : SN_HOLD_ELIMINATE;
    def.axis_count = sn_take_int(&r), def.hinge = sn_take_int(&r) != 0, def.node_count = sn_take_int(&r);
    def.motion.keyframe_count = sn_take_int(&r), def.target_count = sn_take_int(&r);
    sn_take_plain(&r, PLAIN, plain, &def);
    sn_take_motion(&r, &def.motion);
    SN_TRY(sn_take_ints(&r, def.node_count, &nodes));
    def.nodes = nodes;
    def.motion.keyframes = (const SnKeyframe*)sn_take(&r, 4 * (int64_t)def.motion.keyframe_count);
    def.target_times = sn_take(&r, def.target_count);
    def.targets = sn_take(&r, 3 * (int64_t)def.node_count * def.target_count);
    if (def.target_count == 0) def.target_times = def.targets = NULL;
    bool fits = !r.bad && r.next == r.count && def.node_count >= 0;
    SnStatus status = fits ? sn_world_add_handle(world, &def, NULL) : sn_reading_refuse(&r);
    sn_free(nodes);
    return status;
}

// --- Attachments and slides ---

static void put_place(SnWritten* n, const SnPlaceDef* place)
{
    sn_put_chosen(n, place->nodes, place->node_count);
}

static SnStatus take_place(SnReading* r, int body, SnPlaceDef* place)
{
    int count, *nodes;
    SnStatus status = sn_take_chosen(r, &nodes, &count);
    *place = (SnPlaceDef){body, nodes, count};
    return status;
}

static void put_attachment(SnWritten* n, const void* given)
{
    const SnAttachmentDef* def = given;
    sn_put_one(n, def->to.body);
    sn_put(n, 2, (double[]){def->strength, def->close});
    put_place(n, &def->from);
    put_place(n, &def->to);
}

static void put_slide(SnWritten* n, const void* given)
{
    const SnSlideDef* def = given;
    sn_put_ints(n, 2, (int[]){def->on_body, def->on_obstacle});
    sn_put_one(n, def->distance);
    put_place(n, &(SnPlaceDef){def->body, def->nodes, def->node_count});
}

bool sn_added_fits(SnWriteDef* write, const void* def)
{
    SnWritten n = {0};
    write(&n, def);
    return n.count <= SN_MOST_WRITTEN;
}

SnStatus sn_added_note(SnWorld* world, const char* kind, int target, SnWriteDef* write, const void* def)
{
    SnWritten n = {0};
    if (!world->events.noting) return sn_world_note(world, kind, target, 0, NULL); // who is woken by it is
    write(&n, def);
    if (!SN_NEW(n.items, n.count, "changes")) return SN_ERROR_MEMORY;
    n.count = 0;
    write(&n, def);
    SnStatus status = sn_world_note(world, kind, target, (int)n.count, n.items);
    sn_free(n.items);
    return status;
}

SnStatus sn_added_note_handle(SnWorld* world, const SnHandleDef* def, const SnHandle* handle)
{
    return sn_added_note(world, "add-handle", def->body, put_handle, &(AddedHandle){def, handle, world->model.bodies});
}

SnStatus sn_added_note_attachment(SnWorld* world, const SnAttachmentDef* def)
{
    return sn_added_note(world, "attach", def->from.body, put_attachment, def);
}

SnStatus sn_added_note_slide(SnWorld* world, const SnSlideDef* def)
{
    return sn_added_note(world, "slide", def->body, put_slide, def);
}

SnStatus sn_added_attachment(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    SnAttachmentDef def = sn_default_attachment_def();
    int to = sn_take_int(&r);
    def.strength = *sn_take(&r, 1), def.close = *sn_take(&r, 1);
    SnStatus status = take_place(&r, e->target, &def.from);
    if (status == SN_OK) status = take_place(&r, to, &def.to);
    bool fits = !r.bad && r.next == r.count;
    if (status == SN_OK) status = fits ? sn_world_add_attachment(world, &def, NULL) : sn_reading_refuse(&r);
    sn_free((int*)def.from.nodes), sn_free((int*)def.to.nodes);
    return status;
}

SnStatus sn_added_slide(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    SnSlideDef def = sn_default_slide_def();
    SnPlaceDef place;
    def.on_body = sn_take_int(&r), def.on_obstacle = sn_take_int(&r), def.distance = *sn_take(&r, 1);
    SN_TRY(take_place(&r, e->target, &place));
    def.body = place.body, def.nodes = place.nodes, def.node_count = place.node_count;
    bool fits = !r.bad && r.next == r.count;
    SnStatus status = fits ? sn_world_add_slide(world, &def, NULL) : sn_reading_refuse(&r);
    sn_free((int*)place.nodes);
    return status;
}

// --- Contact pairs ---

static void put_pair(SnWritten* n, const void* given)
{
    const SnContactPairDef* def = given;
    sn_put_text(n, def->between[0]);
    sn_put_text(n, def->between[1]);
    sn_put_one(n, def->touch);
    sn_put_one(n, def->friction);
}

SnStatus sn_added_note_pair(SnWorld* world, const SnContactPairDef* def)
{
    return sn_added_note(world, "contact-pair", 0, put_pair, def);
}

SnStatus sn_added_pair(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    SnContactPairDef def = sn_default_contact_pair_def();
    char* names[2] = {NULL, NULL};
    SnStatus status = sn_take_words(&r, &names[0]);
    if (status == SN_OK) status = sn_take_words(&r, &names[1]);
    def.between[0] = names[0], def.between[1] = names[1];
    def.touch = sn_take_int(&r), def.friction = *sn_take(&r, 1);
    bool fits = !r.bad && r.next == r.count;
    if (status == SN_OK) status = fits ? sn_world_add_contact_pair(world, &def) : sn_reading_refuse(&r);
    SN_FREE(names[0], names[1]);
    return status;
}
