// Faces of a surface as its file has them, and skins: surfaces that the tetrahedra of another mesh carry.
#pragma once
#include "mesh/mesh.h"

SnStatus sn_faces_copy(const SnFaces* faces, int vertex_count, SnFaces* copy); // freed also when it fails
// The triangles of a mesh as faces, without anything on them.
SnStatus sn_faces_of_triangles(const SnMesh* mesh, SnFaces* faces);
void sn_faces_free(SnFaces* faces);        // what it points to
void sn_faces_destroy(SnFaces* faces);     // and itself
bool sn_faces_plain(const SnFaces* faces); // triangles, and nothing on them
// The number of the group of each kind that each face is in, from 1 on; 0: none. Of several the last. Three arrays,
// which the caller frees also when it fails.
bool sn_faces_number_groups(const SnFaces* faces, int* numbers[3]);
// NULL, or what is wrong with numbers that came from elsewhere: "a corner names a vertex that does not exist".
const char* sn_faces_problem(const SnFaces* faces, int vertex_count);

// A skin of a solid: each vertex is carried by the tetrahedron that it is in, or else by that of the nearest boundary
// face, whose weights may then be negative. An error where the mesh has no tetrahedra, or the surface no faces.
SnStatus sn_skin_create(const SnMesh* solid, const SnMesh* surface, SnSkin** skin);
// With weights that follow what is quadratic, in place of barycentric ones (skin_smooth.c).
SnStatus sn_skin_smooth(const SnMesh* solid, SnSkin* skin);
SnStatus sn_skin_of_sheet(const SnMesh* sheet, SnSkin** skin); // the sheet's own faces: vertex i is node i
void sn_skin_destroy(SnSkin* skin);
