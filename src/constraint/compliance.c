// The matrix of a body is filled from the columns that are known of it, node by node as they come.
#include "constraint/compliance.h"

#include <string.h>

#include "constraint/compliance_kernel.h"
#include "core/isa.h"
#include "linalg/vector_kernel.h"

enum {
    GRAIN = 4,      // bodies
    MANY_TIMES = 2, // as many columns as are needed are kept,
    SPARE = 48,     // and so many more
};

SN_EXTERN_OF_ISA(const SnVectorKernels, sn_vector_kernels_table);
SN_EXTERN_OF_ISA(const SnComplianceKernels, sn_compliance_kernels_table);

SnStatus sn_compliance_create(SnCompliance* c, const SnNodes* nodes, int width, int* body)
{
    int64_t n = nodes->count;
    c->nodes = nodes, c->width = width, c->body = body;
    if (!SN_NEW(c->which, n, "contacts") || !SN_NEW(c->at, n, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) c->which[i] = c->at[i] = -1;
    return sn_columns_create(&c->columns, nodes, width, body);
}

void sn_compliance_free(SnCompliance* c)
{
    for (int k = 0; k < c->body_capacity; k++) {
        SnCompliantBody* b = &c->bodies[k];
        SN_FREE(b->node, b->turn, b->b, b->h);
    }
    sn_columns_free(&c->columns);
    SN_FREE(c->body, c->which, c->at, c->bodies);
    *c = (SnCompliance){0};
}

// Bodies come in the order in which they are met, so that nothing depends on what was before.
void sn_compliance_clear(SnCompliance* c)
{
    for (int k = 0; k < c->body_count; k++) {
        SnCompliantBody* b = &c->bodies[k];
        for (int i = 0; i < b->count; i++) c->at[b->node[i]] = -1;
        c->which[b->root] = -1; // also where there was no room for its first node
        b->count = b->ready = 0;
    }
    c->body_count = c->count = 0;
}

static SnStatus add_body(SnCompliance* c, int root)
{
    int before = c->body_capacity;
    if (!SN_GROW(c->bodies, c->body_capacity, (int64_t)c->body_count + 1, "contacts")) return SN_ERROR_MEMORY;
    memset(c->bodies + before, 0, (size_t)(c->body_capacity - before) * sizeof *c->bodies);
    c->bodies[c->body_count].root = root;
    c->which[root] = c->body_count++;
    return SN_OK;
}

SnStatus sn_compliance_add(SnCompliance* c, int node)
{
    if (c->at[node] >= 0 || c->nodes->free_index[node] < 0) return SN_OK;
    int root = c->body[node];
    if (c->which[root] < 0) SN_TRY(add_body(c, root));
    SnCompliantBody* b = &c->bodies[c->which[root]];
    if (!SN_GROW(b->node, b->capacity, (int64_t)b->count + 1, "contacts")) return SN_ERROR_MEMORY;
    b->node[b->count] = node;
    c->at[node] = b->count++;
    c->count++;
    return SN_OK;
}

double sn_compliance_price(const SnCompliance* c)
{
    double sum = 0;
    for (int k = 0; k < c->body_count; k++) {
        const SnCompliantBody* b = &c->bodies[k];
        int missing = 0;
        for (int i = b->ready; i < b->count; i++) missing += c->columns.rank[b->node[i]] < 0;
        sum += sn_columns_price(&c->columns, b->root, missing);
    }
    return sum;
}

int64_t sn_compliance_entries(const SnCompliance* c)
{
    int64_t sum = 0;
    for (int k = 0; k < c->body_count; k++) sum += (int64_t)c->bodies[k].count * c->bodies[k].count;
    return sum * c->width * c->width;
}

// A larger matrix, with what is there.
static SnStatus make_room(const SnCompliance* c, SnCompliantBody* b)
{
    int known = c->width * b->ready, nodes = b->count + b->count / 2, side = c->width * nodes;
    if (c->width * b->count <= b->side) return SN_OK;
    float *larger = NULL, *corrected = NULL;
    double* turn = NULL;
    bool wide = c->width == 3, room = SN_NEW(larger, (int64_t)side * side, "contacts");
    if (room && wide)
        room = SN_NEW(corrected, (int64_t)side * side, "contacts") && SN_NEW(turn, 9 * (int64_t)nodes, "contacts");
    if (!room) {
        SN_FREE(larger, corrected, turn);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < known; i++)
        memcpy(larger + (int64_t)i * side, b->b + (int64_t)i * b->side, (size_t)known * sizeof *larger);
    if (wide && b->ready > 0) memcpy(turn, b->turn, 9 * (size_t)b->ready * sizeof *turn);
    SN_FREE(b->b, b->h, b->turn);
    b->b = larger, b->h = corrected, b->turn = turn, b->side = side;
    return SN_OK;
}

// Columns of nodes that nothing touches any more are worth their memory only as long as they are not too many.
static SnStatus add_columns(SnCompliance* c)
{
    for (int k = 0; k < c->body_count; k++) {
        const SnCompliantBody* b = &c->bodies[k];
        const SnColumnsBody* known = sn_columns_of(&c->columns, b->root);
        if (known && known->count > SPARE + MANY_TIMES * b->count) sn_columns_forget_body(&c->columns, b->root);
        for (int i = 0; i < b->count; i++) SN_TRY(sn_columns_add(&c->columns, b->node[i]));
    }
    return SN_OK;
}

// to = R from S^T, from with its rows `side` apart
static void turn_block(const double r[9], const double s[9], const float* from, int64_t side, double to[9])
{
    double half[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[3 * i + j] =
                r[i] * (double)from[j] + r[3 + i] * (double)from[side + j] + r[6 + i] * (double)from[2 * side + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to[3 * i + j] = half[3 * i] * s[j] + half[3 * i + 1] * s[3 + j] + half[3 * i + 2] * s[6 + j];
}

// The blocks of a node and of those before it, and their mirror images.
static void fill_wide(SnCompliantBody* b, const SnColumns* columns, const SnColumnsBody* from, int i)
{
    int64_t side = b->side;
    for (int j = 0; j <= i; j++) {
        double block[9];
        const float* at = from->b + 3 * ((int64_t)columns->rank[b->node[i]] * from->side + columns->rank[b->node[j]]);
        turn_block(b->turn + 9 * (int64_t)i, b->turn + 9 * (int64_t)j, at, from->side, block);
        for (int a = 0; a < 3; a++)
            for (int e = 0; e < 3; e++)
                if (j < i || e <= a)
                    b->b[(3 * i + a) * side + 3 * j + e] = b->b[(3 * j + e) * side + 3 * i + a] =
                        (float)block[3 * a + e];
    }
}

static void fill_narrow(SnCompliantBody* b, const SnColumns* columns, const SnColumnsBody* from, int i)
{
    const float* row = from->b + (int64_t)columns->rank[b->node[i]] * from->side;
    for (int64_t j = 0; j <= i; j++)
        b->b[i * (int64_t)b->side + j] = b->b[j * b->side + i] = row[columns->rank[b->node[j]]];
}

typedef struct Filling {
    SnCompliance* compliance;
    SnManyInverse inverse;
} Filling;

static void fill_bodies(void* self, int first, int last)
{
    const Filling* f = self;
    SnCompliance* c = f->compliance;
    for (int k = first; k < last; k++) {
        SnCompliantBody* b = &c->bodies[k];
        const SnColumnsBody* from = sn_columns_of(&c->columns, b->root);
        for (int i = b->ready; i < b->count; i++) {
            static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            double* turn = c->width == 3 ? b->turn + 9 * (int64_t)i : NULL;
            if (turn) memcpy(turn, one, sizeof one);
            if (turn && f->inverse.turn) f->inverse.turn(f->inverse.self, c->nodes->free_index[b->node[i]], turn);
            turn ? fill_wide(b, &c->columns, from, i) : fill_narrow(b, &c->columns, from, i);
        }
        b->ready = b->count;
    }
}

void sn_compliance_place_bodies(SnCompliance* c)
{
    for (int k = 0, first = 0; k < c->body_count; first += c->bodies[k].count, k++) c->bodies[k].first = first;
}

SnStatus sn_compliance_complete(SnCompliance* c, SnManyInverse inverse)
{
    SN_TRY(add_columns(c));
    SN_TRY(sn_columns_complete(&c->columns, inverse));
    for (int k = 0; k < c->body_count; k++) SN_TRY(make_room(c, &c->bodies[k]));
    sn_tasks_for(c->nodes->tasks, c->body_count, GRAIN, fill_bodies, &(Filling){c, inverse});
    sn_compliance_place_bodies(c);
    return SN_OK;
}

SnStatus sn_compliance_recall(SnCompliance* c, SnManyInverse inverse)
{
    return sn_columns_complete(&c->columns, inverse);
}

double sn_compliance_entry(const SnCompliance* c, int row, int column)
{
    if (c->at[row] < 0 || c->at[column] < 0 || c->body[row] != c->body[column]) return 0;
    const SnCompliantBody* b = &c->bodies[c->which[c->body[row]]];
    const float* at = b->b + (int64_t)c->width * c->at[row] * b->side + c->width * c->at[column];
    return c->width == 1 ? (double)*at : ((double)at[0] + at[b->side + 1] + at[2 * (int64_t)b->side + 2]) / 3;
}

void sn_compliance_take(const SnCompliance* c, const double* x, double* to)
{
    for (int k = 0; k < c->body_count; to += 3 * (int64_t)c->bodies[k].count, k++)
        for (int64_t i = 0, n = c->bodies[k].count; i < n; i++)
            for (int a = 0; a < 3; a++)
                to[c->width == 1 ? a * n + i : 3 * i + a] = x[3 * (int64_t)c->bodies[k].node[i] + a];
}

void sn_compliance_correct(const SnCompliance* c, const SnCompliantBody* b, double scale, int count, const double* w,
                           const double* v, int64_t apart, double* sums)
{
    const SnVectorKernels* kernels = SN_OF_ISA(&sn_vector_kernels_table);
    int n = c->width * b->count;
    double* row = sums + (int64_t)count * n;
    if (count > 0) memset(sums, 0, (size_t)count * (size_t)n * sizeof *sums);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (w[i * count + j] != 0) kernels->add(n, w[i * count + j], v + j * apart, sums + (int64_t)i * n);
    for (int k = 0; k < n; k++) {
        float* h = b->h + (int64_t)k * b->side;
        for (int i = 0; i < n; i++) row[i] = scale * b->b[(int64_t)k * b->side + i];
        for (int i = 0; i < count; i++) kernels->add(n, v[i * apart + k], sums + (int64_t)i * n, row);
        for (int i = 0; i < n; i++) h[i] = (float)row[i];
    }
}

// Several rows at once, each of which is the column of its number; those of nodes that nothing pushes are left out.
void sn_compliance_apply_body(const SnCompliance* c, const SnCompliantBody* b, const double* q, double* r)
{
    const SnComplianceKernels* kernels = SN_OF_ISA(&sn_compliance_kernels_table);
    const float* columns[SN_COLUMNS];
    double weights[3][SN_COLUMNS] = {0};
    int count = 0, n = c->width * b->count, vectors = 3 / c->width;
    memset(r, 0, 3 * (size_t)b->count * sizeof *r);
    for (int j = 0; j < n; j++) {
        bool any = false;
        for (int a = 0; a < vectors; a++) weights[a][count] = q[a * n + j], any |= q[a * n + j] != 0;
        if (!any) continue;
        columns[count++] = (c->width == 1 ? b->b : b->h) + (int64_t)j * b->side;
        if (count == SN_COLUMNS) kernels->add_columns(n, vectors, columns, weights, r), count = 0;
    }
    if (count == 0) return;
    for (int k = count; k < SN_COLUMNS; k++) columns[k] = columns[0], weights[0][k] = weights[1][k] = weights[2][k] = 0;
    kernels->add_columns(n, vectors, columns, weights, r);
}
