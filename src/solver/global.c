// The global step: one solve without constraints, and the method to keep them that suits them.
#include "solver/global.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "core/share.h"
#include "core/timer.h"
#include "linalg/vector.h"

const SnConstraintMethod* sn_solver_constraint_method(const SnSolverType* solver, const SnSolverDef* def)
{
    const char* name = def->constraints && strcmp(def->constraints, "auto") != 0 ? def->constraints : sn_uzawa.name;
    return solver->global_step ? sn_constraint_method_find(name) : &sn_augmented_lagrangian;
}

void sn_global_destroy(SnGlobal* g)
{
    if (!g) return;
    sn_prefactored_destroy(g->prefactored);
    sn_uzawa.destroy(g->uzawa);
    sn_gauss_seidel.destroy(g->gauss_seidel);
    SN_FREE(g->d, g);
}

static double rest_size(const SnPotential* p)
{
    double size = 0;
    for (int c = 0; c < 3; c++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < p->node_count; i++) {
            lo = fmin(lo, p->rest[3 * (int64_t)i + c]);
            hi = fmax(hi, p->rest[3 * (int64_t)i + c]);
        }
        size = fmax(size, hi - lo);
    }
    return size;
}

static SnStatus build(SnGlobal* g, SnObjective* o, const double* weights)
{
    if (!SN_NEW(g->d, 3 * (int64_t)o->nodes.count, "the global step")) return SN_ERROR_MEMORY;
    g->size = rest_size(o->potential);
    g->precision = SN_GLOBAL_PRECISION * g->size;
    SN_TRY(sn_prefactored_create(o, weights, SN_FACTOR_FLOAT, &g->prefactored));
    return sn_uzawa.create(&o->nodes, &g->prefactored->system, &g->uzawa);
}

SnStatus sn_global_create(SnObjective* objective, const SnSolverDef* def, const double* weights, SnGlobal** out)
{
    *out = NULL;
    SnGlobal* g;
    if (!SN_NEW(g, 1, "the global step")) return SN_ERROR_MEMORY;
    g->asked = def->constraints ? sn_constraint_method_find(def->constraints) : NULL;
    SN_FINISH(build(g, objective, weights), g, sn_global_destroy, out);
}

SnStatus sn_global_start(SnGlobal* g, SnSearch* search)
{
    bool fixed = !(search->tolerance > 0), many = search->iteration_limit > INT_MAX / SN_UZAWA_EACH;
    g->work = many ? INT_MAX : SN_UZAWA_EACH * search->iteration_limit;
    if (fixed && g->work < SN_UZAWA_FIXED_WORK) g->work = SN_UZAWA_FIXED_WORK;
    return sn_prefactored_start(g->prefactored, search);
}

static bool rubs(const SnConstraints* c)
{
    for (int i = 0; i < c->now->count; i++)
        if (sn_friction_acts(&c->friction, &c->now->items[i])) return true;
    return false;
}

// Friction ties nodes that are far apart, which sweeps are slow to tell each other.
static bool by_gauss_seidel(const SnGlobal* g, const SnConstraints* c)
{
    bool asked = g->asked == &sn_gauss_seidel;
    if (!asked && (g->asked || c->now->count < SN_GAUSS_SEIDEL_MANY || rubs(c))) return false;
    return sn_gauss_seidel.suits(c);
}

SnStatus sn_global_solve(SnGlobal* g, const SnObjective* o, const double* r, const double* x)
{
    SnConstraints* c = o->constraints;
    const SnNodeSystem* system = &g->prefactored->system;
    int work = g->work > SN_UZAWA_WORK ? SN_UZAWA_WORK : g->work > SN_UZAWA_LEAST ? g->work : SN_UZAWA_LEAST;
    SnGlobalStep step = {system, r, x, g->d, g->precision, g->reduction, work, 0};
    g->iterations = 0;
    if (c->now->count == 0) return sn_node_system_solve(system, r, g->d);
    if (by_gauss_seidel(g, c)) {
        if (!g->gauss_seidel) SN_TRY(sn_gauss_seidel.create(&o->nodes, system, &g->gauss_seidel));
        SN_TRY(sn_gauss_seidel.solve(g->gauss_seidel, c, &step));
    } else {
        SN_TRY(sn_uzawa.solve(g->uzawa, c, &step));
    }
    g->iterations = step.iterations;
    g->work -= step.iterations;
    return SN_OK;
}

SnStatus sn_global_step(SnGlobal* g, const SnObjective* o, const double* r, double* x)
{
    SN_TRY(sn_global_solve(g, o, r, x));
    sn_vector_axpy(o->nodes.tasks, 3 * o->nodes.count, 1, g->d, x, x);
    return SN_OK;
}

bool sn_global_call_back(const SnGlobal* g, SnSearch* s, const double* from)
{
    SnConstraints* c = s->objective->constraints;
    double furthest = 0;
    if (s->tolerance > 0 || !c->contacts || c->now->count == 0) return false;
    for (int64_t k = 0; k < 3 * (int64_t)s->objective->nodes.count; k++)
        furthest = fmax(furthest, fabs(s->x[k] - from[k]));
    if (sn_share_largest(s->objective->nodes.tasks, furthest) <= g->size) return false;
    memcpy(s->x, from, 3 * (size_t)s->objective->nodes.count * sizeof *s->x);
    memset(g->d, 0, 3 * (size_t)s->objective->nodes.count * sizeof *g->d);
    for (int i = 0; i < c->now->count; i++)
        c->now->items[i].multiplier.force = c->now->items[i].multiplier.normal_force = 0;
    return true;
}

void sn_global_take_over(SnSearch* s)
{
    SnConstraints* c = s->objective->constraints;
    if (c->contacts && !c->method->energy) sn_constraints_take_over(c, s->x);
}
