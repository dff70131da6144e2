// Applied to many vectors at once, B gives as many columns of each body.
#include "constraint/compliance.h"

#include <string.h>

#include "constraint/compliance_kernel.h"
#include "core/isa.h"
#include "linalg/vector_kernel.h"

SN_EXTERN_OF_ISA(const SnVectorKernels, sn_vector_kernels_table);
SN_EXTERN_OF_ISA(const SnComplianceKernels, sn_compliance_kernels_table);

SnStatus sn_compliance_create(SnCompliance* c, const SnNodes* nodes, int width, int* body)
{
    int64_t n = nodes->count;
    c->nodes = nodes, c->width = width, c->body = body;
    if (!SN_NEW(c->which, n, "contacts") || !SN_NEW(c->at, n, "contacts") || !SN_NEW(c->size, n, "contacts"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) c->which[i] = c->at[i] = -1;
    for (int i = 0; i < n; i++) c->size[body[i]] += nodes->free_index[i] >= 0;
    return SN_OK;
}

void sn_compliance_free(SnCompliance* c)
{
    for (int k = 0; k < c->body_capacity; k++)
        sn_free(c->bodies[k].node), sn_free(c->bodies[k].b), sn_free(c->bodies[k].h);
    sn_free(c->body), sn_free(c->which), sn_free(c->at), sn_free(c->size), sn_free(c->bodies), sn_free(c->rows);
    sn_free(c->some);
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

static int rounds_of(const SnCompliance* c, const SnCompliantBody* b)
{
    return (c->width * (b->count - b->ready) + SN_MANY - 1) / SN_MANY;
}

double sn_compliance_price(const SnCompliance* c)
{
    double sum = 0;
    for (int k = 0; k < c->body_count; k++) sum += (double)rounds_of(c, &c->bodies[k]) * c->size[c->bodies[k].root];
    return sum > 0 ? sum / c->nodes->free_count : 0;
}

int64_t sn_compliance_entries(const SnCompliance* c)
{
    int64_t sum = 0;
    for (int k = 0; k < c->body_count; k++) sum += (int64_t)c->bodies[k].count * c->bodies[k].count;
    return sum * c->width * c->width;
}

// A larger matrix, with what is known.
static SnStatus make_room(const SnCompliance* c, SnCompliantBody* b)
{
    int known = c->width * b->ready;
    if (c->width * b->count <= b->side) return SN_OK;
    int side = c->width * (b->count + b->count / 2);
    float *larger, *corrected = NULL;
    if (!SN_NEW(larger, (int64_t)side * side, "contacts")) return SN_ERROR_MEMORY;
    if (c->width == 3 && !SN_NEW(corrected, (int64_t)side * side, "contacts")) {
        sn_free(larger);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < known; i++)
        memcpy(larger + (int64_t)i * side, b->b + (int64_t)i * b->side, (size_t)known * sizeof *larger);
    sn_free(b->b), sn_free(b->h);
    b->b = larger, b->h = corrected, b->side = side;
    return SN_OK;
}

// The first of a body's columns that are found in this round, and how many they are.
static int columns_of(const SnCompliance* c, const SnCompliantBody* b, int round, int* first)
{
    *first = c->width * b->ready + SN_MANY * round;
    int left = c->width * b->count - *first;
    return left < 0 ? 0 : left < SN_MANY ? left : SN_MANY;
}

static double* row_of(const SnCompliance* c, const SnCompliantBody* b, int k)
{
    int64_t row = (int64_t)c->width * c->nodes->free_index[b->node[k / c->width]] + k % c->width;
    return c->rows + SN_MANY * row;
}

// Of the bodies that have some left; returns how many nodes these have.
static int set_units(SnCompliance* c, int round)
{
    int some = 0;
    for (int k = 0; k < c->body_count; k++) {
        const SnCompliantBody* b = &c->bodies[k];
        int first, count = columns_of(c, b, round, &first);
        for (int i = 0; i < b->count && count > 0; i++) {
            c->some[some++] = c->nodes->free_index[b->node[i]];
            memset(row_of(c, b, c->width * i), 0, (size_t)SN_MANY * (size_t)c->width * sizeof(double));
        }
        for (int l = 0; l < count; l++) row_of(c, b, first + l)[l] = 1;
    }
    return some;
}

// Columns in order, so that of two that should be the same the later one counts.
static void take_columns(const SnCompliance* c, int round)
{
    for (int k = 0; k < c->body_count; k++) {
        const SnCompliantBody* b = &c->bodies[k];
        int first, count = columns_of(c, b, round, &first);
        for (int i = 0; i < c->width * b->count && count > 0; i++) {
            const double* row = row_of(c, b, i);
            for (int l = 0; l < count; l++) {
                int64_t j = first + l;
                if (i > j && i < first + count) continue; // its own column comes later
                b->b[i * (int64_t)b->side + j] = b->b[j * b->side + i] = (float)row[l];
            }
        }
    }
}

static SnStatus make_rows(SnCompliance* c)
{
    int64_t n = SN_MANY * (int64_t)c->width * c->nodes->free_count;
    if (!c->some && !SN_NEW(c->some, c->nodes->free_count, "contacts")) return SN_ERROR_MEMORY;
    return c->rows || SN_NEW(c->rows, n, "contacts") ? SN_OK : SN_ERROR_MEMORY;
}

void sn_compliance_place_bodies(SnCompliance* c)
{
    for (int k = 0, first = 0; k < c->body_count; first += c->bodies[k].count, k++) c->bodies[k].first = first;
}

SnStatus sn_compliance_complete(SnCompliance* c, SnManyInverse inverse)
{
    int rounds = 0;
    for (int k = 0; k < c->body_count; k++) {
        int own = rounds_of(c, &c->bodies[k]);
        rounds = own > rounds ? own : rounds;
    }
    if (rounds > 0) SN_TRY(make_rows(c));
    for (int k = 0; k < c->body_count; k++) SN_TRY(make_room(c, &c->bodies[k]));
    for (int round = 0; round < rounds; round++) {
        int some = set_units(c, round);
        SN_TRY(inverse.apply(inverse.self, c->some, some, c->rows));
        take_columns(c, round);
    }
    for (int k = 0; k < c->body_count; k++) c->bodies[k].ready = c->bodies[k].count;
    sn_compliance_place_bodies(c);
    return SN_OK;
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
