// What a mesh is inside: nodes, elements of three kinds, physical groups and fields that came with the file.
#pragma once
#include <sinew/mesh.h>

#include "core/memory.h"
#include "core/parameter.h"

// A named set of elements (dimension 3: tetrahedra, 2: triangles, 1: edges) or nodes (0).
typedef struct SnMeshGroup {
    char* name; // "7" when the file gives only a number
    int tag;    // the number in the file
    int dimension;
    int count;
    int* items; // increasing element or node indices
} SnMeshGroup;

// Numbers per node or per element of the highest dimension.
typedef struct SnMeshField {
    char* name;
    bool per_node;
    int components;
    double* values; // components x (nodes or elements)
} SnMeshField;

struct SnMesh {
    int node_count;
    double* nodes; // 3 x node_count
    int tetrahedron_count;
    int* tetrahedra; // 4 x tetrahedron_count, positive volume when right-handed: det[b-a, c-a, d-a] > 0
    int triangle_count;
    int* triangles; // 3 x triangle_count
    int edge_count;
    int* edges; // 2 x edge_count
    int group_count;
    SnMeshGroup* groups;
    int field_count;
    SnMeshField* fields;
    SnFaces* faces; // over the nodes; NULL: as the triangles are
    // Elements are parts of ones of second order: each eight tetrahedra, four triangles and two edges are one
    // (mesh/raise.c).
    bool quadratic;
    struct SnMeshPart* part; // of a whole that it is a part of; NULL: it is whole
};
struct SnSlab;

// How to write a file whose format has variants; all zero: the usual one.
typedef struct SnMeshWriteOptions {
    const char* version; // gmsh: "2.2", "4.0" or "4.1"; NULL: "4.1"
    bool binary;
} SnMeshWriteOptions;

// One format: a const struct at the end of its file and a row in mesh_table.c.
typedef struct SnMeshFormat {
    const char* name;                                        // "gmsh"
    const char* summary;                                     // for `sinew list formats`
    const char* endings;                                     // ".msh", or several separated by spaces
    SnStatus (*read)(const char* path, SnMesh** mesh);       // NULL: cannot be read
    SnStatus (*write)(const SnMesh* mesh, const char* path); // NULL: cannot be written
    bool y_up_metres;                                        // by its definition; others say nothing of units and axes
    // A slab of it (mesh/slab.h); NULL: it can only be read as a whole.
    SnStatus (*read_slab)(const char* path, struct SnSlab* slab);
    bool surface; // it has no tetrahedra: what is written of these is their surface
    // NULL: there is one variant only
    SnStatus (*write_as)(const SnMesh* mesh, const char* path, const SnMeshWriteOptions* options);
} SnMeshFormat;

SN_TABLE(SnMeshFormat, mesh_format)
const SnMeshFormat* sn_mesh_format_of(const char* path); // by ending; NULL when unknown
// sn_mesh_save with a choice; fails when one is made for a format that has none. gmsh 2.2 has one group per element:
// one in two is an error that names it.
SnStatus sn_mesh_save_as(const SnMesh* mesh, const char* path, const SnMeshWriteOptions* options);

// The boundary of the tetrahedra (faces that belong to one tetrahedron only, wound outward), or the mesh's own
// triangles when it has no tetrahedra. *triangles is allocated: 3 x *count.
SnStatus sn_mesh_surface(const SnMesh* mesh, int** triangles, int* count);

// What is wrong with a mesh.
typedef enum SnMeshProblemKind {
    SN_MESH_NON_FINITE,   // a node with a coordinate that is not a number
    SN_MESH_OUT_OF_RANGE, // an element naming a node that does not exist
    SN_MESH_INVERTED,     // a tetrahedron of negative volume
    SN_MESH_DEGENERATE,   // an element (almost) without volume, area or length, or with a repeated node
    SN_MESH_DUPLICATE,    // two elements on the same nodes
    SN_MESH_UNREFERENCED, // a node in no element
    SN_MESH_NON_MANIFOLD, // a face of more than two tetrahedra, or an edge of more than two boundary triangles
    SN_MESH_PROBLEM_KINDS
} SnMeshProblemKind;

enum { SN_MESH_PROBLEM_EXAMPLES = 8 };
typedef struct SnMeshProblem {
    int count;
    int dimension;                          // of the items: 0 nodes, 1 edges, 2 triangles, 3 tetrahedra
    int examples[SN_MESH_PROBLEM_EXAMPLES]; // the first few item indices
} SnMeshProblem;

typedef struct SnMeshCheck {
    SnMeshProblem problems[SN_MESH_PROBLEM_KINDS];
} SnMeshCheck;

SnStatus sn_mesh_check(const SnMesh* mesh, SnMeshCheck* check);
// True when the mesh cannot be simulated (non-finite, out of range, inverted or degenerate elements, duplicates).
bool sn_mesh_check_fatal(const SnMeshCheck* check);
// "3 inverted tetrahedra (elements 17, 20, 21)", for one kind; empty when there are none.
void sn_mesh_problem_text(const SnMeshCheck* check, SnMeshProblemKind kind, char* text, size_t size);

// Summary figures.
typedef struct SnMeshMeasure {
    double lo[3], hi[3]; // bounding box
    double volume;       // m3 of the tetrahedra
    double area;         // m2 of the triangles (own ones)
    double length;       // m of the edges
} SnMeshMeasure;
void sn_mesh_measure(const SnMesh* mesh, SnMeshMeasure* measure);

// The numbers of a generated shape; each shape has rows for those that it takes.
typedef struct SnShapeDef {
    double size[3], radius, length, radii[2]; // m
    double phase;
    int cells[3];
    SnBoxPattern pattern;
} SnShapeDef;

// The generators as rows: name, and what `sinew mesh make` and a scene's `mesh:` know of each.
typedef struct SnShape {
    const char* name; // "box"
    const char* summary;
    const SnParameter* parameters; // members of SnShapeDef
    SnStatus (*make)(const SnShapeDef* def, SnMesh** mesh);
    SnStatus (*slab)(const SnShapeDef* def, struct SnSlab* slab); // NULL: it is only made as a whole
} SnShape;

SN_TABLE(SnShape, shape)
