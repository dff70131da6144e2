// Inside a run file: the SQLite connection, its statements and what was read at opening. Included by run_*.c only.
#pragma once
#include "archive/run_file.h"

#include <sqlite3.h>

#include "core/arena.h"
#include "core/handle.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "run files hold little-endian numbers as they are in memory");

enum {
    RUN_APPLICATION_ID = 0x536e6577, // "Snew", at offset 68 of the file
    RUN_FORMAT_VERSION = 10,         // PRAGMA user_version; docs/run-file.md says what 1 to 9 had not
    RUN_PAGE_SIZE = 16384,           // 4096 takes 1.6 times as long for frames of 35k nodes
    RUN_PATIENCE_MS = 10000,         // how long a lock of another program is waited for
    RUN_IN_USE_MS = 500,             // the same where a lock means that somebody else has the file
};

typedef enum RunStatement {
    RUN_INSERT_FRAME,
    RUN_DELETE_CHECKPOINTS,
    RUN_INSERT_CHECKPOINT,
    RUN_SET_META,
    RUN_GET_META,
    RUN_LIST_FRAMES,
    RUN_GET_POSITIONS,
    RUN_GET_VELOCITIES,
    RUN_GET_CHECKPOINT,
    RUN_LIST_STEPS, // its text depends on the format
    RUN_SINCE_2,
    RUN_LIST_LOSSES = RUN_SINCE_2,
    RUN_INSERT_LOSS,
    RUN_SINCE_3,
    RUN_INSERT_OBSTACLE = RUN_SINCE_3,
    RUN_LIST_OBSTACLES,
    RUN_COUNT_OBSTACLES,
    RUN_INSERT_POSE,
    RUN_GET_POSE,
    RUN_INSERT_SHAPE,
    RUN_GET_SHAPE,
    RUN_SINCE_5,
    RUN_INSERT_CONTACTS = RUN_SINCE_5,
    RUN_GET_CONTACTS,
    RUN_SINCE_7,
    RUN_INSERT_SKIN = RUN_SINCE_7,
    RUN_LIST_SKINS,
    RUN_INSERT_SKIN_GROUP,
    RUN_LIST_SKIN_GROUPS,
    RUN_SINCE_8,
    RUN_INSERT_PROBE = RUN_SINCE_8,
    RUN_LIST_PROBES,
    RUN_INSERT_VALUE,
    RUN_LIST_VALUES,
    RUN_SINCE_9,
    RUN_INSERT_EVENT = RUN_SINCE_9,
    RUN_LIST_EVENTS,
    RUN_SINCE_10,
    RUN_INSERT_STEP = RUN_SINCE_10,
    RUN_INSERT_RESIDUALS,
    RUN_GET_RESIDUALS,
    RUN_STATEMENTS
} RunStatement;

typedef struct RunFrameEntry {
    int64_t step;
    double time;
} RunFrameEntry;

typedef struct RunBuffer {
    unsigned char* bytes;
    int capacity;
} RunBuffer;

// The place of an obstacle that the file holds last.
typedef struct RunPlaced {
    bool known;
    SnPose pose;
    double* vertices; // NULL: not known
} RunPlaced;

// Held by the one who writes.
typedef struct RunLock {
    char* name; // NULL: not held
    int file;
    uint64_t log; // inode of the log that it has beside the file; 0: none
} RunLock;

struct SnRunFile {
    sqlite3* database;
    sqlite3_stmt* statements[RUN_STATEMENTS]; // prepared at first use
    char* path;
    bool writable;
    bool light; // bodies are without their arrays
    RunLock lock;
    uint64_t device, inode; // of the file that is written
    int64_t format;         // 1 to RUN_FORMAT_VERSION
    int64_t incarnation;    // schema version at opening
    SnArena arena;          // name, scene, the arrays of bodies and obstacles
    const char* name;
    const char* scene;
    double time_step;
    bool compress;
    bool keeps_contacts, keeps_residuals, keeps_checkpoints;
    int64_t kept; // the step of the last checkpoint that stays, where some do; -1: none yet
    int body_count, body_capacity;
    SnBodyInfo* bodies;
    int node_count;
    int64_t* since; // body_capacity: the first step whose frame has the body
    // Bodies that came after the file was opened: who reads on does not know them until it is opened again.
    struct RunLater {
        int64_t since;
        int nodes;
    } * later;
    int later_count, later_capacity, since_capacity, wide_capacity;
    int later_obstacle_count; // the same of obstacles
    float* residuals;         // on their way to the file, and from it
    int residual_capacity;
    double* wide; // a frame of more or fewer nodes than node_count
    int obstacle_count, obstacle_capacity;
    SnRunObstacle* obstacles;
    int probe_count, probe_capacity; // numbers that are measured in each step
    SnValueInfo* probes;
    int frame_count, frame_capacity;
    RunFrameEntry* frames;
    // What was asked for last.
    char* meta;
    SnRunStep* steps;
    SnRunLoss* losses;
    int step_capacity, loss_capacity;
    SnArena step_texts, loss_texts, event_texts;
    SnEvent* events;
    int event_capacity;
    int64_t* value_steps;
    double* values; // probe_count for each of these
    int value_step_capacity, values_capacity;
    SnContactInfo* contacts; // also on their way to the file
    int contact_capacity, pair_capacity, value_capacity;
    int32_t* contact_pairs;
    float* contact_values;
    // What is on its way to the file.
    SnRunStep* pending; // steps since the last frame
    int pending_count, pending_capacity;
    SnArena pending_texts;
    double* pending_values; // probe_count for each
    int pending_values_capacity;
    RunBuffer packed[2]; // compressed positions and velocities
    void* state;         // checkpoint
    int state_capacity;
    RunPlaced* placed; // obstacle_count; NULL: nothing is known of what the file holds
};

// --- run_database.c: SQLite with our errors ---
typedef enum RunOpenMode { RUN_READ, RUN_APPEND, RUN_CREATE } RunOpenMode;
SnStatus sn_run_check_file(const char* path, RunOpenMode mode); // that there is one, or none yet
// Opens without looking inside; *run is safe to destroy.
SnStatus sn_run_connect(const char* path, RunOpenMode mode, SnRunFile** run);
// An error from a SQLite result code: "PATH: cannot DOING: reason; remedy".
SnStatus sn_run_fail(const SnRunFile* run, int code, const char* doing);
// Of a row that is there; NULL: none, or no memory.
const char* sn_run_column_text(sqlite3_stmt* statement, int column);
const void* sn_run_column_blob(sqlite3_stmt* statement, int column);
SnStatus sn_run_execute(SnRunFile* run, const char* sql, const char* doing);
SnStatus sn_run_statement(SnRunFile* run, RunStatement which, sqlite3_stmt** statement);
// Runs a statement that returns no rows, and resets it; `bound`: what binding its values came to.
SnStatus sn_run_finish(SnRunFile* run, sqlite3_stmt* statement, int bound, const char* doing);
int sn_run_bind_blob(sqlite3_stmt* statement, int index, const void* bytes, size_t size); // of 0 bytes, too
SnStatus sn_run_pragma(SnRunFile* run, const char* name, int64_t* value);
// Asks for a journal mode; *got says whether it was granted (it is not while other programs have the file open).
SnStatus sn_run_journal_mode(SnRunFile* run, const char* mode, bool* got);
SnStatus sn_run_has_log(SnRunFile* run, bool* has_log); // a write-ahead log belongs to the file

// --- run_lock.c: one writer at a time ---
// An error that names the process, where another has it.
SnStatus sn_run_lock(const char* path, RunOpenMode mode, RunLock* lock);
void sn_run_unlock(RunLock* lock);
void sn_run_lock_remember_log(RunLock* lock);     // the one that lies beside the file now
void sn_run_lock_remove_log(const RunLock* lock); // where it is still that one

// --- run_codec.c: zlib ---
// Compressed or as they are: *bytes is memory of the run or values itself, valid until the next call with this slot.
SnStatus sn_run_pack(SnRunFile* run, int slot, const void* values, size_t raw, const void** bytes, size_t* size);
// Exactly `raw` bytes, or an error. what names them in the message.
SnStatus sn_run_unpack(const SnRunFile* run, const void* bytes, size_t size, void* values, size_t raw,
                       const char* what);

// --- run_pieces.c: arrays some bytes at a time ---
// Bytes that an array of a frame takes in the file.
SnStatus sn_run_pieces_size(SnRunFile* run, const SnRunPieces* pieces, SnRunArray array, int64_t* size);
// Into a blob of that size, which is there.
SnStatus sn_run_put_pieces(SnRunFile* run, const char* table, const char* column, int64_t row,
                           const SnRunPieces* pieces, SnRunArray array, int body);
SnStatus sn_run_put_body_pieces(SnRunFile* run, int body, const SnRunPieces* pieces);
SnStatus sn_run_last_checkpoint(SnRunFile* run, int64_t* step);
SnStatus sn_run_compare_pieces(SnRunFile* run, const SnRunPieces* pieces, SnRunArray array, int body, bool* same);

// --- run_schema.c: the tables, and the statements that are made from the columns of steps ---
enum { RUN_LONGEST_SQL = 2048 };
extern const char sn_run_tables[]; // all but step
void sn_run_step_table(char sql[RUN_LONGEST_SQL]);
void sn_run_step_insertion(char sql[RUN_LONGEST_SQL]);
void sn_run_step_selection(int64_t format, char sql[RUN_LONGEST_SQL]);

// --- run_steps.c ---
SnStatus sn_run_insert_step(SnRunFile* run, const SnRunStep* row);
SnStatus sn_run_insert_losses(SnRunFile* run, const SnRunFrame* frame);

// --- run_contacts.c ---
SnStatus sn_run_insert_residuals(SnRunFile* run, const SnRunFrame* frame);
SnStatus sn_run_insert_contacts(SnRunFile* run, const SnRunFrame* frame);

// --- run_values.c: what probes have measured ---
SnStatus sn_run_put_probes(SnRunFile* run, const SnRunDef* def);
SnStatus sn_run_load_probes(SnRunFile* run);
SnStatus sn_run_insert_events(SnRunFile* run, const SnRunFrame* frame); // run_events.c
SnStatus sn_run_insert_values(SnRunFile* run, const SnRunFrame* frame);

// --- run_mesh.c: bodies and obstacles ---
SnStatus sn_run_put_meshes(SnRunFile* run, const SnRunDef* def);
SnStatus sn_run_load_meshes(SnRunFile* run);
// Bodies and obstacles that come while it is written, in the transaction of the first frame that has them; and taken
// up, after it.
SnStatus sn_run_put_later(SnRunFile* run, const SnRunFrame* frame);
SnStatus sn_run_take_up(SnRunFile* run, const SnRunFrame* frame);
// How many nodes the frame of a step has; and whether others came since it was opened, which is found out first.
int sn_run_nodes_at(const SnRunFile* run, int64_t step);
SnStatus sn_run_find_later(SnRunFile* run);

// --- run_skin.c: surfaces that bodies carry ---
SnStatus sn_run_put_skin(SnRunFile* run, int body, const SnSkin* skin);
SnStatus sn_run_load_skins(SnRunFile* run);

// --- run_place.c: where obstacles are ---
// Writes what differs from the place that the file holds last.
SnStatus sn_run_insert_places(SnRunFile* run, const SnRunFrame* frame);
// Of obstacles that come with this frame: until then they are on the shelf.
SnStatus sn_run_insert_later_places(SnRunFile* run, const SnRunFrame* frame);
void sn_run_forget_places(SnRunFile* run);

// --- run_read.c ---
SnStatus sn_run_damaged(const SnRunFile* run, const char* what);
SnStatus sn_run_check_frame(const SnRunFile* run, int frame); // that there is one
SnStatus sn_run_check_writable(const SnRunFile* run);         // that it was not opened for reading only
// Checks that this is a run file we understand.
SnStatus sn_run_check_kind(SnRunFile* run);
// Reads everything but frames and steps.
SnStatus sn_run_load(SnRunFile* run);
// A key of meta that must be there with a value of this SQLite type; the statement stands on it, to be reset.
SnStatus sn_run_need_meta(SnRunFile* run, const char* key, int type, sqlite3_stmt** statement);
SnStatus sn_run_meta_text(SnRunFile* run, const char* key, const char** text); // in the run's arena
// A blob as items of `size` bytes, in the run's arena; what names it in messages.
SnStatus sn_run_blob(SnRunFile* run, sqlite3_stmt* statement, int column, const char* what, size_t size,
                     const void** items, int* count);
// `count` numbers of the statement's next row and first column, packed as frames are.
SnStatus sn_run_read_values(SnRunFile* run, sqlite3_stmt* statement, double* values, size_t count, const char* what);
// Replacing a run raises the version of its schema. Asked after reading: before, it might still happen.
SnStatus sn_run_check_not_replaced(SnRunFile* run, SnStatus status);
double sn_run_real(sqlite3_stmt* statement, int column); // NAN for what SQLite keeps as NULL
int sn_run_int(sqlite3_stmt* statement, int column);
// A text of a row in an arena, "" for none; NULL when out of memory.
const char* sn_run_text(SnArena* arena, sqlite3_stmt* statement, int column);

// --- run_write.c ---
SnStatus sn_run_put_text(SnRunFile* run, const char* key, const char* text);
SnStatus sn_run_put_blob(SnRunFile* run, const char* key, const void* bytes, size_t size);
SnStatus sn_run_put_real(SnRunFile* run, const char* key, double value);
SnStatus sn_run_put_integer(SnRunFile* run, const char* key, int64_t value);
// The lock is the run's, or let go.
SnStatus sn_run_open_locked(const char* path, RunLock* lock, bool light, SnRunFile** run);
SnStatus sn_run_open_to_append(const char* path, bool light, SnRunFile** run);
void sn_run_discard(SnRunFile* run); // closes without putting anything in order

// --- run_copy.c: all that a run had at one of its frames, into a new file ---
SnStatus sn_run_copy_check(const SnRunFile* from, int64_t step, const char* path);
// Before a transaction, within it, and its end.
SnStatus sn_run_copy_begin(SnRunFile* made, const SnRunFile* from);
SnStatus sn_run_copy_rows(SnRunFile* made, const SnRunFile* from, int64_t step);
SnStatus sn_run_copy_end(SnRunFile* made);
