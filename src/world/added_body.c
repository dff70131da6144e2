// Bodies that are added while a world runs, as the numbers of an event, and from these.
//
// Mesh, start, velocity, material with its regions and scales, dampings, limits, how it touches; then, as files that
// were written before have none of it, curves, groups, skins and whether it is of second order. What numbers cannot say
// is refused: functions of the caller's own.
#include <stddef.h>

#include "mesh/faces.h"
#include "world/added.h"
#include "world/event.h"
#include "world/written_parts.h"

static const SnPlain material_numbers[] = {
    SN_PLAIN(SnMaterial, young, 1),  SN_PLAIN(SnMaterial, poisson, 1),   SN_PLAIN(SnMaterial, density, 1),
    SN_PLAIN(SnMaterial, weight, 1), SN_PLAIN(SnMaterial, thickness, 1), SN_PLAIN(SnMaterial, extra, 2),
    SN_PLAIN(SnMaterial, fiber, 1),  SN_PLAIN(SnMaterial, bending, 1),   SN_PLAIN(SnMaterial, fiber_direction, 3),
};
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

// --- Writing ---

static bool has_curves(const SnSplineDef* spline)
{
    return spline->a.count > 0 || spline->b.count > 0 || spline->c.count > 0;
}

static SnStatus refuse(const SnBodyDef* def, const char* what)
{
    return sn_fail(SN_ERROR_VALUE,
                   "body '%s' has %s, of which a run file that is being written keeps nothing: put it on the shelf "
                   "before (SnBodyDef.shelf), or close the file first",
                   def->name ? def->name : "", what);
}

static void put_body(SnWritten* n, const void* given);

SnStatus sn_added_check_body(const SnBodyDef* def)
{
    if (def->material.custom) return refuse(def, "a material of the caller's functions");
    for (int k = 0; k < def->damping_count; k++)
        if (def->damping[k].custom) return refuse(def, "a damping of the caller's functions");
    if (def->mesh->part) return refuse(def, "a part of a mesh");
    return sn_added_fits(put_body, def) ? SN_OK : refuse(def, "more than a hundred million numbers");
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
    sn_put_plain(n, COUNT(material_numbers), material_numbers, m);
}

static void put_more(SnWritten* n, const SnBodyDef* def)
{
    const SnSplineDef* spline = &def->material.spline;
    const SnFaces* faces = def->mesh->triangle_count > 0 && !def->skin ? def->mesh->faces : NULL;
    sn_put_ints(n, 4, (int[]){def->mesh->quadratic, faces != NULL, def->skin != NULL, (int)def->skin_weights});
    sn_put_curve(n, &spline->a), sn_put_curve(n, &spline->b), sn_put_curve(n, &spline->c);
    for (int k = 0; k < def->region_count && def->region_of_element; k++)
        sn_put_one(n, has_curves(&def->regions[k].spline));
    for (int k = 0; k < def->damping_count; k++) sn_put_curve(n, &def->damping[k].curve);
    sn_put_groups(n, def->contact.group_count, def->contact.groups);
    if (faces) sn_put_faces(n, faces, def->mesh->node_count);
    if (def->skin) sn_put_mesh(n, def->skin);
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
    sn_put_elements(n, m);
    if (def->start) sn_put(n, 3 * (int64_t)m->node_count, def->start);
    if (def->velocity) sn_put(n, 3 * (int64_t)m->node_count, def->velocity);
    put_material(n, &def->material);
    for (int k = 0; k < def->region_count && def->region_of_element; k++) put_material(n, &def->regions[k]);
    if (def->region_of_element) sn_put_ints(n, elements, def->region_of_element);
    if (def->young_scale) sn_put(n, elements, def->young_scale);
    if (def->fiber_directions) sn_put(n, 3 * (int64_t)elements, def->fiber_directions);
    for (int k = 0; k < def->damping_count; k++) sn_put_damping(n, &def->damping[k]);
    put_more(n, def);
}

SnStatus sn_added_note_body(SnWorld* world, const SnBodyDef* def, int body)
{
    return sn_added_note(world, "add-body", body, put_body, def);
}

// --- Reading ---

// What a definition points to.
typedef struct Room {
    char name[256];
    int* region_of_element;
    SnMesh *mesh, *skin;
    SnMaterial* regions;
    char (*types)[SN_WRITTEN_NAME]; // of the material, the regions, and the dampings, two of each
    SnDampingDef* dampings;
    int** elements; // of dampings
    int damping_count;
    SnGroups groups;
} Room;

static void free_room(Room* room)
{
    for (int k = 0; k < room->damping_count && room->elements; k++) sn_free(room->elements[k]);
    SN_FREE(room->region_of_element, room->regions, room->types, room->dampings, room->elements);
    sn_groups_free(&room->groups);
    sn_mesh_destroy(room->mesh);
    sn_mesh_destroy(room->skin);
}

static void take_material(SnReading* r, char type[SN_WRITTEN_NAME], SnMaterial* m)
{
    sn_take_text(r, type, SN_WRITTEN_NAME);
    *m = sn_material(type, 1, 0, 1);
    m->inversion = (SnInversion)sn_take_int(r);
    sn_take_plain(r, COUNT(material_numbers), material_numbers, m);
}

// Materials and dampings: no more than there can be numbers of them.
static SnStatus make_room(const SnReading* r, int regions, int dampings, Room* room)
{
    if (r->bad || regions < 0 || dampings < 0 || regions > r->count || dampings > r->count) return sn_reading_refuse(r);
    bool all = SN_NEW(room->regions, regions, "changes") && SN_NEW(room->dampings, dampings, "changes") &&
               SN_NEW(room->elements, dampings, "changes") &&
               SN_NEW(room->types, 1 + (int64_t)regions + 2 * (int64_t)dampings, "changes");
    room->damping_count = dampings;
    return all ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus take_more(SnReading* r, SnBodyDef* def, Room* room)
{
    int flags[4];
    SnSplineDef* spline = &def->material.spline;
    for (int k = 0; k < 4; k++) flags[k] = sn_take_int(r);
    sn_take_curve(r, &spline->a), sn_take_curve(r, &spline->b), sn_take_curve(r, &spline->c);
    for (int k = 0; k < def->region_count; k++)
        if (sn_take_int(r)) room->regions[k].spline = *spline;
    for (int k = 0; k < def->damping_count; k++) sn_take_curve(r, &room->dampings[k].curve);
    SN_TRY(sn_take_groups(r, &room->groups));
    def->contact.groups = (const char* const*)room->groups.names, def->contact.group_count = room->groups.count;
    if (flags[0]) SN_TRY(sn_take_order(r, room->mesh));
    if (flags[1]) SN_TRY(sn_take_faces(r, room->mesh));
    if (flags[2]) SN_TRY(sn_take_mesh(r, &room->skin));
    def->skin = room->skin, def->skin_weights = (SnSkinWeights)flags[3];
    return SN_OK;
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
    SN_TRY(sn_take_elements(r, counts, &room->mesh));
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
        SN_TRY(sn_take_damping(r, &room->types[1 + flags[3] + 2 * k], &room->dampings[k], &room->elements[k]));
    def->damping = room->dampings, def->damping_count = flags[7];
    if (!r->bad && r->next < r->count) SN_TRY(take_more(r, def, room));
    return r->bad || r->next != r->count ? sn_reading_refuse(r) : SN_OK;
}

SnStatus sn_added_body(SnWorld* world, const SnEvent* e)
{
    SnReading r = {e->numbers, e->count, 0, false, e->kind};
    SnBodyDef def = sn_default_body_def();
    Room room = {0};
    SnStatus status = take_body(&r, &def, &room);
    if (status == SN_OK) status = sn_world_add_body(world, &def, NULL);
    free_room(&room);
    return status;
}
