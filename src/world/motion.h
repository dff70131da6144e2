// Scripted motion: where a handle's node is at a given time.
#pragma once
#include <sinew/world.h>

#include "core/status.h"

SnStatus sn_motion_check(const SnMotion* motion);
// start: the node's position at time 0; out: at `time`.
void sn_motion_apply(const SnMotion* motion, double time, const double start[3], double out[3]);
// The motion as a rotation and a shift.
void sn_motion_pose(const SnMotion* motion, double time, SnPose* pose);
// Its velocity there; where the script has a corner, that at time + lean.
void sn_motion_velocity(const SnMotion* motion, double time, double lean, const double start[3], double out[3]);
