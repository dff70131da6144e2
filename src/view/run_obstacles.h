// The obstacles of a run as surfaces of pictures.
#pragma once
#include <sinew/run.h>

#include "view/picture.h"

typedef struct SnRunObstacles SnRunObstacles;

// Surfaces for pictures of a scene `size` m large, turned by a rotation; the run must stay open.
SnStatus sn_run_obstacles_create(SnRunFile* run, double size, const double turn[9], SnRunObstacles** obstacles);
void sn_run_obstacles_destroy(SnRunObstacles* obstacles);
int sn_run_obstacles_count(const SnRunObstacles* obstacles);
SnPictureBody sn_run_obstacles_body(const SnRunObstacles* obstacles, int index); // its positions are updated by:
bool sn_run_obstacles_is_plane(const SnRunObstacles* obstacles, int index);
// Planes with the eye behind them are not seen; NULL: all are.
SnStatus sn_run_obstacles_move(SnRunObstacles* obstacles, int frame, const double eye[3]);
// The height of a level floor, which the picture's own ground stands for; false: there is none.
bool sn_run_obstacles_floor(const SnRunObstacles* obstacles, double* height);
