// A body's dampings: checked, and which of its elements each acts on.
#include "mesh/elements.h"
#include "world/element_terms.h"
#include "world/world.h"

static SnStatus check_elements(const SnDampingDef* def, int count, const char* noun, bool* seen)
{
    for (int i = 0; i < def->element_count; i++) {
        int e = def->elements[i];
        if (e < 0 || e >= count)
            return sn_fail(SN_ERROR_VALUE, "%s %d does not exist; there are 0 to %d", noun, e, count - 1);
        if (seen[e]) return sn_fail(SN_ERROR_VALUE, "%s %d is named twice", noun, e);
        seen[e] = true;
    }
    return SN_OK;
}

static SnStatus set_elements(SnBodyDamping* damping, const SnDampingDef* def, int dimension, int count)
{
    if (!def->elements) return SN_OK;
    if (def->element_count < 0)
        return sn_fail(SN_ERROR_VALUE, "a list of %d elements; there can be 0 or more", def->element_count);
    bool* seen;
    if (!SN_NEW(seen, count, "dampings")) return SN_ERROR_MEMORY;
    SnStatus status = check_elements(def, count, sn_element_nouns[dimension][0], seen);
    sn_free(seen);
    if (status != SN_OK) return status;
    damping->elements = sn_copy_memory(def->elements, (size_t)def->element_count, sizeof(int), "dampings");
    damping->element_count = def->element_count;
    return damping->elements ? SN_OK : SN_ERROR_MEMORY;
}

// One more; refused, there are as many as before.
static SnStatus append(SnBody* body, const SnDampingDef* def, int dimension, int count)
{
    size_t many = (size_t)body->damping_count + 1;
    SnBodyDamping damping = {0}, *grown;
    SnStatus status = sn_dissipation_set(&damping.dissipation, def);
    if (status == SN_OK) status = set_elements(&damping, def, dimension, count);
    if (status != SN_OK) return status;
    grown = sn_reallocate(body->dampings, many, sizeof *grown, "dampings");
    if (!grown) {
        sn_free(damping.elements);
        return SN_ERROR_MEMORY;
    }
    body->dampings = grown, body->dampings[body->damping_count++] = damping;
    return SN_OK;
}

SnStatus sn_body_set_damping(SnBody* body, const SnBodyDef* def)
{
    if (def->damping_count < 0 || (def->damping_count > 0 && !def->damping))
        return sn_fail(SN_ERROR_VALUE, "%d dampings%s", def->damping_count,
                       def->damping ? "; there can be 0 or more" : " without a list");
    int dimension = sn_mesh_top_dimension(def->mesh), count = sn_mesh_count_of(def->mesh, dimension);
    for (int i = 0; i < def->damping_count; i++) {
        SnStatus status = append(body, &def->damping[i], dimension, count);
        if (status != SN_OK) return sn_fail_prefix(status, "damping %d", i);
    }
    return SN_OK;
}

SnStatus sn_body_add_damping(SnBody* body, const SnDampingDef* def)
{
    int dimension = body->tetrahedron_count > 0 ? 3 : body->triangle_count > 0 ? 2 : 1;
    return append(body, def, dimension, sn_body_elements(body).count);
}

void sn_body_drop_damping(SnBody* body)
{
    sn_free(body->dampings[--body->damping_count].elements);
}

void sn_body_free_damping(SnBody* body)
{
    for (int i = 0; i < body->damping_count; i++) sn_free(body->dampings[i].elements);
    sn_free(body->dampings);
}

// Of all dampings that act on elements; points, of element quadratic.
static int64_t acted_on(const SnBody* body, const SnBodyDamping* damping)
{
    bool points = body->element == SN_ELEMENT_QUADRATIC;
    if (!damping->elements) return points ? body->points.count : sn_body_elements(body).count;
    if (!points) return damping->element_count;
    int* chosen;
    if (!SN_NEW(chosen, 2 * (int64_t)body->points.count, "dampings")) return -1;
    int count = sn_quadratics_chosen(body, damping->elements, damping->element_count, chosen);
    sn_free(chosen);
    return count;
}

int64_t sn_body_shift_count(const SnBody* body)
{
    int64_t count = 0;
    for (int i = 0; i < body->damping_count; i++) {
        const SnBodyDamping* damping = &body->dampings[i];
        if (!sn_dissipation_sticks(&damping->dissipation)) continue;
        int64_t elements = acted_on(body, damping);
        if (elements < 0) return -1;
        count += SN_SHIFT * elements;
    }
    return count;
}
