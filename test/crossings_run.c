// Run files: surfaces of bodies and mesh obstacles together; distances from analytic obstacles, whose numbers are taken
// from the triangles that the file has of them, their vertices being on the surface.
#include "crossings_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Surfaces ---

static bool is_mesh(const SnRunObstacle* o)
{
    return strcmp(o->type, "mesh") == 0 || strcmp(o->type, "terrain") == 0;
}

static void add_items(int* to, int* count, int corners, const int* items, int item_count, int first)
{
    for (int i = 0; i < corners * item_count; i++) to[corners * *count + i] = items[i] + first;
    *count += item_count;
}

static void add_nodes(CrossingSurface* s, int count, int part)
{
    for (int i = 0; i < count; i++) s->part[s->node_count++] = part;
}

static const SnSkin* skin_of(const CrossingRun* run, int body)
{
    const SnSkin* skin = sn_run_file_bodies(run->file)[body].skin;
    return run->skins && skin && skin->carriers ? skin : NULL;
}

static void add_skin(CrossingSurface* s, const SnSkin* skin, int part)
{
    for (int f = 0; f < skin->faces.count; f++) {
        const int* corner = skin->faces.corners + skin->faces.start[f];
        for (int k = 2; k < skin->faces.start[f + 1] - skin->faces.start[f]; k++)
            add_items(s->triangles, &s->triangle_count, 3, (int[]){corner[0], corner[k - 1], corner[k]}, 1,
                      s->node_count);
    }
    add_nodes(s, skin->vertex_count, part);
}

static void add_parts(CrossingRun* run)
{
    CrossingSurface* s = &run->surface;
    const SnBodyInfo* body = sn_run_file_bodies(run->file);
    const SnRunObstacle* o = sn_run_file_obstacles(run->file);
    for (int b = 0; b < s->bodies; b++, body++) {
        add_nodes(s, body->node_count, b);
        if (skin_of(run, b)) continue;
        add_items(s->triangles, &s->triangle_count, 3, body->surface, body->surface_count, body->first_node);
        add_items(s->edges, &s->edge_count, 2, body->edges, body->edge_count, body->first_node);
    }
    for (int b = 0; b < s->bodies; b++)
        if (skin_of(run, b)) add_skin(s, skin_of(run, b), b);
    run->body_nodes = s->node_count;
    for (int i = 0; i < sn_run_file_obstacle_count(run->file); i++) {
        if (!is_mesh(&o[i])) continue;
        add_items(s->triangles, &s->triangle_count, 3, o[i].triangles, o[i].triangle_count, s->node_count);
        add_nodes(s, o[i].vertex_count, s->bodies + i);
    }
}

static bool make_surface(CrossingRun* run)
{
    CrossingSurface* s = &run->surface;
    const SnBodyInfo* body = sn_run_file_bodies(run->file);
    const SnRunObstacle* o = sn_run_file_obstacles(run->file);
    size_t nodes = (size_t)sn_run_file_node_count(run->file), triangles = 0, edges = 0, most = 0;
    s->bodies = sn_run_file_body_count(run->file);
    for (int b = 0; b < s->bodies; b++) {
        triangles += (size_t)body[b].surface_count, edges += (size_t)body[b].edge_count;
        const SnSkin* skin = skin_of(run, b);
        if (skin) nodes += (size_t)skin->vertex_count, triangles += (size_t)skin->faces.start[skin->faces.count];
    }
    for (int i = 0; i < sn_run_file_obstacle_count(run->file); i++) {
        if ((size_t)o[i].vertex_count > most) most = (size_t)o[i].vertex_count;
        if (is_mesh(&o[i])) nodes += (size_t)o[i].vertex_count, triangles += (size_t)o[i].triangle_count;
    }
    s->part = calloc(nodes + 1, sizeof(int));
    s->edges = calloc(edges + 1, 2 * sizeof(int));
    s->triangles = calloc(triangles + 1, 3 * sizeof(int));
    run->x = calloc(nodes + 1, 3 * sizeof(double));
    run->before = calloc(nodes + 1, 3 * sizeof(double));
    run->vertices = calloc(most + 1, 3 * sizeof(double));
    if (!s->part || !s->edges || !s->triangles || !run->x || !run->before || !run->vertices) return false;
    add_parts(run);
    return crossing_add_edges(s);
}

static SnStatus open_run(const char* path, bool skins, CrossingRun* run)
{
    *run = (CrossingRun){.skins = skins};
    SnStatus status = sn_run_file_open(path, &run->file);
    if (status == SN_OK && !make_surface(run)) status = SN_ERROR_MEMORY;
    if (status != SN_OK) crossing_run_close(run);
    return status;
}

SnStatus crossing_run_open(const char* path, CrossingRun* run)
{
    return open_run(path, false, run);
}

SnStatus crossing_run_open_skins(const char* path, CrossingRun* run)
{
    return open_run(path, true, run);
}

void crossing_run_close(CrossingRun* run)
{
    sn_run_file_destroy(run->file);
    crossing_free(&run->surface);
    free(run->x);
    free(run->before);
    free(run->vertices);
    *run = (CrossingRun){0};
}

// By the numbers that the file has of it, and by none of the library's functions.
static void carry(const SnSkin* skin, const double* nodes, double* x)
{
    for (int i = 0; i < 3 * skin->vertex_count; i++) {
        const int* n = skin->carriers + 4 * (i / 3);
        const double* w = skin->weights + 4 * (i / 3);
        x[i] = 0;
        for (int k = 0; k < 4; k++) x[i] += w[k] * nodes[3 * n[k] + i % 3];
    }
}

static double* read_skins(const CrossingRun* run, const double* nodes, double* x)
{
    for (int b = 0; b < run->surface.bodies; b++) {
        const SnSkin* skin = skin_of(run, b);
        if (!skin) continue;
        carry(skin, nodes + 3 * sn_run_file_bodies(run->file)[b].first_node, x);
        x += 3 * skin->vertex_count;
    }
    return x;
}

// An obstacle's vertices where they are in a frame.
static SnStatus read_obstacle(CrossingRun* run, int frame, int obstacle, double* x)
{
    SnPose pose;
    int count = sn_run_file_obstacles(run->file)[obstacle].vertex_count;
    SnStatus status = sn_run_file_read_obstacle(run->file, frame, obstacle, &pose, x);
    for (int i = 0; status == SN_OK && i < count; i++) {
        double X[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        const double* r = pose.rotation;
        for (int c = 0; c < 3; c++, r += 3) x[3 * i + c] = r[0] * X[0] + r[1] * X[1] + r[2] * X[2] + pose.shift[c];
    }
    return status;
}

SnStatus crossing_run_read(CrossingRun* run, int frame)
{
    double* x = run->before;
    run->before = run->x;
    run->x = x;
    run->frame_before = run->frame;
    run->frame = frame;
    SnStatus status = sn_run_file_read_frame(run->file, frame, x, NULL);
    if (status == SN_OK) x = read_skins(run, x, x + 3 * sn_run_file_node_count(run->file));
    for (int i = 0; status == SN_OK && i < sn_run_file_obstacle_count(run->file); i++) {
        if (!is_mesh(&sn_run_file_obstacles(run->file)[i])) continue;
        status = read_obstacle(run, frame, i, x);
        x += 3 * sn_run_file_obstacles(run->file)[i].vertex_count;
    }
    return status;
}

SnStatus crossing_run_straight(CrossingRun* run, bool* straight)
{
    const SnRunStep* steps;
    int count;
    int64_t from = sn_run_file_frame_step(run->file, run->frame_before),
            to = sn_run_file_frame_step(run->file, run->frame);
    SnStatus status = sn_run_file_read_steps(run->file, from, &steps, &count);
    *straight = to == from + 1 && (status != SN_OK || count == 0 || steps[0].parts <= 1);
    return status;
}

// --- Analytic obstacles ---

// An obstacle's numbers, in world coordinates.
typedef struct Solid {
    const SnRunObstacle* obstacle;
    const double* x;             // its vertices
    double centre[3], axis[3];   // unit length
    double length, radius, tube; // m
} Solid;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double normalize(double a[3])
{
    double length = sqrt(dot(a, a));
    for (int c = 0; c < 3; c++) a[c] /= length;
    return length;
}

static void normal_of(const double a[3], const double b[3], const double c[3], double n[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i];
    for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    normalize(n);
}

// How far p is along the axis from the centre, and from the axis.
static double from_axis(const Solid* s, const double p[3], double* height)
{
    double off[3] = {p[0] - s->centre[0], p[1] - s->centre[1], p[2] - s->centre[2]};
    *height = dot(off, s->axis);
    for (int c = 0; c < 3; c++) off[c] -= *height * s->axis[c];
    return sqrt(dot(off, off));
}

// The first and the last vertex are where the axis comes out; of a torus the first three are on a circle about it.
static void measure_round(Solid* s)
{
    int count = s->obstacle->vertex_count;
    const double *first = s->x, *last = s->x + 3 * (count - 1);
    bool torus = strcmp(s->obstacle->type, "torus") == 0;
    double least = INFINITY, height;
    for (int i = 0; i < 3 * count; i++) s->centre[i % 3] += torus ? s->x[i] / count : 0;
    for (int c = 0; c < 3 && !torus; c++) {
        s->centre[c] = 0.5 * (first[c] + last[c]);
        s->axis[c] = last[c] - first[c];
    }
    if (torus)
        normal_of(s->x, s->x + 3, s->x + 6, s->axis);
    else
        s->length = normalize(s->axis);
    for (int i = 0; i < count; i++) {
        double r = from_axis(s, s->x + 3 * i, &height);
        s->radius = fmax(s->radius, r);
        least = fmin(least, r);
    }
    if (!torus) return;
    s->tube = 0.5 * (s->radius - least);
    s->radius -= s->tube;
}

static double from_plane(const Solid* s, const double p[3])
{
    const double off[3] = {p[0] - s->centre[0], p[1] - s->centre[1], p[2] - s->centre[2]};
    return dot(off, s->axis);
}

static double from_sphere(const Solid* s, const double p[3])
{
    double height, r = from_axis(s, p, &height);
    return hypot(r, height) - 0.5 * s->length;
}

static double from_capsule(const Solid* s, const double p[3])
{
    double height, r = from_axis(s, p, &height), half = 0.5 * s->length - s->radius;
    return hypot(r, fmax(fabs(height) - half, 0)) - s->radius;
}

static double from_cylinder(const Solid* s, const double p[3])
{
    double height, r = from_axis(s, p, &height);
    return fmax(r - s->radius, fabs(height) - 0.5 * s->length); // exact inside, which is all that counts
}

static double from_torus(const Solid* s, const double p[3])
{
    double height, r = from_axis(s, p, &height);
    return hypot(r - s->radius, height) - s->tube;
}

// Behind all its faces.
static double from_box(const Solid* s, const double p[3])
{
    double most = -INFINITY;
    for (int t = 0; t < s->obstacle->triangle_count; t++) {
        const int* n = s->obstacle->triangles + 3 * t;
        double normal[3], off[3];
        normal_of(s->x + 3 * n[0], s->x + 3 * n[1], s->x + 3 * n[2], normal);
        for (int c = 0; c < 3; c++) off[c] = p[c] - s->x[3 * n[0] + c];
        most = fmax(most, dot(off, normal));
    }
    return most;
}

static const struct {
    const char* type;
    bool round;
    double (*distance)(const Solid*, const double[3]);
} kinds[] = {
    {"plane", false, from_plane},      {"sphere", true, from_sphere}, {"capsule", true, from_capsule},
    {"cylinder", true, from_cylinder}, {"torus", true, from_torus},   {"box", false, from_box},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static SnStatus read_plane(CrossingRun* run, int frame, int obstacle, Solid* s)
{
    SnPose pose;
    SnStatus status = sn_run_file_read_obstacle(run->file, frame, obstacle, &pose, NULL);
    for (int c = 0; c < 3 && status == SN_OK; c++) {
        s->axis[c] = dot(pose.rotation + 3 * c, s->obstacle->normal);
        s->centre[c] = dot(pose.rotation + 3 * c, s->obstacle->point) + pose.shift[c];
    }
    if (status == SN_OK) normalize(s->axis);
    return status;
}

static void deepest(const CrossingRun* run, const Solid* s, int kind, int obstacle, CrossingDepth* depth)
{
    const CrossingSurface* surface = &run->surface;
    for (int k = 0; k < surface->outer_count && surface->outer[k] < run->body_nodes; k++) {
        int i = surface->outer[k];
        double d = -kinds[kind].distance(s, run->x + 3 * i);
        if (d > 0) depth->nodes++;
        if (d > depth->depth) depth->depth = d, depth->node = i, depth->obstacle = obstacle;
    }
}

SnStatus crossing_run_depth(CrossingRun* run, int frame, CrossingDepth* depth)
{
    *depth = (CrossingDepth){.node = -1, .obstacle = -1};
    for (int i = 0; i < sn_run_file_obstacle_count(run->file); i++) {
        Solid s = {.obstacle = &sn_run_file_obstacles(run->file)[i], .x = run->vertices};
        int kind = 0;
        while (kind < KINDS && strcmp(kinds[kind].type, s.obstacle->type) != 0) kind++;
        if (kind == KINDS) continue; // meshes are in the surface; of the others nothing can be said
        SnStatus status =
            s.obstacle->plane ? read_plane(run, frame, i, &s) : read_obstacle(run, frame, i, run->vertices);
        if (status != SN_OK) return status;
        if (kinds[kind].round) measure_round(&s);
        deepest(run, &s, kind, i, depth);
    }
    return SN_OK;
}
