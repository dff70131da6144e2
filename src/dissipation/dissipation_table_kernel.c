// The table of dissipations of one instruction set.
#include "dissipation/dissipation_table.h"

#include "dissipation/dissipation_pack.h"

#define X(ID) extern const SnDissipationType SN_KERNEL(sn_dissipation_##ID);
SN_DISSIPATION_LIST(X)
#undef X

extern const void* const SN_KERNEL(sn_dissipation_table)[];
const void* const SN_KERNEL(sn_dissipation_table)[] = {
#define X(ID) &SN_KERNEL(sn_dissipation_##ID),
    SN_DISSIPATION_LIST(X) NULL
#undef X
};
