// The world of a run's scene, made again: for what its file does not keep.
#pragma once
#include <sinew/run.h>
#include <sinew/scene.h>

// The scene is read with the changes that the run was started with; files that it names are looked for beside the run.
SnStatus sn_remake_scene(SnRunFile* run, SnScene** scene);
// As it is before the first step; an error where it is not the run's, as files were changed.
SnStatus sn_remake_world(SnRunFile* run, SnScene* scene, SnWorld** world);
// Puts nodes where a frame has them, with their velocities; 3 x node_count. Fields can be asked for, steps cannot be
// made.
void sn_remake_set(SnWorld* world, const double* positions, const double* velocities);
