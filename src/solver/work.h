// What parts of a solver cost, in nanoseconds of one thread of a common machine. Only ratios count: choices that rest
// on these counts are the same on any machine and for any number of threads, as those that rest on a clock would not
// be.
#pragma once
#include "linalg/cholesky.h"
#include "solver/objective.h"

// What elements of each kind take. Hinges: bending and limits, all that has one coordinate and more than two nodes.
typedef struct SnWorkOf {
    double tetrahedron, triangle, hinge, spring;
} SnWorkOf;

static inline double sn_work_elements(const SnObjective* o, SnWorkOf of)
{
    double sum = 0;
    for (int k = 0; k < o->potential->group_count; k++) {
        const SnTermGroup* group = &o->potential->groups[k];
        double line = group->term->nodes > 2 ? of.hinge : of.spring;
        const double by_coordinates[] = {line, of.triangle, of.tetrahedron};
        sum += group->count * by_coordinates[group->term->coordinates - 1];
    }
    return sum;
}

// Energy and gradient.
static inline double sn_work_evaluation(const SnObjective* o)
{
    return sn_work_elements(o, (SnWorkOf){.tetrahedron = 35, .triangle = 28, .hinge = 28, .spring = 10});
}

// A Hessian that is to be kept. Those of sheets take half of that; but a fresh one saves less there than it seems to.
static inline double sn_work_assembly(const SnObjective* o)
{
    return sn_work_elements(o, (SnWorkOf){.tetrahedron = 350, .triangle = 350, .hinge = 105, .spring = 105});
}

// A Hessian assembled, and a factorisation of so many multiplications: of the scalar matrix of its traces; of its 3x3
// blocks, whose fronts are three times as wide and so nearer to the arithmetic limit.
static inline double sn_work_scalar_refresh(const SnObjective* o, double flops)
{
    return sn_work_assembly(o) + flops / 12;
}

static inline double sn_work_block_refresh(const SnObjective* o, double flops)
{
    return sn_work_assembly(o) + flops / 22;
}

// An iteration of L-BFGS: energy and gradient, vectors, and a solve that takes so much.
static inline double sn_work_iteration(const SnObjective* o, double solve)
{
    return sn_work_evaluation(o) + 60.0 * o->nodes.free_count + solve;
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
    return sn_work_assembly(o) + sn_work_evaluation(o) + 200 * iterations * o->nodes.free_count;
}

// An iteration of Newton that factors, with so many multiplications, and a solve that takes so much.
static inline double sn_work_newton(const SnObjective* o, double flops, double solve)
{
    double assembly = sn_work_elements(o, (SnWorkOf){.tetrahedron = 350, .triangle = 190, .hinge = 80, .spring = 105});
    return assembly + flops / 22 + sn_work_iteration(o, solve);
}

// Forces of constraints found once more among the nodes that they touch, with so many numbers of an inverse.
static inline double sn_work_touched(double constraints, double entries)
{
    return 80 * constraints + (entries < 5e5 ? 0.1 : 0.2) * entries; // many do not stay in the cache
}
