// A run that is taken up again goes on to the same bits: every solver with every initial inverse and every integrator,
// damped by every dissipation and in contact, from every step.
#include "scenes.h"

#include "integrator/integrator.h"
#include "solver/initial.h"

static const char damped_scene[] =
    "time: {step: 1/60, frames: 1}\n"
    "bodies:\n"
    "  - name: bar\n"
    "    mesh: {box: {size: [1, 0.25, 0.25], cells: [4, 1, 1]}}\n"
    "    place: {move: [0, 0.02, 0]}\n"
    "    velocity: {angular: [0, 0, 3], linear: [0, -1, 0]}\n"
    "    material: {young: 2e4}\n"
    "    damping: [{type: rayleigh, beta: 0.02}, {type: drag, drag: 0.5}, {type: power-law, exponent: 0.5}]\n"
    "  - {name: sheet, mesh: {cloth: {size: [0.5, 0.5], cells: [3, 3]}}, place: {move: [0, 0.6, 0]},\n"
    "     damping: [{type: strain-rate, shear: 10}]}\n"
    "handles:\n"
    "  - {body: bar, where: {x: [min, min]}, motion: {velocity: [0, 0.3, 0], until: 0.04, release: 0.05}}\n"
    "obstacles: [{type: plane, friction: 0.4}]\n";

// A sheet that starts across the ground is separated from it, and is then drawn through it again, as it slides on it.
static const char sliding_scene[] =
    "time: {step: 1/60, frames: 1}\n"
    "bodies: [{name: b0, mesh: {cloth: {cells: [2, 2]}},\n"
    "  place: {fit: 0.611, rotate: [0.055, 1, -0.64, 0], move: [0.122457, 0.05, -0.233479]}}]\n"
    "scripts: [{type: twist-stretch-squash, body: b0}]\n"
    "obstacles: [{type: terrain, name: o1,\n"
    "  heights: [[0.0155, 0.147, -0.129], [-0.178, -0.176, -0.0711], [0.174, 0.157, 0.0243]]}]\n"
    "slides: [{body: b0, on: o1}]\n"
    "contact: {slip: 3.12, untangle: true}\n";

// A ball on a hinge, whose every node is of the section that it turns.
static const char hinged_scene[] =
    "gravity: [0, -52.681357157944355, -0.39844468841587405]\n"
    "bodies: [{name: ball, mesh: {tets: 100, surface: {sphere: {radius: 0.5, cells: 2}}},"
    " place: {fit: 0.504, move: [0.242142, 0.05, 0.112444]}}]\n"
    "handles: [{body: ball, where: {sphere: [[0, 0.0679405, 0], 2.02948]}, hinge: {axis: [-0.38218928068968777, 0, "
    "0.15229790111719288]}}]\n";

// Sticks (a power below 1), with packs of elements that are not full, and so far from rest that ADMM's weights adapt.
static const char sticking_scene[] = "solver: {merge-dissipation: false}\n"
                                     "gravity: [-0.557, -2.08, 0]\n"
                                     "bodies:\n"
                                     "  - mesh: {box: {cells: [3, 1, 1], pattern: bcc}}\n"
                                     "    place: {fit: 0.286, move: [0.192, 0.05, 0.0686]}\n"
                                     "    copies: {count: [1, 1, 2]}\n"
                                     "    start: {stretch: [6.9, 1, 1]}\n"
                                     "    damping: [{type: fast-power-law, strength: 43.25, exponent: 0.884}]\n"
                                     "obstacles: [{type: plane}]\n"
                                     "contact: {bodies: true}\n";

enum { STEPS = 10 };

static SnWorld* world_of(const char* text, const char* const overrides[], int count)
{
    SnScene* scene;
    SnWorld* world;
    check_ok(sn_scene_parse(text, strlen(text), "resumed.yaml", overrides, count, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    sn_scene_destroy(scene);
    return world;
}

static void go_on(SnWorld* world, int steps, uint64_t* hashes)
{
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, NULL));
        hashes[i] = sn_world_hash(world);
    }
}

static void* save(const SnWorld* world, size_t* size)
{
    *size = sn_world_state_size(world);
    void* bytes = malloc(*size);
    check_ok(sn_world_save_state(world, bytes, *size));
    return bytes;
}

// From each of so many steps on to the last.
static void check_resumes_with(const char* scene, int steps, const char* const overrides[], int count)
{
    uint64_t unbroken[STEPS], resumed[STEPS];
    SnWorld* world = world_of(scene, overrides, count);
    void* states[STEPS] = {0};
    size_t sizes[STEPS];
    for (int i = 0; i < steps; i++) {
        states[i] = save(world, &sizes[i]);
        go_on(world, 1, unbroken + i);
    }
    sn_world_destroy(world);
    for (int i = 0; i < steps; i++) {
        world = world_of(scene, overrides, count);
        check_ok(sn_world_restore_state(world, states[i], sizes[i]));
        go_on(world, steps - i, resumed + i);
        for (int k = i; k < steps; k++)
            if (resumed[k] != unbroken[k])
                fail_msg("%s, %s, %s: resumed before step %d, other bits after step %d", overrides[0],
                         count > 1 ? overrides[1] : "", count > 2 ? overrides[2] : "", i + 1, k + 1);
        sn_world_destroy(world);
        free(states[i]);
    }
}

static void check_resumes(const char* scene, int steps, const char* solver, const char* initial, const char* integrator)
{
    char text[3][64];
    const char* overrides[] = {text[0], text[1], text[2]};
    snprintf(text[0], sizeof text[0], "integrator.type=%s", integrator);
    snprintf(text[1], sizeof text[1], "solver.type=%s", solver);
    if (initial) snprintf(text[2], sizeof text[2], "solver.initial=%s", initial);
    check_resumes_with(scene, steps, overrides, initial ? 3 : 2);
}

static void every_solver_and_integrator(void** state)
{
    (void)state;
    int cases = 0;
    for (int i = 0; i < sn_solver_count(); i++) {
        const SnSolverType* type = sn_solver_at(i);
        bool around = sn_parameter_find(type->parameters, "initial");
        for (int k = 0; k < (around ? sn_initial_count() : 1); k++)
            for (int j = 0; j < sn_integrator_count(); j++, cases++)
                check_resumes(damped_scene, 5, type->name, around ? sn_initial_at(k)->name : NULL,
                              sn_integrator_at(j)->name);
    }
    check(cases > 120);
}

// What is built once has some step's dissipation in it, or none.
static void every_dissipation(void** state)
{
    (void)state;
    static const char* const solvers[] = {
        "solver={type: auto}",
        "solver={type: lbfgs, initial: rest-hessian}",
        "solver={type: lbfgs, initial: warped-rest-hessian}",
        "solver={type: lbfgs, initial: kept-hessian}",
        "solver={type: admm}",
        "solver={type: admm, merge-dissipation: false}",
    };
    for (int i = 0; i < sn_dissipation_count(); i++)
        for (int k = 0; k < 12; k++) {
            char damping[96];
            const char* name = sn_dissipation_at(i)->name;
            bool curve = !strcmp(name, "spline");
            snprintf(damping, sizeof damping, "bodies.0.damping=[{type: %s%s}]", name,
                     curve ? ", curve: [[0.5, 3], [1, 1], [2, 3]]" : "");
            const char* integrator =
                k < 6 ? "integrator=backward-euler" : "integrator={type: tr-bdf2, dissipation-order: 2}";
            check_resumes_with(damped_scene, 4, (const char*[]){damping, solvers[k % 6], integrator}, 3);
        }
}

static void what_crosses_again(void** state)
{
    (void)state;
    check_resumes(sliding_scene, STEPS, "newton", NULL, "backward-euler");
}

static void what_sticks(void** state)
{
    (void)state;
    check_resumes(sticking_scene, 4, "admm", NULL, "backward-euler");
}

// What auto decides in the first iteration does not rest on how the minimisation before has ended.
static void what_is_hinged(void** state)
{
    (void)state;
    check_resumes(hinged_scene, 8, "auto", NULL, "backward-euler");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_hinged),    cmocka_unit_test(what_crosses_again),
    cmocka_unit_test(what_sticks),       cmocka_unit_test(every_solver_and_integrator),
    cmocka_unit_test(every_dissipation),
};
RUN_TESTS(tests, NULL, NULL)
