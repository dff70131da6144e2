// A body for each kind of term with each material.
#pragma once
#include "check.h"

#include "core/random.h"
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

static inline void make_mesh(const SnTermType* term, int size, SnMesh** mesh)
{
    const double sides[3] = {2, 1, 1};
    const int cells[3] = {2 * size, size, size};
    if (strcmp(term->name, "tetrahedron") == 0 || strcmp(term->name, "fiber") == 0 || !term->prepare)
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
static inline int* make_elements(const SnTermType* term, const SnMesh* mesh, int* count)
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

static inline Fixture make_fixture(const SnTermType* term, const SnMaterialType* material, SnInversion inversion,
                                   int size, int threads)
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
    SnPoints points = {0};
    int* elements = term->prepare ? make_elements(term, f.mesh, &def.count) : NULL;
    if (!elements) { // means over clusters of tetrahedra
        SnTermsDef solid = def;
        check_ok(sn_points_of_clusters(f.mesh->nodes, f.mesh->tetrahedron_count, f.mesh->tetrahedra, NULL, &points));
        solid.term = sn_term_find("tetrahedron");
        solid.elements = f.mesh->tetrahedra, solid.count = f.mesh->tetrahedron_count;
        check_ok(sn_potential_add_content(f.potential, &solid));
        def.points = &points, def.count = points.count;
    }
    check(def.count > (elements ? 10 : 0));
    def.elements = elements ? elements : points.nodes;
    check_ok(sn_potential_add(f.potential, &def));
    sn_points_free(&points);
    sn_free(elements);
    check_ok(sn_potential_finish(f.potential));
    check(SN_NEW(f.x, 3 * f.n, "test") && SN_NEW(f.g, 3 * f.n, "test"));
    memcpy(f.x, f.mesh->nodes, 3 * (size_t)f.n * sizeof *f.x);
    return f;
}

static inline void free_fixture(Fixture* f)
{
    sn_potential_destroy(f->potential);
    sn_tasks_destroy(f->tasks);
    sn_mesh_destroy(f->mesh);
    sn_free(f->x), sn_free(f->g);
}

static inline void jitter(Fixture* f, double size, uint64_t seed)
{
    SnRandom random = {seed};
    for (int i = 0; i < 3 * f->n; i++) f->x[i] = f->mesh->nodes[i] + sn_random_uniform(&random, -size, size);
}

// Every pair of a term kind and a material that takes its elements.
typedef void PairTest(const SnTermType* term, const SnMaterialType* material);
static inline void for_all_pairs(PairTest* test)
{
    int pairs = 0;
    for (int t = 0; t < sn_term_count(); t++)
        for (int m = 0; m < sn_material_count(); m++)
            if ((sn_term_at(t)->elements & sn_material_at(m)->elements) || (!sn_term_at(t)->elements && m == 0))
                test(sn_term_at(t), sn_material_at(m)), pairs++;
    check(pairs >= sn_material_count());
}
