// Who touches whom: pairs, groups, bodies that do or do not touch themselves, thickness and friction of each.
#include "touching.h"

static const double side = 0.2;

typedef struct Block {
    const char* name;
    double y;         // m, of its lower side
    double thickness; // m; -1: as the world's
    const char* group;
    double aside; // m
} Block;

static SnWorld* empty_world(bool bodies, double thickness)
{
    SnWorld* world;
    SnWorldDef def = world_def("auto", 0.01);
    def.contact.bodies = bodies, def.contact.thickness = thickness;
    check_ok(sn_world_create(&def, &world));
    return world;
}

static void add_block(SnWorld* world, const Block* b)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){side, side, side}, (int[]){2, 2, 2}, &mesh));
    for (int i = 0; i < 3 * sn_mesh_node_count(mesh); i++) sn_mesh_nodes(mesh)[i] += i % 3 == 1 ? b->y : b->aside;
    SnBodyDef body = sn_default_body_def();
    body.name = b->name, body.mesh = mesh;
    body.material = sn_material("neo-hookean", 1e7, 0.3, 1000);
    if (b->thickness >= 0) body.contact.thickness = b->thickness;
    if (b->group) body.contact.groups = &b->group, body.contact.group_count = 1;
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh);
}

static void add_floor(SnWorld* world, double friction, double thickness)
{
    SnObstacleDef floor = plane(0, 1, 0, 0, friction);
    floor.name = "floor", floor.thickness = thickness;
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
}

static void add_pair(SnWorld* world, const char* a, const char* b, int touch, double friction)
{
    SnContactPairDef pair = sn_default_contact_pair_def();
    check(pair.touch == -1 && pair.friction == -1);
    pair.between[0] = a, pair.between[1] = b, pair.touch = touch, pair.friction = friction;
    check_ok(sn_world_add_contact_pair(world, &pair));
}

static void steps(SnWorld* world, int count)
{
    for (int i = 0; i < count; i++) step(world);
}

// The height of the lowest node of a body, or (sign -1) of the highest.
static double height(const SnWorld* world, int body, int sign)
{
    SnBodyInfo info;
    check_ok(sn_world_body(world, body, &info));
    double least = INFINITY;
    const double* x = sn_world_positions(world) + 3 * info.first_node;
    for (int i = 0; i < info.node_count; i++) least = fmin(least, sign * x[3 * i + 1]);
    return sign * least;
}

static double bottom(const SnWorld* world, int body)
{
    return height(world, body, 1);
}

// Two blocks above a floor, the upper one falls; what pairs say decides where it comes to rest.
static void test_pairs(void** state)
{
    (void)state;
    static const struct {
        bool bodies;
        struct {
            const char *a, *b;
            int touch;
        } pairs[2];
        double upper, lower; // m, where they end; negative: below
    } rows[] = {
        {true, {{0}}, 0.203, 0.001},
        {false, {{0}}, 0.001, 0.001},
        {true, {{"lower", "upper", 0}}, 0.001, 0.001},
        {false, {{"upper", "lower", 1}}, 0.203, 0.001},
        {true, {{"all", "all", 0}}, -1, -1},
        {true, {{"upper", "all", 0}}, -1, 0.001},
        {true, {{"all", "floor", 0}, {"lower", "floor", 1}}, 0.203, 0.001},
        {true, {{"floor", "lower", 0}, {"lower", "upper", 0}}, 0.001, -1},
        {true, {{"pair", "pair", 0}}, 0.001, 0.001}, // of one group: not with each other, but with the floor
        {true, {{"pair", "floor", 0}}, -1, -1},
        {true, {{"lower", "lower", 0}}, 0.203, 0.001}, // itself alone
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnWorld* world = empty_world(rows[i].bodies, 1e-3);
        add_block(world, &(Block){"lower", 0.001, -1, "pair", 0});
        add_block(world, &(Block){"upper", 0.001 + side + 0.002, -1, "pair", 0});
        add_floor(world, 0.5, -1);
        for (int k = 0; k < 2 && rows[i].pairs[k].a; k++)
            add_pair(world, rows[i].pairs[k].a, rows[i].pairs[k].b, rows[i].pairs[k].touch, -1);
        steps(world, 40);
        const double wanted[2] = {rows[i].lower, rows[i].upper};
        for (int b = 0; b < 2; b++) {
            double y = bottom(world, b);
            if (wanted[b] < 0 ? y > -0.3 : fabs(y - wanted[b]) > 1.2e-3)
                fail_msg("row %d, body %d: %g m", (int)i, b, y);
        }
        sn_world_destroy(world);
    }
}

// Blocks at rest are apart by half of each one's thickness, and from obstacles by these's or their own.
static void test_thickness(void** state)
{
    (void)state;
    static const struct {
        double world, lower, upper, floor; // m; -1: not given
        double above_floor, between;
    } rows[] = {
        {1e-3, -1, -1, -1, 1e-3, 1e-3},
        {1e-3, 4e-3, -1, -1, 4e-3, 2.5e-3},
        {1e-3, 4e-3, 2e-3, 6e-3, 6e-3, 3e-3},
        {5e-3, 0, 0, -1, 0, 0}, // as little as can be
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnWorld* world = empty_world(true, rows[i].world);
        add_block(world, &(Block){"lower", 7e-3, rows[i].lower, NULL, 0});
        add_block(world, &(Block){"upper", 7e-3 + side + 7e-3, rows[i].upper, NULL, 0});
        add_floor(world, 0, rows[i].floor);
        steps(world, 60);
        double edge = side / 2 * 1.2, least = rows[i].lower == 0 ? 1.1e-3 * edge : 0;
        double low = bottom(world, 0), gap = bottom(world, 1) - height(world, 0, -1);
        check_near(low, rows[i].above_floor, 3e-5 + least);
        check_near(gap, rows[i].between, 5e-5 + least);
        check(low > 0 && gap > 0);
        sn_world_destroy(world);
    }
}

// Without a number it is a part of the edges, whatever the size of things.
static void test_auto_thickness(void** state)
{
    (void)state;
    double first = 0;
    for (double size = 1e-3; size < 200; size *= 10) {
        SnWorldDef def = sn_default_world_def();
        SnWorld* world;
        check(def.contact.thickness == -1);
        def.contact.bodies = true;
        def.time_step = 0.01 * sqrt(size), def.contact.push = sqrt(size);
        check_ok(sn_world_create(&def, &world));
        for (int i = 0; i < 2; i++)
            add_box(world, (double[]){size, size, size}, (int[]){2, 2, 2}, (double[]){0, (0.03 + 1.05 * i) * size, 0},
                    NULL, 1e7 * size);
        add_floor(world, 0, -1);
        steps(world, 40);
        double gap = (bottom(world, 1) - bottom(world, 0)) / size - 1;
        check(gap > 0.003 && gap < 0.01);
        SnObstacleInfo info;
        check_ok(sn_world_obstacle(world, 0, &info));
        check_near(bottom(world, 0), info.thickness, 0.02 * info.thickness);
        if (first == 0) first = gap;
        check_near(gap, first, 0.05 * first);
        sn_world_destroy(world);
    }
}

// A block slides on a floor: what its pair says decides how it slows down; on another block, too.
static void test_friction_of_pairs(void** state)
{
    (void)state;
    for (int on_block = 0; on_block < 2; on_block++)
        for (int k = 0; k < 3; k++) {
            static const double mu[] = {0.4, 0.1, 0};
            SnWorld* world;
            SnWorldDef def = world_def("newton", 0.005);
            def.contact.bodies = true, def.contact.friction = 0.1;
            check_ok(sn_world_create(&def, &world));
            add_box(world, (double[]){side, side, side}, (int[]){2, 2, 2}, (double[]){0, 1e-3, 0}, (double[]){1, 0, 0},
                    1e7);
            add_box(world, (double[]){2, 0.1, 1}, (int[]){4, 1, 2}, (double[]){-0.5, on_block ? -0.1 : -9, -0.4}, NULL,
                    1e7);
            SnHandleDef all = sn_default_handle_def();
            all.body = 1;
            check_ok(sn_world_add_handle(world, &all, NULL));
            SnObstacleDef floor = plane(0, 1, 0, on_block ? -9 : 0, 0.1);
            check_ok(sn_world_add_obstacle(world, &floor, NULL));
            if (mu[k] != 0.1) add_pair(world, "body 0", on_block ? "body 1" : "obstacle 0", -1, mu[k]);
            steps(world, 20);
            check_near(mean(sn_world_velocities(world), 27, 0), 1 - mu[k] * 9.81 * 0.1, 0.02);
            sn_world_destroy(world);
        }
}

// A sheet that goes through itself: refused where it touches itself.
static SnStatus start_sheet(int world_self, int own_self, bool pair, bool twisted)
{
    SnWorld* world;
    SnMesh* mesh;
    SnWorldDef def = world_def("auto", 0.01);
    def.contact.bodies = true, def.contact.self = world_self;
    check_ok(sn_world_create(&def, &world));
    for (int b = 0; b < 2; b++) {
        check_ok(sn_mesh_make_cloth((double[]){1, 0.2}, (int[]){10, 2}, &mesh));
        double* x = sn_mesh_nodes(mesh);
        int n = sn_mesh_node_count(mesh);
        double* start = malloc(3 * (size_t)n * sizeof *start);
        assert_non_null(start);
        for (int i = 0; i < n; i++) { // bent to a loop that goes through itself
            double s = 2 * x[3 * i] - 1;
            start[3 * i] = b == 0 && twisted ? 0.3 * (s * s * s - 0.5 * s) : x[3 * i];
            start[3 * i + 1] = b == 0 && twisted ? 0.4 * s * s + 0.013 * x[3 * i + 2] : 1;
            start[3 * i + 2] = x[3 * i + 2] + 0.03 * s;
        }
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.start = start;
        body.material = sn_material("stvk", 1e4, 0.3, 300), body.material.thickness = 1e-3;
        if (b == 0) body.contact.self = own_self;
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh), free(start);
    }
    if (pair) add_pair(world, "body 0", "body 0", 0, -1);
    SnStatus status = sn_world_step(world, NULL);
    sn_world_destroy(world);
    return status;
}

static void test_self_of_bodies(void** state)
{
    (void)state;
    check_ok(start_sheet(1, -1, false, false));
    check_fails(start_sheet(1, -1, false, true), SN_ERROR_VALUE, "'body 0' crosses itself", "untangle");
    check_fails(start_sheet(0, 1, false, true), SN_ERROR_VALUE, "'body 0' crosses itself");
    check_ok(start_sheet(0, -1, false, true));
    check_ok(start_sheet(1, 0, false, true));
    check_ok(start_sheet(1, -1, true, true)); // by a pair of itself
}

// Blocks that share their place do not, if they do not touch.
static void test_start(void** state)
{
    (void)state;
    for (int touch = 0; touch < 2; touch++) {
        SnWorld* world = empty_world(true, 1e-3);
        add_block(world, &(Block){"a", 0, -1, NULL, 0});
        add_block(world, &(Block){"b", 0.05, -1, NULL, 0.03});
        if (!touch) add_pair(world, "a", "b", 0, -1);
        if (touch)
            check_fails(sn_world_step(world, NULL), SN_ERROR_VALUE, "'b' crosses body 'a'");
        else
            step(world);
        sn_world_destroy(world);
    }
}

static void test_mistakes(void** state)
{
    (void)state;
    SnWorld* world = empty_world(true, 1e-3);
    add_block(world, &(Block){"lower", 0, -1, "stones", 0});
    add_floor(world, 0, -1);
    SnContactPairDef good = sn_default_contact_pair_def(), pair;
    good.between[0] = "lower", good.between[1] = "floor", good.touch = 0;
    pair = good, pair.between[1] = "flor";
    check_fails(sn_world_add_contact_pair(world, &pair), SN_ERROR_VALUE, "'flor'", "did you mean 'floor'?");
    pair = good, pair.between[1] = NULL;
    check_fails(sn_world_add_contact_pair(world, &pair), SN_ERROR_VALUE, "two names");
    pair = good, pair.touch = 2;
    check_fails(sn_world_add_contact_pair(world, &pair), SN_ERROR_VALUE, "touch", "is 2");
    pair = good, pair.friction = -0.5;
    check_fails(sn_world_add_contact_pair(world, &pair), SN_ERROR_VALUE, "friction is -0.5", "0 or positive");
    pair = good, pair.touch = -1;
    check_fails(sn_world_add_contact_pair(world, &pair), SN_ERROR_VALUE, "'lower' and 'floor' says nothing");
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &mesh));
    SnBodyDef body = sn_default_body_def(), wrong;
    body.name = "b", body.mesh = mesh;
    wrong = body, wrong.contact.thickness = -2;
    check_fails(sn_world_add_body(world, &wrong, NULL), SN_ERROR_VALUE, "body 'b'", "thickness is -2 m");
    wrong = body, wrong.contact.self = 7;
    check_fails(sn_world_add_body(world, &wrong, NULL), SN_ERROR_VALUE, "self is 7");
    const char* names[] = {"stones", "all"};
    wrong = body, wrong.contact.groups = names, wrong.contact.group_count = 2;
    check_fails(sn_world_add_body(world, &wrong, NULL), SN_ERROR_VALUE, "cannot be named 'all'");
    assert_int_equal(sn_world_body_count(world), 1);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
}

// With filters: the same bits from a saved state, in a second world at the same time, and with more threads.
static SnWorld* filtered(int threads)
{
    SnWorld* world;
    SnWorldDef def = world_def("auto", 0.01);
    def.threads = threads, def.contact.bodies = true, def.contact.friction = 0.2;
    check_ok(sn_world_create(&def, &world));
    static const char* const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        add_block(world, &(Block){names[i], 0.002 + (side + 0.004) * i, i == 2 ? 3e-3 : -1, i % 2 ? "odd" : NULL, 0});
    add_floor(world, 0.5, -1);
    add_pair(world, "odd", "all", 1, 0.4);
    add_pair(world, "odd", "odd", 0, -1);
    add_pair(world, "c", "d", 0, -1); // d falls onto b's place, which it does not touch either
    add_pair(world, "b", "c", -1, 0.7);
    return world;
}

static void test_same_bits(void** state)
{
    (void)state;
    SnWorld *one = filtered(1), *three = filtered(3), *again = filtered(1);
    steps(one, 15);
    size_t size = sn_world_state_size(one);
    void* bytes = malloc(size);
    assert_non_null(bytes);
    check_ok(sn_world_save_state(one, bytes, size));
    check_ok(sn_world_restore_state(again, bytes, size));
    steps(three, 15);
    for (int i = 0; i < 15; i++) {
        step(one), step(three), step(again);
        check(sn_world_hash(one) == sn_world_hash(three) && sn_world_hash(one) == sn_world_hash(again));
    }
    check(bottom(one, 3) < bottom(one, 2));
    free(bytes);
    sn_world_destroy(one), sn_world_destroy(three), sn_world_destroy(again);
}

// Adding filters and stepping with memory that runs out.
static void test_filters_without_memory(void** state)
{
    (void)state;
    for (long n = 0;; n++) {
        SnWorld* world = empty_world(true, 1e-3);
        add_block(world, &(Block){"a", 0.001, -1, "stones", 0});
        add_block(world, &(Block){"b", 0.5, -1, "stones", 0});
        SnContactPairDef pair = {{"stones", "a"}, 0, 0.5};
        FailingMemory memory;
        start_failing(&memory, n);
        SnStatus status = sn_world_add_contact_pair(world, &pair);
        if (status == SN_OK) status = sn_world_step(world, NULL);
        sn_world_destroy(world);
        stop_failing(&memory);
        check(status == SN_OK || status == SN_ERROR_MEMORY);
        if (status == SN_OK) break;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pairs),
    cmocka_unit_test(test_thickness),
    cmocka_unit_test(test_auto_thickness),
    cmocka_unit_test(test_friction_of_pairs),
    cmocka_unit_test(test_self_of_bodies),
    cmocka_unit_test(test_start),
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_filters_without_memory),
};
RUN_TESTS(tests, NULL, NULL)
