// Dissipation over elements: gradients and Hessians by finite differences, momentum, order, on every kind of element.
#include "check_linalg.h"

#include "core/random.h"
#include "mesh/mesh.h"
#include "potential/laplacian.h"

#define B 0.01 // s, the stage's

// Every row of the table with every base and way of keeping momentum that it takes.
typedef struct Case {
    char name[96];
    SnDampingDef def;
    bool keeps; // angular momentum
    bool exact; // its unprojected Hessian
} Case;

static const double curve[] = {0.5, 3, 1, 1, 2, 2};

// A user's own: a |s'|^2 + b (s1' + s2' + s3')^4 with a = mu-like 50 and b of `user`.
static double own_energy(SnStretches q, SnStretches s, SnDissipationParameters p)
{
    double sum = q.s1 + q.s2 + q.s3, b = *(const double*)p.user;
    return p.extra[0] * s.s1 * (q.s1 * q.s1 + q.s2 * q.s2 + q.s3 * q.s3) + b * sum * sum * sum * sum;
}

static SnStretches own_gradient(SnStretches q, SnStretches s, SnDissipationParameters p)
{
    double sum = q.s1 + q.s2 + q.s3, d = 4 * *(const double*)p.user * sum * sum * sum, a = 2 * p.extra[0] * s.s1;
    return (SnStretches){a * q.s1 + d, a * q.s2 + d, a * q.s3 + d};
}

static SnStretchHessian own_hessian(SnStretches q, SnStretches s, SnDissipationParameters p)
{
    double sum = q.s1 + q.s2 + q.s3, d = 12 * *(const double*)p.user * sum * sum, a = 2 * p.extra[0] * s.s1;
    return (SnStretchHessian){a + d, a + d, a + d, d, d, d};
}

static const SnDissipationType own_type = {
    .name = "own", .formula = "", .energy = own_energy, .gradient = own_gradient, .hessian = own_hessian};
static const double own_number = 0.3;

static int make_cases(Case* cases)
{
    int count = 0;
    const SnMomentum ways[] = {SN_MOMENTUM_AS_IS, SN_MOMENTUM_VELOCITY_GRADIENT, SN_MOMENTUM_PROJECTOR};
    const char* bases[] = {"strain-rate", "rayleigh", "principal-stretch"};
    for (int t = 0; t < sn_dissipation_count(); t++) {
        const SnDissipationType* type = sn_dissipation_at(t);
        bool has_base = sn_parameter_find(type->parameters, "base") != NULL;
        for (int k = 0; k < (has_base ? 3 : 1); k++) {
            const SnDissipationType* base = has_base ? sn_dissipation_find(bases[k]) : type;
            for (int m = 0; m < (base->rate == SN_RATE_GRADIENT ? 3 : 1); m++) {
                Case* c = &cases[count++];
                *c = (Case){.def = sn_default_damping_def(type->name)};
                c->def.base = bases[k];
                c->def.bulk = 30;
                c->def.exponent = 0.6;
                c->def.smoothing = 1e-2;
                c->def.curve = (SnCurve){3, curve};
                c->def.per_stretch = base->rate == SN_RATE_STRETCHES;
                c->def.conserve_momentum = ways[m];
                c->keeps = m > 0 || (base->rate != SN_RATE_GRADIENT && base->rate != SN_RATE_POSITION);
                c->exact = ways[m] != SN_MOMENTUM_PROJECTOR;
                snprintf(c->name, sizeof c->name, "%s/%s/%d", type->name, base->name, m);
            }
        }
    }
    cases[count] = (Case){.name = "at its end", .def = sn_default_damping_def("strain-rate"), .exact = true};
    cases[count++].def.rate = SN_STRAIN_RATE_END;
    cases[count] = (Case){.name = "own", .def = sn_default_damping_def(NULL), .keeps = true, .exact = true};
    cases[count].def.custom = &own_type;
    cases[count].def.user = &own_number;
    cases[count].def.extra[0] = 50;
    return count + 1;
}

typedef struct Fixture {
    SnMesh* mesh;
    SnTasks* tasks;
    SnPotential* potential;
    int n;
    double *x, *g, *xp, *vn;
} Fixture;

// An edge and the two opposite corners, for each two triangles of a sheet that share one.
static int* make_hinges(const SnMesh* mesh, int* count)
{
    int* hinges = calloc((size_t)mesh->triangle_count, 3 * 4 * sizeof *hinges);
    *count = 0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        for (int j = i + 1; j < 3 * mesh->triangle_count; j++) {
            const int *t = mesh->triangles + i / 3 * 3, *u = mesh->triangles + j / 3 * 3;
            int a = t[i % 3], b = t[(i + 1) % 3];
            if (a != u[(j + 1) % 3] || b != u[j % 3]) continue;
            memcpy(hinges + 4 * (*count)++, (int[]){a, b, t[(i + 2) % 3], u[(j + 2) % 3]}, 4 * sizeof *hinges);
        }
    return hinges;
}

// A box, a sheet or a rope, of one material with one dissipation; or a folded sheet's hinges.
static Fixture make_fixture(const char* kind, const Case* c, int threads)
{
    Fixture f = {0};
    const double sides[3] = {1, 0.5, 0.5};
    const int cells[3] = {3, 2, 2};
    bool strand = strcmp(kind, "edge") == 0 || strcmp(kind, "fiber") == 0;
    if (strcmp(kind, "tetrahedron") == 0 || strcmp(kind, "fiber") == 0)
        check_ok(sn_mesh_make_box(sides, cells, &f.mesh));
    if (strcmp(kind, "triangle") == 0 || strcmp(kind, "hinge") == 0)
        check_ok(sn_mesh_make_cloth(sides, cells, &f.mesh));
    if (strcmp(kind, "edge") == 0) check_ok(sn_mesh_make_rope(1, 20, &f.mesh));
    f.n = f.mesh->node_count;
    SnMaterial m = sn_material(strand ? "spring" : "neo-hookean", 1e4, 0.4, 1000);
    const SnMaterialType* material = sn_material_find(m.type);
    SnMaterialParameters p;
    check_ok(sn_material_parameters(&m, material, &p));
    check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &f.tasks));
    check_ok(sn_potential_create(f.n, f.mesh->nodes, f.tasks, &f.potential));
    SnDissipation dissipation;
    check_ok(sn_dissipation_set(&dissipation, &c->def));
    bool node = dissipation.rate == SN_RATE_POSITION;
    const SnTermType* term = node ? &sn_node_term : sn_term_find(kind);
    int* nodes;
    check(SN_NEW(nodes, f.n, "test"));
    for (int i = 0; i < f.n; i++) nodes[i] = i;
    SnTermsDef def = {.term = term, .material = material, .parameters = &p, .section = 0.02, .name = "test"};
    def.count = node                        ? f.n
                : f.mesh->tetrahedron_count ? f.mesh->tetrahedron_count
                : f.mesh->triangle_count    ? f.mesh->triangle_count
                                            : f.mesh->edge_count;
    def.elements = node                        ? nodes
                   : f.mesh->tetrahedron_count ? f.mesh->tetrahedra
                   : f.mesh->triangle_count    ? f.mesh->triangles
                                               : f.mesh->edges;
    int* hinges = strcmp(kind, "hinge") == 0 ? make_hinges(f.mesh, &def.count) : NULL;
    if (hinges) def.elements = hinges;
    check(def.count > 5);
    def.direction[0] = 1, def.direction[1] = 0.3; // of fibers
    check_ok(sn_potential_add_dissipation(f.potential, &dissipation, "test", &def.dissipation));
    check_ok(sn_potential_add(f.potential, &def));
    check_ok(sn_potential_finish(f.potential));
    sn_free(nodes), free(hinges);
    check(SN_NEW(f.x, 3 * f.n, "test") && SN_NEW(f.g, 3 * f.n, "test") && SN_NEW(f.xp, 3 * f.n, "test") &&
          SN_NEW(f.vn, 3 * f.n, "test"));
    return f;
}

static void free_fixture(Fixture* f)
{
    sn_potential_destroy(f->potential);
    sn_tasks_destroy(f->tasks);
    sn_mesh_destroy(f->mesh);
    sn_free(f->x), sn_free(f->g), sn_free(f->xp), sn_free(f->vn);
}

// A deformed past, and a step from there.
static void scatter(Fixture* f, double strain, double step, uint64_t seed)
{
    SnRandom random = {seed};
    for (int i = 0; i < 3 * f->n; i++) {
        f->xp[i] = f->mesh->nodes[i] * (i % 3 == 0 ? 1.3 : 0.9) + sn_random_uniform(&random, -strain, strain);
        f->vn[i] = sn_random_uniform(&random, -step, step) / B;
        f->x[i] = f->xp[i] + sn_random_uniform(&random, -step, step);
    }
}

// A stage whose past is xp alone, or, of order 2, as the trapezoidal rule or BDF2 have it.
static void begin(Fixture* f, int order)
{
    SnPast past = {
        .xp = f->xp, .count = 1, .weight = {1}, .x = {f->xp}, .v = f->vn, .ahead = order > 1, .straight = order == 2};
    if (order == 3) past.lead = B;
    if (order == 4) past.count = 2, past.weight[0] = 4.0 / 3, past.weight[1] = -1.0 / 3, past.x[1] = f->mesh->nodes;
    sn_potential_begin_stage(f->potential, &past, B);
}

static double value_at(Fixture* f, const double* x)
{
    SnPotentialValue value = sn_potential_energy(f->potential, x);
    check(value.elastic == 0);
    return value.dissipation;
}

typedef void CaseTest(const char* kind, const Case* c);
static void for_all_cases(CaseTest* test)
{
    const char* kinds[] = {"tetrahedron", "triangle", "edge", "fiber", "hinge"};
    Case cases[40];
    int count = make_cases(cases);
    check(count > sn_dissipation_count());
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < count; i++) // fibers and hinges are damped with the stiffness they add
            if (k < 3 || strncmp(cases[i].name, "rayleigh", 8) == 0) test(kinds[k], &cases[i]);
}

static void gradient_case(const char* kind, const Case* c)
{
    Fixture f = make_fixture(kind, c, 2);
    for (int order = 1; order <= 4; order++) {
        scatter(&f, 0.02, 0.01, (uint64_t)order);
        begin(&f, order);
        double value = sn_potential_gradient(f.potential, f.x, f.g).dissipation, size = 0;
        check_near(value, value_at(&f, f.x), 1e-12 * fabs(value));
        check(value > 0 || order > 1);
        for (int i = 0; i < 3 * f.n; i++) size = fmax(size, fabs(f.g[i]));
        check(size > 0);
        for (int i = 0; i < 3 * f.n; i++) {
            double keep = f.x[i], step = 1e-6;
            f.x[i] = keep + step;
            double up = value_at(&f, f.x);
            f.x[i] = keep - step;
            double down = value_at(&f, f.x);
            f.x[i] = keep;
            double slope = (up - down) / (2 * step);
            if (fabs(f.g[i] - slope) > 2e-5 * size)
                fail_msg("%s on %s, order %d: %g by gradient, %g by differences of %g", c->name, kind, order, f.g[i],
                         slope, size);
        }
    }
    free_fixture(&f);
}

static void test_gradient(void** state)
{
    (void)state;
    for_all_cases(gradient_case);
}

static void check_product(Fixture* f, SnHessian* h, const Case* c, const char* kind)
{
    double *d = NULL, *product = NULL, *up = NULL;
    check(SN_NEW(d, 3 * f->n, "test") && SN_NEW(product, 3 * f->n, "test") && SN_NEW(up, 3 * f->n, "test"));
    SnRandom random = {5};
    for (int i = 0; i < 3 * f->n; i++) d[i] = sn_random_uniform(&random, -1, 1);
    multiply_blocks(&h->matrix, d, product);
    const double step = 1e-7;
    double size = 0;
    for (int i = 0; i < 3 * f->n; i++) f->x[i] += step * d[i], size = fmax(size, fabs(product[i]));
    sn_potential_gradient(f->potential, f->x, up);
    for (int i = 0; i < 3 * f->n; i++) f->x[i] -= 2 * step * d[i];
    sn_potential_gradient(f->potential, f->x, f->g);
    for (int i = 0; i < 3 * f->n; i++) f->x[i] += step * d[i];
    for (int i = 0; i < 3 * f->n; i++) {
        double slope = (up[i] - f->g[i]) / (2 * step);
        if (fabs(product[i] - slope) > 1e-4 * size)
            fail_msg("%s on %s: %g by Hessian, %g by differences of %g", c->name, kind, product[i], slope, size);
    }
    sn_free(d), sn_free(product), sn_free(up);
}

static void check_semidefinite(Fixture* f, SnHessian* h, const Case* c, const char* kind)
{
    double *d = NULL, *product = NULL;
    check(SN_NEW(d, 3 * f->n, "test") && SN_NEW(product, 3 * f->n, "test"));
    SnRandom random = {6};
    for (int trial = 0; trial < 40; trial++) {
        double dot = 0, size = 0;
        for (int i = 0; i < 3 * f->n; i++) d[i] = sn_random_uniform(&random, -1, 1);
        multiply_blocks(&h->matrix, d, product);
        for (int i = 0; i < 3 * f->n; i++) dot += d[i] * product[i], size += fabs(d[i] * product[i]);
        if (dot < -1e-10 * size) fail_msg("%s on %s: a direction with curvature %g", c->name, kind, dot);
    }
    sn_free(d), sn_free(product);
}

static void hessian_case(const char* kind, const Case* c)
{
    Fixture f = make_fixture(kind, c, 2);
    SnHessian* h;
    int* all = NULL;
    check(SN_NEW(all, f.n, "test"));
    for (int i = 0; i < f.n; i++) all[i] = i;
    check_ok(sn_hessian_create(f.potential, all, f.n, &h));
    scatter(&f, 0.02, 0.01, 3);
    begin(&f, 2);
    sn_hessian_assemble(h, f.x, false);
    if (c->exact) check_product(&f, h, c, kind);
    sn_hessian_assemble(h, f.x, true);
    check_semidefinite(&f, h, c, kind);
    sn_hessian_destroy(h);
    sn_free(all);
    free_fixture(&f);
}

static void test_hessian(void** state)
{
    (void)state;
    for_all_cases(hessian_case);
}

// The force adds to no momentum where the table says so: W does not change when x is turned, or moved, as a whole.
static void momentum_case(const char* kind, const Case* c)
{
    Fixture f = make_fixture(kind, c, 1);
    for (int order = 1; order <= 4; order++) {
        double force[3] = {0}, torque[3] = {0}, size = 0;
        scatter(&f, 0.02, 0.01, 4);
        begin(&f, order);
        sn_potential_gradient(f.potential, f.x, f.g);
        for (int i = 0; i < f.n; i++)
            for (int k = 0; k < 3; k++) {
                const double *x = f.x + 3 * i, *g = f.g + 3 * i;
                force[k] += g[k];
                torque[k] += x[(k + 1) % 3] * g[(k + 2) % 3] - x[(k + 2) % 3] * g[(k + 1) % 3];
                size += fabs(g[k]);
            }
        bool drag = strcmp(c->name, "drag/drag/0") == 0, moved = false, turned = false;
        for (int k = 0; k < 3; k++) moved |= fabs(force[k]) > 1e-9 * size, turned |= fabs(torque[k]) > 1e-9 * size;
        if (moved != drag)
            fail_msg("%s on %s: force %g %g %g of %g", c->name, kind, force[0], force[1], force[2], size);
        if (turned == c->keeps)
            fail_msg("%s on %s: torque %g %g %g of %g", c->name, kind, torque[0], torque[1], torque[2], size);
    }
    free_fixture(&f);
}

static void test_momentum(void** state)
{
    (void)state;
    for_all_cases(momentum_case);
}

// Nothing is damped where nothing moves; what keeps angular momentum does not damp turning; damping takes energy.
static void power_case(const char* kind, const Case* c)
{
    Fixture f = make_fixture(kind, c, 1);
    scatter(&f, 0.02, 0.01, 7);
    begin(&f, 1);
    check_near(value_at(&f, f.xp), 0, 1e-12);
    sn_potential_gradient(f.potential, f.xp, f.g);
    for (int i = 0; i < 3 * f.n; i++) check_near(f.g[i], 0, 1e-7);
    double power = 0, largest = 0;
    sn_potential_gradient(f.potential, f.x, f.g);
    for (int i = 0; i < 3 * f.n; i++) power += f.g[i] * (f.x[i] - f.xp[i]) / B, largest = fmax(largest, fabs(f.g[i]));
    check(power > 0);
    for (int i = 0; i < f.n && c->keeps; i++) { // a third of a turn
        double a[3];
        memcpy(a, f.xp + 3 * i, sizeof a);
        for (int k = 0; k < 3; k++) f.x[3 * i + k] = a[(k + 1) % 3];
    }
    if (c->keeps) {
        check_near(value_at(&f, f.x), 0, 1e-11);
        sn_potential_gradient(f.potential, f.x, f.g);
        for (int i = 0; i < 3 * f.n; i++) check_near(f.g[i], 0, 1e-6 * largest);
    }
    free_fixture(&f);
}

static void test_power(void** state)
{
    (void)state;
    for_all_cases(power_case);
}

// The prox is where the gradient of its objective vanishes, and no place near it is better; alone and merged.
static void prox_case(const char* kind, const Case* c)
{
    Fixture f = make_fixture(kind, c, 1);
    SnRandom random = {8};
    const SnTermGroup* group = &f.potential->groups[0];
    int size = 3 * group->term->coordinates;
    scatter(&f, 0.02, 0.01, 9);
    begin(&f, 1);
    SnViscousTerms terms = {.count = 1, .packs = {sn_potential_viscous_pack(f.potential, group, 0)}};
    for (int trial = 0; trial < 6; trial++) {
        double y[9][SN_LANES] = {{0}}, z[9][SN_LANES] = {{0}}, weight[SN_LANES], w[SN_LANES], stress[9][SN_LANES];
        SnTermPack pack = sn_potential_pack(group, 0);
        for (int l = 0; l < SN_LANES; l++) {
            double k = sn_term_stiffness(f.potential, group, &pack, l), far = trial < 3 ? 0.01 : 0.3;
            weight[l] = pow(10, trial % 3 - 1) * k * (pack.volume[l] > 0 ? pack.volume[l] : 1);
            for (int i = 0; i < size; i++) y[i][l] = (i % 4 == 0 ? 1.1 : 0) + sn_random_uniform(&random, -far, far);
        }
        sn_viscous_kernels()->prox(&terms, y[0], weight, z[0]);
        sn_viscous_kernels()->density(&terms.packs[0], (const double(*)[SN_LANES])z, w, stress);
        for (int l = 0; l < SN_LANES; l++)
            for (int i = 0; i < size; i++) {
                double volume = pack.volume[l] > 0 ? pack.volume[l] : 1, pull = weight[l] / volume;
                double g = stress[i][l] + pull * (z[i][l] - y[i][l]);
                if (!(fabs(g) <= 1e-6 * pull))
                    fail_msg("%s on %s: trial %d, lane %d: gradient %g, pull %g", c->name, kind, trial, l, g, pull);
            }
    }
    free_fixture(&f);
}

static void test_prox(void** state)
{
    (void)state;
    for_all_cases(prox_case);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gradient), cmocka_unit_test(test_hessian), cmocka_unit_test(test_momentum),
    cmocka_unit_test(test_power),    cmocka_unit_test(test_prox),
};
RUN_TESTS(tests, NULL, NULL)
