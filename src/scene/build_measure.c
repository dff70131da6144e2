// Probes: what `measure` asks for, and, with `forces` of `output`, what everything exerts.
#include <stdio.h>
#include <string.h>

#include "scene/build.h"
#include "world/probe.h"

enum { MOST_PAIRS = 64 }; // of bodies, for `forces`

void sn_free_probe(SnSceneProbe* probe)
{
    for (int k = 0; k < 3; k++) sn_free(probe->nodes[k]);
}

// --- by name ---

static bool is_named(const char* name, const char* given)
{
    return name && strcmp(name, given) == 0;
}

// All things of that name; the names of all where there is none.
typedef struct Found {
    int handle, obstacle, load, attachment, count;
    const char* names[SN_MOST_NAMES];
    int name_count;
} Found;

static void compare(Found* found, const char* name, const char* given, int index, int* member)
{
    if (name && found->name_count < SN_MOST_NAMES) found->names[found->name_count++] = name;
    if (!is_named(name, given)) return;
    *member = index, found->count++;
}

static Found find_named(const SnScene* scene, const char* given)
{
    Found found = {-1, -1, -1, -1, 0, {0}, 0};
    for (int i = 0; i < scene->handle_count; i++) compare(&found, scene->handles[i].name, given, i, &found.handle);
    for (int i = 0; i < scene->obstacle_count; i++)
        compare(&found, scene->obstacles[i].name, given, i, &found.obstacle);
    for (int i = 0; i < scene->load_count; i++) compare(&found, scene->loads[i].name, given, i, &found.load);
    for (int i = 0; i < scene->attachment_count; i++)
        compare(&found, scene->attachments[i].name, given, i, &found.attachment);
    return found;
}

static void read_source(SnScene* scene, const SnNode* node, const char* context, SnProbeDef* def)
{
    SnProblems* problems = &scene->problems;
    if (node->kind == SN_NODE_LIST && node->count == 2) {
        for (int k = 0; k < 2; k++) {
            const SnNode* item = sn_node_item(node, k);
            if (item->kind == SN_NODE_SCALAR && !sn_node_is_null(item))
                def->pair[k] = sn_find_body(scene, item, context);
            else
                sn_problem_error(problems, item->place, "'of' in %s is a name or two bodies, found %s", context,
                                 sn_node_words(item).text);
        }
        return;
    }
    if (node->kind != SN_NODE_SCALAR || sn_node_is_null(node)) {
        sn_problem_error(problems, node->place, "'of' in %s is a name, or two bodies as in [ball, bar], found %s",
                         context, sn_node_words(node).text);
        return;
    }
    Found found = find_named(scene, node->text);
    if (found.count == 0)
        sn_report_unknown(problems, node->place, "handle, obstacle, load or attachment", node->text, context,
                          found.names, found.name_count);
    if (found.count > 1)
        sn_problem_error(problems, node->place, "'%s' in %s is the name of %d things; give them names of their own",
                         node->text, context, found.count);
    def->handle = found.handle, def->obstacle = found.obstacle, def->load = found.load;
    def->attachment = found.attachment;
}

// --- places ---

SnStatus sn_build_end(SnScene* scene, const SnProbeEndPart* part, int usual, const char* key, const char* context,
                      SnPlaceDef* def, int** nodes)
{
    char* where = sn_arena_print(&scene->arena, "'%s' of %s", key, context);
    if (!where) return SN_ERROR_MEMORY;
    def->body = part->body ? sn_find_body(scene, sn_node_find(part->node, "body"), where) : usual;
    if (def->body < 0 || !scene->bodies[def->body].mesh || !part->where.node) return SN_OK;
    SN_TRY(sn_select_nodes(scene, &scene->bodies[def->body], &part->where, where, nodes, &def->node_count));
    def->nodes = *nodes;
    return SN_OK;
}

// A key that the kind needs, or has no use for.
static bool wants(SnScene* scene, const SnProbePart* part, const char* context, const char* key, bool wanted, bool may)
{
    const SnNode* node = sn_node_find(part->node, key);
    bool given = !sn_node_is_null(node);
    if (given && !wanted && !may)
        sn_problem_error(&scene->problems, node->place, "'%s' in %s is of no use to 'what: %s'; leave it out", key,
                         context, part->def.what);
    if (!given && wanted)
        sn_problem_error(&scene->problems, part->node->place, "%s is of 'what: %s', which needs '%s'", context,
                         part->def.what, key);
    return given && wanted;
}

static SnStatus read_ends(SnScene* scene, const SnProbePart* part, const char* context, int of, SnSceneProbe* probe)
{
    SnProbeDef* def = &probe->def;
    bool nodes = of & SN_PROBE_WHERE;
    bool body = wants(scene, part, context, "body", of & (SN_PROBE_WHERE | SN_PROBE_BODY), false);
    wants(scene, part, context, "where", false, nodes);
    wants(scene, part, context, "take", false, of == SN_PROBE_WHERE);
    if (body) {
        SnProbeEndPart own = {part->node, part->body, part->where};
        SN_TRY(sn_build_end(scene, &own, -1, "where", context, &def->where, &probe->nodes[0]));
    }
    if (wants(scene, part, context, "to", of & SN_PROBE_TO, false))
        SN_TRY(sn_build_end(scene, &part->to, def->where.body, "to", context, &def->to, &probe->nodes[1]));
    if (wants(scene, part, context, "at", of & SN_PROBE_AT, false))
        SN_TRY(sn_build_end(scene, &part->at, def->where.body, "at", context, &def->at, &probe->nodes[2]));
    if (wants(scene, part, context, "of", of & SN_PROBE_BY, false)) read_source(scene, part->of, context, def);
    return SN_OK;
}

static bool is_kind_of_force(const char* what)
{
    return sn_probe_is_of(what) & SN_PROBE_BY && strcmp(what, "contact") != 0;
}

// Two numbers of one name and kind could not be told apart.
static bool is_taken(const SnScene* scene, const char* name, const char* what)
{
    for (int i = 0; i < scene->probe_count; i++) {
        const SnProbeDef* other = &scene->probes[i].def;
        if (!other->what || !other->name || strcmp(other->name, name) != 0) continue;
        bool both = is_kind_of_force(what) && is_kind_of_force(other->what);
        bool reaction = strcmp(what, "reaction") == 0 || strcmp(other->what, "reaction") == 0;
        if (strcmp(other->what, what) == 0 || (both && reaction)) return true;
    }
    return false;
}

SnStatus sn_build_probe(SnScene* scene, int index)
{
    const SnProbePart* part = (const SnProbePart*)scene->part.measure.items + index;
    SnSceneProbe* probe = &scene->probes[index];
    probe->def = sn_default_probe_def(NULL);
    const char* usual = sn_arena_print(&scene->arena, "probe %d", index);
    if (!usual) return SN_ERROR_MEMORY;
    if (!part->node || !part->def.what) return SN_OK; // reported
    const char* name = part->name ? part->name : usual;
    char* context = part->name ? sn_arena_print(&scene->arena, "probe '%s'", name) : (char*)usual;
    if (!context) return SN_ERROR_MEMORY;
    if (is_taken(scene, name, part->def.what))
        sn_problem_error(&scene->problems, part->node->place,
                         "there is another probe '%s' of 'what: %s'; give it a name of its own", name, part->def.what);
    probe->def.name = name, probe->def.what = part->def.what, probe->def.take = part->def.take;
    return read_ends(scene, part, context, sn_probe_is_of(part->def.what), probe);
}

// --- of everything ---

static SnProbeDef* next(SnScene* scene, const char* name, const char* what)
{
    if (!name || is_taken(scene, name, what)) return NULL;
    SnProbeDef* def = &scene->probes[scene->probe_count++].def;
    *def = sn_default_probe_def(what);
    def->name = name;
    return def;
}

static int pair_count(const SnScene* scene)
{
    int count = scene->part.bodies.count; // 10000 at most
    return scene->part.world.contact.bodies ? count * (count - 1) / 2 : 0;
}

int sn_force_probe_count(const SnScene* scene)
{
    if (!scene->part.forces) return 0;
    int pairs = pair_count(scene);
    return scene->part.handles.count + SN_SCRIPT_HANDLES * scene->part.scripts.count + 2 * scene->part.obstacles.count +
           scene->part.loads.count + scene->part.attach.count + 2 * (pairs < MOST_PAIRS ? pairs : MOST_PAIRS);
}

static SnStatus add_pairs(SnScene* scene)
{
    for (int a = 0; a < scene->body_count && pair_count(scene) > 0; a++)
        for (int b = a + 1; b < scene->body_count; b++) {
            const char* name = sn_arena_print(&scene->arena, "%s, %s", scene->bodies[a].name, scene->bodies[b].name);
            if (!name) return SN_ERROR_MEMORY;
            for (int k = 0; k < 2; k++) {
                SnProbeDef* def = next(scene, name, k ? "contact" : "force");
                if (def) def->pair[0] = a, def->pair[1] = b;
            }
        }
    return SN_OK;
}

SnStatus sn_build_force_probes(SnScene* scene)
{
    SnProbeDef* def;
    if (!scene->part.forces) return SN_OK;
    if (pair_count(scene) > MOST_PAIRS) {
        sn_problem_error(&scene->problems, sn_node_find(scene->part.output, "forces")->place,
                         "'forces' in output is of %d bodies, which make %d pairs, and of at most %d; choose those of "
                         "interest by 'measure', as in {of: [%s, %s], what: force}",
                         scene->body_count, pair_count(scene), MOST_PAIRS, scene->bodies[0].name,
                         scene->bodies[1].name);
        return SN_OK;
    }
    for (int i = 0; i < scene->handle_count; i++)
        if ((def = next(scene, scene->handles[i].name, "reaction"))) def->handle = i;
    for (int i = 0; i < scene->obstacle_count; i++)
        for (int k = 0; k < 2; k++)
            if ((def = next(scene, scene->obstacles[i].name, k ? "contact" : "reaction"))) def->obstacle = i;
    for (int i = 0; i < scene->load_count; i++)
        if ((def = next(scene, scene->loads[i].name, "reaction"))) def->load = i;
    for (int i = 0; i < scene->attachment_count; i++)
        if ((def = next(scene, scene->attachments[i].name, "reaction"))) def->attachment = i;
    return add_pairs(scene);
}
