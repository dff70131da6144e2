// The instruction set the pack kernels run on.
#include "core/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/status.h"

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

static atomic_int chosen = -1;

static SnIsa best(void)
{
    int isa = SN_ISA_COUNT - 1;
    while (!sn_isa_available((SnIsa)isa)) isa--;
    return (SnIsa)isa;
}

// The best one unless there is such a set; false: there is none of that name.
static bool choose(const char* name)
{
    int isa = name ? SN_ISA_COUNT - 1 : -1;
    while (isa >= 0 && (strcmp(name, names[isa]) != 0 || !sn_isa_available((SnIsa)isa))) isa--;
    atomic_store(&chosen, isa >= 0 ? isa : (int)best());
    return !name || isa >= 0;
}

SnIsa sn_isa(void)
{
    if (atomic_load_explicit(&chosen, memory_order_relaxed) < 0) choose(getenv("SINEW_ISA"));
    return (SnIsa)atomic_load_explicit(&chosen, memory_order_relaxed);
}

SnStatus sn_isa_choose(const char* name)
{
    if (choose(name)) return SN_OK;
    return sn_fail(SN_ERROR_VALUE, "SINEW_ISA is '%s'; this machine takes base%s%s", name,
                   sn_isa_available(SN_ISA_AVX2) ? ", avx2" : "", sn_isa_available(SN_ISA_AVX512) ? ", avx512" : "");
}
