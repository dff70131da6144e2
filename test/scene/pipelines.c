// What comes from other programs: caches that move handles and obstacles, units and axes.
#include <unistd.h>

#include "mesh/point_cache.h"
#include "scenes.h"

static char folder[] = "/tmp/sinew-scene-XXXXXX";

static int make_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static const char* in_folder(const char* name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void** state)
{
    (void)state;
    static const char* const names[] = {"box.obj", "box.pc2", "few.pc2"};
    for (int i = 0; i < 3; i++) unlink(in_folder(names[i]));
    return rmdir(folder);
}

static SnStatus parse_there(const char* text, SnScene** scene)
{
    return sn_scene_parse(text, strlen(text), in_folder("test.yaml"), NULL, 0, scene);
}

// Point k of frame f of the cache: at the corner of a unit cube, moved by f along x and by f^2 k along y.
static void point_of(int f, int k, double x[3])
{
    x[0] = (k & 1) + f, x[1] = (k >> 1 & 1) + f * f * k, x[2] = k >> 2;
}

static void write_cache(const char* name, int points, int frames)
{
    FILE* file = fopen(in_folder(name), "wb");
    fwrite("POINTCACHE2", 1, 12, file);
    fwrite((int[2]){1, points}, 4, 2, file);
    fwrite((float[2]){0, 1}, 4, 2, file);
    fwrite(&frames, 4, 1, file);
    for (int i = 0; i < points * frames; i++) {
        double x[3];
        point_of(i / points, i % points, x);
        fwrite((float[3]){(float)x[0], (float)x[1], (float)x[2]}, 4, 3, file);
    }
    fclose(file);
}

static void write_cube(void)
{
    static const char faces[] = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    FILE* file = fopen(in_folder("box.obj"), "w");
    for (int k = 0; k < 8; k++) fprintf(file, "v %d %d %d\n", k & 1, k >> 1 & 1, k >> 2);
    fputs(faces, file);
    fclose(file);
}

// The cache's places, put where the mesh is put: scaled by 2, then moved by 10 along z.
static void cache_moves_obstacle(void** state)
{
    (void)state;
    SnScene* scene;
    write_cube();
    write_cache("box.pc2", 8, 3);
    check_ok(
        parse_there("bodies: [{mesh: {rope: {length: 1, cells: 2}}, place: {move: [0, 50, 0]}}]\n"
                    "obstacles:\n  - type: mesh\n    mesh: {file: box.obj}\n    place: {scale: 2, move: [0, 0, 10]}\n"
                    "    motion: {cache: box.pc2, rate: 10}\n",
                    &scene));
    const SnObstacleShape* shape = &scene->obstacles[0].def.shape;
    assert_int_equal(shape->frame_count, 3);
    check_near(shape->frame_rate, 10, 1e-9);
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 8; k++) {
            double x[3];
            point_of(f, k, x);
            for (int c = 0; c < 3; c++)
                check_near(shape->frames[f]->nodes[3 * k + c], 2 * x[c] + (c == 2 ? 10 : 0), 1e-12);
        }
    SnWorld* world;
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_world_step(world, NULL));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// Held nodes are where the cache has them, also between its frames, and the motion adds to it; energies are right.
static void cache_moves_handle(void** state)
{
    (void)state;
    for (int energy = 0; energy < 2; energy++) {
        SnScene* scene;
        char text[600];
        write_cube();
        write_cache("box.pc2", 8, 3);
        snprintf(text, sizeof text,
                 "time: {step: 0.05}\ngravity: [0, 0, 0]\nbodies: [{name: box, shell: true, mesh: {file: box.obj}}]\n"
                 "handles: [{body: box, where: {nodes: [1, 6]}, how: %s, motion: {cache: box.pc2, rate: 10, velocity: "
                 "[0, 0, "
                 "1]}}]\n",
                 energy ? "energy" : "eliminate");
        check_ok(parse_there(text, &scene));
        SnWorld* world;
        SnStepReport report;
        check_ok(sn_scene_create_world(scene, &world));
        for (int step = 1; step <= 3; step++) { // 0.05, 0.1, 0.15 s: half a frame, one, one and a half
            check_ok(sn_world_step(world, &report));
            const int nodes[2] = {1, 6};
            for (int i = 0; i < 2; i++) {
                double a[3], b[3], part = step == 2 ? 0 : 0.5;
                point_of(step / 2, nodes[i], a), point_of(step / 2 + 1, nodes[i], b);
                for (int c = 0; c < 3; c++)
                    check_near(sn_world_positions(world)[3 * nodes[i] + c],
                               (1 - part) * a[c] + part * b[c] + (c == 2 ? 0.05 * step : 0), energy ? 0.05 : 1e-9);
            }
        }
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
}

static void wrong_caches(void** state)
{
    (void)state;
    static const struct {
        const char *text, *wanted[2];
    } rows[] = {
        {"handles: [{body: box, where: all, motion: {cache: few.pc2}}]", {"has 5 points", "nodes (8)"}},
        {"handles: [{body: box, where: all, motion: {cache: none.pc2}}]", {"none.pc2", "No such file"}},
        {"handles: [{body: box, where: all, motion: {cache: box.abc}}]", {"box.abc", ".pc2"}},
        {"obstacles: [{type: mesh, mesh: {file: box.obj}, motion: {cache: few.pc2}}]", {"has 5 points", "has 8"}},
        {"obstacles: [{type: plane, motion: {cache: few.pc2}}]", {"type: mesh", "not of this"}},
    };
    write_cube();
    write_cache("few.pc2", 5, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnScene* scene;
        char text[400];
        snprintf(text, sizeof text, "bodies: [{name: box, shell: true, mesh: {file: box.obj}}]\n%s\n", rows[i].text);
        check_fails(parse_there(text, &scene), SN_ERROR_VALUE, rows[i].wanted[0], rows[i].wanted[1], ":2:");
        sn_scene_destroy(scene);
    }
}

// Lengths and velocities of a scene in mm are metres in the world; everything else is as it stands.
static void units(void** state)
{
    (void)state;
    SnScene* scene;
    write_cube();
    check_ok(parse_there(
        "units: mm\nup: z\n"
        "bodies:\n  - {name: a, shell: true, mesh: {file: box.obj}, place: {move: [0, 0, 100]}, velocity: {linear: "
        "[500, 0, 0]}}\n"
        "  - {name: b, mesh: {box: {size: [40, 20, 20], cells: [4, 2, 2]}}, material: {young: 2e5}}\n"
        "handles: [{body: b, where: {x: [max-10, max]}, motion: {keyframes: [[0, [0, 0, 0]], [1, [0, 0, 5]]]}},\n"
        "          {body: b, where: {sphere: [[0, 0, 0], 1]}}]\n"
        "obstacles: [{type: plane, point: [0, 0, -50]}, {type: sphere, centre: [0, 0, -500], radius: 7}]\n",
        &scene));
    const SnMesh *a = scene->bodies[0].mesh, *b = scene->bodies[1].mesh;
    check_near(a->nodes[3 * 7], 1e-3, 1e-15);
    check_near(a->nodes[3 * 7 + 2], 0.101, 1e-15);
    check_near(scene->bodies[0].velocity[0], 0.5, 1e-15);
    check_near(b->nodes[3 * (b->node_count - 1)], 0.04, 1e-15);
    check_near(scene->bodies[1].material.young, 2e5, 0);
    assert_int_equal(scene->handles[0].def.node_count, 2 * 9); // the last two of five layers
    assert_int_equal(scene->handles[1].def.node_count, 1);
    check_near(scene->handles[0].keyframes[1].move[2], 0.005, 1e-15);
    const double* g = scene->part.world.gravity;
    check(g[0] == 0 && g[1] == 0 && g[2] == -9.81);
    const SnObstacleShape *plane = &scene->obstacles[0].def.shape, *ball = &scene->obstacles[1].def.shape;
    check(plane->normal[1] == 0 && plane->normal[2] == 1);
    check_near(plane->point[2], -0.05, 1e-15);
    check_near(ball->radius, 0.007, 1e-15);
    sn_scene_destroy(scene);
    check_fails(parse_there("units: inch\nbodies: [{mesh: {file: box.obj}}]\n", &scene), SN_ERROR_VALUE, ":1:", "mm");
    sn_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cache_moves_obstacle),
    cmocka_unit_test(cache_moves_handle),
    cmocka_unit_test(wrong_caches),
    cmocka_unit_test(units),
};
RUN_TESTS(tests, make_folder, remove_folder)
