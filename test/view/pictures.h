// What tests of pictures share: a folder for the files they write, PNG files read back, where a point falls, a cube.
#pragma once
#include "check.h"

#include <png.h>
#include <unistd.h>

#include "core/pi.h"
#include "view/camera.h"

static char folder[64];

static inline const char* in_folder(const char* name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline int make_folder(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-view-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void** state)
{
    (void)state;
    const char* names[] = {"a.png", "a.svg", "b.png", "film.mp4", "run.run", "walk0.obj", "walk1.obj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    return rmdir(folder);
}

// The pixels, 3 x width x height, of a PNG file; the caller frees them.
static inline uint8_t* read_png(const char* path, int width, int height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    check(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    uint8_t* pixels = malloc(PNG_IMAGE_SIZE(image));
    check(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    return pixels;
}

// Where a point falls: x and y in [-1, 1] are in frame, x to the right and y up; false behind the camera.
static inline bool project(const SnCamera* camera, double aspect, const double point[3], double xy[2])
{
    SnCameraFrame frame = sn_camera_frame(camera);
    double right = 0, up = 0, depth = 0, slope = tan(camera->field_of_view * SN_PI / 360);
    for (int i = 0; i < 3; i++) {
        double p = point[i] - camera->eye[i];
        right += frame.right[i] * p, up += frame.up[i] * p, depth += frame.forward[i] * p;
    }
    xy[0] = right / (depth * slope * aspect), xy[1] = up / (depth * slope);
    return depth > 0;
}

// A unit cube of 8 nodes and 12 triangles.
static const double CUBE_NODES[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int CUBE_TRIANGLES[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
