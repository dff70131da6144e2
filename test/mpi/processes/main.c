// Runs as several processes: what they find together is what one finds alone. Prints what is wrong.
//
//     mpirun -n 3 mpi_processes SCENE [dealt]
//     mpirun -n 2 mpi_processes --tables
#include "processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/node_vector.h"
#include "mpi/deal.h"
#include "mpi/distribute.h"
#include "mpi/linear.h"
#include "mpi/solvers.h"

static int failures;

void expect(bool good, const char* what, double a, double b)
{
    if (good) return;
    failures++;
    printf("%s: %.17g, not %.17g\n", what, a, b);
}

static void expect_near(double a, double b, double scale, const char* what)
{
    expect(fabs(a - b) <= 1e-12 * scale, what, a, b);
}

void must(SnStatus status)
{
    if (status == SN_OK) return;
    printf("failed: %s\n", sn_last_error());
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// A place for every node that only its number in the whole tells.
static double jitter(int node, int c, int seed)
{
    uint64_t x = (uint64_t)(3 * (int64_t)node + c + 1) * 0x9e3779b97f4a7c15u + (uint64_t)seed * 0xbf58476d1ce4e5b9u;
    x ^= x >> 31, x *= 0x94d049bb133111ebu, x ^= x >> 29;
    return (double)(x >> 11) / 9007199254740992.0 - 0.5;
}

static void place(const SnWorld* world, const int* numbers, int seed, double size, double* x)
{
    for (int i = 0; i < world->model.node_count; i++)
        for (int c = 0; c < 3; c++)
            x[3 * i + c] = world->state.x[3 * i + c] + size * jitter(numbers ? numbers[i] : i, c, seed);
}

static double* room(const SnWorld* world)
{
    return calloc(3 * (size_t)world->model.node_count, sizeof(double));
}

// y = H x with this process's part of the Hessian, summed over copies.
static void multiply(SnObjective* o, SnHessian* h, const double* x, double* y)
{
    const SnBlockMatrix* m = &h->matrix;
    memset(y, 0, 3 * (size_t)o->nodes.count * sizeof *y);
    int* node = calloc((size_t)m->n + 1, sizeof *node);
    for (int i = 0; i < o->nodes.count; i++)
        if (o->nodes.free_index[i] >= 0) node[o->nodes.free_index[i]] = i;
    for (int j = 0; j < m->n; j++)
        for (int64_t at = m->col_start[j]; at < m->col_start[j + 1]; at++) {
            double b[9]; // column-major
            int r = node[m->row[at]], c = node[j];
            sn_block_read(m, j, at - m->col_start[j], b);
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) {
                    y[3 * r + p] += b[3 * q + p] * x[3 * c + q];
                    if (r != c) y[3 * c + q] += b[3 * q + p] * x[3 * r + p];
                }
        }
    free(node);
    sn_share_add(o->nodes.tasks, 3, y);
}

// Energy, gradient and Hessian of the first stage's objective, at places off the start.
static void compare(SnWorld* part, const int* numbers, SnWorld* alone)
{
    SnWorld* both[2] = {part, alone};
    double *x[2], *g[2], *y[2], *d[2], norm[2], products[2], slopes[2];
    SnObjectiveValue values[2];
    for (int k = 0; k < 2; k++) {
        must(sn_world_prepare(both[k], both[k]->state.step_length));
        SnObjective* o = &both[k]->problem.objective;
        x[k] = room(both[k]), g[k] = room(both[k]), y[k] = room(both[k]), d[k] = room(both[k]);
        place(both[k], k ? NULL : numbers, 1, 1e-3, x[k]);
        place(both[k], k ? NULL : numbers, 2, 1e-3, d[k]);
        memcpy(both[k]->scratch.target, both[k]->state.x, 3 * (size_t)o->nodes.count * sizeof(double));
        o->nodes.inertia = 1 / (both[k]->state.step_length * both[k]->state.step_length);
        values[k] = sn_objective_gradient(o, x[k], g[k]);
        norm[k] = sn_nodes_norm(o->nodes.tasks, o->nodes.count, g[k]);
        SnHessian* h;
        must(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &h));
        sn_objective_diagonal(o, h->diagonal);
        sn_hessian_assemble(h, x[k], true);
        for (int i = 0; i < 3 * o->nodes.count; i++)
            if (o->nodes.free_index[i / 3] < 0) d[k][i] = 0;
        multiply(o, h, d[k], y[k]);
        products[k] = sn_nodes_dot(o->nodes.tasks, o->nodes.count, d[k], y[k]);
        slopes[k] = sn_nodes_dot(o->nodes.tasks, o->nodes.count, d[k], g[k]);
        sn_hessian_destroy(h);
    }
    expect_near(values[0].total, values[1].total, values[1].magnitude, "energy");
    expect_near(norm[0], norm[1], norm[1], "norm of the gradient");
    expect_near(products[0], products[1], products[1], "d.H d");
    expect_near(slopes[0], slopes[1], norm[1], "slope");
    expect_near(part->problem.characteristic, alone->problem.characteristic, alone->problem.characteristic,
                "characteristic force");
    double most = 0;
    for (int i = 0; i < 3 * part->model.node_count; i++)
        most = fmax(most, fabs(g[0][i] - g[1][3 * numbers[i / 3] + i % 3]) / norm[1]);
    expect(most < 1e-12, "gradient", most, 0);
    for (int k = 0; k < 2; k++) free(x[k]), free(g[k]), free(y[k]), free(d[k]);
}

// Own nodes of all processes are all nodes, each once.
static void count_nodes(const SnShared* shared, const SnWorld* alone)
{
    double own = 0;
    for (int i = 0; i < shared->fabric->of.node_count; i++) own += shared->fabric->of.own[i];
    own = sn_share_total(shared->part->model.tasks, own);
    expect(own == alone->model.node_count, "nodes", own, alone->model.node_count);
}

static void check_scene(const char* path, bool dealt)
{
    SnScene* scene = NULL;
    SnShared shared;
    SnWorld* alone;
    MPI_Comm all = MPI_COMM_WORLD;
    SnMeshDealer dealer = sn_mpi_dealer(&all);
    must(sn_scene_load_dealt(path, NULL, 0, dealt ? &dealer : NULL, &scene));
    expect(sn_scene_is_dealt(scene) == dealt, "dealt out", !dealt, dealt);
    must(sn_shared_create(MPI_COMM_WORLD, scene, false, &shared));
    sn_scene_destroy(scene);
    must(sn_scene_load(path, NULL, 0, &scene));
    must(sn_scene_create_world(scene, &alone));
    count_nodes(&shared, alone);
    compare(shared.part, shared.fabric->of.nodes, alone);
    sn_shared_free(&shared);
    sn_world_destroy(alone);
    sn_scene_destroy(scene);
}

int main(int argc, char** argv)
{
    PetscInitialize(NULL, NULL, NULL, NULL);
    if (argc < 2) must(sn_fail(SN_ERROR_VALUE, "a scene is missing"));
    if (strcmp(argv[1], "--tables") == 0)
        check_tables();
    else
        check_scene(argv[1], argc == 3);
    fflush(stdout);
    PetscFinalize();
    return failures > 0;
}
