// With d = -h (g - C^T f) the points of constraints move by C d = S f - C p, S = C h C^T, to where they are off by
// w = S f + b. Asked for are forces within the cones of contact and friction that w would not change: f = P(f - w/s),
// P the nearest force in the cone, s of any size. Steps along -w, projected, find them; how long they are is taken from
// the curvature that the step before has met (Barzilai and Borwein 1988; Birgin, Martinez, Raydan 2000), and each takes
// one h. Cones share no matrix with each other, so contacts may depend on each other or be too many.
//
// The method goes on from there, so that errors matter only beside the step that it takes: both are measured by what
// they do to the energy.
#include "constraint/dual.h"

#include <math.h>
#include <string.h>

#include "constraint/constants.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"

SnStatus sn_dual_create(SnDual* v, SnConstraints* constraints)
{
    int64_t n = 3 * (int64_t)constraints->nodes->count;
    v->constraints = constraints;
    return SN_NEW(v->spread, n, "constraints") && SN_NEW(v->moved, n, "constraints") ? SN_OK : SN_ERROR_MEMORY;
}

void sn_dual_free(SnDual* v)
{
    sn_free(v->force), sn_free(v->offset), sn_free(v->way), sn_free(v->motion), sn_free(v->last_force),
        sn_free(v->last_motion);
    sn_free(v->best), sn_free(v->yield), sn_free(v->spread), sn_free(v->moved);
    *v = (SnDual){0};
}

void sn_dual_start(SnDual* v)
{
    v->length = SN_DUAL_FIRST_STEP;
}

static SnStatus make_room(SnDual* v, int64_t count)
{
    double** vectors[] = {&v->force,      &v->offset,      &v->way,  &v->motion,
                          &v->last_force, &v->last_motion, &v->best, &v->yield};
    for (int k = 0; k < 8; k++)
        if (!SN_GROW(*vectors[k], v->capacity[k], 3 * count, "constraints")) return SN_ERROR_MEMORY;
    return SN_OK;
}

static const SnKept* item_of(const SnDual* v, int i)
{
    return &v->constraints->now->items[i];
}

static int count_of(const SnDual* v)
{
    return v->constraints->now->count;
}

static bool rubs(const SnDual* v, const SnKept* item)
{
    return item->constraint.friction > 0 && v->constraints->nodes->inertia > 0;
}

// Where a node is in a vector: of those that constraints touch, or of all; -1: it is pinned.
static int place_of(const SnDual* v, const SnCompliance* c, int node)
{
    return c ? sn_compliance_place(c, node) : v->constraints->nodes->free_index[node] < 0 ? -1 : node;
}

// How the constraints' points move when nodes do.
static void gather(const SnDual* v, const SnCompliance* touched, const double* x, double* y)
{
    for (int i = 0; i < count_of(v); i++) {
        const SnStencil* at = &item_of(v, i)->constraint.at;
        double* sum = y + 3 * (int64_t)i;
        memset(sum, 0, 3 * sizeof *sum);
        for (int k = 0; k < at->count; k++) {
            int64_t place = place_of(v, touched, at->node[k]);
            for (int c = 0; c < 3 && place >= 0; c++) sum[c] += at->weight[k] * x[3 * place + c];
        }
    }
}

// The forces at free nodes, zero elsewhere.
static void scatter(const SnDual* v, const SnCompliance* touched, const double* f, double* g)
{
    memset(g, 0, 3 * (size_t)(touched ? touched->count : v->constraints->nodes->count) * sizeof *g);
    for (int i = 0; i < count_of(v); i++) {
        const SnStencil* at = &item_of(v, i)->constraint.at;
        for (int k = 0; k < at->count; k++) {
            int64_t place = place_of(v, touched, at->node[k]);
            for (int c = 0; c < 3 && place >= 0; c++) g[3 * place + c] += at->weight[k] * f[3 * (int64_t)i + c];
        }
    }
}

// The force nearest to f that the constraint can have.
static void project(const SnDual* v, int i, double* f)
{
    const SnKept* item = item_of(v, i);
    const SnConstraint* c = &item->constraint;
    const double* n = c->at.normal;
    double along = sn_dot3(f, n), normal = c->unilateral && along < 0 ? 0 : along, tangent[3];
    for (int a = 0; a < 3; a++) tangent[a] = f[a] - along * n[a];
    double length = sn_length3(tangent), limit = rubs(v, item) ? c->friction * normal : 0;
    double cut = length > limit ? limit / length : 1;
    for (int a = 0; a < 3; a++) f[a] = normal * n[a] + cut * tangent[a];
}

// moved = h C^T f
static SnStatus push(SnDual* v, SnInverse h)
{
    scatter(v, NULL, v->force, v->spread);
    v->applied++;
    return h.apply(h.self, v->spread, v->moved);
}

// motion = S f + b
static SnStatus move(SnDual* v, const SnDualInverse* h)
{
    if (h->compliance) {
        scatter(v, h->compliance, v->force, v->spread);
        SN_TRY(h->touched.apply(h->touched.self, v->spread, v->moved));
    } else
        SN_TRY(push(v, h->all));
    gather(v, h->compliance, v->moved, v->motion);
    for (int k = 0; k < 3 * count_of(v); k++) v->motion[k] += v->offset[k];
    return SN_OK;
}

// b, how far off the constraints' points would be without them, and the forces they have.
static void set_up(SnDual* v, const double* x, const double* p)
{
    const SnConstraints* c = v->constraints;
    gather(v, NULL, p, v->way);
    for (int i = 0; i < count_of(v); i++) {
        const SnKept* item = item_of(v, i);
        const SnStencil* at = &item->constraint.at;
        const double* way = v->way + 3 * (int64_t)i;
        double *b = v->offset + 3 * (int64_t)i, *f = v->force + 3 * (int64_t)i, slip[3] = {0};
        if (rubs(v, item)) sn_friction_slip(&c->friction, item, x, slip);
        double gap = sn_stencil_gap(at, x);
        for (int a = 0; a < 3; a++) {
            b[a] = slip[a] + gap * at->normal[a] - way[a];
            f[a] = item->multiplier.force * at->normal[a] + item->multiplier.tangent[a];
        }
        project(v, i, f);
        v->yield[i] = sn_constraint_yield(c->nodes, at);
    }
}

// f -= length w/yield, in its cone
static void go_on(const SnDual* v, int i, double length, double* f)
{
    const double* w = v->motion + 3 * (int64_t)i;
    if (!(v->yield[i] > 0)) return;
    for (int a = 0; a < 3; a++) f[a] -= length / v->yield[i] * w[a];
    project(v, i, f);
}

// How far the forces are from being right, and how large they are: roots of energies.
static double error_of(const SnDual* v, double* size)
{
    double sum = 0, all = 0;
    for (int i = 0; i < count_of(v); i++) {
        const double* f = v->force + 3 * (int64_t)i;
        double to[3] = {f[0], f[1], f[2]};
        go_on(v, i, 1, to);
        for (int a = 0; a < 3; a++)
            sum += (to[a] - f[a]) * (to[a] - f[a]) * v->yield[i], all += f[a] * f[a] * v->yield[i];
    }
    *size = sqrt(all);
    return sqrt(sum);
}

// The step's length that the curvature asks for; two ways to take it, in turns.
static double next_length(const SnDual* v, bool odd)
{
    double ff = 0, fw = 0, ww = 0;
    for (int k = 0; k < 3 * count_of(v); k++) {
        double df = v->force[k] - v->last_force[k], dw = v->motion[k] - v->last_motion[k], yield = v->yield[k / 3];
        ff += df * df * yield, fw += df * dw, ww += yield > 0 ? dw * dw / yield : 0;
    }
    return fw > 0 ? odd ? ff / fw : fw / ww : 0;
}

static SnStatus go(SnDual* v, const SnDualInverse* h, bool odd)
{
    size_t bytes = 3 * (size_t)count_of(v) * sizeof(double);
    memcpy(v->last_force, v->force, bytes);
    memcpy(v->last_motion, v->motion, bytes);
    for (int i = 0; i < count_of(v); i++) go_on(v, i, v->length, v->force + 3 * (int64_t)i);
    SN_TRY(move(v, h));
    double length = next_length(v, odd);
    v->length = length > 0 ? length : SN_DUAL_FIRST_STEP;
    return SN_OK;
}

// The step that the forces make, as the root of an energy: (g - C^T f).h (g - C^T f).
static double step_of(const SnDual* v, const double* g, const double* p)
{
    const SnNodes* nodes = v->constraints->nodes;
    double sum = sn_vector_dot(nodes->tasks, 3 * nodes->count, g, p);
    for (int k = 0; k < 3 * count_of(v); k++) sum += v->force[k] * (v->motion[k] - v->offset[k] - 2 * v->way[k]);
    return sqrt(fmax(sum, 0));
}

// Errors go up and down; the smallest one counts.
static SnStatus find_forces(SnDual* v, const SnDualInverse* h, const double* g, const double* p)
{
    size_t bytes = 3 * (size_t)count_of(v) * sizeof(double);
    SN_TRY(move(v, h));
    double size, error = error_of(v, &size), least = error, step = step_of(v, g, p);
    memcpy(v->best, v->force, bytes);
    for (int k = 0; k < SN_DUAL_STEPS && error > SN_DUAL_STEP_ERROR * step && error > SN_DUAL_ERROR * size; k++) {
        SN_TRY(go(v, h, k % 2));
        error = error_of(v, &size);
        if (error < least) memcpy(v->best, v->force, bytes);
        least = fmin(error, least);
    }
    v->constraints->bounded += error > SN_DUAL_STEP_ERROR * step && error > SN_DUAL_ERROR * size;
    if (!(error > least) && !h->compliance) return SN_OK;
    memcpy(v->force, v->best, bytes);
    return push(v, h->all);
}

static void set_multipliers(const SnDual* v)
{
    for (int i = 0; i < count_of(v); i++) {
        SnKept* item = &v->constraints->now->items[i];
        const double *f = v->force + 3 * (int64_t)i, *n = item->constraint.at.normal;
        SnMultiplier* m = &item->multiplier;
        m->force = m->normal_force = sn_dot3(f, n);
        for (int a = 0; a < 3; a++) m->tangent[a] = rubs(v, item) ? f[a] - m->force * n[a] : 0;
    }
}

SnStatus sn_dual_solve(SnDual* v, SnDualInverse h, const double* x, const double* g, const double* p, double* d)
{
    const SnNodes* nodes = v->constraints->nodes;
    SN_TRY(make_room(v, count_of(v)));
    set_up(v, x, p);
    SN_TRY(find_forces(v, &h, g, p));
    set_multipliers(v);
    sn_vector_axpy(nodes->tasks, 3 * nodes->count, -1, p, v->moved, d);
    return SN_OK;
}
