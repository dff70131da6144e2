// Strain limits of cloth, solids and ropes in projective solvers; their bits.
#include "check.h"

#include "mesh/mesh.h"
#include "solver/global.h"
#include "world/world.h"

// A flag held along one side, in a strong wind.
typedef struct Flag {
    SnWorld* world;
    SnMesh* mesh;
} Flag;

static Flag make_flag(const char* solver, SnLimits limits, int threads, bool warm)
{
    Flag f;
    SnWorldDef def = sn_default_world_def();
    def.gravity[0] = 60, def.gravity[2] = 4;
    def.threads = threads;
    def.solver.type = solver;
    def.solver.iterations = 4000;
    def.solver.tolerance = 1e-7;
    def.solver.warm_start = warm;
    check_ok(sn_world_create(&def, &f.world));
    check_ok(sn_mesh_make_cloth((double[]){1.2, 0.8}, (int[]){9, 6}, &f.mesh));
    SnBodyDef body = sn_default_body_def();
    body.mesh = f.mesh;
    body.material = sn_material("arap", 2e5, 0.3, 400);
    body.material.thickness = 1e-3;
    body.limits = limits;
    check_ok(sn_world_add_body(f.world, &body, NULL));
    int nodes[64], count = 0;
    for (int i = 0; i < f.mesh->node_count; i++)
        if (f.mesh->nodes[3 * i] < 1e-9) nodes[count++] = i;
    SnHandleDef handle = sn_default_handle_def();
    handle.nodes = nodes, handle.node_count = count;
    check_ok(sn_world_add_handle(f.world, &handle, NULL));
    return f;
}

static void free_flag(Flag* f)
{
    sn_world_destroy(f->world);
    sn_mesh_destroy(f->mesh);
}

// The least and the largest stretch of warp and weft: the sheet was made in the xz plane, triangles along its axes.
static void measure_stretch(const Flag* f, double* lo, double* hi)
{
    const double* x = sn_world_positions(f->world);
    *lo = INFINITY, *hi = 0;
    for (int t = 0; t < f->mesh->triangle_count; t++) {
        const int* n = f->mesh->triangles + 3 * t;
        double e[2][2], g[2][3];
        for (int k = 0; k < 2; k++) {
            for (int c = 0; c < 3; c++) g[k][c] = x[3 * n[k + 1] + c] - x[3 * n[0] + c];
            e[k][0] = f->mesh->nodes[3 * n[k + 1]] - f->mesh->nodes[3 * n[0]];
            e[k][1] = f->mesh->nodes[3 * n[k + 1] + 2] - f->mesh->nodes[3 * n[0] + 2];
        }
        double det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        for (int axis = 0; axis < 2; axis++) {
            double a = (axis == 0 ? e[1][1] : -e[1][0]) / det, b = (axis == 0 ? -e[0][1] : e[0][0]) / det, square = 0;
            for (int c = 0; c < 3; c++) square += (a * g[0][c] + b * g[1][c]) * (a * g[0][c] + b * g[1][c]);
            *lo = fmin(*lo, sqrt(square)), *hi = fmax(*hi, sqrt(square));
        }
    }
}

static void test_flag_stays_within_its_limits(void** state)
{
    (void)state;
    double lo, hi, most[3];
    const char* solvers[] = {"admm", "pd", "admm"};
    for (int k = 0; k < 3; k++) {
        SnLimits limits = {.lo = 0.9, .hi = k < 2 ? 1.03 : INFINITY, .mode = SN_LIMIT_WARP_WEFT};
        Flag f = make_flag(solvers[k], limits, 1, false);
        most[k] = 0;
        for (int i = 0; i < 25; i++) {
            SnStepReport report;
            check_ok(sn_world_step(f.world, &report));
            if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: step %d: %s", solvers[k], i, report.detail);
            measure_stretch(&f, &lo, &hi);
            most[k] = fmax(most[k], hi);
            if (k == 0) check(lo > 0.9 - 1e-4 && hi < 1.03 + 1e-4);
        }
        free_flag(&f);
    }
    check(most[1] > 1.03 + 1e-3); // a stiff energy gives way
    check(most[2] > 1.1);         // what the cloth would do by itself
}

static void test_limits_of_solids_and_ropes(void** state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { // solid, rope, rod
        SnWorldDef def = sn_default_world_def();
        SnWorld* world;
        SnMesh* mesh;
        def.solver.type = "admm", def.solver.iterations = 20000, def.solver.tolerance = 1e-7;
        check_ok(sn_world_create(&def, &world));
        if (kind == 0)
            check_ok(sn_mesh_make_box((double[]){1, 0.25, 0.25}, (int[]){8, 2, 2}, &mesh));
        else
            check_ok(sn_mesh_make_rope(1, 10, &mesh));
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh;
        body.material = sn_material(kind == 0 ? "corotated" : "spring", kind == 0 ? 2e3 : 1e3, 0.3, 1000);
        body.material.thickness = 0.02;
        body.limits = (SnLimits){.lo = kind == 0 ? 0.8 : kind == 1 ? 0 : 1, .hi = kind == 0 ? 1.1 : 1};
        check_ok(sn_world_add_body(world, &body, NULL));
        int nodes[64], count = 0;
        for (int i = 0; i < mesh->node_count; i++)
            if (mesh->nodes[3 * i] < 1e-9) nodes[count++] = i;
        SnHandleDef handle = sn_default_handle_def();
        handle.nodes = nodes, handle.node_count = count;
        check_ok(sn_world_add_handle(world, &handle, NULL));
        double lo = INFINITY, hi = 0;
        for (int i = 0; i < 7; i++) {
            SnStepReport report;
            check_ok(sn_world_step(world, &report));
            if (report.outcome != SN_OUTCOME_CONVERGED) fail_msg("%d: step %d: %s", kind, i, report.detail);
            const double* x = sn_world_positions(world);
            for (int e = 0; e < mesh->edge_count; e++) {
                double now = 0, rest = 0;
                for (int c = 0; c < 3; c++) {
                    int a = 3 * mesh->edges[2 * e] + c, b = 3 * mesh->edges[2 * e + 1] + c;
                    now += (x[b] - x[a]) * (x[b] - x[a]);
                    rest += (mesh->nodes[b] - mesh->nodes[a]) * (mesh->nodes[b] - mesh->nodes[a]);
                }
                lo = fmin(lo, sqrt(now / rest)), hi = fmax(hi, sqrt(now / rest));
            }
            for (int t = 0; t < 4 * mesh->tetrahedron_count; t++) { // an edge is stretched between s3 and s1
                double now = 0, rest = 0;
                for (int c = 0; c < 3; c++) {
                    int a = 3 * mesh->tetrahedra[t] + c, b = 3 * mesh->tetrahedra[t / 4 * 4 + (t + 1) % 4] + c;
                    now += (x[b] - x[a]) * (x[b] - x[a]);
                    rest += (mesh->nodes[b] - mesh->nodes[a]) * (mesh->nodes[b] - mesh->nodes[a]);
                }
                lo = fmin(lo, sqrt(now / rest)), hi = fmax(hi, sqrt(now / rest));
            }
        }
        if (kind == 0) check(lo > 0.8 - 1e-4 && hi < 1.1 + 1e-4 && hi > 1.09);
        if (kind == 1) check(hi < 1 + 1e-4);
        if (kind == 2) check(lo > 1 - 1e-4 && hi < 1 + 1e-4);
        sn_mesh_destroy(mesh);
        sn_world_destroy(world);
    }
}

static void test_same_bits_any_threads(void** state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads < 4; threads++) {
        Flag f = make_flag("admm", (SnLimits){.lo = 0.9, .hi = 1.05}, threads, true);
        for (int i = 0; i < 3; i++) check_ok(sn_world_step(f.world, NULL));
        if (threads == 1) hash = sn_world_hash(f.world);
        check(sn_world_hash(f.world) == hash);
        free_flag(&f);
    }
    SnMesh* mesh;
    for (int k = 0; k < 2; k++) {
        for (int threads = 1; threads < 4; threads++) {
            SnWorldDef def = sn_default_world_def();
            SnWorld* world;
            def.threads = threads;
            def.solver = (SnSolverDef){
                .type = k ? "pd" : "admm", .iterations = 8, .armijo = 0.3, .relaxation = 1, .anderson = 3};
            check_ok(sn_world_create(&def, &world));
            check_ok(sn_mesh_make_box((double[]){3, 1, 1}, (int[]){24, 8, 8}, &mesh));
            SnBodyDef body = sn_default_body_def();
            body.mesh = mesh;
            check_ok(sn_world_add_body(world, &body, NULL));
            for (int i = 0; i < 3; i++) check_ok(sn_world_step(world, NULL));
            if (threads == 1) hash = sn_world_hash(world);
            check(sn_world_hash(world) == hash);
            sn_world_destroy(world);
            sn_mesh_destroy(mesh);
        }
    }
}

static void test_warm_start_resumes_to_the_bit(void** state)
{
    (void)state;
    SnLimits limits = {.lo = 0.9, .hi = 1.05};
    Flag a = make_flag("admm", limits, 1, true), b = make_flag("admm", limits, 2, true);
    a.world->model.def.solver.iterations = b.world->model.def.solver.iterations = 10;
    for (int i = 0; i < 4; i++) check_ok(sn_world_step(a.world, NULL));
    size_t size = sn_world_state_size(a.world);
    void* bytes = malloc(size);
    check_ok(sn_world_save_state(a.world, bytes, size));
    check_ok(sn_world_restore_state(b.world, bytes, size));
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(a.world, NULL));
    for (int i = 0; i < 3; i++) check_ok(sn_world_step(b.world, NULL));
    check(sn_world_hash(a.world) == sn_world_hash(b.world));
    free(bytes);
    free_flag(&a), free_flag(&b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_flag_stays_within_its_limits),
    cmocka_unit_test(test_limits_of_solids_and_ropes),
    cmocka_unit_test(test_same_bits_any_threads),
    cmocka_unit_test(test_warm_start_resumes_to_the_bit),
};
RUN_TESTS(tests, NULL, NULL)
