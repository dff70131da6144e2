// Light placement: the key comes over the camera's left shoulder, the sky from evenly spread directions.
#include "view/picture_light.h"

#include <math.h>
#include <string.h>

#include "core/pi.h"
#include "linalg/vec3.h"

static const struct {
    int sky, blockers, taps, shade, key;
    bool multisampled;
} EFFORTS[] = {[SN_PICTURE_FAST] = {0, 6, 10, 384, 1024, false},
               [SN_PICTURE_FILM] = {12, 6, 10, 384, 1024, false},
               [SN_PICTURE_STILL] = {64, 32, 64, 1280, 1536, true}};

double sn_picture_round_number(double x)
{
    double power = pow(10, floor(log10(x)));
    return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

// Directions by camera: `side` to its right, `up` in the world, `back` from the scene towards it.
static void place_by_camera(const SnCamera* camera, double side, double up, double back, double direction[3])
{
    SnCameraFrame frame = sn_camera_frame(camera);
    double to_right[3] = {frame.right[0], 0, frame.right[2]}, to_eye[3] = {frame.right[2], 0, -frame.right[0]};
    // right x up = -forward: the horizontal towards the eye is (-z, x) of right, turned so that it opposes the view
    if (to_eye[0] * frame.forward[0] + to_eye[2] * frame.forward[2] > 0) to_eye[0] = -to_eye[0], to_eye[2] = -to_eye[2];
    for (int i = 0; i < 3; i++) direction[i] = side * to_right[i] + back * to_eye[i];
    direction[1] += up;
    sn_normalize3(direction);
}

// Evenly spread over the upper hemisphere by the golden angle; the lowest few degrees are left out, where shadows would
// reach too far, and the zenith, where right and up would lose their meaning. The shaders follow the same formula.
static void place_sky(SnPictureLight* light, int count)
{
    light->sky_count = count;
    light->sky_heights[0] = 0.1, light->sky_heights[1] = 0.98;
    for (int i = 0; i < count; i++) {
        double part = (i + 0.5) / count, angle = 2.39996322972865332 * i;
        double height = light->sky_heights[0] * (1 - part) + light->sky_heights[1] * part;
        double ring = sqrt(1 - height * height), along[3] = {-ring * cos(angle), -height, -ring * sin(angle)};
        sn_camera_parallel_matrix(along, light->centre, light->radius, light->sky_matrices[i]);
    }
}

static void place_ground(SnPictureLight* light, const SnPictureScene* scene, const SnPictureGeometry* g)
{
    double size = scene->ground_size > 0 ? scene->ground_size : 2 * light->radius;
    light->ground_height = scene->ground_height - g->origin[1];
    light->ground = scene->ground && light->eye[1] > light->ground_height;
    light->ground_radius = 4 * size;
    light->grid_spacing = sn_picture_round_number(size / 3);
    for (int i = 0; i < 3; i++) light->ground_centre[i] = scene->camera.target[i] - g->origin[i];
    light->ground_centre[1] = light->ground_height;
    for (int i = 0; i < 2; i++) light->grid_origin[i] = -fmod(g->origin[2 * i], light->grid_spacing);
    double drop = fmax(light->centre[1] - light->ground_height, 0);
    light->carpet_radius = 1.6 * light->radius + 1.2 * fmin(drop, 3 * light->radius);
}

// A ball around the casters' that stays the same while they move a little, and with it the texels of all maps: shadows
// do not crawl from frame to frame, and what does not change need not be drawn again. A sixteenth of its radius is the
// grid of its middle, quarters of a power of two that of its radius.
static void place_ball(SnPictureLight* light, const double centre[3], double radius)
{
    const double share = 1.0 / 16, off = 0.5 * sqrt(3) * share;
    light->radius = exp2(ceil(4 * log2(radius / (1 - off))) / 4);
    double step = share * light->radius;
    for (int i = 0; i < 3; i++) light->centre[i] = step * round(centre[i] / step);
}

// Where the ball around the casters throws its shadow, with the widest blur and a rim that stays light.
static void place_shade(SnPictureLight* light)
{
    double drop = light->centre[1] - light->ground_height, up = fmax(light->key[1], 0.1);
    for (int i = 0; i < 3; i++) light->shade_centre[i] = light->centre[i] - drop / up * light->key[i];
    light->shade_centre[1] = light->ground_height;
    light->shade_radius = 1.15 * light->radius / up;
}

// A depth is (f + n - 2 f n / t) / (f - n) of the distance t along the view, 1 / t of a plane is linear in the picture.
// What lies on the ground is before it.
static void place_depths(SnPictureLight* light)
{
    double *d = light->ground_depths, range = light->far - light->near;
    double slope = -2 * light->far * light->near / range / (1.0001 * (light->ground_height - light->eye[1]));
    d[2] = light->ground ? (light->far + light->near) / range + slope * light->view.forward[1] : 1;
    d[0] = light->ground ? slope * light->view.right[1] : 0;
    d[1] = light->ground ? slope * light->view.up[1] : 0;
}

// The camera's depth range holds the casters' ball and the ground's disc.
static void place_camera(SnPictureLight* light, const SnPictureScene* scene, const SnPictureGeometry* g, double aspect)
{
    double to_body = sn_distance3(light->eye, light->centre);
    double to_ground = light->ground ? sn_distance3(light->eye, light->ground_centre) + 1.5 * light->ground_radius : 0;
    light->far = fmax(1.01 * (to_body + light->radius), to_ground);
    double clear = fmax(to_body - light->radius, 0);
    if (light->ground) clear = fmin(clear, light->eye[1] - light->ground_height);
    light->near = fmax(0.8 * clear, 1e-3 * light->far);
    light->view = sn_camera_frame(&scene->camera);
    double slope = tan(scene->camera.field_of_view * SN_PI / 360);
    for (int i = 0; i < 3; i++) light->view.right[i] *= slope * aspect, light->view.up[i] *= slope;
    sn_camera_matrix(&scene->camera, aspect, light->near, light->far, g->origin, light->camera_matrix);
    place_depths(light);
}

void sn_picture_light_place(SnPictureLight* light, const SnPictureScene* scene, const SnPictureGeometry* g,
                            double aspect)
{
    memset(light, 0, sizeof *light);
    double square = 0, middle[3] = {0};
    for (int i = 0; i < 3; i++) {
        light->eye[i] = scene->camera.eye[i] - g->origin[i];
        if (!(g->lo[i] <= g->hi[i])) continue; // nothing to draw
        double lo = (double)g->lo[i], hi = (double)g->hi[i];
        middle[i] = (lo + hi) / 2;
        square += (hi - lo) * (hi - lo) / 4;
    }
    place_ball(light, middle, square > 0 ? 1.01 * sqrt(square) : 1);
    place_by_camera(&scene->camera, -0.62, 1.15, 0.55, light->key);
    place_by_camera(&scene->camera, 0.9, 0.35, 0.8, light->fill);
    double along[3] = {-light->key[0], -light->key[1], -light->key[2]};
    sn_camera_parallel_matrix(along, light->centre, light->radius, light->key_matrix);
    place_sky(light, EFFORTS[scene->quality].sky);
    light->blocker_count = EFFORTS[scene->quality].blockers;
    light->tap_count = EFFORTS[scene->quality].taps;
    // Fine lines are no edges that could be told from their pixels, and transparent ones have no colour of their own.
    light->multisampled = EFFORTS[scene->quality].multisampled || scene->transparent || scene->wireframe;
    light->shade_size = EFFORTS[scene->quality].shade;
    light->key_size = EFFORTS[scene->quality].key;
    place_ground(light, scene, g);
    place_shade(light);
    place_camera(light, scene, g, aspect);
}
