// A run made again up to one of its steps, to go on from there another way.
#pragma once
#include <sinew/run.h>
#include <sinew/scene.h>

typedef struct SnRetraceDef {
    const SnScene* scene;
    const char *from, *to;    // run files: the one that is there, and the one that is made; NULL: it goes on itself
    int64_t step;             // up to which
    bool (*stop)(void* user); // whether to give up; asked before each step
    void* user;
} SnRetraceDef;

// The world in the state of that step (of the last one, where the file goes on itself), with all that was changed until
// then, and the run so far, a frame for each step.
SnStatus sn_retrace(const SnRetraceDef* def, SnWorld** world, SnRunFile** run);
