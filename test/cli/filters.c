// Contact filters of two sheets, one of which folds up as it falls: what crosses is what was told not to touch, counted
// by a checker that shares no code with contact.
#include "crossings_run.h"
#include "program.h"

static const char scene[] =
    "time: {step: 1/60, frames: 45}\n"
    "contact: {self: true, friction: 0.1}\n"
    "bodies:\n"
    "  - {name: s, mesh: {cloth: {size: [0.6, 0.3], cells: [12, 6]}}, place: {rotate: [0, 0, 1, 85], move: [0.1, 0.02, "
    "0]},\n"
    "     material: {young: 3e3, density: 300, thickness: 1e-3}}\n"
    "  - {name: t, mesh: {cloth: {size: [0.5, 0.5], cells: [7, 7]}}, place: {move: [-0.1, 0.7, -0.1]},\n"
    "     material: {young: 1e4, density: 300, thickness: 1e-3}}\n"
    "obstacles: [{type: plane, friction: 0.5}]\n";

static void test_filters_cross_what_they_let(void** state)
{
    (void)state;
    static const struct {
        const char* option;
        bool self, others; // these cross
    } rows[] = {
        {"contact.self=true", false, false},
        {"bodies.s.contact={self: false}", true, false},
        {"contact.pairs=[{between: [s, s], touch: false}]", true, false},
        {"contact.pairs=[{between: [s, t], touch: false}]", false, true},
    };
    write_text("scene.yaml", scene);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CrossingRun run;
        CrossingCount now, sum = {0};
        check_code(sinew("run scene.yaml -q -o scene.run --set '%s'", rows[i].option), 0);
        check_ok(crossing_run_open("scene.run", &run));
        for (int frame = 0; frame < sn_run_file_frame_count(run.file); frame++) {
            check_ok(crossing_run_read(&run, frame));
            check(crossing_count(&run.surface, run.x, &now));
            sum.self += now.self, sum.others += now.others;
        }
        crossing_run_close(&run);
        if ((sum.self > 0) != rows[i].self || (sum.others > 0) != rows[i].others)
            fail_msg("%s: %d cross themselves, %d others", rows[i].option, (int)sum.self, (int)sum.others);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_filters_cross_what_they_let),
};
RUN_TESTS(tests, set_up, tear_down)
