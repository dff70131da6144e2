// What every harness shares. A harness is a function of some bytes that must never crash, hang, leak or take more
// memory than it may; fuzz/replay.c gives it the corpus, libFuzzer whatever it thinks of.
#pragma once
#include <stdio.h>

#include "core/budget.h"
#include "core/memory.h"

typedef struct FuzzTarget {
    const char* name; // and of its folder in fuzz/corpus
    void (*run)(const uint8_t* bytes, size_t size);
    // Makes other bytes of these, by the structure they should have; NULL: libFuzzer's own.
    size_t (*mutate)(uint8_t* bytes, size_t size, size_t most, unsigned seed);
} FuzzTarget;

extern const FuzzTarget fuzz_targets[]; // ends with a NULL name

// Bytes as numbers, one after the other; 0 when there are no more.
typedef struct FuzzInput {
    const uint8_t* at;
    size_t left;
} FuzzInput;
static inline unsigned fuzz_byte(FuzzInput* in)
{
    if (in->left == 0) return 0;
    in->left--;
    return *in->at++;
}
static inline unsigned fuzz_below(FuzzInput* in, unsigned count)
{
    return (fuzz_byte(in) | fuzz_byte(in) << 8) % count;
}
double fuzz_number(FuzzInput* in); // of any size, not a number among them

// A file of these bytes, under a name of this process; the same one each time.
const char* fuzz_file(const void* bytes, size_t size);
const char* fuzz_path(const char* ending); // beside it
// The same for what is opened by our own reader: with libFuzzer the file is never written (fuzz/bytes.c).
const char* fuzz_bytes(const void* bytes, size_t size);

// A run of a body and an obstacle, two steps long, as its file has it; its size.
size_t fuzz_good_run(const uint8_t** bytes);

// Memory that a harness may take, and nothing may be left of.
enum { FUZZ_MEMORY = 256 << 20 };
void fuzz_begin(SnBudget* budget);
void fuzz_end(const SnBudget* budget);

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char* what, const char* file, int line);
