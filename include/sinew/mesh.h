// Meshes: tetrahedra, triangles and edges over one set of nodes; made by generators, from arrays or from files.
#ifndef SINEW_MESH_H
#define SINEW_MESH_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnMesh SnMesh;

// How a box's cells are cut into tetrahedra.
typedef enum SnBoxPattern {
    SN_BOX_KUHN, // six tetrahedra per cell around its diagonal, mirrored in neighbouring cells
    SN_BOX_BCC,  // body-centred: a node in every cell; boundary faces are cut into two by a diagonal
} SnBoxPattern;

// Generators. Lengths in metres; every generator refuses sizes or counts that are not positive or too large.
SN_API SnStatus sn_mesh_make_box(const double size[3], const int cells[3], SnMesh** mesh); // Kuhn, corner at 0
SN_API SnStatus sn_mesh_make_box_pattern(const double size[3], const int cells[3], SnBoxPattern pattern, SnMesh** mesh);
SN_API SnStatus sn_mesh_make_sphere(double radius, int cells, SnMesh** mesh); // cells across the radius, centre at 0
SN_API SnStatus sn_mesh_make_cylinder(double radius, double length, int radial_cells, int length_cells,
                                      SnMesh** mesh); // along x from 0
SN_API SnStatus sn_mesh_make_torus(double major_radius, double minor_radius, int major_cells, int minor_cells,
                                   SnMesh** mesh);                                           // around y, centre at 0
SN_API SnStatus sn_mesh_make_cloth(const double size[2], const int cells[2], SnMesh** mesh); // in the xz plane
SN_API SnStatus sn_mesh_make_rope(double length, int cells, SnMesh** mesh);                  // along x from 0

// From arrays, which are copied. Unused kinds of element have count 0.
typedef struct SnMeshDef {
    int node_count;
    const double* nodes; // 3 x node_count
    int tetrahedron_count;
    const int* tetrahedra; // 4 x tetrahedron_count, 0-based
    int triangle_count;
    const int* triangles; // 3 x triangle_count
    int edge_count;
    const int* edges; // 2 x edge_count
} SnMeshDef;

SN_API SnMeshDef sn_default_mesh_def(void);
SN_API SnStatus sn_mesh_create(const SnMeshDef* def, SnMesh** mesh);
SN_API void sn_mesh_destroy(SnMesh* mesh); // NULL is fine, as in every destroy

// Files: the format follows from the ending (.msh .mesh .node .ele .vtk .obj .ply .stl; read only: .gltf .glb .usda
// .vtu .vtp).
SN_API SnStatus sn_mesh_load(const char* path, SnMesh** mesh);
SN_API SnStatus sn_mesh_save(const SnMesh* mesh, const char* path);

// The same of second order: a node in the middle of each edge, which come last; groups and fields go on. A mesh has
// each of its elements as the linear ones that its nodes make (eight tetrahedra, four triangles, two edges), in order.
SN_API SnStatus sn_mesh_raise(const SnMesh* mesh, SnMesh** raised);

// The faces of a surface as its file has them, over vertices in the file's order: polygons, with what is drawn on them.
typedef enum SnFaceGroupKind { SN_FACE_OBJECT, SN_FACE_GROUP, SN_FACE_MATERIAL } SnFaceGroupKind;

typedef struct SnFaceGroup {
    SnFaceGroupKind kind;
    char* name;
    int count;
    int* faces; // increasing
} SnFaceGroup;

typedef struct SnFaces {
    int count;
    int* start;   // count + 1: the corners of face i are start[i] .. start[i + 1] - 1, in its own order
    int* corners; // start[count]: the vertex of each
    int uv_count;
    double* uvs;     // 2 x uv_count
    int* corner_uvs; // per corner, -1: none; NULL: no corner has any
    int normal_count;
    double* normals;     // 3 x normal_count, as in the file, at rest
    int* corner_normals; // as corner_uvs
    float* colours;      // 4 per vertex: red, green, blue, alpha, 0 to 1; NULL: none
    int* smoothing;      // per face: its smoothing group, 0: flat; NULL: the file says nothing
    int group_count;
    SnFaceGroup* groups;
} SnFaces;

// Of a mesh that was read from a file which has more than triangles; NULL: its triangles are all there is.
SN_API const SnFaces* sn_mesh_faces(const SnMesh* mesh);

// A surface that a body carries: what is drawn and exported in place of the body's own surface.
typedef struct SnSkin {
    int vertex_count;
    double* rest; // 3 x vertex_count
    SnFaces faces;
    int carrier_count; // of each vertex: 4, or more where it is smooth
    int* carriers;     // carrier_count x vertex_count, nodes of the body; NULL: vertex i is node i
    double* weights;   // carrier_count x vertex_count, adding up to 1: a vertex is at the sum of weights x carriers
    double outside;    // m: how far beyond the tetrahedra the furthest vertex is
} SnSkin;

// Where the vertices are (3 x vertex_count) when the nodes of the body are at x; velocities are carried alike.
SN_API void sn_skin_carry(const SnSkin* skin, const double* x, double* vertices);
// The faces as triangles, fans around the first corner of each: three corner numbers for each triangle, faces in order.
SN_API int sn_faces_triangle_count(const SnFaces* faces);
SN_API void sn_faces_triangles(const SnFaces* faces, int* corners); // 3 x triangle count

SN_API int sn_mesh_node_count(const SnMesh* mesh);
SN_API int sn_mesh_tetrahedron_count(const SnMesh* mesh);
SN_API int sn_mesh_triangle_count(const SnMesh* mesh);
SN_API int sn_mesh_edge_count(const SnMesh* mesh);
SN_API double* sn_mesh_nodes(SnMesh* mesh);          // 3 x node_count, may be moved
SN_API const int* sn_mesh_tetrahedra(const SnMesh*); // 4 x tetrahedron_count
SN_API const int* sn_mesh_triangles(const SnMesh*);  // 3 x triangle_count
SN_API const int* sn_mesh_edges(const SnMesh*);      // 2 x edge_count

// A named set of elements or nodes, as its file has them ("physical groups"); a scene's `where: {group: NAME}` means
// its nodes. The mesh's: valid as long as that is.
typedef struct SnMeshGroupInfo {
    const char* name; // "7" where the file gives only a number
    int tag;          // the number in the file
    int dimension;    // 3: of tetrahedra, 2: triangles, 1: edges, 0: nodes
    int count;
    const int* items; // count: numbers of these, increasing
} SnMeshGroupInfo;
SN_API int sn_mesh_group_count(const SnMesh* mesh);
SN_API SnStatus sn_mesh_group(const SnMesh* mesh, int index, SnMeshGroupInfo* group);

// What is odd about a surface, and was put right where a solid is made of it: none of it stops that.
typedef struct SnSurfaceReport {
    int vertices, triangles;
    int merged;        // vertices at the place of another
    int flat, twice;   // triangles without area, and those that were there already
    int turned;        // triangles that faced the other way than most of their neighbours
    int shells;        // parts that hang together over edges
    int inside_out;    // shells that faced inward
    int cavities;      // closed shells inside others, facing inward: hollows
    int open_edges;    // edges with one triangle,
    int holes;         // and the loops that they make
    int crowded_edges; // edges with more than two triangles
    int crossings;     // pairs of triangles that go through each other
    double volume, area;
} SnSurfaceReport;

// A surface put right: vertices at one place merged, triangles without area and doubles dropped, slivers flipped away,
// faces turned outward, holes closed.
typedef struct SnRepairDef {
    double merge; // m: vertices nearer than this are one; below 0: 1e-7 of its size
    int holes;    // closes those of at most so many edges
} SnRepairDef;

typedef struct SnRepairReport {
    SnSurfaceReport before, after;
    int closed, flipped; // holes; edges of slivers
} SnRepairReport;

SN_API SnRepairDef sn_default_repair_def(void);
// Faces, texture coordinates, groups and fields of the surface are not kept. report may be NULL.
SN_API SnStatus sn_mesh_repair(const SnMesh* surface, const SnRepairDef* def, SnMesh** repaired,
                               SnRepairReport* report);

// A surface of edges of one length: long ones split, short ones collapsed, others flipped, nodes spread along it.
typedef struct SnRemeshDef {
    double edge;          // m; 0: the mean of the surface's edges
    double sharp_degrees; // edges where faces meet at more than this stay, as do open ones and those of more faces
    int rounds;
} SnRemeshDef;

typedef struct SnRemeshReport {
    SnSurfaceReport before, after;
    double edge;                       // m, asked for
    double shortest, mean, longest;    // m: edges
    double least_angle, largest_angle; // degrees, of triangles
    double deviation;                  // m: how far the two surfaces are apart at nodes and in faces
    int sharp_edges;                   // of the result
} SnRemeshReport;

SN_API SnRemeshDef sn_default_remesh_def(void);
// Faces, texture coordinates, groups and fields of the surface are not kept. report may be NULL.
SN_API SnStatus sn_mesh_remesh(const SnMesh* surface, const SnRemeshDef* def, SnMesh** remeshed,
                               SnRemeshReport* report);

// A solid of tetrahedra out of a surface, which may have holes, cross itself, be of several shells or face inward:
// inside is where the generalised winding number is above one half.
typedef struct SnSolidDef {
    double edge;         // m: length of the longer edges of its lattice; 0: by `tetrahedra`, or a 30th of its size
    int tetrahedra;      // about as many, where edge is 0
    double grade;        // edges inside may be so many times as long as at the surface; 1: none are longer
    bool fit;            // moves the boundary onto the surface's sharp edges and corners,
    double fit_degrees;  // which are those where faces meet at more than this
    double least_degree; // and keeps every dihedral angle between this and 180 less this
    int threads;         // 0: one per processor; the mesh is the same for any number
} SnSolidDef;

typedef struct SnSolidReport {
    SnSurfaceReport surface;
    double edge;                             // m, taken
    double volume;                           // m3 of the tetrahedra
    double least_dihedral, largest_dihedral; // degrees
    double deviation;                        // m: how far from the surface its boundary's nodes are at most
    int lost_shells;                         // too thin for the lattice: nothing of them is in the solid
} SnSolidReport;

SN_API SnSolidDef sn_default_solid_def(void);
// report may be NULL.
SN_API SnStatus sn_mesh_make_solid(const SnMesh* surface, const SnSolidDef* def, SnMesh** solid, SnSolidReport* report);

#ifdef __cplusplus
}
#endif
#endif
