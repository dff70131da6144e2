// Handles and obstacles that are moved from outside, in place of their script.
#pragma once
#include "world/model.h"

// Of a handle that is: where its k-th node is at a time, and how it moves then.
void sn_steer_place(const SnHandle* handle, int k, double time, double x[3]);
void sn_steer_velocity(const SnHandle* handle, int k, double time, double v[3]);
// Where an obstacle is at a time, by its script or not.
void sn_steer_pose(const SnWorldObstacle* obstacle, double time, SnPose* pose);

SnStatus sn_steer_check_pose(const SnPose* pose, const char* noun, int number); // that it is one
