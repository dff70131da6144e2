// Dihedral angles of tetrahedra.
#include "mesh/quality.h"

#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"

void sn_dihedral_angles(const double* nodes, const int* tetrahedron, double* least, double* largest)
{
    double normals[4][3];
    *least = 0, *largest = 180;
    if (!(sn_tetrahedron_volume(nodes, tetrahedron) > 0)) return;
    for (int f = 0; f < 4; f++) {
        const int* face = sn_tetrahedron_faces[f];
        double u[3], v[3];
        const double* a = nodes + 3 * (int64_t)tetrahedron[face[0]];
        sn_subtract3(nodes + 3 * (int64_t)tetrahedron[face[1]], a, u);
        sn_subtract3(nodes + 3 * (int64_t)tetrahedron[face[2]], a, v);
        sn_cross3(u, v, normals[f]);
    }
    double lo = 180, hi = 0;
    for (int f = 0; f < 4; f++)
        for (int g = f + 1; g < 4; g++) {
            double n[3];
            sn_cross3(normals[f], normals[g], n);
            double angle = atan2(sn_length3(n), -sn_dot3(normals[f], normals[g])) * 180 / SN_PI;
            lo = fmin(lo, angle), hi = fmax(hi, angle);
        }
    *least = lo, *largest = hi;
}

void sn_mesh_dihedral_angles(const SnMesh* mesh, double* least, double* largest)
{
    *least = 180, *largest = 0;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        double lo, hi;
        sn_dihedral_angles(mesh->nodes, mesh->tetrahedra + 4 * (int64_t)t, &lo, &hi);
        *least = fmin(*least, lo), *largest = fmax(*largest, hi);
    }
}
