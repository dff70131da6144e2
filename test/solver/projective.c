// Projective solvers: equivalences, the minimum that Newton finds.
#include "box.h"
#include "material/material.h"
#include "potential/local.h"

// Flat hinges alone: their manifold is the point z = 0. Then z - u is the projection, and u drops out.
static void test_admm_is_pd_on_affine_manifolds(void** state)
{
    (void)state;
    for (int count = 1; count < 8; count++) {
        Problem* problems[2];
        for (int k = 0; k < 2; k++) {
            SnMesh* mesh;
            check_ok(sn_mesh_make_cloth((double[]){3, 1}, (int[]){6, 1}, &mesh));
            problems[k] = start_problem(mesh, 1);
            int hinges[4 * 5];
            for (int h = 0; h < 5; h++) { // any four nodes that make two triangles will do
                const int* t = mesh->triangles + 3 * (2 * h);
                const int* u = mesh->triangles + 3 * (2 * h + 1);
                int shared[2] = {0}, others[2] = {0}, s = 0;
                for (int i = 0; i < 3; i++) {
                    bool both = t[i] == u[0] || t[i] == u[1] || t[i] == u[2];
                    if (both)
                        shared[s++] = t[i];
                    else
                        others[0] = t[i];
                    if (u[i] != t[0] && u[i] != t[1] && u[i] != t[2]) others[1] = u[i];
                }
                check(s == 2);
                memcpy(hinges + 4 * h, (int[]){shared[0], shared[1], others[0], others[1]}, 4 * sizeof *hinges);
            }
            SnMaterialParameters stiffness = {.mu = 7};
            check_ok(sn_potential_add(problems[k]->potential, &(SnTermsDef){.term = sn_term_find("hinge"),
                                                                            .material = sn_material_find("spring"),
                                                                            .count = 5,
                                                                            .elements = hinges,
                                                                            .parameters = &stiffness,
                                                                            .name = "cloth"}));
            finish_problem(problems[k], 3);
            run_solver(problems[k], k == 0 ? "pd" : "admm", sn_default_solver_def(), count, 0);
            check(problems[k]->search->iterations == count);
        }
        for (int i = 0; i < 3 * problems[0]->mesh->node_count; i++)
            check_near(problems[0]->search->x[i], problems[1]->search->x[i], 1e-13);
        free_problem(problems[0]), free_problem(problems[1]);
    }
}

// The same iterates, to rounding, as quasi-Newton without history.
static void test_pd_is_quasi_newton_without_history(void** state)
{
    (void)state;
    Problem *a = solid_problem("arap", 900, 1), *b = solid_problem("arap", 900, 1);
    SnSolverDef def = sn_default_solver_def();
    def.history = 0, def.initial = "laplacian";
    run_solver(a, "pd", def, 6, 0);
    run_solver(b, "lbfgs", def, 6, 0);
    for (int i = 0; i < 3 * a->mesh->node_count; i++) check_near(a->search->x[i], b->search->x[i], 1e-12);
    free_problem(a), free_problem(b);
}

// z of the local step is the projection of D x, u = 0, for PD's own material: r is then minus the gradient.
static void test_local_step_of_arap(void** state)
{
    (void)state;
    Problem* p = solid_problem("arap", 0, 2);
    int n = 3 * p->mesh->node_count;
    SnLocal* local;
    double *r = calloc((size_t)n, sizeof *r), *g = calloc((size_t)n, sizeof *g);
    check_ok(sn_local_create(p->potential, 1, false, &local));
    sn_local_start(local, false);
    sn_local_step(local, p->search->x, r);
    sn_potential_gradient(p->potential, p->search->x, g);
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(g[i]));
    // z = (k p + w^2 y)/(k + w^2), u = y - z: w^2 (z - u - y) = 2 w^2/(k + w^2) k (p - y)
    SnTermPack pack = sn_potential_pack(&p->potential->groups[0], 0);
    double k = 2 * pack.parameters.mu[0] * pack.volume[0], w2 = local->weight[0];
    check(w2 > 0 && w2 < k);
    for (int i = 0; i < n; i++) check_near(r[i], -2 * w2 / (k + w2) * g[i], 1e-10 * size);
    sn_local_destroy(local);
    free(r), free(g);
    free_problem(p);
}

typedef struct Option {
    double relaxation;
    int anderson;
    double weight;
} Option;

// Whatever the options and the weights, the limit is Newton's; on the way there they differ.
static void test_options_have_one_limit(void** state)
{
    (void)state;
    const Option options[] = {{1, 0, 1}, {1, 0, 0.5}, {1, 0, 2}, {1.6, 0, 1}, {1, 5, 1}, {1.5, 3, 0.7}};
    const char* materials[] = {"neo-hookean", "arap", "stvk"};
    for (int m = 0; m < 3; m++) {
        Problem* newton = solid_problem(materials[m], 900, 1);
        double tolerance = 1e-9 * sn_potential_characteristic_force(newton->potential);
        run_solver(newton, "newton", sn_default_solver_def(), 100, tolerance);
        check(newton->search->outcome == SN_OUTCOME_CONVERGED);
        double after_five = 0;
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            for (int few = 0; few < 2; few++) {
                Problem* p = solid_problem(materials[m], 900, 1);
                SnSolverDef def = sn_default_solver_def();
                def.relaxation = options[k].relaxation, def.anderson = options[k].anderson;
                p->potential->groups[0].weight = options[k].weight;
                run_solver(p, "admm", def, few ? 5 : 5000, few ? 0 : tolerance);
                check(few || p->search->outcome == SN_OUTCOME_CONVERGED);
                for (int i = 0; i < 3 * p->mesh->node_count && !few; i++)
                    check_near(p->search->x[i], newton->search->x[i], 1e-7);
                if (few && k == 0) after_five = p->search->value.total;
                if (few && k > 0) check(fabs(p->search->value.total - after_five) > 1e-9 * fabs(after_five));
                free_problem(p);
            }
        }
        free_problem(newton);
    }
}

static void test_residuals_stop_it(void** state)
{
    (void)state;
    int last = 0;
    double gradient = INFINITY;
    for (double residual = 1e-2; residual > 1e-9; residual *= 1e-2) {
        Problem* p = solid_problem("neo-hookean", 900, 1);
        SnSolverDef def = sn_default_solver_def();
        def.residual = residual;
        run_solver(p, "admm", def, 5000, 0);
        check(p->search->outcome == SN_OUTCOME_CONVERGED);
        check(p->search->iterations > last && p->search->norm < 0.2 * gradient);
        last = p->search->iterations, gradient = p->search->norm;
        free_problem(p);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_admm_is_pd_on_affine_manifolds),
    cmocka_unit_test(test_pd_is_quasi_newton_without_history),
    cmocka_unit_test(test_local_step_of_arap),
    cmocka_unit_test(test_options_have_one_limit),
    cmocka_unit_test(test_residuals_stop_it),
};
RUN_TESTS(tests, NULL, NULL)
