// What a step reports.
#pragma once
#include "world/world.h"

// Adds what a minimisation took; where it went worse than those before, its outcome, and why, into `detail`.
void sn_report_search(const SnSearch* search, SnStepReport* report, char detail[256]);
// The state: clock, energies, momenta, handles and contacts.
void sn_report_state(const SnModel* model, const SnState* state, const SnProblem* problem, double elastic,
                     SnStepReport* report);
