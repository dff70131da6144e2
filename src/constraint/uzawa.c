// uzawa: Uzawa's method with conjugate gradients on the forces (Overby, Brown, Li, Narain 2017, section 5, with the
// sign of its update of x corrected): S f = C A^-1 (C^T f + r) + C x - d = 0, S = C A^-1 C^T, one solve per iteration.
// A constraint that gives way has its compliance on the diagonal of S: constraints that are energies, and friction.
//
// Unilateral constraints make an active set: those that would pull are left out, those that are violated are taken in,
// until neither is left.
//
// Where constraints depend on each other, S is singular, and where they contradict each other as well, forces would
// grow for ever: a skin that slides on a body and is pressed into it, say. That shows in conjugate gradients that do
// not get there. Then each constraint gives way a little to its force in this global step, so that they share the load
// and forces are bounded by what there is to keep. The number of solves is bounded.
//
// A slide of a node that touches, too, is such a case by itself: two planes that are not parallel squeeze a light node
// out sideways, and soft skins of steep energies are torn before the body under them yields. It is a spring, then.
#include <math.h>

#include "constraint/constants.h"
#include "constraint/method.h"
#include "linalg/vector.h"

typedef struct Uzawa {
    const SnNodes* nodes;
    SnConstraintSet set;               // the constraints, then two for the friction of each
    int work;                          // solves that are left for this global step
    bool goes_on;                      // forces are looked for from where the last step has left them
    int capacity;                      // of the next ones
    int count;                         // of active constraints
    int* active;                       // which
    double *residual, *search, *image; // per active constraint: rho, s, a
    double* scale;                     // per active constraint: about 1/S_ii
    double* q;                         // 3 x node_count
} Uzawa;

static void destroy(void* state)
{
    Uzawa* u = state;
    if (!u) return;
    sn_constraint_set_free(&u->set);
    sn_free(u->active), sn_free(u->residual), sn_free(u->search), sn_free(u->image), sn_free(u->scale), sn_free(u->q);
    sn_free(u);
}

static SnStatus create(const SnNodes* nodes, const SnNodeSystem* system, void** state)
{
    (void)system;
    *state = NULL;
    Uzawa* u;
    if (!SN_NEW(u, 1, "constraints")) return SN_ERROR_MEMORY;
    u->nodes = nodes;
    bool room = SN_NEW(u->q, 3 * (int64_t)nodes->count, "constraints");
    SN_FINISH(room ? SN_OK : SN_ERROR_MEMORY, u, destroy, state);
}

static SnStatus reserve(Uzawa* u, int count)
{
    int a = u->capacity, b = a, c = a, d = a, e = a;
    if (!SN_GROW(u->active, a, count, "constraints") || !SN_GROW(u->residual, b, count, "constraints") ||
        !SN_GROW(u->search, c, count, "constraints") || !SN_GROW(u->image, d, count, "constraints") ||
        !SN_GROW(u->scale, e, count, "constraints"))
        return SN_ERROR_MEMORY;
    u->capacity = a;
    return SN_OK;
}

// An energy pushes with f - k gap: it gives way by 1/k, from where its force would be zero. What it pushes with at x is
// where the search for its force begins.
static void soften(SnKept* item, const double* x)
{
    SnMultiplier* m = &item->multiplier;
    if (m->stiffness <= 0) return;
    m->compliance = 1 / m->stiffness;
    item->constraint.at.offset += sn_kept_force(item) * m->compliance;
    m->force = -m->stiffness * sn_stencil_gap(&item->constraint.at, x);
}

static SnStatus copy(Uzawa* u, const SnConstraints* c, const double* x)
{
    u->set.count = 0;
    for (int i = 0; i < c->now->count; i++) {
        SnKept item = c->now->items[i];
        if (c->method->energy) soften(&item, x);
        SN_TRY(sn_constraint_set_add(&u->set, &item));
    }
    for (int i = 0; i < c->now->count; i++) {
        SnKept tangents[2];
        if (!sn_friction_acts(&c->friction, &c->now->items[i])) continue;
        sn_friction_tangents(&c->friction, &c->now->items[i], x, tangents);
        for (int a = 0; a < 2; a++) SN_TRY(sn_constraint_set_add(&u->set, &tangents[a]));
    }
    u->goes_on = !c->method->energy;
    return SN_OK;
}

static bool moves(const SnNodes* nodes, const SnStencil* at)
{
    for (int k = 0; k < at->count; k++)
        if (nodes->free_index[at->node[k]] >= 0 && at->weight[k] != 0) return true;
    return false;
}

// d = A^-1 (r + C^T f)
static SnStatus solve_with_forces(Uzawa* u, const SnGlobalStep* step)
{
    sn_vector_copy(u->nodes->tasks, 3 * u->nodes->count, step->r, u->q);
    for (int i = 0; i < u->set.count; i++) {
        const SnKept* item = &u->set.items[i];
        if (item->multiplier.force != 0) sn_stencil_add(&item->constraint.at, item->multiplier.force, u->q);
    }
    return sn_node_system_solve(step->system, u->q, step->d);
}

// The gap at x + d, less what the constraint gives way.
static double gap_at(const SnKept* item, const SnGlobalStep* step)
{
    const SnStencil* at = &item->constraint.at;
    const SnMultiplier* m = &item->multiplier;
    return sn_stencil_gap(at, step->x) + sn_stencil_gap(at, step->d) + at->offset + m->compliance * m->force;
}

// Constraints are preconditioned by the diagonal of C diag(A)^-1 C^T.
static double scale_of(const Uzawa* u, const SnScalarMatrix* m, const SnKept* item)
{
    const SnStencil* at = &item->constraint.at;
    double sum = item->multiplier.compliance;
    for (int k = 0; k < at->count; k++) {
        int j = u->nodes->free_index[at->node[k]];
        if (j >= 0) sum += at->weight[k] * at->weight[k] / m->values[m->col_start[j]];
    }
    return 1 / sum;
}

static double dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// a = C A^-1 C^T s, with A^-1 C^T s in q
static SnStatus apply(Uzawa* u, const SnGlobalStep* step)
{
    for (int k = 0; k < 3 * u->nodes->count; k++) u->q[k] = 0;
    for (int i = 0; i < u->count; i++) sn_stencil_add(&u->set.items[u->active[i]].constraint.at, u->search[i], u->q);
    SN_TRY(sn_node_system_solve(step->system, u->q, u->q));
    for (int i = 0; i < u->count; i++) {
        const SnKept* item = &u->set.items[u->active[i]];
        u->image[i] = sn_stencil_along(&item->constraint.at, u->q) + item->multiplier.compliance * u->search[i];
    }
    return SN_OK;
}

// One iteration along s: q = A^-1 C^T s, a = C q, t = s.rho / s.a; d -= t q, f -= t s, rho -= t a, and the next s is P
// rho without what it has of this one. False: s does not move anything any more, as happens where constraints depend on
// each other.
static SnStatus advance(Uzawa* u, SnGlobalStep* step, bool* moved)
{
    SN_TRY(apply(u, step));
    double curvature = dot(u->count, u->search, u->image), slope = dot(u->count, u->search, u->residual);
    *moved = curvature > 0 && isfinite(slope / curvature);
    if (!*moved) return SN_OK;
    double t = slope / curvature;
    sn_vector_axpy(u->nodes->tasks, 3 * u->nodes->count, -t, u->q, step->d, step->d);
    for (int i = 0; i < u->count; i++) {
        u->set.items[u->active[i]].multiplier.force -= t * u->search[i];
        u->residual[i] -= t * u->image[i];
    }
    double back = 0;
    for (int i = 0; i < u->count; i++) back += u->scale[i] * u->residual[i] * u->image[i] / curvature;
    for (int i = 0; i < u->count; i++) u->search[i] = u->scale[i] * u->residual[i] - back * u->search[i];
    return SN_OK;
}

// reached: constraints are kept as well as asked for, or the work is done. Otherwise the residual has stopped falling.
static SnStatus conjugate_gradients(Uzawa* u, SnGlobalStep* step, bool* reached)
{
    bool moved = true;
    for (int i = 0; i < u->count; i++) {
        const SnKept* item = &u->set.items[u->active[i]];
        u->residual[i] = gap_at(item, step);
        u->scale[i] = scale_of(u, &step->system->matrix, item);
        u->search[i] = u->scale[i] * u->residual[i];
    }
    double first = largest(u->count, u->residual), now = first, least = first;
    double enough = fmax(step->precision, (u->goes_on ? step->reduction : 0) * now);
    for (int since = 0; u->work > 0 && moved && now > enough && since < SN_UZAWA_PATIENCE; u->work--) {
        SN_TRY(advance(u, step, &moved));
        step->iterations += moved;
        now = largest(u->count, u->residual);
        since = now < SN_UZAWA_PROGRESS * least ? 0 : since + 1;
        least = fmin(now, least);
    }
    *reached = u->work == 0 || now <= fmax(enough, SN_UZAWA_LEFT * first); // dependent ones may agree
    return SN_OK;
}

// Constraints that are exact give way to their forces, like stiff springs, so that there is one answer.
static void give_way(Uzawa* u, const SnConstraints* c, const SnGlobalStep* step)
{
    for (int i = 0; i < u->set.count; i++) {
        SnKept* item = &u->set.items[i];
        if (item->multiplier.compliance > 0) continue;
        double yield = 1 / scale_of(u, &step->system->matrix, item);
        item->multiplier.force = c->now->items[i].multiplier.force;
        item->multiplier.compliance = isfinite(yield) ? SN_UZAWA_YIELD * yield : 0;
    }
}

// Takes in violated constraints and lets go those that pull; false when nothing changed.
static bool choose_active(Uzawa* u, const SnGlobalStep* step, bool* released)
{
    int count = 0, before = u->count;
    bool changed = false;
    *released = false;
    for (int i = 0, k = 0; i < u->set.count; i++) {
        SnKept* item = &u->set.items[i];
        bool unilateral = item->constraint.unilateral;
        bool was = k < before && u->active[k] == i, is = !unilateral || item->multiplier.force > 0;
        k += was;
        if (!moves(u->nodes, &item->constraint.at)) continue;
        if (unilateral && !was && gap_at(item, step) < -step->precision) is = true;
        if (was && !is) *released = true, item->multiplier.force = 0;
        changed |= was != is;
        if (is) u->image[count++] = i; // `active` is still being read
    }
    for (int i = 0; i < count; i++) u->active[i] = (int)u->image[i];
    u->count = count;
    return changed;
}

static SnStatus find_forces(Uzawa* u, SnGlobalStep* step, bool* reached)
{
    bool released;
    *reached = true;
    for (int i = 0; i < u->set.count; i++) {
        SnKept* item = &u->set.items[i];
        bool pulls = item->constraint.unilateral && item->multiplier.force < 0;
        if (!moves(u->nodes, &item->constraint.at) || pulls) item->multiplier.force = 0;
    }
    SN_TRY(solve_with_forces(u, step));
    u->count = 0;
    for (int round = 0; round < SN_UZAWA_ROUNDS && *reached && u->work > 0; round++) {
        if (!choose_active(u, step, &released)) break;
        if (released) SN_TRY(solve_with_forces(u, step));
        SN_TRY(conjugate_gradients(u, step, reached));
    }
    return SN_OK;
}

static SnStatus solve(void* state, SnConstraints* c, SnGlobalStep* step)
{
    Uzawa* u = state;
    SN_TRY(copy(u, c, step->x));
    SN_TRY(reserve(u, u->set.count));
    bool reached;
    u->work = step->work;
    SN_TRY(find_forces(u, step, &reached));
    if (!reached) {
        give_way(u, c, step);
        SN_TRY(find_forces(u, step, &reached));
    }
    c->bounded += u->work == 0 || !reached;
    for (int i = 0; i < c->now->count && !c->method->energy; i++) {
        SnMultiplier* m = &c->now->items[i].multiplier;
        m->force = m->normal_force = u->set.items[i].multiplier.force;
    }
    return SN_OK;
}

static bool suits(const SnConstraints* c)
{
    (void)c;
    return true;
}

const SnConstraintMethod sn_uzawa = {
    .name = "uzawa",
    .summary = "Uzawa's method with conjugate gradients in the global step of admm and pd",
    .push = sn_constraint_push_multiplier,
    .update = sn_constraints_settle,
    .suits = suits,
    .create = create,
    .destroy = destroy,
    .solve = solve,
};
