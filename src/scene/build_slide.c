// A slide: which nodes of a body stay on which surface, of another body or of an obstacle.
#include <string.h>

#include "scene/build.h"

void sn_free_slide(SnSceneSlide* slide)
{
    sn_free(slide->nodes);
}

// What it is on, by name: an obstacle, or else a body.
static void find_surface(SnScene* scene, SnSceneSlide* slide, const SnNode* node, const char* context)
{
    for (int i = 0; i < scene->obstacle_count && slide->def.on_obstacle < 0; i++) {
        const char* name = scene->obstacles[i].def.name;
        if (name && strcmp(name, node->text) == 0) slide->def.on_obstacle = i;
    }
    if (slide->def.on_obstacle >= 0) return;
    slide->def.on_body = sn_find_body(scene, node, context);
    int on = slide->def.on_body;
    if (on < 0) return;
    const SnSceneBody* body = &scene->bodies[on];
    if (on == slide->def.body)
        sn_problem_error(&scene->problems, node->place, "%s slides on itself; 'on' is another body or an obstacle",
                         body->context);
    else if (body->mesh && body->mesh->tetrahedron_count == 0 && body->mesh->triangle_count == 0)
        sn_problem_error(&scene->problems, node->place,
                         "%s is made of edges and has no surface to slide on; a sheet, a solid or an obstacle has",
                         body->context);
}

SnStatus sn_build_slide(SnScene* scene, int index)
{
    SnSceneSlide* slide = &scene->slides[index];
    const SnSlidePart* part = (const SnSlidePart*)scene->part.slides.items + index;
    slide->def = part->def;
    const char* context = sn_arena_print(&scene->arena, "slide %d", index);
    char* where = sn_arena_print(&scene->arena, "where of slide %d", index);
    if (!context || !where) return SN_ERROR_MEMORY;
    if (!part->node || !part->body || !part->on) return SN_OK; // reported
    int found = sn_find_body(scene, sn_node_find(part->node, "body"), context);
    if (found < 0 || !scene->bodies[found].mesh) return SN_OK;
    slide->def.body = found;
    find_surface(scene, slide, sn_node_find(part->node, "on"), context);
    if (!part->where.node) return SN_OK;
    SN_TRY(sn_select_nodes(scene, &scene->bodies[found], &part->where, where, &slide->nodes, &slide->def.node_count));
    slide->def.nodes = slide->nodes;
    return SN_OK;
}
