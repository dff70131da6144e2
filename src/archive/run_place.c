// Where obstacles are: a row of pose, and one of shape, only where they are not as in the row before.
#include "archive/run_database.h"

#include <stdio.h>
#include <string.h>

// --- reading ---

static SnStatus read_pose(SnRunFile* run, int obstacle, int64_t step, SnPose* pose)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_GET_POSE, &statement));
    sqlite3_bind_int(statement, 1, obstacle);
    sqlite3_bind_int64(statement, 2, step);
    int code = sqlite3_step(statement);
    for (int i = 0; i < 9 && code == SQLITE_ROW; i++) pose->rotation[i] = sn_run_real(statement, i);
    for (int i = 0; i < 3 && code == SQLITE_ROW; i++) pose->shift[i] = sn_run_real(statement, 9 + i);
    sqlite3_reset(statement);
    if (code == SQLITE_DONE) return sn_run_damaged(run, "an obstacle has no place");
    return code == SQLITE_ROW ? SN_OK : sn_run_fail(run, code, "read the place of an obstacle");
}

static SnStatus read_shape(SnRunFile* run, int obstacle, int64_t step, double* vertices)
{
    char what[64];
    sqlite3_stmt* statement;
    if (run->obstacles[obstacle].vertex_count == 0) return SN_OK;
    snprintf(what, sizeof what, "vertices of obstacle %d", obstacle);
    SN_TRY(sn_run_statement(run, RUN_GET_SHAPE, &statement));
    sqlite3_bind_int(statement, 1, obstacle);
    sqlite3_bind_int64(statement, 2, step);
    return sn_run_read_values(run, statement, vertices, 3 * (size_t)run->obstacles[obstacle].vertex_count, what);
}

SnStatus sn_run_file_read_obstacle(SnRunFile* run, int frame, int obstacle, SnPose* pose, double* vertices)
{
    SN_HANDLE(run);
    if (frame < 0 || frame >= run->frame_count || obstacle < 0 || obstacle >= run->obstacle_count)
        return sn_fail(SN_ERROR_VALUE,
                       "%s: there is no obstacle %d in a frame %d; the run has %d obstacles and %d frames, counted "
                       "from 0",
                       run->path, obstacle, frame, run->obstacle_count, run->frame_count);
    int64_t step = run->frames[frame].step;
    SnStatus status = pose ? read_pose(run, obstacle, step, pose) : SN_OK;
    if (status == SN_OK && vertices) status = read_shape(run, obstacle, step, vertices);
    return sn_run_check_not_replaced(run, status);
}

// --- writing ---

static size_t vertex_bytes(const SnRunFile* run, int obstacle)
{
    return 3 * sizeof(double) * (size_t)run->obstacles[obstacle].vertex_count;
}

void sn_run_forget_places(SnRunFile* run)
{
    for (int i = 0; run->placed && i < run->obstacle_count; i++) sn_free(run->placed[i].vertices);
    sn_free(run->placed);
    run->placed = NULL;
}

// What the file holds before a new frame, where that is not known.
static SnStatus recall(SnRunFile* run, int obstacle, bool vertices)
{
    RunPlaced* placed = &run->placed[obstacle];
    if (run->frame_count == 0) return SN_OK;
    int64_t last = run->frames[run->frame_count - 1].step;
    if (!placed->known) SN_TRY(read_pose(run, obstacle, last, &placed->pose));
    placed->known = true;
    if (!vertices || placed->vertices) return SN_OK;
    if (!SN_NEW(placed->vertices, 3 * run->obstacles[obstacle].vertex_count, "an obstacle")) return SN_ERROR_MEMORY;
    return read_shape(run, obstacle, last, placed->vertices);
}

// By value: SQLite keeps -0 as 0.
static bool is_same(const SnPose* a, const SnPose* b)
{
    bool same = true;
    for (int i = 0; i < 9; i++) same = same && a->rotation[i] == b->rotation[i];
    for (int i = 0; i < 3; i++) same = same && a->shift[i] == b->shift[i];
    return same;
}

static SnStatus insert_pose(SnRunFile* run, int obstacle, int64_t step, const SnPose* pose)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_POSE, &statement));
    sqlite3_bind_int(statement, 1, obstacle);
    sqlite3_bind_int64(statement, 2, step);
    for (int i = 0; i < 9; i++) sqlite3_bind_double(statement, 3 + i, pose->rotation[i]);
    for (int i = 0; i < 3; i++) sqlite3_bind_double(statement, 12 + i, pose->shift[i]);
    return sn_run_finish(run, statement, SQLITE_OK, "write the place of an obstacle");
}

static SnStatus insert_shape(SnRunFile* run, int obstacle, int64_t step, const double* vertices, size_t raw)
{
    const void* bytes;
    size_t size;
    sqlite3_stmt* statement;
    SN_TRY(sn_run_pack(run, 0, vertices, raw, &bytes, &size));
    SN_TRY(sn_run_statement(run, RUN_INSERT_SHAPE, &statement));
    sqlite3_bind_int(statement, 1, obstacle);
    sqlite3_bind_int64(statement, 2, step);
    return sn_run_finish(run, statement, sn_run_bind_blob(statement, 3, bytes, size), "write an obstacle");
}

static SnStatus insert_place(SnRunFile* run, int obstacle, int64_t step, const SnRunPlace* place)
{
    RunPlaced* placed = &run->placed[obstacle];
    const double* x = run->obstacles[obstacle].vertex_count > 0 ? place->vertices : NULL;
    SN_TRY(recall(run, obstacle, x));
    if (!placed->known || !is_same(&placed->pose, &place->pose)) SN_TRY(insert_pose(run, obstacle, step, &place->pose));
    placed->pose = place->pose, placed->known = true;
    if (!x || (placed->vertices && memcmp(placed->vertices, x, vertex_bytes(run, obstacle)) == 0)) return SN_OK;
    SN_TRY(insert_shape(run, obstacle, step, x, vertex_bytes(run, obstacle)));
    if (placed->vertices) memcpy(placed->vertices, x, vertex_bytes(run, obstacle));
    return SN_OK;
}

SnStatus sn_run_insert_places(SnRunFile* run, const SnRunFrame* frame)
{
    if (!run->placed && !SN_NEW(run->placed, run->obstacle_count, "the places of obstacles")) return SN_ERROR_MEMORY;
    for (int i = 0; i < run->obstacle_count; i++) SN_TRY(insert_place(run, i, frame->step, &frame->places[i]));
    return SN_OK;
}

// In one point, where the first node is in the first frame, so that pictures need not show more.
static SnStatus find_shelf(SnRunFile* run, SnPose* pose)
{
    double* x;
    *pose = (SnPose){0};
    if (run->node_count == 0) return SN_OK;
    if (!SN_NEW(x, 3 * (int64_t)run->node_count, "a frame")) return SN_ERROR_MEMORY;
    SnStatus status = sn_run_file_read_frame(run, 0, x, NULL);
    if (status == SN_OK) memcpy(pose->shift, x, sizeof pose->shift);
    sn_free(x);
    return status;
}

SnStatus sn_run_insert_later_places(SnRunFile* run, const SnRunFrame* frame)
{
    SnPose shelf;
    int64_t first = run->frames[0].step;
    SN_TRY(find_shelf(run, &shelf));
    for (int i = 0; i < frame->later_obstacle_count; i++) {
        int number = run->obstacle_count + i;
        const SnRunPlace* place = &frame->places[number];
        size_t size = 3 * sizeof(double) * (size_t)frame->later_obstacles[i].vertex_count;
        SN_TRY(insert_pose(run, number, first, &shelf));
        SN_TRY(insert_pose(run, number, frame->step, &place->pose));
        if (size > 0) SN_TRY(insert_shape(run, number, first, place->vertices, size));
    }
    return SN_OK;
}
