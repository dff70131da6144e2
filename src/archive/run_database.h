// Inside a run file: the SQLite connection, its statements and what was read at opening. Included by run_*.c only.
#pragma once
#include "archive/run_file.h"

#include <sqlite3.h>

#include "core/arena.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "run files hold little-endian numbers as they are in memory");

enum {
    RUN_APPLICATION_ID = 0x536e6577, // "Snew", at offset 68 of the file
    RUN_FORMAT_VERSION = 2,          // PRAGMA user_version; format 1 had no tables impulse and loss
    RUN_PAGE_SIZE = 16384,           // 4096 takes 1.6 times as long for frames of 35k nodes
    RUN_PATIENCE_MS = 10000,         // how long a lock of another program is waited for
    RUN_IN_USE_MS = 500,             // the same where a lock means that somebody else has the file
};

typedef enum RunStatement {
    RUN_INSERT_FRAME,
    RUN_INSERT_STEP,
    RUN_DELETE_CHECKPOINTS,
    RUN_INSERT_CHECKPOINT,
    RUN_SET_META,
    RUN_GET_META,
    RUN_LIST_FRAMES,
    RUN_GET_POSITIONS,
    RUN_GET_VELOCITIES,
    RUN_LIST_STEPS_OF_FORMAT_1,
    RUN_GET_CHECKPOINT,
    // Of tables that format 1 did not have:
    RUN_LIST_STEPS,
    RUN_LIST_LOSSES,
    RUN_INSERT_IMPULSE,
    RUN_INSERT_LOSS,
    RUN_STATEMENTS
} RunStatement;

typedef struct RunFrameEntry {
    int64_t step;
    double time;
} RunFrameEntry;

struct SnRunFile {
    sqlite3* database;
    sqlite3_stmt* statements[RUN_STATEMENTS]; // prepared at first use
    char* path;
    bool writable;
    int64_t format;      // 1 or 2
    int64_t incarnation; // schema version at opening
    SnArena arena;       // name, scene, the bodies' arrays
    const char* name;
    const char* scene;
    double time_step;
    SnCompression compression;
    int body_count, body_capacity;
    SnRunBody* bodies;
    int node_count;
    int frame_count, frame_capacity;
    RunFrameEntry* frames;
    unsigned char* packed[2]; // compressed positions and velocities, on their way to the file
    void* state;              // checkpoint on its way to the file
    int state_capacity;
};

// --- run_database.c: SQLite with our errors ---
typedef enum RunOpenMode { RUN_READ, RUN_APPEND, RUN_CREATE } RunOpenMode;
// Opens without looking inside; *run is safe to destroy.
SnStatus sn_run_connect(const char* path, RunOpenMode mode, SnRunFile** run);
// An error from a SQLite result code: "PATH: cannot DOING: reason; remedy".
SnStatus sn_run_fail(const SnRunFile* run, int code, const char* doing);
SnStatus sn_run_execute(SnRunFile* run, const char* sql, const char* doing);
SnStatus sn_run_statement(SnRunFile* run, RunStatement which, sqlite3_stmt** statement);
// Runs a statement that returns no rows, and resets it.
SnStatus sn_run_finish(SnRunFile* run, sqlite3_stmt* statement, const char* doing);
SnStatus sn_run_pragma(SnRunFile* run, const char* name, int64_t* value);
// Asks for a journal mode; *got says whether it was granted (it is not while other programs have the file open).
SnStatus sn_run_journal_mode(SnRunFile* run, const char* mode, bool* got);
SnStatus sn_run_has_log(SnRunFile* run, bool* has_log); // a write-ahead log belongs to the file

// --- run_codec.c: zlib ---
// Compressed or as it is: *bytes is memory of the run or values itself, valid until the next call with this slot.
SnStatus sn_run_pack(SnRunFile* run, int slot, const double* values, const void** bytes, size_t* size);
// Exactly count values, or an error. what names them in the message.
SnStatus sn_run_unpack(const SnRunFile* run, const void* bytes, size_t size, double* values, size_t count,
                       const char* what);
extern const char* const sn_compression_names[2];

// --- run_read.c ---
// Checks that this is a run file we understand.
SnStatus sn_run_check_kind(SnRunFile* run);
// Reads everything but frames and steps.
SnStatus sn_run_load(SnRunFile* run);
