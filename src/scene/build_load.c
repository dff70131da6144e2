// A load: what acts on which nodes of a body.
#include <math.h>
#include <stdio.h>

#include "potential/load.h"
#include "potential/ramp.h"
#include "scene/build.h"
#include "world/definitions.h"

const void* sn_find_kind(SnScene* scene, const SnTable* table, const SnNode* node, const char* context)
{
    const void* found = NULL;
    char names[300] = "";
    int count = 0;
    for (int i = 0; sn_table_at(table, i); i++) {
        sn_append(names, sizeof names, "%s%s", i ? ", " : "", sn_table_name(table, i));
        if (sn_node_is_null(sn_node_find(node, sn_table_name(table, i)))) continue;
        found = sn_table_at(table, i), count++;
    }
    if (count == 1) return found;
    sn_problem_error(&scene->problems, node->place, "%s has %s of %s; it must have one of %s", context,
                     count ? "several kinds" : "no kind", table->noun, names);
    return NULL;
}

static void check(SnScene* scene, const SnLoadPart* part, const SnLoadType* type, const SnSceneBody* body,
                  const char* context)
{
    sn_check_strangers(&scene->problems, &sn_load_table, part->node, context, type, NULL);
    if (type->on_surface && body->mesh->tetrahedron_count == 0 && body->mesh->triangle_count == 0)
        sn_problem_error(&scene->problems, part->node->place,
                         "%s is made of edges and has no surface for the %s of %s; a sheet or a solid has",
                         body->context, type->name, context);
    if (!isnan(part->def.at[0]) && body->mesh->tetrahedron_count == 0 && body->mesh->triangle_count == 0)
        sn_problem_error(&scene->problems, sn_node_find(part->node, "at")->place,
                         "%s is made of edges and has no surface for a force at a point; give 'where'", body->context);
    if (sn_ramp_check(&part->def.ramp, "a load") != SN_OK)
        sn_problem_error(&scene->problems, sn_node_find(part->node, "ramp")->place, "%s: %s", context, sn_last_error());
}

SnStatus sn_build_load(SnScene* scene, int index)
{
    SnSceneLoad* load = &scene->loads[index];
    const SnLoadPart* part = (const SnLoadPart*)scene->part.loads.items + index;
    const char* context = sn_arena_print(&scene->arena, "load %d", index);
    char* where = sn_arena_print(&scene->arena, "where of load %d", index);
    if (!context || !where) return SN_ERROR_MEMORY;
    load->name = part->name ? part->name : context;
    if (!part->node || !part->body) return SN_OK; // reported
    const SnLoadType* type = sn_find_kind(scene, &sn_load_table, part->node, context);
    int found = sn_find_body(scene, sn_node_find(part->node, "body"), context);
    if (!type || found < 0 || !scene->bodies[found].mesh) return SN_OK;
    load->def = part->def;
    load->def.type = type->name, load->def.body = found;
    check(scene, part, type, &scene->bodies[found], context);
    if (!part->where.node) return SN_OK;
    if (!isnan(part->def.at[0]))
        sn_problem_error(&scene->problems, part->where.node->place, "%s has 'at' and 'where'; give one of them",
                         context);
    SN_TRY(sn_select_nodes(scene, &scene->bodies[found], &part->where, where, &load->nodes, &load->def.node_count));
    load->def.nodes = load->nodes;
    return SN_OK;
}
