// `sinew bench kernels`: nanoseconds per element of energy, gradient, Hessian with assembly, and prox, for every term
// kind and material, instruction set and number of threads, and how far that is from the arithmetic limit of the same
// run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/timer.h"
#include "experiment/bench.h"
#include "linalg/decompose.h"
#include "mesh/mesh.h"
#include "peak.h"
#include "potential/potential.h"

extern const SnBench sn_bench_kernels;

enum { BATCHES = 5 };

typedef struct Options {
    int threads, size;
    const char *isa, *material;
} Options;

// The best of a few batches, each repeated for some milliseconds: ns per element.
typedef void Kernel(void* context);
static double time_kernel(Kernel* kernel, void* context, int elements)
{
    double best = INFINITY;
    kernel(context);
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = sn_now_ms(), ms;
        int calls = 0;
        do {
            kernel(context);
            calls++;
            ms = sn_now_ms() - start;
        } while (ms < 20);
        if (ms / calls < best) best = ms / calls;
    }
    return best * 1e6 / elements;
}

typedef struct Case {
    SnMesh* mesh;
    SnTasks* tasks;
    SnPotential* potential;
    SnHessian* hessian;
    int* free_index;
    int elements;
    double *x, *g, *y, *z, *weight; // y, z: 9 per lane
} Case;

static void energy(void* context)
{
    Case* c = context;
    volatile double keep = sn_potential_energy(c->potential, c->x).elastic;
    (void)keep;
}

static void gradient(void* context)
{
    Case* c = context;
    sn_potential_gradient(c->potential, c->x, c->g);
}

static void hessian(void* context)
{
    Case* c = context;
    sn_hessian_assemble(c->hessian, c->x, true);
}

// Packs of the local step, in ranges as a solver would run them.
static void prox_range(void* context, int first, int last)
{
    Case* c = context;
    const SnTermGroup* group = &c->potential->groups[0];
    for (int k = first; k < last; k++) {
        SnTermPack pack = sn_potential_pack(group, k);
        int64_t at = (int64_t)k * 9 * SN_LANES;
        group->term->prox(group->material, &pack, c->y + at, c->weight + (int64_t)k * SN_LANES, c->z + at);
    }
}

static void prox(void* context)
{
    Case* c = context;
    sn_tasks_for(c->tasks, c->potential->groups[0].pack_count, 32, prox_range, c);
}

static void free_case(Case* c)
{
    sn_hessian_destroy(c->hessian);
    sn_potential_destroy(c->potential);
    sn_tasks_destroy(c->tasks);
    sn_mesh_destroy(c->mesh);
    sn_free(c->x), sn_free(c->g), sn_free(c->y), sn_free(c->z), sn_free(c->weight), sn_free(c->free_index);
}

static SnStatus make_mesh(const SnTermType* term, int size, SnMesh** mesh)
{
    if (term->elements == SN_ON_TETRAHEDRA)
        return sn_mesh_make_box((double[]){1, 1, 1}, (int[]){size, size, size}, mesh);
    if (term->elements == SN_ON_TRIANGLES)
        return sn_mesh_make_cloth((double[]){1, 1}, (int[]){5 * size, 5 * size}, mesh);
    return sn_mesh_make_rope(1, 50 * size * size, mesh);
}

static SnStatus fill_arrays(Case* c, double jitter)
{
    int64_t n = c->mesh->node_count, lanes = (int64_t)c->potential->groups[0].pack_count * SN_LANES;
    if (!SN_NEW(c->x, 3 * n, "bench") || !SN_NEW(c->g, 3 * n, "bench") || !SN_NEW(c->y, 9 * lanes, "bench") ||
        !SN_NEW(c->z, 9 * lanes, "bench") || !SN_NEW(c->weight, lanes, "bench") || !SN_NEW(c->free_index, n, "bench"))
        return SN_ERROR_MEMORY;
    SnRandom random = {1};
    for (int64_t i = 0; i < 3 * n; i++) c->x[i] = c->mesh->nodes[i] + sn_random_uniform(&random, -jitter, jitter);
    for (int i = 0; i < n; i++) c->free_index[i] = i;
    for (int64_t k = 0; k < lanes; k++) {
        SnTermPack pack = sn_potential_pack(&c->potential->groups[0], (int)(k / SN_LANES));
        c->weight[k] = 2e4 * pack.volume[k % SN_LANES];
        for (int i = 0; i < 9; i++)
            c->y[(k / SN_LANES * 9 + i) * SN_LANES + k % SN_LANES] =
                (i % 4 == 0) + sn_random_uniform(&random, -0.3, 0.3);
    }
    return sn_hessian_create(c->potential, c->free_index, (int)n, &c->hessian);
}

static SnStatus make_case(const SnTermType* term, const SnMaterialType* type, int size, int threads, Case* c)
{
    SnMaterial material = sn_material(type->name, 1e4, 0.4, 1000);
    SnMaterialParameters parameters;
    SN_TRY(sn_material_parameters(&material, type, &parameters));
    SN_TRY(make_mesh(term, size, &c->mesh));
    SN_TRY(sn_tasks_create(threads, (SnTaskRunner){0}, &c->tasks));
    SN_TRY(sn_potential_create(c->mesh->node_count, c->mesh->nodes, c->tasks, &c->potential));
    SnTermsDef def = {.term = term, .material = type, .parameters = &parameters, .section = 0.01, .name = "bench"};
    bool solid = term->elements == SN_ON_TETRAHEDRA, sheet = term->elements == SN_ON_TRIANGLES;
    def.count = solid ? c->mesh->tetrahedron_count : sheet ? c->mesh->triangle_count : c->mesh->edge_count;
    def.elements = solid ? c->mesh->tetrahedra : sheet ? c->mesh->triangles : c->mesh->edges;
    c->elements = def.count;
    SN_TRY(sn_potential_add(c->potential, &def));
    SN_TRY(sn_potential_finish(c->potential));
    return fill_arrays(c, 0.1 / (solid ? size : sheet ? 5 * size : 50 * size * size));
}

// Multiply-adds, divisions and roots of a tetrahedron's kernels, counted in the source, each as so many operations.
typedef struct Operations {
    const char* material;
    double energy, gradient, hessian;
} Operations;
static const Operations operations[] = {
    {"neo-hookean", 160, 250, 2650},
    {"stvk", 140, 300, 2600},
    {"corotated", 220, 390, 2600},
    {"fixed-corotated", 220, 390, 2600},
};

static const Operations* find_operations(const SnTermType* term, const char* material)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].material, material) == 0 && term->elements == SN_ON_TETRAHEDRA) return &operations[i];
    return NULL;
}

static void print_ratio(double count, double ns, double peak)
{
    if (count > 0)
        printf(",%.3f", count / ns / peak);
    else
        printf(",");
}

static SnStatus run_case(const SnTermType* term, const SnMaterialType* type, SnIsa isa, int threads, int size,
                         double peak)
{
    Case c = {0};
    SnStatus status = make_case(term, type, size, threads, &c);
    if (status == SN_OK) {
        double e = time_kernel(energy, &c, c.elements), g = time_kernel(gradient, &c, c.elements);
        double h = time_kernel(hessian, &c, c.elements), p = time_kernel(prox, &c, c.elements);
        const Operations* count = find_operations(term, type->name);
        printf("%s,%d,%s,%s,%d,%.1f,%.1f,%.1f,%.1f", sn_isa_name(isa), threads, term->name, type->name, c.elements, e,
               g, h, p);
        print_ratio(count ? count->energy : 0, e, peak * threads);
        print_ratio(count ? count->gradient : 0, g, peak * threads);
        print_ratio(count ? count->hessian : 0, h, peak * threads);
        printf("\n");
        fflush(stdout);
    }
    free_case(&c);
    return status;
}

// The decompositions alone: packs that stay in the first cache.
typedef struct Packs {
    double f[8][9][SN_LANES], u[9][SN_LANES], s[3][SN_LANES], v[9][SN_LANES];
    int kind;
} Packs;

static void decompose(void* context)
{
    Packs* p = context;
    const SnDecompositions* d = sn_decompositions();
    for (int round = 0; round < 100; round++)
        for (int k = 0; k < 8; k++) {
            const double(*f)[SN_LANES] = (const double(*)[SN_LANES])p->f[k];
            if (p->kind == 0) d->svd3(f, p->u, p->s, p->v);
            if (p->kind == 1) d->svd32(f, p->u, p->s, p->v);
            if (p->kind == 2) d->polar3(f, p->u);
        }
}

static void run_decompositions(SnIsa isa, double peak)
{
    static const char* const names[] = {"svd 3x3", "svd 3x2", "polar 3x3"};
    static const double counts[] = {1000, 130, 190}; // operations, as above
    Packs p;
    SnRandom random = {3};
    for (int k = 0; k < 8 * 9 * SN_LANES; k++)
        (&p.f[0][0][0])[k] = (k / SN_LANES % 9 % 4 == 0) + sn_random_uniform(&random, -0.3, 0.3);
    for (p.kind = 0; p.kind < 3; p.kind++) {
        int count = 100 * 8 * SN_LANES;
        double ns = time_kernel(decompose, &p, count);
        printf("%s,1,%s,,%d,%.1f,,,,%.3f,,\n", sn_isa_name(isa), names[p.kind], count, ns, counts[p.kind] / ns / peak);
    }
}

static SnStatus run_isa(SnIsa isa, const Options* o)
{
    SN_TRY(sn_isa_choose(sn_isa_name(isa)));
    double peak = sn_peak_gflops(isa);
    fprintf(stderr, "%s: %.1f GFLOP/s on one thread\n", sn_isa_name(isa), peak);
    if (!o->material) run_decompositions(isa, peak);
    for (int t = 0; t < sn_term_count(); t++)
        for (int m = 0; m < sn_material_count(); m++)
            for (int threads = 1; threads <= o->threads; threads++) {
                const SnTermType* term = sn_term_at(t);
                const SnMaterialType* type = sn_material_at(m);
                if (!(term->elements & type->elements) || term->reinforcement || !term->prepare) continue;
                if (o->material && strcmp(o->material, type->name) != 0) continue;
                SN_TRY(run_case(term, type, isa, threads, o->size, peak));
            }
    return SN_OK;
}

static const SnParameter parameters[] = {
    {"threads", SN_INTEGER, offsetof(Options, threads), .value = "2", .range = ">=1 <=64",
     .doc = "measure with 1 to N threads"},
    {"size", SN_INTEGER, offsetof(Options, size), .value = "20", .range = ">=2 <=200",
     .doc = "cells along each side of the box (default 20: 48000 tetrahedra)"},
    {"isa", SN_TEXT, offsetof(Options, isa), .example = "NAME",
     .doc = "only this instruction set: base, avx2 or avx512 (default: all the processor has)"},
    {"material", SN_TEXT, offsetof(Options, material), .example = "NAME", .doc = "only this material"},
    {0},
};

static SnStatus run(const void* given)
{
    const Options* o = given;
    printf(
        "isa,threads,term,material,elements,energy_ns,gradient_ns,hessian_ns,prox_ns,energy_of_peak,gradient_of_peak,"
        "hessian_of_peak\n");
    for (int i = SN_ISA_COUNT - 1; i >= 0; i--) {
        if (!sn_isa_available((SnIsa)i) || (o->isa && strcmp(o->isa, sn_isa_name((SnIsa)i)) != 0)) continue;
        SN_TRY(run_isa((SnIsa)i, o));
    }
    return SN_OK;
}

const SnBench sn_bench_kernels = {
    .name = "kernels",
    .summary = "ns per element of energy, gradient, Hessian and prox, by material, instruction set and threads",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
