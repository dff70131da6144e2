// The stiffness of the quadratic that stands in for a density (Liu, Bouaziz, Kavan 2017, eq. 11): the least-squares
// slope through rest, k = int (s-1) f(s) ds / int (s-1)^2 ds over [0.5, 1.5], or another interval, of f(s) = dpsi/ds1
// at (s, 1, 1).
#include "material/material.h"

enum { PANELS = 100 }; // of Simpson's rule

double sn_material_stiffness_over(const SnMaterialType* type, SnMaterialParameters parameters, double lo, double hi)
{
    double sum = 0, a = lo - 1, b = hi - 1;
    for (int i = 0; i <= 2 * PANELS; i++) {
        double s = lo + (hi - lo) * i / (2 * PANELS), weight = i == 0 || i == 2 * PANELS ? 1 : i % 2 ? 4 : 2;
        sum += weight * (s - 1) * sn_material_gradient_at(type, (SnStretches){s, 1, 1}, parameters).s1;
    }
    return sum / (6 * PANELS) * ((hi - lo) * 3 / (b * b * b - a * a * a));
}

double sn_material_effective_stiffness(const SnMaterialType* type, SnMaterialParameters parameters)
{
    return sn_material_stiffness_over(type, parameters, 0.5, 1.5);
}
