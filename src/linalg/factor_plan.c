// Where everything goes in a sparse Cholesky factorisation.
#include "linalg/factor_plan.h"

#include <limits.h>

static const double TOP_SHARE = 1.0 / 16;   // subtrees with more of the work than this belong to the top
static const double GROUP_SHARE = 1.0 / 64; // groups take in subtrees up to this much
static const double LEAST_WORK = 1e6;       // operations below which nothing is worth splitting

static double front_work(const SnFactorPlan* plan, int s)
{
    double c = sn_plan_columns(plan, s), r = c + sn_plan_below(plan, s);
    return c * r * r + 20 * r + 200;
}

static SnStatus place_factor(SnFactorPlan* plan)
{
    const SnSupernodes* shape = &plan->shape;
    if (!SN_NEW(plan->l_at, shape->count + 1, "the factor's plan")) return SN_ERROR_MEMORY;
    for (int s = 0; s < shape->count; s++) {
        int columns = sn_plan_columns(plan, s), below = sn_plan_below(plan, s);
        plan->l_at[s + 1] = plan->l_at[s] + sn_front_length(columns, below);
        plan->nonzeros += columns * (0.5 * (columns + 1) + below);
        for (int c = 0; c < columns; c++) plan->flops += (double)(columns + below - c) * (columns + below - c);
    }
    return SN_OK;
}

static SnStatus find_children(SnFactorPlan* plan)
{
    int count = plan->shape.count;
    if (!SN_NEW(plan->child, count, "the factor's plan") || !SN_NEW(plan->next, count, "the factor's plan"))
        return SN_ERROR_MEMORY;
    for (int s = 0; s < count; s++) plan->child[s] = plan->next[s] = -1;
    for (int s = count - 1; s >= 0; s--) {
        int p = plan->shape.parent[s];
        if (p >= 0) plan->next[s] = plan->child[p], plan->child[p] = s;
    }
    return SN_OK;
}

// The scalar row of node v in the front of supernode s, looking for it among the rows from *from on.
static int front_row(const SnFactorPlan* plan, int s, int v, int64_t* from)
{
    const SnSupernodes* shape = &plan->shape;
    if (v < shape->first[s + 1]) return plan->block * (v - shape->first[s]);
    int64_t low = *from, high = shape->row_start[s + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (shape->row[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    *from = low;
    return 4 * sn_strips(sn_plan_columns(plan, s)) + plan->block * (int)(low - shape->row_start[s]);
}

static SnStatus relate(SnFactorPlan* plan)
{
    const SnSupernodes* shape = &plan->shape;
    if (!SN_NEW(plan->relative, shape->row_start[shape->count], "the factor's plan")) return SN_ERROR_MEMORY;
    for (int s = 0; s < shape->count; s++) {
        int p = shape->parent[s];
        if (p < 0) continue;
        int64_t from = shape->row_start[p];
        for (int64_t k = shape->row_start[s]; k < shape->row_start[s + 1]; k++)
            plan->relative[k] = front_row(plan, p, shape->row[k], &from);
    }
    return SN_OK;
}

static SnFactorEntry place_entry(const SnFactorPlan* plan, const int* place, const int* supernode, int i, int j)
{
    int high = place[i] > place[j] ? place[i] : place[j], low = place[i] + place[j] - high, s = supernode[low];
    int64_t from = plan->shape.row_start[s];
    SnFactorEntry entry = {.column = j, .row = front_row(plan, s, high, &from)};
    entry.place = plan->block * (low - plan->shape.first[s]);
    if (place[i] < place[j]) entry.place = ~entry.place;
    return entry;
}

// Entries of the matrix by supernode. `place` and `supernode` tell those of each node and column.
static SnStatus list_entries(SnFactorPlan* plan, const int64_t* col_start, const int* row, const int* place,
                             const int* supernode)
{
    int n = plan->shape.n, count = plan->shape.count;
    int64_t* next;
    if (!SN_NEW(plan->entry_start, count + 1, "the factor's plan") ||
        !SN_NEW(plan->entry, col_start[n], "the factor's plan") || !SN_NEW(next, count, "the factor's plan"))
        return SN_ERROR_MEMORY;
    for (int j = 0; j < n; j++)
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++) {
            int low = place[row[k]] < place[j] ? place[row[k]] : place[j];
            plan->entry_start[supernode[low] + 1]++;
        }
    for (int s = 0; s < count; s++) plan->entry_start[s + 1] += plan->entry_start[s], next[s] = plan->entry_start[s];
    for (int j = 0; j < n; j++)
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++) {
            int low = place[row[k]] < place[j] ? place[row[k]] : place[j];
            SnFactorEntry entry = place_entry(plan, place, supernode, row[k], j);
            entry.local = (int)(k - col_start[j]);
            plan->entry[next[supernode[low]]++] = entry;
        }
    sn_free(next);
    return SN_OK;
}

static SnStatus map_entries(SnFactorPlan* plan, const int64_t* col_start, const int* row)
{
    const SnSupernodes* shape = &plan->shape;
    int *place = NULL, *supernode = NULL;
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(place, shape->n, "the factor's plan") && SN_NEW(supernode, shape->n, "the factor's plan")) {
        for (int k = 0; k < shape->n; k++) place[shape->order[k]] = k;
        for (int s = 0; s < shape->count; s++)
            for (int j = shape->first[s]; j < shape->first[s + 1]; j++) supernode[j] = s;
        status = list_entries(plan, col_start, row, place, supernode);
    }
    SN_FREE(place, supernode);
    return status;
}

// Work of each supernode's whole subtree; the total.
static double subtree_work(const SnFactorPlan* plan, double* work)
{
    double total = 0;
    for (int s = 0; s < plan->shape.count; s++) {
        double own = front_work(plan, s);
        work[s] += own, total += own;
        if (plan->shape.parent[s] >= 0) work[plan->shape.parent[s]] += work[s];
    }
    return total;
}

static bool in_top(const double* work, double total, int s)
{
    return total > LEAST_WORK && work[s] > TOP_SHARE * total;
}

// Groups are runs of whole subtrees; borders are the roots of subtrees that hang on the top.
static SnStatus make_groups(SnFactorPlan* plan)
{
    int count = plan->shape.count, at = 0, borders = 0;
    double* work;
    if (!SN_NEW(work, count, "the factor's plan")) return SN_ERROR_MEMORY;
    if (!SN_NEW(plan->group_start, count + 2, "the factor's plan") ||
        !SN_NEW(plan->sequence, count, "the factor's plan") || !SN_NEW(plan->border, count, "the factor's plan") ||
        !SN_NEW(plan->border_at, count + 1, "the factor's plan") ||
        !SN_NEW(plan->border_group, count, "the factor's plan")) {
        sn_free(work);
        return SN_ERROR_MEMORY;
    }
    double total = subtree_work(plan, work), most = GROUP_SHARE * total, gathered = 0;
    if (most < LEAST_WORK) most = LEAST_WORK;
    bool open = false;
    for (int s = 0; s < count; s++) {
        int p = plan->shape.parent[s];
        if (in_top(work, total, s)) {
            open = false;
            continue;
        }
        if (!open) plan->group_start[plan->group_count++] = at, gathered = 0, open = true;
        plan->sequence[at++] = s;
        if (p >= 0 && !in_top(work, total, p)) continue;
        if (p >= 0) plan->border[borders] = s, plan->border_group[borders++] = plan->group_count - 1;
        gathered += work[s];
        if (gathered > most) open = false;
    }
    plan->border_count = borders;
    plan->group_start[plan->group_count] = at;
    for (int s = 0; s < count; s++)
        if (in_top(work, total, s)) plan->sequence[at++] = s;
    plan->group_start[plan->group_count + 1] = at;
    sn_free(work);
    return SN_OK;
}

// Memory of the fronts. What remains of a front waits on one of two stacks for its parent: parent and children use
// different ones, so children can be dropped while the parent's remainder is made. The stacks of a group grow towards
// each other. Roots of subtrees keep their remainders apart, until the top has taken them up. A link's columns and
// remainder lie where the link before it left its remainder.
typedef enum Where { KEPT, UPWARD, DOWNWARD } Where;

typedef struct Memory {
    SnFactorPlan* plan;
    bool* odd;     // which stack
    bool* kept;    // on behalf of a root of a subtree
    char* where;   // a Where
    int64_t* base; // height of the stack under the supernode's remainder, of chains that of the first link
    int64_t kept_length;
} Memory;

static void choose_stacks(Memory* m)
{
    const SnSupernodes* shape = &m->plan->shape;
    for (int b = 0; b < m->plan->border_count; b++) m->kept[m->plan->border[b]] = true;
    for (int s = shape->count - 1; s >= 0; s--) {
        int p = shape->parent[s];
        if (p < 0) continue;
        m->odd[s] = shape->link[p] ? m->odd[p] : !m->odd[p];
        if (shape->link[p] && m->kept[p]) m->kept[s] = true;
    }
}

static int64_t panel_length(const SnFactorPlan* plan, int s)
{
    int diagonal = sn_strips(sn_plan_columns(plan, s)), below = sn_strips(sn_plan_below(plan, s));
    return sn_packed_block(diagonal + below, diagonal);
}

// Puts one supernode on the stacks, whose heights are top[UPWARD] and top[DOWNWARD]; *peak is the largest sum of these.
// Downward places are counted from the end, that is negative, until the group's length is known.
static void place_front(Memory* m, int s, int64_t top[3], int64_t* peak)
{
    SnFactorPlan* plan = m->plan;
    int below = sn_strips(sn_plan_below(plan, s));
    int64_t length = sn_packed_block(below, below);
    if (plan->shape.link[s]) {
        m->where[s] = m->where[s - 1], m->base[s] = m->base[s - 1];
        plan->p_at[s] = plan->u_at[s - 1];
        plan->u_at[s] = plan->p_at[s] + panel_length(plan, s);
        return;
    }
    Where where = m->kept[s] ? KEPT : m->odd[s] ? DOWNWARD : UPWARD;
    m->where[s] = (char)where;
    m->base[s] = top[where];
    top[where] += length;
    plan->u_at[s] = where == DOWNWARD ? -top[where] : m->base[s];
    if (top[UPWARD] + top[DOWNWARD] > *peak) *peak = top[UPWARD] + top[DOWNWARD];
    for (int c = plan->child[s]; c >= 0; c = plan->next[c])
        if (m->where[c] != KEPT && m->base[c] < top[(int)m->where[c]]) top[(int)m->where[c]] = m->base[c];
}

// Lays out the memory of one group, beginning at `at`; its end.
static int64_t place_group(Memory* m, int g, int64_t at)
{
    SnFactorPlan* plan = m->plan;
    int64_t top[3] = {m->kept_length}, peak = 0, panel = 0;
    for (int k = plan->group_start[g]; k < plan->group_start[g + 1]; k++) {
        int s = plan->sequence[k];
        place_front(m, s, top, &peak);
        if (!plan->shape.link[s] && panel_length(plan, s) > panel) panel = panel_length(plan, s);
    }
    m->kept_length = top[KEPT];
    int64_t begin[3] = {0, at + panel, at + panel + peak};
    for (int k = plan->group_start[g]; k < plan->group_start[g + 1]; k++) {
        int s = plan->sequence[k];
        plan->p_at[s] = plan->shape.link[s] ? plan->p_at[s] + begin[(int)m->where[s]] : at;
        plan->u_at[s] += begin[(int)m->where[s]];
    }
    return at + panel + peak;
}

// The top uses the groups' memory again.
static SnStatus place_fronts(SnFactorPlan* plan)
{
    int count = plan->shape.count;
    Memory m = {.plan = plan};
    SnStatus status = SN_ERROR_MEMORY;
    if (!SN_NEW(plan->p_at, count, "the factor's plan") || !SN_NEW(plan->u_at, count, "the factor's plan") ||
        !SN_NEW(m.odd, count, "the factor's plan") || !SN_NEW(m.kept, count, "the factor's plan") ||
        !SN_NEW(m.where, count, "the factor's plan") || !SN_NEW(m.base, count, "the factor's plan"))
        goto done;
    choose_stacks(&m);
    int64_t end = 0;
    for (int g = 0; g < plan->group_count; g++) end = place_group(&m, g, end);
    int64_t top_end = place_group(&m, plan->group_count, 0);
    if (top_end > end) end = top_end;
    for (int s = 0; s < count; s++) { // what is kept lies behind the groups
        if (m.where[s] != KEPT) continue;
        plan->u_at[s] += end;
        if (plan->shape.link[s]) plan->p_at[s] += end;
    }
    plan->work_length = end + m.kept_length;
    status = SN_OK;
done:
    SN_FREE(m.odd, m.kept, m.where, m.base);
    return status;
}

// Targets of the supernodes of one group or subtree; slot tells the border row of nodes from `end` on.
static void set_targets(SnFactorPlan* plan, int s, int end, const int* slot, int spare)
{
    const SnSupernodes* shape = &plan->shape;
    int* out = plan->target + plan->target_start[s];
    int* stop = plan->target + plan->target_start[s + 1];
    for (int64_t k = shape->row_start[s]; k < shape->row_start[s + 1]; k++) {
        int v = shape->row[k], row = v < end ? plan->block * v : slot[v];
        for (int q = 0; q < plan->block; q++) *out++ = row + q;
    }
    while (out < stop) *out++ = spare;
}

static SnStatus count_targets(SnFactorPlan* plan)
{
    int count = plan->shape.count;
    if (!SN_NEW(plan->target_start, count + 1, "the factor's plan")) return SN_ERROR_MEMORY;
    for (int s = 0; s < count; s++)
        plan->target_start[s + 1] = plan->target_start[s] + 4 * sn_strips(sn_plan_below(plan, s));
    int64_t rows = plan->block * (int64_t)plan->shape.n;
    for (int b = 0; b < plan->border_count; b++) {
        plan->border_at[b] = (int)rows;
        rows += sn_plan_below(plan, plan->border[b]);
        if (rows > INT_MAX - 4 * (int64_t)count)
            return sn_fail(SN_ERROR_UNSUPPORTED, "a factor of %d nodes has too many rows", plan->shape.n);
    }
    plan->spare = (int)rows;
    plan->rows = (int)rows + plan->group_count + 1;
    return SN_NEW(plan->target, plan->target_start[count], "the factor's plan") ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus find_targets(SnFactorPlan* plan)
{
    SN_TRY(count_targets(plan));
    const SnSupernodes* shape = &plan->shape;
    int *slot, b = 0, filled = -1;
    if (!SN_NEW(slot, shape->n, "the factor's plan")) return SN_ERROR_MEMORY;
    for (int g = 0; g <= plan->group_count; g++) {
        for (int k = plan->group_start[g]; k < plan->group_start[g + 1]; k++) {
            int s = plan->sequence[k];
            if (g == plan->group_count || b == plan->border_count) {
                set_targets(plan, s, shape->n, slot, plan->spare + g);
                continue;
            }
            int root = plan->border[b], end = shape->first[root + 1]; // s is in this subtree, or in a whole tree before
            for (int64_t q = shape->row_start[root]; q < shape->row_start[root + 1] && filled != b; q++)
                slot[shape->row[q]] = plan->border_at[b] + plan->block * (int)(q - shape->row_start[root]);
            filled = b;
            set_targets(plan, s, end, slot, plan->spare + g);
            if (s == root) b++;
        }
    }
    sn_free(slot);
    return SN_OK;
}

static SnStatus find_part_supernodes(SnFactorPlan* plan)
{
    const SnSupernodes* shape = &plan->shape;
    if (!SN_NEW(plan->part_first, plan->parts.count + 1, "the factor's plan")) return SN_ERROR_MEMORY;
    for (int p = 0, s = 0; p <= plan->parts.count; p++) {
        while (s < shape->count && shape->first[s] < plan->parts.start[p]) s++;
        plan->part_first[p] = s;
    }
    return SN_OK;
}

SnStatus sn_factor_plan_create(int n, const int64_t* col_start, const int* row, int block, SnGraphPartKnown known,
                               void* user, SnFactorPlan* plan)
{
    *plan = (SnFactorPlan){.block = block};
    if (n > INT_MAX / 16) return sn_fail(SN_ERROR_UNSUPPORTED, "%d nodes are too many to factor", n);
    SnGraph graph;
    SN_TRY(sn_graph_from_pattern(n, col_start, row, &graph));
    int widest = block == 1 ? SN_FRONT_WIDEST : SN_FRONT_WIDEST / 12 * 4; // a multiple of 4 scalar columns
    SnStatus status = sn_graph_parts_create(&graph, known, user, &plan->parts);
    if (status == SN_OK) status = sn_supernodes_create(&plan->parts, block, widest, &plan->shape);
    if (status == SN_OK) status = find_part_supernodes(plan);
    if (status == SN_OK) status = place_factor(plan);
    if (status == SN_OK) status = find_children(plan);
    if (status == SN_OK) status = relate(plan);
    if (status == SN_OK) status = map_entries(plan, col_start, row);
    if (status == SN_OK) status = make_groups(plan);
    if (status == SN_OK) status = place_fronts(plan);
    if (status == SN_OK) status = find_targets(plan);
    if (status != SN_OK) sn_factor_plan_free(plan);
    return status;
}

void sn_factor_plan_free(SnFactorPlan* plan)
{
    void* arrays[] = {plan->l_at,         plan->p_at,         plan->u_at,      plan->relative,
                      plan->child,        plan->next,         plan->entry,     plan->entry_start,
                      plan->group_start,  plan->sequence,     plan->target,    plan->border,
                      plan->target_start, plan->border_group, plan->border_at, plan->part_first};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sn_free(arrays[k]);
    sn_supernodes_free(&plan->shape);
    sn_graph_parts_free(&plan->parts);
    *plan = (SnFactorPlan){0};
}
