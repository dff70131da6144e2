// Numbers of bodies that are changed between steps, and by which method the next ones are made: materials, dampings,
// solver, integrator.
//
// What a change adds to the energies and momenta is booked as work and impulse of handles (world/change.c).
#include <math.h>
#include <string.h>

#include "core/handle.h"
#include "integrator/integrator.h"
#include "world/definitions.h"
#include "world/event.h"

// --- Materials ---

static const SnParameter common[] = {
    {.name = "young", .type = SN_NUMBER, .offset = offsetof(SnMaterial, young)},
    {.name = "poisson", .type = SN_NUMBER, .offset = offsetof(SnMaterial, poisson)},
    {.name = "density", .type = SN_NUMBER, .offset = offsetof(SnMaterial, density)},
};
enum { COMMON = sizeof common / sizeof *common };

// The number of a material that is the which-th, those that all have and then its type's own; NULL: there are not as
// many.
static const SnParameter* material_row(const SnMaterialType* type, int which)
{
    if (which < COMMON) return which >= 0 ? &common[which] : NULL;
    for (const SnParameter* row = type->parameters; row && row->name; row++)
        if (row->type == SN_NUMBER && row->count <= 1 && which-- == COMMON) return row;
    return NULL;
}

static SnStatus find_row(const SnBody* body, const char* name, int* which)
{
    char names[256] = "";
    const SnParameter* row;
    for (*which = 0; (row = material_row(body->type, *which)); ++*which) {
        if (strcmp(row->name, name) == 0) return SN_OK;
        sn_append(names, sizeof names, "%s%s", *which ? ", " : "", row->name);
    }
    return sn_fail(SN_ERROR_VALUE, "material '%s' of body '%s' has no number '%s' that can be changed; it has %s",
                   body->type->name, body->name, name, names);
}

// What is stored in the same shape changes with it, and what moves at the same speed.
static SnStatus change_material(SnWorld* world, int index, const SnMaterial* material)
{
    SnStepReport before, after;
    SnBody* body = &world->model.bodies[index];
    SN_TRY(sn_change_measure(world, &before));
    SnStatus status = sn_body_change_material(body, material);
    if (status != SN_OK) return sn_fail_prefix(status, "body '%s'", body->name);
    sn_world_discard_problem(world);
    sn_change_forget(world);
    SN_TRY(sn_change_measure(world, &after));
    sn_change_book(&world->state, &before, &after);
    return SN_OK;
}

SnStatus sn_world_set_stiffness(SnWorld* world, int body, double young, double poisson)
{
    SN_CHANGE(world);
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    SnMaterial material = world->model.bodies[body].material;
    material.young = young, material.poisson = poisson;
    SN_TRY(change_material(world, body, &material));
    return sn_world_note(world, "stiffness", body, 2, (double[]){young, poisson});
}

SnStatus sn_world_stiffness(const SnWorld* world, int body, double* young, double* poisson)
{
    SN_HANDLE(world);
    SN_NEED(young);
    SN_NEED(poisson);
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    *young = world->model.bodies[body].material.young, *poisson = world->model.bodies[body].material.poisson;
    return SN_OK;
}

SnStatus sn_world_set_material_number(SnWorld* world, int body, int which, double value)
{
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    SnMaterial material = world->model.bodies[body].material;
    const SnParameter* row = material_row(world->model.bodies[body].type, which);
    if (!row) return sn_fail(SN_ERROR_VALUE, "body %d: its material has no number %d", body, which);
    *(double*)((char*)&material + row->offset) = value;
    SN_TRY(change_material(world, body, &material));
    return sn_world_note(world, "material", body, 2, (double[]){which, value});
}

SnStatus sn_world_set_material(SnWorld* world, int body, const char* name, double value)
{
    SN_CHANGE(world);
    SN_NEED(name);
    int which;
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    SN_TRY(find_row(&world->model.bodies[body], name, &which));
    return sn_world_set_material_number(world, body, which, value);
}

SnStatus sn_world_material(const SnWorld* world, int body, const char* name, double* value)
{
    SN_HANDLE(world);
    SN_NEED(name);
    SN_NEED(value);
    int which;
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    const SnBody* b = &world->model.bodies[body];
    SN_TRY(find_row(b, name, &which));
    *value = *(const double*)((const char*)&b->material + material_row(b->type, which)->offset);
    return SN_OK;
}

// --- Dampings ---

// Those that a dissipation is proportional to, so that 0 is none.
typedef struct Strength {
    const char* name;
    size_t def, own; // in SnDampingDef and SnDissipationParameters
} Strength;
#define STRENGTH(name)                                                               \
    {                                                                                \
#name, offsetof(SnDampingDef, name), offsetof(SnDissipationParameters, name) \
    }
static const Strength strengths[] = {STRENGTH(beta), STRENGTH(shear), STRENGTH(bulk), STRENGTH(strength),
                                     STRENGTH(drag)};
enum { STRENGTHS = sizeof strengths / sizeof *strengths };

static SnStatus need_strength(const SnDissipation* d, const Strength* s)
{
    bool own = sn_parameter_find(d->type->parameters, s->name), base = sn_parameter_find(d->base->parameters, s->name);
    if (!d->type->energy && (own || base)) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "a damping '%s' has no number '%s' that can be changed", d->type->name, s->name);
}

// Whether it has the number, and may have this one.
static SnStatus check_strength(const SnDissipation* d, const Strength* s, double value)
{
    SnDampingDef def = sn_default_damping_def(d->type->name);
    SN_TRY(need_strength(d, s));
    *(double*)((char*)&def + s->def) = value;
    SN_TRY(sn_parameters_check(d->type->parameters, &def, ""));
    return sn_parameters_check(d->base->parameters, &def, "");
}

static SnStatus need_damping(const SnBody* body, int damping)
{
    if (damping >= 0 && damping < body->damping_count) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "body '%s' has no damping %d; it has %d, counted from 0", body->name, damping,
                   body->damping_count);
}

static SnStatus set_strength(SnWorld* world, int index, int damping, const Strength* s, double value)
{
    SnBody* body = &world->model.bodies[index];
    SN_TRY(need_damping(body, damping));
    SnDissipation* d = &body->dampings[damping].dissipation;
    SnStatus status = check_strength(d, s, value);
    if (status != SN_OK) return sn_fail_prefix(status, "body '%s'", body->name);
    sn_world_discard_problem(world);
    *(double*)((char*)&d->parameters + s->own) = value;
    d->viscosity = d->base->packs->viscosity(d->parameters);
    sn_change_forget(world);
    return sn_world_note(world, "damping", index, 3, (double[]){damping, (double)(s - strengths), value});
}

SnStatus sn_world_set_damping_number(SnWorld* world, int body, int damping, int which, double value)
{
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    if (which < 0 || which >= STRENGTHS) return sn_fail(SN_ERROR_VALUE, "dampings have no number %d", which);
    return set_strength(world, body, damping, &strengths[which], value);
}

static SnStatus find_strength(const char* name, const Strength** s)
{
    *s = NULL;
    for (int i = 0; i < STRENGTHS; i++)
        if (strcmp(strengths[i].name, name) == 0) *s = &strengths[i];
    if (*s) return SN_OK;
    return sn_fail(SN_ERROR_VALUE,
                   "no damping has a number '%s' that can be changed; beta, shear, bulk, strength and "
                   "drag can",
                   name);
}

SnStatus sn_world_set_damping(SnWorld* world, int body, int damping, const char* name, double value)
{
    SN_CHANGE(world);
    SN_NEED(name);
    const Strength* s;
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    SN_TRY(find_strength(name, &s));
    return set_strength(world, body, damping, s, value);
}

SnStatus sn_world_damping(const SnWorld* world, int body, int damping, const char* name, double* value)
{
    SN_HANDLE(world);
    SN_NEED(name);
    SN_NEED(value);
    const Strength* s;
    SN_TRY(sn_model_check_body(&world->model, body, "there is no"));
    SN_TRY(find_strength(name, &s));
    SN_TRY(need_damping(&world->model.bodies[body], damping));
    const SnDissipation* d = &world->model.bodies[body].dampings[damping].dissipation;
    SN_TRY(need_strength(d, s));
    *value = *(const double*)((const char*)&d->parameters + s->own);
    return SN_OK;
}

const char* sn_damping_number_name(int which)
{
    return which < STRENGTHS ? strengths[which].name : NULL;
}

// --- Solver and integrator ---

static int number_in(const SnTable* table, const char* type)
{
    int i = 0;
    while (sn_table_name(table, i) && strcmp(sn_table_name(table, i), type) != 0) i++;
    return i;
}

// Solvers find the same minimum, so energies stay; what one remembered is forgotten.
SnStatus sn_world_set_solver(SnWorld* world, const char* type)
{
    SN_CHANGE(world);
    SN_NEED(type);
    SnSolverDef def = world->model.def.solver;
    const SnSolverType* found = sn_solver_find(type);
    if (!found) return sn_table_unknown(&sn_solver_table, type);
    def.type = found->name;
    SN_TRY(sn_solver_def_resolve(&def));
    sn_world_discard_problem(world);
    world->model.def.solver = def, world->model.solver_type = found;
    sn_change_forget(world);
    return sn_world_note(world, "solver", number_in(&sn_solver_table, found->name), 0, NULL);
}

// The state is the same; what one kept besides it is not looked back to.
SnStatus sn_world_set_integrator(SnWorld* world, const char* type)
{
    SN_CHANGE(world);
    SN_NEED(type);
    SnModel* model = &world->model;
    const SnIntegratorType *found = sn_integrator_find(type), *before = model->integrator;
    if (!found) return sn_table_unknown(&sn_integrator_table, type);
    if (found == before) return SN_OK;
    if (found->order == 0 || before->order == 0)
        return sn_fail(SN_ERROR_VALUE, "integrator '%s' cannot take over from '%s': one of them knows no inertia",
                       found->name, before->name);
    SnWorldDef def = model->def;
    def.integrator = found->name;
    SN_TRY(sn_parameters_check(found->parameters, &def, "integrator"));
    sn_world_discard_problem(world);
    model->integrator = found;
    SnStatus status = sn_state_grow(&world->state, model);
    if (status != SN_OK) {
        model->integrator = before;
        return status;
    }
    model->def.integrator = found->name;
    sn_change_forget(world);
    return sn_world_note(world, "integrator", number_in(&sn_integrator_table, found->name), 0, NULL);
}
