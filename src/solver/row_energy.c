// Constraint rows as energies: ((f - k gap)^2 - f^2)/(2 k), where f - k gap is what the row pushes with; and friction,
// b R with R = mu p rho(|T v|), rho(s) = s - e/2 above the slip speed e and s^2/(2 e) below it, p the normal force of
// the last iteration, v = (way since x^p)/b less the obstacle's velocity, T the tangent plane.
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "solver/objective.h"

// What a node puts up against being moved, N/m.
static double node_stiffness(const SnObjective* o, int node)
{
    double stiffness = o->inertia * o->mass[node];
    return o->node_stiffness ? stiffness + o->node_stiffness[node] : stiffness;
}

static SnRow* rows_of(const SnObjective* o, int* count)
{
    *count = o->rows ? o->rows->count : 0;
    return o->rows ? o->rows->rows : NULL;
}

// What the row's energy pushes with at x, N.
static double push(const SnRow* row, const double* x)
{
    double force = row->force - row->stiffness * sn_row_gap(row, x);
    return row->unilateral && force < 0 ? 0 : force;
}

void sn_row_energy_start(SnObjective* o)
{
    int count, loaded = 0;
    SnRow* rows = rows_of(o, &count);
    double squares = 0;
    for (int i = 0; i < count; i++) {
        double yield = 0; // m/N: how the nodes together give way
        for (int k = 0; k < rows[i].count; k++) {
            double stiffness = node_stiffness(o, rows[i].node[k]), w = rows[i].weight[k];
            bool moves = o->free_index[rows[i].node[k]] >= 0;
            if (moves && stiffness > 0) yield += w * w / stiffness;
        }
        rows[i].stiffness = yield > 0 ? o->row_stiffness / yield : 0;
        rows[i].press = rows[i].force;
        squares += rows[i].force * rows[i].force;
        loaded += rows[i].force != 0;
    }
    o->row_force = loaded ? sqrt(squares / loaded) : 0;
}

bool sn_row_has_friction(const SnObjective* o, const SnRow* row)
{
    return o->inertia > 0 && row->friction > 0 && row->press > 0;
}

// Leaves the part of the way along the surface, beyond that of the surface itself; its length is returned.
static double project_slip(const SnObjective* o, const SnRow* row, double slip[3])
{
    double b = 1 / sqrt(o->inertia);
    for (int c = 0; c < 3; c++) slip[c] -= b * row->velocity[c];
    double along = sn_dot3(slip, row->normal);
    for (int c = 0; c < 3; c++) slip[c] -= along * row->normal[c];
    return sn_length3(slip);
}

// How far the row's nodes slipped along the surface since x^p, m; its length is returned.
static double slip_of(const SnObjective* o, const SnRow* row, const double* x, double slip[3])
{
    memset(slip, 0, 3 * sizeof *slip);
    for (int k = 0; k < row->count; k++)
        for (int c = 0; c < 3; c++) {
            int64_t at = 3 * (int64_t)row->node[k] + c;
            slip[c] += row->weight[k] * (x[at] - o->start[at]);
        }
    return project_slip(o, row, slip);
}

static double friction_energy(const SnObjective* o, const SnRow* row, const double* x)
{
    double slip[3], b = 1 / sqrt(o->inertia), e = b * o->slip, way = slip_of(o, row, x, slip);
    return row->friction * row->press * (way < e ? way * way / (2 * e) : way - e / 2);
}

// N per m of slip, against it.
static double friction_factor(const SnObjective* o, const SnRow* row, double way)
{
    double e = o->slip / sqrt(o->inertia);
    return row->friction * row->press / (way < e ? e : way);
}

double sn_row_slip_left(const SnObjective* o, const SnRow* row, const double at[3], double stiffness, double slip[3])
{
    const double* start = o->start + 3 * (int64_t)row->node[0];
    for (int c = 0; c < 3; c++) slip[c] = at[c] - start[c];
    double way = project_slip(o, row, slip), e = o->slip / sqrt(o->inertia);
    double less = row->friction * row->press / stiffness;
    return way <= e + less ? e / (e + less) : 1 - less / way;
}

// Two directions across the normal, the first one that of the slip, if there is any.
static void tangent_plane(const double normal[3], const double slip[3], double directions[2][3])
{
    double* first = directions[0];
    memcpy(first, slip, 3 * sizeof *first);
    if (sn_length3(first) == 0) sn_across3(normal, first);
    double length = sn_length3(first);
    for (int c = 0; c < 3; c++) first[c] /= length;
    sn_cross3(normal, first, directions[1]);
}

void sn_row_tangents(const SnObjective* o, const SnRow* row, const double* x, SnRow tangents[2])
{
    double slip[3], way = slip_of(o, row, x, slip), factor = friction_factor(o, row, way), b = 1 / sqrt(o->inertia);
    double directions[2][3];
    tangent_plane(row->normal, slip, directions);
    for (int a = 0; a < 2; a++) {
        tangents[a] = *row;
        tangents[a].unilateral = false, tangents[a].friction = 0;
        memcpy(tangents[a].normal, directions[a], sizeof directions[a]);
        tangents[a].offset = 0;
        tangents[a].offset = sn_row_gap(&tangents[a], o->start) + b * sn_dot3(directions[a], row->velocity);
        tangents[a].compliance = 1 / factor;
        tangents[a].force = -factor * sn_dot3(directions[a], slip);
    }
}

void sn_row_friction(const SnObjective* o, const SnRow* row, const double* x, double force[3], double slip[3])
{
    memset(force, 0, 3 * sizeof *force), memset(slip, 0, 3 * sizeof *slip);
    if (!sn_row_has_friction(o, row)) return;
    double factor = friction_factor(o, row, slip_of(o, row, x, slip));
    for (int c = 0; c < 3; c++) force[c] = -factor * slip[c];
}

double sn_row_energy(const SnObjective* o, const double* x)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    double sum = 0;
    for (int i = 0; i < count && !o->hard; i++) {
        double force = push(&rows[i], x);
        if (rows[i].stiffness > 0) sum += (force * force - rows[i].force * rows[i].force) / (2 * rows[i].stiffness);
        if (sn_row_has_friction(o, &rows[i])) sum += friction_energy(o, &rows[i], x);
    }
    return sum;
}

void sn_row_gradient(const SnObjective* o, double scale, const double* x, double* g)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count; i++) {
        const SnRow* row = &rows[i];
        double force[3], slip[3];
        sn_row_add(row, -scale * (o->hard ? row->force : push(row, x)), g);
        if (!sn_row_has_friction(o, row)) continue;
        sn_row_friction(o, row, x, force, slip);
        for (int k = 0; k < row->count; k++)
            for (int c = 0; c < 3; c++) g[3 * (int64_t)row->node[k] + c] -= scale * row->weight[k] * force[c];
    }
}

// k n n^T where it pushes, and friction's positive semidefinite part.
//
// A row that is about to push counts as one that does: left out, a step would run into it, and rows that bear little
// would come and go for ever.
//
// What slips faster meets no more friction, so along the slip the second derivative is zero; but a step taken by that
// overshoots where the nodes are about to stick. So it is zero only where they are being driven on, or slip on when
// the gradient alone has moved them, and elsewhere that of the parabola that touches the energy from above.
bool sn_row_block(const SnObjective* o, const SnRow* row, const double* x, const double* g, double block[9])
{
    double force = row->force - row->stiffness * sn_row_gap(row, x);
    bool pushes = !row->unilateral || force > -o->row_force, rubs = sn_row_has_friction(o, row);
    if (!pushes && !rubs) return false;
    double slip[3] = {0}, way = rubs ? slip_of(o, row, x, slip) : 0,
           e = o->inertia > 0 ? o->slip / sqrt(o->inertia) : 0;
    double normal = pushes ? row->stiffness : 0, across = rubs ? friction_factor(o, row, way) : 0;
    bool driven =
        way > e && sn_dot3(g + 3 * (int64_t)row->node[0], slip) < 0.5 * way * way * (row->stiffness / o->row_stiffness);
    double along = driven ? across / (way * way) : 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            block[3 * r + c] =
                (normal - across) * row->normal[r] * row->normal[c] + across * (r == c) - along * slip[r] * slip[c];
    return true;
}

void sn_row_hessian(const SnObjective* o, const double* x, const double* g, const SnBlockMatrix* m)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count && !o->hard; i++) {
        const SnRow* row = &rows[i];
        double all = 0, block[9];
        if (!sn_row_block(o, row, x, g, block)) continue;
        for (int k = 0; k < row->count; k++) all += fabs(row->weight[k]);
        for (int k = 0; k < row->count; k++) {
            int j = o->free_index[row->node[k]];
            double scale = all * fabs(row->weight[k]);
            for (int c = 0; c < 3 && j >= 0; c++)
                for (int r = c; r < 3; r++) m->values[sn_block_column(m, j, c) + r - c] += scale * block[3 * r + c];
        }
    }
}

void sn_row_energy_finish(const SnObjective* o, const double* x)
{
    int count;
    SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count && !o->hard; i++) rows[i].force = rows[i].press = push(&rows[i], x);
}

double sn_row_change(const SnObjective* o, const double* x, double* size)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    double changes = 0, forces = 0;
    for (int i = 0; i < count && !o->hard; i++) {
        double force = push(&rows[i], x), change = force - rows[i].force;
        for (int k = 0; k < rows[i].count; k++) {
            double w = rows[i].weight[k];
            changes += w * w * change * change;
            forces += w * w * force * force;
        }
    }
    *size = sqrt(forces);
    return sqrt(changes);
}
