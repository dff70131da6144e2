// A box with its left end held, in a potential of its own, for solvers with a global step.
#pragma once
#include "check.h"

#include "core/random.h"
#include "linalg/anderson.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "potential/laplacian.h"
#include "solver/global.h"

// A box with its left end held, in a potential of its own.
typedef struct Problem {
    SnMesh* mesh;
    SnTasks* tasks;
    SnPotential* potential;
    SnObjective objective;
    SnConstraintSet set;
    SnConstraints constraints;
    SnSearch* search;
    int* free_index;
    double *mass, *target, *reaction;
} Problem;

static inline void finish_problem(Problem* p, double inertia)
{
    int n = p->mesh->node_count, free_count = 0;
    check_ok(sn_potential_finish(p->potential));
    check(SN_NEW(p->free_index, n, "t") && SN_NEW(p->mass, n, "t") && SN_NEW(p->target, 3 * n, "t") &&
          SN_NEW(p->reaction, 3 * n, "t"));
    SnRandom random = {5};
    for (int i = 0; i < n; i++) {
        p->free_index[i] = p->mesh->nodes[3 * i] < 1e-9 ? -1 : free_count++;
        p->mass[i] = 1 + 0.1 * (i % 7);
        for (int c = 0; c < 3; c++)
            p->target[3 * i + c] = 1.2 * p->mesh->nodes[3 * i + c] + sn_random_uniform(&random, -0.1, 0.1);
    }
    p->objective = (SnObjective){.potential = p->potential,
                                 .nodes = {.tasks = p->tasks,
                                           .count = n,
                                           .free_count = free_count,
                                           .free_index = p->free_index,
                                           .mass = p->mass,
                                           .inertia = inertia},
                                 .target = p->target,
                                 .reaction = p->reaction,
                                 .constraints = &p->constraints};
    p->constraints = (SnConstraints){.nodes = &p->objective.nodes, .method = &sn_augmented_lagrangian, .now = &p->set};
    p->constraints.friction = (SnFriction){&p->objective.nodes, 1e-3};
    SnSolverDef def = sn_default_solver_def();
    check_ok(sn_search_create(&p->objective, &def, &p->search));
    for (int k = 0; k < 3 * n; k++) p->search->x[k] = p->free_index[k / 3] < 0 ? p->mesh->nodes[k] : p->target[k];
}

static inline Problem* start_problem(SnMesh* mesh, int threads)
{
    Problem* p = calloc(1, sizeof *p);
    p->mesh = mesh;
    check_ok(sn_tasks_create(threads, (SnTaskRunner){0}, &p->tasks));
    check_ok(sn_potential_create(mesh->node_count, mesh->nodes, p->tasks, &p->potential));
    return p;
}

static inline Problem* solid_problem(const char* material, double inertia, int threads)
{
    SnMesh* mesh;
    SnMaterialParameters parameters;
    SnMaterial m = sn_material(material, 1e4, 0.3, 1000);
    check_ok(sn_mesh_make_box((double[]){2, 1, 1}, (int[]){4, 2, 2}, &mesh));
    check_ok(sn_material_parameters(&m, sn_material_find(material), &parameters));
    Problem* p = start_problem(mesh, threads);
    check_ok(sn_potential_add(p->potential, &(SnTermsDef){.term = sn_term_find("tetrahedron"),
                                                          .material = sn_material_find(material),
                                                          .count = mesh->tetrahedron_count,
                                                          .elements = mesh->tetrahedra,
                                                          .parameters = &parameters,
                                                          .name = "box"}));
    finish_problem(p, inertia);
    return p;
}

static inline void free_problem(Problem* p)
{
    sn_constraint_set_free(&p->set);
    sn_search_destroy(p->search);
    sn_potential_destroy(p->potential);
    sn_tasks_destroy(p->tasks);
    sn_mesh_destroy(p->mesh);
    sn_free(p->free_index), sn_free(p->mass), sn_free(p->target), sn_free(p->reaction);
    free(p);
}

static inline void run_solver(Problem* p, const char* name, SnSolverDef def, int iterations, double tolerance)
{
    const SnSolverType* type = sn_solver_find(name);
    void* state;
    p->search->iteration_limit = iterations;
    p->search->stopping.characteristic = tolerance;
    p->constraints.method = sn_solver_constraint_method(type, &def);
    check_ok(type->create(&p->objective, &def, &state));
    check_ok(sn_minimize(type, state, p->search));
    type->destroy(state);
}
