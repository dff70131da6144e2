// Surfaces: their nodes, edges and triangles, each once and in the order of a tree.
#include "contact/surfaces.h"

#include "linalg/vec3.h"
#include "mesh/bounding_tree.h"
#include "mesh/elements.h"

// One surface while it is built.
typedef struct Builder {
    const SnSurfaceDef* def;
    SnSurface* surface;
    int* nodes; // point_count: the points that are in an element, increasing
    int node_count;
    int* slots; // point_count: a point's number among the surface's nodes; -1: none
    SnNodeKey* keys;
    int* edges; // 2 x edge_count
    int edge_count;
} Builder;

static SnStatus check_numbers(const int* points, int64_t count, int point_count, const char* what)
{
    for (int64_t i = 0; i < count; i++)
        if (points[i] < 0 || points[i] >= point_count)
            return sn_fail(SN_ERROR_VALUE, "%s of a surface name point %d; there are %d, from 0", what, points[i],
                           point_count);
    return SN_OK;
}

static SnStatus find_nodes(Builder* b)
{
    const SnSurfaceDef* def = b->def;
    SN_TRY(check_numbers(def->triangles, 3 * (int64_t)def->triangle_count, def->point_count, "triangles"));
    SN_TRY(check_numbers(def->edges, 2 * (int64_t)def->edge_count, def->point_count, "edges"));
    if (!SN_NEW(b->nodes, def->point_count, "surfaces") || !SN_NEW(b->slots, def->point_count, "surfaces"))
        return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * (int64_t)def->triangle_count; i++) b->slots[def->triangles[i]] = 1;
    for (int64_t i = 0; i < 2 * (int64_t)def->edge_count; i++) b->slots[def->edges[i]] = 1;
    for (int i = 0; i < def->point_count; i++)
        if (b->slots[i]) b->nodes[b->node_count++] = i;
    return SN_OK;
}

static SnStatus find_edges(Builder* b)
{
    const SnSurfaceDef* def = b->def;
    int64_t count = 0, most = 3 * (int64_t)def->triangle_count + def->edge_count;
    if (!SN_NEW(b->keys, most, "surfaces") || !SN_NEW(b->edges, 2 * most, "surfaces")) return SN_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * (int64_t)def->triangle_count; i++) {
        const int* t = def->triangles + i / 3 * 3;
        b->keys[count++] = sn_node_key((int[]){t[i % 3], t[(i + 1) % 3]}, 2, 0);
    }
    for (int64_t i = 0; i < def->edge_count; i++) b->keys[count++] = sn_node_key(def->edges + 2 * i, 2, 0);
    SN_TRY(sn_sort_keys(b->keys, count, def->point_count));
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && sn_same_key(&b->keys[i], &b->keys[i - 1])) continue;
        b->edges[2 * b->edge_count] = b->keys[i].nodes[0];
        b->edges[2 * b->edge_count++ + 1] = b->keys[i].nodes[1];
    }
    return SN_OK;
}

// Elements in the order of a tree. Those of the nodes come first, and number them.
static SnStatus put_in_order(const Builder* b, int kind, int count, const int* items)
{
    SnSurfaceElements* e = &b->surface->of[kind];
    SnTree* tree;
    int k = e->corners = kind + 1;
    e->count = count;
    if (!SN_NEW(e->points, (int64_t)k * count, "surfaces") || !SN_NEW(e->nodes, (int64_t)k * count, "surfaces"))
        return SN_ERROR_MEMORY;
    if (!count) return SN_OK;
    SN_TRY(sn_tree_create(count, k, items, b->def->rest, &tree));
    _Static_assert(SN_BLOCK == 2 * SN_TREE_LEAF, "a block is what is below one box above the leaves");
    e->depth = tree->depth > 0 ? tree->depth - 1 : 0;
    for (int64_t i = 0; i < (int64_t)k * count; i++) {
        int point = items[(int64_t)k * tree->order[i / k] + i % k];
        if (kind == SN_SURFACE_NODES) b->slots[point] = (int)i;
        e->points[i] = b->def->first_point + point;
        e->nodes[i] = b->slots[point];
    }
    sn_tree_destroy(tree);
    return SN_OK;
}

static double mean_length(const Builder* b)
{
    double sum = 0;
    for (int64_t i = 0; i < b->edge_count; i++)
        sum +=
            sn_distance3(b->def->rest + 3 * (int64_t)b->edges[2 * i], b->def->rest + 3 * (int64_t)b->edges[2 * i + 1]);
    return b->edge_count ? sum / b->edge_count : 0;
}

static SnStatus build_with(Builder* b)
{
    SN_TRY(find_nodes(b));
    SN_TRY(find_edges(b));
    b->surface->edge = mean_length(b);
    SN_TRY(put_in_order(b, SN_SURFACE_NODES, b->node_count, b->nodes));
    SN_TRY(put_in_order(b, SN_SURFACE_EDGES, b->edge_count, b->edges));
    return put_in_order(b, SN_SURFACE_TRIANGLES, b->def->triangle_count, b->def->triangles);
}

static SnStatus build_surface(const SnSurfaceDef* def, SnSurface* surface)
{
    Builder b = {.def = def, .surface = surface};
    surface->self = def->self, surface->kinematic = def->kinematic;
    SnStatus status = build_with(&b);
    sn_free(b.nodes), sn_free(b.slots), sn_free(b.keys), sn_free(b.edges);
    return status;
}

static SnStatus mark_points(SnSurfaces* s, const SnSurfaceDef* defs)
{
    for (int i = 0; i < s->count; i++) {
        int end = defs[i].first_point + defs[i].point_count;
        s->point_count = end > s->point_count ? end : s->point_count;
    }
    if (!SN_NEW(s->of_point, s->point_count, "surfaces")) return SN_ERROR_MEMORY;
    for (int i = 0; i < s->point_count; i++) s->of_point[i] = -1;
    for (int i = 0; i < s->count; i++) {
        const SnSurfaceElements* nodes = &s->items[i].of[SN_SURFACE_NODES];
        for (int k = 0; k < nodes->count; k++) {
            int* of = &s->of_point[nodes->points[k]];
            if (*of >= 0)
                return sn_fail(SN_ERROR_VALUE, "point %d is on surface %d and on surface %d; it may be on one",
                               nodes->points[k], *of, i);
            *of = i;
        }
    }
    return SN_OK;
}

static int64_t number_of(int a, int b)
{
    int64_t high = a > b ? a : b, low = a > b ? b : a;
    return high * (high + 1) / 2 + low;
}

static SnStatus ask(SnSurfaces* s, SnSurfacesTouch* touch, void* user)
{
    if (!SN_NEW(s->touches, number_of(s->count, 0) / 8 + 1, "surfaces")) return SN_ERROR_MEMORY;
    for (int a = 0; a < s->count; a++)
        for (int b = 0; b <= a; b++) {
            const SnSurface *one = &s->items[a], *other = &s->items[b];
            bool may = !(one->kinematic && other->kinematic) && (a != b ? !touch || touch(user, b, a) : one->self);
            if (may) s->touches[number_of(a, b) / 8] |= (uint8_t)(1 << number_of(a, b) % 8);
        }
    return SN_OK;
}

bool sn_surfaces_touch(const SnSurfaces* s, int a, int b)
{
    return s->touches[number_of(a, b) / 8] >> number_of(a, b) % 8 & 1;
}

static SnStatus build(SnSurfaces* s, const SnSurfaceDef* defs, SnSurfacesTouch* touch, void* user)
{
    if (!SN_NEW(s->items, s->count, "surfaces")) return SN_ERROR_MEMORY;
    for (int i = 0; i < s->count; i++) SN_TRY(build_surface(&defs[i], &s->items[i]));
    SN_TRY(mark_points(s, defs));
    return ask(s, touch, user);
}

SnStatus sn_surfaces_create(int count, const SnSurfaceDef* defs, SnSurfacesTouch* touch, void* user, SnTasks* tasks,
                            SnSurfaces** out)
{
    SnSurfaces* s;
    *out = NULL;
    if (!SN_NEW(s, 1, "surfaces")) return SN_ERROR_MEMORY;
    s->count = count;
    s->tasks = tasks;
    SN_FINISH(build(s, defs, touch, user), s, sn_surfaces_destroy, out);
}

void sn_surfaces_destroy(SnSurfaces* s)
{
    if (!s) return;
    for (int i = 0; i < SN_SURFACE_KINDS * s->count && s->items; i++) {
        SnSurfaceElements* e = &s->items[i / SN_SURFACE_KINDS].of[i % SN_SURFACE_KINDS];
        sn_free(e->points), sn_free(e->nodes);
    }
    sn_free(s->items), sn_free(s->of_point), sn_free(s->touches);
    sn_free(s);
}
