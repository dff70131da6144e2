// Scenes: a YAML file becomes a world. Problems are collected with file, line and remedy.
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnScene SnScene;

typedef struct SnSceneProblem {
    const char* file;
    int line, column; // 1-based; 0 when unknown
    bool warning;     // false: an error, the scene cannot be run
    const char* message;
} SnSceneProblem;

// Reads and interprets a scene, meshes included. overrides are `path=value` strings, such as
// "solver.type=newton" or "bodies.0.material.young=1e6". On SN_ERROR_FORMAT or SN_ERROR_VALUE *scene is still set, for
// its list of problems, and must be destroyed; sn_last_error() is the first problem.
SN_API SnStatus sn_scene_load(const char* path, const char* const* overrides, int override_count, SnScene** scene);
// The same from text; name stands for the file in messages and its folder is where meshes are looked for.
SN_API SnStatus sn_scene_parse(const char* text, size_t length, const char* name, const char* const* overrides,
                               int override_count, SnScene** scene);
SN_API void sn_scene_destroy(SnScene* scene);

SN_API int sn_scene_problem_count(const SnScene* scene);
SN_API SnSceneProblem sn_scene_problem(const SnScene* scene, int index);

SN_API const char* sn_scene_name(const SnScene* scene);
SN_API const char* sn_scene_text(const SnScene* scene); // the file as read
SN_API int sn_scene_frames(const SnScene* scene);
SN_API SnWorldDef* sn_scene_world_def(SnScene* scene); // may be changed before the world is created
SN_API SnStatus sn_scene_create_world(const SnScene* scene, SnWorld** world);

#ifdef __cplusplus
}
#endif
#endif
