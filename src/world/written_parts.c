#include "world/written_parts.h"

#include "mesh/faces.h"
#include "mesh/raise.h"

void sn_put_plain(SnWritten* n, int rows, const SnPlain* list, const void* from)
{
    for (int i = 0; i < rows; i++) sn_put(n, list[i].count, (const double*)((const char*)from + list[i].offset));
}

void sn_take_plain(SnReading* r, int rows, const SnPlain* list, void* to)
{
    for (int i = 0; i < rows; i++)
        memcpy((char*)to + list[i].offset, sn_take(r, list[i].count), (size_t)list[i].count * sizeof(double));
}

static const SnPlain motion_numbers[] = {
    SN_PLAIN(SnMotion, velocity, 3),
    SN_PLAIN(SnMotion, turn, 2),
    SN_PLAIN(SnMotion, rotate_axis, 3),
    SN_PLAIN(SnMotion, rotate_centre, 3),
    SN_PLAIN(SnMotion, rotate_rate, 1),
    SN_PLAIN(SnMotion, oscillate_amplitude, 3),
    SN_PLAIN(SnMotion, oscillate_frequency, 1),
    SN_PLAIN(SnMotion, until, 1),
    SN_PLAIN(SnMotion, release, 1),
};
enum { MOTION_NUMBERS = sizeof motion_numbers / sizeof *motion_numbers };
_Static_assert(sizeof(SnKeyframe) == 4 * sizeof(double), "a keyframe is four numbers");

void sn_put_motion(SnWritten* n, const SnMotion* motion)
{
    sn_put_plain(n, MOTION_NUMBERS, motion_numbers, motion);
}

void sn_take_motion(SnReading* r, SnMotion* motion)
{
    sn_take_plain(r, MOTION_NUMBERS, motion_numbers, motion);
}

void sn_put_chosen(SnWritten* n, const int* items, int count)
{
    sn_put_one(n, items ? count : -1);
    if (items) sn_put_ints(n, count, items);
}

SnStatus sn_take_chosen(SnReading* r, int** items, int* count)
{
    int given = sn_take_int(r);
    r->bad |= given < -1;
    *items = NULL, *count = given > 0 ? given : 0;
    return given >= 0 ? sn_take_ints(r, given, items) : SN_OK;
}

void sn_put_curve(SnWritten* n, const SnCurve* curve)
{
    sn_put_one(n, curve->count);
    sn_put(n, 2 * (int64_t)curve->count, curve->points);
}

void sn_take_curve(SnReading* r, SnCurve* curve)
{
    int count = sn_take_int(r);
    const double* points = sn_take(r, 2 * (int64_t)count);
    *curve = r->bad || count == 0 ? (SnCurve){0} : (SnCurve){count, points};
}

void sn_put_groups(SnWritten* n, int count, const char* const* names)
{
    sn_put_one(n, count);
    for (int i = 0; i < count; i++) sn_put_text(n, names[i]);
}

SnStatus sn_take_words(SnReading* r, char** text)
{
    int64_t length = r->next < r->count ? (int64_t)fmax(0, fmin(r->items[r->next], r->count)) : 0;
    if (!SN_NEW(*text, length + 1, "changes")) return SN_ERROR_MEMORY;
    sn_take_text(r, *text, (size_t)length + 1);
    return SN_OK;
}

SnStatus sn_take_groups(SnReading* r, SnGroups* groups)
{
    int count = sn_take_int(r);
    *groups = (SnGroups){0};
    r->bad |= count < 0 || count > r->count - r->next;
    if (r->bad || count == 0) return SN_OK;
    if (!SN_NEW(groups->names, count, "changes")) return SN_ERROR_MEMORY;
    for (; groups->count < count; groups->count++) SN_TRY(sn_take_words(r, &groups->names[groups->count]));
    return SN_OK;
}

// --- Dampings ---

static const SnPlain damping_numbers[] = {
    SN_PLAIN(SnDampingDef, extra, 2),    SN_PLAIN(SnDampingDef, beta, 1),     SN_PLAIN(SnDampingDef, shear, 1),
    SN_PLAIN(SnDampingDef, bulk, 1),     SN_PLAIN(SnDampingDef, exponent, 1), SN_PLAIN(SnDampingDef, reference, 1),
    SN_PLAIN(SnDampingDef, strength, 1), SN_PLAIN(SnDampingDef, drag, 1),     SN_PLAIN(SnDampingDef, smoothing, 1),
};
enum { DAMPING_NUMBERS = sizeof damping_numbers / sizeof *damping_numbers };

void sn_put_damping(SnWritten* n, const SnDampingDef* d)
{
    sn_put_text(n, d->type);
    sn_put_text(n, d->base);
    sn_put_ints(n, 3, (int[]){(int)d->rate, d->per_stretch, (int)d->conserve_momentum});
    sn_put_plain(n, DAMPING_NUMBERS, damping_numbers, d);
    sn_put_chosen(n, d->elements, d->element_count);
}

SnStatus sn_take_damping(SnReading* r, char types[2][SN_WRITTEN_NAME], SnDampingDef* d, int** elements)
{
    sn_take_text(r, types[0], SN_WRITTEN_NAME), sn_take_text(r, types[1], SN_WRITTEN_NAME);
    *d = sn_default_damping_def(types[0]);
    d->base = *types[1] ? types[1] : NULL;
    d->rate = (SnStrainRate)sn_take_int(r), d->per_stretch = sn_take_int(r) != 0;
    d->conserve_momentum = (SnMomentum)sn_take_int(r);
    sn_take_plain(r, DAMPING_NUMBERS, damping_numbers, d);
    SN_TRY(sn_take_chosen(r, elements, &d->element_count));
    d->elements = *elements;
    return SN_OK;
}

// --- Meshes ---

void sn_put_elements(SnWritten* n, const SnMesh* mesh)
{
    sn_put(n, 3 * (int64_t)mesh->node_count, mesh->nodes);
    sn_put_ints(n, 4 * (int64_t)mesh->tetrahedron_count, mesh->tetrahedra);
    sn_put_ints(n, 3 * (int64_t)mesh->triangle_count, mesh->triangles);
    sn_put_ints(n, 2 * (int64_t)mesh->edge_count, mesh->edges);
}

SnStatus sn_take_elements(SnReading* r, const int counts[4], SnMesh** mesh)
{
    SnMeshDef def = sn_default_mesh_def();
    int* lists[4] = {0};
    SnStatus status = SN_OK;
    *mesh = NULL;
    def.node_count = counts[0], def.tetrahedron_count = counts[1];
    def.triangle_count = counts[2], def.edge_count = counts[3];
    def.nodes = sn_take(r, 3 * (int64_t)counts[0]);
    for (int k = 1; k < 4 && status == SN_OK; k++) status = sn_take_ints(r, (5 - k) * (int64_t)counts[k], &lists[k]);
    def.tetrahedra = lists[1], def.triangles = lists[2], def.edges = lists[3];
    if (status == SN_OK && r->bad) status = sn_reading_refuse(r);
    if (status == SN_OK) status = sn_mesh_create(&def, mesh);
    SN_FREE(lists[1], lists[2], lists[3]);
    return status;
}

SnStatus sn_take_order(SnReading* r, SnMesh* mesh)
{
    for (int d = 1; d <= 3; d++) {
        int count = d == 1 ? mesh->edge_count : d == 2 ? mesh->triangle_count : mesh->tetrahedron_count;
        if (count % sn_quadratic_parts[d] != 0) return sn_reading_refuse(r);
    }
    mesh->quadratic = true;
    return SN_OK;
}

void sn_put_faces(SnWritten* n, const SnFaces* f, int vertex_count)
{
    int corners = f->start[f->count];
    sn_put_ints(n, 5, (int[]){f->count, corners, f->uv_count, f->normal_count, f->group_count});
    sn_put_ints(n, 4,
                (int[]){f->corner_uvs != NULL, f->corner_normals != NULL, f->colours != NULL, f->smoothing != NULL});
    sn_put_ints(n, f->count + (int64_t)1, f->start);
    sn_put_ints(n, corners, f->corners);
    sn_put(n, 2 * (int64_t)f->uv_count, f->uvs);
    if (f->corner_uvs) sn_put_ints(n, corners, f->corner_uvs);
    sn_put(n, 3 * (int64_t)f->normal_count, f->normals);
    if (f->corner_normals) sn_put_ints(n, corners, f->corner_normals);
    for (int64_t i = 0; f->colours && i < 4 * (int64_t)vertex_count; i++) sn_put_one(n, f->colours[i]);
    if (f->smoothing) sn_put_ints(n, f->count, f->smoothing);
    for (int g = 0; g < f->group_count; g++) {
        sn_put_ints(n, 2, (int[]){(int)f->groups[g].kind, f->groups[g].count});
        sn_put_text(n, f->groups[g].name);
        sn_put_ints(n, f->groups[g].count, f->groups[g].faces);
    }
}

static SnStatus take_doubles(SnReading* r, int64_t count, double** items)
{
    const double* values = sn_take(r, count);
    *items = NULL;
    if (r->bad || count == 0) return SN_OK;
    *items = sn_copy_memory(values, (size_t)count, sizeof *values, "changes");
    return *items ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus take_colours(SnReading* r, int64_t count, float** items)
{
    const double* values = sn_take(r, count);
    if (r->bad) return SN_OK;
    if (!SN_NEW(*items, count, "changes")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < count; i++) (*items)[i] = (float)values[i];
    return SN_OK;
}

static SnStatus take_face_groups(SnReading* r, int count, SnFaces* f)
{
    r->bad |= count < 0 || count > r->count;
    if (r->bad) return SN_OK;
    if (!SN_NEW(f->groups, count, "changes")) return SN_ERROR_MEMORY;
    while (f->group_count < count) {
        SnFaceGroup* group = &f->groups[f->group_count++];
        int kind = sn_take_int(r);
        r->bad |= kind < SN_FACE_OBJECT || kind > SN_FACE_MATERIAL;
        group->kind = r->bad ? SN_FACE_OBJECT : (SnFaceGroupKind)kind;
        int faces = sn_take_int(r);
        SN_TRY(sn_take_words(r, &group->name));
        SN_TRY(sn_take_ints(r, faces, &group->faces));
        group->count = r->bad ? 0 : faces;
    }
    return SN_OK;
}

// Everything but what it names being there.
static SnStatus take_face_arrays(SnReading* r, int vertex_count, SnFaces* f)
{
    int counts[5], has[4];
    for (int k = 0; k < 5; k++) counts[k] = sn_take_int(r), r->bad |= counts[k] < 0;
    for (int k = 0; k < 4; k++) has[k] = sn_take_int(r);
    f->count = counts[0], f->uv_count = counts[2], f->normal_count = counts[3];
    SN_TRY(sn_take_ints(r, counts[0] + (int64_t)1, &f->start));
    r->bad |= !f->start || f->start[counts[0]] != counts[1];
    SN_TRY(sn_take_ints(r, counts[1], &f->corners));
    SN_TRY(take_doubles(r, 2 * (int64_t)counts[2], &f->uvs));
    if (has[0]) SN_TRY(sn_take_ints(r, counts[1], &f->corner_uvs));
    SN_TRY(take_doubles(r, 3 * (int64_t)counts[3], &f->normals));
    if (has[1]) SN_TRY(sn_take_ints(r, counts[1], &f->corner_normals));
    if (has[2]) SN_TRY(take_colours(r, 4 * (int64_t)vertex_count, &f->colours));
    if (has[3]) SN_TRY(sn_take_ints(r, counts[0], &f->smoothing));
    return take_face_groups(r, counts[4], f);
}

SnStatus sn_take_faces(SnReading* r, SnMesh* mesh)
{
    if (!SN_NEW(mesh->faces, 1, "changes")) return SN_ERROR_MEMORY;
    SN_TRY(take_face_arrays(r, mesh->node_count, mesh->faces));
    const char* problem = r->bad ? "they end too early" : sn_faces_problem(mesh->faces, mesh->node_count);
    return problem ? sn_fail(SN_ERROR_VALUE, "a change has faces in which %s", problem) : SN_OK;
}

void sn_put_mesh(SnWritten* n, const SnMesh* m)
{
    sn_put_ints(n, 4, (int[]){m->node_count, m->tetrahedron_count, m->triangle_count, m->edge_count});
    sn_put_ints(n, 2, (int[]){m->quadratic, m->faces != NULL});
    sn_put_elements(n, m);
    if (m->faces) sn_put_faces(n, m->faces, m->node_count);
}

static SnStatus take_mesh(SnReading* r, SnMesh** mesh)
{
    int counts[4], flags[2];
    for (int k = 0; k < 4; k++) counts[k] = sn_take_int(r);
    for (int k = 0; k < 2; k++) flags[k] = sn_take_int(r);
    SN_TRY(sn_take_elements(r, counts, mesh));
    if (flags[0]) SN_TRY(sn_take_order(r, *mesh));
    return flags[1] ? sn_take_faces(r, *mesh) : SN_OK;
}

SnStatus sn_take_mesh(SnReading* r, SnMesh** mesh)
{
    *mesh = NULL;
    SnStatus status = take_mesh(r, mesh);
    if (status != SN_OK) sn_mesh_destroy(*mesh), *mesh = NULL;
    return status;
}
