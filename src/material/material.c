// The materials of the instruction set in use, and what everybody derives from a row.
#include "material/material.h"

#include <math.h>
#include <string.h>

#include "core/suggest.h"
#include "material/material_table.h"

#define COUNT_ROW(ID) +1
enum { MATERIAL_COUNT = 0 SN_MATERIAL_LIST(COUNT_ROW) };
#define EXTEND_BELOW 0.3 // stretch under which logarithms are continued

SN_EXTERN_OF_ISA(const SnMaterialType* const[], sn_material_table);

static const SnMaterialType* const* table(void)
{
    return SN_OF_ISA(sn_material_table);
}

int sn_material_count(void)
{
    return MATERIAL_COUNT;
}

const SnMaterialType* sn_material_at(int index)
{
    return table()[index];
}

const SnMaterialType* sn_material_find(const char* name)
{
    for (const SnMaterialType* const* type = table(); *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    return NULL;
}

SnMaterial sn_material(const char* type, double young, double poisson, double density)
{
    return (SnMaterial){.type = type,
                        .young = young,
                        .poisson = poisson,
                        .density = density,
                        .weight = 1,
                        .thickness = 1e-3,
                        .extra = {NAN, NAN},
                        .bending = NAN};
}

SnStatus sn_material_resolve(const SnMaterial* material, const SnMaterialType** type)
{
    *type = material->custom;
    if (material->custom) {
        if (!(*type)->energy || !(*type)->gradient || !(*type)->hessian)
            return sn_fail(SN_ERROR_VALUE, "a custom material needs energy, gradient and hessian functions");
        return SN_OK;
    }
    const char* name = material->type ? material->type : "";
    *type = sn_material_find(name);
    if (*type) return SN_OK;
    const char* names[MATERIAL_COUNT];
    for (int i = 0; i < MATERIAL_COUNT; i++) names[i] = sn_material_at(i)->name;
    const char* nearest = sn_nearest_name(name, names, MATERIAL_COUNT);
    return sn_fail(SN_ERROR_VALUE, "unknown material '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

static SnStatus set_extra(const SnMaterial* m, const SnMaterialType* type, SnMaterialParameters* out)
{
    for (int i = 0; i < 2 && type->extra[i].name; i++) {
        const SnMaterialExtra* extra = &type->extra[i];
        out->extra[i] = isnan(m->extra[i]) ? extra->initial : m->extra[i];
        if (!(out->extra[i] >= extra->lo && out->extra[i] <= extra->hi))
            return sn_fail(SN_ERROR_VALUE, "%s is %g; it must be between %g and %g", extra->name, out->extra[i],
                           extra->lo, extra->hi);
    }
    return SN_OK;
}

static SnStatus check_numbers(const SnMaterial* m)
{
    if (!(m->young > 0) || !isfinite(m->young))
        return sn_fail(SN_ERROR_VALUE, "young is %g Pa; it must be positive", m->young);
    if (!(m->poisson > -1 && m->poisson < 0.5))
        return sn_fail(SN_ERROR_VALUE, "poisson is %g; it must be between -1 and 0.5, both excluded (rubber: 0.49)",
                       m->poisson);
    if (!(m->density > 0) || !isfinite(m->density))
        return sn_fail(SN_ERROR_VALUE, "density is %g kg/m3; it must be positive", m->density);
    if (!(m->weight > 0) || !isfinite(m->weight))
        return sn_fail(SN_ERROR_VALUE, "weight is %g; it must be positive", m->weight);
    if (!(m->fiber >= 0) || !isfinite(m->fiber))
        return sn_fail(SN_ERROR_VALUE, "fiber is %g Pa; it must be 0 or positive", m->fiber);
    if (!isnan(m->bending) && (!(m->bending >= 0) || !isfinite(m->bending)))
        return sn_fail(SN_ERROR_VALUE, "bending is %g N m; it must be 0 or positive", m->bending);
    return SN_OK;
}

static SnStatus set_parameters(const SnMaterial* m, const SnMaterialType* type, bool sheet, SnMaterialParameters* out)
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
    SN_TRY(set_extra(m, type, out));
    if (type->adjust && !type->adjust(out))
        return sn_fail(SN_ERROR_VALUE, "there is no %s material with young %g Pa and poisson %g; it needs %s",
                       type->name, m->young, m->poisson, type->limits ? type->limits : "other parameters");
    return SN_OK;
}

SnStatus sn_material_parameters(const SnMaterial* m, const SnMaterialType* type, SnMaterialParameters* out)
{
    return set_parameters(m, type, false, out);
}

SnStatus sn_material_sheet_parameters(const SnMaterial* m, const SnMaterialType* type, SnMaterialParameters* out)
{
    return set_parameters(m, type, true, out);
}

double sn_material_bending(const SnMaterial* m)
{
    double t = m->thickness;
    return isnan(m->bending) ? m->young * t * t * t / (12 * (1 - m->poisson * m->poisson)) : m->bending;
}

void sn_young_poisson(double mu, double lambda, double* young, double* poisson)
{
    *young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    *poisson = lambda / (2 * (lambda + mu));
}

// At equal stretches s; nine eigen-directions: the scaling block, and for each pair a flip (psi_ii - psi_ij) and a
// twist
// ((psi_i + psi_j)/(s_i + s_j)) mode.
static double stiffness_at(const SnMaterialType* type, SnMaterialParameters p, double s)
{
    const SnStretches equal = {s, s, s};
    SnStretchHessian h = type->hessian(equal, p);
    if (type->elements == SN_ON_EDGES) return fabs(h.h11);
    SnStretches g = type->gradient(equal, p);
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

void sn_material_energy(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                        double psi[SN_LANES])
{
    if (type->packs) {
        type->packs->energy(s, m, psi);
        return;
    }
    for (int l = 0; l < SN_LANES; l++) psi[l] = type->energy(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));
}

void sn_material_gradient(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                          double g[3][SN_LANES])
{
    if (type->packs) {
        type->packs->gradient(s, m, g);
        return;
    }
    for (int l = 0; l < SN_LANES; l++) {
        SnStretches d = type->gradient(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));
        g[0][l] = d.s1, g[1][l] = d.s2, g[2][l] = d.s3;
    }
}

void sn_material_hessian(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                         double h[6][SN_LANES])
{
    if (type->packs) {
        type->packs->hessian(s, m, h);
        return;
    }
    for (int l = 0; l < SN_LANES; l++) {
        SnStretchHessian d = type->hessian(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));
        h[0][l] = d.h11, h[1][l] = d.h22, h[2][l] = d.h33, h[3][l] = d.h12, h[4][l] = d.h13, h[5][l] = d.h23;
    }
}

void sn_material_derivatives(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                             double g[3][SN_LANES], double h[6][SN_LANES])
{
    if (type->packs) {
        type->packs->derivatives(s, m, g, h);
        return;
    }
    sn_material_gradient(type, s, m, g);
    sn_material_hessian(type, s, m, h);
}
