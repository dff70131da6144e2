// A constraint as the loops over forces need it (constraint/dual.h, constraint/clusters.h), in one line of a cache.
#pragma once
#include <math.h>

#include "linalg/vec3.h"

typedef struct SnDualItem {
    double normal[3];
    double least;     // N along the normal
    double friction;  // 0: it does not rub
    double give;      // m/N, of a spring
    double yield;     // m/N, of its nodes, and that
    double stiffness; // N/m, its inverse; 0: its nodes do not move
} SnDualItem;

// What constraints say of forces: how far these are from being right and how large they are, as energies; and the
// curvature that the step before has met.
typedef struct SnDualSums {
    double error, size, ff, fw, ww;
} SnDualSums;

// The force nearest to f that the constraint can have.
static inline void sn_dual_project(const SnDualItem* item, double* f)
{
    const double* n = item->normal;
    double along = sn_dot3(f, n), normal = along > item->least ? along : item->least,
           limit = item->friction * fabs(normal), tangent[3];
    for (int a = 0; a < 3; a++) tangent[a] = f[a] - along * n[a];
    double square = sn_dot3(tangent, tangent), cut = square > limit * limit ? limit / sqrt(square) : 1;
    for (int a = 0; a < 3; a++) f[a] = normal * n[a] + cut * tangent[a];
}

// f -= length w/yield, in its cone
static inline void sn_dual_go_on(const SnDualItem* item, double length, const double w[3], double f[3])
{
    if (item->stiffness == 0) return;
    for (int a = 0; a < 3; a++) f[a] -= length * item->stiffness * w[a];
    sn_dual_project(item, f);
}

static inline void sn_dual_add_error(const SnDualItem* item, const double f[3], const double w[3], SnDualSums* sums)
{
    double to[3] = {f[0], f[1], f[2]};
    sn_dual_go_on(item, 1, w, to);
    for (int a = 0; a < 3; a++)
        sums->error += (to[a] - f[a]) * (to[a] - f[a]) * item->yield, sums->size += f[a] * f[a] * item->yield;
}

static inline void sn_dual_add_curvature(const SnDualItem* item, const double df[3], const double dw[3],
                                         SnDualSums* sums)
{
    for (int a = 0; a < 3; a++) {
        sums->ff += df[a] * df[a] * item->yield, sums->fw += df[a] * dw[a];
        sums->ww += dw[a] * dw[a] * item->stiffness;
    }
}

// What the curvature asks of the next step's length; two ways to take it, in turns.
static inline double sn_dual_length(const SnDualSums* sums, int turn, double otherwise)
{
    return sums->fw > 0 ? turn % 2 ? sums->ff / sums->fw : sums->fw / sums->ww : otherwise;
}
