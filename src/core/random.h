// Random numbers from a seed: SplitMix64 (Steele, Lea, Flood 2014). The same seed gives the same numbers everywhere.
#pragma once
#include <stdint.h>

typedef struct SnRandom {
    uint64_t state; // set to the seed
} SnRandom;

static inline uint64_t sn_random_bits(SnRandom* random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [lo, hi).
static inline double sn_random_uniform(SnRandom* random, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(sn_random_bits(random) >> 11) * 0x1p-53);
}
