// Small worlds: bodies and the handles that hold them.
#pragma once
#include "check.h"

#include "mesh/mesh.h"
#include "world/motion.h"

static inline SnWorld* make_world(SnWorldDef def)
{
    SnWorld* world = NULL;
    check_ok(sn_world_create(&def, &world));
    return world;
}

static inline SnMesh* make_box(double x, double y, double z, int nx, int ny, int nz)
{
    SnMesh* mesh = NULL;
    check_ok(sn_mesh_make_box((double[]){x, y, z}, (int[]){nx, ny, nz}, &mesh));
    return mesh;
}

// Adds the mesh as a body and destroys it.
static inline void add_body(SnWorld* world, SnMesh* mesh, SnMaterial material, const double* start,
                            const double* velocity)
{
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh, def.material = material, def.start = start, def.velocity = velocity;
    check_ok(sn_world_add_body(world, &def, NULL));
    sn_mesh_destroy(mesh);
}

// Holds the nodes of body 0 whose rest coordinate on an axis is in [lo, hi].
static inline void hold(SnWorld* world, int axis, double lo, double hi, SnMotion motion)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, 0, &info));
    int* nodes = calloc((size_t)info.node_count, sizeof *nodes);
    int count = 0;
    for (int i = 0; i < info.node_count; i++)
        if (info.rest[3 * i + axis] >= lo - 1e-9 && info.rest[3 * i + axis] <= hi + 1e-9) nodes[count++] = i;
    check(count > 0);
    SnHandleDef def = sn_default_handle_def();
    def.nodes = nodes, def.node_count = count, def.motion = motion;
    check_ok(sn_world_add_handle(world, &def, NULL));
    free(nodes);
}

static inline SnMotion still(void)
{
    return sn_default_handle_def().motion;
}

static inline SnWorld* make_bar(int threads)
{
    SnWorldDef def = sn_default_world_def();
    def.threads = threads;
    def.time_step = 1.0 / 30;
    SnWorld* world = make_world(def);
    add_body(world, make_box(4, 1, 1, 12, 3, 3), sn_material("neo-hookean", 1e6, 0.4, 1000), NULL, NULL);
    hold(world, 0, 0, 0, still());
    return world;
}

// Adds a bar of two halves, x < 1 and x > 1, which are two regions or are scaled.
static inline SnStatus add_halves(SnWorld* world, const SnMaterial* soft, const SnMaterial* hard, double scale)
{
    SnMesh* mesh = make_box(2, 1, 1, 4, 2, 2);
    int count = mesh->tetrahedron_count;
    int* region = calloc((size_t)count, sizeof *region);
    double* scales = calloc((size_t)count, sizeof *scales);
    for (int t = 0; t < count; t++) {
        double x = 0;
        for (int c = 0; c < 4; c++) x += mesh->nodes[3 * mesh->tetrahedra[4 * t + c]] / 4;
        region[t] = x > 1 ? 0 : -1;
        scales[t] = x > 1 ? scale : 1;
    }
    SnBodyDef def = sn_default_body_def();
    def.mesh = mesh, def.material = *soft;
    if (hard) def.regions = hard, def.region_count = 1, def.region_of_element = region;
    if (scale != 1) def.young_scale = scales;
    SnStatus status = sn_world_add_body(world, &def, NULL);
    sn_mesh_destroy(mesh), free(region), free(scales);
    return status;
}

// Pulls the bar of length 2, held at x = 0, by a stretch of x and returns the elastic energy.
static inline double pull(SnWorld* world, double stretch)
{
    SnMotion motion = still();
    motion.velocity[0] = 2 * (stretch - 1) / sn_default_world_def().time_step;
    hold(world, 0, 0, 0, still());
    hold(world, 0, 2, 2, motion);
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s", report.detail);
    return report.energy.elastic;
}
