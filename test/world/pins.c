// Handles that hold by energy: derivatives, elimination as their limit, the books, releases, bits, bad values.
#include "check.h"

#include "core/random.h"
#include "potential/pin.h"
#include "world/world.h"
#include <sinew/probe.h>

// Gradient and Hessian against differences, and the prox where it is stationary, for more pins than one pack has.
static void test_derivatives(void** state)
{
    (void)state;
    enum { N = 21 };
    double rest[3 * N], x[3 * N], t[3 * N], g[3 * N], lo[3 * N], hi[3 * N], f[3 * N];
    int nodes[N], rows[N];
    SnMaterialParameters k[N];
    SnRandom random = {3};
    for (int i = 0; i < 3 * N; i++) {
        rest[i] = sn_random_uniform(&random, -1, 1), x[i] = sn_random_uniform(&random, -1, 1);
        t[i] = sn_random_uniform(&random, -1, 1);
    }
    for (int i = 0; i < N; i++) nodes[i] = (5 * i) % N, rows[i] = i, k[i] = (SnMaterialParameters){.mu = 1 + i};
    SnTasks* tasks;
    SnPotential* p;
    SnHessian* h;
    check_ok(sn_tasks_create(1, (SnTaskRunner){0}, &tasks));
    check_ok(sn_potential_create(N, rest, tasks, &p));
    check_ok(sn_potential_add(p, &(SnTermsDef){.term = &sn_pin,
                                               .count = N,
                                               .elements = nodes,
                                               .parameters = k,
                                               .per_element = true,
                                               .keep = SN_KEEP_PENALTY,
                                               .name = "t"}));
    check_ok(sn_potential_finish(p));
    check_ok(sn_hessian_create(p, rows, N, &h));
    sn_pin_place(&p->groups[0], t);
    double energy = 0;
    for (int i = 0; i < 3 * N; i++) {
        double d = x[3 * nodes[i / 3] + i % 3] - t[i];
        energy += 0.5 * k[i / 3].mu * d * d;
    }
    check_near(sn_potential_gradient(p, x, g).elastic, energy, 1e-12 * energy);
    sn_pin_forces(&p->groups[0], nodes, x, f);
    sn_hessian_assemble(h, x, true);
    for (int i = 0; i < N; i++) {
        double block[9], at = x[3 * nodes[i] + 1];
        sn_block_read(&h->matrix, nodes[i], 0, block);
        for (int e = 0; e < 9; e++) check_near(block[e], e % 4 == 0 ? k[i].mu : 0, 1e-12);
        x[3 * nodes[i] + 1] = at + 1e-4, check(sn_potential_gradient(p, x, hi).elastic > 0);
        double above = sn_potential_energy(p, x).elastic;
        x[3 * nodes[i] + 1] = at - 1e-4, check(sn_potential_gradient(p, x, lo).elastic > 0);
        double below = sn_potential_energy(p, x).elastic;
        x[3 * nodes[i] + 1] = at;
        check_near((above - below) / 2e-4, g[3 * nodes[i] + 1], 1e-7);
        check_near((hi[3 * nodes[i] + 1] - lo[3 * nodes[i] + 1]) / 2e-4, k[i].mu, 1e-7);
        for (int c = 0; c < 3; c++) check_near(f[3 * i + c], -g[3 * nodes[i] + c], 1e-12);
    }
    SnTermPack pack = sn_potential_pack(&p->groups[0], 0);
    double y[3 * SN_LANES], w[SN_LANES], z[3 * SN_LANES];
    for (int i = 0; i < 3 * SN_LANES; i++) y[i] = sn_random_uniform(&random, -1, 1), w[i % SN_LANES] = 1 + i % 7;
    sn_pin.prox(NULL, &pack, y, w, z);
    for (int i = 0; i < 3 * SN_LANES; i++)
        check_near(pack.parameters.mu[i % SN_LANES] * (z[i] - pack.shape[SN_LANES + i]) +
                       w[i % SN_LANES] * (z[i] - y[i]),
                   0, 1e-12);
    sn_hessian_destroy(h);
    sn_potential_destroy(p);
    sn_tasks_destroy(tasks);
}

typedef struct Case {
    const char *integrator, *solver, *material;
    SnHold how;
    double stiffness; // N/m
    double step;      // s
    double tolerance;
    double release; // s, of the second handle; 0: never
    int threads;
    bool gravity;
    bool mixed; // the first handle has no stiffness
} Case;

// A bar, one end held, the other turned and pulled.
static SnWorld* make_bar(Case c)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = c.integrator ? c.integrator : "backward-euler";
    def.time_step = c.step > 0 ? c.step : 0.02;
    def.threads = c.threads > 0 ? c.threads : 1;
    def.solver.type = c.solver;
    def.solver.iterations = 3000;
    def.solver.tolerance = c.tolerance > 0 ? c.tolerance : 1e-9;
    if (!c.gravity) def.gravity[1] = 0;
    SnWorld* world;
    SnMesh* mesh;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){2, 0.5, 0.5}, (int[]){6, 2, 2}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.material = sn_material(c.material ? c.material : "corotated", 1e5, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    for (int end = 0; end < 2; end++) {
        int nodes[64], count = 0;
        for (int i = 0; i < sn_mesh_node_count(mesh); i++)
            if (fabs(sn_mesh_nodes(mesh)[3 * i] - 2 * end) < 1e-9) nodes[count++] = i;
        SnHandleDef handle = sn_default_handle_def();
        handle.nodes = nodes, handle.node_count = count;
        handle.how = c.how, handle.stiffness = c.mixed && end == 0 ? 0 : c.stiffness;
        if (end == 1) {
            handle.motion.rotate_axis[0] = 1, handle.motion.rotate_rate = 1;
            handle.motion.rotate_centre[1] = handle.motion.rotate_centre[2] = 0.25;
            handle.motion.velocity[0] = 0.2;
            if (c.release > 0) handle.motion.release = c.release;
        }
        check_ok(sn_world_add_handle(world, &handle, NULL));
    }
    sn_mesh_destroy(mesh);
    return world;
}

static SnStepReport run(SnWorld* world, int steps)
{
    SnStepReport report = {0};
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, &report));
        if (report.outcome != SN_OUTCOME_CONVERGED)
            fail_msg("step %d of %s: %s after %d iterations", i, world->model.def.solver.type,
                     sn_outcome_name(report.outcome), report.iterations);
    }
    return report;
}

// How far apart two bars are after some steps, m.
static double distance(Case a, Case b, int steps, double* drift)
{
    SnWorld *one = make_bar(a), *other = make_bar(b);
    run(one, steps);
    *drift = run(other, steps).drift;
    double most = 0;
    for (int i = 0; i < 3 * sn_world_node_count(one); i++)
        most = fmax(most, fabs(sn_world_positions(one)[i] - sn_world_positions(other)[i]));
    sn_world_destroy(one), sn_world_destroy(other);
    return most;
}

// A hundred times stiffer is a hundred times nearer to elimination; and the drift is what the force makes of it.
static void test_stiffness_leads_to_elimination(void** state)
{
    (void)state;
    static const char* const solvers[] = {"newton", "lbfgs", "dot", "chebyshev", "pd", "auto"};
    static const char* const integrators[] = {"static", "backward-euler"};
    for (int s = 0; s < 6; s++)
        for (int i = 0; i < 2; i++) {
            Case held = {.integrator = integrators[i], .solver = solvers[s], .gravity = true}, pinned = held;
            double off[2], drift[2];
            pinned.how = SN_HOLD_ENERGY;
            for (int k = 0; k < 2; k++) {
                pinned.stiffness = k ? 1e8 : 1e6;
                off[k] = distance(held, pinned, 3, &drift[k]);
            }
            check(off[0] > 1e-6 && off[0] < 1e-2);
            check(off[1] < 0.03 * off[0]);
            check(drift[0] > 1e-6 && drift[1] < 0.03 * drift[0] && drift[1] > 1e-3 * drift[0]);
        }
}

// Energy: what is there, less what was there, is what handles gave less the losses. And the losses are the
// integrator's: with one that keeps energy they vanish with the step. Momentum: what was given.
static void check_books(const SnStepReport* first, const SnStepReport* r, double impulse_error)
{
    const SnEnergy *a = &first->energy, *b = &r->energy;
    double change = b->kinetic + b->elastic + b->gravity - (a->kinetic + a->elastic + a->gravity);
    check_near(change, b->pins - b->viscous - b->friction - b->numerical, 1e-9 * (fabs(b->pins) + fabs(b->gravity)));
    for (int c = 0; c < 3; c++) check_near(r->momentum[c] - first->momentum[c], r->impulse[c], impulse_error);
}

// Without a stiffness ADMM keeps the places, and pd's pins give way by what the default allows.
static void test_projective_solvers_meet_elimination(void** state)
{
    (void)state;
    double drift;
    Case newton = {.solver = "newton", .gravity = true}, other = {.gravity = true, .how = SN_HOLD_ENERGY};
    other.solver = "admm";
    check(distance(newton, other, 4, &drift) < 1e-6);
    check(drift < 1e-7);
    other.solver = "pd";
    check(distance(newton, other, 4, &drift) < 2e-3);
    check(drift > 1e-7 && drift < 1e-3);
}

// A stiffness that is given is that of every solver, also beside a handle without one.
static void test_all_solvers_keep_a_stiffness(void** state)
{
    (void)state;
    static const char* const solvers[] = {"lbfgs", "dot", "chebyshev", "pd", "auto", "admm"};
    static const double stiffness[] = {1e2, 1e5};
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < 6; s++)
            for (int i = k == 0; i < 3; i++) { // without inertia soft springs take pd and chebyshev too long
                Case newton = {.integrator = i == 0 ? "static" : "trapezoidal",
                               .solver = "newton",
                               .how = SN_HOLD_ENERGY,
                               .stiffness = stiffness[k],
                               .gravity = true,
                               .mixed = i == 2};
                Case other = newton;
                double drift;
                other.solver = solvers[s];
                double exact = other.mixed && s == 5 ? 1e-5 : 0; // admm keeps the other handle in place
                check(distance(newton, other, 3, &drift) < 1e-7 + exact);
                check(drift > 1e-3);
            }
}

// A cube of 1 kg that hangs from a spring of k at its middle, whose other end is 0.3 m above and moves.
static SnWorld* make_hung(const char* integrator, const char* solver, double k, double step)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = integrator, def.time_step = step;
    def.solver.type = solver, def.solver.iterations = 3000, def.solver.tolerance = 1e-8;
    SnWorld* world;
    SnMesh* mesh;
    check_ok(sn_world_create(&def, &world));
    check_ok(sn_mesh_make_box((double[]){0.1, 0.1, 0.1}, (int[]){2, 2, 2}, &mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.material = sn_material("corotated", 1e7, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = (const int[]){13}, handle.node_count = 1;
    handle.targets = (const double[]){0.05, 0.35, 0.05}, handle.target_times = (const double[]){0};
    handle.target_count = 1;
    handle.how = SN_HOLD_ENERGY, handle.stiffness = k;
    check_ok(sn_world_add_handle(world, &handle, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

// In equilibrium it is m g/k below the point; let go at rest it swings about there as a cosine, and what its energies
// change by is what is booked.
static void test_spring_to_a_point(void** state)
{
    (void)state;
    static const char* const solvers[] = {"newton", "lbfgs", "dot", "chebyshev", "pd", "auto", "admm"};
    static const char* const integrators[] = {"trapezoidal", "implicit-midpoint", "tr-bdf2", "bdf2"};
    double g = 9.81, k = 200;
    for (int s = 0; s < 7; s++) {
        SnWorld* still = make_hung("static", solvers[s], k, 0.1);
        run(still, 1);
        check_near(sn_world_positions(still)[3 * 13 + 1], 0.35 - g / k, 1e-6);
        SnWrench pull;
        check_ok(sn_world_handle_force(still, 0, &pull));
        check_near(pull.force[1], g, 1e-5 * g);
        sn_world_destroy(still);
        for (int i = 0; i < 4; i++) {
            int steps = 50;
            double period = 2 * 3.14159265358979 / sqrt(k), from = 0.3 - g / k; // m above the equilibrium's height
            SnWorld* world = make_hung(integrators[i], solvers[s], k, 0.25 * period / steps);
            SnStepReport first, last;
            check_ok(sn_world_measure(world, &first));
            last = run(world, steps);
            check_books(&first, &last, 1e-4);
            check_near(sn_world_positions(world)[3 * 13 + 1], 0.05 + from, 5e-3 * from);
            check(fabs(last.energy.numerical) < 5e-3 * last.energy.kinetic);
            sn_world_destroy(world);
        }
    }
}

static void test_books(void** state)
{
    (void)state;
    static const char* const integrators[] = {"backward-euler", "bdf2", "trapezoidal", "implicit-midpoint", "tr-bdf2"};
    static const char* const solvers[] = {"newton", "admm"};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 5; i++) {
            Case c = {.integrator = integrators[i],
                      .solver = solvers[s],
                      .how = SN_HOLD_ENERGY,
                      .gravity = true,
                      .release = 0.1};
            SnStepReport first, last;
            SnWorld* world = make_bar(c);
            check_ok(sn_world_measure(world, &first));
            last = run(world, 4);
            check_books(&first, &last, 1e-4);
            check(last.energy.pins > 0);
            last = run(world, 4); // let go within
            check_books(&first, &last, 1e-4);
            sn_world_destroy(world);
        }
}

// Springs soft enough to be resolved: the work of handles is booked as exactly as the integrator integrates.
static void test_work(void** state)
{
    (void)state;
    static const char* const integrators[] = {"trapezoidal", "implicit-midpoint", "tr-bdf2"};
    for (int i = 0; i < 3; i++) {
        double lost[2];
        for (int k = 0; k < 2; k++) {
            int steps = k ? 160 : 80;
            Case c = {.integrator = integrators[i],
                      .solver = "newton",
                      .how = SN_HOLD_ENERGY,
                      .stiffness = 1e4,
                      .step = 0.4 / steps};
            SnWorld* world = make_bar(c);
            SnStepReport last = run(world, steps);
            lost[k] = fabs(last.energy.numerical) / last.energy.pins;
            sn_world_destroy(world);
        }
        check(lost[0] < 2e-2);
        check(lost[1] < 0.35 * lost[0] || lost[1] < 1e-5);
    }
}

// What springs have stored when they let go is the handle's, and nothing is given afterwards.
static void test_release(void** state)
{
    (void)state;
    Case c = {.solver = "newton", .how = SN_HOLD_ENERGY, .stiffness = 1e3, .release = 0.1};
    SnWorld* world = make_bar(c);
    SnStepReport before = run(world, 5), after;
    double stored = 0;
    const SnHandle* handle = &world->model.handles[1];
    const double* force = world->state.pin_force + 3 * handle->first_pin;
    for (int k = 0; k < 3 * handle->node_count; k++) stored += force[k] * force[k] / 2e3;
    check(stored > 1e-3 * before.energy.elastic);
    after = run(world, 1);
    check_near(after.energy.pins, before.energy.pins - stored, 1e-9 * before.energy.pins);
    check(world->problem.released[1] && after.drift < before.drift);
    sn_world_destroy(world);
}

// The same bits for any number of threads, and for a run that goes on from any saved state, releases included.
static void test_same_bits(void** state)
{
    (void)state;
    static const char* const solvers[] = {"newton", "admm", "auto"};
    static const char* const integrators[] = {"trapezoidal", "bdf2", "implicit-midpoint"};
    enum { STEPS = 8 };
    for (int s = 0; s < 3; s++) {
        Case c = {
            .integrator = integrators[s], .solver = solvers[s], .how = SN_HOLD_ENERGY, .release = 0.1, .gravity = true};
        SnWorld* world = make_bar(c);
        SnEnergy energy = run(world, STEPS).energy;
        uint64_t hash = sn_world_hash(world);
        sn_world_destroy(world);
        for (int at = 1; at < STEPS; at++) {
            c.threads = at % 3 + 1;
            SnWorld *one = make_bar(c), *other = make_bar(c);
            run(one, at);
            size_t size = sn_world_state_size(one);
            void* bytes = malloc(size);
            check_ok(sn_world_save_state(one, bytes, size));
            check_ok(sn_world_restore_state(other, bytes, size));
            SnEnergy resumed = run(other, STEPS - at).energy;
            check(sn_world_hash(other) == hash);
            check(memcmp(&resumed, &energy, sizeof energy) == 0);
            check_ok(sn_world_restore_state(other, bytes, size)); // back before the release
            run(other, STEPS - at);
            check(sn_world_hash(other) == hash);
            free(bytes);
            sn_world_destroy(one), sn_world_destroy(other);
        }
    }
}

// A state with the forces of handles that hold by energy is of no use to a world without them.
static void test_other_handles(void** state)
{
    (void)state;
    SnWorld *one = make_bar((Case){.solver = "newton", .how = SN_HOLD_ENERGY}),
            *other = make_bar((Case){.solver = "newton"});
    size_t size = sn_world_state_size(one);
    void* bytes = malloc(size);
    check_ok(sn_world_save_state(one, bytes, size));
    check_fails(sn_world_restore_state(other, bytes, size), SN_ERROR_VALUE, "nodes held by energy", "the world 0");
    free(bytes);
    sn_world_destroy(one), sn_world_destroy(other);
}

static void test_bad_values(void** state)
{
    (void)state;
    SnWorld* world = make_bar((Case){.solver = "newton"});
    SnHandleDef handle = sn_default_handle_def();
    handle.stiffness = 1e6;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "stiffness", "1e+06", "hold by energy");
    handle.how = SN_HOLD_ENERGY;
    handle.stiffness = -1;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "stiffness", "-1 N/m", "positive");
    handle.stiffness = NAN;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "stiffness", "positive");
    handle.stiffness = 0;
    handle.how = (SnHold)7;
    check_fails(sn_world_add_handle(world, &handle, NULL), SN_ERROR_VALUE, "how is 7", "1 (energy)");
    check(world->model.handle_count == 2);
    sn_world_destroy(world);
}

// Each allocation of building may fail, and nothing is left behind; a step then needs none.
static void test_memory(void** state)
{
    (void)state;
    for (long n = 0; n < 400; n++) {
        SnWorld* world = make_bar((Case){.solver = "admm", .how = SN_HOLD_ENERGY});
        FailingMemory memory;
        start_failing(&memory, n);
        SnStatus status = sn_world_step(world, NULL);
        if (status == SN_OK) {
            memory.countdown = 0;
            check_ok(sn_world_step(world, NULL));
        }
        sn_world_destroy(world);
        stop_failing(&memory);
        check(status == SN_OK || status == SN_ERROR_MEMORY);
        if (status == SN_OK) return;
    }
    fail_msg("no step succeeded");
}

// A cloth of four nodes that a handle shakes, all tied to two of them: the solves come to nothing and steps are not
// taken.
static SnWorld* make_stuck(void)
{
    SnWorldDef def = sn_default_world_def();
    SnBodyDef body = sn_default_body_def();
    SnHandleDef handle = sn_default_handle_def();
    SnAttachmentDef tie = sn_default_attachment_def();
    SnWorld* world;
    SnMesh* mesh;
    def.solver.type = "newton", def.solver.iterations = 60, def.time_step = 1.0 / 60;
    check_ok(sn_mesh_make_cloth((double[]){0.6, 0.3}, (int[]){1, 1}, &mesh));
    check_ok(sn_world_create(&def, &world));
    body.mesh = mesh;
    check_ok(sn_world_add_body(world, &body, NULL));
    handle.how = SN_HOLD_ENERGY, handle.motion.oscillate_frequency = 1.5;
    memcpy(handle.motion.oscillate_amplitude, (double[]){0.1, 0.77, -4}, 3 * sizeof(double));
    check_ok(sn_world_add_handle(world, &handle, NULL));
    tie.from.body = tie.to.body = 0, tie.to.node_count = 2;
    tie.to.nodes = sn_mesh_nodes(mesh)[3] > 0 ? (int[]){1, 3} : (int[]){2, 3}; // at the largest x
    check_ok(sn_world_add_attachment(world, &tie, NULL));
    SnProbeDef probe = sn_default_probe_def("reaction");
    probe.handle = 0;
    check_ok(sn_world_add_probe(world, &probe, NULL));
    sn_mesh_destroy(mesh);
    return world;
}

// Where a step is not taken the handle goes on: its springs are longer, by what it has given, and a world that is
// restored there goes on to the same bits.
static void test_stuck(void** state)
{
    (void)state;
    SnWorld *world = make_stuck(), *restored = make_stuck();
    char bytes[20000];
    SnStepReport before, report, again;
    int stuck = 0;
    check_ok(sn_world_measure(world, &before));
    for (int step = 1; step <= 8; step++) {
        check_ok(sn_world_step(world, &report));
        const SnEnergy *a = &before.energy, *b = &report.energy;
        double gained = b->kinetic + b->elastic + b->gravity - a->kinetic - a->elastic - a->gravity;
        if (report.outcome == SN_OUTCOME_STALLED && b->kinetic == 0) {
            check(b->elastic > 1);
            check_near(gained, b->pins, 1e-9 * b->elastic);
            check_near(report.values[report.value_count - 1], b->pins, 1e-9 * b->elastic); // the handle's work
            stuck++;
        }
        // The one that was restored before this step has made it, too.
        check(step == 1 || sn_world_hash(restored) == sn_world_hash(world));
        size_t size = sn_world_state_size(world);
        check(size <= sizeof bytes);
        check_ok(sn_world_save_state(world, bytes, size));
        sn_world_destroy(restored);
        restored = make_stuck();
        check_ok(sn_world_restore_state(restored, bytes, size));
        check_ok(sn_world_measure(restored, &again));
        check_near(again.energy.elastic, b->elastic, 0);
        check_ok(sn_world_step(restored, NULL));
    }
    check(stuck > 0);
    sn_world_destroy(world), sn_world_destroy(restored);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_derivatives),
    cmocka_unit_test(test_stiffness_leads_to_elimination),
    cmocka_unit_test(test_projective_solvers_meet_elimination),
    cmocka_unit_test(test_all_solvers_keep_a_stiffness),
    cmocka_unit_test(test_spring_to_a_point),
    cmocka_unit_test(test_books),
    cmocka_unit_test(test_work),
    cmocka_unit_test(test_release),
    cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_other_handles),
    cmocka_unit_test(test_bad_values),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_stuck),
};
RUN_TESTS(tests, NULL, NULL)
