// Sliding: nodes that stay on a surface, at their distance from it, and move freely along it. On an obstacle the
// surface goes its own way; on a body it gives way, by a row over the node and the corners of the triangle it is on.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/world.h"

SnSlideDef sn_default_slide_def(void)
{
    return (SnSlideDef){.on_body = -1, .on_obstacle = -1, .distance = NAN};
}

void sn_slide_free(SnSlide* slide)
{
    sn_free(slide->nodes), sn_free(slide->distance);
    sn_tree_destroy(slide->tree);
    sn_normals_destroy(slide->normals);
    *slide = (SnSlide){0};
}

static SnStatus check(const SnWorld* world, const SnSlideDef* def)
{
    if (world->state.step > 0) return sn_fail(SN_ERROR_VALUE, "slides must be added before the first step");
    if (def->body < 0 || def->body >= world->model.body_count)
        return sn_fail(SN_ERROR_VALUE, "a slide names body %d: the world has %d", def->body, world->model.body_count);
    if (def->on_body >= world->model.body_count || def->on_obstacle >= world->model.obstacle_count)
        return sn_fail(SN_ERROR_VALUE, "a slide is on body %d, obstacle %d: the world has %d and %d", def->on_body,
                       def->on_obstacle, world->model.body_count, world->model.obstacle_count);
    if ((def->on_body >= 0) == (def->on_obstacle >= 0))
        return sn_fail(SN_ERROR_VALUE, "a slide is on either a body or an obstacle");
    if (def->on_body == def->body)
        return sn_fail(SN_ERROR_VALUE, "body '%s' cannot slide on itself", world->model.bodies[def->body].name);
    if (def->on_body >= 0 && world->model.bodies[def->on_body].surface_count == 0)
        return sn_fail(SN_ERROR_VALUE, "body '%s' has no surface to slide on", world->model.bodies[def->on_body].name);
    return SN_OK;
}

static SnStatus copy_nodes(SnSlide* slide, const SnBody* body, const SnSlideDef* def)
{
    slide->node_count = def->nodes ? def->node_count : body->node_count;
    if (!SN_NEW(slide->nodes, slide->node_count, "a slide") || !SN_NEW(slide->distance, slide->node_count, "a slide"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < slide->node_count; i++) {
        int node = def->nodes ? def->nodes[i] : i;
        if (node < 0 || node >= body->node_count)
            return sn_fail(SN_ERROR_VALUE, "a slide names node %d of body '%s', which has nodes 0 to %d", node,
                           body->name, body->node_count - 1);
        slide->nodes[i] = body->first_node + node;
    }
    return SN_OK;
}

// The nearest point of the surface to a node at p: its distance, negative inside, and the direction away from it. The
// row's nodes and weights are set.
static double on_body(const SnSlide* slide, const SnBody* body, const double* x, const double* p, SnRow* row)
{
    SnNearest nearest;
    const double* surface_x = x + 3 * (int64_t)body->first_node;
    if (!sn_tree_nearest(slide->tree, surface_x, p, INFINITY, NULL, NULL, &nearest)) return NAN;
    sn_normals_at(slide->normals, &nearest, row->normal);
    double away[3];
    sn_subtract3(p, nearest.point, away);
    double sign = sn_dot3(away, row->normal) < 0 ? -1 : 1;
    if (nearest.distance > 1e-6 * slide->size) // closer, rounding leaves no direction
        for (int c = 0; c < 3; c++) row->normal[c] = sign * away[c] / nearest.distance;
    row->count = 4;
    for (int k = 0; k < 3; k++) {
        row->node[k + 1] = body->first_node + body->surface[3 * (int64_t)nearest.item + k];
        row->weight[k + 1] = -nearest.weights[k];
    }
    return sign * nearest.distance;
}

// The row of one node at x, without its offset; returns the signed distance, NAN where there is none.
static double make_row(const SnWorld* world, const SnSlide* slide, int index, const double* x, SnRow* row)
{
    int node = slide->nodes[index];
    const double* p = x + 3 * (int64_t)node;
    *row = (SnRow){.count = 1, .node = {node}, .weight = {1}};
    if (slide->on_body >= 0) return on_body(slide, &world->model.bodies[slide->on_body], x, p, row);
    return sn_obstacle_distance(&world->model.obstacle_shapes[slide->on_obstacle], p, row->normal);
}

static void refit(SnSlide* slide, const SnWorld* world, const double* x)
{
    if (slide->on_body < 0) return;
    const double* surface_x = x + 3 * (int64_t)world->model.bodies[slide->on_body].first_node;
    sn_tree_refit(slide->tree, world->model.tasks, surface_x, 0);
    sn_normals_update(slide->normals, surface_x);
}

static SnStatus fill(SnWorld* world, SnSlide* slide, const SnSlideDef* def)
{
    slide->on_body = def->on_body, slide->on_obstacle = def->on_obstacle;
    SN_TRY(copy_nodes(slide, &world->model.bodies[def->body], def));
    if (slide->on_body >= 0) {
        const SnBody* on = &world->model.bodies[slide->on_body];
        SN_TRY(sn_tree_create(on->surface_count, 3, on->surface, on->rest, &slide->tree));
        SN_TRY(sn_normals_create(on->surface_count, on->surface, on->node_count, &slide->normals));
        for (int i = 0; i < 3 * on->node_count; i++)
            slide->size = fmax(slide->size, fabs(on->rest[i] - on->rest[i % 3]));
        refit(slide, world, world->state.x);
    }
    for (int i = 0; i < slide->node_count; i++) {
        SnRow row;
        double distance = make_row(world, slide, i, world->state.x, &row);
        slide->distance[i] = isnan(def->distance) ? distance : def->distance;
    }
    return SN_OK;
}

SnStatus sn_world_add_slide(SnWorld* world, const SnSlideDef* def, int* index)
{
    SN_TRY(check(world, def));
    if (!SN_GROW(world->model.slides, world->model.slide_capacity, world->model.slide_count + 1, "slides"))
        return SN_ERROR_MEMORY;
    SnSlide* slide = &world->model.slides[world->model.slide_count];
    *slide = (SnSlide){0};
    SnStatus status = fill(world, slide, def);
    if (status != SN_OK) {
        sn_slide_free(slide);
        return status;
    }
    if (index) *index = world->model.slide_count;
    world->model.slide_count++;
    return SN_OK;
}

static void set_velocity(const SnWorld* world, const SnSlide* slide, const double* p, SnRow* row)
{
    double moved[3], span = world->problem.rows_time - world->state.time;
    if (slide->on_obstacle < 0 || !(span > 0)) return;
    sn_obstacle_carry(&world->model.obstacle_shapes[slide->on_obstacle], p, moved);
    for (int c = 0; c < 3; c++) row->velocity[c] = moved[c] / span;
}

static SnStatus collect(SnWorld* world, int index, const double* x)
{
    SnSlide* slide = &world->model.slides[index];
    refit(slide, world, x);
    for (int i = 0; i < slide->node_count; i++) {
        SnRow row;
        const double* p = x + 3 * (int64_t)slide->nodes[i];
        double distance = make_row(world, slide, i, x, &row);
        if (isnan(distance)) continue;
        // n.(x - p) = d, linear around here, where the distance is what it is
        row.offset = sn_row_gap(&row, x) - distance + slide->distance[i];
        row.key = (int64_t)index << 32 | slide->nodes[i];
        set_velocity(world, slide, p, &row);
        SN_TRY(sn_row_set_add(&world->state.rows, &row));
    }
    return SN_OK;
}

SnStatus sn_world_collect_slides(SnWorld* world, const double* x)
{
    for (int k = 0; k < world->model.slide_count; k++) SN_TRY(collect(world, k, x));
    return SN_OK;
}

// A node that slides on something does not touch it as well.
bool sn_world_slides_on(const SnWorld* world, int node, int target)
{
    for (int k = 0; k < world->model.slide_count; k++) {
        const SnSlide* slide = &world->model.slides[k];
        if (target != (slide->on_obstacle >= 0 ? slide->on_obstacle : world->model.obstacle_count + slide->on_body))
            continue;
        for (int i = 0; i < slide->node_count; i++)
            if (slide->nodes[i] == node) return true;
    }
    return false;
}
