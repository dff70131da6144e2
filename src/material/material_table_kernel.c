// The table of materials of one instruction set.
#include "material/material_table.h"

#include "material/pack.h"

#define X(ID) extern const SnMaterialType SN_KERNEL(sn_##ID);
SN_MATERIAL_LIST(X)
#undef X

extern const void* const SN_KERNEL(sn_material_table)[];
const void* const SN_KERNEL(sn_material_table)[] = {
#define X(ID) &SN_KERNEL(sn_##ID),
    SN_MATERIAL_LIST(X) NULL
#undef X
};
