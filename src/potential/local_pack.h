// One pack of the local step, for the instruction set in use.
#pragma once
#include "potential/term.h"
#include "potential/viscous.h"

// A pack with its share of ADMM's variables. Vectors are [3 x coordinates][lane].
typedef struct SnLocalPack {
    const SnTermType* term;
    const SnMaterialType* material;
    SnViscousTerms* viscous; // dissipations, whose prox is taken; or NULL: the material's
    SnTermPack pack;
    const double* weight;      // [lane] w^2, J; 0 in spare lanes
    const double* prox_weight; // [lane] what the prox is taken with: w^2, or for a limit its own stiffness
    bool projects;             // the prox is a projection
    bool probe;                // the sums are wanted
    double relaxation;         // 1: none
    double* u;
    double* z;      // or NULL: not kept
    double sums[3]; // of w^2 |D x - z|^2, w^2 |D x|^2 and w^2 |u|^2, J: added to where z is kept, or asked for
    double* change; // patch-local, or NULL: D^T w^2 (z - z before) is added
} SnLocalPack;

typedef struct SnLocalKernels {
    // z = prox of D x + u, u += D x - z, and adds D^T w^2 (z - u - D x) to r. x and r are patch-local.
    void (*step)(SnLocalPack* pack, const double* x, double* r);
    // What a limit pulls with at x: p = projection of D x + u, adds D^T w^2 (D x + u - p) to r; returns
    // the sum of |D^T w^2 (D x - p)|^2 over elements, N^2: how far from kept it is.
    double (*pull)(const SnLocalPack* pack, const double* x, double* r);
    // z = D x
    void (*gather)(const SnLocalPack* pack, const double* x, double* z);
} SnLocalKernels;

const SnLocalKernels* sn_local_kernels(void);
