// The mesh formats, in the order in which they are listed.
#include "mesh/mesh.h"

#define FORMAT_LIST(X) X(gmsh) X(medit) X(tetgen) X(vtk) X(obj) X(ply) X(stl) X(gltf) X(usda) X(vtu)

#define DECLARE(name) extern const SnMeshFormat sn_mesh_##name;
FORMAT_LIST(DECLARE)

#define ROW(name) &sn_mesh_##name,
const SnTable sn_mesh_format_table = {.noun = "mesh format", .rows = (const void* const[]){FORMAT_LIST(ROW) NULL}};
