// The table of time integrators: each row is a list of stages, and each stage one minimisation.
//
// A stage solves min 1/(2 b^2) |x - target|^2_M + U(x), b = alpha h, target = x^p + b v^p + b^2 M^-1 f, and then
// v = (x - x^p)/b. Without inertia (alpha 0) it minimises U(x) - f.x.
#pragma once
#include <sinew/world.h>

typedef struct SnStage {
    double alpha; // b = alpha h; 0: no inertia
} SnStage;

typedef struct SnIntegratorType {
    const char* name;
    const char* summary; // one line, as printed by `sinew list integrators`
    int stage_count;
    SnStage stages[2];
} SnIntegratorType;

int sn_integrator_count(void);
const SnIntegratorType* sn_integrator_at(int index);
const SnIntegratorType* sn_integrator_find(const char* name); // NULL when unknown
