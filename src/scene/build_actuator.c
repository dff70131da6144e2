// An actuator: what changes in which elements of a body.
#include "potential/actuator.h"
#include "scene/build.h"
#include "world/definitions.h"

// Elements are copied into the arena, so that nothing is to be freed.
SnStatus sn_build_actuator(SnScene* scene, int index)
{
    SnActuatorDef* def = &scene->actuators[index].def;
    const SnActuatorPart* part = (const SnActuatorPart*)scene->part.actuators.items + index;
    const char* context = sn_arena_print(&scene->arena, "actuator %d", index);
    if (!context) return SN_ERROR_MEMORY;
    scene->actuators[index].name = part->name ? part->name : context;
    if (!part->node || !part->body) return SN_OK; // reported
    const SnActuatorType* type = sn_find_kind(scene, &sn_actuator_table, part->node, context);
    int found = sn_find_body(scene, sn_node_find(part->node, "body"), context), errors = scene->problems.errors;
    if (!type || found < 0 || !scene->bodies[found].mesh) return SN_OK;
    *def = part->def;
    def->type = type->name, def->body = found;
    sn_check_strangers(&scene->problems, &sn_actuator_table, part->node, context, type, NULL);
    if (sn_actuator_check(def) != SN_OK && scene->problems.errors == errors)
        sn_problem_error(&scene->problems, part->node->place, "%s: %s", context, sn_last_error());
    SnElementChoice choice = {part->node, part->group, &part->where, context};
    return sn_choose_elements(scene, &scene->bodies[found], choice, &def->elements, &def->element_count);
}
