// Loads in a step (potential/load.h): in a stage they are a force f and a drag k on each node.
//
// With the drag's velocity (x - x^p)/b, E has k/(2b) |x - x^p|^2 - f.x more. Together with the inertia that is one of
// m + b k about another target, x~ + (b k (x^p - x~) + b^2 f)/(m + b k), so that solvers see nothing else.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "world/definitions.h"
#include "world/world.h"

#define FOLLOWED 0.5 // of the tolerance: how much forces may still change

SnLoadDef sn_default_load_def(const char* type)
{
    SnLoadDef def = {.type = type};
    const SnLoadType* found = type ? sn_load_find(type) : NULL;
    sn_parameters_default(sn_load_parameters, &def);
    if (found) sn_parameters_default(found->parameters, &def);
    return def;
}

void sn_load_free(SnLoad* load)
{
    SN_FREE(load->nodes, load->triangles, load->points);
}

SnStatus sn_load_check_ramp(const SnCurve* ramp)
{
    if (ramp->count < 0 || (ramp->count > 0 && !ramp->points))
        return sn_fail(SN_ERROR_VALUE, "the ramp of a load has %d points; there can be 0 or more", ramp->count);
    for (int i = 0; i < ramp->count; i++) {
        const double* p = ramp->points + 2 * (int64_t)i;
        if (!isfinite(p[0]) || !isfinite(p[1]))
            return sn_fail(SN_ERROR_VALUE, "point %d of a load's ramp is [%g, %g]; both must be numbers", i, p[0],
                           p[1]);
        if (i > 0 && !(p[0] > p[-2]))
            return sn_fail(SN_ERROR_VALUE, "the ramp of a load must have increasing times, but %g follows %g", p[0],
                           p[-2]);
    }
    return SN_OK;
}

static SnStatus check(const SnModel* model, const SnLoadDef* def, const SnLoadType* type)
{
    if (!def->type) return sn_fail(SN_ERROR_VALUE, "a load has no type, such as force");
    if (!type) return sn_table_unknown(&sn_load_table, def->type);
    SN_TRY(sn_parameters_check(type->parameters, def, "load"));
    SN_TRY(sn_load_check_ramp(&def->ramp));
    SN_TRY(sn_model_check_body(model, def->body, "a load names"));
    if (type->on_surface && model->bodies[def->body].surface_count == 0)
        return sn_fail(SN_ERROR_VALUE,
                       "body '%s' is made of edges and has no surface for a load of type %s; a sheet "
                       "or a solid has",
                       model->bodies[def->body].name, type->name);
    return SN_OK;
}

// The triangles of the body's surface whose corners are all chosen.
static SnStatus choose_triangles(const SnModel* model, const SnBody* body, SnLoad* load)
{
    bool* chosen;
    if (!SN_NEW(load->triangles, 3 * (int64_t)body->surface_count, "a load") ||
        !SN_NEW(chosen, model->node_count, "a load"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < load->node_count; i++) chosen[load->nodes[i]] = true;
    for (int i = 0; i < body->surface_count; i++) {
        int t[3];
        for (int c = 0; c < 3; c++) t[c] = body->first_node + body->surface[3 * (int64_t)i + c];
        if (chosen[t[0]] && chosen[t[1]] && chosen[t[2]])
            memcpy(load->triangles + 3 * (int64_t)load->triangle_count++, t, sizeof t);
    }
    sn_free(chosen);
    if (load->triangle_count > 0) return SN_OK;
    return sn_fail(SN_ERROR_VALUE,
                   "a load of type %s acts on %d nodes of body '%s', but on no triangle of its surface "
                   "as a whole; choose all corners of some",
                   load->type->name, load->node_count, body->name);
}

// Every edge is there once each way.
static SnStatus check_closed(const SnLoad* load, const char* body)
{
    SnNodeKey* edges;
    int64_t count = 3 * (int64_t)load->triangle_count;
    int most = 0;
    if (!SN_NEW(edges, count, "a load")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        const int *t = load->triangles + i / 3 * 3, ends[2] = {t[i % 3], t[(i + 1) % 3]};
        edges[i] = sn_node_key(ends, 2, ends[0] < ends[1]);
        most = ends[0] > most ? ends[0] : most;
    }
    SnStatus status = sn_sort_keys(edges, count, most + 1);
    int64_t open = count % 2;
    for (int64_t i = 0; i + 1 < count && status == SN_OK; i += 2)
        open += !sn_same_key(&edges[i], &edges[i + 1]) || edges[i].item == edges[i + 1].item ||
                (i > 0 && sn_same_key(&edges[i - 1], &edges[i]));
    sn_free(edges);
    if (status != SN_OK || open == 0) return status;
    return sn_fail(
        SN_ERROR_VALUE,
        "a load of type %s needs a closed surface, but the triangles of body '%s' that are chosen have a rim; "
        "choose the whole of a shell, or all walls of a cavity",
        load->type->name, body);
}

static SnStatus fill(const SnModel* model, const SnLoadDef* def, SnLoad* load)
{
    const SnBody* body = &model->bodies[def->body];
    load->type = sn_load_find(def->type);
    load->def = *def;
    load->def.type = load->type->name, load->def.nodes = NULL;
    load->two_sided = body->tetrahedron_count == 0;
    if (def->ramp.count > 0) {
        load->points = sn_copy_memory(def->ramp.points, 2 * (size_t)def->ramp.count, sizeof(double), "a ramp");
        if (!load->points) return SN_ERROR_MEMORY;
    }
    load->def.ramp.points = load->points;
    SN_TRY(sn_body_choose_nodes(body, def->nodes, def->node_count, "a load", &load->nodes, &load->node_count));
    if (load->type->on_surface) SN_TRY(choose_triangles(model, body, load));
    return load->type->closed ? check_closed(load, body->name) : SN_OK;
}

SnStatus sn_world_add_load(SnWorld* world, const SnLoadDef* def, int* index)
{
    SN_HANDLE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    if (world->state.step > 0) return sn_fail(SN_ERROR_VALUE, "loads must be added before the first step");
    SN_TRY(check(model, def, def->type ? sn_load_find(def->type) : NULL));
    if (!SN_GROW(model->loads, model->load_capacity, model->load_count + 1, "loads")) return SN_ERROR_MEMORY;
    SnLoad* load = &model->loads[model->load_count];
    *load = (SnLoad){0};
    SnStatus status = fill(model, def, load);
    if (status != SN_OK) {
        sn_load_free(load);
        return status;
    }
    sn_world_discard_problem(world);
    if (index) *index = model->load_count;
    model->load_count++;
    return SN_OK;
}

// Of those whose work is asked for.
static SnStatus build_own(const SnModel* model, SnLoads* l)
{
    int64_t n = model->node_count;
    if (!SN_NEW(l->own, model->work_count, "loads")) return SN_ERROR_MEMORY;
    l->own_count = model->work_count;
    for (int i = 0; i < model->work_count; i++)
        if (model->works[i].of == SN_WORK_OF_LOAD &&
            (!SN_NEW(l->own[i].force, 3 * n, "loads") || !SN_NEW(l->own[i].drag, n, "loads")))
            return SN_ERROR_MEMORY;
    return SN_OK;
}

SnStatus sn_loads_build(const SnModel* model, SnProblem* problem)
{
    SnLoads* l = &problem->loads;
    int64_t n = model->node_count;
    if (model->load_count == 0) return SN_OK;
    if (!SN_NEW(l->gases, model->load_count, "loads") || !SN_NEW(l->sum.force, 3 * n, "loads") ||
        !SN_NEW(l->sum.drag, n, "loads") || !SN_NEW(l->most, n, "loads") || !SN_NEW(l->mass, n, "loads") ||
        !SN_NEW(l->external, 3 * n, "loads") || !SN_NEW(l->acting, 3 * n, "loads"))
        return SN_ERROR_MEMORY;
    bool follow = false;
    for (int i = 0; i < model->load_count; i++) follow |= model->loads[i].type->follows;
    if (follow && (!SN_NEW(l->following, 3 * n, "loads") || !SN_NEW(l->next, 3 * n, "loads"))) return SN_ERROR_MEMORY;
    SN_TRY(build_own(model, l));
    memcpy(l->mass, problem->mass, (size_t)n * sizeof *l->mass);
    for (int i = 0; i < model->load_count; i++)
        if (model->loads[i].type->bound)
            model->loads[i].type->bound(&model->loads[i], problem->potential->rest, l->most);
    return SN_OK;
}

void sn_loads_free(SnLoads* l)
{
    for (int i = 0; i < l->own_count; i++) SN_FREE(l->own[i].force, l->own[i].drag);
    SN_FREE(l->gases, l->own, l->sum.force, l->sum.drag, l->most, l->mass, l->external, l->acting, l->following,
            l->next);
}

static void find_following(const SnModel* model, const SnLoads* l, const SnLoadState* state, double* force)
{
    memset(force, 0, 3 * (size_t)model->node_count * sizeof *force);
    for (int i = 0; i < model->load_count; i++) {
        SnLoadState own = *state;
        own.pressure = l->gases[i].pressure;
        if (model->loads[i].type->follows) model->loads[i].type->add(&model->loads[i], &own, &(SnLoadSum){force, NULL});
    }
}

// Before a step gases have what their shapes say, as they were pumped then: what is pumped in during the step would be
// too much for the shape that they have.
static void begin_gases(const SnModel* model, SnLoadState state, SnLoads* l)
{
    state.time = l->since;
    for (int i = 0; i < model->load_count; i++)
        if (model->loads[i].type->pressure)
            l->gases[i] = (SnGas){.pressure = model->loads[i].type->pressure(&model->loads[i], &state)};
}

// What the shape says, minus what it was found with, falls by 1 for each Pa, and by what the gas loses as it expands: a
// secant finds where it is zero, half a step goes before it.
static void seek_gases(const SnModel* model, const SnLoadState* state, SnLoads* l)
{
    for (int i = 0; i < model->load_count; i++) {
        SnGas* gas = &l->gases[i];
        if (!model->loads[i].type->pressure) continue;
        double off = model->loads[i].type->pressure(&model->loads[i], state) - gas->pressure;
        double slope = gas->round > 0 ? (off - gas->last_off) / (gas->pressure - gas->last) : -2;
        gas->last = gas->pressure, gas->last_off = off, gas->round++;
        gas->pressure -= off / (slope < -1 ? slope : gas->round > 1 ? -1 : -2);
    }
}

static SnLoadState state_of(const SnProblem* problem, double time, const double* x, const double* v)
{
    return (SnLoadState){time, x, v, problem->potential->rest, problem->mass, NAN};
}

// Of loads that follow, besides the sum of all, what they add to it.
static void evaluate(const SnModel* model, SnProblem* problem, const SnLoadState* state)
{
    SnLoads* l = &problem->loads;
    size_t bytes = 3 * (size_t)model->node_count * sizeof *l->sum.force;
    memset(l->sum.force, 0, bytes);
    memset(l->sum.drag, 0, (size_t)model->node_count * sizeof *l->sum.drag);
    for (int i = 0; i < model->load_count; i++)
        if (!model->loads[i].type->follows) model->loads[i].type->add(&model->loads[i], state, &l->sum);
    if (!l->following) return;
    begin_gases(model, *state, l);
    find_following(model, l, state, l->following);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) l->sum.force[k] += l->following[k];
}

// The force at velocities v.
static void act(const SnModel* model, SnLoads* l, const double* v)
{
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
        l->acting[k] = l->sum.force[k] - l->sum.drag[k / 3] * v[k];
}

// Gases begin as they were pumped at the time `since`.
static const double* find(const SnModel* model, SnProblem* problem, double time, double since, const double* x,
                          const double* v)
{
    if (model->load_count == 0) return NULL;
    problem->loads.since = since;
    SnLoadState at = state_of(problem, time, x, v);
    evaluate(model, problem, &at);
    sn_works_find_load(model, problem, &at);
    act(model, &problem->loads, v);
    return problem->loads.acting;
}

const double* sn_loads_find(const SnModel* model, SnProblem* problem, double time, const double* x, const double* v)
{
    return find(model, problem, time, time, x, v);
}

void sn_loads_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* w,
                          const SnStage* stage, double at)
{
    SnLoads* l = &problem->loads;
    double b = stage->alpha * state->step_length;
    bool later = stage->middle != 0;
    const double* v = later ? w->stage_v : state->v;
    l->at = at;
    if (!find(model, problem, at, state->time, later ? w->stage_x : state->x, v)) return;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double m = problem->mass[k / 3], drag = b * l->sum.drag[k / 3], x = w->target[k];
        l->mass[k / 3] = m + drag;
        l->external[k] = problem->gravity[k] + l->acting[k];
        if (b > 0 && problem->free_index[k / 3] >= 0)
            w->target[k] = x + (drag * (w->xp[k] - x) + b * b * l->sum.force[k]) / (m + drag);
    }
}

bool sn_loads_follow(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* w, const SnStage* stage,
                     double at)
{
    SnLoads* l = &problem->loads;
    double b = stage->alpha * state->step_length, sum = 0;
    if (!l->following || !(problem->search->tolerance > 0)) return false;
    SnLoadState now = state_of(problem, at, problem->search->x, NULL);
    seek_gases(model, &now, l);
    find_following(model, l, &now, l->next);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double change = l->next[k] - l->following[k];
        if (problem->free_index[k / 3] >= 0) sum += change * change;
    }
    if (!(sqrt(sum) > FOLLOWED * problem->search->tolerance)) return false;
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double change = l->next[k] - l->following[k];
        l->following[k] = l->next[k], l->sum.force[k] += change, l->external[k] += change;
        if (b > 0 && problem->free_index[k / 3] >= 0) w->target[k] += b * b * change / l->mass[k / 3];
    }
    return true;
}

void sn_loads_end_stage(const SnModel* model, SnProblem* problem, const SnScratch* w)
{
    if (model->load_count > 0) act(model, &problem->loads, w->stage_v);
}
