// Runs of the program that are killed at random, or meet a limit of file size or a bad disk, and are gone on with: in
// the end they have the bits of a run that nothing happened to.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/isa.h"
#include "core/random.h"
#include "core/timer.h"
#include "integrator/integrator.h"
#include "solver/initial.h"
#include "torture.h"
#include <sinew/run.h>

enum { PATIENCE_MS = 20000, MOST_WORDS = 24 };

// What happens to a run.
typedef struct Trouble {
    bool kills;
    size_t bytes;  // how large files may become; 0: any size
    char disk[32]; // as torture/preload/disk.c has it; "": a good one
} Trouble;

typedef struct Command {
    const char* program;
    char scene[512], frames[16], solver[64], integrator[64], isa[32];
} Command;

static int below(SnRandom* random, int count)
{
    return (int)(sn_random_bits(random) % (uint64_t)count);
}

static pid_t start(const Command* c, const char* run, int threads, bool resume, const Trouble* trouble)
{
    char count[16];
    snprintf(count, sizeof count, "%d", threads);
    const char* words[MOST_WORDS] = {c->program,    "run",       c->scene,   "-o",      run,
                                     "--frames",    c->frames,   "--solver", c->solver, "--integrator",
                                     c->integrator, "--threads", count,      "--quiet"};
    int used = 14;
    if (resume) words[used++] = "--resume";
    pid_t child = fork();
    if (child != 0) return child;
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1), dup2(nothing, 2);
    if (trouble->bytes) setrlimit(RLIMIT_FSIZE, &(struct rlimit){trouble->bytes, trouble->bytes});
#ifdef SN_BAD_DISK
    if (*trouble->disk) setenv("LD_PRELOAD", SN_BAD_DISK, 1), setenv("TORTURE_DISK", trouble->disk, 1);
#endif
    if (*c->isa) setenv("SINEW_ISA", c->isa, 1);
    execv(c->program, (char* const*)words);
    _exit(127);
}

// Its exit code; 128 + the signal that ended it; -1 where it was killed for taking too long.
static int wait_for(pid_t child, double ms)
{
    double begin = sn_now_ms();
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sn_now_ms() - begin > ms) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        usleep(500);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void remove_run(const char* run)
{
    static const char* const endings[] = {"", "-wal", "-shm", "-journal", "-lock"};
    char path[4200];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s%s", run, endings[i]);
        unlink(path);
    }
}

static bool same_frames(SnRunFile* a, SnRunFile* b)
{
    size_t size = 3 * (size_t)sn_run_file_node_count(a) * sizeof(double);
    double *x = malloc(2 * size), *y = malloc(2 * size);
    bool same = sn_run_file_node_count(a) == sn_run_file_node_count(b) &&
                sn_run_file_frame_count(a) == sn_run_file_frame_count(b);
    for (int i = 0; i < sn_run_file_frame_count(a) && same; i++)
        same = sn_run_file_read_frame(a, i, x, x + size / 8) == SN_OK &&
               sn_run_file_read_frame(b, i, y, y + size / 8) == SN_OK && memcmp(x, y, 2 * size) == 0;
    free(x), free(y);
    return same;
}

static bool same_steps(SnRunFile* a, SnRunFile* b)
{
    const SnRunStep *s, *t;
    int s_count, t_count;
    if (sn_run_file_read_steps(a, -1, &s, &s_count) != SN_OK || sn_run_file_read_steps(b, -1, &t, &t_count) != SN_OK)
        return false;
    bool same = s_count == t_count;
    for (int i = 0; i < s_count && same; i++)
        same = s[i].step == t[i].step && s[i].iterations == t[i].iterations && !strcmp(s[i].outcome, t[i].outcome) &&
               memcmp(&s[i].energy, &t[i].energy, sizeof s[i].energy) == 0;
    return same;
}

static bool same_runs(const char* a_path, const char* b_path)
{
    SnRunFile *a = NULL, *b = NULL;
    bool same = sn_run_file_open(a_path, &a) == SN_OK && sn_run_file_open(b_path, &b) == SN_OK && same_frames(a, b) &&
                same_steps(a, b);
    sn_run_file_destroy(a), sn_run_file_destroy(b);
    return same;
}

// Any scene of the gallery with any solver, integrator and instruction set; those that take too long are left out.
static void choose(const Torture* t, SnRandom* random, Command* c)
{
    static const SnIsa sets[] = {SN_ISA_BASE, SN_ISA_AVX2, SN_ISA_AVX512};
    *c = (Command){.program = t->program};
    const char* scene = t->gallery[below(random, t->gallery_count)];
    const SnSolverType* solver = sn_solver_at(below(random, sn_solver_count()));
    const SnIntegratorType* integrator = sn_integrator_at(below(random, sn_integrator_count()));
    const SnInitialType* initial =
        strcmp(solver->name, "lbfgs") ? NULL : sn_initial_at(below(random, sn_initial_count()));
    snprintf(c->scene, sizeof c->scene, "%s/gallery/%s", t->scenes, scene);
    snprintf(c->solver, sizeof c->solver, "%s%s%s", solver->name, initial ? "/" : "", initial ? initial->name : "");
    snprintf(c->integrator, sizeof c->integrator, "%s", integrator->name);
    snprintf(c->frames, sizeof c->frames, "%d", 4 + below(random, 8));
    SnIsa set = sets[below(random, 3)];
    if (sn_isa_available(set)) snprintf(c->isa, sizeof c->isa, "%s", sn_isa_name(set));
}

// What happens to the next run: it is killed, maybe on a slow disk; or it is not, and the disk is the trouble.
static Trouble next_trouble(bool kills, SnRandom* random)
{
    Trouble trouble = {.kills = kills};
    int which = below(random, kills ? 3 : 4), bytes = 20000 + below(random, 400000);
    if (kills && which == 0) snprintf(trouble.disk, sizeof trouble.disk, "slow %d", 1 + below(random, 20));
    if (kills) return trouble;
    if (which == 0) trouble.bytes = (size_t)bytes;
    if (which == 1) snprintf(trouble.disk, sizeof trouble.disk, "full %d", bytes);
    if (which == 2) snprintf(trouble.disk, sizeof trouble.disk, "broken %d", 1 + below(random, 80));
    if (which == 3) snprintf(trouble.disk, sizeof trouble.disk, "read-only");
    return trouble;
}

// In trouble several times; then to the end.
static const char* interrupt(const Command* c, const char* run, double whole_ms, bool kills, SnRandom* random)
{
    for (int k = 1 + below(random, 3); k >= 0; k--) {
        Trouble trouble = next_trouble(kills, random);
        pid_t child = start(c, run, 1 + below(random, 4), true, &trouble);
        double patience = kills ? sn_random_uniform(random, 0, 1.2 * whole_ms) : 4 * PATIENCE_MS;
        int code = wait_for(child, patience);
        if (code > 2) return "ended by a signal of its own";
        if (code == 2 && kills) return "refused"; // on a bad disk a run cannot even be begun
        if (code == 0 && strcmp(trouble.disk, "read-only") == 0) return "did not notice that it could not write";
    }
    return wait_for(start(c, run, 2, true, &(Trouble){0}), 4 * PATIENCE_MS) == 0 ? NULL : "does not go on to the end";
}

static int run_cases(const Torture* t, bool kills, int count)
{
    int done = 0, skipped = 0, failed = 0;
    char whole[4096], broken[4096];
    snprintf(whole, sizeof whole, "%s/whole-%d.run", t->folder, (int)getpid());
    snprintf(broken, sizeof broken, "%s/broken-%d.run", t->folder, (int)getpid());
    double begin = torture_seconds();
    for (int i = t->only >= 0 ? t->only : 0; i < count; i++) {
        if ((t->seconds > 0 && torture_seconds() - begin > t->seconds) || (t->only >= 0 && i > t->only)) break;
        SnRandom random = {t->seed * 104729 + (uint64_t)i + (kills ? 0 : 1000000)};
        Command command;
        choose(t, &random, &command);
        remove_run(whole), remove_run(broken);
        double start_ms = sn_now_ms();
        if (wait_for(start(&command, whole, 1, false, &(Trouble){0}), PATIENCE_MS) != 0) {
            skipped++;
            continue;
        }
        const char* why = interrupt(&command, broken, sn_now_ms() - start_ms, kills, &random);
        if (!why && !same_runs(whole, broken)) why = "has other bits than a run that was left alone";
        done++, failed += why != NULL;
        if (why)
            printf("# %s %d: %s --frames %s --solver %s --integrator %s SINEW_ISA=%s: %s\n", kills ? "kill" : "disk", i,
                   command.scene, command.frames, command.solver, command.integrator, command.isa, why);
    }
    remove_run(whole), remove_run(broken);
    printf("# %d runs %s and resumed, %d too slow for it or refused, %d failed\n", done,
           kills ? "killed" : "stopped by a bad disk", skipped, failed);
    return failed;
}

int torture_kills(const Torture* t)
{
    return run_cases(t, true, t->count ? t->count : 30);
}

int torture_disk(const Torture* t)
{
    return run_cases(t, false, t->count ? t->count : 15);
}
