// Slides as they are defined.
#include <math.h>

#include "core/handle.h"
#include "core/share.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"
#include "world/shelf.h"
#include "world/steer.h"

static SnStatus check(const SnModel* model, const SnSlideDef* def)
{
    SN_TRY(sn_parameters_check(sn_slide_parameters, def, "slide"));
    SN_TRY(sn_model_check_body(model, def->body, "a slide names"));
    if (def->on_body >= model->body_count || def->on_obstacle >= model->obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "a slide is on body %d, obstacle %d: the world has %d and %d", def->on_body,
                       def->on_obstacle, model->body_count, model->obstacle_count);
    if ((def->on_body >= 0) == (def->on_obstacle >= 0))
        return sn_fail(SN_ERROR_VALUE, "a slide is on either a body or an obstacle");
    if (def->on_obstacle >= 0 && model->obstacles[def->on_obstacle].out)
        return sn_fail(SN_ERROR_VALUE, "obstacle '%s' is on the shelf; nothing slides on it there",
                       model->obstacles[def->on_obstacle].name);
    if (def->on_body == def->body)
        return sn_fail(SN_ERROR_VALUE, "body '%s' cannot slide on itself", model->bodies[def->body].name);
    if (def->on_body >= 0 && model->bodies[def->on_body].surface_count == 0)
        return sn_fail(SN_ERROR_VALUE, "body '%s' has no surface to slide on", model->bodies[def->on_body].name);
    return SN_OK;
}

SnSlideSurface sn_slide_surface_of(const SnBody* on)
{
    return (SnSlideSurface){on->first_node, on->node_count, on->rest, on->surface_count, on->surface};
}

static void set_target(SnSlide* slide, const SnModel* model, const SnSlideDef* def)
{
    slide->obstacle = def->on_obstacle;
    if (def->on_body < 0) return;
    slide->target_body = def->on_body;
    slide->surface = sn_slide_surface_of(&model->bodies[def->on_body]);
}

// Obstacles where they are by now.
static SnObstacle* place_obstacles(const SnModel* model, const SnState* state)
{
    double now = state->step > 0 ? state->time - state->lag : 0;
    SnObstacle* placed =
        sn_copy_memory(model->obstacle_shapes, (size_t)model->obstacle_count, sizeof *placed, "a slide");
    for (int k = 0; k < model->obstacle_count && placed && state->step > 0; k++) {
        SnPose pose;
        sn_steer_pose(&model->obstacles[k], now, &pose);
        sn_obstacle_place(&placed[k], &pose, &pose, now, now);
    }
    return placed;
}

static SnStatus fill(const SnModel* model, const SnState* state, SnSlide* slide, const SnSlideDef* def)
{
    set_target(slide, model, def);
    SN_TRY(sn_body_choose_nodes(&model->bodies[def->body], def->nodes, def->node_count, "a slide", &slide->nodes,
                                &slide->node_count));
    SnObstacle* placed = place_obstacles(model, state);
    if (!placed) return SN_ERROR_MEMORY;
    SnSlideScene scene = {.tasks = model->tasks, .obstacle_count = model->obstacle_count, .obstacles = placed};
    SnStatus status = sn_slide_build(slide, &scene, state->x, def->distance);
    sn_free(placed);
    return status;
}

SnStatus sn_world_add_slide(SnWorld* world, const SnSlideDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    SN_TRY(check(model, def));
    SN_TRY(sn_shelf_check_tie(world, def->body, "a slide"));
    if (def->on_body >= 0) SN_TRY(sn_shelf_check_tie(world, def->on_body, "a slide"));
    sn_world_discard_problem(world); // it knows where the slides are now
    if (!SN_GROW(model->slides, model->slide_capacity, model->slide_count + 1, "slides")) return SN_ERROR_MEMORY;
    SnSlide* slide = &model->slides[model->slide_count];
    *slide = (SnSlide){0};
    SnStatus status = fill(model, &world->state, slide, def);
    if (status != SN_OK) {
        sn_slide_free(slide);
        return status;
    }
    sn_change_structure(world);
    if (index) *index = model->slide_count;
    model->slide_count++;
    return sn_added_note_slide(world, def);
}

// One without nodes is none.
SnStatus sn_world_release_slide(SnWorld* world, int index)
{
    SN_CHANGE(world);
    if (index < 0 || index >= world->model.slide_count)
        return sn_fail(SN_ERROR_VALUE, "there is no slide %d; the world has %d, counted from 0", index,
                       world->model.slide_count);
    sn_change_structure(world);
    world->model.slides[index].node_count = 0;
    return sn_world_note(world, "release-slide", index, 0, NULL);
}

void sn_slides_warn(const SnModel* model, SnProblem* problem)
{
    const SnConstraintSet* now = problem->constraints.now;
    double first = INFINITY;
    if (model->slide_count < 2 || problem->slides_told) return;
    for (int i = now->count - 1; i >= 0; i--)
        if (now->items[i].constraint.contradicts)
            first = sn_share_number(model->tasks, now->items[i].constraint.at.node[0]);
    first = sn_share_smallest(model->tasks, first);
    if (!isfinite(first)) return;
    problem->slides_told = true;
    sn_log(&model->def.log, SN_LOG_WARNING,
           "slides contradict each other, at node %d first: it cannot be at its distance from all that it slides on, "
           "so they give way like springs",
           (int)first);
}
