// A figure that walks towards +z, at one moment of its stride: capsules for limbs, trunk and head, each a closed
// surface of triangles, which overlap at the joints. Nodes and triangles are the same at any moment.
#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/lattice.h"

#include <math.h>
#include <string.h>

enum { LIMBS = 13, CAP = 3, SHAFT = 4, RINGS = 2 * CAP + SHAFT - 1 }; // rings of a capsule without its tips

typedef struct Limb {
    double from[3], to[3], radius; // parts of the height
} Limb;

// A limb that swings in the yz plane, from a joint, by an angle from straight down, towards +z.
static Limb swing(const double joint[3], double length, double angle, double radius)
{
    Limb limb = {.radius = radius};
    memcpy(limb.from, joint, sizeof limb.from);
    memcpy(limb.to, joint, sizeof limb.to);
    limb.to[1] -= length * cos(angle);
    limb.to[2] += length * sin(angle);
    return limb;
}

// Thigh, shank and foot, upper arm and forearm of one side; the knee bends while the leg swings ahead.
static void pose_side(double side, double phase, Limb* limbs)
{
    double hip = 25 * SN_PI / 180 * sin(2 * SN_PI * phase), ahead = fmax(cos(2 * SN_PI * phase), 0);
    double knee = SN_PI / 180 * (5 + 45 * ahead * ahead), shoulder = -0.8 * hip;
    limbs[0] = swing((const double[]){0.062 * side, 0.53, 0}, 0.24, hip, 0.042);
    limbs[1] = swing(limbs[0].to, 0.24, hip - knee, 0.032);
    limbs[2] = swing(limbs[1].to, 0.09, hip - knee + 0.45 * SN_PI, 0.024);
    limbs[3] = swing((const double[]){0.125 * side, 0.8, 0}, 0.17, shoulder, 0.028);
    limbs[4] = swing(limbs[3].to, 0.16, shoulder + 25 * SN_PI / 180, 0.024);
}

static void pose(double phase, Limb limbs[LIMBS])
{
    pose_side(1, phase, limbs);
    pose_side(-1, phase + 0.5, limbs + 5);
    limbs[10] = (Limb){{0, 0.56, 0}, {0, 0.76, 0}, 0.088};        // trunk
    limbs[11] = (Limb){{-0.1, 0.8, 0}, {0.1, 0.8, 0}, 0.04};      // shoulders
    limbs[12] = (Limb){{0, 0.89, 0.01}, {0, 0.945, 0.01}, 0.055}; // head
}

// A tip, rings from one end to the other, a tip.
static void place_limb(const Limb* limb, double height, int around, double* x)
{
    double d[3], u[3], v[3];
    for (int c = 0; c < 3; c++) d[c] = limb->to[c] - limb->from[c];
    double length = sn_normalize3(d), aside[3] = {fabs(d[0]) < 0.9, fabs(d[0]) >= 0.9, 0};
    sn_cross3(d, aside, v);
    sn_normalize3(v);
    sn_cross3(v, d, u);
    for (int ring = -1; ring <= RINGS; ring++) {
        double far = fmin(fmax((ring - CAP + 1.0) / SHAFT, 0), 1), angle = 0.5 * SN_PI;
        if (ring < CAP) angle = 0.5 * SN_PI * (ring + 1) / CAP;
        if (ring > CAP + SHAFT - 1) angle = 0.5 * SN_PI * (1 + (double)(ring - CAP - SHAFT + 1) / CAP);
        double along = length * far - limb->radius * cos(angle), r = limb->radius * sin(angle);
        bool tip = ring < 0 || ring == RINGS;
        for (int k = 0; k < (tip ? 1 : around); k++, x += 3) {
            double a = tip ? 0 : r * cos(2 * SN_PI * k / around), b = tip ? 0 : r * sin(2 * SN_PI * k / around);
            for (int c = 0; c < 3; c++) x[c] = height * (limb->from[c] + along * d[c] + a * u[c] + b * v[c]);
        }
    }
}

static void add(int** next, int a, int b, int c)
{
    *(*next)++ = a;
    *(*next)++ = b;
    *(*next)++ = c;
}

// u, v and the way from one end to the other are right-handed.
static void join_limb(int first, int around, int** next)
{
    int last = first + 1 + RINGS * around;
    for (int k = 0; k < around; k++) {
        int a = first + 1 + k, b = first + 1 + (k + 1) % around;
        add(next, first, b, a);
        for (int ring = 1; ring < RINGS; ring++, a += around, b += around) {
            add(next, a, b, b + around);
            add(next, a, b + around, a + around);
        }
        add(next, last, a, b);
    }
}

static SnStatus make(const SnShapeDef* def, SnMesh** out)
{
    int around = def->cells[0];
    Limb limbs[LIMBS];
    SnMesh* mesh;
    *out = NULL;
    SN_TRY(sn_check_positive("walker", "height", def->length));
    SN_TRY(sn_check_cells("walker", "cells", around, 3));
    SN_TRY(sn_check_elements("walker", 2.0 * LIMBS * RINGS * around));
    int nodes = RINGS * around + 2;
    SN_TRY(sn_mesh_allocate(LIMBS * nodes, 2, 2 * LIMBS * RINGS * around, &mesh));
    int* next = mesh->triangles;
    pose(def->phase, limbs);
    for (int i = 0; i < LIMBS; i++) {
        place_limb(&limbs[i], def->length, around, mesh->nodes + 3 * (size_t)(i * nodes));
        join_limb(i * nodes, around, &next);
    }
    *out = mesh;
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"height", SN_NUMBER, offsetof(SnShapeDef, length), .value = "1.8", .range = ">0", .unit = "m",
     .doc = "from sole to crown"},
    {"phase", SN_NUMBER, offsetof(SnShapeDef, phase), .value = "0",
     .doc = "moment of the stride, which is over at 1 and starts anew; a stride carries it 0.8 heights ahead"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .value = "12", .range = ">=3", .doc = "edges around a limb"},
    {0},
};

const SnShape sn_shape_walker = {
    .name = "walker",
    .summary = "surface of a figure that walks towards +z, at a moment of its stride, its feet at the origin",
    .parameters = parameters,
    .make = make,
};
