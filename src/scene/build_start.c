// A body's positions and velocities at the start.
#include "core/pi.h"
#include "linalg/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "mesh/elements.h"
#include "mesh/part.h"

typedef struct Start {
    const SnStartPart* part;
    const double *lo, *hi; // bounds at rest
    double centre[3];
    SnRandom random;
} Start;

// A start shape: the position of the node that is at X at rest.
typedef void StartShape(Start* start, const double X[3], double x[3]);

static void point(Start* start, const double X[3], double x[3])
{
    (void)X;
    memcpy(x, start->centre, sizeof start->centre);
}

static void random_in_box(Start* start, const double X[3], double x[3])
{
    (void)X;
    for (int i = 0; i < 3; i++) x[i] = sn_random_uniform(&start->random, start->lo[i], start->hi[i]);
}

static void stretch(Start* start, const double X[3], double x[3])
{
    for (int i = 0; i < 3; i++) x[i] = start->centre[i] + start->part->stretch[i] * (X[i] - start->centre[i]);
}

static void twist(Start* start, const double X[3], double x[3])
{
    double length = start->hi[0] - start->lo[0];
    double along = length > 0 ? (X[0] - start->centre[0]) / length : 0; // -1/2 .. 1/2
    double angle = start->part->twist * SN_PI / 180 * along;
    double y = X[1] - start->centre[1], z = X[2] - start->centre[2];
    x[0] = X[0];
    x[1] = start->centre[1] + cos(angle) * y - sin(angle) * z;
    x[2] = start->centre[2] + sin(angle) * y + cos(angle) * z;
}

static void gradient(Start* start, const double X[3], double x[3])
{
    const double* F = start->part->gradient;
    for (int i = 0; i < 3; i++) x[i] = F[3 * i] * X[0] + F[3 * i + 1] * X[1] + F[3 * i + 2] * X[2];
}

static const struct {
    const char *key, *shape; // the key that asks for it, and its value when that is `shape`
    StartShape* apply;       // NULL: the rest shape
} start_rows[] = {
    {"shape", "rest", NULL},    {"shape", "point", point}, {"shape", "random", random_in_box},
    {"stretch", NULL, stretch}, {"twist", NULL, twist},    {"gradient", NULL, gradient},
};

// The shape that is asked for; asking for two is an error.
static StartShape* start_shape(SnScene* scene, const SnSceneBody* body, const SnStartPart* part)
{
    StartShape* shape = NULL;
    const SnNode* first = NULL;
    for (size_t i = 0; i < sizeof start_rows / sizeof *start_rows; i++) {
        const SnNode* node = sn_node_find(part->node, start_rows[i].key);
        if (!node || (start_rows[i].shape && strcmp(start_rows[i].shape, part->shape) != 0)) continue;
        if (first)
            sn_problem_error(&scene->problems, node->key_place,
                             "start of %s has both '%s' and '%s'; give one of shape, stretch, twist, gradient",
                             body->context, first->key, node->key);
        first = node;
        shape = start_rows[i].apply;
    }
    return shape;
}

SnStatus sn_build_start(SnScene* scene, SnSceneBody* body)
{
    const SnStartPart* part = &body->part->start;
    const SnMesh* mesh = body->mesh;
    StartShape* shape = start_shape(scene, body, part);
    if (!shape || !mesh) return SN_OK;
    Start start = {.part = part, .lo = body->measure.lo, .hi = body->measure.hi};
    start.random.state = (uint64_t)part->seed;
    for (int i = 0; i < 3; i++) start.centre[i] = 0.5 * (start.lo[i] + start.hi[i]);
    if (!SN_NEW(body->start, 3 * (size_t)mesh->node_count, "start positions")) return SN_ERROR_MEMORY;
    for (int n = 0; n < mesh->node_count; n++) shape(&start, mesh->nodes + 3 * n, body->start + 3 * n);
    if (sn_first_beyond(mesh->node_count, body->start) >= 0)
        sn_problem_error(&scene->problems, part->node->place, "start of %s makes positions too large", body->context);
    return SN_OK;
}

// Length, area or volume of an element at rest.
static double element_size(const double* nodes, const int* element, int corners)
{
    double e[3][3] = {{0}};
    for (int c = 1; c < corners; c++)
        for (int i = 0; i < 3; i++) e[c - 1][i] = nodes[3 * element[c] + i] - nodes[3 * element[0] + i];
    double n[3];
    sn_cross3(e[0], e[1], n);
    if (corners == 2) return sn_length3(e[0]);
    if (corners == 3) return 0.5 * sn_length3(n);
    return fabs(sn_dot3(n, e[2])) / 6;
}

// The centre of mass at the start: each element gives its corners equal parts of its mass.
static void centre_of_mass(const SnSceneBody* body, double centre[3])
{
    const SnMesh* mesh = body->mesh;
    const double* x = body->start ? body->start : mesh->nodes;
    int dimension = sn_mesh_top_dimension(mesh), count = sn_mesh_count_of(mesh, dimension), corners = dimension + 1;
    const int* elements = sn_mesh_list_of(mesh, dimension);
    double sum[4] = {0}; // moments, and the mass
    for (int e = 0; e < count; e++) {
        int region = body->region_of_element ? body->region_of_element[e] : -1;
        double density = region < 0 ? body->material.density : body->regions[region].density;
        double part = density * element_size(mesh->nodes, elements + corners * e, corners);
        sum[3] += part;
        for (int c = 0; c < corners; c++)
            for (int i = 0; i < 3; i++) sum[i] += part / corners * x[3 * elements[corners * e + c] + i];
    }
    sn_mesh_part_sum(mesh->part, 4, sum);
    for (int i = 0; i < 3; i++) centre[i] = sum[i] / sum[3];
}

static bool all_zero(const double* values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i] != 0) return false;
    return true;
}

SnStatus sn_build_velocity(SnScene* scene, SnSceneBody* body)
{
    const SnVelocityPart* part = &body->part->velocity;
    const SnMesh* mesh = body->mesh;
    if (!mesh || (all_zero(part->linear, 3) && all_zero(part->angular, 3) && all_zero(part->gradient, 9))) return SN_OK;
    const double* x = body->start ? body->start : mesh->nodes;
    const double *w = part->angular, *G = part->gradient;
    double centre[3];
    centre_of_mass(body, centre);
    if (!SN_NEW(body->velocity, 3 * (size_t)mesh->node_count, "start velocities")) return SN_ERROR_MEMORY;
    for (int n = 0; n < mesh->node_count; n++) {
        double r[3], *v = body->velocity + 3 * n;
        for (int i = 0; i < 3; i++) r[i] = x[3 * n + i] - centre[i];
        double cross[3];
        sn_cross3(w, r, cross);
        for (int i = 0; i < 3; i++)
            v[i] = part->linear[i] + cross[i] + G[3 * i] * r[0] + G[3 * i + 1] * r[1] + G[3 * i + 2] * r[2];
    }
    if (sn_first_beyond(mesh->node_count, body->velocity) >= 0)
        sn_problem_error(&scene->problems, part->node->place, "velocity of %s is too large", body->context);
    return SN_OK;
}
