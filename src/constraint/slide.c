// Sliding: nodes that stay on a surface.
#include "constraint/slide.h"

#include <math.h>

#include "core/share.h"
#include "linalg/vec3.h"

void sn_slide_free(SnSlide* slide)
{
    SN_FREE(slide->nodes, slide->distance, slide->off);
    sn_tree_destroy(slide->tree);
    sn_normals_destroy(slide->normals);
    *slide = (SnSlide){0};
}

// The nearest point of the surface to a node at p: its distance, negative inside, and the direction away from it. Nodes
// and weights are set.
static double on_body(const SnSlide* slide, const double* x, const double* p, SnStencil* at)
{
    SnNearest nearest;
    const SnSlideSurface* surface = &slide->surface;
    const double* surface_x = x + 3 * (int64_t)surface->first_node;
    if (!sn_tree_nearest(slide->tree, surface_x, p, INFINITY, NULL, NULL, &nearest)) return NAN;
    sn_normals_at(slide->normals, &nearest, at->normal);
    double away[3];
    sn_subtract3(p, nearest.point, away);
    double sign = sn_dot3(away, at->normal) < 0 ? -1 : 1;
    if (nearest.distance > 1e-6 * slide->size) // closer, rounding leaves no direction
        for (int c = 0; c < 3; c++) at->normal[c] = sign * away[c] / nearest.distance;
    at->count = 4;
    for (int k = 0; k < 3; k++) {
        at->node[k + 1] = surface->first_node + surface->triangles[3 * (int64_t)nearest.item + k];
        at->weight[k + 1] = -nearest.weights[k];
    }
    return sign * nearest.distance;
}

// The plane of one node at x, without its offset; returns the signed distance, NAN where there is none.
static double find_plane(const SnSlide* slide, const SnSlideScene* scene, int index, const double* x, SnStencil* at)
{
    int node = slide->nodes[index];
    const double* p = x + 3 * (int64_t)node;
    *at = (SnStencil){.count = 1, .node = {node}, .weight = {1}};
    if (slide->obstacle < 0) return on_body(slide, x, p, at);
    return sn_obstacle_distance(&scene->obstacles[slide->obstacle], p, at->normal);
}

static void refit(SnSlide* slide, SnTasks* tasks, const double* x)
{
    if (slide->obstacle >= 0) return;
    const double* surface_x = x + 3 * (int64_t)slide->surface.first_node;
    sn_tree_refit(slide->tree, tasks, surface_x, 0);
    sn_normals_update(slide->normals, surface_x);
}

static SnStatus build_surface(SnSlide* slide)
{
    const SnSlideSurface* s = &slide->surface;
    SN_TRY(sn_tree_create(s->count, 3, s->triangles, s->rest, &slide->tree));
    SN_TRY(sn_normals_create(s->count, s->triangles, s->node_count, &slide->normals));
    for (int i = 0; i < 3 * s->node_count; i++) slide->size = fmax(slide->size, fabs(s->rest[i] - s->rest[i % 3]));
    return SN_OK;
}

SnStatus sn_slide_set_surface(SnSlide* slide, const SnSlideSurface* surface)
{
    double size = slide->size;
    sn_tree_destroy(slide->tree), sn_normals_destroy(slide->normals);
    slide->tree = NULL, slide->normals = NULL;
    slide->surface = *surface;
    SN_TRY(build_surface(slide));
    slide->size = size;
    return SN_OK;
}

SnStatus sn_slide_build(SnSlide* slide, const SnSlideScene* scene, const double* x, double distance)
{
    if (slide->obstacle < 0) SN_TRY(build_surface(slide));
    refit(slide, scene->tasks, x);
    if (!SN_NEW(slide->distance, slide->node_count, "a slide") || !SN_NEW(slide->off, slide->node_count, "a slide"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < slide->node_count; i++) {
        SnStencil at;
        double now = find_plane(slide, scene, i, x, &at);
        slide->distance[i] = isnan(distance) ? now : distance;
    }
    return SN_OK;
}

static void set_velocity(const SnSlide* slide, const SnSlideScene* scene, const double* p, double velocity[3])
{
    double moved[3];
    if (slide->obstacle < 0 || !(scene->span > 0)) return;
    sn_obstacle_carry(&scene->obstacles[slide->obstacle], p, moved);
    for (int c = 0; c < 3; c++) velocity[c] = moved[c] / scene->span;
}

// How much further than its distance the node is where the step begins, with obstacles where they are then.
static double find_off(const SnSlide* slide, const SnSlideScene* scene, int index, const double* p, double distance)
{
    double unused[3];
    if (slide->obstacle >= 0) distance = sn_obstacle_distance_at(&scene->obstacles[slide->obstacle], 0, p, unused);
    return distance - slide->distance[index];
}

SnStatus sn_slide_collect(SnSlide* slide, int number, const SnSlideScene* scene, const double* x, SnConstraintSet* set)
{
    refit(slide, scene->tasks, x);
    for (int i = 0; i < slide->node_count; i++) {
        SnKept item = {.constraint = {.key = (int64_t)number << 32 | sn_share_number(scene->tasks, slide->nodes[i])}};
        SnStencil* at = &item.constraint.at;
        double distance = find_plane(slide, scene, i, x, at);
        if (isnan(distance)) continue;
        const double* p = x + 3 * (int64_t)slide->nodes[i];
        if (scene->begins) slide->off[i] = find_off(slide, scene, i, p, distance);
        // n.(x - p) = d, linear around here, where the distance is what it is
        at->offset = sn_stencil_gap(at, x) - distance + slide->distance[i];
        item.constraint.drawn = -slide->off[i];
        set_velocity(slide, scene, p, item.constraint.velocity);
        SN_TRY(sn_constraint_set_add(set, &item));
    }
    return SN_OK;
}

bool sn_slide_holds(const SnSlide* slide, int obstacle_count, int node, int target)
{
    int own = slide->obstacle >= 0 ? slide->obstacle : obstacle_count + slide->target_body;
    if (target != own) return false;
    for (int i = 0; i < slide->node_count; i++)
        if (slide->nodes[i] == node) return true;
    return false;
}
