// New bodies and obstacles for a world that runs, as a page asks for them.
#pragma once
#include <sinew/world.h>

// A ball, a block or a sheet (0, 1, 2), so large across, with its middle there; of the material of the first body that
// has such elements, or soft rubber.
enum { SN_MAKE_KINDS = 3 };
SnStatus sn_make_body(SnWorld* world, int kind, double size, const double at[3]);
// The same of obstacles: a ball, a block, or a floor through that point, whose outside is up; friction as that of the
// first obstacle.
SnStatus sn_make_obstacle(SnWorld* world, int kind, double size, const double at[3], const double up[3]);
