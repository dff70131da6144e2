// newton over several processes: conjugate gradients on the summed Hessian, with an algebraic multigrid (PCGAMG, which
// is told of rigid motions), balancing domain decomposition (PCBDDC) or additive Schwarz (PCASM) for a preconditioner.
#include "constraint/joined.h"
#include "core/timer.h"
#include "mpi/linear.h"
#include "mpi/solvers.h"
#include "solver/newton_loop.h"

typedef struct Newton {
    SnHessian* hessian;
    SnRows rows;
    SnSharedMatrix matrix;
    SnLinear linear;
    const SnObjective* objective;
    SnJoined joined;           // constraints on several nodes, whose blocks the matrix has no room for
    Mat product;               // the matrix, and these
    double *moved, *from, *to; // 3 x node_count; 3 x free_count
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
    sn_joined_free(&newton->joined);
    MatDestroy(&newton->product);
    SN_FREE(newton->moved, newton->from, newton->to, newton);
}

static void nothing(void* self, SnTasks* tasks, const double* x, double* y)
{
    const Newton* newton = self;
    (void)tasks, (void)x;
    memset(y, 0, 3 * (size_t)newton->objective->nodes.free_count * sizeof *y);
}

// y = A x, and what constraints on several nodes do, whose nodes may be anybody's.
static PetscErrorCode multiply(Mat product, Vec x, Vec y)
{
    Newton* newton;
    PetscScalar* sum;
    PetscErrorCode code = MatShellGetContext(product, (void*)&newton);
    if (!code) code = MatMult(newton->matrix.matrix, x, y);
    if (code) return code;
    const SnNodes* nodes = &newton->objective->nodes;
    SnLinearMap map = sn_joined_map(&newton->joined);
    memset(newton->moved, 0, 3 * (size_t)nodes->count * sizeof *newton->moved);
    sn_rows_scatter(&newton->rows, x, 0, 3, newton->moved);
    sn_share_spread(nodes->tasks, 3, newton->moved);
    sn_objective_gather(newton->objective, 1, newton->moved, newton->from);
    map.apply(map.self, nodes->tasks, newton->from, newton->to);
    code = VecGetArray(y, &sum);
    if (code) return code;
    for (int k = 0; k < newton->rows.own_count; k++) {
        int64_t row = nodes->free_index[newton->rows.node[k]];
        for (int c = 0; c < 3; c++) sum[3 * k + c] += newton->to[3 * row + c];
    }
    return VecRestoreArray(y, &sum);
}

static SnStatus build_product(Newton* newton, const SnObjective* o)
{
    PetscInt size = 3 * newton->rows.own_count;
    bool room = SN_NEW(newton->moved, 3 * (int64_t)o->nodes.count, "the solver") &&
                SN_NEW(newton->from, 3 * (int64_t)o->nodes.free_count, "the solver") &&
                SN_NEW(newton->to, 3 * (int64_t)o->nodes.free_count, "the solver");
    if (!room) return SN_ERROR_MEMORY;
    SN_PETSC(MatCreateShell(newton->rows.fabric->comm, size, size, PETSC_DETERMINE, PETSC_DETERMINE, newton,
                            &newton->product));
    return sn_petsc(MatShellSetOperation(newton->product, MATOP_MULT, (void (*)(void))multiply),
                    "MatShellSetOperation");
}

static SnStatus build(Newton* newton, SnObjective* o, const SnSolverDef* def)
{
    SnFabric* fabric = sn_fabric_of(o);
    newton->objective = o;
    SN_TRY(sn_rows_create(fabric, o, &newton->rows));
    SN_TRY(sn_hessian_create(o->potential, o->nodes.free_index, newton->rows.count, &newton->hessian));
    const char* preconditioner = sn_linear_preconditioner();
    bool apart = strcmp(preconditioner, "bddc") == 0;
    SN_TRY(sn_shared_matrix_create(&newton->rows, sn_blocks_of(&newton->hessian->matrix), apart, &newton->matrix));
    newton->loop.projected = def->projected;
    int most = def->cg_iterations > 0 ? def->cg_iterations : SN_MOST_CG;
    SN_TRY(sn_linear_create(&newton->rows, &newton->matrix, o->potential->rest, most, &newton->linear));
    return o->constraints->joins ? build_product(newton, o) : SN_OK;
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
    newton->linear.product = NULL;
    if (newton->product) {
        SN_TRY(
            sn_joined_update(&newton->joined, s->objective->constraints, s->x, s->g, (SnLinearMap){nothing, newton}));
        bool joins = sn_share_any(s->objective->nodes.tasks, newton->joined.count > 0);
        newton->linear.product = joins ? newton->product : NULL;
    }
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
