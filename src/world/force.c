// What handles, obstacles, loads and other bodies exert on bodies, as of the last step.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "world/world.h"

static void add(SnWrench* w, const double x[3], const double force[3])
{
    double torque[3];
    sn_cross3(x, force, torque);
    for (int c = 0; c < 3; c++) w->force[c] += force[c], w->torque[c] += torque[c];
}

static SnStatus check(int index, int count, const char* noun, SnWrench* wrench)
{
    *wrench = (SnWrench){0};
    if (index < 0 || index >= count)
        return sn_fail(SN_ERROR_VALUE, "there is no %s %d; the world has %d", noun, index, count);
    return SN_OK;
}

bool sn_forces_are_known(const SnWorld* world)
{
    return world->problem.ready && world->scratch.length > 0;
}

// A held node: what takes part in its motion, besides gravity, loads and the elements around it.
static void find_held(const SnWorld* world, int64_t node, double force[3])
{
    const SnProblem* p = &world->problem;
    const SnScratch* w = &world->scratch;
    bool moves = p->objective.nodes.inertia > 0;
    for (int64_t k = 3 * node; k < 3 * node + 3; k++) {
        double external = p->gravity[k] + (p->loads.acting ? p->loads.acting[k] : 0);
        double gained = moves && w->length > 0 ? p->mass[node] * (world->state.v[k] - w->start_v[k]) / w->length : 0;
        force[k - 3 * node] = w->reaction[k] + (moves ? gained - external : 0);
    }
}

SnStatus sn_world_handle_force(const SnWorld* world, int handle, SnWrench* wrench)
{
    SN_HANDLE(world);
    SN_NEED(wrench);
    const SnModel* model = &world->model;
    SN_TRY(check(handle, model->handle_count, "handle", wrench));
    const SnHandle* h = &model->handles[handle];
    if (!sn_forces_are_known(world) || world->problem.released[handle]) return SN_OK;
    bool eliminates = sn_handle_eliminates(model, &world->problem, handle);
    if (sn_handle_ties(h))
        sn_ties_add_force(model, &world->state, &world->problem, world->scratch.stage_x, handle, wrench);
    if (sn_handle_ties(h)) return SN_OK;
    for (int i = 0; i < h->node_count; i++) {
        double force[3];
        if (eliminates)
            find_held(world, h->nodes[i], force);
        else
            memcpy(force, world->state.pin_force + 3 * (h->first_pin + (int64_t)i), sizeof force);
        add(wrench, world->scratch.stage_x + 3 * (int64_t)h->nodes[i], force);
    }
    return SN_OK;
}

// Of one contact, on the body that it pushes.
static void add_contact(const SnContactInfo* c, double sign, SnWrench* wrench)
{
    double force[3];
    for (int a = 0; a < 3; a++) force[a] = sign * (c->force * c->normal[a] + c->friction[a]);
    add(wrench, c->point, force);
}

SnStatus sn_world_obstacle_force(const SnWorld* world, int obstacle, SnWrench* wrench)
{
    SN_HANDLE(world);
    SN_NEED(wrench);
    SN_TRY(check(obstacle, world->model.obstacle_count, "obstacle", wrench));
    for (int i = 0; i < world->touches.count; i++)
        if (world->touches.items[i].obstacle == obstacle) add_contact(&world->touches.items[i], 1, wrench);
    return SN_OK;
}

SnStatus sn_world_contact_force(const SnWorld* world, int body, int other, SnWrench* wrench)
{
    SN_HANDLE(world);
    SN_NEED(wrench);
    SN_TRY(check(body, world->model.body_count, "body", wrench));
    SN_TRY(check(other, world->model.body_count, "body", wrench));
    if (body == other) return SN_OK; // what a body does to itself has no sum
    for (int i = 0; i < world->touches.count; i++) {
        const SnContactInfo* c = &world->touches.items[i];
        if (c->body == body && c->other_body == other) add_contact(c, 1, wrench);
        if (c->body == other && c->other_body == body) add_contact(c, -1, wrench);
    }
    return SN_OK;
}

void sn_force_of_load(const SnWorld* world, int load, double* force, double* drag, SnWrench* wrench)
{
    const SnModel* model = &world->model;
    int64_t n = model->node_count;
    const double *x = world->state.x, *v = world->state.v;
    SnLoadState at = {world->state.time,
                      x,
                      v,
                      world->problem.potential->rest,
                      world->problem.mass,
                      model->loads[load].type->filled ? world->state.chambers[load].pressure : NAN,
                      model->tasks};
    *wrench = (SnWrench){0};
    memset(force, 0, 3 * (size_t)n * sizeof *force);
    memset(drag, 0, (size_t)n * sizeof *drag);
    if (!world->problem.loads.rests[load])
        model->loads[load].type->add(&model->loads[load], &at, &(SnLoadSum){force, drag});
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) force[3 * i + c] -= drag[i] * v[3 * i + c];
        add(wrench, x + 3 * i, force + 3 * i);
    }
}

SnStatus sn_world_load_force(const SnWorld* world, int load, SnWrench* wrench)
{
    SN_HANDLE(world);
    SN_NEED(wrench);
    const SnModel* model = &world->model;
    SN_TRY(check(load, model->load_count, "load", wrench));
    if (!sn_forces_are_known(world)) return SN_OK;
    double *force, *drag = NULL;
    if (!SN_NEW(force, 3 * (int64_t)model->node_count, "a load")) return SN_ERROR_MEMORY;
    SnStatus status = SN_NEW(drag, model->node_count, "a load") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) sn_force_of_load(world, load, force, drag, wrench);
    SN_FREE(force, drag);
    return status;
}
