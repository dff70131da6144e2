// The kernels on fronts of this processor's instruction set.
#include "linalg/front.h"

#include "core/isa.h"

#define DECLARE(isa)                                          \
    extern const SnFrontKernels sn_front_kernels_table_##isa; \
    extern const SnSweepKernels sn_sweep_single_##isa, sn_sweep_triple_##isa;
DECLARE(base)
#ifdef SN_HAVE_X86_KERNELS
DECLARE(avx2)
DECLARE(avx512)
#endif

const SnFrontKernels* sn_front_kernels(void)
{
#ifdef SN_HAVE_X86_KERNELS
    if (sn_isa() == SN_ISA_AVX512) return &sn_front_kernels_table_avx512;
    if (sn_isa() == SN_ISA_AVX2) return &sn_front_kernels_table_avx2;
#endif
    return &sn_front_kernels_table_base;
}

const SnSweepKernels* sn_sweep_kernels(bool triple)
{
#ifdef SN_HAVE_X86_KERNELS
    if (sn_isa() == SN_ISA_AVX512) return triple ? &sn_sweep_triple_avx512 : &sn_sweep_single_avx512;
    if (sn_isa() == SN_ISA_AVX2) return triple ? &sn_sweep_triple_avx2 : &sn_sweep_single_avx2;
#endif
    return triple ? &sn_sweep_triple_base : &sn_sweep_single_base;
}
