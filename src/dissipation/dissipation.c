// The dissipations of the instruction set in use, and the checks of their numbers.
#include "dissipation/dissipation.h"

#include <math.h>
#include <string.h>

#include "core/suggest.h"
#include "dissipation/dissipation_table.h"

#define COUNT_ROW(ID) +1
enum { DISSIPATION_COUNT = 0 SN_DISSIPATION_LIST(COUNT_ROW) };

SN_EXTERN_OF_ISA(const SnDissipationType* const[], sn_dissipation_table);

static const SnDissipationType* const* table(void)
{
    return SN_OF_ISA(sn_dissipation_table);
}

int sn_dissipation_count(void)
{
    return DISSIPATION_COUNT;
}

const SnDissipationType* sn_dissipation_at(int index)
{
    return table()[index];
}

const SnDissipationType* sn_dissipation_find(const char* name)
{
    for (const SnDissipationType* const* type = table(); *type; type++)
        if (strcmp((*type)->name, name) == 0) return *type;
    return NULL;
}

SnDampingDef sn_default_damping_def(const char* type)
{
    return (SnDampingDef){
        .type = type,
        .base = type && strcmp(type, "spline") == 0 ? "principal-stretch" : "strain-rate",
        .beta = 0.01,
        .shear = 100,
        .exponent = 1,
        .reference = 100,
        .strength = 100,
        .drag = 0.1,
        .smoothing = 1e-3,
    };
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
    const char* names[DISSIPATION_COUNT];
    for (int i = 0; i < DISSIPATION_COUNT; i++) names[i] = sn_dissipation_at(i)->name;
    const char* nearest = sn_nearest_name(name, names, DISSIPATION_COUNT);
    return sn_fail(SN_ERROR_VALUE, "unknown dissipation '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

// Numbers that must be at least (or, where open, above) zero.
typedef struct Number {
    const char* name;
    const char* unit;
    double value;
    int taken_by; // SnDampingNumbers
    bool open;
} Number;

static SnStatus check_numbers(const SnDampingDef* d, int takes)
{
    const Number numbers[] = {
        {"beta", " s", d->beta, SN_TAKES_BETA, false},
        {"shear", " Pa s", d->shear, SN_TAKES_VISCOSITY, false},
        {"bulk", " Pa s", d->bulk, SN_TAKES_VISCOSITY, false},
        {"exponent", "", d->exponent, SN_TAKES_EXPONENT, false},
        {"smoothing", " 1/s", d->smoothing, SN_TAKES_EXPONENT, true},
        {"reference", " W/m3", d->reference, SN_TAKES_REFERENCE, true},
        {"strength", " Pa s^p", d->strength, SN_TAKES_STRENGTH, false},
        {"drag", " 1/s", d->drag, SN_TAKES_DRAG, false},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const Number* n = &numbers[i];
        bool good = isfinite(n->value) && (n->open ? n->value > 0 : n->value >= 0);
        if (n->taken_by & takes && !good)
            return sn_fail(SN_ERROR_VALUE, "%s is %g%s; it must be %s", n->name, n->value, n->unit,
                           n->open ? "positive" : "0 or positive");
    }
    if (takes & SN_TAKES_EXPONENT && d->exponent > 10)
        return sn_fail(SN_ERROR_VALUE, "exponent is %g; it must be between 0 and 10", d->exponent);
    return SN_OK;
}

static SnStatus set_base(SnDissipation* out, const SnDampingDef* def)
{
    out->base = out->type;
    if (!(out->type->numbers & SN_TAKES_BASE)) return SN_OK;
    out->base = sn_dissipation_find(def->base ? def->base : "");
    if (out->base && out->base->packs->viscosity && !out->base->packs->power && out->base->rate != SN_RATE_POSITION)
        return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "base of %s is '%s'; it must be strain-rate, rayleigh or principal-stretch",
                   out->type->name, def->base ? def->base : "");
}

static SnStatus set_curve(SnDissipation* out, const SnDampingDef* def)
{
    out->has_curve = out->type->numbers & SN_TAKES_CURVE;
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
    if (out->base->rate == SN_RATE_GRADIENT)
        out->momentum = def->conserve_momentum; // the others conserve it as they are
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
    if (def->custom) return SN_OK;
    SN_TRY(set_base(out, def));
    SN_TRY(check_numbers(def, out->type->numbers | out->base->numbers));
    SN_TRY(set_momentum(out, def));
    out->viscosity = out->base->packs->viscosity(out->parameters);
    return set_curve(out, def);
}

double sn_dissipation_factor(const SnDissipation* dissipation, double stretch)
{
    return dissipation->has_curve ? fmax(sn_spline_curve_at(&dissipation->curve, stretch), 0) : 1;
}
