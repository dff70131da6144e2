// One harness for libFuzzer: FUZZ_TARGET is its place in the table.
#include "fuzz.h"

// Where memory was taken is asked for when an input that failed is run again, with ASAN_OPTIONS=malloc_context_size=30.
const char* __asan_default_options(void);
const char* __asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=16";
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t* bytes, size_t size, size_t most);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    fuzz_targets[FUZZ_TARGET].run(bytes, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t* bytes, size_t size, size_t most, unsigned seed)
{
    const FuzzTarget* target = &fuzz_targets[FUZZ_TARGET];
    return target->mutate && seed % 3 ? target->mutate(bytes, size, most, seed) : LLVMFuzzerMutate(bytes, size, most);
}
