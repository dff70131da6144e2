// The potential energy: patches of packs, and sums in patch order.
#include "potential/potential.h"

#include <math.h>
#include <string.h>

#include "potential/patch.h"

enum { FIXED_DATA = 6, NODE_GRAIN = 1024 }; // volume, mu, lambda, floor, extra[2] come before the shape

SnStatus sn_potential_create(int node_count, const double* rest, SnTasks* tasks, SnPotential** out)
{
    *out = NULL;
    SnPotential* potential;
    if (!SN_NEW(potential, 1, "the potential")) return SN_ERROR_MEMORY;
    potential->node_count = node_count;
    potential->tasks = tasks;
    potential->rest = sn_copy_memory(rest, 3 * (size_t)node_count, sizeof *rest, "the potential");
    if (!potential->rest || !SN_NEW(potential->node_face, node_count, "the potential") ||
        !SN_NEW(potential->node_volume, node_count, "the potential")) {
        sn_potential_destroy(potential);
        return SN_ERROR_MEMORY;
    }
    *out = potential;
    return SN_OK;
}

static void free_group(SnTermGroup* group)
{
    sn_free(group->order);
    sn_free(group->nodes);
    sn_free(group->data);
    sn_free(group->blocks);
}

void sn_potential_destroy(SnPotential* potential)
{
    if (!potential) return;
    for (int i = 0; i < potential->group_count; i++) free_group(&potential->groups[i]);
    sn_free(potential->rest);
    sn_free(potential->groups);
    sn_free(potential->patches);
    sn_free(potential->slot_node);
    sn_free(potential->node_start);
    sn_free(potential->node_slots);
    sn_free(potential->slot_x);
    sn_free(potential->slot_g);
    sn_free(potential->patch_energy);
    sn_free(potential->node_face);
    sn_free(potential->node_volume);
    sn_free(potential);
}

SnTermPack sn_potential_pack(const SnTermGroup* group, int pack)
{
    const double* data = group->data + (int64_t)pack * (FIXED_DATA + group->term->shape_size) * SN_LANES;
    return (SnTermPack){
        .nodes = group->nodes + (int64_t)pack * group->term->nodes * SN_LANES,
        .volume = data,
        .parameters = {.mu = data + SN_LANES,
                       .lambda = data + 2 * SN_LANES,
                       .floor = data + 3 * SN_LANES,
                       .extra = {data + 4 * SN_LANES, data + 5 * SN_LANES},
                       .user = group->user},
        .shape = data + FIXED_DATA * SN_LANES,
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

// Fills one lane from the element in this place; spare lanes repeat the last one without volume, so they add nothing.
static SnStatus fill_lane(SnPotential* potential, SnTermGroup* group, const SnTermsDef* def, int place)
{
    bool spare = place >= def->count;
    int element = group->order[spare ? def->count - 1 : place], k = def->term->nodes;
    const int* nodes = def->elements + (int64_t)k * element;
    double corners[3 * SN_TERM_NODES], shape[SN_TERM_SHAPE], volume, faces[SN_TERM_NODES];
    for (int a = 0; a < k; a++) memcpy(corners + 3 * a, potential->rest + 3 * (int64_t)nodes[a], 3 * sizeof *corners);
    const double* direction = def->directions ? def->directions + 3 * (int64_t)element : def->direction;
    if (!def->term->prepare(corners, def->section, direction, shape, &volume, faces))
        return sn_fail(SN_ERROR_VALUE, "body '%s': %s %d is inverted or has no volume (%g m3)", def->name,
                       def->term->name, element, volume);
    const SnMaterialParameters* p = &def->parameters[def->per_element ? element : 0];
    if (!spare && !def->term->reinforcement) add_element(potential, def, p, nodes, volume, faces);
    int size = FIXED_DATA + def->term->shape_size;
    double* data = group->data + (int64_t)(place / SN_LANES) * size * SN_LANES + place % SN_LANES;
    const double fixed[FIXED_DATA] = {spare ? 0 : volume, p->mu, p->lambda, p->floor, p->extra[0], p->extra[1]};
    for (int i = 0; i < size; i++) data[i * SN_LANES] = i < FIXED_DATA ? fixed[i] : shape[i - FIXED_DATA];
    return SN_OK;
}

static SnStatus fill_group(SnPotential* potential, SnTermGroup* group, const SnTermsDef* def)
{
    int64_t lanes = (int64_t)group->pack_count * SN_LANES;
    if (!SN_NEW(group->order, def->count, "elements") || !SN_NEW(group->nodes, lanes * def->term->nodes, "elements") ||
        !SN_NEW(group->data, lanes * (FIXED_DATA + def->term->shape_size), "elements"))
        return SN_ERROR_MEMORY;
    SN_TRY(sn_patch_order(def->count, def->term->nodes, def->elements, potential->rest, group->order));
    for (int place = 0; place < lanes; place++) SN_TRY(fill_lane(potential, group, def, place));
    return sn_patch_group(potential, potential->group_count - 1, def->elements);
}

SnStatus sn_potential_add(SnPotential* potential, const SnTermsDef* def)
{
    if (def->count == 0) return SN_OK;
    if (!SN_GROW(potential->groups, potential->group_capacity, potential->group_count + 1, "terms"))
        return SN_ERROR_MEMORY;
    SnTermGroup* group = &potential->groups[potential->group_count++];
    *group = (SnTermGroup){.term = def->term, .material = def->material, .user = def->parameters[0].user};
    group->count = def->count;
    group->pack_count = (def->count + SN_LANES - 1) / SN_LANES;
    return fill_group(potential, group, def);
}

// The slots of every node, in patch order, by counting.
SnStatus sn_potential_finish(SnPotential* p)
{
    if (!SN_NEW(p->node_start, (int64_t)p->node_count + 1, "slots") || !SN_NEW(p->node_slots, p->slot_count, "slots") ||
        !SN_NEW(p->slot_x, 3 * (int64_t)p->slot_count, "slots") ||
        !SN_NEW(p->slot_g, 3 * (int64_t)p->slot_count, "slots") || !SN_NEW(p->patch_energy, p->patch_count, "patches"))
        return SN_ERROR_MEMORY;
    for (int s = 0; s < p->slot_count; s++) p->node_start[p->slot_node[s] + 1]++;
    for (int i = 0; i < p->node_count; i++) p->node_start[i + 1] += p->node_start[i];
    int* next = sn_copy_memory(p->node_start, (size_t)p->node_count, sizeof *next, "slots");
    if (!next) return SN_ERROR_MEMORY;
    for (int s = 0; s < p->slot_count; s++) p->node_slots[next[p->slot_node[s]]++] = s;
    sn_free(next);
    return SN_OK;
}

typedef struct Evaluation {
    SnPotential* potential;
    const double* x;
    double* g;
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

static double sum_patches(const SnPotential* potential)
{
    double sum = 0;
    for (int i = 0; i < potential->patch_count; i++) sum += potential->patch_energy[i];
    return isnan(sum) ? INFINITY : sum;
}

static void energy_patch(void* context, int index)
{
    Evaluation* e = context;
    const SnPatch* patch = &e->potential->patches[index];
    const SnTermGroup* group = &e->potential->groups[patch->group];
    const double* x = sn_potential_gather(e->potential, patch, e->x);
    double sum = 0, energies[SN_LANES];
    for (int k = 0; k < patch->pack_count; k++) {
        SnTermPack pack = sn_potential_pack(group, patch->first_pack + k);
        group->term->energy(group->material, &pack, x, energies);
        sum += used_energies(patch, k, energies);
    }
    e->potential->patch_energy[index] = sum;
}

double sn_potential_energy(SnPotential* potential, const double* x)
{
    sn_tasks_run(potential->tasks, potential->patch_count, energy_patch, &(Evaluation){potential, x, NULL});
    return sum_patches(potential);
}

static void gradient_patch(void* context, int index)
{
    Evaluation* e = context;
    const SnPatch* patch = &e->potential->patches[index];
    const SnTermGroup* group = &e->potential->groups[patch->group];
    const double* x = sn_potential_gather(e->potential, patch, e->x);
    double* g = e->potential->slot_g + 3 * (int64_t)patch->first_slot;
    memset(g, 0, 3 * (size_t)patch->slot_count * sizeof *g);
    double sum = 0, energies[SN_LANES];
    for (int k = 0; k < patch->pack_count; k++) {
        SnTermPack pack = sn_potential_pack(group, patch->first_pack + k);
        group->term->gradient(group->material, &pack, x, g, energies);
        sum += used_energies(patch, k, energies);
    }
    e->potential->patch_energy[index] = sum;
}

static void add_slots_of_nodes(void* context, int first, int last)
{
    Evaluation* e = context;
    const SnPotential* p = e->potential;
    for (int i = first; i < last; i++) {
        double gx = 0, gy = 0, gz = 0;
        for (int k = p->node_start[i]; k < p->node_start[i + 1]; k++) {
            const double* slot = p->slot_g + 3 * (int64_t)p->node_slots[k];
            gx += slot[0], gy += slot[1], gz += slot[2];
        }
        e->g[3 * i] = gx, e->g[3 * i + 1] = gy, e->g[3 * i + 2] = gz;
    }
}

double sn_potential_gradient(SnPotential* potential, const double* x, double* g)
{
    Evaluation e = {potential, x, g};
    sn_tasks_run(potential->tasks, potential->patch_count, gradient_patch, &e);
    sn_tasks_for(potential->tasks, potential->node_count, NODE_GRAIN, add_slots_of_nodes, &e);
    return sum_patches(potential);
}

double sn_potential_characteristic_force(const SnPotential* p)
{
    double squares = 0;
    for (int i = 0; i < p->node_count; i++) squares += p->node_face[i] * p->node_face[i];
    return p->volume > 0 ? p->stiffness / p->volume * sqrt(squares) : 0;
}
