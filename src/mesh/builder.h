// A mesh under construction from a file: nodes and elements one by one, memberships in groups, fields; checked at the
// end.
#pragma once
#include "mesh/mesh.h"
#include "mesh/reader.h"

typedef struct SnMember {
    int dimension, tag;
    int item; // -1: only says that the group exists
} SnMember;

typedef struct SnGroupName {
    int dimension, tag;
    char* name;
} SnGroupName;

// Faces as they are in the file, growing.
typedef struct SnFaceBuilder {
    SnFaces faces;
    int start_capacity, corner_capacity, uv_capacity, normal_capacity, colour_capacity, smoothing_capacity;
    int corner_uv_capacity, corner_normal_capacity;
    struct SnFaceMember* members; // a face and the group that it is in
    int member_count, member_capacity;
    SnFaceGroup* names; // as they are met, the same name several times; count: its number
    int name_count, name_capacity;
    int current[3];      // by kind: the number of its present name + 1, 0: none
    int smoothing;       // of faces from now on
    bool says_smoothing; // the file has said something
    int coloured;        // nodes up to the last that has a colour
} SnFaceBuilder;

typedef struct SnMeshBuilder {
    const SnReader* reader;
    SnMesh* mesh;
    int node_capacity;
    int element_capacity[4]; // by dimension
    int quadratics[4];       // elements of second order, the same
    int64_t largest_node;    // named by any element, -1: none,
    const char* largest_at;  // and where in the file
    int64_t field_budget;    // values that fields may still hold
    SnMember* members;
    int member_count, member_capacity;
    SnGroupName* names;
    int name_count, name_capacity;
    int field_capacity;
    SnFaceBuilder faces;
    struct SnSlab* slab;   // which nodes, elements and groups go to, while the mesh counts them; NULL: it gets them
    int64_t last_nodes[4]; // of the last element, the same
} SnMeshBuilder;

SnStatus sn_builder_begin(SnMeshBuilder* builder, const SnReader* reader);
// The same for a slab (mesh/slab.h): sn_builder_finish gives no mesh.
SnStatus sn_builder_begin_slab(SnMeshBuilder* builder, const SnReader* reader, struct SnSlab* slab);
SnStatus sn_builder_node(SnMeshBuilder* builder, const double x[3]);
// dimension 1 .. 3, with dimension + 1 nodes; they need not exist yet.
SnStatus sn_builder_element(SnMeshBuilder* builder, int dimension, const int64_t* nodes);
// One of second order, with its nodes as VTK orders them, which exist: as its parts.
SnStatus sn_builder_quadratic(SnMeshBuilder* builder, int dimension, const int64_t* nodes);
// A polygon: a fan of triangles around its first node, and the face as it is. uvs, normals: numbers of what was given
// by sn_builder_uv and sn_builder_normal, -1: none; or NULL.
SnStatus sn_builder_polygon(SnMeshBuilder* builder, const int64_t* nodes, int count);
SnStatus sn_builder_face(SnMeshBuilder* builder, const int64_t* nodes, const int64_t* uvs, const int64_t* normals,
                         int count);
SnStatus sn_builder_uv(SnMeshBuilder* builder, const double uv[2]);
SnStatus sn_builder_normal(SnMeshBuilder* builder, const double normal[3]);
SnStatus sn_builder_colour(SnMeshBuilder* builder, const float colour[4]); // of the last node; nodes without: white
// Faces from now on are in the group of this name (NULL or "": in none of this kind).
SnStatus sn_builder_face_group(SnMeshBuilder* builder, SnFaceGroupKind kind, const char* name);
void sn_builder_smoothing(SnMeshBuilder* builder, int group); // of faces from now on
// The faces of the mesh, where they are more than its triangles; builder_faces.c, called by finish and abandon.
SnStatus sn_builder_finish_faces(SnMeshBuilder* builder);
void sn_builder_abandon_faces(SnMeshBuilder* builder);
// Puts an element (the last one when item is -1) or a node into the group with this number.
SnStatus sn_builder_join(SnMeshBuilder* builder, int dimension, int tag, int item);
SnStatus sn_builder_name_group(SnMeshBuilder* builder, int dimension, int tag, const char* name);
// A field with room for its values (zeros) in *values; its name is copied.
SnStatus sn_builder_field(SnMeshBuilder* builder, const char* name, bool per_node, int components, int count,
                          double** values);
SnStatus sn_builder_finish(SnMeshBuilder* builder, SnMesh** mesh); // also frees the builder, as
void sn_builder_abandon(SnMeshBuilder* builder);                   // this does
