// The local step of one pack: D x, the prox, and D^T of what follows from it.
#include "potential/local_pack.h"

#include <string.h>

#include "potential/map.h"

typedef double Lanes[SN_LANES];

enum { MOST = 9 }; // entries of z

SN_INLINE void scatter(int nodes, int width, const SnTermPack* pack, Lanes* f, double* r)
{
    Lanes force[SN_TERM_NODES][3];
    sn_map_transpose(nodes, width, pack, f, force);
    for (int a = 0; a < nodes; a++) sn_scatter_corner(pack->nodes + a * SN_LANES, force[a], r);
}

// z of y: the prox; of limits the projection. Limits are quadratic in the distance, and with their own stiffness
// for a weight the prox is half way to the projection.
static void find_z(const SnLocalPack* p, int size, Lanes* y, Lanes* z)
{
    if (p->viscous)
        sn_viscous_kernels()->prox(p->viscous, y[0], p->prox_weight, z[0]);
    else
        p->term->prox(p->material, &p->pack, y[0], p->prox_weight, z[0]);
    for (int i = 0; i < size && p->projects; i++)
        for (int l = 0; l < SN_LANES; l++) z[i][l] = 2.0 * z[i][l] - y[i][l];
}

static void add_sums(SnLocalPack* p, int size, Lanes* dx, Lanes* z, Lanes* u)
{
    for (int i = 0; i < size; i++)
        for (int l = 0; l < SN_LANES; l++) {
            double gap = dx[i][l] - z[i][l], w = p->weight[l];
            p->sums[0] += w * gap * gap;
            p->sums[1] += w * dx[i][l] * dx[i][l];
            p->sums[2] += w * u[i][l] * u[i][l];
        }
}

SN_INLINE void step(int nodes, int width, SnLocalPack* p, const double* x, double* r)
{
    Lanes dx[MOST], y[MOST], z[MOST], f[MOST], *u = (Lanes*)p->u, *kept = (Lanes*)p->z;
    int size = 3 * width;
    double a = p->relaxation;
    sn_map_apply(nodes, width, &p->pack, x, dx);
    for (int i = 0; i < size; i++) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) y[i][l] = dx[i][l] + u[i][l];
    }
    for (int i = 0; i < size && a != 1; i++)
        for (int l = 0; l < SN_LANES; l++) y[i][l] += (a - 1.0) * (dx[i][l] - kept[i][l]);
    p->pack.guess = dx[0];
    if (p->viscous) p->viscous->guess = dx[0];
    find_z(p, size, y, z);
    for (int i = 0; i < size; i++) {
#pragma omp simd
        for (int l = 0; l < SN_LANES; l++) {
            double new_u = y[i][l] - z[i][l];
            u[i][l] = new_u;
            f[i][l] = p->weight[l] * (z[i][l] - new_u - dx[i][l]);
        }
    }
    scatter(nodes, width, &p->pack, f, r);
    if (kept || p->probe) add_sums(p, size, dx, z, u);
    if (!kept) return;
    for (int i = 0; i < size && p->change; i++)
        for (int l = 0; l < SN_LANES; l++) f[i][l] = p->weight[l] * (z[i][l] - kept[i][l]);
    if (p->change) scatter(nodes, width, &p->pack, f, p->change);
    memcpy(kept, z, (size_t)size * sizeof *z);
}

SN_INLINE double pull(int nodes, int width, const SnLocalPack* p, const double* x, double* r)
{
    Lanes dx[MOST], y[MOST], z[MOST], f[MOST], force[SN_TERM_NODES][3], *u = (Lanes*)p->u;
    int size = 3 * width;
    sn_map_apply(nodes, width, &p->pack, x, dx);
    for (int i = 0; i < size; i++)
        for (int l = 0; l < SN_LANES; l++) y[i][l] = dx[i][l] + u[i][l];
    find_z(p, size, y, z);
    for (int i = 0; i < size; i++)
        for (int l = 0; l < SN_LANES; l++) f[i][l] = p->weight[l] * (y[i][l] - z[i][l]);
    scatter(nodes, width, &p->pack, f, r);
    for (int i = 0; i < size; i++)
        for (int l = 0; l < SN_LANES; l++) f[i][l] = p->weight[l] * (dx[i][l] - z[i][l]);
    sn_map_transpose(nodes, width, &p->pack, f, force);
    double sum = 0.0;
    for (int a = 0; a < nodes; a++)
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < SN_LANES; l++) sum += force[a][c][l] * force[a][c][l];
    return sum;
}

// The numbers of nodes and columns are constants in each case, for the loops over lanes to be unrolled around.
#define FOR_KIND(CALL)                                    \
    switch (10 * p->term->nodes + p->term->coordinates) { \
    case 43: return CALL(4, 3);                           \
    case 103: return CALL(10, 3);                         \
    case 32: return CALL(3, 2);                           \
    case 11: return CALL(1, 1);                           \
    case 21: return CALL(2, 1);                           \
    case 31: return CALL(3, 1);                           \
    default: return CALL(4, 1);                           \
    }

static void step_pack(SnLocalPack* p, const double* x, double* r)
{
#define CALL(NODES, WIDTH) step(NODES, WIDTH, p, x, r)
    FOR_KIND(CALL)
#undef CALL
}

static double pull_pack(const SnLocalPack* p, const double* x, double* r)
{
#define CALL(NODES, WIDTH) pull(NODES, WIDTH, p, x, r)
    FOR_KIND(CALL)
#undef CALL
}

static void gather_pack(const SnLocalPack* p, const double* x, double* z)
{
#define CALL(NODES, WIDTH) sn_map_apply(NODES, WIDTH, &p->pack, x, (Lanes*)z)
    FOR_KIND(CALL)
#undef CALL
}

extern const SnLocalKernels SN_KERNEL(sn_local_kernels);
const SnLocalKernels SN_KERNEL(sn_local_kernels) = {.step = step_pack, .pull = pull_pack, .gather = gather_pack};
