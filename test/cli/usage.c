// The program as its users meet it: help, mistakes, checks of scenes, meshes, lists.
#include <unistd.h>

#include "archive/exporter.h"
#include "cli/command.h"
#include "integrator/integrator.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "program.h"
#include "scene/script.h"
#include "solver/initial.h"

static void test_top_level(void** state)
{
    (void)state;
    check_code(sinew("--version"), 0);
    check_has(out, sn_version());
    check_code(sinew("--help"), 0);
    for (int i = 0; sn_command_at(i); i++) check_has(out, sn_command_at(i)->summary);
    check_code(sinew(""), 2);
    check_has(err, "usage: sinew COMMAND");
    check_code(sinew("rnu tiny.yaml"), 2);
    check_has(err, "did you mean \"run\"?");
    check_code(sinew("help nonsense"), 2);
}

// Every option of every command is in its help, which has two ways to it.
static void test_help_texts(void** state)
{
    (void)state;
    for (int i = 0; sn_command_at(i); i++) {
        const SnCommand* c = sn_command_at(i);
        check_code(sinew("%s --help", c->name), 0);
        check_has(out, c->usage);
        char option[64], *first = strdup(out);
        for (const SnOption* o = c->options; o && o->name; o++) {
            snprintf(option, sizeof option, "--%s", o->name);
            check_has(out, option);
            check_has(out, o->summary);
        }
        for (const SnParameter* row = c->parameters; row && row->name; row++) {
            snprintf(option, sizeof option, "--%s", row->name);
            check_has(out, option);
            check_has(out, row->doc);
        }
        check_code(sinew("help %s", c->name), 0);
        assert_string_equal(out, first);
        free(first);
    }
}

static void test_bad_usage(void** state)
{
    (void)state;
    static const struct {
        const char *arguments, *complaint;
    } cases[] = {
        {"run", "something is missing"},
        {"run a.yaml b.yaml", "one word too many"},
        {"run tiny.yaml --frams 3", "unknown option --frams; did you mean --frames?"},
        {"run tiny.yaml --frames", "--frames needs a value"},
        {"run tiny.yaml --frames=-1", "--frames is -1; it must be 0 or positive"},
        {"run tiny.yaml --frames 3x", "--frames is '3x'; it must be a whole number"},
        {"run tiny.yaml --frames 1 --frames 2", "given twice"},
        {"run tiny.yaml --quiet=yes", "takes no value"},
        {"run tiny.yaml --threads 0", "--threads is 0; it must be between 1 and 1024"},
        {"run tiny.yaml --set young", "PATH=VALUE"},
        {"run tiny.yaml -z", "unknown option -z"},
        {"run missing.yaml", "missing.yaml"},
        {"run tiny.yaml -o missing/tiny.run", "missing/tiny.run"},
        {"run tiny.yaml --solver newtn", "newton"},
        {"run tiny.yaml --integrator backward-eular", "backward-euler"},
        {"check", "which scene"},
        {"stats missing.run", "missing.run"},
        {"stats tiny.yaml", "tiny.yaml"},
        {"stats tiny.run --csv --json", "exclude each other"},
        {"plot tiny.run", "-o FILE.svg"},
        {"plot tiny.run -o tiny.gif", "FILE.png, not tiny.gif"},
        {"plot tiny.run -o tiny.svg --what enrgy", "energy"},
        {"plot missing.run -o tiny.svg", "missing.run"},
        {"export tiny.run", "--to FORMAT is missing"},
        {"export tiny.run --to vtk2", "vtu"},
        {"mesh", "usage: sinew mesh"},
        {"mesh mak box", "did you mean \"mesh make\"?"},
        {"mesh make bax -o a.msh", "did you mean \"box\"?"},
        {"mesh make box", "-o FILE is missing"},
        {"mesh make box --cells 2,2 -o a.msh", "3 whole numbers"},
        {"mesh make box --cells 2,2,1.5 -o a.msh", "whole numbers"},
        {"mesh make box --patern kuhn -o a.msh", "did you mean --pattern?"},
        {"mesh make box --pattern kun -o a.msh", "kuhn"},
        {"mesh make box -o a.nonsense", "a.nonsense"},
        {"mesh make box -o a.msh --msh-version 3", "2.2, 4.0 and 4.1"},
        {"mesh make box -o a.vtk --msh-version 2.2", "gmsh files (.msh) only"},
        {"mesh make box -o a.ply --binary", "gmsh files (.msh) only"},
        {"mesh info missing.msh", "missing.msh"},
        {"list solver", "did you mean \"solvers\"?"},
        {"gallery baar", "did you mean \"bar\"?"},
        {"bench nonsense", "no benchmark"},
        {"bench newton --steps 2.5", "--steps is '2.5'; it must be a whole number"},
        {"bench newton --tolerance -1", "--tolerance is -1; it must be 0 or positive"},
        {"bench contact --case tours", "did you mean 'torus'?"},
        {"bench contact --nodes 5000 --case cape", "--nodes is for cylinders, torus, pile, heap and drape, not cape"},
        {"paper dis-3", "did you mean \"diss-3\"?"},
        {"paper diss-6 --all", "a figure, or --all or --quick, not both"},
        {"race tiny.yaml --after -1", "--after is -1; it must be 0 or positive"},
        {"render tiny.run -o a.png --size 8x720", "--size is [8, 720] pixels; it must be between 16 and 8192"},
        {"render tiny.run -o a.png --camera 1,2,3", "it must be a list of 6 numbers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = sinew("%s", cases[i].arguments);
        if (code != 2) fail_msg("sinew %s: exit code %d: %s%s", cases[i].arguments, code, out, err);
        bool on_stdout = strcmp(cases[i].arguments, "mesh") == 0;
        check_has(on_stdout ? out : err, cases[i].complaint);
    }
}

// Every problem of a scene, each with its place.
static void test_scene_problems(void** state)
{
    (void)state;
    write_text("bad.yaml", "tmie: {step: 1/30}\nbodies:\n  - mesh: {box: {}}\n    material: {youn: 1}\n");
    check_code(sinew("check bad.yaml"), 2);
    check_has(err, "bad.yaml:1:1: error: ");
    check_has(err, "bad.yaml:4:16: error: ");
    check_has(err, "young");
    check_code(sinew("run bad.yaml"), 2);
    check_has(err, "bad.yaml:1:1: error: ");
    check(access("bad.run", F_OK) != 0);
    check_code(sinew("check tiny.yaml"), 0);
    check_has(out, "45 nodes");
    assert_string_equal(err, "");
    write_text("write.yaml", "output: {write: [vtx]}\nbodies:\n  - mesh: {box: {}}\n");
    check_code(sinew("check write.yaml"), 2);
    check_has(err, "write.yaml:1:");
    check_has(err, "vtu");
}

// What `check --defaults` prints is itself a scene.
static void test_defaults_and_reference(void** state)
{
    (void)state;
    check_code(sinew("check --defaults"), 0);
    write_text("defaults.yaml", out);
    check_code(sinew("check defaults.yaml"), 0);
    check_code(sinew("check --reference"), 0);
    check_has(out, "tolerance");
}

// Each generator makes a file that has nothing wrong with it, in its defaults and when converted.
static void test_mesh(void** state)
{
    (void)state;
    for (int i = 0; sn_shape_at(i); i++) {
        const SnShape* shape = sn_shape_at(i);
        check_code(sinew("mesh make %s --help", shape->name), 0);
        for (const SnParameter* row = shape->parameters; row->name; row++) check_has(out, row->doc);
        check_code(sinew("mesh make %s -o shape.msh", shape->name), 0);
        check_code(sinew("mesh info shape.msh"), 0);
        check_has(out, "problems           none");
        check_has(out, "edge lengths");
        check_code(sinew("mesh convert shape.msh shape.vtk"), 0);
        check_code(sinew("mesh info shape.vtk"), 0);
        check_has(out, "problems           none");
    }
    check_code(sinew("mesh make box -o box.msh --msh-version 2.2 --binary"), 0);
    check_code(sinew("mesh convert box.msh again.msh --binary"), 0);
    check_code(sinew("mesh convert again.msh last.msh --msh-version 4.0"), 0);
    check_code(sinew("mesh info last.msh"), 0);
    check_has(out, "problems           none");
    check_code(sinew("mesh make box --size 2,1,1 --cells 4x2x2 --pattern bcc -o box.mesh"), 0);
    check_code(sinew("mesh info box.mesh"), 0);
    check_has(out, ", 2 m3");
    check_has(out, "[0, 0, 0] to [2, 1, 1]");
    check_has(out, "dihedral angles");
    write_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    check_code(sinew("mesh info flat.obj"), 0);
    check_has(out, "problem            1 ");
    check_has(out, "cannot be simulated");
}

static void test_lists(void** state)
{
    (void)state;
    check_code(sinew("list"), 0);
    for (int i = 0; i < sn_material_count(); i++) check_has(out, sn_material_at(i)->name);
    for (int i = 0; i < sn_solver_count(); i++) check_has(out, sn_solver_at(i)->name);
    for (int i = 0; i < sn_initial_count(); i++) check_has(out, sn_initial_at(i)->summary);
    for (int i = 0; i < sn_integrator_count(); i++) check_has(out, sn_integrator_at(i)->name);
    for (int i = 0; sn_exporter_at(i); i++) check_has(out, sn_exporter_at(i)->name);
    for (int i = 0; sn_script_at(i); i++) check_has(out, sn_script_at(i)->summary);
    check_code(sinew("list shapes"), 0);
    for (int i = 0; sn_shape_at(i); i++) check_has(out, sn_shape_at(i)->name);
}

// What a word may become, as the shells ask for it; "" where it is a file.
static void test_completion(void** state)
{
    (void)state;
    static const struct {
        const char *words, *offered;
    } cases[] = {
        {"ru", "run\t"},
        {"", "completion\t"},
        {"run --resu", "--resume\t"},
        {"run tiny.yaml --integrator bd", "bdf2\t"},
        {"run --solver=", "--solver=newton\t"},
        {"run --solver = lb", "lbfgs\t"},
        {"run --solver = ", "admm\t"},
        {"run --thr", "--threads\t"},
        {"export tiny.run --to vt", "vtu\t"},
        {"export --units ", "mm\t"},
        {"export --to vtu -o ", ""},
        {"export ", ""},
        {"mesh ", "convert\t"},
        {"mesh make to", "torus\t"},
        {"mesh make box --pat", "--pattern\t"},
        {"mesh make box --pattern k", "kuhn\t"},
        {"mesh nonsense --", ""},
        {"nonsense ", ""},
        {"gallery tw", "twist\t"},
        {"gallery twist --pr", "--print\t"},
        {"gallery twist tw", ""},
        {"list prob", "probes\t"},
        {"paper diss-6", "diss-6\t"},
        {"bench contact --case tor", "torus"},
        {"completion fi", "fish\t"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool open = !*cases[i].words || cases[i].words[strlen(cases[i].words) - 1] == ' ';
        check_code(sinew("completion of -- %s%s", cases[i].words, open ? "''" : ""), 0);
        assert_string_equal(err, "");
        if (!*cases[i].offered) assert_string_equal(out, "");
        if (strncmp(out, cases[i].offered, strlen(cases[i].offered)) != 0) check_has(out, cases[i].offered);
    }
    for (int i = 0; sn_command_at(i); i++) {
        check_code(sinew("completion of -- %s --", sn_command_at(i)->name), 0);
        for (const SnOption* o = sn_command_at(i)->options; o && o->name; o++) check_has(out, o->name);
    }
    check_code(sinew("completion"), 2);
    check_code(sinew("completion csh"), 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_top_level),
    cmocka_unit_test(test_help_texts),
    cmocka_unit_test(test_bad_usage),
    cmocka_unit_test(test_scene_problems),
    cmocka_unit_test(test_defaults_and_reference),
    cmocka_unit_test(test_mesh),
    cmocka_unit_test(test_lists),
    cmocka_unit_test(test_completion),
};
RUN_TESTS(tests, set_up, tear_down)
