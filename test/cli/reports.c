// What the program says of runs and solvers: race, gallery, losses, plots, figures of the papers.
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/gallery.h"
#include "mesh/mesh.h"
#include "program.h"
#include "solver/initial.h"

// Every solver's iterates come from the same place, and end where the reference does.
static void check_distances(void)
{
    char* table = read_text("tiny-race/convergence.csv");
    double start = NAN, last = 0;
    for (const char* line = strchr(table, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        if (column(line, 1) != 2 || column(line, 2) != 0) continue;
        if (column(line, 3) == 0) { // a solver begins
            check(last < 1e-8);
            if (isnan(start)) start = column(line, 8);
            check_near(column(line, 8), start, 0);
        }
        last = column(line, 8);
    }
    check(start > 1e-6 && last < 1e-8);
    free(table);
}

// All solvers end at the reference's minimum, from the same energy.
static void test_race(void** state)
{
    (void)state;
    check_code(sinew("race tiny.yaml --steps 2 --after 1 --tolerance 1e-11 --iterations 3000 -o tiny-race"), 0);
    check_has(out, "means per step over steps 2 to 3");
    check_has(out, "the reference is newton, converged to");
    char* table = read_text("tiny-race/table.csv");
    char* line = strchr(table, '\n') + 1;
    int rows = 0;
    for (; *line; line = strchr(line, '\n') + 1, rows++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, ","), line);
        check_has(out, name);
        if (column(line, 8) > 1e-9) fail_msg("%s: error %g", name, column(line, 8));
        if (column(line, 9) > 1e-8) fail_msg("%s: %g m away", name, column(line, 9));
        if (column(line, 10) != 2) fail_msg("%s: %g of 2 converged", name, column(line, 10));
        check(column(line, 2) >= 1 && column(line, 3) > 0 && column(line, 5) >= 1 && column(line, 7) > 0.01);
    }
    check(rows >= sn_solver_count() + sn_initial_count() - 2);
    free(table);
    table = read_text("tiny-race/convergence.csv");
    double energy = NAN; // where everybody starts
    for (line = strchr(table, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        if (column(line, 1) != 2 || column(line, 3) != 0) continue;
        check_near(column(line, 7), 1, 0);
        if (isnan(energy)) energy = column(line, 5);
        check_near(column(line, 5), energy, 0);
    }
    check(!isnan(energy));
    free(table);
    check_distances();
    static const char* const plots[] = {"iterations.svg", "iterations.png", "time.svg",
                                        "time.png",       "distance.svg",   "distance.png"};
    for (int i = 0; i < 6; i++) {
        char path[64];
        snprintf(path, sizeof path, "tiny-race/%s", plots[i]);
        char* text = read_text(path);
        check(strncmp(text, i % 2 ? "\x89PNG" : "<?xml", 4) == 0);
        if (i % 2 == 0) check_has(text, "newton");
        free(text);
    }
}

// States grow with the contacts that they hold.
static void test_race_with_contacts(void** state)
{
    (void)state;
    check_code(sinew("race " SN_SOURCE_DIR
                     "/scenes/gallery/pile.yaml -q --set time.step=1/240 --steps 24 --solvers newton -o pile-race"),
               0);
    char* table = read_text("pile-race/table.csv");
    const char* line = strchr(table, '\n') + 1;
    check(column(line, 9) < 1e-4); // m: from the same states, of bodies that fall 4 mm in a step
    check_near(column(line, 10), 24, 0);
    free(table);
}

// Steps that a solver takes in parts are not the reference's: it is said of them, and how far off they end.
static void test_race_in_parts(void** state)
{
    (void)state;
    check_code(sinew("race " SN_SOURCE_DIR "/scenes/paper/admm-skin.yaml -q --after 15 --steps 1 --solvers admm "
                     "--iterations 20 --tolerance 1e-6 -o skin-race"),
               0);
    check_has(out, ", 1 in parts");
    char* table = read_text("skin-race/steps.csv");
    const char* line = strchr(table, '\n') + 1;
    check(column(line, 11) > 1 && column(line, 9) > 1e-3); // parts; m
    check(column(line, 8) != 0);                           // where the ball has not pushed yet, the energy is below
    free(table);
}

static void test_race_usage(void** state)
{
    (void)state;
    check_code(sinew("race tiny.yaml -q --steps 1 --solvers lbfgs/laplacian:history=0,newton"), 0);
    check_has(out, "lbfgs/laplacian:history=0");
    check(access("tiny.race/table.csv", F_OK) == 0);
    assert_string_equal(err, "");
    check_code(sinew("race tiny.yaml -q --steps 1 --racer 'lbfgs/laplacian:stiffness-interval=[0.9, 1.1]'"), 0);
    char* table = read_text("tiny.race/table.csv"); // a name with a comma is one field
    check_has(table, "\n\"lbfgs/laplacian:stiffness-interval=[0.9, 1.1]\",1,");
    free(table);
    check_code(sinew("race tiny.yaml --solvers newton,newtn"), 2);
    check_has(err, "did you mean 'newton'?");
    check(!strstr(err, "the reference")); // before anything is run
    check_code(sinew("race tiny.yaml --solvers lbfgs:histry=2"), 2);
    check_has(err, "did you mean 'history'?");
    check_code(sinew("race tiny.yaml --solvers ,"), 2);
    check_has(err, "--solvers names none");
    check_code(sinew("race tiny.yaml --after 6"), 2);
    check_has(err, "the scene has 6 steps");
    check_code(sinew("race tiny.yaml --steps 7"), 2);
    check_code(sinew("race tiny.yaml --steps 2 --plot-step 3 --solvers newton"), 2);
    check_has(err, "steps 1 to 2");
    check_code(sinew("race tiny.yaml --tolerance=-1"), 2);
    check_code(sinew("race tiny.yaml --steps 1 --solvers newton -o /nowhere/there"), 2);
    check_has(err, "/nowhere/there");
    check_code(sinew("race missing.yaml"), 2);
}

// Smaller tolerances have smaller errors; the second table follows from the first.
static void test_bench_accuracy(void** state)
{
    (void)state;
    check_code(sinew("bench accuracy --scenes tiny.yaml,rope-soft --frames 4 --solvers auto,newton "
                     "--tolerances 1e-4,1e-10"),
               0);
    const char* line = strchr(out, '\n') + 1;
    for (int scene = 0; scene < 2; scene++)
        for (int solver = 0; solver < 2; solver++) {
            const char* next = strchr(line, '\n') + 1;
            check(strncmp(line, scene ? "rope-soft," : "tiny.yaml,", 10) == 0);
            check_near(column(line, 2), 1e-4, 0);
            check_near(column(next, 2), 1e-10, 0);
            check(column(line, 5) < 0.1 && column(next, 5) < 1e-7 && column(next, 5) < column(line, 5));
            check(column(line, 6) >= 1 && column(next, 6) > column(line, 6) && column(line, 11) > 0.01);
            check(column(next, 9) > 0 && column(next, 12) == 4 && column(next, 13) == 0);
            line = strchr(next, '\n') + 1;
        }
    check(strncmp(line, "\nscene,error,fastest", 20) == 0);
    int rows = 0;
    for (line = strchr(line + 1, '\n') + 1; *line; line = strchr(line, '\n') + 1, rows++) {
        check(column(line, 4) >= column(line, 3) && column(line, 5) >= 1);
    }
    assert_int_equal(rows, 8);
    check_code(sinew("bench accuracy --scenes nonsense"), 2);
    check_has(err, "no scene 'nonsense'");
    check_code(sinew("bench accuracy --scenes rope-soft --solvers newtn"), 2);
    check_has(err, "did you mean 'newton'?");
}

// Every step has met its rule, some of them perhaps with planes of contacts that are not those of the end.
static void check_met(const char* text)
{
    bool others = strstr(text, "hit the limit") || strstr(text, "stalled");
    if (!strstr(text, "all converged") && (others || !strstr(text, "did not settle"))) fail_msg("%s", text);
}

static void test_gallery(void** state)
{
    (void)state;
    check_code(sinew("gallery"), 0);
    for (const SnGalleryScene* s = sn_gallery_scenes; s->name; s++) check_has(out, s->summary);
    for (const SnGalleryScene* s = sn_gallery_scenes; s->name; s++) {
        check_code(sinew("gallery %s --print", s->name), 0);
        assert_string_equal(out, s->text);
        check_code(sinew("gallery %s --frames 1", s->name), 0);
        if (!strstr(s->text, "tolerance: 0}")) check_met(out); // there the iterations alone stop it
        char path[128];
        snprintf(path, sizeof path, "%s.run", s->name);
        check(access(path, F_OK) == 0);
    }
}

// The loss to each dissipation is in every form of the statistics.
static void test_losses(void** state)
{
    (void)state;
    check_code(
        sinew(
            "run tiny.yaml --frames 3 --quiet -o lossy.run --set handles.0.body=0 --set 'bodies.0.name=a \"b\"' --set "
            "'bodies.0.damping=[{type: rayleigh}, {type: drag}]'"),
        0);
    check_code(sinew("stats lossy.run --csv"), 0);
    check_has(out, ",\"loss a \"\"b\"\": rayleigh\",\"loss a \"\"b\"\": drag\"\n");
    double rayleigh = 0, drag = 0;
    const char* end = out + strlen(out) - 1; // the last two numbers
    for (int commas = 0; commas < 2; commas += *--end == ',') {
    }
    assert_int_equal(sscanf(end, ",%lf,%lf", &rayleigh, &drag), 2);
    check(rayleigh > 0 && drag > 0);
    char expected[128];
    check_code(sinew("stats lossy.run --json"), 0);
    assert_int_equal(count_of(out, "\"losses\": {\"a \\\"b\\\": rayleigh\": "), 4);
    snprintf(expected, sizeof expected, "drag\": %.17g}}", drag);
    check_has(out, expected);
    check_code(sinew("stats lossy.run"), 0);
    snprintf(expected, sizeof expected, "lost to a \"b\": rayleigh: %.6g J", rayleigh);
    check_has(out, expected);
    check_code(sinew("plot lossy.run -o lossy.svg"), 0); // a curve for each
    char* text = read_text("lossy.svg");
    check_has(text, "lost to a"), check_has(text, ": drag");
    free(text);
}

// Every subject, of one run and of two, as text that names its curves, and as a picture.
static void test_plot(void** state)
{
    (void)state;
    static const struct {
        const char *what, *alone, *together;
    } rows[] = {
        {"energy", "numerical loss", "kinetic + elastic + gravity"},
        {"momentum", "kg m/s", "angular momentum"},
        {"iterations", "iterations per step", "iterations per step"},
        {"convergence", "gradient at the end", "gradient at the end"},
        {"time", "global", "ms per step"},
    };
    check_code(sinew("run tiny.yaml --frames 3 -o one.run"), 0);
    check_code(sinew("run tiny.yaml --frames 3 --integrator tr-bdf2 -o other.run"), 0);
    for (int i = 0; i < 5; i++) {
        check_code(sinew("plot one.run -o p.svg --what %s", rows[i].what), 0);
        char* text = read_text("p.svg");
        check_has(text, rows[i].alone);
        free(text);
        check_code(sinew("plot one.run other.run -o p.svg --what %s", rows[i].what), 0);
        text = read_text("p.svg");
        check_has(text, rows[i].together), check_has(text, "other");
        free(text);
    }
    check_code(sinew("plot one.run -o p.png"), 0);
    check_has(out, "wrote p.png");
    check_code(sinew("plot one.run -o nowhere/p.png"), 2);
}

// A figure is made, with all its files; the others are listed.
static void test_paper(void** state)
{
    (void)state;
    check_code(sinew("paper"), 0);
    assert_int_equal(count_of(out, "\n"), count_of(out, " et al. 20"));
    check_has(out, "diss-2"), check_has(out, "qn-15"), check_has(out, "dot-6"), check_has(out, "admm-11");
    check_code(sinew("paper diss-66"), 2);
    check_has(err, "diss-6");
    check_code(sinew("paper diss-6 -o figures"), 0);
    check_has(out, "the paper: at the same number of solves"), check_has(out, "verdict: agrees");
    const char* files[] = {"figures/diss-6.csv", "figures/diss-6-1.svg", "figures/diss-6-2.svg", "figures/diss-6.txt"};
    for (int i = 0; i < 4; i++) assert_int_equal(access(files[i], R_OK), 0);
    char* text = read_text("figures/diss-6.csv");
    assert_int_equal(count_of(text, "\"TR-BDF2\""), 2 * 121);
    free(text);
    check_code(sinew("paper diss-6 -o tiny.yaml"), 2);
    check_has(err, "tiny.yaml: is not a folder"); // said before anything is run
    check_code(sinew("paper qn-2 --mesh bar.msh -o figures"), 0);
    check_has(out, "It has no body for --mesh");
    // Another mesh is made as large as the body, a bar of 1 m along y, and put where it is.
    check_code(sinew("mesh make box --size 1,4,1 --cells 2,8,2 -o bar.msh"), 0);
    check_code(sinew("paper qn-5 --mesh bar.msh -o figures"), 0);
    check_has(out, "verdict: agrees");
    check_code(sinew("paper qn-5 --mesh nowhere.msh -o figures"), 2);
    check_has(err, "nowhere.msh");
}

// Nodes are coloured by what they do; what does not exist is said.
static void test_colours(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml --frames 3 -o one.run"), 0);
    check_code(sinew("render one.run --colour sped -o a.png"), 2);
    check_has(err, "speed");
    check_code(sinew("render one.run --range 0,1 -o a.png"), 2);
    check_has(err, "--range is for --colour");
    check_code(sinew("render one.run --colour speed --range 2,1 -o a.png"), 2);
    check_has(err, "--range 2,1 is not auto or two increasing numbers");
    int code = sinew("render one.run --colour residual --size 160x120 -o a.png");
    if (code != 0 && strstr(err, "OpenGL")) return; // none here
    check_code(code, 0);
    check_has(out, "a.png: frame 3");
    // what is computed again needs the files that the run was made from
    check_code(sinew("mesh make box --cells 1,1,1 -o b.msh"), 0);
    write_text("file.yaml", "time: {frames: 1}\nbodies: [{mesh: {file: b.msh}}]\n");
    check_code(sinew("run file.yaml --quiet"), 0);
    check(mkdir("elsewhere", 0777) == 0 && mkdir("elsewhere/deep", 0777) == 0);
    check_code(sinew("run file.yaml --quiet -o elsewhere/deep/file.run"), 0);
    check_code(sinew("render elsewhere/deep/file.run --colour residual --size 160x120 -o a.png"), 0);
    check_code(sinew("replay elsewhere/deep/file.run -o elsewhere/again.run"), 0);
    check_code(sinew("run file.yaml --quiet --set gravity=[0,1,0] -o elsewhere/deep/set.run"), 0); // two notes in one
    check_code(sinew("replay elsewhere/deep/set.run"), 0);
    check_code(sinew("export elsewhere/again.run --to vtu -o vtu"), 0);
    check_code(sinew("render elsewhere/again.run --colour stress:von-mises --size 160x120 -o a.png"), 0);
    check_code(sinew("mesh make box --cells 2,1,1 -o b.msh"), 0);
    check_code(sinew("render file.run --colour residual -o a.png"), 2);
    check_has(err, "its scene has 12 nodes now, the run has 8");
}

// What elements bear is in VTK's files, of elements and as means at nodes: of a box that is stretched to twice its
// length and goes on at 2 m/s.
static void test_exported_fields(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        int components;
        double value[3];
    } fields[] = {{"von_mises", 1, {1e5 / 2.6 * 1.5}}, // mu (s^2 - 1)/J
                  {"principal_stretch", 3, {2, 1, 1}},
                  {"strain_rate", 1, {0.816496580927726}}}; // sqrt(2/3) of D = 1/s along x
    write_text("pulled.yaml",
               "time: {frames: 1}\ngravity: [0, 0, 0]\nbodies:\n"
               "  - {name: b, mesh: {box: {cells: [2, 2, 2]}}, start: {stretch: [2, 1, 1]}, element: linear,\n"
               "     velocity: {gradient: [[1, 0, 0], [0, 0, 0], [0, 0, 0]]},\n"
               "     material: {type: neo-hookean, young: 1e5, poisson: 0.3, density: 1000}}\n");
    check_code(sinew("run pulled.yaml --quiet"), 0);
    check_code(sinew("export pulled.run --to vtu -o pulled --frames 0"), 0);
    SnMesh* mesh;
    check_ok(sn_mesh_load("pulled/pulled.0000.vtu", &mesh));
    for (int k = 0; k < 3; k++) {
        int found = 0;
        for (int i = 0; i < mesh->field_count; i++) {
            const SnMeshField* field = &mesh->fields[i];
            if (strcmp(field->name, fields[k].name) != 0) continue;
            int count = field->per_node ? mesh->node_count : mesh->tetrahedron_count;
            assert_int_equal(field->components, fields[k].components);
            for (int j = 0; j < count * field->components; j++) {
                double wanted = fields[k].value[j % field->components];
                check_near(field->values[j], wanted, 1e-9 * wanted);
            }
            found |= field->per_node ? 1 : 2;
        }
        assert_int_equal(found, 3);
    }
    sn_mesh_destroy(mesh);
}

// A picture for each frame, in a folder that is made, seen along a path, as fine as asked.
static void test_sequences(void** state)
{
    (void)state;
    check_code(sinew("run tiny.yaml --frames 3 -o one.run --quiet"), 0);
    write_text("way.txt", "0 3 2 3 0 0 0\n0.1 -3 2 3 0 0 0\n");
    check_code(sinew("render one.run -o a.png --quality finest"), 2);
    check_has(err, "still");
    int code = sinew("render one.run -o deep/er/x.%%03d.png --path way.txt --quality fast --size 64x48");
    if (code != 0 && strstr(err, "OpenGL")) return; // none here
    check_code(code, 0);
    check_has(out, "4 pictures");
    check(access("deep/er/x.000.png", R_OK) == 0 && access("deep/er/x.003.png", R_OK) == 0);
}

// Files that cannot be written to their end.
static void test_full_disk(void** state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    check_code(sinew("run tiny.yaml --frames 3 -o one.run --quiet"), 0);
    check(symlink("/dev/full", "full.svg") == 0 && symlink("/dev/full", "full.png") == 0);
    check_code(sinew("plot one.run -o full.svg"), 2);
    check_has(err, "full.svg: could not be written; is the disk full?");
    check_code(sinew("plot one.run -o full.png"), 2);
    check_has(err, "full.png: cannot be written: No space left on device");
    check(mkdir("full", 0777) == 0 && symlink("/dev/full", "full/table.csv") == 0);
    check_code(sinew("race tiny.yaml -q --steps 1 --solvers newton -o full"), 2);
    check_has(err, "full/table.csv: could not be written; is the disk full?");
    check_code(sinew("run tiny.yaml --frames 1 -o /proc/one.run"), 2);
    check_has(err, "/proc/one.run: cannot write /proc/one.run-lock");
}

// Those that take seconds all agree, and are on one page.
static void test_quick_papers(void** state)
{
    (void)state;
    check_code(sinew("paper --quick -o quick"), 0);
    assert_int_equal(count_of(out, " does not agree"), 0);
    char* page = read_text("quick/index.html");
    assert_int_equal(count_of(page, "<h2 id="), count_of(out, " agrees "));
    check(count_of(out, " agrees ") >= 8);
    assert_int_equal(count_of(page, "class=\"no\""), 0);
    free(page);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_losses),         cmocka_unit_test(test_plot),
    cmocka_unit_test(test_paper),          cmocka_unit_test(test_quick_papers),
    cmocka_unit_test(test_race),           cmocka_unit_test(test_race_usage),
    cmocka_unit_test(test_bench_accuracy), cmocka_unit_test(test_race_with_contacts),
    cmocka_unit_test(test_race_in_parts),  cmocka_unit_test(test_gallery),
    cmocka_unit_test(test_sequences),      cmocka_unit_test(test_exported_fields),
    cmocka_unit_test(test_colours),        cmocka_unit_test(test_full_disk),
};
RUN_TESTS(tests, set_up, tear_down)
