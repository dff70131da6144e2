// A creature on four legs, its head towards +x: capsules of different thickness blended smoothly, filled with the
// tetrahedra of a body-centred lattice, whose boundary is drawn to the surface.
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/lattice.h"

#include <math.h>
#include <string.h>

// A capsule of changing thickness; parts of the length.
typedef struct Limb {
    double from[3], to[3], radius[2];
} Limb;

#define LEG(X, Z, LEAN)                                              \
    {{X, 0.42, Z}, {X + LEAN, 0.22, 1.1 * Z}, {0.085, 0.052}},       \
    {                                                                \
        {X + LEAN, 0.22, 1.1 * Z}, {X + 0.2 * LEAN, 0.05, 1.15 * Z}, \
        {                                                            \
            0.052, 0.046                                             \
        }                                                            \
    }
static const Limb limbs[] = {
    {{0.25, 0.46, 0}, {0.66, 0.48, 0}, {0.15, 0.135}},  // trunk
    {{0.68, 0.52, 0}, {0.82, 0.68, 0}, {0.10, 0.075}},  // neck
    {{0.81, 0.69, 0}, {0.95, 0.65, 0}, {0.085, 0.055}}, // head
    {{0.80, 0.74, 0.05}, {0.78, 0.82, 0.07}, {0.03, 0.02}},
    {{0.80, 0.74, -0.05}, {0.78, 0.82, -0.07}, {0.03, 0.02}}, // ears
    {{0.16, 0.52, 0}, {0.04, 0.40, 0}, {0.05, 0.03}},         // tail
    LEG(0.22, 0.09, -0.04),
    LEG(0.22, -0.09, -0.04),
    LEG(0.66, 0.09, 0.03),
    LEG(0.66, -0.09, 0.03),
};
enum { LIMBS = sizeof limbs / sizeof *limbs };
static const double box[3] = {1.0, 0.86, 0.4}; // around it, z from -0.2
static const double BLEND = 0.04;

static double limb_distance(const Limb* limb, const double p[3])
{
    double d[3], e[3];
    for (int i = 0; i < 3; i++) d[i] = limb->to[i] - limb->from[i], e[i] = p[i] - limb->from[i];
    double t = fmin(fmax(sn_dot3(d, e) / sn_dot3(d, d), 0), 1);
    for (int i = 0; i < 3; i++) e[i] -= t * d[i];
    return sqrt(sn_dot3(e, e)) - (1 - t) * limb->radius[0] - t * limb->radius[1];
}

// Below 0 inside: a smooth least of the limbs' distances.
static double distance_at(const double p[3])
{
    double least = INFINITY;
    for (int i = 0; i < LIMBS; i++) {
        double d = limb_distance(&limbs[i], p), h = fmax(BLEND - fabs(d - least), 0) / BLEND;
        least = fmin(d, least) - (isfinite(least) ? 0.25 * h * h * BLEND : 0);
    }
    return least;
}

static double volume_of(const SnMesh* mesh, const int* tet)
{
    const double* a = mesh->nodes + 3 * (size_t)tet[0];
    double e[3][3], n[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) e[k][i] = mesh->nodes[3 * (size_t)tet[k + 1] + (size_t)i] - a[i];
    sn_cross3(e[0], e[1], n);
    return sn_dot3(n, e[2]) / 6;
}

enum { OUTSIDE = -2, UNUSED = -1 };

// Keeps the tetrahedra whose corners are all inside, or nearly so, and their nodes.
static void cut_out(SnMesh* mesh, int* place, double margin)
{
    int kept = 0, nodes = 0;
    for (int n = 0; n < mesh->node_count; n++)
        place[n] = distance_at(mesh->nodes + 3 * (size_t)n) > margin ? OUTSIDE : UNUSED;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int* tet = mesh->tetrahedra + 4 * (size_t)t;
        bool inside = true;
        for (int k = 0; k < 4; k++) inside = inside && place[tet[k]] != OUTSIDE;
        if (!inside) continue;
        for (int k = 0; k < 4; k++) place[tet[k]] = 0;
        memmove(mesh->tetrahedra + 4 * (size_t)kept++, tet, 4 * sizeof *tet);
    }
    for (int n = 0; n < mesh->node_count; n++) {
        if (place[n] < 0) continue;
        memmove(mesh->nodes + 3 * (size_t)nodes, mesh->nodes + 3 * (size_t)n, 3 * sizeof(double));
        place[n] = nodes++;
    }
    mesh->node_count = nodes, mesh->tetrahedron_count = kept;
    for (int i = 0; i < 4 * kept; i++) mesh->tetrahedra[i] = place[mesh->tetrahedra[i]];
}

// Along the gradient towards the surface, by half a cell at most.
static void draw_near(double p[3], double cell)
{
    double step = 1e-4, normal[3], d = distance_at(p);
    for (int i = 0; i < 3; i++) {
        double q[3] = {p[0], p[1], p[2]};
        q[i] += step;
        normal[i] = distance_at(q) - d;
    }
    sn_normalize3(normal);
    for (int i = 0; i < 3; i++) p[i] -= fmin(fmax(d, -0.5 * cell), 0.5 * cell) * normal[i];
}

// Corners of tetrahedra that have become too flat go back part of their way, and in the end all of it, until there are
// none: the lattice's own are not flat.
static void undo_flat(SnMesh* mesh, const double* before, double flat)
{
    enum { ROUNDS = 12 };
    bool again = true;
    for (int round = 0; again; round++) {
        again = false;
        for (int t = 0; t < mesh->tetrahedron_count; t++) {
            const int* tet = mesh->tetrahedra + 4 * (size_t)t;
            if (volume_of(mesh, tet) >= flat) continue;
            for (int k = 0; k < 4; k++)
                for (size_t i = 3 * (size_t)tet[k]; i < 3 * (size_t)tet[k] + 3; i++) {
                    again = again || mesh->nodes[i] != before[i];
                    mesh->nodes[i] = before[i] + (round < ROUNDS ? 0.8 * (mesh->nodes[i] - before[i]) : 0);
                }
        }
    }
}

// The nodes of the boundary go to the surface.
static SnStatus fit(SnMesh* mesh, double cell)
{
    int *triangles, count;
    double* before = sn_copy_memory(mesh->nodes, 3 * (size_t)mesh->node_count, sizeof *before, "a mesh");
    SnStatus status = before ? sn_mesh_surface(mesh, &triangles, &count) : SN_ERROR_MEMORY;
    if (status == SN_OK) {
        for (int i = 0; i < 3 * count; i++) draw_near(mesh->nodes + 3 * (size_t)triangles[i], cell);
        undo_flat(mesh, before, 0.15 * cell * cell * cell / 12);
        sn_free(triangles);
    }
    sn_free(before);
    return status;
}

static SnStatus shape(double length, int cells, SnMesh* mesh)
{
    double cell = 1.0 / cells;
    int* place;
    if (!SN_NEW(place, mesh->node_count, "a mesh")) return SN_ERROR_MEMORY;
    for (int i = 0; i < 3 * mesh->node_count; i++)
        mesh->nodes[i] = mesh->nodes[i] * cell - (i % 3 == 2 ? box[2] / 2 : 0);
    cut_out(mesh, place, 0.25 * cell);
    sn_free(place);
    SN_TRY(fit(mesh, cell));
    for (int i = 0; i < 3 * mesh->node_count; i++) mesh->nodes[i] *= length;
    return SN_OK;
}

// Fewer cells than these would leave its ears and feet in pieces.
enum { LEAST_CELLS = 18 };

static SnStatus make(const SnShapeDef* def, SnMesh** mesh)
{
    *mesh = NULL;
    int cells = def->cells[0], counts[3];
    SN_TRY(sn_check_positive("creature", "length", def->length));
    SN_TRY(sn_check_cells("creature", "cells", cells, LEAST_CELLS));
    for (int i = 0; i < 3; i++) counts[i] = (int)ceil(box[i] * cells - 1e-9);
    SN_TRY(sn_check_elements("creature", 12.0 * counts[0] * counts[1] * counts[2]));
    SnMesh* made;
    SN_TRY(sn_make_lattice("creature", counts, SN_BOX_BCC, false, &made));
    SN_FINISH(shape(def->length, cells, made), made, sn_mesh_destroy, mesh);
}

static const SnParameter parameters[] = {
    {"length", SN_NUMBER, offsetof(SnShapeDef, length), .value = "1", .range = ">0", .unit = "m",
     .doc = "from tail to nose"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .value = "24", .range = ">=18", .doc = "cells along the length"},
    {0},
};

const SnShape sn_shape_creature = {
    .name = "creature",
    .summary = "a creature of tetrahedra on four legs, its head towards +x, its feet at y = 0",
    .parameters = parameters,
    .make = make,
};
