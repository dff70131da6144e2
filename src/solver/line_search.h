// Line searches: from search->x along search->d to a lower energy.
#pragma once
#include "solver/solver.h"

// Moves search->x along search->d to where the energy has decreased enough, and refreshes value and gradient;
// search->trial and search->trial_g then hold the old iterate and its gradient. False: d is no direction of descent, or
// no such step was found; x stays.
bool sn_line_search(SnSearch* search);

extern const SnTable sn_line_search_table;
int sn_line_search_find(const char* name); // its number for SnSearch.line_search; -1 when unknown
