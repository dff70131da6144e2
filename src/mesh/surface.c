// The boundary of a mesh: the faces that only one tetrahedron has, wound outward.
#include "mesh/elements.h"

// Writes one flag per face: 1 when it is on the boundary. The number of them is returned in *count.
static SnStatus mark_boundary(const SnMesh* mesh, char* boundary, int64_t* count)
{
    int64_t face_count = 4 * (int64_t)mesh->tetrahedron_count;
    SnNodeKey* keys;
    if (!SN_NEW(keys, face_count, "faces")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < face_count; i++) {
        const int* tetrahedron = mesh->tetrahedra + i / 4 * 4;
        const int* f = sn_tetrahedron_faces[i % 4];
        int nodes[3] = {tetrahedron[f[0]], tetrahedron[f[1]], tetrahedron[f[2]]};
        keys[i] = sn_node_key(nodes, 3, (int)i);
    }
    SnStatus status = sn_sort_keys(keys, face_count, mesh->node_count);
    *count = 0;
    for (int64_t i = 0; status == SN_OK && i < face_count; i++) {
        bool paired = (i > 0 && sn_same_key(&keys[i - 1], &keys[i])) ||
                      (i + 1 < face_count && sn_same_key(&keys[i], &keys[i + 1]));
        boundary[keys[i].item] = !paired;
        *count += !paired;
    }
    sn_free(keys);
    return status;
}

static SnStatus boundary_faces(const SnMesh* mesh, char* boundary, int** triangles, int* count)
{
    int64_t total;
    SN_TRY(mark_boundary(mesh, boundary, &total));
    if (!SN_NEW(*triangles, 3 * total, "the surface")) return SN_ERROR_MEMORY;
    int* next = *triangles;
    for (int64_t i = 0; i < 4 * (int64_t)mesh->tetrahedron_count; i++) {
        if (!boundary[i]) continue;
        for (int j = 0; j < 3; j++) *next++ = mesh->tetrahedra[i / 4 * 4 + sn_tetrahedron_faces[i % 4][j]];
    }
    *count = (int)total;
    return SN_OK;
}

SnStatus sn_mesh_surface(const SnMesh* mesh, int** triangles, int* count)
{
    *triangles = NULL;
    *count = 0;
    if (mesh->tetrahedron_count == 0) {
        *triangles = sn_copy_memory(mesh->triangles, 3 * (size_t)mesh->triangle_count, sizeof(int), "the surface");
        *count = *triangles ? mesh->triangle_count : 0;
        return *triangles ? SN_OK : SN_ERROR_MEMORY;
    }
    char* boundary;
    if (!SN_NEW(boundary, 4 * (size_t)mesh->tetrahedron_count, "faces")) return SN_ERROR_MEMORY;
    SnStatus status = boundary_faces(mesh, boundary, triangles, count);
    sn_free(boundary);
    return status;
}

static SnStatus compact(const SnMesh* mesh, int* triangles, int count, int* number, SnMesh** surface)
{
    double* nodes;
    int used = 0;
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) number[triangles[i]] = 1;
    for (int n = 0; n < mesh->node_count; n++) number[n] = number[n] ? used++ : -1;
    if (!SN_NEW(nodes, 3 * (size_t)used, "surface nodes")) return SN_ERROR_MEMORY;
    for (int n = 0; n < mesh->node_count; n++)
        for (int i = 0; number[n] >= 0 && i < 3; i++) nodes[3 * number[n] + i] = mesh->nodes[3 * n + i];
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) triangles[i] = number[triangles[i]];
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = used, def.nodes = nodes;
    def.triangle_count = count, def.triangles = triangles;
    SnStatus status = sn_mesh_create(&def, surface);
    sn_free(nodes);
    return status;
}

SnStatus sn_mesh_make_surface(const SnMesh* mesh, SnMesh** surface)
{
    int *triangles, count, *number = NULL;
    SnStatus status = sn_mesh_surface(mesh, &triangles, &count);
    if (status == SN_OK && !SN_NEW(number, mesh->node_count, "surface nodes")) status = SN_ERROR_MEMORY;
    if (status == SN_OK) status = compact(mesh, triangles, count, number, surface);
    SN_FREE(number, triangles);
    return status;
}
