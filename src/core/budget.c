// Memory is counted as it is taken; what would go beyond the limit is refused as if there were no more.
#include "core/budget.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/plain.h"

static void* allocate(void* user, size_t bytes, size_t alignment)
{
    SnBudget* b = user;
    size_t used = atomic_fetch_add(&b->used, bytes) + bytes, highest = atomic_load(&b->highest);
    void* memory = NULL;
    if (used <= b->limit) memory = sn_libc_allocate(NULL, bytes, alignment);
    if (!memory) {
        atomic_fetch_sub(&b->used, bytes);
        atomic_store(&b->refused, bytes);
        atomic_store(&b->then, used - bytes);
        return NULL;
    }
    while (used > highest && !atomic_compare_exchange_weak(&b->highest, &highest, used)) continue;
    return memory;
}

static void release(void* user, void* memory, size_t bytes)
{
    SnBudget* b = user;
    atomic_fetch_sub(&b->used, bytes);
    sn_libc_release(NULL, memory, bytes);
}

void sn_budget_start(SnBudget* b, size_t limit)
{
    *b = (SnBudget){.allocator = {b, allocate, release}, .limit = limit};
    sn_thread_set_allocator(&b->allocator);
}

void sn_budget_stop(void)
{
    sn_thread_set_allocator(NULL);
}

// This thread's; NULL: it has none.
static SnBudget* current(void)
{
    const SnAllocator* allocator = sn_thread_allocator();
    return allocator && allocator->allocate == allocate ? allocator->user : NULL;
}

void sn_budget_expect(size_t element_bytes)
{
    SnBudget* b = current();
    if (b && b->element_bytes > 0) b->element_bytes = element_bytes;
}

SnStatus sn_budget_foresee(const char* shape, double elements)
{
    SnBudget* b = current();
    if (!b) return SN_OK;
    double wanted = elements * (double)b->element_bytes, used = (double)atomic_load(&b->used);
    if (used + wanted <= (double)b->limit) return SN_OK;
    return sn_fail(SN_ERROR_MEMORY,
                   "%s: %.0f elements would take at least %s, where %s are taken and %s are allowed (--memory; by "
                   "default what is free): take fewer cells",
                   shape, elements, sn_size_words((size_t)wanted).text, sn_size_words((size_t)used).text,
                   sn_size_words(b->limit).text);
}

SnStatus sn_budget_explain(const SnBudget* b, SnStatus status)
{
    size_t refused = atomic_load(&((SnBudget*)b)->refused);
    if (status != SN_ERROR_MEMORY || refused == 0) return status;
    return sn_fail(
        status,
        "more memory is needed than there may be: %s are taken, %s more are wanted, %s are allowed (--memory; "
        "by default what is free). A coarser mesh, or a solver without a factor such as newton with linear: "
        "pcg, needs less",
        sn_size_words(atomic_load(&((SnBudget*)b)->then)).text, sn_size_words(refused).text,
        sn_size_words(b->limit).text);
}

size_t sn_memory_free(void)
{
    char line[128];
    unsigned long long kilobytes = 0;
    FILE* file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes ? (size_t)kilobytes * 1024 : SIZE_MAX;
}

static const char* const units[] = {"B", "kB", "MB", "GB", "TB"};

SnSizeWords sn_size_words(size_t bytes)
{
    SnSizeWords words;
    double size = (double)bytes;
    int unit = 0;
    while (size >= 999.5 && unit < 4) size /= 1000, unit++;
    sn_plain_print(words.text, sizeof words.text, size < 9.95 && unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
    return words;
}

bool sn_size_read(const char* text, size_t* bytes)
{
    char* end;
    double size = sn_plain_real(text, &end);
    while (isspace((unsigned char)*end)) end++;
    int unit = *end ? -1 : 0;
    for (int i = 0; i < 5 && *end; i++) {
        bool whole = strcasecmp(end, units[i]) == 0,
             letter = tolower((unsigned char)*end) == tolower(units[i][0]) && !end[1];
        if (whole || letter) unit = i;
    }
    size *= unit > 0 ? pow(1000, unit) : 1;
    if (end == text || unit < 0 || !(size >= 1) || size > 1e18) return false;
    *bytes = (size_t)size;
    return true;
}
