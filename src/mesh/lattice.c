// A lattice of cubic cells cut into tetrahedra.
//
// Kuhn: the six paths along the axes from one corner of a cell to the opposite one; neighbours are mirror images, so
// that the diagonals on their common faces agree. BCC: a node in each cell's centre; the octahedron around the line
// between neighbouring centres is cut into four, the pyramid under each boundary face into two.
#include "mesh/lattice.h"

#include "core/budget.h"
#include "mesh/elements.h"
#include "mesh/slab.h"

#include <math.h>

typedef struct Lattice {
    int cells[3], corners[3]; // a ring has as many corners as cells on axis 0
    int order[3];             // axes, the one with the fewest cells first: its nodes are neighbours in memory
    SnBoxPattern pattern;
    SnMesh* mesh;
    int* next; // where the next tetrahedron goes
} Lattice;

enum { KUHN = 6 }; // tetrahedra of a cell

// Nodes are numbered slab by slab along the longest axis, a slab's corners before its centres.
static int slab_size(const Lattice* l)
{
    const int* o = l->order;
    int centres = l->pattern == SN_BOX_BCC ? l->cells[o[0]] * l->cells[o[1]] : 0;
    return l->corners[o[0]] * l->corners[o[1]] + centres;
}

static int corner(const Lattice* l, const int p[3])
{
    const int* o = l->order;
    int q[3] = {p[0] % l->corners[0], p[1], p[2]};
    return q[o[2]] * slab_size(l) + q[o[1]] * l->corners[o[0]] + q[o[0]];
}

static int centre(const Lattice* l, const int c[3])
{
    const int* o = l->order;
    int q[3] = {c[0] % l->cells[0], c[1], c[2]};
    return q[o[2]] * slab_size(l) + l->corners[o[0]] * l->corners[o[1]] + q[o[1]] * l->cells[o[0]] + q[o[0]];
}

static void add(Lattice* l, int a, int b, int c, int d, bool positive)
{
    *l->next++ = a;
    *l->next++ = b;
    *l->next++ = positive ? c : d;
    *l->next++ = positive ? d : c;
}

static void add_kuhn_cell(Lattice* l, const int c[3])
{
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}; // even, odd
    bool odd = (c[0] ^ c[1] ^ c[2]) & 1; // an odd number of mirrored axes
    for (int path = 0; path < 6; path++) {
        int p[3], n[4];
        for (int i = 0; i < 3; i++) p[i] = c[i] + (c[i] & 1);
        n[0] = corner(l, p);
        for (int step = 0; step < 3; step++) {
            int axis = paths[path][step];
            p[axis] += c[axis] & 1 ? -1 : 1;
            n[step + 1] = corner(l, p);
        }
        add(l, n[0], n[1], n[2], n[3], (path < 3) != odd);
    }
}

// The four corners of the face of cell c across `axis` on its far or near side, counter-clockwise seen from the far
// one.
static void face_corners(const Lattice* l, const int c[3], int axis, bool far, int n[4])
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        int p[3];
        p[axis] = c[axis] + far;
        p[u] = c[u] + around[i][0];
        p[v] = c[v] + around[i][1];
        n[i] = corner(l, p);
    }
}

// Diagonals of boundary faces run towards the corners of the side they are on.
static void add_pyramid(Lattice* l, const int c[3], int axis, bool far)
{
    int n[4], u = (axis + 1) % 3, v = (axis + 2) % 3;
    face_corners(l, c, axis, far, n);
    bool rising = (2 * c[u] < l->cells[u]) == (2 * c[v] < l->cells[v]);
    int first = rising ? 0 : 1;
    for (int half = 0; half < 2; half++) {
        int a = n[first], b = n[(first + 1 + half) % 4], d = n[(first + 2 + half) % 4];
        add(l, centre(l, c), a, b, d, far);
    }
}

static void add_octahedron(Lattice* l, const int c[3], int axis)
{
    int n[4], next[3] = {c[0], c[1], c[2]};
    next[axis]++;
    face_corners(l, c, axis, true, n);
    for (int i = 0; i < 4; i++) add(l, centre(l, c), centre(l, next), n[i], n[(i + 1) % 4], true);
}

static void add_bcc_cell(Lattice* l, const int c[3])
{
    for (int axis = 0; axis < 3; axis++) {
        bool ring = l->corners[axis] == l->cells[axis];
        if (c[axis] == 0 && !ring) add_pyramid(l, c, axis, false);
        if (c[axis] == l->cells[axis] - 1 && !ring)
            add_pyramid(l, c, axis, true);
        else
            add_octahedron(l, c, axis);
    }
}

static void fill(Lattice* l)
{
    const int* o = l->order;
    int p[3];
    for (p[o[2]] = 0; p[o[2]] <= l->cells[o[2]]; p[o[2]]++) {
        for (p[o[1]] = 0; p[o[1]] <= l->cells[o[1]]; p[o[1]]++) {
            for (p[o[0]] = 0; p[o[0]] <= l->cells[o[0]]; p[o[0]]++) {
                bool is_cell = true, is_corner = true;
                for (int i = 0; i < 3; i++) is_cell &= p[i] < l->cells[i], is_corner &= p[i] < l->corners[i];
                for (int i = 0; i < 3 && is_corner; i++) l->mesh->nodes[3 * corner(l, p) + i] = p[i];
                for (int i = 0; i < 3 && is_cell && l->pattern == SN_BOX_BCC; i++)
                    l->mesh->nodes[3 * centre(l, p) + i] = p[i] + 0.5;
                if (is_cell) (l->pattern == SN_BOX_BCC ? add_bcc_cell : add_kuhn_cell)(l, p);
            }
        }
    }
}

static void sort_axes(Lattice* l)
{
    for (int i = 0; i < 3; i++) {
        int j = i;
        for (; j > 0 && l->cells[l->order[j - 1]] > l->cells[i]; j--) l->order[j] = l->order[j - 1];
        l->order[j] = i;
    }
}

// Per cell and axis, BCC has one octahedron of four; at an open end it has two pyramids of two instead.
static double tetrahedra_of(const Lattice* l)
{
    return (l->pattern == SN_BOX_KUHN ? KUHN : 12.0) * l->cells[0] * l->cells[1] * l->cells[2];
}

static SnStatus begin(const char* name, const int cells[3], bool ring, Lattice* l)
{
    for (int i = 0; i < 3; i++) {
        SN_TRY(sn_check_cells(name, "cells", cells[i], 1));
        l->cells[i] = cells[i];
    }
    for (int i = 0; i < 3; i++) l->corners[i] = cells[i] + !(ring && i == 0);
    sort_axes(l);
    return SN_OK;
}

SnStatus sn_make_lattice(const char* name, const int cells[3], SnBoxPattern pattern, bool ring, SnMesh** mesh)
{
    *mesh = NULL;
    Lattice l = {.pattern = pattern};
    SN_TRY(begin(name, cells, ring, &l));
    SN_TRY(sn_check_elements(name, tetrahedra_of(&l))); // from here on ints suffice
    int nodes = l.corners[0] * l.corners[1] * l.corners[2];
    if (pattern == SN_BOX_BCC) nodes += cells[0] * cells[1] * cells[2];
    SN_TRY(sn_mesh_allocate(nodes, 3, (int)tetrahedra_of(&l), &l.mesh));
    l.next = l.mesh->tetrahedra;
    fill(&l);
    *mesh = l.mesh;
    return SN_OK;
}

// Corner n, cell by cell as `fill` numbers them.
static void corner_place(const Lattice* l, int n, int p[3])
{
    const int *o = l->order, size = slab_size(l);
    p[o[2]] = n / size, p[o[1]] = n % size / l->corners[o[0]], p[o[0]] = n % l->corners[o[0]];
}

static void cell_place(const Lattice* l, int n, int c[3])
{
    const int *o = l->order, size = l->cells[o[0]] * l->cells[o[1]];
    c[o[2]] = n / size, c[o[1]] = n % size / l->cells[o[0]], c[o[0]] = n % l->cells[o[0]];
}

// Cells as a whole, so that the first one's and the last one's may be more than the slab has.
static void fill_slab(Lattice* l, const double spacing[3], SnSlab* slab)
{
    int tetrahedra[4 * KUHN], p[3];
    for (int n = 0; n < slab->node_count; n++) {
        corner_place(l, slab->first_node + n, p);
        for (int i = 0; i < 3; i++) slab->nodes[3 * (int64_t)n + i] = p[i] * spacing[i];
    }
    for (int e = 0; e < slab->element_count;) {
        int number = slab->first_element + e, from = number % KUHN, count = KUHN - from;
        if (count > slab->element_count - e) count = slab->element_count - e;
        cell_place(l, number / KUHN, p);
        l->next = tetrahedra;
        add_kuhn_cell(l, p);
        for (int k = 0; k < 4 * count; k++) slab->tetrahedra[4 * (int64_t)e + k] = tetrahedra[4 * from + k];
        e += count;
    }
}

SnStatus sn_make_lattice_slab(const char* name, const int cells[3], const double spacing[3], SnSlab* slab)
{
    Lattice l = {.pattern = SN_BOX_KUHN};
    SN_TRY(begin(name, cells, false, &l));
    if (tetrahedra_of(&l) > SN_MESH_MOST) SN_TRY(sn_check_elements(name, tetrahedra_of(&l)));
    SN_TRY(sn_slab_allocate(slab, l.corners[0] * l.corners[1] * l.corners[2], (int)tetrahedra_of(&l)));
    fill_slab(&l, spacing, slab);
    return SN_OK;
}

SnStatus sn_check_positive(const char* shape, const char* what, double value)
{
    if (value > 0 && isfinite(value)) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s: %s is %g, must be positive", shape, what, value);
}

SnStatus sn_check_cells(const char* shape, const char* what, int value, int least)
{
    if (value >= least) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s: %s is %d, must be at least %d", shape, what, value, least);
}

SnStatus sn_check_elements(const char* shape, double count)
{
    if (count <= SN_MESH_MOST) return sn_budget_foresee(shape, count);
    return sn_fail(SN_ERROR_VALUE, "%s: %.0f elements are too many, at most %d are possible; take fewer cells", shape,
                   count, SN_MESH_MOST);
}
