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
