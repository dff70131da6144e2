// The dissipation kernels of the instruction set in use, the term that drag acts on, and stiffnesses that stand in.
#include "potential/viscous.h"

extern const SnViscousKernels sn_viscous_base;
#ifdef SN_HAVE_X86_KERNELS
extern const SnViscousKernels sn_viscous_avx2;
extern const SnViscousKernels sn_viscous_avx512;
#endif

const SnViscousKernels* sn_viscous_kernels(void)
{
#ifdef SN_HAVE_X86_KERNELS
    switch (sn_isa()) {
    case SN_ISA_AVX512: return &sn_viscous_avx512;
    case SN_ISA_AVX2: return &sn_viscous_avx2;
    default: break;
    }
#endif
    return &sn_viscous_base;
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

double sn_viscous_stiffness(const SnDissipation* d, double material_stiffness)
{
    if (d->type->energy) return 0; // unknown
    if (d->rate == SN_RATE_POSITION) return d->viscosity.shear;
    return d->viscosity.stiffness * material_stiffness + 2 * d->viscosity.shear + d->viscosity.bulk;
}
