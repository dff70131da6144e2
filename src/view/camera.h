// The camera of pictures: where it stands, and how to place it so that a whole motion stays in frame.
#pragma once
#include <sinew/base.h>

typedef struct SnCamera {
    double eye[3], target[3]; // m
    double up[3];             // need not be orthogonal to the view, only not parallel
    double field_of_view;     // vertical, degrees
} SnCamera;

// Right, up and forward of the view: orthonormal rows.
typedef struct SnCameraFrame {
    double right[3], up[3], forward[3];
} SnCameraFrame;

// Fails with SN_ERROR_VALUE when the camera looks nowhere: eye on target, up along the view, a field of view outside
// (0, 180), or a number that is not finite.
SnStatus sn_camera_check(const SnCamera* camera);
SnCameraFrame sn_camera_frame(const SnCamera* camera);

// Column-major 4 x 4 matrices, as OpenGL takes them; positions are taken relative to `origin`.
void sn_camera_matrix(const SnCamera* camera, double aspect, double near, double far, const double origin[3],
                      double matrix[16]);
// A parallel projection of the ball (centre 0, radius) along `direction` to the cube [-1, 1]^3.
void sn_camera_parallel_matrix(const double direction[3], const double centre[3], double radius, double matrix[16]);

// Around its target, about its up, by an angle in radians.
void sn_camera_orbit(SnCamera* camera, double angle);

// Fitting: begin, add the points of every frame, finish. For a fixed view direction the nearest eye that sees all
// points is exact: each side plane of the view pyramid touches the points.
enum { SN_CAMERA_VIEWS = 2 };
typedef struct SnCameraFit {
    double aspect, margin, field_of_view;
    double lo[3], hi[3]; // bounding box of what was added
    int64_t count;
    bool around;    // for a camera that goes around a vertical line: points are circles about it
    double axis[2]; // x and z of that line
    struct {
        double right, left, top, bottom; // the largest support of each side plane
    } views[SN_CAMERA_VIEWS];
} SnCameraFit;

// margin: the part of the half picture left free on each side, e.g. 0.1.
void sn_camera_fit_begin(SnCameraFit* fit, double aspect, double margin);
// Points with a coordinate that is not finite are passed over. `radius` widens each point to a ball.
void sn_camera_fit_add(SnCameraFit* fit, const double* points, int count, double radius);
// A three-quarter view from slightly above, across the longer horizontal side.
void sn_camera_fit_finish(const SnCameraFit* fit, SnCamera* camera);
