// dot: one inverse per subdomain, averaged (Li et al. 2019). METIS splits the elements; a node on an interface has a
// copy in every subdomain that touches it. H_j is the projected Hessian of the whole mesh at the start of the step,
// restricted to the nodes of subdomain j; the inverse is q -> copies -> H_j^-1 q_j -> mean of the copies.
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/cholesky.h"
#include "linalg/partition.h"
#include "solver/initial.h"
#include "solver/parameters.h"

enum {
    NODES_EACH = 3000,    // of a subdomain, when nothing else is asked for
    SINGLE_FROM = 1000000 // entries of a factor from which its sweeps are in single precision
};

typedef struct Subdomain {
    int count;      // its free nodes
    const int* row; // count: their rows in the whole, increasing
    SnBlockMatrix matrix;
    int64_t* source;    // for each of its blocks: the block of the whole it is a copy of
    int* source_column; // and that block's column there
    SnCholesky* cholesky;
    double* x; // 3 x count
    bool definite;
    SnStatus status;
} Subdomain;

typedef struct Dot {
    SnHessian* hessian;
    int count;
    Subdomain* parts;
    SnDotRows rows_of;
    bool symmetric; // blend
    double* share;  // free_count: one over the number of copies
    double* rows;   // 3 x free_count
    double* sum;    // 3 x free_count
} Dot;

static void destroy(void* state)
{
    Dot* d = state;
    if (!d) return;
    for (int i = 0; i < d->count && d->parts; i++) {
        Subdomain* p = &d->parts[i];
        sn_cholesky_destroy(p->cholesky);
        sn_block_matrix_free(&p->matrix);
        sn_free(p->source), sn_free(p->source_column), sn_free(p->x);
    }
    sn_dot_rows_free(&d->rows_of);
    sn_hessian_destroy(d->hessian);
    sn_free(d->parts), sn_free(d->share), sn_free(d->rows), sn_free(d->sum);
    sn_free(d);
}

// All elements of the potential as lists of nodes, patch after patch.
typedef struct Elements {
    int count;
    int *start, *nodes, *part;
} Elements;

static SnStatus list_elements(const SnPotential* p, Elements* out)
{
    int64_t most = 0;
    for (int g = 0; g < p->group_count; g++) out->count += p->groups[g].count;
    for (int g = 0; g < p->group_count; g++) most += (int64_t)p->groups[g].count * p->groups[g].term->nodes;
    if (!SN_NEW(out->start, (int64_t)out->count + 1, "subdomains") || !SN_NEW(out->nodes, most, "subdomains") ||
        !SN_NEW(out->part, out->count, "subdomains"))
        return SN_ERROR_MEMORY;
    int element = 0;
    for (int i = 0; i < p->patch_count; i++) {
        const SnPatch* patch = &p->patches[i];
        const SnTermGroup* group = &p->groups[patch->group];
        for (int e = 0; e < patch->element_count; e++, element++) {
            SnTermPack pack = sn_potential_pack(group, patch->first_pack + e / SN_LANES);
            out->start[element + 1] = out->start[element] + group->term->nodes;
            for (int a = 0; a < group->term->nodes; a++)
                out->nodes[out->start[element] + a] =
                    p->slot_node[patch->first_slot + pack.nodes[a * SN_LANES + e % SN_LANES]];
        }
    }
    return SN_OK;
}

// Rows by subdomain: counted, then listed, increasing. disjoint: without copies, which makes it block Jacobi, LBFGS-JH
// of the paper's comparisons.
static SnStatus sort_rows(const SnObjective* o, const Elements* e, int count, bool disjoint, SnDotRows* out)
{
    int *last = NULL, rows = o->nodes.free_count; // the subdomain a row was last seen in
    bool room = SN_NEW(last, rows, "subdomains") && SN_NEW(out->start, (int64_t)count + 1, "subdomains");
    for (int pass = 0; pass < 2 && room; pass++) {
        memset(last, 0, (size_t)rows * sizeof *last);
        int used = 0;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < e->count; k++)
                for (int a = e->start[k]; a < e->start[k + 1] && e->part[k] == i; a++) {
                    int row = o->nodes.free_index[e->nodes[a]];
                    bool free = row >= 0 && !(disjoint && last[row] > 0);
                    if (free) last[row] = i + 1;
                }
            for (int row = 0; row < rows; row++) {
                if (last[row] != i + 1) continue;
                if (pass == 1) out->rows[used] = row;
                used++;
            }
            out->start[i + 1] = used;
        }
        if (pass == 0) room = SN_NEW(out->rows, used, "subdomains");
    }
    sn_free(last);
    out->count = count;
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_dot_rows_free(SnDotRows* rows)
{
    SN_FREE(rows->start, rows->rows);
    *rows = (SnDotRows){0};
}

static SnStatus take_rows(Dot* d, const SnObjective* o)
{
    for (int i = 0; i < d->count; i++) {
        Subdomain* p = &d->parts[i];
        p->row = d->rows_of.rows + d->rows_of.start[i];
        p->count = d->rows_of.start[i + 1] - d->rows_of.start[i];
        if (!SN_NEW(p->x, 3 * (int64_t)p->count, "subdomains")) return SN_ERROR_MEMORY;
        for (int k = 0; k < p->count; k++) d->share[p->row[k]]++;
    }
    for (int row = 0; row < o->nodes.free_count; row++) {
        d->share[row] = d->share[row] > 0 ? 1 / d->share[row] : 0;
        if (d->symmetric) d->share[row] = sqrt(d->share[row]);
    }
    return SN_OK;
}

// The blocks of the whole whose row and column both belong to the subdomain.
static SnStatus restrict_pattern(const SnBlockMatrix* whole, Subdomain* p, int* place)
{
    SnBlockMatrix* m = &p->matrix;
    m->n = p->count;
    for (int k = 0; k < p->count; k++) place[p->row[k]] = k + 1;
    if (!SN_NEW(m->col_start, (int64_t)p->count + 1, "subdomains")) return SN_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int64_t used = 0;
        for (int k = 0; k < p->count; k++) {
            int j = p->row[k];
            for (int64_t b = whole->col_start[j]; b < whole->col_start[j + 1]; b++) {
                if (!place[whole->row[b]]) continue;
                if (pass == 1) m->row[used] = place[whole->row[b]] - 1, p->source[used] = b, p->source_column[used] = j;
                used++;
            }
            m->col_start[k + 1] = used;
        }
        if (pass == 0 && (!SN_NEW(m->row, used, "subdomains") || !SN_NEW(p->source, used, "subdomains") ||
                          !SN_NEW(p->source_column, used, "subdomains") || !SN_NEW(m->values, 9 * used, "subdomains")))
            return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < p->count; k++) place[p->row[k]] = 0;
    SN_TRY(sn_cholesky_create(m, NULL, &p->cholesky));
    bool large = sn_cholesky_factor_entries(p->cholesky) > SINGLE_FROM;
    return sn_cholesky_set_precision(p->cholesky, large ? SN_FACTOR_FLOAT : SN_FACTOR_DOUBLE);
}

static int parts_for(const SnObjective* o, const SnSolverDef* def)
{
    int each = def->subdomain_nodes > 0 ? def->subdomain_nodes : NODES_EACH;
    int parts = def->subdomains > 0 ? def->subdomains : (o->nodes.free_count + each / 2) / each;
    return parts < 1 ? 1 : parts;
}

static SnStatus partition(const SnObjective* o, const SnSolverDef* def, Elements* e, int* count)
{
    SN_TRY(list_elements(o->potential, e));
    return sn_partition_elements(e->count, e->start, e->nodes, o->nodes.count, 3, parts_for(o, def), e->part, count);
}

SnStatus sn_dot_subdomains(const SnObjective* o, const SnSolverDef* def, int* part, bool* shared)
{
    Elements e = {0};
    int count;
    SnStatus status = partition(o, def, &e, &count);
    for (int i = 0; i < o->nodes.count; i++) part[i] = -1, shared[i] = false;
    for (int k = 0; k < e.count && status == SN_OK; k++)
        for (int a = e.start[k]; a < e.start[k + 1]; a++) {
            int node = e.nodes[a];
            shared[node] = shared[node] || (part[node] >= 0 && part[node] != e.part[k]);
            if (part[node] < e.part[k]) part[node] = e.part[k];
        }
    sn_free(e.start), sn_free(e.nodes), sn_free(e.part);
    return status;
}

SnStatus sn_dot_list_rows(const SnObjective* o, const SnSolverDef* def, SnDotRows* rows)
{
    Elements e = {0};
    int count;
    *rows = (SnDotRows){0};
    SnStatus status = partition(o, def, &e, &count);
    if (status == SN_OK) status = sort_rows(o, &e, count, def->disjoint, rows);
    sn_free(e.start), sn_free(e.nodes), sn_free(e.part);
    return status;
}

static SnStatus split(Dot* d, const SnObjective* o, const SnSolverDef* def)
{
    SN_TRY(sn_dot_list_rows(o, def, &d->rows_of));
    if (!SN_NEW(d->parts, d->rows_of.count, "subdomains")) return SN_ERROR_MEMORY;
    d->count = d->rows_of.count;
    SN_TRY(take_rows(d, o));
    int* place = NULL;
    if (!SN_NEW(place, o->nodes.free_count, "subdomains")) return SN_ERROR_MEMORY;
    SnStatus status = SN_OK;
    for (int i = 0; i < d->count && status == SN_OK; i++)
        status = restrict_pattern(&d->hessian->matrix, &d->parts[i], place);
    sn_free(place);
    return status;
}

static SnStatus build(Dot* d, SnObjective* o, const SnSolverDef* def)
{
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &d->hessian));
    if (!SN_NEW(d->share, o->nodes.free_count, "subdomains") ||
        !SN_NEW(d->rows, 3 * (int64_t)o->nodes.free_count, "subdomains") ||
        !SN_NEW(d->sum, 3 * (int64_t)o->nodes.free_count, "subdomains"))
        return SN_ERROR_MEMORY;
    return split(d, o, def);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Dot* d;
    if (!SN_NEW(d, 1, "subdomains")) return SN_ERROR_MEMORY;
    d->symmetric = def->symmetric_blend;
    SN_FINISH(build(d, objective, def), d, destroy, state);
}

// The k-th block of column j, full, row-major.
static void read_block(const SnBlockMatrix* a, int j, int64_t k, double block[9])
{
    for (int c = 0; c < 3; c++) {
        const double* column = a->values + sn_block_column(a, j, c);
        for (int r = 0; r < 3; r++)
            if (k > 0)
                block[3 * r + c] = column[3 - c + 3 * (k - 1) + r];
            else if (r >= c)
                block[3 * r + c] = block[3 * c + r] = column[r - c];
    }
}

static void factor_part(void* context, int index)
{
    Dot* d = context;
    Subdomain* p = &d->parts[index];
    const SnBlockMatrix* whole = &d->hessian->matrix;
    double block[9], shift = 0, mean = 0;
    for (int k = 0; k < p->count; k++)
        for (int64_t b = p->matrix.col_start[k]; b < p->matrix.col_start[k + 1]; b++) {
            int j = p->source_column[b];
            read_block(whole, j, p->source[b] - whole->col_start[j], block);
            sn_block_write(&p->matrix, k, b - p->matrix.col_start[k], block);
            if (b == p->matrix.col_start[k]) mean += fabs(block[0] + block[4] + block[8]) / (3.0 * p->count);
        }
    p->definite = false;
    for (int k = 0; k < 20 && !p->definite; k++, shift = fmax(10 * shift, 1e-12 * mean)) {
        p->status = sn_cholesky_factor(p->cholesky, shift, &p->definite);
        if (p->status != SN_OK) return;
    }
}

static SnStatus start(void* state, SnSearch* s)
{
    Dot* d = state;
    const SnObjective* o = s->objective;
    double begin = sn_now_ms();
    sn_objective_supported_diagonal(o, d->hessian->diagonal);
    sn_hessian_assemble(d->hessian, s->x, true);
    double assembled = sn_now_ms();
    s->ms.assemble += assembled - begin;
    sn_tasks_run(o->nodes.tasks, d->count, factor_part, d);
    for (int i = 0; i < d->count; i++) {
        if (d->parts[i].status != SN_OK) return sn_fail(d->parts[i].status, "factoring subdomain %d failed", i);
        if (!d->parts[i].definite) s->stalled = "the Hessian of a subdomain cannot be factored";
    }
    s->factorizations++;
    s->ms.factor += sn_now_ms() - assembled;
    return SN_OK;
}

static void solve_part(void* context, int index)
{
    Dot* d = context;
    Subdomain* p = &d->parts[index];
    for (int k = 0; k < p->count; k++)
        for (int c = 0; c < 3; c++) {
            double weight = d->symmetric ? d->share[p->row[k]] : 1;
            p->x[3 * (int64_t)k + c] = weight * d->rows[3 * (int64_t)p->row[k] + c];
        }
    p->status = sn_cholesky_solve(p->cholesky, p->x, p->x);
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)yy_over_sy;
    Dot* d = state;
    const SnObjective* o = s->objective;
    sn_objective_gather(o, 1, q, d->rows);
    sn_tasks_run(o->nodes.tasks, d->count, solve_part, d);
    memset(d->sum, 0, 3 * (size_t)o->nodes.free_count * sizeof *d->sum);
    for (int i = 0; i < d->count; i++) { // in subdomain order: the bits do not depend on who was first
        const Subdomain* p = &d->parts[i];
        if (p->status != SN_OK) return sn_fail(p->status, "solving in subdomain %d failed", i);
        for (int k = 0; k < p->count; k++)
            for (int c = 0; c < 3; c++)
                d->sum[3 * (int64_t)p->row[k] + c] += d->share[p->row[k]] * p->x[3 * (int64_t)k + c];
    }
    sn_objective_scatter(o, d->sum, r);
    return SN_OK;
}

static const SnParameter parameters[] = {{SN_ROW_BLEND}, {SN_ROW_OVERLAP}, {SN_ROW_SUBDOMAINS}, {0}};

const SnInitialType sn_initial_dot = {
    .name = "dot",
    .summary = "the projected Hessian of each subdomain at the start of each step, inverses averaged",
    .parameters = parameters,
    .linear = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};
