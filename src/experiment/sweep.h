// Sweeps: a scene run with all combinations of some values, each by a process of its own, and what came of them.
#pragma once
#include <sinew/run.h>
#include <stdio.h>

#include "core/arena.h"

enum { SN_SWEEP_MOST_OVERS = 8, SN_SWEEP_MOST_CASES = 100000 };

// A key of the scene and the values it takes.
typedef struct SnSweepOver {
    const char* path; // "bodies.bar.material.young"
    int count;
    const char** values;
} SnSweepOver;

typedef struct SnSweepCase {
    const char* values[SN_SWEEP_MOST_OVERS]; // one of each over
    bool done;                               // its run has all its steps
    const char* failure;                     // why it has not; NULL: not tried
} SnSweepCase;

typedef struct SnSweep {
    SnArena arena;
    const char *program, *scene, *folder; // who runs a case; what; where to
    char* text;                           // of the scene, as it is now; NULL: not known
    const char* const* fixed;             // `--set` of all cases
    int fixed_count;
    int jobs; // processes at a time
    bool quiet;
    int over_count;
    SnSweepOver overs[SN_SWEEP_MOST_OVERS];
    int case_count, case_capacity;
    SnSweepCase* cases;
} SnSweep;

void sn_sweep_free(SnSweep* sweep);
// "PATH=V1,V2,..."; commas within brackets do not count.
SnStatus sn_sweep_add_over(SnSweep* sweep, const char* text);
SnStatus sn_sweep_add_case(SnSweep* sweep, const char* const* values); // copied; its number is case_count before
SnStatus sn_sweep_combine(SnSweep* sweep);                             // all cases

// "FOLDER/007.run"; of the arena, NULL: out of memory.
const char* sn_sweep_path(SnSweep* sweep, int number, const char* ending);
// The command of a case for a shell, quoted.
SnStatus sn_sweep_write_command(SnSweep* sweep, int number, FILE* file);
// The folder, its list of cases and what they are of; an error where it has those of another study.
SnStatus sn_sweep_open(SnSweep* sweep);
SnStatus sn_sweep_reopen(SnSweep* sweep); // overs and cases from the folder
void sn_sweep_look(SnSweep* sweep);       // which of them are done
// Runs those from `first` on that are not done; *stopped: somebody pressed Ctrl-C.
SnStatus sn_sweep_run(SnSweep* sweep, int first, bool* stopped);
// A script for Slurm, or a file for GNU parallel, in the folder.
SnStatus sn_sweep_write_slurm(SnSweep* sweep);
SnStatus sn_sweep_write_parallel(SnSweep* sweep);

// FOLDER/table.csv and FOLDER/table.sqlite: a row for each case; of each number that was measured the last, least and
// most value.
SnStatus sn_sweep_write_table(SnSweep* sweep);

// Values of the overs between two bounds each ("LO:HI") such that a curve comes as near as can be to a measured one.
typedef struct SnSweepFit {
    const char *what, *of, *against; // of the probes (archive/measured.h); against NULL: time
    const char* curve;               // CSV: two columns, that axis and the value
    int most_runs;
    int runs;                                                      // that were made
    double misfit;                                                 // root of the mean square at the best
    double best[SN_SWEEP_MOST_OVERS], spread[SN_SWEEP_MOST_OVERS]; // and its standard deviation, by the curvature
    bool converged, stopped;
} SnSweepFit;
SnStatus sn_sweep_fit(SnSweep* sweep, SnSweepFit* fit);
