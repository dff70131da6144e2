// The contact detector on input that is right, own or degenerate.
#include "check.h"

#include "contact/detector.h"
#include "core/random.h"
#include "mesh/mesh.h"

// Bodies of some meshes, one after the other, and what the detector finds with their nodes at x.
typedef struct Touch {
    int count;
    SnMesh* meshes[2];
    SnContactBody bodies[2];
    int* surfaces[2];
    double x[3000]; // where the nodes are
    SnContactList found;
} Touch;

static SnStatus add(void* list, const SnContact* contact)
{
    return sn_contact_list_add(list, contact);
}

static void add_mesh(Touch* t, SnMesh* mesh)
{
    SnContactBody* body = &t->bodies[t->count];
    if (t->count > 0) body->first_node = t->bodies[0].node_count;
    body->node_count = mesh->node_count, body->rest = mesh->nodes;
    body->tetrahedron_count = mesh->tetrahedron_count, body->tetrahedra = mesh->tetrahedra;
    check_ok(sn_mesh_surface(mesh, &t->surfaces[t->count], &body->surface_count));
    body->surface = t->surfaces[t->count];
    memcpy(t->x + 3 * body->first_node, mesh->nodes, 3 * (size_t)mesh->node_count * sizeof *t->x);
    t->meshes[t->count++] = mesh;
}

static void add_box(Touch* t, const double size[3], const int cells[3])
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box(size, cells, &mesh));
    add_mesh(t, mesh);
}

// One tetrahedron upon its tip, which is its node 0.
static void add_tip(Touch* t, double x, double y, double z)
{
    const double nodes[] = {x, y, z, x + 0.3, y + 1, z, x, y + 1, z - 0.3, x, y + 1, z + 0.3};
    const int corners[] = {0, 1, 2, 3};
    SnMesh* mesh;
    check_ok(sn_mesh_create(
        &(SnMeshDef){.node_count = 4, .nodes = nodes, .tetrahedron_count = 1, .tetrahedra = corners}, &mesh));
    add_mesh(t, mesh);
}

// All contacts are fit for use: finite, with unit normals, and pushing as much one way as the other.
static void find(Touch* t, bool self)
{
    const SnContactOptions options = {.thickness = 1e-3, .push = 0.25, .bodies = true, .self = self};
    SnContacts* contacts;
    SnTasks* tasks;
    check_ok(sn_tasks_create(1, (SnTaskRunner){0}, &tasks));
    check_ok(sn_contacts_create(t->count, t->bodies, 0, NULL, &options, tasks, &contacts));
    sn_contacts_begin(contacts, &(SnContactStart){t->x, 0.01, 1});
    t->found.count = 0;
    check_ok(sn_contacts_collect(contacts, t->x, add, &t->found));
    for (int i = 0; i < t->found.count; i++) {
        const SnStencil* at = &t->found.items[i].at;
        const double* n = at->normal;
        double sum = 0;
        for (int k = 0; k < at->count; k++) sum += at->weight[k];
        for (int k = 1; k < at->count; k++) check(at->node[k] != at->node[0] && at->weight[k] <= 1e-12);
        check_near(sum, 0, 1e-12);
        check_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-12);
        check(isfinite(at->offset) && isfinite(sn_stencil_gap(at, t->x)));
    }
    sn_contacts_destroy(contacts);
    sn_tasks_destroy(tasks);
}

static const SnStencil* contact_of(const Touch* t, int node)
{
    for (int i = 0; i < t->found.count; i++)
        if (t->found.items[i].at.node[0] == node) return &t->found.items[i].at;
    return NULL;
}

static void release(Touch* t)
{
    for (int b = 0; b < t->count; b++) sn_mesh_destroy(t->meshes[b]), sn_free(t->surfaces[b]);
    sn_free(t->found.items);
}

// A tip inside each face of a box, 0.06 deep: the way out is the nearest point, straight up through the face.
static void test_node_in_another_body(void** state)
{
    (void)state;
    for (int face = 0; face < 6; face++) {
        Touch t = {0};
        double tip[3] = {0.42, 0.55, 0.47}, outward = face % 2 ? 1 : -1, out[3] = {0};
        tip[face / 2] = face % 2 ? 0.94 : 0.06;
        add_box(&t, (double[]){1, 1, 1}, (int[]){4, 4, 4});
        add_tip(&t, tip[0], tip[1], tip[2]);
        find(&t, false);
        const SnStencil* at = contact_of(&t, t.bodies[1].first_node);
        assert_non_null(at);
        assert_int_equal(at->count, 4);
        for (int c = 0; c < 3; c++) check_near(at->normal[c], c == face / 2 ? outward : 0, 1e-12);
        for (int k = 1; k < 4; k++)
            for (int c = 0; c < 3; c++) out[c] -= at->weight[k] * t.x[3 * at->node[k] + c];
        for (int c = 0; c < 3; c++) check_near(out[c], c == face / 2 ? face % 2 : tip[c], 1e-12);
        // It began inside: pushed out no faster than 0.25 m/s for 0.01 s.
        check_near(sn_stencil_gap(at, t.x), -0.25 * 0.01, 1e-12);
        release(&t);
    }
}

// A bar touches itself neither at rest nor where it is bent a little; its end in its beginning does.
static void test_own_elements(void** state)
{
    (void)state;
    Touch t = {0};
    add_box(&t, (double[]){3, 0.25, 0.25}, (int[]){24, 2, 2});
    find(&t, true);
    assert_int_equal(t.found.count, 0);
    for (int i = 0; i < t.bodies[0].node_count; i++) t.x[3 * i + 1] += 0.05 * t.x[3 * i] * t.x[3 * i];
    find(&t, true);
    assert_int_equal(t.found.count, 0);
    memcpy(t.x, t.bodies[0].rest, 3 * (size_t)t.bodies[0].node_count * sizeof *t.x);
    int end = t.bodies[0].node_count - 1;
    check_near(t.x[3 * end], 3, 1e-12);
    const double inside[3] = {0.33, 0.22, 0.11};
    memcpy(t.x + 3 * end, inside, sizeof inside);
    find(&t, true);
    const SnStencil* at = contact_of(&t, end);
    assert_non_null(at);
    check_near(at->normal[1], 1, 1e-12);
    check(sn_stencil_gap(at, t.x) < 0);
    find(&t, false);
    assert_int_equal(t.found.count, 0);
    release(&t);
}

// Nodes upon nodes, and a body shrunk to a point or flat: whatever is found is fit for use.
static void test_coincident_nodes(void** state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        Touch t = {0};
        add_box(&t, (double[]){1, 1, 1}, (int[]){2, 2, 2});
        add_tip(&t, 0.5, 1, k == 0 ? 0.5 : 0.6); // a node, an edge of the surface
        double* tip = t.x + 3 * t.bodies[1].first_node;
        for (int i = 3; i < 12 && k == 1; i++) tip[i] = tip[i % 3];                    // a point
        for (int i = 0; i < 4 && k == 2; i++) tip[3 * i + 1] = 1;                      // flat upon the face
        for (int i = 0; i < t.bodies[0].node_count && k == 3; i++) t.x[3 * i + 1] = 1; // the box is flat
        for (int i = 0; i < 3 * t.bodies[0].node_count && k == 4; i++) t.x[i] = tip[i % 3];
        find(&t, true);
        check(k > 2 || contact_of(&t, t.bodies[1].first_node));
        release(&t);
    }
}

// A surface with triangles that have no area keeps its distance.
static void test_obstacle_without_area(void** state)
{
    (void)state;
    const double nodes[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0, 0};
    const int triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 4, 1, 2, 2, 2, 0, 1, 1};
    for (int count = 4; count <= 7; count++) {
        SnMesh* mesh;
        check_ok(sn_mesh_create(
            &(SnMeshDef){.node_count = 5, .nodes = nodes, .triangle_count = count, .triangles = triangles}, &mesh));
        SnObstacleShape shape = sn_obstacle("mesh");
        shape.mesh = mesh;
        SnObstacle obstacle;
        check_ok(sn_obstacle_create(&obstacle, &shape));
        const double points[][4] = {{0.2, 0.2, -0.1, 0.1},  {0.25, 0.25, 0.05, -0.05},
                                    {0.5, -0.3, -0.4, 0.5}, {0.5, 0, 0, 0},
                                    {1, 0, 0, 0},           {0, 2, 0, 1}};
        for (int i = 0; i < 6; i++) {
            double g[3], d = sn_obstacle_distance(&obstacle, points[i], g);
            check_near(d, points[i][3], 1e-12);
            check_near(g[0] * g[0] + g[1] * g[1] + g[2] * g[2], 1, 1e-9);
        }
        sn_obstacle_destroy(&obstacle);
        sn_mesh_destroy(mesh);
    }
}

static void check_same(const SnContactList* a, const SnContactList* b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const SnStencil *p = &a->items[i].at, *q = &b->items[i].at;
        check(a->items[i].target == b->items[i].target && p->offset == q->offset);
        assert_memory_equal(p->node, q->node, sizeof p->node);
        assert_memory_equal(p->weight, q->weight, sizeof p->weight);
        assert_memory_equal(p->normal, q->normal, sizeof p->normal);
    }
}

// Moves all nodes together, turns them, and shakes each.
static void shake(SnRandom* random, int count, double much, double* x)
{
    double shift[3], turn = sn_random_uniform(random, -much, much);
    for (int c = 0; c < 3; c++) shift[c] = sn_random_uniform(random, -much, much);
    for (int i = 0; i < count; i++) {
        x[3 * i] += turn * x[3 * i + 1], x[3 * i + 1] -= turn * x[3 * i];
        for (int c = 0; c < 3; c++) x[3 * i + c] += shift[c] + sn_random_uniform(random, -0.3, 0.3) * much;
    }
}

// A detector that has seen other positions before, near and far, finds the same bits as a new one: here with a bar that
// is bent until its ends are in each other, and a box that it goes through.
static void test_found_without_history(void** state)
{
    (void)state;
    static Touch t;
    const SnContactOptions options = {.thickness = 1e-3, .push = 0.25, .bodies = true, .self = true};
    const double sizes[] = {0, 1e-5, 1e-3, 1e-2, 1e-3, 3e-2, 1e-4, 1e-1, 1e-2, 1e-3};
    static double start[3000];
    SnRandom random = {1};
    SnContactList found = {0};
    SnContacts* lasting;
    SnTasks* tasks;
    int self = 0, inside = 0;
    add_box(&t, (double[]){4, 0.2, 0.2}, (int[]){40, 2, 2});
    add_box(&t, (double[]){0.5, 0.5, 0.5}, (int[]){4, 4, 4});
    int bar = t.bodies[0].node_count, count = bar + t.bodies[1].node_count;
    for (int i = 0; i < bar; i++) {
        double angle = t.x[3 * i] / 0.62, radius = 0.6 + t.x[3 * i + 1];
        t.x[3 * i] = radius * sin(angle), t.x[3 * i + 1] = -radius * cos(angle);
    }
    check_ok(sn_tasks_create(2, (SnTaskRunner){0}, &tasks));
    check_ok(sn_contacts_create(t.count, t.bodies, 0, NULL, &options, tasks, &lasting));
    for (int k = 0; k < 100; k++) {
        if (k % 5 == 0) {
            memcpy(start, t.x, sizeof start);
            sn_contacts_begin(lasting, &(SnContactStart){start, 0.01, 1});
        }
        shake(&random, bar, 0.3 * sizes[k % 10], t.x);
        shake(&random, count - bar, 0.3 * sizes[(k + 3) % 10], t.x + 3 * bar);
        found.count = t.found.count = 0;
        check_ok(sn_contacts_collect(lasting, t.x, add, &found));
        SnContacts* fresh;
        check_ok(sn_contacts_create(t.count, t.bodies, 0, NULL, &options, tasks, &fresh));
        sn_contacts_begin(fresh, &(SnContactStart){start, 0.01, 1});
        check_ok(sn_contacts_collect(fresh, t.x, add, &t.found));
        sn_contacts_destroy(fresh);
        check_same(&found, &t.found);
        for (int i = 0; i < found.count; i++) {
            const SnStencil* at = &found.items[i].at;
            self += at->node[0] < bar && at->node[1] < bar;
            inside += sn_stencil_gap(at, t.x) < -1e-4;
        }
    }
    check(self > 100 && inside > 100);
    sn_contacts_destroy(lasting), sn_tasks_destroy(tasks), sn_free(found.items), release(&t);
}

static int longest_list(const SnContacts* contacts)
{
    int most = 0;
    for (int k = 0; k < contacts->chunk_count; k++)
        for (int i = 0; i < contacts->nearby[k].count; i++) {
            const SnNearby* pair = &contacts->nearby[k].pairs[i];
            most = pair->tetrahedra + pair->triangles > most ? pair->tetrahedra + pair->triangles : most;
        }
    return most;
}

// In a body that is crumpled to a point everything is near to everything: lists do not grow with the square of its
// size, and while it unfolds the same is found, with lists and without.
static void test_crumpled_body(void** state)
{
    (void)state;
    static Touch t;
    static double start[3000], whole[3000];
    const SnContactOptions options = {.thickness = 1e-3, .push = 0.25, .bodies = true, .self = true};
    SnContactList found = {0};
    SnContacts *lasting, *fresh;
    SnTasks* tasks;
    int total = 0, longest = 0;
    add_box(&t, (double[]){4, 0.2, 0.2}, (int[]){40, 2, 2});
    int size = 3 * t.bodies[0].node_count;
    memcpy(whole, t.x, sizeof whole);
    check_ok(sn_tasks_create(2, (SnTaskRunner){0}, &tasks));
    check_ok(sn_contacts_create(t.count, t.bodies, 0, NULL, &options, tasks, &lasting));
    for (int k = 0; k < 60; k++) {
        SnRandom random = {1};
        double scale = 5e-3 * (1 + k);
        for (int i = 0; i < size; i++) t.x[i] = scale * (whole[i] + sn_random_uniform(&random, -0.1, 0.1));
        memcpy(start, t.x, sizeof start);
        found.count = t.found.count = 0;
        sn_contacts_begin(lasting, &(SnContactStart){start, 0.01, 1});
        check_ok(sn_contacts_collect(lasting, t.x, add, &found));
        check_ok(sn_contacts_create(t.count, t.bodies, 0, NULL, &options, tasks, &fresh));
        sn_contacts_begin(fresh, &(SnContactStart){start, 0.01, 1});
        check_ok(sn_contacts_collect(fresh, t.x, add, &t.found));
        check_same(&found, &t.found);
        longest = longest_list(fresh) > longest ? longest_list(fresh) : longest;
        check(k > 0 || longest == 0);
        total += found.count;
        sn_contacts_destroy(fresh);
    }
    check(total > 100 && longest > 100 && longest <= 512);
    sn_contacts_destroy(lasting), sn_tasks_destroy(tasks), sn_free(found.items), release(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_node_in_another_body),  cmocka_unit_test(test_own_elements),
    cmocka_unit_test(test_coincident_nodes),      cmocka_unit_test(test_obstacle_without_area),
    cmocka_unit_test(test_found_without_history), cmocka_unit_test(test_crumpled_body),
};
RUN_TESTS(tests, NULL, NULL)
