// The kinds of term of the instruction set in use.
#include "potential/term.h"

#include <string.h>

#include "potential/term_table.h"

#define COUNT_ROW(ID) +1
enum { TERM_COUNT = 0 SN_TERM_LIST(COUNT_ROW) };

extern const SnTermType* const sn_term_table_base[];
#ifdef SN_HAVE_X86_KERNELS
extern const SnTermType* const sn_term_table_avx2[];
extern const SnTermType* const sn_term_table_avx512[];
#endif

static const SnTermType* const* table(void)
{
#ifdef SN_HAVE_X86_KERNELS
    switch (sn_isa()) {
    case SN_ISA_AVX512: return sn_term_table_avx512;
    case SN_ISA_AVX2: return sn_term_table_avx2;
    default: break;
    }
#endif
    return sn_term_table_base;
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
