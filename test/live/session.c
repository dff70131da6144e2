// What a session refuses, by the words that its pages get: nothing of it has changed then, and it goes on.
#include "live/session.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/run_file.h"
#include "check.h"
#include "live/request.h"
#include "live/retrace.h"
#include "live/show.h"
#include "solver/solver.h"

static const char scene_text[] = "name: sheet\ntime: {step: 1/60}\ngravity: [0, 0, 0]\n"
                                 "bodies:\n"
                                 "  - {mesh: {cloth: {size: [66, 34], cells: [66, 34]}},\n"
                                 "     material: {type: arap, young: 1e4, thickness: 1e-3}}\n";

typedef struct Session {
    char folder[64], path[100];
    SnScene* scene;
    SnSession* session;
} Session;

static void begin(Session* s)
{
    strcpy(s->folder, "/tmp/sinew-session-XXXXXX");
    check(mkdtemp(s->folder) != NULL);
    snprintf(s->path, sizeof s->path, "%s/sheet.run", s->folder);
    check_ok(sn_scene_parse(scene_text, strlen(scene_text), "sheet.yaml", NULL, 0, &s->scene));
    check_ok(sn_session_create(&(SnSessionDef){.scene = s->scene, .path = s->path}, &s->session));
}

static void end(Session* s)
{
    char command[100];
    sn_session_destroy(s->session);
    sn_scene_destroy(s->scene);
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    check(system(command) == 0);
}

static SnSessionStatus status_of(const Session* s)
{
    SnSessionStatus status;
    sn_session_status(s->session, &status);
    return status;
}

static void check_said(const Session* s, const char* request, const char* words)
{
    check(sn_session_ask(s->session, 0, request));
    for (int k = 0; k < 10000 && !strstr(status_of(s).message, words); k++) usleep(1000);
    SnSessionStatus status = status_of(s);
    if (!strstr(status.message, words)) fail_msg("%s: \"%s\" is not in \"%s\"", request, words, status.message);
    check(!status.failed && status.frames == 1 && status.branch == 0 && strcmp(status.path, s->path) == 0);
}

// "pin" of the triangle of the sheet that is there.
static const char* pin_at(const Session* s, double x, double z, char request[100])
{
    SnWorld* world;
    SnPick p;
    check_ok(sn_scene_create_world(s->scene, &world));
    check_ok(sn_world_pick(world, (double[3]){x, 1, z}, (double[3]){0, -1, 0}, &p));
    sn_world_destroy(world);
    snprintf(request, 100, "pin %d %d %d %d %g %g %g", p.body, p.nodes[0], p.nodes[1], p.nodes[2], p.weights[0],
             p.weights[1], p.weights[2]);
    return request;
}

// After all that was asked before.
static void wait_for(const Session* s, int number)
{
    char request[40];
    snprintf(request, sizeof request, "speed %d", number);
    check(sn_session_ask(s->session, 0, request));
    for (int k = 0; k < 10000 && status_of(s).speed != number; k++) usleep(1000);
    assert_int_equal((int)status_of(s).speed, number);
}

static void test_what_is_not_there(void** unused)
{
    (void)unused;
    Session s;
    begin(&s);
    check_said(&s, "branch 1", "there is no frame 1");
    check_said(&s, "branch -1", "there is no frame -1");
    check_said(&s, "solver 99", "there is no solver 99");
    check_said(&s, "solver -1", "there is no solver -1");
    check_said(&s, "integrator 99", "there is no integrator 99");
    check_said(&s, "switch 1", "there is no branch 1; there are 1");
    check_said(&s, "switch -1", "there is no branch -1");
    check_said(&s, "name 3 other", "there is no branch 3");
    check_said(&s, "young 4 1e5", "no body 4");
    check_said(&s, "new-obstacle 7 1 0 9 0", "no obstacle 7 to make");
    check_said(&s, "new-obstacle 1 -1 0 9 0", "a block of -1 m");
    check_said(&s, "new-obstacle 2 1 0 1 0", "inside");
    check_said(&s, "poisson 0 0.6", "poisson");
    check_said(&s, "density 0 -1", "density");
    check_said(&s, "damping 0 0 0 0.1", "has no damping 0");
    check_said(&s, "damping 9 0 0 0.1", "no body 9");
    check_said(&s, "add-damping 9 0.1", "no body 9");
    check_said(&s, "add-damping 0 -1", "beta");
    check_said(&s, "grab 3 0 1 2 1 0 0", "no body 3");
    check_said(&s, "grab 0 0 1 9999 1 0 0", "no node 9999");
    check_said(&s, "grab 0 0 1 2 1 1 0", "add up to 2");
    check_said(&s, "pin 0 -4 1 2 1 0 0", "no node -4");
    check_said(&s, "remove 5", "no body 5");
    check_said(&s, "place-obstacle 2 0 0 0", "no obstacle 2");
    check_said(&s, "remove-obstacle -7", "no obstacle -1");
    check(sn_session_ask(s.session, 0, "step"));
    for (int k = 0; k < 10000 && status_of(&s).frames < 2; k++) usleep(1000);
    check(status_of(&s).frames == 2 && status_of(&s).message[0] == 0);
    end(&s);
}

static void test_what_is_no_request(void** unused)
{
    (void)unused;
    static const char* const good[] = {
        "play",    "young 0 1e5", "damping 0 1 0 1e-2", "name 1 soft and slow", "name 1", "place-obstacle 0 1 2 3",
        "switch 0"};
    static const char* const bad[] = {"",
                                      "playing",
                                      "young 0",
                                      "young 0 1 2",
                                      "young 0 nan",
                                      "damping 0 1 0",
                                      "name",
                                      "name soft",
                                      "name 1 a\nb",
                                      "switch",
                                      "switch 0 now",
                                      "place-obstacle 0 1 2",
                                      "speed -1",
                                      "name 1 a name that is longer than any name of a branch may ever be"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!sn_session_understands(good[i])) fail_msg("\"%s\" is not understood", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sn_session_understands(bad[i])) fail_msg("\"%s\" is understood", bad[i]);
}

// What fuzzers start from is what pages send today.
static void test_corpus_is_understood(void** unused)
{
    (void)unused;
    static const char* const files[] = {"hands", "tree", "requests"};
    char path[300], line[100];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int count = 0;
        snprintf(path, sizeof path, "%s/fuzz/corpus/live/%s", SN_SOURCE_DIR, files[i]);
        FILE* file = fopen(path, "r");
        for (; file && fgets(line, sizeof line, file); count++) {
            SnRequest request;
            line[strcspn(line, "\n")] = 0;
            if (!sn_session_understands(line) && !sn_request_read(line, 2, &request))
                fail_msg("%s: \"%s\" is not understood", files[i], line);
        }
        check(file && fclose(file) == 0 && count >= 4);
    }
}

static void wait_for_frames(const Session* s, int branch, int frames)
{
    for (int k = 0; k < 20000; k++) {
        SnSessionStatus now = status_of(s);
        if (now.branch == branch && now.frames == frames) return;
        usleep(1000);
    }
    fail_msg("no %d frames of branch %d, but %d of %d: %s", frames, branch, status_of(s).frames, status_of(s).branch,
             status_of(s).message);
}

// Two ways from frame 1, and back to the first, which goes on; files and their names are as the tree says.
static void test_branches(void** unused)
{
    (void)unused;
    Session s;
    char path[SN_LONGEST_PATH];
    begin(&s);
    for (int i = 0; i < 3; i++) check(sn_session_ask(s.session, 0, "step"));
    wait_for_frames(&s, 0, 4);
    check(sn_session_ask(s.session, 0, "branch 1") && sn_session_ask(s.session, 0, "name 1 other way"));
    wait_for_frames(&s, 1, 2);
    check(sn_session_ask(s.session, 0, "step"));
    wait_for_frames(&s, 1, 3);
    check(sn_session_ask(s.session, 0, "name 0 first") && sn_session_ask(s.session, 0, "switch 0"));
    wait_for_frames(&s, 2, 4);
    check(status_of(&s).retraced == 0); // its newest frame has a checkpoint
    check(sn_session_ask(s.session, 0, "step"));
    wait_for_frames(&s, 2, 5);
    SnSessionStatus now = status_of(&s);
    check(now.branch_count == 2 && now.at == 0 && strcmp(now.path, s.path) == 0);
    check(now.branches[0].parent == -1 && now.branches[1].parent == 0 && now.branches[1].frame == 1);
    check(now.branches[1].frames == 3 && strcmp(now.branches[1].name, "other way") == 0);
    for (int b = 0; b < 2; b++) {
        SnRunFile* run;
        const char* name;
        check_ok(sn_session_branch_path(s.session, now.branches[b].number, path));
        check_ok(sn_run_file_open(path, &run));
        check_ok(sn_run_file_meta(run, "branch_name", &name));
        check(name && strcmp(name, b ? "other way" : "first") == 0);
        assert_int_equal(sn_run_file_frame_count(run), b ? 3 : 5);
        sn_run_file_destroy(run);
    }
    end(&s);
}

// Every second cell of the sheet has a place that shares no node with another's: 33 by 17 of them, of which 256 are
// held.
static void test_places_held(void** unused)
{
    (void)unused;
    Session s;
    char request[100];
    begin(&s);
    for (int i = 0; i < 256; i++) {
        check(sn_session_ask(s.session, 0, pin_at(&s, i % 33 * 2 + 0.3, i / 33 * 2 + 0.2, request)));
        if (i % 32 == 31) wait_for(&s, 2 + i);
        check(status_of(&s).message[0] == 0);
    }
    check_said(&s, pin_at(&s, 20.3, 30.2, request), "256 places are held; let one go first");
    check(sn_session_ask(s.session, 0, pin_at(&s, 0.3, 0.2, request))); // which lets that one go
    check(sn_session_ask(s.session, 0, pin_at(&s, 20.3, 30.2, request)));
    wait_for(&s, 1);
    check(status_of(&s).message[0] == 0);
    check_said(&s, pin_at(&s, 22.3, 30.2, request), "256 places are held");
    end(&s);
}

// The file's name is a path that branches are named after.
static void test_long_name(void** unused)
{
    (void)unused;
    char path[2000];
    Session s;
    SnSession* other;
    begin(&s);
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    check_fails(sn_session_create(&(SnSessionDef){.scene = s.scene, .path = path}, &other), SN_ERROR_FILE,
                "the name is too long");
    end(&s);
}

static void check_not_resumed(const Session* s, const char* path, const char* words)
{
    SnSession* other;
    SnSessionDef def = {.scene = s->scene, .path = path, .resume = true};
    if (sn_session_create(&def, &other) == SN_OK || !strstr(sn_last_error(), words))
        fail_msg("%s: \"%s\" is not in \"%s\"", path, words, sn_last_error());
    check(other == NULL);
}

static void set_meta(const char* path, const char* key, const char* text)
{
    SnRunFile* run;
    check_ok(sn_run_file_open_to_append(path, &run));
    check_ok(sn_run_file_set_meta(run, key, text));
    check_ok(sn_run_file_close(run));
}

// Run files that no session can go on with.
static void test_not_resumed(void** unused)
{
    (void)unused;
    Session s;
    char branch[120], none[120];
    SnWorld* world;
    SnRunFile* run;
    SnStepReport report;
    begin(&s);
    snprintf(branch, sizeof branch, "%s/sheet-1.run", s.folder), snprintf(none, sizeof none, "%s/none.run", s.folder);
    check(sn_session_ask(s.session, 0, "branch 0"));
    wait_for_frames(&s, 1, 1);
    check_not_resumed(&s, branch, "another");
    sn_session_destroy(s.session);
    s.session = NULL;
    check_not_resumed(&s, none, "none.run");
    set_meta(branch, "branch_of", "../sheet.run");
    check_not_resumed(&s, branch, "leads nowhere");
    set_meta(branch, "branch_of", "sheet-1.run");
    check_not_resumed(&s, branch, "leads nowhere");
    set_meta(branch, "branch_of", "");
    rename(branch, none);
    set_meta(none, "branch_of", "sheet.run");
    check_not_resumed(&s, none, "not that of a branch");
    check_ok(sn_scene_create_world(s.scene, &world));
    check_ok(sn_run_file_create(none, world, NULL, &run));
    for (int i = 0; i < 2; i++) {
        check_ok(sn_world_step(world, &report));
        check_ok(sn_run_file_add_step(run, &report));
    }
    check_ok(sn_run_file_write_frame(run, world));
    check_ok(sn_run_file_close(run));
    check_not_resumed(&s, none, "a frame for each step");
    sn_world_destroy(world);
    end(&s);
}

// Back from a session of many steps few are made again; where checkpoints are another version's, all are, and it says
// so.
static void test_checkpoints(void** unused)
{
    (void)unused;
    static const char wrong[] = "UPDATE checkpoint SET state = x'00'";
    Session s;
    sqlite3* database;
    begin(&s);
    for (int i = 0; i < 100; i++) {
        check(sn_session_ask(s.session, 0, "step"));
        if (i % 40 == 39) wait_for_frames(&s, 0, i + 2);
        if (i == 42) check(sn_session_ask(s.session, 0, "gravity 0 -1 0"));
    }
    wait_for_frames(&s, 0, 101);
    check(sn_session_ask(s.session, 0, "branch 99"));
    wait_for_frames(&s, 1, 100);
    check(status_of(&s).retraced > 0 && status_of(&s).retraced <= 60 && status_of(&s).message[0] == 0);
    sn_session_destroy(s.session);
    check(sqlite3_open(s.path, &database) == SQLITE_OK);
    check(sqlite3_exec(database, wrong, NULL, NULL, NULL) == SQLITE_OK && sqlite3_close(database) == SQLITE_OK);
    check_ok(sn_session_create(&(SnSessionDef){.scene = s.scene, .path = s.path, .resume = true}, &s.session));
    check(status_of(&s).retraced == 100 && status_of(&s).frames == 101);
    check(strstr(status_of(&s).message, "all 100 steps were made again: ") && strstr(status_of(&s).message, "version"));
    end(&s);
}

static void save_cube(const char* path, double width)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[3]){width, 1, 1}, (int[3]){1, 1, 1}, &mesh));
    check_ok(sn_mesh_save(mesh, path));
    sn_mesh_destroy(mesh);
}

// Nor is a session gone on with whose meshes are others now, though its state would fit.
static void test_other_meshes(void** unused)
{
    (void)unused;
    char mesh[120], run[120], text[300];
    Session s;
    SnScene* scene;
    SnSession* other;
    begin(&s);
    snprintf(mesh, sizeof mesh, "%s/cube.msh", s.folder), snprintf(run, sizeof run, "%s/cube.run", s.folder);
    snprintf(text, sizeof text, "bodies: [{mesh: {file: %s}}]\n", mesh);
    save_cube(mesh, 1);
    check_ok(sn_scene_parse(text, strlen(text), "cube.yaml", NULL, 0, &scene));
    check_ok(sn_session_create(&(SnSessionDef){.scene = scene, .path = run}, &other));
    sn_session_destroy(other);
    save_cube(mesh, 1.5);
    sn_scene_destroy(scene);
    check_ok(sn_scene_parse(text, strlen(text), "cube.yaml", NULL, 0, &scene));
    check_fails(sn_session_create(&(SnSessionDef){.scene = scene, .path = run, .resume = true}, &other), SN_ERROR_VALUE,
                "another rest shape");
    sn_scene_destroy(scene);
    end(&s);
}

// A page may be shown another run in place of its own, with other bodies; where there is none, it stays.
static void test_other_bodies(void** unused)
{
    (void)unused;
    static const char two[] = "bodies: [{mesh: {box: {cells: [1, 1, 1]}}},\n"
                              "         {mesh: {box: {cells: [1, 1, 1]}}, place: {move: [3, 0, 0]}}]\n";
    char path[200];
    Session s;
    SnScene* scene;
    SnSession* other;
    SnShow* show;
    begin(&s);
    snprintf(path, sizeof path, "%s/two.run", s.folder);
    check_ok(sn_scene_parse(two, strlen(two), "two.yaml", NULL, 0, &scene));
    check_ok(sn_session_create(&(SnSessionDef){.scene = scene, .path = path}, &other));
    check_ok(sn_show_open(s.path, &show));
    check_ok(sn_show_reopen(show, path));
    assert_int_equal(sn_show_body_count(show), 2);
    check_fails(sn_show_reopen(show, s.folder), SN_ERROR_FILE, s.folder);
    assert_int_equal(sn_show_body_count(show), 2);
    check_ok(sn_show_reopen(show, s.path));
    assert_int_equal(sn_show_body_count(show), 1);
    sn_show_close(show);
    sn_session_destroy(other);
    sn_scene_destroy(scene);
    end(&s);
}

static int number_of_newton(void)
{
    int i = 0;
    while (strcmp(sn_table_name(&sn_solver_table, i), "newton") != 0) i++;
    return i;
}

// Bodies that pages ask for are seen with the next step, are in the file, and come out again in a branch.
static void test_new_bodies(void** unused)
{
    (void)unused;
    Session s;
    SnShow* show;
    begin(&s);
    check_ok(sn_show_open(s.path, &show));
    check_said(&s, "new 3 0.3 0 3 0", "nothing 3 to make");
    check_said(&s, "new 0 0 0 3 0", "a ball of 0 m");
    for (int kind = 0; kind < 3; kind++) {
        char request[60];
        snprintf(request, sizeof request, "new %d 0.4 %d 3 0", kind, 2 * kind);
        check(sn_session_ask(s.session, 0, request));
        wait_for_frames(&s, 0, 2 + kind);
    }
    check_ok(sn_show_refresh(show));
    check(sn_show_has_grown(show) && sn_show_body_count(show) == 1);
    check_ok(sn_show_reopen(show, s.path));
    check(!sn_show_has_grown(show) && sn_show_body_count(show) == 4);
    for (int frame = 0; frame < 4; frame++)
        for (int field = 0; field < SN_SHOW_FIELDS; field++) {
            SnMessage m = {0};
            uint64_t seen[4] = {0};
            check_ok(sn_show_frame(show, frame, &(SnShowWish){.field = (SnShowField)field}, seen, &m));
            sn_message_free(&m);
        }
    check(sn_session_ask(s.session, 0, "branch 2")); // made again with the first two
    wait_for_frames(&s, 1, 3);
    SnSessionStatus now = status_of(&s);
    check(now.body_count == 3 && now.message[0] == 0);
    check_ok(sn_show_reopen(show, now.path));
    assert_int_equal(sn_show_body_count(show), 3);
    sn_show_close(show);
    end(&s);
}

// Another solver makes the same steps, with all that is done meanwhile, until it is told to stop.
static void test_race(void** unused)
{
    (void)unused;
    Session s;
    char request[40];
    static double x[2][3 * 3000];
    begin(&s);
    check_said(&s, "race 99", "there is no solver 99");
    check(sn_session_ask(s.session, 0, "step") && sn_session_ask(s.session, 0, "gravity 0 -9.81 0"));
    wait_for_frames(&s, 0, 2);
    snprintf(request, sizeof request, "race %d", number_of_newton());
    check(sn_session_ask(s.session, 0, request));
    for (int i = 0; i < 3; i++) check(sn_session_ask(s.session, 0, "step"));
    wait_for_frames(&s, 0, 5); // what is done does not wait for steps that are asked for
    char pin[100];
    check(sn_session_ask(s.session, 0, pin_at(&s, 0.3, 0.2, pin)) && sn_session_ask(s.session, 0, "solver 0"));
    check(sn_session_ask(s.session, 0, "step") && sn_session_ask(s.session, 0, "new 1 0.4 0 3 0"));
    wait_for_frames(&s, 0, 7);
    SnSessionStatus now = status_of(&s);
    check(now.race == 1 && now.branch_count == 2 && now.at == 0 && now.message[0] == 0);
    check(now.branches[1].frames == 7 && now.branches[1].frame == 1 && strcmp(now.branches[1].name, "newton") == 0);
    for (int b = 0; b < 2; b++) {
        SnRunFile* run;
        char path[SN_LONGEST_PATH];
        check_ok(sn_session_branch_path(s.session, now.branches[b].number, path));
        check_ok(sn_run_file_open(path, &run));
        check(sn_run_file_frame_count(run) == 7 && sn_run_file_body_count(run) == 2);
        check(sn_run_file_node_count(run) <= 3000);
        check_ok(sn_run_file_read_frame(run, 6, x[b], NULL));
        sn_run_file_destroy(run);
    }
    check_near(x[0][1], x[1][1], 1e-4);
    check(x[0][1] < -1e-3);
    check(sn_session_ask(s.session, 0, "race -1") && sn_session_ask(s.session, 0, "step"));
    wait_for_frames(&s, 0, 8);
    now = status_of(&s);
    check(now.race == -1 && now.branches[1].frames == 7);
    check(sn_session_ask(s.session, 0, "switch 1")); // it is a branch as any other
    wait_for_frames(&s, 1, 7);
    check(strcmp(status_of(&s).solver, "newton") == 0 && status_of(&s).message[0] == 0);
    end(&s);
}

// One page asks without end for what takes a while: steps are made all the same, and another one, which is not heard
// then, can let go.
static void test_who_asks_without_end(void** unused)
{
    (void)unused;
    Session s;
    SnRunFile* run;
    const SnEvent* events;
    int count, held = 0, grabs = 0;
    begin(&s);
    check(sn_session_ask(s.session, 1, "grab 0 0 1 2 1 0 0") && sn_session_ask(s.session, 0, "play"));
    for (int k = 0; k < 100000000 && status_of(&s).frames < 8; k++)
        check(sn_session_ask(s.session, 0, "young 0 2e4") && sn_session_ask(s.session, 2, "drag 0 1 0"));
    check(status_of(&s).frames >= 8);
    check(sn_session_ask(s.session, 1, "drop") && sn_session_ask(s.session, 1, "drop"));
    for (int k = 0; k < 10000 && status_of(&s).playing; k++) {
        check(sn_session_ask(s.session, 0, "pause"));
        usleep(10000);
    }
    for (int k = 0; k < 10000 && status_of(&s).speed != 5; k++) { // also where there is no room for it yet
        check(sn_session_ask(s.session, 0, "speed 5"));
        usleep(10000);
    }
    check(status_of(&s).speed == 5);
    count = status_of(&s).frames;
    check(sn_session_ask(s.session, 0, "step"));
    wait_for_frames(&s, 0, count + 1);
    sn_session_destroy(s.session);
    s.session = NULL;
    check_ok(sn_run_file_open(s.path, &run));
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    for (int i = 0; i < count; i++) {
        grabs += strcmp(events[i].kind, "grab") == 0;
        held += (strcmp(events[i].kind, "grab") == 0) - (strcmp(events[i].kind, "let-go") == 0);
    }
    check(grabs == 1 && held == 0);
    sn_run_file_destroy(run);
    end(&s);
}

static bool after_three(void* user)
{
    return ++*(int*)user > 3;
}

// A session that ends while it goes back to an earlier frame does not wait for that.
static void test_given_up(void** unused)
{
    (void)unused;
    char path[120];
    int asked = 0;
    Session s;
    SnRetraced retraced;
    begin(&s);
    check(sn_session_ask(s.session, 0, "step"));
    for (int k = 0; k < 10000 && status_of(&s).frames < 2; k++) usleep(1000);
    snprintf(path, sizeof path, "%s/branch.run", s.folder);
    SnRetraceDef def = {s.scene, s.path, path, 1000, after_three, &asked};
    check_fails(sn_retrace(&def, &retraced), SN_ERROR_VALUE, "given up");
    check(asked == 4 && !retraced.world && !retraced.run);
    end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_given_up),
    cmocka_unit_test(test_what_is_not_there),
    cmocka_unit_test(test_what_is_no_request),
    cmocka_unit_test(test_branches),
    cmocka_unit_test(test_not_resumed),
    cmocka_unit_test(test_places_held),
    cmocka_unit_test(test_long_name),
    cmocka_unit_test(test_other_bodies),
    cmocka_unit_test(test_new_bodies),
    cmocka_unit_test(test_race),
    cmocka_unit_test(test_who_asks_without_end),
    cmocka_unit_test(test_checkpoints),
    cmocka_unit_test(test_other_meshes),
    cmocka_unit_test(test_corpus_is_understood),
};
RUN_TESTS(tests, NULL, NULL)
