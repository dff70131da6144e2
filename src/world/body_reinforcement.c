// What stiffens a body's elements besides its material: fibers through tetrahedra, hinges between triangles.
#include <math.h>

#include "linalg/vec3.h"
#include "mesh/elements.h"
#include "world/world.h"

// Every material of the body may ask for something: r = -1 is the body's own.
static const SnMaterial* material_at(const SnBodyDef* def, int r)
{
    return r < 0 ? &def->material : &def->regions[r];
}

static SnStatus check_material(const SnBodyDef* def, const SnMaterial* m)
{
    int dimension = sn_mesh_top_dimension(def->mesh);
    if (m->fiber > 0 && dimension != 3)
        return sn_fail(SN_ERROR_VALUE, "fiber is %g Pa, but fibers run through tetrahedra and the body is made of %s",
                       m->fiber, sn_element_nouns[dimension][1]);
    double length = sn_length3(m->fiber_direction);
    if (m->fiber > 0 && !def->fiber_directions && !(length > 0 && isfinite(length)))
        return sn_fail(SN_ERROR_VALUE, "fiber_direction is [%g, %g, %g]; it must be finite and not zero",
                       m->fiber_direction[0], m->fiber_direction[1], m->fiber_direction[2]);
    return SN_OK;
}

static SnStatus check(const SnBodyDef* def)
{
    bool fibers = false;
    for (int r = -1; r < def->region_count; r++) {
        SnStatus status = check_material(def, material_at(def, r));
        if (status != SN_OK) return r < 0 ? status : sn_fail_prefix(status, "region %d", r);
        fibers |= material_at(def, r)->fiber > 0;
    }
    int count = sn_mesh_count_of(def->mesh, sn_mesh_top_dimension(def->mesh));
    for (int e = 0; e < count && fibers && def->fiber_directions; e++)
        if (!isfinite(sn_length3(def->fiber_directions + 3 * (int64_t)e)))
            return sn_fail(SN_ERROR_VALUE, "the fiber direction of element %d is not finite", e);
    return SN_OK;
}

static const double* direction_of(const SnBodyDef* def, int element)
{
    if (def->fiber_directions) return def->fiber_directions + 3 * (int64_t)element;
    return sn_body_def_material(def, element)->fiber_direction;
}

static bool has_fiber(const SnBodyDef* def, int element)
{
    return sn_body_def_material(def, element)->fiber > 0 && sn_length3(direction_of(def, element)) > 0;
}

static SnStatus set_fibers(SnBody* body, const SnBodyDef* def)
{
    int count = 0;
    for (int e = 0; e < def->mesh->tetrahedron_count; e++) count += has_fiber(def, e);
    if (count == 0) return SN_OK;
    if (!SN_NEW(body->fibers, count, "fibers") || !SN_NEW(body->fiber_stiffness, count, "fibers") ||
        !SN_NEW(body->fiber_directions, 3 * (int64_t)count, "fibers"))
        return SN_ERROR_MEMORY;
    for (int e = 0; e < def->mesh->tetrahedron_count; e++) {
        if (!has_fiber(def, e)) continue;
        int k = body->fiber_count++;
        body->fibers[k] = e;
        body->fiber_stiffness[k] = sn_body_def_material(def, e)->fiber;
        for (int c = 0; c < 3; c++) body->fiber_directions[3 * k + c] = direction_of(def, e)[c];
    }
    return SN_OK;
}

// N m of one triangle; the thickness is the body's.
static double bending_of(const SnBodyDef* def, int triangle)
{
    SnMaterial material = *sn_body_def_material(def, triangle);
    material.thickness = def->material.thickness;
    if (def->young_scale) material.young *= def->young_scale[triangle];
    return sn_material_bending(&material);
}

// The corner of a triangle that is not on the edge of this key.
static int opposite(const int* triangle, const SnNodeKey* edge)
{
    for (int c = 0; c < 3; c++)
        if (triangle[c] != edge->nodes[0] && triangle[c] != edge->nodes[1]) return triangle[c];
    return -1;
}

// Edges of all triangles by their nodes: those of the same edge follow each other, in order of the triangles.
static SnStatus sort_edges(const SnMesh* mesh, SnNodeKey** keys)
{
    if (!SN_NEW(*keys, 3 * (int64_t)mesh->triangle_count, "hinges")) return SN_ERROR_MEMORY;
    for (int64_t k = 0; k < 3 * (int64_t)mesh->triangle_count; k++) {
        const int* t = mesh->triangles + k / 3 * 3;
        (*keys)[k] = sn_node_key((int[]){t[k % 3], t[(k + 1) % 3]}, 2, (int)(k / 3));
    }
    return sn_sort_keys(*keys, 3 * (int64_t)mesh->triangle_count, mesh->node_count);
}

// A hinge for each two triangles that follow each other around an edge. The stiffness is the mean of theirs. On a
// regular mesh Bergou's hinges of stiffness k bend like a plate of 3 k.
static SnStatus fill_hinges(SnBody* body, const SnBodyDef* def, const SnNodeKey* keys)
{
    const SnMesh* mesh = def->mesh;
    int64_t most = 3 * (int64_t)mesh->triangle_count;
    int count = 0;
    for (int64_t k = 1; k < most; k++) count += sn_same_key(&keys[k - 1], &keys[k]);
    if (!SN_NEW(body->hinges, 4 * (int64_t)count, "hinges") || !SN_NEW(body->hinge_stiffness, count, "hinges"))
        return SN_ERROR_MEMORY;
    for (int64_t k = 1; k < most; k++) {
        const SnNodeKey *a = &keys[k - 1], *b = &keys[k];
        if (!sn_same_key(a, b)) continue;
        double stiffness = 0.5 * (bending_of(def, a->item) + bending_of(def, b->item)) / 3;
        if (!(stiffness > 0)) continue;
        int* hinge = body->hinges + 4 * (int64_t)body->hinge_count;
        hinge[0] = a->nodes[0], hinge[1] = a->nodes[1];
        hinge[2] = opposite(mesh->triangles + 3 * (int64_t)a->item, a);
        hinge[3] = opposite(mesh->triangles + 3 * (int64_t)b->item, a);
        body->hinge_stiffness[body->hinge_count++] = stiffness;
    }
    return SN_OK;
}

static SnStatus set_hinges(SnBody* body, const SnBodyDef* def)
{
    bool any = false;
    for (int r = -1; r < def->region_count; r++) any |= sn_material_bending(material_at(def, r)) > 0;
    if (!any) return SN_OK;
    SnNodeKey* keys = NULL;
    SnStatus status = sort_edges(def->mesh, &keys);
    if (status == SN_OK) status = fill_hinges(body, def, keys);
    sn_free(keys);
    return status;
}

SnStatus sn_body_set_reinforcement(SnBody* body, const SnBodyDef* def)
{
    SN_TRY(check(def));
    if (def->mesh->tetrahedron_count) return set_fibers(body, def);
    return def->mesh->triangle_count ? set_hinges(body, def) : SN_OK;
}
