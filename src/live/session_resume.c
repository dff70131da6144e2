// A session that goes on with a run file of an earlier one: the file that all its branches come from is found, then
// those, by what their files say of themselves, then it is taken to its end (live/retrace.h).
#include <stdio.h>
#include <string.h>

#include "archive/run_file.h"
#include "core/status.h"
#include "live/retrace.h"
#include "live/session_state.h"
#include "world/world.h"

// What a run file says of the branch that it is.
typedef struct Told {
    bool known;
    int frames;
    int64_t last;             // step of its last frame
    char of[SN_LONGEST_PATH]; // the name of the file that it left, "": none
    int64_t step;             // where it did
    char name[SN_LONGEST_NAME];
} Told;

static SnStatus read_text(SnRunFile* run, const char* key, char* text, size_t size)
{
    const char* found;
    SN_TRY(sn_run_file_meta(run, key, &found));
    snprintf(text, size, "%s", found ? found : "");
    return SN_OK;
}

static SnStatus read_told(SnRunFile* run, Told* told)
{
    char step[32];
    long long number;
    SN_TRY(read_text(run, "branch_of", told->of, sizeof told->of));
    SN_TRY(read_text(run, "branch_step", step, sizeof step));
    SN_TRY(read_text(run, "branch_name", told->name, sizeof told->name));
    told->frames = sn_run_file_frame_count(run);
    told->last = sn_run_file_frame_step(run, told->frames - 1);
    told->step = sscanf(step, "%lld", &number) == 1 ? number : -1;
    told->known = !strchr(told->of, '/');
    return SN_OK;
}

static SnStatus ask(const char* path, Told* told)
{
    SnRunFile* run;
    *told = (Told){0};
    SN_TRY(sn_run_file_open_lightly(path, &run));
    SnStatus status = read_told(run, told);
    sn_run_file_destroy(run);
    return status;
}

static const char* name_of(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// From branch to branch to the file that none left.
static SnStatus find_first(const char* path, char first[SN_LONGEST_PATH])
{
    Told told;
    if (snprintf(first, SN_LONGEST_PATH, "%s", path) >= SN_LONGEST_PATH)
        return sn_fail(SN_ERROR_FILE, "%s: the name is too long", path);
    for (int i = 0; i <= SN_MOST_BRANCHES; i++) {
        SN_TRY(ask(first, &told));
        if (told.frames < 1 || told.last != told.frames - 1)
            return sn_fail(SN_ERROR_VALUE, "%s: it has not a frame for each step, as a session has", first);
        if (!*told.of) return SN_OK;
        size_t folder = (size_t)(name_of(first) - first);
        if (!told.known || folder + strlen(told.of) >= SN_LONGEST_PATH) break;
        strcpy(first + folder, told.of);
    }
    return sn_fail(SN_ERROR_VALUE, "%s: it says that it left %s, which leads nowhere", path, told.of);
}

// The branch whose file has that name; -1: none.
static int find_branch(const SnSession* session, const char* name)
{
    const SnSessionStatus* status = &session->status;
    char path[SN_LONGEST_PATH];
    for (int i = 0; i < status->branch_count; i++)
        if (sn_session_branch_path(session, status->branches[i].number, path) == SN_OK &&
            strcmp(name_of(path), name) == 0)
            return i;
    return -1;
}

// The branch NAME-number.run, where it left one that is known.
static void add_branch(SnSession* session, int number)
{
    SnSessionStatus* status = &session->status;
    char path[SN_LONGEST_PATH];
    Told told;
    if (sn_session_branch_path(session, number, path) != SN_OK || find_branch(session, name_of(path)) >= 0) return;
    if (ask(path, &told) != SN_OK || !told.known || told.last != told.frames - 1 || told.frames < 1) return;
    int parent = *told.of ? find_branch(session, told.of) : -1;
    bool fits = parent >= 0 && told.step >= 0 && told.step < told.frames;
    if (!fits || status->branch_count == SN_MOST_BRANCHES) return;
    SnBranch next = {.number = number, .parent = parent, .frame = (int)told.step, .frames = told.frames};
    memcpy(next.name, told.name, sizeof next.name);
    status->branches[status->branch_count++] = next;
}

static SnStatus find_tree(SnSession* session)
{
    SnSessionStatus* status = &session->status;
    Told told;
    int before = 0;
    SN_TRY(ask(session->first, &told));
    status->branches[0] = (SnBranch){.parent = -1, .frames = told.frames};
    memcpy(status->branches[0].name, told.name, sizeof told.name);
    for (status->branch_count = 1; before < status->branch_count;) { // until no other one leaves one of these
        before = status->branch_count;
        for (int number = 1; number < 2 * SN_MOST_BRANCHES; number++) add_branch(session, number);
    }
    return SN_OK;
}

// Handles that were not made while it went on.
static SnStatus count_own_handles(SnSession* session)
{
    const SnEvent* events;
    int count;
    session->own_handles = session->world->model.handle_count;
    SN_TRY(sn_run_file_read_events(session->run, -1, &events, &count));
    for (int i = 0; i < count; i++)
        session->own_handles -= strcmp(events[i].kind, "hold") == 0 || strcmp(events[i].kind, "add-handle") == 0;
    return SN_OK;
}

SnStatus sn_session_resume(SnSession* session)
{
    const char* path = session->def.path;
    SN_TRY(find_first(path, session->first));
    snprintf(session->path, sizeof session->path, "%s", path);
    session->def.path = session->first;
    SN_TRY(find_tree(session));
    int at = find_branch(session, name_of(path));
    if (at < 0) return sn_fail(SN_ERROR_VALUE, "%s: its name is not that of a branch of %s", path, session->first);
    session->status.at = at;
    SnRetraceDef def = {.scene = session->def.scene, .from = path};
    SnRetraced retraced;
    SN_TRY(sn_retrace(&def, &retraced));
    session->world = retraced.world, session->run = retraced.run;
    sn_session_tell(&session->status, &retraced);
    return count_own_handles(session);
}
