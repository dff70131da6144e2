// A small bar held at its left end, pulled by a force.
#pragma once
#include "check.h"

#include "constraint/method.h"
#include "mesh/mesh.h"
#include "solver/line_search.h"

// A small bar held at its left end, pulled by a force.
typedef struct Problem {
    SnMesh* mesh;
    SnTasks* tasks;
    SnPotential* potential;
    SnObjective objective;
    SnConstraintSet set; // empty
    SnConstraints constraints;
    SnSearch* search;
    int* free_index;
    double *mass, *target, *force, *reaction;
} Problem;

static inline SnSolverDef solver_def(void)
{
    return (SnSolverDef){.type = "newton", .iterations = 20000, .armijo = 0.3, .initial = "laplacian", .history = 5};
}

static inline Problem* make_problem(const char* material_name, SnInversion inversion, double inertia, double pull)
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
    p->objective = (SnObjective){.potential = p->potential, .constraints = &p->constraints};
    p->objective.nodes = (SnNodes){.tasks = p->tasks, .count = n, .free_count = free_count};
    p->objective.nodes.free_index = p->free_index, p->objective.nodes.mass = p->mass;
    p->objective.nodes.inertia = inertia;
    p->constraints = (SnConstraints){.nodes = &p->objective.nodes, .method = &sn_augmented_lagrangian, .now = &p->set};
    p->objective.target = p->target, p->objective.force = p->force, p->objective.reaction = p->reaction;
    SnSolverDef solver = solver_def();
    check_ok(sn_search_create(&p->objective, &solver, &p->search));
    memcpy(p->search->x, p->mesh->nodes, 3 * (size_t)n * sizeof(double));
    p->search->stopping.characteristic = 1e-12 * sn_potential_characteristic_force(p->potential);
    return p;
}

static inline void free_problem(Problem* p)
{
    sn_search_destroy(p->search);
    sn_potential_destroy(p->potential);
    sn_tasks_destroy(p->tasks);
    sn_mesh_destroy(p->mesh);
    sn_free(p->free_index), sn_free(p->mass), sn_free(p->target), sn_free(p->force), sn_free(p->reaction);
    free(p);
}

static inline void run_with(Problem* p, const SnSolverType* type, SnSolverDef def)
{
    void* state;
    p->search->line_search = sn_line_search_find(def.line_search ? def.line_search : "armijo");
    check_ok(type->create(&p->objective, &def, &state));
    check_ok(sn_minimize(type, state, p->search));
    type->destroy(state);
}
