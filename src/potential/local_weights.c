// ADMM's weights: w^2 of each term from its stiffness at rest, times a factor that follows what is met on the way.
//
// Two things are to be learnt from an iteration that makes little progress:
// - A squeezed element's energy is concave in some directions, as in those of twists where (psi_i + psi_j)/(s_i + s_j)
//   is negative. With a weight below twice that, the iteration may end in a cycle. So it gets three times that.
// - For a mode of stiffness k that is slow to converge, u = (k/w^2) z. The ratio of the changes of u (D x - z) and of
//   z, which then go with those of D x, says by how much w^2 is off: its square root is taken, as others are slow the
//   other way. (Boyd et al. 2011, section 3.4.1, balance residuals in this way for all terms together; here each
//   group has its own. Limits that are far away get out of the way.)
#include <math.h>

#include "linalg/decompose.h"
#include "potential/laplacian.h"
#include "potential/local.h"
#include "potential/local_pack.h"

#define CONCAVE 3.0      // w^2 of an element, relative to how concave it is
#define ENOUGH 1.05      // by how much a weight has to be off for that
#define MOST_AT_ONCE 4.0 // what a weight may be multiplied or divided by
#define KNOTTED 4.0 // what starts anywhere finds back with such factors, and ends in a knot in a tenth of cases with 1
#define LEAST_FACTOR 1e-2f
#define MOST_FACTOR 1e4f

typedef double Lanes[SN_LANES];

// What w^2 is per volume. The effective stiffness k of nearly incompressible materials is that of their volume, of
// which little is left in motion; ADMM crawls with it. On twisted boxes it was fastest near 1.2 mu, whatever the
// material, but for nu = 0.49 stopped converging below 1.6 mu.
#define SHARE 0.9
static double term_weight(const SnTermGroup* group, const SnTermPack* pack, int lane, double k)
{
    double shear = 2 * pack->parameters.mu[lane];
    if (group->keep || group->dissipation || !group->term->elements) return k;
    return SHARE * (shear > 0 && shear < k ? shear : k);
}

// w^2 = weight^2 times that times V. Spare lanes have no volume and no force, but a prox like any other.
static void fill_group(SnLocal* local, int index)
{
    const SnTermGroup* group = &local->potential->groups[index];
    SnStiffnessCache cache = {0};
    for (int k = 0; k < group->pack_count; k++) {
        SnTermPack pack = sn_potential_pack(group, k);
        for (int l = 0; l < SN_LANES; l++) {
            int64_t at = (local->first_pack[index] + k) * SN_LANES + l;
            double stiffness =
                term_weight(group, &pack, l, sn_cached_stiffness(&cache, local->potential, group, &pack, l));
            double scale = group->weight * group->weight;
            double volume = pack.volume[l] > 0 ? pack.volume[l] : 1;
            local->weight[at] = scale * stiffness * pack.volume[l];
            local->prox_weight[at] = (group->keep ? 1 : scale) * stiffness * volume;
        }
    }
}

// A merged dissipation gives its weight to the group that takes it in.
static void move_weights(SnLocal* local, int from)
{
    if (!local->merged || local->merged[from] < 0) return;
    int64_t lanes = (int64_t)local->potential->groups[from].pack_count * SN_LANES;
    int64_t at = local->first_pack[from] * SN_LANES, to = local->first_pack[local->merged[from]] * SN_LANES;
    for (int64_t l = 0; l < lanes; l++) {
        local->weight[to + l] += local->weight[at + l];
        local->prox_weight[to + l] += local->prox_weight[at + l];
        local->weight[at + l] = 0;
    }
}

static void apply_factors(SnLocal* local, int index)
{
    const SnTermGroup* group = &local->potential->groups[index];
    int64_t first = local->first_pack[index] * SN_LANES;
    for (int64_t at = first; at < first + (int64_t)group->pack_count * SN_LANES; at++) {
        local->weight[at] *= local->factor[at];
        if (!group->keep) local->prox_weight[at] *= local->factor[at];
    }
}

void sn_local_fill_weights(SnLocal* local)
{
    int count = local->potential->group_count;
    for (int i = 0; i < count; i++) fill_group(local, i);
    for (int i = 0; i < count; i++) move_weights(local, i);
    for (int i = 0; i < count; i++) apply_factors(local, i);
    local->b = local->potential->b, local->actuated = local->potential->actuated;
}

// Another factor, within bounds; u changes such that w^2 u stays, which is the force. False: it is the same.
static bool set_factor(SnLocal* local, int index, int pack, int lane, double wanted)
{
    int size = 3 * local->potential->groups[index].term->coordinates;
    float* factor = &local->factor[(local->first_pack[index] + pack) * SN_LANES + lane];
    float before = *factor, after = (float)fmin(fmax(wanted, LEAST_FACTOR), MOST_FACTOR);
    double* u = local->u + local->first_value[index] + (int64_t)pack * size * SN_LANES + lane;
    for (int i = 0; i < size; i++) u[i * SN_LANES] *= (double)before / after;
    *factor = after;
    return after != before;
}

static void find_stretches(int width, Lanes f[9], Lanes s[3])
{
    Lanes u[9], v[9];
    for (int i = width; i < 3; i++)
        for (int l = 0; l < SN_LANES; l++) s[i][l] = 1;
    if (width == 3) sn_decompositions()->svd3((const double(*)[SN_LANES])f, u, s, v);
    if (width == 2) sn_decompositions()->svd32((const double(*)[SN_LANES])f, u, s, v);
    for (int l = 0; l < SN_LANES && width == 1; l++)
        s[0][l] = sqrt(f[0][l] * f[0][l] + f[1][l] * f[1][l] + f[2][l] * f[2][l]);
}

// How concave a density is: minus its lowest curvature, among those of stretches, flips and twists, and, of sheets and
// strands, across them.
static double concavity(int width, Lanes s[3], Lanes g[3], Lanes h[6], int l)
{
    double least = 0, small = 1e-3;
    for (int i = 0; i < width; i++) {
        least = fmin(least, h[i][l]);
        if (width < 3) least = fmin(least, g[i][l] / fmax(s[i][l], small));
        for (int j = i + 1; j < width; j++) {
            double difference = s[i][l] - s[j][l];
            least = fmin(least, (g[i][l] + g[j][l]) / fmax(s[i][l] + s[j][l], small));
            if (difference > small) least = fmin(least, (g[i][l] - g[j][l]) / difference);
        }
    }
    return -least;
}

typedef struct Adapting {
    SnLocal* local;
    const double* x; // or of what D is to be measured
} Adapting;

// How many of a patch's solid elements are inside out, left in its sums.
static void count_turned(void* context, int index)
{
    const Adapting* a = context;
    SnLocal* local = a->local;
    SnPotential* p = local->potential;
    const SnPatch* patch = &p->patches[index];
    const SnTermGroup* group = &p->groups[patch->group];
    double turned = 0;
    local->patch_sums[4 * (int64_t)index + 3] = 0;
    if (group->term->coordinates != 3 || !group->term->elements) return;
    const double* x = sn_potential_gather(p, patch, a->x);
    for (int k = patch->first_pack; k < patch->first_pack + patch->pack_count; k++) {
        Lanes f[9], s[3];
        SnLocalPack pack = {.term = group->term, .pack = sn_potential_pack(group, k)};
        sn_local_kernels()->gather(&pack, x, f[0]);
        find_stretches(3, f, s);
        for (int l = 0; l < SN_LANES; l++) turned += pack.pack.volume[l] > 0 && s[2][l] < 0;
    }
    local->patch_sums[4 * (int64_t)index + 3] = turned;
}

// Elements of a patch that are more concave than their weights allow; how many there are is left in the patch's sums.
static void stiffen_patch(void* context, int index)
{
    const Adapting* a = context;
    SnLocal* local = a->local;
    SnPotential* p = local->potential;
    const SnPatch* patch = &p->patches[index];
    const SnTermGroup* group = &p->groups[patch->group];
    int width = group->term->coordinates, raised = 0;
    local->patch_sums[4 * (int64_t)index + 3] = 0;
    if (group->keep || group->dissipation || !group->term->elements) return;
    const double* x = sn_potential_gather(p, patch, a->x);
    for (int k = patch->first_pack; k < patch->first_pack + patch->pack_count; k++) {
        Lanes f[9], s[3], g[3], h[6];
        SnLocalPack pack = {.term = group->term, .pack = sn_potential_pack(group, k)};
        sn_local_kernels()->gather(&pack, x, f[0]);
        find_stretches(width, f, s);
        sn_material_derivatives(group->material, (const double(*)[SN_LANES])s, &pack.pack.parameters, g, h);
        for (int l = 0; l < SN_LANES; l++) {
            int64_t at = (local->first_pack[patch->group] + k) * SN_LANES + l;
            double more = CONCAVE * concavity(width, s, g, h, l) * pack.pack.volume[l] / local->prox_weight[at];
            if (more > ENOUGH)
                raised += set_factor(local, patch->group, k, l, local->factor[at] * fmin(more, MOST_AT_ONCE));
        }
    }
    local->patch_sums[4 * (int64_t)index + 3] = raised;
}

// The sum of w^2 |D x|^2.
static void measure_patch(void* context, int index)
{
    const Adapting* a = context;
    SnLocal* local = a->local;
    SnPotential* p = local->potential;
    const SnPatch* patch = &p->patches[index];
    const SnTermGroup* group = &p->groups[patch->group];
    const double* x = sn_potential_gather(p, patch, a->x);
    double sum = 0;
    for (int k = patch->first_pack; k < patch->first_pack + patch->pack_count; k++) {
        Lanes z[9];
        SnLocalPack pack = {.term = group->term, .pack = sn_potential_pack(group, k)};
        const double* w = local->weight + (local->first_pack[patch->group] + k) * SN_LANES;
        sn_local_kernels()->gather(&pack, x, z[0]);
        for (int i = 0; i < 3 * group->term->coordinates; i++)
            for (int l = 0; l < SN_LANES; l++) sum += w[l] * z[i][l] * z[i][l];
    }
    local->patch_sums[4 * (int64_t)index + 3] = sum;
}

static double sum_of(const SnLocal* local, int group, int which)
{
    double sum = 0;
    for (int i = 0; i < local->potential->patch_count; i++)
        if (group < 0 || local->potential->patches[i].group == group) sum += local->patch_sums[4 * (int64_t)i + which];
    return sum;
}

static bool balance_group(SnLocal* local, int index)
{
    const SnTermGroup* group = &local->potential->groups[index];
    double gap = sum_of(local, index, 0), change = sum_of(local, index, 3);
    if (!group->term->elements || !(change > 0) || !isfinite(gap / change)) return false;
    double more = fmin(fmax(pow(gap / change, 0.25), 1 / MOST_AT_ONCE), MOST_AT_ONCE);
    if (more > 0.7 && more < 1.3) return false;
    bool changed = false;
    for (int k = 0; k < group->pack_count; k++)
        for (int l = 0; l < SN_LANES; l++) {
            int64_t at = (local->first_pack[index] + k) * SN_LANES + l;
            changed |= set_factor(local, index, k, l, more * local->factor[at]);
        }
    return changed;
}

// All elements' factors times `more`, or at least `least`; false: none has changed.
static bool stiffen(SnLocal* local, double more, double least)
{
    bool changed = false;
    for (int index = 0; index < local->potential->group_count; index++) {
        const SnTermGroup* group = &local->potential->groups[index];
        for (int k = 0; k < group->pack_count && group->term->elements; k++)
            for (int l = 0; l < SN_LANES; l++) {
                double factor = local->factor[(local->first_pack[index] + k) * SN_LANES + l];
                changed |= set_factor(local, index, k, l, fmax(more * factor, least));
            }
    }
    if (changed) sn_local_fill_weights(local);
    return changed;
}

void sn_local_stiffen(SnLocal* local)
{
    stiffen(local, MOST_AT_ONCE, 0);
}

bool sn_local_adapt(SnLocal* local, const double* x, const double* d)
{
    SnPotential* p = local->potential;
    if (local->turned < 1) {
        sn_tasks_run(p->tasks, p->patch_count, count_turned, &(Adapting){local, x});
        bool knotted = sum_of(local, -1, 3) > local->turned * SN_LANES * (double)local->pack_count;
        if (knotted) return local->turned == 0 && stiffen(local, 1, KNOTTED);
    }
    sn_tasks_run(p->tasks, p->patch_count, stiffen_patch, &(Adapting){local, x});
    bool changed = sum_of(local, -1, 3) > 0;
    if (!changed) {
        sn_tasks_run(p->tasks, p->patch_count, measure_patch, &(Adapting){local, d});
        for (int i = 0; i < p->group_count; i++) changed |= balance_group(local, i);
    }
    if (changed) sn_local_fill_weights(local);
    return changed;
}
