// The handles that live, in builds that check them: the one list that the library keeps for a whole process.
#include "core/handle.h"

#ifdef SINEW_CHECK_HANDLES
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const void** living;
static size_t count, capacity;

// Of the list, under the lock; `count` where it is not.
static size_t place_of(const void* handle)
{
    size_t i = 0;
    while (i < count && living[i] != handle) i++;
    return i;
}

void sn_handle_made(const void* handle)
{
    pthread_mutex_lock(&lock);
    if (count == capacity) {
        size_t more = capacity ? 2 * capacity : 64;
        const void** grown = realloc(living, more * sizeof *living);
        if (grown) living = grown, capacity = more;
    }
    if (handle && count < capacity && place_of(handle) == count) living[count++] = handle;
    pthread_mutex_unlock(&lock);
}

bool sn_handle_gone(const void* handle)
{
    pthread_mutex_lock(&lock);
    size_t place = place_of(handle);
    bool lived = place < count;
    if (lived) living[place] = living[--count];
    pthread_mutex_unlock(&lock);
    return lived;
}

bool sn_handle_lives(const void* handle)
{
    pthread_mutex_lock(&lock);
    bool lives = place_of(handle) < count;
    pthread_mutex_unlock(&lock);
    return lives;
}

SnStatus sn_fail_handle(const char* function, const char* argument, const void* handle)
{
    if (!handle) return sn_fail_null(function, argument);
    return sn_fail(SN_ERROR_VALUE, "%s: %s is no handle that lives: it was destroyed, or never made", function,
                   argument);
}
#endif

SnStatus sn_fail_null(const char* function, const char* argument)
{
    return sn_fail(SN_ERROR_VALUE, "%s: %s is NULL", function, argument);
}
