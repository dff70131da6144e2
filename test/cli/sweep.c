// Studies: all combinations, resumed, merged, written for other machines; fits; starts from another run.
#include <sys/stat.h>

#include "core/status.h"
#include "program.h"
#include "rows.h"

static const char bar[] = "time: {step: 1/10, frames: 4}\n"
                          "integrator: static\n"
                          "gravity: [0, 0, 0]\n"
                          "bodies:\n"
                          "  - name: bar\n"
                          "    mesh: {box: {size: [2, 1, 1], cells: [3, 1, 1]}}\n"
                          "    material: {type: neo-hookean, young: 1e5, poisson: 0.3}\n"
                          "handles:\n"
                          "  - {name: wall, body: bar, where: {x: [min, min]}}\n"
                          "  - {name: top, body: bar, where: {x: [max, max]}, motion: {velocity: [1, 0, 0]}}\n"
                          "measure:\n"
                          "  - {name: tip, body: bar, where: {x: [max, max]}, what: displacement}\n"
                          "  - {name: top, of: top, what: force}\n";

#define OVER "--over bodies.bar.material.young=1e5,2e5 --over bodies.bar.material.poisson=0.1,0.3"

static int rows_of(const char* path)
{
    return count_in(path, "SELECT count(*) FROM result WHERE \"top.force.x most\" > 1000 AND outcome = 'done'");
}

// Forces go with Young's modulus; what is done is not done again.
static void test_sweep(void** state)
{
    (void)state;
    write_text("bar.yaml", bar);
    check_code(sinew("sweep bar.yaml " OVER " -o study"), 0);
    check_has(out, "4 of 4 cases done");
    char* table = read_text("study/table.csv");
    double forces[4];
    const char* line = strchr(table, '\n') + 1;
    for (int i = 0; i < 4; i++, line = strchr(line, '\n') + 1) {
        check_near(column(line, 0), i, 0);
        check_near(column(line, 1), i < 2 ? 1e5 : 2e5, 0);
        check_near(column(line, 2), i % 2 ? 0.3 : 0.1, 0);
        check_near(column(line, 12), 0.4, 1e-12); // tip.displacement.x
        forces[i] = column(line, 21);
    }
    check(!*line && forces[0] > 1000 && forces[1] != forces[0]);
    for (int i = 0; i < 2; i++) check_near(forces[i + 2], 2 * forces[i], 1e-6 * forces[i]);
    assert_int_equal(rows_of("study/table.sqlite"), 4);
    free(table);
    free(read_text("study/top.force.svg"));
    free(read_text("study/top.force.against-young.svg"));
    free(read_text("study/tip.displacement.against-poisson.svg"));
    remove("study/002.run");
    check_code(sinew("sweep bar.yaml " OVER " -o study/"), 0);
    check_has(out, "wrote study/table.csv");
    check_has(out, "case 2 of 4: done, bodies.bar.material.young=2e5, bodies.bar.material.poisson=0.1");
    if (strstr(out, "case 1")) fail_msg("made again: %s", out);
    char changed[1200];
    snprintf(changed, sizeof changed, "%s# another one\n", bar);
    write_text("bar.yaml", changed);
    check_code(sinew("sweep bar.yaml " OVER " -o study"), 1);
    check_has(out, "the scene has changed since this run was started");
    check_has(out, "0 of 4 cases done");
    check_code(sinew("sweep bar.yaml --over time.step=1/10 -o study"), 2);
    check_has(err, "another study");
}

static void test_sweep_failures(void** state)
{
    (void)state;
    write_text("bar.yaml", bar);
    check_code(sinew("sweep bar.yaml --over bodies.bar.material.young=1e5,-1 -o bad"), 1);
    check_has(out, "case 1 of 2: failed");
    check_has(out, "1 of 2 cases done");
    char* table = read_text("bad/table.csv");
    check_has(table, "-1");
    check_has(table, "young");
    free(table);
    check_code(sinew("sweep bar.yaml --over bodies.bar.material.yung=1 -o bad2"), 2);
    check_has(err, "did you mean 'young'");
    check_code(sinew("sweep bar.yaml --over time.step -o bad2"), 2);
    check_has(err, "PATH=VALUE");
    check_code(sinew("sweep bar.yaml --over time.step=1,,2 -o bad2"), 2);
    check_has(err, "empty");
    check_code(sinew("sweep bar.yaml"), 2);
    check_has(err, "--over");
    check_code(sinew("sweep --merge nowhere"), 2);
    check_has(err, "no study");
}

// More than a study can hold is refused before anything is run, and so are curves that nothing can be fitted to.
static void test_sweep_limits(void** state)
{
    (void)state;
    static const char fit[] =
        "--over bodies.bar.material.young=1e4:1e7 --over bodies.bar.material.poisson=0.1:0.4 --fit";
    char many[1600] = "", values[1200] = "1";
    write_text("bar.yaml", bar);
    for (int i = 0; i < 9; i++) sn_append(many, sizeof many, " --over time.step=1/10");
    check_code(sinew("sweep bar.yaml%s -o over", many), 2);
    check_has(err, "at most 8 --over");
    *many = 0;
    for (int i = 0; i < 17; i++) sn_append(many, sizeof many, " --set time.frames=1");
    check_code(sinew("sweep bar.yaml%s --over time.step=1/10 -o over", many), 2);
    check_has(err, "there are 17 --set; at most 16");
    for (int i = 1; i < 318; i++) sn_append(values, sizeof values, ",1");
    check_code(sinew("sweep bar.yaml --over time.step=%s --over time.frames=%s -o over", values, values), 2);
    check_has(err, "more than 100000 combinations");
    write_text("back.csv", "0,1\n1,2\n0.5,3\n");
    check_code(sinew("sweep bar.yaml %s back.csv --what force --of top -o over", fit), 2);
    check_has(err, "back.csv:3: 0.5 follows 1; the first column must increase");
    write_text("short.csv", "0,1\n");
    check_code(sinew("sweep bar.yaml %s short.csv --what force --of top -o over", fit), 2);
    check_has(err, "1 points, fewer than the 2 values");
    check(mkdir("odd", 0777) == 0);
    write_text("odd/cases.txt", "nonsense\n");
    check_code(sinew("sweep --merge odd"), 2);
    check_has(err, "it is not a study's");
}

// Scripts for other machines, run here.
static void test_sweep_elsewhere(void** state)
{
    (void)state;
    write_text("bar.yaml", bar);
    check_code(sinew("sweep bar.yaml --over 'bodies.bar.mesh.box.size=[2,1,1],[1,1,1]' --slurm -o far"), 0);
    check_code(sinew("sweep --merge far"), 1);
    check_has(out, "0 of 2 cases done");
    for (int i = 0; i < 2; i++) {
        char command[128];
        snprintf(command, sizeof command, "SLURM_ARRAY_TASK_ID=%d sh far/slurm.sh", i);
        assert_int_equal(system(command), 0);
    }
    check_code(sinew("sweep --merge far"), 0);
    check_has(out, "2 of 2 cases done");
    check_code(sinew("sweep bar.yaml --over time.step=1/10,1/20 --parallel -o near -q"), 0);
    assert_int_equal(system("here=$PWD && cd / && sh $here/near/parallel.txt"), 0); // as on another machine
    check_code(sinew("sweep --merge near"), 0);
}

// The values that a curve was made with are found again.
static void test_fit(void** state)
{
    (void)state;
    write_text("bar.yaml", bar);
    check_code(sinew("run bar.yaml -q -o truth.run --set bodies.bar.material.young=3e5"), 0);
    check_code(sinew("export truth.run --to csv --what measured -o ."), 0);
    char *table = read_text("truth.measured.csv"), curve[400] = "displacement,force\n";
    const char* line = strchr(strchr(table, '\n') + 1, '\n') + 1; // from the first step on
    for (; *line; line = strchr(line, '\n') + 1)
        snprintf(curve + strlen(curve), sizeof curve - strlen(curve), "%.17g,%.17g\n", column(line, 2),
                 column(line, 5));
    free(table);
    write_text("curve.csv", curve);
    check_code(
        sinew("sweep bar.yaml --over bodies.bar.material.young=1e4:1e7 --over bodies.bar.material.poisson=0.1:0.45 "
              "--fit curve.csv --what force --of top --against displacement -o fit -q"),
        0);
    double young, poisson;
    assert_int_equal(
        sscanf(out, "bodies.bar.material.young = %lf +- %*f bodies.bar.material.poisson = %lf", &young, &poisson), 2);
    check_near(young, 3e5, 300);
    check_near(poisson, 0.3, 2e-3);
    check_has(out, "converged");
    char* before = strdup(out);
    check_code(
        sinew("sweep bar.yaml --over bodies.bar.material.young=1e4:1e7 --over bodies.bar.material.poisson=0.1:0.45 "
              "--fit curve.csv --what force --of top --against displacement -o fit -q"),
        0);
    assert_string_equal(out, before); // from the runs that are there
    free(before);
    check_code(sinew("sweep bar.yaml --over time.step=1,2 --fit curve.csv --what force --of top -o fit2"), 2);
    check_has(err, "LO:HI");
    check_code(sinew("sweep bar.yaml --over bodies.bar.material.young=1e4:1e7 --fit none.csv --what force -o fit2"), 2);
    check_has(err, "none.csv");
    write_text("odd.csv", "0,1\n1,x\n");
    check_code(sinew("sweep bar.yaml --over bodies.bar.material.young=1e4:1e7 --fit odd.csv --what force -o fit2"), 2);
    check_has(err, "odd.csv:2");
    // A value that no case can have, and one that nothing depends on.
    check_code(sinew("sweep bar.yaml --over bodies.bar.place.move.2=1:2 --fit curve.csv --what force --of top "
                     "--against displacement -o fit3 -q"),
               1);
    check_has(err, "case 0, bodies.bar.place.move.2=1.5, failed: ");
    check_code(sinew("sweep bar.yaml --over contact.friction=0.1:0.9 --fit curve.csv --what force --of top "
                     "--against displacement -o fit5 -q"),
               2);
    check_has(err, "does not depend on one of the values");
}

// A branch with nothing changed goes the same way; its clock goes on.
static void test_from(void** state)
{
    (void)state;
    char scene[1200];
    write_text("bar.yaml", bar);
    check_code(sinew("run bar.yaml -q -o a.run"), 0);
    snprintf(scene, sizeof scene, "from: {run: a.run, frame: 2}\n%s", bar);
    write_text("branch.yaml", scene);
    check_code(sinew("check branch.yaml"), 0);
    check_code(sinew("run branch.yaml -q --frames 2"), 0);
    char* tables[2];
    for (int i = 0; i < 2; i++) {
        check_code(sinew("export %s.run --to csv --what measured -o .", i ? "branch" : "a"), 0);
        tables[i] = read_text(i ? "branch.measured.csv" : "a.measured.csv");
    }
    const char* ends[2] = {0};
    for (int i = 0; i < 2; i++)
        for (const char* line = tables[i]; *line; line = strchr(line, '\n') + 1) ends[i] = line;
    check_near(column(ends[1], 0), 2, 0);
    check_near(column(ends[1], 1), column(ends[0], 1), 1e-12);
    check_near(column(ends[1], 2), column(ends[0], 2), 1e-12);
    check_near(column(ends[1], 5), column(ends[0], 5), 1e-3 * column(ends[0], 5));
    free(tables[0]), free(tables[1]);
    check_code(sinew("run branch.yaml -q --frames 4 --resume"), 0); // and can be gone on with itself
    check_code(sinew("run branch.yaml -q --set from.frame=9 -o b.run"), 2);
    check_has(err, "frames 0 to 4");
    check_code(sinew("run branch.yaml -q --set from.run=b.yaml -o b.run"), 2);
    check_has(err, "b.yaml");
    check_code(sinew("gallery swing -q --frames 1 -o ropes.run"), 0);
    check_code(sinew("run branch.yaml -q --set from.run=ropes.run --set from.frame=0 -o b.run"), 2);
    check_has(err, "bodies; the scene has 1");
    check_code(sinew("run branch.yaml -q --set bodies.bar.mesh.box.cells=[4,1,1] -o b.run"), 2);
    check_has(err, "body 0 (bar)");
    check_code(sinew("race branch.yaml --solvers newton,lbfgs --steps 1"), 0);
    check_code(sinew("run branch.yaml -q -o ./a.run"), 2); // which would be gone
    check_has(err, "would be lost");
    check_code(sinew("replay a.run"), 0);
    check_has(out, "5 frames, 0 changes: the same bits");
    assert_int_equal(rename("a.run", "elsewhere.run"), 0);
    check_code(sinew("replay branch.run"), 0); // its own first frame is where it started
    check_has(out, "5 frames, 0 changes: the same bits");
}

// A run made again is never written over the one that it is made from, by whatever name.
static void test_replay(void** state)
{
    (void)state;
    write_text("bar.yaml", bar);
    check_code(sinew("run bar.yaml -q -o a.run"), 0);
    check_code(sinew("replay a.run -o again.run"), 0);
    check_code(sinew("replay again.run"), 0);
    check_has(out, "5 frames, 0 changes: the same bits");
    assert_int_equal(symlink("a.run", "link.run"), 0);
    const char* names[] = {"a.run", "./a.run", "link.run"};
    for (int i = 0; i < 3; i++) {
        check_code(sinew("replay a.run -o %s", names[i]), 2);
        check_has(err, "would be lost");
        check_code(sinew("replay a.run"), 0);
        check_has(out, "5 frames");
    }
    check_code(sinew("mesh make box --cells 2,1,1 -o bar.msh"), 0);
    check_code(sinew("run bar.yaml -q -o file.run --set 'bodies.bar.mesh={file: bar.msh}'"), 0);
    check_code(sinew("replay file.run"), 0);
    check_code(sinew("mesh make box --cells 3,1,1 -o bar.msh"), 0);
    check_code(sinew("replay file.run"), 2);
    check_has(err, "its scene has 16 nodes now, the run has 12; files it names were changed");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sweep),        cmocka_unit_test(test_sweep_failures),
    cmocka_unit_test(test_sweep_limits), cmocka_unit_test(test_sweep_elsewhere),
    cmocka_unit_test(test_fit),          cmocka_unit_test(test_from),
    cmocka_unit_test(test_replay),
};
RUN_TESTS(tests, set_up, tear_down)
