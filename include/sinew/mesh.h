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

// Files: the format follows from the ending (.msh .mesh .node .ele .vtk .obj .ply .stl).
SN_API SnStatus sn_mesh_load(const char* path, SnMesh** mesh);
SN_API SnStatus sn_mesh_save(const SnMesh* mesh, const char* path);

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
    int* carriers;   // 4 x vertex_count, nodes of the body; NULL: vertex i is node i
    double* weights; // 4 x vertex_count, adding up to 1: a vertex is at the sum of weights x carriers
    double outside;  // m: how far beyond the tetrahedra the furthest vertex is
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

#ifdef __cplusplus
}
#endif
#endif
