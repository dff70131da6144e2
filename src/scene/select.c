// Which nodes a `where` means: every key of it keeps some nodes, and what all keep is selected.
#include "scene/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/expression.h"
#include "mesh/part.h"

typedef struct Selection {
    SnScene* scene;
    const SnSceneBody* body;
    const char* context;   // "where of handle 0"
    char name[200];        // "'box' in where of handle 0": the key being applied
    unsigned char* chosen; // per node
    double slack;          // m, so that rounding does not lose a face of the body
    SnVariable bounds[3][2];
    SnVariables variables[3]; // per axis: min and max
} Selection;

static void keep_range(Selection* selection, int axis, double lo, double hi)
{
    const SnMesh* mesh = selection->body->mesh;
    for (int n = 0; n < mesh->node_count; n++) {
        double x = mesh->nodes[3 * n + axis];
        if (x < lo - selection->slack || x > hi + selection->slack) selection->chosen[n] = 0;
    }
}

static bool by_range(Selection* selection, const SnNode* node)
{
    int axis = node->key[0] - 'x';
    double range[2];
    SnVariables both[2] = {selection->variables[axis], selection->variables[axis]};
    if (!sn_read_numbers(&selection->scene->problems, node, selection->name, both, 2, range)) return false;
    if (range[0] > range[1]) {
        sn_problem_error(&selection->scene->problems, node->place,
                         "%s is a range [lower, upper], but its lower bound %g is above its upper bound %g",
                         selection->name, range[0], range[1]);
        return false;
    }
    sn_lengths(&selection->scene->problems, 2, range);
    keep_range(selection, axis, range[0], range[1]);
    return true;
}

static bool is_pair(Selection* selection, const SnNode* node, const char* form)
{
    if (node->kind == SN_NODE_LIST && node->count == 2) return true;
    sn_problem_error(&selection->scene->problems, node->place, "%s must be %s, found %s", selection->name, form,
                     sn_node_words(node).text);
    return false;
}

static bool by_box(Selection* selection, const SnNode* node)
{
    double corner[2][3];
    if (!is_pair(selection, node, "two corners [[x, y, z], [x, y, z]]")) return false;
    for (int c = 0; c < 2; c++)
        if (!sn_read_numbers(&selection->scene->problems, sn_node_item(node, c), selection->name, selection->variables,
                             3, corner[c]))
            return false;
    sn_lengths(&selection->scene->problems, 6, corner[0]);
    for (int i = 0; i < 3; i++)
        keep_range(selection, i, fmin(corner[0][i], corner[1][i]), fmax(corner[0][i], corner[1][i]));
    return true;
}

static bool by_sphere(Selection* selection, const SnNode* node)
{
    SnProblems* problems = &selection->scene->problems;
    const char* name = selection->name;
    const SnMesh* mesh = selection->body->mesh;
    double centre[3], radius;
    if (!is_pair(selection, node, "a centre and a radius [[x, y, z], r]")) return false;
    const SnNode* last = sn_node_item(node, 1);
    if (!sn_read_numbers(problems, sn_node_item(node, 0), name, selection->variables, 3, centre)) return false;
    if (!sn_read_number(problems, last, name, (SnVariables){0}, &radius)) return false;
    if (!sn_check_range(problems, last, name, ">=0", radius)) return false;
    sn_lengths(problems, 3, centre);
    sn_lengths(problems, 1, &radius);
    for (int n = 0; n < mesh->node_count; n++) {
        const double* x = mesh->nodes + 3 * n;
        double r = hypot(hypot(x[0] - centre[0], x[1] - centre[1]), x[2] - centre[2]);
        if (!(r <= radius + selection->slack)) selection->chosen[n] = 0;
    }
    return true;
}

// Keeps what is marked 2 and clears the marks.
static void keep_marked(Selection* selection)
{
    for (int n = 0; n < selection->body->mesh->node_count; n++) selection->chosen[n] = selection->chosen[n] == 2;
}

static void mark(Selection* selection, int node)
{
    if (selection->chosen[node]) selection->chosen[node] = 2;
}

static bool by_nodes(Selection* selection, const SnNode* node)
{
    SnProblems* problems = &selection->scene->problems;
    const char* name = selection->name;
    const SnMeshPart* part = selection->body->mesh->part;
    int count = part ? part->all_nodes : selection->body->mesh->node_count;
    bool good = true;
    if (node->kind == SN_NODE_SCALAR && strcmp(node->text, "all") == 0) return true;
    if (node->kind != SN_NODE_LIST) {
        sn_problem_error(problems, node->place, "%s must be a list of node numbers or 'all', found %s", name,
                         sn_node_words(node).text);
        return false;
    }
    for (const SnNode* item = node->first; item; item = item->next) {
        int index;
        if (!sn_read_int(problems, item, name, &index)) {
            good = false;
        } else if (index < 0 || index >= count) {
            sn_problem_error(problems, item->place, "%s: there is no node %d; %s has nodes 0 to %d", name, index,
                             selection->body->context, count - 1);
            good = false;
        } else {
            int here = part ? sn_mesh_part_node(part, selection->body->mesh->node_count, index) : index;
            if (here >= 0) mark(selection, here);
        }
    }
    keep_marked(selection);
    return good;
}

static const SnMeshGroup* find_group(Selection* selection, const SnNode* node)
{
    enum { MOST = 64 };
    const SnMesh* mesh = selection->body->mesh;
    const char* names[MOST];
    int count = 0;
    for (int g = 0; g < mesh->group_count; g++) {
        if (strcmp(mesh->groups[g].name, node->text) == 0) return &mesh->groups[g];
        if (count < MOST) names[count++] = mesh->groups[g].name;
    }
    if (count == 0)
        sn_problem_error(&selection->scene->problems, node->place,
                         "'group' in %s: the mesh of %s has no physical groups; they come from gmsh files",
                         selection->context, selection->body->context);
    else
        sn_report_unknown(&selection->scene->problems, node->place, "group", node->text, selection->context, names,
                          count);
    return NULL;
}

static void mark_group(Selection* selection, const SnMeshGroup* group)
{
    const SnMesh* mesh = selection->body->mesh;
    const int* elements[4] = {NULL, mesh->edges, mesh->triangles, mesh->tetrahedra};
    int corners = group->dimension + 1;
    for (int i = 0; i < group->count; i++) {
        if (group->dimension == 0) mark(selection, group->items[i]);
        for (int c = 0; group->dimension > 0 && c < corners; c++)
            mark(selection, elements[group->dimension][corners * group->items[i] + c]);
    }
}

static bool by_group(Selection* selection, const SnNode* node)
{
    if (node->kind != SN_NODE_SCALAR || sn_node_is_null(node)) {
        sn_problem_error(&selection->scene->problems, node->place, "'group' in %s must be a name, found %s",
                         selection->context, sn_node_words(node).text);
        return false;
    }
    const SnMeshGroup* group = find_group(selection, node);
    if (!group) return false;
    mark_group(selection, group);
    keep_marked(selection);
    return true;
}

static void prepare(Selection* selection)
{
    const SnMeshMeasure* measure = &selection->body->measure;
    double longest = 0, metres = sn_lengths(&selection->scene->problems, 0, NULL);
    for (int i = 0; i < 3; i++) {
        longest = fmax(longest, measure->hi[i] - measure->lo[i]);
        selection->bounds[i][0] = (SnVariable){"min", measure->lo[i] / metres};
        selection->bounds[i][1] = (SnVariable){"max", measure->hi[i] / metres};
        selection->variables[i] = (SnVariables){selection->bounds[i], 2};
    }
    selection->slack = 1e-9 * longest;
    memset(selection->chosen, 1, (size_t)selection->body->mesh->node_count);
}

static bool apply(Selection* selection, const SnWherePart* where)
{
    bool good = true;
    if (where->node->count == 0) {
        sn_problem_error(&selection->scene->problems, where->node->place,
                         "%s names no nodes; write 'where: all' for all of them", selection->context);
        return false;
    }
    const struct {
        const SnNode* node;
        bool (*keep)(Selection* selection, const SnNode* node);
    } keys[] = {
        {where->nodes, by_nodes}, {where->range[0], by_range}, {where->range[1], by_range}, {where->range[2], by_range},
        {where->box, by_box},     {where->sphere, by_sphere},  {where->group, by_group},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const SnNode* node = keys[i].node;
        if (!node) continue;
        snprintf(selection->name, sizeof selection->name, "'%s' in %s", node->key, selection->context);
        good &= keys[i].keep(selection, node);
    }
    return good;
}

static void report_none(Selection* selection, const SnWherePart* where)
{
    const double *lo = selection->body->measure.lo, *hi = selection->body->measure.hi;
    sn_problem_error(&selection->scene->problems, where->node->place,
                     "%s selects no node; %s reaches from [%g, %g, %g] to [%g, %g, %g]", selection->context,
                     selection->body->context, lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]);
}

SnStatus sn_select_nodes(SnScene* scene, const SnSceneBody* body, const SnWherePart* where, const char* context,
                         int** nodes, int* count)
{
    Selection selection = {.scene = scene, .body = body, .context = context};
    int node_count = body->mesh->node_count;
    *count = 0;
    if (!SN_NEW(selection.chosen, node_count, "a selection")) return SN_ERROR_MEMORY;
    if (!SN_NEW(*nodes, node_count, "a handle's nodes")) {
        sn_free(selection.chosen);
        return SN_ERROR_MEMORY;
    }
    prepare(&selection);
    bool good = apply(&selection, where);
    for (int n = 0; n < node_count && good; n++)
        if (selection.chosen[n]) (*nodes)[(*count)++] = n;
    double all = *count;
    sn_mesh_part_sum(body->mesh->part, 1, &all);
    if (good && all == 0) report_none(&selection, where);
    sn_free(selection.chosen);
    return SN_OK;
}
