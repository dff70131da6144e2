// Applied to many vectors at once, B gives as many columns of each body.
#include "constraint/columns.h"

#include <string.h>

#include "core/memory.h"

SnStatus sn_columns_create(SnColumns* c, const SnNodes* nodes, int width, const int* body)
{
    int64_t n = nodes->count;
    c->nodes = nodes, c->width = width, c->body = body;
    if (!SN_NEW(c->which, n, "contacts") || !SN_NEW(c->rank, n, "contacts") || !SN_NEW(c->size, n, "contacts"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) c->which[i] = c->rank[i] = -1;
    for (int i = 0; i < n; i++) c->size[body[i]] += nodes->free_index[i] >= 0;
    return SN_OK;
}

void sn_columns_free(SnColumns* c)
{
    for (int k = 0; k < c->body_count; k++) sn_free(c->bodies[k].node), sn_free(c->bodies[k].b);
    SN_FREE(c->which, c->rank, c->size, c->bodies, c->rows, c->some);
    *c = (SnColumns){0};
}

static void forget(SnColumns* c, SnColumnsBody* b)
{
    for (int i = 0; i < b->count; i++) c->rank[b->node[i]] = -1;
    b->count = b->ready = 0;
}

void sn_columns_forget(SnColumns* c)
{
    for (int k = 0; k < c->body_count; k++) forget(c, &c->bodies[k]);
}

void sn_columns_forget_body(SnColumns* c, int root)
{
    if (c->which[root] >= 0) forget(c, &c->bodies[c->which[root]]);
}

static SnStatus add_body(SnColumns* c, int root)
{
    if (!SN_GROW(c->bodies, c->body_capacity, (int64_t)c->body_count + 1, "contacts")) return SN_ERROR_MEMORY;
    c->bodies[c->body_count] = (SnColumnsBody){.root = root};
    c->which[root] = c->body_count++;
    return SN_OK;
}

SnStatus sn_columns_add(SnColumns* c, int node)
{
    int root = c->body[node];
    if (c->rank[node] >= 0) return SN_OK;
    if (c->which[root] < 0) SN_TRY(add_body(c, root));
    SnColumnsBody* b = &c->bodies[c->which[root]];
    if (!SN_GROW(b->node, b->capacity, (int64_t)b->count + 1, "contacts")) return SN_ERROR_MEMORY;
    b->node[b->count] = node;
    c->rank[node] = b->count++;
    return SN_OK;
}

static int rounds_of(const SnColumns* c, int nodes)
{
    return (c->width * nodes + SN_MANY - 1) / SN_MANY;
}

double sn_columns_price(const SnColumns* c, int root, int count)
{
    return (double)rounds_of(c, count) * c->size[root] / c->nodes->free_count;
}

// A larger matrix, with what is known.
static SnStatus make_room(const SnColumns* c, SnColumnsBody* b)
{
    int known = c->width * b->ready;
    if (c->width * b->count <= b->side) return SN_OK;
    int side = c->width * (b->count + b->count / 2);
    float* larger;
    if (!SN_NEW(larger, (int64_t)side * side, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < known; i++)
        memcpy(larger + (int64_t)i * side, b->b + (int64_t)i * b->side, (size_t)known * sizeof *larger);
    sn_free(b->b);
    b->b = larger, b->side = side;
    return SN_OK;
}

// The first of a body's columns that are found in this round, and how many they are.
static int columns_of(const SnColumns* c, const SnColumnsBody* b, int round, int* first)
{
    *first = c->width * b->ready + SN_MANY * round;
    int left = c->width * b->count - *first;
    return left < 0 ? 0 : left < SN_MANY ? left : SN_MANY;
}

static double* row_of(const SnColumns* c, const SnColumnsBody* b, int k)
{
    int64_t row = (int64_t)c->width * c->nodes->free_index[b->node[k / c->width]] + k % c->width;
    return c->rows + SN_MANY * row;
}

// Of the bodies that have some left; returns how many nodes these have.
static int set_units(SnColumns* c, int round)
{
    int some = 0;
    for (int k = 0; k < c->body_count; k++) {
        const SnColumnsBody* b = &c->bodies[k];
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
static void take_columns(const SnColumns* c, int round)
{
    for (int k = 0; k < c->body_count; k++) {
        const SnColumnsBody* b = &c->bodies[k];
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

static SnStatus make_rows(SnColumns* c)
{
    int64_t n = SN_MANY * (int64_t)c->width * c->nodes->free_count;
    if (!c->some && !SN_NEW(c->some, c->nodes->free_count, "contacts")) return SN_ERROR_MEMORY;
    return c->rows || SN_NEW(c->rows, n, "contacts") ? SN_OK : SN_ERROR_MEMORY;
}

SnStatus sn_columns_complete(SnColumns* c, SnManyInverse inverse)
{
    int rounds = 0;
    for (int k = 0; k < c->body_count; k++) {
        int own = rounds_of(c, c->bodies[k].count - c->bodies[k].ready);
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
    return SN_OK;
}

void sn_columns_save(const SnColumns* c, double* ranks)
{
    for (int i = 0; i < c->nodes->count; i++) ranks[i] = c->rank[i];
}

// Each node of a body goes to the place of its rank, if they have one each.
static bool sort(SnColumns* c, const double* ranks)
{
    for (int k = 0; k < c->body_count; k++)
        for (int i = 0; i < c->bodies[k].count; i++) c->bodies[k].node[i] = -1;
    for (int i = 0; i < c->nodes->count; i++) {
        if (c->rank[i] < 0) continue;
        SnColumnsBody* b = &c->bodies[c->which[c->body[i]]];
        if (!(ranks[i] < b->count) || b->node[(int)ranks[i]] >= 0) return false;
        c->rank[i] = (int)ranks[i], b->node[c->rank[i]] = i;
    }
    return true;
}

void sn_columns_restore(SnColumns* c, const double* ranks)
{
    bool all = ranks != NULL;
    sn_columns_forget(c);
    for (int i = 0; i < c->nodes->count && all; i++)
        if (ranks[i] >= 0 && c->nodes->free_index[i] >= 0) all = sn_columns_add(c, i) == SN_OK;
    if (all && sort(c, ranks)) return;
    for (int i = 0; i < c->nodes->count; i++) c->rank[i] = -1;
    for (int k = 0; k < c->body_count; k++) c->bodies[k].count = 0;
}
