// A rope with an overhand knot: the trefoil (sin t + 2 sin 2t, 2 cos 2t - cos t, -sin 3t), cut open at its upper lobe,
// where the ends turn away from each other by a quarter of a circle each and go off along x.
#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/lattice.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 4096, BEND = 256, POINTS = SAMPLES + 2 * BEND + 1 }; // of the curve without its straight ends

// Where the trefoil goes straight up or down beside its upper lobe: 8 cos^2 t + cos t - 4 = 0.
static double cut(void)
{
    return 2 * SN_PI - acos((-1 - sqrt(129)) / 16);
}

static void trefoil(double t, double p[3])
{
    p[0] = sin(t) + 2 * sin(2 * t);
    p[1] = 2 * cos(2 * t) - cos(t);
    p[2] = -sin(3 * t);
}

// From the end of the straight part on the side of larger x to that on the other one; the lobes reach out to 3.
static void curve(int i, double p[3])
{
    double from = cut(), to = 4 * SN_PI - from;
    if (i >= BEND && i <= BEND + SAMPLES) {
        trefoil(from + (to - from) * (i - BEND) / SAMPLES, p);
        return;
    }
    int side = i < BEND ? 1 : -1;
    double angle = 0.5 * SN_PI * (side > 0 ? i : POINTS - 1 - i) / BEND;
    trefoil(side > 0 ? from : to, p);
    p[0] += side * (1 - sin(angle));
    p[1] += cos(angle);
}

static double length_of_curve(void)
{
    double sum = 0, last[3], p[3], step[3];
    curve(0, last);
    for (int i = 1; i < POINTS; i++) {
        curve(i, p);
        for (int c = 0; c < 3; c++) step[c] = p[c] - last[c];
        sum += sn_length3(step);
        memcpy(last, p, sizeof p);
    }
    return sum;
}

// Nodes at equal distances along it; `tail` is the length of each straight part.
static void place_nodes(SnMesh* mesh, double scale, double length, double tail)
{
    double a[3], b[3], done = 0, part = 0, step[3] = {0};
    int i = 0;
    curve(0, a);
    memcpy(b, a, sizeof a);
    for (int n = 0; n < mesh->node_count; n++) {
        double* p = mesh->nodes + 3 * (size_t)n;
        double s = length * n / (mesh->node_count - 1) - tail;
        while (s > done + part && i < POINTS - 1) {
            done += part;
            memcpy(a, b, sizeof a);
            curve(++i, b);
            for (int c = 0; c < 3; c++) step[c] = b[c] - a[c];
            part = scale * sn_length3(step);
        }
        double u = part > 0 ? fmin((s - done) / part, 1) : 0, beyond = s < 0 ? -s : -fmax(s - done - part, 0);
        for (int c = 0; c < 3; c++) p[c] = scale * (a[c] + fmax(u, 0) * step[c]);
        p[0] += beyond;
    }
}

static SnStatus make(const SnShapeDef* def, SnMesh** out)
{
    double scale = def->radius / 3, knotted = scale * length_of_curve();
    SN_TRY(sn_mesh_make_rope(def->length, def->cells[0], out));
    if (def->length >= knotted) {
        place_nodes(*out, scale, def->length, 0.5 * (def->length - knotted));
        return SN_OK;
    }
    sn_mesh_destroy(*out);
    *out = NULL;
    return sn_fail(SN_ERROR_VALUE, "knot: length is %g, must be at least %.3g for a knot of radius %g", def->length,
                   knotted, def->radius);
}

static const SnParameter parameters[] = {
    {"length", SN_NUMBER, offsetof(SnShapeDef, length), .value = "2", .range = ">0", .unit = "m",
     .doc = "of the rope, knot and ends together"},
    {"radius", SN_NUMBER, offsetof(SnShapeDef, radius), .value = "0.15", .range = ">0", .unit = "m",
     .doc = "how far the loops of the knot reach out, before it is pulled tight"},
    {"cells", SN_INTEGER, offsetof(SnShapeDef, cells), .value = "100", .range = ">0", .doc = "edges along it"},
    {0},
};

const SnShape sn_shape_knot = {
    .name = "knot",
    .summary = "a chain of edges with an overhand knot in it, its ends along x",
    .parameters = parameters,
    .make = make,
};
