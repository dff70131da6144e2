// The obstacles of a run, made from the scene that it keeps.
#pragma once
#include "view/picture.h"

typedef struct SnRunObstacles SnRunObstacles;

// Surfaces for pictures of a scene `size` m large; names: the run's path, beside which meshes are looked for. Where the
// scene cannot be read any more there are none.
SnStatus sn_run_obstacles_create(const char* scene, const char* path, double size, SnRunObstacles** obstacles);
void sn_run_obstacles_destroy(SnRunObstacles* obstacles);
int sn_run_obstacles_count(const SnRunObstacles* obstacles);
SnPictureBody sn_run_obstacles_body(const SnRunObstacles* obstacles, int index); // its positions are updated by:
SnStatus sn_run_obstacles_move(SnRunObstacles* obstacles, double time);
// The height of a level floor, which the picture's own ground stands for; false: there is none.
bool sn_run_obstacles_floor(const SnRunObstacles* obstacles, double* height);
