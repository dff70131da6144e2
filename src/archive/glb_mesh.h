// A mesh as glTF has it: triangles whose vertices have one normal and one texture coordinate each.
#pragma once
#include <stdint.h>

#include "archive/export_job.h"

typedef struct SnGlbMesh {
    const SnExportMesh* mesh;
    int vertex_count, vertex_capacity; // of the file: a vertex with several normals or UVs is several
    int* source;                       // vertex_count: the mesh's vertex
    int* first;                        // of each vertex of the mesh: one of those that it became
    double (*facet)[3];                // vertex_count: the normal of a face at it, in the first frame
    float* uv;                         // 2 x vertex_count; NULL: none
    int uv_capacity, facet_capacity;
    int triangle_count;
    uint32_t* triangles; // 3 x triangle_count, by parts
    // Triangles of one material follow each other: those without any first, then each of the skin's that has some.
    int part_count;
    int* parts;       // part_count: the skin's group, -1: none
    int* part_starts; // part_count + 1: the first triangle of each
    int target_count; // frames after the first; 0: it stays as it is
    // Quantised: x = shift + scale q / 32767.
    double shift[3], scale;
    // A frame at a time: what is written.
    float *points, *normals, *velocities; // 3 x vertex_count; m/s
    float* read;                          // 2 x 3 x mesh->vertex_count: points, then velocities, before they are split
    double* sums;                         // 3 x vertex_count: normals as they add up
} SnGlbMesh;

SnStatus sn_glb_mesh_make(SnExport* job, const SnExportMesh* mesh, SnGlbMesh* out);
void sn_glb_mesh_free(SnGlbMesh* mesh);
// Points, normals and velocities of a frame.
SnStatus sn_glb_mesh_read(SnExport* job, SnGlbMesh* mesh, int frame);
