#include "live/make.h"

#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "mesh/mesh.h"
#include "world/world.h"

enum { BALL, BLOCK, SHEET, FLOOR = SHEET };
enum { CELLS = 4, SHEET_CELLS = 12 };

static SnStatus make_mesh(int kind, double size, SnMesh** mesh)
{
    if (kind == SHEET) return sn_mesh_make_cloth((double[2]){size, size}, (int[2]){SHEET_CELLS, SHEET_CELLS}, mesh);
    if (kind == BALL) return sn_mesh_make_sphere(size / 2, CELLS, mesh);
    return sn_mesh_make_box((double[3]){size, size, size}, (int[3]){CELLS, CELLS, CELLS}, mesh);
}

// That of the first body like it which is the same everywhere and says all in numbers.
static SnMaterial material_for(const SnWorld* world, int kind)
{
    for (int b = 0; b < world->model.body_count; b++) {
        const SnBody* body = &world->model.bodies[b];
        bool sheet = body->tetrahedron_count == 0 && body->triangle_count > 0, solid = body->tetrahedron_count > 0;
        if ((kind == SHEET ? sheet : solid) && !body->element_parameters && !body->spline && !body->material.custom)
            return body->material;
    }
    SnMaterial material = sn_material(kind == SHEET ? "stvk" : "neo-hookean", 1e5, 0.3, 500);
    if (kind == SHEET) material.thickness = 1e-3;
    return material;
}

static void centre(SnMesh* mesh, const double at[3])
{
    SnMeshMeasure box;
    sn_mesh_measure(mesh, &box);
    for (int64_t k = 0; k < 3 * (int64_t)mesh->node_count; k++)
        mesh->nodes[k] += at[k % 3] - 0.5 * (box.lo[k % 3] + box.hi[k % 3]);
}

SnStatus sn_make_body(SnWorld* world, int kind, double size, const double at[3])
{
    static const char* const names[SN_MAKE_KINDS] = {"ball", "block", "sheet"};
    SnBodyDef def = sn_default_body_def();
    SnMesh* mesh;
    char name[32];
    if (kind < 0 || kind >= SN_MAKE_KINDS) return sn_fail(SN_ERROR_VALUE, "there is nothing %d to make", kind);
    if (!(size > 0 && size < 1e6)) return sn_fail(SN_ERROR_VALUE, "a %s of %g m", names[kind], size);
    SN_TRY(make_mesh(kind, size, &mesh));
    centre(mesh, at);
    snprintf(name, sizeof name, "%s %d", names[kind], world->model.body_count);
    def.name = name, def.mesh = mesh, def.material = material_for(world, kind), def.element = SN_ELEMENT_AUTO;
    SnStatus status = sn_world_add_body(world, &def, NULL);
    sn_mesh_destroy(mesh);
    return status;
}

static SnObstacleShape make_shape(int kind, double size, const double at[3], const double up[3])
{
    static const char* const types[SN_MAKE_KINDS] = {"sphere", "box", "plane"};
    SnObstacleShape shape = sn_obstacle(types[kind]);
    memcpy(shape.point, at, sizeof shape.point);
    if (kind == FLOOR) memcpy(shape.normal, up, sizeof shape.normal);
    shape.radius = size / 2;
    for (int c = 0; c < 3 && kind == BLOCK; c++) shape.size[c] = size;
    return shape;
}

SnStatus sn_make_obstacle(SnWorld* world, int kind, double size, const double at[3], const double up[3])
{
    static const char* const names[SN_MAKE_KINDS] = {"ball", "block", "floor"};
    SnObstacleDef def = sn_default_obstacle_def();
    char name[40];
    if (kind < 0 || kind >= SN_MAKE_KINDS) return sn_fail(SN_ERROR_VALUE, "there is no obstacle %d to make", kind);
    if (!(size > 0 && size < 1e6)) return sn_fail(SN_ERROR_VALUE, "a %s of %g m", names[kind], size);
    snprintf(name, sizeof name, "fixed %s %d", names[kind], world->model.obstacle_count);
    def.name = name, def.shape = make_shape(kind, size, at, up);
    if (world->model.obstacle_count > 0) def.friction = world->model.obstacle_shapes[0].friction;
    return sn_world_add_obstacle(world, &def, NULL);
}
