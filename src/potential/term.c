// The kinds of term of the instruction set in use.
#include "potential/term.h"

SN_EXTERN_OF_ISA(const void* const[], sn_term_table);

static const void* const* rows(void)
{
    return SN_OF_ISA(sn_term_table);
}

const SnTable sn_term_table = {"kind of term", .choose = rows};
