// The table of materials with one more row.
#define SN_MORE_MATERIALS(X) X(hardening)
#include "material/material_table_kernel.c"
