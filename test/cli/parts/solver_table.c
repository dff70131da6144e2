// The table of solvers with one more row: this object takes the place of the library's.
#define SN_MORE_SOLVERS X(descent)
#include "solver/solver_table.c"
