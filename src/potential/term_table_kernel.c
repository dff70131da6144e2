// The table of term kinds of one instruction set.
#include "potential/term_table.h"

#include "potential/term.h"

#define DECLARE(ID) extern const SnTermType SN_KERNEL(sn_##ID);
SN_TERM_LIST(DECLARE)

#define ROW(ID) &SN_KERNEL(sn_##ID),
extern const void* const SN_KERNEL(sn_term_table)[];
const void* const SN_KERNEL(sn_term_table)[] = {SN_TERM_LIST(ROW) NULL};
