// An attachment: which nodes of a body are tied to what of another one.
#include "scene/build.h"

SnStatus sn_build_attachment(SnScene* scene, int index)
{
    SnSceneAttachment* attachment = &scene->attachments[index];
    const SnAttachPart* part = (const SnAttachPart*)scene->part.attach.items + index;
    const char* context = sn_arena_print(&scene->arena, "attachment %d", index);
    if (!context) return SN_ERROR_MEMORY;
    attachment->name = part->name ? part->name : context;
    attachment->def = part->def;
    SnAttachmentDef* def = &attachment->def;
    if (!part->node || !part->from.node || !part->to.node) return SN_OK; // reported
    SN_TRY(sn_build_end(scene, &part->from, -1, "from", context, &def->from, &attachment->nodes[0]));
    SN_TRY(sn_build_end(scene, &part->to, -1, "to", context, &def->to, &attachment->nodes[1]));
    const SnNode* ends[] = {part->from.node, part->to.node};
    const char* bodies[] = {part->from.body, part->to.body};
    for (int k = 0; k < 2; k++)
        if (!bodies[k])
            sn_problem_error(&scene->problems, ends[k]->place, "'%s' of %s names no body; write {body: NAME}",
                             k ? "to" : "from", context);
    return SN_OK;
}
