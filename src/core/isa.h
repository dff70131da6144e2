// Instruction sets. Kernel files, *_kernel.c, are compiled once per set, with SN_ISA naming it; their symbols carry its
// name, and the set is chosen once, at run time, by what the processor has.
#pragma once
#include <sinew/base.h>

typedef enum SnIsa { SN_ISA_BASE, SN_ISA_AVX2, SN_ISA_AVX512, SN_ISA_COUNT } SnIsa;

// The set in use: the best one this processor runs, or the one that the environment variable SINEW_ISA (base, avx2,
// avx512) asks for when the processor has it. The environment is read once, before there are worker threads.
SnIsa sn_isa(void);
// Uses this set from now on; NULL: the best. SN_ERROR_VALUE, and the best, when the processor does not have it.
SnStatus sn_isa_choose(const char* name);
const char* sn_isa_name(SnIsa isa);
bool sn_isa_available(SnIsa isa);

// Lanes per pack: two AVX-512 registers of doubles; the compiler interleaves narrower ones.
enum { SN_LANES = 16 };

#ifdef SN_ISA
#define SN_KERNEL_PASTE(name, isa) name##_##isa
#define SN_KERNEL_EXPAND(name, isa) SN_KERNEL_PASTE(name, isa)
#define SN_KERNEL(name) SN_KERNEL_EXPAND(name, SN_ISA) // sn_thing becomes sn_thing_avx2
#endif

// What kernel files define as SN_KERNEL(name), for everybody else: SN_EXTERN_OF_ISA(const SnThing, sn_thing) declares
// it, and SN_OF_ISA(&sn_thing) is the one of the set in use.
#define SN_EXTERN_OF_ISA(type, name) extern __typeof__(type) name##_base, name##_avx2, name##_avx512
#ifdef SN_HAVE_X86_KERNELS
#define SN_OF_ISA(name) \
    (sn_isa() == SN_ISA_AVX512 ? name##_avx512 : sn_isa() == SN_ISA_AVX2 ? name##_avx2 : name##_base)
#else
#define SN_OF_ISA(name) (name##_base)
#endif
#define SN_INLINE static inline __attribute__((always_inline))
