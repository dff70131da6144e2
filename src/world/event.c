#include "world/event.h"

#include <math.h>
#include <string.h>

#include "core/getter.h"
#include "core/handle.h"
#include "integrator/integrator.h"
#include "world/added.h"
#include "world/sleep.h"

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

SnStatus sn_world_refuse_late(const char* what)
{
    return sn_fail(SN_ERROR_VALUE, "%s must be added before the first step, and before a run file is started", what);
}

static void disturb(SnWorld* world, const char* kind, int target);

// Obstacles that wait go on from where they are, which no frame tells: it is noted before the first change of a step.
static SnStatus note_lag(SnWorld* world, const char* kind)
{
    const SnEvents* events = &world->events;
    bool first = events->count == 0 || events->items[events->count - 1].step != world->state.step;
    if (!first || world->state.lag == 0 || strcmp(kind, "lag") == 0) return SN_OK;
    return sn_world_note(world, "lag", 0, 1, &world->state.lag);
}

SnStatus sn_world_note(SnWorld* world, const char* kind, int target, int count, const double* numbers)
{
    SnEvents* events = &world->events;
    disturb(world, kind, target);
    if (!events->noting) return SN_OK;
    SN_TRY(note_lag(world, kind));
    if (!SN_GROW(events->items, events->capacity, events->count + 1, "changes")) return SN_ERROR_MEMORY;
    double* own = sn_copy_memory(numbers, (size_t)count, sizeof *numbers, "changes");
    if (!own) return SN_ERROR_MEMORY;
    events->items[events->count++] = (SnEvent){world->state.step, kind, target, count, own};
    return SN_OK;
}

// A number that counts; -1: it does not.
static int whole(double number)
{
    return number >= 0 && number < 1e9 ? (int)number : -1;
}

// Who is woken by it, with all who sleep beside them.
typedef enum Wakes { NOBODY, ITS_BODY, EVERYBODY } Wakes;

typedef struct Kind {
    SnEventKind said;
    int count; // of numbers
    Wakes wakes;
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

// Made again step by step, it is that already.
static SnStatus wait(SnWorld* world, const SnEvent* e)
{
    if (!(e->numbers[0] >= 0) || isinf(e->numbers[0]))
        return sn_fail(SN_ERROR_VALUE, "obstacles that wait for %g s", e->numbers[0]);
    world->state.lag = e->numbers[0];
    return sn_world_note(world, "lag", 0, 1, e->numbers);
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

static SnPose pose_of(const SnEvent* e)
{
    SnPose pose;
    memcpy(pose.rotation, e->numbers, sizeof pose.rotation);
    memcpy(pose.shift, e->numbers + 9, sizeof pose.shift);
    return pose;
}

static SnStatus move_obstacle(SnWorld* world, const SnEvent* e)
{
    SnPose pose = pose_of(e);
    return sn_world_move_obstacle(world, e->target, &pose);
}

static SnStatus set_load(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_load(world, e->target, e->numbers[0]);
}

static SnStatus set_actuator(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_actuator(world, e->target, e->numbers[0]);
}

static SnStatus remove_body(SnWorld* world, const SnEvent* e)
{
    return sn_world_remove_body(world, e->target);
}

static SnStatus place_body(SnWorld* world, const SnEvent* e)
{
    SnPose pose = pose_of(e);
    return sn_world_place_body(world, e->target, &pose, e->numbers + 12);
}

static SnStatus material(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_material_number(world, e->target, whole(e->numbers[0]), e->numbers[1]);
}

static SnStatus damping(SnWorld* world, const SnEvent* e)
{
    return sn_world_set_damping_number(world, e->target, whole(e->numbers[0]), whole(e->numbers[1]), e->numbers[2]);
}

static SnStatus integrator(SnWorld* world, const SnEvent* e)
{
    const char* name = sn_table_name(&sn_integrator_table, e->target);
    return sn_world_set_integrator(world, e->target < sn_integrator_count() ? name : "?");
}

static SnStatus shape_obstacle(SnWorld* world, const SnEvent* e)
{
    const SnModel* model = &world->model;
    bool there = e->target >= 0 && e->target < model->obstacle_count;
    int count = there ? sn_obstacle_vertex_count(&model->obstacle_shapes[e->target]) : 0;
    if (count > 0 && e->count != 3 * count)
        return sn_fail(SN_ERROR_VALUE, "%d numbers for obstacle %d, which has %d vertices", e->count, e->target, count);
    return e->numbers ? sn_world_shape_obstacle(world, e->target, e->numbers)
                      : sn_fail(SN_ERROR_VALUE, "no numbers for obstacle %d", e->target);
}

static SnStatus remove_obstacle(SnWorld* world, const SnEvent* e)
{
    return sn_world_remove_obstacle(world, e->target);
}

static SnStatus place_obstacle(SnWorld* world, const SnEvent* e)
{
    SnPose pose = pose_of(e);
    return sn_world_place_obstacle(world, e->target, &pose);
}

static SnStatus release_attachment(SnWorld* world, const SnEvent* e)
{
    return sn_world_release_attachment(world, e->target);
}

static SnStatus release_slide(SnWorld* world, const SnEvent* e)
{
    return sn_world_release_slide(world, e->target);
}

static SnStatus fall_asleep(SnWorld* world, const SnEvent* e)
{
    return sn_world_sleep(world, e->target);
}

static SnStatus wake(SnWorld* world, const SnEvent* e)
{
    return sn_world_wake(world, e->target == world->model.body_count ? -1 : e->target);
}

enum { PER_NODE = -1, ANY = -2 };
static const Kind kinds[] = {
    {{"gravity", "", "3, m/s²"}, 3, EVERYBODY, gravity},
    {{"positions", "", "3 for each node, m"}, PER_NODE, EVERYBODY, positions},
    {{"velocities", "", "3 for each node, m/s"}, PER_NODE, EVERYBODY, velocities},
    {{"time-step", "", "1, s"}, 1, NOBODY, time_step},
    {{"grab", "body",
      "three nodes, their weights, the stiffness that was asked for; grabs are numbered from 0, by the least number "
      "that "
      "is free"},
     7,
     ITS_BODY,
     grab},
    {{"drag", "grab", "3: where to, m"}, 3, NOBODY, drag},
    {{"let-go", "grab", ""}, 0, NOBODY, let_go},
    {{"move-handle", "handle", "3 for each of its nodes, m"}, ANY, NOBODY, move_handle},
    {{"release-handle", "handle", ""}, 0, NOBODY, release_handle},
    {{"move-obstacle", "obstacle", "rotation, row after row, and shift, m"}, 12, NOBODY, move_obstacle},
    {{"stiffness", "body", "Young's modulus, Pa, and Poisson's ratio"}, 2, ITS_BODY, stiffness},
    {{"friction", "obstacle, or their number: between bodies", "1"}, 1, EVERYBODY, friction},
    {{"load", "load", "1: times what it was defined as"}, 1, NOBODY, set_load},
    {{"actuator", "actuator", "1: times what it was defined as"}, 1, NOBODY, set_actuator},
    {{"hold", "body", "its nodes; a new handle"}, ANY, ITS_BODY, hold},
    {{"remove-body", "body", "; it is on the shelf then, all its nodes in one point"}, 0, ITS_BODY, remove_body},
    {{"place-body", "body", "rotation, row after row, and shift, m, of its rest shape; velocity, m/s"},
     15,
     NOBODY,
     place_body},
    {{"solver", "its number in `sinew list solvers`", ""}, 0, NOBODY, solver},
    {{"integrator", "its number in `sinew list integrators`", ""}, 0, NOBODY, integrator},
    {{"material", "body", "which number: 0 young, 1 poisson, 2 density, then its type's own; and that"},
     2,
     ITS_BODY,
     material},
    {{"damping", "body",
      "which of its dampings, which number of it (0 beta, 1 shear, 2 bulk, 3 strength, 4 drag), and that"},
     3,
     ITS_BODY,
     damping},
    {{"shape-obstacle", "obstacle", "3 for each of its vertices, m"}, ANY, NOBODY, shape_obstacle},
    {{"remove-obstacle", "obstacle", "; it is on the shelf then"}, 0, EVERYBODY, remove_obstacle},
    {{"place-obstacle", "obstacle", "rotation, row after row, and shift, m"}, 12, EVERYBODY, place_obstacle},
    {{"add-handle", "body",
      "how, axes, hinge or not, nodes, keyframes, targets: how many of each; then the numbers of `SnHandleDef` "
      "(`src/world/added.c`); a new handle"},
     ANY,
     ITS_BODY,
     sn_added_handle},
    {{"attach", "body",
      "to which body, the strength, s to close; its nodes: how many (-1: all) and which; the same of the other; a new "
      "attachment"},
     ANY,
     EVERYBODY,
     sn_added_attachment},
    {{"release-attachment", "attachment", ""}, 0, EVERYBODY, release_attachment},
    {{"slide", "body",
      "on which body and obstacle (-1: none), the distance, m; its nodes: how many (-1: all) and which; a new slide"},
     ANY,
     EVERYBODY,
     sn_added_slide},
    {{"add-body", "its number",
      "its name, counts, mesh, start, velocity, material and dampings, as `src/world/added_body.c` writes them; a new "
      "body"},
     ANY,
     NOBODY,
     sn_added_body},
    {{"add-obstacle", "its number",
      "its name, type, shape, motion, friction, thickness and groups, as `src/world/added_obstacle.c` writes them; a "
      "new "
      "obstacle"},
     ANY,
     EVERYBODY,
     sn_added_obstacle},
    {{"add-load", "body",
      "its type, the numbers of `SnLoadDef` (`src/world/added_load.c`), its ramp; its nodes: how many (-1: all) and "
      "which; a new load"},
     ANY,
     ITS_BODY,
     sn_added_load},
    {{"add-actuator", "body",
      "its type, the numbers of `SnActuatorDef` (`src/world/added_load.c`), its ramp; its elements: how many (-1: all) "
      "and which; a new actuator"},
     ANY,
     ITS_BODY,
     sn_added_actuator},
    {{"add-damping", "body",
      "its type and base, the numbers of `SnDampingDef` (`src/world/written_parts.c`), its elements, as above, and "
      "curve; a new damping of the body"},
     ANY,
     ITS_BODY,
     sn_added_damping},
    {{"contact-pair", "", "two names, each as a count of letters and these; touch and friction; -1: not said"},
     ANY,
     EVERYBODY,
     sn_added_pair},
    {{"sleep", "body", "; its island sleeps"}, 0, NOBODY, fall_asleep},
    {{"wake", "body, or their number: all", "; its island wakes"}, 0, NOBODY, wake},
    {{"release-slide", "slide", ""}, 0, EVERYBODY, release_slide},
    {{"lag", "", "1: s that obstacles had waited, where they do; no change, but before others of its step"},
     1,
     NOBODY,
     wait},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void disturb(SnWorld* world, const char* kind, int target)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].wakes != NOBODY && strcmp(kinds[i].said.name, kind) == 0)
            sn_sleep_disturb(world, kinds[i].wakes == EVERYBODY ? -1 : target);
}

const SnEventKind* sn_event_kind(int index)
{
    return index < KINDS ? &kinds[index].said : NULL;
}

SnStatus sn_world_apply(SnWorld* world, const SnEvent* event)
{
    SN_CHANGE(world);
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
        world->events.applying = true;
        SnStatus status = kinds[i].apply(world, event);
        world->events.applying = false;
        return status;
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
    SN_CHANGE(world);
    sn_events_start(&world->events, noting);
    return SN_OK;
}
