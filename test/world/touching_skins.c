// Skins that touch in place of the bodies that carry them: friction by its closed form, piles, balls in cages.
#include "mesh/elements.h"
#include "touching.h"

static const char* const all_solvers[] = {"newton", "auto", "lbfgs", "dot", "chebyshev", "admm", "pd"};
enum { ALL_SOLVERS = 7 };

// A cage of tetrahedra around a finer box, which is what touches; the box stands at `at`.
static void add_caged(SnWorld* world, const double size[3], double margin, const double at[3], const double* velocity)
{
    SnMesh *cage, *box, *skin;
    double around[3];
    for (int c = 0; c < 3; c++) around[c] = size[c] + 2 * margin;
    check_ok(sn_mesh_make_box(around, (int[]){2, 1, 2}, &cage));
    check_ok(sn_mesh_make_box(size, (int[]){4, 2, 3}, &box));
    check_ok(sn_mesh_make_surface(box, &skin));
    SnMesh* meshes[2] = {cage, skin};
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 3 * sn_mesh_node_count(meshes[m]); i++)
            sn_mesh_nodes(meshes[m])[i] += at[i % 3] - (m == 0 ? margin : 0);
    int n = sn_mesh_node_count(cage);
    double* v = calloc(3 * (size_t)n, sizeof *v);
    for (int i = 0; i < 3 * n && velocity; i++) v[i] = velocity[i % 3];
    SnBodyDef def = sn_default_body_def();
    def.mesh = cage, def.skin = skin, def.velocity = v, def.contact.skin = true;
    def.material = sn_material("neo-hookean", 1e6, 0.3, 1000);
    check_ok(sn_world_add_body(world, &def, NULL));
    free(v);
    sn_mesh_destroy(cage), sn_mesh_destroy(box), sn_mesh_destroy(skin);
}

// The lowest vertex of a body's skin, m.
static double lowest(const SnWorld* world, int body)
{
    SnBodyInfo info;
    double least = INFINITY;
    check_ok(sn_world_body(world, body, &info));
    double* y = malloc(sizeof(double[3]) * (size_t)info.skin->vertex_count);
    sn_skin_carry(info.skin, sn_world_positions(world) + 3 * info.first_node, y);
    for (int i = 0; i < info.skin->vertex_count; i++) least = fmin(least, y[3 * i + 1]);
    free(y);
    return least;
}

// The skin slides on the floor, with the cage's nodes below it: v decreases by mu g h each step.
static void test_sliding_skin(void** state)
{
    (void)state;
    for (int s = 0; s < ALL_SOLVERS; s++) {
        double mu = 0.3, g = 9.81, h = 0.01, v = 1, margin = 0.03, mass = 1000 * 0.46 * 0.16 * 0.36;
        SnWorld* world;
        SnWorldDef def = world_def(all_solvers[s], h);
        check_ok(sn_world_create(&def, &world));
        add_caged(world, (double[]){0.4, 0.1, 0.3}, margin, (double[]){0, 1e-3, 0}, (double[]){v, 0, 0});
        SnObstacleDef floor = plane(0, 1, 0, 0, mu);
        check_ok(sn_world_add_obstacle(world, &floor, NULL));
        SnStepReport report;
        for (int k = 0; k < 50; k++) {
            double before = v;
            check_ok(sn_world_step(world, &report));
            v = report.momentum[0] / mass;
            if (k >= 10 && before > 3 * mu * g * h) check_near((before - v) / h, mu * g, 0.02 * mu * g);
            double gap = lowest(world, 0);
            if (!(gap > 0.9e-4 && gap < 1.5e-3)) fail_msg("%s: the skin is %g m above the floor", all_solvers[s], gap);
            check(sn_world_positions(world)[1] < -0.5 * margin);
        }
        check_near(v, 0, 1e-3);
        SnWrench wrench;
        check_ok(sn_world_obstacle_force(world, 0, &wrench));
        check_near(wrench.force[1], mass * g, 0.01 * mass * g);
        for (int i = 0; i < sn_world_contact_count(world); i++) {
            SnContactInfo contact;
            check_ok(sn_world_contact(world, i, &contact));
            check(contact.body == 0 && contact.obstacle == 0 && contact.node_count >= 1 && contact.node_count <= 3);
            check_near(contact.normal[1], 1, 1e-12);
            check(contact.point[1] < 2e-3 && contact.point[1] > 0);
        }
        sn_world_destroy(world);
    }
}

static SnWorld* skin_pile(int threads, const char* solver)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, 0.01);
    def.threads = threads;
    def.contact.bodies = true;
    def.contact.friction = 0.3;
    check_ok(sn_world_create(&def, &world));
    for (int i = 0; i < 3; i++)
        add_caged(world, (double[]){0.2, 0.1, 0.2}, 0.02, (double[]){0.02 * i, 1e-3 + 0.102 * i, 0.01 * i}, NULL);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// Bodies of a contact are on the sides that it says: the first node is the pushed one's, which the normal points to.
static void check_sides(const SnWorld* world)
{
    for (int i = 0; i < sn_world_contact_count(world); i++) {
        SnContactInfo c;
        SnBodyInfo body, other;
        check_ok(sn_world_contact(world, i, &c));
        check_ok(sn_world_body(world, c.body, &body));
        check(c.nodes[0] >= body.first_node && c.nodes[0] < body.first_node + body.node_count);
        if (c.other_body < 0) continue;
        check_ok(sn_world_body(world, c.other_body, &other));
        int last = c.nodes[c.node_count - 1];
        check(last >= other.first_node && last < other.first_node + other.node_count);
        check((c.normal[1] > 0) == (c.body > c.other_body)); // they are numbered upwards
    }
}

// Skins pile up while their cages go through each other; the same bits for any number of threads and after a restore.
static void test_pile_of_skins(void** state)
{
    (void)state;
    for (int s = 0; s < ALL_SOLVERS; s++) {
        SnWorld *one = skin_pile(1, all_solvers[s]), *three = skin_pile(3, all_solvers[s]),
                *resumed = skin_pile(2, all_solvers[s]);
        for (int i = 0; i < 20; i++) {
            check_ok(sn_world_step(one, NULL));
            check_ok(sn_world_step(three, NULL));
            check(sn_world_hash(one) == sn_world_hash(three));
            check_sides(one);
            if (i != 10) continue;
            size_t size = sn_world_state_size(one);
            void* bytes = malloc(size);
            check_ok(sn_world_save_state(one, bytes, size));
            check_ok(sn_world_restore_state(resumed, bytes, size));
            free(bytes);
        }
        for (int i = 11; i < 20; i++) check_ok(sn_world_step(resumed, NULL));
        check(sn_world_hash(one) == sn_world_hash(resumed));
        for (int b = 0; b < 3; b++) {
            double y = lowest(one, b), least = 0.095 * b, most = 0.106 * b + 2e-3;
            if (!(y > least && y < most)) fail_msg("%s: skin %d is at %g m", all_solvers[s], b, y);
        }
        sn_world_destroy(one);
        sn_world_destroy(three);
        sn_world_destroy(resumed);
    }
}

// A skin that is the body's own surface touches where that does.
static void test_own_surface_as_skin(void** state)
{
    (void)state;
    SnWorld* worlds[2];
    for (int w = 0; w < 2; w++) {
        SnMesh *box, *skin;
        SnWorldDef def = world_def("newton", 0.01);
        def.solver.tolerance = 1e-9;
        check_ok(sn_world_create(&def, &worlds[w]));
        check_ok(sn_mesh_make_box((double[]){0.3, 0.2, 0.3}, (int[]){3, 2, 3}, &box));
        for (int i = 0; i < sn_mesh_node_count(box); i++) sn_mesh_nodes(box)[3 * i + 1] += 0.02;
        check_ok(sn_mesh_make_surface(box, &skin));
        SnBodyDef body = sn_default_body_def();
        body.mesh = box, body.skin = skin, body.contact.skin = w == 1;
        body.material = sn_material("neo-hookean", 2e4, 0.3, 1000);
        check_ok(sn_world_add_body(worlds[w], &body, NULL));
        sn_mesh_destroy(box), sn_mesh_destroy(skin);
        SnObstacleDef floor = plane(0, 1, 0, 0, 0.4);
        check_ok(sn_world_add_obstacle(worlds[w], &floor, NULL));
    }
    for (int i = 0; i < 30; i++) {
        for (int w = 0; w < 2; w++) check_ok(sn_world_step(worlds[w], NULL));
        for (int k = 0; k < 3 * sn_world_node_count(worlds[0]); k++)
            check_near(sn_world_positions(worlds[1])[k], sn_world_positions(worlds[0])[k], 1e-6);
    }
    for (int w = 0; w < 2; w++) sn_world_destroy(worlds[w]);
}

static void test_skins_that_cannot_touch(void** state)
{
    (void)state;
    SnMesh *box, *skin;
    SnWorld* world;
    SnWorldDef def = sn_default_world_def();
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &box));
    SnBodyDef body = sn_default_body_def();
    body.name = "block", body.mesh = box, body.contact.skin = true;
    check(sn_world_add_body(world, &body, NULL) == SN_ERROR_VALUE);
    check(strstr(sn_last_error(), "'block'") && strstr(sn_last_error(), "it has none; give it one"));
    check_ok(sn_mesh_make_surface(box, &skin));
    body.skin = skin, body.skin_weights = SN_SKIN_SMOOTH;
    check(sn_world_add_body(world, &body, NULL) == SN_ERROR_UNSUPPORTED);
    check(strstr(sn_last_error(), "'block'") && strstr(sn_last_error(), "it can with `weights: linear`"));
    sn_mesh_destroy(box), sn_mesh_destroy(skin);
    sn_world_destroy(world);
}

static void count_far(void* user, SnLogLevel level, const char* message)
{
    if (level == SN_LOG_WARNING && strstr(message, "'gown': its skin is up to 0.25 m outside")) ++*(int*)user;
}

// A skin that is far from what carries it is named, one that sticks out by less than two edges is not.
static void test_far_skins(void** state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        int warnings = 0;
        SnMesh *solid, *box, *skin;
        SnWorld* world;
        SnWorldDef def = sn_default_world_def();
        def.log = (SnLog){&warnings, count_far};
        check_ok(sn_world_create(&def, &world));
        check_ok(sn_mesh_make_box((double[]){0.1, 0.1, 0.1}, (int[]){2, 2, 2}, &solid));
        check_ok(sn_mesh_make_box((double[]){0.1, far ? 0.35 : 0.15, 0.1}, (int[]){1, 1, 1}, &box));
        check_ok(sn_mesh_make_surface(box, &skin));
        SnBodyDef body = sn_default_body_def();
        body.name = "gown", body.mesh = solid, body.skin = skin;
        check_ok(sn_world_add_body(world, &body, NULL));
        assert_int_equal(warnings, far);
        sn_world_destroy(world);
        sn_mesh_destroy(solid), sn_mesh_destroy(box), sn_mesh_destroy(skin);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sliding_skin),        cmocka_unit_test(test_pile_of_skins),
    cmocka_unit_test(test_own_surface_as_skin), cmocka_unit_test(test_skins_that_cannot_touch),
    cmocka_unit_test(test_far_skins),
};
RUN_TESTS(tests, NULL, NULL)
