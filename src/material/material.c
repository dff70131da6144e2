// The materials of the instruction set in use, and what everybody derives from a row.
#include "material/material.h"
#include "core/handle.h"

#include <math.h>
#include <string.h>

#define EXTEND_BELOW 0.3 // stretch under which logarithms are continued

SN_EXTERN_OF_ISA(const void* const[], sn_material_table);

static const void* const* rows(void)
{
    return SN_OF_ISA(sn_material_table);
}

const SnTable sn_material_table = {"material", .choose = rows, .key = "type",
                                   .parameters = offsetof(SnMaterialType, parameters)};

void sn_material_names(int elements, char* text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < sn_material_count(); i++)
        if (sn_material_at(i)->elements & elements)
            sn_append(text, size, "%s%s", *text ? ", " : "", sn_material_at(i)->name);
}

#define BENDING_DOC                                                                                             \
    "of a sheet: stiffness against being bent; without it young thickness^3/(12 (1 - poisson^2)), or none for " \
    "a sheet by `area-density` without `thickness`; 0: none. A fold between two regions has the mean of theirs"
const SnParameter sn_elastic_parameters[] = {
    {"young", SN_NUMBER, offsetof(SnMaterial, young), .value = "1e5", .range = ">0", .unit = "Pa",
     .doc = "Young's modulus"},
    {"poisson", SN_NUMBER, offsetof(SnMaterial, poisson), .value = "0.45", .range = ">-1 <0.5",
     .doc = "Poisson's ratio"},
    {"density", SN_NUMBER, offsetof(SnMaterial, density), .value = "1000", .range = ">0", .unit = "kg/m3",
     .doc = "mass per volume at rest"},
    {"bending", SN_NUMBER, offsetof(SnMaterial, bending), .unset = "nan", .example = "1e-5", .range = ">=0",
     .unit = "N m", .doc = BENDING_DOC},
    {0},
};

const SnParameter sn_stuff_parameters[] = {
    {"weight", SN_NUMBER, offsetof(SnMaterial, weight), .value = "1", .range = ">0",
     .doc = "scales the weights of ADMM's terms"},
    {"inversion", SN_ENUM, offsetof(SnMaterial, inversion), .value = "extend",
     .names = (const char* const[]){"extend", "barrier", NULL},
     .doc = "what becomes of elements turned inside out: they recover (extend), or it cannot happen (barrier)"},
    {"thickness", SN_NUMBER, offsetof(SnMaterial, thickness), .value = "1e-3", .range = ">0", .unit = "m",
     .doc = "of a sheet, or the diameter of a rope"},
    {0},
};

SnMaterial sn_material(const char* type, double young, double poisson, double density)
{
    SnMaterial m = {.type = type, .extra = {NAN, NAN}};
    sn_parameters_default(sn_elastic_parameters, &m);
    sn_parameters_default(sn_stuff_parameters, &m);
    m.young = young, m.poisson = poisson, m.density = density;
    return m;
}

SnStatus sn_material_resolve(const SnMaterial* material, const SnMaterialType** type)
{
    *type = material->custom;
    if (material->custom) {
        if (!(*type)->many && (!(*type)->energy || !(*type)->gradient || !(*type)->hessian))
            return sn_fail(SN_ERROR_VALUE, "a custom material needs energy, gradient and hessian functions, or many");
        return SN_OK;
    }
    const char* name = material->type ? material->type : "";
    *type = sn_material_find(name);
    if (*type) return SN_OK;
    return sn_table_unknown(&sn_material_table, name);
}

SnStatus sn_material_set(SnMaterial* material, const char* name, const char* value)
{
    SN_NEED(material);
    SN_NEED(name);
    SN_NEED(value);
    const SnMaterialType* type;
    SN_TRY(sn_material_resolve(material, &type));
    const SnParameter* const lists[] = {sn_elastic_parameters, sn_stuff_parameters, type->parameters, NULL};
    return sn_parameters_set(lists, name, value, "material", material);
}

// The type's own parameters, with defaults for those that are not given.
static SnStatus set_own(const SnMaterial* m, const SnMaterialType* type, SnMaterialParameters* out)
{
    SnMaterial own = *m, standard = {
                             .extra = {0},
                         };
    sn_parameters_default(type->parameters, &standard);
    for (int i = 0; i < 2; i++)
        if (isnan(own.extra[i])) own.extra[i] = standard.extra[i];
    memcpy(out->extra, own.extra, sizeof out->extra);
    return sn_parameters_check(type->parameters, &own, "");
}

static SnStatus check_numbers(const SnMaterial* m)
{
    static const SnParameter fiber[] = {
        {"fiber", SN_NUMBER, offsetof(SnMaterial, fiber), .value = "0", .range = ">=0", .unit = "Pa"},
        {0},
    };
    SN_TRY(sn_parameters_check(sn_elastic_parameters, m, ""));
    SN_TRY(sn_parameters_check(sn_stuff_parameters, m, ""));
    return sn_parameters_check(fiber, m, "");
}

SnStatus sn_material_parameters_of(const SnMaterial* m, const SnMaterialType* type, bool sheet,
                                   SnMaterialParameters* out)
{
    SN_TRY(check_numbers(m));
    double mu = m->young / (2 * (1 + m->poisson));
    double lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
    *out = (SnMaterialParameters){
        .mu = mu,
        .lambda = sheet ? 2 * mu * lambda / (lambda + 2 * mu) : lambda,
        .floor = type->barrier && m->inversion == SN_INVERSION_EXTEND ? EXTEND_BELOW : 0,
        .user = m->user,
    };
    SN_TRY(set_own(m, type, out));
    if (type->adjust && !type->adjust(out))
        return sn_fail(SN_ERROR_VALUE, "there is no %s material with young %g Pa and poisson %g; it needs %s",
                       type->name, m->young, m->poisson, type->limits ? type->limits : "other parameters");
    if (sheet && !type->barrier) out->floor = 0; // it has no inside that could be out
    return SN_OK;
}

SnStatus sn_material_parameters(const SnMaterial* m, const SnMaterialType* type, SnMaterialParameters* out)
{
    return sn_material_parameters_of(m, type, false, out);
}

double sn_material_bending(const SnMaterial* m)
{
    double t = m->thickness;
    return isnan(m->bending) ? m->young * t * t * t / (12 * (1 - m->poisson * m->poisson)) : m->bending;
}

void sn_young_poisson(double mu, double lambda, double* young, double* poisson)
{
    if (young) *young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    if (poisson) *poisson = lambda / (2 * (lambda + mu));
}

// At equal stretches s; nine eigen-directions: the scaling block, and for each pair a flip (psi_ii - psi_ij) and a
// twist
// ((psi_i + psi_j)/(s_i + s_j)) mode.
static double stiffness_at(const SnMaterialType* type, SnMaterialParameters p, double s)
{
    const SnStretches equal = {s, s, s};
    SnStretchHessian h = sn_material_hessian_at(type, equal, p);
    if (type->elements == SN_ON_EDGES) return fabs(h.h11);
    SnStretches g = sn_material_gradient_at(type, equal, p);
    double sum = h.h11 * h.h11 + h.h22 * h.h22 + h.h33 * h.h33 + 2 * (h.h12 * h.h12 + h.h13 * h.h13 + h.h23 * h.h23);
    double flips[3] = {h.h11 - h.h12, h.h11 - h.h13, h.h22 - h.h23};
    double twists[3] = {(g.s1 + g.s2) / (2 * s), (g.s1 + g.s3) / (2 * s), (g.s2 + g.s3) / (2 * s)};
    for (int i = 0; i < 3; i++) sum += flips[i] * flips[i] + twists[i] * twists[i];
    return sqrt(sum);
}

double sn_material_rest_stiffness(const SnMaterialType* type, SnMaterialParameters p)
{
    double stiffness = stiffness_at(type, p, 1);
    return stiffness > 0 ? stiffness : stiffness_at(type, p, 1.25); // a material that is soft at rest, like polynomial
}
