// The prox of an isotropic density with fibers: the local step of an element whose F has no singular vectors to keep.
#pragma once
#include "material/material.h"

// A tetrahedron with fibers.
typedef struct SnProx9 {
    const SnMaterialType* material;
    SnMaterialParameters parameters;
    double volume;       // V, m3
    double fiber;        // kappa, Pa; 0: none
    double direction[3]; // d, of unit length
    double weight;       // w, J, positive
} SnProx9;

// z = argmin V psi(F) + V kappa/2 (|F d| - 1)^2 + w/2 |F - Y|^2, column after column. Returns the largest entry of the
// gradient at z, relative to what it is the sum of: about 1e-12, more where it could not be made that small. Scalar:
// any thread may call it, nothing is allocated.
double sn_prox9(const SnProx9* p, const double y[9], double z[9]);
