// The meshes of a run file: bodies as keys of meta, obstacles as rows of their table.
#include "archive/run_database.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- writing ---

static SnStatus put_body(SnRunFile* run, int index, const SnBodyInfo* body, const SnRunPieces* pieces)
{
    const struct {
        const char* name;
        const void* items;
        size_t size;
    } blobs[] = {
        {"rest", body->rest, 3 * sizeof(double) * (size_t)body->node_count},
        {"tetrahedra", body->tetrahedra, 4 * sizeof(int) * (size_t)body->tetrahedron_count},
        {"triangles", body->triangles, 3 * sizeof(int) * (size_t)body->triangle_count},
        {"edges", body->edges, 2 * sizeof(int) * (size_t)body->edge_count},
        {"surface", body->surface, 3 * sizeof(int) * (size_t)body->surface_count},
    };
    char key[64], range[64];
    snprintf(key, sizeof key, "body.%d.name", index);
    SN_TRY(sn_run_put_text(run, key, body->name));
    snprintf(key, sizeof key, "body.%d.nodes", index);
    snprintf(range, sizeof range, "%d %d", body->first_node, body->node_count);
    SN_TRY(sn_run_put_text(run, key, range));
    snprintf(key, sizeof key, "body.%d.mass", index);
    SN_TRY(sn_run_put_real(run, key, body->mass));
    if (pieces) SN_TRY(sn_run_put_body_pieces(run, index, pieces));
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs && !pieces; i++) {
        snprintf(key, sizeof key, "body.%d.%s", index, blobs[i].name);
        SN_TRY(sn_run_put_blob(run, key, blobs[i].items, blobs[i].size));
    }
    return body->skin ? sn_run_put_skin(run, index, body->skin) : SN_OK;
}

static SnStatus put_obstacle(SnRunFile* run, int index, const SnRunObstacle* o)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_OBSTACLE, &statement));
    sqlite3_bind_int(statement, 1, index);
    sqlite3_bind_text(statement, 2, o->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, o->type, -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 4, o->friction);
    sqlite3_bind_double(statement, 5, o->thickness);
    for (int c = 0; c < 3 && o->plane; c++) {
        sqlite3_bind_double(statement, 6 + c, o->point[c]);
        sqlite3_bind_double(statement, 9 + c, o->normal[c]);
    }
    sqlite3_bind_int(statement, 12, o->changes);
    sqlite3_bind_int(statement, 13, o->vertex_count);
    int code = sn_run_bind_blob(statement, 14, o->triangles, 3 * sizeof(int) * (size_t)o->triangle_count);
    return sn_run_finish(run, statement, code, "write an obstacle");
}

SnStatus sn_run_put_meshes(SnRunFile* run, const SnRunDef* def)
{
    SN_TRY(sn_run_put_integer(run, "bodies", def->body_count));
    for (int i = 0; i < def->body_count; i++) SN_TRY(put_body(run, i, &def->bodies[i], def->pieces));
    for (int i = 0; i < def->obstacle_count; i++) SN_TRY(put_obstacle(run, i, &def->obstacles[i]));
    return SN_OK;
}

// --- reading ---

static SnStatus check_elements(const SnRunFile* run, const char* what, const int* elements, size_t count,
                               int node_count)
{
    for (size_t i = 0; i < count; i++)
        if (elements[i] < 0 || elements[i] >= node_count)
            return sn_fail(SN_ERROR_FORMAT, "%s: %s names node %d of %d nodes; the file is damaged", run->path, what,
                           elements[i], node_count);
    return SN_OK;
}

static SnStatus load_blob(SnRunFile* run, int index, const char* kind, size_t size, char what[64], const void** items,
                          int* count)
{
    char key[48];
    sqlite3_stmt* statement;
    snprintf(key, sizeof key, "body.%d.%s", index, kind);
    snprintf(what, 64, "meta %s", key);
    SN_TRY(sn_run_need_meta(run, key, SQLITE_BLOB, &statement));
    SnStatus status = sn_run_blob(run, statement, 0, what, size, items, count);
    sqlite3_reset(statement);
    return status;
}

static SnStatus load_elements(SnRunFile* run, int index, const char* kind, int corners, int node_count,
                              const int** elements, int* count)
{
    char what[64];
    const void* items;
    SN_TRY(load_blob(run, index, kind, sizeof(int) * (size_t)corners, what, &items, count));
    *elements = items;
    return check_elements(run, what, items, (size_t)*count * (size_t)corners, node_count);
}

static SnStatus load_nodes(SnRunFile* run, int index, SnBodyInfo* body)
{
    char what[64], rest_of_text;
    const char* range;
    const void* rest;
    int rest_count;
    snprintf(what, sizeof what, "body.%d.nodes", index);
    SN_TRY(sn_run_meta_text(run, what, &range));
    if (sscanf(range, "%d %d%c", &body->first_node, &body->node_count, &rest_of_text) != 2 || body->node_count < 0 ||
        body->first_node != run->node_count || body->node_count > INT_MAX / 3 - run->node_count)
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: meta %s is \"%.40s\", but \"first count\" must begin at node %d; the file is damaged",
                       run->path, what, range, run->node_count);
    if (run->light) return SN_OK;
    SN_TRY(load_blob(run, index, "rest", 3 * sizeof(double), what, &rest, &rest_count));
    body->rest = rest;
    if (rest_count == body->node_count) return SN_OK;
    return sn_fail(SN_ERROR_FORMAT, "%s: %s holds %d nodes instead of %d; the file is damaged", run->path, what,
                   rest_count, body->node_count);
}

static SnStatus load_mass(SnRunFile* run, int index, SnBodyInfo* body)
{
    char key[64];
    sqlite3_stmt* statement;
    body->mass = NAN;
    if (run->format < 3) return SN_OK;
    snprintf(key, sizeof key, "body.%d.mass", index);
    SN_TRY(sn_run_need_meta(run, key, SQLITE_FLOAT, &statement));
    body->mass = sqlite3_column_double(statement, 0);
    sqlite3_reset(statement);
    return SN_OK;
}

// Of a body that was there from the start nothing is said.
static SnStatus load_since(SnRunFile* run, int index, int64_t* since)
{
    char key[64], *end;
    const char* text;
    snprintf(key, sizeof key, "body.%d.since", index);
    SN_TRY(sn_run_file_meta(run, key, &text));
    *since = text ? strtoll(text, &end, 10) : 0;
    if (!text || (end != text && *end == 0 && *since >= 0)) return SN_OK;
    return sn_run_damaged(run, "a body came at no step");
}

static SnStatus load_body(SnRunFile* run, int index)
{
    SnBodyInfo* body = &run->bodies[index];
    char key[64];
    snprintf(key, sizeof key, "body.%d.name", index);
    *body = (SnBodyInfo){0};
    SN_TRY(sn_run_meta_text(run, key, &body->name));
    SN_TRY(load_nodes(run, index, body));
    SN_TRY(load_mass(run, index, body));
    int n = body->node_count;
    run->node_count += n;
    if (run->light) return SN_OK;
    SN_TRY(load_elements(run, index, "tetrahedra", 4, n, &body->tetrahedra, &body->tetrahedron_count));
    SN_TRY(load_elements(run, index, "triangles", 3, n, &body->triangles, &body->triangle_count));
    SN_TRY(load_elements(run, index, "edges", 2, n, &body->edges, &body->edge_count));
    return load_elements(run, index, "surface", 3, n, &body->surface, &body->surface_count);
}

static SnStatus load_bodies(SnRunFile* run)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_need_meta(run, "bodies", SQLITE_INTEGER, &statement));
    int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    if (count < 0 || count > INT_MAX) return sn_run_damaged(run, "meta bodies is not a number of bodies");
    for (int i = 0; i < count; i++) { // one at a time: the number may be wrong
        if (!SN_GROW(run->bodies, run->body_capacity, i + 1, "the bodies of a run file") ||
            !SN_GROW(run->since, run->since_capacity, i + 1, "the bodies of a run file"))
            return SN_ERROR_MEMORY;
        SN_TRY(load_since(run, i, &run->since[i]));
        SN_TRY(load_body(run, i));
        run->body_count = i + 1;
    }
    return SN_OK;
}

// The statement stands on its row.
static SnStatus load_obstacle(SnRunFile* run, sqlite3_stmt* statement, SnRunObstacle* o)
{
    char what[64];
    const void* triangles;
    if (sqlite3_column_int64(statement, 0) != run->obstacle_count)
        return sn_run_damaged(run, "obstacles are not numbered from 0");
    snprintf(what, sizeof what, "obstacle %d", run->obstacle_count);
    *o = (SnRunObstacle){
        .name = sn_run_text(&run->arena, statement, 1),
        .type = sn_run_text(&run->arena, statement, 2),
        .friction = sn_run_real(statement, 3),
        .thickness = sn_run_real(statement, 4),
        .plane = sqlite3_column_type(statement, 8) != SQLITE_NULL,
        .changes = sn_run_int(statement, 11) != 0,
        .vertex_count = sn_run_int(statement, 12),
    };
    if (!o->name || !o->type) return SN_ERROR_MEMORY;
    for (int c = 0; c < 3 && o->plane; c++)
        o->point[c] = sn_run_real(statement, 5 + c), o->normal[c] = sn_run_real(statement, 8 + c);
    if (o->vertex_count < 0 || o->vertex_count > INT_MAX / 3)
        return sn_run_damaged(run, "an obstacle has no number of vertices");
    SN_TRY(sn_run_blob(run, statement, 13, what, 3 * sizeof(int), &triangles, &o->triangle_count));
    o->triangles = triangles;
    return check_elements(run, what, triangles, 3 * (size_t)o->triangle_count, o->vertex_count);
}

static SnStatus load_obstacles(SnRunFile* run)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_LIST_OBSTACLES, &statement));
    SnStatus status = SN_OK;
    int code = SQLITE_DONE;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!SN_GROW(run->obstacles, run->obstacle_capacity, run->obstacle_count + 1, "the obstacles of a run file"))
            status = SN_ERROR_MEMORY;
        else
            status = load_obstacle(run, statement, &run->obstacles[run->obstacle_count]);
        run->obstacle_count += status == SN_OK;
    }
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the obstacles");
    sqlite3_reset(statement);
    return status;
}

// --- what comes later ---

SnStatus sn_run_put_later(SnRunFile* run, const SnRunFrame* frame)
{
    char key[64], step[32];
    for (int i = 0; i < frame->later_obstacle_count; i++)
        SN_TRY(put_obstacle(run, run->obstacle_count + i, &frame->later_obstacles[i]));
    if (frame->later_obstacle_count > 0) SN_TRY(sn_run_insert_later_places(run, frame));
    if (frame->later_count == 0) return SN_OK;
    snprintf(step, sizeof step, "%lld", (long long)frame->step);
    for (int i = 0; i < frame->later_count; i++) {
        SN_TRY(put_body(run, run->body_count + i, &frame->later[i], NULL));
        snprintf(key, sizeof key, "body.%d.since", run->body_count + i);
        SN_TRY(sn_run_put_text(run, key, step));
    }
    return sn_run_put_integer(run, "bodies", run->body_count + frame->later_count);
}

static SnStatus take_up_obstacles(SnRunFile* run, const SnRunFrame* frame)
{
    int64_t count = (int64_t)run->obstacle_count + frame->later_obstacle_count;
    if (!SN_GROW(run->obstacles, run->obstacle_capacity, count, "the obstacles of a run file")) return SN_ERROR_MEMORY;
    sn_run_forget_places(run); // there are more of them
    for (int i = 0; i < frame->later_obstacle_count; i++) {
        SnRunObstacle* o = &run->obstacles[run->obstacle_count];
        *o = frame->later_obstacles[i];
        o->triangle_count = 0, o->triangles = NULL;
        o->name = sn_arena_text(&run->arena, o->name, strlen(o->name));
        o->type = sn_arena_text(&run->arena, o->type, strlen(o->type));
        if (!o->name || !o->type) return SN_ERROR_MEMORY;
        run->obstacle_count++;
    }
    return SN_OK;
}

// Who writes has no use for their arrays.
SnStatus sn_run_take_up(SnRunFile* run, const SnRunFrame* frame)
{
    if (frame->later_obstacle_count > 0) SN_TRY(take_up_obstacles(run, frame));
    int64_t count = (int64_t)run->body_count + frame->later_count;
    if (!SN_GROW(run->bodies, run->body_capacity, count, "the bodies of a run file") ||
        !SN_GROW(run->since, run->since_capacity, count, "the bodies of a run file"))
        return SN_ERROR_MEMORY;
    for (int i = 0; i < frame->later_count; i++) {
        SnBodyInfo* body = &run->bodies[run->body_count];
        const SnBodyInfo* from = &frame->later[i];
        *body = (SnBodyInfo){.first_node = from->first_node, .node_count = from->node_count, .mass = from->mass};
        if (!(body->name = sn_arena_text(&run->arena, from->name, strlen(from->name)))) return SN_ERROR_MEMORY;
        run->since[run->body_count++] = frame->step;
        run->node_count += from->node_count;
    }
    return SN_OK;
}

int sn_run_nodes_at(const SnRunFile* run, int64_t step)
{
    int count = 0;
    for (int i = 0; i < run->body_count; i++) count += run->since[i] <= step ? run->bodies[i].node_count : 0;
    for (int i = 0; i < run->later_count; i++) count += run->later[i].since <= step ? run->later[i].nodes : 0;
    return count;
}

int sn_run_file_nodes_at(const SnRunFile* run, int frame)
{
    return frame >= 0 && frame < run->frame_count ? sn_run_nodes_at(run, run->frames[frame].step) : 0;
}

int sn_run_file_bodies_at(const SnRunFile* run, int frame)
{
    int count = 0;
    while (count < run->body_count && frame < run->frame_count && run->since[count] <= run->frames[frame].step) count++;
    return count;
}

bool sn_run_file_has_grown(const SnRunFile* run)
{
    return run->later_count > 0 || run->later_obstacle_count > 0;
}

static SnStatus find_later_obstacles(SnRunFile* run)
{
    sqlite3_stmt* statement;
    if (run->format < 3) return SN_OK;
    SN_TRY(sn_run_statement(run, RUN_COUNT_OBSTACLES, &statement));
    int code = sqlite3_step(statement), count = code == SQLITE_ROW ? sn_run_int(statement, 0) : 0;
    sqlite3_reset(statement);
    if (code != SQLITE_ROW) return sn_run_fail(run, code, "read the obstacles");
    run->later_obstacle_count = count > run->obstacle_count ? count - run->obstacle_count : 0;
    return SN_OK;
}

SnStatus sn_run_find_later(SnRunFile* run)
{
    sqlite3_stmt* statement;
    SN_TRY(find_later_obstacles(run));
    SN_TRY(sn_run_need_meta(run, "bodies", SQLITE_INTEGER, &statement));
    int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    while (run->body_count + run->later_count < count) {
        struct RunLater next = {0};
        char key[64];
        const char* text;
        int index = run->body_count + run->later_count, first;
        if (!SN_GROW(run->later, run->later_capacity, run->later_count + 1, "the bodies of a run file"))
            return SN_ERROR_MEMORY;
        SN_TRY(load_since(run, index, &next.since));
        snprintf(key, sizeof key, "body.%d.nodes", index);
        SN_TRY(sn_run_file_meta(run, key, &text));
        if (!text || sscanf(text, "%d %d", &first, &next.nodes) != 2 || next.nodes < 0 || next.nodes > INT_MAX / 64)
            return sn_run_damaged(run, "a body that came later has no nodes");
        run->later[run->later_count++] = next;
        if (sn_run_nodes_at(run, INT64_MAX) > INT_MAX / 6) return sn_run_damaged(run, "it has too many nodes");
    }
    return SN_OK;
}

SnStatus sn_run_load_meshes(SnRunFile* run)
{
    SN_TRY(load_bodies(run));
    if (run->format >= 3) SN_TRY(load_obstacles(run));
    return run->format < 7 || run->light ? SN_OK : sn_run_load_skins(run);
}
