// The table of dissipations, and one of them made ready for elements.
#pragma once
#include "core/parameter.h"
#include "dissipation/dissipation_pack.h"
#include "material/spline.h"

SN_TABLE(SnDissipationType, dissipation)
extern const SnParameter sn_damping_parameters[]; // those that all have
// What a type changes, where it has a base; else itself. NULL: there is no such base.
const SnDissipationType* sn_dissipation_base(const SnDissipationType* type, const SnDampingDef* def);

// A dissipation with its numbers checked: R = f(r) with the rate and the matrix of its base.
typedef struct SnDissipation {
    const SnDissipationType* type;
    const SnDissipationType* base; // itself where it has none
    SnRate rate;
    SnMomentum momentum;
    bool at_end; // the rate of strain is F'^T F there
    SnViscosity viscosity;
    SnDissipationParameters parameters;
    bool has_curve, per_stretch;
    SnSplineCurve curve;
} SnDissipation;

// The type behind a definition: its own or the table's; an error that suggests the nearest name.
SnStatus sn_dissipation_resolve(const SnDampingDef* def, const SnDissipationType** type);
SnStatus sn_dissipation_set(SnDissipation* dissipation, const SnDampingDef* def);

// It has a power below 1, which has no derivative where nothing moves.
static inline bool sn_dissipation_sticks(const SnDissipation* d)
{
    return !d->type->energy && d->type->packs->power && d->parameters.exponent < 1;
}

// The factor of the curve at this stretch; 1 without a curve.
double sn_dissipation_factor(const SnDissipation* dissipation, double stretch);
