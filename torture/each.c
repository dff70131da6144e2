// Cases at random, each in a process of its own.
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_scene.h"
#include "torture.h"

// Of work, for one case; builds with sanitizers are slower, most of all with that of threads.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(address_sanitizer)
#define SLOWER 20
#endif
#endif
#ifndef SLOWER
#define SLOWER 1
#endif
enum { SECONDS = 60 * SLOWER, LENGTH = 2000 };

static char complaint[LENGTH];
int __llvm_profile_write_file(void) __attribute__((weak)); // of builds that count what is reached

bool broken(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*complaint) vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    return false;
}

bool is_broken(void)
{
    return *complaint;
}

const char* complaint_of(int code)
{
    return *complaint ? complaint : code == REFUSED || code == STOPPED ? sn_last_error() : "";
}

int broken_in(int step)
{
    size_t length = strlen(complaint);
    snprintf(complaint + length, sizeof complaint - length, " in step %d", step);
    return BROKEN;
}

static void save(const Torture* t, const char* name, int index, const char* text, const char* why)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%llu-%d.yaml", t->folder, name, (unsigned long long)t->seed, index);
    FILE* file = fopen(path, "w");
    if (!file) return;
    fprintf(file, "# %s\n%s", why, text);
    fclose(file);
}

static double seconds_of(const struct rusage* r)
{
    return (double)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) +
           1e-6 * (double)(r->ru_utime.tv_usec + r->ru_stime.tv_usec);
}

// How it ended, as a code, and why into `why`; seconds: of work that it took.
static int run_apart(const Torture* t, int index, const char* text, TortureCase* one_case, char why[LENGTH],
                     double* seconds)
{
    int ends[2], status;
    struct rusage usage;
    SnRandom random = {t->seed * 7919 + (uint64_t)index};
    *why = 0, *seconds = 0;
    if (pipe(ends) != 0) return BROKEN;
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS + 5}); // however busy the machine is
        int code = one_case(text, &random);
        const char* said = complaint_of(code);
        if (write(ends[1], said, strlen(said)) < 0) _exit(BROKEN);
        if (__llvm_profile_write_file) __llvm_profile_write_file();
        _exit(code);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], why, LENGTH - 1);
    why[got > 0 ? got : 0] = 0;
    close(ends[0]);
    wait4(child, &status, 0, &usage);
    *seconds = seconds_of(&usage);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    snprintf(why, LENGTH, WTERMSIG(status) == SIGXCPU ? "not done within %d s of work" : "signal %d",
             WTERMSIG(status) == SIGXCPU ? SECONDS : WTERMSIG(status));
    return BROKEN;
}

int torture_each(const Torture* t, const char* name, int count, TortureText* make_text, TortureCase* one_case)
{
    static char text[RANDOM_SCENE_SIZE];
    double begin = torture_seconds();
    int done = 0, refused = 0, stopped = 0, failed = 0, slowest = 0;
    double seconds, most = 0;
    if (t->count) count = t->count;
    for (int i = t->only >= 0 ? t->only : 0; i < count; i++) {
        if (t->seconds > 0 && torture_seconds() - begin > t->seconds) break;
        SnRandom random = {t->seed * 1000003 + (uint64_t)i};
        char why[LENGTH];
        make_text(&random, i, text);
        int code = run_apart(t, i, text, one_case, why, &seconds);
        if (seconds > most) most = seconds, slowest = i;
        if (t->only >= 0) printf("%s\n%d: %s\n", text, code, why);
        done += code == DONE, refused += code == REFUSED, stopped += code == STOPPED;
        if (code == DONE || code == REFUSED || code == STOPPED) {
            if (getenv("TORTURE_SAYS")) printf("# %s %d: %d %.1f s %s\n", name, i, code, seconds, why);
        } else {
            failed++;
            printf("# %s %d: %s\n", name, i, *why ? why : "ended without a word");
            save(t, name, i, text, why);
        }
        if (t->only >= 0) break;
    }
    printf("# %d scenes ran, %d stopped with a reason, %d were refused, %d failed; %s %d took the longest, %.1f s of "
           "work\n",
           done, stopped, refused, failed, name, slowest, most);
    if (done + refused >= 20 && refused > done) { // as when keys are new that random_scene.c knows nothing of
        printf("# most were refused, and test nothing: see why with TORTURE_SAYS=1, and make others\n");
        failed++;
    }
    return failed;
}

int torture_one(const Torture* t, TortureCase* one_case)
{
    static char text[RANDOM_SCENE_SIZE];
    FILE* file = fopen(t->scene, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    SnRandom random = {t->seed};
    text[length] = 0;
    int code = length ? one_case(text, &random) : BROKEN;
    printf("# %s: %s\n", t->scene, complaint_of(code));
    return code != DONE;
}
