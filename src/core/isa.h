// Instruction sets. Kernel files (see sn_room in cmake/Rooms.cmake) are compiled once per set, with SN_ISA naming it;
// their symbols carry its name, and the set is chosen once, at run time, by what the processor has.
#pragma once
#include <sinew/base.h>

typedef enum SnIsa { SN_ISA_BASE, SN_ISA_AVX2, SN_ISA_AVX512, SN_ISA_COUNT } SnIsa;

// The best one this processor runs, or the one that the environment variable SINEW_ISA (base, avx2, avx512) asks for
// when the processor has it.
SnIsa sn_isa(void);
const char* sn_isa_name(SnIsa isa);
bool sn_isa_available(SnIsa isa);

// Lanes per pack: two AVX-512 registers of doubles; the compiler interleaves narrower ones.
enum { SN_LANES = 16 };

#ifdef SN_ISA
#define SN_KERNEL_PASTE(name, isa) name##_##isa
#define SN_KERNEL_EXPAND(name, isa) SN_KERNEL_PASTE(name, isa)
#define SN_KERNEL(name) SN_KERNEL_EXPAND(name, SN_ISA) // sn_thing becomes sn_thing_avx2
#endif
#define SN_INLINE static inline __attribute__((always_inline))
