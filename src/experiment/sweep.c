// Cases of a sweep: their values, names, commands and processes.
#include "experiment/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/exporter.h"
#include "core/memory.h"

extern char** environ;

void sn_sweep_free(SnSweep* sweep)
{
    sn_free(sweep->cases);
    sn_arena_free(&sweep->arena);
}

// --- values ---

// Where the first value ends: at a comma outside of brackets, or at the end.
static const char* end_of_value(const char* text)
{
    int depth = 0;
    for (; *text && !(*text == ',' && depth == 0); text++) {
        depth += *text == '[' || *text == '{';
        depth -= *text == ']' || *text == '}';
    }
    return text;
}

SnStatus sn_sweep_add_over(SnSweep* sweep, const char* text)
{
    const char* equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1] || strchr(text, '\n'))
        return sn_fail(SN_ERROR_VALUE, "--over %s: must be PATH=VALUE,VALUE,..., as in time.step=1/50,1/100", text);
    if (sweep->over_count == SN_SWEEP_MOST_OVERS)
        return sn_fail(SN_ERROR_VALUE, "there can be at most %d --over", SN_SWEEP_MOST_OVERS);
    SnSweepOver* over = &sweep->overs[sweep->over_count++];
    over->path = sn_arena_text(&sweep->arena, text, (size_t)(equals - text));
    over->values = sn_arena_allocate(&sweep->arena, strlen(equals) * sizeof *over->values);
    if (!over->path || !over->values) return SN_ERROR_MEMORY;
    for (const char* at = equals + 1;;) {
        const char* end = end_of_value(at);
        if (end == at) return sn_fail(SN_ERROR_VALUE, "--over %s: one of its values is empty", text);
        if (!(over->values[over->count++] = sn_arena_text(&sweep->arena, at, (size_t)(end - at))))
            return SN_ERROR_MEMORY;
        if (!*end) return SN_OK;
        at = end + 1;
    }
}

SnStatus sn_sweep_add_case(SnSweep* sweep, const char* const* values)
{
    if (sweep->case_count == SN_SWEEP_MOST_CASES)
        return sn_fail(SN_ERROR_VALUE, "there can be at most %d cases", SN_SWEEP_MOST_CASES);
    if (!SN_GROW(sweep->cases, sweep->case_capacity, sweep->case_count + 1, "cases")) return SN_ERROR_MEMORY;
    SnSweepCase* one = &sweep->cases[sweep->case_count++];
    *one = (SnSweepCase){0};
    for (int k = 0; k < sweep->over_count; k++)
        if (!(one->values[k] = sn_arena_text(&sweep->arena, values[k], strlen(values[k])))) return SN_ERROR_MEMORY;
    return SN_OK;
}

// The last over goes fastest.
SnStatus sn_sweep_combine(SnSweep* sweep)
{
    int64_t count = 1;
    for (int k = 0; k < sweep->over_count && count <= SN_SWEEP_MOST_CASES; k++) count *= sweep->overs[k].count;
    if (count > SN_SWEEP_MOST_CASES)
        return sn_fail(SN_ERROR_VALUE, "the values make more than %d combinations", SN_SWEEP_MOST_CASES);
    for (int64_t i = 0; i < count; i++) {
        const char* values[SN_SWEEP_MOST_OVERS];
        int64_t rest = i;
        for (int k = sweep->over_count - 1; k >= 0; k--) {
            values[k] = sweep->overs[k].values[rest % sweep->overs[k].count];
            rest /= sweep->overs[k].count;
        }
        SN_TRY(sn_sweep_add_case(sweep, values));
    }
    return SN_OK;
}

const char* sn_sweep_path(SnSweep* sweep, int number, const char* ending)
{
    return sn_arena_print(&sweep->arena, "%s/%03d%s", sweep->folder, number, ending);
}

// --- commands ---

enum { MOST_WORDS = 64 };

// The words of `sinew run` for a case; of the arena.
static SnStatus make_words(SnSweep* sweep, int number, const char* words[MOST_WORDS])
{
    int count = 0;
    const char* usual[] = {sweep->program, "run", sweep->scene, "-o",     sn_sweep_path(sweep, number, ".run"),
                           "--threads",    "1",   "--resume",   "--quiet"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) words[count++] = usual[i];
    for (int i = 0; i < sweep->fixed_count; i++) {
        if (count > MOST_WORDS - 2 * SN_SWEEP_MOST_OVERS - 4)
            return sn_fail(SN_ERROR_VALUE, "there are %d --set; at most 16 can be given", sweep->fixed_count);
        words[count++] = "--set", words[count++] = sweep->fixed[i];
    }
    for (int k = 0; k < sweep->over_count; k++) {
        words[count++] = "--set";
        words[count++] = sn_arena_print(&sweep->arena, "%s=%s", sweep->overs[k].path, sweep->cases[number].values[k]);
    }
    for (int i = 0; i < count; i++)
        if (!words[i]) return SN_ERROR_MEMORY;
    words[count] = NULL;
    return SN_OK;
}

static void write_quoted(FILE* file, const char* word)
{
    if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=:,+-")] == 0 && *word) {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for (; *word; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, file);
    fputc('\'', file);
}

SnStatus sn_sweep_write_command(SnSweep* sweep, int number, FILE* file)
{
    const char* words[MOST_WORDS];
    SN_TRY(make_words(sweep, number, words));
    for (int i = 0; words[i]; i++) {
        if (i) fputc(' ', file);
        write_quoted(file, words[i]);
    }
    fputc('\n', file);
    return SN_OK;
}

// A line for each case, which goes to the folder `here` first: other machines begin elsewhere.
static SnStatus write_commands(SnSweep* sweep, const char* here, const char* path)
{
    FILE* file;
    SN_TRY(sn_export_open_file(path, &file));
    SnStatus status = SN_OK;
    for (int i = 0; i < sweep->case_count && status == SN_OK; i++) {
        fputs("cd ", file), write_quoted(file, here), fputs(" && ", file);
        status = sn_sweep_write_command(sweep, i, file);
    }
    SnStatus closed = sn_export_close_file(file, path);
    return status == SN_OK ? closed : status;
}

static SnStatus find_here(char here[4096])
{
    if (getcwd(here, 4096)) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "the present folder is not known: %s", strerror(errno));
}

SnStatus sn_sweep_write_parallel(SnSweep* sweep)
{
    const char* path = sn_arena_print(&sweep->arena, "%s/parallel.txt", sweep->folder);
    char here[4096];
    if (!path) return SN_ERROR_MEMORY;
    SN_TRY(find_here(here));
    return write_commands(sweep, here, path);
}

// The n-th task runs the n-th line.
SnStatus sn_sweep_write_slurm(SnSweep* sweep)
{
    const char* commands = sn_arena_print(&sweep->arena, "%s/slurm.txt", sweep->folder);
    const char* script = sn_arena_print(&sweep->arena, "%s/slurm.sh", sweep->folder);
    char here[4096];
    FILE* file;
    if (!commands || !script) return SN_ERROR_MEMORY;
    SN_TRY(find_here(here));
    SN_TRY(write_commands(sweep, here, commands));
    SN_TRY(sn_export_open_file(script, &file));
    fprintf(file, "#!/bin/sh\n#SBATCH --array=0-%d\n#SBATCH --cpus-per-task=1\n#SBATCH --job-name=sinew-sweep\n",
            sweep->case_count - 1);
    fputs("cd ", file), write_quoted(file, here);
    fputs(" && sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ", file), write_quoted(file, commands);
    fputs(" | sh\n", file);
    return sn_export_close_file(file, script);
}

// --- the folder ---

// What a study is, as text: the scene, what is the same in all cases, and a line for each.
static void write_cases(const SnSweep* sweep, FILE* file)
{
    fprintf(file, "scene\t%s\n", sweep->scene);
    for (int i = 0; i < sweep->fixed_count; i++) fprintf(file, "set\t%s\n", sweep->fixed[i]);
    for (int k = 0; k < sweep->over_count; k++) fprintf(file, "over\t%s\n", sweep->overs[k].path);
    for (int i = 0; i < sweep->case_count; i++) {
        fputs("case", file);
        for (int k = 0; k < sweep->over_count; k++) fprintf(file, "\t%s", sweep->cases[i].values[k]);
        fputc('\n', file);
    }
}

static SnStatus read_text(SnSweep* sweep, const char* path, char** text)
{
    FILE* file = fopen(path, "rb");
    *text = NULL;
    if (!file && errno == ENOENT) return SN_OK;
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char* bytes = size >= 0 ? sn_arena_allocate(&sweep->arena, (size_t)size + 1) : NULL;
    bool good = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (!good) return sn_fail(SN_ERROR_FILE, "%s: cannot be read", path);
    bytes[size] = 0, *text = bytes;
    return SN_OK;
}

SnStatus sn_sweep_open(SnSweep* sweep)
{
    const char* path = sn_arena_print(&sweep->arena, "%s/cases.txt", sweep->folder);
    char *before, *now = NULL;
    size_t size = 0;
    if (!path) return SN_ERROR_MEMORY;
    SN_TRY(sn_export_make_folder(sweep->folder));
    SN_TRY(read_text(sweep, path, &before));
    SN_TRY(read_text(sweep, sweep->scene, &sweep->text));
    FILE* memory = open_memstream(&now, &size);
    if (!memory) return sn_fail_memory("cases", 0);
    write_cases(sweep, memory);
    fclose(memory);
    bool all = before && strncmp(before, now, strlen(now)) == 0; // a fit that is made again has gone further before
    bool begun = before && strncmp(before, now, strlen(before)) == 0;
    free(now);
    if (all) return SN_OK;
    if (before && !begun)
        return sn_fail(SN_ERROR_VALUE,
                       "%s: this folder has another study, of other values, another scene or other --set; choose "
                       "another one with -o",
                       sweep->folder);
    FILE* file;
    SN_TRY(sn_export_open_file(path, &file));
    write_cases(sweep, file);
    return sn_export_close_file(file, path);
}

static SnStatus take_line(SnSweep* sweep, char* line)
{
    char* words[SN_SWEEP_MOST_OVERS + 1];
    int count = 0;
    for (char* at = line; at && count <= SN_SWEEP_MOST_OVERS; count++) {
        words[count] = at;
        at = strchr(at, '\t');
        if (at) *at++ = 0;
    }
    if (strcmp(words[0], "over") == 0 && count == 2 && sweep->over_count < SN_SWEEP_MOST_OVERS)
        sweep->overs[sweep->over_count++] = (SnSweepOver){.path = words[1]};
    else if (strcmp(words[0], "case") == 0 && count == sweep->over_count + 1)
        return sn_sweep_add_case(sweep, (const char* const*)words + 1);
    else if (strcmp(words[0], "scene") == 0 && count == 2)
        sweep->scene = words[1];
    else if (strcmp(words[0], "set") != 0)
        return sn_fail(SN_ERROR_FORMAT, "%s/cases.txt: a line begins with '%s'; it is not a study's", sweep->folder,
                       words[0]);
    return SN_OK;
}

SnStatus sn_sweep_reopen(SnSweep* sweep)
{
    const char* path = sn_arena_print(&sweep->arena, "%s/cases.txt", sweep->folder);
    char* text;
    if (!path) return SN_ERROR_MEMORY;
    SN_TRY(read_text(sweep, path, &text));
    if (!text) return sn_fail(SN_ERROR_FILE, "%s: there is no study in this folder (no cases.txt)", sweep->folder);
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        SN_TRY(take_line(sweep, line));
    }
    return SN_OK;
}

// --- processes ---

static volatile sig_atomic_t stop_wanted;

static void note_stop(int signal)
{
    stop_wanted = signal;
}

// Whether its run is there and has all steps that were asked for.
static bool is_done(SnSweep* sweep, int number)
{
    SnRunFile* run;
    const char *path = sn_sweep_path(sweep, number, ".run"), *frames;
    const SnRunStep* steps;
    int count;
    if (!path || access(path, F_OK) != 0 || sn_run_file_open(path, &run) != SN_OK) return false;
    // Of a scene that was changed since then it says so when it is gone on with.
    bool done = (!sweep->text || strcmp(sn_run_file_scene(run), sweep->text) == 0) &&
                sn_run_file_meta(run, "frames", &frames) == SN_OK && frames &&
                sn_run_file_read_steps(run, atoi(frames) - 1, &steps, &count) == SN_OK && count > 0;
    sn_run_file_destroy(run);
    return done;
}

void sn_sweep_look(SnSweep* sweep)
{
    for (int i = 0; i < sweep->case_count; i++) sweep->cases[i].done = is_done(sweep, i);
}

// The last line of what it said.
static const char* find_failure(SnSweep* sweep, int number)
{
    const char* path = sn_sweep_path(sweep, number, ".log");
    char* text;
    if (!path || read_text(sweep, path, &text) != SN_OK || !text) return "it left no message";
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') text[--length] = 0;
    char* line = strrchr(text, '\n');
    return *text ? (line ? line + 1 : text) : "it left no message";
}

static SnStatus start(SnSweep* sweep, int number, pid_t* child)
{
    const char *words[MOST_WORDS], *log = sn_sweep_path(sweep, number, ".log");
    posix_spawn_file_actions_t actions;
    SN_TRY(make_words(sweep, number, words));
    if (!log || posix_spawn_file_actions_init(&actions) != 0) return sn_fail_memory("a process", 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawn(child, sweep->program, &actions, NULL, (char* const*)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error ? sn_fail(SN_ERROR_FILE, "%s cannot be started: %s", sweep->program, strerror(error)) : SN_OK;
}

static void end(SnSweep* sweep, int number)
{
    SnSweepCase* one = &sweep->cases[number];
    one->done = is_done(sweep, number);
    const char* log = sn_sweep_path(sweep, number, ".log");
    if (one->done && log) unlink(log);
    if (!one->done) one->failure = find_failure(sweep, number);
    if (sweep->quiet) return;
    printf("case %d of %d: %s", number, sweep->case_count, one->done ? "done" : stop_wanted ? "stopped" : "failed");
    for (int k = 0; k < sweep->over_count; k++) printf(", %s=%s", sweep->overs[k].path, one->values[k]);
    printf(one->done ? "\n" : ": %s\n", one->failure);
    fflush(stdout);
}

typedef struct Process {
    pid_t child;
    int number;
} Process;

// Waits for one of them, and takes it off the list.
static void wait_for_one(SnSweep* sweep, Process* processes, int* count)
{
    int code;
    pid_t child = waitpid(-1, &code, 0);
    // Ctrl-C reaches them by itself.
    for (int i = 0; i < *count && child < 0 && stop_wanted == SIGTERM; i++) kill(processes[i].child, SIGTERM);
    for (int i = 0; i < *count; i++)
        if (processes[i].child == child) {
            end(sweep, processes[i].number);
            processes[i] = processes[--*count];
            return;
        }
}

SnStatus sn_sweep_run(SnSweep* sweep, int first, bool* stopped)
{
    enum { MOST_JOBS = 256 };
    Process processes[MOST_JOBS];
    int running = 0, jobs = sweep->jobs < MOST_JOBS ? sweep->jobs : MOST_JOBS;
    struct sigaction action = {.sa_handler = note_stop}, before[2];
    sigaction(SIGINT, &action, &before[0]), sigaction(SIGTERM, &action, &before[1]);
    SnStatus status = SN_OK;
    for (int i = first; i < sweep->case_count && status == SN_OK && !stop_wanted; i++) {
        if ((sweep->cases[i].done = is_done(sweep, i))) continue;
        while (running >= jobs) wait_for_one(sweep, processes, &running);
        if (stop_wanted) break;
        status = start(sweep, i, &processes[running].child);
        if (status == SN_OK) processes[running++].number = i;
    }
    while (running > 0) wait_for_one(sweep, processes, &running);
    sigaction(SIGINT, &before[0], NULL), sigaction(SIGTERM, &before[1], NULL);
    *stopped = stop_wanted != 0;
    return status;
}
