// The dissipation kernels of the instruction set in use, the term that drag acts on, and stiffnesses that stand in.
#include "potential/viscous.h"

#include <math.h>

SN_EXTERN_OF_ISA(const SnViscousKernels, sn_viscous);

const SnViscousKernels* sn_viscous_kernels(void)
{
    return SN_OF_ISA(&sn_viscous);
}

// The section of a node is its mass.
static bool prepare(const double* corners, double section, const double* direction, double* shape, double* volume,
                    double* faces)
{
    (void)corners, (void)direction;
    shape[0] = 1;
    *volume = section;
    faces[0] = 0;
    return true;
}

const SnTermType sn_node_term = {
    .name = "node",
    .reinforcement = true,
    .nodes = 1,
    .coordinates = 1,
    .shape_size = 1,
    .prepare = prepare,
};

// Of powers: where they agree with their base, or at a rate of 1.
double sn_viscous_stiffness(const SnDissipation* d, double material_stiffness)
{
    if (d->type->energy) { // a user's own: at a rate of 1
        SnStretchHessian h = d->type->hessian((SnStretches){1, 0, 0}, (SnStretches){1, 1, 1}, d->parameters);
        return h.h11 > 0 ? h.h11 : 0;
    }
    if (d->rate == SN_RATE_POSITION) return d->viscosity.shear;
    double stiffness = d->viscosity.stiffness * material_stiffness + 2 * d->viscosity.shear + d->viscosity.bulk;
    if (!d->type->packs->power) return stiffness;
    double r[SN_LANES], floor[SN_LANES], value[SN_LANES], slope[SN_LANES], curvature[SN_LANES];
    bool reference = sn_parameter_find(d->type->parameters, "reference") != NULL;
    for (int l = 0; l < SN_LANES; l++) {
        r[l] = reference ? d->parameters.reference : 1;
        floor[l] = fmax(r[l] * d->parameters.smoothing * d->parameters.smoothing, 1e-100);
    }
    d->type->packs->power(r, floor, &d->parameters, value, slope, curvature);
    return stiffness * slope[0];
}
