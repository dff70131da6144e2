// Solvers: the same minimiser for every row of the table, Newton's quadratic convergence, feasible iterates, stalls.
#include "bar.h"
#include "core/random.h"
#include "solver/initial.h"

static void run(Problem* p, const SnSolverType* type)
{
    run_with(p, type, solver_def());
}

// A lower energy cannot be found near the minimiser, and the gradient vanishes there.
static void check_minimum(Problem* p)
{
    SnSearch* s = p->search;
    SnRandom random = {11};
    for (int trial = 0; trial < 50; trial++) {
        for (int i = 0; i < s->objective->nodes.count; i++)
            for (int c = 0; c < 3; c++)
                s->trial[3 * i + c] =
                    s->x[3 * i + c] + (p->free_index[i] < 0 ? 0 : sn_random_uniform(&random, -1e-4, 1e-4));
        check(sn_objective_value(s->objective, s->trial).total > s->value.total);
    }
}

// Every solver, every initial inverse of those that take one, every line search: one minimiser.
static void check_solver(const SnSolverType* type, SnSolverDef def, const char* material, bool dynamic,
                         double* reference)
{
    Problem* p = make_problem(material, SN_INVERSION_EXTEND, dynamic ? 900 : 0, dynamic ? 3e5 : 400);
    run_with(p, type, def);
    if (p->search->outcome != SN_OUTCOME_CONVERGED)
        fail_msg("%s/%s on %s: %s after %d", type->name, def.initial, material, p->search->detail,
                 p->search->iterations);
    check(p->search->norm <= p->search->tolerance);
    if (reference[0] == 0) {
        check_minimum(p);
        memcpy(reference, p->search->x, 3 * (size_t)p->objective.nodes.count * sizeof *reference);
    }
    for (int i = 0; i < 3 * p->objective.nodes.count; i++) check_near(p->search->x[i], reference[i], 1e-8);
    free_problem(p);
}

static void test_all_solvers_find_the_minimum(void** state)
{
    (void)state;
    const char *materials[] = {"neo-hookean", "corotated", "stvk"}, *searches[] = {"armijo", "wolfe", "dot"};
    for (int m = 0; m < 3; m++)
        for (int dynamic = 0; dynamic < 2; dynamic++) {
            double reference[3 * 100] = {0};
            for (int t = 0; t < sn_solver_count(); t++)
                for (int i = 0; i < sn_initial_count(); i++) {
                    const SnSolverType* type = sn_solver_at(t);
                    SnSolverDef def = solver_def();
                    def.initial = sn_initial_at(i)->name;
                    def.line_search = searches[(t + i) % 3];
                    def.subdomains = 2;
                    def.linear = i % 3 ? "pcg" : "cholesky";
                    def.preconditioner = i % 3 == 2 ? "block-jacobi" : "ichol";
                    def.symmetric_blend = i % 2 == 1, def.disjoint = m == 1;
                    bool takes_initial = strcmp(type->name, "lbfgs") == 0, newton = strcmp(type->name, "newton") == 0;
                    bool dot = strcmp(type->name, "dot") == 0;
                    if (takes_initial || i == 0 || (newton && i < 3) || (dot && i == 1))
                        check_solver(type, def, materials[m], dynamic, reference);
                }
        }
}

// Bodies that start as a point or as a heap of random nodes find their shape again: with arap from anywhere; with
// neo-Hookean, whose heaps have minima of their own, from a point and from half a cell's disorder.
static void test_bad_starts_recover(void** state)
{
    (void)state;
    const struct {
        const char* material;
        double spread, jitter; // of the rest shape, and random on top, m (cells are of 0.5 m)
    } starts[] = {
        {"arap", 0, 0}, {"arap", 0, 2}, {"corotated", 0, 0.01}, {"neo-hookean", 0, 0}, {"neo-hookean", 1, 0.25}};
    const char* solvers[] = {"auto", "newton", "lbfgs"};
    for (int k = 0; k < 5; k++)
        for (int m = 0; m < 3; m++) {
            Problem* p = make_problem(starts[k].material, SN_INVERSION_EXTEND, 0, 0);
            SnRandom random = {41};
            for (int i = 0; i < 3 * p->objective.nodes.count; i++) {
                double push = sn_random_uniform(&random, -starts[k].jitter, starts[k].jitter);
                if (p->free_index[i / 3] >= 0) p->search->x[i] = starts[k].spread * p->mesh->nodes[i] + push;
            }
            p->search->stopping.characteristic *= 1e3;
            run(p, sn_solver_find(solvers[m]));
            if (p->search->outcome != SN_OUTCOME_CONVERGED || p->search->value.total > 1e-6)
                fail_msg("%s, start %d, %s: %g J after %d, %s", starts[k].material, k, solvers[m],
                         p->search->value.total, p->search->iterations, p->search->detail);
            free_problem(p);
        }
}

// The quasi-Newton matrix does not mind rotation; the Hessian of the rest shape does (a body turned by a quarter),
// unless it is warped.
static void test_rotated_start(void** state)
{
    (void)state;
    const char* initials[] = {"laplacian", "warped-rest-hessian", "rest-hessian"};
    int iterations[3][2];
    for (int k = 0; k < 3; k++)
        for (int turned = 0; turned < 2; turned++) {
            SnSolverDef def = solver_def();
            def.initial = initials[k];
            Problem* p = make_problem("corotated", SN_INVERSION_EXTEND, 100, 0);
            p->search->stopping.characteristic *= 1e4;
            SnRandom random = {31};
            for (int i = 0; i < p->objective.nodes.count; i++) {
                p->free_index[i] = i;
                double *x = p->search->x + 3 * i, *t = p->target + 3 * i, y = t[1];
                if (turned) t[1] = t[0], t[0] = -y; // about z
                for (int c = 0; c < 3; c++) x[c] = t[c];
                double d[3];
                for (int c = 0; c < 3; c++) d[c] = sn_random_uniform(&random, -0.1, 0.1);
                x[0] += turned ? -d[1] : d[0], x[1] += turned ? d[0] : d[1], x[2] += d[2];
            }
            p->objective.nodes.free_count = p->objective.nodes.count;
            run_with(p, sn_solver_find("lbfgs"), def);
            check(p->search->outcome == SN_OUTCOME_CONVERGED);
            iterations[k][turned] = p->search->iterations;
            free_problem(p);
        }
    check(iterations[0][0] == iterations[0][1]);
    check(abs(iterations[1][0] - iterations[1][1]) <= 1);
    check(iterations[2][1] > 1.5 * iterations[2][0]);
}

static void test_gradient_of_objective(void** state)
{
    (void)state;
    Problem* p = make_problem("stvk", SN_INVERSION_EXTEND, 50, 100);
    SnSearch* s = p->search;
    SnRandom random = {4};
    for (int i = 0; i < 3 * p->objective.nodes.count; i++) s->x[i] += sn_random_uniform(&random, -0.05, 0.05);
    sn_objective_gradient(&p->objective, s->x, s->g);
    for (int i = 0; i < p->objective.nodes.count; i++)
        for (int c = 0; c < 3; c++) {
            double keep = s->x[3 * i + c], g = s->g[3 * i + c], step = 1e-6;
            if (p->free_index[i] < 0) {
                check(g == 0);
                continue;
            }
            s->x[3 * i + c] = keep + step;
            double up = sn_objective_value(&p->objective, s->x).total;
            s->x[3 * i + c] = keep - step;
            double down = sn_objective_value(&p->objective, s->x).total;
            s->x[3 * i + c] = keep;
            check_near(g, (up - down) / (2 * step), 1e-4);
        }
    free_problem(p);
}

// The order of convergence p, |g| -> |g|^p in units of the force, the last from where even the square is above
// rounding.
static double order_of(const double* norms, int count, double force)
{
    double order = 0;
    for (int i = 0; i + 1 < count; i++)
        if (norms[i] < 1e-2 * force && norms[i] > 3e-7 * force)
            order = log(norms[i + 1] / force) / log(norms[i] / force);
    return order;
}

// Near the minimum the true Hessian is positive definite, so Newton's error squares, down to rounding: 1e-13 of the
// force.
static void check_quadratic(const char* material, double inertia, double pull)
{
    Problem* p = make_problem(material, SN_INVERSION_EXTEND, inertia, pull);
    SnSolverDef def = solver_def();
    const SnSolverType* newton = sn_solver_find("newton");
    double norms[60], force = 0;
    int count = 0;
    void* solver;
    for (int i = 0; i < 3 * p->objective.nodes.count; i++) force += p->force[i] * p->force[i];
    force = sqrt(force);
    check_ok(newton->create(&p->objective, &def, &solver));
    sn_search_evaluate(p->search);
    check_ok(newton->start(solver, p->search));
    for (; count < 60 && p->search->norm > 1e-13 * force && !p->search->stalled; count++) {
        check_ok(newton->iterate(solver, p->search));
        p->search->iterations++;
        norms[count] = p->search->norm;
    }
    newton->destroy(solver);
    // Squaring takes 1e-3 to 1e-6, 1e-12 and rounding; a factor of ten each time would take ten.
    int last = 0;
    for (int i = 0; i < count; i++) last += norms[i] < 1e-3 * force;
    double order = order_of(norms, count, force);
    print_message("%s: order %.2f\n", material, order);
    if (!(p->search->norm <= 1e-13 * force) || last > 4 || !(order > 1.6))
        fail_msg("%s: %g of the force after %d iterations, %d of them below 1e-3, order %g", material,
                 p->search->norm / force, count, last, order);
    free_problem(p);
}

static void test_newton_is_quadratic(void** state)
{
    (void)state;
    for (int i = 0; i < sn_material_count(); i++) {
        const SnMaterialType* type = sn_material_at(i);
        if (!(type->elements & SN_ON_TETRAHEDRA) || strcmp(type->name, "spline") == 0)
            continue;                                      // test/scene/accuracy.c
        bool flat = strcmp(type->name, "polynomial") == 0; // at rest it has no stiffness to begin with
        check_quadratic(type->name, flat ? 1 : 0, 1500);
        check_quadratic(type->name, flat ? 1 : 0, -800);
    }
}

// Projected in every iteration, as the papers have it, the Hessian of a body in compression is not the true one near
// the minimum: the same minimum is found, and the error falls by a factor each time.
static void test_projected_newton(void** state)
{
    (void)state;
    int iterations[2];
    double* ends[2];
    for (int k = 0; k < 2; k++) {
        Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 0, -800);
        SnSolverDef def = solver_def();
        void* solver;
        def.projected = k == 1;
        p->search->iteration_limit = 200;
        check_ok(sn_solver_find("newton")->create(&p->objective, &def, &solver));
        check_ok(sn_minimize(sn_solver_find("newton"), solver, p->search));
        assert_int_equal(p->search->outcome, SN_OUTCOME_CONVERGED);
        iterations[k] = p->search->iterations;
        size_t size = 3 * (size_t)p->objective.nodes.count * sizeof(double);
        ends[k] = malloc(size);
        check(ends[k] != NULL);
        memcpy(ends[k], p->search->x, size);
        for (int i = 0; k == 1 && i < 3 * p->objective.nodes.count; i++) check_near(ends[1][i], ends[0][i], 1e-6);
        sn_solver_find("newton")->destroy(solver);
        free_problem(p);
    }
    print_message("%d iterations, projected %d\n", iterations[0], iterations[1]);
    check(iterations[1] > iterations[0]);
    free(ends[0]), free(ends[1]);
}

// Keys that comparisons need: with each of them iterates are others, and the minimum is the same.
static void test_keys_of_studies(void** state)
{
    (void)state;
    enum { KEYS = 6 };
    const char* types[KEYS] = {"newton", "lbfgs", "lbfgs", "lbfgs", "dot", "admm"};
    double minimum[3 * 100] = {0};
    for (int k = 0; k < KEYS; k++) {
        double few[2];
        for (int i = 0; i < 4; i++) {
            SnSolverDef def = solver_def();
            def.linear = "pcg", def.preconditioner = "block-jacobi", def.subdomains = 2;
            def.initial = k == 1 ? "pcg" : "laplacian";
            bool with = i % 2 == 1, all = i >= 2;
            if (with && k < 2) def.cg_iterations = 1;
            if (with && k == 2) def.unscaled = true;
            if (with && k == 3) def.stiffness_interval[0] = 0.9, def.stiffness_interval[1] = 1.1;
            if (with && k == 4) def.disjoint = true;
            if (with && k == 5) def.local_iterations = 1;
            if (all) {
                check_solver(sn_solver_find(types[k]), def, "neo-hookean", true, minimum);
                continue;
            }
            bool stiffens = k == 2; // scales only ever shorten
            Problem* p =
                make_problem(stiffens ? "stvk" : "neo-hookean", SN_INVERSION_EXTEND, 900, stiffens ? 3e6 : 3e5);
            p->search->iteration_limit = 4;
            run_with(p, sn_solver_find(types[k]), def);
            few[i] = p->search->norm;
            free_problem(p);
        }
        if (!(fabs(few[1] - few[0]) > 1e-3 * few[0]))
            fail_msg("%s, key %d: %g N and %g N are left", types[k], k, few[0], few[1]);
    }
}

// One capped search goes no further than the full step, the other to the minimum beyond it; none goes all the way, be
// it uphill.
static void test_searches_of_studies(void** state)
{
    (void)state;
    const char* names[] = {"dot", "dot-uncapped", "none"};
    double change[2][3], step[2][3];
    for (int far = 0; far < 2; far++)
        for (int k = 0; k < 3; k++) {
            Problem* p = make_problem("corotated", SN_INVERSION_EXTEND, 900, 3e5);
            SnSearch* s = p->search;
            s->line_search = sn_line_search_find(names[k]);
            sn_search_evaluate(s);
            for (int i = 0; i < 3 * p->objective.nodes.count; i++) s->d[i] = -(far ? 1 : 1e-8) * s->g[i];
            double before = s->value.total;
            check(sn_line_search(s));
            change[far][k] = s->value.total - before, step[far][k] = s->step;
            free_problem(p);
        }
    check(step[0][0] == 1 && step[0][1] > 10 && step[0][2] == 1);
    check(change[0][0] < 0 && change[0][1] < 10 * change[0][0]);
    check(step[1][0] < 1 && step[1][1] < 1 && step[1][2] == 1);
    check(change[1][0] < 0 && change[1][1] < 0 && change[1][2] > 0);
}

// From a start whose full step leaves the domain, every accepted iterate has finite energy.
static void test_barrier_stays_feasible(void** state)
{
    (void)state;
    Problem* p = make_problem("neo-hookean", SN_INVERSION_BARRIER, 1e4, 0);
    for (int i = 0; i < p->objective.nodes.count; i++) p->target[3 * i] *= -0.5; // drawn through itself
    SnSolverDef def = solver_def();
    const SnSolverType* newton = sn_solver_find("newton");
    void* solver;
    check_ok(newton->create(&p->objective, &def, &solver));
    p->search->iteration_limit = 1;
    double last = INFINITY;
    bool backtracked = false;
    for (int i = 0; i < 60 && (i == 0 || p->search->outcome != SN_OUTCOME_CONVERGED); i++) {
        check_ok(sn_minimize(newton, solver, p->search));
        check(isfinite(p->search->value.total) && p->search->value.total <= last + 1e-9 * fabs(last));
        backtracked |= p->search->evaluations > 2;
        last = p->search->value.total;
    }
    check(backtracked);
    newton->destroy(solver);
    free_problem(p);
}

static void test_infeasible_start_stalls(void** state)
{
    (void)state;
    Problem* p = make_problem("neo-hookean", SN_INVERSION_BARRIER, 900, 0);
    p->search->x[3 * (p->objective.nodes.count - 1)] -= 5;
    run(p, sn_solver_find("newton"));
    check(p->search->outcome == SN_OUTCOME_STALLED);
    check(strstr(p->search->detail, "not feasible") != NULL);
    free_problem(p);
}

// A tolerance below rounding ends at the numerical floor, and says so; no tolerance runs to the count.
static void test_floor_and_count(void** state)
{
    (void)state;
    Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 1e4);
    p->search->stopping.characteristic = 1e-300;
    run(p, sn_solver_find("newton"));
    check(p->search->outcome == SN_OUTCOME_STALLED);
    const char* worst = strstr(p->search->detail, "largest at nodes ");
    int nodes[4] = {0};
    check(worst && sscanf(worst, "largest at nodes %d, %d, %d, %d", &nodes[0], &nodes[1], &nodes[2], &nodes[3]) == 4);
    for (int k = 0; k < 4; k++)
        check(nodes[k] >= 0 && nodes[k] < p->objective.nodes.count && p->free_index[nodes[k]] >= 0);
    check(p->search->norm < 1e-8);
    free_problem(p);
    p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 1e4);
    p->search->stopping.characteristic = 0;
    p->search->iteration_limit = 2;
    run(p, sn_solver_find("newton"));
    check(p->search->outcome == SN_OUTCOME_ITERATION_LIMIT && p->search->iterations == 2);
    free_problem(p);
}

// Without inertia and without handles the Hessian is singular; the shift copes.
static void test_unheld_body(void** state)
{
    (void)state;
    Problem* p = make_problem("corotated", SN_INVERSION_EXTEND, 0, 0);
    for (int i = 0; i < p->objective.nodes.count; i++) p->free_index[i] = i;
    p->objective.nodes.free_count = p->objective.nodes.count;
    SnRandom random = {8};
    for (int i = 0; i < 3 * p->objective.nodes.count; i++) p->search->x[i] += sn_random_uniform(&random, -0.1, 0.1);
    run(p, sn_solver_find("newton"));
    check(p->search->outcome == SN_OUTCOME_CONVERGED);
    check_near(p->search->value.total, 0, 1e-10);
    free_problem(p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_solvers_find_the_minimum),
    cmocka_unit_test(test_bad_starts_recover),
    cmocka_unit_test(test_rotated_start),
    cmocka_unit_test(test_gradient_of_objective),
    cmocka_unit_test(test_newton_is_quadratic),
    cmocka_unit_test(test_projected_newton),
    cmocka_unit_test(test_keys_of_studies),
    cmocka_unit_test(test_searches_of_studies),
    cmocka_unit_test(test_barrier_stays_feasible),
    cmocka_unit_test(test_infeasible_start_stalls),
    cmocka_unit_test(test_floor_and_count),
    cmocka_unit_test(test_unheld_body),
};
RUN_TESTS(tests, NULL, NULL)
