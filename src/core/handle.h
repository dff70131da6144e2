// What callers hand in: pointers that must be there, and handles. A build with SINEW_CHECK_HANDLES keeps a list of the
// handles that live, and a call with one that was destroyed says so.
#pragma once
#include "core/status.h"

SnStatus sn_fail_null(const char* function, const char* argument);
#define SN_NEED(argument)                                          \
    do {                                                           \
        if (!(argument)) return sn_fail_null(__func__, #argument); \
    } while (0)

#ifdef SINEW_CHECK_HANDLES
void sn_handle_made(const void* handle);
bool sn_handle_gone(const void* handle);  // false: it was no longer there, as where it is destroyed twice
bool sn_handle_lives(const void* handle); // NULL does not
SnStatus sn_fail_handle(const char* function, const char* argument, const void* handle);
#define SN_HANDLE(handle)                                                               \
    do {                                                                                \
        if (!sn_handle_lives(handle)) return sn_fail_handle(__func__, #handle, handle); \
    } while (0)
#else
#define sn_handle_made(handle) ((void)(handle))
#define sn_handle_gone(handle) ((handle) != NULL)
#define sn_handle_lives(handle) ((handle) != NULL)
#define SN_HANDLE(handle) SN_NEED(handle)
#endif
