// The table of dissipations of one instruction set.
#include "dissipation/dissipation_table.h"

#include "dissipation/dissipation_pack.h"

#define DECLARE(ID) extern const SnDissipationType SN_KERNEL(sn_dissipation_##ID);
SN_DISSIPATION_LIST(DECLARE)

#define ROW(ID) &SN_KERNEL(sn_dissipation_##ID),
extern const void* const SN_KERNEL(sn_dissipation_table)[];
const void* const SN_KERNEL(sn_dissipation_table)[] = {SN_DISSIPATION_LIST(ROW) NULL};
