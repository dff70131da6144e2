// The kinds of term of the instruction set in use.
#include "potential/term.h"

#include <string.h>

#include "potential/term_table.h"

#define COUNT_ROW(ID) +1
enum { TERM_COUNT = 0 SN_TERM_LIST(COUNT_ROW) };

SN_EXTERN_OF_ISA(const SnTermType* const[], sn_term_table);

static const SnTermType* const* table(void)
{
    return SN_OF_ISA(sn_term_table);
}

int sn_term_count(void)
{
    return TERM_COUNT;
}

const SnTermType* sn_term_at(int index)
{
    return table()[index];
}

const SnTermType* sn_term_find(const char* name)
{
    for (const SnTermType* const* term = table(); *term; term++)
        if (strcmp((*term)->name, name) == 0) return *term;
    return NULL;
}
