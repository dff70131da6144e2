// newton over several processes: conjugate gradients on the summed Hessian, with an algebraic multigrid (PCGAMG, which
// is told of rigid motions), balancing domain decomposition (PCBDDC) or additive Schwarz (PCASM) for a preconditioner.
#include "core/timer.h"
#include "mpi/linear.h"
#include "mpi/solvers.h"
#include "solver/newton_loop.h"

typedef struct Newton {
    SnHessian* hessian;
    SnRows rows;
    SnSharedMatrix matrix;
    SnLinear linear;
    SnNewtonLoop loop;
} Newton;

static void destroy(void* state)
{
    Newton* newton = state;
    if (!newton) return;
    sn_linear_free(&newton->linear);
    sn_shared_matrix_free(&newton->matrix);
    sn_rows_free(&newton->rows);
    sn_hessian_destroy(newton->hessian);
    sn_free(newton);
}

static SnStatus build(Newton* newton, SnObjective* o, const SnSolverDef* def)
{
    SnFabric* fabric = sn_fabric_of(o);
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, o->nodes.free_count, &newton->hessian));
    SN_TRY(sn_rows_create(fabric, o, &newton->rows));
    const char* preconditioner = sn_linear_preconditioner();
    bool apart = strcmp(preconditioner, "bddc") == 0;
    SN_TRY(sn_shared_matrix_create(&newton->rows, sn_blocks_of(&newton->hessian->matrix), apart, &newton->matrix));
    int most = def->cg_iterations > 0 ? def->cg_iterations : SN_MOST_CG;
    return sn_linear_create(&newton->rows, &newton->matrix, o->potential->rest, most, &newton->linear);
}

static SnStatus create(SnObjective* objective, const SnSolverDef* def, void** state)
{
    *state = NULL;
    Newton* newton;
    if (!SN_NEW(newton, 1, "the solver")) return SN_ERROR_MEMORY;
    SN_FINISH(build(newton, objective, def), newton, destroy, state);
}

static SnStatus start(void* state, SnSearch* s)
{
    sn_newton_start(&((Newton*)state)->loop, s);
    return SN_OK;
}

static SnStatus solve(void* self, SnSearch* s, bool project, bool* usable)
{
    Newton* newton = self;
    double begin = sn_now_ms();
    sn_objective_diagonal(s->objective, newton->hessian->diagonal);
    sn_hessian_assemble(newton->hessian, s->x, project);
    sn_constraints_hessian(s->objective->constraints, s->x, s->g, &newton->hessian->matrix);
    SN_TRY(sn_shared_matrix_update(&newton->matrix));
    double assembled = sn_now_ms();
    s->ms.assemble += assembled - begin;
    SN_TRY(sn_linear_factor(&newton->linear));
    s->factorizations++;
    double factored = sn_now_ms();
    s->ms.factor += factored - assembled;
    SnLinearReport report;
    SN_TRY(sn_linear_solve(&newton->linear, -1, s->g, sn_newton_forcing(&newton->loop, s), s->d, &report));
    s->ms.solve += sn_now_ms() - factored;
    *usable = project || !report.indefinite;
    s->bounded += *usable && !report.converged;
    return SN_OK;
}

static SnStatus iterate(void* state, SnSearch* s)
{
    return sn_newton_iterate(&((Newton*)state)->loop, s, solve, state);
}

const SnSolverType sn_mpi_newton = {
    .name = "newton",
    .summary = "Newton over several processes: conjugate gradients with PETSc's preconditioners",
    .create = create,
    .destroy = destroy,
    .start = start,
    .iterate = iterate,
};
