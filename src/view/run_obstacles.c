// The obstacles of a run as surfaces of pictures.
#include "view/run_obstacles.h"

#include "linalg/vec3.h"
#include "mesh/mesh.h"
#include "obstacle/obstacle.h"

static const double CREASE = 50;

typedef struct Drawn {
    const SnRunObstacle* obstacle;
    int index, node_count;
    SnPictureSurface* surface;
    double* nodes; // before it is moved
    double* positions;
} Drawn;

struct SnRunObstacles {
    SnRunFile* run;
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

static SnStatus make(Drawn* d, int node_count, const double* nodes, int triangle_count, const int* triangles)
{
    d->node_count = node_count;
    if (!SN_NEW(d->positions, 3 * (int64_t)node_count, "picture")) return SN_ERROR_MEMORY;
    if (!d->nodes && !(d->nodes = sn_copy_memory(nodes, 3 * (size_t)node_count, sizeof *nodes, "picture")))
        return SN_ERROR_MEMORY;
    return sn_picture_surface_create(node_count, d->nodes, triangle_count, triangles, CREASE, &d->surface);
}

static SnStatus make_plane(Drawn* d, double size)
{
    SnObstacle plane;
    SnMesh* mesh = NULL;
    SnObstacleShape shape = sn_obstacle("plane");
    for (int c = 0; c < 3; c++) shape.point[c] = d->obstacle->point[c], shape.normal[c] = d->obstacle->normal[c];
    SN_TRY(sn_obstacle_create(&plane, &shape));
    SnStatus status = sn_obstacle_surface(&plane, size, &mesh);
    if (status == SN_OK) status = make(d, mesh->node_count, mesh->nodes, mesh->triangle_count, mesh->triangles);
    sn_mesh_destroy(mesh);
    sn_obstacle_destroy(&plane);
    return status;
}

static SnStatus add(SnRunObstacles* all, int index, double size)
{
    Drawn* d = &all->drawn[all->count++];
    const SnRunObstacle* o = d->obstacle = &sn_run_file_obstacles(all->run)[index];
    d->index = index;
    if (o->plane) return make_plane(d, size);
    if (!SN_NEW(d->nodes, 3 * (int64_t)o->vertex_count, "picture")) return SN_ERROR_MEMORY;
    SN_TRY(sn_run_file_read_obstacle(all->run, 0, index, NULL, d->nodes));
    return make(d, o->vertex_count, d->nodes, o->triangle_count, o->triangles);
}

static SnStatus fill(SnRunObstacles* all, double size)
{
    int count = sn_run_file_obstacle_count(all->run);
    if (!SN_NEW(all->drawn, count, "picture")) return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        bool floor;
        SN_TRY(is_floor(all->run, i, &floor));
        if (floor && !all->has_floor)
            all->has_floor = true, all->floor = sn_run_file_obstacles(all->run)[i].point[1];
        else
            SN_TRY(add(all, i, size));
    }
    return sn_run_obstacles_move(all, 0, NULL);
}

SnStatus sn_run_obstacles_create(SnRunFile* run, double size, SnRunObstacles** out)
{
    SnRunObstacles* all;
    *out = NULL;
    if (!SN_NEW(all, 1, "picture")) return SN_ERROR_MEMORY;
    all->run = run;
    SN_FINISH(fill(all, size), all, sn_run_obstacles_destroy, out);
}

void sn_run_obstacles_destroy(SnRunObstacles* all)
{
    if (!all) return;
    for (int i = 0; i < all->count; i++) {
        sn_picture_surface_destroy(all->drawn[i].surface);
        SN_FREE(all->drawn[i].nodes, all->drawn[i].positions);
    }
    SN_FREE(all->drawn, all);
}

int sn_run_obstacles_count(const SnRunObstacles* all)
{
    return all->count;
}

SnPictureBody sn_run_obstacles_body(const SnRunObstacles* all, int index)
{
    return (SnPictureBody){all->drawn[index].surface, all->drawn[index].positions, {0.66f, 0.68f, 0.71f}, NULL};
}

// A plane that is between the eye and what is before the plane, as the near walls of a box are: it shrinks to a point.
static void hide_behind(Drawn* d, const SnPose* pose, const double eye[3])
{
    double normal[3], height = 0;
    sn_rotate3(pose->rotation, d->obstacle->normal, normal);
    for (int c = 0; c < 3; c++) height += normal[c] * (eye[c] - d->positions[c]);
    for (int64_t k = 3; k < 3 * (int64_t)d->node_count && height < 0; k++) d->positions[k] = d->positions[k % 3];
}

SnStatus sn_run_obstacles_move(SnRunObstacles* all, int frame, const double eye[3])
{
    for (int i = 0; i < all->count; i++) {
        Drawn* d = &all->drawn[i];
        SnPose pose;
        SN_TRY(sn_run_file_read_obstacle(all->run, frame, d->index, &pose, d->obstacle->changes ? d->nodes : NULL));
        for (int64_t k = 0; k < d->node_count; k++) {
            double* x = d->positions + 3 * k;
            sn_rotate3(pose.rotation, d->nodes + 3 * k, x);
            for (int c = 0; c < 3; c++) x[c] += pose.shift[c];
        }
        if (eye && d->obstacle->plane) hide_behind(d, &pose, eye);
    }
    return SN_OK;
}

bool sn_run_obstacles_floor(const SnRunObstacles* all, double* height)
{
    *height = all->floor;
    return all->has_floor;
}
