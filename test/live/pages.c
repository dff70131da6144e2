// Pages that ask a session for anything at random, right and wrong: it goes on, and every run file that it has made
// comes out again, bit for bit.
#include <stdlib.h>
#include <unistd.h>

#include "archive/again.h"
#include "archive/run_file.h"
#include "archive/start.h"
#include "check.h"
#include "core/random.h"
#include "live/session.h"

static const char scene_text[] =
    "name: pages\nup: z\ntime: {step: 1/60}\ncontact: {friction: 0.3}\nsleep: {after: 0.1, speed: 0.05}\n"
    "bodies:\n"
    "  - {name: bar, mesh: {box: {size: [1, 0.3, 0.3], cells: [3, 1, 1]}}, place: {move: [0, 0, 0.5]},\n"
    "     material: {young: 5e4}, damping: [{type: rayleigh, beta: 0.01}]}\n"
    "  - {name: brick, shelf: true, mesh: {box: {size: [0.3, 0.3, 0.3], cells: [1, 1, 1]}}}\n"
    "handles: [{body: bar, where: {box: [[-1, -1, -1], [0.01, 2, 2]]}}]\n"
    "obstacles:\n"
    "  - {type: plane, normal: [0, 0, 1], friction: 0.3}\n"
    "  - {name: ball, type: sphere, radius: 0.2, centre: [0.8, 0.15, 0.2]}\n"
    "  - {name: ramp, type: box, size: [0.4, 0.4, 0.1], centre: [2, 0, 0.3], shelf: true}\n";

enum { ROUNDS = 4, ASKED = 10 };

typedef struct Pages {
    char folder[64], path[100];
    SnScene* scene;
    SnSession* session;
    SnRandom random;
} Pages;

static double roll(Pages* p, double least, double most)
{
    return sn_random_uniform(&p->random, least, most);
}

static SnSessionStatus status_of(const Pages* p)
{
    SnSessionStatus status;
    sn_session_status(p->session, &status);
    return status;
}

// What pages send, with letters for numbers: i a small one, x and s places and sizes, w what is wrong.
static const char* const wishes[] = {
    "step",
    "step",
    "step",
    "step",
    "play",
    "pause",
    "gravity x x s",
    "drag s s s",
    "drop",
    "grab 0 5 9 13 0.5 0.25 0.25",
    "grab i i 2 1 0.2 0.3 0.5",
    "grab i w i 1 s 0.5 w",
    "obstacle 1 x 0 0",
    "obstacle i w x 0",
    "pin i i 7 i 0.4 0.4 0.2",
    "pin 0 12 i 15 0.4 0.4 0.2",
    "stiffness s",
    "young i 3e4",
    "poisson i s",
    "density i 500",
    "damping i 0 i s",
    "damping 0 0 0 s",
    "add-damping i s",
    "add-damping 1 w",
    "friction s",
    "branch i",
    "branch i",
    "switch i",
    "solver i",
    "race i",
    "race -1",
    "integrator i",
    "place 1 x x 2",
    "remove i",
    "new i 0.3 x x 2",
    "new i w x w 2",
    "new-obstacle i 0.3 x 2 1",
    "new-obstacle i s x x w",
    "place-obstacle i x x 1",
    "remove-obstacle i",
    "name i other",
    "speed w",
};

static void make_request(Pages* p, const char* wish, char request[200])
{
    static const char* const wrong[] = {"-1", "1e300", "-1e300", "0", "1e-300", "99", "-0.5", "1e9", "nan", "inf"};
    request[0] = 0;
    for (const char* c = wish; *c; c++) {
        char one[40] = {*c, 0};
        bool alone = (c == wish || c[-1] == ' ') && (c[1] == 0 || c[1] == ' ');
        if (alone && *c == 'i') snprintf(one, sizeof one, "%d", (int)roll(p, 0, 4));
        if (alone && *c == 'x') snprintf(one, sizeof one, "%.3g", roll(p, -1, 1));
        if (alone && *c == 's') snprintf(one, sizeof one, "%.3g", roll(p, 0.01, 1));
        if (alone && *c == 'w') strcpy(one, wrong[(int)roll(p, 0, 10)]);
        strcat(request, one);
    }
}

// Until all that was asked is done.
static void wait_for_all(Pages* p, int round)
{
    char request[40];
    check(sn_session_ask(p->session, 0, "pause"));
    snprintf(request, sizeof request, "speed %d", 100 + round);
    for (int k = 0; k < 60000 && status_of(p).speed != 100 + round; k++) {
        if (k % 100 == 0) check(sn_session_ask(p->session, 0, request)); // one that came too fast was not heard
        usleep(1000);
    }
    check(status_of(p).speed == 100 + round);
}

static void ask_at_random(Pages* p, uint64_t seed)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < ASKED; k++) {
            char request[200];
            make_request(p, wishes[(int)roll(p, 0, sizeof wishes / sizeof *wishes)], request);
            (void)sn_session_ask(p->session, (int)roll(p, 0, 3), request);
        }
        wait_for_all(p, round);
        SnSessionStatus now = status_of(p);
        if (now.failed) fail_msg("seed %d, round %d: %s", (int)seed, round, now.message);
    }
}

static void check_again(const Pages* p, const char* path)
{
    SnAgain again = {0};
    SnStepReport now;
    check_ok(sn_run_file_open(path, &again.run));
    check_ok(sn_start_again(again.run, p->scene, &again.world));
    check_ok(sn_again_start(&again, NULL, NULL));
    check_ok(sn_world_measure(again.world, &now));
    double* x = malloc(3 * (size_t)sn_run_file_node_count(again.run) * sizeof *x);
    for (int f = 1; f < sn_run_file_frame_count(again.run); f++) {
        check_ok(sn_again_step(&again, &now));
        check(sn_run_file_frame_step(again.run, f) == now.step);
        check_ok(sn_run_file_read_frame(again.run, f, x, NULL));
        if (memcmp(x, sn_world_positions(again.world), 3 * (size_t)sn_world_node_count(again.world) * sizeof *x) != 0)
            fail_msg("%s: frame %d came out otherwise", path, f);
    }
    free(x);
    sn_world_destroy(again.world);
    sn_run_file_destroy(again.run);
}

static int find_file(const SnSessionStatus* status, int number)
{
    for (int b = 0; b < status->branch_count; b++)
        if (status->branches[b].number == number) return b;
    return -1;
}

// Another session goes on with one of the branches: it has the whole tree, as it was, but for a step that was under
// way.
static void resume(Pages* p)
{
    SnSessionStatus was = status_of(p), now;
    char path[SN_LONGEST_PATH];
    int chosen = (int)roll(p, 0, was.branch_count);
    was.branches[was.at].frames = was.frames;
    check_ok(sn_session_branch_path(p->session, was.branches[chosen].number, path));
    sn_session_destroy(p->session);
    check_ok(sn_session_create(&(SnSessionDef){.scene = p->scene, .path = path, .resume = true}, &p->session));
    now = status_of(p);
    check(now.branch_count == was.branch_count && now.branches[now.at].number == was.branches[chosen].number);
    check(now.frames >= was.branches[chosen].frames && strcmp(now.path, path) == 0 && !now.playing);
    check(now.retraced == 0 && now.message[0] == 0); // by its newest checkpoint
    for (int b = 0; b < was.branch_count; b++) {
        int k = find_file(&now, was.branches[b].number);
        check(k >= 0);
        const SnBranch *a = &was.branches[b], *other = &now.branches[k];
        check(a->frame == other->frame && a->frames <= other->frames && strcmp(a->name, other->name) == 0);
        check((a->parent < 0) == (other->parent < 0));
        if (a->parent >= 0) check(was.branches[a->parent].number == now.branches[other->parent].number);
    }
}

// SINEW_PAGES=first,count: others, and more of them.
static void test_pages(void** unused)
{
    (void)unused;
    int first = 1, count = 6, branches = 0;
    const char* more = getenv("SINEW_PAGES");
    if (more) check(sscanf(more, "%d,%d", &first, &count) == 2);
    for (int seed = first; seed < first + count; seed++) {
        Pages p = {.folder = "/tmp/sinew-pages-XXXXXX", .random = {(uint64_t)seed}};
        char command[100];
        check(mkdtemp(p.folder) != NULL);
        snprintf(p.path, sizeof p.path, "%s/pages.run", p.folder);
        check_ok(sn_scene_parse(scene_text, strlen(scene_text), "pages.yaml", NULL, 0, &p.scene));
        check_ok(sn_session_create(&(SnSessionDef){.scene = p.scene, .path = p.path}, &p.session));
        ask_at_random(&p, (uint64_t)seed);
        resume(&p);
        ask_at_random(&p, (uint64_t)seed);
        SnSessionStatus end = status_of(&p);
        char paths[SN_MOST_BRANCHES][SN_LONGEST_PATH];
        for (int b = 0; b < end.branch_count; b++)
            check_ok(sn_session_branch_path(p.session, end.branches[b].number, paths[b]));
        sn_session_destroy(p.session);
        for (int b = 0; b < end.branch_count; b++) check_again(&p, paths[b]);
        branches += end.branch_count - 1;
        sn_scene_destroy(p.scene);
        snprintf(command, sizeof command, "rm -r %s", p.folder);
        check(system(command) == 0);
    }
    check(branches > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pages),
};
RUN_TESTS(tests, NULL, NULL)
