// Steps of a run made again, with what was changed between them.
#pragma once
#include <sinew/run.h>

typedef struct SnAgain {
    SnWorld* world;  // as the run's was at its start
    SnRunFile* made; // for what comes out; NULL: nothing is written
    SnRunFile* run;  // which is made again: its changes are read from it
    int next, count; // changes
    const SnEvent* events;
} SnAgain;

// Reads the changes of again->run; path: makes a file for what comes out, not over the run itself, with those of its
// texts that a scene does not have.
SnStatus sn_again_start(SnAgain* again, const char* path, const SnRunOptions* options);
// After sn_again_start: puts the world into the newest checkpoint that is not after `step`, with all that was changed
// until then: each change is made where everything was when it was made, by the frame of its step, and the state taken
// from the checkpoint. *at: its step; 0: there is none, or the run does not tell enough, and nothing has changed. Where
// it fails the world is of no more use.
SnStatus sn_again_jump(SnAgain* again, int64_t step, int64_t* at);
// Changes what was changed after step now->step, and makes the next one. `now` has its report then.
SnStatus sn_again_step(SnAgain* again, SnStepReport* now);
