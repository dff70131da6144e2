// The obstacles of a run, made from the scene that it keeps.
#include "view/run_obstacles.h"

#include <math.h>
#include <string.h>

#include "obstacle/obstacle.h"
#include "scene/build.h"
#include "world/motion.h"

static const double CREASE = 50;

typedef struct Drawn {
    const SnObstacleDef* def;
    SnObstacle obstacle;
    SnMesh* mesh; // before it is moved
    SnPictureSurface* surface;
    double* positions;
} Drawn;

struct SnRunObstacles {
    SnScene* scene;
    int count;
    Drawn* drawn;
    bool has_floor;
    double floor;
};

static bool moves(const SnMotion* m)
{
    const double *v = m->velocity, *a = m->oscillate_amplitude;
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || a[0] != 0 || a[1] != 0 || a[2] != 0 || m->rotate_rate != 0 ||
           m->keyframe_count > 0;
}

static bool is_floor(const SnObstacleDef* def)
{
    const double* n = def->shape.normal;
    return strcmp(def->shape.type, "plane") == 0 && n[0] == 0 && n[1] > 0 && n[2] == 0 && !moves(&def->motion);
}

static SnStatus add(SnRunObstacles* all, const SnObstacleDef* def, double size)
{
    Drawn* d = &all->drawn[all->count++];
    d->def = def;
    SN_TRY(sn_obstacle_create(&d->obstacle, &def->shape));
    SN_TRY(sn_obstacle_surface(&d->obstacle, size, &d->mesh));
    if (!SN_NEW(d->positions, 3 * (int64_t)d->mesh->node_count, "picture")) return SN_ERROR_MEMORY;
    return sn_picture_surface_create(d->mesh->node_count, d->mesh->nodes, d->mesh->triangle_count, d->mesh->triangles,
                                     CREASE, &d->surface);
}

static SnStatus fill(SnRunObstacles* all, double size)
{
    int count = all->scene ? all->scene->obstacle_count : 0;
    if (!SN_NEW(all->drawn, count, "picture")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        const SnObstacleDef* def = &all->scene->obstacles[i].def;
        if (is_floor(def) && !all->has_floor)
            all->has_floor = true, all->floor = def->shape.point[1];
        else
            SN_TRY(add(all, def, size));
    }
    return sn_run_obstacles_move(all, 0);
}

SnStatus sn_run_obstacles_create(const char* text, const char* path, double size, SnRunObstacles** out)
{
    SnRunObstacles* all;
    *out = NULL;
    if (!SN_NEW(all, 1, "picture")) return SN_ERROR_MEMORY;
    SnStatus status = text ? sn_scene_parse(text, strlen(text), path, NULL, 0, &all->scene) : SN_OK;
    bool readable = status == SN_OK;
    if (status != SN_ERROR_MEMORY) status = SN_OK;
    if (!readable && all->scene) {
        sn_scene_destroy(all->scene);
        all->scene = NULL;
    }
    if (status == SN_OK) status = fill(all, size);
    if (status != SN_OK) {
        sn_run_obstacles_destroy(all);
        return status;
    }
    *out = all;
    return SN_OK;
}

void sn_run_obstacles_destroy(SnRunObstacles* all)
{
    if (!all) return;
    for (int i = 0; i < all->count; i++) {
        sn_obstacle_destroy(&all->drawn[i].obstacle);
        sn_mesh_destroy(all->drawn[i].mesh);
        sn_picture_surface_destroy(all->drawn[i].surface);
        sn_free(all->drawn[i].positions);
    }
    sn_free(all->drawn);
    sn_scene_destroy(all->scene);
    sn_free(all);
}

int sn_run_obstacles_count(const SnRunObstacles* all)
{
    return all->count;
}

SnPictureBody sn_run_obstacles_body(const SnRunObstacles* all, int index)
{
    return (SnPictureBody){all->drawn[index].surface, all->drawn[index].positions, {0.66f, 0.68f, 0.71f}};
}

// A mesh that changes has other nodes at another time, and the same triangles.
static SnStatus change(Drawn* d, double time)
{
    SnMesh* mesh;
    if (d->def->shape.frame_count == 0) return SN_OK;
    sn_obstacle_place(&d->obstacle, &d->obstacle.before, &d->obstacle.frame, time, time);
    SN_TRY(sn_obstacle_surface(&d->obstacle, 0, &mesh));
    sn_mesh_destroy(d->mesh);
    d->mesh = mesh;
    return SN_OK;
}

SnStatus sn_run_obstacles_move(SnRunObstacles* all, double time)
{
    for (int i = 0; i < all->count; i++) {
        Drawn* d = &all->drawn[i];
        SN_TRY(change(d, time));
        for (int64_t k = 0; k < d->mesh->node_count; k++)
            sn_motion_apply(&d->def->motion, time, d->mesh->nodes + 3 * k, d->positions + 3 * k);
    }
    return SN_OK;
}

bool sn_run_obstacles_floor(const SnRunObstacles* all, double* height)
{
    *height = all->floor;
    return all->has_floor;
}
