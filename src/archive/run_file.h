// The run file: an SQLite database holding a run's scene, meshes, frames, step reports and newest checkpoint.
//
//     meta(key, value)   scene, name, version, time_step, compression, bodies, body.N.name, body.N.nodes ("first
//     count"),
//                        and blobs body.N.rest (float64) and body.N.tetrahedra .triangles .edges .surface (int32)
//     frame(step, time, positions, velocities)   little-endian float64 triples, compressed as meta.compression says
//     step(step, time, iterations, outcome, gradient, kinetic, ...)   one row per time step
//     impulse(step, px, py, pz, lx, ly, lz)   what gravity, handles and dissipations gave of the momenta
//     loss(step, name, joule)   what each dissipation has taken since the start, one row for each and frame
//     checkpoint(step, state)   the newest state, for exact resumption
//
// One transaction per frame: a run killed at any instant opens and holds every frame that was written. Readers never
// wait for the writer nor the writer for them (write-ahead log); a run closed in good order is a single file.
// A SnRunFile is used by one thread at a time. Everything read is checked: the file may come from anywhere.
#pragma once
#include <sinew/world.h>

typedef struct SnRunFile SnRunFile;

typedef enum SnCompression { SN_COMPRESSION_NONE, SN_COMPRESSION_ZLIB } SnCompression;

// A body's mesh. Node indices are the body's own: add first_node for the frame's arrays.
typedef struct SnRunBody {
    const char* name;
    int first_node, node_count;
    const double* rest; // 3 x node_count
    int tetrahedron_count;
    const int* tetrahedra; // 4 x tetrahedron_count
    int triangle_count;
    const int* triangles; // 3 x triangle_count, of a sheet
    int edge_count;
    const int* edges; // 2 x edge_count, of a rope
    int surface_count;
    const int* surface; // 3 x surface_count: boundary of the tetrahedra, or the sheet's triangles; outward
} SnRunBody;

// A row of the step table. Row 0 is the state before the first step.
typedef struct SnRunStep {
    int64_t step;
    double time; // s
    int iterations;
    char outcome[32];           // sn_outcome_name
    double gradient;            // N
    SnEnergy energy;            // J
    double momentum[3];         // kg m/s
    double angular_momentum[3]; // kg m2/s
    double impulse[3];          // what gravity, handles and dissipations gave of them since the start
    double angular_impulse[3];
    int contacts;
    double ms_local, ms_global, ms_contact, ms_total; // local: evaluate + assemble, global: factor + solve
} SnRunStep;

// A row of the loss table: what a dissipation has taken since the start, at each frame.
typedef struct SnRunLoss {
    int64_t step;
    char name[64];
    double energy; // J
} SnRunLoss;

// --- Writing the run of a world ---

typedef struct SnRunOptions {
    SnCompression compression;
} SnRunOptions;
SnRunOptions sn_default_run_options(void);

// Starts a run file with the world's present state as frame 0. An earlier run file of that name is replaced (its
// readers are told so); any other file, and a run that another program is writing, is left alone with an error. options
// may be NULL.
SnStatus sn_run_file_create(const char* path, const char* scene, const char* name, SnWorld* world,
                            const SnRunOptions* options, SnRunFile** run);
// Appends the world's state as a frame, with the reports of the steps since the last frame, in one transaction. When it
// fails the file is as before the call.
SnStatus sn_run_file_write_frame(SnRunFile* run, SnWorld* world, const SnStepReport* reports, int report_count);
// Opens a run, finished or killed, to go on with it: checks that it was made from this scene (NULL: any) and a world of
// these bodies, puts the world into the newest checkpoint's state and drops what comes after it in the file.
SnStatus sn_run_file_resume(const char* path, const char* scene, SnWorld* world, SnRunFile** run);
// Adds or replaces a text of the meta table, at once.
SnStatus sn_run_file_set_meta(SnRunFile* run, const char* key, const char* text);

// --- Reading ---

SnStatus sn_run_file_open(const char* path, SnRunFile** run); // read only; the run may be going on
// Closes and frees. Call this for the status (a full disk may show only here) ...
SnStatus sn_run_file_close(SnRunFile* run);
// ... or this where there is nothing left to report; NULL is fine.
void sn_run_file_destroy(SnRunFile* run);

const char* sn_run_file_path(const SnRunFile* run);
const char* sn_run_file_name(const SnRunFile* run);  // the scene's name
const char* sn_run_file_scene(const SnRunFile* run); // the scene's text
double sn_run_file_time_step(const SnRunFile* run);  // s
SnCompression sn_run_file_compression(const SnRunFile* run);
// Any text of the meta table, allocated (sn_free); *text is NULL when there is no such key or it is not a text.
SnStatus sn_run_file_meta(SnRunFile* run, const char* key, char** text);

int sn_run_file_node_count(const SnRunFile* run); // of all bodies
int sn_run_file_body_count(const SnRunFile* run);
const SnRunBody* sn_run_file_bodies(const SnRunFile* run); // body_count of them, valid while the run file is open

// Frames are numbered 0 .. frame_count-1 in the order of their steps.
int sn_run_file_frame_count(const SnRunFile* run);
SnStatus sn_run_file_refresh(SnRunFile* run); // counts frames that were written since it was opened or refreshed
int64_t sn_run_file_frame_step(const SnRunFile* run, int frame);
double sn_run_file_frame_time(const SnRunFile* run, int frame);
// positions and velocities: 3 x node_count each, or NULL when not wanted.
SnStatus sn_run_file_read_frame(SnRunFile* run, int frame, double* positions, double* velocities);

// The rows of steps after `after` (-1: all), in order: *steps is allocated (sn_free), *count long.
SnStatus sn_run_file_read_steps(SnRunFile* run, int64_t after, SnRunStep** steps, int* count);
// The same of the loss table.
SnStatus sn_run_file_read_losses(SnRunFile* run, int64_t after, SnRunLoss** losses, int* count);

// --- The same without a world: what the functions above are made of ---

typedef struct SnRunFrame {
    int64_t step;
    double time;
    const double* positions;  // 3 x node_count
    const double* velocities; // 3 x node_count
    const SnRunStep* steps;   // rows since the last frame
    int step_count;
    const SnLoss* losses; // at this step
    int loss_count;
    const void* state; // checkpoint
    size_t state_size;
} SnRunFrame;

typedef struct SnRunDef {
    const char* name;
    const char* scene;
    double time_step;
    const SnRunBody* bodies; // nodes one body after the other
    int body_count;
    SnCompression compression;
} SnRunDef;

SnStatus sn_run_file_create_from(const char* path, const SnRunDef* def, const SnRunFrame* start, SnRunFile** run);
SnStatus sn_run_file_append(SnRunFile* run, const SnRunFrame* frame);
SnStatus sn_run_file_open_to_append(const char* path, SnRunFile** run);
// The newest checkpoint: *state is allocated (sn_free).
SnStatus sn_run_file_read_checkpoint(SnRunFile* run, int64_t* step, void** state, size_t* state_size);
// Drops frames and steps after `step` from a file opened to append.
SnStatus sn_run_file_truncate(SnRunFile* run, int64_t step);
SnRunStep sn_run_step(const SnStepReport* report);
