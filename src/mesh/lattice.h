// A lattice of cubic cells cut into tetrahedra, in cell units; the solid shapes are images of it.
#pragma once
#include "mesh/mesh.h"

// Nodes lie in [0, cells[i]]. With `ring` (SN_BOX_BCC only) the ends of axis 0 are joined: cells[0] >= 3.
// `name` is the shape's, for messages.
SnStatus sn_make_lattice(const char* name, const int cells[3], SnBoxPattern pattern, bool ring, SnMesh** mesh);

// Square [-1,1]^2 to unit disc and cube [-1,1]^3 to unit ball: nested squares (cubes) near the middle become nested
// circles (spheres) towards the boundary, at equal angles.
void sn_square_to_disc(double p[2]);
void sn_cube_to_ball(double p[3]);

SnStatus sn_check_positive(const char* shape, const char* what, double value); // finite and above 0
SnStatus sn_check_cells(const char* shape, const char* what, int value, int least);
SnStatus sn_check_elements(const char* shape, double count); // not more than a mesh or memory can hold
// A slab of it, of the pattern kuhn.
struct SnSlab;
SnStatus sn_make_lattice_slab(const char* name, const int cells[3], const double spacing[3], struct SnSlab* slab);
