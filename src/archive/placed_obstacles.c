// The obstacles of a run, as triangles in their places.
#include "archive/placed_obstacles.h"

#include <string.h>

#include "core/memory.h"
#include "linalg/vec3.h"

static const int SQUARE[] = {0, 1, 2, 0, 2, 3};

// Wound so that its outside is where the normal points to.
static void make_square(const SnRunObstacle* o, double extent, double* corners)
{
    double n[3] = {o->normal[0], o->normal[1], o->normal[2]}, u[3], v[3];
    sn_normalize3(n);
    sn_across3(n, u);
    sn_cross3(n, u, v);
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            corners[3 * i + c] = o->point[c] + extent * ((i == 1 || i == 2 ? 1 : -1) * u[c] + (i >= 2 ? 1 : -1) * v[c]);
}

static SnStatus make(SnPlacedObstacles* placed, int index, double extent)
{
    SnPlacedObstacle* p = &placed->items[index];
    const SnRunObstacle* o = p->obstacle = &sn_run_file_obstacles(placed->run)[index];
    p->vertex_count = o->plane ? 4 : o->vertex_count;
    p->triangle_count = o->plane ? 2 : o->triangle_count;
    p->triangles = o->plane ? SQUARE : o->triangles;
    if (!SN_NEW(p->vertices, 3 * (int64_t)p->vertex_count, "an obstacle") ||
        !SN_NEW(p->positions, 3 * (int64_t)p->vertex_count, "an obstacle"))
        return SN_ERROR_MEMORY;
    if (o->plane) make_square(o, extent, p->vertices);
    return o->plane ? SN_OK : sn_run_file_read_obstacle(placed->run, 0, index, NULL, p->vertices);
}

static SnStatus fill(SnPlacedObstacles* placed, double extent)
{
    int count = sn_run_file_obstacle_count(placed->run);
    if (!SN_NEW(placed->items, count, "obstacles")) return SN_ERROR_MEMORY;
    while (placed->count < count) SN_TRY(make(placed, placed->count++, extent));
    return sn_run_file_frame_count(placed->run) > 0 ? sn_placed_obstacles_read(placed, 0) : SN_OK;
}

SnStatus sn_placed_obstacles_create(SnRunFile* run, double extent, SnPlacedObstacles** out)
{
    SnPlacedObstacles* placed;
    *out = NULL;
    if (!SN_NEW(placed, 1, "obstacles")) return SN_ERROR_MEMORY;
    placed->run = run;
    SN_FINISH(fill(placed, extent), placed, sn_placed_obstacles_destroy, out);
}

void sn_placed_obstacles_destroy(SnPlacedObstacles* placed)
{
    if (!placed) return;
    for (int i = 0; i < placed->count; i++) SN_FREE(placed->items[i].vertices, placed->items[i].positions);
    SN_FREE(placed->items, placed);
}

SnStatus sn_placed_obstacles_read(SnPlacedObstacles* placed, int frame)
{
    for (int i = 0; i < placed->count; i++) {
        SnPlacedObstacle* p = &placed->items[i];
        double* changed = p->obstacle->changes && !p->obstacle->plane ? p->vertices : NULL;
        SN_TRY(sn_run_file_read_obstacle(placed->run, frame, i, &p->pose, changed));
        for (int64_t k = 0; k < p->vertex_count; k++) {
            double* x = p->positions + 3 * k;
            sn_rotate3(p->pose.rotation, p->vertices + 3 * k, x);
            for (int c = 0; c < 3; c++) x[c] += p->pose.shift[c];
        }
    }
    return SN_OK;
}
