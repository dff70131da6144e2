// The faces of a mesh under construction, as the file has them.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/builder.h"
#include "mesh/elements.h"
#include "mesh/faces.h"

typedef struct SnFaceMember {
    int name, face;
} SnFaceMember;

// Numbers of each corner, -1 up to those of corners that had none.
static bool add_corner_numbers(int** list, int* capacity, int first, int end, const int64_t* numbers)
{
    bool begun = *list != NULL;
    if (!begun && !numbers) return true;
    if (!SN_GROW(*list, *capacity, (int64_t)end, "faces")) return false;
    for (int i = 0; !begun && i < first; i++) (*list)[i] = -1;
    for (int i = first; i < end; i++) (*list)[i] = numbers ? (int)numbers[i - first] : -1;
    return true;
}

static SnStatus check_numbers(const SnMeshBuilder* builder, const int64_t* numbers, int count, int known,
                              const char* what)
{
    for (int i = 0; numbers && i < count; i++)
        if (numbers[i] < -1 || numbers[i] >= known)
            return sn_malformed(builder->reader, "a face names %s %lld (counted from 1), but there are %d so far", what,
                                (long long)numbers[i] + 1, known);
    return SN_OK;
}

// Puts the face into the present group of each kind.
static SnStatus join_groups(SnFaceBuilder* b, int face)
{
    for (int kind = 0; kind < 3; kind++) {
        if (b->current[kind] == 0) continue;
        if (!SN_GROW(b->members, b->member_capacity, b->member_count + (int64_t)1, "groups of faces"))
            return SN_ERROR_MEMORY;
        b->members[b->member_count++] = (SnFaceMember){b->current[kind] - 1, face};
    }
    if (!b->says_smoothing) return SN_OK;
    int before = b->smoothing_capacity;
    if (!SN_GROW(b->faces.smoothing, b->smoothing_capacity, face + (int64_t)1, "faces")) return SN_ERROR_MEMORY;
    for (int i = before ? face : 0; i < face; i++) b->faces.smoothing[i] = 0;
    b->faces.smoothing[face] = b->smoothing;
    return SN_OK;
}

SnStatus sn_builder_face(SnMeshBuilder* builder, const int64_t* nodes, const int64_t* uvs, const int64_t* normals,
                         int count)
{
    SnFaceBuilder* b = &builder->faces;
    SnFaces* f = &b->faces;
    for (int i = 2; i < count; i++)
        SN_TRY(sn_builder_element(builder, 2, (const int64_t[]){nodes[0], nodes[i - 1], nodes[i]}));
    if (count < 3) return SN_OK;
    SN_TRY(check_numbers(builder, uvs, count, f->uv_count, "texture coordinate"));
    SN_TRY(check_numbers(builder, normals, count, f->normal_count, "normal"));
    if (!SN_GROW(f->start, b->start_capacity, f->count + (int64_t)2, "faces")) return SN_ERROR_MEMORY;
    if (f->count == 0) f->start[0] = 0;
    int first = f->start[f->count], end = first + count;
    if (end > SN_MESH_MOST) return sn_reader_fail(builder->reader, NULL, SN_ERROR_VALUE, "too many corners of faces");
    if (!SN_GROW(f->corners, b->corner_capacity, (int64_t)end, "faces") ||
        !add_corner_numbers(&f->corner_uvs, &b->corner_uv_capacity, first, end, uvs) ||
        !add_corner_numbers(&f->corner_normals, &b->corner_normal_capacity, first, end, normals))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) f->corners[first + i] = (int)nodes[i];
    f->start[f->count + 1] = end;
    SN_TRY(join_groups(b, f->count));
    f->count++;
    return SN_OK;
}

SnStatus sn_builder_polygon(SnMeshBuilder* builder, const int64_t* nodes, int count)
{
    return sn_builder_face(builder, nodes, NULL, NULL, count);
}

SnStatus sn_builder_uv(SnMeshBuilder* builder, const double uv[2])
{
    SnFaceBuilder* b = &builder->faces;
    int64_t end = 2 * (int64_t)b->faces.uv_count;
    if (b->faces.uv_count == SN_MESH_MOST || !SN_GROW(b->faces.uvs, b->uv_capacity, end + 2, "texture coordinates"))
        return SN_ERROR_MEMORY;
    memcpy(b->faces.uvs + end, uv, 2 * sizeof *uv);
    b->faces.uv_count++;
    return SN_OK;
}

SnStatus sn_builder_normal(SnMeshBuilder* builder, const double normal[3])
{
    SnFaceBuilder* b = &builder->faces;
    int64_t end = 3 * (int64_t)b->faces.normal_count;
    if (b->faces.normal_count == SN_MESH_MOST || !SN_GROW(b->faces.normals, b->normal_capacity, end + 3, "normals"))
        return SN_ERROR_MEMORY;
    memcpy(b->faces.normals + end, normal, 3 * sizeof *normal);
    b->faces.normal_count++;
    return SN_OK;
}

// White up to a number of nodes, of which `had` have their colours.
static bool grow_colours(SnFaceBuilder* b, int64_t had, int64_t nodes)
{
    if (!SN_GROW(b->faces.colours, b->colour_capacity, 4 * nodes, "colours")) return false;
    for (int64_t i = 4 * had; i < 4 * nodes; i++) b->faces.colours[i] = 1;
    return true;
}

SnStatus sn_builder_colour(SnMeshBuilder* builder, const float colour[4])
{
    SnFaceBuilder* b = &builder->faces;
    int64_t nodes = builder->mesh->node_count;
    if (!grow_colours(b, b->coloured, nodes)) return SN_ERROR_MEMORY;
    memcpy(b->faces.colours + 4 * (nodes - 1), colour, 4 * sizeof *colour);
    b->coloured = (int)nodes;
    return SN_OK;
}

SnStatus sn_builder_face_group(SnMeshBuilder* builder, SnFaceGroupKind kind, const char* name)
{
    SnFaceBuilder* b = &builder->faces;
    b->current[kind] = 0;
    if (!name || !name[0]) return SN_OK;
    if (!SN_GROW(b->names, b->name_capacity, b->name_count + (int64_t)1, "groups of faces")) return SN_ERROR_MEMORY;
    char* copy = sn_copy_text(name);
    if (!copy) return SN_ERROR_MEMORY;
    b->names[b->name_count] = (SnFaceGroup){.kind = kind, .name = copy, .count = b->name_count};
    b->current[kind] = ++b->name_count;
    return SN_OK;
}

void sn_builder_smoothing(SnMeshBuilder* builder, int group)
{
    builder->faces.smoothing = group;
    builder->faces.says_smoothing = true;
}

// --- the end ---

static int compare_names(const void* left, const void* right)
{
    const SnFaceGroup *a = left, *b = right;
    int order = (int)a->kind - (int)b->kind;
    if (order == 0) order = strcmp(a->name, b->name);
    return order ? order : (a->count > b->count) - (a->count < b->count);
}

static int compare_members(const void* left, const void* right)
{
    const SnFaceMember *a = left, *b = right;
    int order = (a->name > b->name) - (a->name < b->name);
    return order ? order : (a->face > b->face) - (a->face < b->face);
}

// One group for each name, by kind and name; *number: of each name as it was met.
static SnStatus merge_names(SnFaceBuilder* b, int* number)
{
    SnFaces* f = &b->faces;
    qsort(b->names, (size_t)b->name_count, sizeof *b->names, compare_names);
    if (!SN_NEW(f->groups, b->name_count, "groups of faces")) return SN_ERROR_MEMORY;
    for (int i = 0; i < b->name_count; i++) {
        SnFaceGroup* name = &b->names[i];
        bool again =
            i > 0 && name->kind == b->names[i - 1].kind && strcmp(name->name, f->groups[f->group_count - 1].name) == 0;
        number[name->count] = again ? f->group_count - 1 : f->group_count;
        if (again) continue;
        f->groups[f->group_count++] = (SnFaceGroup){.kind = name->kind, .name = name->name};
        name->name = NULL; // it is the group's now
    }
    for (int i = 0; i < b->member_count; i++) b->members[i].name = number[b->members[i].name];
    return SN_OK;
}

static SnStatus fill_groups(SnFaceBuilder* b)
{
    if (b->member_count > 0) qsort(b->members, (size_t)b->member_count, sizeof *b->members, compare_members);
    for (int i = 0; i < b->member_count; i++) b->faces.groups[b->members[i].name].count++;
    const SnFaceMember* next = b->members;
    for (int g = 0; g < b->faces.group_count; g++) {
        SnFaceGroup* group = &b->faces.groups[g];
        if (!SN_NEW(group->faces, group->count, "groups of faces")) return SN_ERROR_MEMORY;
        for (int i = 0; i < group->count; i++) group->faces[i] = (next++)->face;
    }
    return SN_OK;
}

static SnStatus make_groups(SnFaceBuilder* b)
{
    int* number;
    if (b->name_count == 0) return SN_OK;
    if (!SN_NEW(number, b->name_count, "groups of faces")) return SN_ERROR_MEMORY;
    SnStatus status = merge_names(b, number);
    sn_free(number);
    return status == SN_OK ? fill_groups(b) : status;
}

// Corners that name numbers which no float holds have none; such numbers become 0.
static void forget_unreal(int corner_count, int* corners, size_t size, double* numbers)
{
    for (int i = 0; corners && i < corner_count; i++)
        for (size_t k = 0; corners[i] >= 0 && k < size; k++)
            if (!(fabs(numbers[size * (size_t)corners[i] + k]) <= FLT_MAX)) corners[i] = -1;
}

static void forget_numbers(size_t count, double* numbers)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= FLT_MAX)) numbers[i] = 0;
}

static void make_real(SnFaces* f, size_t nodes)
{
    forget_unreal(f->start[f->count], f->corner_uvs, 2, f->uvs);
    forget_unreal(f->start[f->count], f->corner_normals, 3, f->normals);
    forget_numbers(2 * (size_t)f->uv_count, f->uvs);
    forget_numbers(3 * (size_t)f->normal_count, f->normals);
    for (size_t i = 0; f->colours && i < 4 * nodes; i++)
        if (!isfinite(f->colours[i])) f->colours[i] = 1;
}

SnStatus sn_builder_finish_faces(SnMeshBuilder* builder)
{
    SnFaceBuilder* b = &builder->faces;
    if (b->faces.count == 0) return SN_OK;
    if (b->coloured && !grow_colours(b, b->coloured, builder->mesh->node_count)) return SN_ERROR_MEMORY;
    make_real(&b->faces, (size_t)builder->mesh->node_count);
    SN_TRY(make_groups(b));
    // Triangles that came in another way, as in strips, are no faces: then these are not the whole surface.
    if (sn_faces_plain(&b->faces) || sn_faces_triangle_count(&b->faces) != builder->mesh->triangle_count) return SN_OK;
    if (!SN_NEW(builder->mesh->faces, 1, "faces")) return SN_ERROR_MEMORY;
    *builder->mesh->faces = b->faces;
    b->faces = (SnFaces){0};
    return SN_OK;
}

void sn_builder_abandon_faces(SnMeshBuilder* builder)
{
    SnFaceBuilder* b = &builder->faces;
    for (int i = 0; i < b->name_count; i++) sn_free(b->names[i].name);
    sn_faces_free(&b->faces);
    SN_FREE(b->names, b->members);
}
