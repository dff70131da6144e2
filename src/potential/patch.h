// Cutting a set of elements into patches.
#pragma once
#include "potential/potential.h"

// Orders the elements along a space-filling curve through their centres: order[k] is the element in place k.
SnStatus sn_patch_order(int count, int nodes_per_element, const int* elements, const double* rest, int* order);

// Adds the patches of one group to the potential: slots for their nodes, and the packs' node numbers within the patch.
SnStatus sn_patch_group(SnPotential* potential, int group, const int* elements);
