// The table of solvers: one row each.
#include "solver/line_search.h"
#include "solver/parameters.h"

#ifndef SN_MORE_SOLVERS
#define SN_MORE_SOLVERS // of a test
#endif
#define SOLVER_LIST X(auto) X(newton) X(lbfgs) X(dot) X(chebyshev) X(pd) X(admm) SN_MORE_SOLVERS

#define X(ID) extern const SnSolverType sn_##ID;
SOLVER_LIST
#undef X

static const SnSolverType* const rows[] = {
#define X(ID) &sn_##ID,
    SOLVER_LIST NULL
#undef X
};

const SnTable sn_solver_table = {"solver", rows, .key = "type", .parameters = offsetof(SnSolverType, parameters),
                                 .own = offsetof(SnSolverDef, own)};

const SnParameter sn_solver_parameters[] = {
    {"type", SN_CHOICE, offsetof(SnSolverDef, type), .value = "auto", .table = &sn_solver_table, .doc = "the method"},
    {"iterations", SN_INTEGER, offsetof(SnSolverDef, iterations), .value = "300", .range = ">=1",
     .doc = "at most this many per minimisation"},
    {"budget", SN_INTEGER, offsetof(SnSolverDef, budget), .value = "0", .range = ">=0",
     .doc =
         "work that all of a step may take, counted in evaluations of energy and forces: after so many no iteration "
         "begins, but for the first of each minimisation, and the step is not taken in parts; 0: as much as it takes"},
    {"tolerance", SN_NUMBER, offsetof(SnSolverDef, tolerance), .value = "1e-5", .range = ">=0",
     .doc = "how small a residual is asked for, by the rule of `stop`; 0: only the iterations stop it"},
    {"stop", SN_CHOICE, offsetof(SnSolverDef, stop), .value = "error", SN_NAMES("error", "characteristic"),
     .doc = "what the residual is held against: the bodies' stiffness and size, as in the papers, and also the forces "
            "that act, so that little is left to move; or the first alone"},
    {"first-guess", SN_CHOICE, offsetof(SnSolverDef, first_guess), .value = "best", SN_NAMES("best", "target"),
     .doc = "where iterations begin: the lowest of where velocities and gravity lead, velocities alone, and the last "
            "step's accelerations; or the first, as in the papers, for comparisons"},
    {"line-search", SN_CHOICE, offsetof(SnSolverDef, line_search), .value = "armijo", .table = &sn_line_search_table,
     .doc = "shorter steps until the energy has decreased enough; strong Wolfe conditions; or from the quadratic's "
            "minimum (at most 1, or beyond it, too) on shorter steps until it has decreased at all; or none, the full "
            "step at any price"},
    {"armijo", SN_NUMBER, offsetof(SnSolverDef, armijo), .value = "0.3", .range = ">0 <0.5",
     .doc = "sufficient decrease that the line searches armijo and wolfe ask for"},
    {0},
};
