// Pins: U = k/2 |x - t|^2. Gradient k (x - t), Hessian k I, prox (k t + w^2 y)/(k + w^2).
#include "potential/pin.h"

#include <string.h>

enum { SHAPE = 4 }; // the weight of x in z = x, which is 1, and t

static bool prepare(const double* corners, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    (void)section, (void)direction;
    shape[0] = 1;
    memcpy(shape + 1, corners, 3 * sizeof *shape);
    *volume = 1;
    faces[0] = 0;
    return true;
}

static double stiffness_of(const SnTermPack* pack, int lane)
{
    return pack->volume[lane] * pack->parameters.mu[lane];
}

// x - t
static double off(const SnTermPack* pack, int lane, int axis, const double* x)
{
    return x[3 * pack->nodes[lane] + axis] - pack->shape[(1 + axis) * SN_LANES + lane];
}

static void energy(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* out)
{
    (void)material;
    for (int l = 0; l < SN_LANES; l++) {
        double square = 0;
        for (int c = 0; c < 3; c++) square += off(pack, l, c, x) * off(pack, l, c, x);
        out[l] = 0.5 * stiffness_of(pack, l) * square;
    }
}

static void gradient(const SnMaterialType* material, const SnTermPack* pack, const double* x, double* g, double* out)
{
    energy(material, pack, x, out);
    for (int l = 0; l < SN_LANES; l++)
        for (int c = 0; c < 3; c++) g[3 * pack->nodes[l] + c] += stiffness_of(pack, l) * off(pack, l, c, x);
}

static void hessian(const SnMaterialType* material, const SnTermPack* pack, const double* x, bool project,
                    double* blocks)
{
    (void)material, (void)x, (void)project;
    for (int e = 0; e < 9; e++)
        for (int l = 0; l < SN_LANES; l++) blocks[e * SN_LANES + l] = e % 4 == 0 ? stiffness_of(pack, l) : 0;
}

static void prox(const SnMaterialType* material, const SnTermPack* pack, const double* y, const double* weight,
                 double* z)
{
    (void)material;
    for (int i = 0; i < 3 * SN_LANES; i++) {
        int l = i % SN_LANES;
        double k = stiffness_of(pack, l), t = pack->shape[SN_LANES + i];
        z[i] = y[i] + k / (k + weight[l]) * (t - y[i]);
    }
}

const SnTermType sn_pin = {
    .name = "pin",
    .reinforcement = true,
    .nodes = 1,
    .coordinates = 1,
    .shape_size = SHAPE,
    SN_TERM_FUNCTIONS,
};

void sn_pin_place(SnTermGroup* group, const double* places)
{
    for (int place = 0; place < group->pack_count * SN_LANES; place++) {
        int element = group->order[place < group->count ? place : group->count - 1];
        double* data = group->data + (int64_t)(place / SN_LANES) * (1 + SHAPE) * SN_LANES + place % SN_LANES;
        for (int c = 0; c < 3; c++) data[(2 + c) * SN_LANES] = places[3 * (int64_t)element + c];
    }
}

void sn_pin_forces(const SnTermGroup* group, const int* nodes, const double* x, double* forces)
{
    bool kept = group->keep == SN_KEEP_PROJECTION && group->multiplier;
    for (int place = 0; place < group->count; place++) {
        int pack = place / SN_LANES, lane = place % SN_LANES, element = group->order[place];
        SnTermPack p = sn_potential_pack(group, pack);
        double weight = kept ? group->multiplier_weight[place] : stiffness_of(&p, lane);
        for (int c = 0; c < 3; c++) {
            double t = p.shape[(1 + c) * SN_LANES + lane];
            double u = kept ? group->multiplier[((int64_t)pack * 3 + c) * SN_LANES + lane] : 0;
            forces[3 * (int64_t)element + c] = -weight * (x[3 * (int64_t)nodes[element] + c] - t + u);
        }
    }
}
