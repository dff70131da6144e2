#include "world/event.h"

#include <math.h>
#include <string.h>

#include "core/getter.h"
#include "core/handle.h"

static void clear(SnEvents* events)
{
    for (int i = 0; i < events->count; i++) sn_free((double*)events->items[i].numbers);
    events->count = 0;
}

void sn_events_start(SnEvents* events, bool noting)
{
    clear(events);
    events->noting = noting;
}

void sn_events_free(SnEvents* events)
{
    clear(events);
    sn_free(events->items);
}

SnStatus sn_world_note(SnWorld* world, const char* kind, int target, int count, const double* numbers)
{
    SnEvents* events = &world->events;
    if (!events->noting) return SN_OK;
    if (!SN_GROW(events->items, events->capacity, events->count + 1, "changes")) return SN_ERROR_MEMORY;
    double* own = sn_copy_memory(numbers, (size_t)count, sizeof *numbers, "changes");
    if (!own) return SN_ERROR_MEMORY;
    events->items[events->count++] = (SnEvent){world->state.step, kind, target, count, own};
    return SN_OK;
}

typedef struct Kind {
    SnEventKind said;
    int count; // of numbers
    SnStatus (*apply)(SnWorld* world, const SnEvent* event);
} Kind;

static SnStatus gravity(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_gravity(world, e->numbers);
}

static SnStatus positions(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_positions(world, e->numbers);
}

static SnStatus velocities(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_velocities(world, e->numbers);
}

static SnStatus time_step(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_time_step(world, e->numbers[0]);
}

static SnStatus grab(SnWorld* world, const SnEvent* e)
{
    SnPick pick = {.body = e->target};
    int given;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(e->numbers[k]) < 1e9)) return sn_fail(SN_ERROR_VALUE, "a grab of a node %g", e->numbers[k]);
        pick.nodes[k] = (int)e->numbers[k], pick.weights[k] = e->numbers[3 + k];
    }
    return sn_world_grab(world, &pick, e->numbers[6], &given);
}

static SnStatus drag(SnWorld* world, const SnEvent* e)
{
    return sn_world_drag(world, e->target, e->numbers);
}

static SnStatus let_go(SnWorld* world, const SnEvent* e)
{
    return sn_world_let_go(world, e->target);
}

static SnStatus move_handle(SnWorld* world, const SnEvent* e)
{
    if (e->target < 0 || e->target >= world->model.handle_count ||
        e->count != 3 * world->model.handles[e->target].node_count)
        return sn_fail(SN_ERROR_VALUE, "%d numbers for handle %d, which is not there or has other nodes", e->count,
                       e->target);
    return sn_world_move_handle(world, e->target, e->numbers);
}

static SnStatus release_handle(SnWorld* world, const SnEvent* e)
{
    return sn_world_release_handle(world, e->target);
}

static SnStatus stiffness(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_stiffness(world, e->target, e->numbers[0], e->numbers[1]);
}

static SnStatus friction(SnWorld* world, const SnEvent* e)
{
    int bodies = world->model.obstacle_count;
    return sn_world_set_friction(world, e->target == bodies ? -1 : e->target, e->numbers[0]);
}

static SnStatus solver(SnWorld* world, const SnEvent* e)
{
    const char* name = e->target < sn_table_count(&sn_solver_table) ? sn_table_name(&sn_solver_table, e->target) : "?";
    return sn_world_set_solver(world, name);
}

static SnStatus hold(SnWorld* world, const SnEvent* e)
{
    int *nodes, given;
    if (!SN_NEW(nodes, e->count, "a handle")) return SN_ERROR_MEMORY;
    for (int i = 0; i < e->count; i++) nodes[i] = fabs(e->numbers[i]) < 1e9 ? (int)e->numbers[i] : -1;
    SnStatus status = sn_world_hold(world, e->target, nodes, e->count, &given);
    sn_free(nodes);
    return status;
}

static SnStatus move_obstacle(SnWorld* world, const SnEvent* e)
{
    SnPose pose;
    memcpy(pose.rotation, e->numbers, sizeof pose.rotation);
    memcpy(pose.shift, e->numbers + 9, sizeof pose.shift);
    return sn_world_move_obstacle(world, e->target, &pose);
}

static SnStatus set_load(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_load(world, e->target, e->numbers[0]);
}

static SnStatus remove_body(SnWorld* world, const SnEvent* e)
{
    return sn_world_remove_body(world, e->target);
}

static SnStatus place_body(SnWorld* world, const SnEvent* e)
{
    SnPose pose;
    memcpy(pose.rotation, e->numbers, sizeof pose.rotation);
    memcpy(pose.shift, e->numbers + 9, sizeof pose.shift);
    return sn_world_place_body(world, e->target, &pose, e->numbers + 12);
}

enum { PER_NODE = -1, ANY = -2 };
static const Kind kinds[] = {
    {{"gravity", "", "3, m/s²"}, 3, gravity},
    {{"positions", "", "3 for each node, m"}, PER_NODE, positions},
    {{"velocities", "", "3 for each node, m/s"}, PER_NODE, velocities},
    {{"time-step", "", "1, s"}, 1, time_step},
    {{"grab", "body",
      "three nodes, their weights, the stiffness that was asked for; grabs are numbered from 0, by the least number "
      "that "
      "is free"},
     7,
     grab},
    {{"drag", "grab", "3: where to, m"}, 3, drag},
    {{"let-go", "grab", ""}, 0, let_go},
    {{"move-handle", "handle", "3 for each of its nodes, m"}, ANY, move_handle},
    {{"release-handle", "handle", ""}, 0, release_handle},
    {{"move-obstacle", "obstacle", "rotation, row after row, and shift, m"}, 12, move_obstacle},
    {{"stiffness", "body", "Young's modulus, Pa, and Poisson's ratio"}, 2, stiffness},
    {{"friction", "obstacle, or their number: between bodies", "1"}, 1, friction},
    {{"load", "load", "1: times what it was defined as"}, 1, set_load},
    {{"hold", "body", "its nodes; a new handle"}, ANY, hold},
    {{"remove-body", "body", "; it is on the shelf then, all its nodes in one point"}, 0, remove_body},
    {{"place-body", "body", "rotation, row after row, and shift, m, of its rest shape; velocity, m/s"}, 15, place_body},
    {{"solver", "its number in `sinew list solvers`", ""}, 0, solver},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const SnEventKind* sn_event_kind(int index)
{
    return index < KINDS ? &kinds[index].said : NULL;
}

SnStatus sn_world_apply(SnWorld* world, const SnEvent* event)
{
    SN_HANDLE(world);
    SN_NEED(event);
    SN_NEED(event->kind);
    if (event->count < 0 || (event->count > 0 && !event->numbers))
        return sn_fail(SN_ERROR_VALUE, "a change with %d numbers%s", event->count,
                       event->count < 0 ? "" : ", which are not there");
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].said.name, event->kind) != 0) continue;
        int count = kinds[i].count == PER_NODE ? 3 * world->model.node_count : kinds[i].count;
        if (count != ANY && count != event->count)
            return sn_fail(SN_ERROR_VALUE, "a change '%s' has %d numbers where %d are needed", event->kind,
                           event->count, count);
        return kinds[i].apply(world, event);
    }
    return sn_fail(SN_ERROR_VALUE, "there is no change '%s'", event->kind);
}

SN_GETTER(int, sn_world_event_count, const SnWorld*, events.count)

SnStatus sn_world_event(const SnWorld* world, int index, SnEvent* event)
{
    SN_HANDLE(world);
    SN_NEED(event);
    if (index < 0 || index >= world->events.count)
        return sn_fail(SN_ERROR_VALUE, "there is no change %d; %d are noted", index, world->events.count);
    *event = world->events.items[index];
    return SN_OK;
}

SnStatus sn_world_note_changes(SnWorld* world, bool noting)
{
    SN_HANDLE(world);
    sn_events_start(&world->events, noting);
    return SN_OK;
}
