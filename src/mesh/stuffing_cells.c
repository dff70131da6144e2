// The stencils of isosurface stuffing: what is inside of a lattice tetrahedron, as one to three tetrahedra.
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "mesh/stuffing.h"

// A lattice tetrahedron of positive volume: two centres, then two corners. Edges within each pair are long.
typedef struct Cell {
    const SnStuffing* s;
    int point[4];
    int sign[4];
} Cell;

typedef SnStuffingLayer Layer;

typedef struct Fill {
    const SnStuffing* s;
    Layer* layers; // of cells with the same last index
} Fill;

void sn_stuffing_emit(Layer* layer, int a, int b, int c, int d, bool positive)
{
    if (layer->failed || !SN_GROW(layer->codes, layer->capacity, 4 * ((int64_t)layer->count + 1), "a lattice")) {
        layer->failed = true;
        return;
    }
    int* t = layer->codes + 4 * (int64_t)layer->count++;
    t[0] = a, t[1] = b, t[2] = positive ? c : d, t[3] = positive ? d : c;
}

static int cut(const Cell* c, int i, int j)
{
    return sn_stuffing_cut(c->s, c->point[i], c->point[j]);
}

static bool is_long(int i, int j)
{
    return i / 2 == j / 2;
}

static double square(const Cell* c, int a, int b)
{
    double x[3], y[3], d[3];
    sn_stuffing_place(c->s, a, x), sn_stuffing_place(c->s, b, y);
    sn_subtract3(x, y, d);
    return sn_dot3(d, d);
}

// Of the two ways to cut the part of face (i, j, m) that is inside, i and j inside and m outside, into triangles: true
// for the diagonal from i to the cut of (j, m). Both tetrahedra at the face come to the same.
static bool from_first(const Cell* c, int i, int j, int m)
{
    if (is_long(i, m)) return false;
    if (is_long(j, m)) return true;
    double a = square(c, c->point[i], cut(c, j, m)), b = square(c, c->point[j], cut(c, i, m));
    return a < b || (a == b && c->point[i] < c->point[j]);
}

// A prism between triangles (0, 1, 2) and (3, 4, 5); over[k]: the diagonal of the side of corners k and k + 1 begins at
// k of the first triangle. Not all three may go the same way around. positive: that of (0, 1, 2, 5).
static void emit_prism(Layer* layer, const int v[6], const bool over[3], bool positive)
{
    int wins[3] = {over[0] + !over[2], over[1] + !over[0], over[2] + !over[1]}, order[3] = {0};
    for (int k = 0; k < 3; k++) order[2 - wins[k]] = k;
    int a = order[0], b = order[1], c = order[2];
    bool even = (b - a + 3) % 3 == 1;
    sn_stuffing_emit(layer, v[a], v[b], v[c], v[c + 3], positive == even);
    sn_stuffing_emit(layer, v[a], v[b], v[c + 3], v[b + 3], positive == even);
    sn_stuffing_emit(layer, v[a], v[b + 3], v[c + 3], v[a + 3], positive == even);
}

// Whether (i, j, k, l) is an even permutation of (0, 1, 2, 3).
static bool even4(int i, int j, int k, int l)
{
    return ((i > j) + (i > k) + (i > l) + (j > k) + (j > l) + (k > l)) % 2 == 0;
}

// Three inside, one outside.
static void emit_three(Layer* layer, const Cell* c, const int in[3], int out)
{
    int v[6];
    bool over[3];
    for (int k = 0; k < 3; k++) {
        v[k] = c->point[in[k]], v[k + 3] = cut(c, in[k], out);
        over[k] = from_first(c, in[k], in[(k + 1) % 3], out);
    }
    emit_prism(layer, v, over, even4(in[0], in[1], in[2], out));
}

// Two inside, two outside: a prism whose third side lies on the surface.
static void emit_two(Layer* layer, const Cell* c, const int in[2], const int out[2])
{
    int i = in[0], j = in[1], k = out[0], l = out[1];
    int v[6] = {c->point[i], cut(c, i, k), cut(c, i, l), c->point[j], cut(c, j, k), cut(c, j, l)};
    // The sides are those of (i, k), (k, l), (l, i); seen from the first triangle.
    bool first = from_first(c, i, j, k), last = !from_first(c, i, j, l);
    bool middle = square(c, v[1], v[5]) <= square(c, v[2], v[4]);
    if (first == last) middle = !first;
    emit_prism(layer, v, (const bool[]){first, middle, last}, even4(i, j, k, l));
}

// Two inside, one on the surface, one outside: a pyramid.
static void emit_pyramid(Layer* layer, const Cell* c, int i, int j, int on, int out)
{
    if (!from_first(c, i, j, out)) {
        int swap = i;
        i = j, j = swap;
    }
    bool positive = even4(i, j, on, out);
    int a = c->point[i], b = c->point[j], o = c->point[on], ci = cut(c, i, out), cj = cut(c, j, out);
    sn_stuffing_emit(layer, a, b, o, cj, positive);
    sn_stuffing_emit(layer, a, cj, o, ci, positive);
}

static void emit_cell(Layer* layer, const Cell* c)
{
    int in[4], out[4], on[4], ins = 0, outs = 0, ons = 0, code[4];
    for (int i = 0; i < 4; i++) {
        if (c->sign[i] > 0) in[ins++] = i;
        if (c->sign[i] < 0) out[outs++] = i;
        if (c->sign[i] == 0) on[ons++] = i;
    }
    if (ins == 0) return;
    if (ins == 3 && outs == 1)
        emit_three(layer, c, in, out[0]);
    else if (ins == 2 && outs == 2)
        emit_two(layer, c, in, out);
    else if (ins == 2 && outs == 1)
        emit_pyramid(layer, c, in[0], in[1], on[0], out[0]);
    else {
        for (int i = 0; i < 4; i++) code[i] = c->sign[i] < 0 ? cut(c, in[0], i) : c->point[i];
        sn_stuffing_emit(layer, code[0], code[1], code[2], code[3], true);
    }
}

// The four tetrahedra around the face between a cell and the next one along an axis.
static void fill_face(const SnStuffing* s, Layer* layer, const int at[3], int axis)
{
    int next[3] = {at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2)};
    int a = sn_stuffing_centre(s, at[0], at[1], at[2]), b = sn_stuffing_centre(s, next[0], next[1], next[2]);
    if (b < 0 || sn_stuffing_level(s, at) || sn_stuffing_level(s, next)) return;
    int u = (axis + 1) % 3, v = (axis + 2) % 3, ring[4];
    for (int k = 0; k < 4; k++) { // around the axis
        int p[3] = {next[0], next[1], next[2]};
        p[u] += k == 1 || k == 2, p[v] += k >= 2;
        ring[k] = sn_stuffing_corner(s, p[0], p[1], p[2]);
    }
    for (int k = 0; k < 4; k++) {
        Cell c = {.s = s, .point = {a, b, ring[k], ring[(k + 1) % 4]}};
        for (int i = 0; i < 4; i++) c.sign[i] = s->sign[c.point[i]];
        emit_cell(layer, &c);
    }
}

static void fill_layer(void* context, int first, int last)
{
    Fill* f = context;
    const SnStuffing* s = f->s;
    for (int k = first; k < last; k++)
        for (int j = 0; j < s->cells[1]; j++)
            for (int i = 0; i < s->cells[0]; i++) {
                const int at[3] = {i, j, k};
                for (int axis = 0; axis < 3; axis++) fill_face(s, &f->layers[k], at, axis);
                if (s->level) sn_stuffing_fill_graded(s, &f->layers[k], at);
            }
}

// --- the mesh ---

typedef struct Places {
    const SnStuffing* s;
    const int* codes;
    double* nodes;
} Places;

static void set_places(void* context, int first, int last)
{
    Places* p = context;
    for (int n = first; n < last; n++) sn_stuffing_place(p->s, p->codes[n], p->nodes + 3 * (int64_t)n);
}

// Codes to nodes 0, 1, ... in their order; *used: the code of each.
static SnStatus number_codes(const SnStuffing* s, const Layer* layers, int* number, int** used, int* count)
{
    int64_t codes = (int64_t)s->point_count + s->cut_count;
    for (int k = 0; k < s->cells[2]; k++)
        for (int64_t i = 0; i < 4 * (int64_t)layers[k].count; i++) number[layers[k].codes[i]] = 1;
    *count = 0;
    for (int64_t i = 0; i < codes; i++) *count += number[i];
    if (!SN_NEW(*used, *count, "a lattice")) return SN_ERROR_MEMORY;
    int next = 0;
    for (int64_t i = 0; i < codes; i++)
        if (number[i]) (*used)[next] = (int)i, number[i] = next++;
    return SN_OK;
}

static SnStatus assemble(const SnStuffing* s, SnTasks* tasks, const Layer* layers, int* number, SnMesh** mesh)
{
    int *used = NULL, count;
    int64_t tetrahedra = 0;
    for (int k = 0; k < s->cells[2]; k++) {
        if (layers[k].failed) return sn_fail_memory("a lattice", 0);
        tetrahedra += layers[k].count;
    }
    if (tetrahedra > SN_MESH_MOST)
        return sn_fail(SN_ERROR_VALUE, "more than %d tetrahedra; take longer edges", SN_MESH_MOST);
    SN_TRY(number_codes(s, layers, number, &used, &count));
    SnStatus status = count ? sn_mesh_allocate(count, 3, (int)tetrahedra, mesh) : SN_OK;
    if (status == SN_OK && count) {
        Places places = {s, used, (*mesh)->nodes};
        sn_tasks_for(tasks, count, 1024, set_places, &places);
        int* next = (*mesh)->tetrahedra;
        for (int k = 0; k < s->cells[2]; k++)
            for (int64_t i = 0; i < 4 * (int64_t)layers[k].count; i++) *next++ = number[layers[k].codes[i]];
    }
    sn_free(used);
    return status;
}

SnStatus sn_stuffing_mesh(const SnStuffing* s, SnTasks* tasks, SnMesh** mesh)
{
    Fill fill = {.s = s};
    int* number = NULL;
    SnStatus status = SN_OK;
    *mesh = NULL;
    if (!SN_NEW(fill.layers, s->cells[2], "a lattice") ||
        !SN_NEW(number, (int64_t)s->point_count + s->cut_count, "a lattice"))
        status = SN_ERROR_MEMORY;
    if (status == SN_OK) sn_tasks_for(tasks, s->cells[2], 1, fill_layer, &fill);
    if (status == SN_OK) status = assemble(s, tasks, fill.layers, number, mesh);
    for (int k = 0; fill.layers && k < s->cells[2]; k++) sn_free(fill.layers[k].codes);
    SN_FREE(fill.layers, number);
    return status;
}
