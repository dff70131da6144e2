// Isosurface stuffing (Labelle & Shewchuk 2007): a body-centred lattice of well-shaped tetrahedra, whose points near
// the surface are moved onto it and whose edges are cut where they go through it; what is inside is filled by stencils.
#pragma once
#include "core/tasks.h"
#include "mesh/mesh.h"
#include "mesh/winding.h"

// Points are the corners of cubic cells, then their centres. Long edges join corners or centres along an axis, short
// ones a centre and the eight corners around it; every tetrahedron has two long and four short edges.
typedef struct SnStuffing {
    double origin[3], size; // m: of a cell, the length of long edges
    int cells[3];
    int corner_count, point_count;
    signed char* sign; // 1 inside, -1 outside, 0: moved onto the surface
    // Edges whose ends have different signs, at the point that owns them.
    int* first;        // point_count + 1
    signed char* slot; // which of its owner's edges
    double* at;        // 0 to 1 from the owner; negative: no longer cut
    int* moved_to;     // per point: the cut that it was moved to, or -1
    int cut_count;
    signed char* level; // per cell: it is a part of a cube of 2^level cells; NULL: all are 0
} SnStuffing;

enum { SN_SLOTS = 11, SN_LEVELS = 8 }; // a centre owns 3 long and 8 short edges, a corner 3 long ones

// Tetrahedra of all cells with the same last index.
typedef struct SnStuffingLayer {
    int* codes; // 4 x count
    int count, capacity;
    bool failed;
} SnStuffingLayer;

// winding: of a surface that faces outward, within lo to hi.
SnStatus sn_stuffing_create(const SnWinding* winding, const double lo[3], const double hi[3], double size,
                            SnTasks* tasks, SnStuffing** stuffing);
void sn_stuffing_destroy(SnStuffing* stuffing);
// Merges cells inside, to cubes of at most `grade` cells a side (stuffing_grade.c). Below 2 nothing is done.
SnStatus sn_stuffing_grade(SnStuffing* stuffing, double grade);
int sn_stuffing_level(const SnStuffing* stuffing, const int cell[3]); // 0 outside of the lattice
// The tetrahedra of a cube at its faces, but for those between two single cells.
void sn_stuffing_fill_graded(const SnStuffing* stuffing, SnStuffingLayer* layer, const int cell[3]);
void sn_stuffing_emit(SnStuffingLayer* layer, int a, int b, int c, int d, bool positive);
// The tetrahedra that it comes to (stuffing_cells.c).
SnStatus sn_stuffing_mesh(const SnStuffing* stuffing, SnTasks* tasks, SnMesh** mesh);

// Where a point is (moved or not), or for codes from point_count on a cut.
void sn_stuffing_place(const SnStuffing* stuffing, int code, double x[3]);
// The cut of the edge between two neighbours as a code, or -1.
int sn_stuffing_cut(const SnStuffing* stuffing, int a, int b);
int sn_stuffing_corner(const SnStuffing* stuffing, int i, int j, int k); // number of a corner
int sn_stuffing_centre(const SnStuffing* stuffing, int i, int j, int k); // and of the centre of a cell; -1: none
