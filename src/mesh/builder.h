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

typedef struct SnMeshBuilder {
    const SnReader* reader;
    SnMesh* mesh;
    int node_capacity;
    int element_capacity[4]; // by dimension
    int64_t largest_node;    // named by any element, -1: none,
    const char* largest_at;  // and where in the file
    int64_t field_budget;    // values that fields may still hold
    SnMember* members;
    int member_count, member_capacity;
    SnGroupName* names;
    int name_count, name_capacity;
    int field_capacity;
} SnMeshBuilder;

SnStatus sn_builder_begin(SnMeshBuilder* builder, const SnReader* reader);
SnStatus sn_builder_node(SnMeshBuilder* builder, const double x[3]);
// dimension 1 .. 3, with dimension + 1 nodes; they need not exist yet.
SnStatus sn_builder_element(SnMeshBuilder* builder, int dimension, const int64_t* nodes);
// A polygon as a fan of triangles around its first node.
SnStatus sn_builder_polygon(SnMeshBuilder* builder, const int64_t* nodes, int count);
// Puts an element (the last one when item is -1) or a node into the group with this number.
SnStatus sn_builder_join(SnMeshBuilder* builder, int dimension, int tag, int item);
SnStatus sn_builder_name_group(SnMeshBuilder* builder, int dimension, int tag, const char* name);
// A field with room for its values (zeros) in *values; its name is copied.
SnStatus sn_builder_field(SnMeshBuilder* builder, const char* name, bool per_node, int components, int count,
                          double** values);
SnStatus sn_builder_finish(SnMeshBuilder* builder, SnMesh** mesh); // also frees the builder, as
void sn_builder_abandon(SnMeshBuilder* builder);                   // this does
