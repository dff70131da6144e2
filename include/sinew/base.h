// Status codes, messages and the three hooks a host program may hand in: memory, log, tasks.
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SN_API __attribute__((visibility("default")))
#else
#define SN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Every call that can fail returns one of these; the sentence that goes with it is sn_last_error().
typedef enum SnStatus {
    SN_OK = 0,
    SN_ERROR_MEMORY,      // an allocation failed
    SN_ERROR_FILE,        // a file could not be opened, read or written
    SN_ERROR_FORMAT,      // a file was read but is malformed; the message names file and line or offset
    SN_ERROR_VALUE,       // an argument or a value in a file is out of range
    SN_ERROR_UNSUPPORTED, // this build or this machine cannot do it
} SnStatus;

// The message of the last failed call on this thread; never NULL, valid until the next failing call.
SN_API const char* sn_last_error(void);
SN_API const char* sn_status_name(SnStatus status);
SN_API const char* sn_version(void); // "1.2.3"

// Memory. Objects remember the allocator that was set on the thread which created them.
typedef struct SnAllocator {
    void* user;
    void* (*allocate)(void* user, size_t bytes, size_t alignment); // NULL on failure
    void (*release)(void* user, void* memory, size_t bytes);
} SnAllocator;

// Sets the allocator of objects created on this thread from now on; NULL returns to the C library's.
// The struct must outlive those objects.
SN_API void sn_thread_set_allocator(const SnAllocator* allocator);

// Log. The library never prints; what it has to say beside errors goes here.
typedef enum SnLogLevel { SN_LOG_DEBUG, SN_LOG_INFO, SN_LOG_WARNING } SnLogLevel;
typedef struct SnLog {
    void* user;
    void (*write)(void* user, SnLogLevel level, const char* message); // NULL: messages are dropped
} SnLog;

// Tasks. A host with its own job system runs task(context, 0 .. count-1), in any order, on any threads, and
// returns when all are done. Results do not depend on the order or on the number of threads.
typedef void SnTask(void* context, int index);
typedef struct SnTaskRunner {
    void* user;
    void (*run)(void* user, int count, SnTask* task, void* context);
} SnTaskRunner;

#ifdef __cplusplus
}
#endif
#endif
