// Scripted motion: where a handle's node is at a given time.
#pragma once
#include <sinew/world.h>

#include "core/parameter.h"

// Members of SnMotion, by the mappings of a scene; angles of the rows are in degrees.
extern const SnParameter sn_motion_parameters[], sn_rotate_parameters[], sn_oscillate_parameters[];

SnStatus sn_motion_check(const SnMotion* motion);
// Checked, with keyframes of its own, which the caller frees.
SnStatus sn_motion_copy(const SnMotion* given, SnMotion* motion, SnKeyframe** keyframes);
// start: the node's position at time 0; out: at `time`.
void sn_motion_apply(const SnMotion* motion, double time, const double start[3], double out[3]);
// The motion as a rotation and a shift.
void sn_motion_pose(const SnMotion* motion, double time, SnPose* pose);
// Its velocity there; where the script has a corner, that at time + lean.
void sn_motion_velocity(const SnMotion* motion, double time, double lean, const double start[3], double out[3]);
