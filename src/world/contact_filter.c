// Contact filters: pairs by name, made into a table of classes.
#include "world/contact_filter.h"

#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "core/table.h"
#include "linalg/vec3.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"
#include "world/shelf.h"

#define AUTO_THICKNESS 0.01  // of the edges
#define LEAST_THICKNESS 1e-3 // of the edges: surfaces that touch need a direction in which to part

void sn_body_sum_edges(const SnBody* body, double sums[2])
{
    double sum = 0;
    bool skin = body->skin_triangles;
    const int* surface = skin ? body->skin_triangles : body->surface;
    const double* rest = skin ? body->skin->rest : body->rest;
    int64_t triangles = 3 * (int64_t)(skin ? body->skin_triangle_count : body->surface_count),
            count = triangles + (skin ? 0 : body->edge_count);
    for (int64_t k = 0; k < count; k++) {
        const int* ends = k < triangles ? surface + k / 3 * 3 : body->edges + 2 * (k - triangles);
        int a = k < triangles ? ends[k % 3] : ends[0], b = k < triangles ? ends[(k + 1) % 3] : ends[1];
        sum += sn_distance3(rest + 3 * (int64_t)a, rest + 3 * (int64_t)b);
    }
    sums[0] = sum, sums[1] = (double)count;
}

void sn_body_set_edge(SnBody* body, const double sums[2])
{
    body->edge = sums[1] > 0 ? sums[0] / sums[1] : 0;
}

// A sheet's skin is the sheet.
static SnStatus set_touching_skin(SnBody* body)
{
    const SnSkin* skin = body->skin;
    if (!skin)
        return sn_fail(SN_ERROR_VALUE, "its skin is to touch, and it has none; give it one (`skin: {file: FILE}`), or "
                                       "leave `skin` of `contact` out");
    if (!skin->carriers) return SN_OK;
    if (skin->carrier_count > SN_CARRIERS)
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "its skin is to touch, and has `weights: smooth`; it can with `weights: linear`");
    body->skin_triangle_count = sn_faces_triangle_count(&skin->faces);
    if (!SN_NEW(body->skin_triangles, 3 * (int64_t)body->skin_triangle_count, "a skin")) return SN_ERROR_MEMORY;
    sn_faces_triangles(&skin->faces, body->skin_triangles);
    for (int64_t i = 0; i < 3 * (int64_t)body->skin_triangle_count; i++)
        body->skin_triangles[i] = skin->faces.corners[body->skin_triangles[i]];
    return SN_OK;
}

double sn_body_least_thickness(const SnBody* body)
{
    return LEAST_THICKNESS * body->edge;
}

double sn_body_thickness(const SnModel* model, const SnBody* body)
{
    double all = model->def.contact.thickness;
    return body->contact.thickness >= 0 ? body->contact.thickness : all >= 0 ? all : AUTO_THICKNESS * body->edge;
}

double sn_model_obstacle_thickness(const SnModel* model, int obstacle)
{
    double own = model->obstacle_shapes[obstacle].thickness, most = 0;
    for (int b = 0; b < model->body_count; b++)
        most =
            fmax(most, fmax(sn_body_thickness(model, &model->bodies[b]), sn_body_least_thickness(&model->bodies[b])));
    return own >= 0 ? own : most;
}

static bool touches_itself(const SnModel* model, const SnBody* body)
{
    return body->contact.self < 0 ? model->def.contact.self : body->contact.self == 1;
}

bool sn_model_bodies_touch(const SnModel* model)
{
    bool any = model->def.contact.bodies && model->body_count > 1;
    for (int b = 0; b < model->body_count; b++) any |= touches_itself(model, &model->bodies[b]);
    for (int k = 0; k < model->contact_pair_count; k++) any |= model->contact_pairs[k].touch == 1;
    return any;
}

bool sn_model_surfaces_meet(const SnModel* model)
{
    bool any = sn_model_bodies_touch(model);
    for (int b = 0; b < model->body_count; b++) any |= model->bodies[b].skin_triangles != NULL;
    for (int k = 0; k < model->obstacle_count; k++) any |= model->obstacle_shapes[k].type->vertices != NULL;
    return any;
}

void sn_groups_free(SnGroups* groups)
{
    for (int i = 0; i < groups->count && groups->names; i++) sn_free(groups->names[i]);
    sn_free(groups->names);
    *groups = (SnGroups){0};
}

SnStatus sn_groups_copy(const char* const* names, int count, SnGroups* groups)
{
    if (count < 0 || (count > 0 && !names))
        return sn_fail(SN_ERROR_VALUE, "group_count is %d, but there are no such groups", count);
    if (!SN_NEW(groups->names, count, "groups")) return SN_ERROR_MEMORY;
    for (; groups->count < count; groups->count++) {
        const char* name = names[groups->count];
        if (!name || !*name) return sn_fail(SN_ERROR_VALUE, "group %d has no name", groups->count);
        if (strcmp(name, SN_ALL) == 0)
            return sn_fail(SN_ERROR_VALUE, "a group cannot be named '" SN_ALL "', which is everything");
        if (!(groups->names[groups->count] = sn_copy_text(name))) return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

SnStatus sn_body_set_contact(SnBody* body, const SnBodyDef* def)
{
    SN_TRY(sn_parameters_check(sn_body_contact_parameters, &def->contact, "contact"));
    if (def->contact.self < -1 || def->contact.self > 1)
        return sn_fail(SN_ERROR_VALUE, "contact self is %d; it must be 1, 0, or -1 to be as the world's",
                       def->contact.self);
    body->contact = def->contact;
    body->contact.groups = NULL;
    if (def->contact.skin) SN_TRY(set_touching_skin(body));
    double sums[2];
    sn_body_sum_edges(body, sums);
    sn_body_set_edge(body, sums);
    return sn_groups_copy(def->contact.groups, def->contact.group_count, &body->groups);
}

// Whom a name means.
static bool is_in(const SnGroups* groups, const char* name)
{
    bool found = strcmp(name, SN_ALL) == 0;
    for (int i = 0; i < groups->count; i++) found |= strcmp(groups->names[i], name) == 0;
    return found;
}

static int target_count(const SnModel* model)
{
    return model->obstacle_count + model->body_count;
}

// Of obstacles, then of bodies.
static const char* name_of(const SnModel* model, int target)
{
    int body = target - model->obstacle_count;
    return body < 0 ? model->obstacles[target].name : model->bodies[body].name;
}

static bool is_meant(const SnModel* model, int target, const char* name)
{
    int body = target - model->obstacle_count;
    return strcmp(name_of(model, target), name) == 0 ||
           is_in(body < 0 ? &model->obstacles[target].groups : &model->bodies[body].groups, name);
}

static SnStatus check_name(const SnModel* model, const char* name)
{
    enum { MOST = 64 };
    const char* names[MOST];
    int count = 0;
    if (!name) return sn_fail(SN_ERROR_VALUE, "a contact pair is between two names, and one is missing");
    for (int t = 0; t < target_count(model); t++)
        if (is_meant(model, t, name)) return SN_OK;
    while (count < MOST && count < target_count(model)) names[count] = name_of(model, count), count++;
    return sn_fail_unknown("name of a body, obstacle or group", name, names, count);
}

SnContactPairDef sn_default_contact_pair_def(void)
{
    SnContactPairDef def = {.touch = -1};
    sn_parameters_default(sn_contact_pair_parameters, &def);
    return def;
}

static SnStatus check_pair(const SnModel* model, const SnContactPairDef* def)
{
    for (int k = 0; k < 2; k++) SN_TRY(check_name(model, def->between[k]));
    SN_TRY(sn_parameters_check(sn_contact_pair_parameters, def, "contact pair"));
    if (def->touch < -1 || def->touch > 1)
        return sn_fail(SN_ERROR_VALUE, "touch of a contact pair is %d; it must be 1, 0, or -1 to say nothing",
                       def->touch);
    if (def->touch == -1 && def->friction < 0)
        return sn_fail(SN_ERROR_VALUE, "the contact pair of '%s' and '%s' says nothing; set touch or friction",
                       def->between[0], def->between[1]);
    return SN_OK;
}

static SnStatus add(SnModel* model, const SnContactPairDef* def)
{
    if (!SN_GROW(model->contact_pairs, model->contact_pair_capacity, model->contact_pair_count + 1, "contact pairs"))
        return SN_ERROR_MEMORY;
    SnContactPair* pair = &model->contact_pairs[model->contact_pair_count];
    *pair = (SnContactPair){{sn_copy_text(def->between[0]), sn_copy_text(def->between[1])}, def->touch, def->friction};
    if (!pair->between[0] || !pair->between[1]) {
        SN_FREE(pair->between[0], pair->between[1]);
        return SN_ERROR_MEMORY;
    }
    model->contact_pair_count++;
    return SN_OK;
}

static void drop(SnModel* model, int index)
{
    SnContactPair* pair = &model->contact_pairs[index];
    SN_FREE(pair->between[0], pair->between[1]);
    memmove(pair, pair + 1, (size_t)(--model->contact_pair_count - index) * sizeof *pair);
}

// The last one says all that an earlier one of the same names has said: that is gone.
static void drop_overruled(SnModel* model)
{
    const SnContactPair* last = &model->contact_pairs[model->contact_pair_count - 1];
    for (int i = model->contact_pair_count - 2; i >= 0; i--) {
        const SnContactPair* one = &model->contact_pairs[i];
        bool same = strcmp(one->between[0], last->between[0]) == 0 && strcmp(one->between[1], last->between[1]) == 0;
        if (!same || (one->touch >= 0 && last->touch < 0) || (one->friction >= 0 && last->friction < 0)) continue;
        drop(model, i);
        last--;
    }
}

// How two rub is asked for when they touch: nothing else is made anew.
static SnStatus renew_filter(SnWorld* world)
{
    SnContactFilter fresh, *filter = &world->problem.filter;
    if (!world->problem.ready || !filter->model) return SN_OK;
    SN_TRY(sn_contact_filter_create(&world->model, &world->state, &fresh));
    sn_contact_filter_free(filter);
    *filter = fresh;
    return SN_OK;
}

// Who touches whom: refused where they cross already, and nothing has changed then. before: of the world without it.
static SnStatus admit(SnWorld* world, const SnStepReport* before)
{
    const SnContactPair* pair = &world->model.contact_pairs[world->model.contact_pair_count - 1];
    SnAside aside = sn_shelf_set_aside(world);
    int kept = world->state.constraints.count;
    world->state.constraints.count = 0;
    SnStatus status = sn_shelf_admit_touch(world, pair->between[1], before);
    if (status == SN_OK) {
        sn_shelf_drop_aside(world, &aside);
        return SN_OK;
    }
    sn_shelf_put_back(world, &aside);
    world->state.constraints.count = kept;
    return status;
}

SnStatus sn_world_add_contact_pair(SnWorld* world, const SnContactPairDef* def)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    SnStepReport before;
    SN_TRY(check_pair(model, def));
    if (sn_world_lives(world)) SN_TRY(sn_change_measure(world, &before));
    SN_TRY(add(model, def));
    SnStatus status = SN_OK;
    if (!sn_world_lives(world))
        sn_world_discard_problem(world);
    else
        status = def->touch < 0 ? renew_filter(world) : admit(world, &before);
    if (status != SN_OK) {
        drop(model, model->contact_pair_count - 1);
        return status;
    }
    drop_overruled(model);
    return sn_added_note_pair(world, def);
}

// Those of a class that the name means become a class of their own, unless they are all of it.
static void split(SnContactFilter* f, const char* name, int* first)
{
    int count = f->class_count;
    for (int c = 0; c < count; c++) first[c] = -1;
    for (int t = 0; t < target_count(f->model); t++) { // the class that those who are not meant, if any, keep
        if (!is_meant(f->model, t, name)) first[f->class_of[t]] = -2;
    }
    for (int t = 0; t < target_count(f->model); t++) {
        int* other = &first[f->class_of[t]];
        if (*other == -1 || !is_meant(f->model, t, name)) continue;
        if (*other == -2) *other = f->class_count++;
        f->class_of[t] = *other;
    }
}

static SnStatus classify(SnContactFilter* f)
{
    int *first, targets = target_count(f->model);
    if (!SN_NEW(f->class_of, targets, "contacts") || !SN_NEW(first, targets + 1, "contacts")) return SN_ERROR_MEMORY;
    f->class_count = 1; // of all
    for (int k = 0; k < f->model->contact_pair_count; k++)
        for (int side = 0; side < 2; side++) split(f, f->model->contact_pairs[k].between[side], first);
    sn_free(first);
    return SN_OK;
}

static void obey(SnContactRule* rule, const SnContactPair* pair)
{
    if (pair->touch >= 0) rule->touch = pair->touch;
    if (pair->friction >= 0) rule->friction = pair->friction;
}

// meant: 2 x class_count, scratch.
static void add_pair(SnContactFilter* f, const SnContactPair* pair, bool* meant)
{
    const SnModel* m = f->model;
    int count = f->class_count;
    for (int t = 0; t < target_count(m); t++)
        for (int side = 0; side < 2; side++) meant[side * count + f->class_of[t]] = is_meant(m, t, pair->between[side]);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count && meant[a]; b++) {
            if (!meant[count + b]) continue;
            obey(&f->rules[(int64_t)a * count + b], pair);
            if (a != b) obey(&f->rules[(int64_t)b * count + a], pair);
        }
    for (int b = 0; b < m->body_count; b++)
        if (strcmp(m->bodies[b].name, pair->between[0]) == 0 && strcmp(m->bodies[b].name, pair->between[1]) == 0)
            obey(&f->own[b], pair);
}

static SnStatus build(SnContactFilter* f)
{
    SN_TRY(classify(f));
    int64_t rules = (int64_t)f->class_count * f->class_count;
    bool* meant;
    if (!SN_NEW(f->rules, rules, "contacts") || !SN_NEW(f->own, f->model->body_count, "contacts"))
        return SN_ERROR_MEMORY;
    if (!SN_NEW(meant, 2 * (int64_t)f->class_count, "contacts")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < rules; i++) f->rules[i] = (SnContactRule){-1, -1};
    for (int b = 0; b < f->model->body_count; b++) f->own[b] = (SnContactRule){-1, -1};
    for (int k = 0; k < f->model->contact_pair_count; k++) add_pair(f, &f->model->contact_pairs[k], meant);
    sn_free(meant);
    return SN_OK;
}

SnStatus sn_contact_filter_create(const SnModel* model, const SnState* state, SnContactFilter* filter)
{
    *filter = (SnContactFilter){.model = model, .state = state};
    SnStatus status = build(filter);
    if (status != SN_OK) sn_contact_filter_free(filter);
    return status;
}

void sn_contact_filter_free(SnContactFilter* f)
{
    SN_FREE(f->class_of, f->rules, f->own);
    *f = (SnContactFilter){0};
}

static const SnContactRule* rule_of(const SnContactFilter* f, int body, int target)
{
    int first = f->model->obstacle_count;
    if (target == first + body) return &f->own[body];
    return &f->rules[(int64_t)f->class_of[first + body] * f->class_count + f->class_of[target]];
}

// Surfaces that are tied to each other lie on each other, and have no room for a thickness.
static bool are_attached(const SnModel* m, int a, int b)
{
    for (int i = 0; i < m->attachment_count; i++) {
        const SnAttachment* one = &m->attachments[i];
        if ((one->from_body == a && one->to_body == b) || (one->from_body == b && one->to_body == a)) return true;
    }
    return false;
}

static bool is_out(const SnContactFilter* f, int body)
{
    return body >= 0 && f->state->out[body] != 0;
}

bool sn_contact_filter_touch(const void* user, int body, int target)
{
    const SnContactFilter* f = user;
    const SnModel* m = f->model;
    if (is_out(f, body) || is_out(f, target - m->obstacle_count)) return false;
    if (target < m->obstacle_count && m->obstacles[target].out) return false;
    int touch = rule_of(f, body, target)->touch;
    if (touch >= 0) return touch == 1;
    if (target == m->obstacle_count + body) return touches_itself(m, &m->bodies[body]);
    if (are_attached(m, body, target - m->obstacle_count)) return false;
    return target < m->obstacle_count || m->def.contact.bodies;
}

double sn_contact_filter_friction(const void* user, int body, int target)
{
    const SnContactFilter* f = user;
    const SnModel* m = f->model;
    double friction = rule_of(f, body, target)->friction;
    if (friction >= 0) return friction;
    return target < m->obstacle_count ? m->obstacle_shapes[target].friction : m->def.contact.friction;
}
