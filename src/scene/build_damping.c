// A body's dampings: type, numbers, curve, and the elements they are for.
#include "scene/build.h"

#include <string.h>

#include "dissipation/dissipation.h"
#include "mesh/elements.h"

// A key, what it is a number of, and where both have it.
typedef struct Key {
    const char* name;
    int numbers; // SnDampingNumbers
    size_t part, def;
} Key;

#define NUMBER(KEY, NUMBERS, MEMBER)                                                  \
    {                                                                                 \
        KEY, NUMBERS, offsetof(SnDampingPart, MEMBER), offsetof(SnDampingDef, MEMBER) \
    }
static const Key numbers[] = {
    NUMBER("beta", SN_TAKES_BETA, beta),
    NUMBER("shear", SN_TAKES_VISCOSITY, shear),
    NUMBER("bulk", SN_TAKES_VISCOSITY, bulk),
    NUMBER("exponent", SN_TAKES_EXPONENT, exponent),
    NUMBER("reference", SN_TAKES_REFERENCE, reference),
    NUMBER("strength", SN_TAKES_STRENGTH, strength),
    NUMBER("drag", SN_TAKES_DRAG, drag),
    NUMBER("smoothing", SN_TAKES_EXPONENT, smoothing),
};
static const Key others[] = {
    {"base", SN_TAKES_BASE, 0, 0},
    {"curve", SN_TAKES_CURVE, 0, 0},
    {"per-stretch", SN_TAKES_CURVE, 0, 0},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers, OTHERS = sizeof others / sizeof *others };

typedef struct Reading {
    SnScene* scene;
    const SnSceneBody* body;
    const SnDampingPart* part;
    const char* context; // "damping 0 of body 'bar'"
    SnDampingDef* def;
    int takes;
} Reading;

// The key's node where the type takes it; otherwise a problem is recorded if it is there.
static const SnNode* find_key(Reading* r, const Key* key)
{
    const SnNode* node = sn_node_find(r->part->node, key->name);
    if (!node || key->numbers & r->takes) return node;
    sn_problem_error(&r->scene->problems, node->key_place, "'%s' in %s is not for %s; see `sinew list dissipations`",
                     key->name, r->context, r->part->type);
    return NULL;
}

static void read_numbers(Reading* r)
{
    for (int i = 0; i < NUMBERS; i++)
        if (find_key(r, &numbers[i]))
            memcpy((char*)r->def + numbers[i].def, (const char*)r->part + numbers[i].part, sizeof(double));
    bool given[OTHERS];
    for (int i = 0; i < OTHERS; i++) given[i] = find_key(r, &others[i]) != NULL;
    if (given[0] && r->part->base) r->def->base = r->part->base;
    if (given[1]) sn_read_curve(r->scene, r->part->curve, r->context, &r->def->curve);
    if (given[2] && r->part->per_stretch) r->def->per_stretch = strcmp(r->part->per_stretch, "true") == 0;
}

static void read_momentum(Reading* r)
{
    const char* way = r->part->conserve_momentum;
    if (!way || strcmp(way, "false") == 0) return;
    r->def->conserve_momentum = strcmp(way, "projector") == 0 ? SN_MOMENTUM_PROJECTOR : SN_MOMENTUM_VELOCITY_GRADIENT;
}

static SnStatus use_elements(Reading* r, const int* elements, int count)
{
    int* copy = sn_arena_allocate(&r->scene->arena, (size_t)(count ? count : 1) * sizeof *copy);
    if (!copy) return SN_ERROR_MEMORY;
    memcpy(copy, elements, (size_t)count * sizeof *copy);
    r->def->elements = copy;
    r->def->element_count = count;
    return SN_OK;
}

// Elements all of whose nodes are selected.
static SnStatus read_where(Reading* r)
{
    const SnMesh* mesh = r->body->mesh;
    int *nodes = NULL, *elements = NULL, count = 0, found = 0, dimension = sn_mesh_top_dimension(mesh);
    int element_count = sn_mesh_count_of(mesh, dimension);
    unsigned char* chosen = NULL;
    const char* context = sn_arena_print(&r->scene->arena, "where of %s", r->context);
    SnStatus status =
        context ? sn_select_nodes(r->scene, r->body, &r->part->where, context, &nodes, &count) : SN_ERROR_MEMORY;
    if (status == SN_OK &&
        (!SN_NEW(chosen, mesh->node_count, "a damping") || !SN_NEW(elements, element_count, "a damping")))
        status = SN_ERROR_MEMORY;
    for (int i = 0; i < count && status == SN_OK; i++) chosen[nodes[i]] = 1;
    for (int e = 0; e < element_count && status == SN_OK; e++) {
        const int* corners = sn_mesh_list_of(mesh, dimension) + (int64_t)(dimension + 1) * e;
        bool all = true;
        for (int c = 0; c <= dimension; c++) all &= chosen[corners[c]];
        if (all) elements[found++] = e;
    }
    if (status == SN_OK && count > 0 && found == 0)
        sn_problem_error(&r->scene->problems, r->part->where.node->place, "%s selects %d nodes but no whole %s",
                         context, count, sn_element_nouns[dimension][0]);
    if (status == SN_OK) status = use_elements(r, elements, found);
    sn_free(nodes), sn_free(chosen), sn_free(elements);
    return status;
}

static SnStatus read_elements(Reading* r)
{
    const SnNode* group = r->part->group ? sn_node_find(r->part->node, "group") : NULL;
    if (group && r->part->where.node) {
        sn_problem_error(&r->scene->problems, group->key_place, "%s has both 'group' and 'where'; use one of them",
                         r->context);
        return SN_OK;
    }
    if (!r->body->mesh) return SN_OK; // reported
    if (r->part->where.node) return read_where(r);
    const SnMeshGroup* found = group ? sn_find_group(r->scene, r->body, group, r->context) : NULL;
    return found ? use_elements(r, found->items, found->count) : SN_OK;
}

static SnStatus read_damping(SnScene* scene, const SnSceneBody* body, int index, SnDampingDef* def)
{
    const SnDampingPart* part = (const SnDampingPart*)body->part->damping.items + index;
    Reading r = {.scene = scene, .body = body, .part = part, .def = def};
    r.context = sn_arena_print(&scene->arena, "damping %d of %s", index, body->context);
    if (!r.context) return SN_ERROR_MEMORY;
    *def = sn_default_damping_def(part->type);
    const SnDissipationType* type = part->type ? sn_dissipation_find(part->type) : NULL;
    if (!part->node || !type) return SN_OK; // reported
    int errors = scene->problems.errors;
    const SnDissipationType* base = sn_dissipation_find(part->base ? part->base : def->base);
    r.takes = type->numbers | (type->numbers & SN_TAKES_BASE && base ? base->numbers : 0);
    read_numbers(&r);
    read_momentum(&r);
    SN_TRY(read_elements(&r));
    SnDissipation unused;
    if (scene->problems.errors == errors && sn_dissipation_set(&unused, def) != SN_OK)
        sn_problem_error(&scene->problems, part->node->place, "%s: %s", r.context, sn_last_error());
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
