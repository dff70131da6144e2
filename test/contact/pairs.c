// The broad phase against all pairs of all elements, for bodies that move at random.
#include "check.h"

#include "contact/pairs.h"
#include "core/random.h"
#include "mesh/bounding_tree.h"
#include "mesh/mesh.h"

enum { MOST = 8, MOST_POINTS = 1000, CALLS = 30 };

// Of one kind, each once.
typedef struct Elements {
    int count, corners;
    int points[1000]; // corners x count
} Elements;

// Some surfaces, and where their points are at the start and at the end of a way.
typedef struct Crowd {
    int count;
    SnMesh* meshes[MOST];
    int* triangles[MOST];
    SnSurfaceDef defs[MOST];
    Elements elements[MOST][4]; // by corners
    double radius[MOST];
    double mean[MOST][3]; // displacements
    int point_count;
    double x0[3 * MOST_POINTS], x1[3 * MOST_POINTS];
    SnRandom random;
} Crowd;

static double noise(Crowd* crowd, double size)
{
    return sn_random_uniform(&crowd->random, -size, size);
}

static void add_element(Elements* e, const int* points, int first)
{
    for (int i = 0; i < e->count; i++) {
        bool same = true;
        for (int k = 0; k < e->corners; k++) {
            bool found = false;
            for (int l = 0; l < e->corners; l++) found |= e->points[e->corners * i + l] == first + points[k];
            same &= found;
        }
        if (same) return;
    }
    check((size_t)(e->corners * (e->count + 1)) <= sizeof e->points / sizeof *e->points);
    for (int k = 0; k < e->corners; k++) e->points[e->corners * e->count + k] = first + points[k];
    e->count++;
}

static void list_elements(const SnSurfaceDef* def, int corners, Elements* e)
{
    e->corners = corners;
    for (int t = 0; t < def->triangle_count; t++)
        for (int k = 0; k < (corners == 3 ? 1 : 3); k++) {
            const int* n = def->triangles + 3 * t;
            add_element(e, (int[]){n[k], n[(k + 1) % 3], n[(k + 2) % 3]}, def->first_point);
        }
    for (int i = 0; i < 2 * def->edge_count && corners < 3; i++)
        add_element(e, (int[]){def->edges[i], def->edges[i ^ 1]}, def->first_point);
}

static SnSurfaceDef* add(Crowd* crowd, SnMesh* mesh, double x, double y, double z)
{
    int k = crowd->count++;
    SnSurfaceDef* def = &crowd->defs[k];
    crowd->meshes[k] = mesh;
    *def = (SnSurfaceDef){.first_point = crowd->point_count, .point_count = mesh->node_count, .rest = mesh->nodes};
    check_ok(sn_mesh_surface(mesh, &crowd->triangles[k], &def->triangle_count));
    def->triangles = crowd->triangles[k];
    def->edge_count = mesh->edge_count, def->edges = mesh->edges;
    for (int corners = 1; corners < 4; corners++) list_elements(def, corners, &crowd->elements[k][corners]);
    crowd->radius[k] = 0.01;
    const double at[3] = {x, y, z};
    for (int i = 0; i < 3 * mesh->node_count; i++)
        crowd->x1[3 * crowd->point_count + i] = mesh->nodes[i] + at[i % 3] + noise(crowd, 0.01);
    crowd->point_count += mesh->node_count;
    check(crowd->point_count <= MOST_POINTS);
    return def;
}

static SnSurfaceDef* add_sheet(Crowd* crowd, double x, double y, double z)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){8, 8}, &mesh));
    return add(crowd, mesh, x, y, z);
}

static SnSurfaceDef* add_solid(Crowd* crowd, double x, double y, double z)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){0.5, 0.5, 0.5}, (int[]){3, 3, 3}, &mesh));
    return add(crowd, mesh, x, y, z);
}

static SnSurfaceDef* add_rope(Crowd* crowd, double x, double y, double z)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_rope(1.5, 20, &mesh));
    return add(crowd, mesh, x, y, z);
}

static void free_crowd(Crowd* crowd)
{
    for (int k = 0; k < crowd->count; k++) {
        sn_mesh_destroy(crowd->meshes[k]);
        sn_free(crowd->triangles[k]);
    }
}

// Two sheets, two solids and two ropes, of which one of each kind touches itself.
static void make_crowd(Crowd* crowd, uint64_t seed)
{
    memset(crowd, 0, sizeof *crowd);
    crowd->random.state = seed;
    add_sheet(crowd, 0, 0, 0)->self = true;
    add_sheet(crowd, 0.2, 0.1, 0.1);
    add_solid(crowd, 0.3, 0.2, 0.3)->self = true;
    add_solid(crowd, 0.7, -0.4, 0.5);
    add_rope(crowd, -0.1, 0.3, 0.4)->self = true;
    add_rope(crowd, 0.1, -0.2, 0.1);
}

// The mean displacements of the nodes of each surface.
static void find_means(Crowd* crowd)
{
    memset(crowd->mean, 0, sizeof crowd->mean);
    for (int k = 0; k < crowd->count; k++) {
        const Elements* nodes = &crowd->elements[k][1];
        for (int i = 0; i < 3 * nodes->count; i++) {
            int at = 3 * nodes->points[i / 3] + i % 3;
            crowd->mean[k][i % 3] += (crowd->x1[at] - crowd->x0[at]) / nodes->count;
        }
    }
}

// Each surface goes its own way, and every point shakes; now and then things move fast, or nothing does.
static void move(Crowd* crowd, int call)
{
    double fast = call % 7 == 6 ? 0.3 : call % 5 == 4 ? 0 : 0.01;
    memcpy(crowd->x0, crowd->x1, sizeof crowd->x0);
    for (int k = 0; k < crowd->count; k++) {
        const double way[3] = {noise(crowd, fast), noise(crowd, fast), noise(crowd, fast)};
        if (call % 4 == 3) crowd->radius[k] = 0.02 + noise(crowd, 0.015);
        for (int i = 0; i < 3 * crowd->defs[k].point_count; i++)
            crowd->x1[3 * crowd->defs[k].first_point + i] += way[i % 3] + noise(crowd, 0.2 * fast);
    }
    find_means(crowd);
}

// Boxes as they are seen going along with the surfaces: those of b slide by how much more it moves than a.
static bool boxes_meet(const Crowd* crowd, int a, const int* p, int p_count, int b, const int* q, int q_count)
{
    for (int c = 0; c < 3; c++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        double slide = crowd->mean[b][c] - crowd->mean[a][c];
        for (int i = 0; i < p_count + q_count; i++) {
            int side = i >= p_count, point = side ? q[i - p_count] : p[i];
            double r = crowd->radius[side ? b : a], u = crowd->x0[3 * point + c];
            double v = crowd->x1[3 * point + c] - crowd->mean[side ? b : a][c];
            lo[side] = fmin(lo[side], fmin(u, v) - r);
            hi[side] = fmax(hi[side], fmax(u, v) + r);
        }
        if (lo[0] > hi[1] + fmax(slide, 0) || lo[1] + fmin(slide, 0) > hi[0]) return false;
    }
    return true;
}

// The gap between the first `count` of four points and the others along a direction of unit length.
static double gap_along(const double* x, const int* point, int count, const double d[3])
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        double at = 0;
        for (int c = 0; c < 3; c++) at += (x[3 * point[i] + c] - x[3 * point[0] + c]) * d[c];
        lo[i >= count] = fmin(lo[i >= count], at);
        hi[i >= count] = fmax(hi[i >= count], at);
    }
    return lo[1] - hi[0];
}

// Does a plane with this normal, or the opposite one if the second element begins there, keep the two apart?
static bool apart_along(const Crowd* crowd, const int* point, int count, double d[3], bool turn, double reach)
{
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), side = 0;
    for (int c = 0; c < 3; c++) side += (crowd->x0[3 * point[count] + c] - crowd->x0[3 * point[0] + c]) * d[c];
    for (int c = 0; c < 3; c++) d[c] *= (turn && side < 0 ? -1 : 1) / length;
    return fmin(gap_along(crowd->x0, point, count, d), gap_along(crowd->x1, point, count, d)) > reach;
}

static bool apart(const Crowd* crowd, const int* point, int count, double reach)
{
    double d[3] = {0, 0, 0}, u[3], v[3];
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            double start = crowd->x0[3 * point[i] + c] - crowd->x0[3 * point[0] + c];
            double end = crowd->x1[3 * point[i] + c] - crowd->x1[3 * point[0] + c];
            d[c] += (start + end) * (i < count ? -1.0 / count : 1.0 / (4 - count));
        }
    if (apart_along(crowd, point, count, d, false, reach)) return true;
    for (int c = 0; c < 3; c++) {
        u[c] = crowd->x0[3 * point[count == 1 ? 2 : 1] + c] - crowd->x0[3 * point[count == 1 ? 1 : 0] + c];
        v[c] = crowd->x0[3 * point[3] + c] - crowd->x0[3 * point[count == 1 ? 1 : 2] + c];
    }
    double across[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return apart_along(crowd, point, count, across, true, reach);
}

static bool share(const int* p, int p_count, const int* q, int q_count)
{
    for (int i = 0; i < p_count * q_count; i++)
        if (p[i / q_count] == q[i % q_count]) return true;
    return false;
}

// The same pair looks the same: corners of triangles, ends of edges and edges increase.
static SnPair sorted_pair(SnPair pair, bool edges)
{
    int* p = pair.point;
    for (int k = 0; k < 3; k++)
        for (int i = edges ? 0 : 1; i < 3; i++)
            if (!(edges && i == 1) && p[i] > p[i + 1]) {
                int other = p[i];
                p[i] = p[i + 1], p[i + 1] = other;
            }
    if (edges && p[0] > p[2]) pair = (SnPair){{p[2], p[3], p[0], p[1]}};
    return pair;
}

static int compare(const void* left, const void* right)
{
    const SnPair *a = left, *b = right;
    for (int k = 0; k < 4; k++)
        if (a->point[k] != b->point[k]) return a->point[k] < b->point[k] ? -1 : 1;
    return 0;
}

static void append(SnPairArray* array, SnPair pair)
{
    check(SN_GROW(array->items, array->capacity, (int64_t)array->count + 1, "pairs"));
    array->items[array->count++] = pair;
}

static void pair_all(const Crowd* crowd, int a, int b, bool edges, SnPairArray* out)
{
    const Elements *from = &crowd->elements[a][edges ? 2 : 1], *to = &crowd->elements[b][edges ? 2 : 3];
    for (int i = 0; i < from->count; i++)
        for (int k = a == b && edges ? i + 1 : 0; k < to->count; k++) {
            const int *p = from->points + from->corners * i, *q = to->points + to->corners * k;
            if (share(p, from->corners, q, to->corners)) continue;
            if (!boxes_meet(crowd, a, p, from->corners, b, q, to->corners)) continue;
            SnPair pair = edges ? (SnPair){{p[0], p[1], q[0], q[1]}} : (SnPair){{p[0], q[0], q[1], q[2]}};
            if (!apart(crowd, pair.point, edges ? 2 : 1, crowd->radius[a] + crowd->radius[b])) append(out, pair);
        }
}

typedef bool Touch(void* user, int a, int b);

static void find_all(const Crowd* crowd, Touch* touch, bool edges, SnPairArray* out)
{
    out->count = 0;
    for (int a = 0; a < crowd->count; a++)
        for (int b = a; b < crowd->count; b++) {
            const SnSurfaceDef *one = &crowd->defs[a], *other = &crowd->defs[b];
            if (one->kinematic && other->kinematic) continue;
            if (a == b ? !one->self : touch && !touch(NULL, a, b)) continue;
            pair_all(crowd, a, b, edges, out);
            if (a != b && !edges) pair_all(crowd, b, a, edges, out);
        }
}

static void check_same_set(const SnPairArray* found, const SnPairArray* all, bool edges)
{
    SnPairArray sorted[2] = {{0}, {0}};
    for (int i = 0; i < found->count; i++) append(&sorted[0], sorted_pair(found->items[i], edges));
    for (int i = 0; i < all->count; i++) append(&sorted[1], sorted_pair(all->items[i], edges));
    assert_int_equal(found->count, all->count);
    for (int k = 0; k < 2 && all->count; k++)
        qsort(sorted[k].items, (size_t)sorted[k].count, sizeof *sorted[k].items, compare);
    for (int i = 0; i < all->count; i++) assert_int_equal(compare(&sorted[0].items[i], &sorted[1].items[i]), 0);
    for (int k = 0; k < 2; k++) sn_free(sorted[k].items);
}

// How near the two elements come, at most, at a time from 0 to 1: from a few points of the one to the other.
static double distance_at(const Crowd* crowd, const int* point, int count, double t)
{
    enum { STEPS = 4 };
    double x[4][3], least = INFINITY;
    for (int i = 0; i < 12; i++) {
        int at = 3 * point[i / 3] + i % 3;
        x[i / 3][i % 3] = crowd->x0[at] + t * (crowd->x1[at] - crowd->x0[at]);
    }
    for (int k = 0; k <= (count == 2 ? STEPS : 0); k++) {
        double p[3], w = (double)k / STEPS;
        SnNearest nearest;
        for (int c = 0; c < 3; c++) p[c] = x[0][c] + (count == 2 ? w * (x[1][c] - x[0][c]) : 0);
        sn_nearest_on_triangle(x[count == 2 ? 2 : 1], x[2], x[3], p, &nearest);
        least = fmin(least, nearest.distance);
    }
    return least;
}

// Whatever comes nearer than the reach has been found. Returns how many do.
static int check_near_ones(const Crowd* crowd, const SnPairArray* found, int a, int b, bool edges)
{
    const Elements *from = &crowd->elements[a][edges ? 2 : 1], *to = &crowd->elements[b][edges ? 2 : 3];
    double reach = crowd->radius[a] + crowd->radius[b];
    int near = 0;
    for (int i = 0; i < from->count; i++)
        for (int k = 0; k < to->count; k++) {
            const int *p = from->points + from->corners * i, *q = to->points + to->corners * k;
            if (share(p, from->corners, q, to->corners)) continue;
            SnPair pair = edges ? (SnPair){{p[0], p[1], q[0], q[1]}} : (SnPair){{p[0], q[0], q[1], q[2]}};
            double least = INFINITY;
            for (int t = 0; t <= 2; t++) least = fmin(least, distance_at(crowd, pair.point, edges ? 2 : 1, 0.5 * t));
            if (least >= reach) continue;
            pair = sorted_pair(pair, edges);
            check(bsearch(&pair, found->items, (size_t)found->count, sizeof pair, compare) != NULL);
            near++;
        }
    return near;
}

static void check_same_bits(const SnPairArray* a, const SnPairArray* b)
{
    assert_int_equal(a->count, b->count);
    if (a->count) assert_memory_equal(a->items, b->items, (size_t)a->count * sizeof *a->items);
}

// A finder with its own threads.
typedef struct Finder {
    SnTasks* tasks;
    SnSurfaces* surfaces;
    SnPairs* pairs;
} Finder;

static Finder make_finder(const Crowd* crowd, Touch* touch, int threads)
{
    Finder f;
    check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &f.tasks));
    check_ok(sn_surfaces_create(crowd->count, crowd->defs, touch, NULL, f.tasks, &f.surfaces));
    check_ok(sn_pairs_create(f.surfaces, &f.pairs));
    return f;
}

static void free_finder(Finder* f)
{
    sn_pairs_destroy(f->pairs);
    sn_surfaces_destroy(f->surfaces);
    sn_tasks_destroy(f->tasks);
}

static void find(const Finder* f, const Crowd* crowd)
{
    check_ok(sn_pairs_find(f->pairs, crowd->x0, crowd->x1, crowd->radius));
}

static void check_order(const Finder* f)
{
    const SnPairArray* arrays[2] = {sn_pairs_node_triangle(f->pairs), sn_pairs_edge_edge(f->pairs)};
    for (int k = 0; k < 2; k++)
        for (int i = 0, last = 0; i < arrays[k]->count; i++) {
            const int* p = arrays[k]->items[i].point;
            int a = f->surfaces->of_point[p[0]], b = f->surfaces->of_point[p[3]];
            int key = (a < b ? a : b) * MOST + (a < b ? b : a);
            check(key >= last);
            last = key;
        }
}

// What is found is all there is, and nothing else; some of it.
static void compare_with_all(Crowd* crowd, Touch* touch, int calls)
{
    Finder f = make_finder(crowd, touch, 2);
    SnPairArray all = {0};
    int64_t seen[2] = {0, 0};
    for (int call = 0; call < calls; call++) {
        move(crowd, call);
        find(&f, crowd);
        check_order(&f);
        for (int edges = 0; edges < 2; edges++) {
            find_all(crowd, touch, edges, &all);
            check_same_set(edges ? sn_pairs_edge_edge(f.pairs) : sn_pairs_node_triangle(f.pairs), &all, edges);
            seen[edges] += all.count;
        }
    }
    SnPairsWork work = sn_pairs_work(f.pairs);
    check(seen[0] > 0 && seen[1] > 0);
    check(work.made > 0 && work.made < work.lists); // some lists were used again
    sn_free(all.items);
    free_finder(&f);
}

static Crowd crowd;

static void test_finds_all_pairs(void** state)
{
    (void)state;
    make_crowd(&crowd, 1);
    compare_with_all(&crowd, NULL, CALLS);
    free_crowd(&crowd);
}

// Those of which a point is marked.
static void keep_marked(SnPairArray* pairs, const bool* marked)
{
    int count = 0;
    for (int i = 0; i < pairs->count; i++) {
        const int* p = pairs->items[i].point;
        if (marked[p[0]] || marked[p[1]] || marked[p[2]] || marked[p[3]]) pairs->items[count++] = pairs->items[i];
    }
    pairs->count = count;
}

// Where some points go elsewhere, pairs of these are all that is asked for; those found before are there again after.
static void test_finds_changed_pairs(void** state)
{
    (void)state;
    make_crowd(&crowd, 3);
    Finder f = make_finder(&crowd, NULL, 2), fresh = make_finder(&crowd, NULL, 1);
    SnPairArray all = {0};
    bool* marked = calloc((size_t)f.surfaces->point_count, sizeof *marked);
    int64_t seen[2] = {0, 0};
    assert_non_null(marked);
    for (int call = 0; call < CALLS; call++) {
        move(&crowd, call);
        find(&f, &crowd), find(&fresh, &crowd);
        for (int i = 0; i < f.surfaces->point_count; i++) {
            marked[i] = call > 0 && noise(&crowd, 1) > (call % 3 ? 0.9 : 0);
            for (int c = 0; c < 3 && marked[i]; c++) crowd.x1[3 * i + c] += noise(&crowd, 0.05);
        }
        find_means(&crowd);
        check_ok(sn_pairs_find_changed(f.pairs, crowd.x0, crowd.x1, crowd.radius, marked));
        for (int edges = 0; edges < 2; edges++) {
            find_all(&crowd, NULL, edges, &all);
            keep_marked(&all, marked);
            check_same_set(edges ? sn_pairs_edge_edge(f.pairs) : sn_pairs_node_triangle(f.pairs), &all, edges);
            seen[edges] += all.count;
        }
        sn_pairs_back(f.pairs);
        check_same_bits(sn_pairs_node_triangle(f.pairs), sn_pairs_node_triangle(fresh.pairs));
        check_same_bits(sn_pairs_edge_edge(f.pairs), sn_pairs_edge_edge(fresh.pairs));
    }
    check(seen[0] > 0 && seen[1] > 0);
    sn_free(all.items);
    free(marked);
    free_finder(&f), free_finder(&fresh);
    free_crowd(&crowd);
}

// By distances alone, with nothing of how pairs are left out.
static void test_misses_none_that_come_near(void** state)
{
    (void)state;
    int near[2] = {0, 0};
    make_crowd(&crowd, 10);
    Finder f = make_finder(&crowd, NULL, 1);
    for (int call = 4; call < 7; call++) {
        move(&crowd, call);
        find(&f, &crowd);
        for (int edges = 0; edges < 2; edges++) {
            const SnPairArray* found = edges ? sn_pairs_edge_edge(f.pairs) : sn_pairs_node_triangle(f.pairs);
            SnPairArray sorted = {0};
            for (int i = 0; i < found->count; i++) append(&sorted, sorted_pair(found->items[i], edges));
            qsort(sorted.items, (size_t)sorted.count, sizeof *sorted.items, compare);
            for (int k = 0; k < crowd.count * crowd.count; k++) {
                int a = k / crowd.count, b = k % crowd.count;
                if (edges && b < a) continue;
                if (a != b || crowd.defs[a].self) near[edges] += check_near_ones(&crowd, &sorted, a, b, edges);
            }
            sn_free(sorted.items);
        }
    }
    check(near[0] > 50 && near[1] > 100);
    free_finder(&f);
    free_crowd(&crowd);
}

// Where coordinates are so large that rounding matters, and all moves together.
static void test_finds_all_pairs_far_away(void** state)
{
    (void)state;
    make_crowd(&crowd, 2);
    for (int i = 0; i < 3 * crowd.point_count; i++) crowd.x1[i] += i % 3 ? 1e6 : -2e6;
    compare_with_all(&crowd, NULL, 12);
    free_crowd(&crowd);
}

static bool not_the_neighbour(void* user, int a, int b)
{
    (void)user;
    return b != a + 1;
}

static void test_leaves_out_what_may_not_touch(void** state)
{
    (void)state;
    make_crowd(&crowd, 3);
    crowd.defs[1].kinematic = crowd.defs[2].kinematic = crowd.defs[4].kinematic = true;
    compare_with_all(&crowd, not_the_neighbour, 12);
    free_crowd(&crowd);
}

// Finds what one without lists does, in the same order.
static void check_as_fresh(const Finder* f, const Crowd* c)
{
    Finder fresh = make_finder(c, NULL, 2);
    find(&fresh, c);
    find(f, c);
    check_same_bits(sn_pairs_node_triangle(f->pairs), sn_pairs_node_triangle(fresh.pairs));
    check_same_bits(sn_pairs_edge_edge(f->pairs), sn_pairs_edge_edge(fresh.pairs));
    free_finder(&fresh);
}

static void test_same_for_any_threads_and_lists(void** state)
{
    (void)state;
    make_crowd(&crowd, 4);
    Finder f[] = {make_finder(&crowd, NULL, 1), make_finder(&crowd, NULL, 2), make_finder(&crowd, NULL, 5)};
    for (int call = 0; call < CALLS; call++) {
        move(&crowd, call);
        for (int k = 0; k < 3; k++)
            if (k < 2 || call % 3 == 0) check_as_fresh(&f[k], &crowd); // the last has other lists than the rest
    }
    for (int k = 0; k < 3; k++) free_finder(&f[k]);
    free_crowd(&crowd);
}

// Lists are used for long, while some surfaces creep past each other and others, moving more, are noted again and
// again.
static void test_lists_hold_while_surfaces_creep(void** state)
{
    (void)state;
    make_crowd(&crowd, 9);
    Finder f = make_finder(&crowd, NULL, 1);
    for (int call = 0; call < 200; call++) {
        memcpy(crowd.x0, crowd.x1, sizeof crowd.x0);
        for (int k = 0; k < crowd.count; k++) {
            double way[3] = {noise(&crowd, 1e-3), (k % 2 ? 5e-4 : -5e-4) * (1 + k),
                             k == 3 ? 0.02 * cos(0.2 * call) : 0};
            for (int i = 0; i < 3 * crowd.defs[k].point_count; i++)
                crowd.x1[3 * crowd.defs[k].first_point + i] += way[i % 3] + noise(&crowd, 1e-4);
        }
        check_as_fresh(&f, &crowd);
    }
    SnPairsWork work = sn_pairs_work(f.pairs);
    check(2 * work.made < work.lists);
    free_finder(&f);
    free_crowd(&crowd);
}

// Lists outlast a common motion, however far it goes, and those of surfaces that stay when one moves past them.
static void test_keeps_lists(void** state)
{
    (void)state;
    make_crowd(&crowd, 5);
    Finder f = make_finder(&crowd, NULL, 1);
    memcpy(crowd.x0, crowd.x1, sizeof crowd.x0);
    find(&f, &crowd);
    SnPairsWork first = sn_pairs_work(f.pairs);
    check(first.lists >= 6 && first.made == first.lists);
    for (int call = 0; call < 5; call++) {
        for (int i = 0; i < 3 * crowd.point_count; i++) crowd.x0[i] = crowd.x1[i] += 0.5;
        find(&f, &crowd);
    }
    assert_int_equal(sn_pairs_work(f.pairs).made, first.made);
    for (int i = 0; i < 3 * crowd.defs[0].point_count; i++) crowd.x1[i] += i % 3 == 1 ? 0.3 : 0;
    find(&f, &crowd);
    SnPairsWork last = sn_pairs_work(f.pairs);
    check(last.made > first.made && last.made - first.made < first.made);
    free_finder(&f);
    free_crowd(&crowd);
}

static void test_allocates_nothing_when_warm(void** state)
{
    (void)state;
    enum { PASSES = 12 }; // lists go from surfaces to others
    FailingMemory memory;
    make_crowd(&crowd, 6);
    Finder f = make_finder(&crowd, NULL, 1);
    SnRandom random = crowd.random;
    static double x[3 * MOST_POINTS];
    memcpy(x, crowd.x1, sizeof x);
    for (int pass = 0; pass < PASSES; pass++) {
        crowd.random = random;
        memcpy(crowd.x1, x, sizeof x);
        for (int call = 0; call < CALLS; call++) {
            move(&crowd, call);
            if (pass == PASSES - 1) start_failing(&memory, 0);
            SnStatus status = sn_pairs_find(f.pairs, crowd.x0, crowd.x1, crowd.radius);
            if (pass == PASSES - 1) stop_failing(&memory);
            assert_int_equal(status, SN_OK);
        }
    }
    free_finder(&f);
    free_crowd(&crowd);
}

static SnStatus find_once(const Crowd* c)
{
    SnSurfaces* surfaces;
    SnPairs* pairs = NULL;
    SnStatus status = sn_surfaces_create(c->count, c->defs, NULL, NULL, NULL, &surfaces);
    if (status == SN_OK) status = sn_pairs_create(surfaces, &pairs);
    if (status == SN_OK) status = sn_pairs_find(pairs, c->x0, c->x1, c->radius);
    sn_pairs_destroy(pairs);
    sn_surfaces_destroy(surfaces);
    return status;
}

static void test_survives_lack_of_memory(void** state)
{
    (void)state;
    SnStatus status = SN_ERROR_MEMORY;
    make_crowd(&crowd, 7);
    move(&crowd, 0);
    for (long n = 0; status != SN_OK; n++) {
        FailingMemory memory;
        start_failing(&memory, n);
        status = find_once(&crowd);
        stop_failing(&memory);
        check(status == SN_OK || (status == SN_ERROR_MEMORY && n < 2000));
    }
    free_crowd(&crowd);
}

// After a call that ran out of memory the next one finds everything.
static void test_recovers_from_lack_of_memory(void** state)
{
    (void)state;
    SnStatus status = SN_ERROR_MEMORY;
    make_crowd(&crowd, 8);
    for (long n = 0; status != SN_OK; n++) {
        FailingMemory memory; // it outlives what was allocated with it
        Finder f = make_finder(&crowd, NULL, 1);
        move(&crowd, 0);
        find(&f, &crowd);
        move(&crowd, 6);
        start_failing(&memory, n);
        status = sn_pairs_find(f.pairs, crowd.x0, crowd.x1, crowd.radius);
        sn_thread_set_allocator(NULL);
        check(status == SN_OK || status == SN_ERROR_MEMORY);
        check_as_fresh(&f, &crowd);
        free_finder(&f);
        stop_failing(&memory);
    }
    free_crowd(&crowd);
}

static void test_refuses_wrong_numbers(void** state)
{
    (void)state;
    SnSurfaces* surfaces;
    const double rest[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int good[3] = {0, 1, 2}, bad[3] = {0, 1, 3};
    SnSurfaceDef defs[2] = {{.point_count = 3, .rest = rest, .triangle_count = 1, .triangles = bad},
                            {.first_point = 2, .point_count = 3, .rest = rest, .triangle_count = 1, .triangles = good}};
    check_fails(sn_surfaces_create(1, defs, NULL, NULL, NULL, &surfaces), SN_ERROR_VALUE, "triangles", "point 3");
    defs[0].triangles = good;
    check_fails(sn_surfaces_create(2, defs, NULL, NULL, NULL, &surfaces), SN_ERROR_VALUE, "point 2", "surface 0");
}

// Boxes without end meet everything; what is found are pairs nevertheless.
static void test_boxes_without_end(void** state)
{
    (void)state;
    make_crowd(&crowd, 5);
    Finder f = make_finder(&crowd, NULL, 1);
    for (int call = 0; call < 2; call++) {
        double far = call ? INFINITY : 1e39;
        move(&crowd, 0);
        for (int k = 0; k < 3 * crowd.point_count; k++)
            if (k % 7 < 2) crowd.x1[k] = k % 2 ? far : -far;
        find(&f, &crowd);
        for (int edges = 0; edges < 2; edges++) {
            const SnPairArray* found = edges ? sn_pairs_edge_edge(f.pairs) : sn_pairs_node_triangle(f.pairs);
            for (int i = 0; i < 4 * found->count; i++) {
                int point = found->items[i / 4].point[i % 4];
                check(point >= 0 && point < crowd.point_count);
            }
        }
    }
    free_finder(&f);
    free_crowd(&crowd);
}

static void test_nothing_has_no_pairs(void** state)
{
    (void)state;
    SnSurfaceDef empty = {.self = true};
    SnSurfaces* surfaces;
    SnPairs* pairs;
    for (int count = 0; count < 2; count++) {
        check_ok(sn_surfaces_create(count, &empty, NULL, NULL, NULL, &surfaces));
        check_ok(sn_pairs_create(surfaces, &pairs));
        check_ok(sn_pairs_find(pairs, NULL, NULL, &(double){0.01}));
        assert_int_equal(sn_pairs_node_triangle(pairs)->count + sn_pairs_edge_edge(pairs)->count, 0);
        sn_pairs_destroy(pairs);
        sn_surfaces_destroy(surfaces);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_finds_all_pairs),
    cmocka_unit_test(test_finds_changed_pairs),
    cmocka_unit_test(test_misses_none_that_come_near),
    cmocka_unit_test(test_finds_all_pairs_far_away),
    cmocka_unit_test(test_leaves_out_what_may_not_touch),
    cmocka_unit_test(test_same_for_any_threads_and_lists),
    cmocka_unit_test(test_lists_hold_while_surfaces_creep),
    cmocka_unit_test(test_keeps_lists),
    cmocka_unit_test(test_allocates_nothing_when_warm),
    cmocka_unit_test(test_survives_lack_of_memory),
    cmocka_unit_test(test_recovers_from_lack_of_memory),
    cmocka_unit_test(test_refuses_wrong_numbers),
    cmocka_unit_test(test_boxes_without_end),
    cmocka_unit_test(test_nothing_has_no_pairs),
};

RUN_TESTS(tests, NULL, NULL)
