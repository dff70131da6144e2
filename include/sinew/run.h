// Run files: all that a run was given and came to, in one SQLite database. docs/run-file.md describes every table.
//
// Writing: create; after each step add_step, and write_frame where a frame is wanted; close. One transaction per frame:
// a run killed at any instant opens and holds every frame that was written.
// Reading: open and ask. Readers never wait for the writer nor the writer for them; everything read is checked.
// A SnRunFile is used by one thread at a time.
#ifndef SINEW_RUN_H
#define SINEW_RUN_H

#include <sinew/probe.h>
#include <sinew/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnRunFile SnRunFile;

// --- Writing ---

typedef struct SnRunOptions {
    const char* name;  // of the scene
    const char* scene; // its text, for people and to compare with when the run is resumed
    bool compress;     // by zlib: frames are mostly 5 to 10 % smaller, and take four times as long to write
    bool contacts;     // what pushes in each frame is kept
    bool residuals;    // what solves have left over at each node is kept, as floats
    bool checkpoints;  // some are kept on the way and not the newest alone, so that one can go back; a quarter more, at
                       // most, than frames take
} SnRunOptions;

SN_API SnRunOptions sn_default_run_options(void);
// Starts a run file with the world's present state as frame 0. An earlier run file of that name is replaced (its
// readers are told so); any other file, and a run that another program is writing, is left alone with an error. options
// may be NULL.
SN_API SnStatus sn_run_file_create(const char* path, SnWorld* world, const SnRunOptions* options, SnRunFile** run);
// Opens a run, finished or killed, to go on with it: checks that it was made from this scene (NULL: any) and a world of
// these bodies and obstacles, puts the world into the newest checkpoint's state and drops what comes after it.
SN_API SnStatus sn_run_file_resume(const char* path, const char* scene, SnWorld* world, SnRunFile** run);
// Keeps the report of a step, to be written with the next frame.
SN_API SnStatus sn_run_file_add_step(SnRunFile* run, const SnStepReport* report);
// Writes the world's state as a frame, with the steps since the last one. When it fails the file is as before.
SN_API SnStatus sn_run_file_write_frame(SnRunFile* run, SnWorld* world);
// Adds or replaces a text of the meta table, at once.
SN_API SnStatus sn_run_file_set_meta(SnRunFile* run, const char* key, const char* text);

// --- Opening and closing ---

SN_API SnStatus sn_run_file_open(const char* path, SnRunFile** run); // to read; the run may be going on
// Closes and frees. Call this for the status (a full disk may show only here) ...
SN_API SnStatus sn_run_file_close(SnRunFile* run);
// ... or this where there is nothing left to report; NULL is fine.
SN_API void sn_run_file_destroy(SnRunFile* run);

// --- What the run was given; pointers are valid until it is closed ---

SN_API const char* sn_run_file_path(const SnRunFile* run);
SN_API int sn_run_file_format(const SnRunFile* run); // 1 and 2 have no obstacles and know less of a step
SN_API const char* sn_run_file_name(const SnRunFile* run);
SN_API const char* sn_run_file_scene(const SnRunFile* run);
SN_API double sn_run_file_time_step(const SnRunFile* run); // s
SN_API bool sn_run_file_compressed(const SnRunFile* run);
// Any text of the meta table, valid until the next call; *text is NULL when there is no such key or it is no text.
SN_API SnStatus sn_run_file_meta(SnRunFile* run, const char* key, const char** text);

SN_API int sn_run_file_node_count(const SnRunFile* run); // of all bodies
SN_API int sn_run_file_body_count(const SnRunFile* run);
SN_API const SnBodyInfo* sn_run_file_bodies(const SnRunFile* run); // mass is NAN in formats 1 and 2

// An obstacle: triangles, or a plane.
typedef struct SnRunObstacle {
    const char* name;
    const char* type;                 // as in `sinew list obstacles`
    double friction, thickness;       // m
    bool plane;                       // endless: a point and the outward normal in place of triangles
    double point[3], normal[3];       // at time 0
    bool changes;                     // its vertices may be others from frame to frame
    int vertex_count, triangle_count; // the same throughout
    const int* triangles;             // 3 x triangle_count, outward
} SnRunObstacle;

SN_API int sn_run_file_obstacle_count(const SnRunFile* run);
SN_API const SnRunObstacle* sn_run_file_obstacles(const SnRunFile* run);

// The world of a scene, where its `from` has it: places, velocities and time of that frame of another run. What
// integrators look back to and forces of contacts begin anew. Without `from`, sn_scene_create_world.
SN_API SnStatus sn_run_start_world(const SnScene* scene, SnWorld** world);

// --- Frames, numbered 0 .. frame_count-1 in the order of their steps ---

SN_API int sn_run_file_frame_count(const SnRunFile* run);
SN_API SnStatus sn_run_file_refresh(SnRunFile* run); // counts frames written since it was opened or refreshed
SN_API int64_t sn_run_file_frame_step(const SnRunFile* run, int frame);
SN_API double sn_run_file_frame_time(const SnRunFile* run, int frame);
// positions and velocities: 3 x node_count each, or NULL when not wanted.
SN_API SnStatus sn_run_file_read_frame(SnRunFile* run, int frame, double* positions, double* velocities);
// Where an obstacle is in a frame, and its vertices (3 x vertex_count) before the pose is applied; or NULL.
SN_API SnStatus sn_run_file_read_obstacle(SnRunFile* run, int frame, int obstacle, SnPose* pose, double* vertices);

// What pushes in a frame; valid until the next call. Numbers have seven digits; slip, thickness and coefficient are
// NAN. None of files of formats before 5, and where contacts were not to be kept.
// N, node_count: what the solve before a frame has left over at each node. An error, where they were not kept; zero in
// the first frame.
SN_API SnStatus sn_run_file_read_residuals(SnRunFile* run, int frame, double* residuals);
SN_API SnStatus sn_run_file_read_contacts(SnRunFile* run, int frame, const SnContactInfo** contacts, int* count);

// --- Tables of steps ---

// A row of the step table. Row 0 is the state before the first step. What a file of an earlier format does not tell is
// NAN, 0 or "".
typedef struct SnRunStep {
    int64_t step;
    double time; // s
    int iterations, evaluations, factorizations;
    const char* outcome;        // sn_outcome_name
    const char* detail;         // why it stalled or has not settled
    int worst_count;            // where it stalled
    int worst[SN_WORST_NODES];  // nodes of the frame's arrays, the largest residual first
    double gradient, tolerance; // N: the residual, and the largest that was allowed
    SnEnergy energy;
    double momentum[3];         // kg m/s
    double angular_momentum[3]; // kg m2/s
    double impulse[3];          // what gravity, handles, contacts and dissipations gave of them since the start
    double angular_impulse[3];
    int contacts, crossings, parts, inverted, bounded, asleep; // as in SnStepReport
    double distance, depth, drift;                             // m, as in SnStepReport
    SnContactErrors errors;
    double ms_local, ms_global, ms_contact, ms_total; // local: evaluate + assemble, global: factor + solve
} SnRunStep;

typedef enum SnColumnType {
    SN_COLUMN_INT64,
    SN_COLUMN_INT,
    SN_COLUMN_REAL,  // double
    SN_COLUMN_TEXT,  // const char*
    SN_COLUMN_NODES, // int worst_count and worst[]; in the file a text, "7 12"
} SnColumnType;

// A column of the step table: its name in the file, and the member of SnRunStep.
typedef struct SnRunColumn {
    const char* name;
    SnColumnType type;
    size_t offset;
    const char* unit;    // "" for none
    const char* meaning; // for people, in Markdown; "": that of the column before it, along the next axis
} SnRunColumn;

SN_API const SnRunColumn* sn_run_columns(int* count);

// The rows of steps after `after` (-1: all), in order; valid until the next call.
SN_API SnStatus sn_run_file_read_steps(SnRunFile* run, int64_t after, const SnRunStep** steps, int* count);

// A row of the loss table: what a dissipation has taken since the start, at each frame.
typedef struct SnRunLoss {
    int64_t step;
    const char* name; // "BODY: TYPE"
    double energy;    // J
} SnRunLoss;

// The same of the loss table.
SN_API SnStatus sn_run_file_read_losses(SnRunFile* run, int64_t after, const SnRunLoss** losses, int* count);

// What probes have measured. Their numbers, as sn_world_value has them; none in files of formats before 8.
SN_API int sn_run_file_value_count(const SnRunFile* run);
SN_API const SnValueInfo* sn_run_file_values(const SnRunFile* run);
// Of steps after `after`, value_count for each of them, NAN where not known; valid until the next call.
SN_API SnStatus sn_run_file_read_values(SnRunFile* run, int64_t after, const int64_t** steps, const double** values,
                                        int* count);

// What was changed between steps while it went on, after steps later than `after` (-1: all), in order; to be made again
// with sn_world_apply. Valid until the next call; none in files of formats before 9.
SN_API SnStatus sn_run_file_read_events(SnRunFile* run, int64_t after, const SnEvent** events, int* count);

#ifdef __cplusplus
}
#endif
#endif
