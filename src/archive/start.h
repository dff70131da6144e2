// Worlds that start where another run was (`from` of a scene).
#pragma once
#include <sinew/run.h>
#include <sinew/scene.h>

// The world of a scene, where its `from` has it: places, velocities and time of that frame. What it adds to the
// energies is the start's; what integrators look back to and forces of contacts begin anew.
SnStatus sn_start_world(const SnScene* scene, SnWorld** world);
