// Loads in a step (potential/load.h): in a stage they are a force f and a drag k on each node.
//
// With the drag's velocity (x - x^p)/b, E has k/(2b) |x - x^p|^2 - f.x more. Together with the inertia that is one of
// m + b k about another target, x~ + (b k (x^p - x~) + b^2 f)/(m + b k), so that solvers see nothing else.
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "core/share.h"
#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"
#include "mesh/elements.h"
#include "potential/ramp.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"

#define FOLLOWED 0.5 // of the tolerance: how much forces may still change

SnLoadDef sn_default_load_def(const char* type)
{
    SnLoadDef def = {.type = type};
    const SnLoadType* found = type ? sn_load_find(type) : NULL;
    sn_parameters_default(sn_load_parameters, &def);
    if (found) sn_parameters_default(found->parameters, &def);
    return def;
}

bool sn_model_has_chambers(const SnModel* model)
{
    for (int i = 0; i < model->load_count; i++)
        if (model->loads[i].type->filled) return true;
    return false;
}

void sn_load_free(SnLoad* load)
{
    SN_FREE(load->nodes, load->weights, load->triangles, load->points);
}

static SnStatus check(const SnModel* model, const SnLoadDef* def, const SnLoadType* type)
{
    if (!def->type) return sn_fail(SN_ERROR_VALUE, "a load has no type, such as force");
    if (!type) return sn_table_unknown(&sn_load_table, def->type);
    SN_TRY(sn_parameters_check(type->parameters, def, "load"));
    SN_TRY(sn_ramp_check(&def->ramp, "a load"));
    SN_TRY(sn_model_check_body(model, def->body, "a load names"));
    if (type->on_surface && model->bodies[def->body].surface_count == 0 && !model->bodies[def->body].parted)
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
    if (load->triangle_count > 0 || body->parted) return SN_OK; // others may have some
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

// The corners of the triangle of the surface that is nearest to the point, by its weights there.
static SnStatus choose_point(const SnBody* body, const double at[3], SnLoad* load)
{
    SnNearest best = {.distance = INFINITY};
    if (!SN_NEW(load->nodes, 3, "a load") || !SN_NEW(load->weights, 3, "a load")) return SN_ERROR_MEMORY;
    for (int i = 0; i < body->surface_count; i++) {
        const int* t = body->surface + 3 * (int64_t)i;
        SnNearest found;
        sn_nearest_on_triangle(body->rest + 3 * (int64_t)t[0], body->rest + 3 * (int64_t)t[1],
                               body->rest + 3 * (int64_t)t[2], at, &found);
        if (found.distance < best.distance) best = found, best.item = i;
    }
    load->node_count = 3;
    for (int c = 0; c < 3; c++) {
        load->nodes[c] = body->first_node + body->surface[3 * (int64_t)best.item + c];
        load->weights[c] = best.weights[c];
    }
    return SN_OK;
}

// Either a point or nodes.
static SnStatus choose_nodes(const SnBody* body, const SnLoadDef* def, SnLoad* load)
{
    if (!load->type->at_point || isnan(def->at[0]))
        return sn_body_choose_nodes(body, def->nodes, def->node_count, "a load", &load->nodes, &load->node_count);
    if (def->nodes) return sn_fail(SN_ERROR_VALUE, "a load acts at a point and on nodes; leave one of them out");
    if (body->surface_count == 0)
        return sn_fail(SN_ERROR_VALUE,
                       "body '%s' is made of edges and has no surface for a force at a point; choose nodes",
                       body->name);
    return choose_point(body, def->at, load);
}

static SnStatus fill(const SnModel* model, const SnLoadDef* def, SnLoad* load)
{
    const SnBody* body = &model->bodies[def->body];
    load->type = sn_load_find(def->type);
    load->def = *def, load->scale = 1;
    load->def.type = load->type->name, load->def.nodes = NULL;
    load->two_sided = body->tetrahedron_count == 0;
    if (def->ramp.count > 0) {
        load->points = sn_copy_memory(def->ramp.points, 2 * (size_t)def->ramp.count, sizeof(double), "a ramp");
        if (!load->points) return SN_ERROR_MEMORY;
    }
    load->def.ramp.points = load->points;
    SN_TRY(choose_nodes(body, def, load));
    load->all_nodes = load->node_count;
    if (load->type->on_surface) SN_TRY(choose_triangles(model, body, load));
    return load->type->closed ? check_closed(load, body->name) : SN_OK;
}

static SnStatus add(SnWorld* world, const SnLoadDef* def)
{
    SnModel* model = &world->model;
    if (!SN_GROW(model->loads, model->load_capacity, model->load_count + 1, "loads")) return SN_ERROR_MEMORY;
    SnLoad* load = &model->loads[model->load_count];
    *load = (SnLoad){.since = sn_world_lives(world) ? world->state.time : 0};
    SnStatus status = fill(model, def, load);
    if (status == SN_OK) {
        model->load_count++;
        status = sn_state_grow(&world->state, model);
        if (status != SN_OK) model->load_count--;
    }
    if (status != SN_OK) sn_load_free(load);
    return status;
}

SnStatus sn_world_add_load(SnWorld* world, const SnLoadDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SN_TRY(check(&world->model, def, def->type ? sn_load_find(def->type) : NULL));
    if (world->events.noting) SN_TRY(sn_added_check_load(def));
    SN_TRY(add(world, def));
    sn_world_discard_problem(world);
    if (sn_world_lives(world)) sn_change_forget(world);
    if (index) *index = world->model.load_count - 1;
    return sn_added_note_load(world, def);
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

SnStatus sn_loads_build(const SnModel* model, const SnState* state, SnProblem* problem)
{
    SnLoads* l = &problem->loads;
    int64_t n = model->node_count;
    if (model->load_count == 0) return SN_OK;
    if (!SN_NEW(l->gases, model->load_count, "loads") || !SN_NEW(l->ended, model->load_count, "loads") ||
        !SN_NEW(l->rests, model->load_count, "loads") || !SN_NEW(l->sum.force, 3 * n, "loads") ||
        !SN_NEW(l->sum.drag, n, "loads") || !SN_NEW(l->most, n, "loads") || !SN_NEW(l->mass, n, "loads") ||
        !SN_NEW(l->external, 3 * n, "loads") || !SN_NEW(l->acting, 3 * n, "loads"))
        return SN_ERROR_MEMORY;
    bool follow = false;
    for (int i = 0; i < model->load_count; i++) follow |= model->loads[i].type->follows;
    if (follow && (!SN_NEW(l->following, 3 * n, "loads") || !SN_NEW(l->next, 3 * n, "loads"))) return SN_ERROR_MEMORY;
    SN_TRY(build_own(model, l));
    memcpy(l->mass, problem->mass, (size_t)n * sizeof *l->mass);
    for (int i = 0; i < model->load_count; i++) l->rests[i] = state->out[model->loads[i].def.body] != 0;
    for (int i = 0; i < model->load_count; i++)
        if (model->loads[i].type->bound && !l->rests[i])
            model->loads[i].type->bound(&model->loads[i], problem->potential->rest, l->most);
    sn_share_add(model->tasks, 1, l->most);
    return SN_OK;
}

void sn_loads_free(SnLoads* l)
{
    for (int i = 0; i < l->own_count; i++) SN_FREE(l->own[i].force, l->own[i].drag);
    SN_FREE(l->gases, l->ended, l->rests, l->own, l->sum.force, l->sum.drag, l->most, l->mass, l->external, l->acting,
            l->following, l->next);
}

static void find_following(const SnModel* model, const SnLoads* l, const SnLoadState* state, double* force)
{
    memset(force, 0, 3 * (size_t)model->node_count * sizeof *force);
    for (int i = 0; i < model->load_count; i++) {
        SnLoadState own = *state;
        own.pressure = l->gases[i].pressure;
        if (model->loads[i].type->follows && !l->rests[i])
            model->loads[i].type->add(&model->loads[i], &own, &(SnLoadSum){force, NULL});
    }
    sn_share_add(model->tasks, 3, force);
}

static double area_of(const SnLoad* load, const double* x)
{
    double sum = 0, area[3];
    for (int i = 0; i < load->triangle_count; i++) {
        sn_load_area(load->triangles + 3 * (int64_t)i, x, area);
        sum += 0.5 * sn_length3(area);
    }
    return sum;
}

// Before a step gases have what their shapes say, as they were pumped then: what is pumped in during the step would be
// too much for the shape that they have.
static void begin_gases(const SnModel* model, const SnState* state, SnLoadState at, SnLoads* l)
{
    at.time = state->time;
    for (int i = 0; i < model->load_count; i++) {
        const SnLoadType* type = model->loads[i].type;
        if (l->rests[i]) continue;
        l->gases[i] = (SnGas){.pressure = type->pressure ? type->pressure(&model->loads[i], &at) : NAN};
        if (!type->filled) continue;
        l->gases[i].pressure = state->chambers[i].pressure, l->gases[i].give = state->chambers[i].give;
        l->gases[i].force = l->gases[i].pressure * area_of(&model->loads[i], at.x);
    }
}

#define SOFT 1e-3 // of the mean stiffness: what the walls of a chamber are taken to put up at first

// Pressure times area is sought, as a minimum is found with forces that keep the size and directions of the last shape:
// the more of it, the larger the chamber, also beyond the largest pressure that it can bear. What is missing falls by
// what the chamber gives for each N: a secant, as below.
static void seek_volume(const SnLoad* load, const SnPotential* potential, const SnLoadState* state, SnGas* gas)
{
    double rest = fabs(sn_load_enclosed(load, state->tasks, state->rest)), area = area_of(load, state->x);
    double off = load->type->filled(load, state) - fabs(sn_load_enclosed(load, state->tasks, state->x));
    double give = gas->round > 0 ? (gas->last_off - off) / (gas->force - gas->last) : gas->give;
    if (give > 0 && isfinite(give)) gas->give = give;
    if (!(gas->give > 0)) gas->give = rest * potential->volume / (SOFT * potential->stiffness * area);
    gas->last = gas->force, gas->last_off = off, gas->round++;
    gas->force += off / gas->give;
    gas->pressure = gas->force / area;
}

// What the shape says, minus what it was found with, falls by 1 for each Pa, and by what the gas loses as it expands: a
// secant finds where it is zero, half a step goes before it.
static void seek_gases(const SnModel* model, const SnPotential* potential, const SnLoadState* state, SnLoads* l)
{
    for (int i = 0; i < model->load_count; i++) {
        SnGas* gas = &l->gases[i];
        if (l->rests[i]) continue;
        if (model->loads[i].type->filled) seek_volume(&model->loads[i], potential, state, gas);
        if (!model->loads[i].type->pressure) continue;
        double off = model->loads[i].type->pressure(&model->loads[i], state) - gas->pressure;
        double slope = gas->round > 0 ? (off - gas->last_off) / (gas->pressure - gas->last) : -2;
        gas->last = gas->pressure, gas->last_off = off, gas->round++;
        gas->pressure -= off / (slope < -1 ? slope : gas->round > 1 ? -1 : -2);
    }
}

static SnLoadState state_of(const SnProblem* problem, double time, const double* x, const double* v)
{
    return (SnLoadState){time, x, v, problem->potential->rest, problem->mass, NAN, problem->objective.nodes.tasks};
}

// Of loads that follow, besides the sum of all, what they add to it.
static void evaluate(const SnModel* model, const SnState* from, SnProblem* problem, const SnLoadState* state)
{
    SnLoads* l = &problem->loads;
    size_t bytes = 3 * (size_t)model->node_count * sizeof *l->sum.force;
    memset(l->sum.force, 0, bytes);
    memset(l->sum.drag, 0, (size_t)model->node_count * sizeof *l->sum.drag);
    for (int i = 0; i < model->load_count; i++)
        if (!model->loads[i].type->follows && !l->rests[i]) model->loads[i].type->add(&model->loads[i], state, &l->sum);
    sn_share_add(model->tasks, 3, l->sum.force);
    sn_share_add(model->tasks, 1, l->sum.drag);
    if (!l->following) return;
    begin_gases(model, from, *state, l);
    find_following(model, l, state, l->following);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) l->sum.force[k] += l->following[k];
}

// The force at velocities v.
static void act(const SnModel* model, SnLoads* l, const double* v)
{
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++)
        l->acting[k] = l->sum.force[k] - l->sum.drag[k / 3] * v[k];
}

// Gases begin as they were pumped at the time of the state.
static const double* find(const SnModel* model, const SnState* state, SnProblem* problem, double time, const double* x,
                          const double* v)
{
    if (model->load_count == 0) return NULL;
    SnLoadState at = state_of(problem, time, x, v);
    evaluate(model, state, problem, &at);
    sn_works_find_load(model, problem, &at);
    act(model, &problem->loads, v);
    return problem->loads.acting;
}

const double* sn_loads_find(const SnModel* model, const SnState* state, SnProblem* problem)
{
    return find(model, state, problem, state->time, state->x, state->v);
}

void sn_loads_begin_stage(const SnModel* model, const SnState* state, SnProblem* problem, SnScratch* w,
                          const SnStage* stage, double at)
{
    SnLoads* l = &problem->loads;
    double b = stage->alpha * state->step_length;
    bool later = stage->middle != 0;
    const double* v = later ? w->stage_v : state->v;
    l->at = at;
    if (!find(model, state, problem, at, later ? w->stage_x : state->x, v)) return;
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
    seek_gases(model, problem->potential, &now, l);
    find_following(model, l, &now, l->next);
    for (int64_t k = 0; k < 3 * (int64_t)model->node_count; k++) {
        double change = l->next[k] - l->following[k];
        if (problem->free_index[k / 3] >= 0 && sn_share_owns(model->tasks, (int)(k / 3))) sum += change * change;
    }
    sum = sn_share_total(model->tasks, sum);
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
    if (model->load_count == 0) return;
    SnLoads* l = &problem->loads;
    for (int i = 0; i < model->load_count; i++) l->ended[i] = (SnChamber){l->gases[i].pressure, l->gases[i].give};
    act(model, l, w->stage_v);
}

void sn_loads_keep(const SnModel* model, const SnProblem* problem, SnState* state)
{
    for (int i = 0; i < model->load_count; i++)
        if (model->loads[i].type->filled && !problem->loads.rests[i]) state->chambers[i] = problem->loads.ended[i];
}

SnStatus sn_world_set_load(SnWorld* world, int load, double factor)
{
    SN_CHANGE(world);
    if (load < 0 || load >= world->model.load_count)
        return sn_fail(SN_ERROR_VALUE, "there is no load %d; the world has %d, counted from 0", load,
                       world->model.load_count);
    if (!isfinite(factor)) return sn_fail(SN_ERROR_VALUE, "a load of %g times what it was", factor);
    SnLoad* l = &world->model.loads[load];
    bool more = l->type->bound && fabs(factor) > fabs(l->scale); // than the drag that was reckoned with
    l->scale = factor;
    if (more) sn_world_discard_problem(world);
    world->state.force_known = false, world->state.last_length = 0;
    return sn_world_note(world, "load", load, 1, &factor);
}
