// The world of a run's scene, made again: for what its file does not keep.
#pragma once
#include <sinew/run.h>
#include <sinew/scene.h>

// The scene is read with the changes that the run was started with; files that it names are looked for where they
// were, as seen from the run.
SnStatus sn_remake_scene(SnRunFile* run, SnScene** scene);
// Keeps in the run where that is: the way from its folder to the scene's. Beside the run, nothing is kept.
SnStatus sn_remake_note_folder(SnRunFile* run, const SnScene* scene);
// As it is before the first step; an error where it is not the run's, as files were changed.
SnStatus sn_remake_world(SnRunFile* run, SnScene* scene, SnWorld** world);
// Such a world, as a frame of the run has it: nodes are there, materials and actuators have the numbers that they had
// got by then. Fields can be asked for, steps cannot be made. It may be another one afterwards, or, with an error,
// NULL.
SnStatus sn_remake_go(SnRunFile* run, SnScene* scene, SnWorld** world, int frame, const double* positions,
                      const double* velocities);
// Puts nodes where a frame has them, with their velocities, at its time; 3 x node_count. Fields can be asked for, steps
// cannot be made.
void sn_remake_set(SnWorld* world, double time, const double* positions, const double* velocities);
