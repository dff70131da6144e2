// Fields: numbers made of what elements bear (potential/borne.h) and of what nodes do.
#include "world/field.h"
#include "core/share.h"

#include <math.h>
#include <string.h>

#include "core/getter.h"
#include "linalg/svd3.h"
#include "linalg/vec3.h"
#include "world/definitions.h"
#include "world/world.h"

// --- of elements ---

// Where a symmetric matrix has its six numbers.
static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};

static double volume_ratio(const SnBorne* e)
{
    return sn_determinant3(e->gradient);
}

// Cauchy's; where an element has no volume left there is none.
static void stress_of(const SnBorne* e, double stress[9])
{
    double volume = e->volume * volume_ratio(e);
    for (int k = 0; k < 9; k++) stress[k] = volume != 0 ? e->virial[k] / volume : NAN;
}

static void find_stress(const SnBorne* e, double* out)
{
    double s[9];
    stress_of(e, s);
    for (int k = 0; k < 6; k++) out[k] = 0.5 * (s[3 * at[k][0] + at[k][1]] + s[3 * at[k][1] + at[k][0]]);
}

static void find_pressure(const SnBorne* e, double* out)
{
    double s[9];
    stress_of(e, s);
    *out = -(s[0] + s[4] + s[8]) / 3;
}

static void find_von_mises(const SnBorne* e, double* out)
{
    double s[6], normal = 0;
    find_stress(e, s);
    for (int k = 0; k < 3; k++) normal += (s[k] - s[(k + 1) % 3]) * (s[k] - s[(k + 1) % 3]);
    *out = sqrt(0.5 * normal + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

// Of a symmetric matrix, the largest first.
static void eigenvalues(const double s[6], double out[3])
{
    double a[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}, v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int sweep = 0; sweep < 6; sweep++) sn_lane_annihilate_all(a, v);
    for (int k = 0; k < 3; k++) out[k] = a[4 * k];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++)
            if (out[k] < out[k + 1]) {
                double larger = out[k + 1];
                out[k + 1] = out[k], out[k] = larger;
            }
}

static void find_principal_stress(const SnBorne* e, double* out)
{
    double s[6];
    find_stress(e, s);
    eigenvalues(s, out);
}

static void find_principal_stretch(const SnBorne* e, double* out)
{
    double f[9], u[9], v[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) f[3 * c + r] = e->gradient[3 * r + c];
    sn_lane_svd3(f, u, out, v);
}

// Green's, (F^T F - 1)/2, in the axes of the rest shape.
static void find_strain(const SnBorne* e, double* out)
{
    const double* f = e->gradient;
    for (int k = 0; k < 6; k++) {
        int a = at[k][0], b = at[k][1];
        out[k] = 0.5 * (f[a] * f[b] + f[3 + a] * f[3 + b] + f[6 + a] * f[6 + b] - (a == b));
    }
}

static void find_volume_ratio(const SnBorne* e, double* out)
{
    *out = volume_ratio(e);
}

static void find_energy_density(const SnBorne* e, double* out)
{
    *out = e->energy / e->volume;
}

// sqrt(2/3 D:D), D = sym(dF/dt F^-1): of a bar that keeps its volume, the rate at which it gets longer.
static void find_strain_rate(const SnBorne* e, double* out)
{
    double inverse[9], l[9], sum = 0;
    double j = sn_invert3(e->gradient, inverse);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            l[3 * r + c] =
                e->rate[3 * r] * inverse[c] + e->rate[3 * r + 1] * inverse[3 + c] + e->rate[3 * r + 2] * inverse[6 + c];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) sum += 0.25 * (l[3 * r + c] + l[3 * c + r]) * (l[3 * r + c] + l[3 * c + r]);
    *out = j != 0 ? sqrt(2 * sum / 3) : NAN;
}

// --- of nodes ---

static SnStatus find_displacement(SnWorld* world, double* out)
{
    const SnModel* model = &world->model;
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        int64_t first = 3 * (int64_t)body->first_node;
        for (int64_t k = 0; k < 3 * (int64_t)body->node_count; k++)
            out[first + k] = world->state.x[first + k] - body->rest[k];
    }
    return SN_OK;
}

static SnStatus find_velocity(SnWorld* world, double* out)
{
    memcpy(out, world->state.v, 3 * (size_t)world->model.node_count * sizeof *out);
    return SN_OK;
}

static SnStatus divide_by_areas(const SnWorld* world, const SnBody* body, double* out)
{
    double* area;
    if (!SN_NEW(area, body->node_count, "a field")) return SN_ERROR_MEMORY;
    for (int i = 0; i < body->surface_count; i++) {
        const int* t = body->surface + 3 * (int64_t)i;
        const double* x = world->state.x + 3 * (int64_t)body->first_node;
        double third = sn_triangle_area(x + 3 * (int64_t)t[0], x + 3 * (int64_t)t[1], x + 3 * (int64_t)t[2]) / 3;
        for (int c = 0; c < 3; c++) area[t[c]] += third;
    }
    for (int i = 0; i < body->node_count; i++)
        out[body->first_node + i] = area[i] > 0 ? out[body->first_node + i] / area[i] : 0;
    sn_free(area);
    return SN_OK;
}

// Each contact's force goes to its nodes as the solver has it, by how near they are to its point.
static SnStatus find_contact_pressure(SnWorld* world, double* out)
{
    sn_touches_spread(&world->model, &world->state, &world->problem, &world->touches, out);
    for (int b = 0; b < world->model.body_count; b++) SN_TRY(divide_by_areas(world, &world->model.bodies[b], out));
    return SN_OK;
}

// What elements pull at their nodes with, -dU/dx; not their damping.
static SnStatus find_elastic_force(SnWorld* world, double* out)
{
    SN_TRY(sn_world_prepare(world, world->state.time));
    sn_potential_begin_stage(world->problem.potential, NULL, 0);
    sn_potential_gradient(world->problem.potential, world->state.x, out);
    for (int64_t k = 0; k < 3 * (int64_t)world->model.node_count; k++) out[k] = -out[k];
    return SN_OK;
}

static const SnField fields[] = {
    {"stress", "Cauchy's: xx, yy, zz, xy, yz, xz", "Pa", 6, .of_element = find_stress},
    {"von-mises", "the stress of a bar that would be as near to yielding", "Pa", 1, .of_element = find_von_mises},
    {"pressure", "minus the mean of the normal stresses", "Pa", 1, .of_element = find_pressure},
    {"principal-stress", "the largest first", "Pa", 3, .of_element = find_principal_stress},
    {"principal-stretch", "the largest first; negative: inside out", "", 3, .of_element = find_principal_stretch},
    {"strain", "Green's, in the axes of the rest shape: xx, yy, zz, xy, yz, xz", "", 6, .of_element = find_strain},
    {"volume-ratio", "volume over that at rest; of sheets, areas; of strands, lengths", "", 1,
     .of_element = find_volume_ratio},
    {"energy-density", "elastic, by the volume at rest", "J/m3", 1, .of_element = find_energy_density},
    {"strain-rate", "the rate at which a bar would get longer", "1/s", 1, .of_element = find_strain_rate},
    {"displacement", "from the rest shape", "m", 3, .of_nodes = find_displacement},
    {"velocity", "of the nodes", "m/s", 3, .of_nodes = find_velocity},
    {"elastic-force", "what elements pull at a node with", "N", 3, .of_nodes = find_elastic_force},
    {"contact-pressure", "normal forces of contacts over the area that is the node's", "Pa", 1,
     .of_nodes = find_contact_pressure},
    {0},
};

const SnTable sn_field_table = {.noun = "field", .rows = fields, .stride = sizeof *fields};

int sn_field_count(void)
{
    return sn_table_count(&sn_field_table);
}

static void describe(const SnField* field, SnFieldInfo* info)
{
    *info = (SnFieldInfo){field->name, field->summary, field->unit, field->components, field->of_nodes != NULL};
}

SnStatus sn_field_at(int index, SnFieldInfo* info)
{
    SN_NEED(info);
    if (index < 0 || index >= sn_field_count())
        return sn_fail(SN_ERROR_VALUE, "there is no field %d; they are numbered from 0 to %d", index,
                       sn_field_count() - 1);
    describe(&fields[index], info);
    return SN_OK;
}

SnStatus sn_field_named(const char* name, SnFieldInfo* info)
{
    SN_NEED(name);
    SN_NEED(info);
    const SnField* field = sn_table_find(&sn_field_table, name);
    if (!field) return sn_table_unknown(&sn_field_table, name);
    describe(field, info);
    return SN_OK;
}

SN_GETTER(int, sn_world_element_count, const SnWorld*, model.element_count)

// --- from elements to nodes ---

static void add_to_nodes(const SnModel* model, const SnBorne* borne, const SnField* field, double* volume, double* out)
{
    for (int b = 0; b < model->body_count; b++) {
        const SnBody* body = &model->bodies[b];
        SnElements e = sn_body_elements(body);
        for (int i = 0; i < e.count; i++) {
            const SnBorne* element = &borne[body->first_element + i];
            double value[6];
            field->of_element(element, value);
            for (int a = 0; a < e.nodes; a++) {
                int64_t node = body->first_node + e.items[(int64_t)e.nodes * i + a];
                volume[node] += element->volume;
                for (int c = 0; c < field->components; c++)
                    out[field->components * node + c] += element->volume * value[c];
            }
        }
    }
}

static SnStatus average(const SnModel* model, const SnBorne* borne, const SnField* field, double* out)
{
    double* volume;
    if (!SN_NEW(volume, model->node_count, "a field")) return SN_ERROR_MEMORY;
    memset(out, 0, (size_t)field->components * (size_t)model->node_count * sizeof *out);
    add_to_nodes(model, borne, field, volume, out);
    sn_share_add(model->tasks, 1, volume);
    sn_share_add(model->tasks, field->components, out);
    for (int64_t k = 0; k < (int64_t)field->components * model->node_count; k++)
        out[k] = volume[k / field->components] > 0 ? out[k] / volume[k / field->components] : 0;
    sn_free(volume);
    return SN_OK;
}

static SnStatus find_of_elements(SnWorld* world, const SnField* field, SnFieldPlace place, double* values)
{
    const SnModel* model = &world->model;
    SnBorne* borne;
    SN_TRY(sn_world_prepare(world, world->state.time));
    if (!SN_NEW(borne, model->element_count, "a field")) return SN_ERROR_MEMORY;
    sn_potential_bear(world->problem.potential, world->state.x, world->state.v, borne);
    SnStatus status = SN_OK;
    if (place == SN_FIELD_NODES) status = average(model, borne, field, values);
    for (int64_t i = 0; i < model->element_count && place == SN_FIELD_ELEMENTS; i++)
        field->of_element(&borne[i], values + field->components * i);
    sn_free(borne);
    return status;
}

SnStatus sn_world_field(SnWorld* world, const char* name, SnFieldPlace place, double* values)
{
    SN_CHANGE(world);
    SN_NEED(name);
    SN_NEED(values);
    const SnField* field = sn_table_find(&sn_field_table, name);
    if (!field) return sn_table_unknown(&sn_field_table, name);
    if (place != SN_FIELD_ELEMENTS && place != SN_FIELD_NODES)
        return sn_fail(SN_ERROR_VALUE, "a field is of elements (0) or nodes (1), not %d", (int)place);
    if (field->of_element) return find_of_elements(world, field, place, values);
    if (place == SN_FIELD_ELEMENTS)
        return sn_fail(SN_ERROR_VALUE, "the field '%s' is of nodes; elements have none", name);
    memset(values, 0, (size_t)field->components * (size_t)world->model.node_count * sizeof *values);
    return field->of_nodes(world, values);
}
