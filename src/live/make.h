// New bodies for a world that runs, as a page asks for them.
#pragma once
#include <sinew/world.h>

// A ball, a block or a sheet (0, 1, 2), so large across, with its middle there; of the material of the first body that
// has such elements, or soft rubber.
enum { SN_MAKE_KINDS = 3 };
SnStatus sn_make_body(SnWorld* world, int kind, double size, const double at[3]);
