// Bodies that start collapsed or inside out, where their energy has a saddle or a mirror image of its minimum.
//
// Where a body is pressed into a plane, a line or a point, some energies have no slope, though no minimum either. What
// is wholly inside out is pulled to its way back by the same force along each axis, and may come to rest where they
// balance, on a saddle. So what is flat is opened a little along its rest shape, and what is inside out pressed a
// little along one axis. An energy that does not tell inside from outside has a minimum there; that is named, as
// nothing leads out of it.
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "linalg/vec3.h"
#include "world/world.h"

#define FLAT 1e-9 // of its volume at rest: an element with less is flat
#define OPEN 1e-2 // of the rest shape: what is added to a flat body, or more,
#define PUSH 1e-2 // until its stress is so much of its stiffness
#define PRESS 0.5 // of one axis: by so much is pressed what is inside out

// Volume, or twice the area; of a body's element with its nodes at x.
static double measure(const double* x, const int* element, int corners)
{
    double e[3][3], n[3];
    for (int k = 1; k < corners; k++) sn_subtract3(x + 3 * (int64_t)element[k], x + 3 * (int64_t)element[0], e[k - 1]);
    sn_cross3(e[0], e[1], n);
    return corners == 3 ? sn_length3(n) : sn_dot3(n, e[2]) / 6;
}

typedef struct Count {
    int all, flat, inside_out;
} Count;

static Count count_elements(const SnBody* body, const double* x)
{
    bool solid = body->tetrahedron_count > 0;
    int corners = solid ? 4 : 3;
    const int* elements = solid ? body->tetrahedra : body->triangles;
    Count count = {.all = solid ? body->tetrahedron_count : body->triangle_count};
    for (int i = 0; i < count.all; i++) {
        const int* element = elements + (int64_t)corners * i;
        double rest = measure(body->rest, element, corners), now = measure(x, element, corners);
        count.flat += fabs(now) <= FLAT * fabs(rest);
        count.inside_out += now < -FLAT * fabs(rest);
    }
    return count;
}

// Whether an element that is flat in all directions feels no force.
static bool rests_flat(const SnBody* body)
{
    SnStretches g = sn_material_gradient_at(body->type, (SnStretches){0, 0, 0}, body->parameters);
    return g.s1 == 0 && g.s2 == 0 && g.s3 == 0;
}

static bool rests_inside_out(const SnBody* body)
{
    return sn_material_energy_at(body->type, (SnStretches){1, 1, -1}, body->parameters) <=
           sn_material_energy_at(body->type, (SnStretches){1, 1, 1}, body->parameters);
}

// Whether a body that is so much of its size finds its way from there: it is pushed, and pushed back where it is ahead,
// so that it opens evenly and does not crumple; a fixed number of admm's iterations needs only the first.
static bool goes_on(const SnModel* model, const SnBody* body, double size)
{
    SnStretches s = {size, size, size};
    SnStretchHessian h = sn_material_hessian_at(body->type, s, body->parameters);
    double push = -sn_material_gradient_at(body->type, s, body->parameters).s1;
    const SnSolverDef* solver = &model->def.solver;
    bool turns = strcmp(model->solver_type->name, "admm") == 0 && solver->upright && solver->tolerance == 0;
    return (turns || h.h11 + 2 * h.h12 > 0) && push >= PUSH * (2 * body->parameters.mu + body->parameters.lambda);
}

static void open(const SnModel* model, const SnBody* body, double* x)
{
    double centre[3] = {0, 0, 0}, size = OPEN;
    while (size < 0.5 && !goes_on(model, body, size)) size *= 2;
    for (int i = 0; i < 3 * body->node_count; i++) centre[i % 3] += body->rest[i] / body->node_count;
    for (int i = 0; i < 3 * body->node_count; i++) x[i] += size * (body->rest[i] - centre[i % 3]);
    sn_log(
        &model->def.log, SN_LOG_WARNING,
        "body '%s' starts flat, where %s is in equilibrium, though at no minimum; it is opened by %g of its rest shape",
        body->name, body->type->name, size);
}

// Along the axis in which it is thinnest, and a little differently for each node: what is symmetric would stay so, and
// may come to rest with its corners still inside out.
static void press(const SnModel* model, const SnBody* body, double* x)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * body->node_count; i++) {
        lo[i % 3] = fmin(lo[i % 3], x[i]);
        hi[i % 3] = fmax(hi[i % 3], x[i]);
    }
    int axis = 0;
    for (int c = 1; c < 3; c++)
        if (hi[c] - lo[c] < hi[axis] - lo[axis]) axis = c;
    SnRandom random = {1};
    double middle = 0.5 * (lo[axis] + hi[axis]);
    for (int64_t i = 0; i < body->node_count; i++)
        x[3 * i + axis] -= PRESS * sn_random_uniform(&random, 0.9, 1.1) * (x[3 * i + axis] - middle);
    sn_log(&model->def.log, SN_LOG_WARNING,
           "body '%s' starts inside out as a whole; it is pressed by %g along %c, so that it finds its way back",
           body->name, PRESS, "xyz"[axis]);
}

void sn_start_mend(const SnModel* model, const SnBody* body, double* x)
{
    Count count = count_elements(body, x);
    if (count.all > 0 && count.flat == count.all && rests_flat(body)) open(model, body, x);
    if (count.inside_out == 0) return;
    if (rests_inside_out(body))
        sn_log(&model->def.log, SN_LOG_WARNING,
               "body '%s' starts with %d element%s inside out, where the energy of %s has a minimum as well: they may "
               "stay so%s",
               body->name, count.inside_out, count.inside_out > 1 ? "s" : "", body->type->name,
               strcmp(body->type->name, "stvk") == 0 ? "; with unfold > 0 they recover" : "");
    else if (count.inside_out == count.all)
        press(model, body, x);
}
