// The potential: gradient and Hessian through packs and patches by finite differences, invariances, projection,
// threads.
#include "check.h"
#include "core/random.h"
#include "linalg/svd3.h"
#include "mesh/mesh.h"
#include "potential/laplacian.h"

// A body for each kind of term: a box, a cloth or a rope.
typedef struct Fixture {
    SnMesh* mesh;
    SnTasks* tasks;
    SnPotential* potential;
    int n;
    double *x, *g; // 3 n
} Fixture;

static void make_mesh(const SnTermType* term, int size, SnMesh** mesh)
{
    const double sides[3] = {2, 1, 1};
    const int cells[3] = {2 * size, size, size};
    if (strcmp(term->name, "tetrahedron") == 0 || strcmp(term->name, "fiber") == 0)
        check_ok(sn_mesh_make_box(sides, cells, mesh));
    else if (strcmp(term->name, "edge") == 0)
        check_ok(sn_mesh_make_rope(1, 40 * size, mesh));
    else
        check_ok(sn_mesh_make_cloth(sides, (int[]){4 * size, 2 * size}, mesh));
    // Half of the sheet is curved at rest, half is flat.
    for (int i = 0; i < (*mesh)->node_count && strcmp(term->name, "hinge") == 0; i++) {
        double* x = (*mesh)->nodes + 3 * i;
        x[1] = x[0] > 1 ? 0.3 * (x[0] - 1) * (x[0] - 1) : 0;
    }
}

// The elements of the mesh that the term is made of; hinges are found by trying all pairs of triangles.
static int* make_elements(const SnTermType* term, const SnMesh* mesh, int* count)
{
    const int* items = term->nodes == 4 ? mesh->tetrahedra : term->nodes == 3 ? mesh->triangles : mesh->edges;
    *count = term->nodes == 4 ? mesh->tetrahedron_count : term->nodes == 3 ? mesh->triangle_count : mesh->edge_count;
    if (strcmp(term->name, "hinge") != 0)
        return sn_copy_memory(items, (size_t)(term->nodes * *count), sizeof(int), "test");
    int* hinges = sn_allocate((size_t)(4 * 3 * mesh->triangle_count), sizeof *hinges, "test");
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        for (int j = i + 1; j < 3 * mesh->triangle_count; j++) {
            const int *t = mesh->triangles + i / 3 * 3, *u = mesh->triangles + j / 3 * 3;
            int a = t[i % 3], b = t[(i % 3 + 1) % 3], c = u[j % 3], d = u[(j % 3 + 1) % 3];
            if (i / 3 == j / 3 || a != d || b != c) continue;
            int* hinge = hinges + 4 * (*count)++;
            hinge[0] = a, hinge[1] = b, hinge[2] = t[(i % 3 + 2) % 3], hinge[3] = u[(j % 3 + 2) % 3];
        }
    return hinges;
}

static Fixture make_fixture(const SnTermType* term, const SnMaterialType* material, SnInversion inversion, int size,
                            int threads)
{
    Fixture f = {0};
    SnMaterial m = sn_material(material->name, 1e4, 0.4, 1000);
    SnMaterialParameters p;
    m.inversion = inversion;
    check_ok(sn_material_parameters(&m, material, &p));
    make_mesh(term, size, &f.mesh);
    f.n = f.mesh->node_count;
    check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &f.tasks));
    check_ok(sn_potential_create(f.n, f.mesh->nodes, f.tasks, &f.potential));
    SnTermsDef def = {.term = term, .material = material, .parameters = &p, .section = 0.02, .name = "test"};
    def.direction[0] = 3, def.direction[1] = 1;
    int* elements = make_elements(term, f.mesh, &def.count);
    check(def.count > 10);
    def.elements = elements;
    check_ok(sn_potential_add(f.potential, &def));
    sn_free(elements);
    check_ok(sn_potential_finish(f.potential));
    check(SN_NEW(f.x, 3 * f.n, "test") && SN_NEW(f.g, 3 * f.n, "test"));
    memcpy(f.x, f.mesh->nodes, 3 * (size_t)f.n * sizeof *f.x);
    return f;
}

static void free_fixture(Fixture* f)
{
    sn_potential_destroy(f->potential);
    sn_tasks_destroy(f->tasks);
    sn_mesh_destroy(f->mesh);
    sn_free(f->x), sn_free(f->g);
}

static void jitter(Fixture* f, double size, uint64_t seed)
{
    SnRandom random = {seed};
    for (int i = 0; i < 3 * f->n; i++) f->x[i] = f->mesh->nodes[i] + sn_random_uniform(&random, -size, size);
}

// Every pair of a term kind and a material that takes its elements.
typedef void PairTest(const SnTermType* term, const SnMaterialType* material);
static void for_all_pairs(PairTest* test)
{
    int pairs = 0;
    for (int t = 0; t < sn_term_count(); t++)
        for (int m = 0; m < sn_material_count(); m++)
            if ((sn_term_at(t)->elements & sn_material_at(m)->elements) || (!sn_term_at(t)->elements && m == 0))
                test(sn_term_at(t), sn_material_at(m)), pairs++;
    check(pairs >= sn_material_count());
}

static void check_gradient(Fixture* f, double step, double tolerance)
{
    sn_potential_gradient(f->potential, f->x, f->g);
    double size = 0;
    for (int i = 0; i < 3 * f->n; i++) size = fmax(size, fabs(f->g[i]));
    for (int i = 0; i < 3 * f->n; i++) {
        double keep = f->x[i];
        f->x[i] = keep + step;
        double up = sn_potential_energy(f->potential, f->x);
        f->x[i] = keep - step;
        double down = sn_potential_energy(f->potential, f->x);
        f->x[i] = keep;
        check_near(f->g[i], (up - down) / (2 * step), tolerance * size);
    }
}

static void gradient_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 2, 2);
    jitter(&f, 0.05, 1);
    check_gradient(&f, 1e-6, 1e-6);
    jitter(&f, 0.6, 2); // many inverted elements
    check_gradient(&f, 1e-7, 1e-4);
    free_fixture(&f);
}

static void test_gradient(void** state)
{
    (void)state;
    for_all_pairs(gradient_pair);
}

// Dense H x by the block matrix over free rows, against differences of the gradient.
static void check_hessian(Fixture* f, const int* free_index, int free_count, double tolerance)
{
    SnHessian* h;
    check_ok(sn_hessian_create(f->potential, free_index, free_count, &h));
    for (int i = 0; i < free_count; i++) h->diagonal[i] = 7;
    sn_hessian_assemble(h, f->x, false);
    SnRandom random = {9};
    double *direction = NULL, *rows = NULL, *product = NULL, *up = NULL, *down = NULL;
    check(SN_NEW(direction, 3 * f->n, "test") && SN_NEW(rows, 3 * free_count, "test") &&
          SN_NEW(product, 3 * free_count, "test") && SN_NEW(up, 3 * f->n, "test") && SN_NEW(down, 3 * f->n, "test"));
    for (int trial = 0; trial < 5; trial++) {
        for (int i = 0; i < f->n; i++)
            for (int c = 0; c < 3 && free_index[i] >= 0; c++)
                rows[3 * free_index[i] + c] = direction[3 * i + c] = sn_random_uniform(&random, -1, 1);
        sn_block_matrix_multiply(&h->matrix, rows, product);
        const double step = 1e-7, noise = 1e-11 / step; // the gradient is rounded to about 1e-11
        double size = 0;
        for (int i = 0; i < 3 * f->n; i++) f->x[i] += step * direction[i];
        sn_potential_gradient(f->potential, f->x, up);
        for (int i = 0; i < 3 * f->n; i++) f->x[i] -= 2 * step * direction[i];
        sn_potential_gradient(f->potential, f->x, down);
        for (int i = 0; i < 3 * f->n; i++) f->x[i] += step * direction[i];
        for (int i = 0; i < 3 * free_count; i++) size = fmax(size, fabs(product[i]));
        for (int i = 0; i < f->n; i++)
            for (int c = 0; c < 3 && free_index[i] >= 0; c++) {
                int k = 3 * i + c, row = 3 * free_index[i] + c;
                check_near(product[row], (up[k] - down[k]) / (2 * step) + 7 * rows[row], tolerance * size + noise);
            }
    }
    sn_free(direction), sn_free(rows), sn_free(product), sn_free(up), sn_free(down);
    sn_hessian_destroy(h);
}

static void hessian_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 2, 2);
    int *all = NULL, *some = NULL, count = 0;
    check(SN_NEW(all, f.n, "test") && SN_NEW(some, f.n, "test"));
    for (int i = 0; i < f.n; i++) all[i] = f.n - 1 - i; // any order of rows will do
    for (int i = 0; i < f.n; i++) some[i] = i % 3 == 0 ? -1 : count++;
    check_hessian(&f, all, f.n, 1e-6); // at rest: all stretches equal
    jitter(&f, 0.05, 3);
    check_hessian(&f, all, f.n, 1e-5);
    check_hessian(&f, some, count, 1e-5);
    jitter(&f, 0.4, 4); // some inverted elements
    check_hessian(&f, all, f.n, 1e-3);
    sn_free(all), sn_free(some);
    free_fixture(&f);
}

static void test_hessian(void** state)
{
    (void)state;
    for_all_pairs(hessian_pair);
}

// The dense 3k x 3k Hessian of the one real lane of a pack's blocks.
static void dense_blocks(const double* blocks, int nodes, int lane, double* out)
{
    int n = 3 * nodes;
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b <= a; b++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    double value = blocks[((a * (a + 1) / 2 + b) * 9 + 3 * r + c) * SN_LANES + lane];
                    out[(3 * a + r) * n + 3 * b + c] = out[(3 * b + c) * n + 3 * a + r] = value;
                }
}

// Eigenvalues and vectors of a symmetric n x n matrix by cyclic Jacobi: an independent reference.
static void dense_eigen(int n, double* a, double* v)
{
    for (int i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0) continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
                    x = v[p * n + k], y = v[q * n + k];
                    v[p * n + k] = c * x - s * y, v[q * n + k] = s * x + c * y;
                }
            }
}

// The 9x9 (or 3x3) Hessian by F follows from the element's by its shape; projecting it with a dense eigen-solve and
// going back must give the projected blocks.
static void projection_pair(const SnTermType* term, const SnMaterialType* material)
{
    if (term->coordinates != 3) return; // the others have their own test below
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    int k = term->nodes, n = 3 * k, m = 3 * (k - 1); // unknowns, entries of F
    for (int trial = 0; trial < 20; trial++) {
        jitter(&f, trial < 10 ? 0.2 : 0.9, 100 + (uint64_t)trial);
        const SnTermGroup* group = &f.potential->groups[0];
        const double* x = sn_potential_gather(f.potential, &f.potential->patches[0], f.x);
        SnTermPack pack = sn_potential_pack(group, 0);
        double plain[SN_TERM_PAIRS * 9 * SN_LANES], projected[SN_TERM_PAIRS * 9 * SN_LANES];
        term->hessian(material, &pack, x, false, plain);
        term->hessian(material, &pack, x, true, projected);
        for (int lane = 0; lane < 4; lane++) {
            // Shape rows: node a moves F's entry (r, c) by d[a][c] on axis r.
            double d[4][3] = {{0}}, hx[144], hp[144], inverse[9], hf[81] = {0}, v[81], back[144];
            int w = k - 1;
            for (int a = 1; a < k; a++)
                for (int c = 0; c < w; c++) {
                    d[a][c] = pack.shape[((a - 1) * w + c) * SN_LANES + lane];
                    d[0][c] -= d[a][c];
                }
            dense_blocks(plain, k, lane, hx);
            dense_blocks(projected, k, lane, hp);
            // Invert the w x w matrix of d[1..][.]: H_F = B^T-weighted corners 1.. of H_x.
            if (w == 1) {
                inverse[0] = 1 / d[1][0];
            } else {
                double cof[3][3];
                for (int i = 0; i < 3; i++) sn_lane_cross(d[1 + (i + 1) % 3], d[1 + (i + 2) % 3], cof[i]);
                double det = sn_lane_dot(d[1], cof[0]);
                for (int c = 0; c < 3; c++)
                    for (int a = 0; a < 3; a++) inverse[3 * c + a] = cof[a][c] / det; // sum_c d[a][c] inv[c][b] = I
            }
            for (int c = 0; c < w; c++)
                for (int e = 0; e < w; e++)
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++)
                            for (int a = 0; a < w; a++)
                                for (int b = 0; b < w; b++)
                                    hf[(3 * c + r) * m + 3 * e + q] += inverse[w * c + a] * inverse[w * e + b] *
                                                                       hx[(3 * (a + 1) + r) * n + 3 * (b + 1) + q];
            dense_eigen(m, hf, v);
            double pf[81] = {0};
            for (int i = 0; i < m; i++)
                for (int r = 0; r < m && hf[i * m + i] > 0; r++)
                    for (int c = 0; c < m; c++) pf[r * m + c] += hf[i * m + i] * v[i * m + r] * v[i * m + c];
            double size = 0;
            for (int i = 0; i < n * n; i++) back[i] = 0, size = fmax(size, fabs(hx[i]));
            for (int a = 0; a < k; a++)
                for (int b = 0; b < k; b++)
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++)
                            for (int c = 0; c < w; c++)
                                for (int e = 0; e < w; e++)
                                    back[(3 * a + r) * n + 3 * b + q] +=
                                        d[a][c] * d[b][e] * pf[(3 * c + r) * m + 3 * e + q];
            for (int i = 0; i < n * n; i++) check_near(hp[i], back[i], 1e-9 * size);
        }
    }
    free_fixture(&f);
}

static void test_projection_is_nearest(void** state)
{
    (void)state;
    for_all_pairs(projection_pair);
}

// Any term: the projected Hessian is positive semidefinite and not below the true one, element by element.
static void semidefinite_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    int k = term->nodes, n = 3 * k;
    for (int trial = 0; trial < 20; trial++) {
        jitter(&f, trial < 10 ? 0.02 : 0.3, 200 + (uint64_t)trial);
        const double* x = sn_potential_gather(f.potential, &f.potential->patches[0], f.x);
        SnTermPack pack = sn_potential_pack(&f.potential->groups[0], 0);
        double plain[SN_TERM_PAIRS * 9 * SN_LANES], projected[SN_TERM_PAIRS * 9 * SN_LANES];
        term->hessian(material, &pack, x, false, plain);
        term->hessian(material, &pack, x, true, projected);
        for (int lane = 0; lane < 4; lane++) {
            double a[144], b[144], v[144], size = 0;
            dense_blocks(plain, k, lane, a);
            dense_blocks(projected, k, lane, b);
            for (int i = 0; i < n * n; i++) size = fmax(size, fabs(a[i])), a[i] = b[i] - a[i];
            dense_eigen(n, a, v);
            dense_eigen(n, b, v);
            for (int i = 0; i < n; i++) check(a[i * n + i] > -1e-10 * size && b[i * n + i] > -1e-10 * size);
        }
    }
    free_fixture(&f);
}

static void test_projection_is_semidefinite(void** state)
{
    (void)state;
    for_all_pairs(semidefinite_pair);
}

// The objective of the prox for one lane, written with the plain density functions.
static double prox_objective(const SnTermType* term, const SnMaterialType* material, const SnTermPack* pack,
                             double y[9][SN_LANES], const double* z, const double* weight, int l)
{
    const SnParameterPack* q = &pack->parameters;
    SnMaterialParameters m = {q->mu[l], q->lambda[l], q->floor[l], {q->extra[0][l], q->extra[1][l]}, q->user};
    double sum = 0, f[9], u[9], s[3] = {1, 1, 1}, v[9];
    for (int i = 0; i < 3 * term->coordinates; i++) sum += 0.5 * weight[l] * (z[i] - y[i][l]) * (z[i] - y[i][l]);
    for (int i = 0; i < 9; i++) f[i] = i < 3 * term->coordinates ? z[i] : 0;
    if (!term->elements) { // a hinge, whose shape ends with the length at rest
        double d = sqrt(sn_lane_dot(z, z)) - pack->shape[(term->shape_size - 1) * SN_LANES + l];
        return sum + 0.5 * pack->volume[l] * m.mu * d * d;
    }
    sn_lane_svd3(f, u, s, v);
    if (term->coordinates < 3) s[2] = 1;
    if (term->coordinates < 2) s[1] = 1;
    return sum + pack->volume[l] * material->energy((SnStretches){s[0], s[1], s[2]}, m);
}

// Optimality: the objective's gradient V P + w (z - y), with P = U diag(psi') V^T from the plain density functions,
// vanishes relative to what it is the sum of; and no neighbour is lower.
static void check_prox_lane(const SnTermType* term, const SnMaterialType* material, const SnTermPack* pack,
                            double y[9][SN_LANES], double z[9][SN_LANES], const double* weight, int l)
{
    if (pack->volume[l] == 0) return;
    const SnParameterPack* q = &pack->parameters;
    SnMaterialParameters m = {q->mu[l], q->lambda[l], q->floor[l], {q->extra[0][l], q->extra[1][l]}, q->user};
    int size = 3 * term->coordinates;
    double at[9] = {0}, f[9] = {0}, u[9], s[3], v[9], psi[3] = {0}, sum = 0;
    for (int i = 0; i < size; i++) at[i] = f[i] = z[i][l], sum += weight[l] * (1 + fabs(z[i][l]) + fabs(y[i][l]));
    double best = prox_objective(term, material, pack, y, at, weight, l);
    if (!isfinite(best))
        fail_msg("%s %s lane %d floor %g: z %g %g %g %g %g %g %g %g %g", term->name, material->name, l, m.floor,
                 z[0][l], z[1][l], z[2][l], z[3][l], z[4][l], z[5][l], z[6][l], z[7][l], z[8][l]);
    sn_lane_svd3(f, u, s, v);
    SnStretches d = {s[0], term->coordinates < 2 ? 1 : s[1], term->coordinates < 3 ? 1 : s[2]};
    if (term->elements) d = material->gradient(d, m);
    psi[0] = term->elements ? d.s1 : m.mu * (s[0] - pack->shape[4 * SN_LANES + l]); // a hinge at rest is bent by that
    if (term->coordinates > 1) psi[1] = d.s2;
    if (term->coordinates > 2) psi[2] = d.s3;
    for (int k = 0; k < 3; k++) sum += pack->volume[l] * fabs(psi[k]);
    for (int i = 0; i < size; i++) {
        double gradient = weight[l] * (z[i][l] - y[i][l]);
        for (int k = 0; k < term->coordinates; k++)
            gradient += pack->volume[l] * u[3 * k + i % 3] * psi[k] * v[3 * k + i / 3];
        if (!(fabs(gradient) <= 1e-10 * sum))
            fail_msg("%s of %s: gradient %g of %g, stretches %g %g %g", term->name, material->name, gradient, sum, s[0],
                     s[1], s[2]);
        const double step = 1e-5;
        for (int side = -1; side <= 1; side += 2) {
            at[i] = z[i][l] + side * step;
            check(prox_objective(term, material, pack, y, at, weight, l) >= best - 1e-12 * fabs(best));
        }
        at[i] = z[i][l];
    }
}

static void prox_pair(const SnTermType* term, const SnMaterialType* material)
{
    const SnInversion inversions[] = {SN_INVERSION_EXTEND, SN_INVERSION_BARRIER};
    SnRandom random = {21};
    for (int k = 0; k < 2; k++) {
        Fixture f = make_fixture(term, material, inversions[k], 1, 1);
        SnTermPack pack = sn_potential_pack(&f.potential->groups[0], 0);
        double spread = 0.1, frame[9][SN_LANES];
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < SN_LANES; l++) frame[i][l] = i % 4 == 0;
        for (int trial = 0; trial < 60; trial++, spread *= trial % 20 == 0 ? 0.1 : 1.15) {
            int size = 3 * term->coordinates;
            double y[9][SN_LANES], z[9][SN_LANES], weight[SN_LANES];
            for (int l = 0; l < SN_LANES; l++) {
                weight[l] = pack.volume[l] * 1e4 * exp(sn_random_uniform(&random, -2, 2));
                for (int i = 0; i < size; i++) y[i][l] = (i % 4 == 0) + sn_random_uniform(&random, -spread, spread);
            }
            term->prox(material, &pack, &y[0][0], weight, &z[0][0]);
            for (int l = 0; l < SN_LANES; l++) check_prox_lane(term, material, &pack, y, z, weight, l);
            if (term->coordinates < 3) continue;
            // From singular vectors of the trial before, which are anywhere, and from a guess
            SnTermPack near = pack;
            double guess[9][SN_LANES];
            for (int i = 0; i < 9; i++)
                for (int l = 0; l < SN_LANES; l++) guess[i][l] = 0.5 * (z[i][l] + y[i][l]);
            near.frame = &frame[0][0], near.guess = &guess[0][0];
            term->prox(material, &near, &y[0][0], weight, &z[0][0]);
            for (int l = 0; l < SN_LANES; l++) check_prox_lane(term, material, &pack, y, z, weight, l);
        }
        free_fixture(&f);
    }
}

static void test_prox(void** state)
{
    (void)state;
    for_all_pairs(prox_pair);
}

static void invariance_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 2, 1);
    check_near(sn_potential_energy(f.potential, f.x), 0, 1e-11);
    jitter(&f, 0.1, 5);
    double energy = sn_potential_energy(f.potential, f.x), force[3] = {0}, torque[3] = {0}, size = 0;
    sn_potential_gradient(f.potential, f.x, f.g);
    for (int i = 0; i < f.n; i++) {
        double cross[3];
        sn_lane_cross(f.x + 3 * i, f.g + 3 * i, cross);
        for (int c = 0; c < 3; c++) force[c] += f.g[3 * i + c], torque[c] += cross[c], size += fabs(f.g[3 * i + c]);
    }
    for (int c = 0; c < 3; c++) {
        check_near(force[c], 0, 1e-13 * size);
        check_near(torque[c], 0, 1e-12 * size);
    }
    const double c = cos(0.7), s = sin(0.7);
    for (int i = 0; i < f.n; i++) {
        double* p = f.x + 3 * i;
        double x = c * p[0] - s * p[1] + 3, y = s * p[0] + c * p[1] - 1, z = p[2];
        p[0] = x, p[1] = c * y - s * z, p[2] = s * y + c * z;
    }
    check_near(sn_potential_energy(f.potential, f.x), energy, 1e-11 * energy);
    free_fixture(&f);
}

static void test_invariance(void** state)
{
    (void)state;
    for_all_pairs(invariance_pair);
}

static void test_barrier_is_infinite(void** state)
{
    (void)state;
    Fixture f = make_fixture(sn_term_find("tetrahedron"), sn_material_find("neo-hookean"), SN_INVERSION_BARRIER, 3, 2);
    check(isfinite(sn_potential_energy(f.potential, f.x)));
    for (int i = 0; i < 3; i++) f.x[3 * 17 + i] += 10;
    double energy = sn_potential_energy(f.potential, f.x);
    check(isinf(energy) && energy > 0);
    free_fixture(&f);
}

static void test_same_bits_any_threads(void** state)
{
    (void)state;
    double first = 0, *kept = NULL;
    const int threads[] = {1, 2, 5};
    for (int t = 0; t < 3; t++) {
        Fixture f = make_fixture(sn_term_find("tetrahedron"), sn_material_find("neo-hookean"), SN_INVERSION_EXTEND, 8,
                                 threads[t]);
        check(f.potential->patch_count > 10);
        jitter(&f, 0.02, 6);
        double energy = sn_potential_energy(f.potential, f.x);
        sn_potential_gradient(f.potential, f.x, f.g);
        if (t == 0) {
            first = energy;
            kept = sn_copy_memory(f.g, 3 * (size_t)f.n, sizeof *kept, "test");
        }
        check(memcmp(&energy, &first, sizeof energy) == 0);
        check(memcmp(kept, f.g, 3 * (size_t)f.n * sizeof *kept) == 0);
        free_fixture(&f);
    }
    sn_free(kept);
}

// x.L x by nodes against the sum of k V |z|^2 over elements, z = D x by its definition, with every node moved at
// random.
static void laplacian_pair(const SnTermType* term, const SnMaterialType* material)
{
    Fixture f = make_fixture(term, material, SN_INVERSION_EXTEND, 1, 1);
    int* rows = NULL;
    check(SN_NEW(rows, f.n, "test"));
    for (int i = 0; i < f.n; i++) rows[i] = i;
    SnScalarMatrix l;
    check_ok(sn_laplacian_create(f.potential, rows, f.n, NULL, &l));
    jitter(&f, 0.5, 77);
    sn_scalar_matrix_multiply(&l, f.x, f.g);
    double by_nodes = 0, by_elements = 0;
    for (int i = 0; i < 3 * f.n; i++) by_nodes += f.x[i] * f.g[i];
    for (int i = 0; i < f.potential->patch_count; i++) {
        const SnPatch* patch = &f.potential->patches[i];
        const SnTermGroup* group = &f.potential->groups[patch->group];
        const double* x = sn_potential_gather(f.potential, patch, f.x);
        for (int e = 0; e < patch->element_count; e++) {
            SnTermPack pack = sn_potential_pack(group, patch->first_pack + e / SN_LANES);
            int lane = e % SN_LANES, w = term->coordinates;
            for (int c = 0; c < w; c++)
                for (int r = 0; r < 3; r++) { // z by its definition: differences for F, weights for strands
                    double z = 0;
                    for (int a = 0; a < term->nodes; a++) {
                        double at = x[3 * pack.nodes[a * SN_LANES + lane] + r];
                        double first = x[3 * pack.nodes[lane] + r];
                        if (w == 1) z += pack.shape[a * SN_LANES + lane] * at;
                        if (w > 1 && a > 0) z += (at - first) * pack.shape[((a - 1) * w + c) * SN_LANES + lane];
                    }
                    by_elements += pack.volume[lane] * sn_term_stiffness(f.potential, group, &pack, lane) * z * z;
                }
        }
    }
    check_near(by_nodes, by_elements, 1e-9 * by_elements);
    sn_scalar_matrix_free(&l);
    sn_free(rows);
    free_fixture(&f);
}

static void test_laplacian(void** state)
{
    (void)state;
    for_all_pairs(laplacian_pair);
}

static void test_sums_over_nodes(void** state)
{
    (void)state;
    Fixture f = make_fixture(sn_term_find("tetrahedron"), sn_material_find("corotated"), SN_INVERSION_EXTEND, 2, 1);
    double volume = 0, faces = 0;
    for (int i = 0; i < f.n; i++) volume += f.potential->node_volume[i], faces += f.potential->node_face[i];
    check_near(volume, 2, 1e-12);
    check_near(f.potential->volume, 2, 1e-12);
    // Each tetrahedron's faces, once each: 48 Kuhn tetrahedra of half-unit cells have areas (1 + sqrt 2) / 4 in all.
    check_near(faces, f.mesh->tetrahedron_count * (1 + sqrt(2)) / 4, 1e-12 * faces);
    check(sn_potential_characteristic_force(f.potential) > 0);
    free_fixture(&f);
}

static void test_bad_element(void** state)
{
    (void)state;
    const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const int nodes[4] = {0, 1, 2, 3};
    SnMaterialParameters p = {.mu = 1, .lambda = 1};
    SnTermsDef def = {.term = sn_term_find("tetrahedron"), .material = sn_material_at(0), .count = 1};
    def.elements = nodes, def.parameters = &p, def.name = "flat";
    SnPotential* potential;
    check_ok(sn_potential_create(4, rest, NULL, &potential));
    check_fails(sn_potential_add(potential, &def), SN_ERROR_VALUE, "flat", "tetrahedron 0", "no volume");
    sn_potential_destroy(potential);
}

#include "potential_prox9.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_projection_is_nearest),
        cmocka_unit_test(test_projection_is_semidefinite),
        cmocka_unit_test(test_prox),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_barrier_is_infinite),
        cmocka_unit_test(test_same_bits_any_threads),
        cmocka_unit_test(test_laplacian),
        cmocka_unit_test(test_sums_over_nodes),
        cmocka_unit_test(test_bad_element),
        cmocka_unit_test(test_prox9_is_optimal),
        cmocka_unit_test(test_prox9_without_fibers),
        cmocka_unit_test(test_prox9_closed_forms),
    };
    return cmocka_run_group_tests_name("potential", tests, NULL, NULL);
}
