// lbfgs: d = -H^-1 g by the two-loop recursion (Nocedal 1980) over the last m pairs s = x' - x, y = g' - g, around an
// initial inverse chosen by name.
//
// The recursion is done on numbers: with the products s_i.y_j kept and the new ones found in one sweep, its loops need
// no vectors, and q and d are one linear combination each.
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

#include "constraint/dual.h"
#include "core/timer.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"
#include "solver/initial.h"
#include "solver/islands.h"
#include "solver/line_search.h"
#include "solver/parameters.h"

enum { MOST_HISTORY = 100 };
enum { AT_ONCE = 40 }; // times that B may be applied before it is known how often it is needed

typedef struct Lbfgs {
    const SnInitialType* initial;
    void* initial_state;
    int history;             // pairs kept at most
    int count;               // pairs there are, the newest first
    double yy_over_sy;       // of the newest pair; 0: none
    double* s[MOST_HISTORY]; // 3 x node_count each; from `count` on, spare ones
    double* y[MOST_HISTORY];
    double sy[MOST_HISTORY][MOST_HISTORY]; // s_i.y_j, of pairs j that are not older than i
    // Of linear initial inverses only:
    double* z[MOST_HISTORY];               // B y_i
    double yz[MOST_HISTORY][MOST_HISTORY]; // y_i.z_j
    double *p, *p_before;                  // B g at this iterate and at the one before
    bool scaled;                           // B is
    double scale;
    SnDual dual;
    SnCompliance compliance; // B among the nodes that constraints touch, where it is scalar
    int64_t applied_before;  // this minimisation
    int touched_capacity;
    double* touched; // s and z of each pair, at these nodes
    double* own;     // 3 x node_count: the gradient without the forces of constraints
    bool kept;       // constraints are, by this direction
    bool no_more;    // in this minimisation
    SnConstraintInverse constraints;
    bool touches; // there are constraints, or have been since the start: B is not the same from iterate to iterate
    // Of this iterate:
    bool pending;                              // the products of the newest pair are still to be found
    double sg[MOST_HISTORY], yp[MOST_HISTORY]; // s_i.g, y_i.p
} Lbfgs;

// Products to be found in one sweep, and where they go.
enum { MOST_PRODUCTS = 6 * MOST_HISTORY + 2 };
typedef struct Products {
    int count;
    const double *a[MOST_PRODUCTS], *b[MOST_PRODUCTS];
    double* to[MOST_PRODUCTS];
} Products;

static void want(Products* w, const double* a, const double* b, double* to)
{
    w->a[w->count] = a, w->b[w->count] = b, w->to[w->count++] = to;
}

static void find(Products* w, const SnObjective* o)
{
    double found[MOST_PRODUCTS];
    sn_vector_pairs(o->nodes.tasks, 3 * o->nodes.count, w->count, w->a, w->b, found);
    for (int k = 0; k < w->count; k++) *w->to[k] = found[k];
}

static void destroy(void* state)
{
    Lbfgs* l = state;
    if (!l) return;
    if (l->initial_state) l->initial->destroy(l->initial_state);
    for (int i = 0; i < l->history; i++) sn_free(l->s[i]), sn_free(l->y[i]), sn_free(l->z[i]);
    sn_free(l->p), sn_free(l->p_before);
    sn_constraint_inverse_free(&l->constraints);
    sn_dual_free(&l->dual);
    sn_compliance_free(&l->compliance);
    sn_free(l->touched), sn_free(l->own);
    sn_free(l);
}

static SnStatus build(Lbfgs* l, SnObjective* o, const SnSolverDef* def)
{
    int64_t n = 3 * (int64_t)o->nodes.count;
    for (int i = 0; i < l->history; i++)
        if (!SN_NEW(l->s[i], n, "the history") || !SN_NEW(l->y[i], n, "the history")) return SN_ERROR_MEMORY;
    for (int i = 0; i < l->history && l->initial->linear; i++)
        if (!SN_NEW(l->z[i], n, "the history")) return SN_ERROR_MEMORY;
    if (l->initial->linear && (!SN_NEW(l->p, n, "the history") || !SN_NEW(l->p_before, n, "the history")))
        return SN_ERROR_MEMORY;
    SN_TRY(sn_constraint_inverse_create(&l->constraints, o->constraints));
    SN_TRY(sn_dual_create(&l->dual, o->constraints));
    if (!SN_NEW(l->own, n, "the history")) return SN_ERROR_MEMORY;
    if (l->initial->scalar) {
        int* body;
        if (!SN_NEW(body, o->nodes.count, "contacts")) return SN_ERROR_MEMORY;
        sn_islands_bodies(o, body);
        SN_TRY(sn_compliance_create(&l->compliance, &o->nodes, body));
    }
    return l->initial->create(o, def, &l->initial_state);
}

SnStatus sn_lbfgs_create_around(const SnInitialType* initial, SnObjective* objective, const SnSolverDef* def,
                                void** state)
{
    *state = NULL;
    Lbfgs* l;
    if (!SN_NEW(l, 1, "the solver")) return SN_ERROR_MEMORY;
    l->initial = initial;
    l->scaled = !def->unscaled;
    l->history = def->history < MOST_HISTORY ? def->history : MOST_HISTORY;
    SN_FINISH(build(l, objective, def), l, destroy, state);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    return sn_lbfgs_create_around(sn_initial_find(def->initial ? def->initial : "laplacian"), objective, def, state);
}

static void drop_history(Lbfgs* l)
{
    l->count = 0;
    l->yy_over_sy = 0;
    l->pending = false;
    l->scale = 1;
}

// A pair without curvature is taken out again.
static void drop_newest(Lbfgs* l)
{
    double *s = l->s[0], *y = l->y[0], *z = l->z[0];
    for (int i = 0; i + 1 < l->count; i++) {
        l->s[i] = l->s[i + 1], l->y[i] = l->y[i + 1], l->z[i] = l->z[i + 1];
        l->sg[i] = l->sg[i + 1], l->yp[i] = l->yp[i + 1];
        for (int j = 0; j + 1 < l->count; j++) l->sy[i][j] = l->sy[i + 1][j + 1], l->yz[i][j] = l->yz[i + 1][j + 1];
    }
    l->count--;
    l->s[l->count] = s, l->y[l->count] = y, l->z[l->count] = z;
}

static SnStatus start(void* state, SnSearch* s)
{
    Lbfgs* l = state;
    drop_history(l);
    l->touches = l->no_more = false;
    sn_dual_start(&l->dual);
    if (l->initial->scalar) sn_compliance_clear(&l->compliance);
    l->applied_before = l->dual.applied;
    return l->initial->start ? l->initial->start(l->initial_state, s) : SN_OK;
}

static bool is_linear(const Lbfgs* l)
{
    return l->initial->linear && !l->touches;
}

// The products that the recursion needs at this iterate; a newest pair without positive curvature is dropped.
static void find_products(Lbfgs* l, SnSearch* s, const double* g)
{
    Products w = {.count = 0};
    bool linear = is_linear(l), fresh = l->pending;
    double yy = 0, ss = 0;
    for (int i = 0; i < l->count; i++) {
        want(&w, l->s[i], g, &l->sg[i]);
        if (linear) want(&w, l->y[i], l->p, &l->yp[i]);
        if (!fresh) continue;
        want(&w, l->s[i], l->y[0], &l->sy[i][0]);
        if (linear) want(&w, l->y[i], l->z[0], &l->yz[i][0]);
        if (linear && i > 0 && !l->initial->symmetric) want(&w, l->y[0], l->z[i], &l->yz[0][i]);
    }
    if (fresh) want(&w, l->y[0], l->y[0], &yy), want(&w, l->s[0], l->s[0], &ss);
    find(&w, s->objective);
    if (!fresh) return;
    for (int i = 1; i < l->count && linear && l->initial->symmetric; i++) l->yz[0][i] = l->yz[i][0];
    l->pending = false;
    double sy = l->sy[0][0];
    bool curved = sy > 1e-12 * sqrt(yy * ss);
    if (linear && curved && l->scaled) { // only ever shorter steps: B is made for bodies near rest
        double scale = l->yz[0][0] > 0 ? sy / l->yz[0][0] : 1;
        l->scale = scale < 1 ? scale : 1;
    }
    l->yy_over_sy = curved ? yy / sy : 0;
    if (!curved) drop_newest(l);
}

// search->d = -H^-1 g for any initial inverse.
static SnStatus find_direction_any(Lbfgs* l, SnSearch* s)
{
    double alpha[MOST_HISTORY], gamma[MOST_HISTORY], dots[MOST_HISTORY];
    SnTasks* tasks = s->objective->nodes.tasks;
    find_products(l, s, s->g);
    int n = 3 * s->objective->nodes.count, m = l->count;
    const double *const *ss = (const double*const*)l->s, *const *ys = (const double*const*)l->y;
    double* q = s->trial;         // free until the line search
    for (int i = 0; i < m; i++) { // newest to oldest: alpha_i = s_i.q / s_i.y_i, q -= alpha_i y_i
        double sq = l->sg[i];
        for (int j = 0; j < i; j++) sq += gamma[j] * l->sy[i][j];
        alpha[i] = sq / l->sy[i][i];
        gamma[i] = -alpha[i];
    }
    sn_vector_combine(tasks, n, 1, s->g, m, gamma, ys, q);
    SnInitialInverse b = {l->initial, l->initial_state, s, l->yy_over_sy};
    SN_TRY(sn_constraint_inverse_apply(&l->constraints, sn_initial_inverse(&b), q, s->d));
    sn_vector_dots(tasks, n, m, ys, s->d, dots);
    for (int i = m - 1; i >= 0; i--) { // oldest to newest: beta_i = y_i.r / s_i.y_i, r += (alpha_i - beta_i) s_i
        double yr = dots[i];
        for (int j = i + 1; j < m; j++) yr += gamma[j] * l->sy[j][i];
        gamma[i] = alpha[i] - yr / l->sy[i][i];
    }
    for (int i = 0; i < m; i++) gamma[i] = -gamma[i];
    sn_vector_combine(tasks, n, -1, s->d, m, gamma, ss, s->d);
    return SN_OK;
}

// p = B g, and z = B y of the newest pair.
static SnStatus apply_linear(Lbfgs* l, SnSearch* s, const double* g)
{
    // Another gradient than the one that the pair was made with.
    bool other = s->renewed || (!l->kept && s->objective->constraints->changed);
    double* before = l->p_before;
    l->p_before = l->p;
    l->p = before;
    SN_TRY(l->initial->apply(l->initial_state, s, g, 0, l->p));
    if (l->pending && other) return l->initial->apply(l->initial_state, s, l->y[0], 0, l->z[0]);
    if (l->pending)
        sn_vector_axpy(s->objective->nodes.tasks, 3 * s->objective->nodes.count, -1, l->p_before, l->p, l->z[0]);
    return SN_OK;
}

// H^-1 q = scale p + sum weights_i z_i + sum weights_(m+i) s_i for a linear initial inverse, where p = B q, sq = s_i.q
// and yp = y_i.p.
static void find_weights(const Lbfgs* l, const double* sq, const double* yp, double* weights)
{
    double alpha[MOST_HISTORY], beta[MOST_HISTORY];
    int m = l->count;
    for (int i = 0; i < m; i++) { // newest to oldest
        double sum = sq[i];
        for (int j = 0; j < i; j++) sum -= alpha[j] * l->sy[i][j];
        alpha[i] = sum / l->sy[i][i];
    }
    for (int i = m - 1; i >= 0; i--) { // oldest to newest; y_i.r with r = scale (p - sum alpha_j z_j) + sum beta_j s_j
        double yr = yp[i];
        for (int j = 0; j < m; j++) yr -= alpha[j] * l->yz[i][j];
        yr *= l->scale;
        for (int j = i + 1; j < m; j++) yr += beta[j] * l->sy[j][i];
        beta[i] = alpha[i] - yr / l->sy[i][i];
    }
    for (int i = 0; i < m; i++) weights[i] = -l->scale * alpha[i], weights[m + i] = beta[i];
}

// r = sign H^-1 q
static void apply_pairs(const Lbfgs* l, SnSearch* s, double sign, const double* p, const double* sq, const double* yp,
                        double* r)
{
    double weights[2 * MOST_HISTORY];
    const double* vectors[2 * MOST_HISTORY];
    int m = l->count;
    find_weights(l, sq, yp, weights);
    for (int i = 0; i < m; i++) vectors[i] = l->z[i], vectors[m + i] = l->s[i];
    for (int i = 0; i < 2 * m; i++) weights[i] *= sign;
    sn_vector_combine(s->objective->nodes.tasks, 3 * s->objective->nodes.count, sign * l->scale, p, 2 * m, weights,
                      vectors, r);
}

// search->d = -H^-1 g for a linear initial inverse.
static SnStatus find_direction_linear(Lbfgs* l, SnSearch* s)
{
    SN_TRY(apply_linear(l, s, s->g));
    find_products(l, s, s->g);
    apply_pairs(l, s, -1, l->p, l->sg, l->yp, s->d);
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

// r = H^-1 q
static SnStatus apply_inverse(void* self, const double* q, double* r)
{
    Lbfgs* l = ((Inverse*)self)->l;
    SnSearch* s = ((Inverse*)self)->s;
    SnTasks* tasks = s->objective->nodes.tasks;
    int n = 3 * s->objective->nodes.count;
    double sq[MOST_HISTORY], yp[MOST_HISTORY];
    SN_TRY(apply_initial(self, q, r));
    sn_vector_dots(tasks, n, l->count, (const double* const*)l->s, q, sq);
    sn_vector_dots(tasks, n, l->count, (const double* const*)l->y, r, yp);
    apply_pairs(l, s, 1, r, sq, yp, r);
    return SN_OK;
}

// r = H^-1 q among the nodes that constraints touch: y.B q = z.q
static SnStatus apply_touched(void* self, const double* q, double* r)
{
    const Lbfgs* l = ((Inverse*)self)->l;
    double products[2 * MOST_HISTORY] = {0}, weights[2 * MOST_HISTORY];
    int m = l->count, n = 3 * l->compliance.count;
    for (int i = 0; i < 2 * m; i++)
        for (int k = 0; k < n; k++) products[i] += l->touched[(int64_t)i * n + k] * q[k];
    find_weights(l, products + m, products, weights);
    sn_compliance_apply(&l->compliance, q, r);
    for (int k = 0; k < n; k++) r[k] *= l->scale;
    for (int i = 0; i < 2 * m; i++)
        for (int k = 0; k < n; k++) r[k] += weights[i] * l->touched[(int64_t)i * n + k];
    return SN_OK;
}

static SnStatus take_touched(Lbfgs* l)
{
    int n = 3 * l->compliance.count, m = l->count;
    if (!SN_GROW(l->touched, l->touched_capacity, 2 * (int64_t)m * n, "contacts")) return SN_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        sn_compliance_take(&l->compliance, l->z[i], l->touched + (int64_t)i * n);
        sn_compliance_take(&l->compliance, l->s[i], l->touched + (int64_t)(m + i) * n);
    }
    return SN_OK;
}

// B among the nodes that constraints touch is found where that is less work than it saves: at once if it is little,
// and else when as much has been done without it.
static SnStatus know_touched(Lbfgs* l, SnInverse b, bool* known)
{
    const SnConstraintSet* now = l->dual.constraints->now;
    *known = false;
    if (!l->initial->scalar) return SN_OK;
    for (int i = 0; i < now->count; i++)
        for (int k = 0; k < now->items[i].constraint.at.count; k++)
            SN_TRY(sn_compliance_add(&l->compliance, now->items[i].constraint.at.node[k]));
    int price = sn_compliance_price(&l->compliance);
    const SnCholesky* factor = l->initial->factor(l->initial_state);
    if ((double)sn_compliance_entries(&l->compliance) > sn_cholesky_factor_entries(factor)) return SN_OK;
    if (price > AT_ONCE && price > l->dual.applied - l->applied_before) return SN_OK;
    if (price > 0) SN_TRY(sn_compliance_complete(&l->compliance, b));
    l->dual.applied += price;
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

// search->d keeps the constraints; value and gradient are those with the forces that it takes.
static SnStatus find_direction_kept(Lbfgs* l, SnSearch* s)
{
    SnConstraints* c = s->objective->constraints;
    Inverse inverse = {l, s};
    take_own(s, l->own);
    SN_TRY(apply_linear(l, s, l->own));
    find_products(l, s, l->own);
    apply_pairs(l, s, 1, l->p, l->sg, l->yp, s->trial);
    bool known;
    SN_TRY(know_touched(l, (SnInverse){apply_initial, &inverse}, &known));
    SnDualInverse h = {{apply_inverse, &inverse}, {apply_touched, &inverse}, known ? &l->compliance : NULL};
    s->value.total -= sn_constraints_energy(c, s->x);
    SN_TRY(sn_dual_solve(&l->dual, h, s->x, l->own, s->trial, s->d));
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

// Moves the pairs back by one; the oldest, or a spare one, comes to the front.
static void make_room(Lbfgs* l)
{
    int last = l->count < l->history ? l->count : l->history - 1;
    double *s = l->s[last], *y = l->y[last], *z = l->z[last];
    for (int i = last; i > 0; i--) {
        l->s[i] = l->s[i - 1], l->y[i] = l->y[i - 1], l->z[i] = l->z[i - 1];
        for (int j = last; j > 0; j--) l->sy[i][j] = l->sy[i - 1][j - 1], l->yz[i][j] = l->yz[i - 1][j - 1];
    }
    l->s[0] = s, l->y[0] = y, l->z[0] = z;
}

// After the line search: the step and the change of the gradient.
static void remember(Lbfgs* l, SnSearch* s)
{
    if (l->history == 0) return;
    double begin = sn_now_ms();
    SnTasks* tasks = s->objective->nodes.tasks;
    int n = 3 * s->objective->nodes.count;
    make_room(l);
    sn_vector_axpy(tasks, n, -1, s->trial, s->x, l->s[0]);
    if (l->kept) take_own(s, l->y[0]);
    sn_vector_axpy(tasks, n, -1, l->kept ? l->own : s->trial_g, l->kept ? l->y[0] : s->g, l->y[0]);
    l->count = l->count < l->history ? l->count + 1 : l->history;
    l->pending = true;
    s->ms.solve += sn_now_ms() - begin;
}

// Directions keep constraints where friction has no energy of its own and something holds the nodes.
static bool can_keep(const Lbfgs* l, const SnSearch* s)
{
    const SnConstraints* c = s->objective->constraints;
    return l->initial->linear && !l->no_more && c->now->count > 0 && c->friction.speed == 0 && c->nodes->inertia > 0;
}

static SnStatus search_along(Lbfgs* l, SnSearch* s, bool* moved)
{
    l->kept = can_keep(l, s);
    if (!l->kept) SN_TRY(sn_constraint_inverse_update(&l->constraints, s->x, s->g));
    if (!l->kept && l->constraints.count > 0 && !l->touches) drop_history(l), l->touches = true;
    SN_TRY(find_direction(l, s));
    *moved = sn_line_search(s);
    return SN_OK;
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
    if (!moved && l->count > 0) {
        drop_history(l);
        SN_TRY(search_along(l, s, &moved));
    }
    if (!moved && l->kept) {
        l->no_more = true;
        SN_TRY(search_along(l, s, &moved));
    }
    if (moved)
        remember(l, s);
    else
        s->stalled = "the line search found no lower energy";
    return SN_OK;
}

int64_t sn_lbfgs_applied(const void* state)
{
    return ((const Lbfgs*)state)->dual.applied;
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

// What the initial inverse remembers; the pairs are forgotten at each start.
static int64_t memory_size(const void* state)
{
    const Lbfgs* l = state;
    return l->initial->memory ? l->initial->memory->size(l->initial_state) : 0;
}

static void save(const void* state, double* numbers)
{
    const Lbfgs* l = state;
    if (l->initial->memory) l->initial->memory->save(l->initial_state, numbers);
}

static void restore(void* state, const double* numbers)
{
    Lbfgs* l = state;
    if (l->initial->memory) l->initial->memory->restore(l->initial_state, numbers);
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

static const SnParameter dot_parameters[] = {
    {SN_ROW_HISTORY}, {SN_ROW_SCALED}, {SN_ROW_BLEND}, {SN_ROW_SUBDOMAINS}, {0}};

const SnSolverType sn_dot = {
    .name = "dot",
    .summary = "domain-decomposed L-BFGS: lbfgs with initial dot",
    .parameters = dot_parameters,
    .create = create_dot,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};
