// Bodies that are added while a world runs, as the numbers of an event, and from these.
//
// Mesh, start, velocity, material with its regions and scales, dampings, limits and how it touches. What numbers cannot
// say is refused: functions of the caller's own, curves, skins, groups and elements of second order.
#include <stddef.h>

#include "mesh/mesh.h"
#include "world/added.h"
#include "world/event.h"
#include "world/written.h"

typedef struct Plain {
    size_t offset;
    int count;
} Plain;
#define ROW(type, member, count)      \
    {                                 \
        offsetof(type, member), count \
    }

static const Plain material_numbers[] = {
    ROW(SnMaterial, young, 1),  ROW(SnMaterial, poisson, 1),   ROW(SnMaterial, density, 1),
    ROW(SnMaterial, weight, 1), ROW(SnMaterial, thickness, 1), ROW(SnMaterial, extra, 2),
    ROW(SnMaterial, fiber, 1),  ROW(SnMaterial, bending, 1),   ROW(SnMaterial, fiber_direction, 3),
};
static const Plain damping_numbers[] = {
    ROW(SnDampingDef, extra, 2),    ROW(SnDampingDef, beta, 1),     ROW(SnDampingDef, shear, 1),
    ROW(SnDampingDef, bulk, 1),     ROW(SnDampingDef, exponent, 1), ROW(SnDampingDef, reference, 1),
    ROW(SnDampingDef, strength, 1), ROW(SnDampingDef, drag, 1),     ROW(SnDampingDef, smoothing, 1),
};
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))
enum { NAME = 64 }; // letters of a type, and one

static void put_plain(SnWritten* n, int rows, const Plain* list, const void* from)
{
    for (int i = 0; i < rows; i++) sn_put(n, list[i].count, (const double*)((const char*)from + list[i].offset));
}

static void take_plain(SnReading* r, int rows, const Plain* list, void* to)
{
    for (int i = 0; i < rows; i++)
        memcpy((char*)to + list[i].offset, sn_take(r, list[i].count), (size_t)list[i].count * sizeof(double));
}

// --- Writing ---

static SnStatus refuse(const SnBodyDef* def, const char* what)
{
    return sn_fail(
        SN_ERROR_VALUE,
        "body '%s' has %s, which a run file that is being written cannot take up: put it on the shelf before "
        "(SnBodyDef.shelf), or close the file first",
        def->name ? def->name : "", what);
}

static bool has_curves(const SnMaterial* m)
{
    return m->spline.a.count > 0 || m->spline.b.count > 0 || m->spline.c.count > 0;
}

SnStatus sn_added_check_body(const SnBodyDef* def)
{
    if (def->material.custom) return refuse(def, "a material of its own");
    if (has_curves(&def->material)) return refuse(def, "a material of curves");
    if (def->skin || def->mesh->faces) return refuse(def, "a skin");
    if (def->contact.group_count > 0) return refuse(def, "groups");
    if (def->mesh->quadratic) return refuse(def, "elements of second order");
    for (int k = 0; k < def->damping_count; k++)
        if (def->damping[k].custom || def->damping[k].curve.count > 0)
            return refuse(def, "a damping of functions or curves");
    return SN_OK;
}

static int element_count(const SnMesh* mesh)
{
    if (mesh->tetrahedron_count > 0) return mesh->tetrahedron_count;
    return mesh->triangle_count > 0 ? mesh->triangle_count : mesh->edge_count;
}

static void put_material(SnWritten* n, const SnMaterial* m)
{
    sn_put_text(n, m->type);
    sn_put_one(n, m->inversion);
    put_plain(n, COUNT(material_numbers), material_numbers, m);
}

static void put_damping(SnWritten* n, const SnDampingDef* d)
{
    sn_put_text(n, d->type);
    sn_put_text(n, d->base);
    sn_put_ints(n, 3, (int[]){(int)d->rate, d->per_stretch, (int)d->conserve_momentum});
    put_plain(n, COUNT(damping_numbers), damping_numbers, d);
    sn_put_one(n, d->elements ? d->element_count : -1);
    if (d->elements) sn_put_ints(n, d->element_count, d->elements);
}

static void put_body(SnWritten* n, const void* given)
{
    const SnBodyDef* def = given;
    const SnMesh* m = def->mesh;
    int elements = element_count(m);
    sn_put_text(n, def->name);
    sn_put_ints(n, 4, (int[]){m->node_count, m->tetrahedron_count, m->triangle_count, m->edge_count});
    sn_put_ints(n, 9,
                (int[]){def->start != NULL, def->velocity != NULL, (int)def->element,
                        def->region_of_element ? def->region_count : 0, def->region_of_element != NULL,
                        def->young_scale != NULL, def->fiber_directions != NULL, def->damping_count, def->shelf});
    sn_put_ints(n, 3, (int[]){(int)def->limits.mode, def->contact.self, def->contact.skin});
    sn_put(n, 4, (double[]){def->limits.lo, def->limits.hi, def->limits.stiffness, def->contact.thickness});
    sn_put(n, 3 * m->node_count, m->nodes);
    sn_put_ints(n, 4 * m->tetrahedron_count, m->tetrahedra);
    sn_put_ints(n, 3 * m->triangle_count, m->triangles);
    sn_put_ints(n, 2 * m->edge_count, m->edges);
    if (def->start) sn_put(n, 3 * m->node_count, def->start);
    if (def->velocity) sn_put(n, 3 * m->node_count, def->velocity);
    put_material(n, &def->material);
    for (int k = 0; k < def->region_count && def->region_of_element; k++) put_material(n, &def->regions[k]);
    if (def->region_of_element) sn_put_ints(n, elements, def->region_of_element);
    if (def->young_scale) sn_put(n, elements, def->young_scale);
    if (def->fiber_directions) sn_put(n, 3 * elements, def->fiber_directions);
    for (int k = 0; k < def->damping_count; k++) put_damping(n, &def->damping[k]);
}

SnStatus sn_added_note_body(SnWorld* world, const SnBodyDef* def, int body)
{
    return sn_added_note(world, "add-body", body, put_body, def);
}

// --- Reading ---

// What a definition points to.
typedef struct Room {
    char name[256];
    int *tetrahedra, *triangles, *edges, *region_of_element;
    SnMesh* mesh;
    SnMaterial* regions;
    char (*types)[NAME]; // of the material, the regions, and the dampings, two of each
    SnDampingDef* dampings;
    int** elements; // of dampings
    int damping_count;
} Room;

static void free_room(Room* room)
{
    for (int k = 0; k < room->damping_count && room->elements; k++) sn_free(room->elements[k]);
    SN_FREE(room->tetrahedra, room->triangles, room->edges, room->region_of_element, room->regions, room->types,
            room->dampings, room->elements);
    sn_mesh_destroy(room->mesh);
}

static void take_material(SnReading* r, char type[NAME], SnMaterial* m)
{
    sn_take_text(r, type, NAME);
    *m = sn_material(type, 1, 0, 1);
    m->inversion = (SnInversion)sn_take_int(r);
    take_plain(r, COUNT(material_numbers), material_numbers, m);
}

static SnStatus take_damping(SnReading* r, char types[2][NAME], SnDampingDef* d, int** elements)
{
    sn_take_text(r, types[0], NAME), sn_take_text(r, types[1], NAME);
    *d = sn_default_damping_def(types[0]);
    d->base = *types[1] ? types[1] : NULL;
    d->rate = (SnStrainRate)sn_take_int(r), d->per_stretch = sn_take_int(r) != 0;
    d->conserve_momentum = (SnMomentum)sn_take_int(r);
    take_plain(r, COUNT(damping_numbers), damping_numbers, d);
    d->element_count = sn_take_int(r);
    if (d->element_count < 0) {
        d->element_count = 0;
        return SN_OK;
    }
    SN_TRY(sn_take_ints(r, d->element_count, elements));
    d->elements = *elements;
    return SN_OK;
}

static SnStatus take_mesh(SnReading* r, const int counts[4], Room* room)
{
    SnMeshDef def = sn_default_mesh_def();
    def.node_count = counts[0], def.tetrahedron_count = counts[1];
    def.triangle_count = counts[2], def.edge_count = counts[3];
    def.nodes = sn_take(r, 3 * (int64_t)counts[0]);
    SN_TRY(sn_take_ints(r, 4 * (int64_t)counts[1], &room->tetrahedra));
    SN_TRY(sn_take_ints(r, 3 * (int64_t)counts[2], &room->triangles));
    SN_TRY(sn_take_ints(r, 2 * (int64_t)counts[3], &room->edges));
    if (r->bad) return sn_reading_refuse(r, "add-body");
    def.tetrahedra = room->tetrahedra, def.triangles = room->triangles, def.edges = room->edges;
    return sn_mesh_create(&def, &room->mesh);
}

// Materials and dampings: no more than there can be numbers of them.
static SnStatus make_room(const SnReading* r, int regions, int dampings, Room* room)
{
    if (r->bad || regions < 0 || dampings < 0 || regions > r->count || dampings > r->count)
        return sn_reading_refuse(r, "add-body");
    bool all = SN_NEW(room->regions, regions, "changes") && SN_NEW(room->dampings, dampings, "changes") &&
               SN_NEW(room->elements, dampings, "changes") &&
               SN_NEW(room->types, 1 + (int64_t)regions + 2 * (int64_t)dampings, "changes");
    room->damping_count = dampings;
    return all ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus take_body(SnReading* r, SnBodyDef* def, Room* room)
{
    int counts[4], flags[9], more[3];
    sn_take_text(r, room->name, sizeof room->name);
    for (int k = 0; k < 4; k++) counts[k] = sn_take_int(r);
    for (int k = 0; k < 9; k++) flags[k] = sn_take_int(r);
    for (int k = 0; k < 3; k++) more[k] = sn_take_int(r);
    const double* numbers = sn_take(r, 4);
    SN_TRY(make_room(r, flags[3], flags[7], room));
    SN_TRY(take_mesh(r, counts, room));
    int elements = element_count(room->mesh);
    def->name = *room->name ? room->name : NULL, def->mesh = room->mesh;
    def->element = (SnElement)flags[2], def->shelf = flags[8] != 0;
    def->limits = (SnLimits){numbers[0], numbers[1], (SnLimitMode)more[0], numbers[2]};
    def->contact.self = more[1], def->contact.skin = more[2] != 0, def->contact.thickness = numbers[3];
    if (flags[0]) def->start = sn_take(r, 3 * (int64_t)counts[0]);
    if (flags[1]) def->velocity = sn_take(r, 3 * (int64_t)counts[0]);
    take_material(r, room->types[0], &def->material);
    for (int k = 0; k < flags[3]; k++) take_material(r, room->types[1 + k], &room->regions[k]);
    def->regions = room->regions, def->region_count = flags[3];
    if (flags[4]) SN_TRY(sn_take_ints(r, elements, &room->region_of_element));
    def->region_of_element = room->region_of_element;
    if (flags[5]) def->young_scale = sn_take(r, elements);
    if (flags[6]) def->fiber_directions = sn_take(r, 3 * (int64_t)elements);
    for (int k = 0; k < flags[7]; k++)
        SN_TRY(take_damping(r, &room->types[1 + flags[3] + 2 * k], &room->dampings[k], &room->elements[k]));
    def->damping = room->dampings, def->damping_count = flags[7];
    return r->bad || r->next != r->count ? sn_reading_refuse(r, "add-body") : SN_OK;
}

SnStatus sn_added_body(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false};
    SnBodyDef def = sn_default_body_def();
    Room room = {0};
    SnStatus status = take_body(&r, &def, &room);
    if (status == SN_OK) status = sn_world_add_body(world, &def, NULL);
    free_room(&room);
    return status;
}
