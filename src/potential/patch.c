// Cutting a set of elements into patches: Morton order of the centres, then runs of at most SN_PATCH_PACKS packs.
#include "potential/patch.h"

#include <math.h>
#include <stdlib.h>

#include "linalg/graph.h"

typedef struct Keyed {
    uint64_t key;
    int index;
} Keyed;

static int compare_keyed(const void* a, const void* b)
{
    const Keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// Spreads the low 21 bits of v to every third bit.
static uint64_t spread(uint64_t v)
{
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
}

static void element_centre(int k, const int* nodes, const double* rest, double centre[3])
{
    centre[0] = centre[1] = centre[2] = 0;
    for (int a = 0; a < k; a++)
        for (int c = 0; c < 3; c++) centre[c] += rest[3 * nodes[a] + c] / k;
}

SnStatus sn_patch_order(int count, int k, const int* elements, const double* rest, int* order)
{
    Keyed* keyed;
    if (!SN_NEW(keyed, count, "the element order")) return SN_ERROR_MEMORY;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, centre[3];
    for (int e = 0; e < count; e++) {
        element_centre(k, elements + (int64_t)k * e, rest, centre);
        for (int c = 0; c < 3; c++) lo[c] = fmin(lo[c], centre[c]), hi[c] = fmax(hi[c], centre[c]);
    }
    double side = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
    double scale = side > 0 ? (double)0x1fffff / side : 0;
    for (int e = 0; e < count; e++) {
        element_centre(k, elements + (int64_t)k * e, rest, centre);
        keyed[e].index = e;
        for (int c = 0; c < 3; c++) keyed[e].key |= spread((uint64_t)((centre[c] - lo[c]) * scale)) << c;
    }
    qsort(keyed, (size_t)count, sizeof *keyed, compare_keyed);
    for (int e = 0; e < count; e++) order[e] = keyed[e].index;
    sn_free(keyed);
    return SN_OK;
}

static int find_int(const int* sorted, int count, int value)
{
    const int* found = bsearch(&value, sorted, (size_t)count, sizeof *sorted, sn_compare_ints);
    return (int)(found - sorted);
}

// Appends the distinct nodes of places [first, last) as the patch's slots, increasing.
static SnStatus add_slots(SnPotential* potential, SnPatch* patch, const SnTermGroup* group, const int* elements,
                          int first, int last)
{
    int k = group->term->nodes, most = k * (last - first);
    if (!SN_GROW(potential->slot_node, potential->slot_capacity, (int64_t)potential->slot_count + most, "patches"))
        return SN_ERROR_MEMORY;
    int* slots = potential->slot_node + potential->slot_count;
    int count = 0;
    for (int place = first; place < last; place++)
        for (int a = 0; a < k; a++) slots[count++] = elements[(int64_t)k * group->order[place] + a];
    qsort(slots, (size_t)count, sizeof *slots, sn_compare_ints);
    int distinct = 0;
    for (int i = 0; i < count; i++)
        if (distinct == 0 || slots[i] != slots[distinct - 1]) slots[distinct++] = slots[i];
    patch->first_slot = potential->slot_count;
    patch->slot_count = distinct;
    potential->slot_count += distinct;
    return SN_OK;
}

// The packs' node numbers within the patch; spare lanes of the last pack repeat the last element.
static void number_nodes(const SnPotential* potential, const SnPatch* patch, SnTermGroup* group, const int* elements,
                         int first, int last)
{
    int k = group->term->nodes;
    const int* slots = potential->slot_node + patch->first_slot;
    for (int i = 0; i < patch->pack_count * SN_LANES; i++) {
        int place = first + i < last ? first + i : last - 1;
        const int* nodes = elements + (int64_t)k * group->order[place];
        int* pack = group->nodes + (int64_t)(patch->first_pack + i / SN_LANES) * k * SN_LANES;
        for (int a = 0; a < k; a++) pack[a * SN_LANES + i % SN_LANES] = find_int(slots, patch->slot_count, nodes[a]);
    }
}

SnStatus sn_patch_group(SnPotential* potential, int index, const int* elements)
{
    SnTermGroup* group = &potential->groups[index];
    const int size = SN_PATCH_PACKS * SN_LANES;
    for (int first = 0; first < group->count; first += size) {
        int last = group->count - first < size ? group->count : first + size;
        if (!SN_GROW(potential->patches, potential->patch_capacity, potential->patch_count + 1, "patches"))
            return SN_ERROR_MEMORY;
        SnPatch patch = {.group = index, .first_pack = first / SN_LANES, .element_count = last - first};
        patch.pack_count = (last - first + SN_LANES - 1) / SN_LANES;
        SN_TRY(add_slots(potential, &patch, group, elements, first, last));
        number_nodes(potential, &patch, group, elements, first, last);
        potential->patches[potential->patch_count++] = patch;
    }
    return SN_OK;
}
