// Solids out of surfaces: shapes of tetrahedra over a set of good and bad surfaces, what is told of these, repair.
#include "check.h"
#include "core/random.h"
#include "files.h"
#include "linalg/vec3.h"
#include "mesh/quality.h"
#include "mesh/shells.h"
#include "mesh/winding.h"

// --- surfaces ---

static SnMesh* surface_of(const char* name, const SnShapeDef* def)
{
    SnMesh *solid, *surface;
    check_ok(sn_shape_find(name)->make(def, &solid));
    check_ok(sn_mesh_make_surface(solid, &surface));
    sn_mesh_destroy(solid);
    return surface;
}

enum { SHAPES = 5 };
static SnMesh* make_shape(int shape)
{
    static const SnShapeDef defs[SHAPES] = {
        {.size = {1, 1, 1}, .cells = {4, 4, 4}},         {.radius = 0.6, .cells = {4}},
        {.radius = 0.4, .length = 1.4, .cells = {3, 8}}, {.radii = {0.6, 0.22}, .cells = {20, 2}},
        {.size = {1.6, 0.7, 0.3}, .cells = {6, 3, 2}},
    };
    static const char* const names[SHAPES] = {"box", "sphere", "cylinder", "torus", "box"};
    return surface_of(names[shape], &defs[shape]);
}

// About an axis that is none of the lattice's.
static void turn(SnMesh* mesh)
{
    static const double r[9] = {2.0 / 3, -1.0 / 3, 2.0 / 3, 2.0 / 3, 2.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3, 2.0 / 3};
    for (int n = 0; n < mesh->node_count; n++) {
        double* x = mesh->nodes + 3 * n;
        double y[3] = {x[0], x[1], x[2]};
        for (int i = 0; i < 3; i++) x[i] = r[3 * i] * y[0] + r[3 * i + 1] * y[1] + r[3 * i + 2] * y[2] + 0.1 * i;
    }
}

static void flip(SnMesh* mesh, int first, int step)
{
    for (int t = first; t < mesh->triangle_count; t += step) {
        int* n = mesh->triangles + 3 * t;
        int swap = n[1];
        n[1] = n[2], n[2] = swap;
    }
}

static SnMesh* with_triangles(const SnMesh* mesh, const double* nodes, int node_count, const int* triangles, int count)
{
    SnMeshDef def = sn_default_mesh_def();
    SnMesh* out;
    (void)mesh;
    def.node_count = node_count, def.nodes = nodes, def.triangle_count = count, def.triangles = triangles;
    check_ok(sn_mesh_create(&def, &out));
    return out;
}

// A second copy, moved and perhaps made smaller.
static SnMesh* twice(const SnMesh* mesh, double scale, double move)
{
    int n = mesh->node_count, t = mesh->triangle_count;
    double* nodes = malloc(sizeof(double[6]) * (size_t)n);
    int* triangles = malloc(sizeof(int[6]) * (size_t)t);
    for (int i = 0; i < 3 * n; i++) {
        nodes[i] = mesh->nodes[i];
        nodes[3 * n + i] = scale * mesh->nodes[i] + move * (i % 3 == 0);
    }
    for (int i = 0; i < 3 * t; i++) triangles[i] = mesh->triangles[i], triangles[3 * t + i] = mesh->triangles[i] + n;
    SnMesh* out = with_triangles(mesh, nodes, 2 * n, triangles, 2 * t);
    free(nodes), free(triangles);
    return out;
}

// Every node with a triangle of its own sticking out of the surface, as scans have them.
static SnMesh* with_fins(const SnMesh* mesh)
{
    int n = mesh->node_count, t = mesh->triangle_count, fins = t / 10;
    double* nodes = malloc(sizeof(double[3]) * (size_t)(n + fins));
    int* triangles = malloc(sizeof(int[3]) * (size_t)(t + fins));
    memcpy(nodes, mesh->nodes, sizeof(double[3]) * (size_t)n);
    memcpy(triangles, mesh->triangles, sizeof(int[3]) * (size_t)t);
    for (int f = 0; f < fins; f++) {
        const int* c = mesh->triangles + 3 * (10 * f);
        for (int i = 0; i < 3; i++) nodes[3 * (n + f) + i] = 1.02 * mesh->nodes[3 * c[0] + i] + 0.003;
        triangles[3 * (t + f)] = c[0], triangles[3 * (t + f) + 1] = c[1], triangles[3 * (t + f) + 2] = n + f;
    }
    SnMesh* out = with_triangles(mesh, nodes, n + fins, triangles, t + fins);
    free(nodes), free(triangles);
    return out;
}

enum { KINDS = 9 };
static const char* const kind_names[KINDS] = {
    "clean", "turned", "noisy", "thin", "open", "fins", "inside out", "crossing", "random directions"};

static SnMesh* make_kind(int shape, int kind)
{
    SnMesh *mesh = make_shape(shape), *other = NULL;
    SnRandom random = {1 + (uint64_t)(shape + 10 * kind)};
    if (kind > 0) turn(mesh);
    for (int i = 0; kind == 2 && i < 3 * mesh->node_count; i++)
        mesh->nodes[i] += sn_random_uniform(&random, -0.015, 0.015);
    for (int i = 0; kind == 3 && i < 3 * mesh->node_count; i++) mesh->nodes[i] *= i % 3 == 1 ? 0.25 : 1;
    if (kind == 4) {
        int kept = 0;
        for (int t = 0; t < mesh->triangle_count; t++)
            if (t % 12 != 5) memmove(mesh->triangles + 3 * kept++, mesh->triangles + 3 * t, sizeof(int[3]));
        mesh->triangle_count = kept;
    }
    if (kind == 5) other = with_fins(mesh);
    if (kind == 6) flip(mesh, 0, 1);
    if (kind == 7) other = twice(mesh, 0.9, 0.25);
    if (kind == 8) flip(mesh, 0, 3);
    if (!other) return mesh;
    sn_mesh_destroy(mesh);
    return other;
}

// --- solids ---

static void check_valid(const SnMesh* solid, const char* name)
{
    SnMeshCheck found;
    check_ok(sn_mesh_check(solid, &found));
    for (int k = 0; k < SN_MESH_NON_MANIFOLD; k++)
        if (found.problems[k].count) fail_msg("%s: problem %d", name, k);
}

// The promise: dihedral angles from 10 to 165 degrees, whatever the surface.
static void test_quality_over_surfaces(void** state)
{
    (void)state;
    double least = 180, largest = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int shape = 0; shape < SHAPES; shape++) {
            SnMesh *surface = make_kind(shape, kind), *solid;
            SnSolidDef def = sn_default_solid_def();
            SnSolidReport r;
            def.edge = 0.11, def.threads = 1;
            check_ok(sn_mesh_make_solid(surface, &def, &solid, &r));
            check_valid(solid, kind_names[kind]);
            double lo, hi;
            sn_mesh_dihedral_angles(solid, &lo, &hi);
            check(lo == r.least_dihedral && hi == r.largest_dihedral);
            if (lo < 10 || hi > 165) fail_msg("%s, shape %d: %g to %g degrees", kind_names[kind], shape, lo, hi);
            least = fmin(least, lo), largest = fmax(largest, hi);
            if (kind != 4 && kind != 5 &&
                !(r.volume > (kind == 3 ? 0.7 : 0.8) * r.surface.volume && r.volume < 1.001 * r.surface.volume) &&
                kind != 7)
                fail_msg("%s, shape %d: %g of %g m3", kind_names[kind], shape, r.volume, r.surface.volume);
            if (kind != 4 && kind != 5 && kind != 7) check(r.deviation < 1e-7);
            sn_mesh_destroy(surface), sn_mesh_destroy(solid);
        }
    print_message("dihedral angles over %d surfaces: %.4g to %.4g degrees\n", KINDS * SHAPES, least, largest);
}

// A ball's volume is approached as the square of the edge length; its boundary lies on it.
static void test_volume_converges(void** state)
{
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        SnShapeDef shape = {.radius = 1, .cells = {16}};
        SnMesh *surface = surface_of("sphere", &shape), *solid;
        SnSolidDef def = sn_default_solid_def();
        SnSolidReport r;
        def.edge = i ? 0.1 : 0.2;
        check_ok(sn_mesh_make_solid(surface, &def, &solid, &r));
        error[i] = 1 - r.volume / r.surface.volume;
        sn_mesh_destroy(surface), sn_mesh_destroy(solid);
    }
    check(error[0] > 0 && error[1] > 0 && error[1] < 0.35 * error[0]);
}

static void test_reports(void** state)
{
    (void)state;
    static const struct {
        int shape, kind;
        const char* what;
    } rows[] = {{0, 0, ""}, {1, 4, "hole"}, {1, 5, "crowded"}, {2, 6, "inside"}, {3, 7, "cross"}, {1, 8, "turned"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SnMesh *surface = make_kind(rows[i].shape, rows[i].kind), *solid;
        SnSolidDef def = sn_default_solid_def();
        SnSolidReport r;
        def.tetrahedra = 3000;
        check_ok(sn_mesh_make_solid(surface, &def, &solid, &r));
        check(solid->tetrahedron_count > 2000 && solid->tetrahedron_count < 4000);
        const SnSurfaceReport* s = &r.surface;
        const char* what = rows[i].what;
        assert_int_equal(s->open_edges > 0, what[0] == 'h' || what[0] == 'c' ? s->open_edges > 0 : 0);
        if (!*what) check(s->shells == 1 && !s->holes && !s->crossings && !s->turned && !s->inside_out && !s->twice);
        if (!strcmp(what, "hole")) check(s->holes == surface->triangle_count / 11 || s->holes > 5);
        if (!strcmp(what, "crowded")) check(s->crowded_edges > 0);
        if (!strcmp(what, "inside")) check(s->inside_out == 1 && s->volume > 0);
        if (!strcmp(what, "cross")) check(s->crossings > 10 && s->shells == 2);
        if (!strcmp(what, "turned")) check(s->turned == (surface->triangle_count + 2) / 3 && s->inside_out == 0);
        sn_mesh_destroy(surface), sn_mesh_destroy(solid);
    }
}

// A shell inside that faces inward is a hollow; one that faces outward is filled already.
static void test_cavities(void** state)
{
    (void)state;
    for (int hollow = 0; hollow < 2; hollow++) {
        SnMesh *ball = make_shape(1), *two = twice(ball, 0.5, 0), *solid;
        SnSolidReport r;
        SnSolidDef def = sn_default_solid_def();
        if (hollow)
            for (int t = two->triangle_count / 2; t < two->triangle_count; t++) {
                int swap = two->triangles[3 * t];
                two->triangles[3 * t] = two->triangles[3 * t + 1], two->triangles[3 * t + 1] = swap;
            }
        def.edge = 0.1;
        check_ok(sn_mesh_make_solid(two, &def, &solid, &r));
        assert_int_equal(r.surface.cavities, hollow);
        assert_int_equal(r.surface.inside_out, 0);
        check_near(r.volume / (0.6 * 0.6 * 0.6 * 4.18879), hollow ? 0.875 : 1, 0.07);
        sn_mesh_destroy(ball), sn_mesh_destroy(two), sn_mesh_destroy(solid);
    }
}

// Graded inside, it has the boundary of the ungraded solid, node for node, without a gap and with far fewer tetrahedra.
static void test_graded(void** state)
{
    (void)state;
    static const int kinds[] = {1, 7};
    double least = 180, most = 0;
    int counts[2] = {0};
    for (int i = 0; i < SHAPES * 2; i++) {
        SnMesh *surface = make_kind(i % SHAPES, kinds[i / SHAPES]), *solids[2], *sides[2];
        SnSolidReport r[2];
        for (int graded = 0; graded < 2; graded++) {
            SnSolidDef def = sn_default_solid_def();
            def.edge = 0.05, def.grade = graded ? 8 : 1;
            check_ok(sn_mesh_make_solid(surface, &def, &solids[graded], &r[graded]));
            check_ok(sn_mesh_make_surface(solids[graded], &sides[graded]));
            counts[graded] += solids[graded]->tetrahedron_count;
        }
        check_valid(solids[1], "graded");
        check_near(r[1].volume, r[0].volume, 1e-9 * r[0].volume);
        check(r[1].least_dihedral >= 10 && r[1].largest_dihedral <= 165);
        assert_int_equal(sides[1]->node_count, sides[0]->node_count);
        assert_int_equal(sides[1]->triangle_count, sides[0]->triangle_count);
        assert_memory_equal(sides[1]->nodes, sides[0]->nodes, sizeof(double[3]) * (size_t)sides[0]->node_count);
        least = fmin(least, r[1].least_dihedral), most = fmax(most, r[1].largest_dihedral);
        for (int k = 0; k < 2; k++) sn_mesh_destroy(solids[k]), sn_mesh_destroy(sides[k]);
        sn_mesh_destroy(surface);
    }
    print_message("graded: %d tetrahedra instead of %d, dihedral angles %.4g to %.4g\n", counts[1], counts[0], least,
                  most);
    check(counts[1] < 0.7 * counts[0]);
}

// Deep inside a box every kind of tetrahedron between sizes occurs; none has an angle below 45 degrees.
static void test_graded_angles(void** state)
{
    (void)state;
    SnShapeDef shape = {.size = {1, 1, 1}, .cells = {2, 2, 2}};
    SnMesh *surface = surface_of("box", &shape), *solid;
    SnSolidDef def = sn_default_solid_def();
    def.edge = 1.0 / 40, def.grade = 16;
    check_ok(sn_mesh_make_solid(surface, &def, &solid, NULL));
    int kept = 0;
    double longest = 0;
    for (int t = 0; t < solid->tetrahedron_count; t++) {
        bool deep = true;
        const int* n = solid->tetrahedra + 4 * t;
        for (int i = 0; i < 6; i++)
            longest = fmax(longest, sn_distance3(solid->nodes + 3 * n["000112"[i] - '0'],
                                                 solid->nodes + 3 * n["123233"[i] - '0']));
        for (int i = 0; i < 12; i++) {
            double x = solid->nodes[3 * solid->tetrahedra[4 * t + i / 3] + i % 3];
            deep &= x > 2.5 * def.edge && x < 1 - 2.5 * def.edge;
        }
        if (deep) memmove(solid->tetrahedra + 4 * kept++, solid->tetrahedra + 4 * t, sizeof(int[4]));
    }
    solid->tetrahedron_count = kept;
    double lo, hi;
    sn_mesh_dihedral_angles(solid, &lo, &hi);
    print_message("inside: %g to %g degrees, edges up to %g of those at the surface\n", lo, hi, longest / def.edge);
    check_near(longest, 8 * def.edge, 1e-9); // three levels fit
    check(kept > 1000 && lo > 45 - 1e-9 && hi < 120 + 1e-9);
    sn_mesh_destroy(surface), sn_mesh_destroy(solid);
}

static void test_same_for_any_threads(void** state)
{
    (void)state;
    SnMesh *surface = make_kind(3, 4), *solids[3];
    for (int i = 0; i < 3; i++) {
        SnSolidDef def = sn_default_solid_def();
        def.edge = 0.03, def.grade = 4, def.fit = true, def.threads = i ? 4 * i - 1 : 1;
        check_ok(sn_mesh_make_solid(surface, &def, &solids[i], NULL));
        assert_int_equal(solids[i]->node_count, solids[0]->node_count);
        assert_int_equal(solids[i]->tetrahedron_count, solids[0]->tetrahedron_count);
        assert_memory_equal(solids[i]->nodes, solids[0]->nodes, sizeof(double[3]) * (size_t)solids[0]->node_count);
        assert_memory_equal(solids[i]->tetrahedra, solids[0]->tetrahedra,
                            sizeof(int[4]) * (size_t)solids[0]->tetrahedron_count);
    }
    for (int i = 0; i < 3; i++) sn_mesh_destroy(solids[i]);
    sn_mesh_destroy(surface);
}

// Fitted, a turned box has its corners and most of the volume that the lattice cuts off its edges.
static void test_fit(void** state)
{
    (void)state;
    SnMesh* surface = make_kind(0, 1);
    double lost[2];
    for (int fit = 0; fit < 2; fit++) {
        SnMesh* solid;
        SnSolidDef def = sn_default_solid_def();
        SnSolidReport r;
        def.edge = 0.12, def.fit = fit;
        check_ok(sn_mesh_make_solid(surface, &def, &solid, &r));
        check_valid(solid, "fitted");
        check(r.least_dihedral >= 8 && r.largest_dihedral <= 172 && r.deviation < 1e-7);
        lost[fit] = 1 - r.volume;
        int corners = 0;
        for (int k = 0; k < 8; k++) {
            SnMeshDef corner = sn_default_mesh_def();
            double p[3] = {k & 1, k >> 1 & 1, k >> 2};
            SnMesh* one;
            corner.node_count = 1, corner.nodes = p;
            check_ok(sn_mesh_create(&corner, &one));
            turn(one);
            for (int n = 0; n < solid->node_count; n++) {
                double d = 0;
                for (int c = 0; c < 3; c++) d += fabs(solid->nodes[3 * n + c] - one->nodes[c]);
                corners += d < 1e-9;
            }
            sn_mesh_destroy(one);
        }
        if (fit) assert_int_equal(corners, 8);
        sn_mesh_destroy(solid);
    }
    print_message("volume lost at edges: %.3g %%, fitted %.3g %%\n", 100 * lost[0], 100 * lost[1]);
    check(lost[1] < 0.4 * lost[0]);
    sn_mesh_destroy(surface);
}

// By the tree as by the sum over all triangles.
static void test_winding(void** state)
{
    (void)state;
    SnMesh* mesh = make_kind(3, 4);
    SnWinding* winding;
    SnRandom random = {5};
    check_ok(sn_winding_create(mesh->triangle_count, mesh->triangles, mesh->nodes, &winding));
    for (int i = 0; i < 500; i++) {
        double p[3], sum = 0;
        for (int c = 0; c < 3; c++) p[c] = sn_random_uniform(&random, -1.5, 1.5);
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int* n = mesh->triangles + 3 * t;
            sum += sn_solid_angle(mesh->nodes + 3 * n[0], mesh->nodes + 3 * n[1], mesh->nodes + 3 * n[2], p);
        }
        check_near(sn_winding_at(winding, p), sum / (4 * 3.14159265358979323846), 5e-3);
    }
    sn_winding_destroy(winding);
    sn_mesh_destroy(mesh);
}

static void test_solid_mistakes(void** state)
{
    (void)state;
    SnMesh *solid, *box, *cloth, *surface = make_shape(1);
    SnSolidDef def = sn_default_solid_def();
    check_ok(sn_mesh_make_box((double[]){1, 1, 1}, (int[]){1, 1, 1}, &box));
    check_ok(sn_mesh_make_cloth((double[]){1, 1}, (int[]){2, 2}, &cloth));
    check_fails(sn_mesh_make_solid(box, &def, &solid, NULL), SN_ERROR_VALUE, "tetrahedra already");
    check_fails(sn_mesh_make_solid(cloth, &def, &solid, NULL), SN_ERROR_VALUE, "it is open", "fill");
    def.edge = -1;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "-1 m");
    def.edge = 1e-7;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "units");
    def.edge = 1e-3;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "longer edges");
    def.edge = 5;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "shorter edges");
    def.edge = 0.1, def.tetrahedra = -1;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "-1 tetrahedra");
    def.tetrahedra = 0, def.grade = 0.5;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "0.5 times");
    def.grade = 1, surface->nodes[0] = NAN;
    check_fails(sn_mesh_make_solid(surface, &def, &solid, NULL), SN_ERROR_VALUE, "vertex 0");
    assert_null(solid);
    sn_mesh_destroy(box), sn_mesh_destroy(cloth), sn_mesh_destroy(surface);
}

static void test_solid_out_of_memory(void** state)
{
    (void)state;
    SnMesh* surface = make_kind(0, 1);
    SnStatus status = SN_ERROR_MEMORY;
    FailingMemory memory;
    for (int n = 0; status == SN_ERROR_MEMORY && n < 400; n++) {
        SnMesh* solid;
        SnSolidDef def = sn_default_solid_def();
        def.edge = 0.4, def.grade = 2, def.fit = true, def.threads = 1;
        start_failing(&memory, n);
        status = sn_mesh_make_solid(surface, &def, &solid, NULL);
        if (status == SN_OK) sn_mesh_destroy(solid);
        stop_failing(&memory);
    }
    assert_int_equal(status, SN_OK);
    sn_mesh_destroy(surface);
}

// --- repair ---

static void test_repair(void** state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (kind == 5 || kind == 7) continue; // no surface of one sheet
            SnMesh *whole = make_kind(shape, kind == 4 ? 1 : 0), *mesh = make_kind(shape, kind), *repaired;
            SnRepairDef def = sn_default_repair_def();
            SnRepairReport r;
            check_ok(sn_mesh_repair(mesh, &def, &repaired, &r));
            if (r.after.open_edges || r.after.crowded_edges || r.after.turned || r.after.inside_out)
                fail_msg("%s, shape %d: %d open edges, %d crowded, %d twice; before %d open, %d closed, %d holes",
                         kind_names[kind], shape, r.after.open_edges, r.after.crowded_edges, r.after.twice,
                         r.before.open_edges, r.closed, r.before.holes);
            assert_int_equal(repaired->triangle_count, whole->triangle_count);
            check(r.after.volume > 0);
            if (kind == 4) check(r.closed > 0);
            sn_mesh_destroy(mesh), sn_mesh_destroy(repaired), sn_mesh_destroy(whole);
        }
}

// Every corner of every triangle with a vertex of its own, some triangles twice, one without area.
static void test_merge(void** state)
{
    (void)state;
    SnMesh *ball = make_shape(1), *repaired;
    int t = ball->triangle_count;
    double* nodes = malloc(sizeof(double[9]) * (size_t)t);
    int* triangles = malloc(sizeof(int[3]) * (size_t)(t + 3));
    for (int i = 0; i < 9 * t; i++) nodes[i] = ball->nodes[3 * ball->triangles[i / 3] + i % 3];
    for (int i = 0; i < 3 * t; i++) triangles[i] = i;
    for (int i = 0; i < 6; i++) triangles[3 * t + i] = i;
    triangles[3 * t + 6] = triangles[3 * t + 7] = 0, triangles[3 * t + 8] = 4;
    SnMesh* soup = with_triangles(ball, nodes, 3 * t, triangles, t + 3);
    SnRepairDef def = sn_default_repair_def();
    SnRepairReport r;
    check_ok(sn_mesh_repair(soup, &def, &repaired, &r));
    check(r.before.flat == 1 && r.before.twice == 2 && r.before.merged == 3 * t - ball->node_count);
    check(repaired->node_count == ball->node_count && repaired->triangle_count == t && r.after.open_edges == 0);
    sn_mesh_destroy(repaired), sn_mesh_destroy(soup), sn_mesh_destroy(ball);
    free(nodes), free(triangles);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_quality_over_surfaces),
    cmocka_unit_test(test_volume_converges),
    cmocka_unit_test(test_reports),
    cmocka_unit_test(test_cavities),
    cmocka_unit_test(test_graded),
    cmocka_unit_test(test_graded_angles),
    cmocka_unit_test(test_same_for_any_threads),
    cmocka_unit_test(test_fit),
    cmocka_unit_test(test_winding),
    cmocka_unit_test(test_solid_mistakes),
    cmocka_unit_test(test_solid_out_of_memory),
    cmocka_unit_test(test_repair),
    cmocka_unit_test(test_merge),
};
RUN_TESTS(tests, NULL, NULL)
