// Bodies that start collapsed or inside out, where their energy has a saddle or a mirror image of its minimum.
//
// The energy of stvk is even in each stretch: a body pressed into a plane, a line or a point is in equilibrium, though
// at no minimum, and one that is inside out may be as much at rest as the right way round. What is flat is opened a
// little along its rest shape, so that forces are there to act; what is inside out is named, unless the solver turns
// it back by itself.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "world/world.h"

#define FLAT 1e-9 // of its volume at rest: an element with less is flat
#define OPEN 1e-2 // of the rest shape: what is added to a flat body

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
    SnStretches g = body->type->gradient((SnStretches){0, 0, 0}, body->parameters);
    return g.s1 == 0 && g.s2 == 0 && g.s3 == 0;
}

static bool rests_inside_out(const SnBody* body)
{
    return body->type->energy((SnStretches){1, 1, -1}, body->parameters) <=
           body->type->energy((SnStretches){1, 1, 1}, body->parameters);
}

static void open(const SnModel* model, const SnBody* body, double* x)
{
    double centre[3] = {0, 0, 0};
    for (int i = 0; i < 3 * body->node_count; i++) centre[i % 3] += body->rest[i] / body->node_count;
    for (int i = 0; i < 3 * body->node_count; i++) x[i] += OPEN * (body->rest[i] - centre[i % 3]);
    sn_log(
        &model->def.log, SN_LOG_WARNING,
        "body '%s' starts flat, where %s is in equilibrium, though at no minimum; it is opened by %g of its rest shape",
        body->name, body->type->name, OPEN);
}

void sn_start_mend(const SnModel* model, const SnBody* body, double* x)
{
    Count count = count_elements(body, x);
    bool turns = strcmp(model->solver_type->name, "admm") == 0 && model->def.solver.upright;
    if (count.all > 0 && count.flat == count.all && rests_flat(body)) open(model, body, x);
    if (count.inside_out > 0 && !turns && rests_inside_out(body))
        sn_log(&model->def.log, SN_LOG_WARNING,
               "body '%s' starts with %d element%s inside out, where %s may come to rest; solver admm turns them back",
               body->name, count.inside_out, count.inside_out > 1 ? "s" : "", body->type->name);
}
