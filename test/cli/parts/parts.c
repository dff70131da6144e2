// Parts with options of their own, each one file and one row of a table: a solver, a material and a dissipation. All
// that is made from rows knows them: defaults, checks, values by name, scenes, the reference, `sinew list`.
#include <unistd.h>

#include "cli/command.h"
#include "dissipation/dissipation.h"
#include "scene/scenes.h"
#include "solver/solver.h"

extern const SnCommand sn_command_list;

typedef struct DescentOptions {
    double pace;
    int rounds;
} DescentOptions;

static const DescentOptions* options_of(const SnSolverDef* def)
{
    return (const DescentOptions*)&def->own.room;
}

static void test_solver_by_name(void** state)
{
    (void)state;
    SnSolverDef def = sn_default_solver_def();
    def.type = "descent";
    check_ok(sn_solver_def_resolve(&def));
    check_near(options_of(&def)->pace, 1e-3, 0);
    assert_int_equal(options_of(&def)->rounds, 2);
    check_ok(sn_solver_set(&def, "pace", "1/8"));
    check_ok(sn_solver_set(&def, "iterations", "7"));
    check(options_of(&def)->pace == 0.125 && def.iterations == 7);
    check_fails(sn_solver_set(&def, "pase", "1"), SN_ERROR_VALUE, "'pase'", "did you mean 'pace'?");
    check_fails(sn_solver_set(&def, "pace", "-1"), SN_ERROR_VALUE, "solver pace is -1 m/N", "positive");
    check_fails(sn_solver_set(&def, "rounds", "some"), SN_ERROR_VALUE, "rounds is 'some'", "whole number");
    check_fails(sn_solver_def_resolve(&def), SN_ERROR_VALUE, "solver pace is -1 m/N");
    def.type = "newton"; // the options of another solver do not concern it
    check_ok(sn_solver_def_resolve(&def));
    check_fails(sn_solver_set(&def, "pace", "1"), SN_ERROR_VALUE, "unknown parameter of the solver 'pace'");
}

static const char scene_text[] = "time: {step: 1e-3}\n"
                                 "solver: {type: descent, pace: 1e-4, rounds: 3, iterations: 5, tolerance: 0}\n"
                                 "bodies:\n"
                                 "  - mesh: {box: {cells: [2, 2, 2]}}\n"
                                 "    start: {stretch: [1.1, 1, 1]}\n"
                                 "    material: {type: hardening, hardening: 4}\n"
                                 "    damping: [{type: syrup, thickness: 20}]\n";

static void test_scene(void** state)
{
    (void)state;
    SnWorld* world;
    SnScene* scene = good(scene_text);
    const SnSolverDef* solver = &scene->part.world.solver;
    check(options_of(solver)->pace == 1e-4 && options_of(solver)->rounds == 3);
    check(scene->bodies[0].material.extra[0] == 4 && scene->bodies[0].dampings[0].extra[0] == 20);
    check_ok(sn_scene_create_world(scene, &world));
    SnStepReport before, after;
    check_ok(sn_world_measure(world, &before));
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(world, &after));
    assert_int_equal(after.iterations, 5);
    check(after.energy.elastic < before.energy.elastic && after.energy.viscous > 0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_scene_destroy(good_set(scene_text, "solver.type=newton")); // knows the keys of every solver
}

static void test_mistakes(void** state)
{
    (void)state;
    static const char* const rows[][3] = {
        {"solver.pace=-1", "'pace' in solver must be > 0", "found '-1'"},
        {"solver.rounds=2.5", "'rounds' in solver must be a whole number", "2.5"},
        {"solver.paces=1", "unknown key 'paces' in solver", "did you mean 'pace'?"},
        {"bodies.0.material.hardening=101", "'hardening' in material of body 0 must be >= 0 and <= 100", "'101'"},
        {"bodies.0.material.type=stvk", "'hardening' in material of body 0 is of hardening, not of stvk", ""},
        {"bodies.0.damping.0.type=drag", "'thickness' in damping 0 of body 0 is of syrup, not of drag", "takes drag"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnScene* scene;
        check_fails(parse_set(scene_text, rows[i][0], &scene), SN_ERROR_VALUE, rows[i][1], rows[i][2]);
        sn_scene_destroy(scene);
    }
}

static void test_others_by_name(void** state)
{
    (void)state;
    SnMaterial material = sn_material("hardening", 1e5, 0.3, 1000);
    SnMaterialParameters p;
    check_ok(sn_material_parameters(&material, sn_material_find("hardening"), &p));
    check_near(p.extra[0], 1, 0);
    check_ok(sn_material_set(&material, "hardening", "3"));
    check_ok(sn_material_parameters(&material, sn_material_find("hardening"), &p));
    check_near(p.extra[0], 3, 0);
    check_fails(sn_material_set(&material, "hardening", "-1"), SN_ERROR_VALUE, "hardening is -1", "between 0 and 100");
    SnDampingDef damping = sn_default_damping_def("syrup");
    check_near(damping.extra[0], 50, 0);
    check_ok(sn_damping_set(&damping, "thickness", "7"));
    check_near(damping.extra[0], 7, 0);
    check_fails(sn_damping_set(&damping, "thicknes", "7"), SN_ERROR_VALUE, "did you mean 'thickness'?");
}

static void check_printed(FILE* file, const char* const* words)
{
    static char text[200000];
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    for (; *words; words++)
        if (!strstr(text, *words)) fail_msg("\"%s\" is not printed", *words);
}

static void test_printed(void** state)
{
    (void)state;
    FILE *reference = tmpfile(), *defaults = tmpfile(), *list = tmpfile();
    check(reference && defaults && list);
    check_ok(sn_scene_print_reference(reference));
    check_printed(reference, (const char* const[]){
                                 "| `pace` | number, > 0 | `1e-3` | m/N | of `type: descent`: how far",
                                 "| `hardening` | tetrahedra | `hardening` |", "of `type: syrup`: viscosity", NULL});
    check_ok(sn_scene_print_defaults(defaults));
    check_printed(defaults, (const char* const[]){"pace: 1e-3", "rounds: 2", "# hardening: 1", NULL});
    fflush(stdout);
    int out = dup(1);
    dup2(fileno(list), 1);
    int code = sn_command_list.run(&(SnArguments){0});
    fflush(stdout);
    dup2(out, 1), close(out);
    assert_int_equal(code, SN_EXIT_DONE);
    check_printed(list, (const char* const[]){"pace: number, > 0, m/N, default 1e-3", "steepest descent",
                                              "hardening: number, >= 0 and <= 100, default 1",
                                              "thickness: number, >= 0, Pa s, default 50", NULL});
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_solver_by_name), cmocka_unit_test(test_scene),   cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_others_by_name), cmocka_unit_test(test_printed),
};
RUN_TESTS(tests, NULL, NULL)
