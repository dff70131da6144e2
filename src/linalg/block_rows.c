// Both triangles of a symmetric matrix of 3x3 blocks by rows.
#include "linalg/block_rows.h"

#include "core/isa.h"

enum { GRAIN = 512 }; // rows of one task

SN_EXTERN_OF_ISA(const SnRowKernels, sn_row_kernels_table);

const SnRowKernels* sn_row_kernels(void)
{
    return SN_OF_ISA(&sn_row_kernels_table);
}

SnStatus sn_row_list_allocate(int n, int64_t blocks, SnRowList* list)
{
    *list = (SnRowList){.n = n};
    if (SN_NEW(list->start, (int64_t)n + 1, "rows of blocks") && SN_NEW(list->column, blocks, "rows of blocks") &&
        SN_NEW(list->block, 9 * blocks + 1, "rows of blocks"))
        return SN_OK;
    sn_row_list_free(list);
    return SN_ERROR_MEMORY;
}

void sn_row_list_free(SnRowList* list)
{
    SN_FREE(list->start, list->column, list->block);
    *list = (SnRowList){0};
}

struct SnBlockRows {
    const SnBlockMatrix* matrix;
    const SnRowKernels* kernels;
    SnRowList list;
    int64_t* lower; // of each block of the matrix: its place in its row; a column's own row has it transposed
    int64_t* upper; // n: where a row's diagonal block is, followed by those of its column
};

// Column after column fills each row with its blocks left of the diagonal, then with the rest.
static SnStatus place_blocks(SnBlockRows* rows)
{
    const SnBlockMatrix* m = rows->matrix;
    int64_t blocks = m->col_start[m->n];
    SN_TRY(sn_row_list_allocate(m->n, 2 * blocks - m->n, &rows->list));
    if (!SN_NEW(rows->lower, blocks, "rows of blocks") || !SN_NEW(rows->upper, m->n, "rows of blocks"))
        return SN_ERROR_MEMORY;
    SnRowList* list = &rows->list;
    for (int j = 0; j < m->n; j++) {
        list->start[j + 1] += m->col_start[j + 1] - m->col_start[j];
        for (int64_t k = m->col_start[j] + 1; k < m->col_start[j + 1]; k++) list->start[m->row[k] + 1]++;
    }
    for (int j = 0; j < m->n; j++) list->start[j + 1] += list->start[j], rows->upper[j] = list->start[j];
    for (int j = 0; j < m->n; j++) {
        int64_t at = rows->upper[j]; // its lower blocks are all placed by now
        for (int64_t k = m->col_start[j]; k < m->col_start[j + 1]; k++, at++) {
            int i = m->row[k];
            list->column[at] = i;
            if (i == j) continue;
            rows->lower[k] = rows->upper[i]++;
            list->column[rows->lower[k]] = j;
        }
    }
    return SN_OK;
}

SnStatus sn_block_rows_create(const SnBlockMatrix* matrix, SnBlockRows** out)
{
    *out = NULL;
    SnBlockRows* rows;
    if (!SN_NEW(rows, 1, "rows of blocks")) return SN_ERROR_MEMORY;
    rows->matrix = matrix;
    rows->kernels = sn_row_kernels();
    SN_FINISH(place_blocks(rows), rows, sn_block_rows_destroy, out);
}

void sn_block_rows_destroy(SnBlockRows* rows)
{
    if (!rows) return;
    sn_row_list_free(&rows->list);
    SN_FREE(rows->lower, rows->upper, rows);
}

static void update_columns(void* context, int first, int last)
{
    SnBlockRows* rows = context;
    const SnBlockMatrix* m = rows->matrix;
    for (int j = first; j < last; j++) {
        double* own = rows->list.block + 9 * rows->upper[j];
        for (int64_t k = 0; k < m->col_start[j + 1] - m->col_start[j]; k++, own += 9) {
            double block[9]; // column after column
            sn_block_read(m, j, k, block);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) own[3 * r + c] = block[3 * c + r];
            if (k == 0) continue;
            double* other = rows->list.block + 9 * rows->lower[m->col_start[j] + k];
            for (int q = 0; q < 9; q++) other[q] = block[q];
        }
    }
}

void sn_block_rows_update(SnBlockRows* rows, SnTasks* tasks)
{
    sn_tasks_for(tasks, rows->matrix->n, GRAIN, update_columns, rows);
}

typedef struct Product {
    const SnBlockRows* rows;
    const double* x;
    double* y;
} Product;

static void multiply_rows(void* context, int first, int last)
{
    const Product* product = context;
    product->rows->kernels->multiply(&product->rows->list, product->x, product->y, first, last);
}

void sn_block_rows_multiply(const SnBlockRows* rows, SnTasks* tasks, const double* x, double* y)
{
    sn_tasks_for(tasks, rows->matrix->n, GRAIN, multiply_rows, &(Product){rows, x, y});
}

static void apply(void* self, SnTasks* tasks, const double* x, double* y)
{
    sn_block_rows_multiply(self, tasks, x, y);
}

SnLinearMap sn_block_rows_map(SnBlockRows* rows)
{
    return (SnLinearMap){apply, rows};
}
