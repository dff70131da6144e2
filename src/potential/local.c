// The local step: patches in parallel, each pack through the kernel of its kind.
#include "potential/local.h"

#include <math.h>
#include <string.h>

#include "potential/local_pack.h"

SN_EXTERN_OF_ISA(const SnLocalKernels, sn_local_kernels);

const SnLocalKernels* sn_local_kernels(void)
{
    return SN_OF_ISA(&sn_local_kernels);
}

void sn_local_destroy(SnLocal* local)
{
    if (!local) return;
    SN_FREE(local->first_pack, local->first_value, local->weight, local->prox_weight, local->factor, local->u, local->z,
            local->frame, local->slot_change, local->patch_sums, local->merged, local);
}

static SnStatus build(SnLocal* local, bool residuals)
{
    const SnPotential* p = local->potential;
    if (!SN_NEW(local->first_pack, p->group_count, "the local step") ||
        !SN_NEW(local->first_value, p->group_count, "the local step"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < p->group_count; i++) {
        local->first_pack[i] = local->pack_count, local->first_value[i] = local->size;
        local->pack_count += p->groups[i].pack_count;
        local->size += (int64_t)p->groups[i].pack_count * 3 * p->groups[i].term->coordinates * SN_LANES;
    }
    int64_t lanes = local->pack_count * SN_LANES;
    if (!SN_NEW(local->weight, lanes, "the local step") || !SN_NEW(local->prox_weight, lanes, "the local step") ||
        !SN_NEW(local->factor, lanes, "the local step") || !SN_NEW(local->u, local->size, "the local step") ||
        !SN_NEW(local->frame, local->size, "the local step") ||
        !SN_NEW(local->patch_sums, 4 * (int64_t)p->patch_count, "the local step"))
        return SN_ERROR_MEMORY;
    if ((residuals || local->relaxation != 1) && !SN_NEW(local->z, local->size, "the local step"))
        return SN_ERROR_MEMORY;
    if (residuals && !SN_NEW(local->slot_change, 3 * (int64_t)p->slot_count, "the local step")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < lanes; i++) local->factor[i] = 1;
    sn_local_fill_weights(local);
    for (int i = 0; i < p->group_count; i++)
        if (p->groups[i].keep) {
            p->groups[i].multiplier = local->u + local->first_value[i];
            p->groups[i].multiplier_weight = local->weight + local->first_pack[i] * SN_LANES;
        }
    return SN_OK;
}

SnStatus sn_local_create(SnPotential* potential, double relaxation, bool residuals, SnLocal** out)
{
    *out = NULL;
    SnLocal* local;
    if (!SN_NEW(local, 1, "the local step")) return SN_ERROR_MEMORY;
    local->potential = potential;
    local->relaxation = relaxation;
    SN_FINISH(build(local, residuals), local, sn_local_destroy, out);
}

static int first_patch(const SnPotential* p, int group)
{
    int i = 0;
    while (p->patches[i].group != group) i++;
    return i;
}

// Groups of the same elements are cut into the same patches.
static bool same_elements(const SnPotential* p, int a, int b)
{
    const SnTermGroup *g = &p->groups[a], *h = &p->groups[b];
    if (g->term != h->term || g->count != h->count) return false;
    if (memcmp(g->order, h->order, (size_t)g->count * sizeof *g->order) != 0) return false;
    for (int i = first_patch(p, a), j = first_patch(p, b); i < p->patch_count && p->patches[i].group == a; i++, j++) {
        const SnPatch *s = &p->patches[i], *t = &p->patches[j];
        if (s->slot_count != t->slot_count) return false;
        size_t size = (size_t)s->slot_count * sizeof *p->slot_node;
        if (memcmp(p->slot_node + s->first_slot, p->slot_node + t->first_slot, size) != 0) return false;
    }
    return true;
}

SnStatus sn_local_merge(SnLocal* local)
{
    const SnPotential* p = local->potential;
    if (!SN_NEW(local->merged, p->group_count, "the local step")) return SN_ERROR_MEMORY;
    for (int i = 0; i < p->group_count; i++) {
        local->merged[i] = -1;
        for (int k = 0; k < i && p->groups[i].dissipation && local->merged[i] < 0; k++) {
            const SnTermGroup* group = &p->groups[k];
            int taken = 0;
            for (int m = 0; m < i; m++) taken += local->merged[m] == k;
            bool whole = group->term->elements && !group->dissipation && !group->keep && taken < SN_MERGED;
            whole &= p->groups[i].dissipation->rate != SN_RATE_POLAR; // which has a local step of its own
            if (whole && same_elements(p, i, k)) local->merged[i] = k;
        }
    }
    sn_local_fill_weights(local);
    return SN_OK;
}

// Frames are forgotten between minimisations: a resumed run has none.
static void reset_frames(SnLocal* local)
{
    const SnPotential* p = local->potential;
    for (int i = 0; i < p->group_count; i++) {
        double* frame = local->frame + local->first_value[i];
        if (p->groups[i].term->coordinates != 3) continue;
        for (int64_t k = 0; k < (int64_t)p->groups[i].pack_count * 9; k++)
            for (int l = 0; l < SN_LANES; l++) frame[k * SN_LANES + l] = k % 9 % 4 == 0 ? 1 : 0;
    }
}

void sn_local_start(SnLocal* local, bool keep_u)
{
    reset_frames(local);
    if (!keep_u) memset(local->u, 0, (size_t)local->size * sizeof *local->u);
    if (local->b != local->potential->b || local->actuated != local->potential->actuated) sn_local_fill_weights(local);
    local->first = true;
}

static SnLocalPack pack_of(const SnLocal* local, const SnPatch* patch, int k)
{
    const SnTermGroup* group = &local->potential->groups[patch->group];
    int64_t pack = patch->first_pack + k, lanes = (local->first_pack[patch->group] + pack) * SN_LANES;
    int64_t value = local->first_value[patch->group] + pack * 3 * group->term->coordinates * SN_LANES;
    return (SnLocalPack){
        .term = group->term,
        .material = group->material,
        .pack = sn_potential_pack(group, (int)pack),
        .weight = local->weight + lanes,
        .prox_weight = local->prox_weight + lanes,
        .projects = group->keep != SN_KEEP_NONE,
        .probe = local->probe,
        .relaxation = local->first ? 1 : local->relaxation,
        .u = local->u + value,
        .z = local->z ? local->z + value : NULL,
    };
}

typedef struct Step {
    SnLocal* local;
    const SnLocalKernels* kernels;
    const double *x, *given; // the state to take over, or NULL
    double* found;           // room for the state, or NULL
} Step;

// The dissipations in a group's prox: its own, or those merged into it. False: there are none.
static bool find_viscous(const SnLocal* local, int index, int pack, SnViscousTerms* terms)
{
    const SnPotential* p = local->potential;
    const SnTermGroup* group = &p->groups[index];
    terms->count = 0;
    terms->elastic = !group->dissipation;
    terms->upright = local->upright;
    terms->iterations = local->iterations, terms->guess = NULL;
    if (group->dissipation) terms->packs[terms->count++] = sn_potential_viscous_pack(p, group, pack);
    for (int i = 0; i < p->group_count && local->merged && p->b > 0; i++)
        if (local->merged[i] == index) terms->packs[terms->count++] = sn_potential_viscous_pack(p, &p->groups[i], pack);
    return terms->count > 0;
}

static void step_patch(void* context, int index)
{
    const Step* s = context;
    SnLocal* local = s->local;
    SnPotential* p = local->potential;
    const SnPatch* patch = &p->patches[index];
    const double* x = sn_potential_gather(p, patch, s->x);
    double *r = p->slot_g + 3 * (int64_t)patch->first_slot, *sums = local->patch_sums + 4 * (int64_t)index;
    double* change = local->slot_change ? local->slot_change + 3 * (int64_t)patch->first_slot : NULL;
    memset(r, 0, 3 * (size_t)patch->slot_count * sizeof *r);
    if (change) memset(change, 0, 3 * (size_t)patch->slot_count * sizeof *change);
    memset(sums, 0, 4 * sizeof *sums);
    const SnTermGroup* group = &p->groups[patch->group];
    bool merged = local->merged && local->merged[patch->group] >= 0;
    if (group->dissipation && (p->b == 0 || merged)) return;
    for (int k = 0; k < patch->pack_count; k++) {
        SnLocalPack pack = pack_of(local, patch, k);
        SnViscousTerms viscous;
        if (find_viscous(local, patch->group, patch->first_pack + k, &viscous)) pack.viscous = &viscous;
        pack.change = local->first ? NULL : change;
        pack.pack.upright = local->upright && !group->keep;
        pack.pack.iterations = local->iterations;
        if (group->term->coordinates == 3) pack.pack.frame = local->frame + (pack.u - local->u);
        s->kernels->step(&pack, x, r);
        for (int i = 0; i < 3; i++) sums[i] += pack.sums[i];
    }
}

void sn_local_step(SnLocal* local, const double* x, double* r)
{
    SnPotential* p = local->potential;
    Step step = {local, sn_local_kernels(), .x = x};
    sn_tasks_run(p->tasks, p->patch_count, step_patch, &step);
    sn_potential_add_slots(p, p->slot_g, r);
    local->first = false;
}

SnResiduals sn_local_residuals(SnLocal* local, double* r)
{
    const SnPotential* p = local->potential;
    double sums[3] = {0, 0, 0}, squares = 0;
    for (int i = 0; i < p->patch_count; i++)
        for (int k = 0; k < 3; k++) sums[k] += local->patch_sums[4 * (int64_t)i + k];
    sn_potential_add_slots(p, local->slot_change, r);
    for (int64_t k = 0; k < 3 * (int64_t)p->node_count; k++) squares += r[k] * r[k];
    return (SnResiduals){sqrt(sums[0]), sqrt(squares), sqrt(sums[1]), sqrt(sums[2])};
}

static void pull_patch(void* context, int index)
{
    const Step* s = context;
    SnPotential* p = s->local->potential;
    const SnPatch* patch = &p->patches[index];
    double* r = p->slot_g + 3 * (int64_t)patch->first_slot;
    memset(r, 0, 3 * (size_t)patch->slot_count * sizeof *r);
    s->local->patch_sums[4 * (int64_t)index + 3] = 0;
    if (!p->groups[patch->group].keep) return;
    const double* x = sn_potential_gather(p, patch, s->x);
    for (int k = 0; k < patch->pack_count; k++) {
        SnLocalPack pack = pack_of(s->local, patch, k);
        s->local->patch_sums[4 * (int64_t)index + 3] += s->kernels->pull(&pack, x, r);
    }
}

double sn_local_pull(SnLocal* local, const double* x, double* f)
{
    SnPotential* p = local->potential;
    Step step = {local, sn_local_kernels(), .x = x};
    double squares = 0;
    sn_tasks_run(p->tasks, p->patch_count, pull_patch, &step);
    sn_potential_add_slots(p, p->slot_g, f);
    for (int i = 0; i < p->patch_count; i++) squares += local->patch_sums[4 * (int64_t)i + 3];
    return sqrt(squares);
}

// The state D x + u of a patch: found, or, where it is given, u is made what it was.
static void state_patch(void* context, int index)
{
    const Step* s = context;
    SnPotential* p = s->local->potential;
    const SnPatch* patch = &p->patches[index];
    const double* x = sn_potential_gather(p, patch, s->x);
    int size = 3 * p->groups[patch->group].term->coordinates * SN_LANES;
    double dx[9 * SN_LANES];
    for (int k = 0; k < patch->pack_count; k++) {
        SnLocalPack pack = pack_of(s->local, patch, k);
        int64_t at = pack.u - s->local->u;
        s->kernels->gather(&pack, x, dx);
        for (int i = 0; i < size && s->given; i++) pack.u[i] = s->given[at + i] - dx[i];
        for (int i = 0; i < size && s->found; i++) s->found[at + i] = dx[i] + pack.u[i];
    }
}

void sn_local_get_state(const SnLocal* local, const double* x, double* s)
{
    Step step = {(SnLocal*)local, sn_local_kernels(), x, .found = s};
    sn_tasks_run(local->potential->tasks, local->potential->patch_count, state_patch, &step);
}

void sn_local_set_state(SnLocal* local, const double* x, const double* s)
{
    Step step = {local, sn_local_kernels(), x, .given = s};
    sn_tasks_run(local->potential->tasks, local->potential->patch_count, state_patch, &step);
}
