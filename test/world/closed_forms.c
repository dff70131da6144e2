// Lame's thick sphere under pressure, and Hertz's contact of a ball with a half-space, against their closed forms.
#include "bodies.h"
#include "check_world.h"
#include "core/pi.h"
#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "world/world.h"

static SnWorldDef equilibrium(void)
{
    SnWorldDef def = sn_default_world_def();
    def.integrator = "static";
    def.gravity[1] = 0;
    def.solver.type = "newton";
    def.solver.tolerance = 1e-8, def.solver.iterations = 1000;
    def.contact.bodies = false;
    return def;
}

// Rollers on the plane where a coordinate has a value.
static void add_roller(SnWorld* world, const SnMesh* mesh, int axis, double value)
{
    int *nodes = calloc((size_t)mesh->node_count, sizeof *nodes), count = 0;
    for (int i = 0; i < mesh->node_count; i++)
        if (fabs(mesh->nodes[3 * i + axis] - value) < 1e-9) nodes[count++] = i;
    SnHandleDef hold = sn_default_handle_def();
    hold.nodes = nodes, hold.node_count = count, hold.axis_count = 1;
    hold.axes[axis] = 1;
    check_ok(sn_world_add_handle(world, &hold, NULL));
    free(nodes);
}

// --- Lame ---

#define INNER 0.5
#define YOUNG 1e6

// An eighth of a hollow ball of radii 0.5 and 1: a cube without the one inside it, each point at the radius that is the
// largest of its coordinates. Raised first, so that the edges of ten-node tetrahedra are curved.
static SnMesh* make_hollow(SnElement element, int n)
{
    SnMesh *mesh = make_box(1, 1, 1, n, n, n), *raised;
    int kept = 0;
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        const int* v = mesh->tetrahedra + 4 * t;
        double centre[3] = {0}, most = 0;
        for (int k = 0; k < 12; k++) centre[k % 3] += mesh->nodes[3 * v[k / 3] + k % 3] / 4;
        for (int c = 0; c < 3; c++) most = fmax(most, centre[c]);
        if (most > INNER) memmove(mesh->tetrahedra + 4 * kept++, v, 4 * sizeof *v);
    }
    mesh->tetrahedron_count = kept;
    if (element == SN_ELEMENT_QUADRATIC) {
        check_ok(sn_mesh_raise(mesh, &raised));
        sn_mesh_destroy(mesh);
        mesh = raised;
    }
    for (int i = 0; i < mesh->node_count; i++) {
        double *x = mesh->nodes + 3 * i, radius = fmax(x[0], fmax(x[1], x[2])), length = sn_length3(x);
        for (int c = 0; c < 3 && length > 0; c++) x[c] *= radius / length;
    }
    return mesh;
}

static double lame(double r, double pressure, double poisson)
{
    double a3 = INNER * INNER * INNER;
    return pressure * a3 / (1 - a3) * ((1 - 2 * poisson) / YOUNG * r + (1 + poisson) / (2 * YOUNG * r * r));
}

static double radial_stress(double r, double pressure)
{
    double a3 = INNER * INNER * INNER;
    return pressure * a3 / (1 - a3) * (1 - 1 / (r * r * r));
}

// Errors of the displacement at both surfaces, and of the radial stress by the pressure, in the mean.
static void press_inside(SnElement element, int n, double poisson, double* displacement, double* stress)
{
    const double pressure = 1e-5 * YOUNG;
    SnWorld* world = make_world(equilibrium());
    SnMesh* mesh = make_hollow(element, n);
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh, body.element = element, body.material = sn_material("neo-hookean", YOUNG, poisson, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    for (int axis = 0; axis < 3; axis++) add_roller(world, mesh, axis, 0);
    int *nodes = calloc((size_t)mesh->node_count, sizeof *nodes), count = 0;
    for (int i = 0; i < mesh->node_count; i++)
        if (fabs(sn_length3(mesh->nodes + 3 * i) - INNER) < 1e-6) nodes[count++] = i;
    SnLoadDef load = sn_default_load_def("pressure");
    load.nodes = nodes, load.node_count = count, load.pressure = pressure;
    check_ok(sn_world_add_load(world, &load, NULL));
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    check(report.outcome == SN_OUTCOME_CONVERGED);
    int on = 0;
    double off = 0, *s = calloc(6 * (size_t)world->model.element_count, sizeof *s);
    for (int i = 0; i < mesh->node_count; i++) {
        double r = sn_length3(mesh->nodes + 3 * i), now = sn_length3(world->state.x + 3 * i);
        if (fabs(r - INNER) > 1e-6 && fabs(r - 1) > 1e-6) continue;
        off += fabs((now - r) / lame(r, pressure, poisson) - 1), on++;
    }
    *displacement = off / on, *stress = 0;
    check_ok(sn_world_field(world, "stress", SN_FIELD_ELEMENTS, s));
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        double x[3] = {0};
        for (int k = 0; k < 12; k++) x[k % 3] += mesh->nodes[3 * mesh->tetrahedra[4 * t + k / 3] + k % 3] / 4;
        double r = sn_length3(x), *e = s + 6 * t;
        double is = (e[0] * x[0] * x[0] + e[1] * x[1] * x[1] + e[2] * x[2] * x[2] +
                     2 * (e[3] * x[0] * x[1] + e[4] * x[1] * x[2] + e[5] * x[0] * x[2])) /
                    (r * r);
        *stress += fabs(is - radial_stress(r, pressure)) / pressure / mesh->tetrahedron_count;
    }
    free(nodes), free(s);
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
}

// Eight linear tetrahedra along the radius are within a twentieth, four ten-node ones within a thirtieth; near
// incompressibility clusters halve what is off.
static void test_thick_sphere(void** state)
{
    (void)state;
    const struct {
        SnElement element;
        int n;
        double poisson, displacement, stress; // what is allowed
    } rows[] = {
        {SN_ELEMENT_LINEAR, 4, 0.3, 0.18, 0.07},        {SN_ELEMENT_LINEAR, 8, 0.3, 0.055, 0.035},
        {SN_ELEMENT_LINEAR_BBAR, 8, 0.49, 0.07, 0.055}, {SN_ELEMENT_QUADRATIC, 4, 0.3, 0.03, 0.035},
        {SN_ELEMENT_QUADRATIC, 4, 0.49, 0.035, 0.05},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double d, s;
        press_inside(rows[k].element, rows[k].n, rows[k].poisson, &d, &s);
        check_near(d, 0, rows[k].displacement);
        check_near(s, 0, rows[k].stress);
    }
}

// --- Hertz ---

#define BALL 1.0
#define WIDE 1.0 // the block's sides, ten times the radius of the contact
#define DEPTH 0.01

// A quarter of a block under y = 0, fine where x and z are small and y is near 0.
static SnMesh* make_graded(int n)
{
    SnMesh* mesh = make_box(WIDE, WIDE, WIDE, n, n, n);
    for (int i = 0; i < mesh->node_count; i++) {
        double* x = mesh->nodes + 3 * i;
        x[0] = x[0] * x[0], x[2] = x[2] * x[2], x[1] = -(1 - x[1]) * (1 - x[1]);
    }
    return mesh;
}

// A ball pressed in by half of DEPTH, and by all of it; the force of the whole.
static void indent(SnWorld* world, const SnMesh* mesh, double poisson, double force[2])
{
    SnBodyDef body = sn_default_body_def();
    SnObstacleDef ball = sn_default_obstacle_def();
    body.mesh = mesh, body.material = sn_material("neo-hookean", YOUNG, poisson, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    add_roller(world, mesh, 0, 0), add_roller(world, mesh, 2, 0), add_roller(world, mesh, 1, -WIDE);
    ball.shape = sn_obstacle("sphere");
    ball.shape.radius = BALL, ball.shape.point[1] = BALL + 1e-5;
    ball.motion.velocity[1] = -DEPTH / 2 / sn_default_world_def().time_step;
    check_ok(sn_world_add_obstacle(world, &ball, NULL));
    for (int i = 0; i < 2; i++) {
        SnStepReport report;
        SnWrench wrench;
        check_ok(sn_world_step(world, &report));
        check(report.outcome == SN_OUTCOME_CONVERGED);
        check_ok(sn_world_obstacle_force(world, 0, &wrench));
        force[i] = -4 * wrench.force[1];
    }
}

// The root mean square of what the pressure is off, by that in the middle; nodes on the planes of symmetry have area on
// these, too.
static double profile_error(SnWorld* world, const SnMesh* mesh, double force)
{
    double a = sqrt(BALL * DEPTH), p0 = 1.5 * force / (SN_PI * a * a), squares = 0;
    double* p = calloc((size_t)mesh->node_count, sizeof *p);
    int count = 0;
    check_ok(sn_world_field(world, "contact-pressure", SN_FIELD_NODES, p));
    for (int i = 0; i < mesh->node_count; i++) {
        const double* X = mesh->nodes + 3 * i;
        double r = hypot(X[0], X[2]) / a;
        if (X[1] < -1e-9 || r > 1.5 || X[0] < 1e-9 || X[2] < 1e-9) continue;
        double off = p[i] / p0 - (r < 1 ? sqrt(1 - r * r) : 0);
        squares += off * off, count++;
    }
    free(p);
    check(count >= 6);
    return sqrt(squares / count);
}

// F = 4/3 E* sqrt R d^1.5, p = p0 sqrt(1 - r^2/a^2), a^2 = R d, p0 = 3 F/(2 pi a^2). The mesh has three and four
// elements across the contact's radius, and ends ten of these away, which makes it stiffer.
static void test_hertz(void** state)
{
    (void)state;
    const double poisson = 0.3, expected = 4.0 / 3 * YOUNG / (1 - poisson * poisson) * sqrt(BALL) * pow(DEPTH, 1.5);
    const struct {
        int n;
        double force, profile; // what is allowed
    } rows[] = {{8, 0.3, 0.12}, {12, 0.15, 0.1}};
    for (int k = 0; k < 2; k++) {
        SnWorldDef def = equilibrium();
        def.contact.thickness = 1e-5;
        SnWorld* world = make_world(def);
        SnMesh* mesh = make_graded(rows[k].n);
        double force[2];
        indent(world, mesh, poisson, force);
        check_near(force[1] / expected, 1, rows[k].force);
        check_near(log2(force[1] / force[0]), 1.5, 0.15);
        check_near(profile_error(world, mesh, force[1]), 0, rows[k].profile);
        sn_world_destroy(world);
        sn_mesh_destroy(mesh);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_thick_sphere),
    cmocka_unit_test(test_hertz),
};
RUN_TESTS(tests, NULL, NULL)
