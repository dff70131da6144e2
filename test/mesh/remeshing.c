// Surfaces made anew of edges of one length.
#include "check.h"
#include "core/random.h"
#include "files.h"
#include "linalg/vec3.h"
#include "mesh/solid.h"

static SnMesh* box_surface(void)
{
    SnMesh *box, *surface;
    check_ok(sn_mesh_make_box((const double[]){1, 0.6, 0.4}, (const int[]){7, 2, 3}, &box));
    check_ok(sn_mesh_make_surface(box, &surface));
    sn_mesh_destroy(box);
    return surface;
}

static SnMesh* ball_surface(void)
{
    SnMesh *ball, *surface;
    check_ok(sn_mesh_make_sphere(0.5, 5, &ball));
    check_ok(sn_mesh_make_surface(ball, &surface));
    sn_mesh_destroy(ball);
    return surface;
}

static SnMesh* remeshed(const SnMesh* surface, double edge, SnRemeshReport* report)
{
    SnRemeshDef def = sn_default_remesh_def();
    SnMesh* made;
    def.edge = edge;
    check_ok(sn_mesh_remesh(surface, &def, &made, report));
    check_usable(made);
    return made;
}

// Coarser and finer; sharp edges stay where they are, so that nothing of the volume is lost.
static void test_box(void** state)
{
    (void)state;
    SnMesh* surface = box_surface();
    for (int i = 0; i < 3; i++) {
        const double edges[] = {0.2, 0.1, 0.04};
        SnRemeshReport r;
        SnMesh* made = remeshed(surface, edges[i], &r);
        check(r.after.open_edges == 0 && r.after.crowded_edges == 0 && r.after.crossings == 0 && r.after.turned == 0);
        check_near(r.after.volume, 0.24, 1e-13);
        check_near(r.after.area, r.before.area, 1e-12);
        check(r.deviation < 1e-14 && fabs(r.mean / edges[i] - 1) < 0.15);
        check(r.shortest > 0.3 * edges[i] && r.longest < 1.5 * edges[i] && r.least_angle > 15);
        int corners = 0;
        for (int n = 0; n < made->node_count; n++) {
            const double* x = made->nodes + 3 * n;
            corners += (x[0] == 0 || x[0] == 1) && (x[1] == 0 || x[1] == 0.6) && (x[2] == 0 || x[2] == 0.4);
        }
        assert_int_equal(corners, 8);
        sn_mesh_destroy(made);
    }
    sn_mesh_destroy(surface);
}

// Nodes lie on the triangles that were given, and triangles are good ones.
static void test_ball(void** state)
{
    (void)state;
    SnMesh* surface = ball_surface();
    SnRemeshReport r;
    SnMesh *made = remeshed(surface, 0.08, &r), *again = remeshed(surface, 0.08, NULL);
    check(r.after.open_edges == 0 && r.after.crossings == 0 && r.sharp_edges == 0);
    check(r.least_angle > 30 && r.largest_angle < 105 && r.shortest > 0.6 * 0.08 && r.longest < 1.4 * 0.08);
    check(r.deviation < 0.005 && fabs(r.after.volume / r.before.volume - 1) < 0.02);
    int count = made->node_count;
    check(again->node_count == count && again->triangle_count == made->triangle_count);
    assert_memory_equal(made->nodes, again->nodes, sizeof(double) * 3 * (size_t)count);
    sn_mesh_destroy(made), sn_mesh_destroy(again), sn_mesh_destroy(surface);
}

// Open, rough, crossing itself, with a fin (an edge of three triangles): it stays as closed as it was.
static void test_bad_surfaces(void** state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        SnMesh* surface = ball_surface();
        SnRandom random = {7};
        if (kind == 0) surface->triangle_count -= surface->triangle_count / 3;
        for (int i = 0; kind == 1 && i < 3 * surface->node_count; i++)
            surface->nodes[i] += 0.02 * ((double)(sn_random_bits(&random) % 2001) / 1000 - 1);
        if (kind == 2) { // two triangles with an edge in common, and a third at that edge
            surface->triangles[0] = 0, surface->triangles[1] = 1, surface->triangles[2] = 2;
            surface->triangles[3] = 1, surface->triangles[4] = 0, surface->triangles[5] = 3;
            surface->triangles[6] = 0, surface->triangles[7] = 1, surface->triangles[8] = 4;
            surface->triangle_count = 3, surface->node_count = 5;
        }
        SnRemeshReport r;
        SnMesh* made = remeshed(surface, 0.06, &r);
        assert_int_equal(r.after.holes, r.before.holes);
        assert_int_equal(r.after.crowded_edges > 0, r.before.crowded_edges > 0);
        check(r.after.triangles > 3 && r.after.area > 0.7 * r.before.area && r.after.area < 1.1 * r.before.area);
        sn_mesh_destroy(made), sn_mesh_destroy(surface);
    }
}

static void test_remesh_mistakes(void** state)
{
    (void)state;
    SnMesh *surface = ball_surface(), *rope, *made;
    SnRemeshDef def = sn_default_remesh_def();
    def.edge = 1e-6;
    check_fails(sn_mesh_remesh(surface, &def, &made, NULL), SN_ERROR_VALUE, "1e-06", "choose longer ones");
    def.edge = -1;
    check_fails(sn_mesh_remesh(surface, &def, &made, NULL), SN_ERROR_VALUE, "edge -1 m");
    def.edge = 0;
    check_ok(sn_mesh_make_rope(1, 3, &rope));
    check_fails(sn_mesh_remesh(rope, &def, &made, NULL), SN_ERROR_VALUE, "no triangles");
    surface->nodes[4] = NAN;
    check_fails(sn_mesh_remesh(surface, &def, &made, NULL), SN_ERROR_VALUE, "vertex 1");
    sn_mesh_destroy(rope), sn_mesh_destroy(surface);
}

static void test_remesh_out_of_memory(void** state)
{
    (void)state;
    SnMesh *surface = box_surface(), *made;
    SnRemeshDef def = {.edge = 0.3, .sharp_degrees = 40, .rounds = 1};
    SnRemeshReport report;
    SnStatus status = SN_ERROR_MEMORY;
    for (int n = 0; status != SN_OK; n++) {
        FailingMemory memory;
        start_failing(&memory, n);
        status = sn_mesh_remesh(surface, &def, &made, &report);
        if (status == SN_OK) sn_mesh_destroy(made);
        stop_failing(&memory);
        if (status != SN_OK) assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_mesh_destroy(surface);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_box),
    cmocka_unit_test(test_ball),
    cmocka_unit_test(test_bad_surfaces),
    cmocka_unit_test(test_remesh_mistakes),
    cmocka_unit_test(test_remesh_out_of_memory),
};
RUN_TESTS(tests, NULL, NULL)
