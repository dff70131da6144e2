// The ways of some nodes of each body through the last frames, drawn as thin tubes.
#pragma once
#include "view/run_picture.h"

typedef struct SnRunTrails SnRunTrails;

// seconds: how long before a frame they begin. The scene of the picture gets a rope for each, drawn once shown.
SnStatus sn_run_trails_create(SnRunPicture* picture, double seconds, SnRunTrails** trails);
void sn_run_trails_destroy(SnRunTrails* trails); // before the picture; NULL is fine
// Those that end in this frame, in the scene of the picture.
void sn_run_trails_show(SnRunTrails* trails, int frame);
