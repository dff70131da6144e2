// The table of dissipations with one more row.
#define SN_MORE_DISSIPATIONS(X) X(syrup)
#include "dissipation/dissipation_table_kernel.c"
