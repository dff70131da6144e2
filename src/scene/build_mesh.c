// A body's mesh: read or generated, checked, and placed.
#include "core/pi.h"
#include "linalg/vec3.h"
#include "material/material.h"
#include "mesh/bounding_tree.h"
#include "mesh/elements.h"
#include "mesh/solid.h"
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static SnStatus mesh_failed(SnScene* scene, SnSceneBody* body, SnPlace place, SnStatus status)
{
    body->mesh = NULL;
    if (status == SN_OK || status == SN_ERROR_MEMORY) return status;
    sn_problem_error(&scene->problems, place, "mesh of %s: %s", body->context, sn_last_error());
    return SN_OK;
}

void sn_take_convention(const SnScene* scene, const char* path, int64_t count, double* points)
{
    const SnMeshFormat* format = sn_mesh_format_of(path);
    SnConvention to = {1, scene->convention.z_up},
                 from = format && format->y_up_metres ? (SnConvention){1, false} : scene->convention;
    sn_convention_change(&from, &to, true, (size_t)count, points);
}

// The process's part of a mesh; where there are none, the scene is given up, to be read as a whole.
static SnStatus deal_mesh(SnScene* scene, SnSceneBody* body, SnPlace place, SnMeshSource source)
{
    SnStatus status = scene->dealer->deal(scene->dealer->self, &source, &body->mesh);
    scene->undealt |= status == SN_ERROR_UNSUPPORTED;
    return status == SN_OK || scene->undealt ? SN_OK : mesh_failed(scene, body, place, status);
}

static SnStatus load_file(SnScene* scene, SnSceneBody* body, const SnNode* node)
{
    if (node->kind != SN_NODE_SCALAR || sn_node_is_null(node)) {
        sn_problem_error(&scene->problems, node->place, "'%s' in mesh of %s must be a path, found %s", node->key,
                         body->context, sn_node_words(node).text);
        return SN_OK;
    }
    const char* folder = node->text[0] == '/' ? "" : scene->folder;
    char* path = sn_arena_print(&scene->arena, "%s%s", folder, node->text);
    if (!path) return SN_ERROR_MEMORY;
    SnMeshSource source = {.format = sn_mesh_format_of(path), .path = path};
    SnStatus status = scene->dealer ? deal_mesh(scene, body, node->place, source) : sn_mesh_load(path, &body->mesh);
    if (status != SN_OK) return mesh_failed(scene, body, node->place, status);
    if (!body->mesh) return SN_OK;
    sn_take_convention(scene, path, body->mesh->node_count, body->mesh->nodes);
    return SN_OK;
}

static SnStatus make_shape(SnScene* scene, SnSceneBody* body, const SnShape* shape, const SnNode* node)
{
    SnShapeMapping mapping;
    SnShapePart part = {0};
    int errors = scene->problems.errors;
    char* context = sn_arena_print(&scene->arena, "%s of mesh of %s", shape->name, body->context);
    if (!context) return SN_ERROR_MEMORY;
    sn_shape_mapping(shape, &mapping);
    sn_schema_read(&scene->problems, &mapping.mapping, node, context, &part);
    if (scene->problems.errors > errors) return SN_OK;
    if (scene->dealer) return deal_mesh(scene, body, node->place, (SnMeshSource){.shape = shape, .def = &part.def});
    SnStatus status = shape->make(&part.def, &body->mesh);
    return status == SN_OK ? SN_OK : mesh_failed(scene, body, node->place, status);
}

static SnStatus unknown_mesh(SnScene* scene, const SnSceneBody* body, const SnNode* node)
{
    enum { MOST = 32 };
    const char* names[MOST] = {"file", "surface"};
    int count = 2;
    for (int i = 0; sn_shape_at(i) && count < MOST; i++) names[count++] = sn_shape_at(i)->name;
    char context[128];
    snprintf(context, sizeof context, "mesh of %s", body->context);
    sn_report_unknown(&scene->problems, node->key_place, "key", node->key, context, names, count);
    return SN_OK;
}

// The one kind of mesh there is; one that an override adds takes the place of the file's. NULL: none, or several.
static const SnNode* chosen_kind(const SnNode* node)
{
    const SnNode* chosen = node->kind == SN_NODE_MAP && node->count == 1 ? node->first : NULL;
    for (const SnNode* child = node->first; child; child = child->next)
        if (child->key && child->key_place.source->override) chosen = child;
    return chosen;
}

// A copy before this one, whose solid is made already.
static const SnSceneBody* made_before(const SnScene* scene, const SnSceneBody* body)
{
    const SnNode* copies = body->part->copies.node;
    for (const SnSceneBody* other = scene->bodies; copies && other < body; other++)
        if (other->part->copies.node == copies && other->mesh) return other;
    return NULL;
}

// The solid of another copy, put where this one is: nodes have the same weights over the corners of both frames.
static SnStatus take_solid(const SnSceneBody* other, const double frame[12], SnMesh** solid)
{
    const SnMesh* from = other->mesh;
    SnMeshDef def = {.node_count = from->node_count,
                     .nodes = from->nodes,
                     .tetrahedron_count = from->tetrahedron_count,
                     .tetrahedra = from->tetrahedra};
    SN_TRY(sn_mesh_create(&def, solid));
    for (int n = 0; n < from->node_count; n++) {
        double w[4], *x = (*solid)->nodes + 3 * (int64_t)n;
        if (!sn_point_in_tetrahedron(other->frame, x, w)) continue; // scaled to nothing
        for (int c = 0; c < 3; c++)
            x[c] = w[0] * frame[c] + w[1] * frame[3 + c] + w[2] * frame[6 + c] + w[3] * frame[9 + c];
    }
    return SN_OK;
}

static SnStatus make_solid(SnScene* scene, SnSceneBody* body, const SnNode* node);
static SnStatus read_skin(SnScene* scene, SnSceneBody* body, bool solid);

static SnStatus read_mesh(SnScene* scene, SnSceneBody* body, const SnNode* node)
{
    if (sn_node_is_null(node)) return SN_OK; // reported as missing
    if (node->kind == SN_NODE_MAP && sn_node_find(node, "surface")) return make_solid(scene, body, node);
    const SnNode* child = chosen_kind(node);
    if (!child) {
        sn_problem_error(&scene->problems, node->place,
                         "mesh of %s must be one mapping such as {box: {size: [1, 1, 1]}} or {file: bar.msh}, found %s",
                         body->context, node->kind == SN_NODE_MAP ? "several keys or none" : sn_node_words(node).text);
        return SN_OK;
    }
    if (strcmp(child->key, "file") == 0) return load_file(scene, body, child);
    const SnShape* shape = sn_shape_find(child->key);
    return shape ? make_shape(scene, body, shape, child) : unknown_mesh(scene, body, child);
}

static bool kind_is_fatal(const SnMeshCheck* check, SnMeshProblemKind kind)
{
    SnMeshCheck one = {0};
    one.problems[kind] = check->problems[kind];
    return sn_mesh_check_fatal(&one);
}

// Problems that forbid simulating are errors, the others warnings; each kind is named with its elements.
static SnStatus check_mesh(SnScene* scene, SnSceneBody* body)
{
    SnMeshCheck check;
    SnPlace place = body->part->mesh->first->place;
    SN_TRY(sn_mesh_check(body->mesh, &check));
    sn_mesh_check_of_all(body->mesh, &check);
    for (int kind = 0; kind < SN_MESH_PROBLEM_KINDS; kind++) {
        char text[300];
        sn_mesh_problem_text(&check, kind, text, sizeof text);
        if (check.problems[kind].count == 0) continue;
        if (kind_is_fatal(&check, kind))
            sn_problem_error(&scene->problems, place, "mesh of %s cannot be simulated: %s", body->context, text);
        else
            sn_problem_warning(&scene->problems, place, "mesh of %s: %s", body->context, text);
    }
    if (body->mesh->tetrahedron_count + body->mesh->triangle_count + body->mesh->edge_count == 0)
        sn_problem_error(&scene->problems, place, "mesh of %s has no elements", body->context);
    else if (!sn_mesh_check_fatal(&check))
        return SN_OK;
    sn_mesh_destroy(body->mesh);
    body->mesh = NULL;
    return SN_OK;
}

// Rotation by an angle about an axis through the origin (Rodrigues' formula).
static void rotation(const double rotate[4], double r[3][3])
{
    double length = sn_length3(rotate);
    double k[3] = {rotate[0] / length, rotate[1] / length, rotate[2] / length};
    double c = cos(rotate[3] * SN_PI / 180), s = sin(rotate[3] * SN_PI / 180);
    double cross[3][3] = {{0, -k[2], k[1]}, {k[2], 0, -k[0]}, {-k[1], k[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r[i][j] = c * (i == j) + s * cross[i][j] + (1 - c) * k[i] * k[j];
}

// What is placed: the nodes of a mesh, and the origin and unit points of its file, which go where they go.
typedef struct Placing {
    SnMesh* mesh;
    double* frame; // 4 x 3
} Placing;

static void shift_nodes(const Placing* p, const double shift[3])
{
    for (int n = 0; n < 3 * p->mesh->node_count; n++) p->mesh->nodes[n] += shift[n % 3];
    for (int n = 0; n < 12; n++) p->frame[n] += shift[n % 3];
}

static void scale_nodes(const Placing* p, double scale)
{
    for (int n = 0; n < 3 * p->mesh->node_count; n++) p->mesh->nodes[n] *= scale;
    for (int n = 0; n < 12; n++) p->frame[n] *= scale;
}

static void fit(const Placing* p, double size)
{
    SnMeshMeasure m;
    sn_mesh_measure_of_all(p->mesh, &m);
    double longest = 0;
    for (int i = 0; i < 3; i++) longest = fmax(longest, m.hi[i] - m.lo[i]);
    shift_nodes(p, (const double[3]){-m.lo[0], -m.lo[1], -m.lo[2]});
    scale_nodes(p, longest > 0 ? size / longest : 1);
}

static void rotate_points(int count, double* points, double r[3][3])
{
    for (int n = 0; n < count; n++) {
        double* x = points + 3 * (int64_t)n;
        double y[3] = {x[0], x[1], x[2]};
        for (int i = 0; i < 3; i++) x[i] = r[i][0] * y[0] + r[i][1] * y[1] + r[i][2] * y[2];
    }
}

static void rotate_nodes(const Placing* p, const double rotate[4])
{
    double r[3][3];
    if (rotate[3] == 0) return;
    rotation(rotate, r);
    rotate_points(p->mesh->node_count, p->mesh->nodes, r);
    rotate_points(4, p->frame, r);
}

// About the middle of the bounding box.
static void spin(const Placing* p, const double rotate[4])
{
    SnMeshMeasure m;
    double middle[3];
    if (rotate[3] == 0) return;
    sn_mesh_measure_of_all(p->mesh, &m);
    for (int c = 0; c < 3; c++) middle[c] = 0.5 * (m.lo[c] + m.hi[c]);
    shift_nodes(p, (const double[3]){-middle[0], -middle[1], -middle[2]});
    rotate_nodes(p, rotate);
    shift_nodes(p, middle);
}

static void place_nodes(SnMesh* mesh, const SnPlacePart* place, double frame[12])
{
    Placing p = {mesh, frame};
    for (int i = 0; i < 12; i++) frame[i] = i / 3 == i % 3 + 1;
    rotate_nodes(&p, place->turn);
    if (place->fit > 0) fit(&p, place->fit);
    scale_nodes(&p, place->scale);
    rotate_nodes(&p, place->rotate);
    shift_nodes(&p, place->move);
    spin(&p, place->spin);
}

void sn_place_points(const double frame[12], int64_t count, double* points)
{
    for (int64_t n = 0; n < count; n++) {
        double* x = points + 3 * n;
        double y[3] = {x[0], x[1], x[2]};
        for (int c = 0; c < 3; c++) {
            x[c] = frame[c];
            for (int a = 0; a < 3; a++) x[c] += (frame[3 * (a + 1) + c] - frame[c]) * y[a];
        }
    }
}

void sn_place_direction(const SnPlacePart* place, double d[3])
{
    const double* rotations[3] = {place->turn, place->rotate, place->spin};
    for (int k = 0; k < 3; k++) {
        double r[3][3], v[3] = {d[0], d[1], d[2]};
        if (rotations[k][3] == 0) continue;
        rotation(rotations[k], r);
        for (int i = 0; i < 3; i++) d[i] = r[i][0] * v[0] + r[i][1] * v[1] + r[i][2] * v[2];
    }
}

static bool has_axis(const double axis[3])
{
    double length2 = sn_dot3(axis, axis);
    return length2 > 0 && isfinite(length2);
}

static bool check_axis(SnScene* scene, const SnSceneBody* body, const char* key, const double axis[3])
{
    if (has_axis(axis)) return true;
    sn_problem_error(&scene->problems, sn_node_find(body->part->place.node, key)->place,
                     "'%s' in place of %s needs an axis that is not zero, as in [0, 0, 1, 30]", key, body->context);
    return false;
}

static void place_mesh(SnScene* scene, SnSceneBody* body)
{
    const SnPlacePart* place = &body->part->place;
    if (!check_axis(scene, body, "turn", place->turn) || !check_axis(scene, body, "rotate", place->rotate)) return;
    if (!body->placed) {
        place_nodes(body->mesh, place, body->frame);
        if (body->skin) sn_place_points(body->frame, body->skin->node_count, body->skin->nodes);
    }
    if (sn_first_beyond(body->mesh->node_count, body->mesh->nodes) >= 0)
        sn_problem_error(&scene->problems, (place->node ? place->node : body->part->mesh)->place,
                         "place of %s makes positions too large", body->context);
}

SnStatus sn_build_surface(SnScene* scene, const char* context, const SnNode* node, const SnPlacePart* place,
                          double frame[12], SnMesh** mesh)
{
    SnBodyPart part = {.mesh = node, .place = *place};
    SnSceneBody body = {.part = &part, .context = context};
    SN_TRY(read_mesh(scene, &body, node));
    if (body.mesh) place_mesh(scene, &body);
    sn_mesh_destroy(body.skin);
    *mesh = body.mesh;
    if (frame) memcpy(frame, body.frame, sizeof body.frame);
    return SN_OK;
}

// --- solids out of surfaces ---

// What was odd about it, and how much of it the solid has.
static void report_solid(SnScene* scene, const SnSceneBody* body, SnPlace place, const SnSolidReport* r)
{
    char text[600];
    sn_surface_report_text(&r->surface, text, sizeof text);
    if (*text)
        sn_problem_warning(&scene->problems, place, "surface of %s: %s; it was made solid anyway", body->context, text);
    if (r->lost_shells > 0)
        sn_problem_warning(&scene->problems, place,
                           "surface of %s: %d of its %d parts are too thin for edges of %g m and are not in the solid",
                           body->context, r->lost_shells, r->surface.shells, r->edge);
    else if (r->volume < 0.8 * r->surface.volume)
        sn_problem_warning(&scene->problems, place,
                           "surface of %s encloses %.3g m3, its solid of edges of %g m only %.3g; take shorter ones",
                           body->context, r->surface.volume, r->edge, r->volume);
}

// The file, or the boundary of a generated shape, placed.
static SnStatus read_surface(SnScene* scene, SnSceneBody* body, const SnNode* node)
{
    SnMesh* solid = NULL;
    SN_TRY(node->kind == SN_NODE_MAP ? read_mesh(scene, body, node) : load_file(scene, body, node));
    if (!body->mesh) return SN_OK;
    if (body->mesh->tetrahedron_count > 0) {
        solid = body->mesh;
        SnStatus status = sn_mesh_make_surface(solid, &body->mesh);
        sn_mesh_destroy(solid);
        if (status != SN_OK) return mesh_failed(scene, body, node->place, status);
    }
    SN_TRY(read_skin(scene, body, true));
    place_mesh(scene, body);
    body->placed = true;
    return SN_OK;
}

static SnStatus make_solid(SnScene* scene, SnSceneBody* body, const SnNode* node)
{
    SnSolidPart part = {0};
    int errors = scene->problems.errors;
    char* context = sn_arena_print(&scene->arena, "mesh of %s", body->context);
    if (!context) return SN_ERROR_MEMORY;
    sn_schema_read(&scene->problems, &sn_solid_mapping, node, context, &part);
    if (scene->problems.errors > errors) return SN_OK;
    if (part.def.edge > 0 && part.def.tetrahedra > 0) {
        sn_problem_error(&scene->problems, sn_node_find(node, "tets")->key_place,
                         "%s has 'edge' and 'tets'; give one of them", context);
        return SN_OK;
    }
    SN_TRY(read_surface(scene, body, part.surface));
    if (!body->mesh || scene->problems.errors > errors) return SN_OK;
    SnMesh* surface = body->mesh;
    SnSolidReport report;
    const SnSceneBody* other = made_before(scene, body);
    SnStatus status = other ? take_solid(other, body->frame, &body->mesh)
                            : sn_mesh_make_solid(surface, &part.def, &body->mesh, &report);
    if (status == SN_OK && !other) report_solid(scene, body, part.surface->place, &report);
    if (status == SN_OK && part.skin && !body->part->skin.file)
        body->skin = surface;
    else
        sn_mesh_destroy(surface);
    return status == SN_OK ? SN_OK : mesh_failed(scene, body, part.surface->place, status);
}

// --- skins ---

// Without a file the skin is the surface that the solid is made of.
static SnStatus check_surface(SnScene* scene, const SnSceneBody* body)
{
    const SnNode *node = body->part->skin.node, *surface = sn_node_find(body->part->mesh, "surface"),
                 *kept = sn_node_find(body->part->mesh, "skin");
    if (node && (!surface || (kept && kept->text && strcmp(kept->text, "false") == 0)))
        sn_problem_error(&scene->problems, node->place,
                         "the skin of %s has no file, and its mesh is no solid out of a surface that it could be; say "
                         "'skin: {file: FILE}'",
                         body->context);
    return SN_OK;
}

static SnStatus read_skin(SnScene* scene, SnSceneBody* body, bool solid)
{
    const SnSkinPart* part = &body->part->skin;
    if (!part->node || !part->file) return check_surface(scene, body);
    SnSceneBody skin = {.part = body->part, .context = body->context};
    const SnNode* file = sn_node_find(part->node, "file");
    SN_TRY(load_file(scene, &skin, file));
    body->skin = skin.mesh;
    if (!skin.mesh) return SN_OK;
    if (body->mesh && !solid)
        sn_problem_error(
            &scene->problems, file->place,
            "the skin of %s is carried by tetrahedra, and its mesh has none; leave the skin out, or take a "
            "solid mesh",
            body->context);
    else if (skin.mesh->triangle_count == 0)
        sn_problem_error(&scene->problems, file->place, "the skin of %s has no faces", body->context);
    else
        return SN_OK;
    sn_mesh_destroy(body->skin);
    body->skin = NULL;
    return SN_OK;
}

// A surface without a rim, of a material that solids are made of, is most likely meant as a solid.
static SnStatus check_shell(SnScene* scene, SnSceneBody* body)
{
    static const char* const thin[] = {"thickness", "area-density", "bending"};
    const SnMaterialPart* material = &body->part->material;
    SnShells* shells;
    if (body->part->shell || body->mesh->tetrahedron_count > 0 || body->mesh->triangle_count == 0) return SN_OK;
    for (int i = 0; i < 3; i++)
        if (sn_node_find(material->node, thin[i])) return SN_OK;
    const SnMaterialType* type = material->type ? sn_material_find(material->type) : NULL;
    if (type && !(type->elements & SN_ON_TETRAHEDRA)) return SN_OK;
    SN_TRY(sn_shells_create(body->mesh, 0, &shells));
    if (shells->report.open_edges + shells->report.crowded_edges == 0 && shells->triangle_count > 0)
        sn_problem_error(&scene->problems, body->part->mesh->first->place,
                         "mesh of %s is a closed surface of triangles, which would be an empty bag; for a solid, use "
                         "'mesh: {surface: FILE, edge: %.2g}'; for a shell, say so with 'shell: true'",
                         body->context, sn_mesh_size(body->mesh) / 30 / sn_lengths(&scene->problems, 0, NULL));
    sn_shells_destroy(shells);
    return SN_OK;
}

// Ten-node tetrahedra where they are asked for; a file that has some, and is not asked for them, is told of.
static SnStatus set_order(SnScene* scene, SnSceneBody* body)
{
    SnMesh* raised;
    bool wanted = body->part->def.element == SN_ELEMENT_QUADRATIC;
    if (!wanted && body->mesh->quadratic)
        sn_problem_warning(&scene->problems, body->part->mesh->first->place,
                           "mesh of %s is of second order; each tetrahedron is taken as eight linear ones; say "
                           "'element: quadratic' to have it as it is",
                           body->context);
    if (!wanted || body->mesh->quadratic || body->mesh->tetrahedron_count == 0) return SN_OK;
    SN_TRY(sn_mesh_raise(body->mesh, &raised));
    sn_mesh_destroy(body->mesh);
    body->mesh = raised;
    return SN_OK;
}

SnStatus sn_build_mesh(SnScene* scene, SnSceneBody* body)
{
    SN_TRY(read_mesh(scene, body, body->part->mesh));
    if (body->mesh) SN_TRY(check_mesh(scene, body));
    if (body->mesh) SN_TRY(check_shell(scene, body));
    if (!body->placed) SN_TRY(read_skin(scene, body, body->mesh && body->mesh->tetrahedron_count > 0));
    if (!body->mesh) return SN_OK;
    SN_TRY(set_order(scene, body));
    place_mesh(scene, body);
    sn_mesh_measure_of_all(body->mesh, &body->measure);
    return SN_OK;
}
