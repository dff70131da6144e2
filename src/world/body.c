// Adding a body: its mesh is copied, its material checked, its nodes appended to the world's.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/handle.h"
#include "core/pi.h"
#include "core/share.h"
#include "linalg/vec3.h"
#include "material/spline.h"
#include "mesh/elements.h"
#include "mesh/faces.h"
#include "mesh/part.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"
#include "world/shelf.h"

SnBodyDef sn_default_body_def(void)
{
    SnBodyDef def = {.material = sn_material("neo-hookean", 1e5, 0.45, 1000), .limits = {.hi = INFINITY}};
    sn_parameters_default(sn_body_contact_parameters, &def.contact);
    def.contact.self = -1;
    return def;
}

static SnStatus check_mesh(const SnMesh* mesh, const char* name)
{
    SnMeshCheck check;
    SN_TRY(sn_mesh_check(mesh, &check));
    for (int kind = 0; sn_mesh_check_fatal(&check) && kind < SN_MESH_PROBLEM_KINDS; kind++) {
        char text[256];
        sn_mesh_problem_text(&check, (SnMeshProblemKind)kind, text, sizeof text);
        bool fatal = kind != SN_MESH_UNREFERENCED && kind != SN_MESH_NON_MANIFOLD;
        if (fatal && text[0]) return sn_fail(SN_ERROR_VALUE, "body '%s': the mesh has %s", name, text);
    }
    return SN_OK;
}

// A body is made of its mesh's highest elements: tetrahedra, else triangles, else edges.
static SnStatus check_elements(const SnBody* body, const SnMesh* mesh)
{
    int dimension = sn_mesh_top_dimension(mesh), kind = dimension ? SN_ON_EDGES << (dimension - 1) : 0;
    if (dimension == 0) return sn_fail(SN_ERROR_VALUE, "body '%s': the mesh has no elements", body->name);
    if (!(body->type->elements & kind)) {
        char names[200];
        sn_material_names(kind, names, sizeof names);
        return sn_fail(SN_ERROR_VALUE, "body '%s' is made of %s, which material '%s' does not take%s%s", body->name,
                       sn_element_nouns[dimension][1], body->type->name,
                       names[0] ? "; these do: " : "; no material does yet", names);
    }
    return SN_OK;
}

static SnStatus copy_mesh(SnBody* body, const SnMesh* mesh)
{
    bool solid = mesh->tetrahedron_count > 0, sheet = !solid && mesh->triangle_count > 0;
    body->node_count = mesh->node_count;
    body->tetrahedron_count = mesh->tetrahedron_count;
    body->triangle_count = sheet ? mesh->triangle_count : 0;
    body->edge_count = !solid && !sheet ? mesh->edge_count : 0;
    const size_t size = sizeof(int);
    if (!(body->rest = sn_copy_memory(mesh->nodes, 3 * (size_t)mesh->node_count, sizeof(double), "a body")) ||
        !(body->tetrahedra = sn_copy_memory(mesh->tetrahedra, 4 * (size_t)body->tetrahedron_count, size, "a body")) ||
        !(body->triangles = sn_copy_memory(mesh->triangles, 3 * (size_t)body->triangle_count, size, "a body")) ||
        !(body->edges = sn_copy_memory(mesh->edges, 2 * (size_t)body->edge_count, size, "a body")))
        return SN_ERROR_MEMORY;
    if (!mesh->part) return sn_mesh_surface(mesh, &body->surface, &body->surface_count);
    const SnMeshPart* part = mesh->part;
    body->parted = true, body->surface_count = part->surface_count;
    body->surface = sn_copy_memory(part->surface, 3 * (size_t)part->surface_count, size, "a body");
    return body->surface ? SN_OK : SN_ERROR_MEMORY;
}

static SnStatus set_skin(SnBody* body, const SnBodyDef* def)
{
    if (def->skin && !sn_handle_lives(def->skin))
        return sn_fail(SN_ERROR_VALUE, "its skin was destroyed before it was added");
    if (def->skin) SN_TRY(sn_skin_create(def->mesh, def->skin, &body->skin));
    if (def->skin) return def->skin_weights == SN_SKIN_SMOOTH ? sn_skin_smooth(def->mesh, body->skin) : SN_OK;
    return def->mesh->faces && body->triangle_count > 0 ? sn_skin_of_sheet(def->mesh, &body->skin) : SN_OK;
}

static double mesh_mass(const SnMesh* mesh, const SnMaterial* material)
{
    SnMeshMeasure measure;
    sn_mesh_measure(mesh, &measure);
    double d = material->thickness, volume = measure.volume;
    if (!mesh->tetrahedron_count) volume = d * measure.area;
    if (!mesh->tetrahedron_count && !mesh->triangle_count) volume = SN_PI / 4 * d * d * measure.length;
    return material->density * volume;
}

static SnStatus fill_body(SnBody* body, const SnBodyDef* def, int index)
{
    char name[32];
    snprintf(name, sizeof name, "body %d", index);
    body->name = sn_copy_text(def->name ? def->name : name);
    if (!body->name) return SN_ERROR_MEMORY;
    if (!def->mesh) return sn_fail(SN_ERROR_VALUE, "body '%s' has no mesh", body->name);
    if (!sn_handle_lives(def->mesh))
        return sn_fail(SN_ERROR_VALUE, "body '%s': its mesh was destroyed before it was added", body->name);
    SN_TRY(check_mesh(def->mesh, body->name));
    body->mass = mesh_mass(def->mesh, &def->material);
    SnStatus status = sn_body_set_material(body, def);
    if (status != SN_OK) return sn_fail_prefix(status, "body '%s'", body->name);
    SN_TRY(check_elements(body, def->mesh));
    status = sn_body_set_reinforcement(body, def);
    if (status == SN_OK) status = sn_body_set_limits(body, def);
    if (status == SN_OK) status = sn_body_set_damping(body, def);
    if (status != SN_OK) return sn_fail_prefix(status, "body '%s'", body->name);
    SN_TRY(copy_mesh(body, def->mesh));
    status = sn_body_set_element(body, def);
    if (status == SN_OK) status = set_skin(body, def);
    if (status == SN_OK) status = sn_body_set_contact(body, def);
    return status == SN_OK ? SN_OK : sn_fail_prefix(status, "body '%s'", body->name);
}

static SnStatus append_nodes(SnState* state, const SnBody* body, const SnBodyDef* def)
{
    size_t size = 3 * (size_t)body->node_count * sizeof(double);
    double *x = state->x + 3 * (int64_t)body->first_node, *v = state->v + 3 * (int64_t)body->first_node;
    memcpy(x, def->start ? def->start : body->rest, size);
    memset(v, 0, size);
    if (def->velocity) memcpy(v, def->velocity, size);
    for (int i = 0; i < body->node_count; i++)
        if (sn_first_beyond(1, x + 3 * i) >= 0 || sn_first_beyond(1, v + 3 * i) >= 0)
            return sn_fail(SN_ERROR_VALUE,
                           "body '%s': start position or velocity of node %d is not finite, or beyond %g m or m/s",
                           body->name, i, SN_FARTHEST);
    return SN_OK;
}

void sn_body_free(SnBody* body)
{
    SN_FREE(body->name, body->rest, body->tetrahedra, body->triangles, body->edges, body->surface, body->touching_edges,
            body->skin_triangles, body->element_parameters, body->node_density, body->fibers, body->fiber_stiffness,
            body->fiber_directions, body->hinges, body->hinge_stiffness);
    sn_groups_free(&body->groups);
    sn_skin_destroy(body->skin);
    sn_spline_destroy(body->spline);
    sn_points_free(&body->points);
    sn_body_free_damping(body);
}

SnStatus sn_model_check_body(const SnModel* model, int body, const char* who)
{
    if (body >= 0 && body < model->body_count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s body %d: the world has %d", who, body, model->body_count);
}

SnStatus sn_body_choose_nodes(const SnBody* body, const int* chosen, int count, const char* who, int** nodes,
                              int* node_count)
{
    if (chosen && count < 0)
        return sn_fail(SN_ERROR_VALUE, "%s has a list of %d nodes; there can be 0 or more", who, count);
    *node_count = chosen ? count : body->node_count;
    if (!SN_NEW(*nodes, *node_count, who)) return SN_ERROR_MEMORY;
    for (int i = 0; i < *node_count; i++) {
        int node = chosen ? chosen[i] : i;
        if (node < 0 || node >= body->node_count)
            return sn_fail(SN_ERROR_VALUE, "%s names node %d of body '%s', which has nodes 0 to %d", who, node,
                           body->name, body->node_count - 1);
        (*nodes)[i] = body->first_node + node;
    }
    return SN_OK;
}

double sn_body_density(const SnBody* body, int node)
{
    return body->node_density ? body->node_density[node] : body->material.density;
}

double sn_body_rest_size(const SnModel* model, const SnBody* body)
{
    double most[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}; // against and along the axes
    for (int i = 0; i < 3 * body->node_count; i++) {
        most[i % 3] = fmax(most[i % 3], -body->rest[i]);
        most[3 + i % 3] = fmax(most[3 + i % 3], body->rest[i]);
    }
    sn_share_most(model->tasks, 6, most);
    for (int c = 0; c < 3; c++) most[c] += most[3 + c];
    return sn_length3(most);
}

SnElements sn_body_elements(const SnBody* body)
{
    if (body->tetrahedron_count) return (SnElements){"tetrahedron", body->tetrahedron_count, 4, body->tetrahedra};
    if (body->triangle_count) return (SnElements){"triangle", body->triangle_count, 3, body->triangles};
    return (SnElements){"edge", body->edge_count, 2, body->edges};
}

static void warn_of_spline(const SnModel* model, const SnBody* body)
{
    double at;
    if (body->spline && sn_spline_softens(body->spline, &at))
        sn_log(&model->def.log, SN_LOG_WARNING,
               "body '%s': the spline's stress falls as it is stretched beyond %g; it may snap through", body->name,
               at);
}

#define FAR_SKIN 2 // edges of the solid

static double mean_edge(const SnBody* body)
{
    double sum = 0;
    for (int64_t k = 0; k < 4 * (int64_t)body->tetrahedron_count; k++)
        for (int64_t other = k - k % 4; other < k; other++)
            sum += sn_distance3(body->rest + 3 * (int64_t)body->tetrahedra[k],
                                body->rest + 3 * (int64_t)body->tetrahedra[other]);
    return sum / (6.0 * body->tetrahedron_count);
}

static void warn_of_skin(const SnModel* model, const SnBody* body)
{
    if (!body->skin || !body->skin->carriers) return;
    double edge = mean_edge(body);
    if (body->skin->outside > FAR_SKIN * edge)
        sn_log(
            &model->def.log, SN_LOG_WARNING,
            "body '%s': its skin is up to %g m outside of the solid, whose edges are %g m long; there it exaggerates "
            "what the solid does: are both of the same size and place?",
            body->name, body->skin->outside, edge);
}

// Its nodes and losses, in the model and the state.
static SnStatus append(SnModel* model, SnState* state, SnBody* body, const SnBodyDef* def)
{
    int64_t total = (int64_t)model->node_count + body->node_count;
    if (total > INT32_MAX / 3)
        return sn_fail(SN_ERROR_VALUE, "body '%s': the world would have %lld nodes; at most %d are possible",
                       body->name, (long long)total, INT32_MAX / 3);
    if (sn_body_elements(body).count > INT32_MAX - model->element_count)
        return sn_fail(SN_ERROR_VALUE, "body '%s': the world would have more than %d elements", body->name, INT32_MAX);
    body->first_node = model->node_count;
    body->first_element = model->element_count;
    model->node_count = (int)total;
    model->element_count += sn_body_elements(body).count;
    SN_TRY(sn_losses_add(model, body));
    int64_t shifts = sn_body_shift_count(body);
    if (shifts < 0) return SN_ERROR_MEMORY;
    model->shift_count += shifts;
    SN_TRY(sn_state_grow(state, model));
    return append_nodes(state, body, def);
}

// Into a world that may be running.
static SnStatus bring_in(SnWorld* world, SnBody* body, const SnBodyDef* def, int index, const SnStepReport* before)
{
    warn_of_spline(&world->model, body);
    warn_of_skin(&world->model, body);
    if (def->shelf)
        sn_shelf_put(&world->model, &world->state, index);
    else
        sn_start_mend(&world->model, body, world->state.x + 3 * (int64_t)body->first_node);
    sn_world_discard_problem(world);
    world->elastic = NAN;
    return sn_world_lives(world) && !def->shelf ? sn_shelf_admit(world, index, before) : SN_OK;
}

// A model as it was before a body that was refused.
typedef struct Counts {
    int losses, nodes, elements;
    int64_t shifts;
} Counts;

static void take_back(SnWorld* world, const Counts* before)
{
    SnModel* model = &world->model;
    sn_losses_drop(model, before->losses);
    model->node_count = before->nodes, model->element_count = before->elements, model->shift_count = before->shifts;
    model->body_count--;
    sn_world_discard_problem(world);
    (void)sn_state_grow(&world->state, model); // larger than it need be it is right, too
    sn_body_free(&model->bodies[model->body_count]);
}

static SnStatus add(SnWorld* world, const SnBodyDef* def, const SnStepReport* before)
{
    SnModel* model = &world->model;
    if (!SN_GROW(model->bodies, model->body_capacity, model->body_count + 1, "bodies")) return SN_ERROR_MEMORY;
    SnBody* body = &model->bodies[model->body_count];
    Counts counts = {model->loss_count, model->node_count, model->element_count, model->shift_count};
    *body = (SnBody){0};
    SnStatus status = fill_body(body, def, model->body_count++);
    if (status == SN_OK && world->events.noting) status = sn_added_check_body(def);
    if (status == SN_OK) status = append(model, &world->state, body, def);
    if (status == SN_OK) status = bring_in(world, body, def, model->body_count - 1, before);
    if (status != SN_OK) take_back(world, &counts);
    return status;
}

// Into a world that runs: refused, it goes on as if nobody had asked.
static SnStatus add_between(SnWorld* world, const SnBodyDef* def)
{
    SnStepReport before;
    SN_TRY(sn_change_measure(world, &before));
    SnAside aside = sn_shelf_set_aside(world);
    SnStatus status = add(world, def, &before);
    if (status == SN_OK)
        sn_shelf_drop_aside(world, &aside);
    else
        sn_shelf_put_back(world, &aside);
    return status;
}

SnStatus sn_world_add_body(SnWorld* world, const SnBodyDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SN_TRY(sn_world_lives(world) ? add_between(world, def) : add(world, def, NULL));
    if (index) *index = world->model.body_count - 1;
    return sn_added_note_body(world, def, world->model.body_count - 1);
}
