// The skins of bodies in a run file: a row for each, and a row for each group of its faces.
#include "archive/run_database.h"

#include <string.h>

#include "mesh/faces.h"

enum { BODY, REST, STARTS, CORNERS, UVS, CORNER_UVS, NORMALS, CORNER_NORMALS, COLOURS, SMOOTHING, CARRIERS, WEIGHTS };
static const char* const kinds[] = {"object", "group", "material"};

// --- writing ---

static int bind(sqlite3_stmt* statement, int column, const void* items, int64_t count, size_t size)
{
    if (!items) return sqlite3_bind_null(statement, column + 1);
    return sn_run_bind_blob(statement, column + 1, items, (size_t)count * size);
}

static SnStatus put_groups(SnRunFile* run, int body, const SnFaces* faces)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_INSERT_SKIN_GROUP, &statement));
    for (int g = 0; g < faces->group_count; g++) {
        const SnFaceGroup* group = &faces->groups[g];
        sqlite3_bind_int(statement, 1, body);
        sqlite3_bind_int(statement, 2, g);
        sqlite3_bind_text(statement, 3, kinds[group->kind], -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 4, group->name, -1, SQLITE_STATIC);
        int code = sn_run_bind_blob(statement, 5, group->faces, sizeof(int) * (size_t)group->count);
        SN_TRY(sn_run_finish(run, statement, code, "write a skin"));
    }
    return SN_OK;
}

SnStatus sn_run_put_skin(SnRunFile* run, int body, const SnSkin* skin)
{
    sqlite3_stmt* statement;
    const SnFaces* f = &skin->faces;
    int64_t vertices = skin->vertex_count, corners = f->start[f->count];
    const struct {
        const void* items;
        int64_t count;
        size_t size;
    } blobs[] = {
        [REST] = {skin->rest, 3 * vertices, sizeof(double)},
        [STARTS] = {f->start, (int64_t)f->count + 1, sizeof(int)},
        [CORNERS] = {f->corners, corners, sizeof(int)},
        [UVS] = {f->uvs, 2 * (int64_t)f->uv_count, sizeof(double)},
        [CORNER_UVS] = {f->corner_uvs, corners, sizeof(int)},
        [NORMALS] = {f->normals, 3 * (int64_t)f->normal_count, sizeof(double)},
        [CORNER_NORMALS] = {f->corner_normals, corners, sizeof(int)},
        [COLOURS] = {f->colours, 4 * vertices, sizeof(float)},
        [SMOOTHING] = {f->smoothing, f->count, sizeof(int)},
        [CARRIERS] = {skin->carriers, skin->carrier_count * vertices, sizeof(int)},
        [WEIGHTS] = {skin->weights, skin->carrier_count * vertices, sizeof(double)},
    };
    SN_TRY(sn_run_statement(run, RUN_INSERT_SKIN, &statement));
    int code = sqlite3_bind_int(statement, 1, body);
    for (int i = REST; i <= WEIGHTS && code == SQLITE_OK; i++)
        code = bind(statement, i, blobs[i].items, blobs[i].count, blobs[i].size);
    SN_TRY(sn_run_finish(run, statement, code, "write a skin"));
    return put_groups(run, body, f);
}

// --- reading ---

// A blob that holds `count` items of so many bytes (-1: any number, told in *count); NULL where the row has none.
static SnStatus load(SnRunFile* run, sqlite3_stmt* statement, int column, size_t size, int* count, void* out)
{
    const void* items = NULL;
    int found = 0;
    if (sqlite3_column_type(statement, column) != SQLITE_NULL) {
        SN_TRY(sn_run_blob(run, statement, column, "a skin", size, &items, &found));
        if (*count >= 0 && found != *count) return sn_run_damaged(run, "an array of a skin has another length");
        *count = found;
    }
    memcpy(out, &items, sizeof items);
    return SN_OK;
}

static SnStatus load_faces(SnRunFile* run, sqlite3_stmt* statement, int* vertices, SnFaces* f)
{
    int starts = -1, corners = -1;
    f->uv_count = f->normal_count = -1;
    SN_TRY(load(run, statement, STARTS, sizeof(int), &starts, &f->start));
    SN_TRY(load(run, statement, CORNERS, sizeof(int), &corners, &f->corners));
    if (!f->start || starts < 1 || !f->corners || f->start[starts - 1] != corners)
        return sn_run_damaged(run, "the faces of a skin are not all there");
    f->count = starts - 1;
    SN_TRY(load(run, statement, UVS, 2 * sizeof(double), &f->uv_count, &f->uvs));
    SN_TRY(load(run, statement, CORNER_UVS, sizeof(int), &corners, &f->corner_uvs));
    SN_TRY(load(run, statement, NORMALS, 3 * sizeof(double), &f->normal_count, &f->normals));
    SN_TRY(load(run, statement, CORNER_NORMALS, sizeof(int), &corners, &f->corner_normals));
    SN_TRY(load(run, statement, COLOURS, 4 * sizeof(float), vertices, &f->colours));
    if (f->uv_count < 0) f->uv_count = 0;
    if (f->normal_count < 0) f->normal_count = 0;
    return load(run, statement, SMOOTHING, sizeof(int), &f->count, &f->smoothing);
}

static SnStatus load_skin(SnRunFile* run, sqlite3_stmt* statement, const SnBodyInfo* body, SnSkin* skin)
{
    skin->vertex_count = -1;
    SN_TRY(load(run, statement, REST, 3 * sizeof(double), &skin->vertex_count, &skin->rest));
    if (!skin->rest) return sn_run_damaged(run, "a skin has no vertices");
    int vertices = skin->vertex_count, corners = -1;
    SN_TRY(load_faces(run, statement, &vertices, &skin->faces));
    SN_TRY(load(run, statement, CARRIERS, sizeof(int), &corners, &skin->carriers));
    SN_TRY(load(run, statement, WEIGHTS, sizeof(double), &corners, &skin->weights));
    if (!skin->carriers != !skin->weights || (!skin->carriers && vertices != body->node_count))
        return sn_run_damaged(run, "a skin does not say what carries it");
    skin->carrier_count = skin->carriers && vertices > 0 ? corners / vertices : 0;
    if (skin->carriers && corners != skin->carrier_count * vertices)
        return sn_run_damaged(run, "an array of a skin has another length");
    for (int i = 0; skin->carriers && i < corners; i++)
        if (skin->carriers[i] < 0 || skin->carriers[i] >= body->node_count)
            return sn_run_damaged(run, "a skin is carried by a node that does not exist");
    return SN_OK;
}

static int kind_of(const char* text)
{
    for (int k = 0; k < 3; k++)
        if (strcmp(text, kinds[k]) == 0) return k;
    return -1;
}

// The statement stands on its row.
static SnStatus load_group(SnRunFile* run, sqlite3_stmt* statement, SnFaceGroup* group)
{
    const void* items;
    const char* kind = sn_run_text(&run->arena, statement, 0);
    const char* name = sn_run_text(&run->arena, statement, 1);
    if (!kind || !name) return SN_ERROR_MEMORY;
    if (kind_of(kind) < 0) return sn_run_damaged(run, "a group of a skin is of no known kind");
    SN_TRY(sn_run_blob(run, statement, 2, "a group of a skin", sizeof(int), &items, &group->count));
    group->kind = (SnFaceGroupKind)kind_of(kind);
    group->name = (char*)name;
    group->faces = (int*)items;
    return SN_OK;
}

static SnStatus load_groups(SnRunFile* run, int body, SnFaces* faces)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_LIST_SKIN_GROUPS, &statement));
    sqlite3_bind_int(statement, 1, body);
    SnStatus status = SN_OK;
    int code = SQLITE_DONE, capacity = 0, count = 0;
    SnFaceGroup* groups = NULL;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        bool room = SN_GROW(groups, capacity, count + 1, "groups of faces");
        status = room ? load_group(run, statement, &groups[count]) : SN_ERROR_MEMORY;
        count += status == SN_OK;
    }
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read a skin");
    sqlite3_reset(statement);
    if (status == SN_OK && count > 0) {
        faces->groups = sn_arena_allocate(&run->arena, (size_t)count * sizeof *groups);
        if (faces->groups) memcpy(faces->groups, groups, (size_t)count * sizeof *groups);
        faces->group_count = faces->groups ? count : 0;
        if (!faces->groups) status = SN_ERROR_MEMORY;
    }
    sn_free(groups);
    return status;
}

static SnStatus load_row(SnRunFile* run, sqlite3_stmt* statement)
{
    int body = sn_run_int(statement, BODY);
    if (body < 0 || body >= run->body_count) return sn_run_damaged(run, "a skin belongs to no body");
    SnSkin* skin = sn_arena_allocate(&run->arena, sizeof *skin);
    if (!skin) return SN_ERROR_MEMORY;
    SN_TRY(load_skin(run, statement, &run->bodies[body], skin));
    SN_TRY(load_groups(run, body, &skin->faces));
    const char* problem = sn_faces_problem(&skin->faces, skin->vertex_count);
    if (problem) return sn_run_damaged(run, problem);
    run->bodies[body].skin = skin;
    return SN_OK;
}

SnStatus sn_run_load_skins(SnRunFile* run)
{
    sqlite3_stmt* statement;
    SN_TRY(sn_run_statement(run, RUN_LIST_SKINS, &statement));
    SnStatus status = SN_OK;
    int code = SQLITE_DONE;
    while (status == SN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) status = load_row(run, statement);
    if (status == SN_OK && code != SQLITE_DONE) status = sn_run_fail(run, code, "read the skins");
    sqlite3_reset(statement);
    return status;
}
