// sinew-mpi as users meet it: commands in a folder of their own, what they say, and the last frames of runs.
#pragma once
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinew/run.h>

#include "check.h"

static char folder[] = "/tmp/sinew-mpi-XXXXXX";
static char said[20000];

// Runs it in the folder, with what it says in `said`; its exit code.
static int shell(const char* format, ...)
{
    char command[2000];
    int used = snprintf(command, sizeof command, "cd %s && (", folder);
    va_list list;
    va_start(list, format);
    used += vsnprintf(command + used, sizeof command - (size_t)used, format, list);
    va_end(list);
    snprintf(command + used, sizeof command - (size_t)used, ") >said 2>&1");
    int code = system(command);
    char path[100];
    snprintf(path, sizeof path, "%s/said", folder);
    FILE* file = fopen(path, "r");
    size_t size = file ? fread(said, 1, sizeof said - 1, file) : 0;
    said[size] = 0;
    if (file) fclose(file);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

#define MPIRUN                                                                                      \
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1 timeout 600 " \
    "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n %d " SN_BINARY_DIR "/"
#define SINEW SN_BINARY_DIR "/sinew "

static void expect_code(int code, int wanted)
{
    if (code != wanted) print_error("it said: %s\n", said);
    assert_int_equal(code, wanted);
}

static void write_file(const char* name, const char* text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int end(void** state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

// Positions and velocities of the last frame.
static double* last_frame(const char* name, int* size)
{
    char path[200];
    SnRunFile* run;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_ok(sn_run_file_open(path, &run));
    *size = 6 * sn_run_file_node_count(run);
    double* x = malloc((size_t)*size * sizeof *x);
    check_ok(sn_run_file_read_frame(run, sn_run_file_frame_count(run) - 1, x, x + *size / 2));
    sn_run_file_destroy(run);
    return x;
}

static double difference(const char* a, const char* b)
{
    int n, m;
    double *x = last_frame(a, &n), *y = last_frame(b, &m), most = 0;
    assert_int_equal(n, m);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    free(x), free(y);
    return most;
}
