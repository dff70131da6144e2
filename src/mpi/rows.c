// Numbers of rows, vectors, and matrices summed over processes.
#include "mpi/rows.h"

#include <stdlib.h>
#include <string.h>

SnStatus sn_petsc(PetscErrorCode code, const char* what)
{
    if (code == 0) return SN_OK;
    const char* text = NULL;
    PetscErrorMessage(code, &text, NULL);
    return sn_fail(code == PETSC_ERR_MEM ? SN_ERROR_MEMORY : SN_ERROR_UNSUPPORTED, "PETSc: %s (%.60s)",
                   text ? text : "an error", what);
}

void sn_rows_free(SnRows* r)
{
    SN_FREE(r->node, r->global, r->part_node, r->owner);
    *r = (SnRows){0};
}

SnStatus sn_rows_create(SnFabric* fabric, const SnObjective* o, SnRows* r)
{
    const SnNodes* nodes = &o->nodes;
    double* numbers;
    *r = (SnRows){.fabric = fabric, .objective = o};
    if (!SN_NEW(r->node, nodes->free_count, "rows") || !SN_NEW(r->global, nodes->free_count, "rows") ||
        !SN_NEW(r->owner, nodes->free_count, "rows") || !SN_NEW(r->part_node, nodes->free_count, "rows") ||
        !SN_NEW(numbers, nodes->count, "rows"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < nodes->count; i++)
        if (nodes->free_index[i] >= 0 && fabric->of.own[i]) r->node[r->own_count++] = i;
    for (int i = 0; i < nodes->count; i++) r->count += nodes->free_index[i] >= 0 && !fabric->of.ghost[i];
    int64_t count = r->own_count, last;
    MPI_Scan(&count, &last, 1, MPI_INT64_T, MPI_SUM, fabric->comm);
    r->first = last - count;
    for (int k = 0; k < r->own_count; k++) numbers[r->node[k]] = (double)(r->first + k);
    sn_share_spread(nodes->tasks, 1, numbers);
    for (int i = 0; i < nodes->count; i++) {
        int row = nodes->free_index[i];
        if (row < 0) continue;
        r->global[row] = (PetscInt)numbers[i];
        r->owner[row] = fabric->of.owner[i], r->part_node[row] = i;
    }
    sn_free(numbers);
    return SN_OK;
}

void sn_rows_gather(const SnRows* r, double factor, const double* x, int from, int width, Vec v)
{
    PetscScalar* a;
    VecGetArrayWrite(v, &a);
    for (int k = 0; k < r->own_count; k++)
        for (int c = 0; c < width; c++) a[width * k + c] = factor * x[3 * (int64_t)r->node[k] + from + c];
    VecRestoreArrayWrite(v, &a);
}

void sn_rows_scatter(const SnRows* r, Vec v, int from, int width, double* x)
{
    const PetscScalar* a;
    VecGetArrayRead(v, &a);
    for (int k = 0; k < r->own_count; k++)
        memcpy(x + 3 * (int64_t)r->node[k] + from, a + width * k, (size_t)width * sizeof *x);
    VecRestoreArrayRead(v, &a);
}

// --- matrices ---

static int neighbour_of(const SnFabric* f, int rank)
{
    for (int k = 0; k < f->neighbour_count; k++)
        if (f->neighbours[k].rank == rank) return k;
    return -1;
}

// Each stored block stands in two places, but for those of the diagonal: at (row, column), and turned.
typedef void Visit(void* user, int row, int column, int j, int64_t k, bool turned);

static void visit_blocks(const SnPartBlocks* b, Visit* visit, void* user)
{
    for (int j = 0; j < b->n; j++)
        for (int64_t at = b->col_start[j]; at < b->col_start[j + 1]; at++) {
            int64_t k = at - b->col_start[j];
            visit(user, b->row[at], j, j, k, false);
            if (b->row[at] != j) visit(user, j, b->row[at], j, k, true);
        }
}

typedef struct Routing {
    SnSharedMatrix* m;
    int64_t* used; // blocks, of each neighbour
    PetscInt (**rows)[2];
    double block[9], turned[9];
    PetscErrorCode code;
} Routing;

static void count_block(void* user, int row, int column, int j, int64_t k, bool turned)
{
    Routing* r = user;
    const SnRows* rows = r->m->rows;
    (void)j, (void)k, (void)turned;
    int to = rows->owner[row] == rows->fabric->rank ? -1 : neighbour_of(rows->fabric, rows->owner[row]);
    if (to < 0) return;
    if (r->rows) r->rows[to][r->used[to]][0] = rows->global[row], r->rows[to][r->used[to]][1] = rows->global[column];
    r->used[to]++;
}

static SnStatus make_routes(SnSharedMatrix* m, Routing* r, PetscInt (**rows)[2])
{
    SnFabric* f = m->rows->fabric;
    int n = f->neighbour_count, number = m->blocks.width * m->blocks.width;
    int64_t each = number * (int64_t)sizeof(double), pair = (int64_t)sizeof **rows;
    for (int k = 0; k < n; k++) {
        if (!SN_NEW(rows[k], r->used[k], "the matrix") || !SN_NEW(m->routes.out[k], number * r->used[k], "the matrix"))
            return SN_ERROR_MEMORY;
        m->routes.out_size[k] = r->used[k];
    }
    // How many, then which.
    for (int k = 0; k < n; k++)
        MPI_Sendrecv(&m->routes.out_size[k], 1, MPI_INT64_T, f->neighbours[k].rank, 8, &m->routes.in_size[k], 1,
                     MPI_INT64_T, f->neighbours[k].rank, 8, f->comm, MPI_STATUS_IGNORE);
    memset(r->used, 0, (size_t)n * sizeof *r->used);
    r->rows = rows;
    visit_blocks(&m->blocks, count_block, r);
    for (int k = 0; k < n; k++) {
        if (!SN_NEW(m->routes.in_rows[k], m->routes.in_size[k], "the matrix") ||
            !SN_NEW(m->routes.in[k], number * m->routes.in_size[k], "the matrix"))
            return SN_ERROR_MEMORY;
        m->routes.out_size[k] *= pair, m->routes.in_size[k] *= pair;
    }
    sn_fabric_exchange(f, (const void* const*)rows, m->routes.out_size, (void* const*)m->routes.in_rows,
                       m->routes.in_size);
    for (int k = 0; k < n; k++)
        m->routes.out_size[k] = m->routes.out_size[k] / pair * each,
        m->routes.in_size[k] = m->routes.in_size[k] / pair * each;
    return SN_OK;
}

static SnStatus route(SnSharedMatrix* m)
{
    int n = m->rows->fabric->neighbour_count;
    SnBlockRoutes* to = &m->routes;
    Routing r = {.m = m};
    PetscInt(**rows)[2] = NULL;
    if (!SN_NEW(to->out_size, n, "the matrix") || !SN_NEW(to->in_size, n, "the matrix") ||
        !SN_NEW(to->in_rows, n, "the matrix") || !SN_NEW(to->out, n, "the matrix") ||
        !SN_NEW(to->in, n, "the matrix") || !SN_NEW(r.used, n, "the matrix") || !SN_NEW(rows, n, "the matrix"))
        return SN_ERROR_MEMORY;
    visit_blocks(&m->blocks, count_block, &r);
    SnStatus status = make_routes(m, &r, rows);
    for (int k = 0; k < n; k++) sn_free(rows[k]);
    sn_free(rows);
    to->used = r.used;
    return status;
}

// (row, column) of all blocks of own rows, to count those of each.
typedef struct Pattern {
    const SnSharedMatrix* m;
    int64_t count;
    PetscInt (*pairs)[2];
} Pattern;

static void note_block(void* user, int row, int column, int j, int64_t k, bool turned)
{
    Pattern* p = user;
    const SnRows* rows = p->m->rows;
    (void)j, (void)k, (void)turned;
    if (rows->owner[row] != rows->fabric->rank) return;
    if (p->pairs) p->pairs[p->count][0] = rows->global[row], p->pairs[p->count][1] = rows->global[column];
    p->count++;
}

static int compare_rows(const void* a, const void* b)
{
    const PetscInt *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] > q[1]) - (p[1] < q[1]);
}

static SnStatus find_pattern(SnSharedMatrix* m, Pattern* p, PetscInt* inside, PetscInt* outside)
{
    const SnRows* rows = m->rows;
    int64_t each = m->blocks.width * m->blocks.width * (int64_t)sizeof(double);
    visit_blocks(&m->blocks, note_block, p);
    int64_t all = p->count;
    for (int k = 0; k < rows->fabric->neighbour_count; k++) all += m->routes.in_size[k] / each;
    if (!SN_NEW(p->pairs, all, "the matrix")) return SN_ERROR_MEMORY;
    p->count = 0;
    visit_blocks(&m->blocks, note_block, p);
    for (int k = 0; k < rows->fabric->neighbour_count; k++) {
        memcpy(p->pairs + p->count, m->routes.in_rows[k], (size_t)(m->routes.in_size[k] / each) * sizeof *p->pairs);
        p->count += m->routes.in_size[k] / each;
    }
    qsort(p->pairs, (size_t)all, sizeof *p->pairs, compare_rows);
    for (int64_t i = 0; i < all; i++) {
        if (i > 0 && compare_rows(p->pairs[i - 1], p->pairs[i]) == 0) continue;
        PetscInt row = p->pairs[i][0] - (PetscInt)rows->first, column = p->pairs[i][1] - (PetscInt)rows->first;
        *(column >= 0 && column < rows->own_count ? &inside[row] : &outside[row]) += 1;
    }
    return SN_OK;
}

static SnStatus make_matrix(SnSharedMatrix* m, const PetscInt* inside, const PetscInt* outside)
{
    const SnRows* rows = m->rows;
    PetscInt width = m->blocks.width, size = width * rows->own_count;
    SN_PETSC(MatCreate(rows->fabric->comm, &m->matrix));
    SN_PETSC(MatSetSizes(m->matrix, size, size, PETSC_DETERMINE, PETSC_DETERMINE));
    SN_PETSC(MatSetBlockSize(m->matrix, width));
    SN_PETSC(MatSetType(m->matrix, m->unassembled ? MATIS : MATAIJ));
    ISLocalToGlobalMapping map;
    SN_PETSC(
        ISLocalToGlobalMappingCreate(rows->fabric->comm, width, m->blocks.n, rows->global, PETSC_COPY_VALUES, &map));
    SN_PETSC(MatSetLocalToGlobalMapping(m->matrix, map, map));
    SN_PETSC(ISLocalToGlobalMappingDestroy(&map));
    if (m->unassembled)
        SN_PETSC(MatISSetPreallocation(m->matrix, 60 * width, NULL, 60 * width, NULL));
    else
        SN_PETSC(MatXAIJSetPreallocation(m->matrix, width, inside, outside, NULL, NULL));
    SN_PETSC(MatSetOption(m->matrix, MAT_ROW_ORIENTED, PETSC_TRUE));
    SN_PETSC(MatSetOption(m->matrix, MAT_SYMMETRIC, PETSC_TRUE));
    SN_PETSC(MatSetOption(m->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    SN_PETSC(MatSetOption(m->matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    return SN_OK;
}

SnStatus sn_shared_matrix_create(const SnRows* rows, SnPartBlocks blocks, bool unassembled, SnSharedMatrix* m)
{
    *m = (SnSharedMatrix){.rows = rows, .blocks = blocks, .unassembled = unassembled};
    PetscInt *inside = NULL, *outside = NULL;
    if (!unassembled) SN_TRY(route(m));
    Pattern p = {.m = m};
    SnStatus status = SN_NEW(inside, rows->own_count, "the matrix") && SN_NEW(outside, rows->own_count, "the matrix")
                          ? SN_OK
                          : SN_ERROR_MEMORY;
    if (status == SN_OK && !unassembled) status = find_pattern(m, &p, inside, outside);
    if (status == SN_OK) status = make_matrix(m, inside, outside);
    SN_FREE(p.pairs, inside, outside);
    return status;
}

void sn_shared_matrix_free(SnSharedMatrix* m)
{
    SnBlockRoutes* r = &m->routes;
    for (int k = 0; m->rows && k < m->rows->fabric->neighbour_count; k++) {
        if (r->in_rows) sn_free(r->in_rows[k]);
        if (r->out) sn_free(r->out[k]);
        if (r->in) sn_free(r->in[k]);
    }
    SN_FREE(r->out_size, r->in_size, r->in_rows, r->out, r->in, r->used);
    MatDestroy(&m->matrix);
    *m = (SnSharedMatrix){0};
}

// Into PETSc's matrix, or what is sent.
static void put_block(void* user, int row, int column, int j, int64_t k, bool turned)
{
    Routing* r = user;
    SnSharedMatrix* m = r->m;
    const SnRows* rows = m->rows;
    int width = m->blocks.width;
    if (!turned) m->blocks.read(m->blocks.matrix, j, k, r->block);
    for (int a = 0; a < width && turned; a++)
        for (int b = 0; b < width; b++) r->turned[width * a + b] = r->block[width * b + a];
    const double* block = turned ? r->turned : r->block;
    PetscInt at[2] = {row, column}, to[2] = {rows->global[row], rows->global[column]};
    if (m->unassembled)
        r->code = r->code ? r->code : MatSetValuesBlockedLocal(m->matrix, 1, &at[0], 1, &at[1], block, ADD_VALUES);
    else if (rows->owner[row] == rows->fabric->rank)
        r->code = r->code ? r->code : MatSetValuesBlocked(m->matrix, 1, &to[0], 1, &to[1], block, ADD_VALUES);
    else {
        int k2 = neighbour_of(rows->fabric, rows->owner[row]);
        memcpy(m->routes.out[k2] + width * width * r->used[k2]++, block, (size_t)(width * width) * sizeof *block);
    }
}

static SnStatus add_received(SnSharedMatrix* m)
{
    SnFabric* f = m->rows->fabric;
    int64_t number = m->blocks.width * m->blocks.width, each = number * (int64_t)sizeof(double);
    sn_fabric_exchange(f, (const void* const*)m->routes.out, m->routes.out_size, (void* const*)m->routes.in,
                       m->routes.in_size);
    for (int k = 0; k < f->neighbour_count; k++)
        for (int64_t i = 0; i < m->routes.in_size[k] / each; i++) {
            const PetscInt* at = m->routes.in_rows[k][i];
            SN_PETSC(MatSetValuesBlocked(m->matrix, 1, &at[0], 1, &at[1], m->routes.in[k] + number * i, ADD_VALUES));
        }
    return SN_OK;
}

SnStatus sn_shared_matrix_update(SnSharedMatrix* m)
{
    Routing r = {.m = m, .used = m->routes.used};
    for (int k = 0; k < m->rows->fabric->neighbour_count && r.used; k++) r.used[k] = 0;
    SnStatus status = sn_petsc(MatZeroEntries(m->matrix), "MatZeroEntries");
    visit_blocks(&m->blocks, put_block, &r);
    if (status == SN_OK) status = sn_petsc(r.code, "MatSetValuesBlocked");
    if (status == SN_OK && !m->unassembled) status = add_received(m);
    SN_TRY(status);
    SN_PETSC(MatAssemblyBegin(m->matrix, MAT_FINAL_ASSEMBLY));
    return sn_petsc(MatAssemblyEnd(m->matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
}
