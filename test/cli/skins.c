// Skins that touch, by the program itself and all solvers: a ring is pressed until its inner sides meet, while a ball
// hits it and a mesh; what is drawn crosses nothing, which it does where the solids' own surfaces touch.
#include "crossings_run.h"
#include "program.h"

static const char scene[] =
    "time: {step: 1/50, frames: 26}\n"
    "contact: {friction: 0.2, self: true}\n"
    "bodies:\n"
    "  - {name: ring, mesh: {surface: {torus: {radii: [0.4, 0.12], cells: [20, 2]}}, edge: 0.2},\n"
    "     place: {rotate: [1, 0, 0, 90], move: [0, 0.53, 0]}, material: {young: 1e4, poisson: 0.3, density: 300},\n"
    "     contact: {skin: true}}\n"
    "  - {name: ball, mesh: {surface: {sphere: {radius: 0.2, cells: 3}}, edge: 0.25}, place: {move: [0.85, 0.5, 0]},\n"
    "     velocity: {linear: [-2, 0, 0]}, material: {young: 1e4, poisson: 0.3, density: 300}, contact: {skin: true}}\n"
    "obstacles:\n"
    "  - {type: plane, friction: 0.3}\n"
    "  - {type: mesh, mesh: {sphere: {radius: 0.15, cells: 2}}, place: {move: [0.75, 0.1, 0]}, friction: 0.3}\n"
    "  - {type: plane, normal: [0, -1, 0], point: [0, 1.08, 0], motion: {velocity: [0, -1.2, 0]}}\n";

// All frames: pairs that cross, bodies inside others, vertices inside obstacles.
static int64_t count_bad(void)
{
    CrossingRun run;
    CrossingCount now;
    CrossingDepth depth;
    int64_t nested, sum = 0;
    check_ok(crossing_run_open_skins("scene.run", &run));
    for (int frame = 0; frame < sn_run_file_frame_count(run.file); frame++) {
        check_ok(crossing_run_read(&run, frame));
        check_ok(crossing_run_depth(&run, frame, &depth));
        check(crossing_count(&run.surface, run.x, &now));
        check(crossing_count_nested(&run.surface, run.x, &nested));
        sum += now.self + now.others + nested + depth.nodes;
    }
    crossing_run_close(&run);
    return sum;
}

static void test_skins_do_not_cross(void** state)
{
    (void)state;
    static const char* const solvers[] = {"newton", "auto", "lbfgs", "dot", "chebyshev", "admm", "pd"};
    write_text("scene.yaml", scene);
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        check_code(sinew("run scene.yaml -q -o scene.run --set solver.type=%s", solvers[s]), 0);
        if (count_bad() != 0) fail_msg("%s: %d cross", solvers[s], (int)count_bad());
    }
    check_code(sinew("run scene.yaml -q -o scene.run --set bodies.ring.contact.skin=false "
                     "--set bodies.ball.contact.skin=false"),
               0);
    check(count_bad() > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_skins_do_not_cross),
};
RUN_TESTS(tests, set_up, tear_down)
