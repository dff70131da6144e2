// Surfaces and tubes as pictures have them; PNG files.
#include <unistd.h>

#include "core/random.h"
#include "pictures.h"
#include "view/picture_cover.h"
#include "view/picture_geometry.h"
#include "view/picture_light.h"
#include "view/png_file.h"

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
    SnPictureScene scene = {.body_count = 1, .bodies = &body, .camera = {.target = {0.5, 0.5, 0.5}}};
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
        FailingMemory memory;
        start_failing(&memory, n);
        SnPictureSurface* surface = NULL;
        SnPictureGeometry g = {0};
        SnStatus status = sn_picture_surface_create(8, CUBE_NODES, 12, CUBE_TRIANGLES, 50, &surface);
        SnPictureBody body = {surface, CUBE_NODES, {1, 1, 1}, NULL};
        SnPictureRope rope = {8, 2, edges, CUBE_NODES, 0.1, {1, 1, 1}};
        SnPictureScene scene = {.body_count = 1, .bodies = &body, .rope_count = 1, .ropes = &rope};
        if (status == SN_OK) status = sn_picture_geometry_fill(&g, &scene);
        if (status == SN_OK) status = sn_picture_geometry_unshare(&g);
        sn_picture_geometry_free(&g);
        sn_picture_surface_destroy(surface);
        stop_failing(&memory);
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

// As libpng reads it: noise, runs of all lengths, one colour, frequencies whose codes are longer than deflate has room
// for, pictures of more than one block.
static uint8_t made_byte(int kind, int i, SnRandom* random)
{
    double chance = sn_random_uniform(random, 0, 1);
    if (kind == 0) return (uint8_t)(i * 7 + i / 256);
    if (kind == 1) return (uint8_t)(256 * chance);
    if (kind == 2) return 200;
    if (kind == 3) return (uint8_t)(sqrt((double)(2 * (i / 3))));
    int step = (int)(-log2(chance + 1e-9)); // 1, 2, 4 ... times as rare
    return (uint8_t)(i % 11 ? 0 : step);
}

static void png_comes_back(void** state)
{
    (void)state;
    enum { W = 237, H = 321 };
    static uint8_t pixels[4 * W * H];
    SnRandom random = {3};
    const char* path = in_folder("a.png");
    for (int turn = 0; turn < 5 * 8; turn++) {
        int height = turn < 5 ? H : 1 + turn, width = turn < 5 ? W : 41 - turn;
        for (int i = 0; i < 4 * width * height; i++) pixels[i] = made_byte(turn % 5, i, &random);
        check_ok(sn_png_write(path, width, height, pixels));
        uint8_t* back = read_png(path, width, height);
        assert_memory_equal(pixels, back, 3 * (size_t)(width * height));
        free(back);
        check_ok(sn_png_write_rgba(path, width, height, pixels));
        png_image image = {.version = PNG_IMAGE_VERSION};
        check(png_image_begin_read_from_file(&image, path) && image.format == PNG_FORMAT_RGBA);
        back = malloc(PNG_IMAGE_SIZE(image));
        check(png_image_finish_read(&image, NULL, back, 0, NULL));
        assert_memory_equal(pixels, back, 4 * (size_t)(width * height));
        free(back);
    }
}

static void png_mistakes(void** state)
{
    (void)state;
    uint8_t pixel[3] = {1, 2, 3};
    check_fails(sn_png_write("/nonexistent/a.png", 1, 1, pixel), SN_ERROR_FILE, "/nonexistent/a.png", "No such file");
    check_fails(sn_png_write("a.png", 0, 1, pixel), SN_ERROR_VALUE, "0 x 1");
}

// Every tile is in one rectangle, and what a triangle covers is in one of those with bodies; a corner behind the camera
// marks them all.
static void covers_are_safe(void** state)
{
    (void)state;
    enum { WIDTH = 200, HEIGHT = 88 };
    SnRandom random = {7};
    SnPictureVertex vertices[30] = {0};
    uint32_t indices[30];
    SnPictureGeometry g = {.vertex_count = 30, .vertices = vertices, .index_count = 30, .indices = indices};
    SnPictureCover cover = {0};
    double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1};
    check_ok(sn_picture_cover_create(&cover, WIDTH, HEIGHT));
    for (int turn = 0; turn < 200; turn++) {
        for (int i = 0; i < 30; i++) {
            indices[i] = (uint32_t)i;
            for (int c = 0; c < 3; c++) vertices[i].position[c] = (float)sn_random_uniform(&random, -1.2, 1.2);
            vertices[i].position[2] = turn == 199 ? -2 : 0.5f * vertices[i].position[2];
            for (int c = 0; c < 2 && i % 3; c++) // small ones
                vertices[i].position[c] = vertices[i / 3 * 3].position[c] + 0.2f * vertices[i].position[c];
        }
        check_ok(sn_picture_cover_fill(&cover, &g, matrix, WIDTH, HEIGHT, NULL));
        int8_t kind[HEIGHT][WIDTH];
        memset(kind, -1, sizeof kind);
        for (int r = 0; r < cover.with + cover.without; r++) {
            const int16_t *lo = cover.corners + 12 * r, *hi = lo + 4; // the first and the third corner
            for (int y = lo[1]; y < hi[1] && y < HEIGHT; y++)
                for (int x = lo[0]; x < hi[0] && x < WIDTH; x++) {
                    assert_int_equal(kind[y][x], -1);
                    kind[y][x] = r < cover.with;
                }
        }
        for (int i = 0; i < WIDTH * HEIGHT; i++) check(kind[i / WIDTH][i % WIDTH] >= (turn == 199));
        for (int k = 0; k < 300 && turn < 199; k++) { // points of triangles
            const SnPictureVertex* v = vertices + 3 * (k % 10);
            double a = sn_random_uniform(&random, 0, 1), b = sn_random_uniform(&random, 0, 1 - a), p[3];
            for (int c = 0; c < 3; c++)
                p[c] = (double)v[0].position[c] * (1 - a - b) + a * (double)v[1].position[c] +
                       b * (double)v[2].position[c];
            int x = (int)floor((p[0] / (p[2] + 1) + 1) / 2 * WIDTH),
                y = (int)floor((p[1] / (p[2] + 1) + 1) / 2 * HEIGHT);
            if (x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT) assert_int_equal(kind[y][x], 1);
        }
    }
    sn_picture_cover_free(&cover);
}

enum { SHEET = 80 };

static void make_sheet(double* x, int* triangles)
{
    for (int i = 0; i < (SHEET + 1) * (SHEET + 1); i++) {
        int column = i % (SHEET + 1), row = i / (SHEET + 1);
        x[3 * i] = column / (double)SHEET, x[3 * i + 2] = row / (double)SHEET;
        x[3 * i + 1] = 0.05 * sin(6 * x[3 * i]);
        if (column == SHEET || row == SHEET) continue;
        int* t = triangles + 6 * (row * SHEET + column);
        t[0] = i, t[1] = t[4] = i + SHEET + 1, t[2] = t[3] = i + 1, t[5] = i + SHEET + 2;
    }
}

// Of the picture's vertices, seen from above.
static double shadow_area(const SnPictureGeometry* g, int first, int count)
{
    double area = 0;
    for (int i = first; i < first + count; i += 3) {
        const float *a = g->vertices[g->indices[i]].position, *b = g->vertices[g->indices[i + 1]].position,
                    *c = g->vertices[g->indices[i + 2]].position;
        area += 0.5 * ((double)(b[2] - a[2]) * (double)(c[0] - a[0]) - (double)(b[0] - a[0]) * (double)(c[2] - a[2]));
    }
    return area;
}

// Fewer triangles throw the shadow of all, but for a rim of a cell; not in stills, and not of what is coarse already.
static void coarse_sheets_cover_the_same(void** state)
{
    (void)state;
    static double x[3 * (SHEET + 1) * (SHEET + 1)];
    static int triangles[6 * SHEET * SHEET];
    make_sheet(x, triangles);
    SnPictureBody body = {.positions = x};
    SnPictureSurface* surface;
    check_ok(sn_picture_surface_create((SHEET + 1) * (SHEET + 1), x, 2 * SHEET * SHEET, triangles, 50, &surface));
    body.surface = surface;
    SnPictureScene scene = {.body_count = 1, .bodies = &body, .quality = SN_PICTURE_FILM};
    SnPictureGeometry g = {0};
    for (int unshared = 0; unshared < 2; unshared++) {
        check_ok(sn_picture_geometry_fill(&g, &scene));
        if (unshared) check_ok(sn_picture_geometry_unshare(&g));
        assert_int_equal(g.index_count, 6 * SHEET * SHEET);
        check(g.coarse_count > 0 && g.coarse_count < 0.6 * g.index_count);
        check_near(shadow_area(&g, 0, g.index_count), 1, 1e-4);
        check_near(shadow_area(&g, g.index_count, g.coarse_count), 1, 0.06);
    }
    x[3 * (SHEET * SHEET / 2)] = NAN;
    int before = g.coarse_count;
    check_ok(sn_picture_geometry_fill(&g, &scene));
    for (int i = 0; i < g.index_count + g.coarse_count; i++)
        check(isfinite(g.vertices[g.indices[i]].position[0]) && g.indices[i] < (uint32_t)g.vertex_count);
    check(g.coarse_count <= before);
    scene.quality = SN_PICTURE_STILL;
    check_ok(sn_picture_geometry_fill(&g, &scene));
    assert_int_equal(g.coarse_count, 0);
    sn_picture_surface_destroy(surface);
    check_ok(sn_picture_surface_create(8, CUBE_NODES, 12, CUBE_TRIANGLES, 50, &surface));
    check(!surface->coarse);
    sn_picture_surface_destroy(surface);
    sn_picture_geometry_free(&g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(coarse_sheets_cover_the_same),
    cmocka_unit_test(covers_are_safe),
    cmocka_unit_test(creases_split_cubes_only),
    cmocka_unit_test(geometry_of_a_cube),
    cmocka_unit_test(tubes_are_round),
    cmocka_unit_test(memory_failures_leak_nothing),
    cmocka_unit_test(round_numbers),
    cmocka_unit_test(png_comes_back),
    cmocka_unit_test(png_mistakes),
};
RUN_TESTS(tests, make_folder, remove_folder)
