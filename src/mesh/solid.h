// A solid out of a surface: its parameters, what was odd about the surface in words, and what its making shares.
#pragma once
#include "mesh/shells.h"
#include "mesh/winding.h"

extern const SnParameter sn_solid_parameters[]; // members of SnSolidDef

double sn_mesh_size(const SnMesh* mesh); // m, across its nodes
SnStatus sn_surface_check(const SnMesh* surface,
                          const char* what); // "repaired": it is one of triangles in finite places
// "6 holes (64 open edges), 2 shells inside out"; empty where nothing is odd.
void sn_surface_report_text(const SnSurfaceReport* report, char* text, size_t size);
// m: the least distance from a face straight inward to the other side, over at most 4000 faces; infinite: none.
SnStatus sn_shells_thickness(const SnShells* shells, double* thickness);
// Moves nodes of the boundary onto sharp edges and corners of the surface, as far as the shape of tetrahedra allows.
SnStatus sn_fit_boundary(const SnShells* shells, const SnTree* tree, const SnSolidDef* def, double edge, SnMesh* solid);
