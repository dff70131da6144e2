// Slides as they are defined.
#include <math.h>

#include "core/handle.h"
#include "core/share.h"
#include "world/definitions.h"
#include "world/world.h"

static SnStatus check(const SnModel* model, const SnSlideDef* def)
{
    SN_TRY(sn_parameters_check(sn_slide_parameters, def, "slide"));
    SN_TRY(sn_model_check_body(model, def->body, "a slide names"));
    if (def->on_body >= model->body_count || def->on_obstacle >= model->obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "a slide is on body %d, obstacle %d: the world has %d and %d", def->on_body,
                       def->on_obstacle, model->body_count, model->obstacle_count);
    if ((def->on_body >= 0) == (def->on_obstacle >= 0))
        return sn_fail(SN_ERROR_VALUE, "a slide is on either a body or an obstacle");
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

static SnStatus fill(const SnModel* model, const double* x, SnSlide* slide, const SnSlideDef* def)
{
    set_target(slide, model, def);
    SN_TRY(sn_body_choose_nodes(&model->bodies[def->body], def->nodes, def->node_count, "a slide", &slide->nodes,
                                &slide->node_count));
    SnSlideScene scene = {model->tasks, model->obstacle_count, model->obstacle_shapes, 0};
    return sn_slide_build(slide, &scene, x, def->distance);
}

SnStatus sn_world_add_slide(SnWorld* world, const SnSlideDef* def, int* index)
{
    SN_HANDLE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    if (world->state.step > 0) return sn_fail(SN_ERROR_VALUE, "slides must be added before the first step");
    SN_TRY(check(model, def));
    sn_world_discard_problem(world); // it knows where the slides are now
    if (!SN_GROW(model->slides, model->slide_capacity, model->slide_count + 1, "slides")) return SN_ERROR_MEMORY;
    SnSlide* slide = &model->slides[model->slide_count];
    *slide = (SnSlide){0};
    SnStatus status = fill(model, world->state.x, slide, def);
    if (status != SN_OK) {
        sn_slide_free(slide);
        return status;
    }
    sn_world_discard_problem(world);
    if (index) *index = model->slide_count;
    model->slide_count++;
    return SN_OK;
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
