// The local step of ADMM over all terms: z_i = prox of U_i at D_i x + u_i, in patches, with u (and z) in packs.
#pragma once
#include "potential/potential.h"

typedef struct SnLocal {
    SnPotential* potential;
    double relaxation;    // 1: none; up to 2: D x is taken that much further from the last z
    double b;             // s, of the stage that the weights were made for
    int64_t actuated;     // and the rest shapes, as the potential counts them
    bool first;           // of a minimisation: there is no z before
    int64_t pack_count;   // of all groups
    int64_t size;         // doubles in u
    int64_t* first_pack;  // group_count: where its packs begin in the weights
    int64_t* first_value; // group_count: where its values begin in u and z
    double* weight;       // [pack][lane] w^2, J; 0 in spare lanes
    double* prox_weight;  // [pack][lane]
    float* factor;        // [pack][lane]: what w^2 has been multiplied by since the start
    bool upright;         // no stretch of z is negative
    int iterations;       // of each element's minimisation, at most; 0: until it has converged
    double turned;        // the part of all elements that may be inside out for weights to be adapted
    bool probe;           // the next step is to be followed by sn_local_adapt
    double* u;            // [group][pack][3 x coordinates][lane]
    double* frame;        // the same, where z is a 3x3 matrix: V of its last prox, where the next one starts
    double* z;            // the same; NULL unless residuals or relaxation want it
    double* slot_change;  // 3 x slot_count: D^T w^2 (z - z before); NULL unless residuals are wanted
    double* patch_sums;   // 4 x patch_count
    int* merged;          // group_count: the group whose prox takes a dissipation in, or -1; NULL: none is
} SnLocal;

typedef struct SnResiduals {
    double primal, dual;           // |W (D x - z)|, sqrt J; |D^T W^2 (z - z before)|, N
    double primal_size, dual_size; // |W D x|; |D^T W^2 u|, about
} SnResiduals;

SnStatus sn_local_create(SnPotential* potential, double relaxation, bool residuals, SnLocal** local);
void sn_local_destroy(SnLocal* local);

// Makes one prox of each group's energy and the dissipations of the same elements; otherwise they are terms of their
// own, each with its z. Before the weights are used.
SnStatus sn_local_merge(SnLocal* local);

// After little progress (potential/local_weights.c): other weights, for nodes at x that last moved by d; the last step
// was a probe. u goes on with the same forces. False: these weights are as good as any.
bool sn_local_adapt(SnLocal* local, const double* x, const double* d);
void sn_local_stiffen(SnLocal* local);      // all elements' weights are larger, by as much as they may be at once
void sn_local_fill_weights(SnLocal* local); // from stiffnesses and factors

// Before a minimisation, which may have another step length; keep_u: goes on with the last one's u, otherwise from 0.
void sn_local_start(SnLocal* local, bool keep_u);

// One local step at x; r = sum D^T w^2 (z - u - D x), 3 x node_count, N.
void sn_local_step(SnLocal* local, const double* x, double* r);
// Of the last step; r: 3 x node_count, overwritten.
SnResiduals sn_local_residuals(SnLocal* local, double* r);

// f = what limits pull with at x, 3 x node_count; returns how far from kept they are, N. Without any, f is zero.
double sn_local_pull(SnLocal* local, const double* x, double* f);

// s = D x + u in u's layout, and u = s - D x: ADMM's iteration is a map of s.
void sn_local_get_state(const SnLocal* local, const double* x, double* s);
void sn_local_set_state(SnLocal* local, const double* x, const double* s);
