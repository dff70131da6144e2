// Contact pressures of a frame, from the contacts that a run keeps.
#pragma once
#include <sinew/world.h>

// Pa at each node: the normal forces of contacts, by how near their nodes are to their points, over the part of the
// surface that is the node's. x: 3 x node_count; area: room, node_count.
void sn_contact_pressures(const SnBodyInfo* bodies, int body_count, int node_count, const double* x,
                          const SnContactInfo* contacts, int contact_count, double* area, double* out);
