// Shifts of rates are multipliers, and taking them over is a step of the proximal point method on their dual: sure, but
// slow where a multiplier has far to go. It is accelerated in two ways. Each shift goes on by a part of its last way
// (Nesterov 1983, Gueler 1992), from the start again each time that much more of the gradient is left than the last
// time, or that only forces of contacts have yet to settle and momentum leads around them; not with admm, whose own
// multipliers follow. And where Newton's method still takes long, which does not mind how stiff a term is, envelopes
// become stiffer: a step goes as much further.
#include "solver/shifts.h"

#include <math.h>

#define SETTLE 0.1    // of the gradient that was left, until they are taken over again
#define AWAY 2.0      // times as much as was left the last time: momentum leads astray,
#define AROUND 8      // or so often in a row no less than ever, and no more than the tolerance: it leads around
#define SLOW 0.7      // of what was left the last time: that takes long,
#define SLOW_ROUNDS 8 // so often in a row,
#define STIFFER 10.0  // and envelopes become so many times stiffer,
#define STIFFEST 1e3  // as often as they are less than that

SnShifts sn_shifts_start(const SnSearch* s)
{
    return (SnShifts){.left = s->norm, .stiffness = 1, .most = STIFFEST, .weight = 1, .least = s->norm};
}

// What is left may be as much larger as envelopes have become stiffer.
static void look(SnShifts* shifts, const SnSearch* s, double times)
{
    bool slow = s->exact && shifts->stiffness < shifts->most && s->norm > SLOW * times * shifts->left;
    shifts->slow = slow ? (times > 1 ? 1 : shifts->slow + 1) : 0;
    bool least = times != 1 || s->norm < shifts->least;
    shifts->since = least ? 0 : shifts->since + 1;
    bool around = shifts->since >= AROUND && s->norm <= s->tolerance;
    bool again = around || s->norm > AWAY * times * shifts->left;
    if (again) shifts->weight = 1, shifts->since = 0;
    if (again || least) shifts->least = s->norm;
    shifts->left = s->norm;
}

// Stiff envelopes have as much more rounding in their forces: at the numerical floor they become what they were.
void sn_shifts_settle(SnShifts* shifts, const SnSolverType* solver, void* state, SnSearch* s)
{
    bool small = s->stale || s->norm <= fmax(SETTLE * shifts->left, s->tolerance);
    bool soften = s->stalled && !s->stale && shifts->stiffness > 1 && s->norm > s->tolerance;
    s->renewed = (small || soften) && sn_potential_sticks(s->objective->potential);
    if (!s->renewed) return;
    double times = soften ? 1 / shifts->stiffness : shifts->slow >= SLOW_ROUNDS ? STIFFER : 1;
    bool goes_on = times == 1 && !s->stale && !solver->evaluate;
    double weight = goes_on ? 0.5 + sqrt(0.25 + shifts->weight * shifts->weight) : 1;
    double momentum = goes_on ? (shifts->weight - 1) / weight : 0;
    if (soften) shifts->most = 1, s->stalled = NULL;
    shifts->stiffness *= times, shifts->weight = weight;
    sn_potential_settle(s->objective->potential, s->x, (SnSettle){shifts->stiffness, momentum});
    if (s->stale) return;
    if (solver->evaluate)
        solver->evaluate(state, s);
    else
        sn_search_evaluate(s);
    look(shifts, s, times);
}
