// What integrators of second order lose, from their own formulas: `numerical` is what is missing in the books, and has
// to be the same.
//
// A stage from x^p = sum w_i x_i + c v^n and v^p = sum w_i v_i + c M^-1 f^n loses, as W = W^p + b P has it,
//
//     L = sum w_i L_i + sum w_i (1/2 |v - v_i|^2_M + U(x_i) - U(x) - dU(x).(x_i - x))
//         + c (f^n.(v^n - v) - (dU(x) - dU(x^n)).v^n)
//
// over free nodes. A held one is wherever its script says, e off sum w_i x_i + b v: there the last line is, with u its
// velocity and m g its weight, c (dU(x^n) - m g).u^n - (dU(x) - m g).e.
#include "blocks.h"
#include "core/random.h"

// A state, its elastic energy, the slope of that, and what was lost up to it.
typedef struct Moment {
    double *x, *v, *slope, energy, loss;
} Moment;

static Moment moment_new(const SnWorld* w)
{
    size_t n = 3 * (size_t)w->model.node_count;
    Moment m = {malloc(n * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(double)), 0, 0};
    assert_true(m.x && m.v && m.slope);
    return m;
}

static void moment_free(Moment* m)
{
    free(m->x), free(m->v), free(m->slope);
}

// Held nodes have the velocities of their script, before (lean -1) or after (1) a corner.
static void measure(SnWorld* w, double time, int lean, Moment* m)
{
    double h = w->state.step_length;
    sn_potential_begin_stage(w->problem.potential, NULL, 0);
    sn_pins_place(&w->model, &w->problem, &w->scratch, time);
    m->energy = sn_potential_gradient(w->problem.potential, m->x, m->slope).elastic;
    sn_handles_move(&w->model, &w->problem, time, lean * SN_LEAN * h, m->v);
}

static void copy_state(const SnWorld* w, Moment* m)
{
    size_t size = 3 * (size_t)w->model.node_count * sizeof(double);
    memcpy(m->x, w->state.x, size), memcpy(m->v, w->state.v, size);
}

// What stage `end` adds that has a share w of `from`.
static double add_share(const SnWorld* w, double weight, const Moment* from, const Moment* end)
{
    if (weight == 0) return 0;
    double sum = from->loss + from->energy - end->energy;
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        double dv = end->v[k] - from->v[k];
        sum -= end->slope[k] * (from->x[k] - end->x[k]);
        if (w->problem.free_index[k / 3] >= 0) sum += 0.5 * w->problem.mass[k / 3] * dv * dv;
    }
    return weight * sum;
}

// The loss up to the end of a stage from `before`, `now` and `middle`; force: f^n.
static double loss_of_stage(const SnWorld* w, const SnStage* stage, const Moment* before, const Moment* now,
                            const Moment* middle, const Moment* end, const double* force)
{
    double h = w->state.step_length, c = stage->half * h, b = stage->alpha * h;
    bool own = stage->before == 0 && stage->middle == 0 && stage->half == 0; // held nodes go straight
    double loss = add_share(w, stage->present, now, end) + add_share(w, stage->middle, middle, end);
    if (stage->before != 0) loss += add_share(w, stage->before, before, end);
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        double weight = w->problem.gravity[k], at = stage->present * now->x[k];
        if (stage->before != 0) at += stage->before * before->x[k];
        if (stage->middle != 0) at += stage->middle * middle->x[k];
        if (w->problem.free_index[k / 3] >= 0 && c != 0)
            loss += c * (force[k] * (now->v[k] - end->v[k]) - (end->slope[k] - now->slope[k]) * now->v[k]);
        if (w->problem.free_index[k / 3] < 0 && !own)
            loss +=
                c * (now->slope[k] - weight) * now->v[k] - (end->slope[k] - weight) * (end->x[k] - b * end->v[k] - at);
    }
    return loss;
}

// By the implicit midpoint rule: x^n and x^(n+1), and the slope half way.
static double loss_of_midpoint(SnWorld* w, const Moment* now, Moment* half, const Moment* end)
{
    for (int k = 0; k < 3 * w->model.node_count; k++) half->x[k] = 0.5 * (now->x[k] + end->x[k]);
    measure(w, w->state.time, -1, half);
    double loss = now->energy - end->energy;
    for (int k = 0; k < 3 * w->model.node_count; k++) loss += half->slope[k] * (end->x[k] - now->x[k]);
    return loss;
}

// The state between two stages, from what the second one started from.
static void find_middle(SnWorld* w, const SnStage* first, const SnStage* second, const Moment* now, double time,
                        Moment* middle)
{
    for (int k = 0; k < 3 * w->model.node_count; k++) {
        middle->x[k] = (w->scratch.xp[k] - second->present * now->x[k]) / second->middle;
        middle->v[k] = (w->scratch.vp[k] - second->present * now->v[k]) / second->middle;
    }
    double at = time - (1 - first->end) * w->state.step_length;
    sn_handles_place(&w->model, &w->problem, at, middle->x);
    measure(w, at, -1, middle);
}

typedef struct Steps {
    Moment before, now, middle, end;
    double *force, lost;
} Steps;

// A step, and what it loses by its formula.
static void take_step(SnWorld* w, Steps* s, SnStepReport* report)
{
    SnStage stages[SN_MOST_STAGES];
    const SnIntegratorType* type = w->model.integrator;
    double start = w->state.time, h = w->state.step_length,
           ratio = w->state.last_length > 0 ? h / w->state.last_length : 0;
    memcpy(stages, type->stages, sizeof stages);
    if (type->adjust) type->adjust(type->gamma, ratio, stages);
    Moment kept = s->before;
    s->before = s->now, s->now = kept;
    copy_state(w, &s->now);
    if (type->needs_force && w->state.force_known)
        memcpy(s->force, w->state.force, 3 * (size_t)w->model.node_count * sizeof(double));
    measure(w, start, 1, &s->now);
    for (int k = 0; k < 3 * w->model.node_count && !w->state.force_known; k++)
        s->force[k] = w->problem.gravity[k] - s->now.slope[k];
    s->now.loss = 0, s->before.loss = -s->end.loss; // counted from t^n
    check_ok(sn_world_step(w, report));
    copy_state(w, &s->end);
    if (type->stage_count == 2) find_middle(w, &stages[0], &stages[1], &s->now, w->state.time, &s->middle);
    measure(w, w->state.time, -1, &s->end);
    if (type->extrapolate != 1)
        s->end.loss = loss_of_midpoint(w, &s->now, &s->middle, &s->end);
    else {
        if (type->stage_count == 2)
            s->middle.loss = loss_of_stage(w, &stages[0], NULL, &s->now, NULL, &s->middle, s->force);
        s->end.loss =
            loss_of_stage(w, &stages[type->stage_count - 1], &s->before, &s->now, &s->middle, &s->end, s->force);
    }
    s->lost += s->end.loss;
}

static void check_losses(SnWorld* w, const char* what)
{
    SnStepReport report;
    check_ok(sn_world_measure(w, &report));
    Steps s = {moment_new(w),
               moment_new(w),
               moment_new(w),
               moment_new(w),
               calloc(3 * (size_t)w->model.node_count, sizeof(double)),
               0};
    double scale = 0;
    for (int i = 0; i < 12; i++) {
        take_step(w, &s, &report);
        const SnEnergy* e = &report.energy;
        scale = fmax(scale, e->kinetic + e->elastic + fabs(e->gravity) + fabs(e->pins) + fabs(e->viscous));
        double own = e->numerical - e->unconverged;
        if (!(fabs(own - s.lost) <= 1e-9 * scale))
            fail_msg("%s, step %d: %.17g J are lost, by its formula %.17g, of %g", what, i, own, s.lost, scale);
    }
    moment_free(&s.before), moment_free(&s.now), moment_free(&s.middle), moment_free(&s.end);
    free(s.force);
    sn_world_destroy(w);
}

static const char* const second[] = {"bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};

// A block on an end that is shaken, also damped, where the formula needs no rates of that; steps solved well or badly.
static void test_losses_by_formula(void** state)
{
    (void)state;
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    damping.beta = 0.01;
    for (int k = 0; k < 4; k++)
        for (int bad = 0; bad < 2; bad++) {
            SnWorldDef def = exact_def(second[k], 0.01);
            if (bad) def.solver.type = "lbfgs", def.solver.tolerance = 1e-3;
            check_losses(make_block(def), second[k]);
            if (k == 0 || k == 2) check_losses(make_damped_block(def, &damping, 1), second[k]);
        }
}

// Blocks of any shape, stiffness, speed and step, free or held at a few nodes.
static void test_losses_of_random_blocks(void** state)
{
    (void)state;
    SnRandom random = {7};
    for (int trial = 0; trial < 40; trial++) {
        SnWorldDef def = sn_default_world_def();
        def.integrator = second[trial % 4];
        def.time_step = pow(10, -3 + 1.5 * sn_random_uniform(&random, 0, 1));
        def.solver.type = trial % 3 ? "newton" : "lbfgs",
        def.solver.tolerance = pow(10, -8 + 4 * sn_random_uniform(&random, 0, 1));
        SnWorld* world = make_world(def);
        SnMesh* mesh;
        double size[3], velocity[3000];
        for (int c = 0; c < 3; c++) size[c] = 0.2 + sn_random_uniform(&random, 0, 1);
        check_ok(sn_mesh_make_box(size, (int[]){1 + trial % 3, 2, 1}, &mesh));
        for (int i = 0; i < 3 * mesh->node_count; i++) velocity[i] = 2 * sn_random_uniform(&random, 0, 1) - 1;
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.velocity = velocity;
        body.material = sn_material("stable-neo-hookean", pow(10, 4 + 3 * sn_random_uniform(&random, 0, 1)), 0.3, 1000);
        check_ok(sn_world_add_body(world, &body, NULL));
        sn_mesh_destroy(mesh);
        SnMotion motion = still();
        motion.velocity[1] = sn_random_uniform(&random, 0, 1), motion.oscillate_amplitude[0] = 0.05,
        motion.oscillate_frequency = 3;
        if (trial % 5) hold(world, 0, 0, 0, motion);
        check_losses(world, def.integrator);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_losses_by_formula),
    cmocka_unit_test(test_losses_of_random_blocks),
};
RUN_TESTS(tests, NULL, NULL)
