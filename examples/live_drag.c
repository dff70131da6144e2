// A jelly that is pulled at while it is simulated, sixty steps a second, drawn in the terminal.
//
//   cc live_drag.c $(pkg-config --cflags --libs sinew) -o live_drag
//   ./live_drag       a, d, w, s move the hand; space grabs and lets go; h holds what is there, or lets it go again;
//                     b drops a ball; g turns gravity over; q ends
//
// Where there is no terminal a hand of its own pulls for two seconds. Each step has at most twenty iterations, in one
// part, so that none takes long: it is safe and stable all the same, and says how far it was from its tolerance.
#include <math.h>
#include <signal.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 72, HEIGHT = 24, STEPS = 120, MOST_BODIES = 5, MOST_NODES = 2000 };

// What is seen, m.
static const double left = -1.5, floor_at = -0.3, across = 4, high = 2.6;

typedef struct Hand {
    double at[3];
    int grab;   // -1: it holds nothing
    int handle; // what holds a place; -1: nothing does
    const char* said;
} Hand;

static void stop_on(SnStatus status)
{
    if (status == SN_OK) return;
    fprintf(stderr, "%s\n", sn_last_error());
    exit(1);
}

static void add_plane(SnWorld* world, double height, double up)
{
    SnObstacleDef plane = sn_default_obstacle_def();
    plane.friction = 0.5;
    plane.shape.point[1] = height, plane.shape.normal[1] = up;
    stop_on(sn_world_add_obstacle(world, &plane, NULL));
}

static SnWorld* make_world(void)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnWorld* world;
    SnMesh* mesh;
    def.time_step = 1.0 / 60, def.threads = 1, def.contact.bodies = true;
    def.solver.iterations = 20, def.contact.parts = 1; // the budget
    stop_on(sn_world_create(&def, &world));
    stop_on(sn_mesh_make_box((double[3]){1, 1, 1}, (int[3]){6, 6, 6}, &mesh));
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 2e4, 0.4, 1000);
    stop_on(sn_world_add_body(world, &body, NULL));
    add_plane(world, floor_at, 1), add_plane(world, floor_at + high, -1);
    sn_mesh_destroy(mesh);
    return world;
}

// --- What the hand does ---

// What is in front of it, seen along z; whether anything is.
static bool find(const SnWorld* world, const Hand* hand, SnPick* pick)
{
    stop_on(sn_world_pick(world, (double[3]){hand->at[0], hand->at[1], 5}, (double[3]){0, 0, -1}, pick));
    return pick->body >= 0;
}

static void grab(SnWorld* world, Hand* hand)
{
    SnPick pick;
    if (!find(world, hand, &pick)) return;
    stop_on(sn_world_grab(world, &pick, 0, &hand->grab));
    memcpy(hand->at, pick.point, sizeof hand->at);
}

static void let_go(SnWorld* world, Hand* hand)
{
    if (hand->grab >= 0) stop_on(sn_world_let_go(world, hand->grab));
    hand->grab = -1;
}

// The triangle in front of it stays where it is; again, and it is let go.
static void hold(SnWorld* world, Hand* hand)
{
    SnPick pick;
    SnBodyInfo body;
    int nodes[3];
    if (hand->handle >= 0) {
        stop_on(sn_world_release_handle(world, hand->handle));
        hand->handle = -1;
    } else if (find(world, hand, &pick)) {
        stop_on(sn_world_body(world, pick.body, &body));
        for (int k = 0; k < 3; k++) nodes[k] = pick.nodes[k] - body.first_node;
        stop_on(sn_world_hold(world, pick.body, nodes, 3, &hand->handle));
    }
}

// A new body, over the hand. Where it would cross something it is refused, and nothing has changed.
static void drop_ball(SnWorld* world, Hand* hand)
{
    SnBodyDef body = sn_default_body_def();
    const double at[3] = {hand->at[0], floor_at + high - 0.3, 0.5};
    SnMesh* mesh;
    if (sn_world_body_count(world) == MOST_BODIES) return;
    stop_on(sn_mesh_make_sphere(0.25, 3, &mesh));
    for (int k = 0; k < 3 * sn_mesh_node_count(mesh); k++) sn_mesh_nodes(mesh)[k] += at[k % 3];
    body.mesh = mesh;
    body.material = sn_material("neo-hookean", 5e4, 0.4, 1000);
    if (sn_world_add_body(world, &body, NULL) != SN_OK) hand->said = "no room for a ball";
    sn_mesh_destroy(mesh);
}

static bool act(SnWorld* world, Hand* hand, char key)
{
    static double up = -9.81;
    hand->at[0] += 0.1 * ((key == 'd') - (key == 'a'));
    hand->at[1] += 0.1 * ((key == 'w') - (key == 's'));
    if (key) hand->said = "";
    if (key == ' ' && hand->grab < 0)
        grab(world, hand);
    else if (key == ' ')
        let_go(world, hand);
    if (key == 'h') hold(world, hand);
    if (key == 'b') drop_ball(world, hand);
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

// --- What is seen ---

typedef struct Picture {
    char what[HEIGHT][WIDTH + 1];
    double depth[HEIGHT][WIDTH];
} Picture;

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double column_of(double x)
{
    return (x - left) / across * WIDTH;
}

static double row_of(double y)
{
    return HEIGHT - (y - floor_at) / high * HEIGHT;
}

static void put(Picture* picture, int row, int column, double depth, char what)
{
    if (column < 0 || column >= WIDTH || row < 0 || row >= HEIGHT || depth < picture->depth[row][column]) return;
    picture->depth[row][column] = depth, picture->what[row][column] = what;
}

// The places whose middle is inside, as light as the triangle faces up and to the front.
static void fill(Picture* picture, const float* const p[3], const float* const n[3])
{
    double x[3], y[3], light = 0;
    for (int k = 0; k < 3; k++) {
        x[k] = column_of(p[k][0]), y[k] = row_of(p[k][1]);
        light += (0.3 * n[k][0] + 0.6 * n[k][1] + 0.7 * n[k][2]) / 3;
    }
    char what = ".:-=+*#%"[(int)least(7, most(0, 8 * light))];
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    for (int row = (int)least(y[0], least(y[1], y[2])); area != 0 && row <= most(y[0], most(y[1], y[2])); row++)
        for (int column = (int)least(x[0], least(x[1], x[2])); column <= most(x[0], most(x[1], x[2])); column++) {
            double u = column + 0.5 - x[0], v = row + 0.5 - y[0];
            double b = (u * (y[2] - y[0]) - (x[2] - x[0]) * v) / area,
                   c = ((x[1] - x[0]) * v - u * (y[1] - y[0])) / area;
            if (b < 0 || c < 0 || b + c > 1) continue;
            put(picture, row, column, p[0][2] + b * (p[1][2] - p[0][2]) + c * (p[2][2] - p[0][2]), what);
        }
}

static void draw_body(const SnWorld* world, int index, Picture* picture)
{
    static float positions[3 * MOST_NODES], normals[3 * MOST_NODES];
    SnBodyInfo body;
    stop_on(sn_world_body(world, index, &body));
    if (body.node_count > MOST_NODES) return;
    stop_on(sn_world_draw(world, index, positions, normals));
    for (int i = 0; i < body.surface_count; i++) {
        const float *p[3], *n[3];
        for (int k = 0; k < 3; k++)
            p[k] = positions + 3 * body.surface[3 * i + k], n[k] = normals + 3 * body.surface[3 * i + k];
        fill(picture, p, n);
    }
}

static void draw(const SnWorld* world, const Hand* hand, const SnStepReport* report)
{
    static Picture picture;
    for (int row = 0; row < HEIGHT; row++) {
        memset(picture.what[row], ' ', WIDTH);
        for (int column = 0; column < WIDTH; column++) picture.depth[row][column] = -INFINITY;
    }
    for (int i = 0; i < sn_world_body_count(world); i++) draw_body(world, i, &picture);
    put(&picture, (int)row_of(hand->at[1]), (int)column_of(hand->at[0]), INFINITY, hand->grab >= 0 ? '@' : '+');
    printf("\033[H");
    for (int row = 0; row < HEIGHT; row++) printf("%s\n", picture.what[row]);
    for (int column = 0; column < WIDTH; column++) putchar('_');
    printf("\n%.1f ms, %d iterations, %.2g N left of %.2g N allowed, %d contacts  %s\033[K\n", report->ms.total,
           report->iterations, report->gradient, report->tolerance, report->contacts, hand->said);
    printf("a d w s: move   space: grab   h: hold   b: ball   g: gravity   q: end\n");
    fflush(stdout);
}

// --- The program ---

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(double seconds)
{
    struct timespec span = {0, (long)(1e9 * seconds)};
    if (seconds > 0) nanosleep(&span, NULL);
}

// As fast as time goes by, where steps and pictures are: of several keys that were pressed meanwhile all count.
static void watch(SnWorld* world, Hand* hand)
{
    struct termios before, raw;
    SnStepReport report;
    bool on = true;
    tcgetattr(STDIN_FILENO, &before);
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0, raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    signal(SIGINT, end);
    printf("\033[2J\033[?25l");
    for (double due = now(); on && !ended; due = most(due + 1.0 / 60, now() - 0.1)) {
        char key;
        while (on && read(STDIN_FILENO, &key, 1) == 1) on = act(world, hand, key);
        stop_on(sn_world_step(world, &report));
        draw(world, hand, &report);
        wait_for(due + 1.0 / 60 - now());
    }
    printf("\033[?25h");
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

int main(void)
{
    SnWorld* world = make_world();
    Hand hand = {.at = {0.5, 0.5, 1}, .grab = -1, .handle = -1, .said = ""};
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
