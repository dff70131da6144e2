// The triangles of one picture: all bodies and tubes in one list, relative to an origin, ready for the GPU.
#pragma once
#include "view/picture.h"

typedef struct SnPictureVertex {
    float position[3]; // relative to the origin
    float normal[3];
    float uv[3];       // texture coordinates of a corner, and 1; 0: none
    uint8_t colour[4]; // linear light would need more bits, so sRGB; alpha 255 on surfaces, 0 on tubes (no wireframe)
} SnPictureVertex;

typedef struct SnPictureGeometry {
    double origin[3];   // world position of the vertices' zero
    float lo[3], hi[3]; // bounding box, relative; lo > hi when empty
    int vertex_count, vertex_capacity;
    SnPictureVertex* vertices;
    int index_count, index_capacity;
    uint32_t* indices; // 3 per triangle
    int coarse_count;  // after these: of fewer triangles, for small maps
    double* normals;   // working array, 3 x normal_capacity / 3
    int normal_capacity;
    float* uvs; // 3 x index_count, as vertices have them; where the scene has a checker
    int uv_capacity;
} SnPictureGeometry;

// Replaces the contents by the scene's; positions that are not finite make their triangles vanish.
SnStatus sn_picture_geometry_fill(SnPictureGeometry* geometry, const SnPictureScene* scene);
// Gives every triangle its own three vertices, in order, so that a shader can tell corners apart by number.
SnStatus sn_picture_geometry_unshare(SnPictureGeometry* geometry);
// After that: every triangle has one normal, its own.
void sn_picture_geometry_flatten(SnPictureGeometry* geometry);
void sn_picture_geometry_free(SnPictureGeometry* geometry);

// Adds a rope's tubes (picture_tube.c).
SnStatus sn_picture_geometry_add_rope(SnPictureGeometry* geometry, const SnPictureRope* rope);
// Room for more vertices and indices.
bool sn_picture_geometry_reserve(SnPictureGeometry* geometry, int64_t vertices, int64_t indices);
