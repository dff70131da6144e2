// A body: its name, mesh, material and start.
#include "scene/build.h"

#include <string.h>

#include "material/material.h"
#include "mesh/elements.h"

static bool set_name(SnScene* scene, SnSceneBody* body, int index)
{
    const char* given = body->part->name;
    body->name = given ? given : sn_arena_print(&scene->arena, "body %d", index);
    body->context = given ? sn_arena_print(&scene->arena, "body '%.60s'", given) : body->name;
    if (!body->name || !body->context) return false;
    const SnNode* node = sn_node_find(body->part->node, "name");
    for (int i = 0; i < index; i++)
        if (strcmp(scene->bodies[i].name, body->name) == 0) {
            sn_problem_error(&scene->problems, node ? node->place : scene->part.node->place,
                             "the name '%.60s' is already that of body %d; names must differ", body->name, i);
            break;
        }
    return true;
}

// Where the energy is infinite for elements turned inside out, none may be so from the start.
static void check_barrier(SnScene* scene, const SnSceneBody* body)
{
    const SnMaterialType* type = body->material.type ? sn_material_find(body->material.type) : NULL;
    if (!type || !type->barrier || body->material.inversion != SN_INVERSION_BARRIER || !body->start) return;
    for (int t = 0; t < body->mesh->tetrahedron_count; t++) {
        if (sn_tetrahedron_volume(body->start, body->mesh->tetrahedra + 4 * t) > 0) continue;
        sn_problem_error(&scene->problems, body->part->start.node->place,
                         "start of %s flattens or inverts tetrahedron %d, which 'inversion: barrier' forbids; use "
                         "'inversion: extend' or another start",
                         body->context, t);
        return;
    }
}

SnStatus sn_build_body(SnScene* scene, int index)
{
    SnSceneBody* body = &scene->bodies[index];
    body->part = (const SnBodyPart*)scene->part.bodies.items + index;
    if (!set_name(scene, body, index)) return SN_ERROR_MEMORY;
    if (body->part->node) SN_TRY(sn_build_mesh(scene, body));
    SN_TRY(sn_build_material(scene, body));
    SN_TRY(sn_build_regions(scene, body));
    SN_TRY(sn_build_fibers(scene, body));
    sn_build_limits(scene, body);
    SN_TRY(sn_build_damping(scene, body));
    SN_TRY(sn_build_body_contact(scene, body));
    SN_TRY(sn_build_start(scene, body));
    check_barrier(scene, body);
    return sn_build_velocity(scene, body);
}
