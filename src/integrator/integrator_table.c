// The table of time integrators: one row each.
#include "integrator/integrator.h"

#define INTEGRATOR_LIST(X) X(backward_euler) X(bdf2) X(trapezoidal) X(implicit_midpoint) X(tr_bdf2) X(static)

#define DECLARE(ID) extern const SnIntegratorType sn_##ID;
INTEGRATOR_LIST(DECLARE)

#define ROW(ID) &sn_##ID,
const SnTable sn_integrator_table = {"integrator", (const void* const[]){INTEGRATOR_LIST(ROW) NULL}, .key = "type",
                                     .parameters = offsetof(SnIntegratorType, parameters)};

const SnParameter sn_integrator_parameters[] = {
    {"type", SN_CHOICE, offsetof(SnWorldDef, integrator), .value = "backward-euler", .table = &sn_integrator_table,
     .doc = "the time integrator"},
    {"dissipation-order", SN_INTEGER, offsetof(SnWorldDef, dissipation_order), .example = "2", .range = ">=1 <=2",
     .doc = "1: dissipation is exact to first order in the step; 2: to second order; without it the integrator's own "
            "order"},
    {0},
};
