// Newton's iteration around any way of solving its linear systems.
//
// The Hessian as it is makes convergence quadratic, where it is positive definite, as it is near every regular minimum.
// Where it is not, it is projected element by element, which makes every direction one of descent but slows convergence
// to linear, and is then tried again after one, two, four ... iterations.
#pragma once
#include "solver/solver.h"

typedef struct SnNewtonLoop {
    double first_norm; // |g| at the start of the minimisation
    double last_norm;
    int next_try,
        patience;   // the iteration from which on the true Hessian is tried, and how long to wait after a refusal
    bool projected; // in every iteration: the true Hessian is never tried; set when a solver is created
    int stuck;      // iterations in a row at the numerical floor without progress
    double caution; // see SnSearch, where the minimum is near
} SnNewtonLoop;

// search->d = -H^-1 g with the Hessian at search->x, projected or as it is; usable: d can be searched along.
typedef SnStatus SnNewtonSolve(void* self, SnSearch* search, bool project, bool* usable);

void sn_newton_start(SnNewtonLoop* loop, const SnSearch* search);
SnStatus sn_newton_iterate(SnNewtonLoop* loop, SnSearch* search, SnNewtonSolve* solve, void* self);
// To what part of its right-hand side a system is solved by iterations, so that none is solved better than it deserves
// and the last ones converge superlinearly (Eisenstat and Walker 1996).
double sn_newton_forcing(const SnNewtonLoop* loop, const SnSearch* search);
