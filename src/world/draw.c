// Bodies as they are drawn: single precision, with normals.
#include <string.h>

#include "core/handle.h"
#include "linalg/vec3.h"
#include "mesh/faces.h"
#include "world/world.h"

// Twice the area of a triangle along its normal, added to its corners.
static void add_normal(const double* x, const int corners[3], double* normals)
{
    const double *a = x + 3 * (int64_t)corners[0], *b = x + 3 * (int64_t)corners[1], *c = x + 3 * (int64_t)corners[2];
    double ab[3], ac[3], normal[3];
    sn_subtract3(b, a, ab);
    sn_subtract3(c, a, ac);
    sn_cross3(ab, ac, normal);
    for (int k = 0; k < 9; k++) normals[3 * (int64_t)corners[k / 3] + k % 3] += normal[k % 3];
}

static SnStatus add_skin_normals(const SnFaces* faces, const double* x, double* normals)
{
    int *triangles, count = sn_faces_triangle_count(faces);
    if (!SN_NEW(triangles, 3 * (int64_t)count, "a picture")) return SN_ERROR_MEMORY;
    sn_faces_triangles(faces, triangles); // by corners
    for (int64_t i = 0; i < 3 * (int64_t)count; i++) triangles[i] = faces->corners[triangles[i]];
    for (int i = 0; i < count; i++) add_normal(x, triangles + 3 * (int64_t)i, normals);
    sn_free(triangles);
    return SN_OK;
}

static SnStatus draw(const SnBody* body, const SnSkin* skin, int count, const double* x, float* positions,
                     float* normals)
{
    for (int64_t k = 0; k < 3 * (int64_t)count && positions; k++) positions[k] = (float)x[k];
    if (!normals) return SN_OK;
    double* sums;
    if (!SN_NEW(sums, 3 * (int64_t)count, "a picture")) return SN_ERROR_MEMORY;
    SnStatus status = skin ? add_skin_normals(&skin->faces, x, sums) : SN_OK;
    for (int i = 0; i < body->surface_count && !skin; i++) add_normal(x, body->surface + 3 * (int64_t)i, sums);
    for (int64_t i = 0; i < count; i++) {
        double* n = sums + 3 * i;
        if (sn_length3(n) > 0) sn_normalize3(n);
        for (int c = 0; c < 3; c++) normals[3 * i + c] = (float)n[c];
    }
    sn_free(sums);
    return status;
}

SnStatus sn_world_draw(const SnWorld* world, int index, float* positions, float* normals)
{
    SN_HANDLE(world);
    SN_TRY(sn_model_check_body(&world->model, index, "there is no"));
    const SnBody* body = &world->model.bodies[index];
    const double* x = world->state.x + 3 * (int64_t)body->first_node;
    const SnSkin* skin = body->skin && body->skin->carriers ? body->skin : NULL; // of a sheet its nodes are its skin
    if (!skin) return draw(body, NULL, body->node_count, x, positions, normals);
    double* carried;
    if (!SN_NEW(carried, 3 * (int64_t)skin->vertex_count, "a picture")) return SN_ERROR_MEMORY;
    sn_skin_carry(skin, x, carried);
    SnStatus status = draw(body, skin, skin->vertex_count, carried, positions, normals);
    sn_free(carried);
    return status;
}
