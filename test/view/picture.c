// Pictures: what is drawn, its size, colour and shadow; runs with their obstacles.
#include <sinew/sinew.h>

#include "archive/run_file.h"
#include "core/memory.h"
#include "linalg/vec3.h"
#include "pictures.h"
#include "view/png_file.h"
#include "view/run_obstacles.h"
#include "view/run_picture.h"

// --- drawing ---

// A picture, or a skipped test on machines without OpenGL.
static SnPicture* picture_or_skip(int width, int height)
{
    SnPicture* picture;
    SnStatus status = sn_picture_create(width, height, &picture);
    if (status == SN_ERROR_UNSUPPORTED) {
        print_message("skipped: %s\n", sn_last_error());
        skip();
    }
    check_ok(status);
    return picture;
}

enum { RINGS = 48, SECTORS = 96, BALL_NODES = (RINGS + 1) * SECTORS, BALL_TRIANGLES = 2 * RINGS * SECTORS };

static void make_ball(double radius, double* nodes, int* triangles)
{
    for (int i = 0; i <= RINGS; i++)
        for (int j = 0; j < SECTORS; j++) {
            double a = SN_PI * i / RINGS, b = 2 * SN_PI * j / SECTORS;
            double* p = nodes + 3 * (i * SECTORS + j);
            p[0] = radius * sin(a) * cos(b), p[1] = radius * cos(a), p[2] = -radius * sin(a) * sin(b);
        }
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < SECTORS; j++) {
            int a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
            const int quad[6] = {a, a + SECTORS, b + SECTORS, a, b + SECTORS, b};
            memcpy(triangles + 6 * (i * SECTORS + j), quad, sizeof quad);
        }
}

typedef struct Ball {
    double nodes[3 * BALL_NODES];
    int triangles[3 * BALL_TRIANGLES];
    SnPictureSurface* surface;
    SnPictureBody body;
    SnPictureScene scene;
} Ball;

static void ball_fill(Ball* ball)
{
    make_ball(1, ball->nodes, ball->triangles);
    check_ok(sn_picture_surface_create(BALL_NODES, ball->nodes, BALL_TRIANGLES, ball->triangles, 50, &ball->surface));
    ball->body = (SnPictureBody){ball->surface, ball->nodes, {0.85f, 0.15f, 0.1f}, NULL};
    ball->scene = (SnPictureScene){
        .camera = {{0, 1, 6}, {0, 0, 0}, {0, 1, 0}, 30}, .body_count = 1, .bodies = &ball->body, .ground_height = -1};
}

static bool is_red(const uint8_t* c)
{
    return c[0] > 1.5 * c[1] && c[0] > 1.5 * c[2];
}

static int count_red(const uint8_t* pixels, int count)
{
    int red = 0;
    for (int i = 0; i < count; i++) red += is_red(pixels + 3 * i);
    return red;
}

// A ball of radius r at distance d shows as a disc of slope r / sqrt(d^2 - r^2).
static void ball_has_its_size_and_colour(void** state)
{
    (void)state;
    enum { W = 320, H = 200 };
    SnPicture* picture = picture_or_skip(W, H);
    static Ball ball;
    ball_fill(&ball);
    double radius = 1 / sqrt(37 - 1) / tan(15 * SN_PI / 180) * H / 2, area = SN_PI * radius * radius;
    for (int quality = SN_PICTURE_FAST; quality <= SN_PICTURE_STILL; quality++) {
        ball.scene.quality = (SnPictureQuality)quality;
        check_ok(sn_picture_draw(picture, &ball.scene));
        const uint8_t* pixels = sn_picture_pixels(picture);
        check_near(count_red(pixels, W * H), area, 0.03 * area);
        check(is_red(pixels + 3 * (W * (H / 2) + W / 2)));
        const uint8_t* back = pixels;
        check(back[0] > 190 && back[1] > 190 && back[2] > 190 && abs(back[0] - back[2]) < 40);
    }
    sn_picture_surface_destroy(ball.surface);
    sn_picture_destroy(picture);
}

static double brightness(const uint8_t* pixels, int width, double x, double y)
{
    const uint8_t* c = pixels + 3 * (width * (int)y + (int)x);
    return c[0] + c[1] + c[2];
}

// With a ground, the side away from the light darkens; the top row stays background; the same scene gives the same
// pixels.
static void ground_takes_the_shadow(void** state)
{
    (void)state;
    enum { W = 320, H = 200 };
    SnPicture* picture = picture_or_skip(W, H);
    static Ball ball;
    static uint8_t bare[3 * W * H], first[3 * W * H];
    ball_fill(&ball);
    ball.scene.quality = SN_PICTURE_FILM;
    check_ok(sn_picture_draw(picture, &ball.scene));
    memcpy(bare, sn_picture_pixels(picture), sizeof bare);
    ball.scene.ground = true;
    check_ok(sn_picture_draw(picture, &ball.scene));
    memcpy(first, sn_picture_pixels(picture), sizeof first);
    assert_memory_equal(bare, first, 3 * W);
    const double shadow[3] = {1.0, -1, -0.2}, lit[3] = {-2.5, -1, 0.5};
    double xy[2];
    check(project(&ball.scene.camera, (double)W / H, shadow, xy));
    double x = (xy[0] + 1) * W / 2, y = (1 - xy[1]) * H / 2;
    check(brightness(first, W, x, y) < 0.8 * brightness(bare, W, x, y));
    check(project(&ball.scene.camera, (double)W / H, lit, xy));
    x = (xy[0] + 1) * W / 2, y = (1 - xy[1]) * H / 2;
    check(brightness(first, W, x, y) > 0.9 * brightness(bare, W, x, y));
    check_ok(sn_picture_draw(picture, &ball.scene));
    assert_memory_equal(first, sn_picture_pixels(picture), sizeof first);
    sn_picture_surface_destroy(ball.surface);
    sn_picture_destroy(picture);
}

// Above the horizon is the backdrop, whatever else there is in the picture and however it is drawn.
static void skies_are_drawn(void** state)
{
    (void)state;
    enum { W = 160, H = 120 };
    static Ball ball;
    static uint8_t with[3 * W * H];
    ball_fill(&ball);
    ball.scene.camera = (SnCamera){{0, 0.2, 5}, {0, 1.5, 0}, {0, 1, 0}, 60};
    for (int k = 0; k < 6; k++) {
        SnPicture* picture = picture_or_skip(W, H);
        ball.scene.quality = (SnPictureQuality)(k / 2);
        ball.scene.wireframe = k % 2;
        ball.scene.ground = true;
        check_ok(sn_picture_draw(picture, &ball.scene));
        memcpy(with, sn_picture_pixels(picture), sizeof with);
        ball.scene.ground = false;
        check_ok(sn_picture_draw(picture, &ball.scene));
        assert_memory_equal(with, sn_picture_pixels(picture), 3 * W * H / 3);
        sn_picture_destroy(picture);
    }
    sn_picture_surface_destroy(ball.surface);
}

static void wireframe_darkens_edges(void** state)
{
    (void)state;
    enum { W = 200, H = 200 };
    SnPicture* picture = picture_or_skip(W, H);
    SnPictureBody body = {.positions = CUBE_NODES, .colour = {0.3f, 0.6f, 0.9f}};
    SnPictureSurface* surface;
    check_ok(sn_picture_surface_create(8, CUBE_NODES, 12, CUBE_TRIANGLES, 50, &surface));
    body.surface = surface;
    SnPictureScene scene = {.camera = {{0.5, 0.5, 4}, {0.5, 0.5, 0}, {0, 1, 0}, 20}, .body_count = 1, .bodies = &body};
    double middle[2];
    for (int wire = 0; wire < 2; wire++) {
        scene.wireframe = wire;
        check_ok(sn_picture_draw(picture, &scene));
        middle[wire] = brightness(sn_picture_pixels(picture), W, W / 2, H / 2); // on the front face's diagonal
    }
    check(middle[1] < 0.9 * middle[0]);
    sn_picture_surface_destroy(surface);
    sn_picture_destroy(picture);
}

// Squares of two brightnesses, half of the disc each, where there are texture coordinates.
static void checker_shows_texture_coordinates(void** state)
{
    (void)state;
    SnPicture* picture = picture_or_skip(256, 256);
    Ball* ball = calloc(1, sizeof *ball);
    ball_fill(ball);
    check_ok(sn_picture_draw(picture, &ball->scene));
    uint8_t* plain = malloc(3 * 256 * 256);
    memcpy(plain, sn_picture_pixels(picture), 3 * 256 * 256);
    ball->scene.checker = 12;
    check_ok(sn_picture_draw(picture, &ball->scene)); // a surface without any looks as before
    assert_memory_equal(plain, sn_picture_pixels(picture), 3 * 256 * 256);
    ball->surface->corner_uvs = sn_allocate(6 * BALL_TRIANGLES, sizeof(float), "uvs");
    for (int i = 0; i < 3 * BALL_TRIANGLES; i++) {
        const double* x = ball->nodes + 3 * ball->surface->source[ball->surface->triangles[i]];
        ball->surface->corner_uvs[2 * i] = (float)x[0], ball->surface->corner_uvs[2 * i + 1] = (float)x[1];
    }
    check_ok(sn_picture_draw(picture, &ball->scene));
    int dark = 0, same = 0;
    const uint8_t* drawn = sn_picture_pixels(picture);
    for (int i = 0; i < 256 * 256; i++) {
        if (!is_red(plain + 3 * i)) continue;
        dark += drawn[3 * i] < 0.75 * plain[3 * i];
        same += abs(drawn[3 * i] - plain[3 * i]) < 3;
    }
    check(dark > 0.3 * (dark + same) && same > 0.3 * (dark + same));
    free(plain);
    sn_picture_surface_destroy(ball->surface);
    free(ball);
    sn_picture_destroy(picture);
}

// Opaque where the ball is, shadow under it, nothing in the corners; over white it is the ball.
static void transparent_has_bodies_and_shadows(void** state)
{
    (void)state;
    SnPicture* picture = picture_or_skip(256, 256);
    Ball* ball = calloc(1, sizeof *ball);
    ball_fill(ball);
    ball->scene.transparent = ball->scene.ground = true;
    check_ok(sn_picture_draw(picture, &ball->scene));
    const uint8_t* rgba = sn_picture_rgba(picture);
    int opaque = 0, shadow = 0;
    for (int i = 0; i < 256 * 256; i++) {
        opaque += rgba[4 * i + 3] == 255 && is_red(rgba + 4 * i);
        shadow += rgba[4 * i + 3] > 40 && rgba[4 * i + 3] < 255 && rgba[4 * i] == 0;
    }
    check(rgba[3] == 0 && rgba[4 * 255 + 3] == 0);
    check(rgba[4 * (128 * 256 + 128) + 3] == 255 && opaque > 10000 && shadow > 500);
    check_ok(sn_png_write_rgba(in_folder("a.png"), 256, 256, rgba));
    uint8_t* read = read_png(in_folder("a.png"), 256, 256);
    assert_int_equal(read[3 * (128 * 256 + 128)], rgba[4 * (128 * 256 + 128)]);
    free(read);
    sn_picture_surface_destroy(ball->surface);
    free(ball);
    sn_picture_destroy(picture);
}

static void empty_and_mistaken_scenes(void** state)
{
    (void)state;
    SnPicture *picture = picture_or_skip(64, 64), *second = picture_or_skip(32, 32), *none;
    SnPictureScene scene = {.camera = {{0, 1, 6}, {0, 0, 0}, {0, 1, 0}, 30}, .ground = true};
    check_ok(sn_picture_draw(picture, &scene));
    check_ok(sn_picture_draw(second, &scene)); // two at a time
    sn_picture_destroy(second);
    check_ok(sn_picture_draw(picture, &scene));
    scene.camera.eye[1] = -3; // from below, the ground is not drawn
    check_ok(sn_picture_draw(picture, &scene));
    memset(scene.camera.eye, 0, sizeof scene.camera.eye);
    check_fails(sn_picture_draw(picture, &scene), SN_ERROR_VALUE, "same point");
    sn_picture_destroy(picture);
    check_fails(sn_picture_create(8, 100, &none), SN_ERROR_VALUE, "8 x 100");
    check(none == NULL);
}

// --- runs ---

// A skin with colours of its own is drawn in these: green, where the palette begins with a warm one.
static void skins_have_their_colours(void** state)
{
    (void)state;
    SnPicture* picture = picture_or_skip(160, 90);
    int start[13], corners[36];
    float colours[32] = {0};
    for (int i = 0; i < 13; i++) start[i] = 3 * i;
    for (int i = 0; i < 36; i++) corners[i] = CUBE_TRIANGLES[i];
    for (int i = 0; i < 8; i++) colours[4 * i + 1] = colours[4 * i + 3] = 1;
    SnSkin skin = {.vertex_count = 8,
                   .rest = (double*)CUBE_NODES,
                   .faces = {.count = 12, .start = start, .corners = corners, .colours = colours}};
    SnBodyInfo body = {.name = "cube",
                       .node_count = 8,
                       .rest = CUBE_NODES,
                       .surface_count = 12,
                       .surface = CUBE_TRIANGLES,
                       .skin = &skin};
    SnRunDef def = {.name = "test", .scene = "", .time_step = 0.1, .bodies = &body, .body_count = 1};
    double velocities[24] = {0};
    SnRunFrame frame = {.positions = CUBE_NODES, .velocities = velocities, .state = "", .state_size = 1};
    SnRunFile* run;
    check_ok(sn_run_file_create_from(in_folder("run.run"), &def, &frame, &run));
    check_ok(sn_run_file_close(run));
    check_ok(sn_run_file_open(in_folder("run.run"), &run));
    SnRunPicture* scene;
    check_ok(sn_run_picture_create(run, 160.0 / 90, &scene));
    check_ok(sn_run_picture_read(scene, 0));
    check_ok(sn_picture_draw(picture, &scene->scene));
    const uint8_t* c = sn_picture_pixels(picture) + 3 * (160 * 45 + 80);
    check(c[1] > 2 * c[0] && c[1] > 2 * c[2]);
    sn_run_picture_destroy(scene);
    check_ok(sn_run_file_close(run));
    sn_picture_destroy(picture);
}

static void run_is_drawn(void** state)
{
    (void)state;
    SnPicture* picture = picture_or_skip(160, 90);
    SnBodyInfo body = {
        .name = "cube", .node_count = 8, .rest = CUBE_NODES, .surface_count = 12, .surface = CUBE_TRIANGLES};
    SnRunDef def = {.name = "test", .scene = "", .time_step = 0.1, .bodies = &body, .body_count = 1};
    double velocities[24] = {0}, moved[24];
    for (int i = 0; i < 24; i++) moved[i] = CUBE_NODES[i] + (i % 3 == 0 ? 3 : 0);
    SnRunFrame start = {.positions = CUBE_NODES, .velocities = velocities, .state = "", .state_size = 1};
    SnRunFrame next = {
        .step = 1, .time = 0.1, .positions = moved, .velocities = velocities, .state = "", .state_size = 1};
    SnRunFile* run;
    check_ok(sn_run_file_create_from(in_folder("run.run"), &def, &start, &run));
    check_ok(sn_run_file_append(run, &next));
    check_ok(sn_run_file_close(run));
    check_ok(sn_run_file_open(in_folder("run.run"), &run));
    SnRunPicture* scene;
    check_ok(sn_run_picture_create(run, 160.0 / 90, &scene));
    for (int frame = 0; frame < 2; frame++) { // in frame at both ends of its motion
        check_ok(sn_run_picture_read(scene, frame));
        check_ok(sn_picture_draw(picture, &scene->scene));
        double xy[2], centre[3] = {0.5 + 3 * frame, 0.5, 0.5};
        check(project(&scene->scene.camera, 160.0 / 90, centre, xy) && fabs(xy[0]) < 0.9);
        int x = (int)((xy[0] + 1) * 80), y = (int)((1 - xy[1]) * 45);
        const uint8_t* c = sn_picture_pixels(picture) + 3 * (160 * y + x);
        check(c[0] > 1.2 * c[2]); // the palette's first colour is warm
    }
    sn_run_picture_destroy(scene);
    check_ok(sn_run_file_close(run));
    sn_picture_destroy(picture);
}

static void write_tetrahedron(const char* path, double x)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "v %g 0 0\nv %g 0 0\nv %g 1 0\nv %g 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", x, x + 1, x, x);
    check(fclose(file) == 0);
}

// A run of the scene, three steps long.
static SnRunFile* make_run(const char* text)
{
    SnScene* scene;
    SnWorld* world;
    SnRunFile* run;
    SnStepReport report;
    check_ok(sn_scene_parse(text, strlen(text), in_folder("scene.yaml"), NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_run_file_create(in_folder("run.run"), world, NULL, &run));
    for (int i = 0; i < 3; i++) {
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        check_ok(sn_run_file_write_frame(run, world));
    }
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    check_ok(sn_run_file_open(in_folder("run.run"), &run));
    return run;
}

// An obstacle that changes is drawn as it is at the frame's time, and moved on top of that; its files are not needed.
static void changing_obstacle_changes(void** state)
{
    (void)state;
    SnRunObstacles* obstacles;
    write_tetrahedron(in_folder("walk0.obj"), 0);
    write_tetrahedron(in_folder("walk1.obj"), 3);
    SnRunFile* run = make_run(
        "time: {step: 1/20}\nbodies: [{mesh: {box: {}}, place: {move: [0, 9, 0]}}]\n"
        "obstacles: [{type: mesh, frames: [walk0.obj, walk1.obj], rate: 10, motion: {velocity: [0, 2, 0]}}]\n");
    check(remove(in_folder("walk0.obj")) == 0 && remove(in_folder("walk1.obj")) == 0);
    check_ok(sn_run_obstacles_create(run, 1, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, &obstacles));
    assert_int_equal(sn_run_obstacles_count(obstacles), 1);
    static const int frames[] = {0, 1, 2, 3, 0};
    for (int i = 0; i < 5; i++) {
        double time = sn_run_file_frame_time(run, frames[i]);
        check_ok(sn_run_obstacles_move(obstacles, frames[i], NULL));
        const double* x = sn_run_obstacles_body(obstacles, 0).positions;
        check_near(x[0], 3 * fmin(10 * time, 1), 1e-12);
        check_near(x[1], 2 * time, 1e-12);
        check_near(x[3 * 2 + 1], 1 + 2 * time, 1e-12);
    }
    sn_run_obstacles_destroy(obstacles);
    sn_run_file_destroy(run);
}

// The picture's ground stands for a level floor that stays; other planes are drawn, as large as the picture asks.
static void planes_are_floors_or_walls(void** state)
{
    (void)state;
    double height;
    SnRunObstacles* obstacles;
    SnRunFile* run = make_run("bodies: [{mesh: {box: {}}}]\nobstacles:\n"
                              "  - {type: plane, point: [0, -3, 0], motion: {velocity: [0, -1, 0]}}\n"
                              "  - {type: plane, point: [0, -2, 0]}\n"
                              "  - {type: plane, point: [-4, 0, 0], normal: [1, 0, 0]}\n");
    check_ok(sn_run_obstacles_create(run, 7, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, &obstacles));
    assert_int_equal(sn_run_obstacles_count(obstacles), 2);
    check(sn_run_obstacles_floor(obstacles, &height));
    check_near(height, -2, 0);
    check_ok(sn_run_obstacles_move(obstacles, 3, (const double[]){5, 5, 5}));
    const double* sinking = sn_run_obstacles_body(obstacles, 0).positions;
    const double* wall = sn_run_obstacles_body(obstacles, 1).positions;
    for (int i = 0; i < 4; i++) {
        check_near(sinking[3 * i + 1], -3 - sn_run_file_frame_time(run, 3), 1e-12);
        check_near(wall[3 * i], -4, 1e-12);
        check_near(fabs(wall[3 * i + 1]), 7, 1e-12);
    }
    check_ok(sn_run_obstacles_move(obstacles, 3, (const double[]){-5, 5, 5})); // from behind the wall
    for (int i = 0; i < 4; i++) check_near(wall[3 * i + 1], wall[1], 0);
    check(sinking[0] != sinking[6] || sinking[2] != sinking[8]);
    sn_run_obstacles_destroy(obstacles);
    sn_run_file_destroy(run);
}

// Upright against gravity, whatever axis that is along: the same picture, the same camera, a floor across gravity.
static void up_is_against_gravity(void** state)
{
    (void)state;
    static const struct {
        const char* scene;
        double up[3];
    } rows[] = {{"gravity: [0, 0, -9.81]\n", {0, 0, 1}},
                {"gravity: [3, 0, 0]\n", {-1, 0, 0}},
                {"gravity: [0, 9.81, 0]\n", {0, -1, 0}},
                {"gravity: [0, 3, -4]\n", {0, -0.6, 0.8}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[300];
        const double* up = rows[r].up;
        snprintf(text, sizeof text,
                 "%sbodies: [{mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}]\n"
                 "obstacles: [{type: plane, point: [%g, %g, %g], normal: [%g, %g, %g]}]\n",
                 rows[r].scene, -9 * up[0], -9 * up[1], -9 * up[2], up[0], up[1], up[2]);
        SnRunFile* run = make_run(text);
        SnRunPicture* picture;
        check_ok(sn_run_picture_create(run, 1.5, &picture));
        double turned[3] = {up[0], up[1], up[2]};
        sn_run_picture_turn(picture, turned);
        check_near(turned[0], 0, 1e-12);
        check_near(turned[1], 1, 1e-12);
        check_near(turned[2], 0, 1e-12);
        const SnRunPicture* p = picture; // a rotation: the box is as large as before
        check_near(sn_distance3(p->drawn, p->drawn + 3 * 7), sn_distance3(p->positions, p->positions + 3 * 7), 1e-12);
        check_near(sn_dot3(p->drawn, turned), sn_dot3(p->positions, up), 1e-9);
        check(picture->scene.camera.eye[1] > picture->scene.camera.target[1]);
        check_near(picture->scene.ground_height, -9, 1e-9);
        sn_run_picture_destroy(picture);
        sn_run_file_destroy(run);
    }
}

// A ball beside the box is in the picture, too.
static void camera_sees_obstacles(void** state)
{
    (void)state;
    const char* const scenes[2] = {"bodies: [{mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}]\n",
                                   "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}]\n"
                                   "obstacles: [{type: sphere, centre: [3, 0, 0], radius: 0.5}, {type: sphere, centre: "
                                   "[0, -90, 0], radius: 80}]\n"};
    double distance[2];
    for (int k = 0; k < 2; k++) {
        SnRunFile* run = make_run(scenes[k]);
        SnRunPicture* picture;
        check_ok(sn_run_picture_create(run, 1.5, &picture));
        distance[k] = sn_distance3(picture->scene.camera.eye, picture->scene.camera.target);
        sn_run_picture_destroy(picture);
        sn_run_file_destroy(run);
    }
    check(distance[1] > 1.5 * distance[0] && distance[1] < 4 * distance[0]); // but not the one that is a world
}

// Parts of a picture that nothing changes are not drawn again: it is the same after any other.
static void pictures_do_not_remember(void** state)
{
    (void)state;
    enum { WIDTH = 400, HEIGHT = 300 };
    Ball* ball = malloc(sizeof *ball);
    uint8_t* kept = malloc(3 * WIDTH * HEIGHT);
    SnPicture* one = picture_or_skip(WIDTH, HEIGHT);
    SnPicture* again = picture_or_skip(WIDTH, HEIGHT);
    ball_fill(ball);
    ball->scene.ground = true, ball->scene.ground_size = 1;
    for (int k = 0; k < 8; k++) {
        for (int i = 0; i < 3 * BALL_NODES; i++) ball->nodes[i] += i % 3 == 0 ? (k < 5 ? 0.7 : -1.1) : 0.05;
        if (k == 6) ball->scene.camera.eye[0] += 0.3;
        check_ok(sn_picture_draw(again, &ball->scene));
        memcpy(kept, sn_picture_pixels(again), 3 * WIDTH * HEIGHT);
        sn_picture_destroy(one);
        one = picture_or_skip(WIDTH, HEIGHT);
        check_ok(sn_picture_draw(one, &ball->scene));
        assert_memory_equal(sn_picture_pixels(one), kept, 3 * WIDTH * HEIGHT);
    }
    sn_picture_destroy(one), sn_picture_destroy(again);
    sn_picture_surface_destroy(ball->surface);
    free(ball), free(kept);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pictures_do_not_remember),
    cmocka_unit_test(up_is_against_gravity),
    cmocka_unit_test(camera_sees_obstacles),
    cmocka_unit_test(ball_has_its_size_and_colour),
    cmocka_unit_test(ground_takes_the_shadow),
    cmocka_unit_test(skies_are_drawn),
    cmocka_unit_test(wireframe_darkens_edges),
    cmocka_unit_test(checker_shows_texture_coordinates),
    cmocka_unit_test(transparent_has_bodies_and_shadows),
    cmocka_unit_test(empty_and_mistaken_scenes),
    cmocka_unit_test(skins_have_their_colours),
    cmocka_unit_test(run_is_drawn),
    cmocka_unit_test(changing_obstacle_changes),
    cmocka_unit_test(planes_are_floors_or_walls),
};
RUN_TESTS(tests, make_folder, remove_folder)
