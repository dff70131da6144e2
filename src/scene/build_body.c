// A body: its name, mesh, material and start.
#include "scene/build.h"

#include <string.h>

#include "material/material.h"

// Which elements of a mesh are simulated: its tetrahedra, else its triangles, else its edges.
static int elements_of(const SnMesh* mesh)
{
    return mesh->tetrahedron_count ? SN_ON_TETRAHEDRA : mesh->triangle_count ? SN_ON_TRIANGLES : SN_ON_EDGES;
}

static const char* elements_name(int elements)
{
    return elements == SN_ON_TETRAHEDRA ? "tetrahedra" : elements == SN_ON_TRIANGLES ? "triangles" : "edges";
}

// The preferred material of a kind of elements, or the first that fits; NULL: none does.
static const char* default_material(int elements)
{
    const SnMaterialType* preferred = sn_material_find(elements == SN_ON_EDGES ? "spring" : "neo-hookean");
    if (preferred && (preferred->elements & elements)) return preferred->name;
    for (int i = 0; i < sn_material_count(); i++)
        if (sn_material_at(i)->elements & elements) return sn_material_at(i)->name;
    return NULL;
}

static void report_mismatch(SnScene* scene, const SnSceneBody* body, const SnMaterialType* type, int elements)
{
    const SnNode* node = sn_node_find(body->part->material.node, "type");
    char fitting[200] = "";
    size_t used = 0;
    for (int i = 0; i < sn_material_count() && used < sizeof fitting; i++)
        if (sn_material_at(i)->elements & elements)
            used += (size_t)snprintf(fitting + used, sizeof fitting - used, "%s%s", used ? ", " : "",
                                     sn_material_at(i)->name);
    sn_problem_error(&scene->problems, node->place, "material '%s' of %s is not for its mesh of %s; fitting ones: %s",
                     type->name, body->context, elements_name(elements), fitting);
}

static void choose_material(SnScene* scene, SnSceneBody* body)
{
    int elements = elements_of(body->mesh);
    const char* fallback = default_material(elements);
    const SnMaterialType* type = body->material.type ? sn_material_find(body->material.type) : NULL;
    if (!fallback) {
        sn_problem_error(&scene->problems, body->part->mesh->first->place,
                         "mesh of %s has only %s, and no material simulates these yet; use a mesh of tetrahedra",
                         body->context, elements_name(elements));
        return;
    }
    if (type && !(type->elements & elements)) report_mismatch(scene, body, type, elements);
    if (!body->material.type) body->material.type = fallback;
}

static void read_material(SnScene* scene, SnSceneBody* body)
{
    const SnMaterialPart* part = &body->part->material;
    body->material = sn_material(part->type, part->young, part->poisson, part->density);
    body->material.weight = part->weight;
    body->material.thickness = part->thickness;
    body->material.inversion = strcmp(part->inversion, "barrier") == 0 ? SN_INVERSION_BARRIER : SN_INVERSION_EXTEND;
    if (body->mesh) choose_material(scene, body);
}

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

// Six times the signed volume of a tetrahedron.
static double signed_volume(const double* x, const int tetrahedron[4])
{
    double e[3][3];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) e[c][i] = x[3 * tetrahedron[c + 1] + i] - x[3 * tetrahedron[0] + i];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Where the energy is infinite for elements turned inside out, none may be so from the start.
static void check_barrier(SnScene* scene, const SnSceneBody* body)
{
    const SnMaterialType* type = body->material.type ? sn_material_find(body->material.type) : NULL;
    if (!type || !type->barrier || body->material.inversion != SN_INVERSION_BARRIER || !body->start) return;
    for (int t = 0; t < body->mesh->tetrahedron_count; t++) {
        if (signed_volume(body->start, body->mesh->tetrahedra + 4 * t) > 0) continue;
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
    read_material(scene, body);
    SN_TRY(sn_build_start(scene, body));
    check_barrier(scene, body);
    return sn_build_velocity(scene, body);
}
