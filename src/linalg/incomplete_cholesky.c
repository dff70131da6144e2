// IC(0) in parallel: the nodes are split into parts, nodes with neighbours in an earlier part come last. Rows of
// different parts then do not depend on each other. The split depends on the pattern alone.
#include "linalg/incomplete_cholesky.h"

#include <string.h>

#include "linalg/block_rows.h"
#include "linalg/partition.h"
#include "linalg/tile3.h"

enum { PART_NODES = 2000, MOST_PARTS = 32 };
static const double LEAST_PIVOT = 1e-8; // of the diagonal entry
static const double FIRST_ENLARGEMENT = 1e-3, MOST_ENLARGEMENT = 2;

// Where the matrix has an entry of L.
typedef struct Source {
    int column, local;
    bool transposed;
} Source;

struct SnIncompleteCholesky {
    const SnBlockMatrix* matrix;
    const SnRowKernels* kernels;
    int n, parts;
    int* part_start;     // parts + 2: rows of each part, then of the separators
    int* order;          // row -> node
    SnRowList lower;     // L by rows, without the diagonal
    SnRowList upper;     // the same blocks by columns, transposed
    int* crossing;       // place in upper of each block of lower
    double* inverse;     // of the diagonal blocks, nine numbers each
    Source* source;      // of each block of lower
    int64_t* pair_start; // blocks of lower + 1
    int (*pair)[2];      // blocks of rows i and j in the same column, for block (i, j)
    double* x;           // work, 3n
    double enlargement;
    bool* broken; // parts + 1
};

static int part_count(int n)
{
    int parts = n / PART_NODES;
    return parts < 2 ? 1 : parts > MOST_PARTS ? MOST_PARTS : parts;
}

static bool on_border(const SnGraph* graph, const int* part, int v)
{
    for (int64_t k = graph->start[v]; k < graph->start[v + 1]; k++)
        if (part[graph->to[k]] < part[v]) return true;
    return false;
}

// Rows: part after part, then the separators, each in the nodes' own order. `place` is the inverse.
static SnStatus order_rows(SnIncompleteCholesky* c, const SnGraph* graph, int* place)
{
    int *part, made;
    if (!SN_NEW(part, c->n, "incomplete Cholesky")) return SN_ERROR_MEMORY;
    SnStatus status = sn_partition_graph(graph, part_count(c->n), part, &made);
    if (status == SN_OK && !SN_NEW(c->part_start, made + 2, "incomplete Cholesky")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) {
        c->parts = made;
        int* at = c->part_start; // counts, then ends
        for (int v = 0; v < c->n; v++) {
            place[v] = on_border(graph, part, v) ? made : part[v];
            if (place[v] < made) at[place[v] + 1]++;
        }
        for (int p = 0; p < made; p++) at[p + 1] += at[p];
        at[made + 1] = c->n;
        int next[MOST_PARTS + 1];
        memcpy(next, at, (size_t)(made + 1) * sizeof *next);
        for (int v = 0; v < c->n; v++) {
            place[v] = next[place[v]]++;
            c->order[place[v]] = v;
        }
    }
    sn_free(part);
    return status;
}

static int find_local(const SnBlockMatrix* m, int column, int row)
{
    int64_t low = m->col_start[column] + 1, high = m->col_start[column + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (m->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return (int)(low - m->col_start[column]);
}

// Neighbours of node v in later rows, by rows; their number.
static int later_rows(const SnGraph* graph, const int* place, int v, int* rows)
{
    int found = 0;
    for (int64_t k = graph->start[v]; k < graph->start[v + 1]; k++) {
        int i = place[graph->to[k]], at = found;
        if (i < place[v]) continue;
        for (; at > 0 && rows[at - 1] > i; at--) rows[at] = rows[at - 1];
        rows[at] = i;
        found++;
    }
    return found;
}

// The blocks of L, column after column, which puts those of each row in order. `next` is work, n + 1 zeros.
static void list_blocks(SnIncompleteCholesky* c, const SnGraph* graph, const int* place, int64_t* next, int* rows)
{
    for (int v = 0; v < c->n; v++)
        for (int64_t k = graph->start[v]; k < graph->start[v + 1]; k++)
            if (place[graph->to[k]] < place[v]) c->lower.start[place[v] + 1]++;
    for (int i = 0; i < c->n; i++) next[i + 1] = c->lower.start[i + 1] += c->lower.start[i];
    int64_t u = 0;
    for (int j = 0; j < c->n; j++) {
        int v = c->order[j], found = later_rows(graph, place, v, rows);
        for (int k = 0; k < found; k++, u++) {
            int w = c->order[rows[k]];
            int64_t e = next[rows[k]]++;
            c->lower.column[e] = j, c->upper.column[u] = rows[k];
            c->crossing[e] = (int)u;
            c->source[e] = (Source){.column = v < w ? v : w, .transposed = w < v};
            c->source[e].local = find_local(c->matrix, v < w ? v : w, v < w ? w : v);
        }
        c->upper.start[j + 1] = u;
    }
}

// Pairs of blocks in the same column of rows i and j, left of column j; into `pair` unless NULL. Their number.
static int64_t common_columns(const SnRowList* lower, int i, int j, int (*pair)[2])
{
    int64_t a = lower->start[i], b = lower->start[j], end = lower->start[j + 1], found = 0;
    while (b < end && lower->column[a] < j) {
        int left = lower->column[a], right = lower->column[b];
        if (left == right && pair) pair[found][0] = (int)a, pair[found][1] = (int)b;
        found += left == right;
        a += left <= right, b += right <= left;
    }
    return found;
}

static SnStatus list_pairs(SnIncompleteCholesky* c)
{
    const SnRowList* lower = &c->lower;
    if (!SN_NEW(c->pair_start, lower->start[c->n] + 1, "incomplete Cholesky")) return SN_ERROR_MEMORY;
    for (int i = 0; i < c->n; i++)
        for (int64_t e = lower->start[i]; e < lower->start[i + 1]; e++)
            c->pair_start[e + 1] = c->pair_start[e] + common_columns(lower, i, lower->column[e], NULL);
    if (!SN_NEW(c->pair, c->pair_start[lower->start[c->n]], "incomplete Cholesky")) return SN_ERROR_MEMORY;
    for (int i = 0; i < c->n; i++)
        for (int64_t e = lower->start[i]; e < lower->start[i + 1]; e++)
            common_columns(lower, i, lower->column[e], c->pair + c->pair_start[e]);
    return SN_OK;
}

static SnStatus analyse(SnIncompleteCholesky* c, const SnGraph* graph)
{
    int64_t blocks = graph->start[c->n] / 2, *next = NULL;
    int *place = NULL, *rows = NULL;
    SnStatus status = SN_ERROR_MEMORY;
    if (blocks > INT32_MAX) return sn_fail(SN_ERROR_UNSUPPORTED, "incomplete Cholesky: more than %d blocks", INT32_MAX);
    if (!SN_NEW(place, c->n, "incomplete Cholesky") || !SN_NEW(rows, c->n, "incomplete Cholesky") ||
        !SN_NEW(next, c->n + 1, "incomplete Cholesky") || !SN_NEW(c->order, c->n, "incomplete Cholesky") ||
        !SN_NEW(c->crossing, blocks, "incomplete Cholesky") || !SN_NEW(c->source, blocks, "incomplete Cholesky") ||
        !SN_NEW(c->inverse, 9 * (int64_t)c->n, "incomplete Cholesky") ||
        !SN_NEW(c->x, 3 * (int64_t)c->n, "incomplete Cholesky"))
        goto done;
    status = sn_row_list_allocate(c->n, blocks, &c->lower);
    if (status == SN_OK) status = sn_row_list_allocate(c->n, blocks, &c->upper);
    if (status == SN_OK) status = order_rows(c, graph, place);
    if (status == SN_OK && !SN_NEW(c->broken, c->parts + 1, "incomplete Cholesky")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) {
        list_blocks(c, graph, place, next, rows);
        status = list_pairs(c);
    }
done:
    SN_FREE(place, rows, next);
    return status;
}

SnStatus sn_incomplete_cholesky_create(const SnBlockMatrix* matrix, SnIncompleteCholesky** out)
{
    *out = NULL;
    SnIncompleteCholesky* c;
    if (!SN_NEW(c, 1, "incomplete Cholesky")) return SN_ERROR_MEMORY;
    c->matrix = matrix, c->n = matrix->n;
    c->kernels = sn_row_kernels();
    SnGraph graph;
    SnStatus status = sn_graph_from_pattern(matrix->n, matrix->col_start, matrix->row, &graph);
    if (status == SN_OK) status = analyse(c, &graph);
    sn_graph_free(&graph);
    SN_FINISH(status, c, sn_incomplete_cholesky_destroy, out);
}

void sn_incomplete_cholesky_destroy(SnIncompleteCholesky* c)
{
    if (!c) return;
    sn_row_list_free(&c->lower), sn_row_list_free(&c->upper);
    SN_FREE(c->part_start, c->order, c->crossing, c->inverse, c->source, c->pair_start, c->pair, c->x, c->broken, c);
}

// L_ij = (A_ij - sum of L_ik L_jk^T) L_jj^-T
static void factor_block(SnIncompleteCholesky* c, int64_t e)
{
    const Source* source = c->source + e;
    double block[9], t[9], *l = c->lower.block + 9 * e, *u = c->upper.block + 9 * (int64_t)c->crossing[e];
    const double* v = c->inverse + 9 * (int64_t)c->lower.column[e];
    sn_block_read(c->matrix, source->column, source->local, block);
    for (int q = 0; q < 3; q++)
        for (int r = 0; r < 3; r++) t[3 * q + r] = source->transposed ? block[3 * r + q] : block[3 * q + r];
    c->kernels->subtract_products(c->lower.block, c->pair + c->pair_start[e], c->pair_start[e + 1] - c->pair_start[e],
                                  t);
    for (int q = 0; q < 3; q++)
        for (int r = 0; r < 3; r++) {
            double sum = t[r] * v[q] + t[3 + r] * v[3 + q] + t[6 + r] * v[6 + q];
            l[3 * q + r] = u[3 * r + q] = sum;
        }
}

static void factor_part(void* context, int p)
{
    SnIncompleteCholesky* c = context;
    c->broken[p] = false;
    for (int i = c->part_start[p]; i < c->part_start[p + 1]; i++) {
        double t[9];
        sn_block_read(c->matrix, c->order[i], 0, t);
        double full[3] = {t[0], t[4], t[8]};
        for (int k = 0; k < 9; k += 4) t[k] *= 1 + c->enlargement;
        for (int64_t e = c->lower.start[i]; e < c->lower.start[i + 1]; e++) {
            factor_block(c, e);
            c->kernels->subtract_products(c->lower.block, (const int[][2]){{(int)e, (int)e}}, 1, t);
        }
        bool small = t[0] < LEAST_PIVOT * full[0] || t[4] < LEAST_PIVOT * full[1] || t[8] < LEAST_PIVOT * full[2];
        if (small || !sn_tile3_invert_factor(t, LEAST_PIVOT, c->inverse + 9 * (int64_t)i)) {
            c->broken[p] = true;
            return;
        }
    }
}

static bool try_to_factor(SnIncompleteCholesky* c, SnTasks* tasks)
{
    sn_tasks_run(tasks, c->parts, factor_part, c);
    for (int p = 0; p < c->parts; p++)
        if (c->broken[p]) return false;
    factor_part(c, c->parts);
    return !c->broken[c->parts];
}

void sn_incomplete_cholesky_factor(SnIncompleteCholesky* c, SnTasks* tasks, double* enlarged, bool* definite)
{
    c->enlargement = 0;
    while (!(*definite = try_to_factor(c, tasks)) && c->enlargement < MOST_ENLARGEMENT)
        c->enlargement = c->enlargement > 0 ? 4 * c->enlargement : FIRST_ENLARGEMENT;
    if (enlarged) *enlarged = c->enlargement;
}

typedef struct Sweep {
    const SnIncompleteCholesky* c;
    const double* b;
    double* out;
} Sweep;

static void forward_part(void* context, int p)
{
    const Sweep* sweep = context;
    const SnIncompleteCholesky* c = sweep->c;
    for (int i = c->part_start[p]; i < c->part_start[p + 1]; i++)
        memcpy(c->x + 3 * (int64_t)i, sweep->b + 3 * (int64_t)c->order[i], 3 * sizeof *c->x);
    c->kernels->forward(&c->lower, c->inverse, c->x, c->part_start[p], c->part_start[p + 1]);
}

static void backward_part(void* context, int p)
{
    const Sweep* sweep = context;
    const SnIncompleteCholesky* c = sweep->c;
    c->kernels->backward(&c->upper, c->inverse, c->x, c->part_start[p], c->part_start[p + 1]);
    for (int i = c->part_start[p]; i < c->part_start[p + 1]; i++)
        memcpy(sweep->out + 3 * (int64_t)c->order[i], c->x + 3 * (int64_t)i, 3 * sizeof *c->x);
}

static void apply(void* self, SnTasks* tasks, const double* x, double* y)
{
    const SnIncompleteCholesky* c = self;
    Sweep sweep = {c, x, y};
    sn_tasks_run(tasks, c->parts, forward_part, &sweep);
    forward_part(&sweep, c->parts);
    backward_part(&sweep, c->parts);
    sn_tasks_run(tasks, c->parts, backward_part, &sweep);
}

SnLinearMap sn_incomplete_cholesky_map(SnIncompleteCholesky* cholesky)
{
    return (SnLinearMap){apply, cholesky};
}
