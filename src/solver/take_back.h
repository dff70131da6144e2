// After the last iteration of a method that searches no line: its end may be anywhere, but not higher than where it
// began, or than staying.
#pragma once
#include "solver/global.h"

// from: 3 x node_count, where the minimisation began; r: 3 x node_count of room. strayed: set where x is now elsewhere.
SnStatus sn_take_back(SnGlobal* global, SnSearch* search, double* from, double* r, bool* strayed);

// x += t d with the largest t of 1, 1/2, 1/4, ... that is no higher: what is wedged in between slides and contacts may
// be led metres away by full steps of a constant matrix. Elsewhere, and where iterations are not fixed, t = 1.
void sn_shorten(SnSearch* search);

// After an iteration that came from `from`: where x is higher, it is where a step down the slope leads instead.
typedef struct SnStepDown {
    bool taken, shortened; // it was; and it was too long for its metric
} SnStepDown;
SnStatus sn_step_down(SnGlobal* global, SnSearch* search, const double* from, double* r, SnStepDown* down);
