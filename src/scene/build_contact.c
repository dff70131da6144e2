// How things touch: groups of bodies and obstacles, and pairs of these.
#include <stdlib.h>
#include <string.h>

#include "scene/build.h"
#include "world/model.h"

// A list of names, or a lone one. extra: one more; NULL: none.
static SnStatus read_groups(SnScene* scene, const SnNode* node, const char* context, const char* extra,
                            const char* const** groups, int* count)
{
    bool lone = node && node->kind == SN_NODE_SCALAR && !sn_node_is_null(node);
    int most = (node && node->kind == SN_NODE_LIST ? node->count : 1) + 1;
    const char** names = sn_arena_allocate(&scene->arena, (size_t)most * sizeof *names);
    if (!names) return SN_ERROR_MEMORY;
    *groups = names;
    if (extra) names[(*count)++] = extra;
    if (sn_node_is_null(node)) return SN_OK;
    for (const SnNode* item = lone ? node : node->first; item; item = lone ? NULL : item->next) {
        if (item->kind == SN_NODE_SCALAR && !sn_node_is_null(item) && strcmp(item->text, SN_ALL) != 0)
            names[(*count)++] = item->text;
        else
            sn_problem_error(&scene->problems, item->place,
                             "'groups' in %s is a list of names, as in [cloth]; '" SN_ALL "' is everything; found %s",
                             context, sn_node_words(item).text);
    }
    return SN_OK;
}

// Copies are in a group of the name that they have in common; a single one has that name itself.
SnStatus sn_build_body_contact(SnScene* scene, SnSceneBody* body)
{
    const SnBodyContactPart* part = &body->part->contact;
    const SnNode* name = sn_node_find(body->part->node, "name");
    body->contact = part->def;
    body->contact.self = -1;
    if (!sn_node_is_null(sn_node_find(part->node, "self"))) body->contact.self = part->self;
    bool copy = name && body->part->copies.node && strcmp(name->text, body->name) != 0;
    return read_groups(scene, part->groups, body->context, copy ? name->text : NULL, &body->contact.groups,
                       &body->contact.group_count);
}

SnStatus sn_build_obstacle_groups(SnScene* scene, SnSceneObstacle* obstacle, const SnNode* groups)
{
    return read_groups(scene, groups, obstacle->context, NULL, &obstacle->def.groups, &obstacle->def.group_count);
}

// Who has a name.
typedef struct Meant {
    int bodies, obstacles, in_groups; // of each, how many
} Meant;

static bool has(const char* const* groups, int count, const char* name)
{
    bool found = false;
    for (int i = 0; i < count; i++) found |= strcmp(groups[i], name) == 0;
    return found;
}

static const char* obstacle_name(SnScene* scene, int index)
{
    const char* given = scene->obstacles[index].def.name;
    return given ? given : sn_arena_print(&scene->arena, "obstacle %d", index);
}

static Meant find(SnScene* scene, const char* name)
{
    Meant m = {0};
    for (int i = 0; i < scene->body_count; i++) {
        const SnSceneBody* b = &scene->bodies[i];
        m.bodies += strcmp(b->name, name) == 0;
        m.in_groups += has(b->contact.groups, b->contact.group_count, name);
    }
    for (int i = 0; i < scene->obstacle_count; i++) {
        const SnObstacleDef* o = &scene->obstacles[i].def;
        const char* own = obstacle_name(scene, i);
        m.obstacles += own && strcmp(own, name) == 0;
        m.in_groups += has(o->groups, o->group_count, name);
    }
    return m;
}

static void report_unknown(SnScene* scene, const SnNode* node, const char* context)
{
    enum { MOST = 64 };
    const char* names[MOST];
    int count = 0;
    for (int i = 0; i < scene->body_count && count < MOST; i++) names[count++] = scene->bodies[i].name;
    for (int i = 0; i < scene->obstacle_count && count < MOST; i++)
        if (obstacle_name(scene, i)) names[count++] = obstacle_name(scene, i);
    for (int i = 0; i < scene->body_count; i++)
        for (int k = 0; k < scene->bodies[i].contact.group_count && count < MOST; k++)
            if (!has(names, count, scene->bodies[i].contact.groups[k]))
                names[count++] = scene->bodies[i].contact.groups[k];
    if (count < MOST) names[count++] = SN_ALL;
    sn_report_unknown(&scene->problems, node->place, "name", node->text, context, names, count);
}

// The name that the world knows it by; NULL: a problem was recorded.
static const char* read_name(SnScene* scene, const SnNode* node, const char* context, Meant* meant)
{
    if (node->kind != SN_NODE_SCALAR || sn_node_is_null(node)) {
        sn_problem_error(&scene->problems, node->place, "'between' in %s is two names, found %s", context,
                         sn_node_words(node).text);
        return NULL;
    }
    *meant = find(scene, node->text);
    size_t digits = strspn(node->text, "0123456789");
    if ((meant->bodies > 0) + (meant->obstacles > 0) + (meant->in_groups > 0) > 1)
        sn_problem_error(&scene->problems, node->place,
                         "'%.60s' in %s is the name of more than one of a body, an obstacle and a group; rename one",
                         node->text, context);
    else if (meant->bodies || meant->obstacles || meant->in_groups || strcmp(node->text, SN_ALL) == 0)
        return node->text;
    else if (digits > 0 && digits < 9 && !node->text[digits] && atoi(node->text) < scene->body_count)
        return scene->bodies[atoi(node->text)].name;
    else
        report_unknown(scene, node, context);
    return NULL;
}

static void read_between(SnScene* scene, const SnNode* node, const char* context, SnContactPairDef* def)
{
    Meant meant[2] = {0};
    if (node->kind != SN_NODE_LIST || node->count != 2) {
        sn_problem_error(&scene->problems, node->place,
                         "'between' in %s must be two names, as in [shirt, floor]; found %s", context,
                         sn_node_words(node).text);
        return;
    }
    for (int k = 0; k < 2; k++) def->between[k] = read_name(scene, sn_node_item(node, k), context, &meant[k]);
    if (meant[0].obstacles && meant[1].obstacles)
        sn_problem_error(&scene->problems, node->place, "%s is between two obstacles, which never touch", context);
}

SnStatus sn_build_contact_pair(SnScene* scene, int index)
{
    const SnContactPairPart* part = (const SnContactPairPart*)scene->part.contact_pairs.items + index;
    SnContactPairDef* def = &scene->contact_pairs[index];
    *def = part->def;
    def->touch = -1;
    const char* context = sn_arena_print(&scene->arena, "pair %d", index);
    if (!context) return SN_ERROR_MEMORY;
    if (!part->node || !part->between) return SN_OK; // reported
    if (!sn_node_is_null(sn_node_find(part->node, "touch"))) def->touch = part->touch;
    read_between(scene, part->between, context, def);
    if (def->touch < 0 && def->friction < 0 && scene->problems.errors == 0)
        sn_problem_error(&scene->problems, part->node->place,
                         "%s says nothing about its two; give it 'touch' or 'friction'", context);
    return SN_OK;
}
