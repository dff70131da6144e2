// The program run as a process, judged by exit code, output, errors and files.
#pragma once
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/sinew-cli-XXXXXX";
static char *out, *err; // what the last command printed

static inline char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

static inline void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// Runs `sinew ARGUMENTS` through the shell, in the test's folder; the exit code, or 128 + signal.
static inline int sinew(const char* format, ...)
{
    char arguments[2048], command[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "'%s/sinew' %s >out.txt 2>err.txt </dev/null", SN_BINARY_DIR, arguments);
    int status = system(command);
    free(out);
    free(err);
    out = read_text("out.txt");
    err = read_text("err.txt");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define check_code(call, wanted)                                                                         \
    do {                                                                                                 \
        int code_of_call = (call);                                                                       \
        if (code_of_call != (wanted)) fail_msg("%s: exit code %d: %s%s", #call, code_of_call, out, err); \
    } while (0)

static inline void check_has(const char* text, const char* part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static inline int count_of(const char* text, const char* part)
{
    int count = 0;
    for (const char* p = text; (p = strstr(p, part)); p += strlen(part)) count++;
    return count;
}

static const char tiny[] = "name: tiny\n"
                           "time: {step: 1/50, frames: 6}\n"
                           "bodies:\n"
                           "  - name: bar\n"
                           "    mesh: {box: {size: [2, 1, 1], cells: [4, 2, 2]}}\n"
                           "    material: {type: neo-hookean, young: 1e5, poisson: 0.4}\n"
                           "handles:\n"
                           "  - {body: bar, where: {x: [min, min]}}\n";

static inline int set_up(void** state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    write_text("tiny.yaml", tiny);
    return 0;
}

static inline int tear_down(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    free(out);
    free(err);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

// The value of a column in a line of CSV.
static inline double column(const char* line, int index)
{
    for (; index > 0; index--) line = strchr(line, ',') + 1;
    return strtod(line, NULL);
}
