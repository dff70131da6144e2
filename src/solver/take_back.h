// After the last iteration of a method that searches no line: its end may be anywhere, but not higher than where it
// began, or than staying.
#pragma once
#include "solver/global.h"

// from: 3 x node_count, where the minimisation began; r: 3 x node_count of room. strayed: set where x is now elsewhere.
SnStatus sn_take_back(SnGlobal* global, SnSearch* search, double* from, double* r, bool* strayed);
