// Run files without a world: what the functions of sinew/run.h that take one are made of.
#pragma once
#include <sinew/run.h>

// Where an obstacle is.
typedef struct SnRunPlace {
    SnPose pose;
    const double* vertices; // 3 x vertex_count; NULL: as in the frame before
} SnRunPlace;

typedef struct SnRunFrame {
    int64_t step;
    double time;
    const double* positions;  // 3 x node_count
    const double* velocities; // 3 x node_count
    const SnRunStep* steps;   // rows since the last frame
    int step_count;
    const double* values; // of the probes, of each row
    const SnLoss* losses; // at this step
    int loss_count;
    const void* state; // checkpoint
    size_t state_size;
    const SnRunPlace* places;      // one for each obstacle
    const SnContactInfo* contacts; // that push
    int contact_count;
    const SnEvent* events; // what was changed since the last frame
    int event_count;
} SnRunFrame;

typedef struct SnRunDef {
    const char* name;
    const char* scene;
    double time_step;
    const SnBodyInfo* bodies; // nodes one body after the other
    int body_count;
    bool compress;
    const SnRunObstacle* obstacles;
    int obstacle_count;
    bool contacts;             // are kept
    const SnValueInfo* probes; // numbers that are measured
    int probe_count;
} SnRunDef;

SnStatus sn_run_file_create_from(const char* path, const SnRunDef* def, const SnRunFrame* start, SnRunFile** run);
SnStatus sn_run_file_append(SnRunFile* run, const SnRunFrame* frame);
SnStatus sn_run_file_open_to_append(const char* path, SnRunFile** run);
// Of unit length: against gravity, or, where there is none, as the scene says.
SnStatus sn_run_file_up(SnRunFile* run, double up[3]);
// An error where contacts were not kept.
SnStatus sn_run_file_need_contacts(const SnRunFile* run);
// The newest checkpoint: *state is allocated (sn_free).
SnStatus sn_run_file_read_checkpoint(SnRunFile* run, int64_t* step, void** state, size_t* state_size);
// Drops frames and steps after `step` from a file opened to append.
SnStatus sn_run_file_truncate(SnRunFile* run, int64_t step);
SnRunStep sn_run_step(const SnStepReport* report); // with the report's own texts

// sn_run_file_create with the start as the caller has measured it: the world's problem is not made.
SnStatus sn_run_file_create_measured(const char* path, SnWorld* world, const SnStepReport* start,
                                     const SnRunOptions* options, SnRunFile** run);
