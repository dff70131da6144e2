// A graded interior for isosurface stuffing (Labelle & Shewchuk 2007, section 3): away from the surface, cells of the
// lattice are merged into cubes of 2, 4, 8, ... cells, neighbours differing by at most a factor of two. Between cubes
// of one size lie the lattice's tetrahedra, cut in two where an edge is halved; between two sizes, pyramids of the
// quarters of the larger face, whose diagonals go through its middle. Every node is a point of the fine lattice, and
// the boundary is that of the ungraded mesh.
#include "mesh/stuffing.h"

int sn_stuffing_level(const SnStuffing* s, const int cell[3])
{
    const int* n = s->cells;
    if (!s->level) return 0;
    for (int c = 0; c < 3; c++)
        if (cell[c] < 0 || cell[c] >= n[c]) return 0;
    return s->level[(cell[2] * n[1] + cell[1]) * n[0] + cell[0]];
}

// --- which cells are merged ---

// All points of a cube of two cells a side, and the centres of cells at its faces, are inside and where they were.
static bool is_inside(const SnStuffing* s, const int at[3])
{
    for (int k = -1; k <= 2; k++)
        for (int j = -1; j <= 2; j++)
            for (int i = -1; i <= 2; i++) {
                int beyond = (i < 0 || i > 1) + (j < 0 || j > 1) + (k < 0 || k > 1), p[3] = {at[0], at[1], at[2]};
                p[0] += i, p[1] += j, p[2] += k;
                if (beyond < 2 && s->sign[sn_stuffing_centre(s, p[0], p[1], p[2])] <= 0) return false;
                bool corner = i >= 0 && j >= 0 && k >= 0;
                if (corner && s->sign[sn_stuffing_corner(s, p[0], p[1], p[2])] <= 0) return false;
            }
    return true;
}

// Whether the cube of 2^level cells from `at` may be one: those that share a face or an edge with it are at least half
// as large.
static bool may_merge(const SnStuffing* s, const int at[3], int level)
{
    int half = 1 << (level - 1);
    for (int c = 0; c < 3; c++)
        if (at[c] < half || at[c] + 3 * half > s->cells[c]) return false;
    if (level == 1) return is_inside(s, at);
    for (int k = -1; k <= 2; k++)
        for (int j = -1; j <= 2; j++)
            for (int i = -1; i <= 2; i++) {
                int beyond = (i < 0 || i > 1) + (j < 0 || j > 1) + (k < 0 || k > 1);
                const int cell[3] = {at[0] + i * half, at[1] + j * half, at[2] + k * half};
                if (beyond < 3 && sn_stuffing_level(s, cell) < level - 1) return false;
            }
    return true;
}

static void merge(SnStuffing* s, const int at[3], int level)
{
    int size = 1 << level;
    const int* n = s->cells;
    for (int k = at[2]; k < at[2] + size; k++)
        for (int j = at[1]; j < at[1] + size; j++)
            for (int i = at[0]; i < at[0] + size; i++) s->level[(k * n[1] + j) * n[0] + i] = (signed char)level;
}

SnStatus sn_stuffing_grade(SnStuffing* s, double grade)
{
    const int* n = s->cells;
    if (grade < 2) return SN_OK;
    if (!SN_NEW(s->level, s->point_count - s->corner_count, "a lattice")) return SN_ERROR_MEMORY;
    for (int level = 1; grade >= 1 << level && level < SN_LEVELS; level++) {
        int size = 1 << level;
        for (int k = 0; k < n[2]; k += size)
            for (int j = 0; j < n[1]; j += size)
                for (int i = 0; i < n[0]; i += size)
                    if (may_merge(s, (const int[]){i, j, k}, level)) merge(s, (const int[]){i, j, k}, level);
    }
    return SN_OK;
}

// --- their tetrahedra ---

// A face of a cube, seen along its axis; lengths in cells of the lattice.
typedef struct Face {
    const SnStuffing* s;
    SnStuffingLayer* layer;
    int axis, size, level;
    int low[3];  // its least corner
    bool far;    // the side of the cube that it is on
    int ring[4]; // its corners, around the axis
} Face;

static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

// A point of the fine lattice on the face, in halves of its size; those of a single cell have whole ones only.
static int on_face(const Face* f, int u, int v)
{
    int p[3] = {f->low[0], f->low[1], f->low[2]};
    p[(f->axis + 1) % 3] += u * f->size / 2, p[(f->axis + 2) % 3] += v * f->size / 2;
    return sn_stuffing_corner(f->s, p[0], p[1], p[2]);
}

static int centre_of(const SnStuffing* s, const int at[3], int size)
{
    int h = size / 2;
    return size == 1 ? sn_stuffing_centre(s, at[0], at[1], at[2])
                     : sn_stuffing_corner(s, at[0] + h, at[1] + h, at[2] + h);
}

static void emit(const Face* f, int a, int b, int c, int d)
{
    sn_stuffing_emit(f->layer, a, b, c, d, f->far);
}

// Whether one of the four cubes around side k of the face is smaller: then there is a node in its middle.
static bool is_halved(const Face* f, int k)
{
    int u = (f->axis + 1) % 3, v = (f->axis + 2) % 3, along = k % 2 ? v : u, across = k % 2 ? u : v;
    int start[3] = {f->low[0], f->low[1], f->low[2]};
    start[across] += (k == 1 || k == 2) * f->size;
    for (int q = 0; q < 4; q++) {
        int cell[3];
        cell[along] = start[along], cell[across] = start[across] - q % 2, cell[f->axis] = start[f->axis] - q / 2;
        if (sn_stuffing_level(f->s, cell) < f->level) return true;
    }
    return false;
}

static int middle(const Face* f, int k)
{
    const int *a = around[k], *b = around[(k + 1) % 4];
    return on_face(f, a[0] + b[0], a[1] + b[1]);
}

// Around the line from one centre to the other, or to the middle of the face.
static void fill_ring(const Face* f, int from, int to, bool all_halved)
{
    for (int k = 0; k < 4; k++) {
        int a = f->ring[k], b = f->ring[(k + 1) % 4];
        if (all_halved || is_halved(f, k)) {
            int m = middle(f, k);
            emit(f, from, to, a, m), emit(f, from, to, m, b);
        } else {
            emit(f, from, to, a, b);
        }
    }
}

// A quarter of a larger face: its diagonal goes through the middle of that.
static void fill_quarter(const Face* f, int centre)
{
    int u = f->low[(f->axis + 1) % 3] / f->size % 2, v = f->low[(f->axis + 2) % 3] / f->size % 2, k = 0;
    while (around[k][0] == u || around[k][1] == v) k++;
    const int* r = f->ring;
    emit(f, centre, r[k], r[(k + 1) % 4], r[(k + 2) % 4]);
    emit(f, centre, r[k], r[(k + 2) % 4], r[(k + 3) % 4]);
}

static void fill_face(const SnStuffing* s, SnStuffingLayer* layer, const int at[3], int axis, bool far)
{
    int level = sn_stuffing_level(s, at), size = 1 << level;
    Face f = {.s = s, .layer = layer, .axis = axis, .size = size, .level = level, .far = far};
    int beyond[3];
    for (int c = 0; c < 3; c++) {
        f.low[c] = at[c] + (c == axis && far) * size;
        beyond[c] = at[c] + (c == axis ? far ? size : -1 : 0);
    }
    for (int k = 0; k < 4; k++) f.ring[k] = on_face(&f, 2 * around[k][0], 2 * around[k][1]);
    int other = sn_stuffing_level(s, beyond), centre = centre_of(s, at, size);
    if (other > level)
        fill_quarter(&f, centre);
    else if (other < level)
        fill_ring(&f, centre, on_face(&f, 1, 1), true);
    else if (far && level > 0)
        fill_ring(&f, centre, centre_of(s, beyond, size), false);
}

void sn_stuffing_fill_graded(const SnStuffing* s, SnStuffingLayer* layer, const int cell[3])
{
    int size = 1 << sn_stuffing_level(s, cell);
    for (int c = 0; c < 3; c++)
        if (cell[c] % size) return; // a cube is filled from its first cell
    for (int axis = 0; axis < 3; axis++) fill_face(s, layer, cell, axis, false), fill_face(s, layer, cell, axis, true);
}
