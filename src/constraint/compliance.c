// B is the same for x, y and z, so that it gives three columns when it is applied once, and three of each body.
#include "constraint/compliance.h"

#include <string.h>

#include "constraint/compliance_kernel.h"
#include "core/isa.h"

SN_EXTERN_OF_ISA(const SnComplianceKernels, sn_compliance_kernels_table);

SnStatus sn_compliance_create(SnCompliance* c, const SnNodes* nodes, int* body)
{
    int64_t n = nodes->count;
    c->nodes = nodes, c->body = body;
    if (!SN_NEW(c->which, n, "contacts") || !SN_NEW(c->at, n, "contacts") || !SN_NEW(c->q, 3 * n, "contacts") ||
        !SN_NEW(c->r, 3 * n, "contacts"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) c->which[i] = c->at[i] = -1;
    return SN_OK;
}

void sn_compliance_free(SnCompliance* c)
{
    for (int k = 0; k < c->body_capacity; k++) sn_free(c->bodies[k].node), sn_free(c->bodies[k].b);
    sn_free(c->body), sn_free(c->which), sn_free(c->at), sn_free(c->bodies), sn_free(c->q), sn_free(c->r);
    *c = (SnCompliance){0};
}

// Bodies come in the order in which they are met, so that nothing depends on what was before.
void sn_compliance_clear(SnCompliance* c)
{
    for (int k = 0; k < c->body_count; k++) {
        SnCompliantBody* b = &c->bodies[k];
        for (int i = 0; i < b->count; i++) c->at[b->node[i]] = -1;
        if (b->count > 0) c->which[c->body[b->node[0]]] = -1;
        b->count = b->ready = 0;
    }
    c->body_count = c->count = 0;
}

static SnStatus add_body(SnCompliance* c, int first_node)
{
    int before = c->body_capacity;
    if (!SN_GROW(c->bodies, c->body_capacity, (int64_t)c->body_count + 1, "contacts")) return SN_ERROR_MEMORY;
    memset(c->bodies + before, 0, (size_t)(c->body_capacity - before) * sizeof *c->bodies);
    c->which[first_node] = c->body_count++;
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

int sn_compliance_price(const SnCompliance* c)
{
    int most = 0;
    for (int k = 0; k < c->body_count; k++) {
        int missing = c->bodies[k].count - c->bodies[k].ready;
        most = missing > most ? missing : most;
    }
    return (most + 2) / 3;
}

int64_t sn_compliance_entries(const SnCompliance* c)
{
    int64_t sum = 0;
    for (int k = 0; k < c->body_count; k++) sum += (int64_t)c->bodies[k].count * c->bodies[k].count;
    return sum;
}

// A larger matrix, with what is known.
static SnStatus make_room(SnCompliantBody* b)
{
    if (b->count <= b->side) return SN_OK;
    int side = b->count + b->count / 2;
    double* larger;
    if (!SN_NEW(larger, (int64_t)side * side, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < b->ready; i++)
        memcpy(larger + (int64_t)i * side, b->b + (int64_t)i * b->side, (size_t)b->ready * sizeof *larger);
    sn_free(b->b);
    b->b = larger, b->side = side;
    return SN_OK;
}

// The three nodes of a body whose columns are found in this round, or as many as there are.
static void set_unit(SnCompliance* c, int round, double value)
{
    for (int k = 0; k < c->body_count; k++) {
        const SnCompliantBody* b = &c->bodies[k];
        for (int a = 0, i = b->ready + 3 * round; a < 3 && i + a < b->count; a++)
            c->q[3 * (int64_t)b->node[i + a] + a] = value;
    }
}

static void take_columns(const SnCompliance* c, int round)
{
    for (int k = 0; k < c->body_count; k++) {
        const SnCompliantBody* b = &c->bodies[k];
        for (int a = 0, first = b->ready + 3 * round; a < 3 && first + a < b->count; a++)
            for (int64_t i = 0, j = first + a; i < b->count; i++)
                b->b[i * b->side + j] = b->b[j * b->side + i] = c->r[3 * (int64_t)b->node[i] + a];
    }
}

SnStatus sn_compliance_complete(SnCompliance* c, SnInverse inverse)
{
    int rounds = sn_compliance_price(c), first = 0;
    for (int k = 0; k < c->body_count; k++) SN_TRY(make_room(&c->bodies[k]));
    for (int round = 0; round < rounds; round++) {
        set_unit(c, round, 1);
        SN_TRY(inverse.apply(inverse.self, c->q, c->r));
        set_unit(c, round, 0);
        take_columns(c, round);
    }
    for (int k = 0; k < c->body_count; k++) {
        c->bodies[k].ready = c->bodies[k].count, c->bodies[k].first = first;
        first += c->bodies[k].count;
    }
    return SN_OK;
}

void sn_compliance_take(const SnCompliance* c, const double* x, double* to)
{
    for (int k = 0; k < c->body_count; to += 3 * (int64_t)c->bodies[k].count, k++)
        for (int64_t i = 0, n = c->bodies[k].count; i < n; i++)
            for (int a = 0; a < 3; a++) to[a * n + i] = x[3 * (int64_t)c->bodies[k].node[i] + a];
}

// Several rows at once, each of which is the column of its number; those of nodes that nothing pushes are left out.
static void apply_body(const SnCompliantBody* b, const double* q, double* r)
{
    const SnComplianceKernels* kernels = SN_OF_ISA(&sn_compliance_kernels_table);
    const double *columns[SN_COLUMNS], *y = q + b->count, *z = y + b->count;
    double weights[3][SN_COLUMNS] = {0};
    int count = 0;
    memset(r, 0, 3 * (size_t)b->count * sizeof *r);
    for (int j = 0; j < b->count; j++) {
        if (q[j] == 0 && y[j] == 0 && z[j] == 0) continue;
        weights[0][count] = q[j], weights[1][count] = y[j], weights[2][count] = z[j];
        columns[count++] = b->b + (int64_t)j * b->side;
        if (count == SN_COLUMNS) kernels->add_columns(b->count, columns, weights, r), count = 0;
    }
    if (count == 0) return;
    for (int k = count; k < SN_COLUMNS; k++) columns[k] = columns[0], weights[0][k] = weights[1][k] = weights[2][k] = 0;
    kernels->add_columns(b->count, columns, weights, r);
}

void sn_compliance_apply(const SnCompliance* c, const double* q, double* r)
{
    for (int k = 0; k < c->body_count; k++) {
        int64_t first = 3 * (int64_t)c->bodies[k].first;
        apply_body(&c->bodies[k], q + first, r + first);
    }
}
