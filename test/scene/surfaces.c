// Bodies out of surfaces, and their skins.
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "scenes.h"

#include <unistd.h>

#define RING "{torus: {radii: [0.4, 0.16], cells: [24, 2]}}"
#define SOLID(keys) "bodies: [{mesh: {surface: " RING ", " keys "}, place: {scale: 2, move: [5, 0, 0]}}]"

// The surface is placed first: edges are lengths of the scene; and it is the body's skin, which follows its nodes.
static void solid_with_skin(void** state)
{
    (void)state;
    SnScene* scene = good(SOLID("edge: 0.25"));
    SnWorld* world;
    SnBodyInfo body;
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_world_body(world, 0, &body));
    check(body.tetrahedron_count > 300 && body.skin && body.skin->outside < 0.06);
    for (int n = 0; n < body.node_count; n++) check(body.rest[3 * n] > 5 - 1.13 && body.rest[3 * n] < 5 + 1.13);
    double* x = malloc(sizeof(double[3]) * (size_t)body.node_count);
    double* y = malloc(sizeof(double[3]) * (size_t)body.skin->vertex_count);
    for (int i = 0; i < 3 * body.node_count; i++) x[i] = 3 * body.rest[i] - i % 3;
    sn_skin_carry(body.skin, x, y);
    for (int i = 0; i < 3 * body.skin->vertex_count; i++) check_near(y[i], 3 * body.skin->rest[i] - i % 3, 1e-11);
    free(x), free(y);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    scene = good(SOLID("edge: 0.25, skin: false"));
    assert_null(scene->bodies[0].skin);
    sn_scene_destroy(scene);
}

// Copies have one solid, moved and turned: lengths are the same to rounding, and each is where its surface is.
static void copies_share_a_solid(void** state)
{
    (void)state;
    SnScene* scene = good("bodies: [{mesh: {surface: " RING ", edge: 0.25}, place: {scale: 2, move: [5, 0, 0]}, "
                          "copies: {count: [3, 1, 1], step: [3, 0, 0], rotate: [0, 1, 1, 40]}}]");
    const SnMesh* first = scene->bodies[0].mesh;
    for (int b = 1; b < 3; b++) {
        const SnMesh *mesh = scene->bodies[b].mesh, *skin = scene->bodies[b].skin;
        check(mesh->node_count == first->node_count && mesh->tetrahedron_count == first->tetrahedron_count);
        assert_memory_equal(mesh->tetrahedra, first->tetrahedra, sizeof(int[4]) * (size_t)mesh->tetrahedron_count);
        for (int i = 0; i < 4 * mesh->tetrahedron_count; i++) {
            int n = mesh->tetrahedra[i], m = mesh->tetrahedra[i / 4 * 4];
            check_near(sn_distance3(mesh->nodes + 3 * n, mesh->nodes + 3 * m),
                       sn_distance3(first->nodes + 3 * n, first->nodes + 3 * m), 1e-13);
        }
        SnMeshMeasure solid, surface;
        sn_mesh_measure(mesh, &solid), sn_mesh_measure(skin, &surface);
        for (int c = 0; c < 3; c++) {
            check_near(solid.lo[c], surface.lo[c], 0.05);
            check_near(solid.hi[c], surface.hi[c], 0.05);
        }
    }
    sn_scene_destroy(scene);
}

static SnMesh* save_ball(const char* path, bool open)
{
    SnMesh *ball, *surface;
    check_ok(sn_mesh_make_sphere(0.5, 3, &ball));
    check_ok(sn_mesh_make_surface(ball, &surface));
    if (open) surface->triangle_count -= 4;
    check_ok(sn_mesh_save(surface, path));
    sn_mesh_destroy(ball);
    return surface;
}

static void skins_of_files(void** state)
{
    (void)state;
    char path[] = "/tmp/sinew-skin-XXXXXX.obj", text[400];
    int file = mkstemps(path, 4);
    check(file >= 0);
    close(file);
    SnMesh* surface = save_ball(path, false);
    SnScene* scene;
    // With the mesh, by the mesh's measure: a box from -0.5 to 0.5 that is fitted into 2 m.
    snprintf(text, sizeof text,
             "bodies: [{mesh: {sphere: {radius: 0.6}}, skin: %s, place: {fit: 2.4, rotate: [0, 0, 1, 90]}}]", path);
    scene = good(text);
    for (int n = 0; n < surface->node_count; n++) {
        const double *a = surface->nodes + 3 * n, *b = scene->bodies[0].skin->nodes + 3 * n;
        check_near(b[0], -2 * (a[1] + 0.6), 1e-12);
        check_near(b[1], 2 * (a[0] + 0.6), 1e-12);
    }
    sn_scene_destroy(scene);
    static const char* const bad[][3] = {
        {"bodies: [{mesh: {file: %s}}]", "closed surface", "shell: true"},
        {"bodies: [{mesh: {cloth: {}}, skin: {file: %s}}]", "carried by tetrahedra", "solid mesh"},
        {"bodies: [{mesh: {surface: %s, edge: 0.1, tets: 100}}]", "'edge' and 'tets'", "one of them"},
        {"bodies: [{mesh: {surface: %s, egde: 0.1}}]", "unknown key 'egde'", "'edge'"},
        {"bodies: [{mesh: {surface: %s, edge: 7}}]", "shorter edges", "7 m"},
        {"bodies: [{mesh: {surface: %s.ply}}]", "cannot be opened", "mesh of body 0"},
        {"bodies: [{mesh: {surface: [%s]}}]", "must be a path", "surface"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, bad[i][0], path);
        check_fails(parse(text, &scene), SN_ERROR_VALUE, bad[i][1], bad[i][2]);
        sn_scene_destroy(scene);
    }
    static const char* const fine[] = {"bodies: [{mesh: {file: %s}, shell: true}]",
                                       "bodies: [{mesh: {file: %s}, material: {thickness: 0.01}}]",
                                       "bodies: [{mesh: {file: %s}, material: {type: fung}}]"};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, fine[i], path);
        sn_scene_destroy(good(text));
    }
    sn_mesh_destroy(surface);
    sn_mesh_destroy(save_ball(path, true)); // holes are told
    snprintf(text, sizeof text, "bodies: [{mesh: {surface: %s, edge: 0.2}}]", path);
    check_ok(parse(text, &scene));
    assert_int_equal(sn_scene_problem_count(scene), 1);
    check(strstr(sn_scene_problem(scene, 0).message, "hole") != NULL);
    sn_scene_destroy(scene);
    snprintf(text, sizeof text, "bodies: [{mesh: {file: %s}}]", path);
    sn_scene_destroy(good(text)); // an open sheet
    unlink(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(solid_with_skin),
    cmocka_unit_test(copies_share_a_solid),
    cmocka_unit_test(skins_of_files),
};
RUN_TESTS(tests, NULL, NULL)
