// A body's dampings: type, numbers, curve, and the elements they are for.
#include "scene/build.h"

#include "dissipation/dissipation.h"

static SnStatus read_damping(SnScene* scene, const SnSceneBody* body, int index, SnDampingDef* def)
{
    const SnDampingPart* part = (const SnDampingPart*)body->part->damping.items + index;
    const char* context = sn_arena_print(&scene->arena, "damping %d of %s", index, body->context);
    if (!context) return SN_ERROR_MEMORY;
    *def = part->def;
    const SnDissipationType* type = def->type ? sn_dissipation_find(def->type) : NULL;
    if (!part->node || !type) return SN_OK; // reported
    int errors = scene->problems.errors;
    sn_check_strangers(&scene->problems, &sn_dissipation_table, part->node, context, type,
                       sn_dissipation_base(type, def));
    SnElementChoice choice = {part->node, part->group, &part->where, context};
    SN_TRY(sn_choose_elements(scene, body, choice, &def->elements, &def->element_count));
    SnDissipation unused;
    if (scene->problems.errors == errors && sn_dissipation_set(&unused, def) != SN_OK)
        sn_problem_error(&scene->problems, part->node->place, "%s: %s", context, sn_last_error());
    return SN_OK;
}

SnStatus sn_build_damping(SnScene* scene, SnSceneBody* body)
{
    int count = body->part->damping.count;
    if (count == 0) return SN_OK;
    body->dampings = sn_arena_allocate(&scene->arena, (size_t)count * sizeof *body->dampings);
    if (!body->dampings) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) SN_TRY(read_damping(scene, body, i, &body->dampings[i]));
    body->damping_count = count;
    return SN_OK;
}
