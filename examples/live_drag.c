// A jelly that is pulled at while it is simulated, sixty steps a second, drawn in the terminal.
//
//   cc live_drag.c $(pkg-config --cflags --libs sinew) -o live_drag
//   ./live_drag       a, d, w, s move the hand, space grabs and lets go, g turns gravity over, q ends
//
// Where there is no terminal a hand of its own pulls for two seconds. Each step has at most twenty iterations, in one
// part, so that none takes long: it is safe and stable all the same, and says how far it was from its tolerance.
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 72, HEIGHT = 24, STEPS = 120 };

typedef struct Hand {
    double at[3];
    int grab; // -1: it holds nothing
} Hand;

static void stop_on(SnStatus status)
{
    if (status == SN_OK) return;
    fprintf(stderr, "%s\n", sn_last_error());
    exit(1);
}

static SnWorld* make_world(void)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnObstacleDef floor = sn_default_obstacle_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = 1.0 / 60, def.threads = 1;
    def.solver.iterations = 20, def.contact.parts = 1; // the budget
    stop_on(sn_world_create(&def, &world));
    stop_on(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){6, 6, 6}, &mesh));
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 2e4, 0.4, 1000);
    stop_on(sn_world_add_body(world, &body, NULL));
    floor.friction = 0.5;
    floor.shape.point[1] = -0.3;
    stop_on(sn_world_add_obstacle(world, &floor, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

// What is in front of the hand, seen along z.
static void grab(SnWorld* world, Hand* hand)
{
    SnPick pick;
    stop_on(sn_world_pick(world, (double[3]){hand->at[0], hand->at[1], 5}, (double[3]){0, 0, -1}, &pick));
    if (pick.body < 0) return;
    stop_on(sn_world_grab(world, &pick, 0, &hand->grab));
    memcpy(hand->at, pick.point, sizeof hand->at);
}

static void let_go(SnWorld* world, Hand* hand)
{
    if (hand->grab >= 0) stop_on(sn_world_let_go(world, hand->grab));
    hand->grab = -1;
}

static bool act(SnWorld* world, Hand* hand, char key)
{
    static double up = -9.81;
    hand->at[0] += 0.1 * ((key == 'd') - (key == 'a'));
    hand->at[1] += 0.1 * ((key == 'w') - (key == 's'));
    if (key == ' ' && hand->grab < 0)
        grab(world, hand);
    else if (key == ' ')
        let_go(world, hand);
    if (key == 'g') up = -up, stop_on(sn_world_set_gravity(world, (double[3]){0, up, 0}));
    if (hand->grab >= 0) stop_on(sn_world_drag(world, hand->grab, hand->at));
    return key != 'q';
}

// The hand's own way: it grabs in the middle, lifts and swings, and lets go.
static void play(SnWorld* world, Hand* hand, int step)
{
    if (step == 10) grab(world, hand);
    if (step == 90) let_go(world, hand);
    if (hand->grab < 0) return;
    hand->at[0] += (step % 40 < 20 ? 0.02 : -0.02), hand->at[1] += 0.01;
    stop_on(sn_world_drag(world, hand->grab, hand->at));
}

static void put(char picture[HEIGHT][WIDTH + 1], double x, double y, char what)
{
    int column = (int)((x + 1.5) / 4 * WIDTH), row = HEIGHT - 1 - (int)((y + 0.3) / 2.6 * HEIGHT);
    if (column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT) picture[row][column] = what;
}

static void draw(const SnWorld* world, const Hand* hand, const SnStepReport* report)
{
    char picture[HEIGHT][WIDTH + 1];
    const double* x = sn_world_positions(world);
    for (int row = 0; row < HEIGHT; row++) memset(picture[row], ' ', WIDTH), picture[row][WIDTH] = 0;
    for (int i = 0; i < sn_world_node_count(world); i++) put(picture, x[3 * i], x[3 * i + 1], 'o');
    put(picture, hand->at[0], hand->at[1], hand->grab >= 0 ? '@' : '+');
    printf("\033[H");
    for (int row = 0; row < HEIGHT; row++) printf("%s\n", picture[row]);
    printf("%.1f ms, %d iterations, %.2g N left of %.2g N allowed, %d contacts   \n", report->ms.total,
           report->iterations, report->gradient, report->tolerance, report->contacts);
}

static void wait_for(double seconds)
{
    struct timespec span = {0, (long)(1e9 * seconds)};
    if (seconds > 0) nanosleep(&span, NULL);
}

static void watch(SnWorld* world, Hand* hand)
{
    struct termios before, raw;
    SnStepReport report;
    char key = 0;
    tcgetattr(STDIN_FILENO, &before);
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0, raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    printf("\033[2J");
    do {
        key = 0;
        if (read(STDIN_FILENO, &key, 1) < 0) break;
        stop_on(sn_world_step(world, &report));
        draw(world, hand, &report);
        wait_for(1.0 / 60 - 1e-3 * report.ms.total);
    } while (act(world, hand, key));
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

int main(void)
{
    SnWorld* world = make_world();
    Hand hand = {.at = {0.5, 0.5, 1}, .grab = -1};
    SnStepReport report;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        watch(world, &hand);
    } else {
        int busy = 0;
        for (int step = 0; step < STEPS; step++) {
            play(world, &hand, step);
            stop_on(sn_world_step(world, &report));
            busy += report.outcome == SN_OUTCOME_ITERATION_LIMIT;
            if (step % 20 == 19)
                printf("t = %.2f s  hand at %+.2f %+.2f%s  middle at %+.2f %+.2f  %d contacts\n", report.time,
                       hand.at[0], hand.at[1], hand.grab >= 0 ? ", pulls" : "", sn_world_positions(world)[3 * 171],
                       sn_world_positions(world)[3 * 171 + 1], report.contacts);
        }
        printf("%d of %d steps had more to do than their budget\n", busy, STEPS);
    }
    sn_world_destroy(world);
    return 0;
}
