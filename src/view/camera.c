// Camera geometry: projection matrices, and the exact fit of a view pyramid of given direction around points.
#include "view/camera.h"

#include <math.h>

#include "core/parameter.h"
#include "core/pi.h"
#include "linalg/vec3.h"

// The two three-quarter views, as azimuth from +z towards +x and elevation, degrees.
static const double VIEW_AZIMUTH[SN_CAMERA_VIEWS] = {28, 62};
static const double VIEW_ELEVATION = 20;
static const double VIEW_FIELD = 30;

SnStatus sn_camera_check(const SnCamera* camera)
{
    static const SnParameter parameters[] = {
        {"eye", SN_NUMBER, offsetof(SnCamera, eye), .count = 3, .unit = "m"},
        {"target", SN_NUMBER, offsetof(SnCamera, target), .count = 3, .unit = "m"},
        {"up", SN_NUMBER, offsetof(SnCamera, up), .count = 3},
        {"field of view", SN_NUMBER, offsetof(SnCamera, field_of_view), .value = "30", .range = ">0 <180",
         .unit = "degrees"},
        {0},
    };
    double view[3], side[3];
    SN_TRY(sn_parameters_check(parameters, camera, "camera:"));
    for (int i = 0; i < 3; i++) view[i] = camera->target[i] - camera->eye[i];
    if (!(sn_dot3(view, view) > 0)) return sn_fail(SN_ERROR_VALUE, "camera: eye and target are the same point");
    sn_cross3(view, camera->up, side);
    if (!(sn_dot3(side, side) > 1e-16 * sn_dot3(view, view) * sn_dot3(camera->up, camera->up)))
        return sn_fail(SN_ERROR_VALUE, "camera: up (%g, %g, %g) is parallel to the view", camera->up[0], camera->up[1],
                       camera->up[2]);
    return SN_OK;
}

SnCameraFrame sn_camera_frame(const SnCamera* camera)
{
    SnCameraFrame frame;
    for (int i = 0; i < 3; i++) frame.forward[i] = camera->target[i] - camera->eye[i];
    sn_normalize3(frame.forward);
    sn_cross3(frame.forward, camera->up, frame.right);
    sn_normalize3(frame.right);
    sn_cross3(frame.right, frame.forward, frame.up);
    return frame;
}

void sn_camera_matrix(const SnCamera* camera, double aspect, double near, double far, const double origin[3],
                      double matrix[16])
{
    SnCameraFrame frame = sn_camera_frame(camera);
    double focal = 1 / tan(camera->field_of_view * SN_PI / 360), eye[3];
    for (int i = 0; i < 3; i++) eye[i] = camera->eye[i] - origin[i];
    double depth = sn_dot3(frame.forward, eye);
    for (int i = 0; i < 3; i++) {
        matrix[4 * i + 0] = focal / aspect * frame.right[i];
        matrix[4 * i + 1] = focal * frame.up[i];
        matrix[4 * i + 2] = (far + near) / (far - near) * frame.forward[i];
        matrix[4 * i + 3] = frame.forward[i];
    }
    matrix[12] = -focal / aspect * sn_dot3(frame.right, eye);
    matrix[13] = -focal * sn_dot3(frame.up, eye);
    matrix[14] = -(far + near) / (far - near) * depth - 2 * far * near / (far - near);
    matrix[15] = -depth;
}

void sn_camera_parallel_matrix(const double direction[3], const double centre[3], double radius, double matrix[16])
{
    double up[3] = {0, 1, 0};
    if (fabs(direction[1]) > 0.99 * sn_length3(direction)) up[1] = 0, up[2] = 1;
    SnCamera camera = {.up = {up[0], up[1], up[2]}};
    for (int i = 0; i < 3; i++) camera.target[i] = direction[i];
    SnCameraFrame frame = sn_camera_frame(&camera);
    for (int i = 0; i < 3; i++) {
        matrix[4 * i + 0] = frame.right[i] / radius;
        matrix[4 * i + 1] = frame.up[i] / radius;
        matrix[4 * i + 2] = frame.forward[i] / radius;
        matrix[4 * i + 3] = 0;
    }
    matrix[12] = -sn_dot3(frame.right, centre) / radius;
    matrix[13] = -sn_dot3(frame.up, centre) / radius;
    matrix[14] = -sn_dot3(frame.forward, centre) / radius;
    matrix[15] = 1;
}

// A camera at the origin looking along the given three-quarter view.
static SnCamera view_camera(int view, double field_of_view)
{
    double azimuth = VIEW_AZIMUTH[view] * SN_PI / 180, elevation = VIEW_ELEVATION * SN_PI / 180;
    SnCamera camera = {.up = {0, 1, 0}, .field_of_view = field_of_view};
    camera.target[0] = -sin(azimuth) * cos(elevation);
    camera.target[1] = -sin(elevation);
    camera.target[2] = -cos(azimuth) * cos(elevation);
    return camera;
}

void sn_camera_orbit(SnCamera* camera, double angle)
{
    double k[3] = {camera->up[0], camera->up[1], camera->up[2]}, d[3], cross[3];
    sn_normalize3(k);
    sn_subtract3(camera->eye, camera->target, d);
    sn_cross3(k, d, cross);
    double along = sn_dot3(k, d) * (1 - cos(angle));
    for (int i = 0; i < 3; i++)
        camera->eye[i] = camera->target[i] + d[i] * cos(angle) + cross[i] * sin(angle) + k[i] * along;
}

// Slopes of the view pyramid that leaves the margin free.
static void fit_slopes(const SnCameraFit* fit, double* horizontal, double* vertical)
{
    *vertical = tan(fit->field_of_view * SN_PI / 360) * (1 - fit->margin);
    *horizontal = *vertical * fit->aspect;
}

void sn_camera_fit_begin(SnCameraFit* fit, double aspect, double margin)
{
    *fit = (SnCameraFit){.aspect = aspect, .margin = margin, .field_of_view = VIEW_FIELD};
    for (int i = 0; i < 3; i++) fit->lo[i] = INFINITY, fit->hi[i] = -INFINITY;
    for (int v = 0; v < SN_CAMERA_VIEWS; v++)
        fit->views[v].right = fit->views[v].left = fit->views[v].top = fit->views[v].bottom = -INFINITY;
}

// The largest n . p, p a point, or what becomes of it as it goes around the axis.
static double support(const SnCameraFit* fit, const double n[3], const double* p)
{
    if (!fit->around) return sn_dot3(n, p);
    double radius = hypot(p[0] - fit->axis[0], p[2] - fit->axis[1]), middle[3] = {fit->axis[0], p[1], fit->axis[1]};
    return sn_dot3(n, middle) + radius * hypot(n[0], n[2]);
}

// A point p is inside the right side plane when p.right - e.right <= slope (p.forward - e.forward); the largest
// p.right - slope p.forward is all that the eye e has to know. The other three planes likewise.
static void add_to_view(SnCameraFit* fit, int view, const double* points, int count, double radius)
{
    SnCamera camera = view_camera(view, fit->field_of_view);
    SnCameraFrame frame = sn_camera_frame(&camera);
    double slope[2], planes[4][3], pads[2];
    double* sides[4] = {&fit->views[view].right, &fit->views[view].left, &fit->views[view].top,
                        &fit->views[view].bottom};
    fit_slopes(fit, &slope[0], &slope[1]);
    for (int k = 0; k < 4; k++) {
        const double* across = k < 2 ? frame.right : frame.up;
        for (int i = 0; i < 3; i++) planes[k][i] = (k % 2 ? -1 : 1) * across[i] - slope[k / 2] * frame.forward[i];
        pads[k / 2] = radius * sqrt(1 + slope[k / 2] * slope[k / 2]);
    }
    for (int i = 0; i < count; i++) {
        const double* p = points + 3 * i;
        if (!isfinite(p[0] + p[1] + p[2])) continue;
        for (int k = 0; k < 4; k++) *sides[k] = fmax(*sides[k], support(fit, planes[k], p) + pads[k / 2]);
    }
}

void sn_camera_fit_add(SnCameraFit* fit, const double* points, int count, double radius)
{
    for (int v = 0; v < SN_CAMERA_VIEWS; v++) add_to_view(fit, v, points, count, radius);
    for (int i = 0; i < count; i++) {
        const double* p = points + 3 * i;
        if (!isfinite(p[0] + p[1] + p[2])) continue;
        fit->count++;
        for (int k = 0; k < 3; k++) {
            fit->lo[k] = fmin(fit->lo[k], p[k] - radius);
            fit->hi[k] = fmax(fit->hi[k], p[k] + radius);
        }
    }
}

void sn_camera_fit_finish(const SnCameraFit* fit, SnCamera* camera)
{
    bool any = fit->count > 0;
    int view = any && fit->hi[2] - fit->lo[2] > 1.2 * (fit->hi[0] - fit->lo[0]) ? 1 : 0;
    *camera = view_camera(view, fit->field_of_view);
    SnCameraFrame frame = sn_camera_frame(camera);
    double slope_x, slope_y, centre[3] = {0}, diagonal = 0;
    fit_slopes(fit, &slope_x, &slope_y);
    for (int i = 0; any && i < 3; i++) {
        centre[i] = (fit->lo[i] + fit->hi[i]) / 2;
        diagonal += (fit->hi[i] - fit->lo[i]) * (fit->hi[i] - fit->lo[i]);
    }
    double size = diagonal > 0 ? sqrt(diagonal) : 1, depth = sn_dot3(frame.forward, centre);
    double x = sn_dot3(frame.right, centre), y = sn_dot3(frame.up, centre), z = depth - size;
    if (any) { // the two planes of a pair meet the points at once; the farther pair decides the distance
        x = (fit->views[view].right - fit->views[view].left) / 2;
        y = (fit->views[view].top - fit->views[view].bottom) / 2;
        z = fmin(-(fit->views[view].right + fit->views[view].left) / (2 * slope_x),
                 -(fit->views[view].top + fit->views[view].bottom) / (2 * slope_y));
        z = fmin(z, depth - 1e-3 * size);
    }
    if (!(diagonal > 0)) z = depth - 1; // a single point
    double away = depth - z, level = hypot(frame.forward[0], frame.forward[2]);
    for (int i = 0; i < 3; i++) camera->eye[i] = x * frame.right[i] + y * frame.up[i] + z * frame.forward[i];
    if (any && fit->around) // the target is on the axis
        away =
            ((fit->axis[0] - camera->eye[0]) * frame.forward[0] + (fit->axis[1] - camera->eye[2]) * frame.forward[2]) /
            (level * level);
    for (int i = 0; i < 3; i++) camera->target[i] = camera->eye[i] + away * frame.forward[i];
}
