// Contacts of the world: the detector over its bodies and obstacles, and what contacts add to the ledger.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "solver/objective.h"
#include "world/motion.h"
#include "world/world.h"

static SnContactBody contact_body(const SnBody* body)
{
    return (SnContactBody){
        .first_node = body->first_node,
        .node_count = body->node_count,
        .rest = body->rest,
        .tetrahedron_count = body->tetrahedron_count,
        .tetrahedra = body->tetrahedra,
        .surface_count = body->surface_count,
        .surface = body->surface,
        .sheet = body->tetrahedron_count == 0,
    };
}

SnStatus sn_world_build_contacts(SnWorld* world)
{
    const SnContactDef* def = &world->model.def.contact;
    bool bodies = def->self || (def->bodies && world->model.body_count > 1);
    if (world->model.obstacle_count == 0 && !bodies) return SN_OK;
    SnContactBody* list;
    if (!SN_NEW(list, world->model.body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int b = 0; b < world->model.body_count; b++) list[b] = contact_body(&world->model.bodies[b]);
    SnContactOptions options = {def->thickness, def->friction, def->push, def->bodies, def->self};
    SnStatus status =
        sn_contacts_create(world->model.body_count, list, world->model.obstacle_count, world->model.obstacle_shapes,
                           &options, world->model.tasks, &world->problem.contacts);
    sn_free(list);
    return status;
}

// The motion as a rotation and a shift.
static void frame_at(const SnMotion* motion, double time, SnFrame* frame)
{
    const double origin[3] = {0};
    sn_motion_apply(motion, time, origin, frame->shift);
    for (int a = 0; a < 3; a++) {
        double unit[3] = {a == 0, a == 1, a == 2}, there[3];
        sn_motion_apply(motion, time, unit, there);
        for (int c = 0; c < 3; c++) frame->rotation[3 * c + a] = there[c] - frame->shift[c];
    }
}

void sn_world_begin_contacts(SnWorld* world, double time)
{
    if (!world->problem.contacts) return;
    for (int k = 0; k < world->model.obstacle_count; k++) {
        SnFrame before, now;
        frame_at(&world->model.obstacles[k].motion, world->state.time, &before);
        frame_at(&world->model.obstacles[k].motion, time, &now);
        sn_obstacle_place(&world->model.obstacle_shapes[k], &before, &now, world->state.time, time);
    }
    double further = time > world->state.time ? world->model.integrator->extrapolate : 1;
    sn_contacts_begin(world->problem.contacts,
                      &(SnContactStart){world->state.x, time - world->state.time, further > 1 ? further : 1});
}

static int body_of(const SnWorld* world, int node)
{
    int b = 0;
    while (b + 1 < world->model.body_count && world->model.bodies[b + 1].first_node <= node) b++;
    return b;
}

static void warn(const SnWorld* world, int body, int target, int nodes)
{
    bool obstacle = target < world->model.obstacle_count;
    int other = target - world->model.obstacle_count;
    const char* name = obstacle ? world->model.obstacles[target].name : world->model.bodies[other].name;
    sn_log(&world->model.def.log, SN_LOG_WARNING,
           "body '%s' starts inside %s '%s' with %d node%s; it is pushed out at no more than %g m/s",
           world->model.bodies[body].name,
           obstacle        ? "obstacle"
           : other == body ? "itself, body"
                           : "body",
           name, nodes, nodes > 1 ? "s" : "", world->model.def.contact.push);
}

// Rows of nodes that are too deep to be out within the step are behind by as much as they are pushed.
SnStatus sn_world_warn_of_starts(const SnWorld* world)
{
    int targets = world->model.obstacle_count + world->model.body_count, *nodes;
    double behind = world->model.def.contact.push * world->state.step_length;
    if (!SN_NEW(nodes, (int64_t)targets * world->model.body_count, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < world->state.rows.count; i++) {
        const SnRow* row = &world->state.rows.rows[i];
        if (!sn_row_is_contact(row) || sn_row_gap(row, world->state.x) > -0.4 * behind) continue;
        nodes[body_of(world, row->node[0]) * targets + sn_contact_target(row)]++;
    }
    for (int i = 0; i < targets * world->model.body_count; i++)
        if (nodes[i] > 0) warn(world, i / targets, i % targets, nodes[i]);
    sn_free(nodes);
    return SN_OK;
}

void sn_world_account_contacts(const SnWorld* world, double b, const double* x, double* amounts)
{
    for (int i = 0; i < world->state.rows.count; i++) {
        const SnRow* row = &world->state.rows.rows[i];
        double force[3], slip[3];
        sn_row_friction(&world->problem.objective, row, x, force, slip);
        amounts[SN_ACCOUNT_FRICTION] -= sn_dot3(force, slip);
        if (row->count > 1) continue;
        for (int c = 0; c < 3; c++) force[c] += row->force * row->normal[c];
        amounts[SN_ACCOUNT_OBSTACLES] += b * sn_dot3(force, row->velocity);
        sn_ledger_add_wrench(amounts + SN_ACCOUNT_DRAG, b, x + 3 * (int64_t)row->node[0], force);
    }
}

void sn_world_report_contacts(const SnWorld* world, SnStepReport* report)
{
    report->contacts = 0;
    report->depth = 0;
    for (int i = 0; i < world->state.rows.count; i++) {
        const SnRow* row = &world->state.rows.rows[i];
        if (!sn_row_is_contact(row)) continue;
        int target = sn_contact_target(row);
        bool obstacle = target < world->model.obstacle_count;
        double thickness =
            obstacle ? world->model.obstacle_shapes[target].thickness : world->model.def.contact.thickness;
        report->contacts += row->force > 0;
        report->depth = fmax(report->depth, -sn_row_gap(row, world->state.x) - thickness);
    }
}
