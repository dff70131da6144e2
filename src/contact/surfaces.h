// All that can touch: triangles, edges and nodes of bodies (surfaces of solids, sheets, ropes) and of mesh obstacles.
//
// Points are the nodes of the world, then the vertices of mesh obstacles; each belongs to one surface at most. Elements
// are kept in the order of a bounding tree over the rest shape: near ones have near numbers, 2^depth blocks of at most
// SN_BLOCK elements each are its leaves, and the order depends on the rest shape alone.
#pragma once
#include "core/tasks.h"

typedef struct SnSurfaceDef {
    int first_point, point_count;
    const double* rest; // 3 x point_count
    int triangle_count;
    const int* triangles; // 3 x triangle_count, from 0 to point_count - 1
    int edge_count;
    const int* edges; // 2 x edge_count, of ropes: those of triangles are found
    bool self;        // it touches itself
    bool kinematic;   // it goes where it is told to: two of these never touch
} SnSurfaceDef;

enum { SN_BLOCK = 8 };
enum { SN_SURFACE_NODES, SN_SURFACE_EDGES, SN_SURFACE_TRIANGLES, SN_SURFACE_KINDS };

// The elements of one kind of a surface.
typedef struct SnSurfaceElements {
    int corners, count, depth;
    int* points; // corners x count: of the world
    int* nodes;  // corners x count: numbers among the surface's nodes
} SnSurfaceElements;

typedef struct SnSurface {
    SnSurfaceElements of[SN_SURFACE_KINDS];
    double edge; // mean length of the edges at rest, m
    bool self, kinematic;
} SnSurface;

typedef struct SnSurfaces {
    int count;
    SnSurface* items;
    int point_count;  // the highest that any surface has, and one
    int* of_point;    // point_count: its surface; -1: none
    uint8_t* touches; // bit after bit: (a, b) with b <= a is number a (a + 1) / 2 + b
    SnTasks* tasks;
} SnSurfaces;

// May these two surfaces touch? It is asked once for each two that are not both kinematic; NULL: all do.
typedef bool SnSurfacesTouch(void* user, int a, int b);
SnStatus sn_surfaces_create(int count, const SnSurfaceDef* defs, SnSurfacesTouch* touch, void* user, SnTasks* tasks,
                            SnSurfaces** surfaces);
void sn_surfaces_destroy(SnSurfaces* surfaces);

bool sn_surfaces_touch(const SnSurfaces* surfaces, int a, int b); // a == b: itself

// The first element of a block.
static inline int sn_block_start(const SnSurfaceElements* e, int64_t block)
{
    return (int)(block * e->count >> e->depth);
}
