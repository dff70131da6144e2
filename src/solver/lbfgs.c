// lbfgs: d = -H^-1 g by the two-loop recursion (Nocedal 1980) over the last m pairs s = x' - x, y = g' - g, around an
// initial inverse chosen by name.
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "linalg/vector.h"
#include "solver/initial.h"
#include "solver/line_search.h"

enum { MOST_HISTORY = 100 };

typedef struct Pair {
    double *s, *y; // 3 x node_count
    double rho;    // 1 / s.y
    double alpha;
} Pair;

typedef struct Lbfgs {
    const SnInitialType* initial;
    void* initial_state;
    int history;       // pairs kept at most
    int count, newest; // pairs there are, and where the newest is
    double yy_over_sy; // of the newest pair; 0: none
    Pair pairs[MOST_HISTORY];
} Lbfgs;

static void destroy(void* state)
{
    Lbfgs* l = state;
    if (!l) return;
    if (l->initial_state) l->initial->destroy(l->initial_state);
    for (int i = 0; i < l->history; i++) sn_free(l->pairs[i].s), sn_free(l->pairs[i].y);
    sn_free(l);
}

static SnStatus build(Lbfgs* l, SnObjective* o, const SnSolverDef* def)
{
    int64_t n = 3 * (int64_t)o->node_count;
    for (int i = 0; i < l->history; i++)
        if (!SN_NEW(l->pairs[i].s, n, "the history") || !SN_NEW(l->pairs[i].y, n, "the history"))
            return SN_ERROR_MEMORY;
    return l->initial->create(o, def, &l->initial_state);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Lbfgs* l;
    if (!SN_NEW(l, 1, "the solver")) return SN_ERROR_MEMORY;
    l->initial = sn_initial_find(def->initial ? def->initial : "laplacian");
    l->history = def->history < MOST_HISTORY ? def->history : MOST_HISTORY;
    SnStatus status = build(l, objective, def);
    if (status != SN_OK) {
        destroy(l);
        return status;
    }
    *state = l;
    return SN_OK;
}

static void drop_history(Lbfgs* l)
{
    l->count = 0;
    l->yy_over_sy = 0;
}

static SnStatus start(void* state, SnSearch* s)
{
    Lbfgs* l = state;
    drop_history(l);
    return l->initial->start ? l->initial->start(l->initial_state, s) : SN_OK;
}

// The i-th newest pair.
static Pair* pair_at(Lbfgs* l, int i)
{
    return &l->pairs[(l->newest - i + l->history) % l->history];
}

// search->d = -H^-1 g.
static SnStatus find_direction(Lbfgs* l, SnSearch* s)
{
    double begin = sn_now_ms();
    SnTasks* tasks = s->objective->tasks;
    int n = 3 * s->objective->node_count;
    double* q = s->trial; // free until the line search
    sn_vector_copy(tasks, n, s->g, q);
    for (int i = 0; i < l->count; i++) {
        Pair* p = pair_at(l, i);
        p->alpha = p->rho * sn_vector_dot(tasks, n, p->s, q);
        sn_vector_axpy(tasks, n, -p->alpha, p->y, q, q);
    }
    SN_TRY(l->initial->apply(l->initial_state, s, q, l->yy_over_sy, s->d));
    for (int i = l->count - 1; i >= 0; i--) {
        Pair* p = pair_at(l, i);
        double beta = p->rho * sn_vector_dot(tasks, n, p->y, s->d);
        sn_vector_axpy(tasks, n, p->alpha - beta, p->s, s->d, s->d);
    }
    sn_vector_scale(tasks, n, -1, s->d);
    s->ms.solve += sn_now_ms() - begin;
    return SN_OK;
}

// After the line search: the step and the change of the gradient, unless the curvature along it is not positive.
static void remember(Lbfgs* l, SnSearch* s)
{
    if (l->history == 0) return;
    double begin = sn_now_ms();
    SnTasks* tasks = s->objective->tasks;
    int n = 3 * s->objective->node_count, next = (l->newest + 1) % l->history;
    Pair* p = &l->pairs[next];
    sn_vector_axpy(tasks, n, -1, s->trial, s->x, p->s);
    sn_vector_axpy(tasks, n, -1, s->trial_g, s->g, p->y);
    double sy = sn_vector_dot(tasks, n, p->s, p->y), yy = sn_vector_dot(tasks, n, p->y, p->y);
    double ss = sn_vector_dot(tasks, n, p->s, p->s);
    s->ms.solve += sn_now_ms() - begin;
    if (!(sy > 1e-12 * sqrt(ss * yy))) return;
    p->rho = 1 / sy;
    l->yy_over_sy = yy / sy;
    l->newest = next;
    if (l->count < l->history) l->count++;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    Lbfgs* l = state;
    if (s->stalled) return SN_OK;
    SN_TRY(find_direction(l, s));
    bool moved = sn_line_search(s);
    if (!moved && l->count > 0) { // not a direction of descent: begin anew from the initial inverse
        drop_history(l);
        SN_TRY(find_direction(l, s));
        moved = sn_line_search(s);
    }
    if (moved)
        remember(l, s);
    else
        s->stalled = "the line search found no lower energy";
    return SN_OK;
}

const SnSolverType sn_lbfgs = {
    .name = "lbfgs",
    .summary = "L-BFGS around an initial inverse (initial: ...), the last `history` pairs",
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};

// dot is L-BFGS around the averaged inverses of subdomains.
static SnStatus create_dot(SnObjective* objective, const SnSolverDef* def, void** state)
{
    SnSolverDef dot = *def;
    dot.initial = "dot";
    return create(objective, &dot, state);
}

const SnSolverType sn_dot = {
    .name = "dot",
    .summary = "domain-decomposed L-BFGS: lbfgs with initial dot",
    .create = create_dot,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};
