// The scene of a glTF file: nodes with their places, and the primitives of their meshes with targets and skins.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/elements.h"
#include "mesh/gltf.h"

// --- matrices: three rows of four, the last column is the shift ---

static void multiply(const double a[12], const double b[12], double out[12])
{
    double product[12];
    for (int i = 0; i < 12; i++) {
        product[i] = i % 4 == 3 ? a[i / 4 * 4 + 3] : 0;
        for (int k = 0; k < 3; k++) product[i] += a[i / 4 * 4 + k] * b[4 * k + i % 4];
    }
    memcpy(out, product, sizeof product);
}

static void apply(const double m[12], const double x[3], double y[3])
{
    double out[3];
    for (int r = 0; r < 3; r++) out[r] = m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2] + m[4 * r + 3];
    memcpy(y, out, sizeof out);
}

// glTF's sixteen numbers, column after column.
static void from_columns(const double columns[16], double m[12])
{
    for (int i = 0; i < 12; i++) m[i] = columns[4 * (i % 4) + i / 4];
}

static void local_matrix(const SnGltfNode* n, double m[12])
{
    if (n->has_matrix) {
        memcpy(m, n->matrix, sizeof n->matrix);
        return;
    }
    double x = n->rotation[0], y = n->rotation[1], z = n->rotation[2], w = n->rotation[3];
    double length = x * x + y * y + z * z + w * w, s = length > 0 ? 2 / length : 0;
    const double r[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                         s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                         s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    for (int i = 0; i < 12; i++) m[i] = i % 4 == 3 ? n->translation[i / 4] : r[i / 4 * 3 + i % 4] * n->scale[i % 4];
}

// --- nodes ---

static SnStatus read_node(SnGltfScene* s, int index)
{
    const SnJson *json, *matrix;
    SnGltfNode* n = &s->nodes[index];
    double columns[16];
    SN_TRY(sn_gltf_item(&s->file, "nodes", index, &json));
    n->rotation[3] = n->scale[0] = n->scale[1] = n->scale[2] = 1;
    n->parent = n->order = -1;
    matrix = sn_json_find(json, "matrix");
    const struct {
        const char* key;
        int count;
        double* to;
    } lists[] = {{"matrix", 16, columns},
                 {"translation", 3, n->translation},
                 {"rotation", 4, n->rotation},
                 {"scale", 3, n->scale}};
    for (int i = 0; i < 4; i++) {
        const SnJson* list = sn_json_find(json, lists[i].key);
        if (list && sn_json_reals(list, lists[i].count, lists[i].to) != lists[i].count)
            return sn_reader_fail(&s->file.reader, list->at, SN_ERROR_FORMAT, "\"%s\" of node %d must be %d numbers",
                                  lists[i].key, index, lists[i].count);
    }
    n->has_matrix = matrix;
    if (matrix) from_columns(columns, n->matrix);
    return SN_OK;
}

static SnStatus read_parents(SnGltfScene* s)
{
    for (int i = 0; i < s->node_count; i++) {
        const SnJson *json, *children;
        SN_TRY(sn_gltf_item(&s->file, "nodes", i, &json));
        children = sn_json_find(json, "children");
        for (const SnJson* c = children ? children->first : NULL; c; c = c->next) {
            if (!(c->kind == SN_JSON_NUMBER && c->number >= 0 && c->number < s->node_count) ||
                s->nodes[(int)c->number].parent >= 0)
                return sn_reader_fail(&s->file.reader, c->at, SN_ERROR_FORMAT,
                                      "a child of node %d is no node, or has a parent already", i);
            s->nodes[(int)c->number].parent = i;
        }
    }
    return SN_OK;
}

// Parents before children; a node is in the scene when its eldest ancestor is one of the scene's.
static SnStatus order_nodes(SnGltfScene* s)
{
    int64_t chosen;
    SN_TRY(sn_json_integer(&s->file.reader, s->file.root, "scene", 0, INT32_MAX, 0, &chosen));
    const SnJson *scene = sn_json_item(sn_json_find(s->file.root, "scenes"), chosen),
                 *roots = sn_json_find(scene, "nodes");
    if (!SN_NEW(s->order, s->node_count, "nodes")) return SN_ERROR_MEMORY;
    for (int i = 0; i < s->node_count && !roots; i++) // no scene: everything
        if (s->nodes[i].parent < 0) s->order[s->ordered_count++] = i, s->nodes[i].order = 0;
    for (const SnJson* r = roots ? roots->first : NULL; r; r = r->next) {
        if (!(r->kind == SN_JSON_NUMBER && r->number >= 0 && r->number < s->node_count) ||
            s->nodes[(int)r->number].order >= 0)
            return sn_reader_fail(&s->file.reader, r->at, SN_ERROR_FORMAT,
                                  "a node of the scene is none, or there twice");
        s->nodes[(int)r->number].order = 0;
        s->order[s->ordered_count++] = (int)r->number;
    }
    for (int k = 0; k < s->ordered_count; k++) {
        const SnJson *json, *children;
        SN_TRY(sn_gltf_item(&s->file, "nodes", s->order[k], &json));
        children = sn_json_find(json, "children");
        for (const SnJson* c = children ? children->first : NULL; c; c = c->next) {
            SnGltfNode* child = &s->nodes[(int)c->number];
            if (child->order >= 0)
                return sn_reader_fail(&s->file.reader, c->at, SN_ERROR_FORMAT, "nodes that are their own ancestors");
            child->order = 0;
            s->order[s->ordered_count++] = (int)c->number;
        }
    }
    return SN_OK;
}

void sn_gltf_scene_place(SnGltfScene* s)
{
    for (int k = 0; k < s->ordered_count; k++) {
        SnGltfNode* n = &s->nodes[s->order[k]];
        local_matrix(n, n->world);
        if (n->parent >= 0) multiply(s->nodes[n->parent].world, n->world, n->world);
    }
}

// --- skins ---

static SnStatus read_skin(SnGltfScene* s, int index)
{
    const SnJson *json, *joints;
    SnGltfSkin* skin = &s->skins[index];
    int64_t accessor;
    double* columns = NULL;
    int count = 0;
    SN_TRY(sn_gltf_item(&s->file, "skins", index, &json));
    joints = sn_json_find(json, "joints");
    int total = joints && joints->kind == SN_JSON_LIST ? joints->count : 0;
    if (!SN_NEW(skin->joints, total, "joints") || !SN_NEW(skin->inverse, 12 * total, "joints")) return SN_ERROR_MEMORY;
    for (int i = 0; i < total; i++) {
        const SnJson* j = joints->items[i];
        if (!(j->kind == SN_JSON_NUMBER && j->number >= 0 && j->number < s->node_count))
            return sn_reader_fail(&s->file.reader, j->at, SN_ERROR_FORMAT, "a joint of skin %d is no node", index);
        skin->joints[i] = (int)j->number;
        for (int k = 0; k < 3; k++) skin->inverse[12 * i + 5 * k] = 1;
    }
    skin->joint_count = total;
    SN_TRY(sn_json_integer(&s->file.reader, json, "inverseBindMatrices", 0, INT32_MAX, -1, &accessor));
    if (accessor >= 0) SN_TRY(sn_gltf_numbers(&s->file, accessor, 16, &columns, &count));
    for (int i = 0; i < count && i < total; i++) from_columns(columns + 16 * (size_t)i, skin->inverse + 12 * (size_t)i);
    sn_free(columns);
    return SN_OK;
}

// --- parts ---

// An attribute of a vertex, of as many vertices as there are; NULL: it has none.
static SnStatus read_attribute(const SnGltfScene* s, const SnJson* attributes, const char* name, int components,
                               int wanted, double** values)
{
    int64_t accessor;
    int count;
    *values = NULL;
    SN_TRY(sn_json_integer(&s->file.reader, attributes, name, 0, INT32_MAX, -1, &accessor));
    if (accessor < 0) return SN_OK;
    SN_TRY(sn_gltf_numbers(&s->file, accessor, components, values, &count));
    if (count == wanted) return SN_OK;
    sn_free(*values);
    *values = NULL;
    return sn_reader_fail(&s->file.reader, attributes->at, SN_ERROR_FORMAT, "%s has %d items, POSITION %d", name, count,
                          wanted);
}

static SnStatus read_targets(const SnGltfScene* s, const SnJson* primitive, SnGltfPart* part)
{
    const SnJson* targets = sn_json_find(primitive, "targets");
    int count = targets && targets->kind == SN_JSON_LIST ? targets->count : 0;
    if (!SN_NEW(part->targets, count, "targets")) return SN_ERROR_MEMORY;
    while (part->target_count < count) {
        double** target = &part->targets[part->target_count];
        SN_TRY(read_attribute(s, targets->items[part->target_count++], "POSITION", 3, part->count, target));
    }
    return SN_OK;
}

// Lists, strips and fans become lists.
static SnStatus read_indices(const SnGltfScene* s, const SnJson* primitive, int64_t mode, SnGltfPart* part)
{
    int64_t accessor;
    double* given = NULL;
    int count = part->count;
    SN_TRY(sn_json_integer(&s->file.reader, primitive, "indices", 0, INT32_MAX, -1, &accessor));
    if (accessor >= 0) SN_TRY(sn_gltf_numbers(&s->file, accessor, 1, &given, &count));
    bool strip = mode == 5 || mode == 3 || mode == 2, fan = mode == 6;
    int corners = part->lines ? 2 : 3, closing = mode == 2;
    int items = strip || fan ? (count >= corners ? count - corners + 1 + closing : 0) : count / corners;
    SnStatus status = SN_NEW(part->indices, corners * (int64_t)items, "triangles") ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; status == SN_OK && i < corners * items; i++) {
        int item = i / corners, corner = i % corners;
        int at = fan ? (corner ? item + corner : 0) : strip ? item + corner : i;
        if (strip && corners == 3 && item % 2 && corner) at = item + 3 - corner; // every other one is turned
        double vertex = given ? given[at % count] : at % count;
        if (vertex >= 0 && vertex < part->count)
            part->indices[part->index_count++] = (int)vertex;
        else
            status = sn_reader_fail(&s->file.reader, primitive->at, SN_ERROR_FORMAT,
                                    "a primitive names vertex %.0f of %d vertices", vertex, part->count);
    }
    sn_free(given);
    return status;
}

static SnStatus read_primitive(SnGltfScene* s, int node, int skin, const char* name, const SnJson* primitive)
{
    const SnJson* attributes = sn_json_find(primitive, "attributes");
    int64_t mode, accessor;
    SN_TRY(sn_json_integer(&s->file.reader, primitive, "mode", 0, 6, 4, &mode));
    if (mode == 0) return SN_OK; // points
    if (!SN_GROW(s->parts, s->part_capacity, s->part_count + 1, "a mesh")) return SN_ERROR_MEMORY;
    SnGltfPart* part = &s->parts[s->part_count];
    *part = (SnGltfPart){.node = node, .skin = skin, .name = name, .lines = mode < 4};
    SN_TRY(sn_json_integer(&s->file.reader, attributes, "POSITION", 0, INT32_MAX, -1, &accessor));
    if (accessor < 0) return SN_OK; // nothing to see
    s->part_count++;
    SN_TRY(sn_gltf_numbers(&s->file, accessor, 3, &part->points, &part->count));
    SN_TRY(read_attribute(s, attributes, "TEXCOORD_0", 2, part->count, &part->uvs));
    SN_TRY(read_targets(s, primitive, part));
    if (skin >= 0) {
        SN_TRY(read_attribute(s, attributes, "JOINTS_0", 4, part->count, &part->joints));
        SN_TRY(read_attribute(s, attributes, "WEIGHTS_0", 4, part->count, &part->weights));
        if (!part->joints || !part->weights) part->skin = -1;
        for (int64_t i = 0; part->skin >= 0 && i < 4 * (int64_t)part->count; i++)
            if (!(part->joints[i] >= 0 && part->joints[i] < s->skins[skin].joint_count))
                return sn_reader_fail(&s->file.reader, attributes->at, SN_ERROR_FORMAT,
                                      "a vertex names joint %.0f of %d joints", part->joints[i],
                                      s->skins[skin].joint_count);
    }
    return read_indices(s, primitive, mode, part);
}

static SnStatus read_weights(SnGltfScene* s, SnGltfNode* n, const SnJson* node, const SnJson* mesh, int most)
{
    const SnJson *own = sn_json_find(node, "weights"), *list = own ? own : sn_json_find(mesh, "weights");
    if (!SN_NEW(n->weights, most, "weights")) return SN_ERROR_MEMORY;
    n->weight_count = most;
    if (list && list->count <= most && sn_json_reals(list, most, n->weights) < 0)
        return sn_reader_fail(&s->file.reader, list->at, SN_ERROR_FORMAT, "\"weights\" must be numbers");
    return SN_OK;
}

static SnStatus read_mesh(SnGltfScene* s, int node)
{
    const SnJson *json, *mesh, *primitives;
    int64_t index, skin;
    SN_TRY(sn_gltf_item(&s->file, "nodes", node, &json));
    SN_TRY(sn_json_integer(&s->file.reader, json, "mesh", 0, INT32_MAX, -1, &index));
    SN_TRY(sn_json_integer(&s->file.reader, json, "skin", 0, s->skin_count - 1, -1, &skin));
    if (index < 0) return SN_OK;
    SN_TRY(sn_gltf_item(&s->file, "meshes", index, &mesh));
    primitives = sn_json_find(mesh, "primitives");
    const char* name = sn_json_text(json, "name", sn_json_text(mesh, "name", ""));
    int first = s->part_count, targets = 0;
    for (const SnJson* p = primitives ? primitives->first : NULL; p; p = p->next)
        SN_TRY(read_primitive(s, node, (int)skin, name, p));
    for (int i = first; i < s->part_count; i++)
        if (s->parts[i].target_count > targets) targets = s->parts[i].target_count;
    return read_weights(s, &s->nodes[node], json, mesh, targets);
}

static SnStatus open_scene(SnGltfScene* s)
{
    int nodes = sn_gltf_count(&s->file, "nodes"), skins = sn_gltf_count(&s->file, "skins");
    if (!SN_NEW(s->nodes, nodes, "nodes") || !SN_NEW(s->skins, skins, "skins")) return SN_ERROR_MEMORY;
    s->node_count = nodes;
    for (int i = 0; i < nodes; i++) SN_TRY(read_node(s, i));
    SN_TRY(read_parents(s));
    SN_TRY(order_nodes(s));
    while (s->skin_count < skins) SN_TRY(read_skin(s, s->skin_count++));
    for (int k = 0; k < s->ordered_count; k++) SN_TRY(read_mesh(s, s->order[k]));
    sn_gltf_scene_place(s);
    return SN_OK;
}

SnStatus sn_gltf_scene_open(const char* path, SnGltfScene* scene)
{
    *scene = (SnGltfScene){0};
    SN_TRY(sn_gltf_open(path, &scene->file));
    SnStatus status = open_scene(scene);
    if (status != SN_OK) sn_gltf_scene_close(scene);
    return status;
}

void sn_gltf_scene_close(SnGltfScene* s)
{
    for (int i = 0; i < s->part_count; i++) {
        SnGltfPart* p = &s->parts[i];
        for (int t = 0; t < p->target_count; t++) sn_free(p->targets[t]);
        SN_FREE(p->points, p->uvs, p->targets, p->joints, p->weights, p->indices);
    }
    for (int i = 0; i < s->skin_count; i++) SN_FREE(s->skins[i].joints, s->skins[i].inverse);
    for (int i = 0; i < s->node_count; i++) sn_free(s->nodes[i].weights);
    SN_FREE(s->parts, s->skins, s->nodes, s->order);
    sn_gltf_close(&s->file);
    *s = (SnGltfScene){0};
}

// --- vertices ---

void sn_gltf_vertex(const SnGltfScene* s, const SnGltfPart* part, int vertex, double x[3])
{
    const SnGltfNode* node = &s->nodes[part->node];
    double own[3], sum[3] = {0}, total = 0;
    memcpy(own, part->points + 3 * (size_t)vertex, sizeof own);
    for (int t = 0; t < part->target_count && t < node->weight_count; t++)
        for (int c = 0; part->targets[t] && node->weights[t] != 0 && c < 3; c++)
            own[c] += node->weights[t] * part->targets[t][3 * (size_t)vertex + (size_t)c];
    if (part->skin < 0) {
        apply(node->world, own, x);
        return;
    }
    const SnGltfSkin* skin = &s->skins[part->skin];
    for (int k = 0; k < 4; k++) { // of a skin the joints alone say where it is
        double there[3], weight = part->weights[4 * (size_t)vertex + (size_t)k];
        int joint = (int)part->joints[4 * (size_t)vertex + (size_t)k];
        if (weight == 0) continue;
        apply(skin->inverse + 12 * (size_t)joint, own, there);
        apply(s->nodes[skin->joints[joint]].world, there, there);
        for (int c = 0; c < 3; c++) sum[c] += weight * there[c];
        total += weight;
    }
    for (int c = 0; c < 3; c++) x[c] = total != 0 ? sum[c] / total : own[c];
}

typedef struct Corner {
    double x[3];
    int node, index;
} Corner;

static int compare_corners(const void* left, const void* right)
{
    const Corner *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    int order = memcmp(a->x, b->x, sizeof a->x);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

// Numbered in the order in which the file first has them.
static void number_corners(Corner* corners, int total, int* owner, int* first, int* count)
{
    for (int i = 0, start = 0; i < total; i++) {
        if (corners[i].node != corners[start].node || memcmp(corners[i].x, corners[start].x, sizeof corners[i].x) != 0)
            start = i;
        owner[corners[i].index] = corners[start].index;
    }
    for (int i = 0; i < total; i++) {
        if (owner[i] == i) first[*count] = i;
        owner[i] = owner[i] == i ? (*count)++ : owner[owner[i]];
    }
}

SnStatus sn_gltf_weld(const SnGltfScene* s, int** owner, int** first, int* count)
{
    int64_t total = 0;
    Corner* corners;
    *owner = *first = NULL, *count = 0;
    for (int p = 0; p < s->part_count; p++) total += s->parts[p].count;
    if (total > SN_MESH_MOST)
        return sn_fail(SN_ERROR_FORMAT, "%s: %lld vertices; there can be %d", s->file.reader.path, (long long)total,
                       SN_MESH_MOST);
    if (!SN_NEW(corners, total, "vertices")) return SN_ERROR_MEMORY;
    bool room = SN_NEW(*owner, total, "vertices") && SN_NEW(*first, total, "vertices");
    for (int p = 0, next = 0; room && p < s->part_count; p++)
        for (int v = 0; v < s->parts[p].count; v++, next++) {
            Corner* c = &corners[next];
            *c = (Corner){.node = s->parts[p].node, .index = next};
            sn_gltf_vertex(s, &s->parts[p], v, c->x);
            for (int k = 0; k < 3; k++) c->x[k] += 0.0; // -0 is 0
        }
    if (room) {
        qsort(corners, (size_t)total, sizeof *corners, compare_corners);
        number_corners(corners, (int)total, *owner, *first, count);
    }
    sn_free(corners);
    return room ? SN_OK : SN_ERROR_MEMORY;
}
