// Surfaces of obstacles as triangles, for pictures.
#include <math.h>

#include "core/pi.h"
#include "linalg/vec3.h"
#include "obstacle/obstacle.h"

SnStatus sn_surface_of_triangles(int node_count, const double* nodes, int triangle_count, const int* triangles,
                                 SnMesh** mesh)
{
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = node_count, def.nodes = nodes;
    def.triangle_count = triangle_count, def.triangles = triangles;
    return sn_mesh_create(&def, mesh);
}

// Ring after ring; a ring of radius 0 has as many nodes as any.
static void place_rings(const double centre[3], const double axis[3], int count, const double* profile, double* nodes)
{
    double along[3] = {axis[0], axis[1], axis[2]}, u[3], v[3];
    sn_normalize3(along);
    sn_across3(along, u);
    sn_cross3(along, u, v);
    for (int i = 0; i < count * SN_AROUND; i++) {
        double angle = 2 * SN_PI * (i % SN_AROUND) / SN_AROUND, radius = profile[2 * (i / SN_AROUND)];
        for (int c = 0; c < 3; c++)
            nodes[3 * i + c] = centre[c] + profile[2 * (i / SN_AROUND) + 1] * along[c] +
                               radius * (cos(angle) * u[c] + sin(angle) * v[c]);
    }
}

// Wound outward when the profile goes from the axis' beginning to its end; triangles on the axis are left out.
static int join_rings(int count, const double* profile, bool closed, int* triangles)
{
    int used = 0;
    for (int ring = 0; ring < (closed ? count : count - 1); ring++)
        for (int k = 0; k < SN_AROUND; k++) {
            int upper = (ring + 1) % count, next = (k + 1) % SN_AROUND;
            int a = ring * SN_AROUND + k, b = ring * SN_AROUND + next;
            int c = upper * SN_AROUND + k, d = upper * SN_AROUND + next;
            const int both[2][3] = {{a, b, d}, {a, d, c}};
            for (int t = 0; t < 2; t++) {
                if (profile[2 * (t == 0 ? ring : upper)] == 0) continue;
                for (int i = 0; i < 3; i++) triangles[used++] = both[t][i];
            }
        }
    return used / 3;
}

SnStatus sn_surface_of_revolution(const double centre[3], const double axis[3], int count, const double* profile,
                                  bool closed, SnMesh** mesh)
{
    double* nodes;
    int* triangles = NULL;
    SnStatus status = SN_ERROR_MEMORY;
    if (SN_NEW(nodes, 3 * count * SN_AROUND, "a surface") && SN_NEW(triangles, 6 * count * SN_AROUND, "a surface")) {
        place_rings(centre, axis, count, profile, nodes);
        int triangle_count = join_rings(count, profile, closed, triangles);
        status = sn_surface_of_triangles(count * SN_AROUND, nodes, triangle_count, triangles, mesh);
    }
    SN_FREE(nodes, triangles);
    return status;
}
