// What was measured, as the program shows it: stats, export, plots; with a run that was killed and resumed.
#include "program.h"

static const char pulled[] = "name: pulled\n"
                             "time: {step: 1/50, frames: 6}\n"
                             "integrator: static\n"
                             "gravity: [0, 0, 0]\n"
                             "bodies:\n"
                             "  - name: bar\n"
                             "    mesh: {box: {size: [2, 1, 1], cells: [4, 2, 2]}}\n"
                             "    material: {type: neo-hookean, young: 1e5, poisson: 0.3}\n"
                             "handles:\n"
                             "  - {name: wall, body: bar, where: {x: [min, min]}}\n"
                             "  - {name: top, body: bar, where: {x: [max, max]}, motion: {velocity: [1, 0, 0]}}\n"
                             "output: {every: 2}\n"
                             "measure:\n"
                             "  - {name: tip, body: bar, where: {x: [max, max]}, what: displacement}\n"
                             "  - {name: top, of: top, what: reaction}\n";

static void test_measured(void** state)
{
    (void)state;
    write_text("pulled.yaml", pulled);
    check_code(sinew("run pulled.yaml -q"), 0);
    check_code(sinew("stats pulled.run"), 0);
    check_has(out, "measured: ");
    check_has(out, "tip.displacement.x                            0.12            0         0.12 m");
    check_code(sinew("stats pulled.run --csv"), 0);
    check_has(out, "\"top.force.x\"");
    check_code(sinew("stats pulled.run --json"), 0);
    check_has(out, "\"measured\": {\"tip.displacement.x\": 0, ");
    check_has(out, "\"top.force.x\": null");
    check_code(sinew("export pulled.run --to csv --what measured -o tables"), 0);
    char* table = read_text("tables/pulled.measured.csv");
    check_has(table, "step,time s,\"tip.displacement.x m\",");
    const char* last = table;
    int rows = 0;
    for (const char* line = table; *line; line = strchr(line, '\n') + 1, rows++) last = line;
    assert_int_equal(rows, 8); // of all steps, not of frames alone
    check_near(column(last, 2), 0.12, 1e-12);
    check(column(last, 5) > 4000);
    // The work is the area below the curve, the mean of forces before and after times way: to the curve's own change.
    check_near(column(last, 11), 0.5 * 0.12 * column(last, 5), 0.05 * column(last, 11));
    free(table);
    check_code(sinew("plot pulled.run -o curve.svg --what force --of top --against displacement"), 0);
    table = read_text("curve.svg");
    check_has(table, "top.force");
    check_has(table, "tip.displacement, m");
    free(table);
    check_code(sinew("plot pulled.run pulled.run -o curves.png --what tip.x"), 0);
    check_code(sinew("plot pulled.run -o curve.svg --what forse"), 2);
    check_has(err, "top.force.x");
    check_code(sinew("plot pulled.run -o curve.svg --what top"), 0);
    check_code(sinew("plot pulled.run -o curve.svg --what tip --against top"), 2);
    check_has(err, "write which");
    check_code(sinew("plot pulled.run -o curve.svg --of top"), 2);
    check_has(err, "--what");
    check_code(sinew("export pulled.run --to vtu --what measured"), 2);
    check_has(err, "csv");
    check_code(sinew("run tiny.yaml -q"), 0);
    check_code(sinew("export tiny.run --to csv --what measured"), 2);
    check_has(err, "nothing was measured");
    check_code(sinew("plot tiny.run -o curve.svg --what tip.x"), 2);
    check_has(err, "there is no 'tip.x', as nothing was measured");
}

// Stopped and gone on with, all rows are there and the same.
static void test_resumed_values(void** state)
{
    (void)state;
    write_text("pulled.yaml", pulled);
    check_code(sinew("run pulled.yaml -q -o whole.run --set output.forces=true --integrator tr-bdf2"), 0);
    check_code(sinew("run pulled.yaml -q -o parts.run --set output.forces=true --integrator tr-bdf2 --frames 3"), 0);
    check_code(sinew("run pulled.yaml -q -o parts.run --resume --frames 6"), 0);
    char* tables[2];
    for (int i = 0; i < 2; i++) {
        check_code(sinew("export %s.run --to csv --what measured -o .", i ? "parts" : "whole"), 0);
        tables[i] = read_text(i ? "parts.measured.csv" : "whole.measured.csv");
    }
    check_has(tables[0], "wall.force.x");
    assert_string_equal(tables[0], tables[1]);
    free(tables[0]), free(tables[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_measured),
    cmocka_unit_test(test_resumed_values),
};
RUN_TESTS(tests, set_up, tear_down)
