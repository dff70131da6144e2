// The frames of a run file as surfaces for crossings.h, and how deep nodes are in obstacles that are no meshes.
#pragma once
#include <sinew/run.h>

#include "crossings.h"

typedef struct CrossingRun {
    SnRunFile* file;
    CrossingSurface surface; // bodies, skins where these are what touches, then obstacles of type mesh or terrain
    bool skins;              // a body that carries a skin has its surface there
    int body_nodes;          // of surface.node_count: the world's, then vertices of skins
    double *x, *before;      // 3 x surface.node_count: the frame that was read last, and the one before it
    int frame, frame_before; // which these are
    double* vertices;        // of any one obstacle
} CrossingRun;

// The depth of the deepest outer node in analytic obstacles, 0 when none is inside.
typedef struct CrossingDepth {
    double depth; // m
    int nodes;    // inside
    int node, obstacle;
} CrossingDepth;

// Functions are as those of the library: the message is in sn_last_error(), but of memory.
SnStatus crossing_run_open(const char* path, CrossingRun* run);
SnStatus crossing_run_open_skins(const char* path, CrossingRun* run); // those of all bodies that have one are looked at
void crossing_run_close(CrossingRun* run);
SnStatus crossing_run_read(CrossingRun* run, int frame); // the frame read before goes to `before`
// Whether there is one step between these two, and it was taken as a whole: of others the run file does not have the
// ways, which were not straight.
SnStatus crossing_run_straight(CrossingRun* run, bool* straight);
SnStatus crossing_run_depth(CrossingRun* run, int frame, CrossingDepth* depth);
