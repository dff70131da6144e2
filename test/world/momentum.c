// Time integrators: momenta, by each way they change; a spinning beam.
#include "blocks.h"
#include "mesh/mesh.h"

// Each dissipation takes something, and together what the ledger has as viscous.
static void check_losses(const SnWorld* world, const SnStepReport* report)
{
    const char* names[] = {"body 0: rayleigh", "body 0: drag", "body 0: rayleigh 2"};
    double sum = 0;
    assert_int_equal(sn_world_loss_count(world), 3);
    for (int k = 0; k < 3; k++) {
        SnLoss loss;
        check_ok(sn_world_loss(world, k, &loss));
        assert_string_equal(loss.name, names[k]);
        check(loss.energy > 0);
        sum += loss.energy;
    }
    check_near(report->energy.viscous, sum, 1e-12 * sum);
    SnLoss loss;
    check_fails(sn_world_loss(world, 3, &loss), SN_ERROR_VALUE, "no loss 3", "3 dissipations");
}

// Whatever happens, the momentum has gained what handles and gravity gave.
static void test_momentum(void** state)
{
    (void)state;
    for (int i = 0; i < DYNAMIC; i++) {
        SnWorld* world = make_eventful(dynamic[i], 1);
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 24; step++) {
            step_to(world, step, step + 1, &report);
            check_momentum(dynamic[i], &first, &report, 1e-6);
            check_losses(world, &report);
        }
        check(fabs(report.impulse[0]) > 10 && fabs(report.impulse[1]) > 10);
        sn_world_destroy(world);
    }
}

// Angular momentum: the midpoint rule keeps the books to the solver's tolerance; backward Euler loses
// h sum m v^(n) x v^(n+1) of the free nodes.
static void test_angular_momentum(void** state)
{
    (void)state;
    const char* names[] = {"implicit-midpoint", "backward-euler"};
    for (int i = 0; i < 2; i++) {
        SnWorld* world = make_block(exact_def(names[i], 0.02));
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        double lost[3] = {0}, *v = malloc(3 * (size_t)world->model.node_count * sizeof *v);
        for (int step = 0; step < 30; step++) {
            memcpy(v, world->state.v, 3 * (size_t)world->model.node_count * sizeof *v);
            check_ok(sn_world_step(world, &report));
            for (int k = 0; k < world->model.node_count && i == 1; k++)
                for (int c = 0; c < 3 && world->problem.free_index[k] >= 0; c++) {
                    int d = 3 * k + (c + 1) % 3, e = 3 * k + (c + 2) % 3;
                    lost[c] += 0.02 * world->problem.mass[k] * (v[d] * world->state.v[e] - v[e] * world->state.v[d]);
                }
            check_momentum(names[i], &first, &report, 1e-6);
            for (int c = 0; c < 3; c++) {
                double gained = report.angular_momentum[c] - first.angular_momentum[c];
                check_near(gained, report.angular_impulse[c] - lost[c], 1e-6);
            }
        }
        check(fabs(report.angular_impulse[2]) > 100 && (i == 0 || fabs(lost[2]) > 1));
        free(v);
        sn_world_destroy(world);
    }
}

// Adds a beam that is stretched and spins about its middle.
static SnWorld* make_spinning_beam(const char* integrator, double time_step)
{
    SnWorldDef def = exact_def(integrator, time_step);
    def.gravity[1] = 0, def.solver.tolerance = 1e-9;
    SnWorld* world = make_world(def);
    SnMesh* mesh;
    check_ok(sn_mesh_make_box((double[]){4, 1, 1}, (int[]){8, 2, 2}, &mesh));
    double* start = calloc((size_t)mesh->node_count, 6 * sizeof *start);
    double* velocity = start + 3 * mesh->node_count;
    for (int i = 0; i < mesh->node_count; i++) {
        const double* p = mesh->nodes + 3 * i;
        start[3 * i] = 1.3 * (p[0] - 2), start[3 * i + 1] = p[1] - 0.5, start[3 * i + 2] = p[2] - 0.5;
        velocity[3 * i] = -3 * start[3 * i + 1], velocity[3 * i + 1] = 3 * start[3 * i];
    }
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.start = start, body.velocity = velocity;
    body.material = sn_material("corotated", 1e5, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    sn_mesh_destroy(mesh), free(start);
    return world;
}

// Energy and angular momentum are lost to backward Euler most, to BDF2 less, to TR-BDF2 least.
static void test_spinning_beam(void** state)
{
    (void)state;
    const char* names[] = {"backward-euler", "bdf2", "tr-bdf2"};
    double energy[3], spin[3];
    for (int i = 0; i < 3; i++) {
        SnWorld* world = make_spinning_beam(names[i], 1.0 / 60);
        SnStepReport first, report;
        check_ok(sn_world_measure(world, &first));
        for (int step = 0; step < 60; step++) check_ok(sn_world_step(world, &report));
        energy[i] = report.energy.numerical / (first.energy.kinetic + first.energy.elastic);
        spin[i] = 1 - report.angular_momentum[2] / first.angular_momentum[2];
        print_message("%s: lost %.3g of the energy, %.3g of the angular momentum\n", names[i], energy[i], spin[i]);
        check_near(report.momentum[0], 0, 1e-4);
        sn_world_destroy(world);
    }
    check(energy[0] > 2 * energy[1] && energy[1] > 2 * energy[2] && energy[2] > 0);
    check(spin[0] > 2 * spin[1] && spin[1] > 2 * fabs(spin[2]));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_momentum),
    cmocka_unit_test(test_angular_momentum),
    cmocka_unit_test(test_spinning_beam),
};
RUN_TESTS(tests, NULL, NULL)
