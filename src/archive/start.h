// Worlds that start where another run was (`from` of a scene): besides sn_run_start_world (sinew/run.h).
#pragma once
#include <sinew/run.h>
#include <sinew/scene.h>

// The same for a run that there is: by its own first frame, so that the other run may have grown since, or be gone.
SnStatus sn_start_again(SnRunFile* run, const SnScene* scene, SnWorld** world);
// Refuses to write a run over the one that its scene starts from.
SnStatus sn_start_check_output(const SnScene* scene, const char* path);
// Whether two paths lead to one file.
bool sn_is_same_file(const char* path, const char* other);
