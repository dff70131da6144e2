// tr-bdf2: the trapezoidal rule to t^n + gamma h, then BDF2 over t^n, t^n + gamma h, t^(n+1) (Bank et al. 1985; for
// dissipative forces Brown et al. 2018). Second order; damps fast motion, slow motion less than bdf2.
//
// With gamma = 2 - sqrt 2 both stages have alpha = 1 - 1/sqrt 2, so that one factorisation serves both.
#include "integrator/integrator.h"

#define SQRT2 1.41421356237309504880

static void adjust(double gamma, double ratio, SnStage* stages)
{
    (void)ratio;
    double rest = 1 - gamma, whole = gamma * (2 - gamma);
    stages[0] = (SnStage){.alpha = gamma / 2, .end = gamma, .present = 1, .half = gamma / 2};
    stages[1] = (SnStage){.alpha = rest / (2 - gamma), .end = 1, .present = -rest * rest / whole, .middle = 1 / whole};
    if (gamma == 2 - SQRT2) stages[1].alpha = stages[0].alpha; // to the bit, for the factorisation
}

static const SnParameter parameters[] = {
    {"gamma", SN_NUMBER, offsetof(SnWorldDef, gamma), .example = "0.5", .range = ">0 <1",
     .doc = "where its first stage ends, as a part of the step; without it 2 - sqrt 2, with which both stages have the "
            "same matrix"},
    {0},
};

const SnIntegratorType sn_tr_bdf2 = {
    .name = "tr-bdf2",
    .summary = "second order, two solves per step: damps fast motion, slow motion hardly",
    .parameters = parameters,
    .order = 2,
    .stage_count = 2,
    .extrapolate = 1,
    .care = SN_UNDAMPED_CARE,
    .needs_force = true,
    .gamma = 2 - SQRT2,
    .adjust = adjust,
};
