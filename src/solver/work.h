// What parts of a solver cost, in nanoseconds of one thread of a common machine. Only ratios count: choices that rest
// on these counts are the same on any machine and for any number of threads, as those that rest on a clock would not
// be.
#pragma once
#include "linalg/cholesky.h"
#include "solver/objective.h"

// Tetrahedra and triangles; strands and hinges are cheaper.
static inline double sn_work_elements(const SnObjective* o)
{
    double count = 0;
    for (int k = 0; k < o->potential->group_count; k++) {
        const SnTermGroup* group = &o->potential->groups[k];
        count += (group->term->coordinates == 1 ? 0.3 : 1.0) * group->count;
    }
    return count;
}

// A Hessian assembled, and a factorisation of so many multiplications: of the scalar matrix of its traces; of its 3x3
// blocks, whose fronts are three times as wide and so nearer to the arithmetic limit.
static inline double sn_work_scalar_refresh(const SnObjective* o, double flops)
{
    return 350 * sn_work_elements(o) + flops / 12;
}

static inline double sn_work_block_refresh(const SnObjective* o, double flops)
{
    return 350 * sn_work_elements(o) + flops / 22;
}

// An iteration of L-BFGS: energy and gradient, vectors, and a solve that takes so much.
static inline double sn_work_iteration(const SnObjective* o, double solve)
{
    return 35 * sn_work_elements(o) + 60.0 * o->nodes.free_count + solve;
}

// One more solve within an iteration, with the pairs.
static inline double sn_work_again(const SnObjective* o, double solve)
{
    return 30.0 * o->nodes.free_count + solve;
}

// A solve with a factor of so many entries: of a scalar matrix, for x, y and z; of one of 3x3 blocks.
static inline double sn_work_scalar_solve(double entries)
{
    return 0.8 * entries;
}

static inline double sn_work_block_solve(double entries)
{
    return 0.5 * entries;
}

// An iteration of Newton by so many of conjugate gradients.
static inline double sn_work_conjugate(const SnObjective* o, double iterations)
{
    return 385 * sn_work_elements(o) + 200 * iterations * o->nodes.free_count;
}

// Forces of constraints found once more among the nodes that they touch, with so many numbers of an inverse.
static inline double sn_work_touched(double constraints, double entries)
{
    return 60 * constraints + 0.3 * entries;
}
