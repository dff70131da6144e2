// Densities of one element and of packs, of whatever a type is made of: packs of its own, functions of one element, or
// one of many.
#include <math.h>
#include <string.h>

#include "material/material.h"

static SnMaterialMany of_pack(const double s[3][SN_LANES], const SnParameterPack* m)
{
    return (SnMaterialMany){.count = SN_LANES,
                            .stretches = {s[0], s[1], s[2]},
                            .mu = m->mu,
                            .lambda = m->lambda,
                            .floor = m->floor,
                            .extra = {m->extra[0], m->extra[1]},
                            .user = m->user};
}

static SnMaterialMany of_one(const SnStretches* s, const SnMaterialParameters* m)
{
    return (SnMaterialMany){.count = 1,
                            .stretches = {&s->s1, &s->s2, &s->s3},
                            .mu = &m->mu,
                            .lambda = &m->lambda,
                            .floor = &m->floor,
                            .extra = {&m->extra[0], &m->extra[1]},
                            .user = m->user};
}

double sn_material_energy_at(const SnMaterialType* type, SnStretches s, SnMaterialParameters m)
{
    if (!type->many) return type->energy(s, m);
    double psi = NAN;
    SnMaterialMany many = of_one(&s, &m);
    many.energy = &psi;
    type->many(&many);
    return psi;
}

SnStretches sn_material_gradient_at(const SnMaterialType* type, SnStretches s, SnMaterialParameters m)
{
    if (!type->many) return type->gradient(s, m);
    SnStretches g = {NAN, NAN, NAN};
    SnMaterialMany many = of_one(&s, &m);
    many.gradient[0] = &g.s1, many.gradient[1] = &g.s2, many.gradient[2] = &g.s3;
    type->many(&many);
    return g;
}

SnStretchHessian sn_material_hessian_at(const SnMaterialType* type, SnStretches s, SnMaterialParameters m)
{
    if (!type->many) return type->hessian(s, m);
    SnStretchHessian h = {NAN, NAN, NAN, NAN, NAN, NAN};
    double* entries[6] = {&h.h11, &h.h22, &h.h33, &h.h12, &h.h13, &h.h23};
    SnMaterialMany many = of_one(&s, &m);
    memcpy(many.hessian, entries, sizeof entries);
    type->many(&many);
    return h;
}

void sn_material_energy(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                        double psi[SN_LANES])
{
    if (type->packs) {
        type->packs->energy(s, m, psi);
    } else if (type->many) {
        SnMaterialMany many = of_pack(s, m);
        many.energy = psi;
        type->many(&many);
    } else
        for (int l = 0; l < SN_LANES; l++) psi[l] = type->energy(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));
}

static void ask_for_gradient(SnMaterialMany* many, double g[3][SN_LANES])
{
    for (int i = 0; i < 3; i++) many->gradient[i] = g[i];
}

void sn_material_gradient(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                          double g[3][SN_LANES])
{
    if (type->packs) {
        type->packs->gradient(s, m, g);
    } else if (type->many) {
        SnMaterialMany many = of_pack(s, m);
        ask_for_gradient(&many, g);
        type->many(&many);
    } else
        for (int l = 0; l < SN_LANES; l++) {
            SnStretches d = type->gradient(SN_LANE_STRETCHES(s, l), SN_LANE_PARAMETERS(m, l));
            g[0][l] = d.s1, g[1][l] = d.s2, g[2][l] = d.s3;
        }
}

static void hessian_by_lanes(const SnMaterialType* type, const double s[3][SN_LANES], const SnParameterPack* m,
                             double h[6][SN_LANES])
{
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
    } else if (type->many) {
        SnMaterialMany many = of_pack(s, m);
        ask_for_gradient(&many, g);
        for (int i = 0; i < 6; i++) many.hessian[i] = h[i];
        type->many(&many);
    } else {
        sn_material_gradient(type, s, m, g);
        hessian_by_lanes(type, s, m, h);
    }
}
