// Arrays that go to the file, or come from it, some bytes at a time: no process needs memory for the whole of one.
//
// Those that are compressed are so twice: SQLite must know the size of a blob before its first byte is written.
#include "archive/run_database.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 22 }; // bytes

struct SnRunBlob {
    SnRunFile* run;
    sqlite3_blob* handle;
};

static const char* const array_names[] = {
    [SN_RUN_POSITIONS] = "positions", [SN_RUN_VELOCITIES] = "velocities", [SN_RUN_STATE] = "state",
    [SN_RUN_REST] = "rest",           [SN_RUN_TETRAHEDRA] = "tetrahedra", [SN_RUN_TRIANGLES] = "triangles",
    [SN_RUN_EDGES] = "edges",         [SN_RUN_SURFACE] = "surface"};

// --- writing ---

// A sink that may be NULL: then bytes are counted alone.
typedef struct Sink {
    SnRunFile* run;
    sqlite3_blob* blob;
    int64_t at;
} Sink;

static SnStatus put(Sink* sink, const void* bytes, int64_t count)
{
    int code = sink->blob ? sqlite3_blob_write(sink->blob, bytes, (int)count, (int)sink->at) : SQLITE_OK;
    sink->at += count;
    return code == SQLITE_OK ? SN_OK : sn_run_fail(sink->run, code, "write");
}

static SnStatus put_plain(Sink* sink, const SnRunPieces* pieces, SnRunArray array, int body, char* buffer)
{
    int64_t size = pieces->size(pieces->self, array, body);
    for (int64_t first = 0; first < size; first += PIECE) {
        int64_t count = size - first < PIECE ? size - first : PIECE;
        SN_TRY(pieces->read(pieces->self, array, body, first, count, buffer));
        SN_TRY(put(sink, buffer, count));
    }
    return SN_OK;
}

// What zlib has made of its input so far.
static SnStatus drain(z_stream* z, int flush, Sink* sink, unsigned char* out)
{
    do {
        z->next_out = out, z->avail_out = PIECE;
        if (deflate(z, flush) == Z_STREAM_ERROR) return sn_fail_memory("compressing a frame", PIECE);
        SN_TRY(put(sink, out, PIECE - (int64_t)z->avail_out));
    } while (z->avail_out == 0);
    return SN_OK;
}

static SnStatus put_compressed(Sink* sink, const SnRunPieces* pieces, SnRunArray array, char* buffer,
                               unsigned char* out)
{
    z_stream z = {0};
    if (deflateInit(&z, Z_BEST_SPEED) != Z_OK) return sn_fail_memory("compressing a frame", PIECE);
    int64_t size = pieces->size(pieces->self, array, 0);
    SnStatus status = SN_OK;
    for (int64_t first = 0; first < size && status == SN_OK; first += PIECE) {
        int64_t count = size - first < PIECE ? size - first : PIECE;
        status = pieces->read(pieces->self, array, 0, first, count, buffer);
        z.next_in = (unsigned char*)buffer, z.avail_in = (unsigned)count;
        if (status == SN_OK) status = drain(&z, Z_NO_FLUSH, sink, out);
    }
    if (status == SN_OK) status = drain(&z, Z_FINISH, sink, out);
    deflateEnd(&z);
    return status;
}

static SnStatus put_array(Sink* sink, const SnRunPieces* pieces, SnRunArray array, int body)
{
    bool compress = sink->run->compress && (array == SN_RUN_POSITIONS || array == SN_RUN_VELOCITIES);
    char *buffer, *out = NULL;
    if (!SN_NEW(buffer, PIECE, "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = compress && !SN_NEW(out, PIECE, "a frame") ? SN_ERROR_MEMORY : SN_OK;
    if (status == SN_OK)
        status = compress ? put_compressed(sink, pieces, array, buffer, (unsigned char*)out)
                          : put_plain(sink, pieces, array, body, buffer);
    SN_FREE(buffer, out);
    return status;
}

SnStatus sn_run_pieces_size(SnRunFile* run, const SnRunPieces* pieces, SnRunArray array, int64_t* size)
{
    Sink counter = {.run = run};
    bool compressed = run->compress && array != SN_RUN_STATE;
    SnStatus status = compressed ? put_array(&counter, pieces, array, 0) : SN_OK;
    *size = compressed ? counter.at : pieces->size(pieces->self, array, 0);
    return status;
}

SnStatus sn_run_put_pieces(SnRunFile* run, const char* table, const char* column, int64_t row,
                           const SnRunPieces* pieces, SnRunArray array, int body)
{
    Sink sink = {.run = run};
    int code = sqlite3_blob_open(run->database, "main", table, column, row, 1, &sink.blob);
    if (code != SQLITE_OK) return sn_run_fail(run, code, "write");
    SnStatus status = put_array(&sink, pieces, array, body);
    code = sqlite3_blob_close(sink.blob);
    return status != SN_OK || code == SQLITE_OK ? status : sn_run_fail(run, code, "write");
}

SnStatus sn_run_put_body_pieces(SnRunFile* run, int body, const SnRunPieces* pieces)
{
    for (SnRunArray array = SN_RUN_REST; array <= SN_RUN_SURFACE; array++) {
        char key[64];
        sqlite3_stmt* statement;
        snprintf(key, sizeof key, "body.%d.%s", body, array_names[array]);
        SN_TRY(sn_run_statement(run, RUN_SET_META, &statement));
        sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        int code = sqlite3_bind_zeroblob64(statement, 2, (uint64_t)pieces->size(pieces->self, array, body));
        SN_TRY(sn_run_finish(run, statement, code, "write meta"));
        SN_TRY(sn_run_put_pieces(run, "meta", "value", sqlite3_last_insert_rowid(run->database), pieces, array, body));
    }
    return SN_OK;
}

// --- reading ---

static SnStatus find_row(SnRunFile* run, const char* sql, const char* what, int64_t* row)
{
    sqlite3_stmt* statement = NULL;
    int code = sqlite3_prepare_v2(run->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    *row = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (code == SQLITE_ROW) return SN_OK;
    return code == SQLITE_DONE ? sn_run_damaged(run, what) : sn_run_fail(run, code, "read");
}

SnStatus sn_run_last_checkpoint(SnRunFile* run, int64_t* step)
{
    return find_row(run, "SELECT step FROM checkpoint ORDER BY step DESC LIMIT 1", "there is no checkpoint", step);
}

static SnStatus find_body_array(SnRunFile* run, SnRunArray array, int body, int64_t* row)
{
    char sql[128], what[64];
    snprintf(sql, sizeof sql, "SELECT rowid FROM meta WHERE key = 'body.%d.%s'", body, array_names[array]);
    snprintf(what, sizeof what, "meta has no body.%d.%s", body, array_names[array]);
    return find_row(run, sql, what, row);
}

static SnStatus open_blob(SnRunFile* run, SnRunArray array, int body, SnRunBlob* blob)
{
    bool state = array == SN_RUN_STATE;
    int64_t row;
    SN_TRY(state ? sn_run_last_checkpoint(run, &row) : find_body_array(run, array, body, &row));
    blob->run = run;
    int code = sqlite3_blob_open(run->database, "main", state ? "checkpoint" : "meta", state ? "state" : "value", row,
                                 0, &blob->handle);
    return code == SQLITE_OK ? SN_OK : sn_run_fail(run, code, "read");
}

SnStatus sn_run_blob_open(SnRunFile* run, SnRunArray array, int body, SnRunBlob** out)
{
    SnRunBlob* blob;
    *out = NULL;
    if (!SN_NEW(blob, 1, "a run file")) return SN_ERROR_MEMORY;
    SN_FINISH(open_blob(run, array, body, blob), blob, sn_run_blob_close, out);
}

int64_t sn_run_blob_size(const SnRunBlob* blob)
{
    return sqlite3_blob_bytes(blob->handle);
}

SnStatus sn_run_blob_read(SnRunBlob* blob, int64_t first, int64_t count, void* bytes)
{
    if (first < 0 || count < 0 || count > sn_run_blob_size(blob) - first)
        return sn_run_damaged(blob->run, "an array is shorter than it should be");
    int code = sqlite3_blob_read(blob->handle, bytes, (int)count, (int)first);
    return code == SQLITE_OK ? SN_OK : sn_run_fail(blob->run, code, "read");
}

void sn_run_blob_close(SnRunBlob* blob)
{
    if (!blob) return;
    sqlite3_blob_close(blob->handle);
    sn_free(blob);
}

SnStatus sn_run_compare_pieces(SnRunFile* run, const SnRunPieces* pieces, SnRunArray array, int body, bool* same)
{
    SnRunBlob* blob;
    char *ours, *theirs = NULL;
    int64_t size = pieces->size(pieces->self, array, body);
    SN_TRY(sn_run_blob_open(run, array, body, &blob));
    SnStatus status = SN_NEW(ours, PIECE, "a mesh") && SN_NEW(theirs, PIECE, "a mesh") ? SN_OK : SN_ERROR_MEMORY;
    *same = sn_run_blob_size(blob) == size;
    for (int64_t first = 0; first < size && *same && status == SN_OK; first += PIECE) {
        int64_t count = size - first < PIECE ? size - first : PIECE;
        status = pieces->read(pieces->self, array, body, first, count, ours);
        if (status == SN_OK) status = sn_run_blob_read(blob, first, count, theirs);
        *same = status == SN_OK && memcmp(ours, theirs, (size_t)count) == 0;
    }
    SN_FREE(ours, theirs);
    sn_run_blob_close(blob);
    return status;
}
