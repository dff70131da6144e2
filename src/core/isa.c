// The instruction set the pack kernels run on.
#include "core/isa.h"

#include <stdlib.h>
#include <string.h>

static const char* const names[SN_ISA_COUNT] = {"base", "avx2", "avx512"};

const char* sn_isa_name(SnIsa isa)
{
    return names[isa];
}

bool sn_isa_available(SnIsa isa)
{
    if (isa == SN_ISA_BASE) return true;
#ifdef SN_HAVE_X86_KERNELS
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (isa == SN_ISA_AVX2) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

SnIsa sn_isa(void)
{
    const char* wanted = getenv("SINEW_ISA");
    for (int isa = SN_ISA_COUNT - 1; wanted && isa >= 0; isa--)
        if (strcmp(wanted, names[isa]) == 0 && sn_isa_available((SnIsa)isa)) return (SnIsa)isa;
    for (int isa = SN_ISA_COUNT - 1; isa > 0; isa--)
        if (sn_isa_available((SnIsa)isa)) return (SnIsa)isa;
    return SN_ISA_BASE;
}
