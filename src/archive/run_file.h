// Run files without a world: what the functions of sinew/run.h that take one are made of.
#pragma once
#include <sinew/run.h>

// Where an obstacle is.
typedef struct SnRunPlace {
    SnPose pose;
    const double* vertices; // 3 x vertex_count; NULL: as in the frame before
} SnRunPlace;

// What a run file holds in large pieces of bytes.
typedef enum SnRunArray {
    SN_RUN_POSITIONS,
    SN_RUN_VELOCITIES,
    SN_RUN_STATE, // the checkpoint
    SN_RUN_REST,  // of a body, as are those that follow
    SN_RUN_TETRAHEDRA,
    SN_RUN_TRIANGLES,
    SN_RUN_EDGES,
    SN_RUN_SURFACE
} SnRunArray;

// Where they come from, some bytes at a time, if nobody has all of them at once.
typedef struct SnRunPieces {
    void* self;
    double extent; // m, across all bodies: how much of an endless obstacle is kept
    int64_t (*size)(void* self, SnRunArray array, int body); // bytes
    SnStatus (*read)(void* self, SnRunArray array, int body, int64_t first, int64_t count, void* bytes);
} SnRunPieces;

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
    const float* residuals;  // node_count, N, or NULL
    const SnBodyInfo* later; // bodies that the run does not have yet, and that come after its own
    int later_count;
    const SnRunObstacle* later_obstacles; // the same of obstacles; places has theirs, with vertices
    int later_obstacle_count;
    const SnEvent* events; // what was changed since the last frame
    int event_count;
    const SnRunPieces* pieces; // positions, velocities and state come from there; NULL: they are here
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
    const SnRunPieces* pieces; // arrays of bodies come from there; NULL: they are in them
    bool residuals;            // are kept, too
    bool checkpoints;          // some of them, on the way
} SnRunDef;

SnStatus sn_run_file_create_from(const char* path, const SnRunDef* def, const SnRunFrame* start, SnRunFile** run);
SnStatus sn_run_file_append(SnRunFile* run, const SnRunFrame* frame);
SnStatus sn_run_file_open_to_append(const char* path, SnRunFile** run);
// Of unit length: against gravity, or, where there is none, as the scene says.
SnStatus sn_run_file_up(SnRunFile* run, double up[3]);
// An error where contacts were not kept.
SnStatus sn_run_file_need_contacts(const SnRunFile* run);
// The newest checkpoint up to the step `latest`: *state is allocated (sn_free). An error, where there is none.
SnStatus sn_run_file_read_checkpoint(SnRunFile* run, int64_t latest, int64_t* step, void** state, size_t* state_size);
// Its step; -1: there is none. And whether some stay on the way.
SnStatus sn_run_file_find_checkpoint(SnRunFile* run, int64_t latest, int64_t* step);
bool sn_run_file_keeps_checkpoints(const SnRunFile* run);
// That the world's bodies are those of the run, which may have more that came later.
SnStatus sn_run_file_check_bodies(SnRunFile* run, const SnWorld* world);
// The frame of a step; -1: it has none.
int sn_run_file_find_frame(const SnRunFile* run, int64_t step);
// Another run file that has all that this one had when the frame of `step` was written, to go on with.
SnStatus sn_run_file_copy(SnRunFile* run, int64_t step, const char* path, SnRunFile** made);
// Drops frames and steps after `step` from a file opened to append.
SnStatus sn_run_file_truncate(SnRunFile* run, int64_t step);
SnRunStep sn_run_step(const SnStepReport* report); // with the report's own texts

// The newest checkpoint and arrays of bodies, some bytes at a time; NULL is safe to close.
typedef struct SnRunBlob SnRunBlob;
SnStatus sn_run_blob_open(SnRunFile* run, SnRunArray array, int body, SnRunBlob** blob);
int64_t sn_run_blob_size(const SnRunBlob* blob);
SnStatus sn_run_blob_read(SnRunBlob* blob, int64_t first, int64_t count, void* bytes);
void sn_run_blob_close(SnRunBlob* blob);

// Runs of a world that this process has a part of; bodies: of the whole, without arrays. A file that is open has none
// of the meshes in memory.
typedef struct SnRunShared {
    SnWorld* part;
    const SnBodyInfo* bodies;
    const SnRunPieces* pieces;
    const SnContactInfo* contacts; // of all parts
    int contact_count;
} SnRunShared;
SnStatus sn_run_file_create_shared(const char* path, const SnRunShared* shared, const SnStepReport* start,
                                   const SnRunOptions* options, SnRunFile** run);
// To go on with; *step: of its newest checkpoint, after which everything was dropped.
SnStatus sn_run_file_resume_shared(const char* path, const char* scene, const SnRunShared* shared, SnRunFile** run);
SnStatus sn_run_file_write_shared(SnRunFile* run, const SnRunShared* shared);

// Nodes and bodies that a frame has: others came later, and are in one point there. And whether some came after the
// file was opened, which has to be opened again to know them.
int sn_run_file_nodes_at(const SnRunFile* run, int frame);
int sn_run_file_bodies_at(const SnRunFile* run, int frame);
bool sn_run_file_has_grown(const SnRunFile* run);

// Text of meta alone is to be read.
SnStatus sn_run_file_open_lightly(const char* path, SnRunFile** run);

// sn_run_file_create with the start as the caller has measured it: the world's problem is not made.
SnStatus sn_run_file_create_measured(const char* path, SnWorld* world, const SnStepReport* start,
                                     const SnRunOptions* options, SnRunFile** run);
