// The obstacles of a run as surfaces of pictures.
#include "view/run_obstacles.h"

#include <math.h>
#include <string.h>

#include "archive/placed_obstacles.h"
#include "core/memory.h"
#include "linalg/vec3.h"

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
    double turn[9];
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

static SnStatus is_floor(SnRunFile* run, const double turn[9], int index, bool* floor)
{
    const SnRunObstacle* o = &sn_run_file_obstacles(run)[index];
    double normal[3];
    sn_rotate3(turn, o->normal, normal);
    *floor = o->plane && normal[1] > 0 && hypot(normal[0], normal[2]) <= 1e-12 * normal[1];
    return *floor ? stays(run, index, floor) : SN_OK;
}

static double height_of(const double turn[9], const double point[3])
{
    double there[3];
    sn_rotate3(turn, point, there);
    return there[1];
}

static SnStatus add(SnRunObstacles* all, int index)
{
    Drawn* d = &all->drawn[all->count++];
    const SnPlacedObstacle* p = &all->placed->items[index];
    d->index = index;
    return sn_picture_surface_create(p->vertex_count, p->vertices, p->triangle_count, p->triangles, SN_CREASE,
                                     &d->surface);
}

static SnStatus fill(SnRunObstacles* all, SnRunFile* run, double size)
{
    int count = sn_run_file_obstacle_count(run);
    SN_TRY(sn_placed_obstacles_create(run, size, &all->placed));
    if (!SN_NEW(all->drawn, count, "picture")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        bool floor;
        SN_TRY(is_floor(run, all->turn, i, &floor));
        if (floor && !all->has_floor)
            all->has_floor = true, all->floor = height_of(all->turn, sn_run_file_obstacles(run)[i].point);
        else
            SN_TRY(add(all, i));
    }
    return sn_run_obstacles_move(all, 0, NULL);
}

SnStatus sn_run_obstacles_create(SnRunFile* run, double size, const double turn[9], SnRunObstacles** out)
{
    SnRunObstacles* all;
    *out = NULL;
    if (!SN_NEW(all, 1, "picture")) return SN_ERROR_MEMORY;
    memcpy(all->turn, turn, sizeof all->turn);
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

bool sn_run_obstacles_is_plane(const SnRunObstacles* all, int index)
{
    return all->placed->items[all->drawn[index].index].obstacle->plane;
}

SnPictureBody sn_run_obstacles_body(const SnRunObstacles* all, int index)
{
    const Drawn* d = &all->drawn[index];
    return (SnPictureBody){d->surface, all->placed->items[d->index].positions, {0.66f, 0.68f, 0.71f}, NULL};
}

// A plane that is between the eye and what is before the plane, as the near walls of a box are: it shrinks to a point.
static void hide_behind(const SnRunObstacles* all, SnPlacedObstacle* p, const double eye[3])
{
    double own[3], normal[3], height = 0;
    sn_rotate3(p->pose.rotation, p->obstacle->normal, own);
    sn_rotate3(all->turn, own, normal);
    for (int c = 0; c < 3; c++) height += normal[c] * (eye[c] - p->positions[c]);
    for (int64_t k = 3; k < 3 * (int64_t)p->vertex_count && height < 0; k++) p->positions[k] = p->positions[k % 3];
}

SnStatus sn_run_obstacles_move(SnRunObstacles* all, int frame, const double eye[3])
{
    SN_TRY(sn_placed_obstacles_read(all->placed, frame));
    for (int i = 0; i < all->placed->count; i++) {
        SnPlacedObstacle* p = &all->placed->items[i];
        for (int64_t v = 0; v < p->vertex_count; v++) {
            double x[3] = {p->positions[3 * v], p->positions[3 * v + 1], p->positions[3 * v + 2]};
            sn_rotate3(all->turn, x, p->positions + 3 * v);
        }
        if (eye && p->obstacle->plane) hide_behind(all, p, eye);
    }
    return SN_OK;
}

bool sn_run_obstacles_floor(const SnRunObstacles* all, double* height)
{
    *height = all->floor;
    return all->has_floor;
}
