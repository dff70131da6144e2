// Blocks and planes that touch.
#pragma once
#include "check.h"

#include <sinew/sinew.h>

#include "core/pi.h"
#include "world/report.h"

// Solvers that minimise: any of them goes with contacts.
static const char* const solvers[] = {"newton", "auto", "lbfgs", "dot", "chebyshev"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static inline SnWorldDef world_def(const char* solver, double step)
{
    SnWorldDef def = sn_default_world_def();
    def.solver.type = solver;
    def.solver.iterations = 200;
    def.time_step = step;
    def.contact.thickness = 1e-3;
    return def;
}

static inline void add_mesh(SnWorld* world, SnMesh* mesh, const double move[3], const double* velocity, double young)
{
    double *x = sn_mesh_nodes(mesh), *v = NULL;
    int n = sn_mesh_node_count(mesh);
    for (int i = 0; i < 3 * n; i++) x[i] += move[i % 3];
    if (velocity) assert_non_null(v = malloc(3 * (size_t)n * sizeof *v));
    for (int i = 0; i < 3 * n && v; i++) v[i] = velocity[i % 3];
    SnBodyDef body = sn_default_body_def();
    body.mesh = mesh;
    body.velocity = v;
    body.material = sn_material("neo-hookean", young, 0.3, 1000);
    check_ok(sn_world_add_body(world, &body, NULL));
    free(v);
    sn_mesh_destroy(mesh);
}

static inline void add_box(SnWorld* world, const double size[3], const int cells[3], const double move[3],
                           const double* velocity, double young)
{
    SnMesh* mesh;
    check_ok(sn_mesh_make_box(size, cells, &mesh));
    add_mesh(world, mesh, move, velocity, young);
}

static inline SnObstacleDef plane(double nx, double ny, double nz, double offset, double friction)
{
    SnObstacleDef def = sn_default_obstacle_def();
    const double normal[3] = {nx, ny, nz};
    for (int c = 0; c < 3; c++) def.shape.normal[c] = normal[c], def.shape.point[c] = offset * normal[c];
    def.friction = friction;
    return def;
}

static inline double mean(const double* values, int count, int axis)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[3 * i + axis] / count;
    return sum;
}

// A step that meets its rule and leaves no node deeper than the tolerance.
static inline SnStepReport step(SnWorld* world)
{
    SnStepReport report;
    check_ok(sn_world_step(world, &report));
    if (!sn_outcome_meets(report.outcome))
        fail_msg("step %d: %s, gradient %g of %g %s", (int)report.step, sn_outcome_name(report.outcome),
                 report.gradient, report.tolerance, report.detail);
    check(report.depth <= 1e-12);
    return report;
}

static inline SnWorld* two_blocks(const char* solver, const char* method, double friction, double h, double tolerance)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, h);
    def.solver.tolerance = tolerance;
    def.contact.method = method;
    def.gravity[1] = 0;
    def.contact.bodies = true;
    def.contact.friction = friction;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 2, 2}, (double[]){0, 0, 0}, (double[]){2, 0.5, 0}, 1e5);
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 3, 2}, (double[]){0.215, 0.03, 0.02}, (double[]){-1, 0, 0},
            1e5);
    return world;
}

static inline SnWorld* pile(int threads, const char* solver)
{
    SnWorld* world;
    SnWorldDef def = world_def(solver, 0.01);
    def.threads = threads;
    def.contact.bodies = true;
    def.contact.friction = 0.3;
    check_ok(sn_world_create(&def, &world));
    for (int i = 0; i < 4; i++)
        add_box(world, (double[]){0.2, 0.1, 0.2}, (int[]){2, 1, 2},
                (double[]){0.03 * (i % 2), 0.002 + 0.104 * i, 0.02 * (i % 3)}, NULL, 1e5);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.5);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    return world;
}

// A stiff block dropped on a floor: what the integrators of second order make of the impact.
typedef struct Drop {
    double rebound;  // m that it rises again
    double gain;     // J, the most that the total energy has risen in a step
    double kinetic;  // J, in the end
    double momentum; // N s, the most that the books of momentum were out
} Drop;

static inline Drop drop(const char* integrator, double restitution, double height, int steps)
{
    SnWorld* world;
    SnWorldDef def = world_def("newton", 0.01);
    def.integrator = integrator;
    def.contact.restitution = restitution;
    check_ok(sn_world_create(&def, &world));
    add_box(world, (double[]){0.2, 0.2, 0.2}, (int[]){2, 2, 2}, (double[]){0, 1e-3 + height, 0}, NULL, 1e7);
    SnObstacleDef floor = plane(0, 1, 0, 0, 0.3);
    check_ok(sn_world_add_obstacle(world, &floor, NULL));
    Drop d = {0};
    double low = INFINITY;
    SnStepReport report;
    check_ok(sn_world_measure(world, &report));
    double energy = report.energy.kinetic + report.energy.elastic + report.energy.gravity;
    for (int i = 0; i < steps; i++) {
        check_ok(sn_world_step(world, &report));
        double now = report.energy.kinetic + report.energy.elastic + report.energy.gravity;
        double y = mean(sn_world_positions(world), sn_world_node_count(world), 1);
        low = fmin(low, y);
        d.rebound = fmax(d.rebound, y - low);
        d.gain = fmax(d.gain, now - energy);
        d.momentum = fmax(d.momentum, fabs(report.momentum[1] - report.impulse[1]));
        energy = now;
    }
    d.kinetic = report.energy.kinetic;
    sn_world_destroy(world);
    return d;
}
