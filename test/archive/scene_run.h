// A scene in a text, run for some steps into a file.
#pragma once
#include <sinew/run.h>
#include <sinew/scene.h>

#include "check.h"

static inline void write_run(const char* text, int steps, const char* path)
{
    SnScene* scene;
    SnWorld* world;
    SnRunFile* run;
    check_ok(sn_scene_parse(text, strlen(text), "test.yaml", NULL, 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    check_ok(sn_run_file_create(path, world, NULL, &run));
    for (int i = 0; i < steps; i++) {
        SnStepReport report;
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
        check_ok(sn_run_file_write_frame(run, world));
    }
    check_ok(sn_run_file_close(run));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}
