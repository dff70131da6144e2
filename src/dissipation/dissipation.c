// The dissipations of the instruction set in use, and the checks of their numbers.
#include "dissipation/dissipation.h"
#include "core/handle.h"

#include <math.h>

SN_EXTERN_OF_ISA(const void* const[], sn_dissipation_table);

static const void* const* rows(void)
{
    return SN_OF_ISA(sn_dissipation_table);
}

const SnTable sn_dissipation_table = {"dissipation", .choose = rows, .key = "type",
                                      .parameters = offsetof(SnDissipationType, parameters)};

const SnParameter sn_damping_parameters[] = {
    {"conserve-momentum", SN_ENUM, offsetof(SnDampingDef, conserve_momentum), .value = "false",
     .names = (const char* const[]){"false", "true", "velocity-gradient", "projector", NULL},
     .doc = "of rayleigh: leave rigid turning alone, and with it the angular momentum; `true` is `velocity-gradient`, "
            "`projector` is the other way; the other types do so anyway"},
    {0},
};

SnDampingDef sn_default_damping_def(const char* type)
{
    SnDampingDef def = {.type = type};
    const SnDissipationType* own = sn_dissipation_find(type ? type : "");
    for (int i = 0; i < sn_dissipation_count(); i++) sn_parameters_default(sn_dissipation_at(i)->parameters, &def);
    sn_parameters_default(own ? own->parameters : NULL, &def);
    return def;
}

SnStatus sn_dissipation_resolve(const SnDampingDef* def, const SnDissipationType** type)
{
    *type = def->custom;
    if (def->custom) {
        if ((*type)->energy && (*type)->gradient && (*type)->hessian) return SN_OK;
        return sn_fail(SN_ERROR_VALUE, "a custom dissipation needs energy, gradient and hessian functions");
    }
    const char* name = def->type ? def->type : "";
    *type = sn_dissipation_find(name);
    if (*type) return SN_OK;
    return sn_table_unknown(&sn_dissipation_table, name);
}

const SnDissipationType* sn_dissipation_base(const SnDissipationType* type, const SnDampingDef* def)
{
    const SnParameter* row = sn_parameter_find(type->parameters, "base");
    return row ? sn_dissipation_find(def->base ? def->base : row->value) : type;
}

SnStatus sn_damping_set(SnDampingDef* def, const char* name, const char* value)
{
    SN_NEED(def);
    SN_NEED(name);
    SN_NEED(value);
    const SnDissipationType* type;
    SN_TRY(sn_dissipation_resolve(def, &type));
    const SnDissipationType* base = sn_dissipation_base(type, def);
    const SnParameter* const lists[] = {sn_damping_parameters, type->parameters, base ? base->parameters : NULL, NULL};
    return sn_parameters_set(lists, name, value, type->name, def);
}

static SnStatus set_curve(SnDissipation* out, const SnDampingDef* def)
{
    out->has_curve = sn_parameter_find(out->type->parameters, "curve") != NULL;
    if (!out->has_curve) return SN_OK;
    if (def->curve.count == 0)
        return sn_fail(SN_ERROR_VALUE, "%s needs a curve of factors by stretch, as in [[0.5, 2], [1, 1], [2, 3]]",
                       out->type->name);
    SN_TRY(sn_spline_curve_set(&def->curve, &out->curve));
    out->per_stretch = def->per_stretch;
    if (def->per_stretch && out->rate != SN_RATE_STRETCHES)
        return sn_fail(SN_ERROR_VALUE, "per-stretch factors need the base principal-stretch, not %s", out->base->name);
    return SN_OK;
}

// The rate, where a way of keeping angular momentum is asked for.
static SnStatus set_momentum(SnDissipation* out, const SnDampingDef* def)
{
    out->rate = out->base->rate;
    if (def->conserve_momentum == SN_MOMENTUM_AS_IS) return SN_OK;
    if (out->base->rate == SN_RATE_POSITION)
        return sn_fail(SN_ERROR_VALUE, "%s acts on every motion and cannot conserve momentum", out->type->name);
    bool first = def->conserve_momentum == SN_MOMENTUM_CONSERVED;
    if (out->base->rate == SN_RATE_GRADIENT) // the others conserve it as they are
        out->momentum = first ? SN_MOMENTUM_VELOCITY_GRADIENT : def->conserve_momentum;
    if (out->momentum == SN_MOMENTUM_VELOCITY_GRADIENT) out->rate = SN_RATE_STRAIN;
    return SN_OK;
}

SnStatus sn_dissipation_set(SnDissipation* out, const SnDampingDef* def)
{
    *out = (SnDissipation){0};
    SN_TRY(sn_dissipation_resolve(def, &out->type));
    out->base = out->type;
    out->parameters = (SnDissipationParameters){
        .beta = def->beta,
        .shear = def->shear,
        .bulk = def->bulk,
        .exponent = def->exponent,
        .reference = def->reference,
        .strength = def->strength,
        .drag = def->drag,
        .smoothing = def->smoothing,
        .extra = {def->extra[0], def->extra[1]},
        .user = def->user,
    };
    out->rate = SN_RATE_STRETCHES;
    SN_TRY(sn_parameters_check(sn_damping_parameters, def, ""));
    SN_TRY(sn_parameters_check(out->type->parameters, def, ""));
    if (def->custom) return SN_OK;
    out->base = sn_dissipation_base(out->type, def);
    SN_TRY(sn_parameters_check(out->base->parameters, def, ""));
    SN_TRY(set_momentum(out, def));
    out->at_end = sn_parameter_find(out->base->parameters, "rate") && def->rate == SN_STRAIN_RATE_END;
    out->viscosity = out->base->packs->viscosity(out->parameters);
    return set_curve(out, def);
}

double sn_dissipation_factor(const SnDissipation* dissipation, double stretch)
{
    return dissipation->has_curve ? fmax(sn_spline_curve_at(&dissipation->curve, stretch), 0) : 1;
}
