// The global step of projective methods: minimise 1/2 d^T A d - r^T d, subject to the objective's rows at x + d.
//
// Rows are kept by Uzawa's method with conjugate gradients, each iteration one solve with the prefactored matrix
// (solver/uzawa.c), or, where each row has one node, by graph-coloured Gauss-Seidel (solver/gauss_seidel.c). Rows as
// energies, and friction, are rows that give way: the quadratic energy force^2 compliance/2 in Uzawa's method.
#pragma once
#include "solver/prefactored.h"

typedef struct SnUzawa SnUzawa;
typedef struct SnGaussSeidel SnGaussSeidel;

typedef struct SnGlobal {
    SnPrefactored* prefactored;
    const char* method; // auto, uzawa, gauss-seidel or energy
    double precision;   // m: rows are kept to this,
    double reduction;   // or to so much of what they were off by at first; the next step goes on from there
    double* d;          // 3 x node_count
    SnRowSet rows;      // of Uzawa's method: the objective's, then two for the friction of each
    SnUzawa* uzawa;
    SnGaussSeidel* gauss_seidel; // NULL until it is first used
    int iterations;              // that the last step took to keep its rows
} SnGlobal;

const char* sn_global_method(const char* name); // the method's own name, or NULL when there is none

SnStatus sn_global_create(SnObjective* objective, const SnSolverDef* def, const double* weights, SnGlobal** global);
void sn_global_destroy(SnGlobal* global);
SnStatus sn_global_start(SnGlobal* global, SnSearch* search); // before each minimisation

// d, as above; the rows' forces become those that keep them, unless they are energies.
SnStatus sn_global_solve(SnGlobal* global, const SnObjective* objective, const double* r, const double* x);
// And x += d. r: 3 x node_count, without the forces of rows, not read at pinned nodes.
SnStatus sn_global_step(SnGlobal* global, const SnObjective* objective, const double* r, double* x);

// Finds the rows anew where the nodes are now, if the objective can and the solver keeps them itself.
SnStatus sn_global_follow(SnSearch* search);

// The ways to keep rows. Both find d (3 x node_count, zero at pinned nodes), start from the rows' forces and set them.
SnStatus sn_uzawa_create(const SnObjective* objective, SnUzawa** uzawa);
void sn_uzawa_destroy(SnUzawa* uzawa);
SnStatus sn_uzawa_solve(SnUzawa* uzawa, SnGlobal* global, const SnObjective* objective, const double* r,
                        const double* x, double* d);

SnStatus sn_gauss_seidel_create(const SnGlobal* global, const SnObjective* objective, SnGaussSeidel** solver);
void sn_gauss_seidel_destroy(SnGaussSeidel* solver);
SnStatus sn_gauss_seidel_solve(SnGaussSeidel* solver, SnGlobal* global, const SnObjective* objective, const double* r,
                               const double* x, double* d);
