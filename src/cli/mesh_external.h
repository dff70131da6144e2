// Other programs that make tetrahedra out of a closed surface and keep its triangles, where they are installed.
#pragma once
#include "mesh/mesh.h"

extern const char* const sn_mesh_external_names[]; // tetgen, gmsh; NULL after the last
SnStatus sn_mesh_external(const char* name, const SnMesh* surface, const SnSolidDef* def, SnMesh** solid);
