// Faces of a surface as its file has them: copied, checked, cut into triangles.
#include "mesh/faces.h"

static bool copy(void* to, const void* from, size_t count, size_t size)
{
    void** out = to;
    *out = NULL;
    return !from || (*out = sn_copy_memory(from, count, size, "faces")) != NULL;
}

static SnStatus copy_groups(const SnFaces* faces, SnFaces* out)
{
    if (!SN_NEW(out->groups, faces->group_count, "groups of faces")) return SN_ERROR_MEMORY;
    for (int g = 0; g < faces->group_count; g++) {
        const SnFaceGroup* from = &faces->groups[g];
        SnFaceGroup* to = &out->groups[out->group_count++];
        *to = (SnFaceGroup){.kind = from->kind, .count = from->count};
        to->name = sn_copy_text(from->name);
        if (!to->name || !copy(&to->faces, from->faces, (size_t)from->count, sizeof(int))) return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

static SnStatus copy_arrays(const SnFaces* faces, size_t vertices, SnFaces* out)
{
    size_t count = (size_t)faces->count, corners = (size_t)(faces->start ? faces->start[count] : 0);
    bool room = copy(&out->start, faces->start, count + 1, sizeof(int)) &&
                copy(&out->corners, faces->corners, corners, sizeof(int)) &&
                copy(&out->uvs, faces->uvs, 2 * (size_t)faces->uv_count, sizeof(double)) &&
                copy(&out->corner_uvs, faces->corner_uvs, corners, sizeof(int)) &&
                copy(&out->normals, faces->normals, 3 * (size_t)faces->normal_count, sizeof(double)) &&
                copy(&out->corner_normals, faces->corner_normals, corners, sizeof(int)) &&
                copy(&out->colours, faces->colours, 4 * vertices, sizeof(float)) &&
                copy(&out->smoothing, faces->smoothing, count, sizeof(int));
    return room ? copy_groups(faces, out) : SN_ERROR_MEMORY;
}

SnStatus sn_faces_copy(const SnFaces* faces, int vertex_count, SnFaces* out)
{
    *out = (SnFaces){.count = faces->count, .uv_count = faces->uv_count, .normal_count = faces->normal_count};
    SnStatus status = copy_arrays(faces, (size_t)vertex_count, out);
    if (status != SN_OK) sn_faces_free(out);
    return status;
}

SnStatus sn_faces_of_triangles(const SnMesh* mesh, SnFaces* out)
{
    *out = (SnFaces){.count = mesh->triangle_count};
    out->corners = sn_copy_memory(mesh->triangles, 3 * (size_t)out->count, sizeof(int), "faces");
    if (!out->corners || !SN_NEW(out->start, (size_t)out->count + 1, "faces")) {
        sn_faces_free(out);
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i <= out->count; i++) out->start[i] = 3 * i;
    return SN_OK;
}

void sn_faces_free(SnFaces* faces)
{
    for (int g = 0; g < faces->group_count; g++) SN_FREE(faces->groups[g].name, faces->groups[g].faces);
    SN_FREE(faces->start, faces->corners, faces->uvs, faces->corner_uvs, faces->normals, faces->corner_normals,
            faces->colours, faces->smoothing, faces->groups);
    *faces = (SnFaces){0};
}

void sn_faces_destroy(SnFaces* faces)
{
    if (!faces) return;
    sn_faces_free(faces);
    sn_free(faces);
}

bool sn_faces_plain(const SnFaces* faces)
{
    bool marked = faces->uv_count || faces->normal_count || faces->colours || faces->smoothing || faces->group_count;
    for (int i = 0; !marked && i < faces->count; i++) marked = faces->start[i + 1] - faces->start[i] != 3;
    return !marked;
}

static bool all_within(const int* numbers, int64_t count, int least, int end)
{
    for (int64_t i = 0; numbers && i < count; i++)
        if (numbers[i] < least || numbers[i] >= end) return false;
    return true;
}

const char* sn_faces_problem(const SnFaces* faces, int vertex_count)
{
    if (faces->start[0] != 0) return "faces do not begin with the first corner";
    for (int i = 0; i < faces->count; i++)
        if (faces->start[i + 1] - (int64_t)faces->start[i] < 3) return "a face has fewer than three corners";
    int corners = faces->start[faces->count];
    if (!all_within(faces->corners, corners, 0, vertex_count)) return "a corner names a vertex that does not exist";
    if (!all_within(faces->corner_uvs, corners, -1, faces->uv_count))
        return "a corner names a texture coordinate that does not exist";
    if (!all_within(faces->corner_normals, corners, -1, faces->normal_count))
        return "a corner names a normal that does not exist";
    for (int g = 0; g < faces->group_count; g++)
        if (!all_within(faces->groups[g].faces, faces->groups[g].count, 0, faces->count))
            return "a group names a face that does not exist";
    return NULL;
}

int sn_faces_triangle_count(const SnFaces* faces)
{
    return faces && faces->start ? faces->start[faces->count] - 2 * faces->count : 0;
}

void sn_faces_triangles(const SnFaces* faces, int* corners)
{
    int count = faces && corners && faces->start ? faces->count : 0;
    for (int i = 0; i < count; i++)
        for (int k = faces->start[i] + 2; k < faces->start[i + 1]; k++) {
            *corners++ = faces->start[i];
            *corners++ = k - 1;
            *corners++ = k;
        }
}

bool sn_faces_number_groups(const SnFaces* f, int* numbers[3])
{
    for (int kind = 0; kind < 3; kind++)
        if (!SN_NEW(numbers[kind], f->count, "groups of faces")) return false;
    for (int g = 0; g < f->group_count; g++)
        for (int i = 0; i < f->groups[g].count; i++) numbers[f->groups[g].kind][f->groups[g].faces[i]] = g + 1;
    return true;
}
