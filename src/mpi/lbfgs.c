// lbfgs with the initial inverse laplacian over several processes: A = M/b^2 + sum k V G^T G, scalar and constant, by
// conjugate gradients with an algebraic multigrid that is made once per step length.
#include "core/timer.h"
#include "mpi/linear.h"
#include "mpi/solvers.h"
#include "potential/laplacian.h"
#include "solver/initial.h"

#define PRECISION 1e-8 // of A^-1 q: the pairs take it for the same map from iterate to iterate

extern const SnSolverType sn_lbfgs;

typedef struct Laplacian {
    SnScalarMatrix matrix;
    double* diagonal; // of L, per row of the part
    SnRows rows;
    SnSharedMatrix shared;
    SnLinear linear;
    double inertia; // that it was made with; negative: it was not yet
} Laplacian;

static void destroy(void* state)
{
    Laplacian* l = state;
    if (!l) return;
    sn_linear_free(&l->linear);
    sn_shared_matrix_free(&l->shared);
    sn_rows_free(&l->rows);
    sn_scalar_matrix_free(&l->matrix);
    SN_FREE(l->diagonal, l);
}

static SnStatus build(Laplacian* l, SnObjective* o)
{
    const SnNodes* nodes = &o->nodes;
    l->inertia = -1;
    SN_TRY(sn_rows_create(sn_fabric_of(o), o, &l->rows));
    int count = l->rows.count;
    SN_TRY(sn_laplacian_create(o->potential, nodes->free_index, count, NULL, &l->matrix));
    if (!SN_NEW(l->diagonal, count, "the Laplacian")) return SN_ERROR_MEMORY;
    for (int j = 0; j < count; j++) l->diagonal[j] = l->matrix.values[l->matrix.col_start[j]];
    SN_TRY(sn_shared_matrix_create(&l->rows, sn_numbers_of(&l->matrix), false, &l->shared));
    return sn_linear_create(&l->rows, &l->shared, NULL, SN_MOST_CG, &l->linear);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Laplacian* l;
    const double* interval = def->stiffness_interval;
    bool usual = (interval[0] == 0.5 && interval[1] == 1.5) || (interval[0] == 0 && interval[1] == 0);
    if (!usual) return sn_fail(SN_ERROR_UNSUPPORTED, "stiffness-interval is not distributed yet; leave it out");
    if (!SN_NEW(l, 1, "the solver")) return SN_ERROR_MEMORY;
    SN_FINISH(build(l, objective), l, destroy, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    Laplacian* l = state;
    const SnNodes* nodes = &s->objective->nodes;
    if (l->inertia == nodes->inertia) return SN_OK;
    double begin = sn_now_ms();
    for (int i = 0; i < nodes->count; i++) {
        int row = nodes->free_index[i];
        double own = sn_share_owns(nodes->tasks, i) ? nodes->inertia * nodes->mass[i] : 0;
        if (row >= 0 && row < l->rows.count) l->matrix.values[l->matrix.col_start[row]] = l->diagonal[row] + own;
    }
    SN_TRY(sn_shared_matrix_update(&l->shared));
    SN_TRY(sn_linear_factor(&l->linear));
    l->inertia = nodes->inertia;
    s->factorizations++;
    s->ms.factor += sn_now_ms() - begin;
    return SN_OK;
}

static SnStatus apply(void* state, SnSearch* s, const double* q, double yy_over_sy, double* r)
{
    SnLinearReport report;
    (void)yy_over_sy;
    SN_TRY(sn_linear_solve(&((Laplacian*)state)->linear, 1, q, PRECISION, r, &report));
    s->bounded += !report.converged;
    return SN_OK;
}

static const SnInitialType initial = {
    .name = "laplacian",
    .summary = "M/b^2 + Laplacian of effective stiffnesses, by conjugate gradients",
    .linear = true,
    .symmetric = true,
    .create = create,
    .destroy = destroy,
    .start = start,
    .apply = apply,
};

static SnStatus create_lbfgs(SnObjective* objective, const SnSolverDef* def, void** state)
{
    return sn_lbfgs_create_around(&initial, objective, def, state);
}

void sn_mpi_lbfgs_destroy(void* state)
{
    sn_lbfgs.destroy(state);
}

SnStatus sn_mpi_lbfgs_start(void* state, SnSearch* s)
{
    return sn_lbfgs.start(state, s);
}

SnStatus sn_mpi_lbfgs_iterate(void* state, SnSearch* s)
{
    return sn_lbfgs.iterate(state, s);
}

const SnSolverType sn_mpi_lbfgs = {
    .name = "lbfgs",
    .summary = "L-BFGS around the Laplacian over several processes",
    .create = create_lbfgs,
    .destroy = sn_mpi_lbfgs_destroy,
    .start = sn_mpi_lbfgs_start,
    .iterate = sn_mpi_lbfgs_iterate,
};
