// Which slides give way like springs, with nodes at x.
#pragma once
#include "constraint/constraints.h"

bool sn_slides_share_nodes(const SnConstraints* constraints); // some node slides on several obstacles
void sn_constraints_find_wedged(SnConstraints* constraints, const double* x);
