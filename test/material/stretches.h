// What tests of materials share: parameters, stretches out of nothing, parts of them.
#pragma once
#include "check.h"

#include "core/random.h"
#include "material/material.h"

static inline SnMaterialParameters parameters_of(const SnMaterialType* type, SnInversion inversion)
{
    SnMaterial material = sn_material(type->name, 2e3, 0.3, 1000);
    SnMaterialParameters p;
    material.inversion = inversion;
    check_ok(sn_material_parameters(&material, type, &p));
    return p;
}

// Random stretches; with `inverted`, the smallest may be negative.
static inline SnStretches random_stretches(SnRandom* random, bool inverted)
{
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = exp(sn_random_uniform(random, -1, 1));
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            if (a[j] > a[i]) {
                double t = a[i];
                a[i] = a[j], a[j] = t;
            }
    if (inverted) a[2] = sn_random_uniform(random, -1, 1) * a[1];
    return (SnStretches){a[0], a[1], a[2]};
}

static inline double component(SnStretches s, int i)
{
    return i == 0 ? s.s1 : i == 1 ? s.s2 : s.s3;
}

static inline SnStretches shifted(SnStretches s, int i, double by)
{
    if (i == 0) s.s1 += by;
    if (i == 1) s.s2 += by;
    if (i == 2) s.s3 += by;
    return s;
}

static inline double entry(SnStretchHessian h, int i, int j)
{
    const double m[3][3] = {{h.h11, h.h12, h.h13}, {h.h12, h.h22, h.h23}, {h.h13, h.h23, h.h33}};
    return m[i][j];
}

static inline void check_derivatives(const SnMaterialType* type, SnMaterialParameters p, SnStretches s)
{
    const double step = 1e-5;
    SnStretches g = type->gradient(s, p);
    SnStretchHessian h = type->hessian(s, p);
    double scale = p.mu * 100;
    for (int i = 0; i < 3; i++) {
        double up = type->energy(shifted(s, i, step), p), down = type->energy(shifted(s, i, -step), p);
        scale = fmax(scale, fabs(component(g, i)));
        check_near(component(g, i), (up - down) / (2 * step), 1e-6 * scale);
        SnStretches gu = type->gradient(shifted(s, i, step), p), gd = type->gradient(shifted(s, i, -step), p);
        for (int j = 0; j < 3; j++) {
            double expected = (component(gu, j) - component(gd, j)) / (2 * step);
            check_near(entry(h, i, j), expected, 1e-5 * fmax(scale, fabs(expected)));
        }
    }
}
