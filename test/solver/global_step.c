// Constraints in the global step, by each method, against dense solves; the same place by every solver.
#include "box.h"
#include "constraint/constants.h"
#include "core/random.h"
#include "solver/global.h"
#include "solver/line_search.h"

// Dense symmetric indefinite solve by elimination with pivoting.
static void solve_dense(int n, double* a, double* b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = t;
        }
        double t = b[k];
        b[k] = b[pivot], b[pivot] = t;
        check(fabs(a[k * n + k]) > 1e-14);
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

// [A C^T; C 0] [d; -f] = [r; e]: d over free nodes, f per constraint.
static void solve_kkt(Problem* p, const SnScalarMatrix* m, const double* r, const double* x, double* d, double* f)
{
    const SnObjective* o = &p->objective;
    int n = 3 * o->nodes.free_count, rows = p->set.count, size = n + rows;
    double *a = calloc((size_t)size * (size_t)size, sizeof *a), *b = calloc((size_t)size, sizeof *b);
    for (int j = 0; j < m->n; j++)
        for (int64_t k = m->col_start[j]; k < m->col_start[j + 1]; k++)
            for (int c = 0; c < 3; c++) {
                int u = 3 * m->row[k] + c, v = 3 * j + c;
                a[u * size + v] = a[v * size + u] = m->values[k];
            }
    for (int i = 0; i < o->nodes.count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++) b[3 * p->free_index[i] + c] = r[3 * i + c];
    for (int k = 0; k < rows; k++) {
        const SnStencil* at = &p->set.items[k].constraint.at;
        for (int i = 0; i < at->count; i++)
            for (int c = 0; c < 3 && p->free_index[at->node[i]] >= 0; c++) {
                int u = 3 * p->free_index[at->node[i]] + c;
                a[u * size + n + k] = a[(n + k) * size + u] = at->weight[i] * at->normal[c];
            }
        b[n + k] = -sn_stencil_gap(at, x);
    }
    solve_dense(size, a, b);
    memcpy(d, b, (size_t)n * sizeof *d);
    for (int k = 0; k < rows; k++) f[k] = -b[n + k];
    free(a), free(b);
}

static void add_constraints(Problem* p, int count, int nodes, bool unilateral, uint64_t seed)
{
    SnRandom random = {seed};
    int n = p->mesh->node_count;
    for (int k = 0; k < count; k++) {
        SnKept item = {.constraint = {.at = {.count = nodes}, .unilateral = unilateral, .key = k}};
        SnStencil* at = &item.constraint.at;
        double length = 0;
        for (int i = 0; i < nodes; i++) {
            at->node[i] = (1 + 5 * k + 11 * i) % n; // some of them pinned
            at->weight[i] = i == 0 ? 1 : -1.0 / (nodes - 1);
        }
        while (nodes == 1 && p->free_index[at->node[0]] < 0) at->node[0] = (at->node[0] + 1) % n;
        for (int c = 0; c < 3; c++) at->normal[c] = sn_random_uniform(&random, -1, 1);
        for (int c = 0; c < 3; c++) length += at->normal[c] * at->normal[c];
        for (int c = 0; c < 3; c++) at->normal[c] /= sqrt(length);
        at->offset = sn_stencil_gap(at, p->search->x) + sn_random_uniform(&random, -0.05, 0.05);
        check_ok(sn_constraint_set_add(&p->set, &item));
    }
}

// One global step by `method` against the dense solution.
static void check_equalities(const char* method, int nodes, int count)
{
    Problem* p = solid_problem("arap", 900, 2);
    SnGlobal* global;
    SnSolverDef def = sn_default_solver_def();
    int n = 3 * p->mesh->node_count;
    double *r = calloc((size_t)n, sizeof *r), *x = calloc((size_t)n, sizeof *x), *d = calloc((size_t)n, sizeof *d);
    double f[32];
    def.constraints = method;
    p->constraints.method = sn_constraint_method_find(method);
    add_constraints(p, count, nodes, false, 17);
    check_ok(sn_global_create(&p->objective, &def, NULL, &global));
    check_ok(sn_global_start(global, p->search));
    SnRandom random = {23};
    for (int i = 0; i < n; i++) r[i] = sn_random_uniform(&random, -300, 300), x[i] = p->search->x[i];
    solve_kkt(p, &global->prefactored->system.matrix, r, x, d, f);
    check_ok(sn_global_step(global, &p->objective, r, x));
    if (strcmp(method, "uzawa") == 0 && !(global->iterations > 0 && global->iterations <= count))
        fail_msg("%d iterations for %d constraints on %d nodes", global->iterations, count, nodes);
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(f[k]));
    for (int i = 0; i < p->mesh->node_count; i++)
        for (int c = 0; c < 3; c++) {
            double expected = p->free_index[i] < 0 ? 0 : d[3 * p->free_index[i] + c];
            check_near(x[3 * i + c] - p->search->x[3 * i + c], expected, 2e-7);
        }
    for (int k = 0; k < count; k++) {
        check_near(p->set.items[k].multiplier.force, f[k], 1e-5 * most);
        check_near(sn_stencil_gap(&p->set.items[k].constraint.at, x), 0, 1e-8);
    }
    // From the forces that keep them, nothing is left to do.
    memcpy(x, p->search->x, (size_t)n * sizeof *x);
    check_ok(sn_global_step(global, &p->objective, r, x));
    check(global->iterations <= (strcmp(method, "uzawa") == 0 ? 1 : 10));
    sn_global_destroy(global);
    free(r), free(x), free(d);
    free_problem(p);
}

static void test_equalities_meet_a_dense_solve(void** state)
{
    (void)state;
    check_equalities("uzawa", 1, 9);
    check_equalities("uzawa", 2, 9);
    check_equalities("uzawa", 4, 12);
    check_equalities("gauss-seidel", 1, 9);
}

// Unilateral constraints: none pulls, none is violated, those with a gap do not push, and forces balance.
static void check_unilateral(const char* method, int nodes)
{
    Problem* p = solid_problem("arap", 900, 2);
    SnGlobal* global;
    SnSolverDef def = sn_default_solver_def();
    int n = 3 * p->mesh->node_count, pushing = 0, open = 0;
    double *r = calloc((size_t)n, sizeof *r), *x = calloc((size_t)n, sizeof *x), *image = calloc((size_t)n, sizeof *x);
    def.constraints = method;
    p->constraints.method = sn_constraint_method_find(method);
    add_constraints(p, 14, nodes, true, 29);
    check_ok(sn_global_create(&p->objective, &def, NULL, &global));
    check_ok(sn_global_start(global, p->search));
    SnRandom random = {31};
    for (int i = 0; i < n; i++) r[i] = sn_random_uniform(&random, -300, 300), x[i] = p->search->x[i];
    check_ok(sn_global_step(global, &p->objective, r, x));
    for (int k = 0; k < p->set.count; k++) {
        double gap = sn_stencil_gap(&p->set.items[k].constraint.at, x), force = p->set.items[k].multiplier.force;
        check(gap > -1e-8 && force >= 0 && fabs(gap * force) < 1e-5);
        pushing += force > 0, open += gap > 1e-6;
        sn_stencil_add(&p->set.items[k].constraint.at, force, r);
    }
    check(pushing > 2 && open > 2);
    double* rows = calloc(3 * (size_t)p->objective.nodes.free_count, sizeof *rows);
    for (int i = 0; i < n; i++)
        if (p->free_index[i / 3] >= 0) rows[3 * p->free_index[i / 3] + i % 3] = x[i] - p->search->x[i];
    sn_scalar_matrix_multiply(&global->prefactored->system.matrix, rows, image);
    for (int i = 0; i < n; i++)
        if (p->free_index[i / 3] >= 0) check_near(image[3 * p->free_index[i / 3] + i % 3], r[i], 1e-2);
    sn_global_destroy(global);
    free(r), free(x), free(image), free(rows);
    free_problem(p);
}

static void test_unilateral_constraints(void** state)
{
    (void)state;
    check_unilateral("uzawa", 1);
    check_unilateral("uzawa", 4);
    check_unilateral("gauss-seidel", 1);
}

// With constraints, every solver comes to the same place: those that keep them, and those with energies in their stead.
static void test_solvers_agree_on_constraints(void** state)
{
    (void)state;
    double* reference = NULL;
    const char* names[] = {"admm", "pd", "newton", "lbfgs"};
    for (int s = 0; s < 4; s++) {
        Problem* p = solid_problem("corotated", 900, 1);
        add_constraints(p, 6, 2, false, 41);
        double tolerance = 1e-9 * sn_potential_characteristic_force(p->potential);
        for (int round = 0; round < (s < 2 ? 1 : 12); round++)
            run_solver(p, names[s], sn_default_solver_def(), 3000, tolerance);
        if (p->search->outcome != SN_OUTCOME_CONVERGED) fail_msg("%s: %s", names[s], p->search->detail);
        int n = 3 * p->mesh->node_count;
        if (!reference) {
            reference = malloc((size_t)n * sizeof *reference);
            memcpy(reference, p->search->x, (size_t)n * sizeof *reference);
        }
        for (int i = 0; i < n; i++) check_near(p->search->x[i], reference[i], 1e-5);
        for (int k = 0; k < p->set.count; k++)
            check_near(sn_stencil_gap(&p->set.items[k].constraint.at, p->search->x), 0, 1e-6);
        free_problem(p);
    }
    free(reference);
}

// Planes that have no point in common, four for each node.
static void add_contradictions(Problem* p)
{
    static const double normals[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    SnRandom random = {53};
    for (int k = 0; k < 4 * p->mesh->node_count; k++) {
        SnKept item = {.constraint = {.at = {.count = 1, .node = {k / 4}, .weight = {1}}, .key = k}};
        SnStencil* at = &item.constraint.at;
        for (int c = 0; c < 3; c++) at->normal[c] = normals[k % 4][c] / sqrt(3);
        at->offset = sn_stencil_gap(at, p->search->x) + sn_random_uniform(&random, 0.01, 0.1);
        if (p->free_index[k / 4] >= 0) check_ok(sn_constraint_set_add(&p->set, &item));
    }
}

// What is slow for a method, over and over, the forces forgotten each time: what global steps may take together depends
// on the iterations that are allowed.
static void test_work_is_for_all_global_steps(void** state)
{
    (void)state;
    enum { LIMIT = 4, STEPS = 60 };
    static const char* const methods[] = {"uzawa", "gauss-seidel"};
    for (int m = 0; m < 2; m++) {
        Problem* p = solid_problem("arap", 900, 2);
        SnGlobal* global;
        SnSolverDef def = sn_default_solver_def();
        double* r = calloc(3 * (size_t)p->mesh->node_count, sizeof *r);
        if (m == 0)
            add_contradictions(p);
        else
            add_constraints(p, 9, 1, false, 17);
        def.constraints = methods[m];
        p->constraints.method = sn_constraint_method_find(methods[m]);
        check_ok(sn_global_create(&p->objective, &def, NULL, &global));
        p->search->tolerance = 1, p->search->iteration_limit = LIMIT;
        check_ok(sn_global_start(global, p->search));
        int sum = 0, allowed = SN_UZAWA_EACH * LIMIT + SN_UZAWA_LEAST * STEPS + SN_UZAWA_WORK;
        for (int i = 0; i < STEPS; i++) {
            for (int k = 0; k < p->set.count; k++) p->set.items[k].multiplier.force = 0;
            check_ok(sn_global_solve(global, &p->objective, r, p->search->x));
            sum += global->iterations;
        }
        if (!(sum > STEPS && sum <= allowed)) fail_msg("%s: %d, where %d are allowed", methods[m], sum, allowed);
        check(p->constraints.bounded > STEPS / 2);
        sn_global_destroy(global);
        free(r);
        free_problem(p);
    }
}

static double a_quarter(const SnConstraints* constraints, const double* x, const double* d)
{
    (void)constraints, (void)x, (void)d;
    return 0.25;
}

// A method that lets no step go further than a quarter is heard by every line search.
static void test_longest_step(void** state)
{
    (void)state;
    const char* names[] = {"armijo", "wolfe", "dot"};
    SnConstraintMethod careful = sn_augmented_lagrangian;
    careful.longest_step = a_quarter;
    for (int k = 0; k < 3; k++) {
        Problem* p = solid_problem("corotated", 900, 1);
        add_constraints(p, 3, 1, false, 7);
        p->constraints.method = &careful;
        p->search->line_search = sn_line_search_find(names[k]);
        sn_constraints_start(&p->constraints);
        sn_search_evaluate(p->search);
        for (int i = 0; i < 3 * p->mesh->node_count; i++) p->search->d[i] = -1e-5 * p->search->g[i];
        double before = p->search->value.total;
        check(sn_line_search(p->search));
        check(p->search->step <= 0.25 && p->search->value.total < before);
        free_problem(p);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_equalities_meet_a_dense_solve),
    cmocka_unit_test(test_unilateral_constraints),
    cmocka_unit_test(test_solvers_agree_on_constraints),
    cmocka_unit_test(test_work_is_for_all_global_steps),
    cmocka_unit_test(test_longest_step),
};
RUN_TESTS(tests, NULL, NULL)
