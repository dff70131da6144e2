// One harness for libFuzzer: FUZZ_TARGET is its place in the table.
#include "fuzz.h"

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
