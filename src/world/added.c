// Handles, attachments and slides that are added while a world runs, as the numbers of an event, and from these.
#include "world/added.h"

#include <math.h>
#include <string.h>

#include "world/event.h"

// --- Numbers that are written one after the other, and read again ---

typedef struct Numbers {
    double* items; // NULL: they are only counted
    int count;
} Numbers;

static void put(Numbers* n, int count, const double* values)
{
    if (n->items && count > 0) memcpy(n->items + n->count, values, (size_t)count * sizeof *values);
    n->count += count;
}

static void put_one(Numbers* n, double value)
{
    put(n, 1, &value);
}

static void put_ints(Numbers* n, int count, const int* values)
{
    for (int i = 0; i < count; i++) put_one(n, values[i]);
}

typedef struct Reader {
    const double* items;
    int count, next;
    bool bad; // there were too few, or one that cannot be
} Reader;

static const double* take(Reader* r, int64_t count)
{
    static const double none[16];
    if (r->bad || count < 0 || count > r->count - r->next) {
        r->bad = true;
        return none;
    }
    r->next += (int)count;
    return r->items + r->next - count;
}

static int take_int(Reader* r)
{
    double value = *take(r, 1);
    bool whole = fabs(value) < 1e9 && value == (int)value;
    r->bad |= !whole;
    return whole ? (int)value : 0;
}

// A list of nodes, freed by the caller; NULL also where there are none.
static SnStatus take_nodes(Reader* r, int count, int** nodes)
{
    const double* values = take(r, count);
    *nodes = NULL;
    if (r->bad) return SN_OK;
    if (!SN_NEW(*nodes, count, "changes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) (*nodes)[i] = fabs(values[i]) < 1e9 ? (int)values[i] : -1;
    return SN_OK;
}

static SnStatus refuse(const Reader* r, const char* what)
{
    return sn_fail(SN_ERROR_VALUE, "a change '%s' has %d numbers, which do not fit each other", what, r->count);
}

// --- Handles ---

// Members of SnHandleDef that are numbers, with how many there are.
static const struct {
    size_t offset;
    int count;
} plain[] = {
    {offsetof(SnHandleDef, stiffness), 1},
    {offsetof(SnHandleDef, axes), 9},
    {offsetof(SnHandleDef, hinge_axis), 3},
    {offsetof(SnHandleDef, hinge_point), 3},
    {offsetof(SnHandleDef, motion.velocity), 3},
    {offsetof(SnHandleDef, motion.turn), 2},
    {offsetof(SnHandleDef, motion.rotate_axis), 3},
    {offsetof(SnHandleDef, motion.rotate_centre), 3},
    {offsetof(SnHandleDef, motion.rotate_rate), 1},
    {offsetof(SnHandleDef, motion.oscillate_amplitude), 3},
    {offsetof(SnHandleDef, motion.oscillate_frequency), 1},
    {offsetof(SnHandleDef, motion.until), 1},
    {offsetof(SnHandleDef, motion.release), 1},
};
enum { PLAIN = sizeof plain / sizeof *plain };
_Static_assert(sizeof(SnKeyframe) == 4 * sizeof(double), "a keyframe is four numbers");

// A handle as it was defined, with the nodes that this meant.
typedef struct AddedHandle {
    const SnHandleDef* def;
    const SnHandle* handle;
    const SnBody* bodies;
} AddedHandle;

static void put_handle(Numbers* n, const void* given)
{
    const AddedHandle* added = given;
    const SnHandleDef* def = added->def;
    int node_count = added->handle->node_count, first = added->bodies[def->body].first_node;
    int counts[] = {(int)def->how,    def->axis_count, def->hinge, node_count, def->motion.keyframe_count,
                    def->target_count};
    put_ints(n, 6, counts);
    for (int i = 0; i < PLAIN; i++) put(n, plain[i].count, (const double*)((const char*)def + plain[i].offset));
    for (int i = 0; i < node_count; i++) put_one(n, added->handle->nodes[i] - first);
    put(n, 4 * def->motion.keyframe_count, (const double*)def->motion.keyframes);
    put(n, def->target_count, def->target_times);
    put(n, 3 * node_count * def->target_count, def->targets);
}

SnStatus sn_added_handle(SnWorld* world, const SnEvent* e)
{
    Reader r = {e->numbers, e->count, 0, false};
    SnHandleDef def = sn_default_handle_def();
    int* nodes;
    def.body = e->target;
    int how = take_int(&r);
    def.how = how == SN_HOLD_ENERGY ? SN_HOLD_ENERGY : SN_HOLD_ELIMINATE;
    def.axis_count = take_int(&r), def.hinge = take_int(&r) != 0, def.node_count = take_int(&r);
    def.motion.keyframe_count = take_int(&r), def.target_count = take_int(&r);
    for (int i = 0; i < PLAIN; i++)
        memcpy((char*)&def + plain[i].offset, take(&r, plain[i].count), (size_t)plain[i].count * sizeof(double));
    SN_TRY(take_nodes(&r, def.node_count, &nodes));
    def.nodes = nodes;
    def.motion.keyframes = (const SnKeyframe*)take(&r, 4 * (int64_t)def.motion.keyframe_count);
    def.target_times = take(&r, def.target_count);
    def.targets = take(&r, 3 * (int64_t)def.node_count * def.target_count);
    if (def.target_count == 0) def.target_times = def.targets = NULL;
    bool fits = !r.bad && r.next == r.count && def.node_count >= 0;
    SnStatus status = fits ? sn_world_add_handle(world, &def, NULL) : refuse(&r, "add-handle");
    sn_free(nodes);
    return status;
}

// --- Attachments and slides ---

// How many, or -1 for all of a body, then the nodes.
static void put_place(Numbers* n, const SnPlaceDef* place)
{
    put_one(n, place->nodes ? place->node_count : -1);
    if (place->nodes) put_ints(n, place->node_count, place->nodes);
}

static SnStatus take_place(Reader* r, int body, SnPlaceDef* place)
{
    int count = take_int(r), *nodes = NULL;
    r->bad |= count < -1;
    SnStatus status = count >= 0 ? take_nodes(r, count, &nodes) : SN_OK;
    *place = (SnPlaceDef){body, nodes, count >= 0 ? count : 0};
    return status;
}

static void put_attachment(Numbers* n, const void* given)
{
    const SnAttachmentDef* def = given;
    put_one(n, def->to.body);
    put(n, 2, (double[]){def->strength, def->close});
    put_place(n, &def->from);
    put_place(n, &def->to);
}

static void put_slide(Numbers* n, const void* given)
{
    const SnSlideDef* def = given;
    put_ints(n, 2, (int[]){def->on_body, def->on_obstacle});
    put_one(n, def->distance);
    put_place(n, &(SnPlaceDef){def->body, def->nodes, def->node_count});
}

// What `write` has to say of a definition, as an event; counted first.
static SnStatus note(SnWorld* world, const char* kind, int body, void (*write)(Numbers* n, const void* def),
                     const void* def)
{
    Numbers n = {0};
    if (!world->events.noting) return SN_OK;
    write(&n, def);
    if (!SN_NEW(n.items, n.count, "changes")) return SN_ERROR_MEMORY;
    n.count = 0;
    write(&n, def);
    SnStatus status = sn_world_note(world, kind, body, n.count, n.items);
    sn_free(n.items);
    return status;
}

SnStatus sn_added_note_handle(SnWorld* world, const SnHandleDef* def, const SnHandle* handle)
{
    return note(world, "add-handle", def->body, put_handle, &(AddedHandle){def, handle, world->model.bodies});
}

SnStatus sn_added_note_attachment(SnWorld* world, const SnAttachmentDef* def)
{
    return note(world, "attach", def->from.body, put_attachment, def);
}

SnStatus sn_added_note_slide(SnWorld* world, const SnSlideDef* def)
{
    return note(world, "slide", def->body, put_slide, def);
}

SnStatus sn_added_attachment(SnWorld* world, const SnEvent* e)
{
    Reader r = {e->numbers, e->count, 0, false};
    SnAttachmentDef def = sn_default_attachment_def();
    int to = take_int(&r);
    def.strength = *take(&r, 1), def.close = *take(&r, 1);
    SnStatus status = take_place(&r, e->target, &def.from);
    if (status == SN_OK) status = take_place(&r, to, &def.to);
    bool fits = !r.bad && r.next == r.count;
    if (status == SN_OK) status = fits ? sn_world_add_attachment(world, &def, NULL) : refuse(&r, "attach");
    sn_free((int*)def.from.nodes), sn_free((int*)def.to.nodes);
    return status;
}

SnStatus sn_added_slide(SnWorld* world, const SnEvent* e)
{
    Reader r = {e->numbers, e->count, 0, false};
    SnSlideDef def = sn_default_slide_def();
    SnPlaceDef place;
    def.on_body = take_int(&r), def.on_obstacle = take_int(&r), def.distance = *take(&r, 1);
    SN_TRY(take_place(&r, e->target, &place));
    def.body = place.body, def.nodes = place.nodes, def.node_count = place.node_count;
    bool fits = !r.bad && r.next == r.count;
    SnStatus status = fits ? sn_world_add_slide(world, &def, NULL) : refuse(&r, "slide");
    sn_free((int*)place.nodes);
    return status;
}
