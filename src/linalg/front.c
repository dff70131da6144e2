// The kernels on fronts of this processor's instruction set.
#include "linalg/front.h"

#include "core/isa.h"

#define DECLARE(isa)                                                                        \
    extern const SnFrontKernels sn_front_kernels_table_##isa;                               \
    extern const SnSweepKernels sn_sweep_single_double_##isa, sn_sweep_triple_double_##isa; \
    extern const SnSweepKernels sn_sweep_single_float_##isa, sn_sweep_triple_float_##isa;   \
    extern const SnSweepKernels sn_sweep_triple_short_##isa;
#define SWEEPS(isa)                                                                                   \
    {                                                                                                 \
        {&sn_sweep_single_double_##isa, &sn_sweep_single_float_##isa, NULL},                          \
        {                                                                                             \
            &sn_sweep_triple_double_##isa, &sn_sweep_triple_float_##isa, &sn_sweep_triple_short_##isa \
        }                                                                                             \
    }
DECLARE(base)
#ifdef SN_HAVE_X86_KERNELS
DECLARE(avx2)
DECLARE(avx512)
#endif

static const SnFrontKernels* const fronts[SN_ISA_COUNT] = {
    [SN_ISA_BASE] = &sn_front_kernels_table_base,
#ifdef SN_HAVE_X86_KERNELS
    [SN_ISA_AVX2] = &sn_front_kernels_table_avx2,
    [SN_ISA_AVX512] = &sn_front_kernels_table_avx512,
#endif
};

const SnFrontKernels* sn_front_kernels(void)
{
    return fronts[sn_isa()];
}

static const SnSweepKernels* const sweeps[SN_ISA_COUNT][2][3] = {
    [SN_ISA_BASE] = SWEEPS(base),
#ifdef SN_HAVE_X86_KERNELS
    [SN_ISA_AVX2] = SWEEPS(avx2),
    [SN_ISA_AVX512] = SWEEPS(avx512),
#endif
};

const SnSweepKernels* sn_sweep_kernels(bool triple, SnFactorPrecision precision)
{
    return sweeps[sn_isa()][triple][precision];
}
