// Conjugate gradients, and what preconditions them.
#include "mpi/linear.h"

#include <string.h>

const char* const sn_linear_preconditioners[] = {"gamg", "bddc", "asm", "jacobi", NULL};

static const char* chosen = "gamg"; // of the program, which sets it once

void sn_linear_set_preconditioner(const char* name)
{
    chosen = name;
}

const char* sn_linear_preconditioner(void)
{
    return chosen;
}

static void read_block(const void* matrix, int column, int64_t k, double* block)
{
    double turned[9]; // column-major
    sn_block_read(matrix, column, k, turned);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) block[3 * r + c] = turned[3 * c + r];
}

static void read_number(const void* matrix, int column, int64_t k, double* block)
{
    const SnScalarMatrix* m = matrix;
    *block = m->values[m->col_start[column] + k];
}

SnPartBlocks sn_numbers_of(const SnScalarMatrix* m)
{
    return (SnPartBlocks){1, m->n, m->col_start, m->row, read_number, m};
}

SnPartBlocks sn_blocks_of(const SnBlockMatrix* m)
{
    return (SnPartBlocks){3, m->n, m->col_start, m->row, read_block, m};
}

// Bodies turn and move as wholes at no cost: what coarse levels must be able to say.
static SnStatus tell_rigid_motions(const SnLinear* l, const double* rest)
{
    Vec places;
    MatNullSpace motions;
    SN_PETSC(VecDuplicate(l->right, &places));
    sn_rows_gather(l->rows, 1, rest, 0, 3, places);
    SN_PETSC(MatNullSpaceCreateRigidBody(places, &motions));
    SN_PETSC(MatSetNearNullSpace(l->matrix, motions));
    SN_PETSC(MatNullSpaceDestroy(&motions));
    return sn_petsc(VecDestroy(&places), "VecDestroy");
}

// Products of matrices add what comes from others in the order of its arrival, but for this way of making them, which
// one process alone does not know.
static SnStatus want_same_bits(const SnFabric* fabric)
{
    PetscBool given;
    if (fabric->size == 1) return SN_OK;
    SN_PETSC(PetscOptionsHasName(NULL, NULL, "-matptap_via", &given));
    if (given) return SN_OK;
    return sn_petsc(PetscOptionsSetValue(NULL, "-matptap_via", "allatonce"), "PetscOptionsSetValue");
}

static SnStatus set_preconditioner(const SnLinear* l, bool scalar)
{
    PC pc;
    SN_TRY(want_same_bits(l->rows->fabric));
    const char* name = scalar ? "gamg" : chosen;
    SN_PETSC(KSPGetPC(l->ksp, &pc));
    SN_PETSC(PCSetType(pc, strcmp(name, "jacobi") == 0 ? PCPBJACOBI : name));
    if (strcmp(name, "gamg") == 0) {
        SN_PETSC(PCGAMGSetReuseInterpolation(pc, PETSC_TRUE));
        // The largest eigenvalue is found for each matrix: that of the first one is not that of one with contacts.
        SN_PETSC(PCGAMGSetUseSAEstEig(pc, PETSC_FALSE));
    }
    if (strcmp(name, "asm") == 0) {
        SN_PETSC(PCASMSetType(pc, PC_ASM_BASIC)); // symmetric
        SN_PETSC(PCASMSetOverlap(pc, 1));
        SN_PETSC(PetscOptionsSetValue(NULL, "-sinew_sub_pc_type", "cholesky"));
    }
    return SN_OK;
}

SnStatus sn_linear_create(const SnRows* rows, const SnSharedMatrix* matrix, const double* rest, int most, SnLinear* l)
{
    *l = (SnLinear){.rows = rows, .matrix = matrix->matrix, .width = matrix->blocks.width};
    SN_PETSC(MatCreateVecs(l->matrix, &l->answer, &l->right));
    SN_PETSC(KSPCreate(rows->fabric->comm, &l->ksp));
    SN_PETSC(KSPSetOptionsPrefix(l->ksp, "sinew_"));
    SN_PETSC(KSPSetType(l->ksp, KSPCG));
    SN_PETSC(KSPSetNormType(l->ksp, KSP_NORM_UNPRECONDITIONED));
    SN_PETSC(KSPSetOperators(l->ksp, l->matrix, l->matrix));
    SN_PETSC(KSPSetTolerances(l->ksp, PETSC_DEFAULT, 0, PETSC_DEFAULT, most));
    SN_TRY(set_preconditioner(l, !rest));
    if (rest) SN_TRY(tell_rigid_motions(l, rest));
    return sn_petsc(KSPSetFromOptions(l->ksp), "KSPSetFromOptions");
}

void sn_linear_free(SnLinear* l)
{
    KSPDestroy(&l->ksp);
    VecDestroy(&l->right);
    VecDestroy(&l->answer);
    *l = (SnLinear){0};
}

SnStatus sn_linear_factor(SnLinear* l)
{
    SN_PETSC(KSPSetOperators(l->ksp, l->product ? l->product : l->matrix, l->matrix));
    return sn_petsc(KSPSetUp(l->ksp), "KSPSetUp");
}

// One system: entries from .. from + width - 1 of each node.
static SnStatus solve(SnLinear* l, double factor, const double* b, int from, double* x, SnLinearReport* report)
{
    KSPConvergedReason reason;
    PetscInt iterations;
    sn_rows_gather(l->rows, factor, b, from, l->width, l->right);
    SN_PETSC(KSPSolve(l->ksp, l->right, l->answer));
    SN_PETSC(KSPGetConvergedReason(l->ksp, &reason));
    SN_PETSC(KSPGetIterationNumber(l->ksp, &iterations));
    l->iterations += iterations;
    report->iterations += (int)iterations;
    report->converged &= reason > 0;
    report->indefinite |= reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC ||
                          reason == KSP_DIVERGED_NANORINF || reason == KSP_DIVERGED_PC_FAILED;
    sn_rows_scatter(l->rows, l->answer, from, l->width, x);
    return SN_OK;
}

SnStatus sn_linear_solve(SnLinear* l, double factor, const double* b, double tolerance, double* x,
                         SnLinearReport* report)
{
    const SnNodes* nodes = &l->rows->objective->nodes;
    *report = (SnLinearReport){.converged = true};
    SN_PETSC(KSPSetTolerances(l->ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    memset(x, 0, 3 * (size_t)nodes->count * sizeof *x);
    for (int from = 0; from < 3; from += l->width) SN_TRY(solve(l, factor, b, from, x, report));
    sn_share_spread(nodes->tasks, 3, x);
    return SN_OK;
}
