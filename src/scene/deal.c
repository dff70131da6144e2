// Which scenes can be read in parts: those in which nothing but sums needs more of a body than a part of it has.
#include "dissipation/dissipation.h"
#include "mesh/part.h"
#include "obstacle/obstacle.h"
#include "potential/load.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// Fields, regions and fibers are of elements, or of nodes and what is around them.
static bool is_uniform(const SnNode* material)
{
    for (const SnNode* child = material ? material->first : NULL; child; child = child->next)
        if (child->kind != SN_NODE_SCALAR) return false;
    return true;
}

static bool can_deal_mesh(const SnNode* mesh)
{
    const SnNode* child = mesh && mesh->kind == SN_NODE_MAP && mesh->count == 1 ? mesh->first : NULL;
    if (!child || child->key_place.source->override) return false;
    if (strcmp(child->key, "file") == 0) {
        const SnMeshFormat* format = child->kind == SN_NODE_SCALAR ? sn_mesh_format_of(child->text) : NULL;
        return format && format->read_slab;
    }
    const SnShape* shape = sn_shape_find(child->key);
    return shape && shape->slab;
}

// Such have numbers of their own for each element.
static bool sticks(const SnDampingDef* def)
{
    SnDissipation d = {.parameters.exponent = def->exponent};
    d.type = def->type ? sn_dissipation_find(def->type) : NULL;
    return !d.type || sn_dissipation_sticks(&d);
}

static bool can_deal_body(const SnBodyPart* body)
{
    const SnDampingPart* damping = body->damping.items;
    bool good = body->node && can_deal_mesh(body->mesh) && !body->skin.node && !body->def.shelf &&
                (body->def.element == SN_ELEMENT_AUTO || body->def.element == SN_ELEMENT_LINEAR) &&
                is_uniform(body->material.node) && (!body->start.node || strcmp(body->start.shape, "random") != 0) &&
                !body->limits.node && !body->contact.node;
    for (int i = 0; i < body->damping.count; i++)
        good &= !damping[i].group && !damping[i].where.node && !sticks(&damping[i].def);
    return good;
}

static bool can_deal_handle(const SnHandlePart* handle)
{
    return handle->def.how == SN_HOLD_ELIMINATE && !handle->motion.cache && !handle->hinge;
}

static bool can_deal_load(const SnLoadPart* load)
{
    bool good = isnan(load->def.at[0]);
    for (int i = 0; sn_load_at(i); i++)
        if (sn_load_at(i)->closed && sn_node_find(load->node, sn_load_at(i)->name)) good = false;
    return good;
}

static bool can_deal_obstacle(const SnObstaclePart* obstacle)
{
    const SnObstacleType* type = obstacle->def.shape.type ? sn_obstacle_find(obstacle->def.shape.type) : NULL;
    return type && !type->vertices && !obstacle->motion.cache;
}

bool sn_scene_can_deal(const SnScene* scene)
{
    const SnScenePart* p = &scene->part;
    bool touch = p->contact && (p->world.contact.bodies || p->world.contact.self);
    bool good = !touch && !p->from.node && !p->forces &&
                p->scripts.count + p->slides.count + p->actuators.count + p->attach.count + p->measure.count +
                        p->contact_pairs.count ==
                    0;
    for (int i = 0; i < p->bodies.count; i++) good &= can_deal_body((const SnBodyPart*)p->bodies.items + i);
    for (int i = 0; i < p->handles.count; i++) good &= can_deal_handle((const SnHandlePart*)p->handles.items + i);
    for (int i = 0; i < p->loads.count; i++) good &= can_deal_load((const SnLoadPart*)p->loads.items + i);
    for (int i = 0; i < p->obstacles.count; i++)
        good &= can_deal_obstacle((const SnObstaclePart*)p->obstacles.items + i);
    return good;
}

// The first process's is told: numbers are those of the whole, and of elements one of all.
void sn_mesh_check_of_all(const SnMesh* mesh, SnMeshCheck* check)
{
    double counts[SN_MESH_PROBLEM_KINDS], first[SN_MESH_PROBLEM_KINDS];
    if (!mesh->part) return;
    for (int k = 0; k < SN_MESH_PROBLEM_KINDS; k++) {
        SnMeshProblem* p = &check->problems[k];
        bool whole = k == SN_MESH_NON_MANIFOLD || k == SN_MESH_UNREFERENCED; // what only the whole can have
        const int* numbers = p->dimension == 0 ? mesh->part->nodes : mesh->part->elements;
        counts[k] = whole ? 0 : p->count;
        first[k] = p->count > 0 && !whole ? numbers[p->examples[0]] : -1;
    }
    sn_mesh_part_sum(mesh->part, SN_MESH_PROBLEM_KINDS, counts);
    sn_mesh_part_largest(mesh->part, SN_MESH_PROBLEM_KINDS, first);
    for (int k = 0; k < SN_MESH_PROBLEM_KINDS; k++) {
        check->problems[k].count = (int)counts[k];
        for (int i = 0; i < SN_MESH_PROBLEM_EXAMPLES; i++) check->problems[k].examples[i] = (int)first[k];
    }
}

void sn_mesh_measure_of_all(const SnMesh* mesh, SnMeshMeasure* m)
{
    sn_mesh_measure(mesh, m);
    double most[6] = {-m->lo[0], -m->lo[1], -m->lo[2], m->hi[0], m->hi[1], m->hi[2]};
    sn_mesh_part_largest(mesh->part, 6, most);
    for (int c = 0; c < 3 && mesh->part; c++) m->lo[c] = -most[c], m->hi[c] = most[3 + c];
    if (mesh->part) sn_mesh_part_sum(mesh->part, 1, &m->volume);
}

SnMeshPart* sn_scene_take_part(SnScene* scene, int body)
{
    SnMesh* mesh = scene->bodies[body].mesh;
    SnMeshPart* part = mesh ? mesh->part : NULL;
    if (mesh) mesh->part = NULL;
    return part;
}

bool sn_scene_is_dealt(const SnScene* scene)
{
    return scene->body_count > 0 && scene->bodies[0].mesh && scene->bodies[0].mesh->part;
}

void sn_scene_forget_meshes(SnScene* scene)
{
    for (int i = 0; i < scene->body_count; i++) {
        SnSceneBody* b = &scene->bodies[i];
        sn_mesh_destroy(b->mesh);
        SN_FREE(b->start, b->velocity, b->handle_of);
        b->mesh = NULL, b->start = b->velocity = NULL, b->handle_of = NULL;
    }
}
