// The Hessian over free nodes: each patch adds its elements into its own blocks, then each block adds its patch blocks
// in patch order.
#include <stdlib.h>
#include <string.h>

#include "potential/potential.h"

enum { COLUMN_GRAIN = 256, SHORT_COLUMN = 500 };

// A block of the lower triangle, named by the rows of its two nodes: column in the high half.
static uint64_t block_key(int row_a, int row_b)
{
    uint64_t row = (uint64_t)(row_a > row_b ? row_a : row_b), column = (uint64_t)(row_a > row_b ? row_b : row_a);
    return column << 32 | row;
}

static int compare_keys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

// One patch under construction: the distinct keys of its blocks, and where each is, by hashing.
enum { MOST_KEYS = SN_PATCH_PACKS * SN_LANES * SN_TERM_PAIRS, PLACE_BITS = 16, PLACES = 1 << PLACE_BITS };
_Static_assert(PLACES > MOST_KEYS + MOST_KEYS / 4, "room for every key");
typedef struct PatchKeys {
    uint64_t keys[MOST_KEYS];
    int count;
    int place[PLACES]; // 1 + index among keys; 0: none
    int used[MOST_KEYS];
} PatchKeys;

// Where the key is, or, being new, would be.
static int* place_of(PatchKeys* keys, uint64_t key)
{
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - PLACE_BITS));
    while (keys->place[at] != 0 && keys->keys[keys->place[at] - 1] != key) at = (at + 1) % PLACES;
    return &keys->place[at];
}

// Each pair of nodes of each lane of a patch: collects the keys of their blocks, or says where in the patch's blocks
// they go; those with held nodes to a spare one at the end.
static void visit_pairs(const SnHessian* h, const SnPatch* patch, bool number, PatchKeys* keys)
{
    SnTermGroup* group = &h->potential->groups[patch->group];
    const int* slots = h->potential->slot_node + patch->first_slot;
    int pairs = group->term->nodes * (group->term->nodes + 1) / 2;
    for (int k = 0; k < patch->pack_count; k++) {
        SnTermPack pack = sn_potential_pack(group, patch->first_pack + k);
        int* out = group->blocks + (int64_t)(patch->first_pack + k) * pairs * SN_LANES;
        for (int a = 0; a < group->term->nodes; a++)
            for (int b = 0; b <= a; b++)
                for (int l = 0; l < SN_LANES; l++, out++) {
                    int i = h->free_index[slots[pack.nodes[a * SN_LANES + l]]];
                    int j = h->free_index[slots[pack.nodes[b * SN_LANES + l]]];
                    if (number) *out = 2 * keys->count;
                    if (i < 0 || j < 0) continue;
                    uint64_t key = block_key(i, j);
                    int* place = place_of(keys, key);
                    if (number) *out = 2 * (*place - 1) + (i < j);
                    if (*place != 0) continue;
                    keys->used[keys->count] = (int)(place - keys->place);
                    keys->keys[keys->count++] = key;
                    *place = keys->count;
                }
    }
}

static void collect_keys(const SnHessian* h, const SnPatch* patch, PatchKeys* out)
{
    for (int i = 0; i < out->count; i++) out->place[out->used[i]] = 0; // of the patch before
    out->count = 0;
    visit_pairs(h, patch, false, out);
    for (int i = 0; i < out->count; i++) out->place[out->used[i]] = 0;
    qsort(out->keys, (size_t)out->count, sizeof *out->keys, compare_keys);
    for (int i = 0; i < out->count; i++) {
        int* place = place_of(out, out->keys[i]);
        out->used[i] = (int)(place - out->place);
        *place = i + 1;
    }
}

typedef struct Entry {
    uint64_t key;
    int64_t slot;
} Entry;

static int compare_entries(const void* a, const void* b)
{
    const Entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

typedef struct Entries {
    int64_t count, capacity;
    Entry* items;
} Entries;

static SnStatus append_entries(Entries* entries, const SnPatch* patch, const PatchKeys* keys)
{
    int64_t needed = entries->count + keys->count;
    if (needed > entries->capacity) {
        int64_t capacity = needed > 2 * entries->capacity ? needed : 2 * entries->capacity;
        Entry* grown = sn_reallocate(entries->items, (size_t)capacity, sizeof *grown, "the Hessian's pattern");
        if (!grown) return SN_ERROR_MEMORY;
        entries->items = grown;
        entries->capacity = capacity;
    }
    for (int i = 0; i < keys->count; i++)
        entries->items[entries->count++] = (Entry){keys->keys[i], patch->first_block + i};
    return SN_OK;
}

static SnStatus number_patches(SnHessian* h, PatchKeys* keys, Entries* entries)
{
    SnPotential* p = h->potential;
    for (int g = 0; g < p->group_count; g++) {
        SnTermGroup* group = &p->groups[g];
        int pairs = group->term->nodes * (group->term->nodes + 1) / 2;
        if (!group->blocks &&
            !SN_NEW(group->blocks, (int64_t)group->pack_count * pairs * SN_LANES, "the Hessian's pattern"))
            return SN_ERROR_MEMORY;
    }
    int64_t blocks = 0;
    for (int i = 0; i < p->patch_count; i++) {
        SnPatch* patch = &p->patches[i];
        collect_keys(h, patch, keys);
        visit_pairs(h, patch, true, keys);
        patch->first_block = blocks;
        patch->block_count = keys->count;
        blocks += keys->count + 1;
        SN_TRY(append_entries(entries, patch, keys));
    }
    return SN_NEW(h->patch_blocks, 9 * blocks, "the Hessian") ? SN_OK : SN_ERROR_MEMORY;
}

// From the sorted entries: columns, rows, and each block's list of patch blocks.
static SnStatus build_pattern(SnHessian* h, const Entries* entries, int free_count)
{
    int64_t blocks = 0;
    for (int64_t i = 0; i < entries->count; i++) blocks += i == 0 || entries->items[i].key != entries->items[i - 1].key;
    SnBlockMatrix* m = &h->matrix;
    m->n = free_count;
    if (!SN_NEW(m->col_start, (int64_t)free_count + 1, "the Hessian's pattern") ||
        !SN_NEW(m->row, blocks, "the Hessian's pattern") || !SN_NEW(m->values, 9 * blocks, "the Hessian") ||
        !SN_NEW(h->block_start, blocks + 1, "the Hessian's pattern") ||
        !SN_NEW(h->block_slots, entries->count, "the Hessian's pattern") ||
        !SN_NEW(h->diagonal, free_count, "the Hessian"))
        return SN_ERROR_MEMORY;
    int64_t block = -1;
    for (int64_t i = 0; i < entries->count; i++) {
        const Entry* entry = &entries->items[i];
        if (i == 0 || entry->key != entries->items[i - 1].key) {
            m->row[++block] = (int)(entry->key & 0xffffffffu);
            m->col_start[(entry->key >> 32) + 1]++;
            h->block_start[block] = i;
        }
        h->block_slots[i] = entry->slot;
    }
    h->block_start[blocks] = entries->count;
    for (int j = 0; j < free_count; j++) m->col_start[j + 1] += m->col_start[j];
    return SN_OK;
}

// Columns are short, and runs of them in order.
static void sort_column(Entry* entries, int64_t count)
{
    if (count > SHORT_COLUMN) qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int64_t i = 1; i < count; i++) {
        Entry entry = entries[i];
        int64_t at = i;
        for (; at > 0 && entries[at - 1].key > entry.key; at--) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

// Entries by key, and those of the same key by slot, in which order they come: by columns, then within each.
static SnStatus sort_entries(Entries* entries, int columns)
{
    Entry* sorted;
    int64_t* next;
    if (!SN_NEW(next, (int64_t)columns + 1, "the Hessian's pattern")) return SN_ERROR_MEMORY;
    if (!SN_NEW(sorted, entries->count, "the Hessian's pattern")) {
        sn_free(next);
        return SN_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < entries->count; i++) next[(entries->items[i].key >> 32) + 1]++;
    for (int j = 0; j < columns; j++) next[j + 1] += next[j];
    for (int64_t i = 0; i < entries->count; i++) sorted[next[entries->items[i].key >> 32]++] = entries->items[i];
    for (int j = 0; j < columns; j++) { // next is where they end
        int64_t first = j > 0 ? next[j - 1] : 0;
        sort_column(sorted + first, next[j] - first);
    }
    sn_free(entries->items), sn_free(next);
    entries->items = sorted, entries->capacity = entries->count;
    return SN_OK;
}

static SnStatus bind(SnHessian* h, int free_count)
{
    PatchKeys* keys;
    Entries entries = {0};
    if (!SN_NEW(keys, 1, "the Hessian's pattern")) return SN_ERROR_MEMORY;
    SnStatus status = number_patches(h, keys, &entries);
    if (status == SN_OK) status = sort_entries(&entries, free_count);
    if (status == SN_OK) status = build_pattern(h, &entries, free_count);
    SN_FREE(entries.items, keys);
    return status;
}

SnStatus sn_hessian_create(SnPotential* potential, const int* free_index, int free_count, SnHessian** out)
{
    *out = NULL;
    SnHessian* h;
    if (!SN_NEW(h, 1, "the Hessian")) return SN_ERROR_MEMORY;
    h->potential = potential;
    h->free_index = free_index;
    SN_FINISH(bind(h, free_count), h, sn_hessian_destroy, out);
}

void sn_hessian_destroy(SnHessian* h)
{
    if (!h) return;
    sn_block_matrix_free(&h->matrix);
    SN_FREE(h->block_start, h->block_slots, h->patch_blocks, h->diagonal, h);
}

typedef struct Assembly {
    SnHessian* hessian;
    const double* x;
    bool project;
} Assembly;

// Adds one pack's blocks [pair][entry][lane] into the patch's, transposed where the pattern has them the other way.
static void scatter_blocks(const double* blocks, const int* where, int pairs, double* out)
{
    for (int pair = 0; pair < pairs; pair++) {
        const double* b = blocks + pair * 9 * SN_LANES;
        for (int l = 0; l < SN_LANES; l++) {
            int place = where[pair * SN_LANES + l];
            double* to = out + 9 * (int64_t)(place >> 1);
            if (place & 1)
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) to[3 * r + c] += b[(3 * c + r) * SN_LANES + l];
            else
                for (int k = 0; k < 9; k++) to[k] += b[k * SN_LANES + l];
        }
    }
}

static void hessian_patch(void* context, int index)
{
    Assembly* a = context;
    SnPotential* potential = a->hessian->potential;
    const SnPatch* patch = &potential->patches[index];
    const SnTermGroup* group = &potential->groups[patch->group];
    int pairs = group->term->nodes * (group->term->nodes + 1) / 2;
    const double* x = sn_potential_gather(potential, patch, a->x);
    double* out = a->hessian->patch_blocks + 9 * patch->first_block;
    if (patch->block_count == 0) return; // all is held
    memset(out, 0, 9 * (size_t)(patch->block_count + 1) * sizeof *out);
    _Alignas(64) double blocks[SN_TERM_PAIRS * 9 * SN_LANES];
    if (group->dissipation && (potential->b == 0 || a->hessian->elastic)) return;
    for (int k = 0; k < patch->pack_count; k++) {
        SnTermPack pack = sn_potential_pack(group, patch->first_pack + k);
        SnViscousPack viscous;
        if (group->dissipation) {
            viscous = sn_potential_viscous_pack(potential, group, patch->first_pack + k);
            sn_viscous_kernels()->hessian(&viscous, x, a->project, blocks);
        } else
            group->term->hessian(group->material, &pack, x, a->project, blocks);
        scatter_blocks(blocks, group->blocks + (int64_t)(patch->first_pack + k) * pairs * SN_LANES, pairs, out);
    }
}

static void sum_columns(void* context, int first, int last)
{
    SnHessian* h = ((Assembly*)context)->hessian;
    for (int j = first; j < last; j++) {
        for (int64_t b = h->matrix.col_start[j]; b < h->matrix.col_start[j + 1]; b++) {
            double sum[9] = {0};
            for (int64_t s = h->block_start[b]; s < h->block_start[b + 1]; s++) {
                const double* from = h->patch_blocks + 9 * h->block_slots[s];
                for (int k = 0; k < 9; k++) sum[k] += from[k];
            }
            if (b == h->matrix.col_start[j])
                for (int k = 0; k < 9; k += 4) sum[k] += h->diagonal[j];
            sn_block_write(&h->matrix, j, b - h->matrix.col_start[j], sum);
        }
    }
}

void sn_hessian_assemble(SnHessian* h, const double* x, bool project)
{
    Assembly a = {h, x, project};
    sn_tasks_run(h->potential->tasks, h->potential->patch_count, hessian_patch, &a);
    sn_tasks_for(h->potential->tasks, h->matrix.n, COLUMN_GRAIN, sum_columns, &a);
}
