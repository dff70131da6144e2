// Memory from the thread's allocator: zeroed, 64-byte aligned, and freed without knowing where it came from.
#pragma once
#include "core/status.h"

// NULL on failure (with the message set). Sizes that overflow fail like any other. count 0 gives a valid pointer.
void* sn_allocate(size_t count, size_t size, const char* what);
// Grows or shrinks, keeping the contents; on failure the old block stays valid and NULL is returned.
void* sn_reallocate(void* memory, size_t count, size_t size, const char* what);
void sn_free(void* memory);
void sn_free_all(void* const* pointers, size_t count);
char* sn_copy_text(const char* text); // NULL on failure
void* sn_copy_memory(const void* source, size_t count, size_t size, const char* what);

// Where nobody sets an allocator, memory comes from here.
const SnAllocator* sn_thread_allocator(void); // NULL: that of the C library
void* sn_libc_allocate(void* user, size_t bytes, size_t alignment);
void sn_libc_release(void* user, void* memory, size_t bytes);

// `SN_NEW(p, n, "what")` allocates n zeroed items for pointer p; true on success.
#define SN_NEW(pointer, count, what) (((pointer) = sn_allocate((size_t)(count), sizeof *(pointer), what)) != NULL)
// Frees each of these pointers.
#define SN_FREE(...) sn_free_all((void*[]){__VA_ARGS__}, sizeof((void*[]){__VA_ARGS__}) / sizeof(void*))
// Grows `pointer` so that it holds `needed` items (doubling `capacity`); true on success.
#define SN_GROW(pointer, capacity, needed, what) \
    ((needed) <= (capacity) || sn_grow((void**)&(pointer), &(capacity), (needed), sizeof *(pointer), what))
bool sn_grow(void** memory, int* capacity, int64_t needed, size_t size, const char* what);
