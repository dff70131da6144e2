// A budget of memory: an allocator that counts, and refuses what goes beyond a limit.
#pragma once
#include <stdatomic.h>

#include "core/memory.h"

typedef struct SnBudget {
    SnAllocator allocator;
    size_t limit;                // bytes
    size_t element_bytes;        // that an element of a mesh will take at least before it can move; 0: it need not
    atomic_size_t used, highest; // bytes, now and at most
    atomic_size_t refused;       // bytes that were asked for beyond the limit; 0: never
    atomic_size_t then;          // bytes that were taken when they were refused
} SnBudget;

// From here on this thread's objects are made from the budget, which must outlive them.
void sn_budget_start(SnBudget* budget, size_t limit);
void sn_budget_stop(void);
// Whether this thread's budget has room for a mesh of so many elements that is to be made, and for what it will need to
// move: it is refused before any time is spent on it.
SnStatus sn_budget_foresee(const char* shape, double elements);
// Where elements were to take some bytes each, it is known now that they will take at least so many.
void sn_budget_expect(size_t element_bytes);
// Where an error of memory is the budget's: a sentence with its numbers.
SnStatus sn_budget_explain(const SnBudget* budget, SnStatus status);

size_t sn_memory_free(void); // bytes that the system could still give, as far as it tells; SIZE_MAX otherwise

// "1.2 GB"
typedef struct SnSizeWords {
    char text[24];
} SnSizeWords;
SnSizeWords sn_size_words(size_t bytes);
// "500M", "4 GB", "1e9"; false: it is none.
bool sn_size_read(const char* text, size_t* bytes);
