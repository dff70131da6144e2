// What hardly ever fails, failing: for any program that is started with this loaded before its libraries. SINEW_FAULT
// names a function of the system or of a library, or a library that is to be missing; "NAME N" fails at the Nth call
// alone. OpenGL is called by pointers of libepoxy, which are changed before the program begins.
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

// Whether this call is the one that is to fail.
static bool fails(const char* name)
{
    static _Thread_local long calls;
    const char* wish = getenv("SINEW_FAULT");
    size_t length = strlen(name);
    if (!wish || strncmp(wish, name, length) != 0 || (wish[length] && wish[length] != ' ')) return false;
    long which = atol(wish + length);
    return which == 0 || ++calls == which;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// A function of these parameters that fails with this value, and for this reason.
#define FAULT(type, name, value, code, parameters, arguments)                             \
    type name parameters                                                                  \
    {                                                                                     \
        if (!fails(#name)) return ((type(*) parameters)dlsym(RTLD_NEXT, #name))arguments; \
        errno = code;                                                                     \
        return value;                                                                     \
    }

FAULT(int, rename, -1, EIO, (const char* from, const char* to), (from, to))
FAULT(FILE*, tmpfile, NULL, ENOSPC, (void), ())
FAULT(locale_t, newlocale, NULL, ENOMEM, (int mask, const char* name, locale_t base), (mask, name, base))
FAULT(ssize_t, getrandom, -1, ENOSYS, (void* bytes, size_t size, unsigned flags), (bytes, size, flags))
FAULT(int, poll, -1, ENOMEM, (struct pollfd * files, nfds_t count, int wait), (files, count, wait))
FAULT(int, pipe2, -1, EMFILE, (int ends[2], int flags), (ends, flags))
FAULT(char*, getcwd, NULL, ENOENT, (char* path, size_t size), (path, size))
FAULT(int, pthread_create, EAGAIN, EAGAIN,
      (pthread_t * thread, const pthread_attr_t* how, void* (*run)(void*), void* user), (thread, how, run, user))
FAULT(int, posix_spawn_file_actions_init, ENOMEM, ENOMEM, (posix_spawn_file_actions_t * actions), (actions))
FAULT(int, posix_spawn, EAGAIN, EAGAIN,
      (pid_t * child, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
       char* const words[], char* const environment[]),
      (child, path, actions, how, words, environment))
FAULT(int, posix_spawnp, EAGAIN, EAGAIN,
      (pid_t * child, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
       char* const words[], char* const environment[]),
      (child, path, actions, how, words, environment))
// Of libraries: zlib, libyaml, METIS and AMD, by the numbers that they fail with.
FAULT(int, compress2, -4, 0, (void* to, unsigned long* size, const void* from, unsigned long bytes, int level),
      (to, size, from, bytes, level))
FAULT(int, yaml_parser_initialize, 0, 0, (void* parser), (parser))
FAULT(int, METIS_NodeND, -3, 0, (int* n, int* start, int* to, int* weight, int* options, int* order, int* place),
      (n, start, to, weight, options, order, place))
FAULT(int, METIS_PartGraphKway, -4, 0,
      (int* n, int* constraints, int* start, int* to, int* a, int* b, int* c, int* parts, float* d, float* e,
       int* options, int* cut, int* part),
      (n, constraints, start, to, a, b, c, parts, d, e, options, cut, part))
FAULT(long, amd_l_order, -2, 0, (long n, const long* start, const long* row, long* order, double* how, double* info),
      (n, start, row, order, how, info))

// A library is missing under each of its names that begin so.
void* dlopen(const char* name, int flags)
{
    const char* wish = getenv("SINEW_FAULT");
    bool missing = name && wish && strncmp(wish, "lib", 3) == 0 && strncmp(name, wish, strlen(wish)) == 0;
    if (name && wish && strcmp(wish, "libGL") == 0) missing |= strncmp(name, "libOpenGL", 9) == 0;
    return missing ? NULL : NEXT(dlopen)(name, flags);
}

// --- EGL and OpenGL ---

static unsigned no(void)
{
    return 0;
}

static void say_no(unsigned of, unsigned what, int* answer)
{
    (void)of, (void)what;
    *answer = 0;
}

static void no_log(unsigned of, int size, int* length, char* log)
{
    (void)of;
    if (length) *length = 0;
    if (size > 0) *log = 0;
}

static unsigned error_of_gl(void)
{
    return 0x505; // out of memory
}

#define POINTER(name) extern void* epoxy_##name __attribute__((weak))
POINTER(eglInitialize);
POINTER(eglBindAPI);
POINTER(eglChooseConfig);
POINTER(eglCreateContext);
POINTER(eglMakeCurrent);
POINTER(glCheckFramebufferStatus);
POINTER(glGetError);
POINTER(glGetShaderiv);
POINTER(glGetShaderInfoLog);
POINTER(glGetProgramiv);
POINTER(glGetProgramInfoLog);

__attribute__((constructor)) static void change_pointers(void)
{
#define CHANGE(name, function) \
    if (&epoxy_##name && fails(#name)) epoxy_##name = (void*)(function)
    CHANGE(eglInitialize, no);
    CHANGE(eglBindAPI, no);
    CHANGE(eglChooseConfig, no);
    CHANGE(eglCreateContext, no);
    CHANGE(eglMakeCurrent, no);
    CHANGE(glCheckFramebufferStatus, no);
    CHANGE(glGetError, error_of_gl);
    CHANGE(glGetShaderiv, say_no);
    CHANGE(glGetProgramiv, say_no);
    if (&epoxy_glGetShaderInfoLog && fails("glGetShaderiv")) epoxy_glGetShaderInfoLog = (void*)no_log;
    if (&epoxy_glGetProgramInfoLog && fails("glGetProgramiv")) epoxy_glGetProgramInfoLog = (void*)no_log;
}
