// The table of term kinds of one instruction set.
#include "potential/term_table.h"

#include "potential/term.h"

#define X(ID) extern const SnTermType SN_KERNEL(sn_##ID);
SN_TERM_LIST(X)
#undef X

extern const SnTermType* const SN_KERNEL(sn_term_table)[];
const SnTermType* const SN_KERNEL(sn_term_table)[] = {
#define X(ID) &SN_KERNEL(sn_##ID),
    SN_TERM_LIST(X) NULL
#undef X
};
