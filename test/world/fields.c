// Fields: stresses of homogeneous states against closed forms, means of nodes, and what is refused.
#include "bodies.h"
#include "check_world.h"
#include "core/random.h"
#include "world/world.h"

#include <sinew/field.h>

#define YOUNG 1e5
#define POISSON 0.3

// Puts all nodes to F X.
static void deform(SnWorld* world, const double f[9])
{
    SnBodyInfo info;
    double* x = calloc(3 * (size_t)sn_world_node_count(world), sizeof *x);
    for (int b = 0; b < sn_world_body_count(world); b++) {
        check_ok(sn_world_body(world, b, &info));
        for (int i = 0; i < info.node_count; i++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) x[3 * (info.first_node + i) + r] += f[3 * r + c] * info.rest[3 * i + c];
    }
    check_ok(sn_world_set_positions(world, x));
    free(x);
}

static SnWorld* make_solid(const char* material, const double f[9])
{
    SnWorld* world = make_world(sn_default_world_def());
    add_body(world, make_box(1, 1, 1, 2, 2, 2), sn_material(material, YOUNG, POISSON, 1000), NULL, NULL);
    deform(world, f);
    return world;
}

// The same in all elements and all nodes.
static void check_field(SnWorld* world, const char* name, int components, const double* wanted, double allowed)
{
    int counts[] = {sn_world_element_count(world), sn_world_node_count(world)};
    for (int place = 0; place < 2; place++) {
        double* values = calloc((size_t)components * (size_t)counts[place], sizeof *values);
        check_ok(sn_world_field(world, name, (SnFieldPlace)place, values));
        for (int k = 0; k < components * counts[place]; k++) check_near(values[k], wanted[k % components], allowed);
        free(values);
    }
}

static const double mu = YOUNG / (2 * (1 + POISSON)), lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));

// Neo-Hookean, mu/2 (I1 - 3) - mu log J + lambda/2 log^2 J: sigma = (mu (B - 1) + lambda log J)/J.
static void test_stretched_solid(void** state)
{
    (void)state;
    const double s[3] = {1.5, 0.9, 0.8}, j = 1.5 * 0.9 * 0.8;
    SnWorld* world = make_solid("neo-hookean", (double[]){s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]});
    double stress[6] = {0}, energy = -mu * log(j) + 0.5 * lambda * log(j) * log(j);
    for (int k = 0; k < 3; k++) {
        stress[k] = (mu * (s[k] * s[k] - 1) + lambda * log(j)) / j;
        energy += 0.5 * mu * (s[k] * s[k] - 1);
    }
    double a = stress[0] - stress[1], b = stress[1] - stress[2], c = stress[2] - stress[0];
    check_field(world, "stress", 6, stress, 1e-8);
    check_field(world, "principal-stress", 3, stress, 1e-8);
    check_field(world, "von-mises", 1, &(double){sqrt(0.5 * (a * a + b * b + c * c))}, 1e-8);
    check_field(world, "pressure", 1, &(double){-(stress[0] + stress[1] + stress[2]) / 3}, 1e-8);
    check_field(world, "principal-stretch", 3, s, 1e-13);
    check_field(world, "volume-ratio", 1, &j, 1e-13);
    check_field(world, "energy-density", 1, &energy, 1e-8);
    check_field(world, "strain-rate", 1, &(double){0}, 0);
    sn_world_destroy(world);
}

// Simple shear of g, turned: sigma_xx = mu g^2, sigma_xy = mu g of the neo-Hookean solid, in its own axes.
static void test_sheared_solid(void** state)
{
    (void)state;
    const double g = 0.7;
    SnWorld* world = make_solid("neo-hookean", (double[]){1, g, 0, 0, 1, 0, 0, 0, 1});
    check_field(world, "stress", 6, (double[]){mu * g * g, 0, 0, mu * g, 0, 0}, 1e-8);
    sn_world_destroy(world);
    world = make_solid("neo-hookean", (double[]){0, -1, 0, 1, g, 0, 0, 0, 1}); // a quarter turn after it
    check_field(world, "stress", 6, (double[]){0, mu * g * g, 0, -mu * g, 0, 0}, 1e-8);
    check_field(world, "von-mises", 1, &(double){sqrt(mu * mu * g * g * g * g + 3 * mu * mu * g * g)}, 1e-8);
    sn_world_destroy(world);
}

// Fibers add k (s - 1) along them, by the section that is there now.
static void test_fibers(void** state)
{
    (void)state;
    const double s = 1.2;
    SnWorld* world = make_world(sn_default_world_def());
    SnMaterial material = sn_material("neo-hookean", YOUNG, POISSON, 1000);
    material.fiber = 3e5, material.fiber_direction[0] = 1;
    add_body(world, make_box(1, 1, 1, 2, 2, 2), material, NULL, NULL);
    deform(world, (double[]){s, 0, 0, 0, 1, 0, 0, 0, 1});
    double side = lambda * log(s) / s;
    check_field(world, "stress", 6,
                (double[]){(mu * (s * s - 1) + lambda * log(s)) / s + 3e5 * (s - 1), side, side, 0, 0, 0}, 1e-8);
    sn_world_destroy(world);
}

// d psi/dt = J sigma : D for every material: sigma by its energy's differences, along two motions.
static void test_power_of_every_material(void** state)
{
    (void)state;
    const double f[9] = {1.2, 0.1, 0, -0.2, 0.9, 0.05, 0.1, 0, 1.1}, step = 1e-5;
    const char* const materials[] = {"neo-hookean", "stvk", "corotated", "arap", "mooney-rivlin", "stable-neo-hookean"};
    for (int m = 0; m < 6; m++) {
        double energies[2], stress[8 * 48 * 6];
        for (int side = 0; side < 2; side++) {
            double moved[9];
            for (int r = 0; r < 3; r++) // (1 +- step L) F with L = e_x e_y^T + 0.5 e_z e_z^T
                for (int c = 0; c < 3; c++)
                    moved[3 * r + c] = f[3 * r + c] + (side ? step : -step) * (r == 0   ? f[3 + c]
                                                                               : r == 2 ? 0.5 * f[6 + c]
                                                                                        : 0);
            SnWorld* world = make_solid(materials[m], moved);
            double all[6 * 8];
            check_ok(sn_world_field(world, "energy-density", SN_FIELD_ELEMENTS, all));
            energies[side] = all[0];
            sn_world_destroy(world);
        }
        SnWorld* world = make_solid(materials[m], f);
        check_ok(sn_world_field(world, "stress", SN_FIELD_ELEMENTS, stress));
        double j;
        double ratios[6 * 8];
        check_ok(sn_world_field(world, "volume-ratio", SN_FIELD_ELEMENTS, ratios));
        j = ratios[0];
        double power = (energies[1] - energies[0]) / (2 * step), wanted = j * (stress[3] + 0.5 * stress[2]);
        if (!(fabs(power - wanted) <= 1e-5 * fabs(wanted) + 1e-3))
            fail_msg("%s: the energy grows by %g, the stress does %g", materials[m], power, wanted);
        sn_world_destroy(world);
    }
}

// A sheet has stresses in its plane, a rope along itself; thickness and section are those at rest.
static void test_sheets_and_ropes(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMesh* mesh;
    SnMaterial material = sn_material("stvk", YOUNG, POISSON, 1000);
    material.thickness = 2e-3;
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){3, 3}, &mesh));
    add_body(world, mesh, material, NULL, NULL);
    deform(world, (double[]){1.1, 0, 0, 0, 1, 0, 0, 0, 1});
    double e = 0.5 * (1.1 * 1.1 - 1),
           plane = YOUNG / (1 - POISSON * POISSON); // S = plane (e, nu e), sigma = F S F^T / J
    check_field(world, "stress", 6, (double[]){plane * e * 1.1, 0, plane * POISSON * e / 1.1, 0, 0, 0}, 1e-8);
    check_field(world, "volume-ratio", 1, &(double){1.1}, 1e-13);
    check_field(world, "principal-stretch", 3, (double[]){1.1, 1, 1}, 1e-13);
    sn_world_destroy(world);
    world = make_world(sn_default_world_def());
    check_ok(sn_mesh_make_rope(1, 5, &mesh));
    material = sn_material("spring", YOUNG, 0, 1000);
    material.thickness = 1e-2;
    add_body(world, mesh, material, NULL, NULL);
    deform(world, (double[]){1.2, 0, 0, 0, 1.2, 0, 0, 0, 1.2});
    check_field(world, "von-mises", 1, &(double){YOUNG * 0.2}, 1e-8);
    check_field(world, "volume-ratio", 1, &(double){1.2}, 1e-13);
    sn_world_destroy(world);
}

// A bar that gets longer at 2 1/s and thinner at 1: sqrt(2/3 (4 + 1 + 1)) = 2.
static void test_strain_rate(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnMesh* mesh = make_box(1, 1, 1, 2, 2, 2);
    double* v = calloc(3 * (size_t)mesh->node_count, sizeof *v);
    for (int k = 0; k < 3 * mesh->node_count; k++) v[k] = (k % 3 == 0 ? 2 : -1) * mesh->nodes[k];
    add_body(world, mesh, sn_material("neo-hookean", YOUNG, POISSON, 1000), NULL, v);
    check_field(world, "strain-rate", 1, &(double){2}, 1e-13);
    check_field(world, "stress", 6, (double[6]){0}, 1e-8);
    free(v);
    sn_world_destroy(world);
}

// A block that rests on the floor presses on it with its weight, evenly to some part.
static void test_contact_pressure(void** state)
{
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.05;
    SnWorld* world = make_world(def);
    add_body(world, make_box(1, 0.5, 1, 4, 2, 4), sn_material("neo-hookean", 1e6, 0, 1000), NULL, NULL);
    SnObstacleDef floor = sn_default_obstacle_def();
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    SnStepReport report;
    for (int i = 0; i < 60; i++) check_ok(sn_world_step(world, &report));
    int count = sn_world_node_count(world), below = 0;
    double* p = calloc((size_t)count, sizeof *p);
    check_ok(sn_world_field(world, "contact-pressure", SN_FIELD_NODES, p));
    for (int i = 0; i < count; i++) {
        bool bottom = sn_world_positions(world)[3 * i + 1] < 0.1;
        below += bottom && p[i] > 0;
        if (!bottom) check_near(p[i], 0, 0);
        // A corner has a quarter of the floor's face, and a half or so of that on the sides.
        if (p[i] > 0) check(p[i] > 0.1 * 4905 && p[i] < 1.5 * 4905);
    }
    check(below == 25);
    free(p);
    sn_world_destroy(world);
}

static double elastic_energy(SnWorld* world, const double* x)
{
    SnStepReport report;
    check_ok(sn_world_set_positions(world, x));
    check_ok(sn_world_measure(world, &report));
    return report.energy.elastic;
}

// Forces of elements are minus the slope of their energy, by differences of that; whatever damps is not in them.
static void test_elastic_force(void** state)
{
    (void)state;
    SnWorld* world = make_world(sn_default_world_def());
    SnBodyDef def = sn_default_body_def();
    SnDampingDef damping = sn_default_damping_def("rayleigh");
    def.mesh = make_box(1, 0.5, 0.5, 2, 1, 1);
    def.material = sn_material("neo-hookean", YOUNG, POISSON, 1000);
    def.damping = &damping, def.damping_count = 1;
    check_ok(sn_world_add_body(world, &def, NULL));
    sn_mesh_destroy((SnMesh*)def.mesh);
    check_ok(sn_world_step(world, NULL));
    int n = 3 * sn_world_node_count(world);
    double *x = calloc((size_t)n, sizeof *x), *f = calloc((size_t)n, sizeof *f), sum[3] = {0}, most = 0;
    SnRandom random = {3};
    for (int k = 0; k < n; k++) x[k] = sn_world_positions(world)[k] + sn_random_uniform(&random, -0.05, 0.05);
    check_ok(sn_world_set_positions(world, x));
    check_ok(sn_world_field(world, "elastic-force", SN_FIELD_NODES, f));
    for (int k = 0; k < n; k++) sum[k % 3] += f[k], most = fmax(most, fabs(f[k]));
    for (int k = 0; k < n; k++) {
        double at = x[k], h = 1e-6, low, high;
        x[k] = at - h, low = elastic_energy(world, x);
        x[k] = at + h, high = elastic_energy(world, x);
        x[k] = at;
        check_near(f[k], -(high - low) / (2 * h), 1e-6 * most);
    }
    for (int a = 0; a < 3; a++) check_near(sum[a], 0, 1e-10 * most);
    check(most > 1);
    free(x), free(f);
    sn_world_destroy(world);
}

static void test_refused(void** state)
{
    (void)state;
    SnWorld* world = make_solid("neo-hookean", (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    double* values = calloc(6 * (size_t)sn_world_element_count(world), sizeof *values);
    SnFieldInfo info;
    check_fails(sn_world_field(world, "von-misses", SN_FIELD_NODES, values), SN_ERROR_VALUE, "von-misses", "von-mises");
    check_fails(sn_world_field(world, "velocity", SN_FIELD_ELEMENTS, values), SN_ERROR_VALUE, "velocity", "of nodes");
    check_fails(sn_world_field(world, "stress", (SnFieldPlace)7, values), SN_ERROR_VALUE, "7", "nodes (1)");
    check_fails(sn_world_field(world, "stress", SN_FIELD_NODES, NULL), SN_ERROR_VALUE, "values", "NULL");
    check_fails(sn_world_field(world, NULL, SN_FIELD_NODES, values), SN_ERROR_VALUE, "name", "NULL");
    check_fails(sn_world_field(NULL, "stress", SN_FIELD_NODES, values), SN_ERROR_VALUE, "world", "NULL");
    check_fails(sn_field_at(99, &info), SN_ERROR_VALUE, "99", "field");
    check_fails(sn_field_named("sterss", &info), SN_ERROR_VALUE, "sterss", "stress");
    for (int i = 0; i < sn_field_count(); i++) {
        check_ok(sn_field_at(i, &info));
        check(info.components > 0 && info.components <= 6);
        check_ok(sn_field_named(info.name, &info));
    }
    free(values);
    sn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stretched_solid),  cmocka_unit_test(test_sheared_solid),
    cmocka_unit_test(test_fibers),           cmocka_unit_test(test_power_of_every_material),
    cmocka_unit_test(test_sheets_and_ropes), cmocka_unit_test(test_strain_rate),
    cmocka_unit_test(test_contact_pressure), cmocka_unit_test(test_elastic_force),
    cmocka_unit_test(test_refused),
};
RUN_TESTS(tests, NULL, NULL)
