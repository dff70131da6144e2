// A camera that moves: places at times, read from a file.
#pragma once
#include "view/camera.h"

typedef struct SnCameraPath SnCameraPath;

// Lines of TIME EX EY EZ TX TY TZ: s, where the camera stands, the point it looks at; # begins a comment.
SnStatus sn_camera_path_read(const char* path, SnCameraPath** out);
void sn_camera_path_destroy(SnCameraPath* path); // NULL is fine
// Eye and target at a time: smooth through the places (Catmull-Rom), constant outside.
void sn_camera_path_at(const SnCameraPath* path, double time, SnCamera* camera);
