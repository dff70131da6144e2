// Time integrators on scenes: the ledger of the whole gallery, and momentum in contact.
#include "check_world.h"

#include <glob.h>
#include <sinew/scene.h>

#include "mesh/mesh.h"
#include "world/world.h"

// What contacts take by pushing within a step of length h: what approaches is stopped, without a bounce.
static double loss_to_pushes(const SnWorld* w, const double* x)
{
    double loss = 0;
    for (int i = 0; i < w->state.constraints.count; i++) {
        const SnKept* item = &w->state.constraints.items[i];
        const SnStencil* at = &item->constraint.at;
        for (int c = 0; c < 3; c++) {
            double along = -w->state.step_length * item->constraint.velocity[c];
            for (int k = 0; k < at->count; k++) {
                int64_t j = 3 * (int64_t)at->node[k] + c;
                along += at->weight[k] * (w->state.x[j] - x[j]);
            }
            loss -= item->multiplier.force * at->normal[c] * along;
        }
        if (!item->constraint.springy) loss += item->multiplier.force * item->constraint.drawn;
    }
    return loss;
}

// What limits that the solver keeps pull with: the gradient that it knows, less the one of energies.
static void find_pull(SnWorld* w, double* pull)
{
    SnSearch* s = w->problem.search;
    size_t size = 3 * (size_t)w->model.node_count * sizeof *pull;
    const SnSolverType* solver = w->model.solver_type;
    memset(pull, 0, size);
    if (!solver->evaluate || !w->problem.solver) return;
    double* known = malloc(size);
    solver->evaluate(w->problem.solver, s);
    for (int k = 0; k < 3 * w->model.node_count; k++) known[k] = s->g[k] + w->scratch.reaction[k];
    sn_objective_gradient(&w->problem.objective, s->x, s->trial_g);
    for (int k = 0; k < 3 * w->model.node_count; k++) pull[k] = known[k] - s->trial_g[k] - w->scratch.reaction[k];
    free(known);
}

// What pulls at the nodes of an equilibrium, where nothing touches; at first, at those that are held.
static void find_force(SnWorld* w, double* force)
{
    sn_potential_begin_stage(w->problem.potential, NULL, 0);
    sn_potential_gradient(w->problem.potential, w->state.x, force);
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        bool counts = w->state.step > 0 || w->problem.free_index[k / 3] < 0;
        force[k] = counts ? w->problem.gravity[k] - force[k] : 0;
    }
}

// Of an equilibrium: handles, and what solves leave over, did their work with the mean of what they pulled with before
// and now.
static double less_by_means(SnWorld* w, const double* x, const double* before)
{
    double less = 0, *now = malloc(3 * (size_t)w->model.node_count * sizeof *now);
    find_force(w, now);
    for (int k = 0; k < 3 * w->model.node_count && w->model.integrator->order == 0; k++)
        less += 0.5 * (before[k] - now[k]) * (w->state.x[k] - x[k]);
    free(now);
    return less;
}

// Of what turns on a way that is too long for it, the ledger has a dissipation take its function at least.
static double taken_at_least(SnWorld* w, const double* x)
{
    double sum = 0, *slope = calloc(3 * (size_t)w->model.node_count, sizeof *slope);
    for (int k = 0; k < w->model.loss_count && w->problem.potential->b > 0; k++) {
        double least = sn_potential_dissipation_gradient(w->problem.potential, k, w->state.x, slope), work = 0;
        for (int i = 0; i < 3 * w->model.node_count; i++) work += slope[i] * (w->state.x[i] - x[i]);
        sum += fmax(least - work, 0);
    }
    free(slope);
    return sum;
}

// What backward Euler and the equilibrium lose, from their definition: 1/2 |dv|^2 of the free nodes, the gap between
// the energy and its tangent, what contacts and limits take.
static double loss_of_step(SnWorld* w, const double* x, const double* v, double elastic)
{
    double loss = elastic - w->elastic + loss_to_pushes(w, x) - taken_at_least(w, x);
    double *slope = calloc(3 * (size_t)w->model.node_count, sizeof *slope),
           *pull = calloc(3 * (size_t)w->model.node_count, sizeof *pull);
    find_pull(w, pull);
    sn_potential_begin_stage(w->problem.potential, NULL, 0); // the elastic energy alone
    sn_potential_gradient(w->problem.potential, w->state.x, slope);
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        double dx = w->state.x[k] - x[k], dv = w->state.v[k] - v[k];
        loss += slope[k] * dx;
        loss += pull[k] * dx; // limits stop a stretch, without a bounce
        if (w->problem.free_index[k / 3] >= 0) loss += 0.5 * w->problem.mass[k / 3] * dv * dv;
    }
    free(slope), free(pull);
    return loss;
}

static double change(const SnEnergy* a, const SnEnergy* b)
{
    return b->kinetic - a->kinetic + b->elastic - a->elastic + b->gravity - a->gravity;
}

static void run_with(const char* path, const char* override, int steps)
{
    const char* overrides[] = {override};
    SnScene* scene;
    SnWorld* world;
    check_ok(sn_scene_load(path, overrides, override[0] ? 1 : 0, &scene));
    check_ok(sn_scene_create_world(scene, &world));
    SnStepReport first, report;
    check_ok(sn_world_measure(world, &first));
    size_t size = 3 * (size_t)world->model.node_count * sizeof(double);
    double *x = malloc(size), *v = malloc(size), *force = malloc(size), allowed = 0, scale = 0, lost = 0;
    for (int i = 0; i < steps; i++) {
        memcpy(x, world->state.x, size), memcpy(v, world->state.v, size);
        if (world->model.integrator->order == 0) find_force(world, force);
        double elastic = world->elastic;
        check_ok(sn_world_step(world, &report));
        const SnEnergy* e = &report.energy;
        scale = fmax(scale, e->kinetic + e->elastic + fabs(e->gravity) + fabs(e->pins) + fabs(e->viscous));
        double missing = e->pins - e->viscous - e->friction - e->numerical;
        check_near(change(&first.energy, e), missing, 1e-9 * scale);
        allowed += 4 * sqrt(world->model.node_count) * report.gradient * world->state.step_length + 1e-9 * scale;
        if (world->model.integrator->order > 0) check_momentum(path, &first, &report, allowed);
        if (world->model.integrator->order > 1) continue;
        double own = e->numerical - e->unconverged;
        if (report.parts > 1) // the definition is that of a whole step
            lost = own;
        else
            lost += loss_of_step(world, x, v, elastic) - less_by_means(world, x, force);
        if (!(fabs(own - lost) <= 1e-9 * scale))
            fail_msg("%s: numerical loss %.17g but by definition %.17g, of %g J", path, own, lost, scale);
    }
    free(x), free(v), free(force);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void test_gallery_ledger(void** state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(SN_SOURCE_DIR "/scenes/gallery/*.yaml", 0, NULL, &found), 0);
    check(found.gl_pathc >= 8);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char override[64];
        snprintf(override, sizeof override, "integrator=%s", dynamic[1 + i % (DYNAMIC - 1)]);
        run_with(found.gl_pathv[i], "", 8);
        run_with(found.gl_pathv[i], override, 4);
    }
    globfree(&found);
}

// Slides draw skin to their distance, which a few iterations do not find the forces of: the books have what those they
// found did, whichever way.
static void test_ledger_of_few_iterations(void** state)
{
    (void)state;
    run_with(SN_SOURCE_DIR "/scenes/paper/admm-skin.yaml", "solver.iterations=10", 18);
}

// A cube slides and bounces on a plane with friction: normal and tangential impulses are in the books, too.
static void test_momentum_in_contact(void** state)
{
    (void)state;
    const char text[] = "time: {step: 1/100}\n"
                        "solver: {type: newton, tolerance: 1e-9}\n"
                        "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, place: {move: [0, 0.05, 0]},\n"
                        "  velocity: {linear: [1, 0, 0]}, material: {type: corotated, young: 1e5, density: 1000}}]\n"
                        "obstacles: [{type: plane, point: [0, 0, 0], normal: [0, 1, 0], friction: 0.3}]\n";
    for (int i = 0; i < DYNAMIC; i++) {
        SnScene* scene;
        check_ok(sn_scene_parse(text, strlen(text), "slide.yaml", NULL, 0, &scene));
        sn_scene_world_def(scene)->integrator = dynamic[i];
        SnWorld* world;
        check_ok(sn_scene_create_world(scene, &world));
        double allowed = 1e-6;
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 40; step++) {
            check_ok(sn_world_step(world, &report));
            allowed += 2 * sqrt(world->model.node_count) * report.gradient *
                       world->state.step_length; // what solves leave over
            check_momentum(dynamic[i], &first, &report, allowed);
        }
        check(report.impulse[0] < -100 && report.energy.friction > 10);
        if (i == 0) check(report.energy.friction < first.energy.kinetic && report.energy.numerical > 0);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gallery_ledger),
    cmocka_unit_test(test_ledger_of_few_iterations),
    cmocka_unit_test(test_momentum_in_contact),
};
RUN_TESTS(tests, NULL, NULL)
