// `sinew bench admm`: milliseconds per iteration of ADMM's local and global steps on an untwisting box, as in Table 2
// of Overby, Brown, Li, Narain 2017: 1 x 1 x 3 m, E = 1e6 Pa, nu = 0.3, 1000 kg/m3, 40 ms steps of 20 iterations.
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/pi.h"
#include "core/random.h"
#include "experiment/bench.h"

extern const SnBench sn_bench_admm;

// Cells: near the paper's 367/1562, 868/4170 and 1727/9031 nodes/tetrahedra, then 2025/9216 and 19855/104976.
static const int sizes[][3] = {{4, 4, 14}, {6, 6, 17}, {8, 8, 20}, {8, 8, 24}, {18, 18, 54}};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const char* const materials[] = {"arap", "neo-hookean"};

typedef struct Options {
    int frames, iterations, sizes;
    const char* solver;
} Options;

// Nodes off their lattice, by up to a tenth of a cell inside the box, so that no two tetrahedra are alike.
static void jitter(SnMesh* mesh, const int cells[3])
{
    const double size[3] = {1, 1, 3};
    SnRandom random = {7};
    double* x = sn_mesh_nodes(mesh);
    for (int i = 0; i < sn_mesh_node_count(mesh); i++)
        for (int c = 0; c < 3; c++) {
            double* p = &x[3 * i + c];
            double move = sn_random_uniform(&random, -0.1, 0.1) * size[c] / cells[c];
            if (*p > 1e-9 && *p < size[c] - 1e-9) *p += move;
        }
}

static double* twisted(SnMesh* mesh)
{
    int n = sn_mesh_node_count(mesh);
    double *start = malloc(3 * (size_t)n * sizeof *start), *x = sn_mesh_nodes(mesh);
    for (int i = 0; i < n && start; i++) {
        const double* p = x + 3 * i;
        double angle = SN_PI * (p[2] / 3 - 0.5), c = cos(angle), s = sin(angle);
        start[3 * i] = 0.5 + c * (p[0] - 0.5) - s * (p[1] - 0.5);
        start[3 * i + 1] = 0.5 + s * (p[0] - 0.5) + c * (p[1] - 0.5);
        start[3 * i + 2] = p[2];
    }
    return start;
}

// The first frame also builds and factors; it is left out.
static SnStatus time_frames(SnWorld* world, const SnMesh* mesh, const char* material, const Options* o, int threads)
{
    SnStepReport report;
    double local = 0, global = 0, total = 0;
    int iterations = 0;
    SnStatus status = sn_world_step(world, &report);
    for (int i = 0; i < o->frames && status == SN_OK; i++) {
        status = sn_world_step(world, &report);
        local += report.ms.evaluate, global += report.ms.solve, total += report.ms.total;
        iterations += report.iterations;
    }
    if (status != SN_OK) return status;
    printf("%s,%d,%d,%d,%.4f,%.4f,%.3f\n", material, sn_mesh_node_count(mesh), sn_mesh_tetrahedron_count(mesh), threads,
           local / iterations, global / iterations, total / o->frames);
    fflush(stdout);
    return SN_OK;
}

static SnStatus run_size(const int cells[3], const char* material, const Options* o, int threads)
{
    SnWorldDef def = sn_default_world_def();
    def.time_step = 0.04;
    def.gravity[1] = 0;
    def.threads = threads;
    def.solver.type = o->solver;
    def.solver.iterations = o->iterations;
    def.solver.tolerance = 0;
    def.solver.adapt = false; // constant weights, as the papers have them
    SnWorld* world = NULL;
    SnMesh* mesh = NULL;
    double* start = NULL;
    SnStatus status = sn_world_create(&def, &world);
    if (status == SN_OK) status = sn_mesh_make_box((double[]){1, 1, 3}, cells, &mesh);
    if (status == SN_OK) {
        jitter(mesh, cells);
        start = twisted(mesh);
        SnBodyDef body = sn_default_body_def();
        body.mesh = mesh, body.start = start;
        body.material = sn_material(material, 1e6, 0.3, 1000);
        status = start ? sn_world_add_body(world, &body, NULL) : SN_ERROR_MEMORY;
    }
    if (status == SN_OK) status = time_frames(world, mesh, material, o, threads);
    free(start);
    sn_mesh_destroy(mesh);
    sn_world_destroy(world);
    return status;
}

static const SnParameter parameters[] = {
    {"frames", SN_INTEGER, offsetof(Options, frames), .value = "10", .range = ">=1 <=100000",
     .doc = "frames timed for each"},
    {"iterations", SN_INTEGER, offsetof(Options, iterations), .value = "20", .range = ">=1 <=100000",
     .doc = "iterations per frame"},
    {"sizes", SN_INTEGER, offsetof(Options, sizes), .value = "4", .range = ">=1 <=5",
     .doc = "how many of the five sizes, from the smallest"},
    {"solver", SN_TEXT, offsetof(Options, solver), .example = "NAME", .value = "admm", .doc = "another solver"},
    {0},
};

static SnStatus run(const void* given)
{
    const Options* o = given;
    printf("material,nodes,tets,threads,local_ms,global_ms,frame_ms\n");
    for (int i = 0; i < o->sizes; i++)
        for (int m = 0; m < 2; m++)
            for (int threads = 1; threads <= 2; threads++) SN_TRY(run_size(sizes[i], materials[m], o, threads));
    return SN_OK;
}

const SnBench sn_bench_admm = {
    .name = "admm",
    .summary = "ms per iteration, local and global, and per frame, of an untwisting box; 1 and 2 threads",
    .parameters = parameters,
    .size = sizeof(Options),
    .run = run,
};
