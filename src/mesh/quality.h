// The shape of tetrahedra: their dihedral angles, in degrees.
#pragma once
#include "mesh/mesh.h"

// The smallest and the largest of one; 0 and 180 where it has no volume or a negative one.
void sn_dihedral_angles(const double* nodes, const int* tetrahedron, double* least, double* largest);
// Of all of a mesh; 180 and 0 where it has none.
void sn_mesh_dihedral_angles(const SnMesh* mesh, double* least, double* largest);
