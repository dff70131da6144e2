// mesh: the distance from the nearest triangle, negative inside by the normal there (Baerentzen & Aanaes 2005); the
// triangles may change from frame to frame
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"
#include "obstacle/triangles.h"

typedef struct Data {
    SnTriangles* surface;
    int frame_count, node_count;
    double rate;
    bool repeat;
    double* frames;    // frame_count x 3 x node_count
    double* before;    // 3 x node_count: the nodes at the beginning of the step; NULL when it does not change
    double *from, *to; // 3 x node_count each: where it is told to go, in place of the frames; NULL: it is not
    double begin, end; // s
} Data;

static void release(SnObstacleShape* s)
{
    Data* d = s->data;
    if (!d) return;
    sn_triangles_destroy(d->surface);
    SN_FREE(d->frames, d->before, d->from, d->to, d);
    s->data = NULL;
}

static SnStatus keep_frames(Data* d, const SnObstacleShape* s)
{
    int64_t size = 3 * (int64_t)d->node_count;
    d->frame_count = s->frame_count;
    d->rate = s->frame_rate;
    d->repeat = s->repeat;
    if (!SN_NEW(d->frames, size * s->frame_count, "frames") || !SN_NEW(d->before, size, "frames"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < s->frame_count; i++) {
        if (s->frames[i]->node_count != d->node_count)
            return sn_fail(SN_ERROR_VALUE, "frame %d of the mesh has %d nodes, the first %d; they must be as many", i,
                           s->frames[i]->node_count, d->node_count);
        memcpy(d->frames + size * i, s->frames[i]->nodes, (size_t)size * sizeof(double));
    }
    memcpy(d->before, d->frames, (size_t)size * sizeof(double));
    return SN_OK;
}

static SnStatus check_frames(const SnObstacleShape* s)
{
    if (s->frame_count < 0 || (s->frame_count > 0 && !s->frames))
        return sn_fail(SN_ERROR_VALUE, "%d frames of the mesh%s", s->frame_count,
                       s->frames ? "; there can be 0 or more" : " without a list");
    for (int i = 0; i < s->frame_count; i++)
        if (!sn_handle_lives(s->frames[i])) return sn_fail(SN_ERROR_VALUE, "frame %d of the mesh is no mesh", i);
    return SN_OK;
}

static SnStatus prepare(SnObstacleShape* s)
{
    SN_TRY(check_frames(s));
    const SnMesh* mesh = s->frame_count > 0 ? s->frames[0] : s->mesh;
    int *triangles, count;
    Data* d;
    if (!mesh) return sn_fail(SN_ERROR_VALUE, "the obstacle has no mesh");
    if (!sn_handle_lives(mesh)) return sn_fail(SN_ERROR_VALUE, "the obstacle's mesh was destroyed before it was added");
    int beyond = sn_first_beyond(mesh->node_count, mesh->nodes);
    if (beyond >= 0) return sn_fail(SN_ERROR_VALUE, "node %d of the mesh is not finite", beyond);
    if (!SN_NEW(d, 1, "an obstacle")) return SN_ERROR_MEMORY;
    s->data = d;
    d->node_count = mesh->node_count;
    SN_TRY(sn_mesh_surface(mesh, &triangles, &count));
    SnStatus status = count > 0 ? sn_triangles_create(d->node_count, mesh->nodes, count, triangles, &d->surface)
                                : sn_fail(SN_ERROR_VALUE, "the mesh has no triangles");
    sn_free(triangles);
    SN_TRY(status);
    return s->frame_count > 0 ? keep_frames(d, s) : SN_OK;
}

static double distance(const SnObstacleShape* s, const double p[3], double gradient[3])
{
    const Data* d = s->data;
    SnNearest nearest;
    int side;
    double far = sn_triangles_distance(d->surface, p, &nearest, gradient, &side);
    for (int c = 0; c < 3; c++) gradient[c] *= side;
    return side * far;
}

static void told_nodes_at(const Data* d, double time, double* x)
{
    double u = time <= d->begin ? 0 : time >= d->end ? 1 : (time - d->begin) / (d->end - d->begin);
    for (int64_t k = 0; k < 3 * (int64_t)d->node_count; k++)
        x[k] = u == 1 ? d->to[k] : d->from[k] + u * (d->to[k] - d->from[k]);
}

// The nodes at a time, linear between frames.
static void nodes_at(const Data* d, double time, double* x)
{
    if (d->to) {
        told_nodes_at(d, time, x);
        return;
    }
    double place = fmax(time * d->rate, 0);
    place = d->repeat ? fmod(place, d->frame_count) : fmin(place, d->frame_count - 1);
    int64_t i = (int64_t)place, size = 3 * (int64_t)d->node_count;
    double u = place - (double)i;
    const double *a = d->frames + size * i, *b = d->frames + size * ((i + 1) % d->frame_count);
    for (int64_t k = 0; k < size; k++) x[k] = (1 - u) * a[k] + u * b[k];
}

static void change(SnObstacleShape* s, double before, double now)
{
    Data* d = s->data;
    if (!d->frames) return;
    nodes_at(d, before, d->before);
    nodes_at(d, now, d->surface->x);
    sn_triangles_update(d->surface);
}

static void carry(const SnObstacleShape* s, const double p[3], double moved[3])
{
    const Data* d = s->data;
    SnNearest nearest;
    memset(moved, 0, 3 * sizeof *moved);
    if (!d->frames || !sn_tree_nearest(d->surface->tree, d->surface->x, p, INFINITY, NULL, NULL, &nearest)) return;
    for (int k = 0; k < 3; k++) {
        int64_t node = 3 * (int64_t)d->surface->tree->items[3 * (int64_t)nearest.item + k];
        for (int c = 0; c < 3; c++) moved[c] += nearest.weights[k] * (d->surface->x[node + c] - d->before[node + c]);
    }
}

static void vertices(const SnObstacleShape* s, SnObstacleVertices* v)
{
    const Data* d = s->data;
    *v = (SnObstacleVertices){d->node_count, d->surface->triangle_count, d->surface->x,
                              d->before ? d->before : d->surface->x, d->surface->tree->items};
}

static SnStatus surface(const SnObstacleShape* s, double extent, SnMesh** mesh)
{
    (void)extent;
    const Data* d = s->data;
    return sn_surface_of_triangles(d->node_count, d->surface->x, d->surface->triangle_count, d->surface->tree->items,
                                   mesh);
}

int sn_obstacle_vertex_count(const SnObstacle* obstacle)
{
    const Data* d = obstacle->shape.data;
    return obstacle->type == &sn_obstacle_mesh && d->frames ? d->node_count : 0;
}

SnStatus sn_obstacle_tell(SnObstacle* obstacle, const double* vertices, double begin, double end)
{
    Data* d = obstacle->shape.data;
    double *from, *to;
    int64_t size = 3 * (int64_t)d->node_count;
    begin -= obstacle->since, end -= obstacle->since;
    if (!SN_NEW(from, size, "an obstacle")) return SN_ERROR_MEMORY;
    if (!(to = sn_copy_memory(vertices, (size_t)size, sizeof *to, "an obstacle"))) {
        sn_free(from);
        return SN_ERROR_MEMORY;
    }
    nodes_at(d, begin, from);
    SN_FREE(d->from, d->to);
    d->from = from, d->to = to, d->begin = begin, d->end = end;
    return SN_OK;
}

int sn_obstacle_open_edges(const SnObstacle* obstacle)
{
    const Data* d = obstacle->shape.data;
    return obstacle->type == &sn_obstacle_mesh ? d->surface->normals->open_edges : 0;
}

static const SnParameter parameters[] = {
    {"mesh", SN_OTHER, offsetof(SnObstacleShape, mesh), .example = "{file: stairs.obj}",
     .doc = "a file or a generated shape, as that of a body; a closed surface, or tetrahedra whose boundary is taken"},
    {"place", SN_OTHER, offsetof(SnObstacleShape, mesh), .example = "{move: [0, 1, 0]}", .doc = "where it is put"},
    {"frames", SN_OTHER, offsetof(SnObstacleShape, frames), .example = "[walk1.obj, walk2.obj]",
     .doc = "in place of `mesh`: files or generated shapes with as many nodes each, or a pattern such as walk%03d.obj, "
            "numbered from 0 or 1; it changes from one to the next"},
    {"rate", SN_NUMBER, offsetof(SnObstacleShape, frame_rate), .value = "30", .range = ">0", .unit = "1/s",
     .doc = "how many `frames` follow each other in a second"},
    {"repeat", SN_BOOLEAN, offsetof(SnObstacleShape, repeat), .value = "false",
     .doc = "after the last of the `frames` comes the first again; otherwise it stays as it is"},
    {0},
};

const SnObstacleType sn_obstacle_mesh = {
    .name = "mesh",
    .summary = "a closed surface of triangles, which may change from frame to frame",
    .parameters = parameters,
    .prepare = prepare,
    .release = release,
    .distance = distance,
    .change = change,
    .carry = carry,
    .vertices = vertices,
    .surface = surface,
};
