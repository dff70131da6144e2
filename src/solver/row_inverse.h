// An initial inverse B with the second derivative of rows: (B^-1 + C^T K C)^-1, for solvers whose matrix has no rows.
#pragma once
#include "solver/initial.h"

typedef struct SnRowInverse {
    int count, capacity;
    const SnRow* rows;           // of the objective
    struct SnRowFactor* factors; // count
    int number_capacity;         // 3 x count
    double *guess, *residual, *ahead, *product;
    double *force, *way; // 3 x node_count
} SnRowInverse;

SnStatus sn_row_inverse_create(SnRowInverse* inverse, const SnObjective* objective);
void sn_row_inverse_free(SnRowInverse* inverse);
// The rows that push or rub at search->x, as they are now; until they change.
SnStatus sn_row_inverse_update(SnRowInverse* inverse, const SnSearch* search);
// r = (B^-1 + C^T K C)^-1 q, by conjugate gradients to a few digits; B as SnInitialType.apply.
SnStatus sn_row_inverse_apply(SnRowInverse* inverse, const SnInitialType* initial, void* state, SnSearch* search,
                              const double* q, double yy_over_sy, double* r);
