// The table of harnesses, and their shared pieces.
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TARGETS(X) X(mesh) X(scene) X(picture) X(run_file) X(state) X(api) X(expression) X(point_cache) X(live)
#define DECLARE(name) void fuzz_##name(const uint8_t* bytes, size_t size);
TARGETS(DECLARE)
size_t fuzz_mutate_scene(uint8_t* bytes, size_t size, size_t most, unsigned seed);
size_t fuzz_mutate_picture(uint8_t* bytes, size_t size, size_t most, unsigned seed);

const FuzzTarget fuzz_targets[] = {
    {"mesh", fuzz_mesh, NULL},
    {"scene", fuzz_scene, fuzz_mutate_scene},
    {"picture", fuzz_picture, fuzz_mutate_picture},
    {"run_file", fuzz_run_file, NULL},
    {"state", fuzz_state, NULL},
    {"api", fuzz_api, NULL},
    {"expression", fuzz_expression, NULL},
    {"point_cache", fuzz_point_cache, NULL},
    {"live", fuzz_live, NULL},
    {0},
};

double fuzz_number(FuzzInput* in)
{
    static const double special[] = {0,     1,     -1,       0.5, 1e-3,     1e3,  1e30, 1e-30,
                                     1e155, 1e300, INFINITY, NAN, 1.0 / 60, 9.81, 2,    0.3};
    unsigned kind = fuzz_byte(in);
    if (kind < 160) return special[kind % 16];
    return (kind % 2 ? -1.0 : 1.0) * fuzz_byte(in) * pow(10, (int)fuzz_below(in, 40) - 20);
}

const char* fuzz_path(const char* ending)
{
    static char paths[4][128];
    static int next;
    char* path = paths[next++ % 4];
    const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof paths[0], "%s/sinew-fuzz-%d%s", folder, (int)getpid(), ending);
    return path;
}

const char* fuzz_file(const void* bytes, size_t size)
{
    const char* path = fuzz_path(".bytes");
    FILE* file = fopen(path, "wb");
    FUZZ_CHECK(file && (size == 0 || fwrite(bytes, 1, size, file) == size));
    fclose(file);
    return path;
}

void fuzz_begin(SnBudget* budget)
{
    sn_budget_start(budget, FUZZ_MEMORY);
}

void fuzz_end(const SnBudget* budget)
{
    sn_budget_stop();
    FUZZ_CHECK(atomic_load(&((SnBudget*)budget)->used) == 0);
}

void fuzz_fail(const char* what, const char* file, int line)
{
    fprintf(stderr, "%s:%d: %s does not hold; the last error was: %s\n", file, line, what, sn_last_error());
    abort();
}
