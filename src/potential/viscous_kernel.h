// What the kernel files of dissipation share, per instruction set.
#pragma once
#include "potential/modes.h"
#include "potential/viscous.h"

// The ways of taking a rate: those of SnRate, and what becomes of them when momentum is to be conserved.
typedef enum SnRateKind {
    SN_KIND_GRADIENT,
    SN_KIND_STRAIN,
    SN_KIND_POLAR,
    SN_KIND_STRETCHES,
    SN_KIND_PROJECTOR,
    SN_KIND_CUSTOM
} SnRateKind;

SN_INLINE SnRateKind sn_rate_kind(const SnViscousPack* pack)
{
    const SnRateKind kinds[] = {[SN_RATE_GRADIENT] = SN_KIND_GRADIENT,
                                [SN_RATE_STRAIN] = SN_KIND_STRAIN,
                                [SN_RATE_POLAR] = SN_KIND_POLAR,
                                [SN_RATE_STRETCHES] = SN_KIND_STRETCHES,
                                [SN_RATE_POSITION] = SN_KIND_GRADIENT};
    const SnDissipation* d = pack->dissipation;
    if (d->type->energy) return SN_KIND_CUSTOM;
    // The only rate of a strand that is not turning is its length's.
    bool strand = pack->type->coordinates == 1;
    if (d->momentum != SN_MOMENTUM_AS_IS && strand) return SN_KIND_STRETCHES;
    // s_i' = E_ii'/s_i in the principal frame. Differences of the sorted stretches would have a kink wherever two are
    // equal, where ADMM goes round in circles; strains in the frame of the stage have none.
    if (d->rate == SN_RATE_STRETCHES && !strand) return SN_KIND_STRAIN;
    return d->momentum == SN_MOMENTUM_PROJECTOR ? SN_KIND_PROJECTOR : kinds[d->rate];
}

// w = W/V at z (nine entries, padded), and its derivative by z unless stress is NULL.
void SN_KERNEL(sn_viscous_density)(const SnViscousPack* pack, const SnLaneArray* z, double* w, SnLaneArray* stress);
// Its second derivative h, 9 x 9 entries of X, dz = u X v^T; project: positive semidefinite.
void SN_KERNEL(sn_viscous_second)(const SnViscousPack* pack, const SnLaneArray* z, bool project, SnLaneArray* h,
                                  SnLaneArray* u, SnLaneArray* v);

void SN_KERNEL(sn_viscous_begin)(const SnViscousPack* pack, const SnPast* past);

void SN_KERNEL(sn_viscous_rest)(const SnViscousPack* pack);

void SN_KERNEL(sn_viscous_prox)(const SnViscousTerms* terms, const double* y, const double* weight, double* z);
