// The table of time integrators: each row is a list of stages, and each stage one minimisation.
//
// A stage solves min 1/(2 b^2) |x - x~|^2_M + Phi(x), b = alpha h, x~ = x^p + b v^p + b^2 M^-1 f_ext, and then has
// v = (x - x^p)/b. What it starts from is data:
//
//     x^p = present x^n + before x^(n-1) + middle x^(n+gamma) + half h v^n
//     v^p = present v^n + before v^(n-1) + middle v^(n+gamma) + half h M^-1 f^n
//
// with f^n the total force at t^n. present + before + middle = 1. Without inertia (alpha 0) a stage minimises
// Phi(x) - f_ext.x from x^n.
#pragma once
#include <sinew/world.h>

#include "core/parameter.h"

typedef struct SnStage {
    double alpha;                   // b = alpha h; 0: no inertia
    double end;                     // the stage ends at t^n + end h
    double present, before, middle; // weights of x^n and v^n, x^(n-1) and v^(n-1), and the stage before's x and v
    double half;                    // weight of h v^n in x^p and of h M^-1 f^n in v^p
} SnStage;

enum { SN_MOST_STAGES = 2 };
#define SN_UNDAMPED_CARE 0.1 // see SnIntegratorType

typedef struct SnIntegratorType {
    const char* name;
    const char* summary;           // one line, as printed by `sinew list integrators`
    const SnParameter* parameters; // its own, members of SnWorldDef; NULL: none
    int order;                     // of accuracy; 0: no inertia
    int stage_count;
    SnStage stages[SN_MOST_STAGES];
    // The step's end is x^n + extrapolate (x - x^n) of the last stage's x, and so is its v.
    double extrapolate;
    double care;      // of the residual that is allowed elsewhere, as what is left over is not damped; 0: all of it
    bool remembers;   // x^(n-1) and v^(n-1)
    bool needs_force; // f^n
    double gamma;     // where the first of two stages ends, when that can be chosen; 0: it cannot
    // The stages for another gamma, or for a step that is `ratio` times as long as the last one (0: there is none);
    // NULL: they are as above whatever happens.
    void (*adjust)(double gamma, double ratio, SnStage* stages);
} SnIntegratorType;

SN_TABLE(SnIntegratorType, integrator)
extern const SnParameter sn_integrator_parameters[]; // those that all have
