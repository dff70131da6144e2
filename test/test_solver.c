// Solvers: the same minimiser for every row of the table, Newton's quadratic convergence, feasible iterates, stalls.
#include "check.h"
#include "core/random.h"
#include "linalg/vector.h"
#include "mesh/mesh.h"
#include "solver/initial.h"
#include "solver/line_search.h"

// A small bar held at its left end, pulled by a force.
typedef struct Problem {
    SnMesh* mesh;
    SnTasks* tasks;
    SnPotential* potential;
    SnObjective objective;
    SnSearch* search;
    int* free_index;
    double *mass, *target, *force, *reaction;
} Problem;

static SnSolverDef solver_def(void)
{
    return (SnSolverDef){.type = "newton", .iterations = 20000, .armijo = 0.3, .initial = "laplacian", .history = 5};
}

static Problem* make_problem(const char* material_name, SnInversion inversion, double inertia, double pull)
{
    Problem* p = calloc(1, sizeof *p);
    check(p != NULL);
    const double size[3] = {3, 1, 1};
    const int cells[3] = {6, 2, 2};
    check_ok(sn_mesh_make_box(size, cells, &p->mesh));
    check_ok(sn_tasks_create(2, (SnTaskRunner){0}, &p->tasks));
    int n = p->mesh->node_count;
    SnMaterial m = sn_material(material_name, 1e4, 0.3, 1000);
    SnMaterialParameters parameters;
    m.inversion = inversion;
    check_ok(sn_material_parameters(&m, sn_material_find(material_name), &parameters));
    check_ok(sn_potential_create(n, p->mesh->nodes, p->tasks, &p->potential));
    SnTermsDef def = {.term = sn_term_find("tetrahedron"), .material = sn_material_find(material_name)};
    def.count = p->mesh->tetrahedron_count, def.elements = p->mesh->tetrahedra, def.parameters = &parameters;
    def.name = "bar";
    check_ok(sn_potential_add(p->potential, &def));
    check_ok(sn_potential_finish(p->potential));
    check(SN_NEW(p->free_index, n, "t") && SN_NEW(p->mass, n, "t") && SN_NEW(p->target, 3 * n, "t") &&
          SN_NEW(p->force, 3 * n, "t") && SN_NEW(p->reaction, 3 * n, "t"));
    int free_count = 0;
    for (int i = 0; i < n; i++) {
        p->free_index[i] = p->mesh->nodes[3 * i] < 1e-9 ? -1 : free_count++;
        p->mass[i] = 1000 * p->potential->node_volume[i];
        p->force[3 * i] = pull * p->potential->node_volume[i];
        p->force[3 * i + 1] = -0.3 * pull * p->potential->node_volume[i];
        for (int c = 0; c < 3; c++) p->target[3 * i + c] = p->mesh->nodes[3 * i + c];
    }
    p->objective =
        (SnObjective){.potential = p->potential, .tasks = p->tasks, .node_count = n, .free_count = free_count};
    p->objective.free_index = p->free_index, p->objective.mass = p->mass, p->objective.inertia = inertia;
    p->objective.target = p->target, p->objective.force = p->force, p->objective.reaction = p->reaction;
    SnSolverDef solver = solver_def();
    check_ok(sn_search_create(&p->objective, &solver, &p->search));
    memcpy(p->search->x, p->mesh->nodes, 3 * (size_t)n * sizeof(double));
    p->search->tolerance = 1e-12 * sn_potential_characteristic_force(p->potential);
    return p;
}

static void free_problem(Problem* p)
{
    sn_search_destroy(p->search);
    sn_potential_destroy(p->potential);
    sn_tasks_destroy(p->tasks);
    sn_mesh_destroy(p->mesh);
    sn_free(p->free_index), sn_free(p->mass), sn_free(p->target), sn_free(p->force), sn_free(p->reaction);
    free(p);
}

static void run_with(Problem* p, const SnSolverType* type, SnSolverDef def)
{
    void* state;
    p->search->line_search = sn_line_search_find(def.line_search ? def.line_search : "armijo");
    check_ok(type->create(&p->objective, &def, &state));
    check_ok(sn_minimize(type, state, p->search));
    type->destroy(state);
}

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
        for (int i = 0; i < s->objective->node_count; i++)
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
        memcpy(reference, p->search->x, 3 * (size_t)p->objective.node_count * sizeof *reference);
    }
    for (int i = 0; i < 3 * p->objective.node_count; i++) check_near(p->search->x[i], reference[i], 1e-8);
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
                    def.symmetric_blend = i % 2 == 1;
                    bool takes_initial = strcmp(type->name, "lbfgs") == 0, newton = strcmp(type->name, "newton") == 0;
                    bool dot = strcmp(type->name, "dot") == 0;
                    if (takes_initial || i == 0 || (newton && i < 3) || (dot && i == 1))
                        check_solver(type, def, materials[m], dynamic, reference);
                }
        }
}

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
    for (int i = 0; i < 3 * s->objective->node_count; i++) r[i] = 1e-4 * q[i];
    return SN_OK;
}

static void test_two_loops_are_bfgs(void** state)
{
    (void)state;
    const SnInitialType plain = {.name = "plain", .create = plain_create, .destroy = free, .apply = plain_apply};
    Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 3e5);
    SnSearch* s = p->search;
    int n = 3 * p->objective.node_count;
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
    for (int i = 0; i < 3 * p[0]->objective.node_count; i++) check_near(p[0]->search->x[i], p[1]->search->x[i], 1e-12);
    free_problem(p[0]), free_problem(p[1]);
}

// u.B v - v.B u of an initial inverse, relative to u.B v.
static double asymmetry(const char* name, SnSolverDef def)
{
    Problem* p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 3e5);
    const SnInitialType* initial = sn_initial_find(name);
    int n = 3 * p->objective.node_count;
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

// Averages of subdomains are not symmetric, unless the weights are on both sides.
static void test_blends(void** state)
{
    (void)state;
    SnSolverDef def = solver_def();
    def.subdomains = 3;
    check(asymmetry("dot", def) > 1e-6);
    def.symmetric_blend = true;
    check_near(asymmetry("dot", def), 0, 1e-12);
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
    int n = 3 * o->node_count, rows = 3 * o->free_count;
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
    check_ok(sn_hessian_create(p->potential, p->free_index, o->free_count, &hessian));
    sn_hessian_assemble(hessian, there, true);
    double* rr = calloc((size_t)rows, sizeof *rr);
    for (int i = 0; i < o->node_count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++) {
            rr[3 * p->free_index[i] + c] = r[3 * i + c];
            ar[3 * p->free_index[i] + c] = o->inertia * p->mass[i] * r[3 * i + c];
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
    for (int i = 0; i < o->node_count; i++)
        for (int c = 0; c < 3 && p->free_index[i] >= 0; c++)
            check_near(ar[3 * p->free_index[i] + c], q[3 * i + c], 1e-5); // entries are kept in single precision
    sn_hessian_destroy(hessian);
    initial->destroy(one), initial->destroy(two);
    free(numbers), free(rr), free(q);
    free_problem(p);
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
            for (int i = 0; i < 3 * p->objective.node_count; i++) {
                double push = sn_random_uniform(&random, -starts[k].jitter, starts[k].jitter);
                if (p->free_index[i / 3] >= 0) p->search->x[i] = starts[k].spread * p->mesh->nodes[i] + push;
            }
            p->search->tolerance *= 1e3;
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
            p->search->tolerance *= 1e4;
            SnRandom random = {31};
            for (int i = 0; i < p->objective.node_count; i++) {
                p->free_index[i] = i;
                double *x = p->search->x + 3 * i, *t = p->target + 3 * i, y = t[1];
                if (turned) t[1] = t[0], t[0] = -y; // about z
                for (int c = 0; c < 3; c++) x[c] = t[c];
                double d[3];
                for (int c = 0; c < 3; c++) d[c] = sn_random_uniform(&random, -0.1, 0.1);
                x[0] += turned ? -d[1] : d[0], x[1] += turned ? d[0] : d[1], x[2] += d[2];
            }
            p->objective.free_count = p->objective.node_count;
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
    for (int i = 0; i < 3 * p->objective.node_count; i++) s->x[i] += sn_random_uniform(&random, -0.05, 0.05);
    sn_objective_gradient(&p->objective, s->x, s->g);
    for (int i = 0; i < p->objective.node_count; i++)
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

// Near the minimum the projection is dropped, so Newton's error squares.
static void test_newton_is_quadratic(void** state)
{
    (void)state;
    Problem* p = make_problem("neo-hookean", SN_INVERSION_BARRIER, 0, 1500);
    SnSolverDef def = solver_def();
    const SnSolverType* newton = sn_solver_find("newton");
    double norms[30];
    int count = 0;
    void* solver;
    check_ok(newton->create(&p->objective, &def, &solver));
    sn_search_evaluate(p->search);
    check_ok(newton->start(solver, p->search));
    for (; count < 30 && p->search->norm > p->search->tolerance; count++) {
        check_ok(newton->iterate(solver, p->search));
        check(!p->search->stalled);
        p->search->iterations++;
        norms[count] = p->search->norm;
    }
    newton->destroy(solver);
    check(count >= 3 && count < 12);
    double order = 0; // of convergence, from three gradients that are not yet rounding
    for (int i = 2; i < count; i++)
        if (norms[i] > 1e-9) order = log(norms[i] / norms[i - 1]) / log(norms[i - 1] / norms[i - 2]);
    check(order > 1.8);
    free_problem(p);
}

// From a start whose full step leaves the domain, every accepted iterate has finite energy.
static void test_barrier_stays_feasible(void** state)
{
    (void)state;
    Problem* p = make_problem("neo-hookean", SN_INVERSION_BARRIER, 1e4, 0);
    for (int i = 0; i < p->objective.node_count; i++) p->target[3 * i] *= -0.5; // drawn through itself
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
    p->search->x[3 * (p->objective.node_count - 1)] -= 5;
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
    p->search->tolerance = 1e-300;
    run(p, sn_solver_find("newton"));
    check(p->search->outcome == SN_OUTCOME_STALLED);
    const char* worst = strstr(p->search->detail, "largest at nodes ");
    int nodes[4] = {0};
    check(worst && sscanf(worst, "largest at nodes %d, %d, %d, %d", &nodes[0], &nodes[1], &nodes[2], &nodes[3]) == 4);
    for (int k = 0; k < 4; k++)
        check(nodes[k] >= 0 && nodes[k] < p->objective.node_count && p->free_index[nodes[k]] >= 0);
    check(p->search->norm < 1e-8);
    free_problem(p);
    p = make_problem("neo-hookean", SN_INVERSION_EXTEND, 900, 1e4);
    p->search->tolerance = 0;
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
    for (int i = 0; i < p->objective.node_count; i++) p->free_index[i] = i;
    p->objective.free_count = p->objective.node_count;
    SnRandom random = {8};
    for (int i = 0; i < 3 * p->objective.node_count; i++) p->search->x[i] += sn_random_uniform(&random, -0.1, 0.1);
    run(p, sn_solver_find("newton"));
    check(p->search->outcome == SN_OUTCOME_CONVERGED);
    check_near(p->search->value.total, 0, 1e-10);
    free_problem(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_solvers_find_the_minimum),
        cmocka_unit_test(test_two_loops_are_bfgs),
        cmocka_unit_test(test_one_subdomain_is_hessian),
        cmocka_unit_test(test_blends),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_bad_starts_recover),
        cmocka_unit_test(test_rotated_start),
        cmocka_unit_test(test_gradient_of_objective),
        cmocka_unit_test(test_newton_is_quadratic),
        cmocka_unit_test(test_barrier_stays_feasible),
        cmocka_unit_test(test_infeasible_start_stalls),
        cmocka_unit_test(test_floor_and_count),
        cmocka_unit_test(test_unheld_body),
    };
    return cmocka_run_group_tests_name("solver", tests, NULL, NULL);
}
