// Attachments: nodes of a body that are tied to points of another one, or of the same; both feel it. Ties in all three
// directions (constraint/tie.h), which tear where they would have to pull too hard.
#include <math.h>
#include <string.h>

#include "core/getter.h"
#include "core/handle.h"
#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"
#include "world/added.h"
#include "world/definitions.h"
#include "world/event.h"
#include "world/shelf.h"

static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

const SnParameter sn_attachment_parameters[] = {
    {"break", SN_NUMBER, offsetof(SnAttachmentDef, strength), .unset = "inf", .example = "50", .range = ">0 <=inf",
     .unit = "N", .doc = "a node is let go after a step in which its tie pulled harder than this; without it, never"},
    {"close", SN_NUMBER, offsetof(SnAttachmentDef, close), .value = "0", .range = ">=0", .unit = "s",
     .doc = "what is apart at the start is drawn together within this time; 0: in the first step"},
    {0},
};

SnAttachmentDef sn_default_attachment_def(void)
{
    SnAttachmentDef def = {.from = {.body = -1}, .to = {.body = -1}};
    sn_parameters_default(sn_attachment_parameters, &def);
    return def;
}

void sn_attachment_free(SnAttachment* a)
{
    SN_FREE(a->nodes, a->corners, a->weights, a->apart);
}

// --- where nodes are tied to ---

// Triangles that the node itself is a corner of are no place to be tied to.
typedef struct Other {
    const SnBody* body;
    int node; // of the body; -1: of another one
} Other;

static bool is_other(void* user, int item)
{
    const Other* o = user;
    const int* t = o->body->surface + 3 * (int64_t)item;
    return o->node < 0 || (t[0] != o->node && t[1] != o->node && t[2] != o->node);
}

static void tie_to_triangle(const SnBody* to, const SnNearest* nearest, int* corners, double* weights)
{
    for (int k = 0; k < 3; k++) {
        corners[k] = to->first_node + to->surface[3 * (int64_t)nearest->item + k];
        weights[k] = nearest->weights[k];
    }
}

static SnStatus tie_to_surface(const SnModel* model, const SnBody* to, const double* x, SnAttachment* a)
{
    SnTree* tree;
    const double* surface_x = x + 3 * (int64_t)to->first_node;
    SN_TRY(sn_tree_create(to->surface_count, 3, to->surface, surface_x, &tree));
    sn_tree_refit(tree, model->tasks, surface_x, 0);
    SnStatus status = SN_OK;
    for (int i = 0; i < a->node_count && status == SN_OK; i++) {
        SnNearest nearest;
        bool own = a->nodes[i] >= to->first_node && a->nodes[i] < to->first_node + to->node_count;
        Other other = {to, own ? a->nodes[i] - to->first_node : -1};
        if (sn_tree_nearest(tree, surface_x, x + 3 * (int64_t)a->nodes[i], INFINITY, is_other, &other, &nearest))
            tie_to_triangle(to, &nearest, a->corners + SN_TIE_CORNERS * (int64_t)i,
                            a->weights + SN_TIE_CORNERS * (int64_t)i);
        else
            status = sn_fail(SN_ERROR_VALUE, "an attachment finds nothing to tie node %d to", a->nodes[i]);
    }
    sn_tree_destroy(tree);
    return status;
}

static SnStatus tie_to_nodes(const int* nodes, int count, const double* x, SnAttachment* a)
{
    for (int i = 0; i < a->node_count; i++) {
        double least = INFINITY;
        int best = -1;
        for (int k = 0; k < count; k++) {
            double distance = sn_distance3(x + 3 * (int64_t)a->nodes[i], x + 3 * (int64_t)nodes[k]);
            if (nodes[k] != a->nodes[i] && distance < least) least = distance, best = nodes[k];
        }
        if (best < 0) return sn_fail(SN_ERROR_VALUE, "an attachment ties node %d to itself alone", a->nodes[i]);
        a->corners[SN_TIE_CORNERS * (int64_t)i] = best, a->weights[SN_TIE_CORNERS * (int64_t)i] = 1;
    }
    return SN_OK;
}

static void measure_apart(const double* x, SnAttachment* a)
{
    for (int64_t i = 0; i < a->node_count; i++)
        for (int c = 0; c < 3; c++) {
            a->apart[3 * i + c] = x[3 * (int64_t)a->nodes[i] + c];
            for (int64_t k = SN_TIE_CORNERS * i; k < SN_TIE_CORNERS * (i + 1); k++)
                a->apart[3 * i + c] -= a->weights[k] * x[3 * (int64_t)a->corners[k] + c];
        }
}

static SnStatus fill(const SnModel* model, const double* x, const SnAttachmentDef* def, SnAttachment* a)
{
    const SnBody *from = &model->bodies[def->from.body], *to = &model->bodies[def->to.body];
    int *others = NULL, other_count = 0;
    a->from_body = def->from.body, a->to_body = def->to.body;
    a->strength = def->strength, a->close = def->close, a->first = model->tied_count;
    SN_TRY(
        sn_body_choose_nodes(from, def->from.nodes, def->from.node_count, "an attachment", &a->nodes, &a->node_count));
    int64_t n = a->node_count;
    if (!SN_NEW(a->corners, SN_TIE_CORNERS * n, "an attachment") ||
        !SN_NEW(a->weights, SN_TIE_CORNERS * n, "an attachment") || !SN_NEW(a->apart, 3 * n, "an attachment"))
        return SN_ERROR_MEMORY;
    SnStatus status;
    if (!def->to.nodes && to->surface_count > 0) {
        status = tie_to_surface(model, to, x, a);
    } else {
        status = sn_body_choose_nodes(to, def->to.nodes, def->to.node_count, "an attachment", &others, &other_count);
        if (status == SN_OK) status = tie_to_nodes(others, other_count, x, a);
    }
    sn_free(others);
    if (status == SN_OK) measure_apart(x, a);
    return status;
}

SnStatus sn_world_add_attachment(SnWorld* world, const SnAttachmentDef* def, int* index)
{
    SN_CHANGE(world);
    SN_NEED(def);
    SnModel* model = &world->model;
    SN_TRY(sn_parameters_check(sn_attachment_parameters, def, "attachment"));
    SN_TRY(sn_model_check_body(model, def->from.body, "an attachment is from"));
    SN_TRY(sn_model_check_body(model, def->to.body, "an attachment is to"));
    SN_TRY(sn_shelf_check_tie(world, def->from.body, "an attachment"));
    SN_TRY(sn_shelf_check_tie(world, def->to.body, "an attachment"));
    if (!SN_GROW(model->attachments, model->attachment_capacity, model->attachment_count + 1, "attachments"))
        return SN_ERROR_MEMORY;
    SnAttachment* a = &model->attachments[model->attachment_count];
    *a = (SnAttachment){.since = sn_world_lives(world) ? world->state.time : 0};
    SnStatus status = fill(model, world->state.x, def, a);
    model->tied_count += status == SN_OK ? a->node_count : 0;
    if (status == SN_OK) status = sn_state_grow(&world->state, model);
    if (status != SN_OK) {
        model->tied_count = a->first;
        sn_attachment_free(a);
        return status;
    }
    sn_change_structure(world);
    if (index) *index = model->attachment_count;
    model->attachment_count++;
    return sn_added_note_attachment(world, def);
}

SN_GETTER(int, sn_world_attachment_count, const SnWorld*, model.attachment_count)

static SnStatus check(const SnWorld* world, int index)
{
    if (index >= 0 && index < world->model.attachment_count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "there is no attachment %d; the world has %d", index, world->model.attachment_count);
}

SnStatus sn_world_attachment_force(const SnWorld* world, int index, SnWrench* wrench)
{
    SN_HANDLE(world);
    SN_NEED(wrench);
    *wrench = (SnWrench){0};
    SN_TRY(check(world, index));
    if (sn_forces_are_known(world))
        sn_ties_add_force(&world->model, &world->state, &world->problem, world->scratch.stage_x,
                          world->model.handle_count + index, wrench);
    return SN_OK;
}

SnStatus sn_world_attachment_torn(const SnWorld* world, int index, int* count)
{
    SN_HANDLE(world);
    SN_NEED(count);
    *count = 0;
    SN_TRY(check(world, index));
    const SnAttachment* a = &world->model.attachments[index];
    for (int i = 0; i < a->node_count; i++) *count += world->state.torn[a->first + i] != 0;
    return SN_OK;
}

// As if each of its ties had been pulled at too hard.
SnStatus sn_world_release_attachment(SnWorld* world, int index)
{
    SN_CHANGE(world);
    SN_TRY(check(world, index));
    const SnAttachment* a = &world->model.attachments[index];
    for (int i = 0; i < a->node_count; i++) world->state.torn[a->first + i] = 1;
    world->state.force_known = false, world->state.last_length = 0;
    return sn_world_note(world, "release-attachment", index, 0, NULL);
}

// --- in a step ---

SnTie sn_attachment_tie(const SnModel* model, const SnState* state, int index)
{
    const SnAttachment* a = &model->attachments[index];
    return (SnTie){.number = model->handle_count + index,
                   .node_count = a->node_count,
                   .nodes = a->nodes,
                   .axis_count = 3,
                   .axes = axes,
                   .corners = a->corners,
                   .weights = a->weights,
                   .gone = a->node_count > 0 ? state->torn + a->first : NULL};
}

void sn_attachment_place(const SnAttachment* a, double start, double time, double* place, double* velocity)
{
    double before = a->close > 0 ? fmax(1 - (start - a->since) / a->close, 0) : 0,
           now = a->close > 0 ? fmax(1 - (time - a->since) / a->close, 0) : 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->node_count; k++) {
        place[k] = now * a->apart[k];
        velocity[k] = time > start ? (now - before) * a->apart[k] / (time - start) : 0;
    }
}

bool sn_attachment_holds(const SnModel* model, int node, int target)
{
    for (int k = 0; k < model->attachment_count; k++) {
        const SnAttachment* a = &model->attachments[k];
        if (model->obstacle_count + a->to_body != target) continue;
        for (int i = 0; i < a->node_count; i++)
            if (a->nodes[i] == node) return true;
    }
    return false;
}

// What a torn tie pulled with is no longer in the force, from which some integrators start; its own force is told to
// the end of the step.
static void let_go(const SnModel* model, SnState* state, const SnProblem* problem, int number, int node)
{
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        const SnStencil* at = &item->constraint.at;
        if (sn_tie_number(&item->constraint, model->slide_count) != number || at->node[0] != node) continue;
        if (model->integrator->needs_force && !sn_impact_keeps_out(model, problem, &item->constraint))
            sn_stencil_add(at, -item->multiplier.force, state->force);
    }
    state->last_length = 0;
}

// The square of the force on a node of an attachment, N2.
static double square_of(const SnModel* model, const SnState* state, int number, int node, double share)
{
    double sum = 0;
    for (int i = 0; i < state->constraints.count; i++) {
        const SnKept* item = &state->constraints.items[i];
        if (sn_tie_number(&item->constraint, model->slide_count) != number || item->constraint.at.node[0] != node)
            continue;
        double force = share * item->multiplier.force;
        sum += force * force;
    }
    return sum;
}

void sn_attachments_tear(const SnModel* model, SnState* state, const SnProblem* problem)
{
    double share = sn_impact_leads(model, problem) ? sn_impact_share(model, state) : 1; // before anything is let go
    for (int k = 0; k < model->attachment_count; k++) {
        const SnAttachment* a = &model->attachments[k];
        int number = model->handle_count + k;
        for (int i = 0; i < a->node_count && isfinite(a->strength); i++) {
            double* torn = &state->torn[a->first + i];
            if (*torn != 0 || square_of(model, state, number, a->nodes[i], share) <= a->strength * a->strength)
                continue;
            *torn = 1;
            let_go(model, state, problem, number, a->nodes[i]);
        }
    }
}
