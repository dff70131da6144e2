// The end of `sinew mesh make` and `sinew mesh convert`: the mesh is written and counted.
#pragma once
#include "cli/command.h"
#include "mesh/mesh.h"

// Rows for a command's table of options.
#define SN_MESH_SAVE_OPTIONS                                                                                           \
    {"msh-version", 0, "VERSION", false, "of a gmsh .msh file: 2.2, 4.0 or 4.1 (4.1); 2.2 has one group per element"}, \
    {                                                                                                                  \
        "binary", 0, NULL, false, "write a gmsh .msh file as binary instead of text"                                   \
    }

int sn_save_mesh(const SnArguments* arguments, const SnMesh* mesh, const char* path); // returns an SN_EXIT code

// What a mesh has lost in becoming another one, as a list: so many of something; what its faces had (polygons, texture
// coordinates, normals, groups, colours); the latter as a line.
void sn_add_lost(char* text, size_t size, int count, const char* what);
void sn_add_lost_faces(const SnMesh* before, const SnMesh* after, char* text, size_t size);
void sn_say_lost_faces(const SnMesh* before, const SnMesh* after);
