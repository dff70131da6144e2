// pd: Projective Dynamics (Bouaziz, Martin, Liu, Kavan, Pauly 2014): ADMM with z = projection and u = 0.
//
// For the energies it was made for, k V/2 |z - p|^2 with the projection p of z = D x, and w^2 = k V, the local step is
// of no other use than w^2 (p - D x) = -dU/dz, and the global step becomes x -= A^-1 dE/dx. That also says what it does
// with a material that has no projection: the quasi-Newton step of Liu, Bouaziz, Kavan 2017. Projective energies
// decrease with each full step; where others rise, the step is shortened, or, where constraints have to be kept, the
// end is taken back (solver/take_back.h).
#include <string.h>

#include "constraint/constants.h"
#include "core/timer.h"
#include "linalg/anderson.h"
#include "linalg/vector.h"
#include "solver/global.h"
#include "solver/line_search.h"
#include "solver/parameters.h"
#include "solver/take_back.h"

typedef struct Pd {
    SnGlobal* global;
    SnAnderson* anderson; // of x, or NULL
    double* r;            // 3 x node_count
    double* from;         // 3 x node_count: where the minimisation began
} Pd;

static void destroy(void* state)
{
    Pd* p = state;
    if (!p) return;
    sn_global_destroy(p->global);
    sn_anderson_destroy(p->anderson);
    SN_FREE(p->r, p->from, p);
}

static SnStatus create(SnObjective* o, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Pd* p;
    if (!SN_NEW(p, 1, "the solver")) return SN_ERROR_MEMORY;
    int64_t n = 3 * (int64_t)o->nodes.count;
    SnStatus status = SN_NEW(p->r, n, "the solver") && SN_NEW(p->from, n, "the solver") ? SN_OK : SN_ERROR_MEMORY;
    if (status == SN_OK) status = sn_global_create(o, def, NULL, &p->global);
    if (status == SN_OK) p->global->reduction = SN_GLOBAL_REDUCTION;
    if (status == SN_OK && def->anderson) status = sn_anderson_create(3 * o->nodes.count, def->anderson, &p->anderson);
    SN_FINISH(status, p, destroy, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    Pd* p = state;
    if (p->anderson) sn_anderson_start(p->anderson, s->objective->nodes.tasks, s->x);
    memcpy(p->from, s->x, 3 * (size_t)s->objective->nodes.count * sizeof *p->from);
    return sn_global_start(p->global, s);
}

// With constraints: x moves as far as they want, and their forces are found on the way. Those that are energies have to
// fall with the others.
static SnStatus constrained_step(Pd* p, SnSearch* s)
{
    SnObjective* o = s->objective;
    double begin = sn_now_ms();
    sn_vector_copy(o->nodes.tasks, 3 * o->nodes.count, s->g, p->r);
    sn_constraints_gradient(o->constraints, -1, s->x, p->r);
    sn_vector_scale(o->nodes.tasks, 3 * o->nodes.count, -1, p->r); // without forces that the step adds itself
    s->ms.solve += sn_now_ms() - begin;
    sn_global_take_over(s);
    begin = sn_now_ms();
    SN_TRY(sn_global_solve(p->global, o, p->r, s->x));
    sn_vector_copy(o->nodes.tasks, 3 * o->nodes.count, p->global->d, s->d);
    s->ms.solve += sn_now_ms() - begin;
    if (o->constraints->method->energy) {
        if (!sn_line_search(s)) s->stalled = "the line search found no lower energy";
        return SN_OK;
    }
    sn_shorten(s);
    sn_global_call_back(p->global, s, p->from);
    s->floor_reached = false; // no line search says so
    bool strayed;
    if (s->iterations + 1 >= s->end) SN_TRY(sn_take_back(p->global, s, p->from, p->r, &strayed));
    sn_search_evaluate(s);
    return SN_OK;
}

// The step to where Anderson's acceleration leads; false, if the energy does not fall that way.
static bool accelerated_step(Pd* p, SnSearch* s)
{
    SnTasks* tasks = s->objective->nodes.tasks;
    int n = 3 * s->objective->nodes.count;
    sn_vector_copy(tasks, n, s->d, p->r);
    sn_vector_axpy(tasks, n, 1, s->d, s->x, s->trial);
    sn_anderson_next(p->anderson, tasks, s->trial);
    sn_vector_axpy(tasks, n, -1, s->x, s->trial, s->d);
    bool lower = sn_line_search(s);
    if (!lower) sn_vector_copy(tasks, n, p->r, s->d);
    if (!lower || s->step != 1) sn_anderson_start(p->anderson, tasks, s->x);
    return lower;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Pd* p = state;
    SnObjective* o = s->objective;
    if (s->stalled) return SN_OK;
    if (o->constraints->now->count > 0) return constrained_step(p, s);
    double begin = sn_now_ms();
    SN_TRY(sn_node_system_solve(&p->global->prefactored->system, s->g, s->d));
    sn_vector_scale(o->nodes.tasks, 3 * o->nodes.count, -1, s->d);
    s->ms.solve += sn_now_ms() - begin;
    bool lower = (p->anderson && accelerated_step(p, s)) || sn_line_search(s);
    if (!lower) s->stalled = "the line search found no lower energy";
    sn_global_take_over(s);
    return SN_OK;
}

static const SnParameter parameters[] = {{SN_ROW_ANDERSON}, {SN_ROW_CONSTRAINTS}, {0}};

const SnSolverType sn_pd = {
    .name = "pd",
    .summary = "Projective Dynamics: full quasi-Newton steps with one constant matrix; keeps constraints exactly",
    .parameters = parameters,
    .caution = 0.5,
    .global_step = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};
