// Islands: what goes on by itself, where not everything may go all the way.
//
// Nodes that share elements, or that may meet on their way, belong together; so does all that the script moves. One
// island's energy does not depend on where another is, so each goes as far as is best for it: a jam does not hold up
// what falls beside it.
#pragma once
#include "solver/solver.h"

typedef struct SnIslands SnIslands;

SnStatus sn_islands_create(const SnObjective* objective, SnIslands** islands);
void sn_islands_destroy(SnIslands* islands);

// Nodes that follow each other and have no element in common with others: body[i] is the first of those with node i.
SnStatus sn_islands_bodies(const SnObjective* objective, int* body);

// Nodes that go equally far where a step has to end before it is done: those of a body, and of bodies that are joined
// by other constraints than contacts. Valid until the next call of a function of islands.
SnGoing sn_islands_joined(SnIslands* islands);

// After sn_constraints_advance that was not whole: of each island every node goes as far as it may go; or, if together
// is allowed, all as far as the first that is stopped; or none, whichever has the lowest energy. x: 3 x node_count, for
// work.
SnStatus sn_islands_take(SnIslands* islands, bool together, double* x);
