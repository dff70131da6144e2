// Rows of parameters that several solvers have.
#pragma once
#include "constraint/method.h"
#include "core/parameter.h"
#include "linalg/anderson.h"
#include "solver/initial.h"

_Static_assert(SN_ANDERSON_MOST == 20, "the range of `anderson`");

#define SN_NAMES(...)              \
    .names = (const char* const[]) \
    {                              \
        __VA_ARGS__, NULL          \
    }

#define SN_ROW_INITIAL                                                                                      \
    "initial", SN_CHOICE, offsetof(SnSolverDef, initial), .value = "laplacian", .table = &sn_initial_table, \
                                                          .doc = "what it starts from"
#define SN_ROW_HISTORY                                     \
    "history", SN_INTEGER, offsetof(SnSolverDef, history), \
        .value = "5", .range = ">=0 <=100",                \
        .doc = "pairs of steps and gradients kept; 0: none, which is plain quasi-Newton"
#define SN_ROW_PRECONDITIONER                                                                                \
    "preconditioner", SN_CHOICE, offsetof(SnSolverDef, preconditioner),                                      \
        .value = "ichol", SN_NAMES("ichol", "block-jacobi"),                                                 \
        .doc = "for conjugate gradients, an incomplete Cholesky factor of 3x3 blocks, or the blocks on the " \
               "diagonal alone"
#define SN_ROW_CG_ITERATIONS                                                                                   \
    "cg-iterations", SN_INTEGER, offsetof(SnSolverDef, cg_iterations),                                         \
        .value = "0", .range = ">=0",                                                                          \
        .doc = "at most so many iterations of conjugate gradients; 0: of newton as many as the residual asks " \
               "for, of `initial: pcg` 8"
#define SN_ROW_SCALED                                      \
    "scaled", SN_BOOLEAN, offsetof(SnSolverDef, unscaled), \
        .value = "true", SN_NAMES("true", "false"),        \
        .doc =                                             \
            "a linear initial inverse (not `identity` nor `pcg`) is scaled to the newest pair where that is stiffer"
#define SN_ROW_STIFFNESS_INTERVAL                                               \
    "stiffness-interval", SN_NUMBER, offsetof(SnSolverDef, stiffness_interval), \
        .count = 2, .value = "[0.5, 1.5]", .range = ">=0",                      \
        .doc = "the least and the largest stretch, on either side of 1, of the fit to the material's force"
#define SN_ROW_BLEND                                                                                           \
    "blend", SN_BOOLEAN, offsetof(SnSolverDef, symmetric_blend),                                               \
        .value = "average", SN_NAMES("average", "symmetric"),                                                  \
        .doc = "where subdomains meet: the mean of their solutions, or weights of 1/sqrt(n) before and after " \
               "solving, which keeps the operator symmetric"
#define SN_ROW_OVERLAP                                                                                              \
    "overlap", SN_BOOLEAN, offsetof(SnSolverDef, disjoint),                                                         \
        .value = "true", SN_NAMES("true", "false"),                                                                 \
        .doc = "a node where subdomains meet has a copy in each of them; false: it belongs to one, and what joins " \
               "it to the others is left out, for comparisons"
#define SN_ROW_SUBDOMAINS                                      \
    "subdomains", SN_OTHER, offsetof(SnSolverDef, subdomains), \
        .value = "auto", .example = "{nodes: 1000}", .doc = "`auto`, how many, or about how many nodes each has"
#define SN_ROW_ANDERSON                                      \
    "anderson", SN_INTEGER, offsetof(SnSolverDef, anderson), \
        .value = "0", .range = ">=0 <=20",                   \
        .doc = "how many iterations Anderson's acceleration looks back; 0: it is off"
#define SN_ROW_CONSTRAINTS                                                                                     \
    "constraints", SN_CHOICE, offsetof(SnSolverDef, constraints),                                              \
        .value = "auto", SN_NAMES("auto"), .table = &sn_constraint_method_table,                               \
        .doc = "how they are kept: Uzawa's method with conjugate gradients; Gauss-Seidel, where each has one " \
               "node; as energies; or whichever suits. `contact.method` sets it, too"
