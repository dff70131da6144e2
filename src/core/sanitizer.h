// What libraries have written, for builds with the memory sanitizer, which does not see that they do.
#pragma once

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SN_WRITTEN(memory, size) __msan_unpoison(memory, size)
#define SN_WRITTEN_TEXT(text) ((text) ? __msan_unpoison_string((const char*)(text)) : (void)0)
// From here on this thread looks at no arguments of the C library any more, which libraries call with memory of theirs.
#define SN_TRUST_LIBRARIES() __msan_scoped_disable_interceptor_checks()
#endif
#endif

#ifndef SN_WRITTEN
#define SN_WRITTEN(memory, size) ((void)(memory), (void)(size))
#define SN_WRITTEN_TEXT(text) ((void)(text))
#define SN_TRUST_LIBRARIES() ((void)0)
#endif
