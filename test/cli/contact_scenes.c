// Small versions of the gallery's scenes of contact, by the program itself: nothing crosses in any frame nor on the way
// from frame to frame, nothing is inside anything, and friction holds what it should.
#include "crossings_run.h"
#include "program.h"

typedef struct Case {
    const char *scene, *options;
    bool swept;      // nodes go straight in each step; where much is in the way they go round it
    int axis;        // of the last frame: the first body
    double from, to; // lies between these along it, m
    double gain;     // that a step may have, of all energy; 0: obstacles that move give some
} Case;

// What makes a run of a scene small is in its options.
static void run_scene(const Case* c)
{
    check_code(sinew("gallery %s -q -o scene.run %s", c->scene, c->options), 0);
}

// Where the nodes of a body are along an axis in the frame that was read.
static void extent(const CrossingRun* run, int body, int axis, double* least, double* most)
{
    const SnBodyInfo* info = &sn_run_file_bodies(run->file)[body];
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; i < info->node_count; i++) {
        double x = run->x[3 * (info->first_node + i) + axis];
        *least = fmin(*least, x), *most = fmax(*most, x);
    }
}

// All frames, and the straight ways from each to the next.
static void check_run(const Case* c)
{
    CrossingRun run;
    CrossingCount now, way = {0};
    CrossingDepth depth;
    int64_t nested;
    check_ok(crossing_run_open("scene.run", &run));
    for (int frame = 0; frame < sn_run_file_frame_count(run.file); frame++) {
        check_ok(crossing_run_read(&run, frame));
        check_ok(crossing_run_depth(&run, frame, &depth));
        check(crossing_count(&run.surface, run.x, &now));
        check(crossing_count_nested(&run.surface, run.x, &nested));
        if (frame > 0 && c->swept) check(crossing_count_swept(&run.surface, run.before, run.x, &way));
        if (now.self + now.others + way.self + way.others + nested + depth.nodes == 0) continue;
        fail_msg("%s %s: frame %d: %d pairs cross, %d on the way, %d bodies inside others, %d nodes inside, %g m",
                 c->scene, c->options, frame, (int)(now.self + now.others), (int)(way.self + way.others), (int)nested,
                 depth.nodes, depth.depth);
    }
    double least, most;
    extent(&run, 0, c->axis, &least, &most);
    if (c->to > c->from && !(least >= c->from && most <= c->to))
        fail_msg("%s %s: ends between %g and %g", c->scene, c->options, least, most);
    crossing_run_close(&run);
}

// With obstacles at rest nothing gains energy but what handles give, to what tolerances leave over.
static void check_energy(const Case* c)
{
    SnRunFile* run;
    const SnRunStep* steps;
    int count;
    check_ok(sn_run_file_open("scene.run", &run));
    check_ok(sn_run_file_read_steps(run, -1, &steps, &count));
    double before = 0, most = 0;
    for (int i = 0; i < count; i++) {
        const SnEnergy* e = &steps[i].energy;
        double energy = e->kinetic + e->elastic + e->gravity - e->pins;
        most = fmax(most, e->kinetic + fabs(e->elastic) + fabs(e->gravity));
        if (i > 0 && energy > before + c->gain * most)
            fail_msg("%s %s: step %d gains %g J of %g J", c->scene, c->options, i, energy - before, most);
        before = energy;
    }
    sn_run_file_close(run);
}

enum { TWISTED_MAT, SQUEEZE, HEAP, STACK, FOLD, KNOT, CRUMPLE, PRESS, CAPE, PILE, MAIL, BULLET, DRAPE };

static const Case cases[] = {
    [TWISTED_MAT] = {"twisted-mat", "--frames 110 --set bodies.mat.mesh.cloth.cells=[20,6]", false, 0, 0, 1, 1e-5},
    [SQUEEZE] = {"squeeze", "--frames 60 --set bodies.ball.mesh.sphere.cells=3", true, 0, -1, 1, 1e-5},
    [HEAP] = {"heap",
              "--frames 60 --set bodies.box.copies.count=[2,1,3] --set bodies.ball.copies.count=[3,1,2] "
              "--set bodies.rod.copies.count=[2,1,2] --set bodies.ring.copies.count=[3,1,1]",
              false, 1, 0, 0.5, 1e-4},
    [STACK] = {"stack", "--frames 60", true, 1, 0, 0.21, 1e-4},
    [FOLD] = {"fold", "--frames 210 --set bodies.strip.mesh.cloth.cells=[24,4]", true, 1, -0.02, 0.18,
              1e-4}, // let go, it topples: 1e-5 J gained in one step, with tolerance=1e-6 2e-6 J, with 1e-7 1e-9 J
    [KNOT] = {"knot", "", true, 0, -0.93, 0.93, 1e-4},
    [CRUMPLE] = {"crumple", "--frames 70 --set bodies.cloth.mesh.cloth.cells=[12,12]", false, 1, 0, 1, 1e-4},
    [PRESS] = {"press", "--set bodies.block.mesh.box.cells=[4,4,4]", true, 0, -0.5, 0.5, 0},
    [CAPE] = {"cape", "--frames 90 --set bodies.cape.mesh.cloth.cells=[12,20]", true, 2, -2.6, -1.2, 0},
    [PILE] = {"pile", "", true, 1, 0, 0.32, 1e-4},
    [MAIL] = {"mail",
              "--frames 8 --set bodies.corner.copies.step=[0.5,0,0.34] --set bodies.rim.copies.count=[1,1,2] "
              "--set bodies.middle.copies.count=[3,1,1] --set bodies.between.copies.count=[2,1,2] "
              "--set bodies.ball.place.move=[0.3,0.25,0.17]",
              true, 1, -0.1, 0.1, 1e-4},
    [BULLET] = {"bullet", "--frames 12 --set bodies.sheet.mesh.cloth.cells=[12,12]", false, 1, -0.5, 0.5, 1e-5},
    [DRAPE] = {"drape", "--set bodies.cloth.mesh.cloth.cells=[16,16] --set contact.self=true", true, 1, -0.3, 0.42,
               1e-4},
};

// A test of its own for each of them, which may be asked for by name: `test_nothing_crosses_drape`.
static void nothing_crosses(void** state)
{
    const Case* c = *state;
    run_scene(c);
    check_run(c);
    if (c->gain > 0) check_energy(c);
}

// The height of the highest node of a body in the last frame.
static double top_of(int body)
{
    CrossingRun run;
    double least, most;
    check_ok(crossing_run_open("scene.run", &run));
    check_ok(crossing_run_read(&run, sn_run_file_frame_count(run.file) - 1));
    extent(&run, body, 1, &least, &most);
    crossing_run_close(&run);
    return most;
}

// Boards that lean against a smooth post stand for friction above (tan 30 - 0.05)/2 = 0.264, and fall below it.
static void test_boards_lean(void** state)
{
    (void)state;
    static const struct {
        double friction;
        bool stand;
    } rows[] = {{0.2, false}, {0.25, false}, {0.28, true}, {0.5, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char options[80];
        snprintf(options, sizeof options, "--set obstacles.0.friction=%g", rows[i].friction);
        run_scene(&(Case){.scene = "lean", .options = options, .swept = true});
        check_run(&(Case){.scene = "lean", .options = options, .swept = true});
        double top = top_of(0);
        if (rows[i].stand ? top < 0.85 : top > 0.5) fail_msg("friction %g: %g m high", rows[i].friction, top);
    }
}

// Ten seconds later the tenth block is where it was.
static void test_stack_stands(void** state)
{
    (void)state;
    run_scene(&(Case){.scene = "stack", .options = ""});
    check_near(top_of(9), 2.02, 0.05);
}

#define CROSSES(number, name)                                                            \
    {                                                                                    \
        "test_nothing_crosses_" name, nothing_crosses, NULL, NULL, (void*)&cases[number] \
    }
static const struct CMUnitTest tests[] = {
    CROSSES(TWISTED_MAT, "twisted-mat"),
    CROSSES(SQUEEZE, "squeeze"),
    CROSSES(HEAP, "heap"),
    CROSSES(STACK, "stack"),
    CROSSES(FOLD, "fold"),
    CROSSES(KNOT, "knot"),
    CROSSES(CRUMPLE, "crumple"),
    CROSSES(PRESS, "press"),
    CROSSES(CAPE, "cape"),
    CROSSES(PILE, "pile"),
    CROSSES(MAIL, "mail"),
    CROSSES(BULLET, "bullet"),
    CROSSES(DRAPE, "drape"),
    cmocka_unit_test(test_boards_lean),
    cmocka_unit_test(test_stack_stands),
};
RUN_TESTS(tests, set_up, tear_down)
