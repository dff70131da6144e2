// The table of materials of one instruction set.
#include "material/material_table.h"

#include "material/pack.h"

#define DECLARE(ID) extern const SnMaterialType SN_KERNEL(sn_##ID);
SN_MATERIAL_LIST(DECLARE)

#define ROW(ID) &SN_KERNEL(sn_##ID),
extern const void* const SN_KERNEL(sn_material_table)[];
const void* const SN_KERNEL(sn_material_table)[] = {SN_MATERIAL_LIST(ROW) NULL};
