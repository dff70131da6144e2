// The obstacles of a run as surfaces of pictures.
#include "view/run_obstacles.h"

#include "archive/placed_obstacles.h"
#include "core/memory.h"
#include "linalg/vec3.h"

static const double CREASE = 50;

typedef struct Drawn {
    int index; // in the run
    SnPictureSurface* surface;
} Drawn;

struct SnRunObstacles {
    SnPlacedObstacles* placed;
    int count;
    Drawn* drawn;
    bool has_floor;
    double floor;
};

// Whether it stays where it was at time 0.
static SnStatus stays(SnRunFile* run, int index, bool* still)
{
    *still = true;
    for (int i = 0; *still && i < sn_run_file_frame_count(run); i++) {
        SnPose pose;
        SN_TRY(sn_run_file_read_obstacle(run, i, index, &pose, NULL));
        for (int c = 0; c < 9; c++) *still = *still && pose.rotation[c] == (c % 4 == 0);
        for (int c = 0; c < 3; c++) *still = *still && pose.shift[c] == 0;
    }
    return SN_OK;
}

static SnStatus is_floor(SnRunFile* run, int index, bool* floor)
{
    const SnRunObstacle* o = &sn_run_file_obstacles(run)[index];
    *floor = o->plane && o->normal[0] == 0 && o->normal[1] > 0 && o->normal[2] == 0;
    return *floor ? stays(run, index, floor) : SN_OK;
}

static SnStatus add(SnRunObstacles* all, int index)
{
    Drawn* d = &all->drawn[all->count++];
    const SnPlacedObstacle* p = &all->placed->items[index];
    d->index = index;
    return sn_picture_surface_create(p->vertex_count, p->vertices, p->triangle_count, p->triangles, CREASE,
                                     &d->surface);
}

static SnStatus fill(SnRunObstacles* all, SnRunFile* run, double size)
{
    int count = sn_run_file_obstacle_count(run);
    SN_TRY(sn_placed_obstacles_create(run, size, &all->placed));
    if (!SN_NEW(all->drawn, count, "picture")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        bool floor;
        SN_TRY(is_floor(run, i, &floor));
        if (floor && !all->has_floor)
            all->has_floor = true, all->floor = sn_run_file_obstacles(run)[i].point[1];
        else
            SN_TRY(add(all, i));
    }
    return SN_OK;
}

SnStatus sn_run_obstacles_create(SnRunFile* run, double size, SnRunObstacles** out)
{
    SnRunObstacles* all;
    *out = NULL;
    if (!SN_NEW(all, 1, "picture")) return SN_ERROR_MEMORY;
    SN_FINISH(fill(all, run, size), all, sn_run_obstacles_destroy, out);
}

void sn_run_obstacles_destroy(SnRunObstacles* all)
{
    if (!all) return;
    for (int i = 0; i < all->count; i++) sn_picture_surface_destroy(all->drawn[i].surface);
    sn_placed_obstacles_destroy(all->placed);
    SN_FREE(all->drawn, all);
}

int sn_run_obstacles_count(const SnRunObstacles* all)
{
    return all->count;
}

SnPictureBody sn_run_obstacles_body(const SnRunObstacles* all, int index)
{
    const Drawn* d = &all->drawn[index];
    return (SnPictureBody){d->surface, all->placed->items[d->index].positions, {0.66f, 0.68f, 0.71f}, NULL};
}

// A plane that is between the eye and what is before the plane, as the near walls of a box are: it shrinks to a point.
static void hide_behind(SnPlacedObstacle* p, const double eye[3])
{
    double normal[3], height = 0;
    sn_rotate3(p->pose.rotation, p->obstacle->normal, normal);
    for (int c = 0; c < 3; c++) height += normal[c] * (eye[c] - p->positions[c]);
    for (int64_t k = 3; k < 3 * (int64_t)p->vertex_count && height < 0; k++) p->positions[k] = p->positions[k % 3];
}

SnStatus sn_run_obstacles_move(SnRunObstacles* all, int frame, const double eye[3])
{
    SN_TRY(sn_placed_obstacles_read(all->placed, frame));
    for (int i = 0; eye && i < all->placed->count; i++)
        if (all->placed->items[i].obstacle->plane) hide_behind(&all->placed->items[i], eye);
    return SN_OK;
}

bool sn_run_obstacles_floor(const SnRunObstacles* all, double* height)
{
    *height = all->floor;
    return all->has_floor;
}
