// Camera: what it fits, how it projects, what it refuses.
#include "pictures.h"
#include "view/camera_path.h"

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
                check(project(&camera, aspects[a], corners + 3 * c, xy));
                for (int i = 0; i < 2; i++) most[i] = fmax(most[i], fabs(xy[i]));
            }
            // the tighter direction reaches the margin exactly, on both sides; nothing lies beyond
            check_near(fmax(most[0], most[1]), 1 - margin, 1e-6);
        }
}

// Going around, a camera sees all corners at all times, and some of them reach the margin.
static void camera_fit_around(void** state)
{
    (void)state;
    const double aspects[] = {1, 16.0 / 9, 0.5}, margin = 0.1;
    for (size_t b = 0; b < sizeof BOXES / sizeof *BOXES; b++)
        for (int a = 0; a < 3; a++) {
            SnCameraFit fit;
            SnCamera start;
            double corners[24], most = 0;
            for (int c = 0; c < 8; c++) corner_of((int)b, c, corners + 3 * c);
            sn_camera_fit_begin(&fit, aspects[a], margin);
            fit.around = true;
            for (int i = 0; i < 2; i++) fit.axis[i] = 0.7 * BOXES[b].lo[2 * i] + 0.3 * BOXES[b].hi[2 * i];
            sn_camera_fit_add(&fit, corners, 8, 0);
            sn_camera_fit_finish(&fit, &start);
            for (int k = 0; k < 360; k++) {
                SnCamera camera = start;
                double xy[2];
                sn_camera_orbit(&camera, k * SN_PI / 180);
                for (int c = 0; c < 8; c++) {
                    check(project(&camera, aspects[a], corners + 3 * c, xy));
                    most = fmax(most, fmax(fabs(xy[0]), fabs(xy[1])));
                }
            }
            check(most < 1 - margin + 1e-6 && most > 1 - margin - 1e-3);
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
        if (points) check(project(&camera, 1, point, xy) && fabs(xy[0]) < 1e-9 && fabs(xy[1]) < 1e-9);
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
        check(project(&camera, 1.7, points[i], xy));
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

// Once around: as far from what it looks at, as high, and back where it began.
static void orbit(void** state)
{
    (void)state;
    SnCamera start = {.eye = {3, 2, 1}, .target = {1, 1, 1}, .up = {0, 1, 0}, .field_of_view = 30}, camera = start;
    sn_camera_orbit(&camera, acos(-1) / 2);
    check_near(camera.eye[0], 1, 1e-12);
    check_near(camera.eye[1], 2, 1e-12);
    check_near(camera.eye[2], -1, 1e-12);
    for (int i = 0; i < 3; i++) sn_camera_orbit(&camera, acos(-1) / 2);
    for (int c = 0; c < 3; c++) check_near(camera.eye[c], start.eye[c], 1e-12);
}

// Through its places at their times, straight where they are even, and an error with its line.
static void path(void** state)
{
    (void)state;
    char name[] = "/tmp/sinew-path-XXXXXX";
    int file = mkstemp(name);
    const char good[] = "0 0 0 0  0 0 -1 # start\n1 1 0 0  0 0 -1\n2 2 0 0  0 0 -1\n4 2 5 0  0 1 -1\n";
    check(write(file, good, sizeof good - 1) == sizeof good - 1);
    SnCameraPath* way;
    SnCamera camera = {0};
    check_ok(sn_camera_path_read(name, &way));
    static const double times[] = {-1, 0, 0.5, 1, 2, 4, 9}, x[] = {0, 0, 0.5, 1, 2, 2, 2}, y[] = {0, 0, 0, 0, 0, 5, 5};
    for (int i = 0; i < 7; i++) {
        sn_camera_path_at(way, times[i], &camera);
        check_near(camera.eye[0], x[i], 1e-12);
        check_near(camera.eye[1], y[i], 1e-12);
    }
    sn_camera_path_destroy(way);
    check(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
    check(write(file, "0 1 2 3 4 5 6\n0 1 2 3 4 5 6\n", 28) == 28);
    check_fails(sn_camera_path_read(name, &way), SN_ERROR_FORMAT, name, "times must increase");
    close(file);
    unlink(name);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(orbit),
    cmocka_unit_test(path),
    cmocka_unit_test(camera_fit_contains_and_fills),
    cmocka_unit_test(camera_fit_around),
    cmocka_unit_test(camera_looks_across_the_longer_side),
    cmocka_unit_test(camera_fit_of_little),
    cmocka_unit_test(camera_matrix_agrees_with_projection),
    cmocka_unit_test(camera_mistakes),
};
RUN_TESTS(tests, NULL, NULL)
