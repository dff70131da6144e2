// The potential energy: patches of packs, and sums in patch order.
#include "potential/potential.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/share.h"
#include "potential/patch.h"

enum { NODE_GRAIN = 1024 };

SnStatus sn_potential_create(int node_count, const double* rest, SnTasks* tasks, SnPotential** out)
{
    *out = NULL;
    SnPotential* potential;
    if (!SN_NEW(potential, 1, "the potential")) return SN_ERROR_MEMORY;
    potential->node_count = node_count;
    potential->tasks = tasks;
    potential->rest = sn_copy_memory(rest, 3 * (size_t)node_count, sizeof *rest, "the potential");
    bool room = potential->rest && SN_NEW(potential->node_face, node_count, "the potential") &&
                SN_NEW(potential->node_volume, node_count, "the potential");
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, potential, sn_potential_destroy, out);
}

static void free_group(SnTermGroup* group)
{
    SN_FREE(group->order, group->members, group->first, group->shares, group->nodes, group->data, group->rest,
            group->parameters, group->blocks, group->stage);
}

void sn_potential_destroy(SnPotential* potential)
{
    if (!potential) return;
    for (int i = 0; i < potential->group_count; i++) free_group(&potential->groups[i]);
    for (int i = 0; i < potential->dissipation_count; i++) sn_free(potential->dissipations[i].dissipation);
    SN_FREE(potential->dissipations, potential->rest, potential->groups, potential->patches, potential->slot_node,
            potential->node_start, potential->node_slots, potential->slot_x, potential->slot_g, potential->patch_energy,
            potential->node_face, potential->node_volume, potential->stage_slots, potential->still_x,
            potential->still_g, potential->still_energy, potential);
}

SnTermPack sn_potential_pack(const SnTermGroup* group, int pack)
{
    const double* data = group->data + (int64_t)pack * (1 + group->term->shape_size) * SN_LANES;
    const double* m = group->parameters + pack * group->parameters_step;
    return (SnTermPack){
        .nodes = group->nodes + (int64_t)pack * group->term->nodes * SN_LANES,
        .volume = data,
        .parameters = {.mu = m,
                       .lambda = m + SN_LANES,
                       .floor = m + 2 * SN_LANES,
                       .extra = {m + 3 * SN_LANES, m + 4 * SN_LANES},
                       .user = group->user},
        .shape = data + SN_LANES,
    };
}

SnViscousPack sn_potential_viscous_pack(const SnPotential* potential, const SnTermGroup* group, int pack)
{
    return (SnViscousPack){
        .term = sn_potential_pack(group, pack),
        .type = group->term,
        .material = group->material,
        .dissipation = group->dissipation,
        .stage = group->stage + (int64_t)pack * SN_STAGE_SIZE * SN_LANES,
        .b = potential->b,
    };
}

// What an element adds to its nodes' volumes and opposite faces.
static void add_element(SnPotential* p, const SnTermsDef* def, const SnMaterialParameters* parameters, const int* nodes,
                        double volume, const double* faces)
{
    for (int a = 0; a < def->term->nodes; a++) {
        p->node_face[nodes[a]] += faces[a];
        p->node_volume[nodes[a]] += volume / def->term->nodes;
    }
    p->volume += volume;
    p->stiffness += volume * sn_material_rest_stiffness(def->material, *parameters);
}

// An element at rest.
typedef struct Shape {
    double entries[SN_TERM_SHAPE], volume, faces[SN_TERM_NODES];
} Shape;

static SnStatus find_shape(const SnPotential* potential, const SnTermsDef* def, int element, Shape* shape)
{
    int k = def->term->nodes;
    double corners[3 * SN_TERM_NODES];
    if (def->points) {
        memcpy(shape->entries, def->points->shapes + (int64_t)SN_POINT_SHAPE * element, sizeof shape->entries);
        shape->volume = def->points->volumes[element];
        return SN_OK;
    }
    const int* nodes = def->elements + (int64_t)k * element;
    for (int a = 0; a < k; a++) memcpy(corners + 3 * a, potential->rest + 3 * (int64_t)nodes[a], 3 * sizeof *corners);
    const double* direction = def->directions ? def->directions + 3 * (int64_t)element : def->direction;
    double section = def->sections ? def->sections[element] : def->section;
    if (!def->term->prepare(corners, section, direction, shape->entries, &shape->volume, shape->faces))
        return sn_fail(SN_ERROR_VALUE, "body '%s': %s %d is inverted or has no volume (%g m3)", def->name,
                       def->term->name, element, shape->volume);
    return SN_OK;
}

SnStatus sn_potential_add_content(SnPotential* potential, const SnTermsDef* def)
{
    for (int e = 0; e < def->count; e++) {
        Shape shape;
        SN_TRY(find_shape(potential, def, e, &shape));
        add_element(potential, def, &def->parameters[def->per_element ? e : 0],
                    def->elements + (int64_t)def->term->nodes * e, shape.volume, shape.faces);
    }
    return SN_OK;
}

// Fills one lane from the element in this place; spare lanes repeat the last one without volume, so they add nothing.
static SnStatus fill_lane(SnPotential* potential, SnTermGroup* group, const SnTermsDef* def, int place)
{
    bool spare = place >= def->count;
    int element = group->order[spare ? def->count - 1 : place];
    const int* nodes = def->elements + (int64_t)def->term->nodes * element;
    Shape shape;
    SN_TRY(find_shape(potential, def, element, &shape));
    const SnMaterialParameters* p = &def->parameters[def->per_element ? element : 0];
    bool adds = group->reinforcement || def->dissipation || def->points || def->apart;
    if (!spare && !adds) add_element(potential, def, p, nodes, shape.volume, shape.faces);
    int pack = place / SN_LANES, lane = place % SN_LANES, size = 1 + def->term->shape_size;
    double* data = group->data + (int64_t)pack * size * SN_LANES + lane;
    for (int i = 0; i < size; i++) data[i * SN_LANES] = i > 0 ? shape.entries[i - 1] : spare ? 0 : shape.volume;
    const double fixed[SN_PARAMETERS] = {p->mu, p->lambda, p->floor, p->extra[0], p->extra[1]};
    double* m = group->parameters + pack * group->parameters_step + lane;
    for (int i = 0; i < SN_PARAMETERS; i++) m[i * SN_LANES] = fixed[i];
    return SN_OK;
}

// The members of points, in the order of places.
static SnStatus fill_members(SnTermGroup* group, const SnTermsDef* def)
{
    const SnPoints* p = def->points;
    int total = p->first[p->count], at = 0;
    if (!SN_NEW(group->first, (int64_t)p->count + 1, "elements") || !SN_NEW(group->members, total, "elements") ||
        !SN_NEW(group->shares, total, "elements"))
        return SN_ERROR_MEMORY;
    for (int place = 0; place < p->count; place++) {
        int point = group->order[place];
        for (int i = p->first[point]; i < p->first[point + 1]; i++, at++) {
            group->members[at] = def->members[p->members[i]];
            group->shares[at] = p->shares[i];
        }
        group->first[place + 1] = at;
    }
    return SN_OK;
}

static SnStatus fill_group(SnPotential* potential, SnTermGroup* group, const SnTermsDef* def)
{
    int64_t lanes = (int64_t)group->pack_count * SN_LANES;
    if (!SN_NEW(group->order, def->count, "elements") || !SN_NEW(group->nodes, lanes * def->term->nodes, "elements") ||
        !SN_NEW(group->data, lanes * (1 + def->term->shape_size), "elements"))
        return SN_ERROR_MEMORY;
    group->parameters_step = def->per_element ? SN_PARAMETERS * SN_LANES : 0;
    int64_t packs = def->per_element ? group->pack_count : 1;
    if (!SN_NEW(group->parameters, packs * SN_PARAMETERS * SN_LANES, "elements")) return SN_ERROR_MEMORY;
    if (def->dissipation && !SN_NEW(group->stage, lanes * SN_STAGE_SIZE, "dissipations")) return SN_ERROR_MEMORY;
    SN_TRY(sn_patch_order(def->count, def->term->nodes, def->elements, potential->rest, group->order));
    for (int place = 0; place < lanes; place++) SN_TRY(fill_lane(potential, group, def, place));
    if (def->points && def->members) SN_TRY(fill_members(group, def));
    bool one = def->members && !def->points;
    if (one && !SN_NEW(group->members, def->count, "elements")) return SN_ERROR_MEMORY;
    for (int place = 0; place < def->count && one; place++) group->members[place] = def->members[group->order[place]];
    return sn_patch_group(potential, potential->group_count - 1, def->elements);
}

SnStatus sn_potential_add(SnPotential* potential, const SnTermsDef* def)
{
    if (def->count == 0) return SN_OK;
    if (!SN_GROW(potential->groups, potential->group_capacity, potential->group_count + 1, "terms"))
        return SN_ERROR_MEMORY;
    SnTermGroup* group = &potential->groups[potential->group_count++];
    *group = (SnTermGroup){
        .term = def->term, .material = def->material, .user = def->parameters[0].user, .dissipation = def->dissipation};
    group->reinforcement = def->reinforcement || def->term->reinforcement;
    group->keep = def->keep;
    memcpy(group->direction, def->direction, sizeof group->direction);
    group->weight = def->weight > 0 ? def->weight : 1;
    group->count = def->count;
    group->pack_count = (def->count + SN_LANES - 1) / SN_LANES;
    return fill_group(potential, group, def);
}

SnStatus sn_potential_add_dissipation(SnPotential* p, const SnDissipation* dissipation, const char* name,
                                      const SnDissipation** owned)
{
    if (!SN_GROW(p->dissipations, p->dissipation_capacity, p->dissipation_count + 1, "dissipations"))
        return SN_ERROR_MEMORY;
    SnPotentialDissipation* row = &p->dissipations[p->dissipation_count];
    row->dissipation = sn_copy_memory(dissipation, 1, sizeof *dissipation, "dissipations");
    if (!row->dissipation) return SN_ERROR_MEMORY;
    snprintf(row->name, sizeof row->name, "%s: %s", name, dissipation->type->name);
    p->dissipation_count++;
    *owned = row->dissipation;
    return SN_OK;
}

// The slots of every node, in patch order, by counting.
SnStatus sn_potential_finish(SnPotential* p)
{
    if (!SN_NEW(p->node_start, (int64_t)p->node_count + 1, "slots") || !SN_NEW(p->node_slots, p->slot_count, "slots") ||
        !SN_NEW(p->slot_x, 3 * (int64_t)p->slot_count, "slots") ||
        !SN_NEW(p->slot_g, 3 * (int64_t)p->slot_count, "slots") || !SN_NEW(p->patch_energy, p->patch_count, "patches"))
        return SN_ERROR_MEMORY;
    int64_t stage = p->dissipation_count > 0 ? 3 * SN_STAGE_ARRAYS * (int64_t)p->slot_count : 0;
    if (!SN_NEW(p->stage_slots, stage, "slots")) return SN_ERROR_MEMORY;
    for (int s = 0; s < p->slot_count; s++) p->node_start[p->slot_node[s] + 1]++;
    for (int i = 0; i < p->node_count; i++) p->node_start[i + 1] += p->node_start[i];
    int* next = sn_copy_memory(p->node_start, (size_t)p->node_count, sizeof *next, "slots");
    if (!next) return SN_ERROR_MEMORY;
    for (int s = 0; s < p->slot_count; s++) p->node_slots[next[p->slot_node[s]]++] = s;
    sn_free(next);
    sn_share_add(p->tasks, 1, p->node_face);
    sn_share_add(p->tasks, 1, p->node_volume);
    p->volume = sn_share_total(p->tasks, p->volume);
    p->stiffness = sn_share_total(p->tasks, p->stiffness);
    return SN_OK;
}

typedef struct Evaluation {
    SnPotential* potential;
    const double* x;
    double* g;                 // NULL: the energy alone
    const SnDissipation* only; // the terms of this dissipation alone; NULL: all
} Evaluation;

const double* sn_potential_gather(SnPotential* potential, const SnPatch* patch, const double* x)
{
    const int* nodes = potential->slot_node + patch->first_slot;
    double* local = potential->slot_x + 3 * (int64_t)patch->first_slot;
    for (int i = 0; i < patch->slot_count; i++) memcpy(local + 3 * i, x + 3 * (int64_t)nodes[i], 3 * sizeof *local);
    return local;
}

// The sum over the lanes of a patch's pack that hold an element.
static double used_energies(const SnPatch* patch, int pack, const double* energies)
{
    int used = patch->element_count - pack * SN_LANES;
    double sum = 0;
    for (int l = 0; l < SN_LANES && l < used; l++) sum += energies[l];
    return sum;
}

// Energies and dissipations, each in patch order.
static SnPotentialValue sum_patches(const SnPotential* potential)
{
    double sums[2] = {0};
    for (int i = 0; i < potential->patch_count; i++)
        sums[potential->groups[potential->patches[i].group].dissipation != NULL] += potential->patch_energy[i];
    sn_share_sum(potential->tasks, 2, sums);
    return (SnPotentialValue){isnan(sums[0]) ? INFINITY : sums[0], isnan(sums[1]) ? INFINITY : sums[1]};
}

static void evaluate_pack(const Evaluation* e, const SnTermGroup* group, int index, const double* x, double* g,
                          double* energies)
{
    if (group->dissipation) {
        SnViscousPack pack = sn_potential_viscous_pack(e->potential, group, index);
        if (g)
            sn_viscous_kernels()->gradient(&pack, x, g, energies);
        else
            sn_viscous_kernels()->energy(&pack, x, energies);
        return;
    }
    SnTermPack pack = sn_potential_pack(group, index);
    if (g)
        group->term->gradient(group->material, &pack, x, g, energies);
    else
        group->term->energy(group->material, &pack, x, energies);
}

SnStatus sn_potential_set_still(SnPotential* p, const bool* still)
{
    bool any = false;
    for (int i = 0; i < p->patch_count; i++) {
        SnPatch* patch = &p->patches[i];
        const SnTermGroup* group = &p->groups[patch->group];
        patch->still = !group->dissipation && group->keep != SN_KEEP_PROJECTION;
        patch->known = false;
        for (int k = 0; k < patch->slot_count; k++) patch->still &= still[p->slot_node[patch->first_slot + k]];
        any |= patch->still;
    }
    if (!any || p->still_energy) return SN_OK;
    bool room = SN_NEW(p->still_x, 3 * (int64_t)p->slot_count, "the potential") &&
                SN_NEW(p->still_g, 3 * (int64_t)p->slot_count, "the potential") &&
                SN_NEW(p->still_energy, p->patch_count, "the potential");
    return room ? SN_OK : SN_ERROR_MEMORY;
}

// Energy and gradient of a patch that is still, always found together, so that it does not matter which is asked for.
static void evaluate_still(const Evaluation* e, int index, double* g)
{
    SnPotential* p = e->potential;
    SnPatch* patch = &p->patches[index];
    const double* x = sn_potential_gather(p, patch, e->x);
    size_t size = 3 * (size_t)patch->slot_count * sizeof *x;
    double *last = p->still_x + 3 * (int64_t)patch->first_slot, *own = p->still_g + 3 * (int64_t)patch->first_slot;
    if (!patch->known || memcmp(last, x, size) != 0) {
        double energies[SN_LANES];
        memcpy(last, x, size);
        memset(own, 0, size);
        p->still_energy[index] = 0;
        for (int k = 0; k < patch->pack_count; k++) {
            evaluate_pack(e, &p->groups[patch->group], patch->first_pack + k, x, own, energies);
            p->still_energy[index] += used_energies(patch, k, energies);
        }
        patch->known = true;
    }
    if (g) memcpy(g, own, size);
    p->patch_energy[index] = p->still_energy[index];
}

static void evaluate_patch(void* context, int index)
{
    const Evaluation* e = context;
    const SnPatch* patch = &e->potential->patches[index];
    const SnTermGroup* group = &e->potential->groups[patch->group];
    if (patch->still && !e->only) {
        evaluate_still(e, index, e->g ? e->potential->slot_g + 3 * (int64_t)patch->first_slot : NULL);
        return;
    }
    double* g = e->g ? e->potential->slot_g + 3 * (int64_t)patch->first_slot : NULL;
    double sum = 0, energies[SN_LANES];
    if (g) memset(g, 0, 3 * (size_t)patch->slot_count * sizeof *g);
    bool idle = (group->dissipation && e->potential->b == 0) || (e->only && group->dissipation != e->only) ||
                group->keep == SN_KEEP_PROJECTION;
    const double* x = idle ? NULL : sn_potential_gather(e->potential, patch, e->x);
    for (int k = 0; k < patch->pack_count && !idle; k++) {
        evaluate_pack(e, group, patch->first_pack + k, x, g, energies);
        sum += used_energies(patch, k, energies);
    }
    e->potential->patch_energy[index] = sum;
}

typedef struct Slots {
    const SnPotential* potential;
    const double* slots;
    double* g;
} Slots;

static void add_slots_of_nodes(void* context, int first, int last)
{
    const Slots* e = context;
    const SnPotential* p = e->potential;
    for (int i = first; i < last; i++) {
        double gx = 0, gy = 0, gz = 0;
        for (int k = p->node_start[i]; k < p->node_start[i + 1]; k++) {
            const double* slot = e->slots + 3 * (int64_t)p->node_slots[k];
            gx += slot[0], gy += slot[1], gz += slot[2];
        }
        e->g[3 * i] = gx, e->g[3 * i + 1] = gy, e->g[3 * i + 2] = gz;
    }
}

void sn_potential_add_slots(const SnPotential* p, const double* slots, double* g)
{
    sn_tasks_for(p->tasks, p->node_count, NODE_GRAIN, add_slots_of_nodes, &(Slots){p, slots, g});
}

// Of all patches, or those of one dissipation; g: NULL where the energy alone is asked for.
static SnPotentialValue evaluate(SnPotential* potential, const double* x, double* g, const SnDissipation* only)
{
    Evaluation e = {potential, x, g, only};
    sn_tasks_run(potential->tasks, potential->patch_count, evaluate_patch, &e);
    if (g) sn_potential_add_slots(potential, potential->slot_g, g);
    if (g) sn_share_add(potential->tasks, 3, g);
    return sum_patches(potential);
}

SnPotentialValue sn_potential_energy(SnPotential* potential, const double* x)
{
    return evaluate(potential, x, NULL, NULL);
}

SnPotentialValue sn_potential_gradient(SnPotential* potential, const double* x, double* g)
{
    return evaluate(potential, x, g, NULL);
}

double sn_potential_dissipation_gradient(SnPotential* potential, int k, const double* x, double* g)
{
    return evaluate(potential, x, g, potential->dissipations[k].dissipation).dissipation;
}

typedef struct StageTask {
    SnPotential* potential;
    const SnPast* past;
    const double* x; // to settle at, in its place,
    SnSettle how;
} StageTask;

// A patch's nodes of x, in the array number k.
static const double* gather_stage(const SnPotential* p, const SnPatch* patch, int k, const double* x)
{
    double* local = p->stage_slots + 3 * (SN_STAGE_ARRAYS * (int64_t)patch->first_slot + k * patch->slot_count);
    const int* nodes = p->slot_node + patch->first_slot;
    for (int i = 0; i < patch->slot_count; i++) memcpy(local + 3 * i, x + 3 * (int64_t)nodes[i], 3 * sizeof *local);
    return local;
}

static void begin_patch(void* context, int index)
{
    const StageTask* t = context;
    const SnPatch* patch = &t->potential->patches[index];
    const SnTermGroup* group = &t->potential->groups[patch->group];
    if (!group->dissipation) return;
    SnPast past = *t->past;
    past.xp = gather_stage(t->potential, patch, 0, past.xp);
    past.v = gather_stage(t->potential, patch, 1, past.v);
    for (int k = 0; k < past.count; k++) past.x[k] = gather_stage(t->potential, patch, 2 + k, past.x[k]);
    for (int k = 0; k < patch->pack_count; k++) {
        SnViscousPack pack = sn_potential_viscous_pack(t->potential, group, patch->first_pack + k);
        sn_viscous_kernels()->begin(&pack, &past);
    }
}

void sn_potential_begin_stage(SnPotential* potential, const SnPast* past, double b)
{
    potential->b = b;
    if (b == 0 || potential->dissipation_count == 0) return;
    sn_tasks_run(potential->tasks, potential->patch_count, begin_patch, &(StageTask){potential, past, NULL, {1, 0}});
}

static bool sticks(const SnTermGroup* group)
{
    return group->dissipation && sn_dissipation_sticks(group->dissipation);
}

bool sn_potential_sticks(const SnPotential* potential)
{
    bool any = false;
    for (int i = 0; i < potential->group_count && potential->b > 0; i++) any |= sticks(&potential->groups[i]);
    return potential->dissipation_count > 0 && sn_share_any(potential->tasks, any);
}

static void settle_patch(void* context, int index)
{
    const StageTask* t = context;
    const SnPatch* patch = &t->potential->patches[index];
    const SnTermGroup* group = &t->potential->groups[patch->group];
    if (!sticks(group)) return;
    const double* x = sn_potential_gather(t->potential, patch, t->x);
    for (int k = 0; k < patch->pack_count; k++) {
        SnViscousPack pack = sn_potential_viscous_pack(t->potential, group, patch->first_pack + k);
        sn_viscous_kernels()->settle(&pack, x, t->how);
    }
}

void sn_potential_settle(SnPotential* potential, const double* x, SnSettle how)
{
    sn_tasks_run(potential->tasks, potential->patch_count, settle_patch, &(StageTask){potential, NULL, x, how});
}

// The shift of the element in a place of its group, entry by entry SN_LANES apart.
static double* shift_of(const SnTermGroup* group, int place)
{
    int64_t pack = place / SN_LANES;
    return group->stage + (pack * SN_STAGE_SIZE + SN_STAGE_SHIFT) * SN_LANES + place % SN_LANES;
}

void sn_potential_get_shifts(const SnPotential* potential, double* shifts)
{
    for (int i = 0; i < potential->group_count; i++) {
        const SnTermGroup* group = &potential->groups[i];
        if (!sticks(group)) continue;
        for (int place = 0; place < group->count; place++)
            for (int k = 0; k < SN_SHIFT; k++)
                shifts[(int64_t)SN_SHIFT * group->order[place] + k] = shift_of(group, place)[k * SN_LANES];
        shifts += (int64_t)SN_SHIFT * group->count;
    }
}

// Spare lanes repeat the last element, here too: what they had before is in no state, and loops over a pack may go on
// for their sake.
void sn_potential_set_shifts(SnPotential* potential, const double* shifts)
{
    for (int i = 0; i < potential->group_count; i++) {
        const SnTermGroup* group = &potential->groups[i];
        if (!sticks(group)) continue;
        for (int place = 0; place < group->pack_count * SN_LANES; place++) {
            int element = group->order[place < group->count ? place : group->count - 1];
            for (int k = 0; k < SN_SHIFT; k++)
                shift_of(group, place)[k * SN_LANES] = shifts[(int64_t)SN_SHIFT * element + k];
        }
        shifts += (int64_t)SN_SHIFT * group->count;
    }
}

double sn_potential_characteristic_force(const SnPotential* p)
{
    double squares = 0;
    for (int i = 0; i < p->node_count; i++)
        if (sn_share_owns(p->tasks, i)) squares += p->node_face[i] * p->node_face[i];
    squares = sn_share_total(p->tasks, squares);
    return p->volume > 0 ? p->stiffness / p->volume * sqrt(squares) : 0;
}
