// How a run shows that it goes on: one line that is rewritten on a terminal, one line per frame elsewhere.
#pragma once
#include <sinew/world.h>

typedef struct SnProgress {
    bool quiet, terminal;
    int64_t first_step, last_step; // of this run of the program, which may have resumed another
    double start_ms;
    int outcomes[4];       // steps by SnOutcome
    int64_t first_trouble; // the first step that did not converge, 0: none
    char trouble[160];     // why, when it stalled
    int unkept;            // steps that converged, but not with contacts as they should be,
    int64_t first_unkept;  // and the first of them
    int64_t iterations;    // in all
    double drift, depth;   // m: the largest of any step
    int bounded, inverted; // steps in which inner loops came to their bounds, and that ended with inverted elements
    int most_inverted;     // elements,
    int last_inverted;     // and after the last step
    bool line_open;        // the terminal's line holds text
} SnProgress;

SnProgress sn_progress_start(bool quiet, int64_t first_step, int64_t last_step);
// After each step; frame_written: a frame was saved (lines are printed for these only).
void sn_progress_step(SnProgress* progress, const SnStepReport* report, bool frame_written);
// Ends the terminal's line, so that something else can be printed.
void sn_progress_clear(SnProgress* progress);
// How long it took and how many steps did not converge.
void sn_progress_summary(const SnProgress* progress);
