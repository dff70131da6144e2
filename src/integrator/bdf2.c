// bdf2: x^p = (4 x^n - x^(n-1))/3, v^p alike, b = 2h/3. Second order; damps fast motion, slow motion little.
//
// For a step that is w times as long as the last one, alpha = (1 + w)/(1 + 2w), x^p = ((1 + w)^2 x^n - w^2 x^(n-1))/
// (1 + 2w). With w = 0, when there is no last step to look back to, this is backward Euler, and so it starts.
#include "integrator/integrator.h"

static void adjust(double gamma, double ratio, SnStage* stages)
{
    (void)gamma;
    double whole = 1 + 2 * ratio;
    stages[0].alpha = (1 + ratio) / whole;
    stages[0].present = (1 + ratio) * (1 + ratio) / whole;
    stages[0].before = -ratio * ratio / whole;
}

const SnIntegratorType sn_bdf2 = {
    .name = "bdf2",
    .summary = "second order, looks back two steps; damps fast motion, slow motion little",
    .order = 2,
    .stage_count = 1,
    .stages = {{.alpha = 2.0 / 3, .end = 1, .present = 4.0 / 3, .before = -1.0 / 3}},
    .extrapolate = 1,
    .care = 0.3, // slow motion goes on with what is left over
    .remembers = true,
    .adjust = adjust,
};
