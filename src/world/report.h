// What a step reports.
#pragma once
#include "world/world.h"

// The stopping rule was met, be it with planes of contacts that are not those of the end.
static inline bool sn_outcome_meets(SnOutcome outcome)
{
    return outcome == SN_OUTCOME_CONVERGED || outcome == SN_OUTCOME_UNSETTLED;
}

// Adds what a minimisation took; where it went worse than those before, its outcome, and why, into `detail`.
void sn_report_search(const SnSearch* search, SnStepReport* report, char detail[256]);
// Of a step that has met its rule adds to `detail` if its contacts are far from their laws all the same.
void sn_report_errors(const SnStepReport* report, char detail[256]);
// The state: clock, energies, momenta, handles, and how near things are.
SnStatus sn_report_state(const SnModel* model, const SnState* state, const SnProblem* problem, double elastic,
                         SnStepReport* report);
