// The arithmetic limit of one instruction set: twelve independent chains of multiply-adds.
#include "peak.h"

#include "core/timer.h"

enum { CHAINS = 12, ROUNDS = 200000 };

// One loop per instruction set; the vector width is the set's, and the chains hide the latency.
#define PEAK_LOOP(NAME, TARGET, WIDTH)                                 \
    TARGET static double NAME(void)                                    \
    {                                                                  \
        typedef double Vector __attribute__((vector_size(8 * WIDTH))); \
        Vector x[CHAINS], a, b;                                        \
        for (int k = 0; k < WIDTH; k++) a[k] = 0.999999, b[k] = 1e-7;  \
        for (int i = 0; i < CHAINS; i++) x[i] = b * (double)i;         \
        double start = sn_now_ms();                                    \
        for (int r = 0; r < ROUNDS; r++)                               \
            for (int i = 0; i < CHAINS; i++) x[i] = x[i] * a + b;      \
        double ms = sn_now_ms() - start, sum = 0;                      \
        for (int i = 0; i < CHAINS; i++) sum += x[i][0];               \
        volatile double keep = sum;                                    \
        (void)keep;                                                    \
        return 2.0 * WIDTH * CHAINS * (double)ROUNDS / ms * 1e-6;      \
    }

#if defined(__GNUC__) && !defined(__clang__)
#define CONTRACT , optimize("fp-contract=fast,unroll-loops")
#else
#define CONTRACT
#endif

PEAK_LOOP(peak_base, __attribute__((noinline)), 2)
#ifdef SN_HAVE_X86_KERNELS
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
PEAK_LOOP(peak_avx2, __attribute__((noinline, target("avx2,fma"))), 4)
PEAK_LOOP(peak_avx512, __attribute__((noinline, target("avx512f,fma"))), 8)
#else
PEAK_LOOP(peak_avx2, __attribute__((noinline, target("avx2,fma"), optimize("fp-contract=fast"))), 4)
PEAK_LOOP(peak_avx512, __attribute__((noinline, target("avx512f,fma"), optimize("fp-contract=fast"))), 8)
#endif
#endif

double sn_peak_gflops(SnIsa isa)
{
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double rate = 0;
        switch (isa) {
#ifdef SN_HAVE_X86_KERNELS
        case SN_ISA_AVX512: rate = peak_avx512(); break;
        case SN_ISA_AVX2: rate = peak_avx2(); break;
#endif
        default: rate = peak_base();
        }
        if (rate > best) best = rate;
    }
    return best;
}
