// A run as it was after one of its steps, to go on from there: by the nearest checkpoint, and the steps since made
// again.
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

typedef struct SnRetraced {
    SnWorld* world; // in the state of that step (of the last one, where the file goes on itself), with all that was
                    // changed until then
    SnRunFile* run; // to go on with: a copy of the frames so far, or the file itself
    int64_t made;   // how many steps were made again
    char why[160];  // that were all of them, though there is a checkpoint; "": they were not
} SnRetraced;

SnStatus sn_retrace(const SnRetraceDef* def, SnRetraced* retraced);
