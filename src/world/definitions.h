// The checks of definitions.
#pragma once
#include <sinew/world.h>

// Checks it, and gives it with every name as its table has it: the caller's texts may go away.
SnStatus sn_world_def_resolve(const SnWorldDef* def, SnWorldDef* out);
SnStatus sn_check_time_step(double time_step);
