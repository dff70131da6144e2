// What a surface needs to be drawn smooth where it is round and sharp where it has edges; made once per topology.
#pragma once
#include <sinew/base.h>

typedef struct SnPictureSurface {
    int node_count;     // of the positions it is drawn with
    int vertex_count;   // nodes split along creases
    int* source;        // vertex_count: the node of each vertex
    int triangle_count; // degenerate ones are kept
    int* triangles;     // 3 x triangle_count, vertex indices
    int coarse_count;   // of triangles
    int* coarse;        // 3 x coarse_count: fewer, between some of the vertices; or NULL
    float* corner_uvs;  // 2 x 3 x triangle_count, texture coordinates; NAN: none; or NULL, and the caller may set it
} SnPictureSurface;

#define SN_CREASE 50.0 // degrees: where a surface is drawn with an edge

// Splits nodes where neighbouring triangles of the shape `positions` (rest, usually) meet at more than crease_degrees.
// Fails on indices out of range.
SnStatus sn_picture_surface_create(int node_count, const double* positions, int triangle_count, const int* triangles,
                                   double crease_degrees, SnPictureSurface** surface);
// Makes `coarse`, where there are many triangles (picture_coarse.c).
SnStatus sn_picture_surface_coarsen(SnPictureSurface* surface, const double* positions);
void sn_picture_surface_destroy(SnPictureSurface* surface);
