// L = sum k_i V_i G_i^T G_i: columns found node by node through the elements around each node.
#include "potential/laplacian.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/graph.h"
#include "potential/map.h"

static SnMaterialParameters parameters_of(const SnTermPack* pack, int lane)
{
    const SnParameterPack* p = &pack->parameters;
    return (SnMaterialParameters){
        p->mu[lane], p->lambda[lane], p->floor[lane], {p->extra[0][lane], p->extra[1][lane]}, p->user};
}

static double material_stiffness(const SnTermGroup* group, const SnTermPack* pack, int lane)
{
    if (!group->term->elements) return pack->parameters.mu[lane];
    if (group->keep) return 2 * pack->parameters.mu[lane];
    return sn_material_effective_stiffness(group->material, parameters_of(pack, lane));
}

double sn_term_stiffness(const SnPotential* potential, const SnTermGroup* group, const SnTermPack* pack, int lane)
{
    double stiffness =
        !group->dissipation || group->dissipation->base->stiffness ? material_stiffness(group, pack, lane) : 0;
    if (!group->dissipation) return stiffness;
    return potential->b > 0 ? sn_viscous_stiffness(group->dissipation, stiffness) / potential->b : 0;
}

// An element: its patch, and its place in the packs of that patch's group.
typedef struct Around {
    int patch, pack, lane;
} Around;

typedef struct Build {
    const SnPotential* potential;
    const int* free_index;
    const double* weights; // [pack][lane], or NULL
    int* start;            // n + 1, into around
    Around* around;        // the elements of each free row, in patch order
    int* place;            // n: where a row stands in the column being built, or -1
    SnScalarMatrix* out;
} Build;

// Rows of an element of a patch.
static int element_rows(const Build* b, Around at, int rows[SN_TERM_NODES])
{
    const SnPatch* patch = &b->potential->patches[at.patch];
    const SnTermGroup* group = &b->potential->groups[patch->group];
    SnTermPack pack = sn_potential_pack(group, at.pack);
    for (int a = 0; a < group->term->nodes; a++)
        rows[a] = b->free_index[b->potential->slot_node[patch->first_slot + pack.nodes[a * SN_LANES + at.lane]]];
    return group->term->nodes;
}

// Counts the elements around each row (next NULL), or notes them.
static void visit_elements(Build* b, int* next)
{
    const SnPotential* p = b->potential;
    for (int i = 0; i < p->patch_count; i++)
        for (int e = 0; e < p->patches[i].element_count; e++) {
            Around at = {i, p->patches[i].first_pack + e / SN_LANES, e % SN_LANES};
            int rows[SN_TERM_NODES], count = element_rows(b, at, rows);
            for (int a = 0; a < count; a++)
                if (rows[a] >= 0 && next)
                    b->around[next[rows[a]]++] = at;
                else if (rows[a] >= 0)
                    b->start[rows[a] + 1]++;
        }
}

static SnStatus gather_elements(Build* b, int n)
{
    if (!SN_NEW(b->start, (int64_t)n + 1, "the Laplacian")) return SN_ERROR_MEMORY;
    visit_elements(b, NULL);
    for (int j = 0; j < n; j++) b->start[j + 1] += b->start[j];
    int* next = sn_copy_memory(b->start, (size_t)n, sizeof *next, "the Laplacian");
    if (!next || !SN_NEW(b->around, b->start[n], "the Laplacian")) {
        sn_free(next);
        return SN_ERROR_MEMORY;
    }
    visit_elements(b, next);
    sn_free(next);
    return SN_OK;
}

// The rows at and below the diagonal of column j, appended at `used` when rows are being written.
static int64_t column_rows(Build* b, int j, int64_t used, bool write)
{
    int64_t first = used;
    int rows[SN_TERM_NODES];
    b->place[j] = j;
    if (write) b->out->row[used] = j;
    used++;
    for (int e = b->start[j]; e < b->start[j + 1]; e++) {
        int count = element_rows(b, b->around[e], rows);
        for (int a = 0; a < count; a++) {
            if (rows[a] <= j || b->place[rows[a]] == j) continue;
            b->place[rows[a]] = j;
            if (write) b->out->row[used] = rows[a];
            used++;
        }
    }
    if (write) qsort(b->out->row + first + 1, (size_t)(used - first - 1), sizeof(int), sn_compare_ints);
    return used;
}

static SnStatus build_pattern(Build* b, int n)
{
    SnScalarMatrix* m = b->out;
    m->n = n;
    if (!SN_NEW(b->place, n, "the Laplacian") || !SN_NEW(m->col_start, (int64_t)n + 1, "the Laplacian"))
        return SN_ERROR_MEMORY;
    for (int j = 0; j < n; j++) b->place[j] = -1;
    for (int j = 0; j < n; j++) m->col_start[j + 1] = column_rows(b, j, m->col_start[j], false);
    if (!SN_NEW(m->row, m->col_start[n], "the Laplacian") || !SN_NEW(m->values, m->col_start[n], "the Laplacian"))
        return SN_ERROR_MEMORY;
    for (int j = 0; j < n; j++) b->place[j] = -1;
    for (int j = 0; j < n; j++) column_rows(b, j, m->col_start[j], true);
    return SN_OK;
}

static double* entry_of(const SnScalarMatrix* m, int i, int j)
{
    int row = i > j ? i : j, column = i > j ? j : i;
    const int* rows = m->row + m->col_start[column];
    const int* found =
        bsearch(&row, rows, (size_t)(m->col_start[column + 1] - m->col_start[column]), sizeof row, sn_compare_ints);
    return m->values + (found - m->row);
}

double sn_cached_stiffness(SnStiffnessCache* cache, const SnPotential* potential, const SnTermGroup* group,
                           const SnTermPack* pack, int lane)
{
    const SnParameterPack* p = &pack->parameters;
    bool same = cache->group == group && cache->mu == p->mu[lane] && cache->lambda == p->lambda[lane] &&
                cache->extra[0] == p->extra[0][lane] && cache->extra[1] == p->extra[1][lane];
    if (!same)
        *cache = (SnStiffnessCache){group,
                                    p->mu[lane],
                                    p->lambda[lane],
                                    {p->extra[0][lane], p->extra[1][lane]},
                                    sn_term_stiffness(potential, group, pack, lane)};
    return cache->stiffness;
}

int64_t sn_laplacian_weight_count(const SnPotential* potential)
{
    int64_t count = 0;
    for (int i = 0; i < potential->group_count; i++) count += potential->groups[i].pack_count;
    return count * SN_LANES;
}

void sn_laplacian_weights(const SnPotential* potential, const double interval[2], double* weights)
{
    for (int i = 0; i < potential->group_count; i++) {
        const SnTermGroup* group = &potential->groups[i];
        bool fitted = group->term->elements && !group->keep && !group->dissipation;
        for (int k = 0; k < group->pack_count; k++) {
            SnTermPack pack = sn_potential_pack(group, k);
            for (int l = 0; l < SN_LANES; l++) {
                double stiffness = fitted ? sn_material_stiffness_over(group->material, parameters_of(&pack, l),
                                                                       interval[0], interval[1])
                                          : sn_term_stiffness(potential, group, &pack, l);
                *weights++ = stiffness * pack.volume[l];
            }
        }
    }
}

static void add_values(Build* b)
{
    const SnPotential* p = b->potential;
    SnStiffnessCache cache = {0};
    int64_t first_pack = 0; // of the group, among all
    for (int i = 0; i < p->patch_count; i++) {
        const SnPatch* patch = &p->patches[i];
        const SnTermGroup* group = &p->groups[patch->group];
        if (i > 0 && p->patches[i - 1].group != patch->group) first_pack += p->groups[patch->group - 1].pack_count;
        for (int e = 0; e < patch->element_count; e++) {
            int rows[SN_TERM_NODES], k = patch->first_pack + e / SN_LANES, lane = e % SN_LANES;
            double g[3][SN_TERM_NODES];
            SnTermPack pack = sn_potential_pack(group, k);
            int count = element_rows(b, (Around){i, k, lane}, rows);
            double weight = b->weights ? b->weights[(first_pack + k) * SN_LANES + lane]
                                       : pack.volume[lane] * sn_cached_stiffness(&cache, p, group, &pack, lane);
            sn_map_weights(group->term, &pack, lane, g);
            for (int u = 0; u < count; u++)
                for (int v = 0; v <= u; v++) {
                    double dot = 0;
                    for (int c = 0; c < group->term->coordinates; c++) dot += g[c][u] * g[c][v];
                    if (rows[u] >= 0 && rows[v] >= 0) *entry_of(b->out, rows[u], rows[v]) += weight * dot;
                }
        }
    }
}

void sn_laplacian_update(const SnPotential* potential, const int* free_index, const double* weights,
                         SnScalarMatrix* out)
{
    memset(out->values, 0, (size_t)out->col_start[out->n] * sizeof *out->values);
    add_values(&(Build){.potential = potential, .free_index = free_index, .weights = weights, .out = out});
}

SnStatus sn_laplacian_create(const SnPotential* potential, const int* free_index, int free_count, const double* weights,
                             SnScalarMatrix* out)
{
    *out = (SnScalarMatrix){0};
    Build b = {.potential = potential, .free_index = free_index, .weights = weights, .out = out};
    SnStatus status = gather_elements(&b, free_count);
    if (status == SN_OK) status = build_pattern(&b, free_count);
    if (status == SN_OK) add_values(&b);
    SN_FREE(b.start, b.around, b.place);
    if (status != SN_OK) sn_scalar_matrix_free(out);
    return status;
}

void sn_laplacian_diagonal(const SnPotential* p, double* diagonal)
{
    SnStiffnessCache cache = {0};
    memset(diagonal, 0, (size_t)p->node_count * sizeof *diagonal);
    for (int i = 0; i < p->patch_count; i++) {
        const SnPatch* patch = &p->patches[i];
        const SnTermGroup* group = &p->groups[patch->group];
        for (int e = 0; e < patch->element_count; e++) {
            int lane = e % SN_LANES;
            double g[3][SN_TERM_NODES];
            SnTermPack pack = sn_potential_pack(group, patch->first_pack + e / SN_LANES);
            double weight = pack.volume[lane] * sn_cached_stiffness(&cache, p, group, &pack, lane);
            sn_map_weights(group->term, &pack, lane, g);
            for (int a = 0; a < group->term->nodes; a++)
                for (int c = 0; c < group->term->coordinates; c++)
                    diagonal[p->slot_node[patch->first_slot + pack.nodes[a * SN_LANES + lane]]] +=
                        weight * g[c][a] * g[c][a];
        }
    }
}
