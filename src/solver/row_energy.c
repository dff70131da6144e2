// Constraint rows as energies: ((f - k gap)^2 - f^2)/(2 k), where f - k gap is what the row pushes with.
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

void sn_row_energy_start(const SnObjective* o)
{
    int count;
    SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count; i++) {
        double yield = 0; // m/N: how the nodes together give way
        for (int k = 0; k < rows[i].count; k++) {
            double stiffness = node_stiffness(o, rows[i].node[k]), w = rows[i].weight[k];
            bool moves = o->free_index[rows[i].node[k]] >= 0;
            if (moves && stiffness > 0) yield += w * w / stiffness;
        }
        rows[i].stiffness = yield > 0 ? SN_ROW_STIFFNESS / yield : 0;
    }
}

// What the row's energy pushes with at x, N.
static double push(const SnRow* row, const double* x)
{
    double force = row->force - row->stiffness * sn_row_gap(row, x);
    return row->unilateral && force < 0 ? 0 : force;
}

double sn_row_energy(const SnObjective* o, const double* x)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    double sum = 0;
    for (int i = 0; i < count && !o->hard; i++) {
        double force = push(&rows[i], x);
        if (rows[i].stiffness > 0) sum += (force * force - rows[i].force * rows[i].force) / (2 * rows[i].stiffness);
    }
    return sum;
}

void sn_row_gradient(const SnObjective* o, const double* x, double* g)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count; i++) sn_row_add(&rows[i], o->hard ? -rows[i].force : -push(&rows[i], x), g);
}

void sn_row_hessian(const SnObjective* o, const double* x, const SnBlockMatrix* m)
{
    int count;
    const SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count && !o->hard; i++) {
        const SnRow* row = &rows[i];
        double all = 0;
        for (int k = 0; k < row->count; k++) all += row->weight[k] < 0 ? -row->weight[k] : row->weight[k];
        if (row->unilateral && push(row, x) == 0) continue;
        for (int k = 0; k < row->count; k++) {
            int j = o->free_index[row->node[k]];
            double scale = row->stiffness * all * (row->weight[k] < 0 ? -row->weight[k] : row->weight[k]);
            for (int c = 0; c < 3 && j >= 0; c++)
                for (int r = c; r < 3; r++)
                    m->values[sn_block_column(m, j, c) + r - c] += scale * row->normal[r] * row->normal[c];
        }
    }
}

void sn_row_energy_finish(const SnObjective* o, const double* x)
{
    int count;
    SnRow* rows = rows_of(o, &count);
    for (int i = 0; i < count && !o->hard; i++) rows[i].force = push(&rows[i], x);
}
