// Memory from the thread's allocator. Each block carries a header naming its allocator, so freeing needs no context.
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 64,              // a cache line, and the widest vector
    HUGE_PAGE = 2 * 1024 * 1024, // of most machines
};

typedef struct Header {
    const SnAllocator* allocator;
    size_t bytes; // header included
} Header;
_Static_assert(sizeof(Header) <= ALIGNMENT, "the header must fit in front of an aligned block");

void* sn_libc_allocate(void* user, size_t bytes, size_t alignment)
{
    (void)user;
    size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : alignment;
    bytes = (bytes + unit - 1) / unit * unit;
    void* memory = aligned_alloc(unit, bytes);
#ifdef MADV_HUGEPAGE
    // What is streamed through once an iteration should not miss the translations of its pages each time.
    if (memory && unit == HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void sn_libc_release(void* user, void* memory, size_t bytes)
{
    (void)user, (void)bytes;
    free(memory);
}

static const SnAllocator libc_allocator = {NULL, sn_libc_allocate, sn_libc_release};
static _Thread_local const SnAllocator* thread_allocator;

void sn_thread_set_allocator(const SnAllocator* allocator)
{
    thread_allocator = allocator;
}

const SnAllocator* sn_thread_allocator(void)
{
    return thread_allocator;
}

static Header* header_of(void* memory)
{
    return (Header*)((char*)memory - ALIGNMENT);
}

void* sn_allocate(size_t count, size_t size, const char* what)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        sn_fail(SN_ERROR_MEMORY, "out of memory: %s needs %zu items of %zu bytes", what, count, size);
        return NULL;
    }
    const SnAllocator* allocator = thread_allocator ? thread_allocator : &libc_allocator;
    size_t total = bytes + ALIGNMENT;
    char* block = allocator->allocate(allocator->user, total, ALIGNMENT);
    if (!block) {
        sn_fail_memory(what, bytes);
        return NULL;
    }
    memset(block, 0, total);
    *(Header*)block = (Header){allocator, total};
    return block + ALIGNMENT;
}

void* sn_reallocate(void* memory, size_t count, size_t size, const char* what)
{
    void* grown = sn_allocate(count, size, what);
    if (grown && memory) {
        size_t old = header_of(memory)->bytes - ALIGNMENT;
        memcpy(grown, memory, old < count * size ? old : count * size);
        sn_free(memory);
    }
    return grown;
}

void sn_free(void* memory)
{
    if (!memory) return;
    Header* header = header_of(memory);
    header->allocator->release(header->allocator->user, header, header->bytes);
}

void sn_free_all(void* const* pointers, size_t count)
{
    for (size_t i = 0; i < count; i++) sn_free(pointers[i]);
}

char* sn_copy_text(const char* text)
{
    return sn_copy_memory(text, strlen(text) + 1, 1, "a text");
}

void* sn_copy_memory(const void* source, size_t count, size_t size, const char* what)
{
    void* copy = sn_allocate(count, size, what);
    if (copy && count) memcpy(copy, source, count * size);
    return copy;
}

bool sn_grow(void** memory, int* capacity, int64_t needed, size_t size, const char* what)
{
    int64_t wanted = *capacity < 16 ? 16 : 2 * (int64_t)*capacity;
    if (wanted < needed) wanted = needed;
    if (wanted > INT32_MAX) wanted = INT32_MAX;
    if (needed > wanted) {
        sn_fail(SN_ERROR_MEMORY, "%s: more than %d items", what, INT32_MAX);
        return false;
    }
    void* grown = sn_reallocate(*memory, (size_t)wanted, size, what);
    if (!grown) return false;
    *memory = grown;
    *capacity = (int)wanted;
    return true;
}
