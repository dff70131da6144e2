// The obstacles of a run as triangles, where they are in a frame; endless planes as squares.
#pragma once
#include <sinew/run.h>

typedef struct SnPlacedObstacle {
    const SnRunObstacle* obstacle;
    int vertex_count, triangle_count;
    const int* triangles; // 3 x triangle_count, outward
    double* vertices;     // 3 x vertex_count, before it is moved
    double* positions;    // 3 x vertex_count: in the frame that was read last
    SnPose pose;          // of that frame
} SnPlacedObstacle;

typedef struct SnPlacedObstacles {
    SnRunFile* run;
    int count;
    SnPlacedObstacle* items; // in the order of the run
} SnPlacedObstacles;

// As in frame 0; a plane is a square of `extent` m to each side. The run must stay open.
SnStatus sn_placed_obstacles_create(SnRunFile* run, double extent, SnPlacedObstacles** placed);
void sn_placed_obstacles_destroy(SnPlacedObstacles* placed); // NULL is fine
SnStatus sn_placed_obstacles_read(SnPlacedObstacles* placed, int frame);
