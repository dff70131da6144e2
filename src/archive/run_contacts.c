// The table contact: what pushes in a frame, as two arrays of numbers.
#include "archive/run_database.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/handle.h"

// int32: body, other body, obstacle, state, nodes; float32: point, normal, gap, force, friction.
enum { PAIR = 4 + SN_CONTACT_NODES, VALUES = 11 };

// --- writing ---

static void put_contact(const SnContactInfo* c, int32_t* pair, float* values)
{
    const int32_t who[4] = {c->body, c->other_body, c->obstacle, (int32_t)c->state};
    memcpy(pair, who, sizeof who);
    for (int k = 0; k < SN_CONTACT_NODES; k++) pair[4 + k] = c->nodes[k];
    for (int a = 0; a < 3; a++) {
        values[a] = (float)c->point[a];
        values[3 + a] = (float)c->normal[a];
        values[8 + a] = (float)c->friction[a];
    }
    values[6] = (float)c->gap, values[7] = (float)c->force;
}

SnStatus sn_run_insert_contacts(SnRunFile* run, const SnRunFrame* frame)
{
    size_t count = (size_t)frame->contact_count, sizes[2];
    const void* bytes[2];
    sqlite3_stmt* statement;
    if (count == 0) return SN_OK;
    if (!SN_GROW(run->contact_pairs, run->pair_capacity, (int64_t)(PAIR * count), "contacts") ||
        !SN_GROW(run->contact_values, run->value_capacity, (int64_t)(VALUES * count), "contacts"))
        return SN_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        put_contact(&frame->contacts[i], run->contact_pairs + PAIR * i, run->contact_values + VALUES * i);
    SN_TRY(sn_run_pack(run, 0, run->contact_pairs, PAIR * count * sizeof(int32_t), &bytes[0], &sizes[0]));
    SN_TRY(sn_run_pack(run, 1, run->contact_values, VALUES * count * sizeof(float), &bytes[1], &sizes[1]));
    SN_TRY(sn_run_statement(run, RUN_INSERT_CONTACTS, &statement));
    sqlite3_bind_int64(statement, 1, frame->step);
    sqlite3_bind_int64(statement, 2, frame->contact_count);
    int code = sn_run_bind_blob(statement, 3, bytes[0], sizes[0]);
    if (code == SQLITE_OK) code = sn_run_bind_blob(statement, 4, bytes[1], sizes[1]);
    return sn_run_finish(run, statement, code, "write contacts");
}

// --- reading ---

static bool is_within(int32_t number, int count)
{
    return number >= -1 && number < count;
}

// Of a body that came after the file was opened, of whose nodes nobody knows.
static bool is_later(const SnRunFile* run, const int32_t* pair)
{
    int all = run->body_count + run->later_count, obstacle = pair[2] - run->obstacle_count;
    if (obstacle >= 0 && obstacle < run->later_obstacle_count) return true;
    return (pair[0] >= run->body_count && pair[0] < all) || (pair[1] >= run->body_count && pair[1] < all);
}

static bool get_contact(const SnRunFile* run, const int32_t* pair, const float* values, SnContactInfo* c)
{
    *c = (SnContactInfo){.body = pair[0], .other_body = pair[1], .obstacle = pair[2], .state = (SnContactState)pair[3]};
    bool known = pair[0] >= 0 && is_within(pair[0], run->body_count) && is_within(pair[1], run->body_count) &&
                 is_within(pair[2], run->obstacle_count) && (pair[1] < 0) != (pair[2] < 0) && pair[3] >= 0 &&
                 pair[3] <= SN_CONTACT_SLIDES;
    for (int k = 0; k < SN_CONTACT_NODES; k++) {
        known = known && is_within(pair[4 + k], run->node_count) && (pair[4 + k] < 0 || c->node_count == k);
        c->nodes[k] = pair[4 + k];
        c->node_count += c->nodes[k] >= 0;
    }
    for (int a = 0; a < 3; a++) {
        c->point[a] = values[a], c->normal[a] = values[3 + a], c->friction[a] = values[8 + a];
        c->slip[a] = NAN;
    }
    c->gap = values[6], c->force = values[7];
    c->thickness = c->coefficient = NAN;
    return known;
}

// The numbers of a row. Its count is believed only as far as the bytes can hold so many: zlib makes a thousandth at
// best.
static SnStatus unpack_row(SnRunFile* run, sqlite3_stmt* statement, int64_t count, const char* what)
{
    size_t length = (size_t)sqlite3_column_bytes(statement, 1), most = run->compress ? 1100 * (length + 1) : length;
    if (count < 0 || (uint64_t)count > most / (PAIR * sizeof(int32_t)))
        return sn_run_damaged(run, "the number of contacts is wrong");
    if (!SN_GROW(run->contact_pairs, run->pair_capacity, PAIR * count, "contacts") ||
        !SN_GROW(run->contact_values, run->value_capacity, VALUES * count, "contacts") ||
        !SN_GROW(run->contacts, run->contact_capacity, count, "contacts"))
        return SN_ERROR_MEMORY;
    for (int k = 0; k < 2; k++) {
        size_t raw = (size_t)count * (k == 0 ? PAIR * sizeof(int32_t) : VALUES * sizeof(float));
        const void* bytes = sn_run_column_blob(statement, 1 + k);
        size_t size = (size_t)sqlite3_column_bytes(statement, 1 + k);
        if (size && !bytes) return sn_run_fail(run, SQLITE_NOMEM, "read contacts");
        SN_TRY(sn_run_unpack(run, bytes, size, k == 0 ? (void*)run->contact_pairs : run->contact_values, raw, what));
    }
    return SN_OK;
}

static SnStatus read_row(SnRunFile* run, sqlite3_stmt* statement, int64_t step, int* count)
{
    char what[64];
    int64_t found = sqlite3_column_int64(statement, 0);
    snprintf(what, sizeof what, "contacts of step %lld", (long long)step);
    SN_TRY(unpack_row(run, statement, found, what));
    *count = 0;
    for (int64_t i = 0; i < found; i++) {
        const int32_t* pair = run->contact_pairs + PAIR * i;
        if (is_later(run, pair)) continue;
        if (!get_contact(run, pair, run->contact_values + VALUES * i, &run->contacts[(*count)++]))
            return sn_run_damaged(run, "a contact names what is not there");
    }
    return SN_OK;
}

SnStatus sn_run_file_need_contacts(const SnRunFile* run)
{
    if (run->keeps_contacts) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "%s: no contacts were kept, because %s; run the scene anew", run->path,
                   run->format < 5 ? "the run was made by an earlier sinew" : "of output: {contacts: false}");
}

SnStatus sn_run_file_read_contacts(SnRunFile* run, int frame, const SnContactInfo** contacts, int* count)
{
    SN_HANDLE(run);
    SN_NEED(contacts);
    SN_NEED(count);
    sqlite3_stmt* statement;
    *contacts = NULL, *count = 0;
    SN_TRY(sn_run_check_frame(run, frame));
    if (run->format < 5) return SN_OK;
    int64_t step = run->frames[frame].step;
    SN_TRY(sn_run_statement(run, RUN_GET_CONTACTS, &statement));
    sqlite3_bind_int64(statement, 1, step);
    int code = sqlite3_step(statement);
    SnStatus status = code == SQLITE_ROW    ? read_row(run, statement, step, count)
                      : code == SQLITE_DONE ? SN_OK
                                            : sn_run_fail(run, code, "read contacts");
    sqlite3_reset(statement);
    status = sn_run_check_not_replaced(run, status);
    if (status != SN_OK) *count = 0;
    *contacts = run->contacts;
    return status;
}
