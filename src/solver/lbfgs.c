// lbfgs: d = -H^-1 g by the two-loop recursion over the last m pairs (solver/history.h), around an initial inverse
// chosen by name.
//
// Where the initial inverse B is linear and stays the same during a minimisation, it is applied to the gradient alone:
// z_i = B y_i then are differences of what is known, B q = B g - sum alpha_i z_i, and B can be scaled by s.y / y.B y of
// the newest pair at no cost. Stretched bodies are many times stiffer than at rest, and the scale makes up for that.
//
// Around such an inverse constraints are kept by each direction (constraint/dual.h): pairs are of the gradient without
// their forces, so that contacts that come and go change nothing of them. Around others, and where no such direction
// leads down, the energies of constraints are minimised, with their curvature in the initial inverse.
#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "constraint/dual.h"
#include "core/isa.h"
#include "core/share.h"
#include "core/timer.h"
#include "linalg/cholesky.h"
#include "linalg/vector_kernel.h"
#include "solver/history.h"
#include "solver/initial.h"
#include "solver/islands.h"
#include "solver/line_search.h"
#include "solver/parameters.h"
#include "solver/work.h"

enum {
    AT_ONCE = 40,   // times that B may be applied before it is known how often it is needed
    MORE = 15,      // directions are still to come, as far as anybody knows
    MANY = 60,      // iterations after which what is left over is soft, as where the last one went far,
    MANY_PRICE = 2, // solves' worth of work is one with many right-hand sides
    BODIES = 4,     // are pushed at together
    FEW = 2,        // times as many free nodes are there as those that constraints touch
    PATIENCE = 5,   // short steps in a row until constraints are kept another way
};
#define CAUTION 0.1 // and less of it is allowed; see SnSearch
#define SHORT 0.1   // of a direction that keeps constraints

SN_EXTERN_OF_ISA(const SnVectorKernels, sn_vector_kernels_table);

typedef struct Lbfgs {
    const SnInitialType* initial;
    void* initial_state;
    SnHistory history;
    // Of linear initial inverses only: B g at this iterate and at the one before, of gradients with the forces that
    // constraints have now; and B of what a direction has changed these by.
    double *p, *p_before, *pushed;
    bool forces; // p_before is with those that the last direction has found
    SnDual dual;
    SnCompliance compliance; // B among the nodes that constraints touch
    int taken;               // matrices of B, and with what inertia,
    double inertia;          // when the columns of the compliance were found
    int64_t applied_before;  // this minimisation,
    int64_t applied_last;    // and by the last direction in it
    double kept_work;        // on forces of constraints, without what applying B costs
    int64_t kept_steps;      // towards these forces
    bool swept;              // the compliance has no numbers; B among its nodes is swept, by branches of its factor:
    int among_count, among_capacity;
    int* among;    // their rows,
    double* reach; // 3 x free_count: and numbers there; made when first needed
    int touched_capacity, sum_capacity;
    double* touched; // z and s of each pair, at these nodes
    double* sums;    // of them, and the weights in these
    double* own;     // 3 x node_count: the gradient without the forces of constraints
    bool kept;       // constraints are, by this direction
    bool no_more;    // in this minimisation
    int short_steps; // in a row, that did
    SnConstraintInverse constraints;
    bool touches; // there are constraints, or have been since the start: B is not the same from iterate to iterate
} Lbfgs;

static void destroy(void* state)
{
    Lbfgs* l = state;
    if (!l) return;
    if (l->initial_state) l->initial->destroy(l->initial_state);
    sn_history_free(&l->history);
    sn_free(l->p), sn_free(l->p_before), sn_free(l->pushed);
    sn_constraint_inverse_free(&l->constraints);
    sn_dual_free(&l->dual);
    sn_compliance_free(&l->compliance);
    sn_free(l->touched), sn_free(l->sums), sn_free(l->own), sn_free(l->among), sn_free(l->reach);
    sn_free(l);
}

// Whether the initial inverse can be known among a few nodes: it stays the same in a minimisation.
static bool knows(const Lbfgs* l)
{
    return l->initial->linear && l->initial->factor;
}

// body becomes the compliance's.
static SnStatus build_bodies(Lbfgs* l, SnObjective* o, int* body)
{
    bool shared = sn_tasks_share(o->nodes.tasks); // then all are one: parts of a body are in several processes
    SnStatus status = shared ? SN_OK : sn_islands_bodies(o, body);
    if (status == SN_OK) status = sn_history_create(&l->history, o->nodes.tasks, o->nodes.count, body);
    if (status == SN_OK && knows(l))
        return sn_compliance_create(&l->compliance, &o->nodes, l->initial->scalar ? 1 : 3, body);
    sn_free(body);
    return status;
}

static SnStatus build(Lbfgs* l, SnObjective* o, const SnSolverDef* def)
{
    int64_t n = 3 * (int64_t)o->nodes.count;
    int* body;
    if (!SN_NEW(body, o->nodes.count, "the history")) return SN_ERROR_MEMORY;
    SN_TRY(build_bodies(l, o, body));
    if (l->initial->linear && (!SN_NEW(l->p, n, "the history") || !SN_NEW(l->p_before, n, "the history") ||
                               !SN_NEW(l->pushed, n, "the history")))
        return SN_ERROR_MEMORY;
    SN_TRY(sn_constraint_inverse_create(&l->constraints, o->constraints));
    SN_TRY(sn_dual_create(&l->dual, o->constraints));
    if (!SN_NEW(l->own, n, "the history")) return SN_ERROR_MEMORY;
    return l->initial->create(o, def, &l->initial_state);
}

SnStatus sn_lbfgs_create_around(const SnInitialType* initial, SnObjective* objective, const SnSolverDef* def,
                                void** state)
{
    *state = NULL;
    Lbfgs* l;
    if (!SN_NEW(l, 1, "the solver")) return SN_ERROR_MEMORY;
    l->initial = initial;
    l->history = (SnHistory){.history = def->history < SN_MOST_PAIRS ? def->history : SN_MOST_PAIRS,
                             .linear = initial->linear,
                             .symmetric = initial->symmetric,
                             .scaled = !def->unscaled};
    SN_FINISH(build(l, objective, def), l, destroy, state);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    return sn_lbfgs_create_around(sn_initial_find(def->initial ? def->initial : "laplacian"), objective, def, state);
}

static bool is_linear(const Lbfgs* l)
{
    return l->initial->linear && !l->touches;
}

static void drop_history(Lbfgs* l)
{
    sn_history_drop(&l->history, is_linear(l));
}

// Columns of B are what they were as long as B is.
static bool keeps_columns(const Lbfgs* l)
{
    return knows(l) && l->initial->taken;
}

static void begin_columns(Lbfgs* l, const SnSearch* s)
{
    double inertia = s->objective->nodes.inertia;
    int taken = l->initial->taken ? l->initial->taken(l->initial_state) : 0;
    sn_compliance_clear(&l->compliance);
    if (!keeps_columns(l) || taken != l->taken || inertia != l->inertia) sn_columns_forget(&l->compliance.columns);
    l->taken = taken, l->inertia = inertia;
}

static SnStatus start(void* state, SnSearch* s)
{
    Lbfgs* l = state;
    l->touches = l->no_more = false;
    l->short_steps = 0;
    l->forces = false;
    drop_history(l);
    sn_dual_start(&l->dual);
    l->applied_before = l->dual.applied, l->applied_last = 0;
    if (l->initial->start) SN_TRY(l->initial->start(l->initial_state, s));
    if (knows(l)) begin_columns(l, s);
    return SN_OK;
}

// search->d = -H^-1 g for any initial inverse.
static SnStatus find_direction_any(Lbfgs* l, SnSearch* s)
{
    double alpha[SN_MOST_PAIRS], *q = s->trial; // free until the line search
    sn_history_find(&l->history, s->g, NULL);
    sn_history_first_half(&l->history, s->g, alpha, q);
    SnInitialInverse b = {l->initial, l->initial_state, s, l->history.yy_over_sy};
    SN_TRY(sn_constraint_inverse_apply(&l->constraints, sn_initial_inverse(&b), q, s->d));
    sn_history_second_half(&l->history, alpha, s->d);
    return SN_OK;
}

// p = B g, and z = B y of the newest pair; other: it is of another gradient than these two.
static SnStatus apply_linear(Lbfgs* l, SnSearch* s, const double* g, bool other)
{
    double* before = l->p_before;
    l->p_before = l->p;
    l->p = before;
    SN_TRY(l->initial->apply(l->initial_state, s, g, 0, l->p));
    if (l->history.pending && (other || s->renewed))
        return l->initial->apply(l->initial_state, s, l->history.y[0], 0, l->history.z[0]);
    if (l->history.pending)
        sn_vector_axpy(s->objective->nodes.tasks, 3 * s->objective->nodes.count, -1, l->p_before, l->p,
                       l->history.z[0]);
    return SN_OK;
}

// search->d = -H^-1 g for a linear initial inverse.
static SnStatus find_direction_linear(Lbfgs* l, SnSearch* s)
{
    SN_TRY(apply_linear(l, s, s->g, l->forces || s->objective->constraints->changed));
    l->forces = false;
    sn_history_find(&l->history, s->g, l->p);
    sn_history_apply(&l->history, -1, l->p, s->d);
    return SN_OK;
}

typedef struct Inverse {
    Lbfgs* l;
    SnSearch* s;
} Inverse;

// r = B q
static SnStatus apply_initial(void* self, const double* q, double* r)
{
    Lbfgs* l = ((Inverse*)self)->l;
    SnSearch* s = ((Inverse*)self)->s;
    s->again = true;
    SnStatus status = l->initial->apply(l->initial_state, s, q, 0, r);
    s->again = false;
    return status;
}

// What applying B once more takes (solver/work.h).
static double work_of_inverse(const Lbfgs* l, const SnSearch* s)
{
    double entries = sn_cholesky_factor_entries(l->initial->factor(l->initial_state));
    return sn_work_again(s->objective,
                         l->initial->scalar ? sn_work_scalar_solve(entries) : sn_work_block_solve(entries));
}

// rows = B rows, of many vectors
static SnStatus apply_many(void* self, const int* nodes, int count, double* rows)
{
    Lbfgs* l = ((Inverse*)self)->l;
    SN_TRY(l->initial->apply_many(l->initial_state, nodes, count, rows));
    double part = sn_cholesky_swept(l->initial->factor(l->initial_state));
    l->kept_work += MANY_PRICE * part * work_of_inverse(l, ((Inverse*)self)->s);
    return SN_OK;
}

static void turn_of(const void* self, int row, double r[9])
{
    const Lbfgs* l = ((const Inverse*)self)->l;
    l->initial->turn(l->initial_state, row, r);
}

static void count_touched(Lbfgs* l, double entries)
{
    l->kept_steps++;
    l->kept_work += sn_work_touched(l->dual.work_count, entries);
}

// Numbers that a step among the nodes that are known goes through: those of one row a node serve x, y and z, and come
// with the pairs.
static double touched_entries(const Lbfgs* l)
{
    const SnCompliance* c = &l->compliance;
    double entries = (double)sn_compliance_entries(c);
    return c->width == 1 ? entries + 12.0 * l->history.count * c->count : entries;
}

// r = H^-1 q
static SnStatus apply_inverse(void* self, const double* q, double* r)
{
    Lbfgs* l = ((Inverse*)self)->l;
    SN_TRY(apply_initial(self, q, l->pushed));
    count_touched(l, 0);
    sn_history_apply_to(&l->history, q, l->pushed, r);
    return SN_OK;
}

// What the pairs add to r = B q among the nodes of one body that constraints touch, where y.B q = z.q.
static void correct_motion(const Lbfgs* l, const SnCompliantBody* body, const double* q, double* r)
{
    const SnHistory* history = &l->history;
    const SnHistoryPart* part = sn_history_part_of(history, 3 * body->node[0]);
    double products[2 * SN_MOST_PAIRS], weights[2 * SN_MOST_PAIRS];
    int m = history->count, n = 3 * body->count;
    const double* vectors = m ? l->touched + 3 * (int64_t)body->first : NULL; // what there is of them
    int64_t all = 3 * (int64_t)l->compliance.count;
    const SnVectorKernels* kernels = SN_OF_ISA(&sn_vector_kernels_table);
    for (int i = 0; i < 2 * m; i++) products[i] = kernels->dot(n, vectors + i * all, q);
    sn_history_weights(history, part, products + m, products, weights);
    for (int k = 0; k < n; k++) r[k] *= part->scale;
    for (int i = 0; i < 2 * m; i++) kernels->add(n, weights[i], vectors + i * all, r);
}

// H^-1 among the nodes of a body that constraints touch.
static void apply_body(void* self, const SnCompliantBody* body, const double* q, double* r)
{
    const Lbfgs* l = ((Inverse*)self)->l;
    sn_compliance_apply_body(&l->compliance, body, q, r);
    if (l->compliance.width == 1) correct_motion(l, body, q, r);
}

typedef struct Touched {
    Inverse* inverse;
    const double* q;
    double* r;
} Touched;

static void apply_touched_bodies(void* self, int first, int last)
{
    const Touched* t = self;
    const SnCompliance* c = &t->inverse->l->compliance;
    for (int k = first; k < last; k++) {
        int64_t at = 3 * (int64_t)c->bodies[k].first;
        apply_body(t->inverse, &c->bodies[k], t->q + at, t->r + at);
    }
}

// Numbers of the nodes that constraints touch, from their places in vectors of these to their rows, or back.
static void carry(const Lbfgs* l, bool back, double* vector)
{
    const SnCompliance* c = &l->compliance;
    for (int k = 0; k < c->body_count; k++)
        for (int i = 0; i < c->bodies[k].count; i++) {
            double *at = vector + 3 * ((int64_t)c->bodies[k].first + i),
                   *row = l->reach + 3 * (int64_t)c->nodes->free_index[c->bodies[k].node[i]];
            memcpy(back ? at : row, back ? row : at, 3 * sizeof *at);
        }
}

// The same by sweeps along the branches of the factor that these nodes are on.
static SnStatus sweep_touched(Inverse* inverse, const double* q, double* r)
{
    Lbfgs* l = inverse->l;
    const SnCompliance* c = &l->compliance;
    memcpy(r, q, 3 * (size_t)c->count * sizeof *r);
    carry(l, false, r);
    SN_TRY(l->initial->apply_among(l->initial_state, l->among, l->among_count, l->reach));
    carry(l, true, r);
    for (int k = 0; k < c->body_count; k++) {
        int64_t at = 3 * (int64_t)c->bodies[k].first;
        correct_motion(l, &c->bodies[k], q + at, r + at);
    }
    count_touched(l, 0);
    double part = sn_cholesky_swept(l->initial->factor(l->initial_state));
    l->kept_work += part * work_of_inverse(l, inverse->s);
    return SN_OK;
}

static SnStatus apply_touched(void* self, const double* q, double* r)
{
    Lbfgs* l = ((Inverse*)self)->l;
    const SnCompliance* c = &l->compliance;
    if (l->swept) return sweep_touched(self, q, r);
    count_touched(l, touched_entries(l));
    sn_tasks_for(c->nodes->tasks, c->body_count, BODIES, apply_touched_bodies, &(Touched){self, q, r});
    return SN_OK;
}

// The pairs of a body as a correction of its matrix: they have numbers for each product with z and s.
static SnStatus correct_body(Lbfgs* l, const SnCompliantBody* body)
{
    const SnHistory* history = &l->history;
    const SnHistoryPart* part = sn_history_part_of(history, 3 * body->node[0]);
    int m = history->count, n = 3 * l->compliance.count;
    double products[2 * SN_MOST_PAIRS] = {0}, weights[2 * SN_MOST_PAIRS];
    if (!SN_GROW(l->sums, l->sum_capacity, (2 * (int64_t)m + 1) * n + 4 * (int64_t)m * m, "contacts"))
        return SN_ERROR_MEMORY;
    double* w = l->sums + (2 * (int64_t)m + 1) * n;
    for (int j = 0; j < 2 * m; j++) {
        products[j] = 1;
        sn_history_weights(history, part, products + m, products, weights);
        products[j] = 0;
        for (int i = 0; i < 2 * m; i++) w[i * 2 * m + j] = weights[i];
    }
    const double* vectors = m ? l->touched + 3 * (int64_t)body->first : NULL;
    sn_compliance_correct(&l->compliance, body, part->scale, 2 * m, w, vectors, n, l->sums);
    return SN_OK;
}

static SnStatus take_touched(Lbfgs* l)
{
    int n = 3 * l->compliance.count, m = l->history.count;
    if (!SN_GROW(l->touched, l->touched_capacity, 2 * (int64_t)m * n, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < m && n > 0; i++) {
        sn_compliance_take(&l->compliance, l->history.z[i], l->touched + (int64_t)i * n);
        sn_compliance_take(&l->compliance, l->history.s[i], l->touched + (int64_t)(m + i) * n);
    }
    for (int k = 0; k < l->compliance.body_count && l->compliance.width == 3 && !l->swept; k++)
        SN_TRY(correct_body(l, &l->compliance.bodies[k]));
    return SN_OK;
}

// Forces are found in less time among the nodes that constraints touch than with all of them.
static bool is_small(const Lbfgs* l, const SnSearch* s)
{
    double touched = sn_work_touched(l->dual.work_count, (double)sn_compliance_entries(&l->compliance));
    return touched < work_of_inverse(l, s);
}

// Where they are not too many, sweeps need but a part of the factor. Contacts between bodies had better be put right
// in clusters, which takes numbers.
static SnStatus reach_touched(Lbfgs* l, bool* known)
{
    SnCompliance* c = &l->compliance;
    if (!l->initial->apply_among || l->dual.constraints->joins || FEW * (int64_t)c->count > c->nodes->free_count)
        return SN_OK;
    if (!l->reach && !SN_NEW(l->reach, 3 * (int64_t)c->nodes->free_count, "contacts")) return SN_ERROR_MEMORY;
    if (!SN_GROW(l->among, l->among_capacity, c->count, "contacts")) return SN_ERROR_MEMORY;
    l->among_count = 0;
    for (int k = 0; k < c->body_count; k++)
        for (int i = 0; i < c->bodies[k].count; i++)
            l->among[l->among_count++] = c->nodes->free_index[c->bodies[k].node[i]];
    sn_compliance_place_bodies(c);
    *known = l->swept = true;
    return take_touched(l);
}

// B among the nodes that constraints touch is found where that is less work than it saves: at once if it is little,
// and else when as much has been done without it, or will have been if the directions to come are like the last one.
static SnStatus know_touched(Lbfgs* l, const SnSearch* s, SnManyInverse b, bool* known)
{
    const SnConstraintSet* now = l->dual.constraints->now;
    *known = l->swept = false;
    if (!knows(l)) return SN_OK;
    for (int i = 0; i < l->dual.work_count; i++) {
        const SnStencil* at = &now->items[l->dual.work[i]].constraint.at;
        for (int k = 0; k < at->count; k++) SN_TRY(sn_compliance_add(&l->compliance, at->node[k]));
    }
    for (int i = 0; i < s->objective->nodes.count; i++)
        if (sn_dual_pushes(&l->dual, i)) SN_TRY(sn_compliance_add(&l->compliance, i));
    int price = (int)ceil(MANY_PRICE * sn_compliance_price(&l->compliance));
    int64_t without = l->dual.applied - l->applied_before + MORE * l->applied_last;
    if (!is_small(l, s) || (price > AT_ONCE && price > without)) return reach_touched(l, known);
    double work = l->kept_work;
    SN_TRY(sn_compliance_recall(&l->compliance, b));
    l->kept_work = work; // it was counted when they were found first
    SN_TRY(sn_compliance_complete(&l->compliance, b));
    *known = true;
    return take_touched(l);
}

// Adds to g what constraints do at x, times scale; pinned nodes have none.
static void add_forces(const SnSearch* s, double scale, double* g)
{
    const SnNodes* nodes = &s->objective->nodes;
    sn_constraints_gradient(s->objective->constraints, scale, s->x, g);
    for (int i = 0; i < nodes->count; i++)
        if (nodes->free_index[i] < 0) memset(g + 3 * (int64_t)i, 0, 3 * sizeof *g);
}

// own = the gradient without the forces of constraints
static void take_own(const SnSearch* s, double* own)
{
    sn_vector_copy(s->objective->nodes.tasks, 3 * s->objective->nodes.count, s->g, own);
    add_forces(s, -1, own);
}

// Of a direction, how far off its forces may be where that matters no more: beside what may be left over in the end,
// until forces have settled, too.
static double last_error(const SnSearch* s)
{
    double asked = s->objective->constraints->asked, left = asked > 0 ? fmin(asked, s->tolerance) : s->tolerance;
    return s->norm > 0 ? SN_DUAL_LAST_ERROR * left / s->norm : 0;
}

// What is known of H^-1 among the nodes of the constraints that push, and how well forces are to be found with it.
static SnStatus know(SnDualInverse* h, const SnDual* dual)
{
    Inverse* inverse = h->user;
    Lbfgs* l = inverse->l;
    bool known;
    (void)dual;
    SnManyInverse many = {apply_many, inverse, l->initial->turn ? turn_of : NULL};
    SN_TRY(know_touched(l, inverse->s, many, &known));
    bool exact = known && !l->swept && !l->initial->scalar;
    h->swept = l->swept;
    h->compliance = known ? &l->compliance : NULL;
    h->error = exact ? fmin(fmax(last_error(inverse->s), SN_DUAL_EXACT_ERROR), SN_DUAL_STEP_ERROR) : SN_DUAL_STEP_ERROR;
    h->steps = exact ? SN_DUAL_EXACT_STEPS : SN_DUAL_STEPS;
    return SN_OK;
}

// search->d keeps the constraints; value and gradient are those with the forces that it takes.
static SnStatus find_direction_kept(Lbfgs* l, SnSearch* s)
{
    SnConstraints* c = s->objective->constraints;
    Inverse inverse = {l, s};
    double* rest = s->g; // which is made anew below
    take_own(s, l->own);
    SN_TRY(sn_dual_begin(&l->dual, l->own, l->forces, rest));
    SN_TRY(apply_linear(l, s, rest, !l->forces));
    sn_history_find(&l->history, rest, l->p);
    sn_history_apply(&l->history, 1, l->p, s->trial);
    SnDualInverse h = {.all = {apply_inverse, &inverse},
                       .touched = {apply_touched, &inverse},
                       .body = {apply_body, &inverse},
                       .know = know,
                       .user = &inverse};
    s->value.total -= sn_constraints_energy(c, s->x);
    int64_t applied = l->dual.applied;
    SN_TRY(sn_dual_solve(&l->dual, h, s->x, rest, s->trial, s->d));
    l->applied_last = l->dual.applied - applied;
    l->forces = true;
    sn_vector_axpy(s->objective->nodes.tasks, 3 * s->objective->nodes.count, -1, l->pushed, l->p, l->p);
    s->value.total += sn_constraints_energy(c, s->x);
    sn_vector_copy(s->objective->nodes.tasks, 3 * s->objective->nodes.count, l->own, s->g);
    add_forces(s, 1, s->g);
    return SN_OK;
}

static SnStatus find_direction(Lbfgs* l, SnSearch* s)
{
    double begin = sn_now_ms();
    SnStatus status = l->kept        ? find_direction_kept(l, s)
                      : is_linear(l) ? find_direction_linear(l, s)
                                     : find_direction_any(l, s);
    s->ms.solve += sn_now_ms() - begin;
    return status;
}

// After the line search: the step and the change of the gradient.
static void remember(Lbfgs* l, SnSearch* s)
{
    if (l->history.history == 0) return;
    double begin = sn_now_ms();
    SnTasks* tasks = s->objective->nodes.tasks;
    int n = 3 * s->objective->nodes.count;
    sn_history_add(&l->history);
    double* y = l->history.y[0];
    sn_vector_axpy(tasks, n, -1, s->trial, s->x, l->history.s[0]);
    if (l->kept) take_own(s, y);
    sn_vector_axpy(tasks, n, -1, l->kept ? l->own : s->trial_g, l->kept ? y : s->g, y);
    s->ms.solve += sn_now_ms() - begin;
}

// Directions keep constraints where friction has no energy of its own and something holds the nodes.
static bool can_keep(const Lbfgs* l, const SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    return l->initial->linear && !l->no_more && c->count > 0 && c->friction.speed == 0 && c->nodes->inertia > 0;
}

static SnStatus search_along(Lbfgs* l, SnSearch* s, bool* moved)
{
    l->kept = can_keep(l, s);
    if (!l->kept) SN_TRY(sn_constraint_inverse_update(&l->constraints, s->x, s->g));
    if (!l->kept && l->constraints.any && !l->touches) l->touches = true, drop_history(l);
    SN_TRY(find_direction(l, s));
    *moved = sn_line_search(s);
    return SN_OK;
}

// Directions that keep constraints lead down a short way only, again and again: where constraints nearly contradict
// each other their forces change from one to the next by more than the energy does.
static void doubt(Lbfgs* l, const SnSearch* s)
{
    l->short_steps = l->kept && s->step < SHORT ? l->short_steps + 1 : 0;
    l->no_more |= l->short_steps >= PATIENCE;
}

// Where no direction of descent is found, another is tried: from the initial inverse alone, and then without keeping
// constraints.
static SnStatus iterate(void* state, SnSearch* s)
{
    Lbfgs* l = state;
    bool moved;
    if (s->stalled) return SN_OK;
    if (l->initial->stale && l->initial->stale(l->initial_state, s)) SN_TRY(start(l, s));
    SN_TRY(search_along(l, s, &moved));
    if (!moved && l->history.count > 0) {
        drop_history(l);
        SN_TRY(search_along(l, s, &moved));
    }
    if (!moved && l->kept) {
        l->no_more = true;
        SN_TRY(search_along(l, s, &moved));
    }
    if (moved)
        remember(l, s), doubt(l, s);
    else
        s->stalled = "the line search found no lower energy";
    bool far = moved && s->norm <= s->tolerance && sn_stopping_moves(s->objective, s->x, s->trial, 1);
    s->caution = far || s->iterations >= MANY ? CAUTION : 1;
    return SN_OK;
}

int64_t sn_lbfgs_applied(const void* state)
{
    return ((const Lbfgs*)state)->dual.applied;
}

double sn_lbfgs_kept_work(const void* state)
{
    return ((const Lbfgs*)state)->kept_work;
}

int64_t sn_lbfgs_kept_steps(const void* state)
{
    return ((const Lbfgs*)state)->kept_steps;
}

double sn_lbfgs_touched_work(const void* state)
{
    const Lbfgs* l = state;
    double entries = knows(l) ? (double)sn_compliance_entries(&l->compliance) : 0;
    return entries > 0 ? sn_work_touched(l->dual.work_count, (l->initial->scalar ? 9 : 1) * entries) : 0;
}

const SnCholesky* sn_lbfgs_factor(const void* state)
{
    const Lbfgs* l = state;
    return l->initial->factor(l->initial_state);
}

int sn_lbfgs_taken(const void* state)
{
    const Lbfgs* l = state;
    return l->initial->taken(l->initial_state);
}

// What the initial inverse remembers, which of its columns are known, and with what inertia they were found; the pairs
// are forgotten at each start.
static int64_t initial_size(const Lbfgs* l)
{
    return l->initial->memory ? l->initial->memory->size(l->initial_state) : 0;
}

static int64_t memory_size(const void* state)
{
    const Lbfgs* l = state;
    return initial_size(l) + (keeps_columns(l) ? l->compliance.nodes->count + 1 : 0);
}

static void save(const void* state, double* numbers)
{
    const Lbfgs* l = state;
    if (l->initial->memory) l->initial->memory->save(l->initial_state, numbers);
    if (!keeps_columns(l)) return;
    numbers += initial_size(l);
    *numbers = l->inertia;
    sn_columns_save(&l->compliance.columns, numbers + 1);
}

static void restore(void* state, const double* numbers)
{
    Lbfgs* l = state;
    if (l->initial->memory) l->initial->memory->restore(l->initial_state, numbers);
    if (!keeps_columns(l)) return;
    numbers = numbers ? numbers + initial_size(l) : NULL;
    l->taken = l->initial->taken(l->initial_state);
    l->inertia = numbers ? *numbers : -1;
    sn_columns_restore(&l->compliance.columns, numbers ? numbers + 1 : NULL);
}

static const SnMemory memory = {.size = memory_size, .save = save, .restore = restore};

static const SnParameter parameters[] = {{SN_ROW_INITIAL}, {SN_ROW_HISTORY}, {SN_ROW_SCALED}, {0}};

const SnSolverType sn_lbfgs = {
    .name = "lbfgs",
    .summary = "L-BFGS around an initial inverse (initial: ...), the last `history` pairs",
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
    .memory = &memory,
};

extern const SnInitialType sn_initial_dot;

// dot is L-BFGS around the averaged inverses of subdomains.
static SnStatus create_dot(SnObjective* objective, const SnSolverDef* def, void** state)
{
    return sn_lbfgs_create_around(&sn_initial_dot, objective, def, state);
}

static const SnParameter dot_parameters[] = {{SN_ROW_HISTORY}, {SN_ROW_SCALED},     {SN_ROW_BLEND},
                                             {SN_ROW_OVERLAP}, {SN_ROW_SUBDOMAINS}, {0}};

const SnSolverType sn_dot = {
    .name = "dot",
    .summary = "domain-decomposed L-BFGS: lbfgs with initial dot",
    .parameters = dot_parameters,
    .create = create_dot,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};
