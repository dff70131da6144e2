// Pictures of a run file: its bodies as surfaces and ropes, a camera that sees the whole motion, any frame drawn.
#pragma once
#include "view/picture.h"
#include "view/run_obstacles.h"
#include <sinew/run.h>

typedef struct SnRunPicture {
    SnRunFile* run;           // not owned
    double* positions;        // 3 x node_count, of the frame read last
    double turn[9];           // takes the run's up, against gravity, to the picture's, y; row after row
    bool turned;              // it is no identity
    double* drawn;            // 3 x node_count: positions where they are drawn; positions itself where nothing turns
    double** carried;         // one per body of the run: the vertices of its skin as they are drawn; NULL: it has none
    float** colours;          // one per body of the run: 3 per vertex of its skin, as its file has them; NULL: none
    SnPictureSurface** owned; // one per body of the run, NULL for ropes
    SnPictureBody* bodies;    // scene.body_count
    SnRunObstacles* obstacles;
    SnPictureRope* ropes;    // scene.rope_count
    SnCameraFit moves, seen; // what bodies need, and with obstacles that are no stage
    SnPictureScene scene;    // ready to draw; callers may change camera, ground, wireframe, quality
} SnRunPicture;

// Reads frames spread over the run to fit camera and ground to the motion in a picture of this width / height.
SnStatus sn_run_picture_create(SnRunFile* run, double aspect, SnRunPicture** picture);
void sn_run_picture_destroy(SnRunPicture* picture);
// A camera that sees the whole motion from all sides, as it goes around its target.
SnStatus sn_run_picture_fit_around(SnRunPicture* picture);
// A point of the run, where the picture has it.
void sn_run_picture_turn(const SnRunPicture* picture, double x[3]);
// Reads a frame into the scene; draw the scene next.
SnStatus sn_run_picture_read(SnRunPicture* picture, int frame);
