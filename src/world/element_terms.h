// Terms of a body's elements (world/element_terms.c).
#pragma once
#include "world/problem.h"

// All elements, with the body's material; or those that a damping acts on, with its dissipation.
typedef struct SnTermChoice {
    const SnDissipation* dissipation; // NULL: the energy
    const int* elements;              // NULL: all
    int count;
} SnTermChoice;

SnStatus sn_add_elements(SnPotential* potential, const SnBody* body, SnTermChoice choice);
// Of element quadratic: the points of those all of whose parts are among these elements; room for twice the body's.
int sn_quadratics_chosen(const SnBody* body, const int* elements, int count, int* points);
// Of element linear-bbar: what of lambda is in clusters.
SnStatus sn_add_clusters(SnPotential* potential, const SnBody* body, const SnDissipation* dissipation);
