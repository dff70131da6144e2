// The decompositions of the instruction set in use.
#include "linalg/decompose.h"

extern const SnDecompositions sn_decompositions_base;
#ifdef SN_HAVE_X86_KERNELS
extern const SnDecompositions sn_decompositions_avx2, sn_decompositions_avx512;
#endif

const SnDecompositions* sn_decompositions(void)
{
#ifdef SN_HAVE_X86_KERNELS
    switch (sn_isa()) {
    case SN_ISA_AVX512: return &sn_decompositions_avx512;
    case SN_ISA_AVX2: return &sn_decompositions_avx2;
    default: break;
    }
#endif
    return &sn_decompositions_base;
}
