// Quasi-Newton: two loops against a dense inverse, initial inverses, blends, traces.
#include "bar.h"
#include "core/random.h"
#include "solver/initial.h"

// The two-loop recursion against a dense inverse that is updated by the BFGS formula, both from the identity.
typedef struct Dense {
    int n;
    double *h, *x, *g; // inverse; iterate and gradient before
} Dense;

static void dense_update(Dense* d, const SnSearch* s)
{
    int n = d->n;
    double *step = calloc((size_t)n, 3 * sizeof(double)), *y = step + n, *hy = y + n, sy = 0, yhy = 0;
    for (int i = 0; i < n; i++) step[i] = s->x[i] - d->x[i], y[i] = s->g[i] - d->g[i], sy += step[i] * y[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) hy[i] += d->h[i * n + j] * y[j];
    for (int i = 0; i < n; i++) yhy += y[i] * hy[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            d->h[i * n + j] += (1 + yhy / sy) * step[i] * step[j] / sy - (hy[i] * step[j] + step[i] * hy[j]) / sy;
    free(step);
}

// The same multiple of the identity in every iteration, as the dense update has it.
static SnStatus plain_create(SnObjective* o, const SnSolverDef* def, void** state)
{
    (void)o, (void)def;
    *state = calloc(1, 1);
    return SN_OK;
}

static SnStatus plain_apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    (void)state, (void)yy_over_sy;
    for (int i = 0; i < 3 * s->objective->nodes.count; i++) r[i] = 1e-4 * q[i];
    return SN_OK;
}

static void test_two_loops_are_bfgs(void** state)
{
    (void)state;
    const SnInitialType plain = {.name = "plain", .create = plain_create, .destroy = free, .apply = plain_apply};
    Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 3e5);
    SnSearch* s = p->search;
    int n = 3 * p->objective.nodes.count;
    Dense d = {.n = n, .h = calloc((size_t)n * (size_t)n, 8), .x = calloc((size_t)n, 8), .g = calloc((size_t)n, 8)};
    for (int i = 0; i < n; i++) d.h[i * n + i] = 1e-4;
    SnSolverDef def = solver_def();
    void* solver;
    def.history = 100;
    check_ok(sn_lbfgs_create_around(&plain, &p->objective, &def, &solver));
    const SnSolverType* lbfgs = sn_solver_find("lbfgs");
    sn_search_evaluate(s);
    check_ok(lbfgs->start(solver, s));
    for (int k = 0; k < 15; k++) {
        memcpy(d.x, s->x, (size_t)n * 8);
        memcpy(d.g, s->g, (size_t)n * 8);
        check_ok(lbfgs->iterate(solver, s));
        double size = 0;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(s->d[i]));
        for (int i = 0; i < n; i++) {
            double direction = 0;
            for (int j = 0; j < n; j++) direction -= d.h[i * n + j] * d.g[j];
            check_near(s->d[i], direction, 1e-8 * size);
        }
        dense_update(&d, s);
    }
    lbfgs->destroy(solver);
    free(d.h), free(d.x), free(d.g);
    free_problem(p);
}

// One subdomain is the whole: dot's iterates are those of lbfgs with the Hessian.
static void test_one_subdomain_is_hessian(void** state)
{
    (void)state;
    Problem* p[2];
    for (int k = 0; k < 2; k++) {
        SnSolverDef def = solver_def();
        def.initial = "hessian", def.subdomains = 1;
        p[k] = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 3e5);
        p[k]->search->iteration_limit = 6;
        run_with(p[k], sn_solver_find(k ? "dot" : "lbfgs"), def);
    }
    check(p[0]->search->iterations == p[1]->search->iterations);
    for (int i = 0; i < 3 * p[0]->objective.nodes.count; i++) check_near(p[0]->search->x[i], p[1]->search->x[i], 1e-12);
    free_problem(p[0]), free_problem(p[1]);
}

// u.B v - v.B u of an initial inverse, relative to u.B v.
static double asymmetry(const char* name, SnSolverDef def)
{
    Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 3e5);
    const SnInitialType* initial = sn_initial_find(name);
    int n = 3 * p->objective.nodes.count;
    double *u = calloc((size_t)n, 4 * sizeof *u), *v = u + n, *bu = v + n, *bv = bu + n, uv = 0, vu = 0;
    SnRandom random = {17};
    for (int i = 0; i < n; i++)
        if (p->free_index[i / 3] >= 0)
            u[i] = sn_random_uniform(&random, -1, 1), v[i] = u[i] + sn_random_uniform(&random, -1, 1);
    void* state;
    check_ok(initial->create(&p->objective, &def, &state));
    sn_search_evaluate(p->search);
    check_ok(initial->start(state, p->search));
    check_ok(initial->apply(state, p->search, u, 0, bu));
    check_ok(initial->apply(state, p->search, v, 0, bv));
    for (int i = 0; i < n; i++) uv += u[i] * bv[i], vu += v[i] * bu[i];
    initial->destroy(state);
    free(u);
    free_problem(p);
    return fabs(uv - vu) / fabs(uv);
}

// Averages of subdomains are not symmetric, unless the weights are on both sides, or no node has copies.
static void test_blends(void** state)
{
    (void)state;
    SnSolverDef def = solver_def();
    def.subdomains = 3;
    check(asymmetry("dot", def) > 1e-6);
    def.symmetric_blend = true;
    check_near(asymmetry("dot", def), 0, 1e-12);
    def.symmetric_blend = false, def.disjoint = true;
    check_near(asymmetry("dot", def), 0, 1e-12);
}

// How many free nodes a push of one of them moves.
static int moved_by_one(SnSolverDef def, int* free_count)
{
    Problem* p = make_problem("fixed-corotated", SN_INVERSION_EXTEND, 900, 3e5);
    int n = 3 * p->objective.nodes.count, node = 0, moved = 0;
    double *q = calloc((size_t)n, 2 * sizeof *q), *r = q + n;
    void* state;
    const SnInitialType* initial = sn_initial_find("dot");
    while (p->free_index[node] < 0) node++;
    q[3 * node] = 1;
    check_ok(initial->create(&p->objective, &def, &state));
    sn_search_evaluate(p->search);
    check_ok(initial->start(state, p->search));
    check_ok(initial->apply(state, p->search, q, 0, r));
    for (int i = 0; i < p->objective.nodes.count; i++) moved += r[3 * i] != 0;
    *free_count = p->objective.nodes.free_count;
    initial->destroy(state);
    free(q);
    free_problem(p);
    return moved;
}

// One subdomain is the whole. Without copies each node is in one of them, and a push stays there.
static void test_disjoint(void** state)
{
    (void)state;
    int all;
    SnSolverDef def = solver_def();
    def.subdomains = 1, def.disjoint = true;
    int whole = moved_by_one(def, &all);
    assert_int_equal(whole, all);
    def.subdomains = 3;
    int apart = moved_by_one(def, &all);
    def.disjoint = false;
    int copied = moved_by_one(def, &all);
    if (!(apart <= copied && copied < all && apart > 1))
        fail_msg("%d apart, %d with copies, of %d", apart, copied, all);
}

// B q of trace-laplacian solves (m/b^2 + 2/3 tr H_ij) r = q, with H as it was when the traces were taken; and it goes
// on doing so after its memory was taken to another one.
static void test_traces(void** state)
{
    (void)state;
    Problem* p = make_problem("fixed-corotated", SN_INVERSION_EXTEND, 900, 3e5);
    SnSearch* s = p->search;
    SnObjective* o = &p->objective;
    const SnInitialType* initial = sn_initial_find("trace-laplacian");
    SnSolverDef def = solver_def();
    int n = 3 * o->nodes.count, rows = 3 * o->nodes.free_count;
    double *q = calloc((size_t)n, 5 * sizeof *q), *r = q + n, *again = r + n, *ar = again + n, *there = ar + n;
    SnRandom random = {23};
    for (int i = 0; i < n; i++) {
        if (p->free_index[i / 3] < 0) continue;
        s->x[i] += sn_random_uniform(&random, -0.1, 0.1), q[i] = sn_random_uniform(&random, -1, 1);
    }
    memcpy(there, s->x, (size_t)n * sizeof *there);
    void *one, *two;
    check_ok(initial->create(o, &def, &one));
    check_ok(initial->create(o, &def, &two));
    sn_search_evaluate(s);
    s->tolerance = 0; // or it would begin with the constant Laplacian
    check_ok(initial->start(one, s));
    check_ok(initial->apply(one, s, q, 0, r));
    double* numbers = calloc((size_t)initial->memory->size(one), sizeof *numbers);
    initial->memory->save(one, numbers);
    initial->memory->restore(two, numbers);
    for (int i = 0; i < n; i++) s->x[i] *= 1.1; // the traces are kept
    check_ok(initial->start(two, s));
    check_ok(initial->apply(two, s, q, 0, again));
    check(memcmp(r, again, (size_t)n * sizeof *r) == 0);
    SnHessian* hessian;
    check_ok(sn_hessian_create(p->potential, p->free_index, o->nodes.free_count, &hessian));
    sn_hessian_assemble(hessian, there, true);
    double* rr = calloc((size_t)rows, sizeof *rr);
    for (int i = 0; i < o->nodes.count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++) {
            rr[3 * p->free_index[i] + c] = r[3 * i + c];
            ar[3 * p->free_index[i] + c] = o->nodes.inertia * p->mass[i] * r[3 * i + c];
        }
    for (int j = 0; j < hessian->matrix.n; j++)
        for (int64_t k = hessian->matrix.col_start[j]; k < hessian->matrix.col_start[j + 1]; k++) {
            double block[9];
            int i = hessian->matrix.row[k];
            sn_block_read(&hessian->matrix, j, k - hessian->matrix.col_start[j], block);
            double trace = 2 * (block[0] + block[4] + block[8]) / 3;
            for (int c = 0; c < 3; c++) {
                ar[3 * i + c] += trace * rr[3 * j + c];
                if (i != j) ar[3 * j + c] += trace * rr[3 * i + c];
            }
        }
    for (int i = 0; i < o->nodes.count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++)
            check_near(ar[3 * p->free_index[i] + c], q[3 * i + c], 1e-5); // entries are kept in single precision
    sn_hessian_destroy(hessian);
    initial->destroy(one), initial->destroy(two);
    free(numbers), free(rr), free(q);
    free_problem(p);
}

// What an initial inverse makes of q when it is first started, or after another start has been forgotten.
static void apply_first(const char* name, bool again, Problem* p, const double* q, double* r)
{
    const SnInitialType* initial = sn_initial_find(name);
    SnSolverDef def = solver_def();
    SnSearch* s = p->search;
    void* state;
    check_ok(initial->create(&p->objective, &def, &state));
    if (again) { // traces
        s->tolerance = 0;
        check_ok(initial->start(state, s));
        initial->memory->restore(state, NULL);
    }
    s->tolerance = 1e-5;
    check_ok(initial->start(state, s));
    check_ok(initial->apply(state, s, q, 0, r));
    initial->destroy(state);
}

// The first L is the constant Laplacian, which costs nothing.
static void test_traces_begin_with_the_laplacian(void** state)
{
    (void)state;
    Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 1e4);
    int n = 3 * p->objective.nodes.count;
    double *q = calloc(3 * (size_t)n, sizeof *q), *r = q + n, *constant = r + n;
    SnRandom random = {5};
    for (int i = 0; i < n; i++)
        if (p->free_index[i / 3] >= 0)
            q[i] = sn_random_uniform(&random, -1, 1), p->search->x[i] += sn_random_uniform(&random, -0.1, 0.1);
    sn_search_evaluate(p->search);
    apply_first("laplacian", false, p, q, constant);
    for (int again = 0; again < 2; again++) {
        apply_first("trace-laplacian", again, p, q, r);
        for (int i = 0; i < n; i++) check_near(r[i], constant[i], 1e-6 * (1e-3 + fabs(constant[i])));
    }
    free(q);
    free_problem(p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_loops_are_bfgs),
    cmocka_unit_test(test_one_subdomain_is_hessian),
    cmocka_unit_test(test_blends),
    cmocka_unit_test(test_disjoint),
    cmocka_unit_test(test_traces),
    cmocka_unit_test(test_traces_begin_with_the_laplacian),
};
RUN_TESTS(tests, NULL, NULL)
