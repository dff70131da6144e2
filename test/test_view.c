// Pictures: camera geometry, creases, tubes, PNG files, what is drawn, and films.
#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "view/film.h"
#include "view/picture_geometry.h"
#include "view/picture_light.h"
#include "view/png_file.h"
#include "view/run_obstacles.h"
#include "view/run_picture.h"

static char folder[64];

static const char* in_folder(const char* name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int make_folder(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-view-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state)
{
    (void)state;
    const char* names[] = {"a.png", "b.png", "film.mp4", "cut.png", "run.run", "walk0.obj", "walk1.obj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    return rmdir(folder);
}

// --- camera ---

static const struct {
    const char* name;
    double lo[3], hi[3];
} BOXES[] = {
    {"cube", {-1, -1, -1}, {1, 1, 1}},          {"bar along x", {0, 0, 0}, {4, 1, 1}},
    {"bar along z", {0, 0, 0}, {1, 1, 4}},      {"tower far from the origin", {1000, 50, -300}, {1001, 60, -299}},
    {"tiny sheet", {0, 0, 0}, {1e-3, 0, 1e-3}}, {"large flat ground", {-1e4, 0, -1e4}, {1e4, 10, 1e4}},
};

static void corner_of(int box, int corner, double p[3])
{
    for (int i = 0; i < 3; i++) p[i] = corner & (1 << i) ? BOXES[box].hi[i] : BOXES[box].lo[i];
}

static void camera_fit_contains_and_fills(void** state)
{
    (void)state;
    const double aspects[] = {1, 16.0 / 9, 0.5}, margin = 0.1;
    for (size_t b = 0; b < sizeof BOXES / sizeof *BOXES; b++)
        for (int a = 0; a < 3; a++) {
            SnCameraFit fit;
            SnCamera camera;
            double corners[24], most[2] = {0, 0};
            for (int c = 0; c < 8; c++) corner_of((int)b, c, corners + 3 * c);
            sn_camera_fit_begin(&fit, aspects[a], margin);
            sn_camera_fit_add(&fit, corners, 4, 0);
            sn_camera_fit_add(&fit, corners + 12, 4, 0);
            sn_camera_fit_finish(&fit, &camera);
            check_ok(sn_camera_check(&camera));
            for (int c = 0; c < 8; c++) {
                double xy[2];
                check(sn_camera_project(&camera, aspects[a], corners + 3 * c, xy));
                for (int i = 0; i < 2; i++) most[i] = fmax(most[i], fabs(xy[i]));
            }
            // the tighter direction reaches the margin exactly, on both sides; nothing lies beyond
            check_near(fmax(most[0], most[1]), 1 - margin, 1e-6);
        }
}

static void camera_looks_across_the_longer_side(void** state)
{
    (void)state;
    for (int b = 1; b <= 2; b++) {
        SnCameraFit fit;
        SnCamera camera;
        double corners[24];
        for (int c = 0; c < 8; c++) corner_of(b, c, corners + 3 * c);
        sn_camera_fit_begin(&fit, 1.5, 0.1);
        sn_camera_fit_add(&fit, corners, 8, 0);
        sn_camera_fit_finish(&fit, &camera);
        double dx = fabs(camera.eye[0] - camera.target[0]), dz = fabs(camera.eye[2] - camera.target[2]);
        check(b == 1 ? dz > dx : dx > dz);
        check(camera.eye[1] > camera.target[1]);
    }
}

static void camera_fit_of_little(void** state)
{
    (void)state;
    const double point[3] = {5, 6, 7}, lost[3] = {NAN, 0, INFINITY};
    for (int points = 0; points < 2; points++) {
        SnCameraFit fit;
        SnCamera camera;
        double xy[2];
        sn_camera_fit_begin(&fit, 1, 0.1);
        sn_camera_fit_add(&fit, lost, 1, 0);
        sn_camera_fit_add(&fit, point, points, 0);
        sn_camera_fit_finish(&fit, &camera);
        check_ok(sn_camera_check(&camera));
        check(fit.count == points);
        if (points) check(sn_camera_project(&camera, 1, point, xy) && fabs(xy[0]) < 1e-9 && fabs(xy[1]) < 1e-9);
    }
}

static void camera_matrix_agrees_with_projection(void** state)
{
    (void)state;
    SnCamera camera = {{3, 2, 5}, {0.5, 0, -1}, {0, 1, 0}, 40};
    const double points[][3] = {{0, 0, 0}, {1, 0.5, -2}, {-0.3, 1, 1}}, origin[3] = {10, -20, 30};
    double m[16];
    sn_camera_matrix(&camera, 1.7, 0.1, 100, origin, m);
    for (int i = 0; i < 3; i++) {
        double p[4] = {points[i][0] - origin[0], points[i][1] - origin[1], points[i][2] - origin[2], 1};
        double q[4] = {0}, xy[2];
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) q[r] += m[4 * c + r] * p[c];
        check(sn_camera_project(&camera, 1.7, points[i], xy));
        check_near(q[0] / q[3], xy[0], 1e-12);
        check_near(q[1] / q[3], xy[1], 1e-12);
        check(fabs(q[2] / q[3]) < 1);
    }
}

static void camera_mistakes(void** state)
{
    (void)state;
    SnCamera same = {{1, 1, 1}, {1, 1, 1}, {0, 1, 0}, 30}, along = {{0, 5, 0}, {0, 0, 0}, {0, 1, 0}, 30};
    SnCamera wide = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 180}, lost = {{0, 0, NAN}, {0, 0, 0}, {0, 1, 0}, 30};
    check_fails(sn_camera_check(&same), SN_ERROR_VALUE, "same point");
    check_fails(sn_camera_check(&along), SN_ERROR_VALUE, "parallel");
    check_fails(sn_camera_check(&wide), SN_ERROR_VALUE, "180");
    check_fails(sn_camera_check(&lost), SN_ERROR_VALUE, "finite");
}

// --- surfaces and tubes ---

// A unit cube of 8 nodes and 12 triangles.
static const double CUBE_NODES[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int CUBE_TRIANGLES[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static void creases_split_cubes_only(void** state)
{
    (void)state;
    const struct {
        double crease;
        int vertices;
    } cases[] = {{50, 24}, {100, 8}};
    for (int i = 0; i < 2; i++) {
        SnPictureSurface* surface;
        check_ok(sn_picture_surface_create(8, CUBE_NODES, 12, CUBE_TRIANGLES, cases[i].crease, &surface));
        assert_int_equal(surface->vertex_count, cases[i].vertices);
        for (int k = 0; k < 36; k++) assert_int_equal(surface->source[surface->triangles[k]], CUBE_TRIANGLES[k]);
        sn_picture_surface_destroy(surface);
    }
    const int bad[3] = {0, 1, 8};
    SnPictureSurface* surface;
    check_fails(sn_picture_surface_create(8, CUBE_NODES, 1, bad, 50, &surface), SN_ERROR_VALUE, "triangle 0", "8");
    check(surface == NULL);
}

// Box faces keep the normals of their planes; a triangle with a lost node is left out.
static void geometry_of_a_cube(void** state)
{
    (void)state;
    SnPictureBody body = {.positions = CUBE_NODES};
    SnPictureSurface* surface;
    check_ok(sn_picture_surface_create(8, CUBE_NODES, 12, CUBE_TRIANGLES, 50, &surface));
    body.surface = surface;
    SnPictureScene scene = {.body_count = 1, .bodies = &body};
    SnPictureGeometry geometry = {0};
    check_ok(sn_picture_geometry_fill(&geometry, &scene));
    assert_int_equal(geometry.index_count, 36);
    for (int i = 0; i < geometry.vertex_count; i++) {
        const float *n = geometry.vertices[i].normal, *p = geometry.vertices[i].position;
        double along = 0;
        for (int k = 0; k < 3; k++) along = fmax(along, n[k] * p[k]); // outward, and along an axis
        check_near(along, 0.5, 1e-6);
    }
    double lost[24];
    memcpy(lost, CUBE_NODES, sizeof lost);
    lost[0] = NAN;
    body.positions = lost;
    check_ok(sn_picture_geometry_fill(&geometry, &scene));
    assert_int_equal(geometry.index_count, 36 - 3 * 6); // node 0 is in six triangles
    sn_picture_geometry_free(&geometry);
    sn_picture_surface_destroy(surface);
}

// The side of a triangle that its winding faces is the side its normals point to.
static void check_winding(const SnPictureGeometry* g, int triangle)
{
    const SnPictureVertex* v[3];
    for (int k = 0; k < 3; k++) v[k] = &g->vertices[g->indices[3 * triangle + k]];
    double e[3], f[3], facing = 0;
    for (int k = 0; k < 3; k++) {
        e[k] = v[1]->position[k] - v[0]->position[k];
        f[k] = v[2]->position[k] - v[0]->position[k];
    }
    for (int k = 0; k < 3; k++) {
        double n = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
        facing += n * (v[0]->normal[k] + v[1]->normal[k] + v[2]->normal[k]);
    }
    check(facing > -1e-6); // the tips of caps have no area
}

// Every vertex of a tube lies at the radius from a node.
static void tubes_are_round(void** state)
{
    (void)state;
    const double line[] = {0, 0, 0, 1, 0, 0, 2, 0.5, 0, 2, 1.5, 0.5, 3, 2, 0};
    const int chain[] = {0, 1, 2, 1, 2, 3}, star[] = {0, 1, 0, 2, 0, 3, 3, 4}, loop[] = {0, 1, 1, 2, 2, 0};
    const struct {
        const int* edges;
        int count;
    } cases[] = {{chain, 3}, {star, 4}, {loop, 3}};
    for (int c = 0; c < 3; c++) {
        SnPictureRope rope = {5, cases[c].count, cases[c].edges, line, 0.05, {1, 0, 0}};
        SnPictureScene scene = {.rope_count = 1, .ropes = &rope};
        SnPictureGeometry g = {0};
        check_ok(sn_picture_geometry_fill(&g, &scene));
        check(g.index_count > 0);
        for (int t = 0; t < g.index_count / 3; t++) check_winding(&g, t);
        for (int i = 0; i < g.vertex_count; i++) {
            double nearest = INFINITY;
            for (int n = 0; n < 5; n++) {
                double square = 0;
                for (int k = 0; k < 3; k++) {
                    double d = g.vertices[i].position[k] + g.origin[k] - line[3 * n + k];
                    square += d * d;
                }
                nearest = fmin(nearest, sqrt(square));
            }
            check_near(nearest, 0.05, 1e-6);
        }
        sn_picture_geometry_free(&g);
    }
    const int bad[2] = {0, 5};
    SnPictureRope rope = {5, 1, bad, line, 0.05, {1, 0, 0}};
    SnPictureScene scene = {.rope_count = 1, .ropes = &rope};
    SnPictureGeometry g = {0};
    check_fails(sn_picture_geometry_fill(&g, &scene), SN_ERROR_VALUE, "edge 0", "node 5");
    sn_picture_geometry_free(&g);
}

static void memory_failures_leak_nothing(void** state)
{
    (void)state;
    const int edges[] = {0, 1, 1, 2};
    for (long n = 0;; n++) {
        FailingMemory memory = failing_memory(n);
        memory.allocator.user = &memory;
        sn_thread_set_allocator(&memory.allocator);
        SnPictureSurface* surface = NULL;
        SnPictureGeometry g = {0};
        SnStatus status = sn_picture_surface_create(8, CUBE_NODES, 12, CUBE_TRIANGLES, 50, &surface);
        SnPictureBody body = {surface, CUBE_NODES, {1, 1, 1}};
        SnPictureRope rope = {8, 2, edges, CUBE_NODES, 0.1, {1, 1, 1}};
        SnPictureScene scene = {.body_count = 1, .bodies = &body, .rope_count = 1, .ropes = &rope};
        if (status == SN_OK) status = sn_picture_geometry_fill(&g, &scene);
        if (status == SN_OK) status = sn_picture_geometry_unshare(&g);
        sn_picture_geometry_free(&g);
        sn_picture_surface_destroy(surface);
        sn_thread_set_allocator(NULL);
        assert_int_equal(memory.live, 0);
        if (status == SN_OK) return;
        assert_int_equal(status, SN_ERROR_MEMORY);
        check(n < 100);
    }
}

static void round_numbers(void** state)
{
    (void)state;
    const double cases[][2] = {{1, 1}, {1.9, 1}, {2, 2}, {4.9, 2}, {7, 5}, {0.03, 0.02}, {1234, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_near(sn_picture_round_number(cases[i][0]), cases[i][1], 1e-12 * cases[i][1]);
}

// --- PNG ---

static void png_comes_back(void** state)
{
    (void)state;
    enum { W = 37, H = 21 };
    uint8_t pixels[3 * W * H], *back;
    int width, height;
    for (int i = 0; i < 3 * W * H; i++) pixels[i] = (uint8_t)(i * 7 + i / 256);
    const char* path = in_folder("a.png");
    check_ok(sn_png_write(path, W, H, pixels));
    check_ok(sn_png_read(path, &width, &height, &back));
    assert_int_equal(width, W);
    assert_int_equal(height, H);
    assert_memory_equal(pixels, back, sizeof pixels);
    sn_free(back);
}

static void png_mistakes(void** state)
{
    (void)state;
    uint8_t pixel[3] = {1, 2, 3}, *back;
    int width, height;
    check_fails(sn_png_write("/nonexistent/a.png", 1, 1, pixel), SN_ERROR_FILE, "/nonexistent/a.png", "No such file");
    check_fails(sn_png_write("a.png", 0, 1, pixel), SN_ERROR_VALUE, "0 x 1");
    check_fails(sn_png_read("/nonexistent/a.png", &width, &height, &back), SN_ERROR_FILE, "/nonexistent/a.png");
    const char* path = in_folder("cut.png");
    check_ok(sn_png_write(path, 1, 1, pixel));
    check(truncate(path, 40) == 0);
    check_fails(sn_png_read(path, &width, &height, &back), SN_ERROR_FORMAT, path);
    check(back == NULL);
}

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
            double a = 3.14159265358979 * i / RINGS, b = 6.28318530717959 * j / SECTORS;
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
    ball->body = (SnPictureBody){ball->surface, ball->nodes, {0.85f, 0.15f, 0.1f}};
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
    double radius = 1 / sqrt(37 - 1) / tan(15 * 3.14159265358979 / 180) * H / 2, area = 3.14159265 * radius * radius;
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
    check(sn_camera_project(&ball.scene.camera, (double)W / H, shadow, xy));
    double x = (xy[0] + 1) * W / 2, y = (1 - xy[1]) * H / 2;
    check(brightness(first, W, x, y) < 0.8 * brightness(bare, W, x, y));
    check(sn_camera_project(&ball.scene.camera, (double)W / H, lit, xy));
    x = (xy[0] + 1) * W / 2, y = (1 - xy[1]) * H / 2;
    check(brightness(first, W, x, y) > 0.9 * brightness(bare, W, x, y));
    check_ok(sn_picture_draw(picture, &ball.scene));
    assert_memory_equal(first, sn_picture_pixels(picture), sizeof first);
    sn_picture_surface_destroy(ball.surface);
    sn_picture_destroy(picture);
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

static void empty_and_mistaken_scenes(void** state)
{
    (void)state;
    SnPicture *picture = picture_or_skip(64, 64), *second = picture_or_skip(32, 32), *none;
    SnPictureScene scene = {.camera = {{0, 1, 6}, {0, 0, 0}, {0, 1, 0}, 30}, .ground = true};
    check_ok(sn_picture_draw(picture, &scene));
    check_ok(sn_picture_draw(second, &scene)); // two at a time
    sn_picture_destroy(second);
    check_ok(sn_picture_draw(picture, &scene));
    check(strlen(sn_picture_device(picture)) > 0);
    scene.camera.eye[1] = -3; // from below, the ground is not drawn
    check_ok(sn_picture_draw(picture, &scene));
    memset(scene.camera.eye, 0, sizeof scene.camera.eye);
    check_fails(sn_picture_draw(picture, &scene), SN_ERROR_VALUE, "same point");
    sn_picture_destroy(picture);
    check_fails(sn_picture_create(8, 100, &none), SN_ERROR_VALUE, "8 x 100");
    check(none == NULL);
}

// --- runs ---

static void run_is_drawn(void** state)
{
    (void)state;
    SnPicture* picture = picture_or_skip(160, 90);
    SnRunBody body = {
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
        check(sn_camera_project(&scene->scene.camera, 160.0 / 90, centre, xy) && fabs(xy[0]) < 0.9);
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

// An obstacle that changes is drawn as it is at the frame's time, and moved on top of that.
static void changing_obstacle_changes(void** state)
{
    (void)state;
    static const char scene[] =
        "bodies: [{mesh: {box: {}}}]\n"
        "obstacles: [{type: mesh, frames: [walk0.obj, walk1.obj], rate: 10, motion: {velocity: [0, 2, 0]}}]\n";
    const double times[] = {0, 0.05, 0.1, 7, 0};
    SnRunObstacles* obstacles;
    write_tetrahedron(in_folder("walk0.obj"), 0);
    write_tetrahedron(in_folder("walk1.obj"), 3);
    check_ok(sn_run_obstacles_create(scene, in_folder("run.run"), 1, &obstacles));
    assert_int_equal(sn_run_obstacles_count(obstacles), 1);
    for (int i = 0; i < 5; i++) {
        check_ok(sn_run_obstacles_move(obstacles, times[i]));
        const double* x = sn_run_obstacles_body(obstacles, 0).positions;
        check_near(x[0], 3 * fmin(10 * times[i], 1), 1e-12);
        check_near(x[1], 2 * times[i], 1e-12);
        check_near(x[3 * 2 + 1], 1 + 2 * times[i], 1e-12);
    }
    sn_run_obstacles_destroy(obstacles);
}

// --- films ---

static bool program_exists(const char* name)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", name);
    return system(command) == 0;
}

static void film_has_its_frames(void** state)
{
    (void)state;
    enum { W = 64, H = 48, FRAMES = 13 };
    if (!program_exists("ffmpeg") || !program_exists("ffprobe")) {
        print_message("skipped: ffmpeg or ffprobe is missing\n");
        skip();
    }
    static uint8_t pixels[3 * W * H];
    SnFilm* film;
    check_ok(sn_film_create(in_folder("film.mp4"), W, H, 12.5, &film));
    for (int f = 0; f < FRAMES; f++) {
        memset(pixels, 20 * f, sizeof pixels);
        check_ok(sn_film_add(film, pixels));
    }
    check_ok(sn_film_finish(film));
    char command[300], answer[100] = "";
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v -show_entries "
             "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 %s",
             in_folder("film.mp4"));
    FILE* pipe = popen(command, "r");
    check(pipe && fgets(answer, sizeof answer, pipe));
    pclose(pipe);
    answer[strcspn(answer, "\n")] = 0;
    assert_string_equal(answer, "h264,64,48,yuv420p,25/2,13");
}

static void film_mistakes(void** state)
{
    (void)state;
    SnFilm* film;
    check_fails(sn_film_create("odd.mp4", 63, 48, 25, &film), SN_ERROR_VALUE, "odd.mp4", "63 x 48", "even");
    check_fails(sn_film_create("slow.mp4", 64, 48, 0, &film), SN_ERROR_VALUE, "slow.mp4", "0 frames per second");
    char* path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    SnStatus status = sn_film_create(in_folder("film.mp4"), 64, 48, 25, &film);
    setenv("PATH", path, 1);
    free(path);
    check_fails(status, SN_ERROR_UNSUPPORTED, "ffmpeg", "apt install ffmpeg");
    check(film == NULL);
    if (!program_exists("ffmpeg")) return;
    // ffmpeg gives up while frames are coming: its own words are told, and SIGPIPE does not end this program
    static uint8_t pixels[3 * 64 * 48];
    check_ok(sn_film_create("/nonexistent/film.mp4", 64, 48, 25, &film));
    status = SN_OK;
    for (int f = 0; f < 2000 && status == SN_OK; f++) status = sn_film_add(film, pixels);
    check_fails(status, SN_ERROR_FILE, "/nonexistent/film.mp4", "No such file");
    check_fails(sn_film_add(film, pixels), SN_ERROR_FILE, "already stopped");
    sn_film_destroy(film);
}

static void abandoned_film_is_removed(void** state)
{
    (void)state;
    SnFilm* film;
    if (!program_exists("ffmpeg")) {
        print_message("skipped: ffmpeg is missing\n");
        skip();
    }
    static uint8_t pixels[3 * 64 * 48];
    check_ok(sn_film_create(in_folder("film.mp4"), 64, 48, 25, &film));
    check_ok(sn_film_add(film, pixels));
    sn_film_destroy(film);
    check(access(in_folder("film.mp4"), F_OK) != 0);
    sn_film_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camera_fit_contains_and_fills),
        cmocka_unit_test(camera_looks_across_the_longer_side),
        cmocka_unit_test(camera_fit_of_little),
        cmocka_unit_test(camera_matrix_agrees_with_projection),
        cmocka_unit_test(camera_mistakes),
        cmocka_unit_test(creases_split_cubes_only),
        cmocka_unit_test(geometry_of_a_cube),
        cmocka_unit_test(tubes_are_round),
        cmocka_unit_test(memory_failures_leak_nothing),
        cmocka_unit_test(round_numbers),
        cmocka_unit_test(png_comes_back),
        cmocka_unit_test(png_mistakes),
        cmocka_unit_test(ball_has_its_size_and_colour),
        cmocka_unit_test(ground_takes_the_shadow),
        cmocka_unit_test(wireframe_darkens_edges),
        cmocka_unit_test(empty_and_mistaken_scenes),
        cmocka_unit_test(run_is_drawn),
        cmocka_unit_test(changing_obstacle_changes),
        cmocka_unit_test(film_has_its_frames),
        cmocka_unit_test(film_mistakes),
        cmocka_unit_test(abandoned_film_is_removed),
    };
    return cmocka_run_group_tests_name("view", tests, make_folder, remove_folder);
}
